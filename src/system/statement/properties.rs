//! Properties of solutions beside the equations: conserved quantities and bounds.

use crate::system::{EvaluationError, Point};

/// How a quantity behaves along every solution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PropertyKind {
    /// It keeps the value that it has at the start, or behind the last jump.
    Conserved,
    /// It stays between these values; infinite ones are no bounds.
    Within {
        /// The lower bound.
        lower: f64,
        /// The upper bound.
        upper: f64,
    },
}

impl PropertyKind {
    /// Its bounds, if it has any.
    pub(crate) fn bounds(self) -> Option<[f64; 2]> {
        match self {
            Self::Conserved => None,
            Self::Within { lower, upper } => Some([lower, upper]),
        }
    }
}

/// A quantity that a run watches, see [`Properties`].
#[derive(Clone, Debug, PartialEq)]
pub struct Property {
    /// Its name.
    pub name: String,
    /// What is known of it.
    pub kind: PropertyKind,
}

impl Property {
    /// A conserved quantity: the sum of concentrations, a momentum.
    pub fn conserved(name: impl Into<String>) -> Self {
        let name = name.into();
        let kind = PropertyKind::Conserved;
        Self { name, kind }
    }

    /// A quantity between two bounds.
    pub fn within(name: impl Into<String>, lower: f64, upper: f64) -> Self {
        let name = name.into();
        let kind = PropertyKind::Within { lower, upper };
        Self { name, kind }
    }

    /// A quantity that is not negative: a concentration, a mass.
    pub fn not_negative(name: impl Into<String>) -> Self {
        Self::within(name, 0.0, f64::INFINITY)
    }
}

/// Quantities that are conserved or bounded along every solution. A run evaluates them behind every step and reports those that leave their
/// values or bounds by more than the errors of its tolerances ([`Solution::violated`](crate::solve::Solution::violated)): the solution
/// has then gone where no solution of the problem goes, however small its local errors are.
///
/// Bounds guide a run, too. An adaptive step that leaves one, from within, is tried again with a quarter of its size, down to 1e-7 of it; a
/// solution for algebraic variables keeps to the bounds that its guess is within. So a run stays on the branch of a root that has a meaning,
/// and on this side of a pole.
///
/// ```
/// use liedae::prelude::*;
/// use liedae::system::{FirstOrder, FirstOrderModel, Property};
///
/// /// Bacteria that multiply, by mistake from a negative number.
/// struct Growth;
///
/// impl FirstOrderModel for Growth {
///     fn dimension(&self) -> usize { 1 }
///     fn initial_value(&self) -> Vec<f64> { vec![-1e-3] }
///     fn rate<S: Scalar>(&self, _t: S, y: &[S], rate: &mut [S]) { rate[0] = y[0] * 3.0; }
///     fn properties(&self) -> Vec<Property> { vec![Property::not_negative("bacteria")] }
///     fn property_values(&self, _t: f64, y: &[f64], out: &mut [f64]) { out[0] = y[0]; }
/// }
///
/// let method = MethodRegistry::standard().build("dopri5", &MethodOptions::default())?;
/// let mut system = Automatic::new(FirstOrder::new(Growth)?);
/// let found = solve(&mut system, method.as_ref(), &Options::adaptive(1.0, 1e-8, 1e-8))?;
/// let violated = &found.violated[0];
/// assert_eq!((violated.name.as_str(), violated.allowed[0]), ("bacteria", 0.0));
/// assert!((violated.value + 1e-3 * 3.0_f64.exp()).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Properties {
    /// The quantities.
    fn descriptions(&mut self) -> &[Property];

    /// Their values, as many as descriptions. They depend on t, q, v, x and modes.
    fn values(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError>;
}
