//! Algebraic variables alone, for given multipliers.

use crate::linalg::{Blocks, KktError, KktSolver, Pattern};
use crate::system::{DynamicsError, Evaluator, Layout, Point, RatesJacobian, State};

/// Solves 0 = a(t, q, v, x, z, λ) for z by Newton's method, everything else given.
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
