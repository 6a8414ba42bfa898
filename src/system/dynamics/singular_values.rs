//! How far the constraint rows are from depending on each other: the smallest singular values of the constraint Jacobian.

use crate::linalg::{KktError, KktSolver};
use crate::system::{DynamicsError, Evaluator, Layout, Point};

/// So many singular values are watched: the one that is going to vanish need not be the smallest yet.
const COUNT: usize = 4;

/// Steps of inverse iteration at a configuration. The error falls like the square of the ratio of singular values with each, and
/// starts from the vectors of the configuration before.
const ITERATIONS: usize = 2;

/// The same at the first configuration.
const FIRST_ITERATIONS: usize = 4;

/// A row matters to a singular value if its entry in the singular vector is at least this part of the largest.
const MATTERS: f64 = 0.05;

/// Every look begins with this much of vectors that have all rows in them, so that no singular vector is ever lost.
const FRESH: f64 = 0.05;

/// Vectors shorter than this behind the ones before are nothing but round-off of these.
const DEPENDENT: f64 = 1e-10;

/// The smallest singular values σ of the constraint Jacobian, scaled by the mass matrix, with their vectors.
///
/// With S the inverse lengths of the rows in the metric of the diagonal of M⁻¹, the σ² are the smallest eigenvalues of
/// S G M⁻¹ Gᵀ S. They come from inverse iteration with the saddle-point matrix \[M Gᵀ; G 0\], so the cost is that of one
/// factorization and a few solutions: linear in the number of bodies where the factorization is.
pub(crate) struct SingularValues {
    kkt: KktSolver,
    mass: Vec<f64>,
    /// At the configuration looked at last.
    jacobian: Vec<f64>,
    /// At the configurations followed to last, the newest one first.
    followed: [Vec<f64>; 2],
    /// Inverse lengths of the rows in the metric of the masses; zero for rows without entries.
    scale: Vec<f64>,
    /// Inverse Euclidean lengths of the rows.
    inverse_length: Vec<f64>,
    diagonal: Vec<f64>,
    triplets: Vec<Triplet>,
    /// A left vector to be found again.
    kept: Vec<f64>,
    started: bool,
    /// The linear solver had no solution: vectors are those of the configuration before.
    dependent: bool,
    none: Vec<f64>,
    target: Vec<f64>,
    solution: Vec<f64>,
}

struct Triplet {
    value: f64,
    /// Of the scaled rows.
    left: Vec<f64>,
    /// A velocity.
    right: Vec<f64>,
    next: Vec<f64>,
}

impl SingularValues {
    /// Allocates for systems of this layout.
    pub fn new(layout: &Layout) -> Result<Self, KktError> {
        let (dimension, rows) = (layout.dimension(), layout.rows());
        let (mass, jacobian) = (&layout.mass, &layout.jacobian);
        let triplet = |_| Triplet {
            value: f64::INFINITY,
            left: vec![0.0; rows],
            right: vec![0.0; dimension],
            next: vec![0.0; rows],
        };
        let entries = || vec![0.0; jacobian.nnz()];
        Ok(Self {
            kkt: KktSolver::new(mass, jacobian, jacobian, &layout.blocks)?,
            mass: vec![0.0; mass.nnz()],
            jacobian: entries(),
            followed: [entries(), entries()],
            scale: vec![0.0; rows],
            inverse_length: vec![0.0; rows],
            diagonal: vec![1.0; dimension],
            triplets: (0..rows.min(COUNT)).map(triplet).collect(),
            kept: vec![0.0; rows],
            started: false,
            dependent: false,
            none: vec![0.0; dimension],
            target: vec![0.0; rows],
            solution: vec![0.0; rows],
        })
    }

    /// How many are watched.
    pub fn count(&self) -> usize {
        self.triplets.len()
    }

    /// Whether there are no others.
    pub fn are_all(&self) -> bool {
        self.triplets.len() == self.scale.len()
    }

    /// Forgets all vectors: other rows are left out.
    pub fn restart(&mut self) {
        self.started = false;
    }

    /// Finds the singular values and their vectors at a point.
    ///
    /// Where the linear solver has no solution, rows depend on each other already, and the first value is zero.
    pub fn look(&mut self, system: &mut Evaluator, at: &Point) -> Result<(), DynamicsError> {
        system.mass_matrix(at, &mut self.mass)?;
        system.constraint_jacobian(at, &mut self.jacobian)?;
        let layout = system.layout();
        // Massless directions keep the mass 1 of the start.
        for (row, column, place) in layout.mass.iter() {
            if row == column && self.mass[place] > 0.0 {
                self.diagonal[row] = self.mass[place];
            }
        }
        let inverse_root = |square: f64| {
            if square > 0.0 {
                1.0 / square.sqrt()
            } else {
                0.0
            }
        };
        for row in 0..self.scale.len() {
            let entries = &self.jacobian[layout.jacobian.row_range(row)];
            let terms = layout.jacobian.row(row).iter().zip(entries);
            let by_mass = terms.map(|(&j, entry)| entry * entry / self.diagonal[j]);
            // 1 / |row| in the metric of diag(M)⁻¹: rows of any unit weigh the same.
            self.scale[row] = inverse_root(by_mass.sum());
            self.inverse_length[row] =
                inverse_root(entries.iter().map(|entry| entry * entry).sum());
        }
        self.dependent = self.iterate().is_err();
        if self.dependent {
            self.triplets[0].value = 0.0;
        }
        Ok(())
    }

    fn iterate(&mut self) -> Result<(), KktError> {
        let factored = self.kkt.factor(&self.mass, &self.jacobian, &self.jacobian);
        let fresh = if self.started { FRESH } else { 1.0 };
        let size = (self.scale.len() as f64).sqrt();
        for (index, triplet) in self.triplets.iter_mut().enumerate() {
            for (row, (left, scale)) in triplet.left.iter_mut().zip(&self.scale).enumerate() {
                // Numbers without a pattern: multiples of the golden ratio.
                let phase = (row + 1) as f64 * 0.618_033_988_749_894_9 * (index + 1) as f64;
                // Vectors of before, and a little of all rows: a vector orthogonal to the one sought stays so.
                let kept = if self.started { *left } else { 0.0 };
                *left = if *scale > 0.0 {
                    kept + fresh * (phase.fract() - 0.5) / size
                } else {
                    0.0
                };
            }
        }
        factored?;
        orthonormalize(&mut self.triplets, |triplet| &mut triplet.left);
        let rounds = if self.started {
            ITERATIONS
        } else {
            FIRST_ITERATIONS
        };
        for round in 1..=rounds {
            for triplet in &mut self.triplets {
                let pairs = triplet.left.iter().zip(&self.scale);
                // M x = Gᵀ y, G x = S⁻¹ l: y = (G M⁻¹ Gᵀ)⁻¹ S⁻¹ l.
                for (target, (left, scale)) in self.target.iter_mut().zip(pairs) {
                    *target = if *scale > 0.0 { left / scale } else { 0.0 };
                }
                self.kkt.solve(
                    &self.none,
                    &self.target,
                    &mut triplet.right,
                    &mut self.solution,
                )?;
                // S⁻¹ y closes the inverse of S G M⁻¹ Gᵀ S.
                let pairs = self.solution.iter().zip(&self.scale);
                for (next, (solution, scale)) in triplet.next.iter_mut().zip(pairs) {
                    *next = if *scale > 0.0 { solution / scale } else { 0.0 };
                }
                // Rayleigh's quotient of the inverse.
                let quotient: f64 = triplet
                    .left
                    .iter()
                    .zip(&triplet.next)
                    .map(|(a, b)| a * b)
                    .sum();
                // The quotient is 1/σ²: of the inverse.
                triplet.value = 1.0 / quotient.sqrt();
                // σ times the solution is the right singular vector, a velocity.
                for right in &mut triplet.right {
                    *right *= triplet.value;
                }
            }
            if round < rounds {
                orthonormalize(&mut self.triplets, |triplet| &mut triplet.next);
                for triplet in &mut self.triplets {
                    std::mem::swap(&mut triplet.left, &mut triplet.next);
                }
            }
        }
        self.started = true;
        Ok(())
    }

    /// Remembers the left vector of a singular value.
    pub fn keep(&mut self, index: usize) {
        self.kept.copy_from_slice(&self.triplets[index].left);
    }

    /// The singular value whose left vector is nearest to the one remembered.
    pub fn kept(&self) -> usize {
        // Vectors have no sign of their own.
        let product = |triplet: &Triplet| -> f64 {
            let pairs = triplet.left.iter().zip(&self.kept);
            pairs.map(|(a, b)| a * b).sum::<f64>().abs()
        };
        let products = self.triplets.iter().map(product).enumerate();
        let nearest = products.max_by(|a, b| a.1.total_cmp(&b.1));
        nearest.map_or(0, |(index, _)| index)
    }

    /// The value found last.
    pub fn value(&self, index: usize) -> f64 {
        self.triplets[index].value
    }

    /// How nearly the rows of a singular value depend on each other whatever the masses: the length of their sum with the weights of
    /// the left vector, over that of its longest term. A light body between heavy ones makes singular values small, too.
    pub fn dependence(&self, system: &Evaluator, index: usize) -> f64 {
        if self.dependent {
            return 0.0;
        }
        let pattern = &system.layout().jacobian;
        let mut sum = vec![0.0; self.diagonal.len()];
        let mut longest = 0.0_f64;
        let left = &self.triplets[index].left;
        // Σ l_i s_i G_i: the combination of rows that is going to vanish.
        for (row, (left, scale)) in left.iter().zip(&self.scale).enumerate() {
            let weight = left * scale;
            let entries = &self.jacobian[pattern.row_range(row)];
            let mut square = 0.0;
            for (&column, entry) in pattern.row(row).iter().zip(entries) {
                let term = weight * entry;
                sum[column] += term;
                square += term * term;
            }
            longest = longest.max(square.sqrt());
        }
        norm(&sum) / longest
    }

    /// Follows the singular values to another configuration near the one looked at, to first order with the vectors found
    /// there. Each has its sign: it passes zero where the rank drops.
    ///
    /// Returns the largest change of a row since the configuration looked at, relative to its length.
    pub fn follow(
        &mut self,
        system: &mut Evaluator,
        at: &Point,
        out: &mut [f64],
    ) -> Result<f64, DynamicsError> {
        self.followed.swap(0, 1);
        let entries = &mut self.followed[0];
        system.constraint_jacobian(at, entries)?;
        let pattern = &system.layout().jacobian;
        for (out, triplet) in out.iter_mut().zip(&self.triplets) {
            *out = triplet.value;
        }
        let mut turned = 0.0_f64;
        for row in 0..self.scale.len() {
            let range = pattern.row_range(row);
            let pairs = entries[range.clone()].iter().zip(&self.jacobian[range]);
            let (mut along, mut square) = ([0.0; COUNT], 0.0);
            for (&column, (there, here)) in pattern.row(row).iter().zip(pairs) {
                let change = there - here;
                square += change * change;
                for (along, triplet) in along.iter_mut().zip(&self.triplets) {
                    *along += change * triplet.right[column];
                }
            }
            // dσ = lᵀ S dG r, first-order perturbation of a singular value.
            for ((out, triplet), along) in out.iter_mut().zip(&self.triplets).zip(along) {
                *out += triplet.left[row] * self.scale[row] * along;
            }
            turned = turned.max(self.inverse_length[row] * square.sqrt());
        }
        Ok(turned)
    }

    /// The largest change of a row between the two configurations followed to last, relative to its length.
    pub fn turned_between(&self, system: &Evaluator) -> f64 {
        let pattern = &system.layout().jacobian;
        let [there, here] = &self.followed;
        let change = |row: usize| -> f64 {
            let range = pattern.row_range(row);
            let pairs = there[range.clone()].iter().zip(&here[range]);
            let squares = pairs.map(|(a, b)| (a - b) * (a - b));
            self.inverse_length[row] * squares.sum::<f64>().sqrt()
        };
        (0..self.scale.len()).map(change).fold(0.0, f64::max)
    }

    /// The rows that come to depend on each other where a singular value vanishes, increasing.
    pub fn rows(&self, index: usize) -> Vec<usize> {
        let left = &self.triplets[index].left;
        let largest = left.iter().fold(0.0_f64, |max, entry| max.max(entry.abs()));
        let matters = |&row: &usize| left[row].abs() > MATTERS * largest;
        (0..left.len()).filter(matters).collect()
    }
}

/// Gram and Schmidt's, in the order of the vectors: the first ones converge to the smallest singular values.
fn orthonormalize(triplets: &mut [Triplet], vector: impl Fn(&mut Triplet) -> &mut Vec<f64>) {
    for index in 0..triplets.len() {
        let (before, rest) = triplets.split_at_mut(index);
        let own = vector(&mut rest[0]);
        let length = norm(own);
        for other in before {
            let other = vector(other);
            let product: f64 = own.iter().zip(other.iter()).map(|(a, b)| a * b).sum();
            for (own, other) in own.iter_mut().zip(other.iter()) {
                *own -= product * other;
            }
        }
        let left = norm(own);
        let inverse = if left > DEPENDENT * length {
            1.0 / left
        } else {
            0.0
        };
        for own in own {
            *own *= inverse;
        }
    }
}

fn norm(values: &[f64]) -> f64 {
    values.iter().map(|value| value * value).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifold::Manifold;
    use crate::scalar::Scalar;
    use crate::system::{Automatic, MatrixMut, Model, State};

    /// A point in space held on three planes: normals x, then x cos q₃ + y sin q₃ of length 5, then z; masses 4.
    struct Planes;

    impl Model for Planes {
        fn layout(&self) -> Layout {
            Layout::dense(Manifold::euclidean(4)).with_velocity_rows(3)
        }
        fn initial_state(&self) -> State {
            self.layout().state()
        }
        fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
            for axis in 0..4 {
                mass[(axis, axis)] = S::constant(4.0);
            }
        }
        fn force<S: Scalar>(&self, _at: &Point<S>, _force: &mut [S]) {}
        fn velocity_constraint<S: Scalar>(&self, at: &Point<S>, b: &mut [S]) {
            let (sin, cos) = at.q[3].sin_cos();
            b[0] = at.v[0];
            b[1] = (at.v[0] * cos + at.v[1] * sin) * 5.0;
            b[2] = at.v[2];
        }
    }

    fn state(angle: f64) -> State {
        State {
            q: vec![0.0, 0.0, 0.0, angle],
            ..Planes.initial_state()
        }
    }

    #[test]
    fn the_smallest_one_is_that_of_the_angle_between_rows() {
        let mut system = Automatic::new(Planes);
        let mut evaluator = Evaluator::new(&mut system);
        let mut found = SingularValues::new(evaluator.layout()).expect("a layout");
        for angle in [1.2, 0.7, 0.3, 0.1, 1e-2] {
            found
                .look(&mut evaluator, &state(angle).point())
                .expect("regular");
            // Of unit vectors at this angle: sqrt(1 - cos).
            let expected = (1.0 - angle.cos()).sqrt();
            approx::assert_relative_eq!(found.value(0), expected, max_relative = 3e-2);
        }
        assert_eq!(found.rows(0), [0, 1]);
    }

    #[test]
    fn it_changes_its_sign_where_the_rank_drops() {
        let mut system = Automatic::new(Planes);
        let mut evaluator = Evaluator::new(&mut system);
        let mut found = SingularValues::new(evaluator.layout()).expect("a layout");
        found
            .look(&mut evaluator, &state(0.1).point())
            .expect("regular");
        let mut values = [0.0; 3];
        let turned = found.follow(&mut evaluator, &state(-0.1).point(), &mut values);
        approx::assert_relative_eq!(values[0], -found.value(0), max_relative = 2e-2);
        approx::assert_relative_eq!(turned.expect("finite"), 0.2, max_relative = 1e-2);
        found
            .follow(&mut evaluator, &state(0.0).point(), &mut values)
            .expect("finite");
        assert!(values[0].abs() < 1e-3, "{}", values[0]);
    }
}
