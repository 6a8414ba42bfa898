//! Events: found where they are, and the motion behind them.

use super::reference::larger;
use super::run::{guarded, run, run_observed};
use super::systems::{Caught, Oscillator, Switch};
use super::{Check, Context, Fault, Finding, Item, Measured};
use liedae::integrator::Integrator;
use liedae::solve::{EventRecord, Observer, Options, StepView};
use liedae::system::{Automatic, Wrapped};
use std::ops::ControlFlow;

/// How long the oscillator is followed, in s: past two impacts.
const OSCILLATION: f64 = 6.0;

/// Impacts until then.
const IMPACTS: usize = 2;

/// Size of the steps in s.
const STEP: f64 = 1.0 / 256.0;

/// The event function at the event may be this large: its slope is 1, and moments are located to 1e-12 s.
const RESIDUAL: f64 = 1e-10;

/// Moments and motions with events may be off by this many times what the method is off without events, or by round-off.
const FACTOR: f64 = 10.0;
const ROUND_OFF: f64 = 1e-9;

/// Where the layout changes, what moments and energy are off by must fall by this with a quarter of the steps' size, or be
/// less than the absolute bound: first order does better.
const FALLS: f64 = 0.5;
const NEGLIGIBLE: f64 = 1e-7;

pub(super) fn items(context: &Context) -> Vec<Item> {
    let method = context.method;
    let mut items = Vec::new();
    let mut add = |subject: &str, outcome: Result<Finding, Fault>| {
        items.push(Item::new(Check::Events, subject, outcome));
    };
    let plain = guarded(|| follow(method, Switch::Never, 0.0));
    let plain = match plain {
        Ok(plain) => plain.error,
        Err(fault) => {
            add("oscillator", Err(fault));
            return items;
        }
    };
    let allowed = FACTOR * plain + ROUND_OFF;

    match guarded(|| follow(method, Switch::Bounce, allowed)) {
        Err(fault) => add("impacts", Err(fault)),
        Ok(run) => {
            let moments = (0..IMPACTS).map(Oscillator::impact);
            let off = run.off(moments, allowed, "moment off by");
            let missed = off.is_err() && run.events.len() != IMPACTS;
            add("impacts", off);
            if !missed {
                let residual = Measured::at_most("event function", run.residual, RESIDUAL);
                add("impacts on their root", residual.judge());
                let error = Measured::at_most("error", run.error, allowed);
                add("motion with impacts", error.judge());
            }
        }
    }
    match guarded(|| follow(method, Switch::Load, allowed)) {
        Err(fault) => add("time event", Err(fault)),
        Ok(run) => {
            // Time events are landed on exactly.
            let off = run.off([Oscillator::LOADED_AT].into_iter(), 0.0, "moment off by");
            add("time event", off);
            let error = Measured::at_most("error", run.error, allowed);
            add("motion with a load", error.judge());
        }
    }
    add("layout that changes", guarded(|| restructure(method)));
    items
}

/// What came of a run of the oscillator.
struct Followed {
    events: Vec<EventRecord>,
    /// The largest error of place and velocity at all ends of steps.
    error: f64,
    /// The largest value of the event function at events.
    residual: f64,
}

impl Followed {
    /// How far the moments of the events are from where they are.
    fn off(
        &self,
        moments: impl ExactSizeIterator<Item = f64>,
        allowed: f64,
        quantity: &'static str,
    ) -> Result<Finding, Fault> {
        let (found, expected) = (self.events.len(), moments.len());
        if found != expected {
            return Err(Fault::Events { found, expected });
        }
        let off = self.events.iter().zip(moments);
        let off = off.map(|(event, moment)| (event.t - moment).abs());
        Measured::at_most(quantity, off.fold(0.0, larger), allowed).judge()
    }
}

/// Compares an oscillator with its closed form.
struct Comparison {
    oscillator: Oscillator,
    error: f64,
    residual: f64,
    /// States so near to an impact are not compared: they may be on the other side of it.
    margin: f64,
}

impl Observer for Comparison {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        let to = step.to;
        if step.event {
            self.residual = larger(to.q[0].abs(), self.residual);
        }
        let mut impacts = (0..IMPACTS).map(Oscillator::impact);
        if impacts.any(|moment| (to.t - moment).abs() <= self.margin) {
            return ControlFlow::Continue(());
        }
        let [q, v] = self.oscillator.exact(to.t);
        let error = larger((to.q[0] - q).abs(), (to.v[0] - v).abs());
        self.error = larger(error, self.error);
        ControlFlow::Continue(())
    }
}

/// The oscillator to its end.
fn follow(method: &dyn Integrator, switch: Switch, margin: f64) -> Result<Followed, Fault> {
    let oscillator = Oscillator(switch);
    let mut comparison = Comparison {
        oscillator,
        error: 0.0,
        residual: 0.0,
        margin,
    };
    let options = Options::fixed(OSCILLATION, STEP);
    let mut system = Automatic::new(oscillator);
    let solution = run_observed(&mut system, method, &options, &mut comparison)?;
    Ok(Followed {
        events: solution.events,
        error: comparison.error,
        residual: comparison.residual,
    })
}

/// A mass that is caught by a rod and let go: one row more, one row less. The closed form is met with ever smaller steps.
fn restructure(method: &dyn Integrator) -> Result<Finding, Fault> {
    let coarse = caught(method, STEP)?;
    let fine = caught(method, 0.25 * STEP)?;
    let allowed = (FALLS * coarse).max(NEGLIGIBLE);
    Measured::at_most("moments and energy off by", fine, allowed).judge()
}

/// What moments and energy are off by, the larger one.
fn caught(method: &dyn Integrator, step: f64) -> Result<f64, Fault> {
    let options = Options::fixed(0.8, step);
    let solution = run(&mut Wrapped(Caught::new()), method, &options);
    // The method is started anew with the row, and may say then that it does not apply.
    let solution = solution.map_err(Fault::of_new_structure)?;
    let [catch, release] = solution.events.as_slice() else {
        return Err(Fault::Events {
            found: solution.events.len(),
            expected: 2,
        });
    };
    let moments = [
        (catch.t - Caught::CAUGHT_AT).abs(),
        (release.t - Caught::RELEASED_AT).abs(),
    ];
    let energy = (Caught::energy_of(&solution.state) - Caught::ENERGY).abs();
    Ok(moments.into_iter().fold(energy, larger))
}
