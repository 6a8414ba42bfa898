//! Several functions of a system at one point.

/// Which functions are wanted at one point, and where their values go. Matrices are values in a pattern for a
/// [`System`](crate::system::System), dense ones for a [`Model`](crate::system::Model).
///
/// ```
/// use liedae::prelude::*;
/// use liedae::system::{Evaluator, Wanted};
///
/// // Force and gradient of a pendulum at one point, asked for together.
/// let mut pendulum = liedae::model([1.0, 0.0], [0.0, 0.0])
///     .mass(1.0)
///     .force(|_t, _q, _v| [0.0, -9.81])
///     .constraint(|_t, [x, y]| [x * x + y * y - 1.0])
///     .build()?;
/// let start = pendulum.initial_state();
/// let (mut force, mut gradient) = ([0.0; 2], [0.0; 2]);
/// let mut wanted = Wanted {
///     mass: None,
///     rates: Some(&mut force),
///     jacobian: Some(&mut gradient[..]),
///     velocity_constraint: None,
///     acceleration_bias: None,
/// };
/// Evaluator::new(&mut pendulum).at_point(&start.point(), &mut wanted)?;
/// assert_eq!((force, gradient), ([0.0, -9.81], [2.0, 0.0]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Wanted<'a, Matrix = &'a mut [f64]> {
    /// M.
    pub mass: Option<Matrix>,
    /// f, d and a for a system, f for a model.
    pub rates: Option<&'a mut [f64]>,
    /// G.
    pub jacobian: Option<Matrix>,
    /// All rows at velocity level: G v + ∂g/∂t, b.
    pub velocity_constraint: Option<&'a mut [f64]>,
    /// The bias γ of all rows.
    pub acceleration_bias: Option<&'a mut [f64]>,
}

impl Wanted<'_> {
    /// The same list, to be handed on: what is taken out of it stays here.
    pub(in crate::system) fn lent(&mut self) -> Wanted<'_> {
        Wanted {
            mass: self.mass.as_deref_mut(),
            rates: self.rates.as_deref_mut(),
            jacobian: self.jacobian.as_deref_mut(),
            velocity_constraint: self.velocity_constraint.as_deref_mut(),
            acceleration_bias: self.acceleration_bias.as_deref_mut(),
        }
    }
}

impl<Matrix> Default for Wanted<'_, Matrix> {
    /// Nothing is wanted.
    fn default() -> Self {
        Self {
            mass: None,
            rates: None,
            jacobian: None,
            velocity_constraint: None,
            acceleration_bias: None,
        }
    }
}
