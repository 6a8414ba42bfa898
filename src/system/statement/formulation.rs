//! The index of the equations that an implicit method integrates.

use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// How the constraint rows of a mechanical system enter the equations of an implicit method.
///
/// Position rows g(t, q) = 0 and velocity rows b(t, q, v) = 0 hold along the exact solution together with all their
/// derivatives; which of them a discretization solves decides about drift, order and effort.
///
/// | formulation | position rows | velocity rows | drifts off |
/// |---|---|---|---|
/// | `Index3` | g = 0 | b = 0 | nothing at the position level; G v + ∂g/∂t = 0 up to the error of v |
/// | `Index2` | G v + ∂g/∂t = 0 | b = 0 | g |
/// | `StabilizedIndex2` | g = 0 and G v + ∂g/∂t = 0 | b = 0 | nothing |
/// | `Index1` | G v' + γ = 0 | G v' + γ = 0 | g and G v + ∂g/∂t |
/// | `Baumgarte` | G v' + γ + 2α (G v + ∂g/∂t) + β² g = 0 | G v' + γ + α b = 0 | little |
///
/// Sources: Hairer, Wanner, Solving Ordinary Differential Equations II, 1996, sec. VII.1 and VII.2,
/// doi:10.1007/978-3-642-05221-7; Gear, Gupta, Leimkuhler 1985, doi:10.1016/0377-0427(85)90008-1; Baumgarte 1972,
/// doi:10.1016/0045-7825(72)90018-7; Haddouni et al. 2017, eqs. 6-8 and 23, doi:10.1007/s11044-017-9570-y.
///
/// ```
/// use liedae::integrator::{Bdf, NewtonOptions};
/// use liedae::prelude::*;
/// use liedae::system::Formulation;
///
/// // A pendulum's rod changes its length where its constraint is differentiated, and hardly where both levels are solved.
/// let mut pendulum = liedae::model([1.0, 0.0], [0.0, 0.0])
///     .mass(1.0)
///     .force(|_t, _q, _v| [0.0, -9.81])
///     .constraint(|_t, [x, y]| [x * x + y * y - 1.0])
///     .build()?;
/// let mut drift = |formulation| -> Result<f64, liedae::solve::SolveError> {
///     let method = Bdf::new(Some(formulation), NewtonOptions::default());
///     let end = solve(&mut pendulum, &method, &Options::adaptive(5.0, 1e-5, 1e-5))?.state;
///     Ok((end.q[0].hypot(end.q[1]) - 1.0).abs())
/// };
/// assert!(drift(Formulation::Index1)? > 1e-6 && drift(Formulation::StabilizedIndex2)? < 1e-8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Formulation {
    /// Constraints at the position level.
    Index3,
    /// Constraints at the velocity level.
    Index2,
    /// Gear, Gupta and Leimkuhler: both levels, M (u-velocity - v) = Gᵀ μ with further multipliers μ of position rows.
    StabilizedIndex2,
    /// Constraints at the acceleration level.
    Index1,
    /// Constraints at the acceleration level, damped back onto the others.
    Baumgarte {
        /// Damping rate α ≥ 0 in 1/s.
        alpha: f64,
        /// Circular frequency β ≥ 0 in 1/s; critically damped with β = α.
        beta: f64,
    },
}

/// A formulation that does not exist.
///
/// ```
/// use liedae::system::{Formulation, UnknownFormulation};
///
/// assert_eq!("stabilized".parse(), Ok(Formulation::StabilizedIndex2));
/// assert_eq!("4".parse::<Formulation>(), Err(UnknownFormulation("4".to_owned())));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no formulation `{0}`; there are 3, 2, stabilized, 1 and baumgarte")]
pub struct UnknownFormulation(pub String);

impl Formulation {
    /// The damping rates in 1/s that the name `baumgarte` stands for; critically damped.
    pub const BAUMGARTE_RATE: f64 = 10.0;

    /// What the name `baumgarte` stands for.
    pub const BAUMGARTE: Self = Self::Baumgarte {
        alpha: Self::BAUMGARTE_RATE,
        beta: Self::BAUMGARTE_RATE,
    };

    /// Whether position rows have further multipliers μ.
    pub fn is_stabilized(self) -> bool {
        self == Self::StabilizedIndex2
    }

    /// The differentiation index of the equations.
    pub fn index(self) -> u8 {
        match self {
            Self::Index3 => 3,
            Self::Index2 | Self::StabilizedIndex2 => 2,
            Self::Index1 | Self::Baumgarte { .. } => 1,
        }
    }
}

impl fmt::Display for Formulation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Index3 => "3",
            Self::Index2 => "2",
            Self::StabilizedIndex2 => "stabilized",
            Self::Index1 => "1",
            Self::Baumgarte { .. } => "baumgarte",
        })
    }
}

impl FromStr for Formulation {
    type Err = UnknownFormulation;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "3" => Ok(Self::Index3),
            "2" => Ok(Self::Index2),
            "stabilized" => Ok(Self::StabilizedIndex2),
            "1" => Ok(Self::Index1),
            "baumgarte" => Ok(Self::BAUMGARTE),
            other => Err(UnknownFormulation(other.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for name in ["3", "2", "stabilized", "1", "baumgarte"] {
            let formulation: Formulation = name.parse().expect("a known name");
            assert_eq!(formulation.to_string(), name);
        }
        let error = "4".parse::<Formulation>().expect_err("no such formulation");
        assert!(error.to_string().contains("stabilized"));
    }
}
