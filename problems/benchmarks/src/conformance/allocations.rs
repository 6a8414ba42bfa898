//! Steps allocate nothing once a run is under way.

use super::run::{Steps, guarded, run_observed};
use super::systems::{Case, SPAN};
use super::{Check, Context, Fault, Finding, Item, Measured};
use liedae::integrator::Integrator;
use liedae::solve::{Observer, Options, StepView};
use std::ops::ControlFlow;

/// Steps after which a run is under way.
const WARM_UP: usize = 5;

/// Size of constant steps in s; the tolerance and the largest of adaptive ones, for enough steps to judge.
const STEP: f64 = SPAN / 128.0;
const TOLERANCE: f64 = 1e-5;
const LARGEST: f64 = SPAN / 64.0;

pub(super) fn items(context: &Context) -> Vec<Item> {
    let Some(counter) = context.allocations else {
        let reason = "no counter of allocations was given";
        return vec![Item::not_applicable(Check::Allocations, "steps", reason)];
    };
    let method = context.method;
    let mut items = Vec::new();
    let mut adaptive = Options::adaptive(SPAN, TOLERANCE, TOLERANCE);
    adaptive.max_step = LARGEST;
    for case in Case::FEW {
        for options in [&Options::fixed(SPAN, STEP), &adaptive] {
            let is_fixed = matches!(options.control, liedae::solve::StepControl::Fixed(_));
            if !is_fixed && !method.method().is_adaptive() {
                continue;
            }
            let outcome = guarded(|| count(method, case, options, counter));
            let steps = Steps(&options.control);
            let subject = format!("{case}, {steps}");
            items.push(Item::new(Check::Allocations, subject, outcome));
        }
    }
    items
}

/// Remembers the count after the warm-up and at the last step.
struct Watch {
    counter: fn() -> usize,
    dense: bool,
    steps: usize,
    after_warm_up: usize,
    last: usize,
}

impl Observer for Watch {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        if self.dense {
            step.at(0.5 * (step.from.t + step.to.t));
        }
        self.steps += 1;
        self.last = (self.counter)();
        if self.steps == WARM_UP {
            self.after_warm_up = self.last;
        }
        ControlFlow::Continue(())
    }

    fn wants_dense_output(&self) -> bool {
        self.dense
    }
}

/// Allocations without and with dense output, together.
fn count(
    method: &dyn Integrator,
    case: Case,
    options: &Options,
    counter: fn() -> usize,
) -> Result<Finding, Fault> {
    let mut total = 0;
    for dense in [false, true] {
        let mut watch = Watch {
            counter,
            dense,
            steps: 0,
            after_warm_up: 0,
            last: 0,
        };
        run_observed(&mut case.system(), method, options, &mut watch)?;
        total += watch.last - watch.after_warm_up;
    }
    Measured::at_most("allocations", total as f64, 0.0).judge()
}
