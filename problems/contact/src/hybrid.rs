//! Event-driven between impacts, event-capturing where they accumulate.

use crate::capturing::MoreauJean;
use crate::{Accumulation, NonsmoothSystem, unilateral};
use liedae::integrator::Integrator;
use liedae::solve::{
    Driver, EventRecord, Observer, Options, Solution, SolveError, Statistics, StepControl,
    StepView, StopReason, solve_from,
};
use liedae::system::State;
use std::ops::ControlFlow;

/// Steps of the event-capturing scheme without a change before the event-driven scheme goes on.
const QUIET_STEPS: usize = 5;

/// A contact whose impacts the event-capturing scheme has taken over.
struct Captured {
    contact: usize,
    /// Rate of its gap at the end of the last step.
    rate: f64,
    /// When it was in touch or struck last.
    touched: f64,
}

/// Watches the event-capturing scheme until nothing bounces any more, and passes its steps on.
struct Calm<'o> {
    observer: &'o mut dyn Observer,
    captured: Vec<Captured>,
    /// Where the impacts of these contacts accumulate: before, a flight is one of many.
    limit: f64,
    /// A flight longer than this is not.
    longest: f64,
    threshold: f64,
    reach: f64,
    quiet: usize,
    stopped: bool,
}

impl Calm<'_> {
    /// Whether no contact in touch moves, and all that were taken over rest or fly for long.
    fn is_quiet(&mut self, step: &mut StepView) -> bool {
        let point = step.to.point();
        let system = step.system().system();
        let Some(contacts) = unilateral(system) else {
            return true;
        };
        let count = contacts.contacts().len();
        let (reach, threshold) = (self.reach, self.threshold);
        let mut look = |contact: usize| {
            let near = (contacts.gap(contact, &point)).is_ok_and(|gap| gap < reach);
            (near, contacts.gap_rate(contact, &point).unwrap_or(f64::NAN))
        };
        let mut flying = false;
        for captured in &mut self.captured {
            let (near, rate) = look(captured.contact);
            // A step may be too long to end near an impact.
            if near || (captured.rate < 0.0 && rate > 0.0) {
                captured.touched = point.t;
            }
            captured.rate = rate;
            flying |= !near && point.t - captured.touched < self.longest;
        }
        let bounces = (0..count)
            .map(look)
            .any(|(near, rate)| near && (rate.is_nan() || rate.abs() >= threshold));
        point.t > self.limit && !flying && !bounces
    }
}

impl Observer for Calm<'_> {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        if self.observer.observe(step).is_break() {
            self.stopped = true;
            return ControlFlow::Break(());
        }
        self.quiet = if self.is_quiet(step) {
            self.quiet + 1
        } else {
            0
        };
        if self.quiet > QUIET_STEPS {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    fn event(&mut self, record: &EventRecord) {
        self.observer.event(record);
    }

    fn wants_dense_output(&self) -> bool {
        self.observer.wants_dense_output()
    }

    fn wants_complete_states(&self) -> bool {
        self.observer.wants_complete_states()
    }
}

/// An observer who remembers what the last event happened to.
struct Noting<'a> {
    observer: &'a mut dyn Observer,
    label: String,
}

impl Observer for Noting<'_> {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        self.observer.observe(step)
    }

    fn event(&mut self, record: &EventRecord) {
        self.label.clone_from(&record.label);
        self.observer.event(record);
    }

    fn wants_dense_output(&self) -> bool {
        self.observer.wants_dense_output()
    }

    fn wants_complete_states(&self) -> bool {
        self.observer.wants_complete_states()
    }
}

/// The parts of a run that are over.
#[derive(Default)]
struct Past {
    statistics: Statistics,
    events: Vec<EventRecord>,
}

impl Past {
    /// Options of the next part: it keeps as many records as are left.
    fn options(&self, options: &Options) -> Options {
        Options {
            max_event_records: options.max_event_records - self.events.len(),
            ..options.clone()
        }
    }

    /// Adds a part.
    fn add(&mut self, part: Solution) {
        self.statistics += part.statistics;
        self.events.extend(part.events);
    }

    /// The whole run, which ends with this part.
    fn joined(self, mut part: Solution) -> Solution {
        part.statistics += self.statistics;
        part.events.splice(0..0, self.events);
        part
    }

    /// The same of a part that has failed.
    fn failed(self, mut part: SolveError) -> SolveError {
        *part.statistics += self.statistics;
        part.events.splice(0..0, self.events);
        part
    }
}

/// Solves with `integrator` between located events and, wherever impacts accumulate, with
/// [`MoreauJean`] in steps of [`Accumulation::Capture`] until they are over: the hybrid scheme.
///
/// The record has an event `capture` where the event-capturing scheme takes over and `resume` where it gives back, behind
/// the limit of the impacts. What
/// happens in between is not on record; it is accurate to the order of that scheme, one. With another policy this is
/// [`solve_from`].
///
/// ```no_run
/// # use liedae::{integrator::{Hem5, Projection}, solve::{Options, Silent}, system::System};
/// # use liedae_contact::{Accumulation, ContactSystem, NonsmoothOptions, NonsmoothSystem, solve_hybrid};
/// # fn run(system: ContactSystem) -> Result<(), Box<dyn std::error::Error>> {
/// let accumulation = Accumulation::Capture { remaining: 1e-3, step: 1e-6 };
/// let options = NonsmoothOptions { accumulation, ..NonsmoothOptions::default() };
/// let mut system = NonsmoothSystem::new(system, options)?;
/// let state = system.initial_state();
/// let options = Options::adaptive(8.5, 1e-8, 1e-8);
/// let solution = solve_hybrid(&mut system, &Hem5::new(Projection::EveryStep), state, &options, &mut Silent)?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Those of both schemes, with the statistics and events of the whole run.
pub fn solve_hybrid(
    system: &mut NonsmoothSystem,
    integrator: &dyn Integrator,
    mut state: State,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Solution, SolveError> {
    let Accumulation::Capture { remaining, step } = system.options.accumulation else {
        return solve_from(system, integrator, state, options, observer);
    };
    let thresholds = system.options.thresholds;
    let mut past = Past::default();
    loop {
        let of_part = past.options(options);
        let mut noting = Noting {
            observer: &mut *observer,
            label: String::new(),
        };
        let part = Driver::new(system, integrator, state, &of_part)
            .and_then(|driver| driver.run(&mut noting));
        let label = noting.label;
        let part = match part {
            Ok(part) => part,
            Err(error) => return Err(past.failed(error)),
        };
        let Some(handover) = system.accumulations.take_handover() else {
            return Ok(past.joined(part));
        };
        let start = part.state.clone();
        past.add(part);

        let capture = Options {
            control: StepControl::Fixed(step),
            ..past.options(options)
        };
        let mut calm = Calm {
            observer: &mut *observer,
            captured: (handover.contacts.into_iter())
                .map(|contact| Captured {
                    contact,
                    rate: 0.0,
                    touched: start.t,
                })
                .collect(),
            limit: handover.limit,
            longest: remaining,
            threshold: thresholds.velocity,
            reach: thresholds.penetration,
            quiet: 0,
            stopped: false,
        };
        let part = solve_from(system, &MoreauJean::default(), start, &capture, &mut calm);
        let stopped = calm.stopped;
        let part = match part {
            Ok(part) => part,
            Err(error) => return Err(past.failed(error)),
        };
        if stopped || part.reason == StopReason::EndTime {
            return Ok(past.joined(part));
        }
        let resume = EventRecord {
            t: part.state.t,
            kind: "resume".to_owned(),
            label,
            quantities: Vec::new(),
        };
        state = part.state.clone();
        past.add(part);
        observer.event(&resume);
        if past.events.len() < options.max_event_records {
            past.events.push(resume);
        } else {
            past.statistics.events_left_out += 1;
        }
        if let Err(error) = system.equations.close_gaps(&thresholds, &mut state) {
            return Err(SolveError {
                kind: error.into(),
                state: Some(Box::new(state)),
                statistics: Box::new(past.statistics),
                events: past.events,
            });
        }
    }
}
