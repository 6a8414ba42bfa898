//! Contacts and shapes.

use super::{FrameEntry, Reference};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A contact between two surfaces.
///
/// ```
/// use liedae::integrator::Radau5;
/// use liedae::solve::{Options, solve};
/// use liedae_contact::{NonsmoothOptions, NonsmoothSystem};
/// use liedae_multibody::file::{ContactEntry, MechanismFile};
///
/// // A ball of radius 0.1 m falls by 0.8 m and bounces with 0.5: it comes up again by a quarter of that.
/// let text = r#"
/// gravity = [0.0, 0.0, -10.0]
/// t_end = 0.6
/// bodies = [{ name = "ball", mass = 1.0, inertia = [4e-3, 4e-3, 4e-3], position = [0.0, 0.0, 0.9] }]
/// [[contacts]]
/// name = "floor"
/// restitution = 0.5
/// [[contacts.surfaces]]
/// body = "ground"
/// frame = { point = [0.0, 0.0, 0.0] }
/// shape = "half-space"
/// [[contacts.surfaces]]
/// body = "ball"
/// frame = { point = [0.0, 0.0, 0.0] }
/// shape = { sphere = 0.1 }
/// "#;
/// let file = MechanismFile::read(text)?;
/// let ContactEntry { restitution, friction, .. } = file.contacts[0].get_ref();
/// assert_eq!((*restitution, *friction), (0.5, None));
/// let mut system = NonsmoothSystem::new(file.system(text)?, NonsmoothOptions::default())?;
/// let end = solve(&mut system, &Radau5::default(), &Options::adaptive(file.t_end, 1e-8, 1e-8))?.state;
/// assert!((end.q[2] - 0.1 - 0.8 / 4.0).abs() < 1e-6 && end.v[2].abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
///
/// ```
/// use liedae::system::System;
/// use liedae_multibody::file::{MechanismFile, SurfaceEntry};
///
/// // A leg ends in a ball of radius 5 cm, whose centre is 0.4 m below that of the leg.
/// let text = r#"
/// t_end = 1.0
/// bodies = [{ name = "leg", mass = 5.0, inertia = [0.3, 0.3, 0.02], position = [0.0, 0.0, 1.0] }]
/// [[contacts]]
/// name = "floor"
/// [[contacts.surfaces]]
/// body = "ground"
/// frame = { point = [0.0, 0.0, 0.0] }
/// shape = "half-space"
/// [[contacts.surfaces]]
/// body = "leg"
/// frame = { point = [0.0, 0.0, -0.4] }
/// shape = { sphere = 0.05 }
/// "#;
/// let file = MechanismFile::read(text)?;
/// let [_, SurfaceEntry { body, frame, .. }] = &file.contacts[0].get_ref().surfaces;
/// assert_eq!((body.0.get_ref().as_str(), frame.point), ("leg", [0.0, 0.0, -0.4]));
/// let system = file.system(text)?;
/// let gap = system.touch(0, &system.initial_state().point())?.gap;
/// assert!((gap - (1.0 - 0.4 - 0.05)).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
///
/// ```
/// use liedae::system::System;
/// use liedae_multibody::file::{MechanismFile, ShapeEntry};
///
/// // A log of radius 0.2 m, whose axis of 2 m ends 0.28 m above and below its middle.
/// let text = r#"
/// t_end = 1.0
/// [[bodies]]
/// name = "log"
/// mass = 80.0
/// inertia = [28.0, 28.0, 1.6]
/// position = [0.0, 0.0, 3.0]
/// quaternion = [0.8, 0.0, 0.6, 0.0]
/// [[contacts]]
/// name = "floor"
/// [[contacts.surfaces]]
/// body = "ground"
/// frame = { point = [0.0, 0.0, 0.0] }
/// shape = "half-space"
/// [[contacts.surfaces]]
/// body = "log"
/// frame = { point = [0.0, 0.0, 0.0] }
/// shape = { capsule = [0.2, 1.0] }
/// "#;
/// let file = MechanismFile::read(text)?;
/// assert!(matches!(file.contacts[0].get_ref().surfaces[1].shape, ShapeEntry::Capsule([0.2, 1.0])));
/// // A contact for each end.
/// let system = file.system(text)?;
/// for (end, height) in [(0, 3.0 - 0.28), (1, 3.0 + 0.28)] {
///     let gap = system.touch(end, &system.initial_state().point())?.gap;
///     assert!((gap - (height - 0.2)).abs() < 1e-12);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
///
/// ```
/// use liedae_contact::ImpactLaw;
/// use liedae_multibody::file::{ImpactLawName, MechanismFile};
///
/// // Balls that pass an impact on from one to the next, as in Newton's cradle.
/// let cradle = MechanismFile::read("t_end = 1.0\nimpact_law = \"sequential\"")?;
/// assert_eq!(cradle.impact_law, Some(ImpactLawName::Sequential));
/// assert_eq!(cradle.nonsmooth_options().law, ImpactLaw::Sequential);
/// // All of them at once, where nothing is said.
/// assert_eq!(MechanismFile::read("t_end = 1.0")?.nonsmooth_options().law, ImpactLaw::Moreau);
/// # Ok::<(), liedae_multibody::file::FileError>(())
/// ```
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
///
/// ```
/// use liedae_contact::Thresholds;
/// use liedae_multibody::file::{MechanismFile, ThresholdsEntry};
///
/// // A mechanism of 5 cm, in which 1 nm counts as closed.
/// let watch = MechanismFile::read("t_end = 1.0\nthresholds = { length = 0.05, gap = 1e-9 }")?;
/// let Some(ThresholdsEntry { length, velocity, .. }) = watch.thresholds else { panic!("they are stated") };
/// assert_eq!((length, velocity), (Some(0.05), None));
/// let used = watch.nonsmooth_options().thresholds;
/// assert_eq!(used, Thresholds { gap: 1e-9, ..Thresholds::scaled(0.05, 1.0) });
/// # Ok::<(), liedae_multibody::file::FileError>(())
/// ```
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
