//! Checks of a system: its derivatives are compared with differences before a method uses them.

use super::check_fused::{check_at_point, check_balance};
use super::comparison::{Comparison, DISPLACEMENTS, ROUND_OFF, moving};
use super::system_faults::{SystemCheckError, SystemFault};
use crate::system::consistency::mass_check::check_mass_matrix;
use crate::system::consistency::states::check_shape;
use crate::system::{
    AccelerationSolver, DynamicsError, Evaluator, IndependentRows, State, System, keeps_energy,
};

/// The energy of a system that keeps it may change by this part of its size in a second.
const ENERGY: f64 = 1e-6;

/// What a check has found.
///
/// ```
/// use liedae::prelude::*;
/// use liedae::system::{SystemReport, check_system};
///
/// // A bead on a circle, which is stated twice.
/// let mut bead = liedae::model([1.0, 0.0], [0.0, 0.0])
///     .mass(1.0)
///     .force(|_t, _q, _v| [0.0, -9.81])
///     .constraint(|_t, [x, y]| [x * x + y * y - 1.0, (x * x + y * y) * 3.0 - 3.0])
///     .build()?;
/// let start = bead.initial_state();
/// let SystemReport { faults, redundant, freedoms } = check_system(&mut bead, &start)?;
/// assert!(faults.is_empty());
/// assert_eq!((redundant.len(), freedoms), (1, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SystemReport {
    /// What does not fit, at most one for each derivative and function: the largest.
    pub faults: Vec<SystemFault>,
    /// Constraint rows that depend on the others at the state.
    pub redundant: Vec<usize>,
    /// Degrees of freedom at velocity level: the dimension less the independent rows.
    pub freedoms: usize,
}

/// Checks a system at a state and at one beside it with other velocities: the layout, symmetry and definiteness of the
/// mass matrix, all derivatives that it states against central differences (where these exist; a kink at the state is a
/// fault), that equal arguments give equal values, the energy if it is to be kept, and counts independent constraint
/// rows. Costs two evaluations for each coordinate.
///
/// ```
/// use liedae::prelude::*;
/// use liedae::system::check_system;
///
/// struct Oscillator;
///
/// impl Model for Oscillator {
///     fn layout(&self) -> Layout {
///         Layout::dense(Manifold::euclidean(1))
///     }
///     fn initial_state(&self) -> State {
///         State { q: vec![1.0], ..self.layout().state() }
///     }
///     fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
///         mass[(0, 0)] = S::constant(2.0);
///     }
///     fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
///         force[0] = at.q[0] * -50.0;
///     }
/// }
///
/// let mut system = Automatic::new(Oscillator);
/// let state = system.initial_state();
/// let report = check_system(&mut system, &state)?;
/// assert!(report.faults.is_empty(), "{:?}", report.faults);
/// assert_eq!(report.freedoms, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`SystemCheckError`] where nothing can be compared: a layout or a state of the wrong shape, a mass matrix that is none, functions
/// that fail.
pub fn check_system(
    system: &mut dyn System,
    state: &State,
) -> Result<SystemReport, SystemCheckError> {
    system.layout().check()?;
    let evaluator = &mut Evaluator::new(system);
    check_shape(evaluator.layout(), state)?;
    check_mass_matrix(evaluator, state)?;
    let mut faults = Vec::new();
    check_repeatability(evaluator, state, &mut faults)?;
    // Once as it is, once with other velocities: terms with v vanish at rest.
    for (beside, state) in [(false, state.clone()), (true, moving(state))] {
        let mut comparison = Comparison::new(evaluator, &state);
        let compared = comparison.rates().and_then(|()| comparison.constraints());
        // Functions need not be defined beside the state.
        if !beside {
            compared?;
        }
        for fault in comparison.faults {
            if !faults.iter().any(|known| known.is_like(&fault)) {
                faults.push(fault);
            }
        }
    }
    // Other positions as well as other velocities: at the start angles may vanish.
    for state in [state, &moving(state)] {
        check_at_point(evaluator, state, &mut faults)?;
        check_balance(evaluator, state, &mut faults)?;
    }
    check_energy(evaluator, state, &mut faults)?;
    let mut redundant = Vec::new();
    if evaluator.layout().rows() > 0 {
        let linear = |source| DynamicsError::Linear { t: state.t, source };
        let mut rows = IndependentRows::new(evaluator.layout()).map_err(linear)?;
        rows.load(evaluator, &state.point())?;
        rows.choose();
        redundant.extend_from_slice(rows.dropped());
    }
    let layout = evaluator.layout();
    let independent = layout.rows() - redundant.len();
    Ok(SystemReport {
        faults,
        freedoms: layout.dimension().saturating_sub(independent),
        redundant,
    })
}

fn check_repeatability(
    system: &mut Evaluator,
    state: &State,
    faults: &mut Vec<SystemFault>,
) -> Result<(), SystemCheckError> {
    let (rates, rows) = (system.layout().rate_count(), system.layout().rows());
    let beside = moving(state);
    let mut values = [vec![0.0; rates], vec![0.0; rates]];
    let mut constraints = [vec![0.0; rows], vec![0.0; rows]];
    for index in 0..2 {
        system.rates(&state.point(), &mut values[index])?;
        system.velocity_constraint(&state.point(), &mut constraints[index])?;
        // What is asked in between must not matter.
        let mut other = vec![0.0; rates];
        let _ = system.rates(&beside.point(), &mut other);
    }
    for (function, [first, second]) in [
        ("rate", &values),
        ("constraint at velocity level", &constraints),
    ] {
        let pairs = first.iter().zip(second);
        let differs = pairs.enumerate().find(|(_, (a, b))| a != b);
        if let Some((row, (&first, &second))) = differs {
            faults.push(SystemFault::NotAFunction {
                function,
                row,
                first,
                second,
            });
        }
    }
    Ok(())
}

/// Along the motion from the state.
fn check_energy(
    system: &mut Evaluator,
    state: &State,
    faults: &mut Vec<SystemFault>,
) -> Result<(), SystemCheckError> {
    if !keeps_energy(system.system()) {
        return Ok(());
    }
    let mut state = state.clone();
    let linear = |source| DynamicsError::Linear { t: state.t, source };
    let mut accelerations = AccelerationSolver::new(system.layout()).map_err(linear)?;
    accelerations.complete(system, &mut state)?;
    let space = system.layout().space.clone();
    let step = DISPLACEMENTS[0];
    let mut energies = [0.0; 2];
    // dE/dt along the motion to second order.
    for (energy, sign) in energies.iter_mut().zip([1.0, -1.0]) {
        let h = sign * step;
        let mut moved = state.clone();
        let pairs = state.v.iter().zip(&state.acceleration);
        let u: Vec<f64> = pairs.map(|(v, a)| h * (v + 0.5 * h * a)).collect();
        space.retract(&state.q, &u, &mut moved.q);
        for (v, a) in moved.v.iter_mut().zip(&state.acceleration) {
            *v += h * a;
        }
        moved.t += h;
        let Some(value) = system.energy(&moved.point())? else {
            return Ok(());
        };
        *energy = value;
    }
    let rate = (energies[0] - energies[1]) / (2.0 * step);
    let size = 1.0 + energies[0].abs();
    if rate.abs() > ENERGY * size + ROUND_OFF * size / step {
        faults.push(SystemFault::Energy { rate });
    }
    Ok(())
}
