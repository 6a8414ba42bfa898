//! Steps and runs that are taken again end in the same bits.

use super::run::{Steps, guarded, run, run_observed, same_bits};
use super::stepping::Stepping;
use super::systems::{Case, SPAN};
use super::{Check, Context, Fault, Finding, Item};
use liedae::integrator::Integrator;
use liedae::solve::{Observer, Options, Solution, StepView};
use std::ops::ControlFlow;

/// Steps per run, and the tolerance of adaptive ones.
const STEPS: f64 = 64.0;
const TOLERANCE: f64 = 1e-5;

/// How many steps are accepted before each is repeated: the first ones, where multistep methods start, and later ones.
const ACCEPTED: usize = 6;

pub(super) fn items(context: &Context) -> Vec<Item> {
    let method = context.method;
    let mut items = Vec::new();
    let mut add = |subject: String, outcome: Result<Finding, Fault>| {
        items.push(Item::new(Check::Repeatability, subject, outcome));
    };
    for case in Case::FEW {
        let outcome = guarded(|| repeat_steps(method, case));
        add(format!("steps, {case}"), outcome);
        for options in controls(method) {
            let steps = Steps(&options.control);
            add(
                format!("runs, {case}, {steps}"),
                guarded(|| repeat_run(method, case, &options)),
            );
            add(
                format!("observed, {case}, {steps}"),
                guarded(|| observe(method, case, &options)),
            );
        }
    }
    items
}

/// Constant steps, and adaptive ones where there is an estimate.
fn controls(method: &dyn Integrator) -> Vec<Options> {
    let mut all = vec![Options::fixed(SPAN, SPAN / STEPS)];
    if method.method().is_adaptive() {
        all.push(Options::adaptive(SPAN, TOLERANCE, TOLERANCE));
    }
    all
}

/// Where the stepper says that it repeats steps: a step, a shorter one from the same state as up to an event, and the first once
/// more.
fn repeat_steps(method: &dyn Integrator, case: Case) -> Result<Finding, Fault> {
    let mut system = case.system();
    let mut stepping = Stepping::start(&mut system, method, None)?;
    let h = SPAN / STEPS;
    let mut repeated = 0;
    for _ in 0..ACCEPTED {
        let first = stepping.step(h)?;
        if stepping.repeats_steps() {
            stepping.step(0.4 * h)?;
            let second = stepping.step(h)?;
            same_bits(&first, &second)?;
            repeated += 1;
        }
        stepping.accept(h)?;
    }
    Ok(Finding::fact(match repeated {
        0 => "says that it does not repeat steps".to_owned(),
        ACCEPTED => "the same bits".to_owned(),
        some => format!("the same bits in {some} of {ACCEPTED} steps that it repeats"),
    }))
}

/// The same counts and bits.
fn same(first: &Solution, second: &Solution) -> Result<Finding, Fault> {
    let (before, after) = (first.statistics, second.statistics);
    if (before.accepted, before.rejected) != (after.accepted, after.rejected) {
        let words = |solution: &Solution| {
            let statistics = solution.statistics;
            let rejected = statistics.rejected.total();
            format!("{} steps, {rejected} rejected", statistics.accepted)
        };
        return Err(Fault::OtherRun {
            first: words(first),
            second: words(second),
        });
    }
    same_bits(&first.state, &second.state)?;
    Ok(Finding::fact("the same bits"))
}

/// Two runs by the same method value, another system in between.
fn repeat_run(method: &dyn Integrator, case: Case, options: &Options) -> Result<Finding, Fault> {
    let first = run(&mut case.system(), method, options)?;
    let other = if case == Case::FEW[0] { 1 } else { 0 };
    match run(&mut Case::FEW[other].system(), method, options) {
        Err(fault) if fault.unsupported().is_none() => return Err(fault),
        _ => {}
    }
    let second = run(&mut case.system(), method, options)?;
    let finding = same(&first, &second)?;
    if first.statistics.evaluations != second.statistics.evaluations {
        let words = |solution: &Solution| format!("{:?}", solution.statistics.evaluations);
        return Err(Fault::OtherRun {
            first: words(&first),
            second: words(&second),
        });
    }
    Ok(finding)
}

/// Looks into every step.
struct Looking(f64);

impl Observer for Looking {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        for share in [0.3, 0.7] {
            let t = step.from.t + share * (step.to.t - step.from.t);
            self.0 += step.at(t).q.iter().sum::<f64>();
        }
        ControlFlow::Continue(())
    }

    fn wants_dense_output(&self) -> bool {
        true
    }
}

/// A run that nobody looks at, and one that somebody looks at.
fn observe(method: &dyn Integrator, case: Case, options: &Options) -> Result<Finding, Fault> {
    let unseen = run(&mut case.system(), method, options)?;
    let mut looking = Looking(0.0);
    let seen = run_observed(&mut case.system(), method, options, &mut looking)?;
    same(&unseen, &seen)
}
