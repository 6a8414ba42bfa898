//! The driver loop.

use super::initial_step::initial_step;
use super::{
    EventRecord, Failures, Interpolant, Observer, Options, OptionsError, Solution, SolveError,
    SolveErrorKind, Statistics, StepControl, StepView, StopReason, bracketed_root,
};
use crate::control::{Controller, ErrorNorm, Fixed, Tolerances};
use crate::integrator::{DenseOutput, Integrator, StepError};
use crate::system::{
    AccelerationSolver, Direction, DynamicsError, EvaluationError, Evaluator, EventAction,
    Function, Projector, State, System, check_consistency,
};

/// A run in progress: owns the state and all memory, borrows system and method. It stops at any step and goes on from
/// there.
pub struct Driver<'a> {
    evaluator: Evaluator<'a>,
    integrator: &'a mut dyn Integrator,
    options: Options,
    norm: ErrorNorm,
    controller: Box<dyn Controller>,
    accelerations: AccelerationSolver,
    projector: Projector,
    interpolant: Interpolant,
    state: State,
    next: State,
    event_state: State,
    x_rates: [Vec<f64>; 2],
    rates: Vec<f64>,
    event_values: Vec<f64>,
    event_scratch: Vec<f64>,
    signs: Vec<f64>,
    stops: Vec<f64>,
    grid_origin: f64,
    step_size: f64,
    accepted: usize,
    rejected: Failures,
    smallest_step: f64,
    largest_step: f64,
    events: Vec<EventRecord>,
    observed_start: bool,
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
        let method = integrator.method();
        let tolerances = match &options.control {
            StepControl::Fixed(_) => Tolerances::default(),
            StepControl::Adaptive { .. } if method.error_order <= 0.0 => {
                return Err(OptionsError::NoEstimate {
                    method: method.name,
                }
                .into());
            }
            StepControl::Adaptive { tolerances, .. } => tolerances.clone(),
        };
        let mut norm =
            ErrorNorm::new(&tolerances, evaluator.layout()).map_err(OptionsError::from)?;
        evaluator.uncounted(|system| check_consistency(system, &state, options.consistency))?;

        let linear = |source| DynamicsError::Linear { t: state.t, source };
        let layout = evaluator.layout();
        let mut accelerations = AccelerationSolver::new(layout).map_err(linear)?;
        let projector = Projector::new(layout).map_err(linear)?;
        accelerations.complete(evaluator, &mut state)?;
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

        let own_stops = evaluator
            .system()
            .time_events()
            .iter()
            .chain(&options.stops)
            .copied();
        let mut stops: Vec<f64> = own_stops
            .filter(|&t| t > state.t && t < options.t_end)
            .collect();
        stops.push(options.t_end);
        stops.sort_by(|a, b| b.total_cmp(a));
        stops.dedup();

        let event_count = evaluator.system().events().len();
        let mut event_values = vec![0.0; event_count];
        evaluator.event_functions(&state.point(), &mut event_values)?;
        Ok(Parts {
            norm,
            controller,
            accelerations,
            projector,
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
                    let completed = self
                        .integrator
                        .complete(&mut self.evaluator, &mut self.state);
                    return match completed {
                        Ok(()) => Ok(Solution {
                            statistics: self.statistics(),
                            state: self.state,
                            reason,
                            events: self.events,
                        }),
                        Err(error) => Err(self.fail(error.into())),
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
        while self.stops.last().is_some_and(|&stop| stop <= self.state.t) {
            self.stops.pop();
        }
        let Some(&stop) = self.stops.last() else {
            return Ok(Some(StopReason::EndTime));
        };

        let taken = self.take_step(stop)?;
        self.accepted += 1;
        self.smallest_step = if self.accepted == 1 {
            taken
        } else {
            self.smallest_step.min(taken)
        };
        self.largest_step = self.largest_step.max(taken);

        let locates_events = !self.signs.is_empty();
        let dense = locates_events || observer.wants_dense_output();
        let accelerations = dense && self.integrator.method().dense_output == DenseOutput::Quintic;
        if accelerations || observer.wants_complete_states() {
            self.integrator
                .complete(&mut self.evaluator, &mut self.next)?;
        }
        if dense {
            self.load_interpolant()?;
        }

        let (mut restart, mut stopped) = (false, false);
        if locates_events {
            (restart, stopped) = self.handle_events()?;
        }
        let mut view = StepView {
            from: &self.state,
            to: &self.next,
            event: restart || stopped,
            interpolant: if dense {
                Some(&mut self.interpolant)
            } else {
                None
            },
            system: &mut self.evaluator,
        };
        let broken = observer.observe(&mut view).is_break();
        if restart || stopped {
            std::mem::swap(&mut self.state, &mut self.event_state);
            if restart {
                self.restart()?;
            }
            if self.show_moment(observer) {
                return Ok(Some(StopReason::Observer));
            }
        } else {
            std::mem::swap(&mut self.state, &mut self.next);
        }
        Ok(if stopped {
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
            interpolant: None,
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
        let order = self.integrator.method().error_order;
        let mut cause: Option<StepError> = None;
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
                    let error = attempt.error.unwrap_or(f64::NAN);
                    let proposal = self.controller.propose(h, error, order);
                    if !proposal.accept {
                        self.step_size = proposal.step;
                        return Ok(false);
                    }
                    // A step cut short by a stop says nothing against the size that was planned.
                    let cut = h < (1.0 - STOP_SLACK) * self.step_size;
                    let proposed = if cut {
                        proposal.step.max(self.step_size)
                    } else {
                        proposal.step
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
                }
                Err(StepError::Dynamics(error)) if !fixed => {
                    self.rejected.count(&error);
                    self.step_size = 0.25 * h;
                    cause = Some(error.into());
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn load_interpolant(&mut self) -> Result<(), SolveErrorKind> {
        let layout = self.evaluator.layout();
        let (dimension, differential) = (layout.dimension(), layout.differential);
        let explicit = layout.descriptor.is_none();
        let step = self.next.t - self.state.t;
        if differential > 0 {
            for end in 0..2 {
                let state = if end == 0 { &self.state } else { &self.next };
                if explicit {
                    self.evaluator.rates(&state.point(), &mut self.rates)?;
                    self.x_rates[end]
                        .copy_from_slice(&self.rates[dimension..dimension + differential]);
                } else {
                    // Rates of algebraic components are not available: interpolate linearly.
                    for (index, rate) in self.x_rates[end].iter_mut().enumerate() {
                        *rate = (self.next.x[index] - self.state.x[index]) / step;
                    }
                }
            }
        }
        let space = &self.evaluator.layout().space;
        self.interpolant.load(
            space,
            &self.state,
            &self.next,
            [&self.x_rates[0], &self.x_rates[1]],
        );
        Ok(())
    }

    /// Finds the first events in the step and lets the system handle them. On a restart or stop, `self.next` is the
    /// state before the jump and `self.event_state` the one after it.
    fn handle_events(&mut self) -> Result<(bool, bool), SolveErrorKind> {
        self.evaluator
            .event_functions(&self.next.point(), &mut self.event_scratch)?;
        let mut crossings: Vec<(f64, usize)> = Vec::new();
        for index in 0..self.signs.len() {
            let (before, after) = (self.signs[index], sign(self.event_scratch[index]));
            let counts = match self.evaluator.system().events()[index].direction {
                Direction::Rising => before < 0.0 && after > 0.0,
                Direction::Falling => before > 0.0 && after < 0.0,
                Direction::Both => before * after < 0.0,
            };
            if counts {
                let t = self.locate(index)?;
                crossings.push((t, index));
            } else if after != 0.0 {
                self.signs[index] = after;
                self.event_values[index] = self.event_scratch[index];
            }
        }
        crossings.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (mut restart, mut stop) = (false, false);
        for position in 0..crossings.len() {
            let (t, index) = crossings[position];
            let first = if position == 0 { t } else { crossings[0].0 };
            if (restart || stop) && t > first + self.options.event_tolerance {
                // What lies behind a jump is found again from there.
                break;
            }
            if !(restart || stop) {
                let space = &self.evaluator.layout().space;
                self.event_state
                    .copy_from(self.interpolant.at(t, space, &self.state, &self.next));
                self.settle_event_state()?;
            }
            let before = self.event_state.clone();
            let action = self
                .evaluator
                .system()
                .handle_event(index, &mut self.event_state)?;
            let description = &self.evaluator.system().events()[index];
            let record = EventRecord {
                t,
                kind: description.kind.clone(),
                label: description.label.clone(),
            };
            self.events.push(record);
            self.signs[index] = -self.signs[index];
            match action {
                EventAction::Continue => {}
                EventAction::Restart | EventAction::Stop => {
                    if !(restart || stop) {
                        self.next.copy_from(&before);
                    }
                    restart |= action == EventAction::Restart;
                    stop |= action == EventAction::Stop;
                }
            }
        }
        Ok((restart, stop))
    }

    /// Interpolation leaves the constraints by its error; put the state back onto them and solve for the rest.
    fn settle_event_state(&mut self) -> Result<(), SolveErrorKind> {
        self.projector
            .project_position(&mut self.evaluator, &mut self.event_state, false)?;
        self.projector
            .project_velocity(&mut self.evaluator, &mut self.event_state)?;
        self.accelerations
            .complete(&mut self.evaluator, &mut self.event_state)?;
        Ok(())
    }

    fn locate(&mut self, index: usize) -> Result<f64, SolveErrorKind> {
        let space = self.evaluator.layout().space.clone();
        let (from, to) = (&self.state, &self.next);
        let (interpolant, evaluator, values) = (
            &mut self.interpolant,
            &mut self.evaluator,
            &mut self.event_scratch,
        );
        let at_end = values[index];
        let root = bracketed_root(
            |t| -> Result<f64, SolveErrorKind> {
                let state = interpolant.at(t, &space, from, to);
                evaluator.event_functions(&state.point(), values)?;
                Ok(values[index])
            },
            (from.t, self.event_values[index]),
            (to.t, at_end),
            self.options.event_tolerance,
        )?;
        self.evaluator
            .event_functions(&self.next.point(), &mut self.event_scratch)?;
        Ok(root)
    }

    fn restart(&mut self) -> Result<(), SolveErrorKind> {
        self.accelerations
            .complete(&mut self.evaluator, &mut self.state)?;
        self.integrator.restart();
        self.controller.restart();
        self.evaluator
            .event_functions(&self.state.point(), &mut self.event_scratch)?;
        for (index, &value) in self.event_scratch.iter().enumerate() {
            // Right after its root a function may still have its old sign by round-off: the tracked sign rules.
            let tracked = if self.signs[index] == 0.0 {
                sign(value)
            } else {
                self.signs[index]
            };
            self.signs[index] = tracked;
            self.event_values[index] = if sign(value) == tracked {
                value
            } else {
                tracked * f64::MIN_POSITIVE
            };
        }
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

/// What has been prepared before the driver can be put together.
struct Parts {
    norm: ErrorNorm,
    controller: Box<dyn Controller>,
    accelerations: AccelerationSolver,
    projector: Projector,
    state: State,
    stops: Vec<f64>,
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
            interpolant: Interpolant::new(layout, integrator.method().dense_output),
            x_rates: [x(), x()],
            rates: vec![0.0; layout.rate_count()],
            options: options.clone(),
            norm: self.norm,
            controller: self.controller,
            accelerations: self.accelerations,
            projector: self.projector,
            next: self.state.clone(),
            event_state: self.state.clone(),
            signs: self.event_values.iter().map(|&value| sign(value)).collect(),
            event_scratch: self.event_values.clone(),
            event_values: self.event_values,
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

/// -1, 0 or 1; unlike `f64::signum`, zero has no sign.
fn sign(value: f64) -> f64 {
    if value > 0.0 {
        1.0
    } else if value < 0.0 {
        -1.0
    } else {
        0.0
    }
}
