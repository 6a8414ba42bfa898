//! Names of quantities, shapes and laws of impact in mechanism files, and back.

use super::entries::{ImpactLawName, QuantityName, ShapeEntry, ThresholdsEntry};
use crate::{Axis, BodyId, JointId, Output, Shape};
use liedae_contact::{ImpactLaw, Thresholds};

impl QuantityName {
    fn axis(self) -> Axis {
        use QuantityName as Q;
        match self {
            Q::X | Q::Vx | Q::Ax | Q::OmegaX | Q::ForceX | Q::TorqueX | Q::Effort => Axis::X,
            Q::Y | Q::Vy | Q::Ay | Q::OmegaY | Q::ForceY | Q::TorqueY => Axis::Y,
            Q::Z | Q::Vz | Q::Az | Q::OmegaZ | Q::ForceZ | Q::TorqueZ => Axis::Z,
        }
    }

    /// Whether a body has it in every point another.
    pub(super) fn is_of_point(self) -> bool {
        use QuantityName as Q;
        matches!(
            self,
            Q::X | Q::Y | Q::Z | Q::Vx | Q::Vy | Q::Vz | Q::Ax | Q::Ay | Q::Az
        )
    }

    /// The output of a body's point; `None` for quantities of joints.
    pub(super) fn of_body(self, body: BodyId, point: [f64; 3]) -> Option<Output> {
        use QuantityName as Q;
        let axis = self.axis();
        Some(match self {
            Q::X | Q::Y | Q::Z => Output::Position(body, point, axis),
            Q::Vx | Q::Vy | Q::Vz => Output::Velocity(body, point, axis),
            Q::Ax | Q::Ay | Q::Az => Output::Acceleration(body, point, axis),
            Q::OmegaX | Q::OmegaY | Q::OmegaZ => Output::AngularVelocity(body, axis),
            _ => return None,
        })
    }

    /// The output of a joint; `None` for quantities of bodies.
    pub(super) fn of_joint(self, joint: JointId) -> Option<Output> {
        use QuantityName as Q;
        let axis = self.axis();
        Some(match self {
            Q::ForceX | Q::ForceY | Q::ForceZ => Output::Force(joint, axis),
            Q::TorqueX | Q::TorqueY | Q::TorqueZ => Output::Torque(joint, axis),
            Q::Effort => Output::Effort(joint),
            _ => return None,
        })
    }
}

impl From<&Output> for QuantityName {
    fn from(output: &Output) -> Self {
        let (names, axis) = match *output {
            Output::Position(.., axis) => ([Self::X, Self::Y, Self::Z], axis),
            Output::Velocity(.., axis) => ([Self::Vx, Self::Vy, Self::Vz], axis),
            Output::Acceleration(.., axis) => ([Self::Ax, Self::Ay, Self::Az], axis),
            Output::AngularVelocity(_, axis) => ([Self::OmegaX, Self::OmegaY, Self::OmegaZ], axis),
            Output::Force(_, axis) => ([Self::ForceX, Self::ForceY, Self::ForceZ], axis),
            Output::Torque(_, axis) => ([Self::TorqueX, Self::TorqueY, Self::TorqueZ], axis),
            Output::Effort(_) => ([Self::Effort; 3], Axis::X),
        };
        names[axis as usize]
    }
}

impl From<&ShapeEntry> for Shape {
    fn from(stated: &ShapeEntry) -> Self {
        match stated {
            ShapeEntry::HalfSpace => Self::HalfSpace,
            ShapeEntry::Point => Self::Point,
            ShapeEntry::Points(points) => Self::Points(points.clone()),
            ShapeEntry::Sphere(radius) => Self::Sphere(*radius),
            ShapeEntry::HollowSphere(radius) => Self::HollowSphere(*radius),
            &ShapeEntry::Capsule([radius, half_length]) => Self::Capsule {
                radius,
                half_length,
            },
            &ShapeEntry::Cylinder([radius, half_length]) => Self::Cylinder {
                radius,
                half_length,
            },
            ShapeEntry::Cuboid(halves) => Self::Cuboid(*halves),
            ShapeEntry::Bore(radius) => Self::Bore(*radius),
            ShapeEntry::Slot(width) => Self::Slot(*width),
        }
    }
}

impl ShapeEntry {
    /// What a file states of a shape; `None` for polyhedra.
    pub(super) fn of(shape: &Shape) -> Option<Self> {
        Some(match shape {
            Shape::HalfSpace => Self::HalfSpace,
            Shape::Point => Self::Point,
            Shape::Points(points) => Self::Points(points.clone()),
            Shape::Sphere(radius) => Self::Sphere(*radius),
            Shape::HollowSphere(radius) => Self::HollowSphere(*radius),
            &Shape::Capsule {
                radius,
                half_length,
            } => Self::Capsule([radius, half_length]),
            &Shape::Cylinder {
                radius,
                half_length,
            } => Self::Cylinder([radius, half_length]),
            Shape::Cuboid(halves) => Self::Cuboid(*halves),
            #[cfg(feature = "convex")]
            Shape::Polyhedron(_) => return None,
            Shape::Bore(radius) => Self::Bore(*radius),
            Shape::Slot(width) => Self::Slot(*width),
        })
    }
}

impl From<ImpactLawName> for ImpactLaw {
    fn from(name: ImpactLawName) -> Self {
        match name {
            ImpactLawName::Moreau => Self::Moreau,
            ImpactLawName::Poisson => Self::Poisson,
            ImpactLawName::Sequential => Self::Sequential,
        }
    }
}

impl From<ImpactLaw> for ImpactLawName {
    fn from(law: ImpactLaw) -> Self {
        match law {
            ImpactLaw::Moreau => Self::Moreau,
            ImpactLaw::Poisson => Self::Poisson,
            ImpactLaw::Sequential => Self::Sequential,
        }
    }
}

impl From<ThresholdsEntry> for Thresholds {
    fn from(stated: ThresholdsEntry) -> Self {
        let usual = Self::scaled(stated.length.unwrap_or(1.0), stated.time.unwrap_or(1.0));
        Self {
            gap: stated.gap.unwrap_or(usual.gap),
            velocity: stated.velocity.unwrap_or(usual.velocity),
            acceleration: stated.acceleration.unwrap_or(usual.acceleration),
            force: stated.force.unwrap_or(usual.force),
            penetration: stated.penetration.unwrap_or(usual.penetration),
        }
    }
}

impl From<Thresholds> for ThresholdsEntry {
    fn from(thresholds: Thresholds) -> Self {
        Self {
            length: None,
            time: None,
            gap: Some(thresholds.gap),
            velocity: Some(thresholds.velocity),
            acceleration: Some(thresholds.acceleration),
            force: Some(thresholds.force),
            penetration: Some(thresholds.penetration),
        }
    }
}
