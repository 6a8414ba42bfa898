//! Optional parts of a system: second derivatives, branches of its rows, outputs, an energy.

use crate::system::{EvaluationError, Point, State};

/// Second derivatives of the constraints and of the inertia, which implicit methods and crossings of singular configurations need.
///
/// A system without them leaves them to central differences (about 10 digits), which allocate.
/// [`Automatic`](crate::system::Automatic) has exact ones.
///
/// ```
/// use liedae::prelude::*;
/// use liedae::system::SecondDerivatives;
///
/// // The tension of a pendulum's rod turns with it: -∂(Gᵀ λ)/∂q is -2 λ along both axes, by x² + y² - 1.
/// let mut pendulum = liedae::model([1.0, 0.0], [0.0, 0.0])
///     .mass(1.0)
///     .force(|_t, _q, _v| [0.0, -9.81])
///     .constraint(|_t, [x, y]| [x * x + y * y - 1.0])
///     .build()?;
/// let state = State { lambda: vec![-3.0], ..pendulum.initial_state() };
/// let mut stiffness = vec![0.0; pendulum.layout().stiffness_pattern()?.nnz()];
/// let second: &mut dyn SecondDerivatives = pendulum.second_derivatives().ok_or("duals have them")?;
/// second.geometric_stiffness(&state.point(), &[0.0, 0.0], &mut stiffness)?;
/// assert_eq!(stiffness.iter().filter(|entry| **entry == 6.0).count(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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

/// Where position rows hold without being meant.
///
/// Rows that are cosines of axes vanish where the axes of a joint point the same way, and where they point opposite ways. A system that
/// knows which is meant says so here: such configurations are refused where a run begins, and assemblies of far guesses avoid them.
///
/// ```
/// use liedae::analysis::assemble;
/// use liedae::prelude::*;
/// use liedae::system::{Branches, EvaluationError, Evaluator, Wrapped, Wrapper};
///
/// /// A hand that a row holds at an angle of zero by its sine.
/// struct Hand<S>(S);
/// impl<S: System> Wrapper for Hand<S> {
///     type Inner = S;
///     fn inner(&self) -> &S {
///         &self.0
///     }
///     fn inner_mut(&mut self) -> &mut S {
///         &mut self.0
///     }
///     fn branches(&mut self) -> Option<&mut dyn Branches> {
///         Some(self)
///     }
/// }
/// impl<S> Branches for Hand<S> {
///     fn opposed(&mut self, at: &Point) -> Option<String> {
///         (at.q[0].cos() < 0.0).then(|| "hand".to_owned())
///     }
///     fn rows_from_afar(&mut self, at: &Point, rows: &mut [f64], jacobian: &mut [f64]) -> Result<bool, EvaluationError> {
///         (rows[0], jacobian[0]) = (at.q[0], 1.0);
///         Ok(true)
///     }
/// }
///
/// // From 2 rad its sine would lead to π.
/// let hand = liedae::model([2.0], [0.0])
///     .mass(1.0)
///     .force(|_t, _q, _v| [0.0])
///     .constraint(|_t, [angle]| [angle.sin()])
///     .build()?;
/// let mut state = hand.initial_state();
/// assemble(&mut Evaluator::new(&mut Wrapped(Hand(hand))), &mut state)?;
/// assert!(state.q[0].abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Branches {
    /// The name of what is nearer to the branch that is not meant: of a joint whose axes are more than a quarter of a turn off.
    fn opposed(&mut self, at: &Point) -> Option<String>;

    /// Values and Jacobian of position rows for guesses that are far off: they vanish on the branch that is meant only, and there with
    /// the rows themselves; rows that have no other branch are as they are. Jacobians need to be right in Gᵀ g only, which is the
    /// gradient of |g|²/2. Entries of velocity rows are left alone. False where the system has no such rows.
    fn rows_from_afar(
        &mut self,
        at: &Point,
        rows: &mut [f64],
        jacobian: &mut [f64],
    ) -> Result<bool, EvaluationError>;
}

/// Numbers that people want to see of a state: positions of points, forces in joints.
///
/// ```
/// use liedae::prelude::*;
/// use liedae::system::Outputs;
///
/// // The height of a ball above the ground is 2 m more than its coordinate.
/// let mut ball = liedae::model([1.0], [0.0])
///     .mass(1.0)
///     .force(|_t, _q, _v| [-9.81])
///     .output("height", |state| state.q[0] + 2.0)
///     .build()?;
/// let start = ball.initial_state();
/// let outputs: &mut dyn Outputs = ball.outputs().ok_or("it has one")?;
/// assert_eq!(outputs.names(), ["height"]);
/// let mut values = [0.0];
/// outputs.values(&start, &mut values)?;
/// assert_eq!(values, [3.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Outputs {
    /// Names of the outputs.
    fn names(&self) -> &[String];

    /// What the outputs are, each with unit, frame and sign, in the order of their names; none where that is not known. Ask
    /// [`output_definitions`](crate::system::output_definitions), which has as many as there are names.
    fn definitions(&mut self) -> Vec<Option<String>> {
        Vec::new()
    }

    /// Values of the outputs, as many as names, from a state with its accelerations and multipliers.
    fn values(&mut self, state: &State, out: &mut [f64]) -> Result<(), EvaluationError>;
}

/// The energy of a system.
///
/// ```
/// use liedae::prelude::*;
/// use liedae::system::Energy;
///
/// // A mass of 2 kg on a spring of 8 N/m, drawn out by half a metre.
/// let mut oscillator = liedae::model([0.5], [3.0])
///     .mass(2.0)
///     .force(|_t, [x], _v| [x * -8.0])
///     .energy(|_t, [x], [v]| v * v + 4.0 * x * x)
///     .build()?;
/// let start = oscillator.initial_state();
/// let energy: &mut dyn Energy = oscillator.energy().ok_or("it knows its energy")?;
/// assert_eq!(energy.total(&start.point()), Some(10.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Energy {
    /// Total energy in J; `None` where the system does not know it.
    fn total(&mut self, at: &Point) -> Option<f64>;

    /// Whether the energy counts as a constraint: it changes at events only, and methods that project onto the constraints
    /// hold it as it was at the start or after the last event ([`Projector::project_energy`](crate::system::Projector::project_energy)).
    ///
    /// Only for systems in which nothing does work but the potential, whose forces at rest are the negative gradient of
    /// the potential energy, and whose constraints do not depend on t. Other invariants are then conserved to the
    /// tolerance only: the momentum of bodies that are free to move as a whole, the energies of mechanisms that have
    /// nothing to do with each other. The default is not to, as published methods do.
    fn is_kept(&mut self) -> bool {
        false
    }

    /// Whether the system is passive: all forces either come from the potential or take energy, as dampers, friction and
    /// impacts do, and no constraint depends on t. The energy then never rises but by errors, and
    /// [`PassivityWatch`](crate::solve::PassivityWatch) says where it does. By default what keeps its energy is passive.
    fn is_passive(&mut self) -> bool {
        self.is_kept()
    }
}
