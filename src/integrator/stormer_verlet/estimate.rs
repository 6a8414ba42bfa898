//! The local error of a method of order 2, from accelerations at the ends of the step and of the one before.

use crate::manifold::Manifold;
use crate::system::{AccelerationSolver, DynamicsError, Evaluator, State};

/// One end of a step: a state complete with acceleration, and the rates x' there.
pub(super) struct End<'a> {
    pub state: &'a State,
    pub x_rates: &'a [f64],
}

/// Compares a step of size h with quadratures of higher order over its ends 0 and 1:
///
/// ```text
/// e_v = v_1 - v_0 - h/2 (a_0 + a_1) + h³/12 v'''
/// e_q = u - h/2 (v_0 + v_1) + h²/12 (a_1 - a_0) - h²/12 [v_0, v_1],   q_1 = q_0 · exp(u)
/// ```
///
/// and e_x as e_v. The accelerations are those of the index-1 form; v''' is their second difference with the step
/// before. Right after a start or an event there is no such step: then the quadrature is Simpson's with the
/// acceleration at the middle of the step. What is left out is of order h⁴.
pub(super) struct LocalError {
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub x: Vec<f64>,
    middle: State,
    bracket: Vec<f64>,
    x_rates: Vec<f64>,
    /// v' and x' at the start of the last accepted step, and its size.
    before: (Vec<f64>, Vec<f64>),
    before_step: Option<f64>,
}

impl LocalError {
    pub fn new(state: &State) -> Self {
        let free = || vec![0.0; state.v.len()];
        let differential = || vec![0.0; state.x.len()];
        Self {
            q: free(),
            v: free(),
            x: differential(),
            middle: state.clone(),
            bracket: free(),
            x_rates: differential(),
            before: (free(), differential()),
            before_step: None,
        }
    }

    /// Forgets the step before.
    pub fn restart(&mut self) {
        self.before_step = None;
    }

    /// Remembers an accepted step of size `h` by its start.
    pub fn accept(&mut self, start: &End, h: f64) {
        self.before.0.copy_from_slice(&start.state.acceleration);
        self.before.1.copy_from_slice(start.x_rates);
        self.before_step = Some(h);
    }

    /// Estimates the error of the step by `u` in local coordinates between two ends.
    pub fn measure(
        &mut self,
        system: &mut Evaluator,
        solver: &mut AccelerationSolver,
        [start, end]: [&End; 2],
        u: &[f64],
        h: f64,
    ) -> Result<(), DynamicsError> {
        let (from, to) = (start.state, end.state);
        let space = &system.layout().space;
        space.bracket(&from.v, &to.v, &mut self.bracket);
        for (index, error) in self.q.iter_mut().enumerate() {
            let (v, a) = (
                [from.v[index], to.v[index]],
                [&from.acceleration, &to.acceleration],
            );
            // a_1 - a_0 - [v_0, v_1]: in local coordinates u'' has the bracket besides v'.
            let change = a[1][index] - a[0][index] - self.bracket[index];
            *error = u[index] - h / 2.0 * (v[0] + v[1]) + h * h / 12.0 * change;
        }
        match self.before_step {
            Some(before) => {
                let (accelerations, x_rates) = &self.before;
                let rates = [&accelerations[..], &from.acceleration, &to.acceleration];
                compare_with_history(&mut self.v, [&from.v, &to.v], rates, [before, h]);
                let rates = [x_rates, start.x_rates, end.x_rates];
                compare_with_history(&mut self.x, [&from.x, &to.x], rates, [before, h]);
            }
            // No history: Simpson's rule needs an acceleration in the middle.
            None => {
                self.interpolate_middle(space, [start, end], u, h);
                solver.complete(system, &mut self.middle)?;
                self.x_rates.copy_from_slice(solver.differential_rates());
                let rates = [
                    &from.acceleration[..],
                    &self.middle.acceleration,
                    &to.acceleration,
                ];
                compare_with_middle(&mut self.v, [&from.v, &to.v], rates, h);
                let rates = [start.x_rates, &self.x_rates, end.x_rates];
                compare_with_middle(&mut self.x, [&from.x, &to.x], rates, h);
            }
        }
        Ok(())
    }

    /// The cubic Hermite polynomial in local coordinates at the middle of the step.
    fn interpolate_middle(&mut self, space: &Manifold, [start, end]: [&End; 2], u: &[f64], h: f64) {
        let (from, to, middle) = (start.state, end.state, &mut self.middle);
        middle.copy_from(to);
        middle.t = from.t + h / 2.0;
        for (index, slot) in middle.v.iter_mut().enumerate() {
            let change = to.acceleration[index] - from.acceleration[index];
            // Hermite at θ = 1/2: mean of the ends less h/8 times the change of the slopes.
            *slot = (from.v[index] + to.v[index]) / 2.0 - h / 8.0 * change;
            self.bracket[index] = u[index] / 2.0 + h / 8.0 * (from.v[index] - to.v[index]);
        }
        space.retract(&from.q, &self.bracket, &mut middle.q);
        for (index, slot) in middle.x.iter_mut().enumerate() {
            let change = end.x_rates[index] - start.x_rates[index];
            *slot = (from.x[index] + to.x[index]) / 2.0 - h / 8.0 * change;
        }
    }
}

/// The trapezoidal rule with the correction by its third derivative, from the rates at three ends of two steps.
fn compare_with_history(
    error: &mut [f64],
    values: [&[f64]; 2],
    rates: [&[f64]; 3],
    [before, h]: [f64; 2],
) {
    for (index, error) in error.iter_mut().enumerate() {
        let [first, start, end] = rates.map(|rate| rate[index]);
        // v''' = 2 · (second divided difference of v').
        let third = 2.0 * ((end - start) / h - (start - first) / before) / (h + before);
        *error = values[1][index] - values[0][index] - h / 2.0 * (start + end)
            + h * h * h / 12.0 * third;
    }
}

/// Simpson's rule.
fn compare_with_middle(error: &mut [f64], values: [&[f64]; 2], rates: [&[f64]; 3], h: f64) {
    for (index, error) in error.iter_mut().enumerate() {
        let [start, middle, end] = rates.map(|rate| rate[index]);
        *error = values[1][index] - values[0][index] - h / 6.0 * (start + 4.0 * middle + end);
    }
}
