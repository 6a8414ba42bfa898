//! Angles that move as pendulums do, α'' = -ω² sin α from hanging, by elliptic functions.
//!
//! E. T. Whittaker, Analytical Dynamics, sec. 44.

use super::motion::Moving;
use crate::vector_space::{complete_integral, sn_cn_dn};
use std::f64::consts::PI;

/// The angle of a pendulum over time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum PendulumAngle {
    /// Released at rest.
    Released {
        /// ω in rad/s.
        frequency: f64,
        /// α(0) in rad, in (-π, π).
        angle: f64,
    },
    /// Turns over the top, α(0) = -π.
    FromUpright {
        /// ω in rad/s.
        frequency: f64,
        /// α'(0) > 0 in rad/s.
        rate: f64,
    },
}

impl PendulumAngle {
    /// α and α' after t s.
    pub fn at(&self, t: f64) -> Moving {
        match *self {
            // sin(α/2) = k cd(ω t), cos(α/2) = k' nd(ω t) with k = sin(α(0)/2).
            Self::Released { frequency, angle } => {
                let (k, complement) = (0.5 * angle).sin_cos();
                let (sn, cn, dn) = sn_cn_dn(frequency * t, k.abs(), complement);
                let half = (k * cn).atan2(complement);
                Moving::new(2.0 * half, [-2.0 * k * frequency * complement * sn / dn])
            }
            // α/2 = am(Ω t - K) with Ω² = ω² + α'(0)²/4 and k = ω/Ω.
            Self::FromUpright { frequency, rate } => {
                let turning = frequency.hypot(0.5 * rate);
                let (k, complement) = (frequency / turning, 0.5 * rate / turning);
                let quarter = complete_integral(k, complement);
                let argument = turning * t - quarter;
                let turns = (argument / (2.0 * quarter)).round();
                let (sn, cn, dn) = sn_cn_dn(argument - 2.0 * quarter * turns, k, complement);
                let half = turns * PI + sn.atan2(cn);
                Moving::new(2.0 * half, [2.0 * turning * dn])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Differences of the angle give the rate, and those of the rate what the equation says.
    #[test]
    fn angles_obey_their_equation() {
        let (frequency, h) = (3.0, 1e-5);
        let released = PendulumAngle::Released {
            frequency,
            angle: -2.0,
        };
        let turning = PendulumAngle::FromUpright {
            frequency,
            rate: 1.0,
        };
        for motion in [released, turning] {
            for index in 0..40 {
                let t = 0.17 * f64::from(index);
                let [before, now, after] = [t - h, t, t + h].map(|t| motion.at(t));
                let rate = (after.value - before.value) / (2.0 * h);
                assert!((rate - now.gradient[0]).abs() < 1e-8, "{motion:?} {t}");
                let change = (after.gradient[0] - before.gradient[0]) / (2.0 * h);
                let expected = -frequency * frequency * now.value.sin();
                assert!((change - expected).abs() < 1e-7, "{motion:?} {t}");
            }
        }
        assert!((released.at(0.0).value + 2.0).abs() < 1e-15);
        let start = turning.at(0.0);
        assert!((start.value + PI).abs() < 1e-15 && (start.gradient[0] - 1.0).abs() < 1e-13);
    }
}
