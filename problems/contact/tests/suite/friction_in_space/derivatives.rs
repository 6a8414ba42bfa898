//! Derivatives of friction in space against differences.

use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::system::{
    EventHandling, Layout, MatrixMut, Model, Point, RatesJacobian, State, System,
};
use liedae_contact::{Contact, ContactModel, NonsmoothOptions, NonsmoothSystem, with_contacts};

/// A point on a paraboloid, with tangents that turn with its place.
struct Bowl;

impl Model for Bowl {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(3))
    }
    fn initial_state(&self) -> State {
        let (x, y) = (0.4, -0.3);
        let (vx, vy) = (0.7, 0.5);
        State {
            q: vec![x, y, 0.5 * (x * x + y * y)],
            v: vec![vx, vy, x * vx + y * vy],
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        for index in 0..3 {
            mass[(index, index)] = S::constant(2.0);
        }
    }
    fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) {
        force[2] = S::constant(-19.62);
    }
    fn needs_layer(&self) -> bool {
        true
    }
}

impl ContactModel for Bowl {
    fn contacts(&self) -> Vec<Contact> {
        vec![Contact::new("bowl", 0.0).with_spatial_friction(0.3)]
    }
    fn gap<S: Scalar>(&self, _contact: usize, at: &Point<S>) -> S {
        let half = S::constant(0.5);
        at.q[2] - half * (at.q[0] * at.q[0] + at.q[1] * at.q[1])
    }
    fn sliding_velocity<S: Scalar>(&self, _contact: usize, at: &Point<S>, sliding: &mut [S]) {
        // Along the meridian and along the parallel.
        let (x, y) = (at.q[0], at.q[1]);
        let radius = (x * x + y * y).sqrt();
        let (c, s) = (x / radius, y / radius);
        let out = c * at.v[0] + s * at.v[1];
        let length = (S::constant(1.0) + radius * radius).sqrt();
        sliding[0] = (out + radius * at.v[2]) / length;
        sliding[1] = c * at.v[1] - s * at.v[0];
    }
}

#[test]
fn friction_that_turns_has_exact_derivatives() {
    let mut system =
        NonsmoothSystem::new(with_contacts(Bowl), NonsmoothOptions::default()).expect("admissible");
    let mut state = system.initial_state();
    let handling = EventHandling::Located { tolerance: 1e-12 };
    system.prepare(&mut state, handling).expect("admissible");
    assert_eq!(state.z.len(), 1, "it slides");
    state.z[0] = 21.0;
    let count = system.layout().rate_count();
    let mut jacobian = RatesJacobian::new(system.layout());
    system
        .rates_jacobian(&state.point(), &mut jacobian)
        .expect("finite");
    let pattern = system.layout().rates.clone();
    let mut largest = 0.0_f64;
    for column in 0..3 {
        for by_velocity in [false, true] {
            let step = 1e-6;
            let mut sides = [vec![0.0; count], vec![0.0; count]];
            for (side, sign) in sides.iter_mut().zip([step, -step]) {
                let mut moved = state.clone();
                let list = if by_velocity {
                    &mut moved.v
                } else {
                    &mut moved.q
                };
                list[column] += sign;
                system.rates(&moved.point(), side).expect("finite");
            }
            let values = if by_velocity {
                &jacobian.by_velocity
            } else {
                &jacobian.by_position
            };
            for (row, (ahead, behind)) in sides[0].iter().zip(&sides[1]).enumerate().take(3) {
                let difference = (ahead - behind) / (2.0 * step);
                let stated = pattern
                    .position(row, column)
                    .map_or(0.0, |place| values[place]);
                largest = largest.max(stated.abs());
                assert!(
                    (difference - stated).abs() < 1e-7,
                    "{row} {column} {by_velocity}: {stated} {difference}"
                );
            }
        }
    }
    assert!(largest > 1.0, "{largest}");
}
