//! Trees move by products of their joints' motions.

use super::{GROUND, start};
use liedae_multibody::{
    AssemblyError, BodyId, Friction, Joint, JointCoordinate, JointId, MultibodyBuilder,
    NormalForce, RigidBody, RotationalSpring, Snapshot,
};
use nalgebra::{Rotation3, Unit, Vector3};

/// Reproducible numbers in (-1, 1).
struct Random(u64);

impl Random {
    fn number(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.number())
    }
}

/// A serial chain of a hinge, a slider and a sleeve from the ground, stated anyhow; `turned` exchanges bodies 1 and 2.
fn chain(
    turned: bool,
) -> (
    MultibodyBuilder,
    [BodyId; 3],
    [JointId; 3],
    [Vector3<f64>; 6],
) {
    moving_chain(turned, [[Vector3::zeros(); 2]; 3])
}

/// The same with velocities and angular velocities in the body frames.
fn moving_chain(
    turned: bool,
    motions: [[Vector3<f64>; 2]; 3],
) -> (
    MultibodyBuilder,
    [BodyId; 3],
    [JointId; 3],
    [Vector3<f64>; 6],
) {
    let mut random = Random(5);
    let mut mechanism = MultibodyBuilder::new();
    let bodies = [0, 1, 2].map(|index| {
        let turn = Rotation3::new(random.vector() * 2.0).into_inner();
        let body = RigidBody::new(index.to_string(), 1.3 + random.number(), [1.0, 1.1, 1.2]);
        let [velocity, omega] = motions[index];
        let body = body.moving(velocity, omega);
        mechanism.add_body(body.at(random.vector() * 2.0).rotated(turn))
    });
    let geometry = [0; 6].map(|_| random.vector());
    let [p, q, r, x, y, z] = geometry;
    let [x, y, z] = [x, y, z].map(|axis| axis.normalize());
    let ends = |outer: BodyId, inner: BodyId| {
        if turned {
            (inner, outer)
        } else {
            (outer, inner)
        }
    };
    let (a, b) = ends(GROUND, bodies[0]);
    let hinge = mechanism.add_joint(Joint::revolute("hinge", a, b, p, x));
    let (a, b) = ends(bodies[0], bodies[1]);
    let slider = mechanism.add_joint(Joint::translational("slider", a, b, q, y));
    let (a, b) = ends(bodies[1], bodies[2]);
    let sleeve = mechanism.add_joint(Joint::cylindrical("sleeve", a, b, r, z));
    (
        mechanism,
        bodies,
        [hinge, slider, sleeve],
        [p, q, r, x, y, z],
    )
}

/// What a hinge does to the world: a rotation about an axis through a point.
fn about(
    point: Vector3<f64>,
    axis: Vector3<f64>,
    angle: f64,
) -> impl Fn(Vector3<f64>) -> Vector3<f64> {
    let turn = Rotation3::from_axis_angle(&Unit::new_unchecked(axis), angle);
    move |x| point + turn * (x - point)
}

#[test]
fn a_tree_moves_by_the_product_of_its_joints_motions() {
    for turned in [false, true] {
        // Exchanged bodies see the opposite motion of the outer one.
        let sign = if turned { -1.0 } else { 1.0 };
        let (mechanism, ..) = chain(turned);
        let before = mechanism.build().expect("consistent");
        assert!(before.placement().is_none());
        let (mut mechanism, bodies, [hinge, slider, sleeve], [p, _, r, x, y, z]) = chain(turned);
        let values = [0.9, -0.4, 2.3, 0.7];
        mechanism
            .joint_position(hinge, values[0])
            .joint_position(slider, values[1])
            .joint_position(sleeve, JointCoordinate::Angle(values[2]))
            .joint_position(sleeve, JointCoordinate::Translation(values[3]));
        let after = mechanism.build().expect("consistent");
        // Outer motions first: each acts where the bodies were stated.
        let first = about(p, x, sign * values[0]);
        let second = move |at: Vector3<f64>| at + y * (sign * values[1]);
        let third = about(r, z, sign * values[2]);
        let third = move |at: Vector3<f64>| third(at) + z * (sign * values[3]);
        let (old, new) = (start(&before), start(&after));
        let (old, new) = (Snapshot::new(&before, &old), Snapshot::new(&after, &new));
        for local in [Vector3::zeros(), Vector3::x(), Vector3::y()] {
            let at = |body| old.point(body, local);
            let expected = [
                first(at(bodies[0])),
                first(second(at(bodies[1]))),
                first(second(third(at(bodies[2])))),
            ];
            for (body, expected) in bodies.into_iter().zip(expected) {
                let error = (new.point(body, local) - expected).norm();
                assert!(error < 1e-12, "{turned} {body:?}: {error:e}");
            }
        }
        let placement = after.placement().expect("stated");
        assert_eq!(placement.moved_by_loops(1e-12).count(), 0, "{placement}");
        assert!((placement.bodies[0].by_joints.rotation - values[0]).abs() < 1e-12);
        assert_eq!(placement.joints.len(), 4);
        assert_eq!(placement.joints[2].position, values[2]);
    }
}

#[test]
fn a_tree_takes_the_stated_rates_and_keeps_the_others() {
    for turned in [false, true] {
        let sign = if turned { -1.0 } else { 1.0 };
        let (mut mechanism, bodies, [hinge, slider, sleeve], [p, _, r, x, y, z]) = chain(turned);
        mechanism
            .joint_rate(hinge, 1.4)
            .joint_rate(slider, -0.6)
            .joint_rate(sleeve, JointCoordinate::Angle(3.0));
        let system = mechanism.build().expect("consistent");
        let state = start(&system);
        let now = Snapshot::new(&system, &state);
        let spins = [
            x * (sign * 1.4),
            x * (sign * 1.4),
            x * (sign * 1.4) + z * (sign * 3.0),
        ];
        let by_hinge = |at: Vector3<f64>| spins[0].cross(&(at - p));
        let velocities = [
            by_hinge(now.position(bodies[0])),
            by_hinge(now.position(bodies[1])) + y * (sign * -0.6),
            by_hinge(r) + y * (sign * -0.6) + spins[2].cross(&(now.position(bodies[2]) - r)),
        ];
        for index in 0..3 {
            let body = bodies[index];
            assert!((now.angular_velocity(body) - spins[index]).norm() < 1e-12);
            assert!(
                (now.velocity(body) - velocities[index]).norm() < 1e-12,
                "{index}"
            );
        }
        let rates: Vec<f64> = system
            .placement()
            .expect("stated")
            .joints
            .iter()
            .map(|joint| joint.rate)
            .collect();
        for (found, wanted) in rates.iter().zip([1.4, -0.6, 3.0]) {
            assert!((found - wanted).abs() < 1e-12, "{found} {wanted}");
        }
        // A second placement from that start keeps the motion of joints that it does not state.
        let motions = bodies.map(|body| [now.velocity(body), now.omega(body)]);
        let (mut again, ..) = moving_chain(turned, motions);
        again.joint_position(hinge, 0.8);
        let moved = again.build().expect("consistent");
        let moved_state = start(&moved);
        let moved = Snapshot::new(&moved, &moved_state);
        let turn = Rotation3::from_axis_angle(&Unit::new_unchecked(x), sign * 0.8);
        for (body, index) in bodies.into_iter().zip(0..) {
            assert!((moved.angular_velocity(body) - turn * spins[index]).norm() < 1e-12);
            assert!((moved.velocity(body) - turn * velocities[index]).norm() < 1e-12);
        }
    }
}

#[test]
fn elements_start_where_the_joints_are_placed() {
    let mut mechanism = MultibodyBuilder::new();
    let wheel = mechanism.add_body(RigidBody::new("wheel", 1.0, [1.0; 3]));
    let z = [0.0, 0.0, 1.0];
    let axle = mechanism.add_joint(Joint::revolute("axle", GROUND, wheel, [0.0; 3], z));
    let block = mechanism.add_body(RigidBody::new("block", 1.0, [1.0; 3]));
    let guide = mechanism.add_joint(Joint::translational("guide", GROUND, block, [0.0; 3], z));
    mechanism.add_rotational_spring(RotationalSpring::new("windup", axle, 1.0, 0.0));
    mechanism.add_friction(Friction::new("rub", guide, 0.1, NormalForce::Full).reversing());
    mechanism
        .joint_position(axle, -20.5)
        .joint_rate(guide, -0.1)
        .joint_position(guide, 300.0);
    let system = mechanism.build().expect("consistent");
    let state = start(&system);
    assert!((state.x[0] + 20.5).abs() < 1e-12, "{:?}", state.x);
    assert_eq!(state.mode, [-1]);
    assert!((state.q[12 + 2] - 300.0).abs() < 1e-9);
    let text = system.placement().expect("stated").to_string();
    assert!(
        text.contains("angle of 'axle': -20.5, rate 0")
            && text.contains("'block' moved by joints: 300 m"),
        "{text}"
    );
}

#[test]
fn coordinates_are_checked() {
    let error = |state: &dyn Fn(&mut MultibodyBuilder, [JointId; 3])| {
        let (mut mechanism, bodies, joints, _) = chain(false);
        mechanism.add_joint(Joint::spherical("ball", GROUND, bodies[2], [0.0; 3]));
        state(&mut mechanism, joints);
        mechanism.build_unchecked().err().expect("must fail")
    };
    let ball = {
        let mut other = MultibodyBuilder::new();
        let body = other.add_body(RigidBody::new("b", 1.0, [1.0; 3]));
        [0; 9].map(|index| {
            other.add_joint(Joint::spherical(format!("{index}"), GROUND, body, [0.0; 3]))
        })
    };
    assert!(matches!(
        error(&|mechanism, _| {
            mechanism.joint_position(ball[8], 0.0);
        }),
        AssemblyError::UnknownJoint { joint: 8, .. }
    ));
    for value in [f64::NAN, f64::INFINITY] {
        assert!(matches!(
            error(&|mechanism, [hinge, ..]| {
                mechanism.joint_rate(hinge, value);
            }),
            AssemblyError::NotFinite { .. }
        ));
    }
    assert!(matches!(
        error(&|mechanism, [hinge, ..]| {
            mechanism
                .joint_rate(hinge, 1.0)
                .joint_rate(hinge, JointCoordinate::Angle(1.0));
        }),
        AssemblyError::DuplicateName {
            kind: "joint rate",
            ..
        }
    ));
    let refused: [(usize, JointCoordinate); 4] = [
        (3, 0.0.into()),
        (2, 0.0.into()),
        (0, JointCoordinate::Translation(0.0)),
        (1, JointCoordinate::Angle(0.0)),
    ];
    for (joint, coordinate) in refused {
        assert!(matches!(
            error(&|mechanism, _| {
                mechanism.joint_position(ball[joint], coordinate);
            }),
            AssemblyError::JointKind { .. }
        ));
    }
}
