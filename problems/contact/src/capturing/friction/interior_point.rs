//! All contacts at once by an interior point method on the product of their cones.

use super::problem::Problem;
use super::scaling::{Scaling, Vector, is_inside, largest_step, product, quotient};
use liedae::linalg::SquareLu;

/// Interior point iterations of one problem.
const ITERATIONS: usize = 80;

/// Residual and gap, in units of the largest free velocity, at which an iteration ends.
const TOLERANCE: f64 = 1e-12;

/// Share of the way to the boundary of the cones.
const SHARE: f64 = 0.99;

/// A primal-dual interior point method with Mehrotra's predictor and corrector for
///
/// ```text
/// K ∋ p ⟂ v ∈ K,   v = D (W D p + u - ℓ e + s),   P = D p,   s = μ |U_T| along the normal
/// ```
///
/// D makes the cones of friction self-dual, |p_T| <= p_N, and their mobilities 1. With s given the problem is convex,
/// and interior point methods solve it whatever the rank of W as long as some motion opens all contacts. What is left
/// is a fixed point in s. Its derivative is in the linear systems, which go for the fixed point at once. The method is not
/// proved to find it; that there is one, for contacts that can all be opened, is known (Acary et al. 2011).
///
/// Cost: one factorization of an n x n matrix per iteration, 10 to 30 iterations.
///
/// Sources: V. Acary, F. Cadoux, C. Lemaréchal, J. Malick, ZAMM 91 (2011), doi:10.1002/zamm.201000073; V. Acary, P.
/// Armand, H. Minh Nguyen, M. Shpakovych, Optimization Methods and Software 39 (2024),
/// doi:10.1080/10556788.2023.2296438; S. Mehrotra, SIAM J. Optim. 2 (1992), doi:10.1137/0802028.
#[derive(Default)]
pub(in crate::capturing) struct InteriorPoint {
    cones: Vec<Cone>,
    lu: Option<SquareLu>,
    capacity: usize,
    /// D W D, row by row.
    matrix: Vec<f64>,
    /// D (u - ℓ e).
    free: Vec<f64>,
    p: Vec<f64>,
    v: Vec<f64>,
    residual: Vec<f64>,
    right: Vec<f64>,
    p_step: Vec<f64>,
    v_step: Vec<f64>,
    pub iterations: usize,
}

/// One contact.
#[derive(Clone, Copy, Default)]
struct Cone {
    /// Its first row in the problem and here; 1, 2 or 3 components.
    row: usize,
    first: usize,
    size: usize,
    /// D of the normal and of the tangents.
    scale: [f64; 2],
    /// v_T / |v_T|, where its derivative counts.
    along: [f64; 2],
    scaling: Scaling,
    /// What T Δp + T⁻¹ Δv shall be.
    target: Vector,
}

impl Cone {
    fn of(&self, values: &[f64]) -> Vector {
        let mut vector = [0.0; 3];
        vector[..self.size].copy_from_slice(&values[self.first..self.first + self.size]);
        vector
    }
    fn set(&self, values: &mut [f64], vector: &Vector) {
        values[self.first..self.first + self.size].copy_from_slice(&vector[..self.size]);
    }
    fn scale_of(&self, index: usize) -> f64 {
        self.scale[usize::from(index > 0)]
    }
}

impl InteriorPoint {
    /// Memory for so many contacts and rows.
    pub fn reserve(&mut self, contacts: usize, rows: usize) {
        self.cones.clear();
        self.cones.reserve(contacts);
        self.matrix.clear();
        self.matrix.reserve(rows * rows);
        for buffer in [
            &mut self.free,
            &mut self.p,
            &mut self.v,
            &mut self.residual,
            &mut self.right,
            &mut self.p_step,
            &mut self.v_step,
        ] {
            buffer.clear();
            buffer.reserve(rows);
        }
        if self.capacity < rows || self.lu.is_none() {
            (self.lu, self.capacity) = (Some(SquareLu::new(rows)), rows);
        }
    }

    /// Takes over a problem.
    pub fn load(&mut self, problem: &Problem) {
        self.reserve(problem.laws.len(), problem.rows());
        let mut first = 0;
        let largest = problem.largest_mobility();
        for (row, law) in problem.contacts() {
            let rubs = law.friction > 0.0 && law.tangents > 0;
            let size = if rubs { law.rows() } else { 1 };
            // μ P_N ≥ |P_T| becomes p_N ≥ |p_T|.
            let normal = if rubs { 1.0 / law.friction } else { 1.0 };
            // The largest mobility of the contact is scaled to 1.
            let mut mobility = problem.entry(row, row) * normal * normal;
            for index in 1..size {
                mobility = mobility.max(problem.entry(row + index, row + index));
            }
            if mobility <= 1e-13 * largest {
                mobility = if largest > 0.0 { largest } else { 1.0 };
            }
            let unit = 1.0 / mobility.sqrt();
            self.cones.push(Cone {
                row,
                first,
                size,
                scale: [unit * normal, unit],
                ..Cone::default()
            });
            first += size;
        }
        for (cone, law) in self.cones.iter().zip(problem.laws) {
            for i in 0..cone.size {
                let own = cone.scale_of(i);
                let entries = problem.row(cone.row + i);
                for other in &self.cones {
                    let columns =
                        (0..other.size).map(|j| (entries[other.row + j], other.scale_of(j)));
                    self.matrix
                        .extend(columns.map(|(w, scale)| own * w * scale));
                }
                let offset = if i == 0 { law.least_velocity } else { 0.0 };
                self.free
                    .push(own * (problem.velocity[cone.row + i] - offset));
            }
        }
        for buffer in [
            &mut self.p,
            &mut self.v,
            &mut self.residual,
            &mut self.right,
            &mut self.p_step,
            &mut self.v_step,
        ] {
            buffer.resize(first, 0.0);
        }
    }

    /// The largest |u - ℓ e| in scaled units.
    fn unit(&self) -> f64 {
        let largest = self
            .free
            .iter()
            .fold(0.0_f64, |max, free| max.max(free.abs()));
        if largest > 0.0 { largest } else { 1.0 }
    }

    /// Solves from the middle of the cones and writes the impulses, which lie inside. Where it stalls they are those of
    /// the last iterate; the caller verifies them anyway.
    pub fn solve(&mut self, impulses: &mut [f64]) {
        // In the middle of the cones, as large as the free velocities.
        let unit = self.unit();
        for cone in &self.cones {
            cone.set(&mut self.p, &[unit, 0.0, 0.0]);
            cone.set(&mut self.v, &[unit, 0.0, 0.0]);
        }
        let count = self.cones.len().max(1) as f64;
        for _ in 0..ITERATIONS {
            let residual = self.evaluate();
            let gap = self.p.iter().zip(&self.v).map(|(p, v)| p * v).sum::<f64>() / count;
            let done = residual <= TOLERANCE * unit && gap <= TOLERANCE * unit * unit;
            if done || !self.factor() {
                break;
            }
            self.iterations += 1;
            // Predictor: all the way to complementarity.
            for cone in &mut self.cones {
                cone.target = cone.scaling.point.map(|entry| -entry);
            }
            self.direct();
            // Mehrotra: (1 - α)³ of the gap is left for the corrector to aim at.
            let wanted = (1.0 - self.step_length()).powi(3) * gap;
            for cone in &mut self.cones {
                let (point, scaling) = (cone.scaling.point, &cone.scaling);
                let second = product(
                    &scaling.apply_inverse(&cone.of(&self.v_step)),
                    &scaling.apply(&cone.of(&self.p_step)),
                );
                // Corrector: -λ∘λ - (T⁻¹ Δv)∘(T Δp) + σ, divided by λ in the Jordan algebra.
                let square = product(&point, &point);
                let mut right: Vector = std::array::from_fn(|i| -square[i] - second[i]);
                right[0] += wanted;
                cone.target = quotient(&point, &right);
            }
            self.direct();
            // Not onto the boundary: 99 % of the way.
            let factor = (SHARE * self.step_length()).min(1.0);
            if !self.advance(factor) {
                break;
            }
        }
        impulses.fill(0.0);
        for cone in &self.cones {
            for index in 0..cone.size {
                impulses[cone.row + index] = cone.scale_of(index) * self.p[cone.first + index];
            }
        }
    }

    /// D W D p + D (u - ℓ e) + s - v, and s; the largest entry.
    fn evaluate(&mut self) -> f64 {
        let n = self.p.len();
        let mut largest = 0.0_f64;
        for (i, residual) in self.residual.iter_mut().enumerate() {
            let entries = self.matrix[i * n..(i + 1) * n].iter();
            let product: f64 = entries.zip(&self.p).map(|(w, p)| w * p).sum();
            *residual = product + self.free[i] - self.v[i];
        }
        for cone in &mut self.cones {
            let v = cone.of(&self.v);
            let sliding = v[1].hypot(v[2]);
            cone.along = if sliding > 0.0 {
                [v[1] / sliding, v[2] / sliding]
            } else {
                [0.0; 2]
            };
            // s = μ |U_T| along the normal, in scaled units |v_T|.
            self.residual[cone.first] += sliding;
        }
        for residual in &self.residual {
            largest = largest.max(residual.abs());
        }
        largest
    }

    /// T² + (1 + e tᵀ) D W D, t the direction of sliding; false if it is singular.
    fn factor(&mut self) -> bool {
        let n = self.p.len();
        let Some(lu) = &mut self.lu else {
            return false;
        };
        let matrix = lu.matrix(n);
        matrix.copy_from_slice(&self.matrix);
        for cone in &mut self.cones {
            cone.scaling = Scaling::new(&cone.of(&self.p), &cone.of(&self.v));
            let (first, size) = (cone.first, cone.size);
            // Derivative of |v_T| by v_T adds the tangential rows to the normal one.
            for index in 1..size {
                let factor = cone.along[index - 1];
                for column in 0..n {
                    matrix[first * n + column] +=
                        factor * self.matrix[(first + index) * n + column];
                }
            }
            for i in 0..size {
                for j in 0..size {
                    matrix[(first + i) * n + first + j] += cone.scaling.squared(i, j);
                }
            }
        }
        lu.factor().is_ok()
    }

    /// Δp and Δv for the present targets.
    fn direct(&mut self) {
        let n = self.p.len();
        for cone in &self.cones {
            let target = cone.scaling.apply(&cone.target);
            let residual = self.turned(cone, &self.residual);
            // T · target - (1 + e tᵀ) residual.
            let right: Vector = std::array::from_fn(|i| target[i] - residual[i]);
            cone.set(&mut self.right, &right);
        }
        self.p_step.copy_from_slice(&self.right);
        if let Some(lu) = &mut self.lu {
            lu.solve(&mut self.p_step);
        }
        // Δv from the linear equation, exact whatever the factorization left.
        for (i, right) in self.right.iter_mut().enumerate() {
            let entries = self.matrix[i * n..(i + 1) * n].iter();
            let product: f64 = entries.zip(&self.p_step).map(|(w, p)| w * p).sum();
            *right = product + self.residual[i];
        }
        for cone in &self.cones {
            let step = self.turned(cone, &self.right);
            cone.set(&mut self.v_step, &step);
        }
    }

    /// (1 + e tᵀ) x of one contact.
    fn turned(&self, cone: &Cone, values: &[f64]) -> Vector {
        let mut vector = cone.of(values);
        vector[0] += cone.along[0] * vector[1] + cone.along[1] * vector[2];
        vector
    }

    /// The largest step, at most 1, that stays in the cones.
    fn step_length(&self) -> f64 {
        let lengths = self.cones.iter().map(|cone| {
            let p = largest_step(&cone.of(&self.p), &cone.of(&self.p_step));
            p.min(largest_step(&cone.of(&self.v), &cone.of(&self.v_step)))
        });
        lengths.fold(1.0, f64::min)
    }

    /// Takes the step; false, without it, if round-off has led out of the cones or to no number.
    fn advance(&mut self, factor: f64) -> bool {
        let inside = self.cones.iter().all(|cone| {
            let moved = |values: &[f64], steps: &[f64]| {
                let (from, step) = (cone.of(values), cone.of(steps));
                is_inside(&std::array::from_fn(|i| from[i] + factor * step[i]))
            };
            moved(&self.p, &self.p_step) && moved(&self.v, &self.v_step)
        });
        if inside {
            for (values, steps) in [(&mut self.p, &self.p_step), (&mut self.v, &self.v_step)] {
                for (value, step) in values.iter_mut().zip(steps) {
                    *value += factor * step;
                }
            }
        }
        inside
    }
}
