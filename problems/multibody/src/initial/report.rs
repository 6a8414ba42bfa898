//! What stated joint coordinates did to the bodies.

use crate::kinematics::Kinematics;
use liedae::system::Short;
use nalgebra::Vector3;
use std::fmt;

/// How far a body was moved, and how much its velocity changed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Displacement {
    /// Of the centre of mass in m.
    pub translation: f64,
    /// Angle of the rotation in rad.
    pub rotation: f64,
    /// Change of the centre's velocity in m/s.
    pub velocity: f64,
    /// Change of the angular velocity in rad/s, seen in the world.
    pub angular_velocity: f64,
}

impl Displacement {
    pub(super) fn between(from: &Kinematics, to: &Kinematics) -> Self {
        let turn = to.rotation * from.rotation.transpose();
        // Twice the sine along the axis: exact for small angles, unlike the cosine.
        let sine = Vector3::new(
            turn[(2, 1)] - turn[(1, 2)],
            turn[(0, 2)] - turn[(2, 0)],
            turn[(1, 0)] - turn[(0, 1)],
        );
        Self {
            translation: (to.position - from.position).norm(),
            // atan2(2 sin φ, 2 cos φ): exact near zero and near π.
            rotation: sine.norm().atan2(turn.trace() - 1.0),
            velocity: (to.velocity - from.velocity).norm(),
            angular_velocity: (to.angular_velocity() - from.angular_velocity()).norm(),
        }
    }

    /// Whether any of the four is larger than this; a NaN is.
    pub fn exceeds(&self, bound: f64) -> bool {
        let parts = [
            self.translation,
            self.rotation,
            self.velocity,
            self.angular_velocity,
        ];
        parts.iter().any(|part| part.is_nan() || *part > bound)
    }
}

impl fmt::Display for Displacement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{} m, {} rad, {} m/s, {} rad/s",
            Short(self.translation),
            Short(self.rotation),
            Short(self.velocity),
            Short(self.angular_velocity)
        )
    }
}

/// A joint whose coordinate or rate was stated, as it starts.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedJoint {
    /// Name of the joint.
    pub name: String,
    /// `angle` or `translation`.
    pub coordinate: &'static str,
    /// The coordinate in rad or m: as stated, or as measured, then an angle within (-π, π].
    pub position: f64,
    /// Its rate in rad/s or m/s.
    pub rate: f64,
}

/// How a body came to where it starts.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedBody {
    /// Name of the body.
    pub name: String,
    /// By the stated coordinates of the joints that carry it, from where the body was stated.
    pub by_joints: Displacement,
    /// By the closing of loops, from there.
    pub by_loops: Displacement,
}

/// What stated joint coordinates and rates did to the bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct Placement {
    /// The joints with a stated coordinate or rate.
    pub joints: Vec<PlacedJoint>,
    /// All bodies, in order of addition.
    pub bodies: Vec<PlacedBody>,
}

impl Placement {
    /// The bodies that the closing of loops moved by more than `bound`, in m, rad, m/s or rad/s.
    pub fn moved_by_loops(&self, bound: f64) -> impl Iterator<Item = &PlacedBody> {
        let moved = move |body: &&PlacedBody| body.by_loops.exceeds(bound);
        self.bodies.iter().filter(moved)
    }
}

impl fmt::Display for Placement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for joint in &self.joints {
            let (position, rate) = (Short(joint.position), Short(joint.rate));
            writeln!(
                formatter,
                "{} of '{}': {position}, rate {rate}",
                joint.coordinate, joint.name
            )?;
        }
        for body in &self.bodies {
            writeln!(
                formatter,
                "'{}' moved by joints: {}; by loops: {}",
                body.name, body.by_joints, body.by_loops
            )?;
        }
        Ok(())
    }
}
