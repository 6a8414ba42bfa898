//! What a method says about itself.

use crate::control::ControllerKind;
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

/// Orders of convergence; `lambda` is that of the multipliers after [`complete`](super::Integrator::complete).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Orders {
    /// Configuration.
    pub q: u8,
    /// Velocity.
    pub v: u8,
    /// Multipliers.
    pub lambda: u8,
}

/// How states between steps are interpolated.
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
    /// The method interpolates itself, see [`interpolate`](super::Integrator::interpolate).
    Own,
}

/// A method's name, properties and source.
#[derive(Clone, Copy, Debug, Serialize)]
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
    /// Whether it estimates its error, so that it can choose its steps by tolerances.
    pub fn is_adaptive(&self) -> bool {
        self.error_order > 0.0
    }
}
