//! Convex programs over cones of friction: linear or quadratic objectives, by a logarithmic barrier.
//!
//! Limits are u_0 >= |(u_1, u_2)|, with u affine in the unknowns y; limits of normal forces have u_1 = u_2 = 0. Minima of
//!
//! ```text
//! t (c·y + |F y + f|²/2) - Σ log(u_0² - u_1² - u_2²) - log(R² - |y|²)
//! ```
//!
//! follow a path to the solution as t grows; with n limits the objective is off by less than 2 (n + 1) / t (Boyd and Vandenberghe
//! 2004, Convex Optimization, sec. 11.3 and 11.6, doi:10.1017/CBO9780511804441). The path ends at a fixed t, where the result is a
//! smooth function of the data: what depends on it may be an event function, although the optimum itself has kinks.

use super::least_squares::LeastSquares;
use crate::complementarity::LcpError;

/// The factor of the objective at the start, ...
const FIRST: f64 = 1.0;

/// ... by which it grows, ...
const GROWTH: f64 = 12.0;

/// ... and at the end, with data of the size of one.
const LAST: f64 = 1e13;

/// Where the path cannot be followed to its end, from here on it has come far enough: the objective is off by 1e-9 then.
const FAR: f64 = 1e10;

/// Newton steps for each t, at most.
const STEPS: usize = 60;

/// A square of Newton's decrement below this is none.
const CONVERGED: f64 = 1e-9;

/// At the end it is below this: the objective is off by less than 4 (n + 1) / t then (Nesterov 2018, Lectures on Convex
/// Optimization, th. 5.3.10, doi:10.1007/978-3-319-91578-4). Round-off of limits that hold exactly leaves less.
const CENTRED: f64 = 0.25;

/// Memory for such programs.
#[derive(Default)]
pub(super) struct Barrier {
    /// u at y = 0, three numbers for each limit.
    pub values: Vec<f64>,
    /// Derivatives of u, three rows for each limit.
    pub slopes: Vec<f64>,
    /// R.
    pub radius: f64,
    /// c.
    pub linear: Vec<f64>,
    /// f and F, row by row.
    pub quadratic: (Vec<f64>, Vec<f64>),
    /// The unknowns: inside all limits at the start, then the solution.
    pub unknowns: Vec<f64>,
    scaled: Vec<f64>,
    form: LeastSquares,
    trial_step: Vec<f64>,
    trial: Vec<f64>,
    /// The last unknowns on the path, behind [`FAR`].
    on_path: Vec<f64>,
}

impl Barrier {
    /// Forgets all limits and objectives; `count` unknowns are zero.
    pub fn clear(&mut self, count: usize) {
        self.values.clear();
        self.slopes.clear();
        self.linear.clear();
        self.linear.resize(count, 0.0);
        self.quadratic.0.clear();
        self.quadratic.1.clear();
        self.unknowns.clear();
        self.unknowns.resize(count, 0.0);
    }

    /// Three slopes of zero and three values for another limit.
    pub fn add_limit(&mut self, values: [f64; 3]) -> &mut [f64] {
        self.values.extend(values);
        let first = self.slopes.len();
        self.slopes.resize(first + 3 * self.unknowns.len(), 0.0);
        &mut self.slopes[first..]
    }

    /// u of a limit at these unknowns.
    fn limit(&self, index: usize, y: &[f64]) -> [f64; 3] {
        let count = y.len();
        [0, 1, 2].map(|k| {
            let row = 3 * index + k;
            let slopes = &self.slopes[row * count..(row + 1) * count];
            self.values[row] + dot(slopes, y)
        })
    }

    /// The sum of what adds up to u, without signs: forces that lock themselves may be large and cancel.
    fn terms(&self, index: usize, y: &[f64]) -> f64 {
        let count = y.len();
        let (values, slopes) = (3 * index..3 * index + 3, 3 * index * count);
        let values = self.values[values].iter().map(|u| u.abs());
        let slopes = self.slopes[slopes..slopes + 3 * count].chunks_exact(count);
        let terms = slopes.flat_map(|row| row.iter().zip(y).map(|(slope, y)| (slope * y).abs()));
        values.chain(terms).sum()
    }

    /// Square of what round-off of the limits may do to Newton's step at the present unknowns, in decrements.
    fn noise(&self) -> f64 {
        let y = &self.unknowns;
        let share = |index: usize| {
            let [normal, first, second] = self.limit(index, y);
            f64::EPSILON * self.terms(index, y) / (normal - first.hypot(second))
        };
        (0..self.values.len() / 3)
            .map(|index| share(index).powi(2))
            .sum()
    }

    /// Follows the path to its end.
    ///
    /// # Errors
    /// [`LcpError::NonFinite`] for data that are not, and [`LcpError::Uncentred`] where Newton's method does not arrive.
    pub fn solve(&mut self) -> Result<(), LcpError> {
        let mut factor = FIRST;
        self.on_path.clear();
        loop {
            let decrement = self.center(factor)?;
            // Large cones hide their small slack by round-off, which moves the optimum by no more than itself.
            if factor >= FAR && decrement < CENTRED.max(10.0 * self.noise()) {
                self.on_path.clone_from(&self.unknowns);
            }
            if factor >= LAST {
                if self.on_path.len() < self.unknowns.len() {
                    return Err(LcpError::Uncentred { decrement });
                }
                self.unknowns.copy_from_slice(&self.on_path);
                return Ok(());
            }
            factor = (factor * GROWTH).min(LAST);
        }
    }

    /// By how much a step from these unknowns changes what is minimized; `None` where it leaves the limits. The difference of two values
    /// would be hidden by their round-off at the end of the path, where t is large.
    fn change(&self, factor: f64, y: &[f64], step: &[f64], moved: &[f64]) -> Option<f64> {
        let mut sum = factor * dot(&self.linear, step);
        let rows = self.quadratic.1.chunks_exact(y.len());
        for (force, row) in self.quadratic.0.iter().zip(rows) {
            let change = dot(row, step);
            sum += factor * change * (force + dot(row, y) + 0.5 * change);
        }
        let parts = |index: usize, y: &[f64]| {
            let [normal, first, second] = self.limit(index, y);
            let across = first.hypot(second);
            [normal - across, normal + across]
        };
        for index in 0..self.values.len() / 3 {
            let (now, then) = (parts(index, y), parts(index, moved));
            // NaN is outside, too.
            let inside = then[0] > 0.0;
            if !inside {
                return None;
            }
            sum -= (then[0] / now[0]).ln() + (then[1] / now[1]).ln();
        }
        let room = |y: &[f64]| self.radius * self.radius - dot(y, y);
        (room(moved) > 0.0).then(|| sum - (room(moved) / room(y)).ln())
    }

    /// Newton's method for one t, with steps that are halved until they descend. Returns the square of the last decrement.
    fn center(&mut self, factor: f64) -> Result<f64, LcpError> {
        let mut y = std::mem::take(&mut self.unknowns);
        let mut decrement = Ok(f64::INFINITY);
        for _ in 0..STEPS {
            decrement = self.newton_step(factor, &y);
            let Ok(square) = decrement else { break };
            if square <= CONVERGED {
                break;
            }
            let mut length = 1.0;
            let mut moved = false;
            while length > 1e-12 {
                self.trial_step.clear();
                let steps = self.form.step.iter();
                self.trial_step.extend(steps.map(|step| length * step));
                self.trial.clear();
                let ends = y.iter().zip(&self.trial_step);
                self.trial.extend(ends.map(|(y, step)| y + step));
                let change = self.change(factor, &y, &self.trial_step, &self.trial);
                if change.is_some_and(|change| change <= -0.1 * length * square) {
                    y.copy_from_slice(&self.trial);
                    moved = true;
                    break;
                }
                length *= 0.5;
            }
            // Round-off of the limits hides what is left.
            if !moved {
                break;
            }
        }
        self.unknowns = y;
        decrement
    }

    /// Newton's step, from the Hessian as a sum of squares; returns the square of its decrement.
    ///
    /// With the parts λ± = u_0 ± |(u_1, u_2)| of a cone the barrier is -log λ+ - log λ-, and its Hessian has the
    /// eigenvalues 2/λ+², 2/λ-² and 2/(λ+ λ-), in the directions of both parts and across.
    fn newton_step(&mut self, factor: f64, y: &[f64]) -> Result<f64, LcpError> {
        let count = y.len();
        self.form.clear(count);
        let root = factor.sqrt();
        let rows = self.quadratic.1.chunks_exact(count);
        for (force, row) in self.quadratic.0.iter().zip(rows) {
            let slots = self.form.add_row(root * (force + dot(row, y)));
            add(slots, row, root);
        }
        for index in 0..self.values.len() / 3 {
            let [normal, first, second] = self.limit(index, y);
            let across = first.hypot(second);
            let [c, s] = if across > 0.0 {
                [first / across, second / across]
            } else {
                [1.0, 0.0]
            };
            let slopes = &self.slopes[3 * index * count..3 * (index + 1) * count];
            let parts = [normal + across, normal - across];
            // NaN is outside, too.
            let is_inside = parts[1] > 0.0;
            if !is_inside {
                return Err(LcpError::Uncentred {
                    decrement: f64::INFINITY,
                });
            }
            let turned = std::f64::consts::SQRT_2 / (parts[0] * parts[1]).sqrt();
            for (b, weights) in [
                (-1.0, [1.0, c, s].map(|weight| weight / parts[0])),
                (-1.0, [1.0, -c, -s].map(|weight| weight / parts[1])),
                (0.0, [0.0, -s * turned, c * turned]),
            ] {
                let slots = self.form.add_row(b);
                for (row, weight) in slopes.chunks_exact(count).zip(weights) {
                    add(slots, row, weight);
                }
            }
        }
        let room = self.radius * self.radius - dot(y, y);
        let slots = self.form.add_row(1.0);
        add(slots, y, 2.0 / room);
        for k in 0..count {
            self.form.add_row(0.0)[k] = (2.0 / room).sqrt();
        }
        self.scaled.clear();
        self.scaled.extend(self.linear.iter().map(|c| factor * c));
        self.form.minimize(&self.scaled).ok_or(LcpError::NonFinite {
            which: "matrix",
            row: 0,
            col: 0,
        })
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add(sum: &mut [f64], row: &[f64], factor: f64) {
    for (sum, entry) in sum.iter_mut().zip(row) {
        *sum += factor * entry;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The largest y_0 within a cone whose tip is at y_0 = 1, seen through unknowns of very different sizes.
    fn program(start: [f64; 2]) -> Barrier {
        let mut program = Barrier::default();
        program.clear(2);
        let slopes = program.add_limit([1.0, 0.0, 0.0]);
        slopes[0] = -1.0;
        slopes[3] = 1e-6;
        program.unknowns.copy_from_slice(&start);
        program.linear[0] = -1.0;
        program.radius = 1e3;
        program
    }

    #[test]
    fn the_path_ends_at_the_tip_of_a_cone() {
        let mut program = program([0.0, 0.0]);
        program.solve().expect("convex");
        let [value, other] = [program.unknowns[0], program.unknowns[1]];
        assert!((value - 1.0).abs() < 1e-11 && other.abs() < 1e-5);
    }

    #[test]
    fn a_start_outside_is_refused() {
        let refused = program([2.0, 0.0]).solve();
        assert!(
            matches!(
                refused,
                Err(LcpError::NonFinite { .. } | LcpError::Uncentred { .. })
            ),
            "{refused:?}"
        );
        let mut endless = program([0.0, 0.0]);
        endless.linear[0] = f64::NAN;
        assert!(endless.solve().is_err());
    }
}
