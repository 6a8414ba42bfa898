//! What a system may have beside its equations: second derivatives, outputs, an energy.

use crate::system::{EvaluationError, Point, State};

/// Second derivatives of the constraints and of the inertia, which implicit methods and crossings of singular configurations need.
///
/// A system without them leaves them to central differences (about 10 digits), which allocate.
/// [`Automatic`](crate::system::Automatic) has exact ones.
pub trait SecondDerivatives {
    /// The geometric stiffness ∂(M(t,q) a - G(t,q)ᵀ λ)/∂q at fixed acceleration `a` and multipliers `at.lambda`, in
    /// local coordinates q · exp(δ) at δ = 0 and in the pattern [`Layout::stiffness_pattern`](crate::system::Layout::stiffness_pattern).
    /// With -∂f/∂q it is the tangent stiffness K_t of implicit methods (Haddouni et al. 2017, eq. 19, doi:10.1007/s11044-017-9570-y).
    fn geometric_stiffness(
        &mut self,
        at: &Point,
        acceleration: &[f64],
        out: &mut [f64],
    ) -> Result<(), EvaluationError>;

    /// The derivative of all rows at velocity level by the configuration, ∂(G v + ∂g/∂t)/∂q and ∂b/∂q, in the pattern
    /// [`Layout::jacobian`](crate::system::Layout::jacobian).
    fn velocity_constraint_jacobian(
        &mut self,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError>;

    /// The derivatives of all rows at acceleration level, ∂(G a + γ)/∂q and ∂γ/∂v at fixed acceleration `a`, both in
    /// the pattern [`Layout::jacobian`](crate::system::Layout::jacobian).
    fn acceleration_constraint_jacobian(
        &mut self,
        at: &Point,
        acceleration: &[f64],
        by_position: &mut [f64],
        by_velocity: &mut [f64],
    ) -> Result<(), EvaluationError>;
}

/// Numbers that people want to see of a state: positions of points, forces in joints.
pub trait Outputs {
    /// Names of the outputs.
    fn names(&self) -> &[String];

    /// Values of the outputs, as many as names, from a state with its accelerations and multipliers.
    fn values(&mut self, state: &State, out: &mut [f64]) -> Result<(), EvaluationError>;
}

/// The energy of a system.
pub trait Energy {
    /// Total energy in J; `None` where the system does not know it.
    fn total(&mut self, at: &Point) -> Option<f64>;

    /// Whether the energy counts as a constraint: it changes at events only, and methods that project onto the constraints
    /// hold it as it was at the start or after the last event ([`Projector::project_energy`](crate::system::Projector::project_energy)).
    ///
    /// Only for systems in which nothing does work but the potential, whose forces at rest are the negative gradient of the potential energy, and whose constraints do not
    /// depend on t. Other invariants are then conserved to the tolerance only: the momentum of bodies that are free to move as
    /// a whole, the energies of mechanisms that have nothing to do with each other. The default is not to, as published methods do.
    fn is_kept(&mut self) -> bool {
        false
    }
}
