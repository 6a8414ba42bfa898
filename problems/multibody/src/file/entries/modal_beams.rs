//! Beams with modes.

use super::Reference;
use super::beams::StartEntry;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A straight beam that deforms by a few modes in a frame that moves (floating frame of reference). The frame is a body with the name of
/// the beam, with the beam along its x-axis from the origin on; each marker is a body `<beam>.<node>`.
///
/// ```
/// use liedae::analysis::static_equilibrium;
/// use liedae::system::{Evaluator, System};
/// use liedae_multibody::Snapshot;
/// use liedae_multibody::file::{BeamEndsName, MechanismFile, ModalBeamEntry};
///
/// // A steel ruler, 0.5 m long and clamped at its end, bends under its weight.
/// let text = r#"
/// gravity = [0.0, 0.0, -9.81]
/// t_end = 1.0
/// joints = [{ name = "clamp", kind = "fixed", bodies = ["ground", "ruler"], point = [0.0, 0.0, 0.0] }]
/// [[sections]]
/// name = "strip"
/// rectangle = [0.03, 0.001]
/// material = { young = 2.1e11, poisson = 0.3, density = 7850.0 }
/// [[modal_beams]]
/// name = "ruler"
/// section = "strip"
/// length = 0.5
/// elements = 10
/// ends = "clamped"
/// bending = [0, 3]
/// retardation = 0.05
/// markers = [10]
/// "#;
/// let file = MechanismFile::read(text)?;
/// let ModalBeamEntry { ends, bending, .. } = file.modal_beams[0].get_ref();
/// assert_eq!((*ends, *bending), (BeamEndsName::Clamped, [0, 3]));
/// let mut system = file.system(text)?;
/// let tip = system.body("ruler.10").ok_or("its marker")?;
/// let start = system.initial_state();
/// let rest = static_equilibrium(&mut Evaluator::new(&mut system), &start, &Default::default())?.state;
/// // ρ A g L⁴ / (8 E I).
/// assert!((Snapshot::new(&system, &rest).position(tip).z / -0.0344 - 1.0).abs() < 0.01);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModalBeamEntry {
    /// Name of the beam and of its frame, unique among bodies.
    pub name: String,
    /// Its section, which couples neither stretching, bending nor twisting. Its shear stiffness is not used.
    pub section: Reference,
    /// Length, m.
    pub length: f64,
    /// Finite elements of equal length from which modes are computed; nodes are numbered from 0 at the origin.
    pub elements: usize,
    /// What holds the beam in its frame.
    pub ends: BeamEndsName,
    /// Numbers of modes of bending along y and along z, slow ones first; one of each if missing.
    #[serde(default = "one_each")]
    pub bending: [usize; 2],
    /// Number of modes of stretching.
    #[serde(default)]
    pub stretching: usize,
    /// Number of modes of twisting.
    #[serde(default)]
    pub twisting: usize,
    /// How deflections shorten the beam: `affine-fit` if missing.
    #[serde(default)]
    pub foreshortening: ForeshorteningName,
    /// Time of retardation, s: damping in proportion to stiffness, in place of that of the section.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retardation: Option<f64>,
    /// Nodes with a marker, a body `<beam>.<node>` for joints, forces and contacts. Each costs six velocities and six rows.
    #[serde(default)]
    pub markers: Vec<usize>,
    /// Origin of the frame in the world, m.
    #[serde(default)]
    pub position: [f64; 3],
    /// Rotation matrix of the frame, to the world, by rows; one of `rotation` and `quaternion`, none for a beam along x of the world.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<[[f64; 3]; 3]>,
    /// Hamilton's quaternion, scalar first, frame to world.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quaternion: Option<[f64; 4]>,
    /// Velocity of the origin in the world, m/s.
    #[serde(default)]
    pub velocity: [f64; 3],
    /// Angular velocity of the frame, in the frame, rad/s.
    #[serde(default)]
    pub angular_velocity: [f64; 3],
    /// Modal coordinates at the start, m or rad: bending along y and along z, stretching, twisting; zero if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coordinates: Option<Vec<f64>>,
    /// Their rates at the start; zero if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rates: Option<Vec<f64>>,
    /// Where the markers are at the start, if not to the last bit where the modes put them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<Vec<StartEntry>>,
    /// How many of the `bodies` come before its frame in the order of the equations; all if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_bodies: Option<usize>,
    /// How many of the `beams` that come behind as many bodies come before its frame; all if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_beams: Option<usize>,
}

fn one_each() -> [usize; 2] {
    [1, 1]
}

/// Which ends of a beam its modes leave where they are in its frame.
///
/// ```
/// use liedae_multibody::BeamEnds;
/// use liedae_multibody::file::BeamEndsName;
///
/// assert_eq!(BeamEnds::from(BeamEndsName::Pinned), BeamEnds::Pinned);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BeamEndsName {
    /// The start is clamped to the frame, and the end is free.
    Clamped,
    /// Both ends stay on the x-axis of the frame and turn freely; the start neither moves along the axis nor turns about it.
    Pinned,
    /// Both ends are free: modes have no momentum and no angular momentum in the frame (Buckens).
    Free,
}

/// How deflections shorten a beam with modes, by ½ ∫ v'² + w'² dx.
///
/// ```
/// use liedae_multibody::file::ForeshorteningName;
///
/// assert_eq!(ForeshorteningName::default(), ForeshorteningName::AffineFit);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ForeshorteningName {
    /// In the inertia as the affine field with the same first and cross moments.
    #[default]
    AffineFit,
    /// In the inertia as it is at every point, which costs more.
    PlainField,
    /// Not at all: displacements are linear, for beams that do not rotate fast.
    None,
}
