//! All splits of forces among redundant contacts: how far within their limits they can be, and the shortest one.

use crate::closed::barrier::Barrier;
use crate::complementarity::{LcpError, LcpOptions, LcpSolver, RowKind};

/// Splits f + D x of forces, for any x, and their limits, each a linear form of the forces that is at least zero.
///
/// The largest margin is the linear program
///
/// ```text
/// max s   such that   b + C x >= s w,   s <= cap
/// ```
///
/// with the limits b at f, their slopes C along D and the weights w > 0. The split of least norm is the quadratic program
///
/// ```text
/// min |f + D x|²   such that   b + C x >= floor
/// ```
///
/// Both are solved as linear complementarity problems with monotone matrices (Cottle, Pang and Stone 2009, sec. 1.2,
/// doi:10.1137/1.9780898719000), with a multiplier for each limit. Where cones of friction are among the limits, both are
/// second-order cone programs, N - s w >= |T|/μ, and solved by a [`Barrier`].
pub(crate) struct Splits {
    solver: LcpSolver,
    matrix: Vec<f64>,
    vector: Vec<f64>,
    kinds: Vec<RowKind>,
    /// b.
    pub limits: Vec<f64>,
    /// C, one row for each limit.
    pub slopes: Vec<f64>,
    /// w.
    pub weights: Vec<f64>,
    /// Limits that are cones.
    pub cones: Cones,
    barrier: Barrier,
    /// x of the largest margin, where there are cones.
    best: Vec<f64>,
    /// f.
    pub forces: Vec<f64>,
    /// D, one row for each force.
    pub directions: Vec<f64>,
    /// What [`shorten`](Self::shorten) has added to the forces.
    pub changes: Vec<f64>,
}

/// Cones b_0 + C_0 x - s w >= |b_k + C_k x|, k = 1 and 2.
#[derive(Default)]
pub(crate) struct Cones {
    /// b, three numbers for each cone.
    pub limits: Vec<f64>,
    /// C, three rows for each cone.
    pub slopes: Vec<f64>,
    /// w.
    pub weights: Vec<f64>,
}

/// Unknowns of a program over cones are smaller than this multiple of what they begin with.
const FAR: f64 = 1e3;

impl Default for Splits {
    fn default() -> Self {
        let options = LcpOptions {
            least_norm: false,
            ..LcpOptions::default()
        };
        Self {
            solver: LcpSolver::new(options),
            matrix: Vec::new(),
            vector: Vec::new(),
            kinds: Vec::new(),
            limits: Vec::new(),
            slopes: Vec::new(),
            weights: Vec::new(),
            cones: Cones::default(),
            barrier: Barrier::default(),
            best: Vec::new(),
            forces: Vec::new(),
            directions: Vec::new(),
            changes: Vec::new(),
        }
    }
}

impl Splits {
    /// Forgets forces and limits.
    pub fn clear(&mut self) {
        self.limits.clear();
        self.slopes.clear();
        self.weights.clear();
        self.cones.limits.clear();
        self.cones.slopes.clear();
        self.cones.weights.clear();
        self.forces.clear();
        self.directions.clear();
    }

    /// Zeros for a problem of this size, the first `free` unknowns of which are free.
    fn fit(&mut self, size: usize, free: usize) {
        self.matrix.clear();
        self.matrix.resize(size * size, 0.0);
        self.vector.clear();
        self.vector.resize(size, 0.0);
        self.kinds.clear();
        self.kinds.resize(free, RowKind::Bilateral);
        self.kinds.resize(size, RowKind::Unilateral);
    }

    /// The largest margin s of all splits along `count` directions, at most `cap`.
    ///
    /// Unknowns are cap - s ≥ 0, x + ξ ≥ 0 and ξ ≥ 0 for all components of x alike, since free ones would have no diagonal to be
    /// eliminated by.
    pub fn largest_margin(&mut self, count: usize, cap: f64) -> Result<f64, LcpError> {
        if !self.cones.weights.is_empty() {
            return self.largest_margin_in_cones(count, cap);
        }
        let limits = self.limits.len();
        let (shift, first) = (1 + count, 2 + count);
        let size = first + limits;
        self.fit(size, 0);
        let (matrix, vector) = (&mut self.matrix, &mut self.vector);
        // What is lost of the margin.
        vector[0] = 1.0;
        let numbered = self.slopes.chunks_exact(count).enumerate();
        for (index, slopes) in numbered {
            let (row, weight) = (first + index, self.weights[index]);
            let mut couple = |unknown: usize, value: f64| {
                matrix[row * size + unknown] = value;
                matrix[unknown * size + row] = -value;
            };
            couple(0, weight);
            for (unknown, &slope) in slopes.iter().enumerate() {
                couple(1 + unknown, slope);
            }
            couple(shift, -slopes.iter().sum::<f64>());
            vector[row] = self.limits[index] - cap * weight;
        }
        let solution = self.solver.solve(matrix, vector, &self.kinds)?;
        Ok(cap - solution.z[0])
    }

    /// Replaces the forces by those of least norm whose limits are all at least `floor` times their weight.
    pub fn shorten(&mut self, count: usize, floor: f64) -> Result<(), LcpError> {
        if !self.cones.weights.is_empty() {
            return self.shorten_in_cones(count, floor);
        }
        let limits = self.limits.len();
        let size = count + limits;
        self.fit(size, count);
        let (matrix, vector) = (&mut self.matrix, &mut self.vector);
        for (row, &force) in self.directions.chunks_exact(count).zip(&self.forces) {
            for (i, &a) in row.iter().enumerate() {
                vector[i] += a * force;
                for (j, &b) in row.iter().enumerate() {
                    matrix[i * size + j] += a * b;
                }
            }
        }
        for (limit, slopes) in (count..).zip(self.slopes.chunks_exact(count)) {
            for (unknown, &slope) in slopes.iter().enumerate() {
                matrix[limit * size + unknown] = slope;
                matrix[unknown * size + limit] = -slope;
            }
        }
        for (index, (&value, &weight)) in self.limits.iter().zip(&self.weights).enumerate() {
            vector[count + index] = value - floor * weight;
        }
        let solution = self.solver.solve(matrix, vector, &self.kinds)?;
        self.best.clear();
        self.best.extend(&solution.z[..count]);
        self.change_forces(count);
        Ok(())
    }

    /// Goes to the split of these x.
    fn change_forces(&mut self, count: usize) {
        self.changes.clear();
        for (row, force) in self.directions.chunks_exact(count).zip(&mut self.forces) {
            let change: f64 = row.iter().zip(&self.best).map(|(a, x)| a * x).sum();
            *force += change;
            self.changes.push(change);
        }
    }

    /// Loads all limits into the barrier, less `floor` times their weights, in multiples of `unit`; unknowns behind the
    /// first `count` are margins.
    fn load_limits(&mut self, (count, unknowns): (usize, usize), floor: f64, unit: f64) {
        let (barrier, cones) = (&mut self.barrier, &self.cones);
        barrier.clear(unknowns);
        let mut add = |values: [f64; 3], slopes: [&[f64]; 3], weight: f64| {
            let [normal, first, second] = values;
            let rows =
                barrier.add_limit([normal - floor * weight, first, second].map(|u| u / unit));
            for (row, slopes) in rows.chunks_exact_mut(unknowns).zip(slopes) {
                row[..slopes.len()].copy_from_slice(slopes);
            }
            rows[count..unknowns].fill(-weight);
        };
        let numbered = self.limits.iter().zip(self.slopes.chunks_exact(count));
        for ((&limit, slopes), &weight) in numbered.zip(&self.weights) {
            add([limit, 0.0, 0.0], [slopes, &[], &[]], weight);
        }
        let numbered = cones.limits.chunks_exact(3);
        let numbered = numbered.zip(cones.slopes.chunks_exact(3 * count));
        for ((limits, slopes), &weight) in numbered.zip(&cones.weights) {
            let row = |k: usize| &slopes[k * count..(k + 1) * count];
            add(
                [limits[0], limits[1], limits[2]],
                [row(0), row(1), row(2)],
                weight,
            );
        }
    }

    fn largest_margin_in_cones(&mut self, count: usize, cap: f64) -> Result<f64, LcpError> {
        self.load_limits((count, count + 1), 0.0, cap);
        let barrier = &mut self.barrier;
        let weights = self.weights.iter().chain(&self.cones.weights);
        let limits = barrier.values.chunks_exact(3).zip(weights);
        let margins = limits.map(|(u, weight)| (u[0] - u[1].hypot(u[2])) / weight);
        let begin = margins.fold(1.0, f64::min) - 1.0;
        barrier.add_limit([1.0, 0.0, 0.0])[count] = -1.0;
        barrier.unknowns[count] = begin;
        barrier.radius = FAR * (1.0 + begin.abs());
        barrier.linear[count] = -1.0;
        barrier.solve()?;
        self.best.clear();
        self.best
            .extend(barrier.unknowns[..count].iter().map(|x| x * cap));
        Ok(barrier.unknowns[count] * cap)
    }

    /// As [`shorten`](Self::shorten), from the split of the largest margin.
    fn shorten_in_cones(&mut self, count: usize, floor: f64) -> Result<(), LcpError> {
        let sizes = self.forces.iter().map(|force| force.abs());
        let unit = sizes.sum::<f64>();
        if unit == 0.0 {
            // Nothing is shorter.
            self.best.clear();
            self.best.resize(count, 0.0);
            self.change_forces(count);
            return Ok(());
        }
        self.load_limits((count, count), floor, unit);
        let barrier = &mut self.barrier;
        let (forces, directions) = &mut barrier.quadratic;
        forces.extend(self.forces.iter().map(|force| force / unit));
        directions.extend(&self.directions);
        for (slot, x) in barrier.unknowns.iter_mut().zip(&self.best) {
            *slot = x / unit;
        }
        let size = barrier
            .unknowns
            .iter()
            .fold(1.0_f64, |most, x| most.max(x.abs()));
        barrier.radius = FAR * size;
        match barrier.solve() {
            // Any split within the limits is one: where they leave no room to descend, the last one is taken.
            Ok(()) | Err(LcpError::Uncentred { .. }) => {}
            Err(error) => return Err(error),
        }
        self.best.clear();
        self.best.extend(barrier.unknowns.iter().map(|x| x * unit));
        self.change_forces(count);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A box on two corners with the coefficients 0.5 and 0.25, 60 N and 40 N on them, pulled by `pull` that the first one
    /// holds.
    fn box_on_corners(pull: f64) -> Splits {
        let (coefficients, normals) = ([0.5, 0.25], [60.0, 40.0]);
        let mut splits = Splits::default();
        splits.forces.extend([pull, 0.0]);
        splits.directions.extend([-1.0, 1.0]);
        for corner in 0..2 {
            for sign in [1.0, -1.0] {
                let factor: f64 = sign / coefficients[corner];
                splits
                    .limits
                    .push(normals[corner] + factor * splits.forces[corner]);
                splits.slopes.push(factor * splits.directions[corner]);
                splits.weights.push(1.0);
            }
        }
        splits
    }

    #[test]
    fn both_corners_hold_what_one_cannot() {
        for pull in [0.0, 12.0, -35.0, 39.0, 40.0, 45.0] {
            let mut splits = box_on_corners(pull);
            // Both are at N_i - s = |T_i| / μ_i; without a pull the one with less weight is first.
            let expected = ((40.0 - f64::abs(pull)) / 0.75).min(40.0);
            let margin = splits.largest_margin(1, 1e3).unwrap();
            assert!((margin - expected).abs() < 1e-11, "{pull}: {margin}");
        }
        assert_eq!(box_on_corners(0.0).largest_margin(1, 3.0).unwrap(), 3.0);
    }

    #[test]
    fn the_shortest_admissible_split() {
        // Halves as long as the second corner can take one.
        for (pull, second) in [
            (12.0, 6.0),
            (-12.0, -6.0),
            (20.0, 10.0),
            (30.0, 10.0),
            (-39.0, -10.0),
        ] {
            let mut splits = box_on_corners(pull);
            splits.shorten(1, 0.0).unwrap();
            let [first, other] = splits.forces[..] else {
                panic!("two forces");
            };
            assert!((other - second).abs() < 1e-11 && (first + other - pull).abs() < 1e-11);
        }
    }

    /// As [`box_on_corners`], with cones that are pulled across, too.
    fn cones(forces: &[f64], directions: &[f64], coefficients: &[f64]) -> Splits {
        let count = directions.len() / forces.len();
        let mut splits = Splits::default();
        splits.forces.extend(forces);
        splits.directions.extend(directions);
        for (cone, coefficient) in coefficients.iter().enumerate() {
            for k in 0..3 {
                let (row, factor) = (3 * cone + k, if k == 0 { 1.0 } else { 1.0 / coefficient });
                splits.cones.limits.push(factor * forces[row]);
                let slopes = &directions[row * count..(row + 1) * count];
                splits
                    .cones
                    .slopes
                    .extend(slopes.iter().map(|slope| factor * slope));
            }
            splits.cones.weights.push(1.0);
        }
        splits
    }

    #[test]
    fn cones_that_are_pulled_straight_are_limits() {
        for pull in [0.0, 12.0, -35.0, 39.0, 40.0, 45.0] {
            let forces = [60.0, 0.8 * pull, 0.6 * pull, 40.0, 0.0, 0.0];
            let directions = [0.0, -0.8, -0.6, 0.0, 0.8, 0.6];
            let mut splits = cones(&forces, &directions, &[0.5, 0.25]);
            let expected = ((40.0 - f64::abs(pull)) / 0.75).min(40.0);
            let margin = splits.largest_margin(1, 1e3).unwrap();
            assert!((margin - expected).abs() < 1e-8, "{pull}: {margin}");
            if pull.abs() < 40.0 {
                splits.shorten(1, 0.0).unwrap();
                let second = (0.5 * pull).clamp(-10.0, 10.0);
                let found = 0.8 * splits.forces[4] + 0.6 * splits.forces[5];
                assert!((found - second).abs() < 1e-8, "{pull}: {found}");
            }
        }
    }

    /// Against polygons around the cones and within them, by pivoting.
    #[test]
    fn margins_of_cones_lie_between_those_of_polygons() {
        const SIDES: usize = 48;
        let mut state = 7_u64;
        let mut number = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        for count in [1, 2, 3, 5] {
            for _ in 0..4 {
                let coefficients = [0.3, 0.5, 0.8];
                let forces: Vec<f64> = (0..9)
                    .map(|row| if row % 3 == 0 { 50.0 } else { 20.0 * number() })
                    .collect();
                // Normal forces change little enough for the best margin to be bounded.
                let directions: Vec<f64> = (0..9 * count)
                    .map(|place| number() * if place / count % 3 == 0 { 0.1 } else { 1.0 })
                    .collect();
                let mut smooth = cones(&forces, &directions, &coefficients);
                let margin = smooth.largest_margin(count, 200.0).unwrap();
                let polygon = |share: f64| {
                    let mut splits = Splits::default();
                    splits.forces.extend(&forces);
                    splits.directions.extend(&directions);
                    for (cone, coefficient) in coefficients.iter().enumerate() {
                        for side in 0..SIDES {
                            let angle = std::f64::consts::TAU * side as f64 / SIDES as f64;
                            let (s, c) = angle.sin_cos();
                            let factor = 1.0 / (share * coefficient);
                            let parts = [1.0, -c * factor, -s * factor];
                            let sum = |row: &dyn Fn(usize) -> f64| -> f64 {
                                (0..3).map(|k| parts[k] * row(3 * cone + k)).sum()
                            };
                            splits.limits.push(sum(&|row| forces[row]));
                            for direction in 0..count {
                                let slope = sum(&|row| directions[row * count + direction]);
                                splits.slopes.push(slope);
                            }
                            splits.weights.push(1.0);
                        }
                    }
                    splits.largest_margin(count, 200.0).unwrap()
                };
                let inner = (std::f64::consts::PI / SIDES as f64).cos();
                let [around, within] = [1.0, inner].map(polygon);
                assert!(
                    within - 1e-9 <= margin && margin <= around + 1e-9,
                    "{count}: {within} {margin} {around}"
                );
                assert!(around - within < 0.5, "{around} {within}");
            }
        }
    }

    /// Two balls on a floor between walls: they can brace each other with any preload, which the first contact does not feel.
    #[test]
    fn forces_that_lock_themselves_have_a_margin() {
        let mut splits = Splits::default();
        let (other, slanted, third) = (
            10.012_289_323_626_24,
            3.449_489_742_783_18,
            14.017_205_053_076_735,
        );
        splits.cones.limits.extend([
            19.62, 0.0, 0.0, other, 0.0, 0.0, other, 0.0, 0.0, third, 0.0, 0.0,
        ]);
        splits.cones.slopes.extend([
            -1.0,
            1.0,
            2.0,
            -2.0,
            0.0,
            0.0,
            -1.0,
            slanted,
            0.0,
            0.0,
            2.0,
            0.0,
            0.0,
            slanted - 1.0,
            0.0,
            0.0,
            0.0,
            2.0,
            0.0,
            slanted - 1.0,
            0.0,
            2.0,
            0.0,
            0.0,
        ]);
        splits.cones.weights.extend([1.0, 0.35, 0.35, 0.53]);
        for cap in [10.0, 53.7, 1e3] {
            let margin = splits.largest_margin(2, cap).expect("convex");
            assert!(
                (margin - cap.min(19.62)).abs() < 1e-9 * cap,
                "{cap}: {margin}"
            );
        }
    }

    /// On ice cones are wide and flat: round-off of their limits is all that is left of slacks.
    #[test]
    fn margins_of_ice_are_found() {
        for mu in [1e-3, 1e-4] {
            let mut splits = Splits::default();
            splits
                .cones
                .limits
                .extend([60.0, 1000.0 / mu, 3.0 / mu, 40.0, 0.0, 2.0 / mu]);
            splits
                .cones
                .slopes
                .extend([0.0, 1.0 / mu, 0.0, 0.0, -2.0 / mu, 0.0]);
            splits.cones.weights.extend([1.0, 1.0]);
            let margin = splits.largest_margin(1, 1100.0).expect("convex");
            // 60 - s >= |1000 + x| / μ and 40 - s >= 2 |x| / μ, apart from what lies across: x = -1000 / 3.
            assert!(
                (margin * mu / (-2000.0 / 3.0) - 1.0).abs() < 0.1,
                "{margin}"
            );
        }
    }
}
