//! The local error of half-implicit Euler, from accelerations at the starts of this step and the last one.

use crate::control::ErrorNorm;
use crate::system::{AccelerationSolver, DynamicsError, Evaluator, Point, State};

/// Half the change of a rate over a step is the local error of Euler's method in what it is the rate of; a position
/// that takes the velocity of the end instead of the middle is off by half a step of it:
///
/// ```text
/// e_q = h²/2 a_n,   e_v = h/2 (a_{n+1} - a_n),   e_x = h/2 (x'_{n+1} - x'_n)
/// ```
///
/// The changes are those over the last step, scaled, or right after a start or an event those over this one, which
/// takes the index-1 form at its end. Accelerations are those of the index-1 form, since the scheme's own are off by
/// O(1) when the step size changes.
pub(in crate::integrator) struct EulerEstimate {
    q: Vec<f64>,
    v: Vec<f64>,
    x: Vec<f64>,
    /// At the start of this step.
    pub acceleration: Vec<f64>,
    /// Belonging to `acceleration`.
    pub lambda: Vec<f64>,
    /// Belonging to `acceleration`.
    pub z: Vec<f64>,
    end: State,
    /// a and x' at the start of the last accepted step, and its size.
    before: (Vec<f64>, Vec<f64>),
    before_step: Option<f64>,
}

impl EulerEstimate {
    pub fn new(state: &State) -> Self {
        let free = || vec![0.0; state.v.len()];
        let differential = || vec![0.0; state.x.len()];
        Self {
            q: free(),
            v: free(),
            x: differential(),
            acceleration: free(),
            lambda: state.lambda.clone(),
            z: state.z.clone(),
            end: state.clone(),
            before: (free(), differential()),
            before_step: None,
        }
    }

    /// Forgets the last step.
    pub fn restart(&mut self) {
        self.before_step = None;
    }

    /// Remembers an accepted step of size `h` that started with the rates `x_rates`.
    pub fn accept(&mut self, x_rates: &[f64], h: f64) {
        self.before.0.copy_from_slice(&self.acceleration);
        self.before.1.copy_from_slice(x_rates);
        self.before_step = Some(h);
    }

    /// The index-1 form at the start of the step, with a factorization of its own.
    pub fn load_start(
        &mut self,
        // λ and z are unknowns of this instant: nothing may be evaluated with older ones.
        solver: &mut AccelerationSolver,
        system: &mut Evaluator,
        from: &State,
    ) -> Result<(), DynamicsError> {
        let at = Point {
            z: &[],
            lambda: &[],
            ..from.point()
        };
        self.z.copy_from_slice(&from.z);
        self.lambda.copy_from_slice(&from.lambda);
        solver.solve_index_one(
            system,
            &at,
            &mut self.acceleration,
            &mut self.z,
            &mut self.lambda,
        )
    }

    /// The weighted error of a step whose start has been loaded and began with the rates `x_rates`.
    pub fn measure(
        &mut self,
        solver: &mut AccelerationSolver,
        system: &mut Evaluator,
        [from, to]: [&State; 2],
        x_rates: &[f64],
        norm: &mut ErrorNorm,
    ) -> Result<f64, DynamicsError> {
        let h = to.t - from.t;
        for (error, acceleration) in self.q.iter_mut().zip(&self.acceleration) {
            *error = 0.5 * h * h * acceleration;
        }
        let (after, before, scale) = match self.before_step {
            // Changes grow with the step: h / h_0 scales that of the last step.
            Some(step) => {
                let now = [&self.acceleration[..], x_rates];
                (now, [&self.before.0[..], &self.before.1[..]], h / step)
            }
            // After a start there is no last step: the change over this one, for an index-1 form at its end.
            None => {
                self.end.copy_from(to);
                solver.complete(system, &mut self.end)?;
                let end = [&self.end.acceleration[..], solver.differential_rates()];
                (end, [&self.acceleration[..], x_rates], 1.0)
            }
        };
        for (part, errors) in [&mut self.v, &mut self.x].into_iter().enumerate() {
            let rates = after[part].iter().zip(before[part]);
            for (error, (after, before)) in errors.iter_mut().zip(rates) {
                *error = 0.5 * h * scale * (after - before);
            }
        }
        norm.weigh(from, to);
        Ok(norm.root_mean_square(&self.q, &self.v, &self.x))
    }
}
