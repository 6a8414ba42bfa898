//! Rows of closed contacts and their derivatives.

use super::structure::Structure;
use liedae::system::{EvaluationError, Layout, Point, UnilateralConstraints};

/// A level of the constraint rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    /// G v + ∂g/∂t.
    Velocity,
    /// γ of G v' + γ.
    Bias,
}

/// Rows of contacts: their place, the contact, and whether it is a sliding velocity.
pub(super) fn places(structure: &Structure) -> impl Iterator<Item = (usize, usize, bool)> + '_ {
    let first_normal = structure.layout.position_rows - structure.normals.len();
    let first_stick = structure.layout.rows() - structure.sticks.len();
    let normals = structure.normals.iter().enumerate();
    let sticks = structure.sticks.iter().enumerate();
    normals
        .map(move |(index, &contact)| (first_normal + index, contact, false))
        .chain(sticks.map(move |(index, &contact)| (first_stick + index, contact, true)))
}

/// Writes the rows of contacts at a level into their places.
pub(super) fn evaluate(
    contacts: &mut dyn UnilateralConstraints,
    structure: &Structure,
    level: Level,
    at: &Point,
    out: &mut [f64],
) -> Result<(), EvaluationError> {
    for (row, contact, sliding) in places(structure) {
        let slot = &mut out[row];
        match (sliding, level) {
            (false, Level::Velocity) => *slot = contacts.gap_rate(contact, at)?,
            (false, Level::Bias) => *slot = contacts.gap_bias(contact, at)?,
            (true, Level::Velocity) => {
                contacts.sliding_velocity(contact, at, std::slice::from_mut(slot))?;
            }
            (true, Level::Bias) => {
                contacts.sliding_bias(contact, at, std::slice::from_mut(slot))?;
            }
        }
    }
    Ok(())
}

/// Derivatives of contact rows by central differences, good to about ten digits, which is what the matrices of
/// Newton's methods need.
pub(super) struct RowDerivatives {
    space: liedae::manifold::Manifold,
    displacement: Vec<f64>,
    moved: Vec<f64>,
    velocity: Vec<f64>,
    row: Vec<f64>,
    forces: [Vec<f64>; 2],
    values: [Vec<f64>; 2],
}

/// Steps of central differences, the cube root of the machine precision.
const STEP: f64 = 6e-6;

impl RowDerivatives {
    pub fn new(layout: &Layout) -> Self {
        let dimension = layout.dimension();
        let vector = || vec![0.0; dimension];
        Self {
            space: layout.space.clone(),
            displacement: vector(),
            moved: vec![0.0; layout.space.coordinates()],
            velocity: vector(),
            row: vector(),
            forces: [vector(), vector()],
            values: [Vec::new(), Vec::new()],
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
        for &column in &structure.velocities {
            for (side, sign) in [1.0, -1.0].into_iter().enumerate() {
                let point = displaced(
                    &self.space,
                    &mut self.displacement,
                    &mut self.moved,
                    at,
                    column,
                    sign,
                );
                self.forces[side].fill(0.0);
                for (row, contact, sliding) in places(structure) {
                    let multiplier = whole.lambda.get(row).copied().unwrap_or(0.0);
                    if sliding {
                        contacts.sliding_jacobian(contact, &point, &mut self.row)?;
                    } else {
                        contacts.gap_jacobian(contact, &point, &mut self.row)?;
                    }
                    for (force, entry) in self.forces[side].iter_mut().zip(&self.row) {
                        *force += multiplier * entry;
                    }
                }
            }
            let [up, down] = &self.forces;
            for (row, (up, down)) in up.iter().zip(down).enumerate() {
                if let Some(position) = structure.stiffness.position(row, column) {
                    out[position] -= (up - down) / (2.0 * STEP);
                }
            }
        }
        Ok(())
    }

    /// Derivatives by the configuration of contact rows at velocity level or, with an acceleration a, of G a + γ.
    pub fn rows_by_position(
        &mut self,
        contacts: &mut dyn UnilateralConstraints,
        structure: &Structure,
        at: &Point,
        acceleration: Option<&[f64]>,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let rows = structure.layout.rows();
        for &column in &structure.velocities {
            for (side, sign) in [1.0, -1.0].into_iter().enumerate() {
                let point = displaced(
                    &self.space,
                    &mut self.displacement,
                    &mut self.moved,
                    at,
                    column,
                    sign,
                );
                let values = &mut self.values[side];
                values.resize(rows, 0.0);
                let level = match acceleration {
                    None => Level::Velocity,
                    Some(_) => Level::Bias,
                };
                evaluate(contacts, structure, level, &point, values)?;
                if let Some(acceleration) = acceleration {
                    for (row, contact, sliding) in places(structure) {
                        if sliding {
                            contacts.sliding_jacobian(contact, &point, &mut self.row)?;
                        } else {
                            contacts.gap_jacobian(contact, &point, &mut self.row)?;
                        }
                        let products = self.row.iter().zip(acceleration).map(|(a, b)| a * b);
                        values[row] += products.sum::<f64>();
                    }
                }
            }
            self.scatter(structure, column, out);
        }
        Ok(())
    }

    /// ∂γ/∂v of contact rows.
    pub fn bias_by_velocity(
        &mut self,
        contacts: &mut dyn UnilateralConstraints,
        structure: &Structure,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let rows = structure.layout.rows();
        for &column in &structure.velocities {
            for (side, sign) in [1.0, -1.0].into_iter().enumerate() {
                self.velocity.copy_from_slice(at.v);
                self.velocity[column] += sign * STEP;
                let point = Point {
                    v: &self.velocity,
                    ..*at
                };
                let values = &mut self.values[side];
                values.resize(rows, 0.0);
                evaluate(contacts, structure, Level::Bias, &point, values)?;
            }
            self.scatter(structure, column, out);
        }
        Ok(())
    }

    fn scatter(&self, structure: &Structure, column: usize, out: &mut [f64]) {
        let [up, down] = &self.values;
        for (row, ..) in places(structure) {
            if let Some(position) = structure.layout.jacobian.position(row, column) {
                out[position] = (up[row] - down[row]) / (2.0 * STEP);
            }
        }
    }
}

/// The point moved along one velocity.
fn displaced<'a>(
    space: &liedae::manifold::Manifold,
    displacement: &mut [f64],
    moved: &'a mut [f64],
    at: &Point<'a>,
    column: usize,
    sign: f64,
) -> Point<'a> {
    displacement.fill(0.0);
    displacement[column] = sign * STEP;
    space.retract(at.q, displacement, moved);
    Point { q: moved, ..*at }
}
