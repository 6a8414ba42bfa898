//! A force or torque as a function of time.

use crate::force::PairForce;
use crate::kinematics::{Kinematics, Wrench, rotate};
use crate::motion::Motion;
use liedae::scalar::Scalar;
use nalgebra::Vector3;

/// A force or torque of given direction on body 2, as a function of time; the opposite acts on body 1, at the same point of space.
///
/// ```
/// use liedae::integrator::Radau5;
/// use liedae::solve::{Options, solve};
/// use liedae_multibody::{BodyId, Load, LoadSize, Motion, MultibodyBuilder, RigidBody};
///
/// // 2 kg are pushed along x by 3 N sin(2 t).
/// let mut mechanism = MultibodyBuilder::new();
/// let load = mechanism.add_body(RigidBody::new("load", 2.0, [0.1; 3]));
/// let push = LoadSize::Force(Motion::harmonic(0.0, 3.0, 2.0, 0.0));
/// mechanism.add_force("push", BodyId::GROUND, load, Load::new([1.0, 0.0, 0.0], push));
/// let end = solve(&mut mechanism.build()?, &Radau5::default(), &Options::adaptive(1.0, 1e-9, 1e-9))?.state;
/// // v = 3 / (2 · 2) (1 - cos(2 t)).
/// assert!((end.v[0] - 0.75 * (1.0 - 2.0_f64.cos())).abs() < 1e-8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Load {
    /// The point of body 2, from its centre of mass in its frame, m; a torque has none.
    pub point: Vector3<f64>,
    /// The unit direction, in the world or, of a follower, in body 2.
    pub direction: Vector3<f64>,
    /// How large it is in time.
    pub size: LoadSize,
    /// Whether its direction turns with body 2.
    pub is_follower: bool,
}

/// What a [`Load`] is, as a function of time.
///
/// ```
/// use liedae_multibody::{Load, LoadSize, Motion};
///
/// // A torque of 5 N m that sets in with a lag of 10 ms.
/// let torque = LoadSize::Torque(Motion::Approach { from: 0.0, to: 5.0, time: 0.01 });
/// assert_eq!(torque.motion().value(0.0), 0.0);
/// let load = Load::new([0.0, 0.0, 1.0], torque);
/// assert!((load.size.motion().value(0.1) - 5.0).abs() < 1e-3);
/// ```
#[derive(Clone, Debug)]
pub enum LoadSize {
    /// A force in N.
    Force(Motion),
    /// A torque in N m.
    Torque(Motion),
}

impl LoadSize {
    /// Its function of time.
    pub fn motion(&self) -> &Motion {
        match self {
            Self::Force(motion) | Self::Torque(motion) => motion,
        }
    }
}

impl Load {
    /// A load along this unit direction of the world, at the centre of mass of body 2.
    pub fn new(direction: impl Into<Vector3<f64>>, size: LoadSize) -> Self {
        Self {
            point: Vector3::zeros(),
            direction: direction.into(),
            size,
            is_follower: false,
        }
    }

    /// At this point of body 2, from its centre of mass in its frame, m.
    pub fn at(mut self, point: impl Into<Vector3<f64>>) -> Self {
        self.point = point.into();
        self
    }

    /// With a direction that is one of body 2 and turns with it.
    pub fn following(mut self) -> Self {
        self.is_follower = true;
        self
    }
}

impl PairForce for Load {
    fn wrenches<S: Scalar>(&self, t: f64, [one, two]: &[Kinematics<S>; 2]) -> [Wrench<S>; 2] {
        let direction = match self.is_follower {
            true => rotate(&two.rotation, &self.direction),
            false => self.direction.map(S::constant),
        };
        let along = direction * S::constant(self.size.motion().value(t));
        match self.size {
            LoadSize::Force(_) => {
                let point = two.point(&self.point);
                [one.force_at(&point, &-along), two.force_at(&point, &along)]
            }
            LoadSize::Torque(_) => [one.torque(&-along), two.torque(&along)],
        }
    }

    fn moments(&self) -> Vec<f64> {
        self.size.motion().moments()
    }

    fn wrong_number(&self) -> Option<(&'static str, f64)> {
        let length = self.direction.norm();
        if (length - 1.0).abs() > 1e-6 || !length.is_finite() {
            return Some(("the length of the direction", length));
        }
        let point = self.point.norm();
        (!point.is_finite()).then_some(("the distance of the point", point))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn action_and_reaction_balance() {
        let size = LoadSize::Force(Motion::Constant(2.0));
        let load = Load::new([0.0, 0.6, 0.8], size).at([0.1, 0.2, 0.3]);
        let one = Kinematics::ground();
        let two = Kinematics {
            position: Vector3::new(1.0, -2.0, 0.5),
            ..Kinematics::ground()
        };
        for load in [load.clone(), load.following()] {
            let [back, on] = load.wrenches(0.0, &[one, two]);
            assert!((back.force + on.force).norm() < 1e-15);
            // About the origin, where body 1 has its centre of mass.
            let moment = back.torque + on.torque + two.position.cross(&on.force);
            assert!(moment.norm() < 1e-14, "{moment}");
        }
    }
}
