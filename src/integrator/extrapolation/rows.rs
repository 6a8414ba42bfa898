//! Rows of the extrapolation table: the half-explicit midpoint rule with ever more substeps.

use crate::integrator::StepError;
use crate::manifold::Manifold;
use crate::system::{AccelerationSolver, Evaluator, LeftJacobian, Point, State};

/// Rows of the table at most; row j has order 2j.
pub(super) const ROWS: usize = 7;

/// Substeps of row `row`, counted from 1.
pub(super) fn substeps(row: usize) -> usize {
    2 * row
}

/// Substeps of all rows up to this one, each with one beyond the end: what a step costs that ends there.
pub(super) fn cost(row: usize) -> f64 {
    (1..=row).map(|row| substeps(row) + 1).sum::<usize>() as f64
}

/// The half-explicit midpoint rule from the start of a step, in local coordinates u around it. A value is one slice
/// (u, v, x).
pub(super) struct Midpoint {
    dimension: usize,
    before: Vec<f64>,
    now: Vec<f64>,
    next: Vec<f64>,
    q: Vec<f64>,
    next_q: Vec<f64>,
    u_rate: Vec<f64>,
    acceleration: Vec<f64>,
    z: Vec<f64>,
    lambda: Vec<f64>,
}

impl Midpoint {
    pub fn new(state: &State) -> Self {
        let dimension = state.v.len();
        let value = || vec![0.0; 2 * dimension + state.x.len()];
        Self {
            dimension,
            before: value(),
            now: value(),
            next: value(),
            q: state.q.clone(),
            next_q: state.q.clone(),
            u_rate: vec![0.0; dimension],
            acceleration: vec![0.0; dimension],
            z: state.z.clone(),
            lambda: state.lambda.clone(),
        }
    }

    /// Takes `count` substeps over a step of size `h`; the value at its end, one slice (u, v, x).
    pub fn run(
        &mut self,
        system: &mut Evaluator,
        solver: &mut AccelerationSolver,
        from: &State,
        h: f64,
        count: usize,
    ) -> Result<&[f64], StepError> {
        let (n, size) = (self.dimension, h / count as f64);
        self.now[..n].fill(0.0);
        self.now[n..2 * n].copy_from_slice(&from.v);
        self.now[2 * n..].copy_from_slice(&from.x);
        self.q.copy_from_slice(&from.q);
        self.z.copy_from_slice(&from.z);
        self.lambda.copy_from_slice(&from.lambda);
        // Substep 0 is Euler's: it starts at itself, with η in place of 2 η.
        self.before.copy_from_slice(&self.now);
        for index in 0..count {
            let scale = if index == 0 { size } else { 2.0 * size };
            self.substep(system, solver, from, [index as f64 * size, size], scale)?;
            // From now to next, and what was next becomes scratch.
            std::mem::swap(&mut self.before, &mut self.now);
            std::mem::swap(&mut self.now, &mut self.next);
            std::mem::swap(&mut self.q, &mut self.next_q);
        }
        Ok(&self.now)
    }

    /// What Gragg's smoothing, `(y_{n-1} + 2 y_n + y_{n+1}) / 4`, adds to the value at the end, by a substep beyond it. It has an expansion in
    /// η² of its own, and nothing is left of it but errors once it has been extrapolated; no other substep has seen the forces at
    /// the end.
    pub fn smooth(
        &mut self,
        system: &mut Evaluator,
        solver: &mut AccelerationSolver,
        from: &State,
        h: f64,
        count: usize,
    ) -> Result<&[f64], StepError> {
        let size = h / count as f64;
        self.substep(system, solver, from, [h, size], 2.0 * size)?;
        let ends = self.before.iter().zip(&self.now);
        for (next, (before, now)) in self.next.iter_mut().zip(ends) {
            *next = 0.25 * (before - 2.0 * now + *next);
        }
        Ok(&self.next)
    }

    /// One substep from the time `elapsed` since the start: next = before + scale · rate(now).
    fn substep(
        &mut self,
        system: &mut Evaluator,
        solver: &mut AccelerationSolver,
        from: &State,
        [elapsed, size]: [f64; 2],
        scale: f64,
    ) -> Result<(), StepError> {
        let n = self.dimension;
        self.next.copy_from_slice(&self.before);
        let space: &Manifold = &system.layout().space;
        // u_{i+1} = u_{i-1} + scale · dexp⁻¹(u_i) v_i: positions do not wait for λ.
        space.dexp_inverse(&self.now[..n], &self.now[n..2 * n], &mut self.u_rate);
        for (next, rate) in self.next.iter_mut().zip(&self.u_rate) {
            *next += scale * rate;
        }
        space.retract(&from.q, &self.next[..n], &mut self.next_q);

        let at = Point {
            t: from.t + elapsed,
            q: &self.q,
            v: &self.now[n..2 * n],
            x: &self.now[2 * n..],
            z: &[],
            lambda: &[],
            mode: &from.mode,
        };
        let ahead = Point {
            t: from.t + elapsed + size,
            q: &self.next_q,
            v: &self.next[n..2 * n],
            ..at
        };
        // G(u_{i+1}) (v_{i-1} + scale · v'_i) + ∂g/∂t = 0 determines λ_i. Inner substeps find G(u_i) evaluated: it was the row side of
        // the substep before.
        let left = LeftJacobian::own_if(elapsed == 0.0);
        solver.load_stage(system, [&at, &ahead], scale, left)?;
        solver.solve(
            system,
            &at,
            &mut self.acceleration,
            &mut self.z,
            &mut self.lambda,
        )?;
        // v_{i+1} = v_{i-1} + scale · v'_i, and x alike.
        let rates = self.acceleration.iter().chain(solver.differential_rates());
        for (next, rate) in self.next[n..].iter_mut().zip(rates) {
            *next += scale * rate;
        }
        Ok(())
    }
}

/// The last row of the table after Aitken and Neville, for expansions in h².
pub(super) struct Table {
    columns: [Vec<f64>; ROWS],
    rows: usize,
    /// What the last row added to the best value of the row before.
    difference: Vec<f64>,
}

impl Table {
    pub fn new(length: usize) -> Self {
        Self {
            columns: std::array::from_fn(|_| vec![0.0; length]),
            rows: 0,
            difference: vec![0.0; length],
        }
    }

    pub fn clear(&mut self) {
        self.rows = 0;
    }

    /// Adds the next row, which starts with `value`.
    pub fn push(&mut self, value: &[f64]) {
        let row = self.rows + 1;
        let mut factors = [0.0; ROWS];
        // 1 / ((n_j / n_j-k)² - 1): the expansion is in η².
        for (column, factor) in factors[..self.rows].iter_mut().enumerate() {
            let ratio = substeps(row) as f64 / substeps(row - column - 1) as f64;
            *factor = 1.0 / (ratio * ratio - 1.0);
        }
        // Column by column along the new row; `above` is the entry of the row before.
        for (index, &first) in value.iter().enumerate() {
            let mut entry = first;
            let before = self.columns[self.rows.saturating_sub(1)][index];
            for (column, factor) in self.columns[..self.rows].iter_mut().zip(&factors) {
                let above = std::mem::replace(&mut column[index], entry);
                entry += factor * (entry - above);
            }
            self.columns[self.rows][index] = entry;
            self.difference[index] = entry - before;
        }
        self.rows = row;
    }

    /// The most accurate value so far.
    pub fn best(&self) -> &[f64] {
        &self.columns[self.rows.saturating_sub(1)]
    }

    /// T_jj - T_j-1,j-1, the best value less that of the row before, whose order is two less.
    ///
    /// The neighbour in the same row, T_j,j-1, has this order, too, but errors j² times smaller: on steps too long for the
    /// table to converge, T_jj is no better than that.
    pub fn difference(&self) -> &[f64] {
        &self.difference
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn even_polynomials_are_extrapolated_exactly() {
        let mut table = Table::new(1);
        for row in 1..=4 {
            let h = 1.0 / substeps(row) as f64;
            table.push(&[3.0 - 2.0 * h.powi(2) + 5.0 * h.powi(4) + h.powi(6)]);
            if row == 1 {
                assert_eq!(table.best(), [3.0 - 0.5 + 5.0 / 16.0 + 1.0 / 64.0]);
            }
        }
        approx::assert_relative_eq!(table.best()[0], 3.0, max_relative = 1e-14);
        // T_33 lacks the coefficient of h⁶: its error is 1 / (n_1 n_2 n_3)².
        approx::assert_relative_eq!(
            table.difference()[0],
            -1.0 / (2.0 * 4.0 * 6.0_f64).powi(2),
            max_relative = 1e-9
        );
    }

    #[test]
    fn costs_are_sums_of_substeps() {
        assert_eq!(
            (1..=4).map(cost).collect::<Vec<_>>(),
            [3.0, 8.0, 15.0, 24.0]
        );
    }
}
