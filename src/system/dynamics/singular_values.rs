//! How far the constraint rows are from depending on each other: the smallest singular values of the constraint Jacobian.

use super::gram_schmidt::Orthonormalize;
use super::track::{Follow, Followed, Looked};
use crate::linalg::{AT_A_TIME, KktError, KktSolver};
use crate::system::{DynamicsError, Evaluator, Layout, Point};
use pulp::Arch;

/// So many singular values are watched: the one that is going to vanish need not be the smallest yet.
pub(super) const COUNT: usize = AT_A_TIME;

/// Steps of inverse iteration at a configuration. Vectors become orthonormal between them. The error falls like the
/// square of the ratio of singular values with each, and starts from the vectors of the configuration before.
const ITERATIONS: usize = 2;

/// The same at the first configuration.
const FIRST_ITERATIONS: usize = 4;

const _: () = assert!(ITERATIONS >= 2 && FIRST_ITERATIONS >= 2);

/// A row matters to a singular value if its entry in the singular vector is at least this part of the largest.
const MATTERS: f64 = 0.05;

/// Every look begins with this much of vectors that have all rows in them, so that no singular vector is ever lost.
const FRESH: f64 = 0.05;

/// A number for each singular value.
pub(super) type Each = [f64; COUNT];

/// The smallest singular values σ of the constraint Jacobian, scaled by the mass matrix, with their vectors.
///
/// With S the inverse lengths of the rows in the metric of the diagonal of M⁻¹, the σ² are the smallest eigenvalues of
/// S G M⁻¹ Gᵀ S. They come from inverse iteration with the saddle-point matrix \[M Gᵀ; G 0\], so the cost is that of one
/// factorization and a few solutions: linear in the number of bodies where the factorization is.
pub(crate) struct SingularValues {
    arch: Arch,
    kkt: KktSolver,
    mass: Vec<f64>,
    /// At the configuration looked at last.
    jacobian: Vec<f64>,
    /// At the start and the end of the step followed last; a single configuration that is followed takes the place of the start.
    followed: [Vec<f64>; 2],
    /// Lengths of the rows in the metric of the masses, and their inverses; both zero for rows without entries.
    length: Vec<f64>,
    scale: Vec<f64>,
    /// Inverse Euclidean lengths of the rows.
    inverse_length: Vec<f64>,
    /// The diagonal of the mass matrix, and where it stands among the values.
    diagonal: Vec<f64>,
    on_diagonal: Vec<Option<usize>>,
    /// How many are watched.
    count: usize,
    values: Each,
    /// Singular vectors: of the scaled rows, and velocities.
    left: Vec<Each>,
    right: Vec<Each>,
    next: Vec<Each>,
    /// Vectors without a pattern, shorter than one half; zero where there are fewer singular values.
    fresh: Vec<Each>,
    /// A left vector to be found again.
    kept: Vec<f64>,
    started: bool,
    /// The linear solver had no solution: vectors are those of the configuration before.
    dependent: bool,
    /// Velocities that belong to the left vectors, before they have a length.
    velocities: Vec<Each>,
    /// One right-hand side of constraint rows, and its solution.
    target: Vec<f64>,
    velocity: Vec<f64>,
    multiplier: Vec<f64>,
}

impl SingularValues {
    /// Allocates for systems of this layout.
    pub fn new(layout: &Layout) -> Result<Self, KktError> {
        let (dimension, rows) = (layout.dimension(), layout.rows());
        let (mass, jacobian) = (&layout.mass, &layout.jacobian);
        let entries = || vec![0.0; jacobian.nnz()];
        let (of_rows, numbers) = (|| vec![0.0; rows], || vec![[0.0; COUNT]; rows]);
        let size = (rows as f64).sqrt();
        let fresh = |row: usize| {
            std::array::from_fn(|index| {
                // Multiples of the golden ratio.
                let phase = (row + 1) as f64 * 0.618_033_988_749_894_9 * (index + 1) as f64;
                if index < rows {
                    (phase.fract() - 0.5) / size
                } else {
                    0.0
                }
            })
        };
        Ok(Self {
            arch: Arch::new(),
            kkt: KktSolver::new(mass, jacobian, jacobian, &layout.blocks)?,
            mass: vec![0.0; mass.nnz()],
            jacobian: entries(),
            followed: [entries(), entries()],
            length: of_rows(),
            scale: of_rows(),
            inverse_length: of_rows(),
            diagonal: vec![1.0; dimension],
            on_diagonal: (0..dimension).map(|i| mass.position(i, i)).collect(),
            count: rows.min(COUNT),
            values: [f64::INFINITY; COUNT],
            left: numbers(),
            right: vec![[0.0; COUNT]; dimension],
            next: numbers(),
            fresh: (0..rows).map(fresh).collect(),
            kept: of_rows(),
            started: false,
            dependent: false,
            velocities: vec![[0.0; COUNT]; dimension],
            target: of_rows(),
            velocity: vec![0.0; dimension],
            multiplier: of_rows(),
        })
    }

    /// How many are watched.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether there are no others.
    pub fn are_all(&self) -> bool {
        self.count == self.scale.len()
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
        self.find(system.layout());
        Ok(())
    }

    /// The same at the start of the step followed last, where the constraint Jacobian is known.
    pub fn look_at_start(
        &mut self,
        system: &mut Evaluator,
        start: &Point,
    ) -> Result<(), DynamicsError> {
        system.mass_matrix(start, &mut self.mass)?;
        self.jacobian.copy_from_slice(&self.followed[0]);
        self.find(system.layout());
        Ok(())
    }

    /// Values and vectors of the masses and rows that have been evaluated.
    fn find(&mut self, layout: &Layout) {
        // Massless directions keep the mass 1 of the start.
        for (mass, place) in self.diagonal.iter_mut().zip(&self.on_diagonal) {
            let own = place.map_or(0.0, |place| self.mass[place]);
            if own > 0.0 {
                *mass = own;
            }
        }
        let inverse = |length: f64| if length > 0.0 { 1.0 / length } else { 0.0 };
        let rows = layout.jacobian.rows_of(&self.jacobian);
        let lengths = (self.scale.iter_mut().zip(&mut self.length)).zip(&mut self.inverse_length);
        for ((columns, entries), ((scale, length), inverse_length)) in rows.zip(lengths) {
            let (mut by_mass, mut square) = (0.0, 0.0);
            for (&column, entry) in columns.iter().zip(entries) {
                by_mass += entry * entry / self.diagonal[column];
                square += entry * entry;
            }
            // In the metric of diag(M)⁻¹ rows of any unit weigh the same.
            let root = by_mass.sqrt();
            *scale = inverse(root);
            *length = if *scale > 0.0 { root } else { 0.0 };
            *inverse_length = inverse(square.sqrt());
        }
        self.dependent = self.iterate().is_err();
        if self.dependent {
            self.values[0] = 0.0;
        }
    }

    fn iterate(&mut self) -> Result<(), KktError> {
        let factored = self.kkt.factor(&self.mass, &self.jacobian, &self.jacobian);
        // Vectors of before, and a little of all rows: a vector orthogonal to the one sought stays so.
        let rows = self.left.iter_mut().zip(&self.fresh).zip(&self.scale);
        for ((left, fresh), &scale) in rows {
            // Selected, not multiplied: what is not a number is forgotten, too.
            *left = match (scale > 0.0, self.started) {
                (false, _) => [0.0; COUNT],
                (true, false) => *fresh,
                (true, true) => std::array::from_fn(|lane| left[lane] + FRESH * fresh[lane]),
            };
            left[self.count..].fill(0.0);
        }
        factored?;
        // What they span matters, not what they are: they are made orthonormal behind the first step.
        let rounds = if self.started {
            ITERATIONS
        } else {
            FIRST_ITERATIONS
        };
        for round in 1..=rounds {
            self.invert(round == rounds)?;
            if round < rounds {
                orthonormalize(self.arch, &mut self.next, self.count);
                std::mem::swap(&mut self.left, &mut self.next);
            }
        }
        self.take_values();
        self.started = true;
        Ok(())
    }

    /// A step of inverse iteration: the next left vectors, and in the last one velocities that belong to those before.
    fn invert(&mut self, is_last: bool) -> Result<(), KktError> {
        // M x = Gᵀ y, G x = S⁻¹ l: y = (G M⁻¹ Gᵀ)⁻¹ S⁻¹ l. S⁻¹ y closes the inverse of S G M⁻¹ Gᵀ S.
        let given = (&self.left[..], &self.length[..]);
        let x = is_last.then_some(&mut self.velocities[..]);
        if !(self.kkt).solve_four_constraints(given, x, &mut self.next) {
            for index in 0..self.count {
                self.solve_one(index)?;
            }
        }
        Ok(())
    }

    /// The same for one vector.
    fn solve_one(&mut self, index: usize) -> Result<(), KktError> {
        let rows = self.left.iter().zip(&self.length);
        for (target, (left, length)) in self.target.iter_mut().zip(rows) {
            *target = left[index] * length;
        }
        let (x, y) = (&mut self.velocity, &mut self.multiplier);
        self.kkt.solve_constraints_again(&self.target, x, y)?;
        for (all, one) in self.velocities.iter_mut().zip(x) {
            all[index] = *one;
        }
        let rows = y.iter().zip(&self.length);
        for (next, (y, length)) in self.next.iter_mut().zip(rows) {
            next[index] = y * length;
        }
        Ok(())
    }

    /// Singular values and right vectors from the last step of inverse iteration.
    fn take_values(&mut self) {
        // Rayleigh's quotient of the inverse is 1/σ².
        let mut quotients = [0.0; COUNT];
        for (left, next) in self.left.iter().zip(&self.next) {
            for (quotient, (left, next)) in quotients.iter_mut().zip(left.iter().zip(next)) {
                *quotient += left * next;
            }
        }
        // σ times the solution is the right singular vector, a velocity.
        let mut factors = [0.0; COUNT];
        for (index, factor) in factors.iter_mut().enumerate().take(self.count) {
            *factor = 1.0 / quotients[index].sqrt();
            self.values[index] = *factor;
        }
        for (right, x) in self.right.iter_mut().zip(&self.velocities) {
            for (right, (x, factor)) in right.iter_mut().zip(x.iter().zip(factors)) {
                *right = factor * x;
            }
        }
    }

    /// Remembers the left vector of a singular value.
    pub fn keep(&mut self, index: usize) {
        for (kept, left) in self.kept.iter_mut().zip(&self.left) {
            *kept = left[index];
        }
    }

    /// The singular value whose left vector is nearest to the one remembered.
    pub fn kept(&self) -> usize {
        // Vectors have no sign of their own.
        let product = |index: usize| -> f64 {
            let pairs = self.left.iter().zip(&self.kept);
            pairs
                .map(|(left, kept)| left[index] * kept)
                .sum::<f64>()
                .abs()
        };
        let products = (0..self.count).map(|index| (index, product(index)));
        let nearest = products.max_by(|a, b| a.1.total_cmp(&b.1));
        nearest.map_or(0, |(index, _)| index)
    }

    /// The value found last.
    pub fn value(&self, index: usize) -> f64 {
        self.values[index]
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
        // Σ l_i s_i G_i: the combination of rows that is going to vanish.
        for (row, (left, scale)) in self.left.iter().zip(&self.scale).enumerate() {
            let weight = left[index] * scale;
            let entries = &self.jacobian[pattern.row_range(row)];
            let mut square = 0.0;
            for (&column, entry) in pattern.row(row).iter().zip(entries) {
                let term = weight * entry;
                sum[column] += term;
                square += term * term;
            }
            longest = longest.max(square.sqrt());
        }
        let square: f64 = sum.iter().map(|sum| sum * sum).sum();
        square.sqrt() / longest
    }

    /// Follows the singular values to another configuration near the one looked at, to first order with the vectors found
    /// there. Each has its sign: it passes zero where the rank drops.
    pub fn follow(
        &mut self,
        system: &mut Evaluator,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), DynamicsError> {
        let [there, _] = &mut self.followed;
        system.constraint_jacobian(at, there)?;
        let [there, _] = &self.followed;
        write(self.at(system.layout(), [there]).values, [out]);
        Ok(())
    }

    /// Evaluates the constraint Jacobian at the start and the end of a step. How far a row has turned at most from the configuration
    /// looked at to the start, relative to its length.
    pub fn load_step(
        &mut self,
        system: &mut Evaluator,
        ends: [&Point; 2],
    ) -> Result<f64, DynamicsError> {
        for (at, entries) in ends.into_iter().zip(&mut self.followed) {
            system.constraint_jacobian(at, entries)?;
        }
        let pattern = &system.layout().jacobian;
        let rows = (pattern.rows_of(&self.jacobian)).zip(&self.inverse_length);
        let (mut rest, mut largest) = (&self.followed[0][..], 0.0_f64);
        for ((_, here), inverse_length) in rows {
            let (there, others) = rest.split_at(here.len());
            let changes = there.iter().zip(here);
            let square: f64 = changes.map(|(there, here)| (there - here).powi(2)).sum();
            largest = largest.max(inverse_length * (inverse_length * square));
            rest = others;
        }
        Ok(largest.sqrt())
    }

    /// The values at the start and the end of the step that was loaded, as [`follow`](Self::follow) finds them; how far a row turns at most
    /// in the step.
    pub fn follow_step(&self, system: &Evaluator, out: [&mut [f64]; 2]) -> f64 {
        let ends = self.followed.each_ref().map(Vec::as_slice);
        let found = self.at(system.layout(), ends);
        write(found.values, out);
        found.between
    }

    /// What becomes of the values where the constraint Jacobian has these entries.
    fn at<const N: usize>(&self, layout: &Layout, there: [&[f64]; N]) -> Followed<N> {
        let looked = Looked {
            pattern: &layout.jacobian,
            jacobian: &self.jacobian,
            values: self.values,
            left: &self.left,
            right: &self.right,
            scale: &self.scale,
            inverse_length: &self.inverse_length,
        };
        self.arch.dispatch(Follow { looked, there })
    }

    /// The rows that come to depend on each other where a singular value vanishes, increasing.
    pub fn rows(&self, index: usize) -> Vec<usize> {
        let entries = || self.left.iter().map(|left| left[index].abs());
        let largest = entries().fold(0.0, f64::max);
        let matters = entries().map(|entry| entry > MATTERS * largest);
        let rows = matters.enumerate().filter(|(_, matters)| *matters);
        rows.map(|(row, _)| row).collect()
    }
}

fn orthonormalize(arch: Arch, vectors: &mut [Each], count: usize) {
    arch.dispatch(Orthonormalize { vectors, count });
}

/// As many of the values as are watched.
fn write<const N: usize>(values: [Each; N], out: [&mut [f64]; N]) {
    for (out, values) in out.into_iter().zip(values) {
        for (slot, value) in out.iter_mut().zip(values) {
            *slot = value;
        }
    }
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
        let mut start = values;
        let ends = [state(0.1), state(-0.1)];
        let ends = ends.each_ref().map(State::point);
        let since_look = found
            .load_step(&mut evaluator, ends.each_ref())
            .expect("finite");
        let in_step = found.follow_step(&evaluator, [&mut start, &mut values]);
        assert_eq!(start[0], found.value(0));
        approx::assert_relative_eq!(values[0], -found.value(0), max_relative = 2e-2);
        assert_eq!(since_look, 0.0);
        approx::assert_relative_eq!(in_step, 0.2, max_relative = 1e-2);
        found
            .follow(&mut evaluator, &state(0.0).point(), &mut values)
            .expect("finite");
        assert!(values[0].abs() < 1e-3, "{}", values[0]);
    }
}
