//! The choice of a controller, by value or by name.

use super::{
    Controller, DigitalFilter, FilterGains, Fixed, Limits, Predictive, ProportionalIntegral,
};
use serde::Serialize;
use std::fmt;

/// Which controller a run uses.
///
/// ```
/// use liedae::control::{ControllerKind, Limits, Tolerances};
/// use liedae::integrator::Dopri5;
/// use liedae::prelude::*;
/// use liedae::solve::StepControl;
///
/// // The elementary controller, which at most doubles the step, in place of the method's own.
/// let limits = Limits { grow: 2.0, ..Limits::default() };
/// let controller = Some(ControllerKind::Elementary(limits));
/// let tolerances = Tolerances::uniform(1e-6, 1e-6);
/// let control = StepControl::Adaptive { tolerances, controller, initial_step: Some(1e-6) };
/// let mut oscillator = liedae::model([1.0], [0.0]).mass(1.0).force(|_t, [x], _v| [x * -100.0]).build()?;
/// let run = solve(&mut oscillator, &Dopri5::default(), &Options::new(1.0, control))?;
/// // From a microsecond to a hundredth of a second takes 13 steps at least.
/// assert!(run.statistics.accepted > 13);
/// assert!((run.state.q[0] - 10.0_f64.cos()).abs() < 1e-4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub enum ControllerKind {
    /// One of your own, made anew for every run.
    Custom(fn() -> Box<dyn Controller>),
    /// Never changes the step.
    Fixed,
    /// [`ProportionalIntegral::elementary`].
    Elementary(Limits),
    /// [`ProportionalIntegral`] with this β.
    ProportionalIntegral(Limits, f64),
    /// [`DigitalFilter`], PID controllers among them, with κ of its smooth limiter.
    Filter(Limits, FilterGains, Option<f64>),
    /// [`Predictive`].
    Predictive(Limits),
}

impl ControllerKind {
    /// The limits, of the kinds that have any.
    pub fn limits(self) -> Option<Limits> {
        match self {
            Self::Elementary(limits)
            | Self::ProportionalIntegral(limits, _)
            | Self::Filter(limits, ..)
            | Self::Predictive(limits) => Some(limits),
            Self::Fixed | Self::Custom(_) => None,
        }
    }

    /// The same with other limits; a kind without any stays what it is.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        match self {
            Self::Elementary(_) => Self::Elementary(limits),
            Self::ProportionalIntegral(_, beta) => Self::ProportionalIntegral(limits, beta),
            Self::Filter(_, gains, smoothing) => Self::Filter(limits, gains, smoothing),
            Self::Predictive(_) => Self::Predictive(limits),
            Self::Fixed | Self::Custom(_) => self,
        }
    }

    /// Whether the weights of a filter are valid: [`FilterGains::are_usable`], and κ positive.
    pub fn has_usable_gains(self) -> bool {
        match self {
            Self::Filter(_, gains, smoothing) => {
                gains.are_usable() && smoothing.is_none_or(|kappa| kappa > 0.0 && kappa.is_finite())
            }
            _ => true,
        }
    }

    /// A fresh controller of this kind.
    pub fn build(self) -> Box<dyn Controller> {
        match self {
            Self::Custom(make) => make(),
            Self::Fixed => Box::new(Fixed),
            Self::Elementary(limits) => Box::new(ProportionalIntegral::elementary(limits)),
            Self::ProportionalIntegral(limits, beta) => {
                Box::new(ProportionalIntegral::new(limits, beta))
            }
            Self::Filter(limits, gains, smoothing) => {
                Box::new(DigitalFilter::new(limits, gains, smoothing))
            }
            Self::Predictive(limits) => Box::new(Predictive::new(limits)),
        }
    }
}

impl fmt::Display for ControllerKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Custom(_) => "one of its own",
            Self::Fixed => "none",
            Self::Elementary(_) => "elementary",
            Self::ProportionalIntegral(..) => "pi",
            Self::Filter(..) => "digital filter",
            Self::Predictive(_) => "predictive",
        })
    }
}

/// A controller that can be chosen by name, for any method with an error estimate.
///
/// ```
/// use liedae::control::{ControllerEntry, ControllerKind, Limits, find_controller};
///
/// // A controller by name keeps the limits of the method's own.
/// let limits = Limits { grow: 3.0, ..Limits::default() };
/// let entry: &ControllerEntry = find_controller("predictive").ok_or("no such controller")?;
/// let kind = entry.kind_for(ControllerKind::Elementary(limits));
/// assert!(matches!(kind, ControllerKind::Predictive(kept) if kept == limits));
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ControllerEntry {
    /// The name on the command line.
    pub name: &'static str,
    /// The name in words.
    pub title: &'static str,
    /// When to use it.
    pub use_when: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    #[serde(skip)]
    adapt: fn(ControllerKind) -> ControllerKind,
}

impl ControllerEntry {
    /// The controller for a method whose own one is `own`: with the limits of that one, the default limits if it has
    /// none.
    pub fn kind_for(&self, own: ControllerKind) -> ControllerKind {
        (self.adapt)(own)
    }
}

/// κ of the smooth limiter, as Söderlind and Wang 2006 suggest.
const KAPPA: f64 = 1.0;

fn limits_of(own: ControllerKind) -> Limits {
    own.limits().unwrap_or_default()
}

fn filter(own: ControllerKind, gains: FilterGains) -> ControllerKind {
    ControllerKind::Filter(limits_of(own), gains, Some(KAPPA))
}

const FILTERS: &str = "Söderlind 2003, doi:10.1145/641876.641877; limiter of Söderlind, Wang 2006, \
                       doi:10.1016/j.cam.2005.03.008";

static CONTROLLERS: &[ControllerEntry] = &[
    ControllerEntry {
        name: "elementary",
        title: "elementary (integral) controller",
        use_when: "the error behaves as the order says; reacts at once to any change, and to any noise",
        source: "Haddouni et al. 2017, eq. 30, doi:10.1007/s11044-017-9570-y",
        adapt: |own| ControllerKind::Elementary(limits_of(own)),
    },
    ControllerEntry {
        name: "pi",
        title: "proportional-integral controller",
        use_when: "explicit methods on mildly stiff problems, where elementary control makes the step oscillate",
        source: "Gustafsson 1991, doi:10.1145/210232.210242; constants of Hairer, Nørsett, Wanner, Solving Ordinary \
                 Differential Equations I, IV.2",
        // A method that was designed with a PI controller keeps its constants.
        adapt: |own| match own {
            ControllerKind::ProportionalIntegral(..) => own,
            _ => ControllerKind::Filter(limits_of(own), FilterGains::PI, None),
        },
    },
    ControllerEntry {
        name: "pid",
        title: "proportional-integral-derivative controller",
        use_when: "explicit methods at the border of their stability; slower than pi, with steps less jagged",
        source: "Söderlind 2003, doi:10.1145/641876.641877; constants of Kennedy, Carpenter 2003, \
                 doi:10.1016/S0168-9274(02)00138-1",
        adapt: |own| ControllerKind::Filter(limits_of(own), FilterGains::PID, None),
    },
    ControllerEntry {
        name: "h211b",
        title: "digital filter H211b, b = 4",
        use_when: "noisy error estimates; smooth steps, and results that depend smoothly on the tolerance",
        source: FILTERS,
        adapt: |own| filter(own, FilterGains::h211b(4.0)),
    },
    ControllerEntry {
        name: "h211pi",
        title: "digital filter H211PI",
        use_when: "as h211b, in the form of a PI controller: earlier errors are weighed, earlier ratios of steps are not",
        source: FILTERS,
        adapt: |own| filter(own, FilterGains::H211_PI),
    },
    ControllerEntry {
        name: "h312b",
        title: "digital filter H312b, b = 8",
        use_when: "very noisy error estimates on smooth motions; the smoothest steps, the slowest reaction",
        source: FILTERS,
        adapt: |own| filter(own, FilterGains::h312b(8.0)),
    },
    ControllerEntry {
        name: "predictive",
        title: "Gustafsson's predictive controller",
        use_when: "implicit methods on stiff problems, whose error rises steeply; fewer rejected steps",
        source: "Gustafsson 1994, doi:10.1145/198429.198437; Hairer, Wanner, Solving Ordinary Differential Equations II, \
                 IV.8, doi:10.1007/978-3-642-05221-7",
        adapt: |own| ControllerKind::Predictive(limits_of(own)),
    },
];

/// All controllers that can be chosen by name.
pub fn controllers() -> &'static [ControllerEntry] {
    CONTROLLERS
}

/// The controller of this name.
pub fn find_controller(name: &str) -> Option<&'static ControllerEntry> {
    CONTROLLERS.iter().find(|entry| entry.name == name)
}
