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

/// Extrapolations of the limit that differ by less than this share of what is left are as good as round-off of the gap
/// allows, which moves an impact by itself over the speed.
const SHARE: f64 = 1e-2;

/// Intervals that shrink by less than this factor say nothing about a limit.
const SLOWEST: f64 = 0.999;

impl Impacts {
    /// Takes note of an impact; the limit of the impacts, if the policy asks to close the contact now.
    ///
    /// For intervals d r^k the limit is t + d r / (1 - r); with r from the last two intervals this is Aitken's
    /// extrapolation of the moments of impact. A flight that begins and ends with `speed` rises by a quarter of their
    /// product; one that stays below `height`, which round-off of the gap can hide, is the last.
    pub fn note(&mut self, t: f64, speed: f64, height: f64, policy: Accumulation) -> Option<f64> {
        let interval = self.last.map(|last| t - last);
        let ratio = match (interval, self.interval) {
            (Some(now), Some(before)) if before > 0.0 => Some(now / before),
            _ => None,
        };
        let limit = ratio
            .zip(interval)
            .filter(|&(ratio, interval)| ratio < SLOWEST && interval > 0.0)
            .map(|(ratio, interval)| t + interval * ratio / (1.0 - ratio));
        let change = limit.zip(self.limit).map(|(new, old)| (new - old).abs());
        (self.last, self.interval, self.limit) = (Some(t), interval, limit);
        match policy {
            Accumulation::Close {
                accuracy,
                remaining,
            } => limit.filter(|limit| {
                let left = limit - t;
                let accuracy = accuracy.max(SHARE * left);
                let settled = change.is_some_and(|change| change < accuracy);
                let hidden = interval.is_some_and(|interval| 0.25 * interval * speed < height);
                left < remaining && (settled || hidden)
            }),
            Accumulation::Resolve => None,
        }
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
            if let Some(limit) = impacts.note(t, interval, 0.0, Accumulation::default()) {
                assert!((limit - 5.0).abs() < 1e-10);
                assert!(limit - t < 1e-6);
                return;
            }
        }
        panic!("no limit was found");
    }

    #[test]
    fn equal_intervals_have_no_limit() {
        let mut impacts = Impacts::default();
        for k in 0..100 {
            assert_eq!(
                impacts.note(f64::from(k) * 1e-9, 1.0, 0.0, Accumulation::default()),
                None
            );
        }
    }
}
