//! Reactions are Gᵀ λ, and what they do to the two bodies balances.

use super::super::*;
use super::{Random, everything, load_multipliers};
use liedae::system::System;
use nalgebra::Vector3;

#[test]
fn reactions_of_all_joints_add_up_to_the_generalized_forces() {
    for seed in 1..4 {
        let mut system = everything(seed);
        let mut state = system.initial_state();
        load_multipliers(&mut state, &mut Random::new(seed + 50));
        let pattern = system.layout.jacobian.clone();
        let mut values = vec![0.0; pattern.nnz()];
        system
            .constraint_jacobian(&state.point(), &mut values)
            .expect("finite");
        let mut expected = [0.0; 12];
        pattern.multiply_transpose_add(&values, 1.0, &state.lambda, &mut expected);
        let now = Snapshot::new(&system, &state);
        let mut found = [0.0; 12];
        for index in 0..system.joint_order.len() {
            let joint = JointId(index);
            let connection = system.connection(joint).expect("exists");
            let sides = [now.counter_reaction(joint), now.reaction(joint)];
            for (reaction, body) in sides.into_iter().zip(connection.bodies) {
                let (Some(reaction), Some(body)) = (reaction, body) else {
                    continue;
                };
                let bodily = reaction.about(&now.position(BodyId(Some(body))));
                let torque = now.rotation(BodyId(Some(body))).tr_mul(&bodily.torque);
                for axis in 0..3 {
                    found[6 * body + axis] += bodily.force[axis];
                    found[6 * body + 3 + axis] += torque[axis];
                }
            }
        }
        assert!(
            super::difference(&found, &expected) < 1e-11,
            "{found:?} {expected:?}"
        );
    }
}

#[test]
fn action_equals_reaction() {
    // A coordinate row is held by the world, whose directions it uses: only its forces balance between the bodies.
    let system = everything(2);
    let mut state = liedae::system::System::initial_state(&system);
    load_multipliers(&mut state, &mut Random::new(9));
    let now = Snapshot::new(&system, &state);
    for index in 0..system.joint_order.len() {
        let joint = JointId(index);
        let (two, one) = (
            now.reaction(joint).expect("exists"),
            now.counter_reaction(joint).expect("exists"),
        );
        assert!((two.force + one.force).norm() < 1e-12);
        let kind = &system.connection(joint).expect("exists").kind;
        let by_coordinates = matches!(
            kind,
            JointKind::Coordinate(..)
                | JointKind::Fixed
                | JointKind::Spherical
                | JointKind::Revolute
                | JointKind::Universal
        );
        if !by_coordinates {
            let sum = one.about(&two.point).torque + two.torque;
            assert!(sum.norm() < 1e-11, "{}: {sum}", kind.name());
        }
    }
}

#[test]
fn frames_express_the_same_vector() {
    let system = everything(4);
    let mut state = liedae::system::System::initial_state(&system);
    load_multipliers(&mut state, &mut Random::new(8));
    let reaction = Snapshot::new(&system, &state)
        .reaction(JointId(2))
        .expect("exists");
    let (force, torque) = reaction.in_first_frame();
    assert!((reaction.first_axes * force - reaction.force).norm() < 1e-12);
    assert!((reaction.first_axes * torque - reaction.torque).norm() < 1e-12);
    let (force, _) = reaction.in_second_frame();
    assert!((reaction.second_axes * force - reaction.force).norm() < 1e-12);
}

#[test]
fn a_driven_angle_is_torqued_by_its_multiplier_and_foreign_joints_answer_nothing() {
    let mut mechanism = MultibodyBuilder::new();
    let axis = Vector3::new(1.0, 2.0, 2.0) / 3.0;
    let arm =
        mechanism.add_body(RigidBody::new("arm", 1.0, [1.0; 3]).moving([0.0; 3], axis * -7.0));
    let pivot = mechanism.add_joint(Joint::revolute(
        "pivot",
        BodyId::GROUND,
        arm,
        [0.0; 3],
        axis,
    ));
    let drive = mechanism.add_drive("motor", pivot, Drive::Angle(Motion::linear(0.0, -7.0)));
    let system = mechanism.build().expect("consistent");
    let mut state = system.initial_state();
    let row = system.joint_rows(drive).expect("exists").start;
    state.lambda[row] = 2.5;
    let now = Snapshot::new(&system, &state);
    let reaction = now.reaction(drive).expect("exists");
    assert!((reaction.torque - axis * 2.5).norm() < 1e-14 && reaction.force.norm() == 0.0);
    assert_eq!(now.effort(drive), 2.5);
    assert!(now.reaction(JointId(77)).is_none() && now.effort(JointId(77)).is_nan());
    assert!(now.position(BodyId(Some(5))).x.is_nan());
}
