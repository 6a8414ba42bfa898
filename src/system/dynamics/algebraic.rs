//! Algebraic variables alone, for given multipliers.

use crate::linalg::{Blocks, KktError, KktSolver, Pattern};
use crate::system::{DynamicsError, Evaluator, Layout, Point, RatesJacobian, State};

/// Solves 0 = a(t, q, v, x, z, λ) for z by Newton's method, everything else given.
///
/// ```
/// use liedae::prelude::*;
/// use liedae::system::{AlgebraicSolver, Evaluator};
///
/// /// A chamber whose pressure z follows from the volume q of the gas: z q = 2.
/// struct Chamber;
/// impl Model for Chamber {
/// #     fn layout(&self) -> Layout { Layout::dense(Manifold::euclidean(1)).with_algebraic_variables(1) }
/// #     fn initial_state(&self) -> State { State { q: vec![4.0], ..self.layout().state() } }
/// #     fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
/// #         mass[(0, 0)] = S::constant(1.0);
/// #     }
/// #     fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) { force[0] = S::constant(-9.81); }
///     fn algebraic_residual<S: Scalar>(&self, at: &Point<S>, residual: &mut [S]) {
///         residual[0] = at.z[0] * at.q[0] - 2.0;
///     }
/// }
///
/// let mut system = Automatic::new(Chamber);
/// let state = system.initial_state();
/// let mut solver = AlgebraicSolver::new(system.layout())?.ok_or("it has an algebraic variable")?;
/// let mut pressure = [0.0];
/// solver.solve(&mut Evaluator::new(&mut system), &state, &[], &mut pressure)?;
/// assert!((pressure[0] - 0.5).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct AlgebraicSolver {
    kkt: KktSolver,
    jacobian: RatesJacobian,
    rates: Vec<f64>,
    slope: Vec<f64>,
    residual: Vec<f64>,
    change: Vec<f64>,
}

const MAX_ITERATIONS: usize = 25;

impl AlgebraicSolver {
    /// Allocates everything; `None` for systems without algebraic variables.
    pub fn new(layout: &Layout) -> Result<Option<Self>, KktError> {
        let count = layout.algebraic;
        if count == 0 {
            return Ok(None);
        }
        let none = Pattern::empty(0, count);
        let blocks = Blocks {
            variables: vec![count],
            rows: Vec::new(),
        };
        Ok(Some(Self {
            kkt: KktSolver::new(&Pattern::dense(count, count), &none, &none, &blocks)?,
            jacobian: RatesJacobian::new(layout),
            rates: vec![0.0; layout.rate_count()],
            slope: vec![0.0; count * count],
            residual: vec![0.0; count],
            change: vec![0.0; count],
        }))
    }

    /// Solves for `z`, which holds the first guess, at the rest of `state` with multipliers `lambda`.
    pub fn solve(
        &mut self,
        system: &mut Evaluator,
        state: &State,
        lambda: &[f64],
        z: &mut [f64],
    ) -> Result<(), DynamicsError> {
        let count = z.len();
        let mut correction = f64::INFINITY;
        for _ in 0..MAX_ITERATIONS {
            let at = Point {
                lambda,
                z: &*z,
                ..state.point()
            };
            system.rates(&at, &mut self.rates)?;
            system.rates_jacobian(&at, &mut self.jacobian)?;
            let layout = system.layout();
            let first = layout.dimension() + layout.differential;
            for row in 0..count {
                // ∂a/∂z only: everything else is given.
                for column in 0..count {
                    let position = layout.rates.position(first + row, first + column);
                    self.slope[row * count + column] =
                        position.map_or(0.0, |position| self.jacobian.by_position[position]);
                }
                self.residual[row] = -self.rates[first + row];
            }
            let linear = |source| DynamicsError::Linear { t: state.t, source };
            self.kkt.factor(&self.slope, &[], &[]).map_err(linear)?;
            self.kkt
                .solve(&self.residual, &[], &mut self.change, &mut [])
                .map_err(linear)?;
            let mut size = 0.0_f64;
            correction = 0.0;
            for (variable, change) in z.iter_mut().zip(&self.change) {
                *variable += change;
                correction = correction.max(change.abs());
                size = size.max(variable.abs());
            }
            // 1e-13: round-off, 1 standing for the unit of z.
            if correction <= 1e-13 * (1.0 + size) {
                return Ok(());
            }
        }
        Err(DynamicsError::NotConverged {
            what: "the iteration for the algebraic variables",
            t: state.t,
            iterations: MAX_ITERATIONS,
            correction,
        })
    }
}
