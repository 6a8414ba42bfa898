//! The tables of a file of a plane mechanism.

use crate::file::{ImpactLawName, MotionEntry, Reference, ThresholdsEntry};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Spanned;

/// A mechanism in the plane, in SI units: lengths in m, masses in kg, times in s, angles in rad, counter-clockwise.
///
/// ```
/// use liedae::prelude::*;
/// use liedae_multibody::file::PlaneMechanismFile;
///
/// // A rod of 1 m on a pivot at its end, level, is let go.
/// let text = r#"
/// plane = true
/// gravity = [0.0, -9.81]
/// t_end = 1.0
/// bodies = [{ name = "rod", mass = 3.0, inertia = 0.25, position = [0.5, 0.0] }]
/// [[joints]]
/// name = "pivot"
/// kind = "revolute"
/// bodies = ["ground", "rod"]
/// points = [[0.0, 0.0], [-0.5, 0.0]]
/// [[outputs]]
/// name = "tip"
/// body = "rod"
/// point = [0.5, 0.0]
/// quantity = "y"
/// "#;
/// assert!(PlaneMechanismFile::is_said(text));
/// let mut system = Automatic::new(PlaneMechanismFile::read(text)?.mechanism(text)?);
/// let method = liedae_contact::methods().build("radau5", &MethodOptions::default())?;
/// // It hangs down after a quarter of its period, which is 1.18034 times that of small swings.
/// let end = solve(&mut system, method.as_ref(), &Options::adaptive(0.483334, 1e-9, 1e-9))?.state;
/// let outputs = named_outputs(&mut system, &end)?;
/// assert!((outputs[0].1 + 1.0).abs() < 1e-4);
/// // Errors say where they are.
/// let error = PlaneMechanismFile::read(&text.replace("mass", "mas")).unwrap_err();
/// assert_eq!((error.line, error.field.as_str()), (5, "bodies"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaneMechanismFile {
    /// `true`: bodies move in a plane, and vectors have two components.
    pub plane: bool,
    /// Name of the mechanism; that of the file if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// One line for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Acceleration of gravity, m/s²; none if missing.
    #[serde(default)]
    pub gravity: [f64; 2],
    /// End of the run, s; it starts at 0.
    pub t_end: f64,
    /// Step of methods with fixed steps, s; a thousandth of the time span if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<f64>,
    /// What goes with a relative tolerance of one, unless a run states its absolute tolerance; if missing 1, and of mechanisms below 0.1 m a power of
    /// ten that is no larger than they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub absolute_scale: Option<f64>,
    /// Whether projections hold the energy of bodies that no pivot holds, whose momentum is then conserved to the tolerance only.
    #[serde(default, skip_serializing_if = "is_false")]
    pub keeps_energy: bool,
    /// Moments at which something is not smooth, s: every run lands on them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub time_events: Vec<f64>,
    /// Largest adaptive step, s, where bodies may pass through each other within one; no limit if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub largest_step: Option<f64>,
    /// How impacts in several contacts at once are resolved: `moreau` if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub impact_law: Option<ImpactLawName>,
    /// What counts as closed and at rest, of contacts and of joints that rub.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thresholds: Option<ThresholdsEntry>,
    /// The bodies; `ground` is there already.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<PlaneBodyEntry>")]
    pub bodies: Vec<Spanned<PlaneBodyEntry>>,
    /// Joints and drives.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<PlaneJointEntry>")]
    pub joints: Vec<Spanned<PlaneJointEntry>>,
    /// Springs, torques and forces.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<PlaneForceEntry>")]
    pub forces: Vec<Spanned<PlaneForceEntry>>,
    /// Coulomb friction in joints.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<PlaneFrictionEntry>")]
    pub frictions: Vec<Spanned<PlaneFrictionEntry>>,
    /// Contacts, ropes and stops.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<PlaneContactEntry>")]
    pub contacts: Vec<Spanned<PlaneContactEntry>>,
    /// Outputs; positions and velocities of all bodies if there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<PlaneOutputEntry>")]
    pub outputs: Vec<Spanned<PlaneOutputEntry>>,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// A body, where it stands at the start.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaneBodyEntry {
    /// Name, unique among bodies.
    pub name: String,
    /// Mass, kg.
    pub mass: f64,
    /// Moment of inertia about the centre of mass, kg m²; 0 of a point mass, which nothing may turn.
    pub inertia: f64,
    /// Centre of mass, m.
    #[serde(default)]
    pub position: [f64; 2],
    /// Orientation, rad.
    #[serde(default)]
    pub angle: f64,
    /// Velocity of the centre of mass, m/s.
    #[serde(default)]
    pub velocity: [f64; 2],
    /// Angular velocity, rad/s.
    #[serde(default)]
    pub angular_velocity: f64,
}

/// A joint or a drive. Points and directions are in the frames of their bodies, points from the centre of mass.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaneJointEntry {
    /// Name, unique among joints.
    pub name: String,
    /// What it forbids.
    pub kind: PlaneJointName,
    /// Body 1 and body 2; `ground` is the world.
    pub bodies: [Reference; 2],
    /// A point of each body, m, from its centre of mass in its frame, or in the world for `ground`; the centre of mass if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<[[f64; 2]; 2]>,
    /// The direction of the line in body 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<[f64; 2]>,
    /// The angle that is held, rad: θ_1 - θ_2 of an `angle`, θ_1 + ratio θ_2 of a `gear`, both from the carrier of a `planet-gear`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angle: Option<f64>,
    /// Of gears: radius of wheel 2 over that of wheel 1, negative if one of them is a ring around the other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// The body that holds the axes of both wheels of a `planet-gear`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carrier: Option<Reference>,
    /// What a drive follows: a `constant`, a `polynomial` of degree 1 at most, or a `harmonic`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<MotionEntry>,
}

/// Kinds of joints and drives of the plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PlaneJointName {
    /// The points coincide.
    Revolute,
    /// The point of body 1 stays on a line through that of body 2.
    PointOnLine,
    /// The angle between the bodies is held.
    Angle,
    /// The angle between the bodies follows `motion`.
    AngleDrive,
    /// The coordinate of the point of body 1 along a direction of the world follows `motion`; body 2 is the ground.
    PointDrive,
    /// The way of the point of body 1 along the line through that of body 2 follows `motion`.
    SlideDrive,
    /// Both bodies turn in proportion.
    Gear,
    /// The same of wheels on a carrier that may turn.
    PlanetGear,
}

impl PlaneJointName {
    /// As a file has it.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Revolute => "revolute",
            Self::PointOnLine => "point-on-line",
            Self::Angle => "angle",
            Self::AngleDrive => "angle-drive",
            Self::PointDrive => "point-drive",
            Self::SlideDrive => "slide-drive",
            Self::Gear => "gear",
            Self::PlanetGear => "planet-gear",
        }
    }
}

/// A force or torque; what acts on body 1 acts with opposite sign on body 2.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaneForceEntry {
    /// Name, for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Its law.
    pub kind: PlaneForceName,
    /// Body 1 and body 2; `ground` is the world.
    pub bodies: [Reference; 2],
    /// A point of each body, m; the centre of mass if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<[[f64; 2]; 2]>,
    /// Stiffness, N/m or N m/rad.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<f64>,
    /// Damping, N s/m or N m s/rad; none if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damping: Option<f64>,
    /// Length without tension, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub free_length: Option<f64>,
    /// Angle θ_1 - θ_2 without torque, rad.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub free_angle: Option<f64>,
    /// A constant torque, N m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub torque: Option<f64>,
    /// The moment at which a constant torque ends, s; never if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<f64>,
    /// A torque in time, N m, as the `motion` of a drive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<MotionEntry>,
    /// A constant force, in the world, N.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub force: Option<[f64; 2]>,
}

/// Laws of forces of the plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PlaneForceName {
    /// Between two points: the tension is stiffness (L - free_length) + damping L'.
    Spring,
    /// A bushing: point 1 is pulled by stiffness (p_2 - p_1) + damping (p_2' - p_1'), in all directions alike.
    CartesianSpring,
    /// On body 1: -stiffness (θ_1 - θ_2 - free_angle) - damping (θ_1' - θ_2').
    Torsion,
    /// A `torque` that is constant, perhaps `until` a moment, or follows `motion`.
    Torque,
    /// A `force` at the point of body 1; body 2 is the ground.
    Constant,
}

impl PlaneForceName {
    /// As a file has it.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Spring => "spring",
            Self::CartesianSpring => "cartesian-spring",
            Self::Torsion => "torsion",
            Self::Torque => "torque",
            Self::Constant => "constant",
        }
    }
}

/// Coulomb friction in a joint.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaneFrictionEntry {
    /// Name, unique among frictions.
    pub name: String,
    /// What rubs.
    pub kind: PlaneFrictionName,
    /// The joint.
    pub joint: Reference,
    /// The `angle` between the same bodies, of two pads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angle: Option<Reference>,
    /// Coefficient of friction.
    pub coefficient: f64,
    /// Distance of two pads, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<f64>,
    /// Radius of the pin, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
}

/// What rubs in a joint of the plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PlaneFrictionName {
    /// The point of a `point-on-line`, by its normal force alone.
    Guide,
    /// A slider on two pads before and behind that point, by its normal force and the torque of an `angle`.
    TwoPads,
    /// The pin of a `revolute` joint.
    Pin,
}

/// A contact, a rope or a stop.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaneContactEntry {
    /// Name, unique among contacts.
    pub name: String,
    /// Bodies A and B; `ground` is the world.
    pub bodies: [Reference; 2],
    /// Newton's coefficient of restitution.
    pub restitution: f64,
    /// Coefficient of friction; none if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// The shapes that may touch.
    pub pair: PlanePairEntry,
}

/// Pairs of shapes of bodies A and B, in the frames of their bodies from the centres of mass; lengths in m. A disc of radius 0 is a point.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum PlanePairEntry {
    /// A disc of B on an edge of A: gap (c - p) . n - r.
    DiscOnLine {
        /// A point p of the edge, in A.
        point: [f64; 2],
        /// Outward normal n of the edge, in A.
        normal: [f64; 2],
        /// Centre c of the disc, in B.
        centre: [f64; 2],
        /// Radius r of the disc.
        radius: f64,
    },
    /// A disc of A and one of B: gap |cB - cA| - rA - rB.
    DiscOnDisc {
        /// Centres cA in A and cB in B.
        centres: [[f64; 2]; 2],
        /// Radii rA and rB.
        radii: [f64; 2],
    },
    /// A journal of B in a bearing of A: gap rA - rB - |cB - cA|.
    DiscInCircle {
        /// The centres cA of the bearing in A and cB of the journal in B.
        centres: [[f64; 2]; 2],
        /// Radii rA and rB.
        radii: [f64; 2],
    },
    /// A disc of B on a cam of A, of four arcs around its centre of mass.
    DiscOnArcCam {
        /// Radius of the base circle.
        base: f64,
        /// Radius of the flanks.
        flank: f64,
        /// Radius of the nose.
        nose: f64,
        /// Radius of the top.
        top: f64,
        /// Half the angle of the dwell, rad.
        half_dwell: f64,
        /// Centre c of the disc, in B.
        centre: [f64; 2],
        /// Radius r of the disc.
        radius: f64,
    },
    /// A disc of B on corners of A, copies of one that are turned about its centre of mass.
    DiscOnWedges {
        /// The first corner.
        apex: [f64; 2],
        /// Outward normals of its faces.
        normals: [[f64; 2]; 2],
        /// How many corners there are.
        copies: usize,
        /// Middle of the sector of the first one, rad.
        sector: f64,
        /// Centre c of the disc, in B.
        centre: [f64; 2],
        /// Radius r of the disc.
        radius: f64,
    },
    /// A rope between two points: gap length - |pB - pA|.
    Rope {
        /// Ends pA in A and pB in B.
        points: [[f64; 2]; 2],
        /// Length of the rope.
        length: f64,
    },
    /// θ_B - θ_A is at least this angle, rad.
    AngleAtLeast(f64),
    /// θ_B - θ_A is at most this angle, rad.
    AngleAtMost(f64),
}

/// An output: of a body's point, or of a joint.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaneOutputEntry {
    /// Name of the output.
    pub name: String,
    /// The body; or `joint`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Reference>,
    /// The point in the body, from the centre of mass, m; that itself if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub point: Option<[f64; 2]>,
    /// The joint or drive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joint: Option<Reference>,
    /// What of it.
    pub quantity: PlaneQuantityName,
}

/// Quantities in the world: of bodies from `x` to `alpha`, of joints from `force-x` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)] // they say themselves what they are
pub enum PlaneQuantityName {
    X,
    Y,
    /// Orientation, rad.
    Angle,
    Vx,
    Vy,
    /// Angular velocity, rad/s.
    Omega,
    Ax,
    Ay,
    /// Angular acceleration, rad/s².
    Alpha,
    /// What the joint exerts on body 2, N.
    ForceX,
    ForceY,
    /// Its torque about the joint's point, N m.
    Torque,
    /// Of a drive, N or N m.
    Effort,
}
