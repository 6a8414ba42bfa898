//! A rotor that is run up through its critical speed, as in the paper's Figs. 12 and 13, whose data are not in print.
//!
//! An unbalanced disk on an elastic shaft (Jeffcott's rotor), turned by a constraint, θ = α t² / 2, with an elastic bearing along its
//! axis at the paper's frequency of 1e5 Hz.

use crate::error::CommandError;
use crate::registry::Registry;
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::solve::{Observer, Options, Recorder, Silent, SolveError, StepView, solve_observed};
use liedae::system::{Automatic, Layout, MatrixMut, Model, Point, State};
use serde::Serialize;
use std::ops::ControlFlow;
use std::time::Duration;

/// Mass in kg, moment of inertia in kg m², eccentricity in m.
const MASS: f64 = 10.0;
const INERTIA: f64 = 0.1;
const ECCENTRICITY: f64 = 1e-4;
/// The shaft's critical speed in rad/s and its damping ratio.
const CRITICAL: f64 = 150.0;
const DAMPING: f64 = 0.02;
/// The bearing's frequency in Hz and its initial displacement in m.
const BEARING: f64 = 1e5;
const DISPLACED: f64 = 1e-6;
/// Angular acceleration in rad/s²: twice the critical speed at the end.
const ACCELERATION: f64 = 100.0;
/// End in s.
const T_END: f64 = 3.0;
/// The paper's constant step in s.
const STEP: f64 = 4e-4;
/// The paper's smallest step for its rotor in s.
pub(super) const SMALLEST: f64 = 1e-8;
/// The part of the run that explicit methods are given: they need many steps.
const EXPLICIT_END: f64 = 0.02;

struct Rotor {
    /// Whether the bearing along the axis is elastic.
    stiff: bool,
}

impl Model for Rotor {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(4)).with_position_rows(1)
    }

    fn initial_state(&self) -> State {
        let q = vec![0.0, 0.0, 0.0, if self.stiff { DISPLACED } else { 0.0 }];
        State {
            q,
            ..self.layout().state()
        }
    }

    /// Coordinates y, z of the shaft, θ, and x along the axis; the centre of mass is at (y, z) + e (cos θ, sin θ).
    fn mass_matrix<S: Scalar>(&self, at: &Point<S>, mass: &mut MatrixMut<S>) {
        let coupling = MASS * ECCENTRICITY;
        for axis in [0, 1, 3] {
            mass[(axis, axis)] = S::constant(MASS);
        }
        mass[(2, 2)] = S::constant(INERTIA + MASS * ECCENTRICITY * ECCENTRICITY);
        let (y, z) = (at.q[2].sin() * -coupling, at.q[2].cos() * coupling);
        (mass[(0, 2)], mass[(2, 0)]) = (y, y);
        (mass[(1, 2)], mass[(2, 1)]) = (z, z);
    }

    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        let (stiffness, damping) = (MASS * CRITICAL * CRITICAL, 2.0 * MASS * DAMPING * CRITICAL);
        let centrifugal = at.v[2] * at.v[2] * (MASS * ECCENTRICITY);
        force[0] = at.q[2].cos() * centrifugal - at.q[0] * stiffness - at.v[0] * damping;
        force[1] = at.q[2].sin() * centrifugal - at.q[1] * stiffness - at.v[1] * damping;
        if self.stiff {
            let rate = std::f64::consts::TAU * BEARING;
            force[3] = at.q[3] * (-MASS * rate * rate);
        }
    }

    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        g[0] = at.q[2] - at.t * at.t * (0.5 * ACCELERATION);
    }
}

/// What explicit methods need for a part of the run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Explicit {
    pub method: &'static str,
    pub done: bool,
    pub steps: usize,
    /// Smallest accepted step in s.
    pub smallest_step: f64,
    pub average_step: f64,
    pub reason: String,
}

/// The amplitude over the speed, and what explicit methods do.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RunUp {
    /// Speed in rad/s and amplitude in m: with the constant step, and accurately without the bearing.
    pub found: Vec<(f64, f64)>,
    pub truth: Vec<(f64, f64)>,
    /// Largest error of the amplitude over its peak.
    pub error: f64,
    pub explicit: Vec<Explicit>,
    /// Steps of the implicit method over the same part.
    pub implicit_step: f64,
}

/// Keeps every amplitude.
#[derive(Default)]
struct Amplitudes(Vec<(f64, f64)>);

impl Observer for Amplitudes {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        self.0.push(amplitude(step.to));
        ControlFlow::Continue(())
    }
}

fn amplitude(state: &State) -> (f64, f64) {
    (state.t * ACCELERATION, state.q[0].hypot(state.q[1]))
}

/// The run with the paper's constant step, and the explicit methods.
pub(super) fn run_up(explicit: &[(&'static str, String)]) -> Result<RunUp, CommandError> {
    let mut amplitudes = Amplitudes::default();
    let implicit = Registry::standard()
        .choice("generalized-alpha-stabilized")?
        .build();
    let options = Options::fixed(T_END, STEP);
    let mut rotor = Automatic::new(Rotor { stiff: true });
    solve_observed(&mut rotor, implicit.as_ref(), &options, &mut amplitudes)?;
    let found = amplitudes.0;
    let mut recorder = Recorder::new(
        found
            .iter()
            .map(|(speed, _)| speed / ACCELERATION)
            .collect(),
    );
    let accurate = Registry::standard().choice("dop853")?.build();
    let options = Options::adaptive(T_END, 1e-10, 1e-12);
    let mut soft = Automatic::new(Rotor { stiff: false });
    solve_observed(&mut soft, accurate.as_ref(), &options, &mut recorder)?;
    let truth: Vec<(f64, f64)> = recorder.states.iter().map(amplitude).collect();
    let peak = truth.iter().map(|point| point.1).fold(0.0, f64::max);
    let errors = found.iter().zip(&truth).map(|(a, b)| (a.1 - b.1).abs());
    let error = errors.fold(0.0_f64, |most, error| {
        if error > most || error.is_nan() {
            error
        } else {
            most
        }
    });
    let mut runs = Vec::new();
    for (method, variant) in explicit {
        let choice = Registry::standard().choice(variant)?;
        let control = crate::experiment::Control::Adaptive {
            rtol: super::settings::TOLERANCE,
            // Amplitudes are below a millimetre.
            atol: 1e-3 * super::settings::TOLERANCE,
        };
        let options = Options {
            time_limit: Some(Duration::from_secs(20)),
            ..choice.driver_options(control, EXPLICIT_END, None)
        };
        let mut rotor = Automatic::new(Rotor { stiff: true });
        let result: Result<_, SolveError> =
            solve_observed(&mut rotor, choice.build().as_ref(), &options, &mut Silent);
        let (statistics, reached, reason) = match result {
            Ok(solution) => (solution.statistics, solution.state.t, String::new()),
            Err(error) => (
                *error.statistics,
                error.state.as_ref().map_or(0.0, |state| state.t),
                error.to_string(),
            ),
        };
        runs.push(Explicit {
            method,
            done: reason.is_empty(),
            steps: statistics.accepted,
            smallest_step: statistics.smallest_step,
            average_step: reached / statistics.accepted.max(1) as f64,
            reason,
        });
    }
    Ok(RunUp {
        found,
        truth,
        error: error / peak,
        explicit: runs,
        implicit_step: STEP,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rotor_passes_its_critical_speed() -> Result<(), CommandError> {
        let run_up = run_up(&[])?;
        let (at, peak) = run_up
            .truth
            .iter()
            .copied()
            .fold(
                (0.0, 0.0),
                |most, point| if point.1 > most.1 { point } else { most },
            );
        // Run through it, the peak is later than at rest, and lower than e / (2 ζ).
        assert!(at > CRITICAL && at < 1.2 * CRITICAL, "{at}");
        let stationary = ECCENTRICITY / (2.0 * DAMPING);
        assert!(peak > 0.5 * stationary && peak < stationary, "{peak}");
        // Far above it the disk turns about its centre of mass; what is left of the resonance beats with that.
        let end = run_up.truth.last().map_or(f64::NAN, |point| point.1);
        let ratio = (2.0_f64).powi(2) / ((2.0_f64).powi(2) - 1.0);
        assert!((end / ECCENTRICITY - ratio).abs() < 0.3, "{end}");
        assert!(run_up.error < 0.1, "{}", run_up.error);
        Ok(())
    }
}
