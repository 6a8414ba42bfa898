//! Derivatives of the rows of closed contacts, for implicit methods.

use crate::equations::structure::Structure;
use crate::{Contact, UnilateralConstraints};
use liedae::system::{EvaluationError, Point};

/// Rows of a contact in the plane: the gap and one sliding velocity.
const ROWS: usize = 2;

/// Memory for the derivatives of one contact.
pub(crate) struct RowDerivatives {
    stiffness: Vec<f64>,
    gradients: [Vec<f64>; 2],
}

impl RowDerivatives {
    /// Memory for these contacts of a system with so many velocities.
    pub fn new(contacts: &[Contact], dimension: usize) -> Self {
        let counts = contacts.iter();
        let counts = counts.map(|contact| contact.acts_on(dimension).len());
        let largest = counts.max().unwrap_or(0);
        let gradients = || vec![0.0; ROWS * largest];
        Self {
            stiffness: vec![0.0; largest * largest],
            gradients: [gradients(), gradients()],
        }
    }

    /// Subtracts ∂(Gᵀ λ)/∂q of the contact rows in the pattern of the tangent stiffness; `whole` has all multipliers.
    pub fn stiffness(
        &mut self,
        contacts: &mut dyn UnilateralConstraints,
        structure: &Structure,
        whole: &Point,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        for closed in &structure.closed {
            let force = |row: usize| whole.lambda.get(row).copied().unwrap_or(0.0);
            let forces = [force(closed.gap), closed.stick.map_or(0.0, force)];
            if forces == [0.0; ROWS] {
                continue;
            }
            let forces = &forces[..closed.rows()];
            let own = &mut self.stiffness[..closed.stiffness.len()];
            contacts.force_stiffness(closed.contact, at, forces, own)?;
            for (&position, value) in closed.stiffness.iter().zip(own.iter()) {
                out[position] -= value;
            }
        }
        Ok(())
    }

    /// Adds the derivative of the friction of sliding contacts, -μ sign(g_T') z G_T, by the configuration.
    pub fn friction(
        &mut self,
        contacts: &mut dyn UnilateralConstraints,
        structure: &Structure,
        at: &Point,
        friction: impl Fn(usize) -> f64,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        for (index, slide) in structure.slides.iter().enumerate() {
            let force = friction(index);
            if force == 0.0 {
                continue;
            }
            let positions = &structure.friction[index];
            let own = &mut self.stiffness[..positions.len()];
            contacts.force_stiffness(slide.0, at, &[0.0, force], own)?;
            for (&position, value) in positions.iter().zip(own.iter()) {
                out[position] += value;
            }
        }
        Ok(())
    }

    /// Derivatives by the configuration of contact rows at velocity level.
    pub fn velocity(
        &mut self,
        contacts: &mut dyn UnilateralConstraints,
        structure: &Structure,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        for closed in &structure.closed {
            let count = structure.velocities[closed.contact].len();
            let own = &mut self.gradients[0][..closed.rows() * count];
            contacts.velocity_gradients(closed.contact, at, own)?;
            closed.scatter(structure, own, out);
        }
        Ok(())
    }

    /// Derivatives of contact rows at acceleration level by the configuration and by the velocity.
    pub fn acceleration(
        &mut self,
        contacts: &mut dyn UnilateralConstraints,
        structure: &Structure,
        at: &Point,
        acceleration: &[f64],
        [by_position, by_velocity]: [&mut [f64]; 2],
    ) -> Result<(), EvaluationError> {
        for closed in &structure.closed {
            let count = closed.rows() * structure.velocities[closed.contact].len();
            let [first, second] = &mut self.gradients;
            let (first, second) = (&mut first[..count], &mut second[..count]);
            contacts.acceleration_gradients(closed.contact, at, acceleration, first, second)?;
            closed.scatter(structure, first, by_position);
            closed.scatter(structure, second, by_velocity);
        }
        Ok(())
    }
}

/// A closed contact: its rows, and where its derivatives go.
pub(crate) struct ClosedRows {
    pub contact: usize,
    /// The row of its gap.
    pub gap: usize,
    /// The row of its sliding velocity, if it sticks.
    pub stick: Option<usize>,
    /// Where its tangent stiffness goes, row by row.
    pub stiffness: Vec<usize>,
}

impl ClosedRows {
    fn rows(&self) -> usize {
        if self.stick.is_some() { ROWS } else { 1 }
    }

    /// Writes gradients into the rows of the contact, which have no other entries.
    fn scatter(&self, structure: &Structure, gradients: &[f64], out: &mut [f64]) {
        let count = structure.velocities[self.contact].len();
        let rows = [Some(self.gap), self.stick].into_iter().flatten();
        for (row, gradient) in rows.zip(gradients.chunks_exact(count.max(1))) {
            out[structure.layout.jacobian.row_range(row)].copy_from_slice(gradient);
        }
    }
}
