//! Springs, friction and bearings.

use super::{FrameEntry, MotionEntry, Reference, is_true, is_zero, yes};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A spring with a damper between points of two bodies.
///
/// ```
/// use liedae::analysis::linearize;
/// use liedae::system::{Evaluator, System};
/// use liedae_multibody::file::{MechanismFile, SpringEntry};
///
/// // 4 kg on a spring of 100 N/m that is as long as it likes to be.
/// let text = r#"
/// t_end = 1.0
/// bodies = [{ name = "load", mass = 4.0, inertia = [0.1, 0.1, 0.1], position = [1.0, 0.0, 0.0] }]
/// [[joints]]
/// name = "guide"
/// kind = "translational"
/// bodies = ["ground", "load"]
/// point = [0.0, 0.0, 0.0]
/// axis = [1.0, 0.0, 0.0]
/// [[springs]]
/// name = "spring"
/// bodies = ["ground", "load"]
/// points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]
/// stiffness = 100.0
/// free_length = 1.0
/// "#;
/// let file = MechanismFile::read(text)?;
/// let SpringEntry { stiffness, damping, .. } = file.springs[0].get_ref();
/// assert_eq!((*stiffness, *damping), (100.0, 0.0));
/// let mut system = file.system(text)?;
/// let rest = system.initial_state();
/// let modes = linearize(&mut Evaluator::new(&mut system), &rest, None)?.modes()?;
/// assert!((modes[0].eigenvalue.im - (100.0_f64 / 4.0).sqrt()).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
///
/// ```
/// use liedae::system::System;
/// use liedae_multibody::Snapshot;
/// use liedae_multibody::file::{MechanismFile, RotationalSpringEntry};
///
/// // A door, 0.8 m wide and 2.15 m high, with a closer that is wound up by half a radian when it is shut.
/// let text = r#"
/// t_end = 1.0
/// bodies = [{ name = "door", mass = 20.0, inertia = [7.7, 8.8, 1.1], position = [0.4, 0.0, 0.0] }]
/// [[joints]]
/// name = "hinge"
/// kind = "revolute"
/// bodies = ["ground", "door"]
/// point = [0.0, 0.0, 0.0]
/// axis = [0.0, 0.0, 1.0]
/// [[rotational_springs]]
/// name = "closer"
/// joint = "hinge"
/// stiffness = 30.0
/// damping = 12.0
/// free_angle = -0.5
/// "#;
/// let file = MechanismFile::read(text)?;
/// let RotationalSpringEntry { stiffness, free_angle, .. } = file.rotational_springs[0].get_ref();
/// let system = file.system(text)?;
/// let shut = system.initial_state();
/// let stored = Snapshot::new(&system, &shut).energies().1;
/// assert!((stored - 0.5 * stiffness * free_angle * free_angle).abs() < 1e-12);
/// # Ok::<(), liedae_multibody::file::FileError>(())
/// ```
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
    /// What the free angle follows in time, rad, in place of `free_angle`: a controller in proportion to the angle and its rate, or without
    /// stiffness a motor whose torque falls in proportion to its speed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follows: Option<MotionEntry>,
    /// Whether its torque goes on over many turns (otherwise it jumps at half a turn from the free angle, an event `wrap`).
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub counts_turns: bool,
}

/// Coulomb friction in a joint that slides. It sticks, slips and reverses.
///
/// ```
/// use liedae::integrator::Radau5;
/// use liedae::solve::{Options, solve};
/// use liedae_contact::{NonsmoothOptions, NonsmoothSystem};
/// use liedae_multibody::file::{FrictionEntry, MechanismFile};
///
/// // A block slides along a level guide with 2 m/s.
/// let text = r#"
/// gravity = [0.0, 0.0, -10.0]
/// t_end = 1.0
/// bodies = [{ name = "block", mass = 5.0, inertia = [0.1, 0.1, 0.1], velocity = [2.0, 0.0, 0.0] }]
/// [[joints]]
/// name = "guide"
/// kind = "translational"
/// bodies = ["ground", "block"]
/// point = [0.0, 0.0, 0.0]
/// axis = [1.0, 0.0, 0.0]
/// [[frictions]]
/// name = "rubbing"
/// joint = "guide"
/// coefficient = 0.3
/// "#;
/// let file = MechanismFile::read(text)?;
/// let FrictionEntry { coefficient, normal, sticks, .. } = file.frictions[0].get_ref();
/// assert_eq!((*normal, *sticks), (None, true));
/// let mut system = NonsmoothSystem::new(file.system(text)?, NonsmoothOptions::default())?;
/// let solution = solve(&mut system, &Radau5::default(), &Options::adaptive(file.t_end, 1e-8, 1e-8))?;
/// // It loses μ g t until it comes to rest.
/// assert_eq!(solution.events[0].kind, "stick");
/// assert!((solution.events[0].t - 2.0 / (coefficient * 10.0)).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
    /// Whether it sticks where the joint comes to rest, as dry friction does; `false`: it slides and reverses only, in a joint that a
    /// drive moves, and a run ends with an error where it would push a body from rest.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub sticks: bool,
    /// Sign of the sliding velocity at the start, 1 or -1, of a joint at rest with `sticks = false`; the forces decide if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initial_direction: Option<i32>,
}

/// Coulomb friction about the axis of a revolute joint, which may stick.
///
/// ```
/// use liedae::integrator::Radau5;
/// use liedae::solve::{Options, solve};
/// use liedae_contact::{NonsmoothOptions, NonsmoothSystem};
/// use liedae_multibody::file::{BearingEntry, MechanismFile};
///
/// // A wheel of 20 N turns with 1 rad/s about a level shaft of radius 1 cm.
/// let text = r#"
/// gravity = [0.0, 0.0, -10.0]
/// t_end = 2.0
/// bodies = [{ name = "wheel", mass = 2.0, inertia = [0.05, 0.03, 0.03], angular_velocity = [1.0, 0.0, 0.0] }]
/// [[joints]]
/// name = "axle"
/// kind = "revolute"
/// bodies = ["ground", "wheel"]
/// point = [0.0, 0.0, 0.0]
/// axis = [1.0, 0.0, 0.0]
/// [[bearings]]
/// name = "bush"
/// joint = "axle"
/// coefficient = 0.25
/// radius = 0.01
/// "#;
/// let file = MechanismFile::read(text)?;
/// let BearingEntry { coefficient, radius, .. } = file.bearings[0].get_ref();
/// let slows_by = coefficient * radius * 20.0 / 0.05;
/// let mut system = NonsmoothSystem::new(file.system(text)?, NonsmoothOptions::default())?;
/// let solution = solve(&mut system, &Radau5::default(), &Options::adaptive(file.t_end, 1e-8, 1e-8))?;
/// assert_eq!(solution.events[0].kind, "stick");
/// assert!((solution.events[0].t - 1.0 / slows_by).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BearingEntry {
    /// Name, unique among forces.
    pub name: String,
    /// The revolute joint.
    pub joint: Reference,
    /// Coefficient of friction.
    pub coefficient: f64,
    /// Radius of the journal, m.
    pub radius: f64,
    /// Distance of two bearings that carry moments across the axis, m; a single bearing, in which moments do not rub, if missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<f64>,
    /// Radius at which a collar takes the thrust, m; 0 where thrust does not rub.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub collar: f64,
}
