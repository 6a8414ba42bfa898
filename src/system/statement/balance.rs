//! The balance of forces at an iterate of an implicit step, evaluated in one pass.

use crate::system::RatesJacobian;

/// The quantities that an implicit step needs of a system at an iterate, and the buffers for them.
///
/// ```
/// use liedae::prelude::*;
/// use liedae::system::{Balance, Evaluator};
///
/// // Systems need not offer it: the parts are evaluated one by one then.
/// let mut mass = liedae::model([1.0], [0.0]).mass(1.0).force(|_t, [x], _v| [x * -100.0]).build()?;
/// let start = mass.initial_state();
/// let mut forces = [0.0];
/// let mut wanted = Balance { forces: Some(&mut forces), ..Balance::default() };
/// assert!(!Evaluator::new(&mut mass).balance(&start.point(), &start.acceleration, &mut wanted)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Balance<'a> {
    /// f + Gᵀ λ - M a, all rates.
    pub forces: Option<&'a mut [f64]>,
    /// All constraint rows, and the factor that g(t, q) is to be multiplied by there: implicit methods divide rows by
    /// powers of the step size.
    pub position: Option<(&'a mut [f64], f64)>,
    /// All rows at velocity level, G v + ∂g/∂t.
    pub velocity: Option<&'a mut [f64]>,
    /// All rows at acceleration level, G a + γ.
    pub acceleration: Option<&'a mut [f64]>,
    /// G in the pattern [`Layout::jacobian`](crate::system::Layout::jacobian).
    pub jacobian: Option<&'a mut [f64]>,
    /// For each number of f + Gᵀ λ the absolute values of the parts that it is summed from, added: the force, and what each joint exerts.
    pub sizes: Option<&'a mut [f64]>,
}

/// What [`Model::balance`](crate::system::Model::balance) writes. All slices are zero when the model receives them.
///
/// ```
/// use liedae::prelude::*;
/// use liedae::system::{Derivative, ModelBalance, check_system};
///
/// /// A point mass on a rod of 1 m.
/// struct Pendulum;
/// impl Model for Pendulum {
/// #     fn layout(&self) -> Layout { Layout::dense(Manifold::euclidean(2)).with_position_rows(1) }
/// #     fn initial_state(&self) -> State { State { q: vec![1.0, 0.0], ..self.layout().state() } }
/// #     fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
/// #         for axis in 0..2 { mass[(axis, axis)] = S::constant(1.0); }
/// #     }
/// #     fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) { force[1] = S::constant(-9.81); }
/// #     fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
/// #         g[0] = (at.q[0] * at.q[0] + at.q[1] * at.q[1] - 1.0) * 0.5;
/// #     }
///     fn balance<S: Scalar>(&self, at: &Point<S>, a: &[S], out: &mut ModelBalance<S>) -> Derivative {
///         let (x, y, pull) = (at.q[0], at.q[1], at.lambda[0]);
///         out.forces[0] = x * pull - a[0];
///         out.forces[1] = y * pull - 9.81 - a[1];
///         if let Some(g) = &mut out.position {
///             g[0] = (x * x + y * y - 1.0) * 0.5;
///         }
///         if let Some(rates) = &mut out.velocity {
///             rates[0] = x * at.v[0] + y * at.v[1];
///         }
///         if let Some(rows) = &mut out.acceleration {
///             rows[0] = x * a[0] + y * a[1] + at.v[0] * at.v[0] + at.v[1] * at.v[1];
///         }
///         Derivative::Analytic
///     }
/// }
///
/// let mut system = Automatic::new(Pendulum);
/// let start = system.initial_state();
/// assert!(check_system(&mut system, &start)?.faults.is_empty());
/// # Ok::<(), liedae::system::SystemCheckError>(())
/// ```
#[derive(Debug)]
pub struct ModelBalance<'a, S> {
    /// f + Gᵀ λ - M a, as many as velocities.
    pub forces: &'a mut [S],
    /// g(t, q), where it is wanted.
    pub position: Option<&'a mut [S]>,
    /// G v + ∂g/∂t, where it is wanted.
    pub velocity: Option<&'a mut [S]>,
    /// G a + γ, where it is wanted.
    pub acceleration: Option<&'a mut [S]>,
}

/// The derivatives of a [`Balance`], and where they go.
#[derive(Debug)]
pub struct BalanceDerivatives<'a> {
    /// ∂f/∂v, and any part of the derivative of f + Gᵀ λ - M a by q.
    pub rates: &'a mut RatesJacobian,
    /// In [`Layout::stiffness_pattern`](crate::system::Layout::stiffness_pattern): `rates.by_position - stiffness` is the derivative of
    /// f + Gᵀ λ - M a by q. How it is divided between both is free; this pattern has room for all of it.
    pub stiffness: &'a mut [f64],
    /// ∂(G v + ∂g/∂t)/∂q in the pattern [`Layout::jacobian`](crate::system::Layout::jacobian).
    pub velocity_rows: Option<&'a mut [f64]>,
    /// ∂(G a + γ)/∂q and ∂γ/∂v in the same pattern.
    pub acceleration_rows: Option<[&'a mut [f64]; 2]>,
}
