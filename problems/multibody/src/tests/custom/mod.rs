//! Joints of one's own: those that restate a built-in joint equal it in every function; others against differences.

mod checks;

use super::super::*;
use super::derivatives::ByDifferences;
use super::{Random, difference, load_multipliers, motion};
use liedae::scalar::Scalar;
use liedae::system::{
    EvaluationError, System, Wrapped, acceleration_constraint_jacobian, check_system,
    geometric_stiffness, velocity_constraint_jacobian,
};
use nalgebra::Vector3;

/// The built-in joints, stated anew.
struct Ball;

impl CustomJoint<3> for Ball {
    fn kind(&self) -> &'static str {
        "ball"
    }
    fn residual<S: Scalar>(&self, _t: S, [one, two]: &[FramePose<S>; 2]) -> [S; 3] {
        (two.point - one.point).into()
    }
}

struct Hinge;

impl CustomJoint<5> for Hinge {
    fn residual<S: Scalar>(&self, _t: S, [one, two]: &[FramePose<S>; 2]) -> [S; 5] {
        let d = two.point - one.point;
        let [x, y] = [Axis::X, Axis::Y].map(|axis| one.axis(axis).dot(&two.axis(Axis::Z)));
        [d.x, d.y, d.z, x, y]
    }
}

struct Rod(Motion);

impl CustomJoint<1> for Rod {
    fn residual<S: Scalar>(&self, t: S, [one, two]: &[FramePose<S>; 2]) -> [S; 1] {
        let d = two.point - one.point;
        [d.dot(&d).sqrt() - self.0.evaluate(t)]
    }
}

struct Turn(Motion);

impl CustomJoint<1> for Turn {
    fn residual<S: Scalar>(&self, t: S, [one, two]: &[FramePose<S>; 2]) -> [S; 1] {
        let (sin, cos) = self.0.evaluate(t).sin_cos();
        let p = one.axis(Axis::Y) * cos - one.axis(Axis::X) * sin;
        [p.dot(&two.axis(Axis::X))]
    }
}

/// No slip between two bodies, on a floor that rises and turns: both levels of derivatives are at work.
struct Skate;

impl NonholonomicJoint<2> for Skate {
    fn velocity_residual<S: Scalar>(&self, t: S, [one, two]: &[FrameMotion<S>; 2]) -> [S; 2] {
        let slip = two.velocity - one.velocity;
        let d = two.pose.point - one.pose.point;
        let carried = one.angular_velocity.cross(&d) * t.sin();
        [
            two.axis(Axis::Y).dot(&(slip - carried)) - t * t,
            one.axis(Axis::Z).dot(&two.angular_velocity) * d.dot(&d) + one.axis(Axis::X).dot(&slip),
        ]
    }
}

fn frames(random: &mut Random) -> [Frame; 2] {
    let mut frame = || {
        let z = random.unit();
        let x = z.cross(&random.unit()).normalize();
        Frame::local(random.vector(), z, x)
    };
    [frame(), frame()]
}

/// The same mechanism from built-in joints and from one's own.
fn both(seed: u64) -> [MultibodySystem; 2] {
    [false, true].map(|own| {
        let mut random = Random::new(seed);
        let mut mechanism = MultibodyBuilder::new();
        let one = mechanism.add_body(random.body("one"));
        let two = mechanism.add_body(random.body("two"));
        for (label, a, b) in [
            ("a", one, two),
            ("b", BodyId::GROUND, two),
            ("c", one, BodyId::GROUND),
        ] {
            let name = |kind: &str| format!("{label} {kind}");
            let turn = || Motion::linear(0.3, -4.0);
            let kinds = [
                JointKind::Spherical,
                JointKind::Revolute,
                JointKind::Distance(Some(motion())),
                JointKind::Angle(turn()),
            ];
            let stated = |name: String, frames| match name.split_once(' ').map(|pair| pair.1) {
                Some("spherical") => Joint::custom(name, a, b, frames, Ball),
                Some("revolute") => Joint::custom(name, a, b, frames, Hinge),
                Some("distance") => Joint::custom(name, a, b, frames, Rod(motion())),
                _ => Joint::custom(name, a, b, frames, Turn(turn())),
            };
            for kind in kinds {
                let frames = frames(&mut random);
                let name = name(kind.name());
                let joint = if own {
                    stated(name, frames)
                } else {
                    Joint::new(name, kind, a, b, frames)
                };
                mechanism.add_joint(joint);
            }
        }
        mechanism.start_time(0.4);
        mechanism.build_unchecked().expect("assembles")
    })
}

/// All functions of the constraints at the initial state: values, then derivatives.
fn functions(system: &mut dyn System, lambda: &[f64], a: &[f64]) -> [Vec<f64>; 8] {
    let layout = system.layout().clone();
    let mut state = system.initial_state();
    state.lambda.copy_from_slice(lambda);
    let at = state.point();
    let stiffness = layout.stiffness_pattern().expect("fits").nnz();
    let entries = layout.jacobian.nnz();
    let rows = layout.rows();
    let sizes = [
        layout.position_rows,
        rows,
        rows,
        entries,
        stiffness,
        entries,
        entries,
        entries,
    ];
    let mut out = sizes.map(|size| vec![f64::NAN; size]);
    let mut fill = || -> Result<(), EvaluationError> {
        let [
            g,
            rate,
            bias,
            jacobian,
            stiffness,
            by_rate,
            by_position,
            by_velocity,
        ] = &mut out;
        system.position_constraint(&at, g)?;
        system.velocity_constraint(&at, rate)?;
        system.acceleration_bias(&at, bias)?;
        system.constraint_jacobian(&at, jacobian)?;
        geometric_stiffness(system, &at, a, stiffness)?;
        velocity_constraint_jacobian(system, &at, by_rate)?;
        acceleration_constraint_jacobian(system, &at, a, by_position, by_velocity)
    };
    fill().expect("finite");
    out
}

fn loads(rows: usize, seed: u64) -> (Vec<f64>, Vec<f64>) {
    let mut random = Random::new(seed);
    let mut numbers = |count: usize| (0..count).map(|_| 3.0 * random.number()).collect();
    (numbers(rows), numbers(12))
}

#[test]
fn own_joints_equal_the_built_in_ones_in_every_function() {
    for seed in 1..6 {
        let [mut built_in, mut own] = both(seed);
        assert_eq!(built_in.layout().rows(), own.layout().rows());
        let (lambda, a) = loads(own.layout().rows(), seed);
        let expected = functions(&mut built_in, &lambda, &a);
        let found = functions(&mut own, &lambda, &a);
        for (part, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let size = expected
                .iter()
                .fold(1.0_f64, |size, value| size.max(value.abs()));
            let error = difference(found, expected);
            assert!(
                error < 1e-13 * size,
                "seed {seed}, part {part}: {error:e} of {size:e}"
            );
        }
    }
}

#[test]
fn reactions_of_own_joints_equal_those_of_the_built_in_ones() {
    for seed in 1..4 {
        let [built_in, own] = both(seed);
        let mut state = System::initial_state(&own);
        load_multipliers(&mut state, &mut Random::new(seed + 7));
        let (expected, found) = (
            Snapshot::new(&built_in, &state),
            Snapshot::new(&own, &state),
        );
        for index in 0..own.joint_order.len() {
            let joint = JointId(index);
            for (expected, found) in [
                (expected.reaction(joint), found.reaction(joint)),
                (
                    expected.counter_reaction(joint),
                    found.counter_reaction(joint),
                ),
            ] {
                let (expected, found) = (expected.expect("exists"), found.expect("exists"));
                assert!(
                    (expected.force - found.force).norm() < 1e-12,
                    "joint {index}"
                );
                assert!(
                    (expected.torque - found.torque).norm() < 1e-11,
                    "joint {index}"
                );
                assert_eq!(
                    (expected.point, expected.first_axes),
                    (found.point, found.first_axes)
                );
            }
            assert_eq!(expected.multipliers(joint), found.multipliers(joint));
        }
    }
}

/// Own rows at both levels, behind and before built-in joints.
fn mixed(seed: u64) -> MultibodySystem {
    let mut random = Random::new(seed);
    let mut mechanism = MultibodyBuilder::new();
    let one = mechanism.add_body(random.body("one"));
    let two = mechanism.add_body(random.body("two"));
    let mut place = || frames(&mut random);
    mechanism.add_joint(Joint::nonholonomic("skate", one, two, place(), Skate));
    mechanism.add_joint(Joint::custom("ball", one, two, place(), Ball));
    mechanism.add_joint(Joint::new(
        "rod",
        JointKind::Distance(None),
        two,
        BodyId::GROUND,
        place(),
    ));
    mechanism.add_joint(Joint::nonholonomic(
        "blade",
        BodyId::GROUND,
        one,
        place(),
        Skate,
    ));
    mechanism.start_time(0.4);
    mechanism.build_unchecked().expect("assembles")
}

#[test]
fn derivatives_of_nonholonomic_joints_agree_with_differences() {
    for seed in 1..6 {
        let mut system = mixed(seed);
        let rows = system.layout().rows();
        assert_eq!(
            (system.layout().position_rows, system.layout().velocity_rows),
            (4, 4)
        );
        let (lambda, a) = loads(rows, seed);
        let exact = functions(&mut system, &lambda, &a);
        // G against differences of the velocity level, which is affine in v.
        let layout = system.layout().clone();
        let mut state = system.initial_state();
        let mut dense = vec![0.0; rows * 12];
        layout.jacobian.to_dense_into(&exact[3], &mut dense);
        for column in 0..12 {
            let mut ends = [1.0, -2.0].map(|step| {
                state.v[column] += step;
                let mut level = vec![0.0; rows];
                let at = state.point();
                system.velocity_constraint(&at, &mut level).expect("finite");
                level
            });
            state.v[column] += 1.0;
            let [ahead, behind] = &mut ends;
            for row in 0..rows {
                let slope = 0.5 * (ahead[row] - behind[row]);
                let found = dense[12 * row + column];
                assert!(
                    (slope - found).abs() < 1e-11,
                    "({row}, {column}): {found} {slope}"
                );
            }
        }
        let by_differences = functions(&mut Wrapped(ByDifferences(system)), &lambda, &a);
        for part in 4..8 {
            for (index, (found, wanted)) in
                exact[part].iter().zip(&by_differences[part]).enumerate()
            {
                let error = (found - wanted).abs();
                assert!(
                    error < 5e-7 * (1.0 + wanted.abs()),
                    "seed {seed}, part {part}, entry {index}: {found} {wanted}"
                );
            }
        }
    }
}

#[test]
fn the_frameworks_check_of_systems_passes() {
    for seed in 1..4 {
        for mut system in [mixed(seed), both(seed).into_iter().last().expect("two")] {
            let mut state = system.initial_state();
            load_multipliers(&mut state, &mut Random::new(seed));
            let report = check_system(&mut system, &state).expect("can be checked");
            assert!(report.faults.is_empty(), "{:?}", report.faults);
        }
    }
}

#[test]
fn own_joints_are_described_with_their_rows() {
    let system = mixed(1);
    let description = system.describe();
    let listed: Vec<_> = description
        .joints
        .iter()
        .map(|joint| (joint.name.as_str(), joint.kind, joint.rows.clone()))
        .collect();
    assert_eq!(
        listed,
        [
            ("rod", "distance", 0..1),
            ("ball", "ball", 1..4),
            ("blade", "nonholonomic", 4..6),
            ("skate", "nonholonomic", 6..8)
        ]
    );
    assert!(
        description
            .to_string()
            .contains("ball 'ball' between one and two")
    );
    assert_eq!(
        system
            .joint("skate")
            .and_then(|joint| system.joint_rows(joint)),
        Some(6..8)
    );
}

#[test]
fn nonholonomic_joints_want_rotation_matrices() {
    assert!(mixed(1).with_rotation(Rotation::Matrices).is_ok());
    for rotation in [Rotation::EulerParameters, Rotation::EulerAngles] {
        assert_eq!(
            mixed(1).with_rotation(rotation).err(),
            Some(AssemblyError::NonholonomicRotation)
        );
    }
    // Position rows of one's own know nothing about coordinates.
    let [mut built_in, mut own] = both(2).map(|system| {
        system
            .with_rotation(Rotation::EulerParameters)
            .expect("fits")
    });
    let (lambda, mut a) = loads(own.layout().rows(), 3);
    a.extend([0.4, -0.7]);
    let expected = functions(built_in.as_mut(), &lambda, &a);
    for (found, expected) in functions(own.as_mut(), &lambda, &a).iter().zip(&expected) {
        let size = expected
            .iter()
            .fold(1.0_f64, |size, value| size.max(value.abs()));
        assert!(difference(found, expected) < 1e-12 * size);
    }
}

#[test]
fn a_spherical_joint_of_ones_own_swings_as_the_built_in_one() {
    use liedae::integrator::MethodOptions;
    use liedae::solve::{Options, solve};
    let ends = [false, true].map(|own| {
        let mut mechanism = MultibodyBuilder::new();
        mechanism.gravity([0.0, 0.0, -9.81]);
        let mut bodies = Vec::new();
        for x in [0.5, 1.5] {
            let name = format!("bar at {x}");
            bodies.push(
                mechanism.add_body(RigidBody::new(name, 1.0, [1e-2, 0.08, 0.08]).at([x, 0.0, 0.0])),
            );
        }
        let mut link = |name: &str, a, b, x: f64| {
            let point = Vector3::new(x, 0.0, 0.0);
            mechanism.add_joint(if own {
                Joint::custom(name, a, b, [Frame::world_point(point); 2], Ball)
            } else {
                Joint::spherical(name, a, b, point)
            })
        };
        link("upper", BodyId::GROUND, bodies[0], 0.0);
        let lower = link("lower", bodies[0], bodies[1], 1.0);
        let mut system = mechanism.build().expect("consistent");
        let method = liedae_contact::methods()
            .build("radau5", &MethodOptions::default())
            .expect("registered");
        let options = Options::fixed(0.5, 1e-2);
        let end = solve(&mut system, method.as_ref(), &options)
            .expect("integrates")
            .state;
        let reaction = Snapshot::new(&system, &end)
            .reaction(lower)
            .expect("exists");
        (end, reaction)
    });
    let [(expected, push), (found, own_push)] = ends;
    assert!(difference(&expected.q, &found.q) < 1e-12);
    assert!(difference(&expected.v, &found.v) < 1e-11);
    assert!(difference(&expected.lambda, &found.lambda) < 1e-9);
    assert!((push.force - own_push.force).norm() < 1e-9);
}
