//! Springs, friction and bearings.

use super::{FrameEntry, Reference, is_false, is_zero};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A spring with a damper between points of two bodies.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SpringEntry {
    /// Name, unique among forces.
    pub name: String,
    /// The bodies.
    pub bodies: [Reference; 2],
    /// Its ends in the world at assembly; or `frames`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<[[f64; 3]; 2]>,
    /// Its ends as frames.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frames: Option<[FrameEntry; 2]>,
    /// Stiffness, N/m.
    pub stiffness: f64,
    /// Damping, N s/m.
    #[serde(default)]
    pub damping: f64,
    /// Free length, m.
    pub free_length: f64,
}

/// A spring with a damper about the axis of a revolute or cylindrical joint.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RotationalSpringEntry {
    /// Name, unique among forces.
    pub name: String,
    /// The joint.
    pub joint: Reference,
    /// Stiffness, N m/rad.
    pub stiffness: f64,
    /// Damping, N m s/rad.
    #[serde(default)]
    pub damping: f64,
    /// Free angle, rad.
    #[serde(default)]
    pub free_angle: f64,
    /// Whether it counts turns.
    #[serde(default, skip_serializing_if = "is_false")]
    pub counts_turns: bool,
}

/// Coulomb friction in a joint that slides.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FrictionEntry {
    /// Name, unique among forces.
    pub name: String,
    /// The joint.
    pub joint: Reference,
    /// Coefficient of friction.
    pub coefficient: f64,
    /// The direction (x, y) of the joint's frame in which its reaction presses; the whole force across the axis if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub normal: Option<[f64; 2]>,
    /// Whether it may stick; otherwise it slides and reverses only.
    #[serde(default, skip_serializing_if = "is_false")]
    pub sticks: bool,
    /// Sign of the sliding velocity at the start, where it is zero: 1 or -1. A joint that may stick decides about it itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initial_direction: Option<i32>,
}

/// Coulomb friction about the axis of a revolute joint, which may stick.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BearingEntry {
    /// Name, unique among forces.
    pub name: String,
    /// The revolute joint.
    pub joint: Reference,
    /// Coefficient of friction.
    pub coefficient: f64,
    /// Radius of the journal, m.
    pub radius: f64,
    /// Distance of two bearings that carry moments across the axis, m; a single bearing, in which moments do not rub, if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<f64>,
    /// Radius at which a collar takes the thrust, m; 0 where thrust does not rub.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub collar: f64,
}
