//! Outputs.

use super::Reference;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An output: of a body's point, or of a joint.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutputEntry {
    /// Name of the output.
    pub name: String,
    /// The body; or `joint`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Reference>,
    /// The point in the body, from the centre of mass, m; that itself if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub point: Option<[f64; 3]>,
    /// The joint or drive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joint: Option<Reference>,
    /// What of it.
    pub quantity: QuantityName,
}

/// Quantities in the world: of bodies from `x` to `omega-z`, of joints from `force-x` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)] // they say themselves what they are
pub enum QuantityName {
    X,
    Y,
    Z,
    Vx,
    Vy,
    Vz,
    Ax,
    Ay,
    Az,
    OmegaX,
    OmegaY,
    OmegaZ,
    /// Reaction of the joint on body 2, N.
    ForceX,
    ForceY,
    ForceZ,
    /// Its moment about the joint's point, N m.
    TorqueX,
    TorqueY,
    TorqueZ,
    /// Of a drive, N or N m.
    Effort,
}
