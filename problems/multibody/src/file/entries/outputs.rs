//! Outputs.

use super::Reference;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An output: of a body's point, or of a joint.
///
/// ```
/// use liedae::prelude::*;
/// use liedae_multibody::file::{MechanismFile, OutputEntry};
///
/// // The rim of a wheel of radius 0.5 m that turns with 6 rad/s.
/// let text = r#"
/// t_end = 1.0
/// bodies = [{ name = "wheel", mass = 1.0, inertia = [0.1, 0.1, 0.2], angular_velocity = [0.0, 0.0, 6.0] }]
/// [[outputs]]
/// name = "rim"
/// body = "wheel"
/// point = [0.5, 0.0, 0.0]
/// quantity = "vy"
/// "#;
/// let file = MechanismFile::read(text)?;
/// let OutputEntry { point, joint, .. } = file.outputs[0].get_ref();
/// assert!(*point == Some([0.5, 0.0, 0.0]) && joint.is_none());
/// let mut system = file.system(text)?;
/// let start = system.initial_state();
/// assert_eq!(named_outputs(&mut system, &start)?, [("rim".to_owned(), 0.5 * 6.0)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
///
/// ```
/// use liedae::prelude::*;
/// use liedae::system::{AccelerationSolver, Evaluator};
/// use liedae_multibody::file::{MechanismFile, QuantityName};
///
/// // What a bracket carries of a lamp of 3 kg, half a metre off the wall.
/// let text = r#"
/// gravity = [0.0, 0.0, -10.0]
/// t_end = 1.0
/// bodies = [{ name = "lamp", mass = 3.0, inertia = [0.1, 0.1, 0.1], position = [0.5, 0.0, 0.0] }]
/// joints = [{ name = "bracket", kind = "fixed", bodies = ["ground", "lamp"], point = [0.0, 0.0, 0.0] }]
/// outputs = [
///     { name = "load", joint = "bracket", quantity = "force-z" },
///     { name = "moment", joint = "bracket", quantity = "torque-y" },
/// ]
/// "#;
/// let file = MechanismFile::read(text)?;
/// assert_eq!(file.outputs[1].get_ref().quantity, QuantityName::TorqueY);
/// let mut system = file.system(text)?;
/// let mut state = system.initial_state();
/// AccelerationSolver::new(system.layout())?.complete(&mut Evaluator::new(&mut system), &mut state)?;
/// let outputs = named_outputs(&mut system, &state)?;
/// assert!((outputs[0].1 - 3.0 * 10.0).abs() < 1e-9 && (outputs[1].1 + 0.5 * 30.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
