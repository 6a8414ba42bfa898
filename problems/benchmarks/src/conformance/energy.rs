//! Methods that say that they project onto the energy which a system keeps do so.

use super::run::{Steps, guarded, run};
use super::systems::{Oscillator, Switch};
use super::{Check, Context, Fault, Finding, Item, Measured};
use liedae::integrator::{Integrator, StepError, StepSizes};
use liedae::solve::{Options, StepControl};
use liedae::system::{AccelerationSolver, Automatic, Evaluator, System, total_energy};

/// How long the oscillator is followed, in s: past impacts, behind which the energy is the one to keep.
const OSCILLATION: f64 = 6.0;

/// Size of constant steps in s, and the tolerance of adaptive ones: coarse, so that a method that does not project is far off.
const STEP: f64 = 0.05;
const TOLERANCE: f64 = 1e-4;

/// What a projection leaves, relative to the energy.
const ROUND_OFF: f64 = 1e-11;

pub(super) fn items(context: &Context) -> Vec<Item> {
    let method = context.method;
    let mut items = Vec::new();
    for (name, switch) in [("oscillator", Switch::Never), ("impacts", Switch::Bounce)] {
        for options in [
            Options::fixed(OSCILLATION, STEP),
            Options::adaptive(OSCILLATION, TOLERANCE, TOLERANCE),
        ] {
            let is_adaptive = matches!(options.control, StepControl::Adaptive { .. });
            if is_adaptive && !method.method().is_adaptive() {
                continue;
            }
            let subject = format!("{name}, {}", Steps(&options.control));
            items.push(match guarded(|| projects(method, switch)) {
                Ok(true) => {
                    let outcome = guarded(|| drift(method, switch, &options));
                    Item::new(Check::Energy, subject, outcome)
                }
                Ok(false) => Item::not_applicable(
                    Check::Energy,
                    subject,
                    "it does not project onto energies",
                ),
                Err(fault) => Item::new(Check::Energy, subject, Err(fault)),
            });
        }
    }
    items
}

fn system(switch: Switch) -> Automatic<Oscillator> {
    Automatic::new(Oscillator(switch)).keeping_energy()
}

/// Whether the method says that it projects accepted states onto the energy.
fn projects(method: &dyn Integrator, switch: Switch) -> Result<bool, Fault> {
    let mut system = system(switch);
    let mut state = system.initial_state();
    let mut evaluator = Evaluator::new(&mut system);
    let linear = |source| StepError::linear(0.0, source);
    let mut accelerations = AccelerationSolver::new(evaluator.layout()).map_err(linear)?;
    let completed = accelerations.complete(&mut evaluator, &mut state);
    completed.map_err(StepError::from)?;
    let mut stepper = method.start(&mut evaluator, &state, StepSizes::Constant)?;
    Ok(stepper.energy_projector().is_some())
}

/// By how much the energy has changed at the end.
fn drift(method: &dyn Integrator, switch: Switch, options: &Options) -> Result<Finding, Fault> {
    let mut system = system(switch);
    let start = system.initial_state();
    let before = total_energy(&mut system, &start.point()).unwrap_or(f64::NAN);
    let end = run(&mut system, method, options)?.state;
    let after = total_energy(&mut system, &end.point()).unwrap_or(f64::NAN);
    let change = ((after - before) / before).abs();
    Measured::at_most("relative change of the energy", change, ROUND_OFF).judge()
}
