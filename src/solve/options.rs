//! Options of a run.

use super::timeline::{SHORTEST_RUN, SMALLEST_STEP};
use crate::control::{ControllerKind, ToleranceError, Tolerances};
use crate::integrator::StepSizes;
use crate::scalar::{larger_or_second, smaller_or_second};
use crate::system::{Clock, Consistency, Events, Short, System};
use std::time::Duration;
use thiserror::Error;

/// Runs shorter than this, in s, have event tolerances that are smaller in proportion.
const SHORT_RUN: f64 = 0.01;

/// ... but not smaller than this part.
const LEAST_SHARE: f64 = 1e-200;

/// How step sizes are chosen.
///
/// ```
/// use liedae::control::Tolerances;
/// use liedae::integrator::Dopri5;
/// use liedae::prelude::*;
/// use liedae::solve::StepControl;
///
/// // A run that begins with a millisecond, and one in steps of 10 ms throughout.
/// let mut oscillator = liedae::model([1.0], [0.0]).mass(1.0).force(|_t, [x], _v| [x * -100.0]).build()?;
/// let tolerances = Tolerances::uniform(1e-6, 1e-6);
/// let adaptive = StepControl::Adaptive { tolerances, controller: None, initial_step: Some(1e-3) };
/// for (control, first) in [(adaptive, 1e-3), (StepControl::Fixed(0.01), 0.01)] {
///     let found = solve(&mut oscillator, &Dopri5::default(), &Options::new(1.0, control))?;
///     assert!((found.statistics.smallest_step - first).abs() < 1e-12);
///     assert!((found.state.q[0] - 10.0_f64.cos()).abs() < 1e-4);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub enum StepControl {
    /// Steps of this size in s; only the last ones before a stop are fitted. Those that fail are halved, up to
    /// [`Options::max_halvings`] times.
    Fixed(f64),
    /// By the error estimate.
    Adaptive {
        /// Tolerances per component.
        tolerances: Tolerances,
        /// The controller; `None` is the one that the method was designed with.
        controller: Option<ControllerKind>,
        /// First step in s; `None` lets the driver estimate it.
        initial_step: Option<f64>,
    },
}

/// Options of a run.
///
/// ```
/// use liedae::solve::Options;
/// use std::time::Duration;
///
/// let options = Options {
///     stops: vec![0.5],
///     time_limit: Some(Duration::from_secs(60)),
///     ..Options::adaptive(1.0, 1e-6, 1e-8)
/// };
/// assert_eq!(options.t_end, 1.0);
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    /// End time in s; not before the initial state's time.
    pub t_end: f64,
    /// How steps are chosen.
    pub control: StepControl,
    /// Largest step of adaptive runs in s.
    pub max_step: f64,
    /// The characteristic time T of the solution, in the unit of the statement: error tests weigh variables of index 2 and 3 by powers of the
    /// step over it. Their errors count h/T and (h/T)² times, among them those of multipliers in `radau5`. `None` is 1, as in published codes.
    ///
    /// State the time in which the solution changes where that is far from 1. In a circuit that is stated in seconds and changes
    /// in microseconds, errors of currents of index 2 hardly count otherwise; stated in nanoseconds they count a thousand times, and steps
    /// become far too short.
    pub characteristic_time: Option<f64>,
    /// How often a fixed step is halved where its Newton iteration does not converge, or an impact is not solved for: into at most 2ⁿ steps.
    /// Six of a size are taken before the next longer one is tried. Every failure counts as a rejected step. Numbers that are not finite end
    /// the run, as they come of steps that are too long for stability. 0 ends it in any case, as measurements at one size want it.
    pub max_halvings: u32,
    /// Steps, accepted, rejected and those that methods take within steps, after which the run stops.
    pub max_steps: usize,
    /// Time after which the run stops, also within a step: behind the evaluation or factorization that is under way. `None` lets it run.
    pub time_limit: Option<Duration>,
    /// What [`Self::time_limit`] is measured by, by default wall time.
    pub clock: Clock,
    /// Moments that the run lands on exactly, besides those that the system names.
    pub stops: Vec<f64>,
    /// Accuracy in s to which state events are located; those nearer to each other are handled together. On dense output their
    /// roots are found to within 1e-12 s at least; this says when the repeated step is near enough to the root. It is made smaller in
    /// proportion in runs shorter than 0.01 s, and in steps shorter than 1e-6 s: the default is 1e-10 of a short run, 1e-6 of a short step.
    pub event_tolerance: f64,
    /// Into how many parts a step is divided to look for events, at least 1: event functions are evaluated at the ends
    /// of all parts, as far as the first event needs them. Two crossings within one part are found from the extremum between them.
    pub event_samples: usize,
    /// Records of events that [`Solution::events`](super::Solution::events) keeps, each of some hundred bytes: the first ones of the run. Later
    /// ones are counted in [`Statistics::events_left_out`](super::Statistics::events_left_out); [`Observer::event`](super::Observer::event) sees all. All are kept by default.
    pub max_event_records: usize,
    /// How consistent initial values, and states that handlers of events leave, must be.
    pub consistency: Consistency,
}

impl StepControl {
    /// What it means for the sizes of steps.
    pub(super) fn sizes(&self) -> StepSizes {
        match self {
            Self::Fixed(_) => StepSizes::Constant,
            Self::Adaptive { .. } => StepSizes::Adaptive,
        }
    }
}

impl Options {
    /// Adaptive steps to `t_end` with uniform tolerances and the method's own controller.
    pub fn adaptive(t_end: f64, relative: f64, absolute: f64) -> Self {
        let tolerances = Tolerances::uniform(relative, absolute);
        Self::new(
            t_end,
            StepControl::Adaptive {
                tolerances,
                controller: None,
                initial_step: None,
            },
        )
    }

    /// Steps of size `step` to `t_end`.
    pub fn fixed(t_end: f64, step: f64) -> Self {
        Self::new(t_end, StepControl::Fixed(step))
    }

    /// The given control and defaults for the rest.
    pub fn new(t_end: f64, control: StepControl) -> Self {
        Self {
            t_end,
            control,
            max_step: f64::INFINITY,
            characteristic_time: None,
            max_halvings: 10,
            max_steps: 100_000_000,
            time_limit: None,
            clock: Clock::default(),
            stops: Vec::new(),
            event_tolerance: 1e-12,
            event_samples: 8,
            max_event_records: usize::MAX,
            consistency: Consistency::default(),
        }
    }

    /// The same for a run from `t_start` on: short runs have finer event tolerances.
    pub(super) fn of_run(&self, t_start: f64) -> Self {
        let share = smaller_or_second((self.t_end - t_start) / SHORT_RUN, 1.0);
        Self {
            // Not zero, which would be refused.
            event_tolerance: self.event_tolerance * larger_or_second(share, LEAST_SHARE),
            ..self.clone()
        }
    }

    pub(crate) fn check(&self, t_start: f64) -> Result<(), OptionsError> {
        if !self.t_end.is_finite() {
            return Err(OptionsError::EndTime(self.t_end));
        }
        if self.t_end < t_start {
            return Err(OptionsError::Backwards {
                t_start,
                t_end: self.t_end,
            });
        }
        let span = self.t_end - t_start;
        if span > 0.0 && span <= SHORTEST_RUN * t_start.abs() {
            return Err(OptionsError::unresolved("run", span, t_start));
        }
        let usable = |step: f64| step > 0.0 && step.is_finite();
        match &self.control {
            StepControl::Fixed(step) if !usable(*step) => return Err(OptionsError::Step(*step)),
            StepControl::Fixed(step) if *step <= SMALLEST_STEP * t_start.abs() && span > 0.0 => {
                return Err(OptionsError::unresolved("step", *step, t_start));
            }
            StepControl::Adaptive {
                initial_step: Some(step),
                ..
            } if !usable(*step) => {
                return Err(OptionsError::Step(*step));
            }
            StepControl::Adaptive {
                controller: Some(controller),
                ..
            } if controller
                .limits()
                .is_some_and(|limits| !limits.are_usable()) =>
            {
                return Err(OptionsError::Limits);
            }
            StepControl::Adaptive {
                controller: Some(controller),
                ..
            } if !controller.has_usable_gains() => return Err(OptionsError::Gains),
            _ => {}
        }
        if self.max_step.is_nan() || self.max_step <= 0.0 {
            return Err(OptionsError::Step(self.max_step));
        }
        if let Some(time) = self.characteristic_time.filter(|time| !usable(*time)) {
            return Err(OptionsError::CharacteristicTime(time));
        }
        if self.event_tolerance.is_nan() || self.event_tolerance <= 0.0 {
            return Err(OptionsError::EventTolerance(self.event_tolerance));
        }
        if self.event_samples == 0 {
            return Err(OptionsError::EventSamples);
        }
        for (level, bound) in [
            ("position", self.consistency.position),
            ("velocity", self.consistency.velocity),
            ("algebraic", self.consistency.algebraic),
        ] {
            if bound.is_nan() || bound < 0.0 {
                return Err(OptionsError::Consistency { level, bound });
            }
        }
        match self.stops.iter().find(|stop| !stop.is_finite()) {
            Some(&stop) => Err(OptionsError::Stop(stop)),
            None => Ok(()),
        }
    }

    /// The largest step of adaptive runs of a system.
    pub(crate) fn largest_step(&self, system: &mut dyn System) -> Result<f64, OptionsError> {
        let own = (system.events()).map_or(f64::INFINITY, Events::largest_step);
        if own.is_nan() || own <= 0.0 {
            return Err(OptionsError::LargestStep(own));
        }
        Ok(self.max_step.min(own))
    }
}

/// Options that cannot be run.
///
/// ```
/// use liedae::integrator::HalfImplicit;
/// use liedae::prelude::*;
/// use liedae::solve::{OptionsError, SolveErrorKind};
///
/// // It starts at t = 0.
/// let mut oscillator = liedae::model([1.0], [0.0]).mass(1.0).force(|_t, [x], _v| [x * -100.0]).build()?;
/// let Err(error) = solve(&mut oscillator, &HalfImplicit::default(), &Options::fixed(-1.0, 0.1)) else {
///     panic!("time goes on")
/// };
/// let SolveErrorKind::Options(error) = error.kind else { panic!("it is the options") };
/// assert_eq!(error, OptionsError::Backwards { t_start: 0.0, t_end: -1.0 });
/// # Ok::<(), liedae::system::StatementError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Error)]
pub enum OptionsError {
    /// The step is zero, negative or not finite.
    #[error("a step size must be positive and finite, not {0}")]
    Step(f64),
    /// The characteristic time is zero, negative or not finite.
    #[error("the characteristic time must be positive and finite, not {0}")]
    CharacteristicTime(f64),
    /// The end time is not finite.
    #[error("the end time must be finite, not {0}")]
    EndTime(f64),
    /// A moment to land on is not finite.
    #[error("a stop must be a finite time, not {0}")]
    Stop(f64),
    /// The largest step that the system names is zero, negative or NaN.
    #[error(
        "the system's largest_step() is {0}: it must be a positive number of seconds; infinity is no limit"
    )]
    LargestStep(f64),
    /// A bound on the violation of constraints is negative or NaN.
    #[error(
        "the consistency tolerance of the {level} level must be zero or positive, not {bound}; infinity lets any violation pass"
    )]
    Consistency {
        /// `position`, `velocity` or `algebraic`.
        level: &'static str,
        /// The bound.
        bound: f64,
    },
    /// The end lies before the start.
    #[error("the end time {} lies before the initial time {}", Short(*t_end), Short(*t_start))]
    Backwards {
        /// Initial time in s.
        t_start: f64,
        /// End time in s.
        t_end: f64,
    },
    /// A run or a step is so short that times beside its start cannot be told apart.
    #[error(
        "a {what} of {} s is too short at t = {t:e}, where numbers are {} s apart: let time begin nearer to zero{}",
        Short(*length), Short(*spacing), if *what == "step" { ", or take longer steps" } else { "" }
    )]
    Unresolved {
        /// `run` or `step`.
        what: &'static str,
        /// Its length in s.
        length: f64,
        /// Where it begins, in s.
        t: f64,
        /// The distance of the next number from there, in s.
        spacing: f64,
    },
    /// A body turns by half a turn and more within a constant step, so that its orientation at both ends does not tell which way.
    #[error(
        "a body turns by {angle:.1} rad in a step of {} s at t = {}: steps must be so small that it turns by less than 3 rad, best by less than 1",
        Short(*step), Short(*t)
    )]
    HalfTurn {
        /// Where the step begins, in s.
        t: f64,
        /// Its length in s.
        step: f64,
        /// By how much the body turns, in rad.
        angle: f64,
    },
    /// The limits of the controller cannot work.
    #[error("a controller needs 0 < safety <= 1 and 0 < shrink < 1 <= grow")]
    Limits,
    /// The weights of a filter cannot work.
    #[error(
        "a filter needs finite weights, those of errors with a positive sum, and a positive smoothing"
    )]
    Gains,
    /// The accuracy of event location is zero, negative or NaN.
    #[error("the event tolerance must be positive, not {0}")]
    EventTolerance(f64),
    /// There is no sample to look for events at.
    #[error("a step must have at least one sample of the event functions")]
    EventSamples,
    /// Tolerances that cannot be used.
    #[error(transparent)]
    Tolerance(#[from] ToleranceError),
    /// Adaptive steps were asked for, and the method has no error estimate.
    #[error("{method} has no error estimate: give a step size instead of tolerances")]
    NoEstimate {
        /// The method's name.
        method: &'static str,
    },
}

impl OptionsError {
    /// A run or a step from `t` on makes no progress.
    pub(super) fn unresolved(what: &'static str, length: f64, t: f64) -> Self {
        Self::Unresolved {
            what,
            length,
            t,
            spacing: t.abs().next_up() - t.abs(),
        }
    }
}
