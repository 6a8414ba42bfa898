//! Whether a motion stands still, in the world or in a frame that turns.

use super::equations::Equations;
use super::linearization::linearized;
use super::matrices::largest_at;
use super::turning::Turning;
use super::{AnalysisError, Entry, EntryKind};
use crate::system::{AccelerationSolver, Evaluator, State};
use faer::Mat;

/// Rates below this part of 1 + the largest velocity are none.
const STEADY: f64 = 1e-6;

/// How far along the motion it is looked at again, in m and rad: a pendulum that swings through its lowest position has no
/// acceleration there, but soon.
const FARTHER: f64 = 0.3;

/// How long a state of rest is looked at for forces that depend on time, in s.
const LATER: f64 = 0.3;

/// Equations of small motions that change by less than this part of their largest entry are constant.
const CONSTANT: f64 = 1e-6;

/// Accelerations are those of the frame and differential states stay, here and farther along the motion.
pub(super) fn check_steady(
    system: &mut Evaluator,
    at: &State,
    turning: &Turning,
    equations: &Equations,
) -> Result<(), AnalysisError> {
    let round_off = equations.round_off_of_accelerations();
    check_here(system, at, turning, round_off)?;
    let farther = farther(system, at, turning)?;
    check_here(system, &farther, turning, round_off)
}

/// The equations of small motions are the same farther along the motion, seen from the frame: `whole` on all of (u, w, ξ).
pub(super) fn check_constant(
    system: &mut Evaluator,
    at: &State,
    turning: &Turning,
    whole: &Mat<f64>,
) -> Result<(), AnalysisError> {
    let farther = farther(system, at, turning)?;
    let equations = Equations::of_small_motions(system, &farther)?;
    let (_, there) = linearized(system, &farther, turning, &equations)?;
    let expected = turning.turned_matrix(whole, at.v.len(), farther.t - at.t);
    let change = (&there - &expected).norm_max() / whole.norm_max().max(f64::MIN_POSITIVE);
    if change <= CONSTANT || there == expected {
        return Ok(());
    }
    Err(AnalysisError::Periodic { change })
}

fn farther(system: &mut Evaluator, at: &State, turning: &Turning) -> Result<State, AnalysisError> {
    let fastest = largest_at(at.v.iter().copied()).1;
    let mut farther = if fastest > STEADY {
        turning.moved(system, at, FARTHER / fastest)
    } else {
        // What is left of a motion that has come to rest leads nowhere.
        let mut still = at.clone();
        still.v.fill(0.0);
        turning.moved(system, &still, LATER)
    };
    AccelerationSolver::new(system.layout())?.complete(system, &mut farther)?;
    Ok(farther)
}

fn check_here(
    system: &mut Evaluator,
    at: &State,
    turning: &Turning,
    round_off: f64,
) -> Result<(), AnalysisError> {
    let n = at.v.len();
    let still = STEADY * (1.0 + largest_at(at.v.iter().copied()).1);
    let check = |system: &mut Evaluator, kind, bound, (index, rate): (usize, f64)| {
        if rate <= bound {
            return Ok(());
        }
        let component = Entry::of(system, kind, index);
        Err(AnalysisError::Unsteady { component, rate })
    };
    let mut turned = vec![0.0; n];
    turning.turn(&at.v, &mut turned);
    let accelerations = at.acceleration.iter().zip(&turned);
    check(
        system,
        EntryKind::Velocity,
        still.max(round_off),
        largest_at(accelerations.map(|(a, turned)| a - turned)),
    )?;
    let rows = system.layout().rows();
    if rows > 0 {
        // Rows that the motion leaves: it is not one that the constraints allow for long.
        let mut values = vec![0.0; rows];
        system.velocity_constraint(&at.point(), &mut values)?;
        check(system, EntryKind::Row, still, largest_at(values))?;
    }
    let mut rates = vec![0.0; system.layout().rate_count()];
    system.rates(&at.point(), &mut rates)?;
    let differential = rates[n..n + at.x.len()].iter().copied();
    check(
        system,
        EntryKind::DifferentialState,
        still,
        largest_at(differential),
    )
}
