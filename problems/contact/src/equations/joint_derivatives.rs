//! Derivatives of the rows of joints with friction, for implicit methods.

use crate::ContactSystem;
use crate::equations::rows::{Level, Quantity};
use crate::equations::structure::Structure;
use liedae::linalg::Pattern;
use liedae::manifold::Manifold;
use liedae::system::{EvaluationError, Layout, Point};

/// The rows of joints that stick, and these joints.
fn sticking(structure: &Structure) -> impl Iterator<Item = (usize, usize)> + '_ {
    (structure.first_joint_stick()..).zip(structure.joint_sticks.iter().copied())
}

/// Derivatives of the sliding velocities of joints by central differences, good to about ten digits, which is what the
/// matrices of Newton's methods need. A row is differentiated along the velocities that it acts on.
pub(crate) struct JointDerivatives {
    space: Manifold,
    displacement: Vec<f64>,
    moved: Vec<f64>,
    velocity: Vec<f64>,
    rows: [Vec<f64>; 2],
}

/// Steps of central differences, the cube root of the machine precision.
const STEP: f64 = 6e-6;

impl JointDerivatives {
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

    /// Subtracts ∂(Gᵀ λ)/∂q of these rows in the pattern of the tangent stiffness; `whole` has all multipliers.
    pub fn stiffness(
        &mut self,
        system: &mut ContactSystem,
        structure: &Structure,
        whole: &Point,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        for (row, joint) in sticking(structure) {
            let multiplier = whole.lambda.get(row).copied().unwrap_or(0.0);
            let pattern = &structure.stiffness;
            self.turning(system, structure, (joint, -multiplier), at, pattern, out)?;
        }
        Ok(())
    }

    /// Adds the derivative by the configuration of a force along the sliding velocity of a joint, in this pattern.
    pub fn turning(
        &mut self,
        system: &mut ContactSystem,
        structure: &Structure,
        (joint, force): (usize, f64),
        at: &Point,
        pattern: &Pattern,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let velocities = &structure.joint_velocities[joint];
        for &column in velocities {
            for (side, sign) in [1.0, -1.0].into_iter().enumerate() {
                self.displace(column, sign);
                let point = displaced(&self.space, &self.displacement, &mut self.moved, at);
                Quantity::Joint(joint).jacobian(system, &point, &mut self.rows[side])?;
            }
            let [up, down] = &self.rows;
            for &row in velocities {
                if let Some(position) = pattern.position(row, column) {
                    out[position] += force * (up[row] - down[row]) / (2.0 * STEP);
                }
            }
        }
        Ok(())
    }

    /// Derivatives by the configuration of these rows at velocity level or, with an acceleration a, of G a + γ.
    pub fn rows_by_position(
        &mut self,
        system: &mut ContactSystem,
        structure: &Structure,
        at: &Point,
        acceleration: Option<&[f64]>,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        for (row, joint) in sticking(structure) {
            let quantity = Quantity::Joint(joint);
            for &column in &structure.joint_velocities[joint] {
                let mut sides = [0.0; 2];
                for (side, sign) in [1.0, -1.0].into_iter().enumerate() {
                    self.displace(column, sign);
                    let point = displaced(&self.space, &self.displacement, &mut self.moved, at);
                    sides[side] = match acceleration {
                        None => quantity.value(system, Level::Velocity, &point)?,
                        Some(acceleration) => {
                            quantity.jacobian(system, &point, &mut self.rows[side])?;
                            let products = self.rows[side].iter().zip(acceleration);
                            let by_acceleration: f64 = products.map(|(a, b)| a * b).sum();
                            by_acceleration + quantity.value(system, Level::Bias, &point)?
                        }
                    };
                }
                scatter(structure, row, column, sides, out);
            }
        }
        Ok(())
    }

    /// ∂γ/∂v of these rows.
    pub fn bias_by_velocity(
        &mut self,
        system: &mut ContactSystem,
        structure: &Structure,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        for (row, joint) in sticking(structure) {
            let quantity = Quantity::Joint(joint);
            for &column in &structure.joint_velocities[joint] {
                let mut sides = [0.0; 2];
                for (side, sign) in [1.0, -1.0].into_iter().enumerate() {
                    self.velocity.copy_from_slice(at.v);
                    self.velocity[column] += sign * STEP;
                    let point = Point {
                        v: &self.velocity,
                        ..*at
                    };
                    sides[side] = quantity.value(system, Level::Bias, &point)?;
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
