//! Accumulating impacts (Zeno): prediction of the limit, and the continuation from there.

use crate::equations::Equations;
use crate::{Accumulation, ContactStatus};
use liedae::system::{EvaluationError, State};

/// The last impacts of a contact and what they say about a limit.
#[derive(Clone, Copy, Debug, Default)]
struct Impacts {
    /// Moment of the last impact.
    last: Option<f64>,
    /// Its speed.
    speed: f64,
    /// Interval before it.
    interval: Option<f64>,
    /// Extrapolated limit.
    limit: Option<f64>,
}

/// Where the impacts of a contact accumulate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prediction {
    /// The moment.
    pub limit: f64,
    /// Time until then.
    pub remaining: f64,
    /// Difference from the prediction of the impact before.
    pub change: f64,
    /// Time since the impact before.
    pub interval: f64,
    /// Whether this impact is slower than the one before, as those before a limit are.
    pub slower: bool,
}

/// Contacts whose impacts the event-capturing scheme takes over.
#[derive(Clone, Debug)]
pub(crate) struct Handover {
    /// Their numbers.
    pub contacts: Vec<usize>,
    /// The last of their limits.
    pub limit: f64,
}

/// Extrapolations that differ by less than this share of what is left will do: round-off of the gap moves an impact by
/// itself over the speed.
const SHARE: f64 = 1e-2;

impl Prediction {
    /// Whether the policy closes the contact now, which arrives with this speed. A flight that begins and ends with it
    /// rises by a quarter of speed times interval; one that stays below `height`, which round-off of the gap can
    /// hide, is the last.
    pub fn closes(&self, policy: Accumulation, speed: f64, height: f64) -> bool {
        match policy {
            Accumulation::Close {
                accuracy,
                remaining,
            } => {
                let settled = self.change < accuracy.max(SHARE * self.remaining);
                let hidden = 0.25 * self.interval * speed < height;
                self.slower && self.remaining < remaining && (settled || hidden)
            }
            _ => false,
        }
    }

    /// Whether it differs from the prediction before by less than this share of what is left: no chance.
    pub fn agrees(&self, share: f64) -> bool {
        self.slower && self.change < share * self.remaining
    }

    /// Whether the policy hands over to the event-capturing scheme now.
    pub fn is_captured(&self, policy: Accumulation) -> bool {
        match policy {
            Accumulation::Capture { remaining, .. } => {
                self.remaining < remaining && self.agrees(0.1)
            }
            _ => false,
        }
    }
}

/// Intervals that shrink by less than this factor say nothing about a limit.
const SLOWEST: f64 = 0.999;

impl Impacts {
    /// Takes note of an impact with this speed of approach, and extrapolates.
    ///
    /// For intervals d r^k the limit is t + d r / (1 - r); with r from the last two intervals this is Aitken's
    /// extrapolation of the moments of impact.
    pub fn note(&mut self, t: f64, speed: f64) -> Option<Prediction> {
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
        let slower = speed < self.speed;
        (self.last, self.interval, self.limit) = (Some(t), interval, limit);
        self.speed = speed;
        let change = limit
            .zip(before)
            .map(|(limit, before)| (limit - before).abs());
        limit.zip(interval).map(|(limit, interval)| Prediction {
            limit,
            remaining: limit - t,
            change: change.unwrap_or(f64::INFINITY),
            interval,
            slower,
        })
    }
}

/// The impacts of all contacts.
pub(crate) struct Accumulations {
    contacts: Vec<Impacts>,
    /// What the run has stopped for, if the event-capturing scheme is to take over.
    handing_over: Option<Handover>,
}

impl Accumulations {
    /// No impacts yet, of so many contacts.
    pub fn none(contacts: usize) -> Self {
        Self {
            contacts: vec![Impacts::default(); contacts],
            handing_over: None,
        }
    }

    /// Takes note of an impact of a contact with this speed of approach, and extrapolates.
    pub fn note(&mut self, contact: usize, t: f64, speed: f64) -> Option<Prediction> {
        self.contacts[contact].note(t, speed)
    }

    /// Forgets all impacts: a run begins.
    pub fn clear(&mut self) {
        self.handing_over = None;
        self.contacts.fill(Impacts::default());
    }

    /// Forgets the impacts of contacts that have been closed.
    pub fn forget_closed(&mut self, contacts: &[ContactStatus]) {
        for (impacts, status) in self.contacts.iter_mut().zip(contacts) {
            if status.is_closed() {
                *impacts = Impacts::default();
            }
        }
    }

    /// What the run has stopped for; it is handed over once.
    pub fn take_handover(&mut self) -> Option<Handover> {
        self.handing_over.take()
    }

    /// Which of these impacts are among many before a limit that is left to the event-capturing scheme.
    pub fn hands_over(
        &mut self,
        equations: &mut Equations,
        arriving: &[usize],
        policy: Accumulation,
        state: &State,
    ) -> Result<Option<&Handover>, EvaluationError> {
        // Nobody else asks for predictions of impacts that have not been resolved yet.
        if !matches!(policy, Accumulation::Capture { .. }) {
            return Ok(None);
        }
        let mut handover = Handover {
            contacts: Vec::new(),
            limit: f64::NEG_INFINITY,
        };
        for &contact in arriving {
            let [rate, ..] = equations.velocity_of(contact, &state.point())?;
            let prediction = self.contacts[contact].clone().note(state.t, -rate);
            if let Some(end) = prediction.filter(|end| end.is_captured(policy)) {
                handover.contacts.push(contact);
                handover.limit = handover.limit.max(end.limit);
            }
        }
        if handover.contacts.is_empty() {
            return Ok(None);
        }
        Ok(Some(self.handing_over.insert(handover)))
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
            let prediction = impacts.note(t, interval);
            if let Some(end) =
                prediction.filter(|end| end.closes(Accumulation::default(), 1.0, 0.0))
            {
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
            assert!(impacts.note(f64::from(k) * 1e-9, 1.0).is_none());
        }
    }
}
