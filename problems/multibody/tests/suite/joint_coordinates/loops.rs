//! Loops are closed, or it is said why they cannot be.

use super::{GROUND, start};
use liedae::system::State;
use liedae_multibody::{
    AssemblyError, BodyId, Drive, Frame, Joint, JointId, JointKind, Motion, MultibodyBuilder,
    MultibodySystem, RigidBody, Snapshot,
};
use nalgebra::{Rotation3, Vector3};
use std::f64::consts::{PI, TAU};

/// Link lengths of a four-bar, ground last, and its configuration: angles of crank, coupler and rocker from the x-axis.
struct FourBar {
    lengths: [f64; 4],
}

impl FourBar {
    /// Coupler and rocker for an angle of the crank, on the branch with the coupler above the diagonal.
    fn angles(&self, crank: f64) -> [f64; 3] {
        let [a, b, c, d] = self.lengths;
        let (x, y) = (d - a * crank.cos(), -a * crank.sin());
        let (diagonal, towards) = (x.hypot(y), y.atan2(x));
        let inner = ((b * b + diagonal * diagonal - c * c) / (2.0 * b * diagonal)).acos();
        let coupler = towards + inner;
        let (px, py) = (
            a * crank.cos() + b * coupler.cos(),
            a * crank.sin() + b * coupler.sin(),
        );
        [crank, coupler, py.atan2(px - d)]
    }

    /// Rates for a rate of the crank: a ω sin(θ₄ - θ₂) / (b sin(θ₃ - θ₄)) and so on.
    fn rates(&self, [crank, coupler, rocker]: [f64; 3], rate: f64) -> [f64; 3] {
        let [a, b, c, _] = self.lengths;
        let swing = (coupler - rocker).sin();
        [
            rate,
            a * rate * (rocker - crank).sin() / (b * swing),
            a * rate * (coupler - crank).sin() / (c * swing),
        ]
    }

    /// The mechanism stated at an angle of the crank; the rocker is moved by `error` from where it should be.
    fn mechanism(&self, crank: f64, error: f64) -> (MultibodyBuilder, [BodyId; 3], [JointId; 2]) {
        let [a, b, c, d] = self.lengths;
        let angles = self.angles(crank);
        let along = |angle: f64| Vector3::new(angle.cos(), angle.sin(), 0.0);
        let ends = [
            along(angles[0]) * a,
            along(angles[0]) * a + along(angles[1]) * b,
        ];
        let pivot = Vector3::x() * d;
        let centres = [
            ends[0] / 2.0,
            (ends[0] + ends[1]) / 2.0,
            pivot + along(angles[2]) * (c / 2.0),
        ];
        let mut mechanism = MultibodyBuilder::new();
        let mut link = |index: usize, name: &str| {
            let turn = Rotation3::from_axis_angle(&Vector3::z_axis(), angles[index]);
            let body = RigidBody::new(name, 1.0 + index as f64, [0.1, 0.2, 0.2]);
            let moved = if index == 2 {
                Vector3::x() * error
            } else {
                Vector3::zeros()
            };
            mechanism.add_body(body.at(centres[index] + moved).rotated(turn.into_inner()))
        };
        let links = [link(0, "crank"), link(1, "coupler"), link(2, "rocker")];
        let z = Vector3::z();
        let frame = |x: f64| Frame::local([x, 0.0, 0.0], z, Vector3::x());
        let ground = |at| Frame::world(at, z).with_x(Vector3::x());
        let mut hinge = |name: &str, bodies: [BodyId; 2], frames| {
            let kind = JointKind::Revolute;
            mechanism.add_joint(Joint::new(name, kind, bodies[0], bodies[1], frames))
        };
        let input = hinge(
            "input",
            [GROUND, links[0]],
            [ground(Vector3::zeros()), frame(-a / 2.0)],
        );
        hinge(
            "upper",
            [links[0], links[1]],
            [frame(a / 2.0), frame(-b / 2.0)],
        );
        hinge(
            "lower",
            [links[1], links[2]],
            [frame(b / 2.0), frame(c / 2.0)],
        );
        let output = hinge(
            "output",
            [GROUND, links[2]],
            [ground(pivot), frame(-c / 2.0)],
        );
        (mechanism, links, [input, output])
    }
}

const GRASHOF: FourBar = FourBar {
    lengths: [0.4, 1.2, 0.9, 1.1],
};

fn heading(system: &MultibodySystem, state: &State, body: BodyId) -> f64 {
    let along = Snapshot::new(system, state)
        .rotation(body)
        .column(0)
        .into_owned();
    along.y.atan2(along.x)
}

fn apart(a: f64, b: f64) -> f64 {
    ((a - b + PI).rem_euclid(TAU) - PI).abs()
}

#[test]
fn a_four_bar_follows_its_crank_as_the_closed_form_says() {
    // Angles count from the x-axis here, since the frames say so.
    for (from, to, rate) in [
        (0.7, 2.9, 2.0),
        (0.7, -2.0, -1.5),
        (3.0, 3.1, 4.0),
        (0.7, 0.7, 1.0),
        (0.2, 9.0, 1.0),
    ] {
        for error in [0.0, 0.03] {
            let (mut mechanism, links, [input, _]) = GRASHOF.mechanism(from, error);
            mechanism.joint_position(input, to).joint_rate(input, rate);
            let system = mechanism.build().expect("reached");
            let (state, expected) = (start(&system), GRASHOF.angles(to));
            let rates = GRASHOF.rates(expected, rate);
            let now = Snapshot::new(&system, &state);
            for index in 0..3 {
                let found = heading(&system, &state, links[index]);
                assert!(
                    apart(found, expected[index]) < 1e-9,
                    "{from} to {to}, {index}: {found} {expected:?}"
                );
                let omega = now.angular_velocity(links[index]);
                assert!(
                    (omega - Vector3::z() * rates[index]).norm() < 1e-8,
                    "{omega} {rates:?}"
                );
            }
            let placement = system.placement().expect("stated");
            assert_eq!(placement.joints.len(), 1);
            assert!((placement.joints[0].position - to).abs() < 1e-15);
            assert!((placement.joints[0].rate - rate).abs() < 1e-9);
            // The crank hangs on the stated joint; the loop moves the others.
            let moved: Vec<&str> = placement
                .moved_by_loops(1e-6)
                .map(|body| body.name.as_str())
                .collect();
            assert!(
                moved.contains(&"rocker") && !moved.contains(&"crank"),
                "{placement}"
            );
        }
    }
}

#[test]
fn what_a_loop_cannot_do_is_an_error_that_names_the_joints() {
    // This crank stops where coupler and rocker are in line: (a² + d² - (b + c)²) / (2 a d).
    let stopping = FourBar {
        lengths: [1.0, 0.7, 0.8, 1.2],
    };
    let limit = ((1.0 + 1.44 - 2.25) / 2.4_f64).acos();
    for (to, fits) in [(limit - 0.02, true), (limit + 0.02, false), (2.5, false)] {
        let (mut mechanism, _, [input, _]) = stopping.mechanism(0.9, 0.0);
        mechanism.joint_position(input, to);
        match mechanism.build() {
            Ok(system) => assert!(fits && system.placement().is_some(), "{to}"),
            Err(AssemblyError::JointPositions {
                joints,
                reached,
                reason,
            }) => {
                assert!(
                    !fits && joints == "'input'" && !reason.is_empty(),
                    "{to}: {reason}"
                );
                let expected = (limit - 0.9) / (to - 0.9);
                assert!(
                    (reached - expected).abs() < 0.02,
                    "{to}: {reached} {expected}"
                );
            }
            Err(other) => panic!("{other}"),
        }
    }
    // Crank and rocker: what belongs together, and what does not.
    let at = GRASHOF.angles(1.5);
    let rates = GRASHOF.rates(at, 2.0);
    for (rocker, rate, wrong) in [(0.0, 0.0, ""), (0.1, 0.0, "position"), (0.0, 0.1, "rate")] {
        let (mut mechanism, _, [input, output]) = GRASHOF.mechanism(0.7, 0.0);
        mechanism
            .joint_position(input, at[0])
            .joint_position(output, at[2] + rocker);
        mechanism
            .joint_rate(output, rates[2] + rate)
            .joint_rate(input, 2.0);
        match mechanism.build() {
            Ok(_) => assert!(wrong.is_empty()),
            Err(AssemblyError::JointPositions { joints, .. }) => {
                assert_eq!((wrong, joints.as_str()), ("position", "'input', 'output'"));
            }
            Err(AssemblyError::JointRates { joints, reason }) => {
                assert_eq!(
                    (wrong, joints.as_str()),
                    ("rate", "'output', 'input'"),
                    "{reason}"
                );
            }
            Err(other) => panic!("{other}"),
        }
    }
}

#[test]
fn drives_bound_what_can_be_stated() {
    let wheel = |position: f64, rate: f64| {
        let mut mechanism = MultibodyBuilder::new();
        let wheel = mechanism.add_body(RigidBody::new("wheel", 1.0, [1.0; 3]));
        let axle = Joint::revolute("axle", GROUND, wheel, [0.0; 3], [0.0, 0.0, 1.0]);
        let axle = mechanism.add_joint(axle);
        mechanism.start_time(2.0);
        mechanism.add_drive("motor", axle, Drive::Angle(Motion::linear(0.4, 0.3)));
        mechanism
            .joint_position(axle, position)
            .joint_rate(axle, rate);
        mechanism.build()
    };
    // The drive is at 1 rad at the start, with 0.3 rad/s.
    let system = wheel(1.0, 0.3).expect("fits");
    assert!((start(&system).v[5] - 0.3).abs() < 1e-12);
    assert!(matches!(
        wheel(1.1, 0.3).err(),
        Some(AssemblyError::JointPositions { .. })
    ));
    assert!(matches!(
        wheel(1.0, 0.2).err(),
        Some(AssemblyError::JointRates { .. })
    ));
}
