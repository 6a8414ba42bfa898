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

use crate::complementarity::LcpError;

/// The factor of the objective at the start, ...
const FIRST: f64 = 1.0;

/// ... by which it grows, ...
const GROWTH: f64 = 12.0;

/// ... and at the end, with data of the size of one.
const LAST: f64 = 1e13;

/// Newton steps for each t, at most.
const STEPS: usize = 60;

/// A Newton decrement below this is none.
const CONVERGED: f64 = 1e-9;

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
    gradient: Vec<f64>,
    hessian: Vec<f64>,
    step: Vec<f64>,
    trial: Vec<f64>,
    cone: Vec<f64>,
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

    /// Follows the path to its end.
    pub fn solve(&mut self) -> Result<(), LcpError> {
        let mut factor = FIRST;
        loop {
            self.center(factor)?;
            if factor >= LAST {
                return Ok(());
            }
            factor = (factor * GROWTH).min(LAST);
        }
    }

    /// What is minimized at these unknowns; `None` outside the limits.
    fn value(&self, factor: f64, y: &[f64]) -> Option<f64> {
        let mut sum = factor * dot(&self.linear, y);
        let rows = self.quadratic.1.chunks_exact(y.len());
        for (force, row) in self.quadratic.0.iter().zip(rows) {
            sum += 0.5 * factor * (force + dot(row, y)).powi(2);
        }
        for index in 0..self.values.len() / 3 {
            let [normal, first, second] = self.limit(index, y);
            let across = first.hypot(second);
            // NaN is outside, too.
            let inside = normal > across;
            if !inside {
                return None;
            }
            sum -= (normal - across).ln() + (normal + across).ln();
        }
        let room = self.radius * self.radius - dot(y, y);
        (room > 0.0).then(|| sum - room.ln())
    }

    /// Newton's method for one t, with steps that are halved until they descend.
    fn center(&mut self, factor: f64) -> Result<(), LcpError> {
        let count = self.unknowns.len();
        let mut y = std::mem::take(&mut self.unknowns);
        let mut result = Ok(());
        for _ in 0..STEPS {
            self.derivatives(factor, &y);
            if let Err(error) = self.newton_step(count) {
                result = Err(error);
                break;
            }
            let decrement = -dot(&self.gradient, &self.step);
            let Some(now) = self.value(factor, &y).filter(|_| decrement > CONVERGED) else {
                break;
            };
            let mut length = 1.0;
            let mut moved = false;
            while length > 1e-12 {
                self.trial.clear();
                let moves = y.iter().zip(&self.step);
                self.trial.extend(moves.map(|(y, step)| y + length * step));
                let then = self.value(factor, &self.trial);
                if then.is_some_and(|then| then <= now - 0.1 * length * decrement) {
                    y.copy_from_slice(&self.trial);
                    moved = true;
                    break;
                }
                length *= 0.5;
            }
            // Round-off of the objective hides what is left.
            if !moved {
                break;
            }
        }
        self.unknowns = y;
        result
    }

    /// Gradient and Hessian at these unknowns.
    fn derivatives(&mut self, factor: f64, y: &[f64]) {
        let count = y.len();
        self.gradient.clear();
        self.gradient.extend(self.linear.iter().map(|c| factor * c));
        self.hessian.clear();
        self.hessian.resize(count * count, 0.0);
        let rows = self.quadratic.1.chunks_exact(count);
        for (force, row) in self.quadratic.0.iter().zip(rows) {
            let sum = factor * (force + dot(row, y));
            add(&mut self.gradient, row, sum);
            add_square(&mut self.hessian, row, factor);
        }
        for index in 0..self.values.len() / 3 {
            let u = self.limit(index, y);
            let across = u[1].hypot(u[2]);
            let size = (u[0] - across) * (u[0] + across);
            let slopes = &self.slopes[3 * index * count..3 * (index + 1) * count];
            let signs = [1.0, -1.0, -1.0];
            self.cone.clear();
            self.cone.resize(count, 0.0);
            for ((row, u), sign) in slopes.chunks_exact(count).zip(u).zip(signs) {
                add(&mut self.cone, row, sign * u);
                add_square(&mut self.hessian, row, -2.0 * sign / size);
            }
            add(&mut self.gradient, &self.cone, -2.0 / size);
            add_square(&mut self.hessian, &self.cone, 4.0 / (size * size));
        }
        let room = self.radius * self.radius - dot(y, y);
        add(&mut self.gradient, y, 2.0 / room);
        add_square(&mut self.hessian, y, 4.0 / (room * room));
        for k in 0..count {
            self.hessian[k * (count + 1)] += 2.0 / room;
        }
    }

    /// -H⁻¹ gradient, by Cholesky's factorization of the scaled matrix.
    fn newton_step(&mut self, count: usize) -> Result<(), LcpError> {
        let h = &mut self.hessian;
        self.trial.clear();
        self.trial
            .extend((0..count).map(|k| 1.0 / h[k * (count + 1)].sqrt()));
        let scale = &self.trial;
        for i in 0..count {
            for j in 0..=i {
                let inner: f64 = (0..j).map(|k| h[i * count + k] * h[j * count + k]).sum();
                let rest = h[i * count + j] * scale[i] * scale[j] - inner;
                h[i * count + j] = if i > j {
                    rest / h[j * (count + 1)]
                } else if rest.is_finite() {
                    // Directions that round-off hides are held.
                    rest.max(f64::EPSILON).sqrt()
                } else {
                    return Err(LcpError::NonFinite {
                        which: "matrix",
                        row: i,
                        col: j,
                    });
                };
            }
        }
        let scaled = self.gradient.iter().zip(scale);
        self.step.clear();
        self.step.extend(scaled.map(|(g, scale)| -g * scale));
        for i in 0..count {
            let inner: f64 = (0..i).map(|k| h[i * count + k] * self.step[k]).sum();
            self.step[i] = (self.step[i] - inner) / h[i * (count + 1)];
        }
        for i in (0..count).rev() {
            let inner: f64 = (i + 1..count)
                .map(|k| h[k * count + i] * self.step[k])
                .sum();
            self.step[i] = (self.step[i] - inner) / h[i * (count + 1)];
        }
        for (step, scale) in self.step.iter_mut().zip(scale) {
            *step *= scale;
        }
        Ok(())
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

/// Adds `factor` row rowᵀ.
fn add_square(sum: &mut [f64], row: &[f64], factor: f64) {
    for (line, entry) in sum.chunks_exact_mut(row.len()).zip(row) {
        add(line, row, factor * entry);
    }
}
