//! Friction of sliding joints in the equations of motion: a force by the normal force, which is an algebraic variable.

use crate::equations::joint_derivatives::JointDerivatives;
use crate::equations::shared_reactions::SharedReactions;
use crate::equations::structure::{JointSlide, Structure};
use crate::equations::wrapped::joints_of;
use crate::{ContactSystem, FrictionJoint};
use liedae::system::{EvaluationError, Layout, Point, RatesJacobian, System};

/// The sliding joints of a system, with memory for one row.
pub(crate) struct SlidingJoints<'a> {
    pub structure: &'a Structure,
    pub joints: &'a [FrictionJoint],
    pub row: &'a mut [f64],
    pub shared: &'a mut SharedReactions,
}

/// Number of the first algebraic variable of a joint, beside those before it: the system's and those of contacts.
fn inner_first(inner: &Layout, structure: &Structure) -> usize {
    inner.algebraic + structure.pressed.len()
}

impl SlidingJoints<'_> {
    /// Adds friction -μ σ z (∂s/∂v)ᵀ to the forces, and writes the residuals z - Σ |N|, or that z stays; `own` is the point of
    /// the wrapped system.
    pub fn rates(
        &mut self,
        system: &mut ContactSystem,
        at: &Point,
        own: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        if self.structure.joint_slides.is_empty() {
            return Ok(());
        }
        let least = self.shared.without(system, self.joints, own)?;
        let first = inner_first(system.layout(), self.structure);
        let (dimension, differential) = (system.layout().dimension(), system.layout().differential);
        for (index, slide) in self.structure.joint_slides.iter().enumerate() {
            let &JointSlide {
                joint,
                factor,
                held,
            } = slide;
            let law = &self.joints[joint];
            let normal = at.z.get(first + index).copied().unwrap_or(0.0);
            joints_of(system, at.t)?.joint_jacobian(joint, own, self.row)?;
            let friction = -law.friction * factor * normal;
            for (force, entry) in out[..dimension].iter_mut().zip(&*self.row) {
                *force += friction * entry;
            }
            out[dimension + differential + first + index] =
                normal - held.unwrap_or_else(|| law.normal_force(least));
        }
        Ok(())
    }

    /// Writes the derivatives of these rates; entries elsewhere are left as they are.
    pub fn jacobian(
        &mut self,
        system: &mut ContactSystem,
        derivatives: &mut JointDerivatives,
        at: &Point,
        own: &Point,
        out: &mut RatesJacobian,
    ) -> Result<(), EvaluationError> {
        let first = inner_first(system.layout(), self.structure);
        let before = system.layout().dimension() + system.layout().differential;
        let all = &self.structure.layout;
        for (index, slide) in self.structure.joint_slides.iter().enumerate() {
            let &JointSlide {
                joint,
                factor,
                held,
            } = slide;
            let law = &self.joints[joint];
            let column = before + first + index;
            joints_of(system, at.t)?.joint_jacobian(joint, own, self.row)?;
            let coefficient = -law.friction * factor;
            for &force in &self.structure.joint_velocities[joint] {
                if let Some(position) = all.rates.position(force, column) {
                    out.by_position[position] = coefficient * self.row[force];
                }
            }
            if let Some(position) = all.rates.position(column, column) {
                out.by_position[position] = 1.0;
            }
            if held.is_none() {
                let residual = (first + index) * all.rows();
                let least = self.shared.without(system, self.joints, own)?;
                let inner_rows = &self.structure.inner_rows;
                law.normal_force_slope(least, |row, slope| {
                    out.by_multiplier[residual + inner_rows[row]] -= slope;
                });
                (self.shared).remove_from(&mut out.by_multiplier[residual..], inner_rows);
            }
            let normal = at.z.get(first + index).copied().unwrap_or(0.0);
            let turning = (joint, coefficient * normal);
            let pattern = &self.structure.layout.rates;
            derivatives.turning(
                system,
                self.structure,
                turning,
                own,
                pattern,
                &mut out.by_position,
            )?;
        }
        Ok(())
    }
}
