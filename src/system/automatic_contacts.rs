//! The unilateral constraints of a [`Model`], with derivatives by forward-mode duals.

use super::automatic::{Automatic, CHUNK};
use super::{Contact, EvaluationError, Model, Point, UnilateralConstraints};
use crate::scalar::{Dual, Scalar, Taylor2};

/// Directions of a contact plane.
const TANGENTS: usize = 2;

impl<M: Model> Automatic<M> {
    /// The gap along q · exp(s v), t + s.
    fn gap_along_curve(&mut self, contact: usize, at: &Point) -> Taylor2 {
        self.follow_curve(at);
        let (point, _) = self.curve.split(at.mode);
        self.model.gap(contact, &point)
    }
}

impl<M: Model> UnilateralConstraints for Automatic<M> {
    fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    fn gap(&mut self, contact: usize, at: &Point) -> Result<f64, EvaluationError> {
        Ok(self.model.gap(contact, at))
    }

    fn gap_rate(&mut self, contact: usize, at: &Point) -> Result<f64, EvaluationError> {
        Ok(self.gap_along_curve(contact, at).first)
    }

    fn gap_jacobian(
        &mut self,
        contact: usize,
        at: &Point,
        row: &mut [f64],
    ) -> Result<(), EvaluationError> {
        row.fill(0.0);
        let acts = self.contacts.get(contact);
        let velocities = acts.and_then(|contact| contact.velocities.as_deref());
        let count = velocities.map_or(row.len(), <[usize]>::len);
        let column = |index: usize| velocities.map_or(index, |list| list[index]);
        for first in (0..count).step_by(CHUNK) {
            let chunk = first..(first + CHUNK).min(count);
            self.dual.load(at);
            for index in chunk.clone() {
                self.dual.displacement[column(index)] = Dual::variable(0.0, index - first);
            }
            self.dual.displace(&self.layout.space, at.q);
            let (point, _) = self.dual.split(at.mode);
            let gap = self.model.gap(contact, &point);
            for index in chunk {
                row[column(index)] = gap.gradient[index - first];
            }
        }
        Ok(())
    }

    fn gap_bias(&mut self, contact: usize, at: &Point) -> Result<f64, EvaluationError> {
        Ok(self.gap_along_curve(contact, at).second)
    }

    fn sliding_velocity(
        &mut self,
        contact: usize,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        out.fill(0.0);
        self.model.sliding_velocity(contact, at, out);
        Ok(())
    }

    fn sliding_jacobian(
        &mut self,
        contact: usize,
        at: &Point,
        rows: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let dimension = self.layout.dimension();
        let tangents = self.contacts[contact].tangents.min(TANGENTS);
        for first in (0..dimension).step_by(CHUNK) {
            let columns = first..(first + CHUNK).min(dimension);
            self.dual.load(at);
            for column in columns.clone() {
                self.dual.v[column].gradient[column - first] = 1.0;
            }
            let mut sliding = [Dual::constant(0.0); TANGENTS];
            let (point, _) = self.dual.split(at.mode);
            self.model
                .sliding_velocity(contact, &point, &mut sliding[..tangents]);
            for (row, velocity) in rows.chunks_exact_mut(dimension).zip(sliding) {
                row[columns.clone()].copy_from_slice(&velocity.gradient[..columns.len()]);
            }
        }
        Ok(())
    }

    fn sliding_bias(
        &mut self,
        contact: usize,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        self.follow_curve(at);
        let mut sliding = [Taylor2::constant(0.0); TANGENTS];
        let (point, _) = self.curve.split(at.mode);
        self.model
            .sliding_velocity(contact, &point, &mut sliding[..out.len().min(TANGENTS)]);
        for (slot, velocity) in out.iter_mut().zip(sliding) {
            *slot = velocity.first;
        }
        Ok(())
    }
}
