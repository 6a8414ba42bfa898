//! Rows of closed contacts and their derivatives.

use super::structure::Structure;
use liedae::manifold::Manifold;
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
        out[row] = value(contacts, contact, sliding, level, at)?;
    }
    Ok(())
}

/// One row at a level.
fn value(
    contacts: &mut dyn UnilateralConstraints,
    contact: usize,
    sliding: bool,
    level: Level,
    at: &Point,
) -> Result<f64, EvaluationError> {
    let mut slot = [0.0];
    match (sliding, level) {
        (false, Level::Velocity) => return contacts.gap_rate(contact, at),
        (false, Level::Bias) => return contacts.gap_bias(contact, at),
        (true, Level::Velocity) => contacts.sliding_velocity(contact, at, &mut slot)?,
        (true, Level::Bias) => contacts.sliding_bias(contact, at, &mut slot)?,
    }
    Ok(slot[0])
}

/// Derivatives of contact rows by central differences, good to about ten digits, which is what the matrices of
/// Newton's methods need. A row is differentiated along the velocities that it acts on.
pub(super) struct RowDerivatives {
    space: Manifold,
    displacement: Vec<f64>,
    moved: Vec<f64>,
    velocity: Vec<f64>,
    rows: [Vec<f64>; 2],
}

/// Steps of central differences, the cube root of the machine precision.
const STEP: f64 = 6e-6;

impl RowDerivatives {
    pub fn new(layout: &Layout) -> Self {
        let vector = || vec![0.0; layout.dimension()];
        Self {
            space: layout.space.clone(),
            displacement: vector(),
            moved: vec![0.0; layout.space.coordinates()],
            velocity: vector(),
            rows: [vector(), vector()],
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
        for (row, contact, sliding) in places(structure) {
            let multiplier = whole.lambda.get(row).copied().unwrap_or(0.0);
            let velocities = &structure.velocities[contact];
            for &column in velocities {
                for (side, sign) in [1.0, -1.0].into_iter().enumerate() {
                    self.displace(column, sign);
                    let point = displaced(&self.space, &self.displacement, &mut self.moved, at);
                    jacobian(contacts, contact, sliding, &point, &mut self.rows[side])?;
                }
                let [up, down] = &self.rows;
                for &force in velocities {
                    if let Some(position) = structure.stiffness.position(force, column) {
                        out[position] -= multiplier * (up[force] - down[force]) / (2.0 * STEP);
                    }
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
        for (row, contact, sliding) in places(structure) {
            for &column in &structure.velocities[contact] {
                let mut sides = [0.0; 2];
                for (side, sign) in [1.0, -1.0].into_iter().enumerate() {
                    self.displace(column, sign);
                    let point = displaced(&self.space, &self.displacement, &mut self.moved, at);
                    sides[side] = match acceleration {
                        None => value(contacts, contact, sliding, Level::Velocity, &point)?,
                        Some(acceleration) => {
                            jacobian(contacts, contact, sliding, &point, &mut self.rows[side])?;
                            let products = self.rows[side].iter().zip(acceleration);
                            let by_acceleration: f64 = products.map(|(a, b)| a * b).sum();
                            by_acceleration
                                + value(contacts, contact, sliding, Level::Bias, &point)?
                        }
                    };
                }
                scatter(structure, row, column, sides, out);
            }
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
        for (row, contact, sliding) in places(structure) {
            for &column in &structure.velocities[contact] {
                let mut sides = [0.0; 2];
                for (side, sign) in [1.0, -1.0].into_iter().enumerate() {
                    self.velocity.copy_from_slice(at.v);
                    self.velocity[column] += sign * STEP;
                    let point = Point {
                        v: &self.velocity,
                        ..*at
                    };
                    sides[side] = value(contacts, contact, sliding, Level::Bias, &point)?;
                }
                scatter(structure, row, column, sides, out);
            }
        }
        Ok(())
    }

    fn displace(&mut self, column: usize, sign: f64) {
        self.displacement.fill(0.0);
        self.displacement[column] = sign * STEP;
    }
}

/// One row of the constraint Jacobian.
fn jacobian(
    contacts: &mut dyn UnilateralConstraints,
    contact: usize,
    sliding: bool,
    at: &Point,
    row: &mut [f64],
) -> Result<(), EvaluationError> {
    if sliding {
        contacts.sliding_jacobian(contact, at, row)
    } else {
        contacts.gap_jacobian(contact, at, row)
    }
}

/// Writes a derivative from values on both sides.
fn scatter(
    structure: &Structure,
    row: usize,
    column: usize,
    [up, down]: [f64; 2],
    out: &mut [f64],
) {
    if let Some(position) = structure.layout.jacobian.position(row, column) {
        out[position] = (up - down) / (2.0 * STEP);
    }
}

/// The point moved along one velocity.
fn displaced<'a>(
    space: &Manifold,
    displacement: &[f64],
    moved: &'a mut [f64],
    at: &Point<'a>,
) -> Point<'a> {
    space.retract(at.q, displacement, moved);
    Point { q: moved, ..*at }
}
