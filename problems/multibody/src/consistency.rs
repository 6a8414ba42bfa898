//! Whether the initial positions and velocities satisfy the joints.

use super::error::AssemblyError;
use super::mechanism::MultibodySystem;
use liedae::system::State;

/// Relative tolerance of the joints at assembly.
const ASSEMBLY_TOLERANCE: f64 = 1e-8;

/// The size of numbers to which tolerances are relative, 1 at least.
fn size(values: &[f64]) -> f64 {
    values
        .iter()
        .fold(1.0_f64, |size, value| size.max(value.abs()))
}

impl MultibodySystem {
    /// Compares the initial positions and velocities with every joint.
    pub(crate) fn check_assembly(&self) -> Result<(), AssemblyError> {
        let State { t, q, v, mode, .. } = &self.initial;
        let mut rows = vec![0.0; self.layout.rows()];
        for connection in &self.connections {
            connection.residual(*t, q, &mut rows);
        }
        for tie in &self.ties {
            tie.residual(q, &mut rows);
        }
        // Tolerances relative to the largest coordinate, and 1 at least.
        if let Some((joint, violation)) = self.worst(&rows, ASSEMBLY_TOLERANCE * size(q)) {
            return Err(AssemblyError::Position { joint, violation });
        }
        if let Some(joint) = self.opposed_at(*t, q) {
            let joint = joint.to_owned();
            return Err(AssemblyError::HalfTurn { joint });
        }
        for connection in &self.connections {
            connection.rate(*t, q, v, &mut rows);
        }
        for tie in &self.ties {
            tie.rate(q, v, &mut rows);
        }
        let tolerance = ASSEMBLY_TOLERANCE * size(v);
        if let Some((joint, violation)) = self.worst(&rows, tolerance) {
            return Err(AssemblyError::Velocity { joint, violation });
        }
        for ((slide, _), &direction) in self.slides.iter().zip(mode) {
            let velocity = slide.velocity(&Self::pair(&slide.bodies, &self.initial.point()));
            // Friction that is to act against the other direction would push.
            if f64::from(direction) * velocity < -tolerance {
                return Err(AssemblyError::FrictionDirection {
                    friction: slide.name.clone(),
                    direction,
                    velocity,
                });
            }
        }
        Ok(())
    }

    /// The joint or marker with the largest violation, if it exceeds the tolerance; a NaN does.
    pub(crate) fn worst(&self, rows: &[f64], tolerance: f64) -> Option<(String, f64)> {
        let joints = self.connections.iter();
        let joints = joints.map(|joint| (joint.name.as_str(), joint.range()));
        let ties = self.ties.iter().map(|tie| (tie.name(), tie.range()));
        let mut worst: Option<(String, f64)> = None;
        for (name, range) in joints.chain(ties) {
            for row in &rows[range] {
                let violation = row.abs();
                let larger = worst
                    .as_ref()
                    .is_none_or(|(_, known)| violation.is_nan() || violation > *known);
                if (violation.is_nan() || violation > tolerance) && larger {
                    worst = Some((name.to_owned(), violation));
                }
            }
        }
        worst
    }
}
