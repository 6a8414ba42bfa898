//! The first step of an adaptive run.

use super::SolveErrorKind;
use crate::control::ErrorNorm;
use crate::integrator::Method;
use crate::scalar::larger_or_second;
use crate::system::{AccelerationSolver, EvaluationError, Evaluator, State};

/// A trial step is at least this share of the time, and of the run where all components are within their tolerances: the controller does
/// the rest.
const SHORTEST: f64 = 1e-12;

/// From one step to the next steps grow by this factor at most, by most controllers.
const GROWTH: f64 = 10.0;

/// Changes of velocities below this share of their tolerances are none.
const UNNOTICED: f64 = 1e-3;

/// An initial step by the size of the first two derivatives (Hairer, Nørsett, Wanner, Solving Ordinary Differential
/// Equations I, II.4), with accelerations from the index-1 form. Systems with a descriptor matrix use the first only.
///
/// Behind a state event that ends a `flight` from another one, a step as long as the flight is tried instead, within one and ten times the
/// step of the formula, unless something begins there: nothing moves, or forces change at once.
pub fn initial_step(
    evaluator: &mut Evaluator,
    accelerations: &mut AccelerationSolver,
    norm: &mut ErrorNorm,
    (state, trial): (&State, &mut State),
    method: &Method,
    t_end: f64,
    flight: Option<f64>,
) -> Result<f64, SolveErrorKind> {
    let span = t_end - state.t;
    if span <= 0.0 {
        return Ok(f64::MIN_POSITIVE.sqrt());
    }
    let x_rate = rates_of_states(evaluator, state)?;
    norm.weigh(state, state);

    // The distance of a configuration from the identity is what its scale already says; Euclidean spaces only.
    let sizes = if evaluator.layout().space.is_euclidean() {
        &state.q
    } else {
        &norm.scales()[..state.v.len()]
    };
    let value_size = norm.root_mean_square(sizes, &state.v, &state.x);
    let rate_size = norm.root_mean_square(&state.v, &state.acceleration, &x_rate);
    // The constants 1e-10, 1e-6, 0.01, 1e-15, 1e-3 and 100 are those of the source.
    let small = value_size < 1e-10 || rate_size < 1e-10;
    // They are s there: of a shorter run, parts of it.
    let second = span.min(1.0);
    let natural = if small {
        1e-6 * second
    } else {
        0.01 * value_size / rate_size
    };
    // A coordinate that is zero but for its round-off says nothing about the time in which it changes; one that tolerances see does. A
    // step that is longer hides what changes in it: its end may be right while the states within it are not.
    let shown = if value_size < 1.0 { span } else { 0.0 };
    let longer = natural.max(SHORTEST * shown.max(state.t.abs()));
    // The trial point is a guess: where the system cannot be evaluated there, a nearer one may do.
    let nearer = (natural < longer).then_some(natural);
    for length in std::iter::once(longer).chain(nearer) {
        let length = length.min(span);
        let ends = (state, &mut *trial);
        let second_rate = second_rate(evaluator, accelerations, norm, ends, (length, &x_rate));
        if let Some(second_rate) = second_rate.filter(|rate| rate.is_finite()) {
            let largest = rate_size.max(second_rate);
            // Neither first nor second derivatives to go by.
            let step = if largest <= 1e-15 {
                (1e-3 * length).max(1e-6 * second)
            } else {
                (0.01 / largest).powf(1.0 / method.error_order.max(1.0))
            };
            let step = step.min(100.0 * length).min(span);
            let Some(flight) = flight.filter(|_| !small) else {
                return Ok(step);
            };
            // By how much the trial step changes velocities, and by how much more it does at its end.
            let accelerations = [&state.acceleration, &trial.acceleration];
            let [usual, more] = accelerations.map(|a| length * norm.root_mean_square(&[], a, &[]));
            let goes_on = more <= larger_or_second(usual, UNNOTICED);
            let longest = if goes_on { GROWTH * step } else { step };
            return Ok(step.max(flight.min(longest)));
        }
    }
    // No trial point could be evaluated: the controller grows the step from here.
    Ok(1e-3 * natural.min(span))
}

/// The rates of differential states; nothing is evaluated where there are none.
fn rates_of_states(evaluator: &mut Evaluator, state: &State) -> Result<Vec<f64>, EvaluationError> {
    if state.x.is_empty() {
        return Ok(Vec::new());
    }
    let layout = evaluator.layout();
    let first = layout.dimension();
    let mut rates = vec![0.0; layout.rate_count()];
    evaluator.rates(&state.point(), &mut rates)?;
    Ok(rates[first..first + state.x.len()].to_vec())
}

/// The size of the second derivatives by the change of the rates over a trial step; `None` where they cannot be evaluated. The state that
/// is moved has that change in the place of velocities and accelerations then.
fn second_rate(
    evaluator: &mut Evaluator,
    accelerations: &mut AccelerationSolver,
    norm: &ErrorNorm,
    (state, moved): (&State, &mut State),
    (trial, x_rate): (f64, &[f64]),
) -> Option<f64> {
    moved.copy_from(state);
    moved.t += trial;
    // The place of the acceleration is free until that is solved for.
    let State {
        q, v, acceleration, ..
    } = &mut *moved;
    for (displacement, v) in acceleration.iter_mut().zip(&*v) {
        *displacement = trial * v;
    }
    let layout = evaluator.layout();
    layout.space.retract(&state.q, acceleration, q);
    for (v, a) in moved.v.iter_mut().zip(&state.acceleration) {
        *v += trial * a;
    }
    // With a descriptor d is E x', not x'.
    if layout.descriptor.is_none() {
        for (x, rate) in moved.x.iter_mut().zip(x_rate) {
            *x += trial * rate;
        }
    }
    accelerations.complete(evaluator, moved).ok()?;
    let mut x_change = rates_of_states(evaluator, moved).ok()?;
    let less = |after: &mut [f64], before: &[f64]| {
        for (after, before) in after.iter_mut().zip(before) {
            *after -= before;
        }
    };
    less(&mut moved.v, &state.v);
    less(&mut moved.acceleration, &state.acceleration);
    less(&mut x_change, x_rate);
    let change = norm.root_mean_square(&moved.v, &moved.acceleration, &x_change);
    // ‖f(trial) - f‖ / h estimates ‖y''‖.
    Some(change / trial)
}
