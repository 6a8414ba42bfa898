//! Forces between two bodies by a law.

use super::{FrameEntry, MotionEntry, Reference, is_false};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A force between two bodies by a law.
///
/// ```
/// use liedae::analysis::static_equilibrium;
/// use liedae::system::{Evaluator, System};
/// use liedae_multibody::file::{ForceEntry, LawEntry, MechanismFile};
///
/// // An engine of 100 kg on a mount, with a harmonic force of an unbalance.
/// let text = r#"
/// gravity = [0.0, 0.0, -10.0]
/// t_end = 1.0
/// bodies = [{ name = "engine", mass = 100.0, inertia = [5.0, 5.0, 5.0] }]
/// [[forces]]
/// name = "mount"
/// bodies = ["ground", "engine"]
/// points = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
/// law = { cartesian-spring = { stiffness = [2e5, 2e5, 5e5], damping = [500.0, 500.0, 500.0] } }
/// [[forces]]
/// name = "unbalance"
/// bodies = ["ground", "engine"]
/// law = { load = { direction = [0.0, 0.0, 1.0], force = { harmonic = { amplitude = 40.0, rate = 300.0 } } } }
/// "#;
/// let file = MechanismFile::read(text)?;
/// let ForceEntry { name, law, .. } = file.forces[1].get_ref();
/// assert!(name == "unbalance" && matches!(law, LawEntry::Load(_)));
/// let mut system = file.system(text)?;
/// let start = system.initial_state();
/// let rest = static_equilibrium(&mut Evaluator::new(&mut system), &start, &Default::default())?.state;
/// assert!((rest.q[2] + 100.0 * 10.0 / 5e5).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForceEntry {
    /// Name, unique among forces.
    pub name: String,
    /// Body 1 and body 2; `ground` is the world.
    pub bodies: [Reference; 2],
    /// Its points on them, in the world at assembly; or `frames`. The centres of mass if both are missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<[[f64; 3]; 2]>,
    /// Its points as frames, of which only the points count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frames: Option<[FrameEntry; 2]>,
    /// The law.
    pub law: LawEntry,
}

/// A law: exactly one of these.
///
/// ```
/// use liedae_multibody::file::{LawEntry, MechanismFile};
///
/// // A ball of 1 kg in oil.
/// let text = r#"
/// t_end = 1.0
/// bodies = [{ name = "ball", mass = 1.0, inertia = [0.1, 0.1, 0.1] }]
/// [[forces]]
/// name = "oil"
/// bodies = ["ground", "ball"]
/// law = { cartesian-spring = { stiffness = [0.0, 0.0, 0.0], damping = [3.0, 3.0, 3.0] } }
/// "#;
/// let file = MechanismFile::read(text)?;
/// assert!(matches!(file.forces[0].get_ref().law, LawEntry::CartesianSpring(_)));
/// # Ok::<(), liedae_multibody::file::FileError>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LawEntry {
    /// A force or torque along a direction, as a function of time.
    Load(LoadEntry),
    /// Springs and dampers along the axes of the world between two points.
    CartesianSpring(CartesianSpringEntry),
    /// A wheel on a road.
    Tyre(TyreEntry),
}

/// A force or torque of given direction on body 2, in time; the opposite acts on body 1, at the same point of space.
///
/// ```
/// use liedae::integrator::Radau5;
/// use liedae::solve::{Options, solve};
/// use liedae_multibody::file::{LawEntry, LoadEntry, MechanismFile};
///
/// // A thruster of 5 N that pushes a craft along its own x-axis for 3 s.
/// let text = r#"
/// t_end = 10.0
/// bodies = [{ name = "craft", mass = 3.0, inertia = [0.1, 0.1, 0.1] }]
/// [[forces]]
/// name = "thruster"
/// bodies = ["ground", "craft"]
/// [forces.law.load]
/// direction = [1.0, 0.0, 0.0]
/// follower = true
/// force = { pieces = [{ until = 3.0, motion = { constant = 5.0 } }, { motion = { constant = 0.0 } }] }
/// "#;
/// let file = MechanismFile::read(text)?;
/// let LawEntry::Load(LoadEntry { follower, .. }) = file.forces[0].get_ref().law else { panic!("a load") };
/// assert!(follower);
/// let options = Options::adaptive(10.0, 1e-9, 1e-9);
/// let end = solve(&mut file.system(text)?, &Radau5::default(), &options)?.state;
/// assert!((end.v[0] - 5.0 * 3.0 / 3.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoadEntry {
    /// A unit vector of the world; of body 2 for a follower.
    pub direction: [f64; 3],
    /// A force at the point of body 2, N; one of `force` and `torque`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub force: Option<MotionEntry>,
    /// A torque, N m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub torque: Option<MotionEntry>,
    /// Whether the direction turns with body 2.
    #[serde(default, skip_serializing_if = "is_false")]
    pub follower: bool,
}

/// Springs and dampers along x, y and z of the world: point 1 is pulled by stiffness (p_2 - p_1 - offset) and damping by its rate, point 2 by
/// the opposite.
///
/// ```
/// use liedae_multibody::file::{CartesianSpringEntry, LawEntry, MechanismFile};
///
/// // A table on soft feet, on a floor that shakes by 1 mm.
/// let text = r#"
/// t_end = 1.0
/// bodies = [{ name = "table", mass = 40.0, inertia = [5.0, 5.0, 9.0] }]
/// [[forces]]
/// name = "feet"
/// bodies = ["ground", "table"]
/// [forces.law.cartesian-spring]
/// stiffness = [1e4, 1e4, 4e4]
/// damping = [100.0, 100.0, 200.0]
/// offset = [{ harmonic = { amplitude = 0.001, rate = 60.0 } }, { constant = 0.0 }, { constant = 0.0 }]
/// "#;
/// let file = MechanismFile::read(text)?;
/// let LawEntry::CartesianSpring(CartesianSpringEntry { stiffness, .. }) = file.forces[0].get_ref().law else {
///     panic!("springs")
/// };
/// assert_eq!(stiffness[2], 4e4);
/// # Ok::<(), liedae_multibody::file::FileError>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CartesianSpringEntry {
    /// Along x, y and z of the world, N/m.
    pub stiffness: [f64; 3],
    /// Along x, y and z of the world, N s/m; none if missing.
    #[serde(default)]
    pub damping: [f64; 3],
    /// The difference p_2 - p_1 of the points without force, m, as functions of time; zero if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<[MotionEntry; 3]>,
}

/// A tyre on body 2, whose centre of mass is the wheel's centre and whose y-axis is the axle, to the left. Body 1 is the ground, with the
/// road at z = 0.
///
/// ```
/// use liedae_multibody::file::{LawEntry, MechanismFile, TyreEntry};
///
/// let text = r#"
/// gravity = [0.0, 0.0, -9.81]
/// t_end = 1.0
/// bodies = [{ name = "wheel", mass = 20.0, inertia = [0.6, 1.2, 0.6], position = [0.0, 0.0, 0.3] }]
/// [[forces]]
/// name = "tyre"
/// bodies = ["ground", "wheel"]
/// [forces.law.tyre]
/// radius = 0.3
/// load = 196.2
/// stiffness = 2e5
/// damping = 200.0
/// slip_stiffness = [8e4, 6e4]
/// least_speed = 0.1
/// magic = { friction = 1.0, shape = 1.4, curvature = -0.5 }
/// road = [{ height = 0.04, start = 5.0, length = 2.0 }]
/// "#;
/// let file = MechanismFile::read(text)?;
/// let LawEntry::Tyre(TyreEntry { magic, road, .. }) = &file.forces[0].get_ref().law else { panic!("a tyre") };
/// assert!(magic.is_some() && road.len() == 1);
/// assert!(file.system(text).is_ok());
/// # Ok::<(), liedae_multibody::file::FileError>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TyreEntry {
    /// Radius of the wheel, m.
    pub radius: f64,
    /// Vertical force where the wheel stands at its radius above the road, N.
    pub load: f64,
    /// Vertical stiffness, N/m.
    pub stiffness: f64,
    /// Vertical damping, N s/m.
    #[serde(default)]
    pub damping: f64,
    /// Forces along and across the wheel by slip, where it is small, N.
    pub slip_stiffness: [f64; 2],
    /// Slip is what slides by √(v² + `least_speed`²), with the speed v along the wheel, m/s: it is finite where the wheel stands.
    pub least_speed: f64,
    /// Pacejka's magic formula in place of forces in proportion to slip.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub magic: Option<MagicEntry>,
    /// Bumps of the road.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub road: Vec<BumpEntry>,
    /// Whether the road pulls where it would have to, in place of letting the wheel go: all is smooth then.
    #[serde(default, skip_serializing_if = "is_false")]
    pub bilateral: bool,
}

/// F = friction N sin(shape atan(B s - curvature (B s - atan(B s)))) for a slip s, with the slope of the slip stiffness at the load.
///
/// ```
/// use liedae_multibody::MagicFormula;
/// use liedae_multibody::file::MagicEntry;
///
/// let stated = MagicEntry { friction: 1.0, shape: 1.4, curvature: -0.5 };
/// assert_eq!(MagicFormula::from(stated).shape, 1.4);
/// ```
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MagicEntry {
    /// Coefficient of friction.
    pub friction: f64,
    /// Shape C.
    pub shape: f64,
    /// Curvature E.
    pub curvature: f64,
}

/// A bump across the road: height sin⁴(π (x - start) / length).
///
/// ```
/// use liedae_multibody::RoadBump;
/// use liedae_multibody::file::BumpEntry;
///
/// let stated = BumpEntry { height: 0.04, start: 5.0, length: 2.0 };
/// assert_eq!(RoadBump::from(stated).at(6.0)[0], 0.04);
/// ```
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BumpEntry {
    /// Height, m; below 0 a hole.
    pub height: f64,
    /// Where it begins along x, m.
    pub start: f64,
    /// Its length along x, m.
    pub length: f64,
}
