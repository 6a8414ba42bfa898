//! Axes that must point the same way never end opposite to each other: rows that are cosines of axes do not see the difference.

use super::{GROUND, start};
use liedae::analysis::{AnalysisError, assemble};
use liedae::integrator::{Hem5, Projection};
use liedae::solve::{Options, Silent, solve_from};
use liedae::system::{Evaluator, State, System, project_initial_state};
use liedae_multibody::{
    AssemblyError, BodyId, Drive, Frame, Joint, JointKind, Motion, MultibodyBuilder,
    MultibodySystem, RigidBody, Snapshot,
};
use nalgebra::{Matrix3, Rotation3, Unit, Vector3};
use std::f64::consts::PI;

const KINDS: [JointKind; 4] = [
    JointKind::Fixed,
    JointKind::Revolute,
    JointKind::Cylindrical,
    JointKind::Translational,
];

/// Which axes of both frames each of them aligns.
fn aligned(kind: &JointKind) -> &'static [usize] {
    match kind {
        JointKind::Fixed | JointKind::Translational => &[0, 1, 2],
        _ => &[2],
    }
}

fn turned(axis: Vector3<f64>, angle: f64) -> Matrix3<f64> {
    Rotation3::from_axis_angle(&Unit::new_normalize(axis), angle).into_inner()
}

/// A body on a pivot about z, and one that is held to it by a joint of this kind and drawn at this turn from it.
fn drawn(kind: &JointKind, turn: Matrix3<f64>) -> (MultibodyBuilder, [BodyId; 2]) {
    let mut mechanism = MultibodyBuilder::new();
    let first =
        mechanism.add_body(RigidBody::new("first", 1.0, [0.1, 0.2, 0.25]).at([0.5, 0.0, 0.0]));
    let second = RigidBody::new("second", 1.0, [0.1, 0.2, 0.25]).at([1.0, 0.0, 0.0]);
    let second = mechanism.add_body(second.rotated(turn));
    let z = [0.0, 0.0, 1.0];
    let pivot = mechanism.add_joint(Joint::revolute("pivot", GROUND, first, [0.0; 3], z));
    let frames = [[0.5, 0.0, 0.0], [0.0; 3]].map(Frame::local_point);
    mechanism.add_joint(Joint::new("weld", kind.clone(), first, second, frames));
    mechanism.joint_position(pivot, 0.1);
    (mechanism, [first, second])
}

/// The least cosine between axes that the joint aligns.
fn least_cosine(
    system: &MultibodySystem,
    state: &State,
    kind: &JointKind,
    bodies: [BodyId; 2],
) -> f64 {
    let now = Snapshot::new(system, state);
    let [one, two] = bodies.map(|body| now.rotation(body));
    let cosines = aligned(kind)
        .iter()
        .map(|&axis| one.column(axis).dot(&two.column(axis)));
    cosines.fold(f64::INFINITY, f64::min)
}

fn axes() -> [Vector3<f64>; 5] {
    let [x, y, z] = [Vector3::x(), Vector3::y(), Vector3::z()];
    [x, y, z, x + y * 0.3, x - y + z * 2.0]
}

#[test]
fn half_a_turn_at_the_start_is_refused_where_axes_must_agree() {
    for kind in &KINDS {
        for axis in axes() {
            let mut mechanism = MultibodyBuilder::new();
            let body = RigidBody::new("body", 1.0, [0.1, 0.2, 0.25]).rotated(turned(axis, PI));
            let body = mechanism.add_body(body);
            let frames = [Frame::local_point([0.0; 3]); 2];
            mechanism.add_joint(Joint::new("weld", kind.clone(), GROUND, body, frames));
            let turns_z = aligned(kind).len() == 1 && axis == Vector3::z();
            // Between the axes of the frame rows do see a half turn.
            match mechanism.build() {
                Ok(_) => assert!(turns_z, "{} about {axis}", kind.name()),
                Err(AssemblyError::HalfTurn { joint }) => assert!(joint == "weld" && !turns_z),
                Err(AssemblyError::Position { .. }) => {
                    assert!(axis.iter().filter(|x| **x != 0.0).count() > 1)
                }
                Err(other) => panic!("{other}"),
            }
        }
    }
}

#[test]
fn bodies_drawn_the_wrong_way_round_are_turned_back_when_coordinates_are_stated() {
    let (mut cases, mut refused) = (0, 0);
    for kind in &KINDS {
        for axis in axes() {
            for degrees in (10..=180).step_by(10).chain([89, 91, 179]) {
                let turn = turned(axis, f64::from(degrees).to_radians());
                let (mechanism, bodies) = drawn(kind, turn);
                let case = format!("{} by {degrees} about {axis:?}", kind.name());
                let system = match mechanism.build() {
                    Ok(system) => system,
                    // Between both ways round it may end in an error, never the wrong way round.
                    Err(error) if (80..=100).contains(&degrees) => {
                        println!("{case}: {error}");
                        refused += 1;
                        continue;
                    }
                    Err(error) => panic!("{case}: {error}"),
                };
                let cosine = least_cosine(&system, &start(&system), kind, bodies);
                assert!(cosine > 1.0 - 1e-12, "{case}: {cosine}");
                cases += 1;
            }
        }
    }
    assert_eq!(cases + refused, 4 * 5 * 21);
    assert!(refused < 40, "{refused}");
}

/// A four-bar of one weld and revolute joints about z, with bodies drawn at any turn.
fn loop_of_bars(kind: &JointKind, turns: [Matrix3<f64>; 3]) -> (MultibodySystem, [BodyId; 2]) {
    let mut mechanism = MultibodyBuilder::new();
    let z = Vector3::z();
    let corners = [
        [0.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [2.0, 1.5, 0.0],
        [2.0, 0.0, 0.0],
    ]
    .map(Vector3::from);
    let bar = |mechanism: &mut MultibodyBuilder, k: usize| {
        let body = RigidBody::new(format!("bar {k}"), 1.0, [0.1, 0.2, 0.25]);
        let middle = (corners[k] + corners[k + 1]) / 2.0;
        mechanism.add_body(
            body.at(middle + Vector3::new(0.1, -0.2, 0.05))
                .rotated(turns[k]),
        )
    };
    let bars = [0, 1, 2].map(|k| bar(&mut mechanism, k));
    let rider = RigidBody::new("rider", 1.0, [0.1, 0.2, 0.25]).at([1.0, 1.3, 0.1]);
    let rider = mechanism.add_body(rider.rotated(turns[0] * turns[1]));
    let ends = |k: usize| {
        let half = (corners[k + 1] - corners[k]) / 2.0;
        [-half, half].map(|point| Frame::local_axis(point, z))
    };
    let ground = |k: usize| Frame::world(corners[k], z);
    let mut hinge = |name: &str, bodies: [BodyId; 2], frames| {
        mechanism.add_joint(Joint::new(
            name,
            JointKind::Revolute,
            bodies[0],
            bodies[1],
            frames,
        ));
    };
    hinge("a", [GROUND, bars[0]], [ground(0), ends(0)[0]]);
    hinge("b", [bars[0], bars[1]], [ends(0)[1], ends(1)[0]]);
    hinge("c", [bars[1], bars[2]], [ends(1)[1], ends(2)[0]]);
    hinge("d", [bars[2], GROUND], [ends(2)[1], ground(3)]);
    let frames = [
        Frame::local_point([0.0, 0.3, 0.0]),
        Frame::local_point([0.0; 3]),
    ];
    mechanism.add_joint(Joint::new("weld", kind.clone(), bars[1], rider, frames));
    (
        mechanism.build_unchecked().expect("laid out"),
        [bars[1], rider],
    )
}

/// Turns that are the same in every run.
fn random_turns(seed: u64) -> [Matrix3<f64>; 3] {
    let mut number = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        number = number
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (number >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    [0; 3].map(|_| {
        let axis = Vector3::new(next(), next(), next());
        turned(axis, PI * next())
    })
}

#[test]
fn loops_close_with_axes_that_agree_from_any_drawing_or_not_at_all() {
    let (mut closed, mut turned_back) = (0, 0);
    for kind in &KINDS {
        for seed in 0..40 {
            let (mut system, bodies) = loop_of_bars(kind, random_turns(seed));
            let mut state = start(&system);
            let drawn = least_cosine(&system, &state, kind, bodies);
            match assemble(&mut Evaluator::new(&mut system), &mut state) {
                Ok(_) => {
                    let cosine = least_cosine(&system, &state, kind, bodies);
                    assert!(cosine > 1.0 - 1e-9, "{} {seed}: {cosine}", kind.name());
                    closed += 1;
                    turned_back += usize::from(drawn < 0.0);
                }
                // Some drawings lead nowhere, and are said to.
                Err(AnalysisError::NotAssembled { .. } | AnalysisError::State(_)) => {}
                Err(other) => panic!("{} {seed}: {other}", kind.name()),
            }
        }
    }
    println!("{closed} of 160 drawings closed, {turned_back} from axes that were opposite");
    assert!(closed > 80 && turned_back > 20, "{closed} {turned_back}");
}

#[test]
fn projections_and_runs_refuse_a_start_half_a_turn_off() {
    for kind in &KINDS {
        for axis in [Vector3::x(), Vector3::x() + Vector3::y() * 0.3] {
            for degrees in [100.0_f64, 150.0, 179.9, 180.0] {
                let (mechanism, bodies) = drawn(kind, Matrix3::identity());
                let mut system = mechanism.build().expect("assembles");
                let mut state = start(&system);
                let mut turn = vec![0.0; state.v.len()];
                let vector = axis.normalize() * degrees.to_radians();
                turn[9..12].copy_from_slice(vector.as_slice());
                let from = state.q.clone();
                system.layout().space.retract(&from, &turn, &mut state.q);
                let options = Options::adaptive(0.01, 1e-6, 1e-6);
                let said = said_of(&mut system, &state, &options);
                assert!(said.is_some(), "{} {degrees}", kind.name());
                let projected = project_initial_state(&mut Evaluator::new(&mut system), &mut state);
                if projected.is_ok() {
                    let cosine = least_cosine(&system, &state, kind, bodies);
                    assert!(cosine > 1.0 - 1e-9, "{} {degrees}: {cosine}", kind.name());
                } else if degrees == 180.0 && axis == Vector3::x() {
                    let message = projected.expect_err("refused").to_string();
                    assert!(
                        message.contains("the axes of 'weld' point opposite ways"),
                        "{message}"
                    );
                }
            }
        }
    }
}

/// What a run from a state says against it.
fn said_of(system: &mut MultibodySystem, state: &State, options: &Options) -> Option<String> {
    let run = solve_from(
        system,
        &Hem5::new(Projection::EveryStep),
        state.clone(),
        options,
        &mut Silent,
    );
    run.err().map(|error| error.to_string())
}

#[test]
fn rows_from_afar_are_the_gradient_of_their_squares() {
    for kind in KINDS
        .iter()
        .cloned()
        .chain([JointKind::Universal, JointKind::Spherical])
    {
        for seed in 0..20 {
            let mut mechanism = MultibodyBuilder::new();
            let turns = random_turns(seed);
            let bodies = [0, 1].map(|k| {
                let body = RigidBody::new(format!("body {k}"), 1.0, [0.1, 0.2, 0.25]);
                mechanism.add_body(body.at([k as f64, 0.3, -0.2]).rotated(turns[k]))
            });
            let z = turns[2] * Vector3::z();
            let frames = [
                Frame::local_axis([0.2, 0.1, 0.0], z),
                Frame::local_point([0.0, 0.1, 0.3]),
            ];
            let joint = Joint::new("joint", kind.clone(), bodies[0], bodies[1], frames);
            let joint = mechanism.add_joint(joint);
            if matches!(kind, JointKind::Revolute | JointKind::Cylindrical) {
                mechanism.add_drive("drive", joint, Drive::Angle(Motion::linear(0.7, 1.0)));
            }
            let Ok(mut system) = mechanism.build_unchecked() else {
                continue;
            };
            let state = start(&system);
            let (rows, layout) = (system.layout().rows(), system.layout().clone());
            let mut from_afar = |state: &State| {
                let (mut values, mut jacobian) =
                    (vec![0.0; rows], vec![0.0; layout.jacobian.nnz()]);
                let branches = system.branches().expect("known");
                let found = branches.rows_from_afar(&state.point(), &mut values, &mut jacobian);
                assert_eq!(found, Ok(true));
                (values, jacobian)
            };
            let half_square = |values: &[f64]| 0.5 * values.iter().map(|x| x * x).sum::<f64>();
            let (values, jacobian) = from_afar(&state);
            let mut gradient = vec![0.0; state.v.len()];
            for (row, column, position) in layout.jacobian.iter() {
                gradient[column] += jacobian[position] * values[row];
            }
            for (direction, expected) in gradient.iter().enumerate() {
                let mut along = |size: f64| {
                    let mut way = vec![0.0; state.v.len()];
                    way[direction] = size;
                    let mut moved = state.clone();
                    layout.space.retract(&state.q, &way, &mut moved.q);
                    half_square(&from_afar(&moved).0)
                };
                let found = (along(1e-5) - along(-1e-5)) / 2e-5;
                let close = 1e-6 * (1.0 + expected.abs());
                assert!(
                    (found - expected).abs() < close,
                    "{} {seed}: {found} {expected}",
                    kind.name()
                );
            }
        }
    }
}

#[test]
fn a_loop_that_cannot_be_closed_otherwise_is_an_error() {
    // Two welds that contradict each other by half a turn.
    let mut mechanism = MultibodyBuilder::new();
    let body = mechanism.add_body(RigidBody::new("body", 1.0, [0.1, 0.2, 0.25]));
    let frames = [Frame::local_point([0.0; 3]); 2];
    mechanism.add_joint(Joint::new("one", JointKind::Fixed, GROUND, body, frames));
    let turned = Frame::local([0.0; 3], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]);
    let frames = [frames[0], turned];
    mechanism.add_joint(Joint::new("other", JointKind::Fixed, GROUND, body, frames));
    let mut system = mechanism.build_unchecked().expect("laid out");
    let mut state = start(&system);
    let before = state.clone();
    let found = assemble(&mut Evaluator::new(&mut system), &mut state);
    assert!(
        matches!(
            found,
            Err(AnalysisError::State(_) | AnalysisError::NotAssembled { .. })
        ),
        "{found:?}"
    );
    assert_eq!(state, before);
}
