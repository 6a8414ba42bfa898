//! The contacts of a mechanism as unilateral constraints: rows in closed form, biases along the motion.

use super::Touch;
use super::derivatives::along;
use super::touch::Place;
use crate::kinematics::VELOCITIES;
use crate::{Kinematics, MultibodySystem};
use liedae::manifold::Manifold;
use liedae::scalar::Taylor2;
use liedae::system::{EvaluationError, Function, Point};
use liedae_contact::{Contact, UnilateralConstraints};
use nalgebra::Vector3;

impl MultibodySystem {
    fn place(&self, contact: usize, at: &Point) -> Result<&Place, EvaluationError> {
        let places = &self.contacts.places;
        places.get(contact).ok_or_else(|| EvaluationError::Failed {
            function: Function::PositionConstraint,
            t: at.t,
            reason: format!("there is no contact {contact}: there are {}", places.len()),
        })
    }

    /// Names of contacts of two solids with faces. Each of them is one point at a time, the nearest: a box upon a box rocks on its edges, as it
    /// does not on a half-space, on which all its corners stand.
    pub fn contacts_of_faces(&self) -> Vec<&str> {
        let named = self.contacts.places.iter().zip(&self.contacts.laws);
        let of_faces = named.filter(|(place, _)| place.pair.is_of_faces());
        of_faces.map(|(_, law)| law.label.as_str()).collect()
    }

    /// Closest points, normal and tangents of contact number `contact` in the world.
    pub fn touch(&self, contact: usize, at: &Point) -> Result<Touch, EvaluationError> {
        let place = self.place(contact, at)?;
        Ok(place.touch(&Self::pair(&place.bodies, at)))
    }
}

/// The bodies along the motion with constant velocities r' and ω.
fn coasting(bodies: &[Kinematics; 2]) -> [Kinematics<Taylor2>; 2] {
    [0, 1].map(|side| along(&bodies[side], &[0.0; VELOCITIES]))
}

/// The row by velocities of d · (velocity of body 2 at its point - velocity of body 1 at its own).
fn write(
    touch: &Touch,
    direction: &Vector3<f64>,
    place: &Place,
    bodies: &[Kinematics; 2],
    row: &mut [f64],
) {
    row.fill(0.0);
    // d · (ẋ₂ - ẋ₁): minus and plus the row of a force along d at either point.
    for (side, sign) in [(0, -1.0), (1, 1.0)] {
        let wrench = bodies[side].force_at(&touch.points[side], &(direction * sign));
        let Some(body) = place.bodies[side] else {
            continue;
        };
        let first = VELOCITIES * body;
        for (index, slot) in row[first..first + VELOCITIES].iter_mut().enumerate() {
            *slot = wrench.entry(index);
        }
    }
}

impl UnilateralConstraints for MultibodySystem {
    fn contacts(&self) -> &[Contact] {
        &self.contacts.laws
    }

    fn space(&self) -> &Manifold {
        &self.layout.space
    }

    fn thickness(&self, contact: usize) -> f64 {
        (self.contacts.places.get(contact)).map_or(f64::INFINITY, |place| place.pair.thickness())
    }

    fn gap(&mut self, contact: usize, at: &Point) -> Result<f64, EvaluationError> {
        Ok(self.touch(contact, at)?.gap)
    }

    fn gap_rate(&mut self, contact: usize, at: &Point) -> Result<f64, EvaluationError> {
        let place = self.place(contact, at)?;
        let bodies = Self::pair(&place.bodies, at);
        let touch = place.touch(&bodies);
        Ok(touch.normal.dot(&touch.relative_velocity(&bodies)))
    }

    fn gap_jacobian(
        &mut self,
        contact: usize,
        at: &Point,
        row: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let place = self.place(contact, at)?;
        let bodies = Self::pair(&place.bodies, at);
        let touch = place.touch(&bodies);
        write(&touch, &touch.normal, place, &bodies, row);
        Ok(())
    }

    fn gap_bias(&mut self, contact: usize, at: &Point) -> Result<f64, EvaluationError> {
        let place = self.place(contact, at)?;
        let bodies = coasting(&Self::pair(&place.bodies, at));
        // g'' at constant velocities is γ.
        Ok(place.touch(&bodies).gap.second)
    }

    fn sliding_velocity(
        &mut self,
        contact: usize,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let place = self.place(contact, at)?;
        let bodies = Self::pair(&place.bodies, at);
        for (slot, velocity) in out
            .iter_mut()
            .zip(place.touch(&bodies).sliding_velocity(&bodies))
        {
            *slot = velocity;
        }
        Ok(())
    }

    fn sliding_jacobian(
        &mut self,
        contact: usize,
        at: &Point,
        rows: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let place = self.place(contact, at)?;
        let bodies = Self::pair(&place.bodies, at);
        let touch = place.touch(&bodies);
        let dimension = self.layout.dimension();
        for (row, tangent) in rows.chunks_exact_mut(dimension).zip(&touch.tangents) {
            write(&touch, tangent, place, &bodies, row);
        }
        Ok(())
    }

    fn sliding_bias(
        &mut self,
        contact: usize,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let place = self.place(contact, at)?;
        let bodies = coasting(&Self::pair(&place.bodies, at));
        for (slot, velocity) in out
            .iter_mut()
            .zip(place.touch(&bodies).sliding_velocity(&bodies))
        {
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
        let place = self.place(contact, at)?;
        place.force_stiffness(&Self::pair(&place.bodies, at), forces, out);
        Ok(())
    }

    fn velocity_gradients(
        &mut self,
        contact: usize,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let place = self.place(contact, at)?;
        place.velocity_gradients(&Self::pair(&place.bodies, at), out);
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
        let place = self.place(contact, at)?;
        let bodies = Self::pair(&place.bodies, at);
        let accelerations = place.bodies.map(|body| {
            let first = VELOCITIES * body.unwrap_or(0);
            let own = body.and_then(|_| acceleration.get(first..)?.first_chunk());
            own.copied().unwrap_or([0.0; VELOCITIES])
        });
        place.acceleration_gradients(&bodies, &accelerations, by_position, by_velocity);
        Ok(())
    }
}
