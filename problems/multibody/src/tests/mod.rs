//! Tests of the multibody room.

mod assembly;
mod balance;
mod beam;
mod contacts;
mod custom;
mod derivatives;
mod forces;
mod friction;
mod labels;
mod parametrization;
mod reactions;
mod state_force;

use super::*;
use liedae::scalar::Scalar;
use liedae::system::State;
use nalgebra::{Rotation3, Vector3};

/// Reproducible numbers in (-1, 1).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn number(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub fn vector(&mut self) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.number())
    }

    pub fn unit(&mut self) -> Vector3<f64> {
        self.vector().normalize()
    }

    /// A body anywhere, turned and moving, with a full inertia tensor.
    pub fn body(&mut self, name: &str) -> RigidBody {
        let turn = Rotation3::new(self.vector() * 3.0).into_inner();
        let axes = Rotation3::new(self.vector() * 3.0).into_inner();
        let moments = Vector3::new(2.0, 2.5, 3.0) + self.vector() * 0.3;
        let inertia = axes * nalgebra::Matrix3::from_diagonal(&moments) * axes.transpose();
        RigidBody::new(
            name,
            1.5 + self.number(),
            (inertia + inertia.transpose()) * 0.5,
        )
        .at(self.vector() * 2.0)
        .rotated(turn)
        .moving(self.vector() * 3.0, self.vector() * 3.0)
    }
}

/// A motion with all derivatives.
pub fn motion() -> Motion {
    Motion::custom(|t| (t * 1.3 + 0.2).sin() * 0.7 + t * t * 0.4 + 1.1)
}

/// One joint of every kind between two bodies, with random frames, not satisfied; both constraints on the ground and
/// between bodies.
pub fn joints(random: &mut Random, first: BodyId, second: BodyId) -> Vec<Joint> {
    let mut kinds = vec![
        JointKind::Fixed,
        JointKind::Spherical,
        JointKind::Revolute,
        JointKind::Universal,
        JointKind::Cylindrical,
        JointKind::Translational,
        JointKind::RevoluteCylindrical,
        JointKind::Distance(None),
        JointKind::Distance(Some(motion())),
        JointKind::Coordinate(random.unit(), motion()),
        JointKind::Angle(motion()),
        JointKind::Angle(Motion::linear(0.3, -40.0)),
    ];
    for axis in [Axis::X, Axis::Y, Axis::Z] {
        kinds.push(JointKind::Dot2(axis, motion()));
        for other in [Axis::X, Axis::Y, Axis::Z] {
            kinds.push(JointKind::Dot1(axis, other, motion()));
        }
    }
    kinds
        .into_iter()
        .enumerate()
        .map(|(index, kind)| {
            let mut frame = || {
                let z = random.unit();
                let x = z.cross(&random.unit()).normalize();
                Frame::local(random.vector(), z, x)
            };
            let frames = [frame(), frame()];
            Joint::new(
                format!("{index} {}", kind.name()),
                kind,
                first,
                second,
                frames,
            )
        })
        .collect()
}

/// Two random bodies with one joint of every kind between them and between each and the ground.
pub fn everything(seed: u64) -> MultibodySystem {
    let mut random = Random::new(seed);
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.3, -0.7, -9.0]);
    let one = mechanism.add_body(random.body("one"));
    let two = mechanism.add_body(random.body("two"));
    for (label, first, second) in [
        ("a", one, two),
        ("b", two, one),
        ("c", BodyId::GROUND, two),
        ("d", one, BodyId::GROUND),
    ] {
        for joint in joints(&mut random, first, second) {
            let name = format!("{label} {}", joint.name);
            mechanism.add_joint(Joint { name, ..joint });
        }
    }
    mechanism.start_time(0.4);
    mechanism.build_unchecked().expect("random joints assemble")
}

/// Two random bodies that ball joints alone hold, in either order and on the ground.
pub fn balls_alone(seed: u64) -> MultibodySystem {
    let mut random = Random::new(seed);
    let mut mechanism = MultibodyBuilder::new();
    let one = mechanism.add_body(random.body("one"));
    let two = mechanism.add_body(random.body("two"));
    for (name, first, second) in [
        ("a", one, two),
        ("b", two, one),
        ("c", BodyId::GROUND, two),
        ("d", one, BodyId::GROUND),
    ] {
        let place: [f64; 3] = random.vector().into();
        mechanism.add_joint(Joint::spherical(name, first, second, place));
    }
    mechanism.build_unchecked().expect("ball joints assemble")
}

/// [`everything`], or for even seeds [`balls_alone`], whose rows have fewer entries.
pub fn of_either_kind(seed: u64) -> MultibodySystem {
    if seed.is_multiple_of(2) {
        balls_alone(seed)
    } else {
        everything(seed)
    }
}

/// The largest difference of two slices; a NaN stays.
pub fn difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter()
        .zip(b)
        .map(|(x, y)| (x - y).abs())
        .fold(0.0, |max, value| {
            if value > max || value.is_nan() {
                value
            } else {
                max
            }
        })
}

/// Random multipliers for a state.
pub fn load_multipliers(state: &mut State, random: &mut Random) {
    for multiplier in &mut state.lambda {
        *multiplier = 10.0 * random.number();
    }
}
