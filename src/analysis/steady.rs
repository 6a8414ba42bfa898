//! Whether a motion stands still, in the world or in a frame that turns.

use super::linearization::Turning;
use super::matrices::largest_at;
use super::{AnalysisError, Entry, EntryKind};
use crate::system::{AccelerationSolver, Evaluator, State};

/// Rates below this part of 1 + the largest velocity are none.
const STEADY: f64 = 1e-6;

/// How far along the motion it is looked at again, in m and rad: a pendulum that swings through its lowest position has no
/// acceleration there, but soon.
const FARTHER: f64 = 0.3;

/// Accelerations are those of the frame and differential states stay, here and farther along the motion.
pub(super) fn check_steady(
    system: &mut Evaluator,
    at: &State,
    turning: &Turning,
) -> Result<(), AnalysisError> {
    check_here(system, at, turning)?;
    let fastest = largest_at(at.v.iter().copied()).1;
    if fastest > 0.0 {
        let mut farther = moved(system, at, turning, FARTHER / fastest);
        AccelerationSolver::new(system.layout())?.complete(system, &mut farther)?;
        check_here(system, &farther, turning)?;
    }
    Ok(())
}

fn check_here(system: &mut Evaluator, at: &State, turning: &Turning) -> Result<(), AnalysisError> {
    let n = at.v.len();
    let bound = STEADY * (1.0 + largest_at(at.v.iter().copied()).1);
    let check = |system: &mut Evaluator, kind, (index, rate): (usize, f64)| {
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
        largest_at(accelerations.map(|(a, turned)| a - turned)),
    )?;
    let rows = system.layout().rows();
    if rows > 0 {
        // Rows that the motion leaves: it is not one that the constraints allow for long.
        let mut values = vec![0.0; rows];
        system.velocity_constraint(&at.point(), &mut values)?;
        check(system, EntryKind::Row, largest_at(values))?;
    }
    let mut rates = vec![0.0; system.layout().rate_count()];
    system.rates(&at.point(), &mut rates)?;
    let differential = rates[n..n + at.x.len()].iter().copied();
    check(
        system,
        EntryKind::DifferentialState,
        largest_at(differential),
    )
}

/// The state after some time of a motion that is steady in the turning frame.
fn moved(system: &Evaluator, at: &State, turning: &Turning, time: f64) -> State {
    let n = at.v.len();
    let rate = turning.rate.iter().map(|w| w * w).sum::<f64>().sqrt();
    let angle = rate * time;
    let (mut once, mut twice) = (vec![0.0; n], vec![0.0; n]);
    turning.turn(&at.v, &mut once);
    turning.turn(&once, &mut twice);
    let mut farther = at.clone();
    let mut way: Vec<f64> = at.v.iter().map(|v| v * time).collect();
    if rate > 0.0 {
        // Rodrigues: R = I + sin θ k̂ + (1 - cos θ) k̂², and its integral over time.
        let (sine, cosine) = angle.sin_cos();
        for i in 0..n {
            let (first, second) = (once[i] / rate, twice[i] / (rate * rate));
            farther.v[i] = at.v[i] + sine * first + (1.0 - cosine) * second;
            way[i] += ((1.0 - cosine) * first + (angle - sine) * second) / rate;
        }
    }
    system.layout().space.retract(&at.q, &way, &mut farther.q);
    farther
}
