//! The descriptor of a method: name, orders, source, when to use it.

use crate::control::{ControllerKind, Limits};
use serde::Serialize;
use std::fmt;

/// How a method treats the equations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Explicit in everything, on the index-1 form.
    Explicit,
    /// Explicit in the differential equations, implicit in the constraints.
    HalfExplicit,
    /// Explicit at velocity level, implicit at position level.
    HalfImplicit,
    /// Implicit.
    Implicit,
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Explicit => "explicit",
            Self::HalfExplicit => "half-explicit",
            Self::HalfImplicit => "half-implicit",
            Self::Implicit => "implicit",
        })
    }
}

/// Orders of convergence; `lambda` is that of the multipliers after [`complete`](super::Stepper::complete).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Orders {
    /// Configuration.
    pub q: u8,
    /// Velocity.
    pub v: u8,
    /// Multipliers.
    pub lambda: u8,
}

impl Orders {
    /// The same order in configuration, velocity and multipliers.
    pub const fn all(order: u8) -> Self {
        Self {
            q: order,
            v: order,
            lambda: order,
        }
    }
}

/// How states between steps are interpolated.
///
/// This is about configurations and velocities. Differential states are cubics by their rates, where the method has no polynomial of its
/// own for them ([`Stepper::dense_output`](super::Stepper::dense_output)). Algebraic variables, and the part of x that a singular
/// E leaves to rows without derivatives, solve these rows at every moment, if their index is 1. Multipliers are those of the
/// index-1 form with explicit and half-explicit methods and with `sdirk4`, and interpolated with `phem56` and the others.
///
/// ```
/// use liedae::integrator::{DenseOutput, Dopri5, HalfImplicit, Integrator};
///
/// // Dormand and Prince's method has an interpolant of its own.
/// assert_eq!(Dopri5::default().method().dense_output, DenseOutput::Own);
/// // Velocities of half-implicit Euler belong to the middles of steps.
/// assert_eq!(HalfImplicit::default().method().dense_output, DenseOutput::LinearVelocity);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DenseOutput {
    /// Cubic Hermite in local coordinates, from configurations and velocities.
    Cubic,
    /// Configurations as in `Cubic`, velocities along straight lines: for methods of first order, whose velocities belong to
    /// the middles of steps. The slope of the cubic would leave the interval between them by a quarter of their difference.
    LinearVelocity,
    /// Quintic Hermite in local coordinates, from configurations, velocities and accelerations.
    Quintic,
    /// The method interpolates itself, see [`OwnDenseOutput`](super::OwnDenseOutput).
    Own,
}

/// A method's name, properties and source.
///
/// A method of one's own says what it is and nothing that is not so:
///
/// ```
/// use liedae::integrator::{Kind, Method, Orders};
///
/// static VERLET: Method = Method::new("verlet", Kind::Explicit, Orders { q: 2, v: 2, lambda: 0 })
///     .with_title("Störmer-Verlet")
///     .with_error_estimate(2.0)
///     .with_source("Verlet 1967, doi:10.1103/PhysRev.159.98");
/// assert!(VERLET.is_adaptive());
/// assert_eq!(VERLET.index, 1);
/// ```
#[derive(Clone, Copy, Debug, Serialize)]
#[non_exhaustive]
pub struct Method {
    /// The name on the command line.
    pub name: &'static str,
    /// The name in words.
    pub title: &'static str,
    /// How it treats the equations.
    pub kind: Kind,
    /// The index of the formulation that it integrates.
    pub index: u8,
    /// Orders of convergence.
    pub orders: Orders,
    /// The error estimate behaves like h to this power; 0 without an estimate.
    pub error_order: f64,
    /// How it is interpolated.
    pub dense_output: DenseOutput,
    /// Whether it captures impacts and changes of contact within its steps: the system then leaves them out of its events
    /// ([`EventHandling::Captured`](crate::system::EventHandling::Captured)).
    pub captures_events: bool,
    /// Whether it steps with a fixed size unless tolerances are given.
    pub fixed_step_by_default: bool,
    /// The controller it was designed with.
    #[serde(skip)]
    pub controller: ControllerKind,
    /// Where it comes from.
    pub source: &'static str,
    /// When to use it.
    pub use_when: &'static str,
    /// When not to.
    pub avoid_when: &'static str,
}

impl Method {
    /// A method on the index-1 form, without an error estimate and thus with fixed steps, interpolated by cubics. The functions that follow
    /// say what is otherwise.
    pub const fn new(name: &'static str, kind: Kind, orders: Orders) -> Self {
        Self {
            name,
            title: name,
            kind,
            index: 1,
            orders,
            error_order: 0.0,
            dense_output: DenseOutput::Cubic,
            captures_events: false,
            fixed_step_by_default: true,
            controller: ControllerKind::Elementary(Limits {
                safety: 0.9,
                shrink: 0.2,
                grow: 5.0,
            }),
            source: "",
            use_when: "",
            avoid_when: "",
        }
    }

    /// Its name in words.
    pub const fn with_title(self, title: &'static str) -> Self {
        Self { title, ..self }
    }

    /// The index of the formulation that it integrates: 1, 2 or 3.
    pub const fn with_index(self, index: u8) -> Self {
        Self { index, ..self }
    }

    /// It estimates its error, which behaves like h to this power, and chooses its steps by tolerances unless a step is given.
    pub const fn with_error_estimate(self, error_order: f64) -> Self {
        Self {
            error_order,
            fixed_step_by_default: false,
            ..self
        }
    }

    /// The controller it was designed with.
    pub const fn with_controller(self, controller: ControllerKind) -> Self {
        Self { controller, ..self }
    }

    /// How it is interpolated.
    pub const fn with_dense_output(self, dense_output: DenseOutput) -> Self {
        Self {
            dense_output,
            ..self
        }
    }

    /// It captures impacts and changes of contact within its steps.
    pub const fn capturing_events(self) -> Self {
        Self {
            captures_events: true,
            ..self
        }
    }

    /// It steps with a fixed size unless tolerances are given, although it estimates its error.
    pub const fn with_fixed_steps_by_default(self) -> Self {
        Self {
            fixed_step_by_default: true,
            ..self
        }
    }

    /// Where it comes from: authors, year, equation, DOI.
    pub const fn with_source(self, source: &'static str) -> Self {
        Self { source, ..self }
    }

    /// When to use it and when not.
    pub const fn with_advice(self, use_when: &'static str, avoid_when: &'static str) -> Self {
        Self {
            use_when,
            avoid_when,
            ..self
        }
    }

    /// Whether it estimates its error, so that it can choose its steps by tolerances.
    pub fn is_adaptive(&self) -> bool {
        self.error_order > 0.0
    }
}
