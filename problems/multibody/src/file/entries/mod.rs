//! The tables of a mechanism file.

mod beams;
mod contacts;
mod forces;
mod joints;
mod laws;
mod modal_beams;
mod motions;
mod outputs;

pub use beams::{
    BeamEntry, CurveEntry, LineEntry, MaterialEntry, NodeEntry, OutlineEntry, SectionEntry,
    StartEntry,
};
pub use contacts::{ContactEntry, ImpactLawName, ShapeEntry, SurfaceEntry, ThresholdsEntry};
pub use forces::{BearingEntry, FrictionEntry, RotationalSpringEntry, SpringEntry};
pub use joints::{AxisName, DriveEntry, FrameEntry, InitialEntry, JointEntry, JointName, Place};
pub use laws::{
    BumpEntry, CartesianSpringEntry, ForceEntry, LawEntry, LoadEntry, MagicEntry, TyreEntry,
};
pub use modal_beams::{BeamEndsName, ForeshorteningName, ModalBeamEntry};
pub use motions::{ApproachEntry, HarmonicEntry, MotionEntry, PieceEntry, VersineEntry};
pub use outputs::{OutputEntry, QuantityName};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Spanned;

/// A mechanism in SI units: lengths in m, masses in kg, times in s, angles in rad.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MechanismFile {
    /// Name of the mechanism; that of the file if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// One line for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Acceleration of gravity in the world, m/s²; none if missing.
    #[serde(default)]
    pub gravity: [f64; 3],
    /// Time of the start, s.
    #[serde(default)]
    pub t_start: f64,
    /// End of the run, s.
    pub t_end: f64,
    /// Step of methods with fixed steps, s; a thousandth of the time span if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<f64>,
    /// What goes with a relative tolerance of one, unless a run states its absolute tolerance; if missing 1, and of mechanisms below 0.1 m a power of
    /// ten that is no larger than they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub absolute_scale: Option<f64>,
    /// Whether projections hold the energy: only without drives, motions, dampers, friction and restitution below 1.
    #[serde(default, skip_serializing_if = "is_false")]
    pub keeps_energy: bool,
    /// Moments at which something is not smooth, s: every run lands on them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub time_events: Vec<f64>,
    /// How impacts in several contacts at once are resolved: `moreau` if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub impact_law: Option<ImpactLawName>,
    /// What counts as closed and at rest, of contacts and of joints that may stick.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thresholds: Option<ThresholdsEntry>,
    /// The bodies; `ground` is there already, and nodes of beams are bodies, too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<BodyEntry>")]
    pub bodies: Vec<Spanned<BodyEntry>>,
    /// Sections of beams.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<SectionEntry>")]
    pub sections: Vec<Spanned<SectionEntry>>,
    /// Beams.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<BeamEntry>")]
    pub beams: Vec<Spanned<BeamEntry>>,
    /// Straight beams that deform by a few modes; their frames and markers are bodies, too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<ModalBeamEntry>")]
    pub modal_beams: Vec<Spanned<ModalBeamEntry>>,
    /// Joints, in any order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<JointEntry>")]
    pub joints: Vec<Spanned<JointEntry>>,
    /// Drives of joints.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<DriveEntry>")]
    pub drives: Vec<Spanned<DriveEntry>>,
    /// Forces between bodies by a law.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<ForceEntry>")]
    pub forces: Vec<Spanned<ForceEntry>>,
    /// Springs with dampers between points.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<SpringEntry>")]
    pub springs: Vec<Spanned<SpringEntry>>,
    /// Springs with dampers about the axes of joints.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<RotationalSpringEntry>")]
    pub rotational_springs: Vec<Spanned<RotationalSpringEntry>>,
    /// Coulomb friction in joints that slide.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<FrictionEntry>")]
    pub frictions: Vec<Spanned<FrictionEntry>>,
    /// Coulomb friction about the axes of revolute joints.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<BearingEntry>")]
    pub bearings: Vec<Spanned<BearingEntry>>,
    /// Contacts between surfaces.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<ContactEntry>")]
    pub contacts: Vec<Spanned<ContactEntry>>,
    /// Initial coordinates of joints.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<InitialEntry>")]
    pub initial: Vec<Spanned<InitialEntry>>,
    /// Outputs; positions and velocities of all bodies if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<OutputEntry>")]
    pub outputs: Vec<Spanned<OutputEntry>>,
}

fn yes() -> bool {
    true
}

fn is_true(value: &bool) -> bool {
    *value
}

fn is_false(value: &bool) -> bool {
    !value
}

/// Of 0 itself: what is written and read again has the same bits, and -0 other ones.
fn is_zero(value: &f64) -> bool {
    value.to_bits() == 0.0_f64.to_bits()
}

/// A body, where it stands at assembly.
///
/// ```
/// use liedae::system::System;
/// use liedae_multibody::Snapshot;
/// use liedae_multibody::file::{BodyEntry, MechanismFile};
///
/// // A bar of 2 m that stands upright: it is turned by a quarter about y.
/// let text = r#"
/// t_end = 1.0
/// [[bodies]]
/// name = "bar"
/// mass = 3.0
/// inertia = [0.01, 1.0, 1.0]
/// position = [0.0, 0.0, 1.0]
/// quaternion = [0.7071067811865476, 0.0, -0.7071067811865476, 0.0]
/// "#;
/// let file = MechanismFile::read(text)?;
/// let BodyEntry { name, mass, rotation, .. } = file.bodies[0].get_ref();
/// assert_eq!((name.as_str(), *mass, *rotation), ("bar", 3.0, None));
/// let system = file.system(text)?;
/// let start = system.initial_state();
/// let bar = system.body("bar").ok_or("the bar")?;
/// assert!((Snapshot::new(&system, &start).point(bar, [1.0, 0.0, 0.0]).z - 2.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BodyEntry {
    /// Name, unique among bodies.
    pub name: String,
    /// Mass, kg.
    pub mass: f64,
    /// About the centre of mass along the axes of the body, kg m²: three principal moments, or the rows of the tensor.
    pub inertia: InertiaEntry,
    /// Centre of mass in the world, m.
    #[serde(default)]
    pub position: [f64; 3],
    /// Rotation matrix, body to world, by rows; one of `rotation` and `quaternion`, none for a body that is not turned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<[[f64; 3]; 3]>,
    /// Hamilton's quaternion, scalar first, body to world.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quaternion: Option<[f64; 4]>,
    /// Velocity of the centre of mass in the world, m/s.
    #[serde(default)]
    pub velocity: [f64; 3],
    /// Angular velocity in the body, rad/s.
    #[serde(default)]
    pub angular_velocity: [f64; 3],
    /// Accepts moments of inertia that no rigid body has.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unphysical_inertia: bool,
}

/// Moments of inertia.
///
/// ```
/// use liedae::system::System;
/// use liedae_multibody::Snapshot;
/// use liedae_multibody::file::{InertiaEntry, MechanismFile};
///
/// // Two rotors at 10 rad/s; the second has products of inertia.
/// let text = r#"
/// t_end = 1.0
/// [[bodies]]
/// name = "plain"
/// mass = 1.0
/// inertia = [0.1, 0.1, 0.2]
/// angular_velocity = [0.0, 0.0, 10.0]
/// [[bodies]]
/// name = "skew"
/// mass = 1.0
/// inertia = [[0.1, 0.0, -0.02], [0.0, 0.12, 0.0], [-0.02, 0.0, 0.2]]
/// angular_velocity = [0.0, 0.0, 10.0]
/// "#;
/// let file = MechanismFile::read(text)?;
/// assert!(matches!(file.bodies[0].get_ref().inertia, InertiaEntry::Moments(_)));
/// assert!(matches!(file.bodies[1].get_ref().inertia, InertiaEntry::Tensor(_)));
/// let system = file.system(text)?;
/// let start = system.initial_state();
/// assert!((Snapshot::new(&system, &start).energies().0 - 2.0 * 0.5 * 0.2 * 10.0 * 10.0).abs() < 1e-12);
/// # Ok::<(), liedae_multibody::file::FileError>(())
/// ```
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "three principal moments, or three rows of three"
)]
pub enum InertiaEntry {
    /// Principal moments along the body's axes.
    Moments([f64; 3]),
    /// Rows of the tensor.
    Tensor([[f64; 3]; 3]),
}

/// A name that refers to a body or joint.
///
/// ```
/// use liedae_multibody::file::{MechanismFile, Reference};
///
/// let text = r#"
/// t_end = 1.0
/// bodies = [{ name = "crank", mass = 1.0, inertia = [0.1, 0.1, 0.1] }]
/// [[joints]]
/// name = "bearing"
/// kind = "spherical"
/// bodies = ["ground", "crnk"]
/// point = [0.0, 0.0, 0.0]
/// "#;
/// let file = MechanismFile::read(text)?;
/// // It knows where it stands.
/// let [_, Reference(name)] = &file.joints[0].get_ref().bodies;
/// assert_eq!((name.get_ref().as_str(), &text[name.span()]), ("crnk", "\"crnk\""));
/// let Err(error) = file.system(text) else { panic!("there is no such body") };
/// assert_eq!(error.to_string(), "line 7, joints[0].bodies: there is no body `crnk`; expected `ground`, `crank`");
/// # Ok::<(), liedae_multibody::file::FileError>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Reference(#[schemars(with = "String")] pub Spanned<String>);
