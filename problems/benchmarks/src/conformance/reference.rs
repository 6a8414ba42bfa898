//! Tight solutions of the smooth motions, by one method and confirmed by another.

use super::ConformanceError;
use super::systems::Case;
use liedae::integrator::{Dop853, Extrapolation, Integrator, Projection};
use liedae::solve::{Options, Recorder, SolveError, solve_observed};
use liedae::system::State;

/// The tolerance of references.
const TIGHT: f64 = 1e-13;

/// References may differ by this much at most; they differ by about 1e-13.
const AGREEMENT: f64 = 1e-11;

/// States of a motion at times that all runs meet.
pub(super) struct Reference {
    /// At 0, T/n, 2T/n, ..., T.
    pub states: Vec<State>,
}

impl Reference {
    /// The motion over `span` seconds at `count` + 1 equidistant times.
    pub fn new(case: Case, span: f64, count: usize) -> Result<Self, ConformanceError> {
        let failed = |error| ConformanceError::Reference {
            motion: case.to_string(),
            source: Box::new(error),
        };
        let states = follow(case, &Dop853::default(), span, count).map_err(failed)?;
        let second = Extrapolation::new(Projection::default());
        let confirmation = follow(case, &second, span, 1).map_err(failed)?;
        let difference = match (states.last(), confirmation.last()) {
            (Some(first), Some(second)) => distance(case, first, second).largest(),
            _ => f64::NAN,
        };
        if difference.is_nan() || difference > AGREEMENT {
            let motion = case.to_string();
            return Err(ConformanceError::References { motion, difference });
        }
        Ok(Self { states })
    }

    /// The state at the end.
    pub fn end(&self) -> &State {
        &self.states[self.states.len() - 1]
    }
}

/// States at equidistant times, each the end of a step.
fn follow(
    case: Case,
    method: &dyn Integrator,
    span: f64,
    count: usize,
) -> Result<Vec<State>, SolveError> {
    let time = |index: usize| span * (index as f64 / count as f64);
    let times: Vec<f64> = (0..=count).map(time).collect();
    let mut options = Options::adaptive(span, TIGHT, TIGHT);
    options.stops = times[1..].to_vec();
    let mut recorder = Recorder::new(times);
    solve_observed(&mut case.system(), method, &options, &mut recorder)?;
    Ok(recorder.states)
}

/// Euclidean distances of two states, in local coordinates of the group.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Distance {
    pub q: f64,
    pub v: f64,
    pub lambda: f64,
    pub x: f64,
}

impl Distance {
    /// The largest of all; NaN if one is.
    pub fn largest(self) -> f64 {
        let parts = [self.q, self.v, self.lambda, self.x];
        parts.into_iter().fold(0.0, larger)
    }

    /// The larger one part by part.
    pub fn larger(self, other: Self) -> Self {
        Self {
            q: larger(self.q, other.q),
            v: larger(self.v, other.v),
            lambda: larger(self.lambda, other.lambda),
            x: larger(self.x, other.x),
        }
    }

    /// The larger one of configuration, velocity and differential states.
    pub fn of_motion(self) -> f64 {
        larger(larger(self.q, self.v), self.x)
    }
}

/// The larger number; NaN wins.
pub(super) fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

/// How far a state is from a reference; multipliers only where there are as many.
pub(super) fn distance(case: Case, reference: &State, state: &State) -> Distance {
    let mut displacement = vec![0.0; reference.v.len()];
    case.manifold()
        .lift(&reference.q, &state.q, &mut displacement);
    let norm = |parts: &mut dyn Iterator<Item = f64>| parts.map(|d| d * d).sum::<f64>().sqrt();
    let between = |a: &[f64], b: &[f64]| norm(&mut a.iter().zip(b).map(|(a, b)| a - b));
    Distance {
        q: norm(&mut displacement.into_iter()),
        v: between(&reference.v, &state.v),
        lambda: between(&reference.lambda, &state.lambda),
        x: between(&reference.x, &state.x),
    }
}
