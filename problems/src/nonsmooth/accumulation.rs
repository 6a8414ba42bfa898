//! Impacts of one contact in shrinking intervals.

use super::Accumulation;

/// The last impacts of a contact and what they say about a limit.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Impacts {
    /// Moment of the last impact.
    last: Option<f64>,
    /// Interval before it.
    interval: Option<f64>,
    /// Extrapolated limit.
    limit: Option<f64>,
}

/// Where the impacts of a contact accumulate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prediction {
    /// The moment.
    pub limit: f64,
    /// Time until then.
    pub remaining: f64,
    /// Difference from the prediction of the impact before.
    pub change: f64,
}

impl Prediction {
    /// Whether the policy closes the contact now.
    pub fn closes(&self, policy: Accumulation) -> bool {
        match policy {
            Accumulation::Close {
                accuracy,
                remaining,
            } => self.remaining < remaining && self.change < accuracy,
            _ => false,
        }
    }

    /// Whether the policy hands over to the event-capturing scheme now.
    pub fn is_captured(&self, policy: Accumulation) -> bool {
        match policy {
            // Successive predictions that agree are no chance.
            Accumulation::Capture { remaining, .. } => {
                self.remaining < remaining && self.change < 0.1 * self.remaining
            }
            _ => false,
        }
    }
}

/// Intervals that shrink by less than this factor say nothing about a limit.
const SLOWEST: f64 = 0.999;

impl Impacts {
    /// Takes note of an impact, and extrapolates.
    ///
    /// For intervals d r^k the limit is t + d r / (1 - r); with r from the last two intervals this is Aitken's
    /// extrapolation of the moments of impact.
    pub fn note(&mut self, t: f64) -> Option<Prediction> {
        let interval = self.last.map(|last| t - last);
        let ratio = match (interval, self.interval) {
            (Some(now), Some(before)) if before > 0.0 => Some(now / before),
            _ => None,
        };
        let limit = ratio
            .zip(interval)
            .filter(|&(ratio, interval)| ratio < SLOWEST && interval > 0.0)
            .map(|(ratio, interval)| t + interval * ratio / (1.0 - ratio));
        let before = self.limit;
        (self.last, self.interval, self.limit) = (Some(t), interval, limit);
        limit.zip(before).map(|(limit, before)| Prediction {
            limit,
            remaining: limit - t,
            change: (limit - before).abs(),
        })
    }

    /// Forgets: the contact has been closed.
    pub fn forget(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn geometric_intervals_reveal_their_limit() {
        let mut impacts = Impacts::default();
        let (mut t, mut interval) = (0.0, 1.0);
        for _ in 0..200 {
            t += interval;
            interval *= 0.8;
            let prediction = impacts.note(t);
            if let Some(end) = prediction.filter(|end| end.closes(Accumulation::default())) {
                assert!((end.limit - 5.0).abs() < 1e-10);
                assert!(end.remaining < 1e-6);
                return;
            }
        }
        panic!("no limit was found");
    }

    #[test]
    fn equal_intervals_have_no_limit() {
        let mut impacts = Impacts::default();
        for k in 0..100 {
            assert!(impacts.note(f64::from(k) * 1e-9).is_none());
        }
    }
}
