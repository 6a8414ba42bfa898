//! The unilateral constraints of a [`Model`], with derivatives by forward-mode duals.

use crate::manifold::Manifold;
use crate::scalar::{Dual, Scalar, Taylor2};
use crate::system::automatic::contact_derivatives::Touching;
use crate::system::automatic::model::Automatic;
use crate::system::automatic::workspace::CHUNK;
use crate::system::{Contact, EvaluationError, Model, Point, UnilateralConstraints};

/// Directions of a contact plane.
pub(in crate::system) const TANGENTS: usize = 2;

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

    fn space(&self) -> &Manifold {
        &self.layout.space
    }

    fn junctions(&self, contact: usize) -> usize {
        self.model.junctions(contact)
    }

    fn junction_values(
        &mut self,
        contact: usize,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        self.model.junction_values(contact, at, out);
        Ok(())
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
        for columns in self.touched[contact].chunks(CHUNK) {
            self.dual.load(at);
            for (direction, &column) in columns.iter().enumerate() {
                self.dual.displacement[column] = Dual::variable(0.0, direction);
            }
            self.dual.displace(&self.layout.space, at.q);
            let (point, _) = self.dual.split(at.mode);
            let gap = self.model.gap(contact, &point);
            for (&column, entry) in columns.iter().zip(gap.gradient) {
                row[column] = entry;
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
        rows.fill(0.0);
        for columns in self.touched[contact].chunks(CHUNK) {
            self.dual.load(at);
            for (direction, &column) in columns.iter().enumerate() {
                self.dual.v[column].gradient[direction] = 1.0;
            }
            let mut sliding = [Dual::constant(0.0); TANGENTS];
            let (point, _) = self.dual.split(at.mode);
            self.model
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

    fn force_stiffness(
        &mut self,
        contact: usize,
        at: &Point,
        forces: &[f64],
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let touching = Touching {
            model: &self.model,
            layout: &self.layout,
            contact,
            velocities: &self.touched[contact],
        };
        touching.force_stiffness(&mut self.second, at, forces, out);
        Ok(())
    }

    fn velocity_gradients(
        &mut self,
        contact: usize,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let touching = Touching {
            model: &self.model,
            layout: &self.layout,
            contact,
            velocities: &self.touched[contact],
        };
        touching.velocity_gradients(&mut self.second, at, out);
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
        let touching = Touching {
            model: &self.model,
            layout: &self.layout,
            contact,
            velocities: &self.touched[contact],
        };
        let out = [by_position, by_velocity];
        touching.acceleration_gradients(&mut self.second, at, acceleration, out);
        Ok(())
    }
}
