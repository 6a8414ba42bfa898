//! The driver loop.

use super::dense::Dense;
use super::events::{Outcome, Watch};
use super::held_rows::{HeldRows, Remedies};
use super::initial_step::initial_step;
use super::{
    EventRecord, Failures, Observer, Options, OptionsError, Solution, SolveError, SolveErrorKind,
    Statistics, StepControl, StepView, StopReason,
};
use crate::control::{Controller, ErrorNorm, Fixed, Proposal, Tolerances};
use crate::integrator::{Attempt, DenseOutput, Integrator, StepError};
use crate::system::{
    AccelerationSolver, DynamicsError, EvaluationError, Evaluator, EventAction, Function,
    Projector, State, System, check_consistency,
};

/// A run in progress: owns the state and all memory, borrows system and method. It stops at any step and goes on from
/// there.
pub struct Driver<'a> {
    pub(super) evaluator: Evaluator<'a>,
    pub(super) integrator: &'a mut dyn Integrator,
    pub(super) options: Options,
    pub(super) norm: ErrorNorm,
    controller: Box<dyn Controller>,
    pub(super) accelerations: AccelerationSolver,
    pub(super) projector: Projector,
    /// Where constraint rows are redundant, those that carry multipliers.
    pub(super) held: Option<Box<HeldRows>>,
    pub(super) dense: Dense,
    /// Whether dense output is ready within the last step.
    pub(super) dense_ready: bool,
    pub(super) state: State,
    pub(super) next: State,
    pub(super) event_state: State,
    pub(super) x_rates: [Vec<f64>; 2],
    pub(super) event_scratch: Vec<f64>,
    pub(super) event_end: Vec<f64>,
    pub(super) watches: Vec<Watch>,
    /// Moments to land on, the next one last.
    stops: Vec<Stop>,
    grid_origin: f64,
    step_size: f64,
    accepted: usize,
    rejected: Failures,
    smallest_step: f64,
    largest_step: f64,
    pub(super) events: Vec<EventRecord>,
    observed_start: bool,
}

/// A moment that the run lands on.
#[derive(Clone, Copy, Debug)]
struct Stop {
    t: f64,
    /// Its number among the system's time events.
    time_event: Option<usize>,
}

/// A step shorter than this multiple of the spacing of floating-point numbers makes no progress.
const SMALLEST_STEP: f64 = 16.0 * f64::EPSILON;

/// Relative slack within which a step counts as reaching a stop.
const STOP_SLACK: f64 = 1e-6;

impl<'a> Driver<'a> {
    /// Checks options and initial values, solves for the initial accelerations and multipliers, and starts the method.
    pub fn new(
        system: &'a mut dyn System,
        integrator: &'a mut dyn Integrator,
        state: State,
        options: &Options,
    ) -> Result<Self, SolveError> {
        let mut evaluator = Evaluator::new(system);
        let prepared = Self::prepare(&mut evaluator, integrator, state, options);
        match prepared {
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

    fn prepare(
        evaluator: &mut Evaluator,
        integrator: &mut dyn Integrator,
        mut state: State,
        options: &Options,
    ) -> Result<Parts, SolveErrorKind> {
        options.check(state.t)?;
        evaluator.layout().check()?;
        let method = integrator.method();
        let mut norm = match &options.control {
            StepControl::Fixed(_) => ErrorNorm::new(&Tolerances::default(), evaluator.layout())
                .map(ErrorNorm::for_constant_steps),
            StepControl::Adaptive { .. } if method.error_order <= 0.0 => {
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
        evaluator.uncounted(|system| check_consistency(system, &state, options.consistency))?;

        let linear = |source| DynamicsError::Linear { t: state.t, source };
        let layout = evaluator.layout();
        let mut accelerations = AccelerationSolver::new(layout).map_err(linear)?;
        let projector = Projector::new(layout).map_err(linear)?;
        accelerations.complete(evaluator, &mut state)?;
        let mut held = None;
        HeldRows::meet(&mut held, evaluator, &mut accelerations, &mut state)?;
        integrator.expect_constant_steps(matches!(options.control, StepControl::Fixed(_)));
        integrator.start(evaluator, &state)?;

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
                        &mut accelerations,
                        &mut norm,
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

        HeldRows::show_all(&mut held, evaluator, &mut state);
        let system = evaluator.system();
        let own = system.time_events().iter().enumerate();
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
            .filter(|stop| stop.t > state.t && stop.t < options.t_end)
            .collect();
        stops.push(Stop {
            t: options.t_end,
            time_event: None,
        });
        stops.sort_by(|a, b| b.t.total_cmp(&a.t));
        // Stops that differ by round-off are one; the later time and any time event stay.
        stops.dedup_by(|earlier, later| {
            let same = later.t - earlier.t <= 2.0 * SMALLEST_STEP * later.t.abs();
            if same {
                later.time_event = later.time_event.or(earlier.time_event);
            }
            same
        });

        let event_count = evaluator.system().events().len();
        let mut event_values = vec![0.0; event_count];
        evaluator.event_functions(&state.point(), &mut event_values)?;
        Ok(Parts {
            norm,
            controller,
            accelerations,
            projector,
            held,
            state,
            stops,
            event_values,
            step_size,
        })
    }

    /// The current state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// What the run has cost so far.
    pub fn statistics(&self) -> Statistics {
        Statistics {
            accepted: self.accepted,
            rejected: self.rejected,
            evaluations: self.evaluator.evaluations(),
            work: self.integrator.work(),
            smallest_step: self.smallest_step,
            largest_step: self.largest_step,
        }
    }

    /// Runs to the end time, or until an event or the observer stops it.
    pub fn run(mut self, observer: &mut dyn Observer) -> Result<Solution, SolveError> {
        loop {
            match self.advance(observer) {
                Ok(None) => {}
                Ok(Some(reason)) => {
                    return match self.complete_latest(false) {
                        Ok(()) => Ok(Solution {
                            statistics: self.statistics(),
                            state: self.state,
                            reason,
                            events: self.events,
                        }),
                        Err(kind) => Err(self.fail(kind)),
                    };
                }
                Err(kind) => return Err(self.fail(kind)),
            }
        }
    }

    fn fail(self, kind: SolveErrorKind) -> SolveError {
        SolveError {
            kind,
            statistics: Box::new(self.statistics()),
            state: Some(Box::new(self.state)),
            events: self.events,
        }
    }

    /// Takes one accepted step, with its events; `Some` when the run has ended.
    pub fn advance(
        &mut self,
        observer: &mut dyn Observer,
    ) -> Result<Option<StopReason>, SolveErrorKind> {
        if !self.observed_start {
            self.observed_start = true;
            if self.show_moment(observer) {
                return Ok(Some(StopReason::Observer));
            }
        }
        let reached = self.state.t + SMALLEST_STEP * self.state.t.abs();
        while self.stops.last().is_some_and(|stop| stop.t <= reached) {
            self.stops.pop();
        }
        let Some(&stop) = self.stops.last() else {
            return Ok(Some(StopReason::EndTime));
        };

        self.hold_rows()?;
        let taken = self.take_step(stop.t);
        self.release_rows(taken.is_ok());
        let taken = taken?;
        self.accepted += 1;
        self.smallest_step = if self.accepted == 1 {
            taken
        } else {
            self.smallest_step.min(taken)
        };
        self.largest_step = self.largest_step.max(taken);

        let locates_events = !self.watches.is_empty();
        let dense = locates_events || observer.wants_dense_output();
        let accelerations = dense && self.integrator.method().dense_output != DenseOutput::Cubic;
        if accelerations || observer.wants_complete_states() {
            self.complete_latest(true)?;
        }
        self.dense_ready = false;
        if observer.wants_dense_output() {
            self.prepare_dense_output()?;
        }

        let mut outcome = Outcome::default();
        if locates_events {
            outcome = self.handle_events()?;
        }
        if let Some(index) = stop
            .time_event
            .filter(|_| !outcome.jumped() && self.next.t == stop.t)
        {
            outcome = self.handle_time_event(index)?;
        }
        let mut view = StepView {
            from: &self.state,
            to: &self.next,
            event: outcome.jumped(),
            dense: if self.dense_ready {
                Some((&mut self.dense, &mut *self.integrator))
            } else {
                None
            },
            system: &mut self.evaluator,
        };
        let broken = observer.observe(&mut view).is_break();
        if outcome.jumped() {
            std::mem::swap(&mut self.state, &mut self.event_state);
            self.restart()?;
            if !broken && self.show_moment(observer) {
                return Ok(Some(StopReason::Observer));
            }
        } else {
            std::mem::swap(&mut self.state, &mut self.next);
        }
        Ok(if outcome.stop {
            Some(StopReason::Event)
        } else if broken {
            Some(StopReason::Observer)
        } else {
            None
        })
    }

    /// Shows the current state as a step of no length.
    fn show_moment(&mut self, observer: &mut dyn Observer) -> bool {
        let mut view = StepView {
            from: &self.state,
            to: &self.state,
            event: false,
            dense: None,
            system: &mut self.evaluator,
        };
        observer.observe(&mut view).is_break()
    }

    /// Step size and end of the next step towards `stop`.
    fn plan(&self, stop: f64) -> (f64, f64) {
        let t = self.state.t;
        let remaining = stop - t;
        match self.options.control {
            StepControl::Fixed(step) => {
                let count = remaining / step;
                if count <= 1.0 + STOP_SLACK {
                    return (remaining, stop);
                }
                if count < 2.0 - STOP_SLACK {
                    // A sliver at the end would ruin the multipliers: two equal steps instead.
                    return (0.5 * remaining, t + 0.5 * remaining);
                }
                // Back onto the grid after an event, without a sliver there either.
                let mut index = ((t - self.grid_origin) / step + STOP_SLACK).floor() + 1.0;
                if self.grid_origin + index * step - t < 0.1 * step {
                    index += 1.0;
                }
                let target = self.grid_origin + index * step;
                let h = target - t;
                (
                    if (h - step).abs() < STOP_SLACK * step {
                        step
                    } else {
                        h
                    },
                    target,
                )
            }
            StepControl::Adaptive { .. } => {
                let h = self.step_size.min(self.options.max_step);
                if h >= remaining * (1.0 - STOP_SLACK) {
                    (remaining, stop)
                } else if 2.0 * h > remaining {
                    (0.5 * remaining, t + 0.5 * remaining)
                } else {
                    (h, t + h)
                }
            }
        }
    }

    /// Tries until a step is accepted; its end is in `self.next`. Returns the step size.
    fn take_step(&mut self, stop: f64) -> Result<f64, SolveErrorKind> {
        let fixed = matches!(self.options.control, StepControl::Fixed(_));
        let mut cause: Option<StepError> = None;
        let mut tried = Remedies::default();
        loop {
            if self.accepted + self.rejected.total() >= self.options.max_steps {
                return Err(SolveErrorKind::TooManySteps {
                    t: self.state.t,
                    steps: self.options.max_steps,
                });
            }
            let (h, target) = self.plan(stop);
            if h <= SMALLEST_STEP * self.state.t.abs().max(f64::MIN_POSITIVE)
                || self.state.t + h == self.state.t
            {
                return Err(SolveErrorKind::StepTooSmall {
                    t: self.state.t,
                    step: h,
                    cause: cause.map(Box::new),
                });
            }
            self.next.t = target;
            self.next.mode.copy_from_slice(&self.state.mode);
            let attempt = self.integrator.step(
                &mut self.evaluator,
                &self.state,
                h,
                &mut self.norm,
                &mut self.next,
            );
            let attempt = attempt.and_then(|attempt| {
                self.check_left_out()?;
                Ok(attempt)
            });
            if let Err(StepError::Dynamics(error)) = &attempt
                && self.other_rows(error, &mut tried)?
            {
                self.rejected.count(error);
                continue;
            }
            let judged = attempt.and_then(|attempt| {
                if !self.next.is_finite() {
                    let error = EvaluationError::NonFinite {
                        function: Function::State,
                        t: target,
                        index: 0,
                    };
                    return Err(error.into());
                }
                if !fixed {
                    let proposal = self.judge(h, &attempt);
                    if !proposal.accept {
                        self.step_size = proposal.step;
                        return Ok(false);
                    }
                    let ratio = proposal.step / h;
                    let wanted = if ratio > 1.0 && ratio < attempt.keep_step_below {
                        h
                    } else {
                        proposal.step
                    };
                    // A step cut short by a stop says nothing against the size that was planned.
                    let cut = h < (1.0 - STOP_SLACK) * self.step_size;
                    let proposed = if cut {
                        wanted.max(self.step_size)
                    } else {
                        wanted
                    };
                    self.step_size = proposed.min(self.options.max_step);
                }
                self.integrator
                    .accept(&mut self.evaluator, &self.state, h, &mut self.next)?;
                Ok(true)
            });
            match judged {
                Ok(true) => return Ok(h),
                Ok(false) => {
                    self.rejected.error_test += 1;
                    cause = None;
                    tried = Remedies::default();
                }
                Err(StepError::Dynamics(error)) if !fixed => {
                    self.rejected.count(&error);
                    self.step_size = self.integrator.retry_factor() * h;
                    cause = Some(error.into());
                    tried = Remedies::default();
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Asks the controller about a finished step. With an outlook the verdict rests on the step's own error, and the
    /// next size on the outlook.
    fn judge(&mut self, h: f64, attempt: &Attempt) -> Proposal {
        let error = attempt.error.unwrap_or(f64::NAN);
        let Some(outlook) = attempt.outlook else {
            let order = self.integrator.method().error_order;
            return self.controller.propose(h, error, order);
        };
        let controller = &mut self.controller;
        if error <= 1.0 {
            let excess = outlook.error.max(1.0).powf(-1.0 / outlook.order);
            let mut proposal = controller.propose(h, outlook.error.min(1.0), outlook.order);
            proposal.step *= excess;
            proposal
        } else if error.is_nan() {
            controller.propose(h, error, outlook.order)
        } else {
            controller.propose(h, outlook.error.max(1.0 + f64::EPSILON), outlook.order)
        }
    }

    /// Starts the method anew from a state that has jumped.
    fn restart(&mut self) -> Result<(), SolveErrorKind> {
        self.accelerations
            .complete(&mut self.evaluator, &mut self.state)?;
        HeldRows::meet(
            &mut self.held,
            &mut self.evaluator,
            &mut self.accelerations,
            &mut self.state,
        )?;
        self.integrator.restart(&mut self.evaluator, &self.state)?;
        self.controller.restart();
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
        HeldRows::show_all(&mut self.held, &mut self.evaluator, &mut self.state);
        Ok(())
    }

    /// The system handles a moment of its own, at which it is not smooth.
    fn handle_time_event(&mut self, index: usize) -> Result<Outcome, SolveErrorKind> {
        self.event_state.copy_from(&self.next);
        let action = self
            .evaluator
            .system()
            .handle_time_event(index, &mut self.event_state)?
            .action;
        self.event_state.t = self.next.t;
        let (state, tolerance) = (&self.event_state, self.options.consistency);
        let check = |system: &mut Evaluator| check_consistency(system, state, tolerance);
        let checked = self.evaluator.uncounted(check);
        checked.map_err(|source| {
            let (kind, label) = ("time event".to_owned(), format!("number {index}"));
            let event = Box::new(EventRecord {
                t: self.next.t,
                kind,
                label,
            });
            SolveErrorKind::Jump {
                event,
                source: Box::new(source),
            }
        })?;
        Ok(Outcome {
            restart: action == EventAction::Restart,
            stop: action == EventAction::Stop,
        })
    }
}

/// What has been prepared before the driver can be put together.
struct Parts {
    norm: ErrorNorm,
    controller: Box<dyn Controller>,
    accelerations: AccelerationSolver,
    projector: Projector,
    held: Option<Box<HeldRows>>,
    state: State,
    /// Moments to land on, the next one last.
    stops: Vec<Stop>,
    event_values: Vec<f64>,
    step_size: f64,
}

impl Parts {
    fn into_driver<'a>(
        self,
        evaluator: Evaluator<'a>,
        integrator: &'a mut dyn Integrator,
        options: &Options,
    ) -> Driver<'a> {
        let layout = evaluator.layout();
        let x = || vec![0.0; layout.differential];
        Driver {
            dense: Dense::new(layout, integrator.method()),
            dense_ready: false,
            x_rates: [x(), x()],
            options: options.clone(),
            norm: self.norm,
            controller: self.controller,
            accelerations: self.accelerations,
            projector: self.projector,
            held: self.held,
            next: self.state.clone(),
            event_state: self.state.clone(),
            watches: self
                .event_values
                .iter()
                .map(|&value| Watch::new(value, self.state.t))
                .collect(),
            event_end: self.event_values.clone(),
            event_scratch: self.event_values,
            stops: self.stops,
            grid_origin: self.state.t,
            state: self.state,
            step_size: self.step_size,
            accepted: 0,
            rejected: Failures::default(),
            smallest_step: 0.0,
            largest_step: 0.0,
            events: Vec::new(),
            observed_start: false,
            evaluator,
            integrator,
        }
    }
}
