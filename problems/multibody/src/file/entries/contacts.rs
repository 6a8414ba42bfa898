//! Contacts and shapes.

use super::{FrameEntry, Reference};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A contact between two surfaces.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContactEntry {
    /// Name, unique among contacts.
    pub name: String,
    /// The surfaces.
    pub surfaces: [SurfaceEntry; 2],
    /// Coefficient of restitution, 0 to 1.
    #[serde(default)]
    pub restitution: f64,
    /// Coefficient of Coulomb friction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
}

/// A surface of a body.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SurfaceEntry {
    /// The body.
    pub body: Reference,
    /// Where the shape is.
    pub frame: FrameEntry,
    /// The shape.
    pub shape: ShapeEntry,
}

/// A shape in its frame, lengths in m.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ShapeEntry {
    /// The material below z = 0.
    HalfSpace,
    /// The frame's origin.
    Point,
    /// Points, each a contact of its own.
    Points(Vec<[f64; 3]>),
    /// A ball of this radius.
    Sphere(f64),
    /// The material around a hole of this radius.
    HollowSphere(f64),
    /// Radius and half the length of a capsule along z.
    Capsule([f64; 2]),
    /// Radius and half the length of a cylinder along z.
    Cylinder([f64; 2]),
    /// Half the sides of a box.
    Cuboid([f64; 3]),
    /// The material around a cylindrical hole of this radius along z.
    Bore(f64),
    /// The material beside a slot of this width.
    Slot(f64),
}

/// How impacts in several contacts at once are resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ImpactLawName {
    /// Newton's law in Moreau's form, all closed contacts together.
    Moreau,
    /// Poisson's law; without friction only.
    Poisson,
    /// One contact after the other.
    Sequential,
}

/// What counts as closed and at rest.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ThresholdsEntry {
    /// Size of what touches, m: all thresholds are in proportion to it; 1 if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<f64>,
    /// Time between touches, s; 1 if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<f64>,
    /// A contact with a smaller gap is closed, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap: Option<f64>,
    /// What is slower may stay closed or stick, m/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub velocity: Option<f64>,
    /// Smaller accelerations count as none, m/s².
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acceleration: Option<f64>,
    /// A contact opens where its force falls below minus this part of the forces that act on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub force: Option<f64>,
    /// A state with a deeper penetration is refused, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub penetration: Option<f64>,
}
