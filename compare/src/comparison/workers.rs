//! Workers that share an experiment, in one process or in several: each takes work that no other has claimed.

use super::{Isolation, Ladder, Plan, Solver};
use crate::error::{CommandError, Status};
use crate::experiment::{
    Case, Confirmed, Gate, Measurement, Request, Survey, Truth, WorkPoint, measure, own_reference,
    panic_words,
};
use crate::foreign::measure_program;
use crate::motion::picture;
use crate::provenance;
use crate::registry::Registry;
use crate::store::{KnownReference, ProblemKey, RunRecord, Session, Source, Store};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long a worker waits for others before it looks again.
const PAUSE: Duration = Duration::from_millis(100);

/// After this many pauses without work, a message says why.
const PAUSES_IN_SILENCE: usize = 20;

/// How runs begin their reason that was not enough time, and those that were not tried after that.
const OUT_OF_TIME: [&str; 2] = ["out of time", "not run"];

/// Everything that workers share.
pub struct Work<'a> {
    pub registry: &'a Registry,
    pub plan: &'a Plan,
    pub session: &'a Session<'a>,
    /// References of all experiments on this machine, besides those in the store.
    pub cache: Option<&'a Store>,
    pub gate: Gate,
    /// Whether workers work while others are timed.
    pub shared: bool,
    /// Children that make the runs, if they are not made here.
    pub isolation: Option<&'a Isolation>,
    pub keep_samples: bool,
    pub progress: &'a (dyn Fn(&str) + Sync),
    version: String,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Open,
    Busy,
    Done,
}

struct State {
    problems: Vec<Stage>,
    truths: Vec<Option<Arc<Prepared>>>,
    ladders: Vec<(Ladder, Stage)>,
    failure: Option<CommandError>,
}

/// What runs on a problem are measured by.
struct Prepared {
    truth: Option<Truth>,
    times: Vec<f64>,
}

#[derive(Clone, Copy)]
enum Task {
    Reference(usize),
    /// A ladder by its place in the list.
    Ladder(usize),
}

/// What the workers of a process are given.
pub struct Means<'a> {
    /// Where problems and methods come from.
    pub registry: &'a Registry,
    /// Where they write.
    pub session: &'a Session<'a>,
    /// References of all experiments on this machine.
    pub cache: Option<&'a Store>,
    /// Children that make the runs, if they are not made here.
    pub isolation: Option<&'a Isolation>,
    /// Whether timed runs are alone in the process.
    pub alone: bool,
    /// Workers.
    pub jobs: usize,
    /// Whether samples are kept.
    pub keep_samples: bool,
    /// Hears of everything that begins.
    pub progress: &'a (dyn Fn(&str) + Sync),
}

/// Makes all runs of these ladders that are not in the store yet.
pub fn work(plan: &Plan, ladders: Vec<Ladder>, means: Means) -> Result<(), CommandError> {
    let work = Work::new(plan, ladders, &means)?;
    let tasks = work.state().ladders.len();
    std::thread::scope(|scope| {
        // More workers than ladders have nothing to do.
        for _ in 1..means.jobs.min(tasks).max(1) {
            scope.spawn(|| work.run());
        }
        work.run();
    });
    let state = work
        .state
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    state.failure.map_or(Ok(()), Err)
}

impl<'a> Work<'a> {
    fn new(plan: &'a Plan, ladders: Vec<Ladder>, means: &Means<'a>) -> Result<Self, CommandError> {
        let store = means.session.store();
        let limit = plan.limits.time.as_secs_f64();
        let mut stages = vec![Stage::Done; plan.problems.len()];
        let mut open = Vec::new();
        for ladder in ladders {
            let key = plan.problem_key(ladder.problem);
            let mut complete = store.source(&key)?.is_some();
            for key in plan.run_keys(ladder) {
                complete = complete && store.find(&key, Some(limit))?.is_some();
            }
            if !complete {
                stages[ladder.problem] = Stage::Open;
                open.push((ladder, Stage::Open));
            }
        }
        Ok(Self {
            registry: means.registry,
            plan,
            session: means.session,
            cache: means.cache,
            gate: if means.alone {
                Gate::alone()
            } else {
                Gate::default()
            },
            shared: means.jobs > 1 && !means.alone,
            isolation: means.isolation,
            keep_samples: means.keep_samples,
            progress: means.progress,
            version: provenance::version(),
            state: Mutex::new(State {
                problems: stages,
                truths: plan.problems.iter().map(|_| None).collect(),
                ladders: open,
                failure: None,
            }),
            changed: Condvar::new(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Works until nothing is left, or something cannot be kept.
    fn run(&self) {
        loop {
            let task = match self.next() {
                Ok(Some(task)) => task,
                Ok(None) => break,
                Err(error) => {
                    self.state().failure.get_or_insert(error);
                    continue;
                }
            };
            // Problems, runs and references are caught where they are made.
            let done = catch_unwind(AssertUnwindSafe(|| match task {
                Task::Reference(problem) => self.prepare(problem),
                Task::Ladder(place) => self.climb(place),
            }));
            let result = done.unwrap_or_else(|panic| {
                Err(CommandError::Worker {
                    item: self.item(task),
                    reason: panic_words(panic.as_ref()),
                })
            });
            if let Err(error) = result {
                self.state().failure.get_or_insert(error);
            }
            self.changed.notify_all();
        }
        self.changed.notify_all();
    }

    fn item(&self, task: Task) -> String {
        match task {
            Task::Reference(problem) => self.reference_item(problem),
            Task::Ladder(place) => self.ladder_item(self.state().ladders[place].0),
        }
    }

    fn reference_item(&self, problem: usize) -> String {
        format!("reference of {}", self.plan.problems[problem].label())
    }

    fn ladder_item(&self, ladder: Ladder) -> String {
        let (problem, variant) = (
            self.plan.problems[ladder.problem].label(),
            &self.plan.variants[ladder.variant].name,
        );
        format!("{problem} with {variant}")
    }

    /// What to do next; waits where others are at work at everything that is left. References come first: the longest pieces of
    /// work should not be the last.
    fn next(&self) -> Result<Option<Task>, CommandError> {
        let mut state = self.state();
        let mut pauses = 0;
        loop {
            if state.failure.is_some() {
                return Ok(None);
            }
            for problem in 0..state.problems.len() {
                if state.problems[problem] == Stage::Open
                    && self.session.claim(&self.reference_item(problem))?
                {
                    state.problems[problem] = Stage::Busy;
                    return Ok(Some(Task::Reference(problem)));
                }
            }
            for place in 0..state.ladders.len() {
                let (ladder, stage) = state.ladders[place];
                if stage == Stage::Open
                    && state.problems[ladder.problem] == Stage::Done
                    && self.session.claim(&self.ladder_item(ladder))?
                {
                    state.ladders[place].1 = Stage::Busy;
                    return Ok(Some(Task::Ladder(place)));
                }
            }
            if state.ladders.iter().all(|(_, stage)| *stage == Stage::Done) {
                return Ok(None);
            }
            self.session.forget_dead()?;
            let busy_here = (state.ladders.iter().map(|(_, stage)| *stage))
                .chain(state.problems.iter().copied())
                .any(|stage| stage == Stage::Busy);
            pauses += 1;
            if !busy_here && pauses == PAUSES_IN_SILENCE {
                (self.progress)("waiting for another process that works at this store");
            }
            let waited = self.changed.wait_timeout(state, PAUSE);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Finds the truth about a problem.
    fn prepare(&self, problem: usize) -> Result<(), CommandError> {
        let subject = &self.plan.problems[problem];
        let label = subject.label();
        let key = self.plan.problem_key(problem);
        (self.progress)(&format!("{label}: reference"));
        let (source, truth) = match &subject.survey {
            Ok(survey) => {
                let truth = self.truth(problem, &key, survey)?;
                let source = Source {
                    problem: label.to_owned(),
                    source: match &truth {
                        Ok(truth) => truth.source.clone(),
                        Err(reason) => format!("none: {reason}"),
                    },
                    agreed_digits: truth.as_ref().ok().and_then(Truth::agreed_digits),
                    rates: survey.rates,
                    determined: survey.determined,
                    loses_energy_at_events: survey.loses_energy_at_events,
                    picture: self.picture(label),
                };
                (source, truth.ok())
            }
            Err(reason) => {
                let source = Source {
                    problem: label.to_owned(),
                    source: format!("none: {reason}"),
                    agreed_digits: None,
                    rates: 0,
                    determined: false,
                    loses_energy_at_events: None,
                    picture: None,
                };
                (source, None)
            }
        };
        self.session.store().keep_source(&key, &source)?;
        self.session.release(&self.reference_item(problem))?;
        let times = truth.as_ref().map(Truth::times).unwrap_or_default();
        let mut state = self.state();
        state.truths[problem] = Some(Arc::new(Prepared { truth, times }));
        state.problems[problem] = Stage::Done;
        Ok(())
    }

    /// A picture of a problem. It is no result: where none can be made, the report has none.
    fn picture(&self, label: &str) -> Option<String> {
        self.gate.untimed(|| match self.isolation {
            Some(isolation) => isolation.picture(label).ok()?.ok()?,
            None => {
                let made = catch_unwind(AssertUnwindSafe(|| picture(self.registry, label)));
                made.ok()?.ok()?
            }
        })
    }

    /// The truth that a problem brings along, or a computed one; or why there is none.
    fn truth(
        &self,
        problem: usize,
        key: &ProblemKey,
        survey: &Survey,
    ) -> Result<Result<Truth, String>, CommandError> {
        if let Some(truth) = &survey.published {
            return Ok(Ok(truth.clone()));
        }
        let known = self.computed(problem, key, survey)?;
        Ok(known.map(|confirmed| Truth::own(survey, &confirmed)))
    }

    /// A computed reference: from the store, from another experiment, or made now.
    fn computed(
        &self,
        problem: usize,
        key: &ProblemKey,
        survey: &Survey,
    ) -> Result<KnownReference, CommandError> {
        let store = self.session.store();
        let times = survey.times.as_slice();
        if let Some(known) = store.reference(key, times)? {
            return Ok(known);
        }
        // References of other experiments save time. Where they cannot be read or written, this one goes on without.
        let shared = self.cache.map(|cache| cache.reference(key, times));
        if let Some(Err(error)) = &shared {
            (self.progress)(&format!("references are not shared: {error}"));
        }
        if let Some(Ok(Some(known))) = shared {
            store.keep_reference(key, &known, digits(survey, &known))?;
            return Ok(known);
        }
        let label = self.plan.problems[problem].label();
        let known = match self.isolation {
            Some(isolation) => {
                match self.gate.untimed(|| isolation.reference(label, times))? {
                    Ok(known) => known,
                    // Another limit or another machine may do: this is nothing to keep.
                    Err(grief) => return Ok(Err(grief.reason)),
                }
            }
            None => self.gate.untimed(|| self.reference(problem, times)),
        };
        let digits = digits(survey, &known);
        store.keep_reference(key, &known, digits)?;
        if let Some(cache) = self.cache
            && let Err(error) = cache.keep_reference(key, &known, digits)
        {
            (self.progress)(&format!("references are not shared: {error}"));
        }
        Ok(known)
    }

    /// Computes a reference in this process.
    fn reference(&self, problem: usize, times: &[f64]) -> KnownReference {
        let made = catch_unwind(AssertUnwindSafe(|| -> Result<Confirmed, CommandError> {
            let mut case = self.plan.problems[problem].instance.build()?;
            Ok(own_reference(&mut case, times)?.confirm(&mut case))
        }));
        match made {
            Ok(made) => made.map_err(|error| error.to_string()),
            Err(panic) => Err(panic_words(panic.as_ref())),
        }
    }

    /// Makes the runs of a ladder that are not there.
    fn climb(&self, place: usize) -> Result<(), CommandError> {
        let (ladder, prepared) = {
            let state = self.state();
            let ladder = state.ladders[place].0;
            (ladder, state.truths[ladder.problem].clone())
        };
        let (truth, times) = match &prepared {
            Some(prepared) => (prepared.truth.as_ref(), prepared.times.as_slice()),
            None => (None, [].as_slice()),
        };
        let variant = &self.plan.variants[ladder.variant];
        let subject = &self.plan.problems[ladder.problem];
        let label = subject.label();
        let limits = self.plan.limits;
        let store = self.session.store();
        let mut case = None;
        let mut given_up = false;
        for key in self.plan.run_keys(ladder) {
            if self.state().failure.is_some() {
                return Ok(());
            }
            if let Some(point) = store.find(&key, Some(limits.time.as_secs_f64()))? {
                given_up = given_up
                    || OUT_OF_TIME
                        .iter()
                        .any(|words| point.reason.starts_with(words));
                continue;
            }
            (self.progress)(&format!("{label}: {}", variant.name));
            let measurement = if let Err(reason) = &subject.survey {
                Measurement {
                    crashed: true,
                    ..Measurement::failed(
                        Status::Failed,
                        format!("its problem could not be looked at: {reason}"),
                    )
                }
            } else if given_up {
                Measurement {
                    out_of_time: true,
                    ..Measurement::failed(
                        Status::Failed,
                        "not run: a looser tolerance or larger step ran out of time",
                    )
                }
            } else {
                let request = Request {
                    control: key.control,
                    limits,
                    repeat: self.plan.repeat,
                    times,
                };
                self.measure(&mut case, ladder, &request)?
            };
            given_up = given_up || measurement.out_of_time;
            let shared = self.shared || self.session.is_beside_others()?;
            let point = WorkPoint::new(
                label,
                &variant.name,
                key.control,
                &measurement,
                truth,
                shared,
            );
            self.session.keep(&RunRecord {
                key: &key,
                version: &self.version,
                time_limit_s: limits.time.as_secs_f64(),
                point: &point,
                measurement: &measurement,
                outputs: subject.outputs(),
                keep_samples: self.keep_samples,
            })?;
        }
        self.session.release(&self.ladder_item(ladder))?;
        self.state().ladders[place].1 = Stage::Done;
        Ok(())
    }

    /// One run, here or in a child. A panic is a failed run. `case` is what runs here leave to those that follow.
    fn measure(
        &self,
        case: &mut Option<Case>,
        ladder: Ladder,
        request: &Request,
    ) -> Result<Measurement, CommandError> {
        let variant = &self.plan.variants[ladder.variant];
        let instance = &self.plan.problems[ladder.problem].instance;
        if let Some(isolation) = self.isolation {
            let label = &instance.label;
            return self.gate.timed(|| match &variant.solver {
                Solver::Method(choice) => isolation.measure(label, &choice.label(), request),
                Solver::Program(choice) => isolation.measure_program(label, choice, request),
            });
        }
        let measured = catch_unwind(AssertUnwindSafe(|| {
            let case = match case {
                Some(case) => case,
                None => case.insert(instance.build()?),
            };
            Ok(match &variant.solver {
                Solver::Method(choice) => measure(case, choice, request, &self.gate),
                Solver::Program(choice) => {
                    measure_program(case, choice, request, Isolation::MEMORY, &self.gate)
                }
            })
        }));
        measured.unwrap_or_else(|panic| {
            // What a panic leaves behind may be anything.
            *case = None;
            let words = panic_words(panic.as_ref());
            Ok(Measurement::failed(Status::Failed, words))
        })
    }
}

fn digits(survey: &Survey, known: &KnownReference) -> Option<f64> {
    let confirmed = known.as_ref().ok()?;
    Truth::own(survey, confirmed).agreed_digits()
}
