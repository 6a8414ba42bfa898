//! Where event functions are sampled within a step, and whether that is often enough.

use crate::scalar::{larger_or_second, smaller_or_second};

/// Samples are shifted by up to half of this share of their distance.
const UNEVEN: f64 = 0.4;

// 1/φ: its multiples modulo 1 are spread most evenly.
const GOLDEN_RATIO: f64 = 0.618_033_988_749_894_9;

/// Samples that miss what their neighbours predict by this share of the function's range do not show its course.
const PREDICTED: f64 = 0.1;

/// The place of an interior sample, in units of the mean distance from the start of the step. Samples are not
/// equidistant: an oscillation with their frequency would look like none.
pub(in crate::solve) fn place(sample: usize) -> f64 {
    let index = sample as f64;
    let turns = index * GOLDEN_RATIO;
    // Its fractional part, without a call.
    index + UNEVEN * (turns - (turns as i64) as f64 - 0.5)
}

/// Where samples are, and what predicts them from their neighbours, for one number of samples.
#[derive(Debug, Default)]
pub(in crate::solve) struct Predictions {
    count: usize,
    /// The places of the interior samples as shares of the step.
    shares: Vec<f64>,
    /// Weights of the two neighbours on each side of the samples 3 to `count` - 2, by cubic interpolation.
    weights: Vec<[f64; 4]>,
}

impl Predictions {
    /// Makes ready for this number of samples, the last of which is the end of the step.
    pub fn prepare(&mut self, count: usize) {
        if self.count == count {
            return;
        }
        self.count = count;
        let shares = (1..count).map(|sample| place(sample) / count as f64);
        self.shares.clear();
        self.shares.extend(shares);
        self.weights.clear();
        let place = |sample: usize| {
            if sample == count {
                count as f64
            } else {
                place(sample)
            }
        };
        self.weights
            .extend((3..count.saturating_sub(1)).map(|middle| {
                let at = place(middle);
                let neighbours = [middle - 2, middle - 1, middle + 1, middle + 2].map(place);
                // Cubic Lagrange interpolation.
                std::array::from_fn(|own| {
                    let others = (0..4).filter(|&other| other != own);
                    others.fold(1.0, |weight, other| {
                        weight * (at - neighbours[other]) / (neighbours[own] - neighbours[other])
                    })
                })
            }));
    }

    /// The places of the interior samples as shares of the step.
    pub fn shares(&self) -> &[f64] {
        &self.shares
    }

    /// Whether its four neighbours predict every sample of a function that may come to zero; `values` are samples 1 to the last.
    ///
    /// What steps are fitted to may be far smoother than event functions: a body in flight has long steps and turns many
    /// times within one.
    pub fn are_met(&self, values: &[f64]) -> bool {
        let (mut lowest, mut highest) = (f64::INFINITY, f64::NEG_INFINITY);
        for &value in values {
            lowest = smaller_or_second(value, lowest);
            highest = larger_or_second(value, highest);
        }
        // Farther from zero than it varies: not resolved perhaps, but it cannot cross.
        let range = highest - lowest;
        if lowest > range || highest < -range {
            return true;
        }
        let around = values.windows(5).filter_map(|part| part.first_chunk::<5>());
        self.weights.iter().zip(around).all(|(weights, around)| {
            let &[first, second, middle, fourth, fifth] = around;
            let [a, b, c, d] = *weights;
            let predicted = a * first + b * second + c * fourth + d * fifth;
            (predicted - middle).abs() <= PREDICTED * range
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolves(count: usize, function: impl Fn(f64) -> f64) -> bool {
        let mut predictions = Predictions::default();
        predictions.prepare(count);
        let inside = (1..count).map(|sample| function(place(sample)));
        let values: Vec<f64> = inside.chain([function(count as f64)]).collect();
        predictions.are_met(&values)
    }

    /// Radians per sample: waves below 0.9 are followed; of faster ones, whole turns per sample aside, hardly any looks
    /// like a slow one.
    #[test]
    fn oscillations_are_followed_or_noticed() {
        let (mut fast, mut unseen) = (0, 0);
        for step in 1..=160 {
            let turn = 0.05 * f64::from(step);
            for phase in [0.0, 0.4, 0.8, 1.2, 1.6, 2.0, 2.4, 2.8] {
                let found = resolves(8, |t| (turn * t + phase).sin() - 0.2);
                if turn < 0.9 {
                    assert!(found, "{turn} {phase}");
                } else if turn > 2.0 && !(6.0..6.6).contains(&turn) {
                    fast += 1;
                    unseen += usize::from(found);
                }
            }
        }
        assert!(fast > 800 && 200 * unseen < fast, "{unseen} of {fast}");
    }

    #[test]
    fn what_is_smooth_or_far_from_zero_is_resolved() {
        assert!(resolves(8, |t| 1.0 - 0.1 * t));
        assert!(resolves(8, |t| 4.0 - t * t));
        assert!(resolves(8, |t| (t - 3.0).powi(3)));
        assert!(resolves(8, |t| 3.0 + (5.0 * t).sin()));
        assert!(resolves(8, |_| 0.0));
    }
}
