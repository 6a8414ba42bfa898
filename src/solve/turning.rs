//! How far bodies turn within a step.

use super::OptionsError;
use crate::manifold::Manifold;

/// A step is planned so that no body turns further, in rad: a quarter of a turn.
const PLANNED: f64 = std::f64::consts::FRAC_PI_2;

/// No body may turn further within a step, in rad. From half a turn on, two orientations do not tell which way it went: states between
/// the ends of a step, events within it, and methods that take differences of orientations would go the other way round.
const LARGEST: f64 = 3.0;

/// The rotations of a system.
pub(super) struct Turning {
    /// Where their angular velocities begin.
    rotations: Vec<usize>,
}

impl Turning {
    pub fn new(space: &Manifold) -> Self {
        Self {
            rotations: space.angular_velocities().collect(),
        }
    }

    /// The largest angular velocity, in rad/s.
    fn fastest(&self, v: &[f64]) -> f64 {
        let rotations = self.rotations.iter();
        let squares = rotations.map(|&first| {
            let [x, y, z] = [v[first], v[first + 1], v[first + 2]];
            x * x + y * y + z * z
        });
        squares.fold(0.0, f64::max).sqrt()
    }

    /// The longest step to plan at these velocities, in s.
    pub fn limit(&self, v: &[f64]) -> f64 {
        PLANNED / self.fastest(v)
    }

    /// How far a body may have turned within a step of length h between these velocities, in rad, if that is too far.
    pub fn too_far(&self, h: f64, ends: [&[f64]; 2]) -> Option<f64> {
        let [from, to] = ends.map(|v| self.fastest(v));
        let angle = 0.5 * h * (from + to);
        (angle > LARGEST).then_some(angle)
    }
}

/// The step to try after one of length h in which a body has turned by this angle.
pub(super) fn shortened(h: f64, angle: f64) -> f64 {
    h * PLANNED / angle
}

/// What to say where steps have one size.
pub(super) fn refused(t: f64, step: f64, angle: f64) -> OptionsError {
    OptionsError::HalfTurn { t, step, angle }
}
