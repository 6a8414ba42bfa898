//! Options of methods.

use super::{FirstGuess, MatrixPoint, NewmarkParameters, NewtonOptions, Projection};
use crate::system::{Formulation, Parametrization};
use serde::Serialize;
use std::fmt;

/// Choices that a method may offer; `None` is the method's own. [`MethodRegistry::build`](super::MethodRegistry::build)
/// refuses those that it does not offer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MethodOptions {
    /// For methods that drift off the constraints.
    pub projection: Option<Projection>,
    /// For implicit and half-implicit methods.
    pub newton: Option<NewtonOptions>,
    /// Where iterations of half-implicit Euler begin.
    pub first_guess: Option<FirstGuess>,
    /// Where backward Euler evaluates its Newton matrix.
    pub matrix_point: Option<MatrixPoint>,
    /// For implicit methods that can take the constraints at any level.
    pub formulation: Option<Formulation>,
    /// Spectral radius at infinity of generalized-alpha methods, in [0, 1]; `None` is
    /// [`AlphaCoefficients::DEFAULT_SPECTRAL_RADIUS`](super::AlphaCoefficients::DEFAULT_SPECTRAL_RADIUS).
    pub spectral_radius: Option<f64>,
    /// In its place the parameter of HHT-alpha, in [-1/3, 0].
    pub hht_alpha: Option<f64>,
    /// For methods on the state-space form.
    pub parametrization: Option<Parametrization>,
    /// For Newmark's method.
    pub newmark: Option<NewmarkParameters>,
    /// θ of θ-schemes, in [1/2, 1].
    pub theta: Option<f64>,
    /// Highest order of methods of variable order; the nearest that the method has is taken.
    pub highest_order: Option<usize>,
    /// Steps of multistep formulas that have a constant number of them; the nearest that the method has is taken.
    pub steps: Option<usize>,
    /// A constant number of rows of extrapolation tableaus; the nearest that the method has is taken.
    pub rows: Option<usize>,
}

/// One of the [`MethodOptions`].
///
/// ```
/// use liedae::integrator::{MethodOption, MethodOptions, MethodRegistry};
///
/// // Which methods have an order that can be limited?
/// let methods = MethodRegistry::standard();
/// assert!(methods.takers(MethodOption::HighestOrder).contains(&"bdf"));
/// // Others refuse the option instead of leaving it aside.
/// let options = MethodOptions { highest_order: Some(2), ..MethodOptions::default() };
/// assert!(methods.build("bdf", &options).is_ok() && methods.build("radau5", &options).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MethodOption {
    /// When to project onto the constraints.
    Projection,
    /// Tolerance and limit of Newton iterations.
    Newton,
    /// Where iterations begin.
    FirstGuess,
    /// Where the Newton matrix is evaluated.
    MatrixPoint,
    /// The level at which the constraints are taken.
    Formulation,
    /// Spectral radius at infinity.
    SpectralRadius,
    /// Parameter of HHT-alpha.
    HhtAlpha,
    /// Choice of independent coordinates.
    Parametrization,
    /// Newmark's β, γ and predictor.
    Newmark,
    /// θ of θ-schemes.
    Theta,
    /// Highest order.
    HighestOrder,
    /// Number of steps of a formula.
    Steps,
    /// Number of rows of a tableau.
    Rows,
}

impl fmt::Display for MethodOption {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Projection => "projection",
            Self::Newton => "Newton tolerance or limit",
            Self::FirstGuess => "first guess",
            Self::MatrixPoint => "point of the Newton matrix",
            Self::Formulation => "choice of formulations",
            Self::SpectralRadius => "spectral radius",
            Self::HhtAlpha => "parameter of HHT-alpha",
            Self::Parametrization => "parametrization",
            Self::Newmark => "choice of β and γ",
            Self::Theta => "choice of θ",
            Self::HighestOrder => "highest order",
            Self::Steps => "number of steps",
            Self::Rows => "number of rows",
        })
    }
}

impl MethodOptions {
    /// The options that are set.
    pub fn given(&self) -> impl Iterator<Item = MethodOption> {
        [
            (self.projection.is_some(), MethodOption::Projection),
            (self.newton.is_some(), MethodOption::Newton),
            (self.first_guess.is_some(), MethodOption::FirstGuess),
            (self.matrix_point.is_some(), MethodOption::MatrixPoint),
            (self.formulation.is_some(), MethodOption::Formulation),
            (self.spectral_radius.is_some(), MethodOption::SpectralRadius),
            (self.hht_alpha.is_some(), MethodOption::HhtAlpha),
            (
                self.parametrization.is_some(),
                MethodOption::Parametrization,
            ),
            (self.newmark.is_some(), MethodOption::Newmark),
            (self.theta.is_some(), MethodOption::Theta),
            (self.highest_order.is_some(), MethodOption::HighestOrder),
            (self.steps.is_some(), MethodOption::Steps),
            (self.rows.is_some(), MethodOption::Rows),
        ]
        .into_iter()
        .filter_map(|(given, option)| given.then_some(option))
    }
}
