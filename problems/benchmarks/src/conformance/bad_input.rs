//! Systems that cannot be evaluated end in typed errors after finitely many steps; limits of a run hold.

use super::run::{Steps, attempt, guarded};
use super::stepping::Stepping;
use super::systems::{Case, Faulty, Flaw, SPAN};
use super::{Check, Context, Fault, Finding, Item};
use liedae::integrator::{Integrator, StepError};
use liedae::solve::{Options, Silent, SolveError, SolveErrorKind};
use liedae::system::{DynamicsError, LimitReached, Wrapped};

/// Size of constant steps in s, and the tolerance of adaptive ones.
const STEP: f64 = 1.0 / 64.0;
const TOLERANCE: f64 = 1e-5;

/// Steps that a run may take: fewer than it needs.
const LIMIT: usize = 12;

/// Runs with a flaw end long before so many steps.
const ENDLESS: usize = 5_000;

pub(super) fn items(context: &Context) -> Vec<Item> {
    let method = context.method;
    let mut items = Vec::new();
    let mut add = |subject: String, outcome: Result<Finding, Fault>| {
        items.push(Item::new(Check::BadInput, subject, outcome));
    };
    for (flaw, words) in [
        (Flaw::NanForce, "force is NaN"),
        (Flaw::LaterNanForce, "force becomes NaN"),
        (Flaw::FailingForce, "force fails"),
        (Flaw::LaterNanRow, "row becomes NaN"),
        (Flaw::SingularMass, "singular mass"),
    ] {
        for options in controls(method) {
            let subject = format!("{words}, {}", Steps(&options.control));
            add(subject, guarded(|| report(method, flaw, options)));
        }
    }
    for options in controls(method) {
        let subject = format!("step limit, {}", Steps(&options.control));
        add(subject, guarded(|| limit(method, options)));
    }
    items.push(inner_limit(method));
    items
}

/// Constant steps, and adaptive ones where there is an estimate.
fn controls(method: &dyn Integrator) -> Vec<Options> {
    let mut all = vec![Options::fixed(SPAN, STEP)];
    if method.method().is_adaptive() {
        all.push(Options::adaptive(SPAN, TOLERANCE, TOLERANCE));
    }
    all
}

/// Whether an error says that the system could not be evaluated or its equations not be solved; errors of the method's own kind
/// may.
fn is_of_the_system(error: &SolveError) -> bool {
    let step = match &error.kind {
        SolveErrorKind::Step(error) => Some(error),
        SolveErrorKind::StepTooSmall { cause, .. } => cause.as_deref(),
        SolveErrorKind::Singular { .. } => return true,
        // Said by the check of initial values, before the method is asked.
        SolveErrorKind::Initial(_) => return true,
        _ => None,
    };
    matches!(
        step,
        Some(
            StepError::Dynamics(
                DynamicsError::Evaluation(_)
                    | DynamicsError::Linear { .. }
                    | DynamicsError::NotConverged { .. }
                    | DynamicsError::NotSolved { .. }
            ) | StepError::Foreign(_)
        )
    )
}

/// A run of a system with a flaw.
fn report(method: &dyn Integrator, flaw: Flaw, mut options: Options) -> Result<Finding, Fault> {
    options.max_steps = ENDLESS;
    let mut system = Wrapped(Faulty::new(flaw));
    let ended = attempt(&mut system, method, &options, &mut Silent);
    let error = match ended {
        Ok(solution) => {
            return Err(Fault::NoError {
                t: solution.state.t,
            });
        }
        Err(error) => error,
    };
    let taken = error.statistics.accepted + error.statistics.rejected.total();
    let steps = Steps(&options.control).to_string();
    let fault = Fault::run(steps, error.clone());
    if fault.unsupported().is_some() {
        return Err(fault);
    }
    let last = error
        .state
        .as_ref()
        .map(|state| (state.t, state.is_finite()));
    let beyond = last.is_some_and(|(t, finite)| !finite || t > Faulty::WALL + STEP);
    if beyond || !is_of_the_system(&error) {
        return Err(Fault::OtherError {
            error: error.to_string(),
        });
    }
    Ok(Finding::fact(format!("an error after {taken} steps")))
}

/// A run that needs more steps than it is allowed.
fn limit(method: &dyn Integrator, mut options: Options) -> Result<Finding, Fault> {
    options.max_steps = LIMIT;
    // Adaptive runs with large steps would come to their end.
    options.max_step = STEP;
    let mut system = Case::FEW[0].system();
    let steps = Steps(&options.control).to_string();
    let ended = attempt(&mut system, method, &options, &mut Silent);
    let error = match ended {
        Ok(solution) => {
            return Err(Fault::Limit {
                taken: solution.statistics.accepted,
                limit: LIMIT,
            });
        }
        Err(error) => error,
    };
    let statistics = &error.statistics;
    let taken = statistics.accepted + statistics.rejected.total() + statistics.inner;
    match error.kind {
        SolveErrorKind::TooManySteps { .. } if taken <= LIMIT => {
            Ok(Finding::fact(format!("stops after {taken} steps")))
        }
        SolveErrorKind::TooManySteps { .. } => Err(Fault::Limit {
            taken,
            limit: LIMIT,
        }),
        _ => Err(Fault::run(steps, error)),
    }
}

/// A step that may take no steps within it.
fn inner_limit(method: &dyn Integrator) -> Item {
    let subject = "step limit within a step";
    let mut steps_within = 0;
    let outcome = guarded(|| {
        let mut system = Case::FEW[0].system();
        let mut stepping = Stepping::start(&mut system, method, None)?;
        stepping.step(STEP)?;
        steps_within = stepping.evaluator.inner_steps();

        let mut system = Case::FEW[0].system();
        let mut stepping = Stepping::start(&mut system, method, None)?;
        stepping.evaluator.allow(0, None);
        match stepping.step(STEP) {
            Err(Fault::Step(StepError::Limit(LimitReached::Steps))) => {
                Ok(Finding::fact("passes the limit on"))
            }
            Err(fault) => Err(fault),
            Ok(_) => Err(Fault::Limit {
                taken: steps_within,
                limit: 0,
            }),
        }
    });
    match outcome {
        Err(Fault::Limit { taken: 0, .. }) => {
            let reason = "no steps within its first step";
            Item::not_applicable(Check::BadInput, subject, reason)
        }
        outcome => Item::new(Check::BadInput, subject, outcome),
    }
}
