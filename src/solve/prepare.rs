//! Preparation of a run: checks and allocation, before the first step and after each change of structure.

use super::driver::Driver;
use super::events::locator::Locator;
use super::initial_step::initial_step;
use super::motion::Motion;
use super::output::dense::Dense;
use super::output::last_step::LastStep;
use super::properties::PropertyWatch;
use super::rows::{HeldRows, multipliers_matter};
use super::singular::monitor::Approach;
use super::statistics::Tally;
use super::timeline::Timeline;
use super::turning::Turning;
use super::{Options, OptionsError, SolveError, SolveErrorKind, Statistics, StepControl};
use crate::control::{Controller, ErrorNorm, Fixed, Tolerances};
use crate::integrator::{Integrator, StepError, Stepper, Work};
use crate::system::{
    AccelerationSolver, DynamicsError, Evaluator, EventHandling, EventReport, Projector, RowCheck,
    State, System, check_consistency, check_differential_index, solve_algebraic_rows,
};

/// What has the sizes of the layout. Solvers are large, and moved some times until the run begins: they are boxed.
pub(super) struct Shaped {
    pub norm: ErrorNorm,
    pub accelerations: Box<AccelerationSolver>,
    pub projector: Box<Projector>,
    pub rows: HeldRows,
    pub row_check: Option<Box<RowCheck>>,
    pub approach: Option<Box<Approach>>,
    pub step: LastStep,
    pub locator: Locator,
    pub turning: Turning,
}

impl Shaped {
    /// Allocates for a system, completes the state, and starts the method.
    pub fn start(
        evaluator: &mut Evaluator,
        integrator: &dyn Integrator,
        state: &mut State,
        options: &Options,
    ) -> Result<(Self, Box<dyn Stepper>), SolveErrorKind> {
        evaluator.forget_constants();
        let mut shaped = Self::new(evaluator, integrator, state, options)?;
        let stepper = shaped.rows.with_own(state, |state| {
            integrator.start(evaluator, state, options.control.sizes())
        })?;
        let linear = |source| StepError::linear(state.t, source);
        let with_z = stepper.has_algebraic_variables_at_end();
        let check = RowCheck::new(evaluator.layout(), with_z).map_err(linear)?;
        shaped.row_check = check.map(Box::new);
        Ok((shaped, stepper))
    }

    fn new(
        evaluator: &mut Evaluator,
        integrator: &dyn Integrator,
        state: &mut State,
        options: &Options,
    ) -> Result<Self, SolveErrorKind> {
        let method = integrator.method();
        evaluator.layout().check()?;
        let mut rows = HeldRows::all(evaluator);
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
        // Tolerances are in the units of the statement; constant steps have none.
        let norm = match evaluator.scales() {
            Some(scales) if norm.is_binding() => norm.in_units(scales.velocities()),
            _ => norm,
        };
        let norm = norm.with_characteristic_time(options.characteristic_time.unwrap_or(1.0));
        // What is checked on all rows costs the user no evaluation.
        evaluator.uncounted(|system| check_consistency(system, state, options.consistency))?;
        check_differential_index(evaluator, state)?;
        // Within the tolerance of its check a state is consistent: where it can be improved, the run begins with no error.
        let improved = evaluator.uncounted(|system| solve_algebraic_rows(system, state));
        if options.consistency.algebraic == f64::INFINITY {
            improved?;
        }

        let t = state.t;
        let linear = |source| DynamicsError::Linear { t, source };
        let layout = evaluator.layout();
        let mut accelerations = Box::new(AccelerationSolver::new(layout).map_err(linear)?);
        let projector = Box::new(Projector::new(layout).map_err(linear)?);
        let step = LastStep::new(layout, Dense::new(layout, method).map_err(linear)?, state);
        // Independent rows before the accelerations of the start, which need them.
        rows.meet(evaluator, integrator, &mut accelerations, state)?;
        // Steps across a singular configuration know nothing of what the method itself looks after.
        let unseen = integrator.owns_contacts(evaluator);
        let approach = if unseen || multipliers_matter(evaluator, integrator) {
            None
        } else {
            Approach::new(evaluator, state)?
        };
        let locator = Locator::new(evaluator, method, state, options)?;
        Ok(Self {
            norm,
            accelerations,
            projector,
            rows,
            row_check: None,
            approach,
            step,
            locator,
            turning: Turning::new(&evaluator.layout().space),
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
        // Events are located to a part of a short run.
        let options = &options.of_run(state.t);
        let refused = |kind: SolveErrorKind, evaluator: &Evaluator| SolveError {
            kind: kind.in_units_of_statement(evaluator),
            state: None,
            statistics: Box::new(Statistics {
                evaluations: evaluator.evaluations(),
                ..Statistics::default()
            }),
            events: Vec::new(),
        };
        let opening = match Opening::new(system, integrator, state, options) {
            Ok(opening) => opening,
            Err(kind) => return Err(refused(kind, &Evaluator::new(system))),
        };
        let (mut evaluator, opening) = opening.evaluator(system, integrator, options);
        let prepared = match Prepared::new(&mut evaluator, integrator, opening, options) {
            Ok(prepared) => prepared,
            Err(kind) => return Err(refused(kind, &evaluator)),
        };
        let mut driver = prepared.into_driver(evaluator, integrator, options);
        // The energy of the initial state is the one that projections keep.
        let settled = driver.settle_higher_index();
        let kept = settled.and_then(|()| Ok(driver.motion.keep_energy()?));
        let watched = kept.and_then(|()| {
            let watch = PropertyWatch::new(&mut driver.motion, &options.control)?;
            driver.properties = watch.map(Box::new);
            Ok(())
        });
        match watched {
            Ok(()) => {
                driver.note_state();
                Ok(driver)
            }
            Err(error) => Err(refused(error, &driver.motion.evaluator)),
        }
    }
}

/// The checked options and the system, before anything is allocated.
struct Opening {
    state: State,
    max_step: f64,
    reports: Vec<EventReport>,
}

impl Opening {
    /// Checks the options, and lets the system prepare itself: it may change its layout.
    fn new(
        system: &mut dyn System,
        integrator: &dyn Integrator,
        mut state: State,
        options: &Options,
    ) -> Result<Self, SolveErrorKind> {
        options.check(state.t)?;
        let max_step = options.largest_step(system)?;
        let handling = if integrator.method().captures_events {
            EventHandling::Captured
        } else {
            EventHandling::Located {
                tolerance: options.event_tolerance,
            }
        };
        let reports = system.prepare(&mut state, handling)?;
        Ok(Self {
            state,
            max_step,
            reports,
        })
    }

    /// The system in the units of the run.
    fn evaluator<'a>(
        mut self,
        system: &'a mut dyn System,
        integrator: &dyn Integrator,
        options: &Options,
    ) -> (Evaluator<'a>, Self) {
        // Who captures events within steps looks past the evaluator.
        let evaluator = if integrator.method().captures_events {
            Evaluator::new(system)
        } else {
            let duration = options.t_end - self.state.t;
            Evaluator::in_units_of_run(system, &mut self.state, duration)
        };
        (evaluator, self)
    }
}

/// What a run starts with.
struct Prepared {
    shaped: Shaped,
    stepper: Box<dyn Stepper>,
    state: State,
    timeline: Timeline,
}

impl Prepared {
    fn new(
        evaluator: &mut Evaluator,
        integrator: &dyn Integrator,
        opening: Opening,
        options: &Options,
    ) -> Result<Self, SolveErrorKind> {
        let method = integrator.method();
        let Opening {
            mut state,
            max_step,
            reports,
        } = opening;
        let (mut shaped, stepper) = Shaped::start(evaluator, integrator, &mut state, options)?;
        shaped.locator.records.report(reports, state.t);
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
                        (&state, &mut state.clone()),
                        method,
                        options.t_end,
                        None,
                    )?,
                };
                (
                    controller.unwrap_or(method.controller).build(),
                    step.min(options.max_step),
                )
            }
        };
        let system = evaluator.system();
        let controller = (controller, method.error_order);
        let timeline = Timeline::new(system, state.t, options, max_step, controller, step_size);
        Ok(Self {
            shaped,
            stepper,
            state,
            timeline,
        })
    }

    fn into_driver<'a>(
        self,
        evaluator: Evaluator<'a>,
        integrator: &'a dyn Integrator,
        options: &Options,
    ) -> Driver<'a> {
        let shaped = self.shaped;
        Driver {
            options: options.clone(),
            motion: Motion {
                evaluator,
                integrator,
                stepper: self.stepper,
                norm: shaped.norm,
                accelerations: shaped.accelerations,
                projector: shaped.projector,
                rows: shaped.rows,
                row_check: shaped.row_check,
                next: self.state.clone(),
                state: self.state,
                earlier_work: Work::default(),
                observed_work: Work::default(),
                repeated: 0,
                undetermined: None,
            },
            timeline: self.timeline,
            tally: Tally::new(options),
            step: shaped.step,
            locator: shaped.locator,
            turning: shaped.turning,
            approach: shaped.approach,
            properties: None,
            observed_start: false,
            impasse: None,
            state_of_statement: None,
        }
    }
}
