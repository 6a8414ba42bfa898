//! Derivatives of F at one point, independent of step size and method.

use super::newton_matrix_small::{Condensed, Source};
use super::{Kinematics, Unknowns};
use crate::integrator::shared::round_off::round_off_of_values;
use crate::linalg::{KktError, Pattern};
use crate::system::{
    BalanceDerivatives, EvaluationError, Evaluator, Formulation, Layout, Point, RatesJacobian,
    Wanted,
};

/// Mass, tangent stiffness, damping and the derivatives of the constraint rows.
///
/// The rows at the level of the formulation are c with ∂c = C_u δu + C_v δv + C_w δw. Derivatives by the configuration
/// are by a displacement q · exp(δ), which is δu at u = 0 and up to O(u) elsewhere. Left out are the derivatives of
/// M s - Gᵀ μ by the configuration: s is as small as the error of a step.
pub(crate) struct Linearization {
    /// M, in the layout's pattern.
    pub mass: Vec<f64>,
    /// ∂(M w - Gᵀ λ)/∂q, in [`Layout::stiffness_pattern`]; less ∂f/∂q where that is not among `rates`.
    pub stiffness: Vec<f64>,
    /// The pattern of the stiffness.
    pub stiffness_pattern: Pattern,
    /// Derivatives of f, d and a.
    pub rates: RatesJacobian,
    /// G.
    pub jacobian: Vec<f64>,
    /// C_u, in the pattern of G.
    pub by_position: Vec<f64>,
    /// C_v.
    pub by_velocity: Vec<f64>,
    /// C_w.
    pub by_acceleration: Vec<f64>,
    /// P = ∂(dexp⁻¹(u) v)/∂u, and what it multiplies from the left.
    pub kinematics: Kinematics,
    /// M P, for the stabilized formulation.
    pub curved_mass: Vec<f64>,
    /// ∂(M w - Gᵀ λ)/∂q P.
    pub curved_stiffness: Vec<f64>,
    /// The derivatives of the rates by q, times P.
    pub curved_rates: Vec<f64>,
    /// C_u P.
    pub curved_rows: Vec<f64>,
    velocity_by_position: Vec<f64>,
    /// What rounding leaves of coordinates and of velocities.
    pub rounded: [f64; 2],
    /// All of them in one matrix, for small systems.
    pub condensed: Option<Condensed>,
}

impl Linearization {
    /// Allocates for systems of this layout; whether they are small is what [`ShiftedSolver::is_small`](super::ShiftedSolver::is_small)
    /// says.
    pub fn new(layout: &Layout, unknowns: &Unknowns, small: bool) -> Result<Self, KktError> {
        let entries = || vec![0.0; layout.jacobian.nnz()];
        let stiffness_pattern = unknowns.stiffness_pattern(layout)?.clone();
        let condensed = small
            .then(|| Condensed::new(layout, unknowns))
            .transpose()?;
        Ok(Self {
            condensed,
            mass: vec![0.0; layout.mass.nnz()],
            stiffness: vec![0.0; stiffness_pattern.nnz()],
            rates: RatesJacobian::new(layout),
            jacobian: entries(),
            by_position: entries(),
            by_velocity: entries(),
            by_acceleration: entries(),
            kinematics: Kinematics::new(layout),
            curved_mass: vec![0.0; layout.mass.nnz()],
            curved_stiffness: vec![0.0; stiffness_pattern.nnz()],
            curved_rates: vec![0.0; layout.rates.nnz()],
            curved_rows: entries(),
            velocity_by_position: entries(),
            rounded: [0.0; 2],
            stiffness_pattern,
        })
    }

    /// Evaluates all derivatives at a point with its accelerations w.
    #[inline]
    pub fn evaluate(
        &mut self,
        system: &mut Evaluator,
        unknowns: &Unknowns,
        at: &Point,
        acceleration: &[f64],
    ) -> Result<(), EvaluationError> {
        self.rounded = [at.q, at.v].map(round_off_of_values);
        if at.v.is_empty() {
            system.rates_jacobian_or_secants(at, &mut self.rates)?;
        } else {
            self.evaluate_mechanics(system, unknowns, at, acceleration)?;
        }
        if let Some(condensed) = &mut self.condensed {
            condensed.gather(|source| match source {
                Source::Descriptor => &[],
                Source::Mass => &self.mass,
                Source::Stiffness => &self.stiffness,
                Source::RatesByPosition => &self.rates.by_position,
                Source::RatesByVelocity => &self.rates.by_velocity,
                Source::RowsByMultiplier => &self.rates.by_multiplier,
                Source::Jacobian => &self.jacobian,
                Source::RowsByPosition => &self.by_position,
                Source::RowsByVelocity => &self.by_velocity,
                Source::RowsByAcceleration => &self.by_acceleration,
                Source::CurvedMass => &self.curved_mass,
                Source::CurvedStiffness => &self.curved_stiffness,
                Source::CurvedRates => &self.curved_rates,
                Source::CurvedRows => &self.curved_rows,
            });
        }
        Ok(())
    }

    /// Derivatives of masses, forces and constraint rows.
    fn evaluate_mechanics(
        &mut self,
        system: &mut Evaluator,
        unknowns: &Unknowns,
        at: &Point,
        acceleration: &[f64],
    ) -> Result<(), EvaluationError> {
        let formulation = unknowns.formulation;
        let known = self.evaluate_together(system, formulation, at, acceleration)?;
        if !known {
            system.rates_jacobian_or_secants(at, &mut self.rates)?;
            system.mass_matrix(at, &mut self.mass)?;
            system.geometric_stiffness(at, acceleration, &mut self.stiffness)?;
            if !at.lambda.is_empty() {
                system.constraint_jacobian(at, &mut self.jacobian)?;
                self.evaluate_slopes(system, formulation, at, acceleration)?;
            }
        }
        if !at.lambda.is_empty() {
            self.constraint_rows(system.layout(), formulation);
        }
        let layout = system.layout();
        let kinematics = &mut self.kinematics;
        kinematics.evaluate(at.v);
        if kinematics.is_curved() {
            // P enters with everything that is differentiated by q, through δu = (α - P)⁻¹ (δv + r_u).
            kinematics.multiply(&layout.mass, &self.mass, &mut self.curved_mass);
            kinematics.multiply(
                &self.stiffness_pattern,
                &self.stiffness,
                &mut self.curved_stiffness,
            );
            kinematics.multiply(
                &layout.rates,
                &self.rates.by_position,
                &mut self.curved_rates,
            );
            kinematics.multiply(&layout.jacobian, &self.by_position, &mut self.curved_rows);
        }
        Ok(())
    }

    /// Everything in one pass, where the system offers that.
    fn evaluate_together(
        &mut self,
        system: &mut Evaluator,
        formulation: Formulation,
        at: &Point,
        acceleration: &[f64],
    ) -> Result<bool, EvaluationError> {
        if at.lambda.is_empty() {
            return Ok(false);
        }
        let mut wanted = BalanceDerivatives {
            rates: &mut self.rates,
            stiffness: &mut self.stiffness,
            velocity_rows: None,
            acceleration_rows: None,
        };
        match formulation {
            Formulation::Index3 => {}
            Formulation::Index2 | Formulation::StabilizedIndex2 => {
                wanted.velocity_rows = Some(&mut self.by_position);
            }
            Formulation::Index1 | Formulation::Baumgarte { .. } => {
                wanted.acceleration_rows = Some([&mut self.by_position, &mut self.by_velocity]);
            }
        }
        if let Formulation::Baumgarte { .. } = formulation {
            wanted.velocity_rows = Some(&mut self.velocity_by_position);
        }
        if !system.balance_derivatives(at, acceleration, &mut wanted)? {
            return Ok(false);
        }
        let mut matrices = Wanted {
            mass: Some(&mut self.mass[..]),
            rates: None,
            jacobian: Some(&mut self.jacobian[..]),
            velocity_constraint: None,
            acceleration_bias: None,
        };
        system.at_point(at, &mut matrices)?;
        Ok(true)
    }

    /// The derivatives of constraint rows at the levels that the formulation has beside positions.
    fn evaluate_slopes(
        &mut self,
        system: &mut Evaluator,
        formulation: Formulation,
        at: &Point,
        acceleration: &[f64],
    ) -> Result<(), EvaluationError> {
        match formulation {
            Formulation::Index3 => {
                if system.layout().velocity_rows > 0 {
                    system.velocity_constraint_jacobian(at, &mut self.by_position)?;
                }
            }
            Formulation::Index2 | Formulation::StabilizedIndex2 => {
                system.velocity_constraint_jacobian(at, &mut self.by_position)?;
            }
            Formulation::Index1 | Formulation::Baumgarte { .. } => {
                system.acceleration_constraint_jacobian(
                    at,
                    acceleration,
                    &mut self.by_position,
                    &mut self.by_velocity,
                )?;
            }
        }
        if let Formulation::Baumgarte { .. } = formulation {
            system.velocity_constraint_jacobian(at, &mut self.velocity_by_position)?;
        }
        Ok(())
    }

    /// C_u, C_v and C_w, of the derivatives that have been evaluated.
    fn constraint_rows(&mut self, layout: &Layout, formulation: Formulation) {
        // Where velocity rows begin.
        let split = if layout.velocity_rows == 0 {
            self.jacobian.len()
        } else {
            layout.jacobian.row_range(layout.position_rows).start
        };
        match formulation {
            // c = g and b: C_u = G for position rows; velocity rows depend on q and, through G, on v.
            Formulation::Index3 => {
                self.by_position[..split].copy_from_slice(&self.jacobian[..split]);
                self.by_velocity[..split].fill(0.0);
                self.by_velocity[split..].copy_from_slice(&self.jacobian[split..]);
                self.by_acceleration.fill(0.0);
            }
            // c = G v + ∂g/∂t, for all rows.
            Formulation::Index2 | Formulation::StabilizedIndex2 => {
                self.by_velocity.copy_from_slice(&self.jacobian);
                self.by_acceleration.fill(0.0);
            }
            // c = G w + γ, for all rows.
            Formulation::Index1 | Formulation::Baumgarte { .. } => {
                self.by_acceleration.copy_from_slice(&self.jacobian);
            }
        }
        // c += 2 α (G v + g_t) + β² g for position rows, α b for velocity rows.
        if let Formulation::Baumgarte { alpha, beta } = formulation {
            let slopes = &self.velocity_by_position;
            for (index, (slope, gradient)) in slopes.iter().zip(&self.jacobian).enumerate() {
                let (damping, stiffness) = if index < split {
                    (2.0 * alpha, beta * beta)
                } else {
                    (alpha, 0.0)
                };
                self.by_position[index] += damping * slope + stiffness * gradient;
                self.by_velocity[index] += damping * gradient;
            }
        }
    }
}
