//! Forces of actuators that give wanted accelerations.

use super::matrices::{Subspaces, constraint_jacobian, largest_at};
use super::{AnalysisError, Entry};
use crate::system::{Evaluator, State};
use faer::Mat;

/// Forces below this part of the largest one are round-off of the solution by singular values.
const BALANCED: f64 = 1e-9;

/// What actuators must do, and what the constraints contribute.
///
/// ```
/// use liedae::analysis::{ActuatorForces, inverse_dynamics};
/// use liedae::system::{Evaluator, System};
///
/// // A lift of 300 kg between two guides, and its rope.
/// let mut lift = liedae::model([0.0, 0.0], [0.0, 0.0])
///     .mass(300.0)
///     .force(|_t, _q, _v| [0.0, -300.0 * 9.81])
///     .constraint(|_t, [x, _y]| [x])
///     .build()?;
/// let mut wanted = lift.initial_state();
/// wanted.acceleration[1] = 2.0;
/// let ActuatorForces { forces, lambda } = inverse_dynamics(&mut Evaluator::new(&mut lift), &wanted, &[&[0.0, 1.0]])?;
/// // The rope carries m (g + a), the guides nothing.
/// assert!((forces[0] - 300.0 * (9.81 + 2.0)).abs() < 1e-9 && lambda[0].abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ActuatorForces {
    /// Force of each actuator, N or N m.
    pub forces: Vec<f64>,
    /// Multipliers of all constraint rows; those of least norm where rows are redundant.
    pub lambda: Vec<f64>,
}

/// The forces τ of actuators with which the state has its acceleration: M v' = f + Gᵀ λ + B τ.
///
/// `state.acceleration` is the acceleration that is wanted; it must satisfy the constraints, G v' + γ = 0. Each actuator is the generalized
/// force that it exerts at τ = 1, as long as there are velocities. For mechanisms in which drives prescribe the
/// motion, [`kinematic_analysis`](super::kinematic_analysis) has these forces among the multipliers.
///
/// # Errors
/// [`AnalysisError::NotActuated`] where the actuators cannot do it, [`AnalysisError::RedundantActuators`] where many forces do.
///
/// ```
/// use liedae::analysis::inverse_dynamics;
/// use liedae::system::{Evaluator, System};
///
/// // A mass of 2 kg on a rail along x, pulled along (1, 1)/√2.
/// let mut sledge = liedae::model([0.0, 0.0], [0.0, 0.0])
///     .mass(2.0)
///     .force(|_t, _q, _v| [0.0, -2.0 * 9.81])
///     .constraint(|_t, [_x, y]| [y])
///     .build()?;
/// let mut wanted = sledge.initial_state();
/// wanted.acceleration[0] = 3.0;
/// let along = 0.5_f64.sqrt();
/// let found = inverse_dynamics(&mut Evaluator::new(&mut sledge), &wanted, &[&[along, along]])?;
/// assert!((found.forces[0] * along - 6.0).abs() < 1e-12);
/// assert!((found.lambda[0] - (2.0 * 9.81 - 6.0)).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn inverse_dynamics(
    system: &mut Evaluator,
    state: &State,
    actuators: &[&[f64]],
) -> Result<ActuatorForces, AnalysisError> {
    let layout = system.layout().clone();
    let (n, rows, count) = (layout.dimension(), layout.rows(), actuators.len());
    if let Some(short) = actuators.iter().find(|actuator| actuator.len() != n) {
        return Err(AnalysisError::Length {
            what: "an actuator",
            found: short.len(),
            expected: n,
        });
    }
    let at = state.point();
    let mut mass = vec![0.0; layout.mass.nnz()];
    system.mass_matrix(&at, &mut mass)?;
    let mut rates = vec![0.0; layout.rate_count()];
    system.rates(&at, &mut rates)?;
    let mut missing = vec![0.0; n];
    layout
        .mass
        .multiply(&mass, &state.acceleration, &mut missing);
    let inertia = missing.clone();
    for (slot, force) in missing.iter_mut().zip(&rates) {
        *slot -= force;
    }
    let jacobian = constraint_jacobian(system, state)?;
    check_acceleration(system, state, &jacobian)?;
    let both = Mat::from_fn(n, count + rows, |i, j| {
        if j < count {
            actuators[j][i]
        } else {
            jacobian[(j - count, i)]
        }
    });
    let own = Subspaces::of(&both)?;
    let excess = count + Subspaces::of(&jacobian)?.rank - own.rank;
    if excess > 0 {
        return Err(AnalysisError::RedundantActuators { excess });
    }
    let solution: Vec<f64> = (0..count + rows)
        .map(|i| {
            (0..n)
                .map(|k| own.pseudo_inverse[(i, k)] * missing[k])
                .sum()
        })
        .collect();
    let left = (0..n).map(|i| {
        let given: f64 = (0..count + rows).map(|j| both[(i, j)] * solution[j]).sum();
        missing[i] - given
    });
    let (component, remaining) = largest_at(left);
    let size = largest_at(inertia)
        .1
        .max(largest_at(rates[..n].iter().copied()).1);
    if remaining.is_nan() || remaining > BALANCED * size {
        return Err(AnalysisError::NotActuated {
            actuators: count,
            remaining,
            component: Entry::of_rate(system, component),
        });
    }
    Ok(ActuatorForces {
        forces: solution[..count].to_vec(),
        lambda: solution[count..].to_vec(),
    })
}

/// Accelerations that the constraints forbid need no forces: they are none.
fn check_acceleration(
    system: &mut Evaluator,
    state: &State,
    jacobian: &Mat<f64>,
) -> Result<(), AnalysisError> {
    let rows = jacobian.nrows();
    if rows == 0 {
        return Ok(());
    }
    let mut bias = vec![0.0; rows];
    system.acceleration_bias(&state.point(), &mut bias)?;
    let mut size = 0.0_f64;
    let left: Vec<f64> = (0..rows)
        .map(|row| {
            let terms =
                (0..state.acceleration.len()).map(|i| jacobian[(row, i)] * state.acceleration[i]);
            let (mut sum, mut large) = (bias[row], bias[row].abs());
            for term in terms {
                sum += term;
                large = large.max(term.abs());
            }
            size = size.max(large);
            sum
        })
        .collect();
    let (row, violation) = largest_at(left);
    if violation > 1e-8 * size.max(1.0) {
        return Err(AnalysisError::ForbiddenAcceleration {
            row: Entry::row(system, row),
            violation,
        });
    }
    Ok(())
}
