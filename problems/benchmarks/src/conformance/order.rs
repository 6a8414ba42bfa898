//! Observed orders of convergence: ever smaller steps, the slope of the errors.

use super::reference::{Distance, Reference, distance};
use super::run::{guarded, run_observed};
use super::systems::{Case, SPAN};
use super::{Check, ConformanceError, Context, Fault, Finding, Item, Measured, Outcome};
use liedae::integrator::Integrator;
use liedae::solve::{Observer, Options, StepView, log_log_slope};
use liedae::system::State;
use std::ops::ControlFlow;

/// An observed order may be this much less than the one stated, and ...
const SLACK: f64 = 0.3;

/// ... this part of it. Errors of high orders fall to round-off within few steps, far from where orders are sharp.
const RELATIVE_SLACK: f64 = 0.08;

/// Errors below this are round-off, or what inner iterations leave.
const FLOOR: f64 = 2e-11;

/// Errors above this say nothing about an order.
const CEILING: f64 = 0.3;

/// Where errors below this no longer fall, projections and inner iterations have left them: so do multipliers, which magnify
/// what is left of velocities by 1/h.
const NOISE: f64 = 1e-7;

/// Errors left out for this reason are reported if they are larger.
const NOTED: f64 = 10.0 * FLOOR;

/// The slope is that of so many runs with the smallest steps, of `LEAST` at least.
const FITTED: usize = 4;
pub(super) const LEAST: usize = 3;

/// Errors are taken at the ends of steps that fall on one of so many equidistant times in the second half of the motion: where
/// one of them happens to be small the others are not, and starts of methods with a history are over.
const TIMES: usize = 96;

/// Steps per run: by the order, so that errors are small and above round-off. By turns times 3/2 and 4/3.
fn step_counts(order: u8) -> &'static [usize] {
    match order {
        0 | 1 => &[96, 128, 192, 256, 384, 512, 768],
        2 => &[32, 48, 64, 96, 128, 192, 256, 384],
        3 | 4 => &[12, 16, 24, 32, 48, 64, 96, 128, 192],
        _ => &[4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128],
    }
}

/// What an observed order must be at least.
pub(super) fn least(order: u8) -> f64 {
    let order = f64::from(order);
    order - SLACK - RELATIVE_SLACK * order
}

/// A step size and an error.
pub(super) type Point = (f64, f64);

pub(super) fn items(context: &Context) -> Result<Vec<Item>, ConformanceError> {
    let orders = context.method.method().orders;
    let mut items = Vec::new();
    let mut applies = false;
    for case in Case::all() {
        let reference = Reference::new(case, SPAN, TIMES)?;
        let errors = guarded(|| errors(context.method, case, &reference));
        let errors = match errors {
            Ok(errors) => errors,
            Err(fault) => {
                let outcome = Outcome::from(Err(fault));
                applies |= matches!(outcome, Outcome::Failed(_));
                items.push(Item::new(Check::Order, case.to_string(), outcome));
                continue;
            }
        };
        applies = true;
        let mut judge = |name: &str, order: u8, part: fn(&Distance) -> f64| {
            let subject = format!("{name}, {case}");
            let points: Vec<Point> = errors.iter().map(|(h, error)| (*h, part(error))).collect();
            items.push(match order {
                0 => Item::not_applicable(Check::Order, subject, "no order stated"),
                _ => Item::new(Check::Order, subject, judge(&points, least(order))),
            });
        };
        judge("q", orders.q, |error| error.q);
        judge("v", orders.v, |error| error.v);
        if case.heated {
            // A differential state is as good as what it follows from.
            judge("x", orders.q.min(orders.v), |error| error.x);
        }
        if !reference.end().lambda.is_empty() {
            judge("lambda", orders.lambda, |error| error.lambda);
        }
    }
    if !applies {
        let outcome = Err(Fault::AppliesNowhere);
        items.push(Item::new(Check::Order, "any motion", outcome));
    }
    Ok(items)
}

/// The largest errors of a run in the second half of the motion.
struct Comparison<'a> {
    case: Case,
    states: &'a [State],
    error: Distance,
}

impl Observer for Comparison<'_> {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        let place = step.to.t / SPAN * TIMES as f64;
        let index = place.round() as usize;
        let on_grid = (place - place.round()).abs() < 1e-6;
        if let Some(reference) = self.states.get(index)
            && on_grid
            && 2 * index >= TIMES
        {
            let error = distance(self.case, reference, step.to);
            self.error = self.error.larger(error);
        }
        ControlFlow::Continue(())
    }

    fn wants_complete_states(&self) -> bool {
        true
    }
}

/// Errors of runs with constant steps, down to round-off. Large steps may fail: implicit equations need not have a
/// solution there.
fn errors(
    method: &dyn Integrator,
    case: Case,
    reference: &Reference,
) -> Result<Vec<(f64, Distance)>, Fault> {
    let orders = method.method().orders;
    let counts = step_counts(orders.q.max(orders.v));
    let mut errors: Vec<(f64, Distance)> = Vec::new();
    for (index, &count) in counts.iter().enumerate() {
        let h = SPAN / count as f64;
        let mut comparison = Comparison {
            case,
            states: &reference.states,
            error: Distance::default(),
        };
        let options = Options::fixed(SPAN, h);
        match run_observed(&mut case.system(), method, &options, &mut comparison) {
            Ok(_) => errors.push((h, comparison.error)),
            Err(fault) if fault.unsupported().is_some() => return Err(fault),
            Err(_) if index + LEAST < counts.len() => errors.clear(),
            Err(fault) => return Err(fault),
        }
        if errors.last().is_some_and(|(_, e)| e.of_motion() < FLOOR) {
            break;
        }
    }
    Ok(errors)
}

/// The slope of errors between round-off and 1, and whether it is what it must be.
pub(super) fn judge(points: &[Point], least: f64) -> Result<Finding, Fault> {
    if let Some((_, error)) = points.iter().find(|(_, error)| error.is_nan()) {
        return Err(Fault::Number(Measured::at_most("error", *error, CEILING)));
    }
    let largest = points.iter().map(|(_, error)| *error).fold(0.0, f64::max);
    let order = match slope(points) {
        Some(order) => Measured::at_least("order", order, least),
        None if largest < 10.0 * FLOOR => return Ok(Finding::fact("no error above round-off")),
        None => return Err(Fault::NoOrder(largest)),
    };
    let finding = order.judge()?;
    let left_out = points[falling(points).len()..].iter();
    let left = left_out.map(|(_, error)| *error).fold(0.0, f64::max);
    Ok(if left > NOTED {
        Finding::Noisy { order, left }
    } else {
        finding
    })
}

/// The errors down to where they no longer fall.
fn falling(points: &[Point]) -> &[Point] {
    let falls = |pair: &&[Point]| {
        let [(_, coarse), (_, fine)] = [pair[0], pair[1]];
        fine >= NOISE || fine < coarse
    };
    let count = points.windows(2).take_while(falls).count() + 1;
    &points[..points.len().min(count)]
}

/// The slope of the errors of the smallest steps, as far as they are above round-off.
pub(super) fn slope(points: &[Point]) -> Option<f64> {
    let falling = falling(points);
    let usable = falling
        .iter()
        .copied()
        .filter(|&(_, error)| error > FLOOR && error < CEILING);
    let mut usable: Vec<Point> = usable.collect();
    let below = falling.iter().find(|(_, error)| *error <= FLOOR);
    if usable.len() < LEAST
        && let Some(&(h, error)) = below
    {
        // The order is at least the slope down to round-off.
        usable.push((h, error.max(f64::EPSILON)));
    }
    let first = usable.len().saturating_sub(FITTED);
    (usable.len() > 1).then(|| log_log_slope(usable[first..].iter().copied()))
}
