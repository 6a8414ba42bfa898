//! What is wrong with joints of one's own is said with their names.

use super::super::super::*;
use super::{Ball, Hinge, Skate};
use liedae::scalar::Scalar;
use liedae::system::{Evaluator, System};

/// A distance of one that has a pole where the points coincide.
struct Pole;

impl CustomJoint<1> for Pole {
    fn residual<S: Scalar>(&self, _t: S, [one, two]: &[FramePose<S>; 2]) -> [S; 1] {
        let d = two.point - one.point;
        [d.dot(&d).recip() - 1.0]
    }
}

fn error(joint: impl Fn(BodyId) -> Joint) -> AssemblyError {
    let mut mechanism = MultibodyBuilder::new();
    let bar = mechanism.add_body(RigidBody::new("bar", 1.0, [1.0; 3]).moving([1.0; 3], [0.0; 3]));
    mechanism.add_joint(joint(bar));
    let error = mechanism.build_unchecked().err().expect("must fail");
    assert!(error.to_string().contains("'own'"), "{error}");
    error
}

/// Rows that are wrong in the way that is asked for.
struct Wrong(f64);

impl CustomJoint<2> for Wrong {
    fn residual<S: Scalar>(&self, _t: S, [_, two]: &[FramePose<S>; 2]) -> [S; 2] {
        [two.point.x, two.point.y * self.0]
    }
}

impl CustomJoint<0> for Wrong {
    fn residual<S: Scalar>(&self, _t: S, _: &[FramePose<S>; 2]) -> [S; 0] {
        []
    }
}

impl NonholonomicJoint<2> for Wrong {
    fn velocity_residual<S: Scalar>(&self, _t: S, [_, two]: &[FrameMotion<S>; 2]) -> [S; 2] {
        [two.velocity.x, two.velocity.dot(&two.velocity) * self.0]
    }
}

/// A row that is flat at rest and nowhere else.
struct Cubic;

impl NonholonomicJoint<1> for Cubic {
    fn velocity_residual<S: Scalar>(&self, _t: S, [_, two]: &[FrameMotion<S>; 2]) -> [S; 1] {
        let v = two.velocity.x;
        [v * v * v]
    }
}

#[test]
fn rows_that_bend_away_from_rest_are_refused() {
    let mut mechanism = MultibodyBuilder::new();
    let bar = mechanism.add_body(RigidBody::new("bar", 1.0, [1.0; 3]));
    let at = [Frame::world_point([0.0; 3]); 2];
    mechanism.add_joint(Joint::nonholonomic("own", BodyId::GROUND, bar, at, Cubic));
    assert!(matches!(
        mechanism.build_unchecked().err(),
        Some(AssemblyError::NotAffine { row: 0, .. })
    ));
}

#[test]
fn own_joints_are_checked() {
    let at = || [Frame::world_point([0.0; 3]); 2];
    let ground = BodyId::GROUND;
    assert!(matches!(
        error(|bar| Joint::custom::<0>("own", ground, bar, at(), Wrong(1.0))),
        AssemblyError::NoRows { .. }
    ));
    assert!(matches!(
        error(|bar| Joint::custom::<2>("own", ground, bar, at(), Wrong(f64::NAN))),
        AssemblyError::NotFinite { .. }
    ));
    assert!(matches!(
        error(|bar| Joint::nonholonomic("own", ground, bar, at(), Wrong(f64::INFINITY))),
        AssemblyError::NotFinite { .. }
    ));
    assert!(matches!(
        error(|bar| Joint::nonholonomic("own", ground, bar, at(), Wrong(0.1))),
        AssemblyError::NotAffine { row: 1, .. }
    ));
    assert!(matches!(
        error(|bar| Joint::custom("own", bar, bar, at(), Ball)),
        AssemblyError::SameBody { .. }
    ));
    assert!(matches!(
        error(|bar| Joint::custom("own", bar, BodyId(Some(7)), at(), Ball)),
        AssemblyError::UnknownBody { .. }
    ));
    let mut mechanism = MultibodyBuilder::new();
    let ball = mechanism.add_body(RigidBody::new("ball", 1.0, [1.0; 3]));
    mechanism.add_joint(Joint::custom("own", ground, ball, at(), Ball));
    mechanism.add_joint(Joint::nonholonomic("own", ground, ball, at(), Skate));
    assert!(matches!(
        mechanism.build().err(),
        Some(AssemblyError::DuplicateName { kind: "joint", .. })
    ));
    // A drive or spring needs an axis, which nothing says that these have.
    let mut mechanism = MultibodyBuilder::new();
    let ball = mechanism.add_body(RigidBody::new("ball", 1.0, [1.0; 3]));
    let own = mechanism.add_joint(Joint::custom("own", ground, ball, at(), Hinge));
    mechanism.add_drive("motor", own, Drive::Angle(0.0.into()));
    assert!(matches!(
        mechanism.build().err(),
        Some(AssemblyError::JointKind { .. })
    ));
}

#[test]
fn violations_and_failures_name_the_joint() {
    let mut mechanism = MultibodyBuilder::new();
    let ball =
        mechanism.add_body(RigidBody::new("ball", 1.0, [1.0; 3]).moving([1.0, 0.0, 0.0], [0.0; 3]));
    let at = [Frame::world_point([0.0; 3]); 2];
    mechanism.add_joint(Joint::custom("socket", BodyId::GROUND, ball, at, Ball));
    assert!(matches!(
        mechanism.build().err(),
        Some(AssemblyError::Velocity { joint, violation }) if joint == "socket" && violation == 1.0
    ));
    let mut mechanism = MultibodyBuilder::new();
    let ball = mechanism.add_body(RigidBody::new("ball", 1.0, [1.0; 3]));
    let apart = [
        Frame::world_point([0.0; 3]),
        Frame::local_point([1.0, 0.0, 0.0]),
    ];
    mechanism.add_joint(Joint::custom("rope", BodyId::GROUND, ball, apart, Pole));
    let mut system = mechanism.build().expect("consistent");
    let mut state = system.initial_state();
    // The points coincide: no direction.
    state.q[0] = -1.0;
    let mut evaluator = Evaluator::new(&mut system);
    let at = state.point();
    let mut one = [0.0];
    for error in [
        evaluator.position_constraint(&at, &mut one),
        evaluator.velocity_constraint(&at, &mut one),
        evaluator.acceleration_bias(&at, &mut one),
        evaluator.constraint_jacobian(&at, &mut [0.0; 6]),
    ] {
        let error = error.expect_err("a pole");
        assert!(error.to_string().contains("'rope'"), "{error}");
    }
}
