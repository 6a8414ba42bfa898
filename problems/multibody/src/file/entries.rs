//! The tables of a mechanism file.

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
    /// Whether projections hold the energy: only without drives, motions, dampers, friction and restitution below 1.
    #[serde(default, skip_serializing_if = "is_false")]
    pub keeps_energy: bool,
    /// Moments at which something is not smooth, s: every run lands on them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub time_events: Vec<f64>,
    /// The bodies; `ground` is there already.
    #[schemars(with = "Vec<BodyEntry>")]
    pub bodies: Vec<Spanned<BodyEntry>>,
    /// Joints, in any order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<JointEntry>")]
    pub joints: Vec<Spanned<JointEntry>>,
    /// Drives of joints.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<DriveEntry>")]
    pub drives: Vec<Spanned<DriveEntry>>,
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

fn is_false(value: &bool) -> bool {
    !value
}

/// A body, where it stands at assembly.
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

/// A name that refers to a body or joint.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Reference(#[schemars(with = "String")] pub Spanned<String>);

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
