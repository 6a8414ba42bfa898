//! A rotor that is run up through its critical speed, as in the paper's Figs. 12 and 13, whose data are not in print.
//!
//! The problem `rotor-run-up`: an unbalanced disc on a geometrically exact shaft in bearings, turned by a constraint,
//! θ = α t² / 2, through its critical speed of 50 rad/s to twice that. The shaft's waves have the paper's frequency of
//! 1e5 Hz.

use super::settings::TOLERANCE;
use crate::error::CommandError;
use crate::experiment::{Case, Choice, Control, Instance};
use crate::registry::Registry;
use liedae::scalar::Scalar;
use liedae::solve::{Observer, Options, Recorder, Silent, StepView, solve_observed};
use liedae::system::{State, named_outputs};
use liedae_problems::{ProblemError, flexible::Laval};
use serde::Serialize;
use std::ops::ControlFlow;
use std::time::Duration;

const PROBLEM: &str = "rotor-run-up";
/// Its defaults: mass of the disc in kg, eccentricity in m, damping ratio, critical speed in rad/s, angular acceleration in rad/s².
const MASS: f64 = 1.6;
const ECCENTRICITY: f64 = 1e-4;
const DAMPING: f64 = 0.05;
const CRITICAL: f64 = 50.0;
const ACCELERATION: f64 = 5.0;
/// The paper's constant step in s.
const STEP: f64 = 4e-4;
/// The paper's smallest step for its rotor in s.
pub(super) const SMALLEST: f64 = 1e-8;
/// The part of the run that explicit methods are given: they need many steps.
const EXPLICIT_END: f64 = 0.02;
/// CPU time after which explicit methods are given up.
const LIMIT: Duration = Duration::from_secs(20);

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

/// Fig. 13 at one time: the rotor's speed in rad/s and amplitudes in m.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Amplitude {
    pub speed: f64,
    /// With the constant step.
    pub found: f64,
    /// Of Jeffcott's equations, accurately.
    pub accurate: f64,
    /// At this speed held constant, in closed form.
    pub steady: f64,
}

/// The amplitude over the speed, and what explicit methods do.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RunUp {
    pub amplitudes: Vec<Amplitude>,
    /// Largest error of the amplitude over its peak.
    pub error: f64,
    pub explicit: Vec<Explicit>,
    /// Steps of the implicit method over the same part.
    pub implicit_step: f64,
}

/// Keeps the place of the shaft's middle at the end of every step.
#[derive(Default)]
struct Middle(Vec<[f64; 3]>);

impl Observer for Middle {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        let to = step.to;
        let outputs = named_outputs(step.system().system(), to).unwrap_or_default();
        let value = |name: &str| {
            let found = outputs.iter().find(|(known, _)| known == name);
            found.map_or(f64::NAN, |(_, value)| *value)
        };
        self.0.push([to.t, value("y"), value("z")]);
        ControlFlow::Continue(())
    }
}

/// The rotor in closed form where its speed is constant.
fn laval() -> Laval {
    Laval {
        mass: MASS,
        stiffness: MASS * CRITICAL * CRITICAL,
        damping: 2.0 * DAMPING * MASS * CRITICAL,
        unbalance: MASS * ECCENTRICITY,
    }
}

/// Jeffcott's equations of a disc on a massless shaft that does not twist, to a tolerance of 1e-10: y and z at these times.
fn accurate(times: Vec<f64>) -> Result<Vec<State>, CommandError> {
    let Laval {
        mass,
        stiffness,
        damping,
        unbalance,
    } = laval();
    // m r'' + d r' + k r = U (θ'² - i θ'') exp(i θ), r = y + i z.
    let statement = liedae::model([0.0; 2], [0.0; 2])
        .mass(mass)
        .force(move |t, [y, z], [u, v]| {
            let (turn, rate) = (t * t * (0.5 * ACCELERATION), t * ACCELERATION);
            let (sine, cosine) = (turn.sin(), turn.cos());
            let (inwards, onwards) = (rate * rate * unbalance, ACCELERATION * unbalance);
            [
                inwards * cosine + onwards * sine - stiffness * y - damping * u,
                inwards * sine - onwards * cosine - stiffness * z - damping * v,
            ]
        });
    let built = statement.build();
    let mut system = built.map_err(|error| ProblemError::build(PROBLEM, error))?;
    let end = times.last().copied().unwrap_or_default();
    let mut recorder = Recorder::new(times);
    let method = Registry::standard().choice("dop853")?.build();
    let options = Options::adaptive(end, 1e-10, 1e-14);
    solve_observed(&mut system, method.as_ref(), &options, &mut recorder)?;
    Ok(recorder.states)
}

/// The run with the paper's constant step, and the explicit methods.
pub(super) fn run_up(explicit: &[(&'static str, String)]) -> Result<RunUp, CommandError> {
    let mut case = Instance::read(Registry::standard().problems(), PROBLEM)?.build()?;
    let mut middle = Middle::default();
    let implicit = Registry::standard()
        .choice("generalized-alpha-stabilized")?
        .build();
    let options = Control::Fixed { step: STEP }.options(case.t_end, None);
    solve_observed(case.system(), implicit.as_ref(), &options, &mut middle)?;
    let truth = accurate(middle.0.iter().map(|[t, ..]| *t).collect())?;
    let laval = laval();
    let pairs = middle.0.iter().zip(&truth);
    let amplitudes: Vec<Amplitude> = pairs
        .map(|([t, y, z], truth)| Amplitude {
            speed: t * ACCELERATION,
            found: y.hypot(*z),
            accurate: truth.q[0].hypot(truth.q[1]),
            steady: laval.steady_amplitude(t * ACCELERATION),
        })
        .collect();
    let peak = amplitudes.iter().map(|at| at.accurate).fold(0.0, f64::max);
    let errors = amplitudes.iter().map(|at| (at.found - at.accurate).abs());
    let error = errors.fold(0.0_f64, |most, error| {
        if error > most || error.is_nan() {
            error
        } else {
            most
        }
    });
    let mut runs = Vec::new();
    for (method, variant) in explicit {
        runs.push(part(
            &mut case,
            method,
            &Registry::standard().choice(variant)?,
        ));
    }
    Ok(RunUp {
        amplitudes,
        error: error / peak,
        explicit: runs,
        implicit_step: STEP,
    })
}

/// A part of the run with a method whose steps the waves of the shaft limit.
fn part(case: &mut Case, method: &'static str, choice: &Choice) -> Explicit {
    let control = Control::Adaptive {
        rtol: TOLERANCE,
        // Amplitudes are below a millimetre.
        atol: 1e-3 * TOLERANCE,
    };
    let options = Options {
        time_limit: Some(LIMIT),
        ..choice.driver_options(control, EXPLICIT_END, None)
    };
    let result = solve_observed(
        case.system(),
        choice.build().as_ref(),
        &options,
        &mut Silent,
    );
    let (statistics, reached, reason) = match result {
        Ok(solution) => (solution.statistics, solution.state.t, String::new()),
        Err(error) => (
            *error.statistics,
            error.state.as_ref().map_or(0.0, |state| state.t),
            error.to_string(),
        ),
    };
    Explicit {
        method,
        done: reason.is_empty(),
        steps: statistics.accepted,
        smallest_step: statistics.smallest_step,
        average_step: reached / statistics.accepted.max(1) as f64,
        reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rotor_passes_its_critical_speed() -> Result<(), CommandError> {
        let run_up = run_up(&[])?;
        let peak = run_up.amplitudes.iter().copied();
        let peak = peak.max_by(|a, b| a.accurate.total_cmp(&b.accurate));
        let peak = peak.expect("steps");
        // Run through it, the peak is later than at rest, and lower than e / (2 ζ).
        assert!(
            peak.speed > CRITICAL && peak.speed < 1.2 * CRITICAL,
            "{peak:?}"
        );
        let stationary = ECCENTRICITY / (2.0 * DAMPING);
        assert!(
            peak.accurate > 0.8 * stationary && peak.accurate < stationary,
            "{peak:?}"
        );
        // On both sides it whirls as at a constant speed.
        for speed in [25.0, 100.0] {
            let near = |at: &&Amplitude| at.speed >= speed - 1e-6;
            let at = run_up.amplitudes.iter().find(near).expect("reached");
            assert!((at.found / at.steady - 1.0).abs() < 0.05, "{at:?}");
        }
        // The shaft twists too: the disc begins to swing about I α / k = 0.018 * 5 / 41.7 = 2.2e-3 rad, which Jeffcott's equations do not
        // know. (With half of the step the error is the same within 2e-5 of itself.)
        assert!(run_up.error < 2e-3, "{}", run_up.error);
        Ok(())
    }
}
