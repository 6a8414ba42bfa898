//! Nested duals against differences.

use super::*;
use crate::manifold::{Factor, Manifold};
use crate::system::automatic::differences;
use crate::system::{
    Automatic, State, System, acceleration_constraint_jacobian, geometric_stiffness,
    velocity_constraint_jacobian,
};

/// Nothing physical: every term that has a derivative.
struct Entangled(Manifold);

impl Model for Entangled {
    fn layout(&self) -> Layout {
        Layout::dense(self.0.clone())
            .with_position_rows(2)
            .with_velocity_rows(2)
    }
    fn initial_state(&self) -> State {
        let mut state = self.layout().state();
        let n = state.v.len();
        let displacement: Vec<f64> = (0..n).map(|i| 0.3 - 0.11 * i as f64).collect();
        let start = state.q.clone();
        self.0.retract(&start, &displacement, &mut state.q);
        state.t = 0.4;
        for index in 0..n {
            state.v[index] = 0.7 - 0.3 * index as f64;
            state.acceleration[index] = 0.2 * index as f64 - 1.0;
        }
        state.lambda = vec![1.5, -0.8, 0.4, 2.1];
        state
    }
    fn mass_matrix<S: Scalar>(&self, at: &Point<S>, mass: &mut MatrixMut<S>) {
        for i in 0..self.0.dimension() {
            for j in 0..self.0.dimension() {
                let k = (i + j) % at.q.len();
                mass[(i, j)] = at.q[k] * at.q[(k + 1) % at.q.len()] + at.t;
            }
        }
    }
    fn force<S: Scalar>(&self, _at: &Point<S>, _force: &mut [S]) {}
    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        let last = at.q.len() - 1;
        g[0] = (at.q[0] * at.q[last]).sin() + at.t * at.q[1] * at.q[1];
        g[1] = at.q.iter().copied().map(|q| q * q * q).sum();
    }
    fn velocity_constraint<S: Scalar>(&self, at: &Point<S>, b: &mut [S]) {
        let last = at.v.len() - 1;
        b[0] = at.q[0] * at.v[0] + at.q[2].sin() * at.v[last] * at.t;
        b[1] = at.q[1] * at.q[0] * at.v[1] - at.v[2];
    }
}

/// Bodies in a row, each on a group, of which neighbours are tied: rows see few columns.
struct Row;

impl Model for Row {
    fn layout(&self) -> Layout {
        let space = Manifold::new([
            Factor::Euclidean(6),
            Factor::Rotation,
            Factor::Euclidean(9),
            Factor::Rotation,
        ]);
        // The third column of a rotation does not turn about the third axis: the second and the last tie see two of three.
        let columns: [&[usize]; 5] = [
            &[0, 1, 2],
            &[4, 5, 6, 7],
            &[6, 7, 8, 9, 10],
            &[12, 13],
            &[17, 18, 19],
        ];
        let entries = columns
            .iter()
            .enumerate()
            .flat_map(|(row, columns)| columns.iter().map(move |&column| (row, column)));
        Layout {
            jacobian: Pattern::from_entries(5, 21, entries).expect("inside"),
            ..Layout::dense(space).with_position_rows(5)
        }
    }
    fn initial_state(&self) -> State {
        let mut state = self.layout().state();
        let displacement: Vec<f64> = (0..21).map(|i| 0.3 - 0.041 * f64::from(i)).collect();
        let start = state.q.clone();
        self.layout()
            .space
            .retract(&start, &displacement, &mut state.q);
        for (index, (v, a)) in state.v.iter_mut().zip(&mut state.acceleration).enumerate() {
            (*v, *a) = (0.7 - 0.1 * index as f64, 0.2 * index as f64 - 1.0);
        }
        state.lambda = vec![1.5, -0.8, 0.4, 2.1, -1.1];
        state
    }
    fn mass_matrix<S: Scalar>(&self, at: &Point<S>, mass: &mut MatrixMut<S>) {
        mass[(3, 7)] = at.q[20] * at.q[4];
        mass[(20, 20)] = at.q[3] + 1.0;
    }
    fn force<S: Scalar>(&self, _at: &Point<S>, _force: &mut [S]) {}
    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        let q = at.q;
        g[0] = q[0] * q[1].sin() + q[2] * q[2];
        g[1] = q[4] * q[5] + q[8].sin();
        g[2] = q[6] * q[15] + q[7] * q[16] * q[8];
        g[3] = q[18] * q[19] * q[19];
        g[4] = q[23] * q[26];
    }
}

fn assert_close(found: &[f64], expected: &[f64], what: &str) {
    for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
        let error = (found - expected).abs();
        assert!(
            error < 1e-8 * (1.0 + expected.abs()),
            "{what} {index}: {found} {expected}"
        );
    }
    assert!(expected.iter().any(|value| value.abs() > 0.1), "{what}");
}

#[test]
fn derivatives_of_sparse_rows_agree_with_differences() {
    let mut system = Automatic::new(Row);
    let state = system.initial_state();
    let (at, a) = (state.point(), &state.acceleration);
    let layout = system.layout().clone();
    let count = layout.stiffness_pattern().expect("fits").nnz();
    let (mut found, mut expected) = (vec![f64::NAN; count], vec![f64::NAN; count]);
    geometric_stiffness(&mut system, &at, a, &mut found).expect("finite");
    differences::geometric_stiffness(&mut system, &at, a, &mut expected).expect("finite");
    assert_close(&found, &expected, "stiffness");

    let entries = || vec![f64::NAN; layout.jacobian.nnz()];
    let (mut found, mut expected) = (entries(), entries());
    velocity_constraint_jacobian(&mut system, &at, &mut found).expect("finite");
    differences::velocity_constraint_jacobian(&mut system, &at, &mut expected).expect("finite");
    assert_close(&found, &expected, "velocity level");

    let (mut found_v, mut expected_v) = (entries(), entries());
    acceleration_constraint_jacobian(&mut system, &at, a, &mut found, &mut found_v)
        .expect("finite");
    differences::acceleration_constraint_jacobian(
        &mut system,
        &at,
        a,
        &mut expected,
        &mut expected_v,
    )
    .expect("finite");
    assert_close(&found, &expected, "acceleration level by q");
    assert_close(&found_v, &expected_v, "acceleration level by v");
}

#[test]
fn exact_derivatives_agree_with_differences() {
    let mixed = [Factor::Euclidean(2), Factor::Rotation, Factor::RigidMotion];
    let quaternion = [Factor::UnitQuaternion, Factor::Euclidean(1)];
    let spaces = [
        Manifold::euclidean(8),
        Manifold::new(mixed),
        Manifold::new(quaternion),
    ];
    for space in spaces {
        let mut system = Automatic::new(Entangled(space));
        let state = system.initial_state();
        let (at, a) = (state.point(), &state.acceleration);
        let n = state.v.len();

        let (mut found, mut expected) = (vec![f64::NAN; n * n], vec![f64::NAN; n * n]);
        geometric_stiffness(&mut system, &at, a, &mut found).expect("finite");
        differences::geometric_stiffness(&mut system, &at, a, &mut expected).expect("finite");
        assert_close(&found, &expected, "stiffness");

        let (mut found, mut expected) = (vec![f64::NAN; 4 * n], vec![f64::NAN; 4 * n]);
        velocity_constraint_jacobian(&mut system, &at, &mut found).expect("finite");
        differences::velocity_constraint_jacobian(&mut system, &at, &mut expected).expect("finite");
        assert_close(&found, &expected, "velocity level");

        let mut by_velocity = [vec![f64::NAN; 4 * n], vec![f64::NAN; 4 * n]];
        let [found_v, expected_v] = &mut by_velocity;
        acceleration_constraint_jacobian(&mut system, &at, a, &mut found, found_v).expect("finite");
        differences::acceleration_constraint_jacobian(
            &mut system,
            &at,
            a,
            &mut expected,
            expected_v,
        )
        .expect("finite");
        assert_close(&found, &expected, "acceleration level by q");
        assert_close(found_v, expected_v, "acceleration level by v");
    }
}
