//! The Newton matrix against differences of the residual, in independent coordinates.

use super::law::{Displacement, Law};
use super::stage::ImplicitStage;
use crate::manifold::{Factor, Manifold};
use crate::scalar::Scalar;
use crate::system::{
    Automatic, Evaluator, Layout, MatrixMut, Model, Parametrization, Point, State,
};

/// A spherical pendulum, its length a function of time, with a spring-damper between its coordinates and a friction that
/// depends on the configuration; also on R³ × SO(3), where a body is fixed to it by one row.
struct Spring {
    with_rotation: bool,
    with_velocity_row: bool,
}

impl Model for Spring {
    fn layout(&self) -> Layout {
        let mut factors = vec![Factor::Euclidean(3)];
        if self.with_rotation {
            factors.push(Factor::Rotation);
        }
        let space = Manifold::new(factors);
        let position_rows = 1 + usize::from(self.with_rotation);
        Layout::dense(space)
            .with_position_rows(position_rows)
            .with_velocity_rows(usize::from(self.with_velocity_row))
            .with_differential_states(1)
    }
    fn initial_state(&self) -> State {
        self.layout().state()
    }
    fn mass_matrix<S: Scalar>(&self, at: &Point<S>, mass: &mut MatrixMut<S>) {
        for i in 0..3 {
            mass[(i, i)] = S::constant(1.0 + i as f64) + at.q[i] * at.q[i];
        }
        if self.with_rotation {
            for i in 3..6 {
                mass[(i, i)] = S::constant(i as f64);
            }
        }
    }
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        force[0] = at.q[1] * S::constant(-7.0) - at.v[0] * at.q[2];
        force[1] = at.v[1] * at.v[2] * S::constant(-0.5) + at.x[0];
        force[2] = S::constant(-9.81) - at.v[2];
        if self.with_rotation {
            force[3] = at.v[4] * at.v[5];
            force[4] = at.q[5] * S::constant(3.0) - at.v[0];
            force[5] = at.q[3] * at.q[0];
        }
    }
    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        let square = at.q[0] * at.q[0] + at.q[1] * at.q[1] + at.q[2] * at.q[2];
        g[0] = square - S::constant(1.0) - at.t.sin() * S::constant(0.3);
        if self.with_rotation {
            // The body's x axis is at a right angle to z up to a motion of the centre.
            g[1] = at.q[9] + at.q[2] * at.q[4];
        }
    }
    fn velocity_constraint<S: Scalar>(&self, at: &Point<S>, b: &mut [S]) {
        if self.with_velocity_row {
            b[0] = at.v[0] * at.q[1] - at.v[1] * at.q[2] + S::constant(0.1) * at.t;
        }
    }
    fn differential_rate<S: Scalar>(&self, at: &Point<S>, d: &mut [S]) {
        d[0] = at.q[0] * at.v[1] - at.x[0] * at.x[0];
    }
}

/// The largest difference between the Newton matrix and differences of the residual of all unknowns, relative to its
/// largest entry.
fn defect(model: Spring, law: Law, parametrization: Parametrization, exact: bool) -> f64 {
    let mut system = Automatic::new(model);
    let mut state = crate::system::System::initial_state(&system);
    let n = state.v.len();
    state.q[..3].copy_from_slice(&[0.6, -0.5, 0.4]);
    for (index, v) in state.v.iter_mut().enumerate() {
        *v = 0.7 - 0.4 * index as f64;
    }
    state.x[0] = 0.8;
    let mut evaluator = Evaluator::new(&mut system);
    crate::system::project_initial_state(&mut evaluator, &mut state).unwrap();
    let mut stage = ImplicitStage::new(&evaluator, &state, "test", parametrization, exact).unwrap();
    stage.begin(&mut evaluator, &state, "test").unwrap();
    stage.here.t = law.h;
    for index in 0..n {
        stage.known[0][index] = law.h * state.v[index];
        stage.here.acceleration[index] = 1.0 - 0.6 * index as f64;
    }
    stage.known[1].copy_from_slice(&state.v);
    stage.known[2].copy_from_slice(&state.x);
    stage.x_rate[0] = 0.3;
    let matrix = stage.matrix_at(&mut evaluator, law);
    let unknowns = matrix.len().isqrt();
    let scale = matrix.iter().fold(0.0_f64, |max, v| max.max(v.abs()));
    let mut worst = 0.0_f64;
    for column in 0..unknowns {
        let step = 1e-6;
        let ahead = stage.residual_after(&mut evaluator, law, column, step);
        let behind = stage.residual_after(&mut evaluator, law, column, -step);
        for row in 0..unknowns {
            let slope = (ahead[row] - behind[row]) / (2.0 * step);
            worst = worst.max((slope - matrix[row * unknowns + column]).abs() / scale);
        }
    }
    worst
}

fn laws() -> [Law; 2] {
    let h = 0.3;
    [
        Law {
            slope: 0.5 * h,
            displacement: Displacement::ByAcceleration(0.25 * h * h),
            h,
        },
        Law {
            slope: 0.25 * h,
            displacement: Displacement::ByVelocity(0.25 * h),
            h,
        },
    ]
}

#[test]
fn the_newton_matrix_is_the_derivative_of_the_residual() {
    for parametrization in [
        Parametrization::CoordinatePartitioning,
        Parametrization::TangentPlane,
        Parametrization::NullSpace,
    ] {
        for (with_rotation, with_velocity_row) in
            [(false, false), (true, false), (false, true), (true, true)]
        {
            for law in laws() {
                let model = Spring {
                    with_rotation,
                    with_velocity_row,
                };
                let found = defect(model, law, parametrization, true);
                println!(
                    "{parametrization:?} {with_rotation} {with_velocity_row} {law:?}: {found:e}"
                );
                assert!(found < 1e-7, "{found:e}");
            }
        }
    }
}

#[test]
fn the_matrix_of_fisette_and_vaneghem_leaves_something_out() {
    for law in laws() {
        let model = Spring {
            with_rotation: false,
            with_velocity_row: false,
        };
        let found = defect(model, law, Parametrization::CoordinatePartitioning, false);
        assert!(found > 1e-3, "{found:e}");
    }
}
