//! Names of rows and velocities, and momenta, beside what the equations say.

use super::{Random, joints};
use crate::*;
use liedae::analysis::{Entry, EntryKind, mobility};
use liedae::system::{Evaluator, Labels, Spatial, System};
use nalgebra::Vector3;

#[test]
fn rows_are_named_by_the_motion_that_they_forbid() {
    let mut mechanism = MultibodyBuilder::new();
    let base = mechanism.add_body(RigidBody::new("base", 1.0, [1.0; 3]).at([0.3, 0.0, 0.0]));
    let plate = mechanism.add_body(RigidBody::new("plate", 1.0, [1.0; 3]));
    mechanism.add_joint(Joint::fixed("weld", base, plate, [0.0; 3]));
    let mut system = mechanism.build().expect("a mechanism");
    let state = system.initial_state();
    let pattern = system.layout().jacobian.clone();
    let mut values = vec![0.0; pattern.nnz()];
    system
        .constraint_jacobian(&state.point(), &mut values)
        .expect("a Jacobian");
    // The joint sits in the plate's centre of mass: each of its six velocities moves one row most.
    for (component, what) in [
        "displacement along x",
        "displacement along y",
        "displacement along z",
        "rotation about the joint's x",
        "rotation about the joint's y",
        "rotation about the joint's z",
    ]
    .into_iter()
    .enumerate()
    {
        let column = 6 + component;
        let moved: Vec<usize> = pattern
            .iter()
            .filter(|&(_, of, position)| of == column && values[position] != 0.0)
            .map(|(row, ..)| row)
            .collect();
        assert_eq!(moved.len(), 1, "{what}: {moved:?}");
        let expected = format!("joint 'weld' (fixed): {what}");
        assert_eq!(Labels::row(&system, moved[0]), Some(expected));
        let name = system.velocity(column).expect("a name");
        assert!(name.starts_with("body 'plate': "), "{name}");
        assert!(name.ends_with(&what[what.len() - 1..]), "{name}");
    }
}

#[test]
fn every_row_of_every_joint_has_a_name_of_its_own() {
    let mut random = Random::new(7);
    let mut mechanism = MultibodyBuilder::new();
    let (one, two) = (random.body("one"), random.body("two"));
    let bodies = [mechanism.add_body(one), mechanism.add_body(two)];
    for joint in joints(&mut random, bodies[0], bodies[1]) {
        mechanism.add_joint(joint);
    }
    let system = mechanism.build_unchecked().expect("a mechanism");
    let rows = system.layout().rows();
    let mut names: Vec<String> = (0..rows)
        .map(|row| Labels::row(&system, row).expect("a name"))
        .collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), rows);
    assert_eq!(Labels::row(&system, rows), None);
    assert_eq!(system.velocity(12), None);
}

#[test]
fn redundant_rows_are_reported_by_name() {
    let mut mechanism = MultibodyBuilder::new();
    let door = mechanism.add_body(RigidBody::new("door", 20.0, [1.0; 3]).at([0.5, 0.0, 1.0]));
    let axis = [0.0, 0.0, 1.0];
    for (name, height) in [("lower hinge", 0.2), ("upper hinge", 1.8)] {
        let place = [0.0, 0.0, height];
        mechanism.add_joint(Joint::revolute(name, BodyId::GROUND, door, place, axis));
    }
    let mut system = mechanism.build().expect("a door");
    let state = system.initial_state();
    let found = mobility(&mut Evaluator::new(&mut system), &state).expect("ranks");
    assert_eq!((found.freedom, found.redundant.len()), (1, 5));
    for redundancy in &found.redundant {
        let name = redundancy.row.to_string();
        assert!(
            name.starts_with("joint 'upper hinge' (revolute): "),
            "{name}"
        );
        let from: Vec<String> = redundancy
            .follows_from
            .iter()
            .map(|(row, _)| row.to_string())
            .collect();
        assert!(
            from.iter()
                .all(|name| name.starts_with("joint 'lower hinge'")),
            "{from:?}"
        );
    }
    // Heights say nothing about each other's hinge but the one along the axis.
    let along = &found.redundant[2];
    assert_eq!(
        along.follows_from[0].0.to_string(),
        "joint 'lower hinge' (revolute): displacement along z (row 2)"
    );
    let entry = Entry::of(&mut Evaluator::new(&mut system), EntryKind::Velocity, 5);
    assert_eq!(
        entry.to_string(),
        "body 'door': rotation about its z (velocity 5)"
    );
}

/// Momentum is what the mass matrix gives to motions of the whole world.
#[test]
fn momenta_are_those_of_motions_of_all_bodies_together() {
    let mut random = Random::new(3);
    let mut mechanism = MultibodyBuilder::new();
    for name in ["one", "two", "three"] {
        let body = random.body(name);
        mechanism.add_body(body);
    }
    let mut system = mechanism.build().expect("free bodies");
    let state = system.initial_state();
    let pattern = system.layout().mass.clone();
    let (mut mass, mut momenta) = (vec![0.0; pattern.nnz()], vec![0.0; 18]);
    system
        .mass_matrix(&state.point(), &mut mass)
        .expect("a mass matrix");
    pattern.multiply(&mass, &state.v, &mut momenta);
    let found = system.momentum(&state.point());
    for axis in 0..3 {
        let unit = Vector3::from_fn(|row, _| f64::from(u8::from(row == axis)));
        let (mut linear, mut angular) = (0.0, 0.0);
        for (body, own) in momenta.chunks_exact(6).enumerate() {
            let q = &state.q[12 * body..];
            let position = Vector3::new(q[0], q[1], q[2]);
            let push = Vector3::new(own[0], own[1], own[2]);
            linear += unit.dot(&push);
            // Turned about the axis: r' = e × r, ω = Aᵀ e in the body, which is row `axis` of A.
            angular += unit.cross(&position).dot(&push);
            angular += (0..3)
                .map(|k| q[3 + 3 * axis + k] * own[3 + k])
                .sum::<f64>();
        }
        assert!((found.linear[axis] - linear).abs() < 1e-12 * (1.0 + linear.abs()));
        assert!((found.angular[axis] - angular).abs() < 1e-12 * (1.0 + angular.abs()));
    }
    assert_eq!(system.world_vectors(), [0, 6, 12]);
}
