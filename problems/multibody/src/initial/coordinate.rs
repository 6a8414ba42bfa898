//! The coordinates of joints, and those that a user states.

use super::tree::Tree;
use crate::connection::{Connection, Joints};
use crate::error::AssemblyError;
use crate::joint::{Joint, JointId, JointKind};
use crate::kinematics::Kinematics;
use crate::marker::{Axis, JointFrame};
use crate::motion::{Drive, Motion};
use std::f64::consts::{PI, TAU};

/// A coordinate of a joint, or its rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointCoordinate {
    /// The only one that the joint has: what a plain number becomes.
    Only(f64),
    /// The angle in rad about z₁ from x₁ to x₂, or its rate in rad/s.
    Angle(f64),
    /// The translation in m along z₁ from P₁ to P₂, or its rate in m/s.
    Translation(f64),
}

impl From<f64> for JointCoordinate {
    fn from(value: f64) -> Self {
        Self::Only(value)
    }
}

/// Which coordinate of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Freedom {
    Angle,
    Translation,
}

/// A coordinate that fits its joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stated {
    pub joint: JointId,
    pub freedom: Freedom,
    pub value: f64,
}

impl Freedom {
    pub fn name(self) -> &'static str {
        match self {
            Self::Angle => "angle",
            Self::Translation => "translation",
        }
    }

    /// The drive that prescribes it.
    pub fn drive(self, motion: Motion) -> Drive {
        match self {
            Self::Angle => Drive::Angle(motion),
            Self::Translation => Drive::Translation(motion),
        }
    }

    /// The coordinate where the bodies stand: an angle in (-π, π].
    pub fn measure(self, joint: &Connection, bodies: &[Kinematics; 2]) -> f64 {
        let [one, two] = joint.sides_with_axes(bodies);
        match self {
            Self::Angle => {
                let x = two.axis(Axis::X);
                // atan2(y₁ · x₂, x₁ · x₂) about z₁.
                one.axis(Axis::Y).dot(&x).atan2(one.axis(Axis::X).dot(&x))
            }
            Self::Translation => one.axis(Axis::Z).dot(&(two.point() - one.point())),
        }
    }

    /// Its rate.
    pub fn rate(self, joint: &Connection, bodies: &[Kinematics; 2]) -> f64 {
        let [one, two] = joint.sides_with_axes(bodies);
        let axis = one.axis(Axis::Z);
        let spin = bodies[0].angular_velocity();
        match self {
            Self::Angle => axis.dot(&(bodies[1].angular_velocity() - spin)),
            Self::Translation => {
                let velocity =
                    |side: usize| bodies[side].point_velocity(&joint.markers[side].point);
                let d = two.point() - one.point();
                // d/dt (z₁ · d) = z₁ · d' + (ω₁ × z₁) · d.
                axis.dot(&(velocity(1) - velocity(0))) + spin.cross(&axis).dot(&d)
            }
        }
    }

    /// The way from one value to another; the shorter one round for angles.
    pub fn way(self, from: f64, to: f64) -> f64 {
        let way = to - from;
        match self {
            // The nearest whole number of turns is taken off.
            Self::Angle if way.abs() > PI => way - TAU * (way / TAU).round(),
            _ => way,
        }
    }
}

impl Stated {
    /// The coordinate where the bodies stand.
    pub fn measure(&self, joints: &Joints, bodies: &[Kinematics]) -> f64 {
        let joint = &joints.connections[joints.order[self.joint.0]];
        self.freedom.measure(joint, &Tree::pair(joint, bodies))
    }

    /// The way from where the bodies stand.
    pub fn way(&self, joints: &Joints, bodies: &[Kinematics]) -> f64 {
        self.freedom.way(self.measure(joints, bodies), self.value)
    }

    /// Whether another joint is a drive of this coordinate.
    pub fn is_driven_by(&self, joint: &Joint, all: &[Joint]) -> bool {
        let kind = match self.freedom {
            Freedom::Angle => matches!(joint.kind, JointKind::Angle(_)),
            Freedom::Translation => matches!(joint.kind, JointKind::Dot2(Axis::Z, _)),
        };
        let own = all
            .get(self.joint.0)
            .map(|own| (own.first, own.second, own.frames));
        kind && own == Some((joint.first, joint.second, joint.frames))
    }

    /// Checks what a user stated as `what`.
    pub fn resolve(
        stated: &[(JointId, JointCoordinate)],
        joints: &Joints,
        what: &'static str,
    ) -> Result<Vec<Self>, AssemblyError> {
        let mut resolved: Vec<Self> = Vec::with_capacity(stated.len());
        for &(joint, coordinate) in stated {
            let connection = joints.find(joint, what)?;
            let (turns, slides) = (connection.kind.turns(), connection.kind.slides());
            let refuse = |reason| AssemblyError::JointKind {
                element: what.to_owned(),
                joint: connection.name.clone(),
                reason,
            };
            let (freedom, value) = match coordinate {
                JointCoordinate::Angle(value) if turns => (Freedom::Angle, value),
                JointCoordinate::Angle(_) => {
                    return Err(refuse("an angle needs a revolute or cylindrical joint"));
                }
                JointCoordinate::Translation(value) if slides => (Freedom::Translation, value),
                JointCoordinate::Translation(_) => {
                    return Err(refuse(
                        "a translation needs a translational, cylindrical or revolute-cylindrical joint",
                    ));
                }
                JointCoordinate::Only(_) if turns && slides => {
                    return Err(refuse(
                        "it turns and slides: say JointCoordinate::Angle or JointCoordinate::Translation",
                    ));
                }
                JointCoordinate::Only(value) if turns => (Freedom::Angle, value),
                JointCoordinate::Only(value) if slides => (Freedom::Translation, value),
                JointCoordinate::Only(_) => {
                    return Err(refuse(
                        "a coordinate needs a revolute, translational, cylindrical or revolute-cylindrical joint",
                    ));
                }
            };
            if !value.is_finite() {
                return Err(AssemblyError::NotFinite {
                    what: format!("the {what} of '{}'", connection.name),
                    element: Some(connection.name.clone()),
                });
            }
            let same = |other: &Self| (other.joint, other.freedom) == (joint, freedom);
            if resolved.iter().any(same) {
                return Err(AssemblyError::DuplicateName {
                    kind: what,
                    name: connection.name.clone(),
                });
            }
            resolved.push(Self {
                joint,
                freedom,
                value,
            });
        }
        Ok(resolved)
    }
}
