//! Derivatives of the rows of closed contacts, for implicit methods.

use crate::equations::slides::Slide;
use crate::equations::structure::{Stick, Structure};
use crate::{Contact, UnilateralConstraints};
use liedae::system::{EvaluationError, Point, RatesJacobian};

/// Most rows of a contact: the gap and two sliding velocities.
const ROWS: usize = 3;

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
            let mut forces = [closed.gap.map_or(0.0, force), 0.0, 0.0];
            for (row, [first, second]) in closed.directions() {
                forces[1] += first * force(row);
                forces[2] += second * force(row);
            }
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

    /// Adds the derivatives of the forces of contacts with variables z: of z along a gap without a row, and of -μ z
    /// against the direction of sliding, along the rows of sliding. `slides` has the directions, `rows` memory for two rows of the Jacobian.
    pub fn friction(
        &mut self,
        (contacts, laws): (&mut dyn UnilateralConstraints, &[Contact]),
        (structure, slides): (&Structure, &[Slide]),
        (at, normals): (&Point, &[f64]),
        rows: &mut [f64],
        out: &mut RatesJacobian,
    ) -> Result<(), EvaluationError> {
        for (index, pressed) in structure.pressed.iter().enumerate() {
            let contact = pressed.contact;
            let law = &laws[contact];
            let force = normals.get(index).copied().unwrap_or(0.0);
            let normal = if pressed.pushes { force } else { 0.0 };
            let size = match pressed.sliding {
                Some(_) => -law.friction * force,
                None => 0.0,
            };
            if normal == 0.0 && size == 0.0 {
                continue;
            }
            let positions = &structure.pushed[index];
            let own = &mut self.stiffness[..positions.len()];
            if law.tangents < 2 || size == 0.0 {
                let forces = [normal, size * pressed.sliding.unwrap_or(0.0)];
                let count = 1 + usize::from(size != 0.0);
                contacts.force_stiffness(contact, at, &forces[..count], own)?;
                add(positions, own, &mut out.by_position);
                continue;
            }
            let (slide, mut velocity) = (slides[contact], [0.0; 2]);
            contacts.sliding_velocity(contact, at, &mut velocity)?;
            let [first, second] = slide.against(velocity).map(|part| size * part);
            contacts.force_stiffness(contact, at, &[normal, first, second], own)?;
            add(positions, own, &mut out.by_position);
            // How it turns with the velocity, and with that in the configuration.
            let slope = slide.slope(velocity).map(|row| row.map(|part| size * part));
            if slope == [[0.0; 2]; 2] {
                continue;
            }
            let dimension = structure.layout.dimension();
            contacts.sliding_jacobian(contact, at, rows)?;
            let acts_on = &structure.velocities[contact];
            let count = acts_on.len();
            let gradients = &mut self.gradients[0][..ROWS * count];
            contacts.velocity_gradients(contact, at, gradients)?;
            let pairs = acts_on
                .iter()
                .flat_map(|&row| (0..count).map(move |k| (row, k)));
            for (&position, (row, k)) in positions.iter().zip(pairs) {
                // Gᵀ slope, along the row.
                let push =
                    [0, 1].map(|l| rows[row] * slope[0][l] + rows[dimension + row] * slope[1][l]);
                let column = acts_on[k];
                out.by_velocity[position] +=
                    push[0] * rows[column] + push[1] * rows[dimension + column];
                out.by_position[position] +=
                    push[0] * gradients[count + k] + push[1] * gradients[2 * count + k];
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

/// Adds values to their places.
fn add(positions: &[usize], values: &[f64], out: &mut [f64]) {
    for (&position, value) in positions.iter().zip(values) {
        out[position] += value;
    }
}

/// A closed contact: its rows, and where its derivatives go.
pub(crate) struct ClosedRows {
    pub contact: usize,
    /// The row of its gap, if it has one.
    pub gap: Option<usize>,
    /// The rows of its sliding velocities, if it sticks.
    pub stick: Option<Stick>,
    /// Where its tangent stiffness goes, row by row.
    pub stiffness: Vec<usize>,
}

impl ClosedRows {
    /// Its rows of sliding, with their directions.
    fn directions(&self) -> impl Iterator<Item = (usize, [f64; 2])> + use<> {
        self.stick
            .as_ref()
            .map(Stick::directions)
            .into_iter()
            .flatten()
    }

    /// Rows of derivatives, up to the last that it has a share of in the system.
    fn rows(&self) -> usize {
        let last = self.directions().last();
        last.map_or(1, |(_, [_, second])| if second == 0.0 { 2 } else { 3 })
    }

    /// Writes gradients into the rows of the contact, which have no other entries.
    fn scatter(&self, structure: &Structure, gradients: &[f64], out: &mut [f64]) {
        let count = structure.velocities[self.contact].len();
        let gradient = |place: usize| &gradients[place * count..(place + 1) * count];
        if let Some(row) = self.gap {
            out[structure.layout.jacobian.row_range(row)].copy_from_slice(gradient(0));
        }
        for (row, direction) in self.directions() {
            let row = &mut out[structure.layout.jacobian.row_range(row)];
            row.fill(0.0);
            for (place, part) in (1..).zip(direction).filter(|&(_, part)| part != 0.0) {
                for (slot, value) in row.iter_mut().zip(gradient(place)) {
                    *slot += part * value;
                }
            }
        }
    }
}
