//! A restart from a state that has jumped is as good as a fresh start there.

use super::run::{guarded, same_bits};
use super::stepping::Stepping;
use super::systems::{Case, SPAN};
use super::{Check, Context, Fault, Finding, Item};
use liedae::integrator::Integrator;
use liedae::system::System;

/// Size of the steps in s.
const STEP: f64 = SPAN / 64.0;

/// Steps before the jump: enough for a history of five steps.
const BEFORE: usize = 8;

/// Steps behind the jump that must agree.
const BEHIND: usize = 8;

/// How much faster the state is behind the jump; constraints at velocity level, linear here, still hold.
const FASTER: f64 = 1.5;

pub(super) fn items(context: &Context) -> Vec<Item> {
    let each = Case::FEW.into_iter().map(|case| {
        let outcome = guarded(|| compare(context.method, case));
        Item::new(Check::Restart, case.to_string(), outcome)
    });
    each.collect()
}

/// Jumps back to where the motion began, with another velocity, and compares with a start there.
fn compare(method: &dyn Integrator, case: Case) -> Result<Finding, Fault> {
    let mut jumped = case.system().initial_state();
    for v in &mut jumped.v {
        *v *= FASTER;
    }

    let (mut system, mut fresh_system) = (case.system(), case.system());
    let mut restarted = Stepping::start(&mut system, method, None)?;
    for _ in 0..BEFORE {
        restarted.step(STEP)?;
        restarted.accept(STEP)?;
    }
    restarted.check_work()?;
    restarted.restart(jumped.clone())?;

    let mut fresh = Stepping::start(&mut fresh_system, method, Some(jumped))?;
    for _ in 0..BEHIND {
        let (first, second) = (restarted.step(STEP)?, fresh.step(STEP)?);
        same_bits(&second, &first)?;
        restarted.accept(STEP)?;
        fresh.accept(STEP)?;
    }
    Ok(Finding::fact("the same bits as a fresh start"))
}
