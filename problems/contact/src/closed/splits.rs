//! All splits of forces among redundant contacts: how far within their limits they can be, and the shortest one.

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
/// doi:10.1137/1.9780898719000), with a multiplier for each limit.
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
    /// f.
    pub forces: Vec<f64>,
    /// D, one row for each force.
    pub directions: Vec<f64>,
    /// What [`shorten`](Self::shorten) has added to the forces.
    pub changes: Vec<f64>,
}

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
        self.changes.clear();
        for (row, force) in self.directions.chunks_exact(count).zip(&mut self.forces) {
            let change: f64 = row.iter().zip(&solution.z).map(|(a, x)| a * x).sum();
            *force += change;
            self.changes.push(change);
        }
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
}
