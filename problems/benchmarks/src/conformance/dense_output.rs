//! States between the ends of steps: equal to them there, and of the order that the kind of dense output promises.

use super::order::{LEAST, Point, judge, least, slope};
use super::reference::{Distance, Reference, distance, larger};
use super::run::{guarded, run_observed};
use super::systems::{Case, SPAN};
use super::{Check, ConformanceError, Context, Fault, Finding, Item, Measured};
use liedae::integrator::{DenseOutput, Integrator, Method};
use liedae::solve::{Observer, Options, StepView};
use liedae::system::State;
use std::ops::ControlFlow;

/// Dense output may be off the ends of steps by this much.
const ENDS: f64 = 1e-9;

/// Nearest to the start of a step where it is compared with the state there, as a part of the step.
const NEAR: f64 = 1e-12;

/// Where it is looked at within steps: not in the middle, where the slope of a cubic is better than elsewhere.
const SHARE: f64 = 0.25;

/// Steps per run: each divides the last one.
fn step_counts(method: &Method) -> &'static [usize] {
    match method.orders.q.min(method.orders.v) {
        0 | 1 => &[64, 128, 256, 512],
        2 => &[32, 64, 128, 256],
        _ => &[8, 16, 32, 64, 128],
    }
}

/// What may be lost of the order at the ends of the same steps, where that is less than the promise.
const LOST: f64 = 0.3;

/// Orders in q and v that are promised over a whole run, where the method itself is as good.
fn promised(kind: DenseOutput) -> [u8; 2] {
    match kind {
        DenseOutput::Cubic => [4, 3],
        DenseOutput::LinearVelocity => [4, 2],
        DenseOutput::Quintic => [6, 5],
        // Whoever has dense output of its own is no worse than what the driver does without.
        DenseOutput::Own => [4, 3],
    }
}

pub(super) fn items(context: &Context) -> Result<Vec<Item>, ConformanceError> {
    let method = context.method;
    let mut items = Vec::new();
    let mut add = |subject: String, outcome: Result<Finding, Fault>| {
        items.push(Item::new(Check::DenseOutput, subject, outcome));
    };
    for case in Case::FEW {
        add(format!("ends, {case}"), guarded(|| ends(method, case)));
        let counts = step_counts(method.method());
        let finest = counts[counts.len() - 1];
        let reference = Reference::new(case, SPAN, 4 * finest)?;
        let errors = guarded(|| errors(method, case, &reference));
        let errors = match errors {
            Ok(errors) => errors,
            Err(fault) => {
                add(format!("between, {case}"), Err(fault));
                continue;
            }
        };
        let descriptor = method.method();
        let [q, v] = promised(descriptor.dense_output);
        let mut order = |name: &str, order: u8, part: fn(&Distance) -> f64| {
            let all = |ends: bool| -> Vec<Point> {
                let each = errors.iter();
                let each = each
                    .map(|(h, between, at_ends)| (*h, part(if ends { at_ends } else { between })));
                each.collect()
            };
            // A method that is worse than it states is so at the ends already: its dense output is not to blame.
            let at_ends = slope(&all(true)).map_or(f64::INFINITY, |order| order - LOST);
            let outcome = judge(&all(false), least(order).min(at_ends));
            add(format!("{name} between, {case}"), outcome);
        };
        order("q", q.min(descriptor.orders.q), |error| error.q);
        order("v", v.min(descriptor.orders.v), |error| error.v);
    }
    Ok(items)
}

/// Compares dense output with both ends of every step.
struct Ends {
    case: Case,
    largest: f64,
}

impl Observer for Ends {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        let (from, to) = (step.from.clone(), step.to.clone());
        let h = to.t - from.t;
        if h > 0.0 {
            for (t, end) in [
                (from.t, &from),
                (from.t + NEAR * h, &from),
                (to.t - NEAR * h, &to),
                (to.t, &to),
            ] {
                let off = distance(self.case, end, step.at(t)).of_motion();
                self.largest = larger(off, self.largest);
            }
        }
        ControlFlow::Continue(())
    }

    fn wants_dense_output(&self) -> bool {
        true
    }
}

fn ends(method: &dyn Integrator, case: Case) -> Result<Finding, Fault> {
    let counts = step_counts(method.method());
    let options = Options::fixed(SPAN, SPAN / counts[2] as f64);
    let mut ends = Ends { case, largest: 0.0 };
    run_observed(&mut case.system(), method, &options, &mut ends)?;
    Measured::at_most("off the ends by", ends.largest, ENDS).judge()
}

/// Compares dense output with the reference within the steps of the second half: starts of methods with a history are over.
struct Within<'a> {
    case: Case,
    states: &'a [State],
    /// Times of the reference per step.
    stride: usize,
    step: usize,
    between: Distance,
    at_ends: Distance,
}

impl Observer for Within<'_> {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        let h = step.to.t - step.from.t;
        if h > 0.0 {
            // A quarter of a step is a whole number of times of the reference.
            let start = self.step * self.stride;
            self.step += 1;
            let ends = (start + self.stride / 4, start + self.stride);
            if let (Some(inside), Some(end)) = (self.states.get(ends.0), self.states.get(ends.1))
                && 2 * start >= self.states.len() - 1
            {
                let found = step.at(step.from.t + SHARE * h);
                self.between = self.between.larger(distance(self.case, inside, found));
                self.at_ends = self.at_ends.larger(distance(self.case, end, step.to));
            }
        }
        ControlFlow::Continue(())
    }

    fn wants_dense_output(&self) -> bool {
        true
    }
}

/// A step size, and the largest errors within steps and at their ends.
type Errors = (f64, Distance, Distance);

/// Errors over the size of the steps. Large steps may fail: implicit equations need not have a solution there.
fn errors(
    method: &dyn Integrator,
    case: Case,
    reference: &Reference,
) -> Result<Vec<Errors>, Fault> {
    let counts = step_counts(method.method());
    let finest = counts[counts.len() - 1];
    let mut errors = Vec::new();
    for (index, &count) in counts.iter().enumerate() {
        match interior(method, case, reference, count, finest / count) {
            Ok(found) => errors.push(found),
            Err(fault) if fault.unsupported().is_some() => return Err(fault),
            Err(_) if index + LEAST < counts.len() => errors.clear(),
            Err(fault) => return Err(fault),
        }
    }
    Ok(errors)
}

/// The largest errors of a run with `count` steps, within them and at their ends. The reference has four times `stride` times
/// in each.
fn interior(
    method: &dyn Integrator,
    case: Case,
    reference: &Reference,
    count: usize,
    stride: usize,
) -> Result<Errors, Fault> {
    let h = SPAN / count as f64;
    let mut within = Within {
        case,
        states: &reference.states,
        stride: 4 * stride,
        step: 0,
        between: Distance::default(),
        at_ends: Distance::default(),
    };
    let options = Options::fixed(SPAN, h);
    run_observed(&mut case.system(), method, &options, &mut within)?;
    Ok((h, within.between, within.at_ends))
}
