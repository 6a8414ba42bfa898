//! Derivatives of the friction of joints against central differences.

use super::runs::{G, Wrapped, body, rubbing, wrap};
use crate::common::build;
use liedae::system::{
    EventHandling, Point, RatesJacobian, State, System, velocity_constraint_jacobian,
};
use liedae_contact::JointStatus;
use liedae_multibody::plane::{PlaneFriction, PlaneJoint, PlaneMechanism};

const STEP: f64 = 1e-6;

/// A bead on a rod that turns, at rest on it or sliding along.
fn bead(friction: PlaneFriction, mu: f64, slip: f64) -> Wrapped {
    let (angle, rate, place) = (0.4_f64, 0.7, 0.5);
    let (sin, cos) = angle.sin_cos();
    let velocity = [
        slip * cos - rate * place * sin,
        slip * sin + rate * place * cos,
        rate,
    ];
    let bodies = vec![
        // So heavy that it does not give way under the bead.
        body("rod", 400.0, [0.0, 0.0, angle], [0.0, 0.0, rate]),
        body("bead", 1.0, [place * cos, place * sin, angle], velocity),
    ];
    let joints = [
        PlaneJoint::Revolute((Some(0), [0.0; 2]), (None, [0.0; 2])),
        PlaneJoint::PointOnLine((Some(1), [0.0; 2]), (Some(0), [0.0; 2]), [1.0, 0.0]),
        PlaneJoint::Angle(Some(1), Some(0), 0.0),
    ];
    let mechanism = PlaneMechanism::new(bodies, [0.0, -G])
        .unwrap()
        .with_joints(joints)
        .unwrap();
    wrap(rubbing(mechanism, mu, friction)).unwrap()
}

/// The state after the decision, with some multipliers and normal forces.
fn prepared(system: &mut dyn System) -> State {
    let mut state = system.initial_state();
    let handling = EventHandling::Located { tolerance: 1e-12 };
    system.prepare(&mut state, handling).unwrap();
    for (index, lambda) in state.lambda.iter_mut().enumerate() {
        *lambda = 3.0 - 1.7 * index as f64;
    }
    for z in &mut state.z {
        *z = 4.2;
    }
    state
}

fn rates(system: &mut dyn System, at: &Point) -> Vec<f64> {
    let mut out = vec![f64::NAN; system.layout().rate_count()];
    system.rates(at, &mut out).unwrap();
    out
}

/// Moves one part of a state; the configuration along its manifold.
fn moved(system: &dyn System, state: &State, part: usize, index: usize, by: f64) -> State {
    let mut other = state.clone();
    match part {
        0 => {
            let mut displacement = vec![0.0; state.v.len()];
            displacement[index] = by;
            system
                .layout()
                .space
                .retract(&state.q, &displacement, &mut other.q);
        }
        1 => other.v[index] += by,
        2 => other.z[index] += by,
        _ => other.lambda[index] += by,
    }
    other
}

fn check_rates(system: &mut dyn System) {
    let state = prepared(system);
    let layout = system.layout().clone();
    let mut jacobian = RatesJacobian::new(&layout);
    system
        .rates_jacobian(&state.point(), &mut jacobian)
        .unwrap();
    let (dimension, rows) = (layout.dimension(), layout.rows());
    let before = dimension + layout.differential;
    let sizes = [dimension, dimension, layout.algebraic, rows];
    for (part, &size) in sizes.iter().enumerate() {
        for index in 0..size {
            let [up, down] = [STEP, -STEP].map(|by| {
                let other = moved(system, &state, part, index, by);
                rates(system, &other.point())
            });
            for row in 0..layout.rate_count() {
                let expected = (up[row] - down[row]) / (2.0 * STEP);
                let at = |values: &[f64], column: usize| {
                    let position = layout.rates.position(row, column);
                    position.map_or(0.0, |position| values[position])
                };
                let found = match part {
                    0 => at(&jacobian.by_position, index),
                    1 => at(&jacobian.by_velocity, index),
                    2 => at(&jacobian.by_position, before + index),
                    _ if row < before => 0.0,
                    _ => jacobian.by_multiplier[(row - before) * rows + index],
                };
                assert!(
                    (found - expected).abs() < 1e-6 * (1.0 + expected.abs()),
                    "part {part}, row {row}, column {index}: {found} {expected}"
                );
            }
        }
    }
}

/// Rows of sticking joints: rates, accelerations and their derivatives.
fn check_rows(system: &mut dyn System) {
    let state = prepared(system);
    let layout = system.layout().clone();
    let velocity = |system: &mut dyn System, at: &Point| {
        let mut out = vec![f64::NAN; layout.rows()];
        system.velocity_constraint(at, &mut out).unwrap();
        out
    };
    let mut jacobian = vec![f64::NAN; layout.jacobian.nnz()];
    system
        .constraint_jacobian(&state.point(), &mut jacobian)
        .unwrap();
    let mut by_position = jacobian.clone();
    velocity_constraint_jacobian(system, &state.point(), &mut by_position).unwrap();
    for (part, values) in [(0, &by_position), (1, &jacobian)] {
        for index in 0..layout.dimension() {
            let [up, down] = [STEP, -STEP].map(|by| {
                let other = moved(system, &state, part, index, by);
                velocity(system, &other.point())
            });
            for row in 0..layout.rows() {
                let expected = (up[row] - down[row]) / (2.0 * STEP);
                let position = layout.jacobian.position(row, index);
                let found = position.map_or(0.0, |position| values[position]);
                assert!(
                    (found - expected).abs() < 1e-6 * (1.0 + expected.abs()),
                    "part {part}, row {row}, column {index}: {found} {expected}"
                );
            }
        }
    }
    let mut bias = vec![f64::NAN; layout.rows()];
    system.acceleration_bias(&state.point(), &mut bias).unwrap();
    let [up, down] = [STEP, -STEP].map(|time| {
        let mut other = state.clone();
        let displacement: Vec<f64> = state.v.iter().map(|v| time * v).collect();
        layout.space.retract(&state.q, &displacement, &mut other.q);
        other.t += time;
        velocity(system, &other.point())
    });
    for row in 0..layout.rows() {
        let expected = (up[row] - down[row]) / (2.0 * STEP);
        assert!((bias[row] - expected).abs() < 1e-6 * (1.0 + expected.abs()));
    }
}

#[test]
fn friction_of_sliding_joints() {
    for slip in [0.3, -0.3] {
        let pads = PlaneFriction::TwoPads {
            line: 1,
            angle: 2,
            length: 0.2,
        };
        let pin = PlaneFriction::Pin {
            joint: 0,
            radius: 0.05,
        };
        for friction in [PlaneFriction::Guide(1), pads, pin] {
            let mut system = bead(friction, 0.2, slip);
            prepared(&mut system);
            assert!(system.joint_statuses()[0].sliding().is_some());
            check_rates(&mut system);
        }
    }
    for normal in ["normal=0", "normal=1"] {
        let mut problem = build("slider-crank", &["mu=0.2", normal, "motion=2"]);
        check_rates(problem.system.as_mut());
    }
}

#[test]
fn rows_of_sticking_joints() {
    let mut system = bead(PlaneFriction::Guide(1), 0.9, 0.0);
    prepared(&mut system);
    assert_eq!(system.joint_statuses(), [JointStatus::Sticking]);
    check_rows(&mut system);
}
