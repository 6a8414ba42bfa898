//! Functions of time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A function of time: exactly one of these.
///
/// ```
/// use liedae_multibody::Motion;
/// use liedae_multibody::file::{MechanismFile, MotionEntry};
///
/// // A lift that leaves with 0.5 m/s and gains 0.2 m/s².
/// let text = r#"
/// t_end = 4.0
/// [[drives]]
/// name = "winch"
/// joint = "shaft"
/// translation = { polynomial = [0.0, 0.5, 0.1] }
/// "#;
/// let file = MechanismFile::read(text)?;
/// let Some(way @ MotionEntry::Polynomial(_)) = &file.drives[0].get_ref().translation else { panic!("a polynomial") };
/// let at = Motion::from(way).at(4.0);
/// assert!((at.value - 3.6).abs() < 1e-15 && (at.first - 1.3).abs() < 1e-15 && (at.second - 0.2).abs() < 1e-15);
/// # Ok::<(), liedae_multibody::file::FileError>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MotionEntry {
    /// Always the same.
    Constant(f64),
    /// Coefficients of 1, t, t², ...
    Polynomial(Vec<f64>),
    /// offset + amplitude sin(rate t + phase).
    Harmonic(HarmonicEntry),
    /// amplitude (1 - cos(rate t)).
    Versine(VersineEntry),
    /// to + (from - to) exp(-t / time).
    Approach(ApproachEntry),
    /// The sum of several.
    Sum(Vec<MotionEntry>),
    /// One after the other; what drives a joint has to go on with the same value and rate. Runs land on the moments between.
    Pieces(Vec<PieceEntry>),
}

/// A piece of a motion, in the time of the whole.
///
/// ```
/// use liedae_multibody::Motion;
/// use liedae_multibody::file::{MechanismFile, MotionEntry, PieceEntry};
///
/// // A crane that gains 0.2 m/s every second for 3 s, and keeps its speed.
/// let text = r#"
/// t_end = 9.0
/// [[drives]]
/// name = "winch"
/// joint = "shaft"
/// translation = { pieces = [
///     { until = 3.0, motion = { polynomial = [0.0, 0.0, 0.1] } },
///     { motion = { polynomial = [-0.9, 0.6] } },
/// ] }
/// "#;
/// let file = MechanismFile::read(text)?;
/// let Some(way @ MotionEntry::Pieces(pieces)) = &file.drives[0].get_ref().translation else { panic!("pieces") };
/// let [PieceEntry { until, .. }, PieceEntry { until: None, .. }] = &pieces[..] else { panic!("two of them") };
/// assert_eq!(*until, Some(3.0));
/// assert!((Motion::from(way).at(4.0).value - 1.5).abs() < 1e-15);
/// # Ok::<(), liedae_multibody::file::FileError>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PieceEntry {
    /// Up to which moment it holds, s; the last one has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<f64>,
    /// What it is until then.
    pub motion: MotionEntry,
}

/// amplitude (1 - cos(rate t)): a wave that begins at rest.
///
/// ```
/// use liedae_multibody::Motion;
/// use liedae_multibody::file::{MotionEntry, VersineEntry};
///
/// let road = MotionEntry::Versine(VersineEntry { amplitude: 0.02, rate: 9.0 });
/// let start = Motion::from(&road).at(0.0);
/// assert_eq!((start.value, start.first), (0.0, 0.0));
/// ```
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VersineEntry {
    /// Half of the largest excursion.
    pub amplitude: f64,
    /// Angular frequency, rad/s.
    pub rate: f64,
}

/// to + (from - to) exp(-t / time): what a first-order lag makes of a step at t = 0.
///
/// ```
/// use liedae_multibody::Motion;
/// use liedae_multibody::file::{ApproachEntry, MotionEntry};
///
/// let torque = MotionEntry::Approach(ApproachEntry { from: 0.0, to: 5.0, time: 0.01 });
/// assert!((Motion::from(&torque).value(0.1) - 5.0).abs() < 1e-3);
/// ```
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApproachEntry {
    /// Value at t = 0.
    #[serde(default)]
    pub from: f64,
    /// Value at last.
    pub to: f64,
    /// Time constant, s.
    pub time: f64,
}

/// offset + amplitude sin(rate t + phase).
///
/// ```
/// use liedae_multibody::Motion;
/// use liedae_multibody::file::{HarmonicEntry, MechanismFile, MotionEntry};
///
/// // A sieve that shakes by 5 mm, four times a second.
/// let text = r#"
/// t_end = 1.0
/// [[drives]]
/// name = "shaker"
/// joint = "guide"
/// translation = { harmonic = { offset = 0.1, amplitude = 0.005, rate = 25.132741228718345 } }
/// "#;
/// let file = MechanismFile::read(text)?;
/// let Some(way) = &file.drives[0].get_ref().translation else { panic!("a translation") };
/// let MotionEntry::Harmonic(HarmonicEntry { offset, amplitude, .. }) = way else { panic!("a harmonic") };
/// // A quarter of a period later it is farthest out.
/// assert!((Motion::from(way).value(1.0 / 16.0) - (offset + amplitude)).abs() < 1e-15);
/// # Ok::<(), liedae_multibody::file::FileError>(())
/// ```
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
