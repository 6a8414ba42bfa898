//! The unilateral constraints of a model, with derivatives by forward-mode duals.

use super::AutomaticContacts;
use super::derivatives::Touching;
use crate::{Contact, ContactModel, UnilateralConstraints};
use liedae::manifold::Manifold;
use liedae::scalar::{Dual, Scalar, Taylor2};
use liedae::system::derivatives::CHUNK;
use liedae::system::{EvaluationError, Point, System};

/// Directions of a contact plane.
pub(super) const TANGENTS: usize = 2;

impl<M: ContactModel> AutomaticContacts<M> {
    /// The gap along q · exp(s v), t + s.
    fn gap_along_curve(&mut self, contact: usize, at: &Point) -> Taylor2 {
        self.curve.follow(&self.smooth.layout().space, at);
        let point = self.curve.point(at.mode);
        self.smooth.model().gap(contact, &point)
    }
}

impl<M: ContactModel> UnilateralConstraints for AutomaticContacts<M> {
    fn contacts(&self) -> &[Contact] {
        &self.contacts
    }

    fn space(&self) -> &Manifold {
        &self.smooth.layout().space
    }

    fn thickness(&self, contact: usize) -> f64 {
        self.smooth.model().thickness(contact)
    }

    fn junctions(&self, contact: usize) -> usize {
        self.smooth.model().junctions(contact)
    }

    fn junction_values(
        &mut self,
        contact: usize,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        self.smooth.model().junction_values(contact, at, out);
        Ok(())
    }

    fn gap(&mut self, contact: usize, at: &Point) -> Result<f64, EvaluationError> {
        Ok(self.smooth.model().gap(contact, at))
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
        for columns in self.touched[contact].chunks(CHUNK) {
            let seeds = columns.iter().enumerate();
            let seeds = seeds.map(|(direction, &column)| (column, direction));
            let space = &self.smooth.layout().space;
            self.dual.displace_along(space, at, seeds);
            let point = self.dual.point(at.mode);
            let gap = self.smooth.model().gap(contact, &point);
            for (&column, entry) in columns.iter().zip(gap.gradient) {
                row[column] = entry;
            }
        }
        Ok(())
    }

    fn gap_bias(&mut self, contact: usize, at: &Point) -> Result<f64, EvaluationError> {
        Ok(self.gap_along_curve(contact, at).second)
    }

    fn gap_rate_and_bias(
        &mut self,
        contact: usize,
        at: &Point,
    ) -> Result<[f64; 2], EvaluationError> {
        let gap = self.gap_along_curve(contact, at);
        Ok([gap.first, gap.second])
    }

    fn sliding_velocity(
        &mut self,
        contact: usize,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        out.fill(0.0);
        self.smooth.model().sliding_velocity(contact, at, out);
        Ok(())
    }

    fn sliding_jacobian(
        &mut self,
        contact: usize,
        at: &Point,
        rows: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let dimension = self.smooth.layout().dimension();
        let tangents = self.contacts[contact].tangents.min(TANGENTS);
        rows.fill(0.0);
        for columns in self.touched[contact].chunks(CHUNK) {
            self.dual.load(at);
            for (direction, &column) in columns.iter().enumerate() {
                self.dual.v[column].gradient[direction] = 1.0;
            }
            let mut sliding = [Dual::constant(0.0); TANGENTS];
            let point = self.dual.point(at.mode);
            self.smooth
                .model()
                .sliding_velocity(contact, &point, &mut sliding[..tangents]);
            for (row, velocity) in rows.chunks_exact_mut(dimension).zip(sliding) {
                for (&column, entry) in columns.iter().zip(velocity.gradient) {
                    row[column] = entry;
                }
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
        self.curve.follow(&self.smooth.layout().space, at);
        let mut sliding = [Taylor2::constant(0.0); TANGENTS];
        let point = self.curve.point(at.mode);
        self.smooth.model().sliding_velocity(
            contact,
            &point,
            &mut sliding[..out.len().min(TANGENTS)],
        );
        for (slot, velocity) in out.iter_mut().zip(sliding) {
            *slot = velocity.first;
        }
        Ok(())
    }

    fn force_stiffness(
        &mut self,
        contact: usize,
        at: &Point,
        forces: &[f64],
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let touching = Touching::new(&self.smooth, contact, &self.touched[contact]);
        touching.force_stiffness(&mut self.nested, at, forces, out);
        Ok(())
    }

    fn velocity_gradients(
        &mut self,
        contact: usize,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let touching = Touching::new(&self.smooth, contact, &self.touched[contact]);
        touching.velocity_gradients(&mut self.nested, at, out);
        Ok(())
    }

    fn acceleration_gradients(
        &mut self,
        contact: usize,
        at: &Point,
        acceleration: &[f64],
        by_position: &mut [f64],
        by_velocity: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let touching = Touching::new(&self.smooth, contact, &self.touched[contact]);
        let out = [by_position, by_velocity];
        touching.acceleration_gradients(&mut self.nested, at, acceleration, out);
        Ok(())
    }
}
