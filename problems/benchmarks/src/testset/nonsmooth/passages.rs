//! Moments at which a turning cam brings a junction of its arcs to the follower.

use std::f64::consts::TAU;

/// The moments between 0 and `t_end` at which directions fixed to a cam, mirrored about its x-axis too, pass the one that its
/// x-axis reaches after turning by `ahead` rad at this rate.
pub(super) fn passages(ahead: f64, rate: f64, points: &[[f64; 2]], t_end: f64) -> Vec<f64> {
    let turns = rate * t_end / TAU;
    let mut moments = Vec::new();
    for [x, y] in points {
        for angle in [y.atan2(*x), -y.atan2(*x)] {
            let first = (ahead - angle).rem_euclid(TAU) / TAU;
            let count = (turns - first).ceil().max(0.0) as usize;
            moments.extend((0..count).map(|turn| (first + turn as f64) * TAU / rate));
        }
    }
    // What begins at such a moment has been told so.
    moments.retain(|&moment| moment > 1e-9 * t_end && moment < (1.0 - 1e-9) * t_end);
    moments
}
