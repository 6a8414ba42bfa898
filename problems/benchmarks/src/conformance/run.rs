//! Runs with limits that catch panics, and their comparison bit by bit.

use super::Fault;
use liedae::integrator::Integrator;
use liedae::solve::{Observer, Options, Silent, Solution, SolveError, StepControl, solve_observed};
use liedae::system::{State, System};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// No run of the suite needs more steps than this.
pub(super) const MAX_STEPS: usize = 50_000;

/// Turns a panic into a fault, so that one item does not hide the others.
pub(super) fn guarded<T>(work: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let words = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let message = words.or_else(|| panic.downcast_ref::<String>().cloned());
        Err(Fault::Panic {
            message: message.unwrap_or_else(|| "no words".to_owned()),
        })
    })
}

/// Runs under the suite's limit of steps.
pub(super) fn run(
    system: &mut dyn System,
    method: &dyn Integrator,
    options: &Options,
) -> Result<Solution, Fault> {
    run_observed(system, method, options, &mut Silent)
}

/// The same with an observer.
pub(super) fn run_observed(
    system: &mut dyn System,
    method: &dyn Integrator,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Solution, Fault> {
    attempt(system, method, options, observer)
        .map_err(|error| Fault::run(Steps(&options.control), error))
}

/// The same with the driver's error.
pub(super) fn attempt(
    system: &mut dyn System,
    method: &dyn Integrator,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Solution, SolveError> {
    let mut options = options.clone();
    options.max_steps = options.max_steps.min(MAX_STEPS);
    solve_observed(system, method, &options, observer)
}

/// How steps are chosen, in words.
pub(super) struct Steps<'a>(pub &'a StepControl);

impl fmt::Display for Steps<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            StepControl::Fixed(step) => write!(formatter, "with steps of {step:.3} s"),
            StepControl::Adaptive { .. } => write!(formatter, "with adaptive steps"),
        }
    }
}

/// The first component in which two states differ, bit by bit.
pub(super) fn same_bits(first: &State, second: &State) -> Result<(), Fault> {
    let parts: [(&'static str, &[f64], &[f64]); 6] = [
        ("q", &first.q, &second.q),
        ("v", &first.v, &second.v),
        ("x", &first.x, &second.x),
        ("z", &first.z, &second.z),
        ("lambda", &first.lambda, &second.lambda),
        ("acceleration", &first.acceleration, &second.acceleration),
    ];
    for (part, first, second) in parts {
        for (index, (first, second)) in first.iter().zip(second).enumerate() {
            if first.to_bits() != second.to_bits() {
                return Err(Fault::Differs {
                    part,
                    index,
                    first: *first,
                    second: *second,
                });
            }
        }
    }
    Ok(())
}
