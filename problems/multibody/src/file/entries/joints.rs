//! Joints, their frames, and what moves them.

use super::{MotionEntry, Reference};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A joint.
///
/// ```
/// use liedae_multibody::file::{JointEntry, JointName, MechanismFile};
///
/// // A door on its hinge, 0.8 m wide and 2.15 m high.
/// let text = r#"
/// t_end = 1.0
/// bodies = [{ name = "door", mass = 20.0, inertia = [7.7, 8.8, 1.1], position = [0.4, 0.0, 0.0] }]
/// [[joints]]
/// name = "hinge"
/// kind = "revolute"
/// bodies = ["ground", "door"]
/// point = [0.0, 0.0, 0.0]
/// axis = [0.0, 0.0, 1.0]
/// "#;
/// let file = MechanismFile::read(text)?;
/// let JointEntry { kind, axis, .. } = file.joints[0].get_ref();
/// assert_eq!((*kind, *axis), (JointName::Revolute, Some([0.0, 0.0, 1.0])));
/// let found = file.system(text)?.describe();
/// assert_eq!((found.rows, found.degrees_of_freedom), (5, 1));
/// # Ok::<(), liedae_multibody::file::FileError>(())
/// ```
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
    /// The frames on both bodies, in place of `point`, `axis` and the others: the axis of a joint on a body is the z-axis of its frame.
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
///
/// ```
/// use liedae_multibody::file::{JointName, MechanismFile};
///
/// let held = |kind: &str| format!(r#"
/// t_end = 1.0
/// bodies = [{{ name = "arm", mass = 1.0, inertia = [0.1, 0.1, 0.1] }}]
/// [[joints]]
/// name = "shoulder"
/// kind = "{kind}"
/// bodies = ["ground", "arm"]
/// point = [0.0, 0.0, 0.0]
/// axis = [0.0, 0.0, 1.0]
/// "#);
/// // What a body may still do: nothing, slide, turn, both, or turn as it likes.
/// for (kind, name, free) in [
///     ("fixed", JointName::Fixed, 0),
///     ("translational", JointName::Translational, 1),
///     ("revolute", JointName::Revolute, 1),
///     ("cylindrical", JointName::Cylindrical, 2),
///     ("spherical", JointName::Spherical, 3),
/// ] {
///     let text = held(kind);
///     let file = MechanismFile::read(&text)?;
///     assert_eq!(file.joints[0].get_ref().kind, name);
///     assert_eq!(file.system(&text)?.describe().degrees_of_freedom, free);
/// }
/// # Ok::<(), liedae_multibody::file::FileError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum JointName {
    /// All is held.
    Fixed,
    /// The points coincide.
    Spherical,
    /// The points and the axes coincide.
    Revolute,
    /// The points coincide, the axes are perpendicular: rows p2 - p1 and z1 . z2.
    Universal,
    /// The axes lie on one line.
    Cylindrical,
    /// The axes lie on one line and nothing turns about it.
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
///
/// ```
/// use liedae_multibody::file::{AxisName, MechanismFile};
///
/// // A plate that stays level: its z is at right angles to the world's x and y.
/// let text = r#"
/// t_end = 1.0
/// bodies = [{ name = "plate", mass = 1.0, inertia = [0.1, 0.1, 0.2] }]
/// [[joints]]
/// name = "pitch"
/// kind = "cosine"
/// bodies = ["ground", "plate"]
/// frames = [{ point = [0.0, 0.0, 0.0] }, { point = [0.0, 0.0, 0.0] }]
/// axes = ["x", "z"]
/// motion = { constant = 0.0 }
/// [[joints]]
/// name = "roll"
/// kind = "cosine"
/// bodies = ["ground", "plate"]
/// frames = [{ point = [0.0, 0.0, 0.0] }, { point = [0.0, 0.0, 0.0] }]
/// axes = ["y", "z"]
/// motion = { constant = 0.0 }
/// "#;
/// let file = MechanismFile::read(text)?;
/// assert_eq!(file.joints[1].get_ref().axes, Some(vec![AxisName::Y, AxisName::Z]));
/// // It goes anywhere and turns about z.
/// assert_eq!(file.system(text)?.describe().degrees_of_freedom, 4);
/// # Ok::<(), liedae_multibody::file::FileError>(())
/// ```
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
///
/// ```
/// use liedae_multibody::AssemblyError;
/// use liedae_multibody::file::{FrameEntry, MechanismFile, Place};
///
/// // A bar of 2 m that is held at its end, 1 m from its centre of mass, which stands 0.1 m too far away for that.
/// let text = r#"
/// t_end = 1.0
/// bodies = [{ name = "bar", mass = 3.0, inertia = [0.01, 1.0, 1.0], position = [1.1, 0.0, 0.0] }]
/// [[joints]]
/// name = "pivot"
/// kind = "spherical"
/// bodies = ["ground", "bar"]
/// frames = [{ point = [0.0, 0.0, 0.0] }, { point = [-1.0, 0.0, 0.0] }]
/// "#;
/// let file = MechanismFile::read(text)?;
/// let Some([_, FrameEntry { r#in, point, .. }]) = file.joints[0].get_ref().frames else { panic!("two frames") };
/// assert_eq!((r#in, point), (Place::Body, [-1.0, 0.0, 0.0]));
/// let Err(error) = file.system(text) else { panic!("the points are apart") };
/// let Some(AssemblyError::Position { violation, .. }) = error.assembly.as_deref() else { panic!("{error}") };
/// assert!((violation - 0.1).abs() < 1e-12);
/// # Ok::<(), liedae_multibody::file::FileError>(())
/// ```
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
///
/// ```
/// use liedae::system::System;
/// use liedae_multibody::file::{MechanismFile, Place};
///
/// // The end of a bar of 2 m that is turned by a right angle about z, in the bar and in the world.
/// let spring = |end: &str| format!(r#"
/// t_end = 1.0
/// [[bodies]]
/// name = "bar"
/// mass = 3.0
/// inertia = [0.01, 1.0, 1.0]
/// position = [2.0, 0.0, 0.0]
/// rotation = [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
/// [[springs]]
/// name = "spring"
/// bodies = ["ground", "bar"]
/// frames = [{{ point = [2.0, 0.0, 0.0] }}, {end}]
/// stiffness = 200.0
/// free_length = 0.0
/// "#);
/// for (end, place) in [
///     ("{ point = [1.0, 0.0, 0.0] }", Place::Body),
///     ("{ in = 'world', point = [2.0, 1.0, 0.0] }", Place::World),
/// ] {
///     let text = spring(end);
///     let file = MechanismFile::read(&text)?;
///     assert_eq!(file.springs[0].get_ref().frames.map(|[_, end]| end.r#in), Some(place));
///     let system = file.system(&text)?;
///     let start = system.initial_state();
///     // It is 1 m long.
///     assert_eq!(liedae_multibody::Snapshot::new(&system, &start).energies().1, 0.5 * 200.0);
/// }
/// # Ok::<(), liedae_multibody::file::FileError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// In the body.
    #[default]
    Body,
    /// In the world at assembly.
    World,
}

/// A drive of a joint, with a row of its own.
///
/// ```
/// use liedae::system::{AccelerationSolver, Evaluator, System};
/// use liedae_multibody::Snapshot;
/// use liedae_multibody::file::{DriveEntry, MechanismFile};
///
/// // A turntable of 0.3 kg m² that gains 4 rad/s every second.
/// let text = r#"
/// t_end = 1.0
/// bodies = [{ name = "table", mass = 5.0, inertia = [0.2, 0.2, 0.3] }]
/// [[joints]]
/// name = "shaft"
/// kind = "revolute"
/// bodies = ["ground", "table"]
/// point = [0.0, 0.0, 0.0]
/// axis = [0.0, 0.0, 1.0]
/// [[drives]]
/// name = "motor"
/// joint = "shaft"
/// angle = { polynomial = [0.0, 0.0, 2.0] }
/// "#;
/// let file = MechanismFile::read(text)?;
/// let DriveEntry { joint, translation, .. } = file.drives[0].get_ref();
/// assert!(joint.0.get_ref() == "shaft" && translation.is_none());
/// let mut system = file.system(text)?;
/// let mut state = system.initial_state();
/// AccelerationSolver::new(system.layout())?.complete(&mut Evaluator::new(&mut system), &mut state)?;
/// let motor = system.joint("motor").ok_or("the drive")?;
/// assert!((Snapshot::new(&system, &state).effort(motor) - 0.3 * 4.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
///
/// ```
/// use liedae::system::System;
/// use liedae_multibody::Snapshot;
/// use liedae_multibody::file::{InitialEntry, MechanismFile};
///
/// // A pendulum of 2 m, drawn as it hangs; it starts level, on its way up with 1.5 rad/s.
/// let text = r#"
/// t_end = 1.0
/// bodies = [{ name = "bob", mass = 1.0, inertia = [0.1, 0.1, 0.1], position = [0.0, 0.0, -2.0] }]
/// [[joints]]
/// name = "pivot"
/// kind = "revolute"
/// bodies = ["ground", "bob"]
/// point = [0.0, 0.0, 0.0]
/// axis = [0.0, -1.0, 0.0]
/// [[initial]]
/// joint = "pivot"
/// angle = 1.5707963267948966
/// angle_rate = 1.5
/// "#;
/// let file = MechanismFile::read(text)?;
/// let InitialEntry { angle_rate, translation, .. } = file.initial[0].get_ref();
/// assert_eq!((*angle_rate, *translation), (Some(1.5), None));
/// let system = file.system(text)?;
/// let start = system.initial_state();
/// let now = Snapshot::new(&system, &start);
/// let bob = system.body("bob").ok_or("the bob")?;
/// assert!((now.position(bob).x - 2.0).abs() < 1e-12 && (now.velocity(bob).z - 2.0 * 1.5).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
