//! Steps in which bodies do not pass through each other.

use crate::equations::Equations;
use liedae::system::{EvaluationError, Point};

/// A step may end so deep in the other body, as a share of the way to its middle.
const DEPTH: f64 = 0.5;

impl Equations {
    /// The longest step from a point in which no body passes through another one: the gap is taken for a parabola in time. As a distance it
    /// is convex along straight motion, so that no body arrives earlier than its tangent says.
    pub fn passing_step(
        &mut self,
        at: &Point,
        acceleration: &[f64],
    ) -> Result<f64, EvaluationError> {
        let mut row = std::mem::take(&mut self.work.row);
        row.clear();
        row.resize(acceleration.len(), 0.0);
        let mut longest = f64::INFINITY;
        for contact in 0..self.contacts.len() {
            if !self.statuses.contacts[contact].is_closed() {
                longest = longest.min(self.passes_in(contact, at, acceleration, &mut row)?);
            }
        }
        self.work.row = row;
        Ok(longest)
    }

    /// The time in which an open contact comes to half of what it can penetrate.
    fn passes_in(
        &mut self,
        contact: usize,
        at: &Point,
        acceleration: &[f64],
        row: &mut [f64],
    ) -> Result<f64, EvaluationError> {
        let (contacts, own) = self.contacts_at(at)?;
        let thickness = contacts.thickness(contact);
        // A body without thickness would be come to in infinitely many steps.
        if thickness.is_infinite() || thickness <= 0.0 {
            return Ok(f64::INFINITY);
        }
        let way = contacts.gap(contact, &own)?.max(0.0) + DEPTH * thickness;
        let [rate, bias] = contacts.gap_rate_and_bias(contact, &own)?;
        if !row.is_empty() {
            contacts.gap_jacobian(contact, &own, row)?;
        }
        let pull = row.iter().zip(acceleration).map(|(entry, a)| entry * a);
        let towards = -(bias + pull.sum::<f64>());
        // way = -rate h + towards h²/2, without cancellation.
        if towards > 0.0 {
            let root = (rate * rate + 2.0 * towards * way).sqrt();
            return Ok(if rate < 0.0 {
                2.0 * way / (root - rate)
            } else {
                (rate + root) / towards
            });
        }
        Ok(if rate < 0.0 {
            -way / rate
        } else {
            f64::INFINITY
        })
    }
}
