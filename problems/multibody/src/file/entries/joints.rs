//! Joints, their frames, and what moves them.

use super::Reference;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A joint.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JointEntry {
    /// Name, unique among joints and drives.
    pub name: String,
    /// What it forbids.
    pub kind: JointName,
    /// Body 1 and body 2; `ground` is the world.
    pub bodies: [Reference; 2],
    /// A point of the joint in the world at assembly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub point: Option<[f64; 3]>,
    /// Its unit axis in the world at assembly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<[f64; 3]>,
    /// The axis on body 2, of universal and revolute-cylindrical joints and of a `cosine`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second_axis: Option<[f64; 3]>,
    /// Where angles count from: a direction of the world across the axis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x: Option<[f64; 3]>,
    /// The two points of a distance in the world at assembly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<[[f64; 3]; 2]>,
    /// The frames on both bodies, in place of `point`, `axis` and the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frames: Option<[FrameEntry; 2]>,
    /// What the joint's quantity follows: of the kinds `distance`, `angle`, `displacement`, `coordinate` and `cosine`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<MotionEntry>,
    /// The direction of the world of a `coordinate`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<[f64; 3]>,
    /// The axes of a `cosine`, of the frames on body 1 and on body 2; the one of a `displacement`, of the frame on body 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 2))]
    pub axes: Option<Vec<AxisName>>,
}

/// Kinds of joints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum JointName {
    /// All is held.
    Fixed,
    /// The points coincide.
    Spherical,
    /// The points and the axes coincide.
    Revolute,
    /// The points coincide, the axes are perpendicular.
    Universal,
    /// The axes lie on one line.
    Cylindrical,
    /// The same without rotation.
    Translational,
    /// A revolute joint that slides along the axis of body 1 and turns about it.
    RevoluteCylindrical,
    /// The points keep their distance, or it follows `motion`.
    Distance,
    /// The angle about the axis follows `motion`, beside a joint that turns.
    Angle,
    /// The displacement along an axis of body 1 follows `motion`.
    Displacement,
    /// The displacement along a direction of the world follows `motion`.
    Coordinate,
    /// The cosine between an axis of body 1 and one of body 2 follows `motion`.
    Cosine,
}

/// An axis of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AxisName {
    /// First.
    X,
    /// Second.
    Y,
    /// Third.
    Z,
}

/// A frame on a body.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FrameEntry {
    /// Where its numbers are read.
    #[serde(default)]
    pub r#in: Place,
    /// Its point, m; in the body from the centre of mass.
    pub point: [f64; 3],
    /// Its unit z-axis; without, the axes are those of where it is read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub z: Option<[f64; 3]>,
    /// Its x-axis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x: Option<[f64; 3]>,
    /// A rotation matrix by rows, whose columns are the x-, y- and z-axis; in place of `z` and `x`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axes: Option<[[f64; 3]; 3]>,
}

/// Where numbers are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// In the body.
    #[default]
    Body,
    /// In the world at assembly.
    World,
}

/// A function of time: exactly one of these.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MotionEntry {
    /// Always the same.
    Constant(f64),
    /// Coefficients of 1, t, t², ...
    Polynomial(Vec<f64>),
    /// offset + amplitude sin(rate t + phase).
    Harmonic(HarmonicEntry),
}

/// offset + amplitude sin(rate t + phase).
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HarmonicEntry {
    /// Mean value.
    #[serde(default)]
    pub offset: f64,
    /// Largest excursion.
    pub amplitude: f64,
    /// Angular frequency, rad/s.
    pub rate: f64,
    /// Phase at t = 0, rad.
    #[serde(default)]
    pub phase: f64,
}

/// A drive of a joint, with a row of its own.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DriveEntry {
    /// Name, unique among joints and drives.
    pub name: String,
    /// The joint.
    pub joint: Reference,
    /// The angle about the joint's axis, rad; one of `angle` and `translation`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angle: Option<MotionEntry>,
    /// The translation along the joint's axis, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub translation: Option<MotionEntry>,
}

/// The coordinates that a joint starts with.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InitialEntry {
    /// The joint.
    pub joint: Reference,
    /// Its angle, rad.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angle: Option<f64>,
    /// Its translation, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub translation: Option<f64>,
    /// The rate of its angle, rad/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angle_rate: Option<f64>,
    /// The rate of its translation, m/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub translation_rate: Option<f64>,
}
