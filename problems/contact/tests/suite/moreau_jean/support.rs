//! What the tests share: runs with their states, energies and impulses.

use liedae::integrator::NewtonOptions;
use liedae::solve::{Observer, Options, SolveErrorKind, StepView, solve, solve_observed};
use liedae::system::{State, total_energy};
use liedae_contact::capturing::{ContactImpulse, ImpulseGauge, MoreauJean};
use liedae_contact::{ContactModel, with_contacts};
use std::ops::ControlFlow;

pub const GRAVITY: f64 = 9.81;

/// All states of a run, and the energies that the system gives for them.
#[derive(Default)]
pub struct Trace {
    pub states: Vec<State>,
    pub energies: Vec<f64>,
}

impl Observer for Trace {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        let state = step.to.clone();
        let energy = total_energy(step.system().system(), &state.point());
        self.energies.extend(energy);
        self.states.push(state);
        ControlFlow::Continue(())
    }
}

impl Trace {
    pub fn last(&self) -> &State {
        self.states.last().expect("steps were taken")
    }
    /// The largest rise of the energy in a step.
    pub fn rise(&self) -> f64 {
        assert_eq!(self.energies.len(), self.states.len());
        let rises = self.energies.windows(2).map(|pair| pair[1] - pair[0]);
        rises.fold(0.0, f64::max)
    }
}

pub fn trace<M: ContactModel + 'static>(model: M, t_end: f64, h: f64) -> Trace {
    trace_with(model, MoreauJean::DEFAULT_THETA, t_end, h).0
}

pub fn trace_with<M: ContactModel + 'static>(
    model: M,
    theta: f64,
    t_end: f64,
    h: f64,
) -> (Trace, Vec<ContactImpulse>) {
    let mut trace = Trace::default();
    let gauge = ImpulseGauge::default();
    let method = MoreauJean::new(theta, NewtonOptions::default()).measuring_impulses(&gauge);
    let mut system = with_contacts(model);
    solve_observed(&mut system, &method, &Options::fixed(t_end, h), &mut trace).expect("solved");
    (trace, gauge.contacts())
}

/// Slope of log error over log h.
pub fn slope(steps: &[f64], errors: &[f64]) -> f64 {
    let n = steps.len() as f64;
    let (x, y): (Vec<f64>, Vec<f64>) = steps
        .iter()
        .zip(errors)
        .map(|(h, error)| (h.ln(), error.ln()))
        .unzip();
    let (mx, my) = (x.iter().sum::<f64>() / n, y.iter().sum::<f64>() / n);
    let top: f64 = x.iter().zip(&y).map(|(x, y)| (x - mx) * (y - my)).sum();
    top / x.iter().map(|x| (x - mx).powi(2)).sum::<f64>()
}

pub fn failure<M: ContactModel + 'static>(model: M, method: &MoreauJean) -> SolveErrorKind {
    let error = solve(
        &mut with_contacts(model),
        method,
        &Options::fixed(1.0, 1e-2),
    )
    .unwrap_err();
    println!("{error}");
    error.kind
}
