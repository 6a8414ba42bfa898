//! What a run needs before its first step, and again when a system has changed its structure.

use super::events::watch::EventSearch;
use super::held_rows::{HeldRows, multipliers_matter};
use super::initial_step::initial_step;
use super::output::dense::Dense;
use super::output::shown::Shown;
use super::plan::{SMALLEST_PART, SMALLEST_STEP};
use super::shape::Shape;
use super::singular::approach::Approach;
use super::{
    Driver, EventRecord, Failures, Options, OptionsError, SolveError, SolveErrorKind, Statistics,
    StepControl,
};
use crate::control::{Controller, ErrorNorm, Fixed, Tolerances};
use crate::integrator::{Integrator, StepError, Stepper, Work};
use crate::system::{
    AccelerationSolver, DynamicsError, Evaluator, EventHandling, Projector, State, System,
    check_consistency, check_differential_index, time_events,
};
use std::time::Instant;

/// A moment that the run lands on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stop {
    pub t: f64,
    /// Its number among the system's time events.
    pub time_event: Option<usize>,
}

/// What has the sizes of the layout, and what the run starts with.
struct Parts {
    shaped: Shaped,
    stepper: Box<dyn Stepper>,
    controller: Box<dyn Controller>,
    state: State,
    stops: Vec<Stop>,
    step_size: f64,
    /// That of the options or the system's, whichever is smaller.
    max_step: f64,
    events: Vec<EventRecord>,
}

/// What has the sizes of the layout.
struct Shaped {
    norm: ErrorNorm,
    accelerations: AccelerationSolver,
    projector: Projector,
    held: Option<Box<HeldRows>>,
    approach: Option<Box<Approach>>,
    dense: Dense,
    search: EventSearch,
}

impl Shaped {
    /// Allocates for a system, and completes the state.
    fn new(
        evaluator: &mut Evaluator,
        integrator: &dyn Integrator,
        state: &mut State,
        options: &Options,
    ) -> Result<Self, SolveErrorKind> {
        let method = integrator.method();
        evaluator.layout().check()?;
        evaluator.leave_out(&[]);
        let norm = match &options.control {
            StepControl::Fixed(_) => ErrorNorm::new(&Tolerances::default(), evaluator.layout())
                .map(ErrorNorm::for_constant_steps),
            StepControl::Adaptive { .. } if !method.is_adaptive() => {
                return Err(OptionsError::NoEstimate {
                    method: method.name,
                }
                .into());
            }
            StepControl::Adaptive { tolerances, .. } => {
                ErrorNorm::new(tolerances, evaluator.layout())
            }
        }
        .map_err(OptionsError::from)?;
        evaluator.uncounted(|system| check_consistency(system, state, options.consistency))?;
        check_differential_index(evaluator, state)?;

        let t = state.t;
        let linear = |source| DynamicsError::Linear { t, source };
        let layout = evaluator.layout();
        let mut accelerations = AccelerationSolver::new(layout).map_err(linear)?;
        let projector = Projector::new(layout).map_err(linear)?;
        let dense = Dense::new(layout, method);
        accelerations.complete(evaluator, state)?;
        let mut held = None;
        HeldRows::meet(&mut held, evaluator, integrator, &mut accelerations, state)?;
        // Steps across a singular configuration know nothing of what the method itself looks after.
        let unseen = integrator.looks_after_more(evaluator);
        let approach = if unseen || multipliers_matter(evaluator, integrator) {
            None
        } else {
            Approach::new(evaluator, state)?
        };
        let search = EventSearch::new(evaluator, method, state, options)?;
        Ok(Self {
            norm,
            accelerations,
            projector,
            held,
            approach,
            dense,
            search,
        })
    }
}

impl<'a> Driver<'a> {
    /// Checks options and initial values, lets the system prepare itself, solves for the initial accelerations and
    /// multipliers, and starts the method.
    pub fn new(
        system: &'a mut dyn System,
        integrator: &'a dyn Integrator,
        state: State,
        options: &Options,
    ) -> Result<Self, SolveError> {
        let mut evaluator = Evaluator::new(system);
        match Parts::new(&mut evaluator, integrator, state, options) {
            Ok(parts) => Ok(parts.into_driver(evaluator, integrator, options)),
            Err(kind) => Err(SolveError {
                kind,
                state: None,
                statistics: Box::new(Statistics {
                    evaluations: evaluator.evaluations(),
                    ..Statistics::default()
                }),
                events: Vec::new(),
            }),
        }
    }

    /// Starts the method anew from a state that has jumped.
    pub(super) fn restart(&mut self) -> Result<(), SolveErrorKind> {
        self.restart_method()?;
        Ok(self.keep_energy()?)
    }

    /// Starts the method anew from a state that it has not come to by itself.
    pub(super) fn restart_method(&mut self) -> Result<(), SolveErrorKind> {
        self.evaluator.leave_out(&[]);
        self.accelerations
            .complete(&mut self.evaluator, &mut self.state)?;
        HeldRows::meet(
            &mut self.held,
            &mut self.evaluator,
            self.integrator,
            &mut self.accelerations,
            &mut self.state,
        )?;
        HeldRows::with_kept(&mut self.held, &mut self.state, |state| {
            self.stepper.restart(&mut self.evaluator, state)
        })?;
        if let Some(approach) = &mut self.approach {
            approach.restart();
        }
        self.controller.restart();
        self.choose_first_step()
    }

    /// Starts anew a system that has changed its layout or its event functions, from a state of the new shape.
    pub(super) fn rebuild(&mut self) -> Result<(), SolveErrorKind> {
        // It has the old shape, and a failure is not for it to explain.
        self.approach = None;
        let shaped = Shaped::new(
            &mut self.evaluator,
            self.integrator,
            &mut self.state,
            &self.options,
        )?;
        (self.norm, self.accelerations) = (shaped.norm, shaped.accelerations);
        (self.projector, self.dense) = (shaped.projector, shaped.dense);
        (self.held, self.search) = (shaped.held, shaped.search);
        self.approach = shaped.approach;
        self.shape = Shape::of(self.evaluator.system());
        for state in [
            &mut self.next,
            &mut self.event_state,
            &mut self.before,
            &mut self.segment,
        ] {
            state.clone_from(&self.state);
        }
        let differential = self.evaluator.layout().differential;
        for rates in &mut self.x_rates {
            rates.clear();
            rates.resize(differential, 0.0);
        }
        self.dense_ready = false;
        self.shown = Shown::new(&self.state);

        let sizes = self.options.control.sizes();
        let stepper = HeldRows::with_kept(&mut self.held, &mut self.state, |state| {
            self.integrator.start(&mut self.evaluator, state, sizes)
        })?;
        self.earlier_work += self.stepper.work();
        self.stepper = stepper;
        self.keep_energy()?;
        self.controller.restart();
        self.choose_first_step()
    }

    /// The state has jumped: its energy is the one that the method keeps from now on, and so do states at events.
    pub(super) fn keep_energy(&mut self) -> Result<(), StepError> {
        self.projector.forget_energy();
        if let Some(projector) = self.stepper.energy_projector() {
            projector.keep_energy(&mut self.evaluator, &self.state)?;
            if projector.keeps_energy() {
                self.projector
                    .keep_energy(&mut self.evaluator, &self.state)?;
            }
        }
        Ok(())
    }

    fn choose_first_step(&mut self) -> Result<(), SolveErrorKind> {
        if let StepControl::Adaptive { .. } = self.options.control {
            let fresh = initial_step(
                &mut self.evaluator,
                &mut self.accelerations,
                &mut self.norm,
                &self.state,
                self.integrator.method(),
                self.options.t_end,
            )?;
            self.step_size = fresh.min(self.step_size);
        }
        Ok(())
    }
}

impl Parts {
    fn new(
        evaluator: &mut Evaluator,
        integrator: &dyn Integrator,
        mut state: State,
        options: &Options,
    ) -> Result<Self, SolveErrorKind> {
        options.check(state.t)?;
        let max_step = options.largest_step(evaluator.system())?;
        let method = integrator.method();
        let handling = if method.captures_events {
            EventHandling::Captured
        } else {
            EventHandling::Located {
                tolerance: options.event_tolerance,
            }
        };
        let reports = evaluator.system().prepare(&mut state, handling)?;
        let reports = reports.into_iter();
        let events = reports
            .map(|report| EventRecord::new(report, state.t))
            .collect();
        let mut shaped = Shaped::new(evaluator, integrator, &mut state, options)?;
        let mut stepper = HeldRows::with_kept(&mut shaped.held, &mut state, |state| {
            integrator.start(evaluator, state, options.control.sizes())
        })?;
        if let Some(projector) = stepper.energy_projector() {
            projector.keep_energy(evaluator, &state)?;
            if projector.keeps_energy() {
                shaped.projector.keep_energy(evaluator, &state)?;
            }
        }

        let (controller, step_size): (Box<dyn Controller>, f64) = match &options.control {
            StepControl::Fixed(step) => (Box::new(Fixed), *step),
            StepControl::Adaptive {
                controller,
                initial_step: first,
                ..
            } => {
                let step = match first {
                    Some(step) => *step,
                    None => initial_step(
                        evaluator,
                        &mut shaped.accelerations,
                        &mut shaped.norm,
                        &state,
                        method,
                        options.t_end,
                    )?,
                };
                (
                    controller.unwrap_or(method.controller).build(),
                    step.min(options.max_step),
                )
            }
        };
        let stops = stops(evaluator.system(), state.t, options);
        Ok(Self {
            shaped,
            stepper,
            controller,
            state,
            stops,
            step_size,
            max_step,
            events,
        })
    }

    fn into_driver<'a>(
        self,
        mut evaluator: Evaluator<'a>,
        integrator: &'a dyn Integrator,
        options: &Options,
    ) -> Driver<'a> {
        let differential = evaluator.layout().differential;
        let x = || vec![0.0; differential];
        let state = self.state;
        let mut options = options.clone();
        options.max_step = self.max_step;
        // A limit beyond what the clock can tell is none.
        let deadline = (options.time_limit).and_then(|limit| Instant::now().checked_add(limit));
        Driver {
            dense: self.shaped.dense,
            dense_ready: false,
            crossed: false,
            shown: Shown::new(&state),
            x_rates: [x(), x()],
            options,
            norm: self.shaped.norm,
            controller: self.controller,
            accelerations: self.shaped.accelerations,
            projector: self.shaped.projector,
            held: self.shaped.held,
            approach: self.shaped.approach,
            search: self.shaped.search,
            shape: Shape::of(evaluator.system()),
            next: state.clone(),
            event_state: state.clone(),
            before: state.clone(),
            segment: state.clone(),
            in_parts: false,
            stops: self.stops,
            grid_origin: state.t,
            state,
            step_size: self.step_size,
            shortest_step: (SMALLEST_PART * self.step_size).max(f64::MIN_POSITIVE),
            accepted: 0,
            rejected: Failures::default(),
            repeated: 0,
            smallest_step: 0.0,
            largest_step: 0.0,
            last_step: 0.0,
            earlier_work: Work::default(),
            events: self.events,
            quick_jumps: 0,
            last_jump: f64::NEG_INFINITY,
            observed_start: false,
            deadline,
            evaluator,
            integrator,
            stepper: self.stepper,
        }
    }
}

/// Moments to land on, the next one last.
fn stops(system: &mut dyn System, start: f64, options: &Options) -> Vec<Stop> {
    let own = time_events(system).iter().enumerate();
    let own = own.map(|(index, &t)| Stop {
        t,
        time_event: Some(index),
    });
    let asked = options.stops.iter().map(|&t| Stop {
        t,
        time_event: None,
    });
    let mut stops: Vec<Stop> = own
        .chain(asked)
        .filter(|stop| stop.t > start && stop.t <= options.t_end)
        .collect();
    stops.push(Stop {
        t: options.t_end,
        time_event: None,
    });
    stops.sort_by(|a, b| (b.t.total_cmp(&a.t)).then(b.time_event.cmp(&a.time_event)));
    // Stops that differ by round-off are one; the later time stays, and every time event.
    stops.dedup_by(|earlier, later| {
        let same = later.t - earlier.t <= 2.0 * SMALLEST_STEP * later.t.abs()
            && (later.time_event.is_none() || earlier.time_event.is_none());
        if same {
            later.time_event = later.time_event.or(earlier.time_event);
        }
        same
    });
    stops
}
