//! Eigenvalues and modes of small motions.

use super::AnalysisError;
use super::linearization::{Conservative, Linearization};
use super::natural::NaturalModes;
use super::spectrum::{Eigenpair, Spectrum, product};
use faer::c64;
use serde::Serialize;

/// A complex number s of a motion exp(s t), 1/s.
///
/// ```
/// use liedae::analysis::{Eigenvalue, linearize};
/// use liedae::system::{Evaluator, System};
///
/// // 1 kg on a spring of 100 N/m with a damper of 4 N s/m.
/// let mut mass = liedae::model([0.0], [0.0])
///     .mass(1.0)
///     .force(|_t, [x], [v]| [x * -100.0 - v * 4.0])
///     .build()?;
/// let rest = mass.initial_state();
/// let swings: Eigenvalue = linearize(&mut Evaluator::new(&mut mass), &rest, None)?.modes()?[0].eigenvalue;
/// assert!((swings.re + 2.0).abs() < 1e-9 && (swings.magnitude() - 10.0).abs() < 1e-9);
/// assert!((swings.damping_ratio() - 0.2).abs() < 1e-9);
/// assert!((swings.hertz() - 96.0_f64.sqrt() / std::f64::consts::TAU).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Eigenvalue {
    /// Growth, 1/s: negative where the motion decays.
    pub re: f64,
    /// Angular frequency, rad/s.
    pub im: f64,
}

impl Eigenvalue {
    /// |s|, the angular frequency that the motion would have without damping.
    pub fn magnitude(self) -> f64 {
        self.re.hypot(self.im)
    }

    /// Frequency in Hz.
    pub fn hertz(self) -> f64 {
        self.im / std::f64::consts::TAU
    }

    /// Whether the motion grows. Growth that is nothing but round-off is given as zero.
    pub fn grows(self) -> bool {
        self.re > 0.0
    }

    /// Damping ratio -Re s / |s|: 1 and more does not swing, negative grows. Zero of a free motion.
    pub fn damping_ratio(self) -> f64 {
        if self.magnitude() > 0.0 {
            0.0 - self.re / self.magnitude()
        } else {
            0.0
        }
    }
}

/// A motion u(t) = Re (shape · exp(s t)), one of each conjugate pair.
///
/// ```
/// use liedae::analysis::{Mode, linearize};
/// use liedae::system::{Evaluator, System};
///
/// // Two masses of 1 kg between three springs of 100 N/m.
/// let mut masses = liedae::model([0.0, 0.0], [0.0, 0.0])
///     .mass(1.0)
///     .force(|_t, [a, b], _v| [(b - a * 2.0) * 100.0, (a - b * 2.0) * 100.0])
///     .build()?;
/// let rest = masses.initial_state();
/// let modes: Vec<Mode> = linearize(&mut Evaluator::new(&mut masses), &rest, None)?.modes()?;
/// // They swing alike with 10 rad/s, and against each other with √3 times as much.
/// assert!((modes[0].eigenvalue.im - 10.0).abs() < 1e-9 && (modes[1].eigenvalue.im - 300.0_f64.sqrt()).abs() < 1e-9);
/// let ratio = |mode: &Mode| mode.shape[1][0] / mode.shape[0][0];
/// assert!((ratio(&modes[0]) - 1.0).abs() < 1e-9 && (ratio(&modes[1]) + 1.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Mode {
    /// s, with Im s ≥ 0.
    pub eigenvalue: Eigenvalue,
    /// Displacements in local coordinates, real and imaginary parts, one for each velocity; the largest one is 1.
    pub shape: Vec<[f64; 2]>,
}

impl Linearization {
    /// Eigenvalues and modes, slow ones first; conjugate ones once.
    ///
    /// At rest, without forces that depend on velocities, they are those of the symmetric problem K φ = ω² M φ. Everywhere free motions
    /// are exact zeros, one for each direction in which the system may be displaced for good.
    ///
    /// Round-off changes eigenvalues by some 1e-16 of the largest, where motions are not close to each other; at rest only that of the
    /// stiffness counts: slow motions have as many digits as their energy has, when it is summed from the parts of the system. Those of
    /// matrices that are far from normal, such as long chains of delays, are those of a matrix that differs by
    /// round-off, and can be far away.
    ///
    /// # Errors
    /// [`AnalysisError::Decomposition`] where no eigenvalues are found whose residuals are round-off.
    pub fn modes(&self) -> Result<Vec<Mode>, AnalysisError> {
        let mut modes = match &self.conservative {
            Some(conservative) => conservative.modes()?,
            None => self.general_modes()?,
        };
        modes.sort_by(|a, b| {
            let sizes = [a, b].map(|mode| mode.eigenvalue.magnitude());
            sizes[0].total_cmp(&sizes[1])
        });
        Ok(modes)
    }

    /// Whether no small motion grows: no [`Eigenvalue::grows`].
    pub fn is_stable(&self) -> Result<bool, AnalysisError> {
        let modes = self.modes()?;
        Ok(!modes.iter().any(|mode| mode.eigenvalue.grows()))
    }

    fn general_modes(&self) -> Result<Vec<Mode>, AnalysisError> {
        let Spectrum { pairs, round_off } = Spectrum::of(&self.matrix)?;
        let mut modes = Vec::new();
        for Eigenpair { value, vector } in pairs {
            let mut displacements = product(&self.tangent, &vector);
            displacements.truncate(self.velocities);
            let shape = normalized(displacements);
            // A pair by round-off is two real eigenvalues.
            let swings = value.im > round_off;
            let eigenvalue = Eigenvalue {
                re: if value.re.abs() > round_off {
                    value.re
                } else {
                    0.0
                },
                im: if swings { value.im } else { 0.0 },
            };
            if value.im > 0.0 && !swings {
                let shape = shape.clone();
                modes.push(Mode { eigenvalue, shape });
            }
            modes.push(Mode { eigenvalue, shape });
        }
        Ok(modes)
    }
}

impl Conservative {
    /// K φ = ω² M φ.
    fn modes(&self) -> Result<Vec<Mode>, AnalysisError> {
        let NaturalModes { squares, shapes } = NaturalModes::of(self)?;
        let modes = squares.iter().zip(shapes.col_iter());
        Ok(modes
            .flat_map(|(&square, shape)| {
                let shape = shape.iter().map(|&entry| c64::new(entry, 0.0));
                let shape = normalized(shape.collect());
                let root = square.abs().sqrt();
                let mode = |re, im| Mode {
                    eigenvalue: Eigenvalue { re, im },
                    shape: shape.clone(),
                };
                if square >= 0.0 {
                    vec![mode(0.0, root)]
                } else {
                    // An unstable rest is left and approached.
                    vec![mode(root, 0.0), mode(-root, 0.0)]
                }
            })
            .collect())
    }
}

/// The largest entry becomes 1.
fn normalized(shape: Vec<c64>) -> Vec<[f64; 2]> {
    let largest = shape
        .iter()
        .copied()
        .max_by(|a, b| a.norm().total_cmp(&b.norm()))
        .filter(|largest| largest.norm() > 0.0);
    let scale = largest.unwrap_or(c64::new(1.0, 0.0));
    shape
        .into_iter()
        .map(|entry| {
            let entry = entry / scale;
            [entry.re, entry.im]
        })
        .collect()
}
