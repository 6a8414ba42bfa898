//! Redundant constraint rows: the motion is that of the system without them.

use super::reference::{Reference, distance};
use super::run::{Steps, guarded, run};
use super::systems::{Case, Motion, Rows, SPAN, Space};
use super::{Check, ConformanceError, Context, Finding, Item, Measured};
use liedae::integrator::Integrator;
use liedae::solve::Options;

/// The error with redundant rows may be this many times the error without, ...
const FACTOR: f64 = 2.0;

/// ... or round-off.
const ROUND_OFF: f64 = 1e-10;

/// Steps per run, and the tolerance of adaptive ones.
const STEPS: f64 = 128.0;
const TOLERANCE: f64 = 1e-6;

pub(super) fn items(context: &Context) -> Result<Vec<Item>, ConformanceError> {
    let method = context.method;
    let mut items = Vec::new();
    let fixed = Options::fixed(SPAN, SPAN / STEPS);
    let adaptive = Options::adaptive(SPAN, TOLERANCE, TOLERANCE);
    for rows in [Rows::Position, Rows::Velocity] {
        for space in [Space::Vector, Space::Rotation, Space::RigidMotion] {
            let case = Motion::new(space, rows);
            let reference = Reference::new(case, SPAN, 1)?;
            for options in [&fixed, &adaptive] {
                let is_adaptive =
                    matches!(options.control, liedae::solve::StepControl::Adaptive { .. });
                if is_adaptive && !method.method().is_adaptive() {
                    continue;
                }
                let outcome = guarded(|| compare(method, case, options, &reference));
                let steps = Steps(&options.control);
                let subject = format!("{case}, {steps}");
                items.push(Item::new(Check::Redundancy, subject, outcome));
            }
        }
    }
    Ok(items)
}

/// The error with redundant rows against the error without.
fn compare(
    method: &dyn Integrator,
    case: Case,
    options: &Options,
    reference: &Reference,
) -> Result<Finding, super::Fault> {
    let plain = run(&mut case.system(), method, options)?.state;
    let twice = run(&mut case.stated_twice().system(), method, options)?.state;
    let [plain, twice] =
        [plain, twice].map(|state| distance(case, reference.end(), &state).of_motion());
    Measured::at_most("error", twice, FACTOR * plain + ROUND_OFF).judge()
}
