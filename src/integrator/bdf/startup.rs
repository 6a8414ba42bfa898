//! Accurate states for methods that need several to start with.

use super::engine::{Engine, Estimate, OrderRule};
use super::history::MAX_ORDER;
use super::record::Record;
use crate::control::ErrorNorm;
use crate::integrator::{NewtonOptions, StepError};
use crate::linalg::KktError;
use crate::system::{AccelerationSolver, DynamicsError, Evaluator, Formulation, Layout, State};

/// Goes from one moment to the next by small steps of variable size and order, whose errors stay at 1e-12 in the default
/// tolerances: implicit, so that stiff systems start as well.
///
/// Index 3 starts on the stabilized index-2 form. Index 2 and 1 start on their own: their states have drifted off the
/// constraints, and no step is small enough for an error estimate that contains a jump back onto them.
pub(super) struct Starter {
    engine: Engine,
    state: State,
    next: State,
    record: Record,
    step: Option<f64>,
    accuracy: f64,
    loosest: f64,
}

impl Starter {
    /// Acceptable error in units of the norm: 1e-12 in the default tolerances that constant steps have.
    const ACCURACY: f64 = 1e-6;

    /// The same where steps are judged by an error of 1.
    const ADAPTIVE_ACCURACY: f64 = 1e-3;

    /// Errors relative to the state that are not asked for, whatever the tolerances: round-off would fail the error test, and
    /// the iteration before it.
    const FINEST: f64 = 1e-12;

    /// Steps that have failed down to this part of the distance show that round-off is above the accuracy asked for, as beside
    /// singular configurations, ...
    const HOPELESS: f64 = 1e-6;

    /// ... and a lesser one is asked for by this factor, ...
    const LOOSEN: f64 = 10.0;

    /// ... up to that of the steps themselves, with constant steps to 1e-9 in the default tolerances.
    const LOOSEST: f64 = 1.0;
    const LOOSEST_CONSTANT: f64 = 1e-3;

    /// The first step over the distance to the first moment.
    const FIRST: f64 = 1e-3;

    /// Steps between two moments after which the start has failed.
    const MAX_STEPS: usize = 100_000;

    /// Allocates for systems of this layout.
    pub fn new(
        layout: &Layout,
        state: &State,
        formulation: Formulation,
        constant_steps: bool,
    ) -> Result<Self, KktError> {
        let formulation = match formulation {
            Formulation::Index3 => Formulation::StabilizedIndex2,
            other => other,
        };
        let (accuracy, loosest) = if constant_steps {
            (Self::ACCURACY, Self::LOOSEST_CONSTANT)
        } else {
            (Self::ADAPTIVE_ACCURACY, Self::LOOSEST)
        };
        let mut engine = Engine::new(
            layout,
            state,
            formulation,
            OrderRule::UpTo(MAX_ORDER),
            &NewtonOptions::default(),
            accuracy,
        )?;
        // They follow from the rest.
        engine.leave_out_algebraic_variables();
        if constant_steps {
            engine.keep_old_derivatives();
        }
        Ok(Self {
            engine,
            accuracy,
            loosest,
            state: state.clone(),
            next: state.clone(),
            record: Record::new(state),
            step: None,
        })
    }

    /// Begins at a state with its accelerations and multipliers.
    pub fn begin(
        &mut self,
        system: &mut Evaluator,
        accelerations: &mut AccelerationSolver,
        state: &State,
    ) -> Result<(), StepError> {
        self.state.copy_from(state);
        self.next.copy_from(state);
        self.step = None;
        self.engine.begin(system, accelerations, state)
    }

    /// The engine, for its statistics.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Puts differential states and algebraic variables at `t`, between the last two moments, into a state.
    pub fn interpolate(&self, t: f64, out: &mut State) {
        self.record.interpolate(t, out);
    }

    /// Goes on to the time of `to` and fills it in, but for its modes.
    pub fn advance(
        &mut self,
        system: &mut Evaluator,
        norm: &mut ErrorNorm,
        to: &mut State,
    ) -> Result<(), StepError> {
        let span = to.t - self.state.t;
        // Round-off, 1e-12 of the state, in units of the norm; never looser than the tolerance itself.
        let mut accuracy = self.accuracy.max((Self::FINEST / norm.level()).min(1.0));
        self.engine.ask_for(accuracy);
        let mut cause = None;
        self.record.begin(&self.state);
        // Shorter steps vanish in t + h.
        let shortest = 16.0 * f64::EPSILON * to.t.abs();
        let mut step = self.step.unwrap_or((Self::FIRST * span).max(shortest));
        for _ in 0..Self::MAX_STEPS {
            system.begin_inner_step()?;
            let remaining = to.t - self.state.t;
            // A remainder of a millionth of a step is the end, not another step.
            let last = step >= remaining * (1.0 - 1e-6);
            let h = if last {
                remaining
            } else {
                // Two equal steps to the end rather than one that leaves a sliver.
                step.min(0.5 * remaining)
            };
            self.next.t = if last { to.t } else { self.state.t + h };
            if self.next.t <= self.state.t {
                break;
            }
            match self
                .engine
                .step(system, &self.state, h, norm, &mut self.next)
            {
                Ok(estimate) if estimate.error <= 1.0 => {
                    system.layout().space.normalize(&mut self.next.q);
                    self.engine.accept(system, &self.next);
                    std::mem::swap(&mut self.state, &mut self.next);
                    self.record.add(&self.state, last);
                    // The step at most doubles, and grows only where a new factorization is worth it.
                    let ratio = growth(&estimate).min(2.0);
                    let kept = ratio > 1.0 && ratio < estimate.keep_below();
                    let proposed = if kept { h } else { h * ratio };
                    // A step cut short by the end says nothing against a longer one.
                    let cut = h < (1.0 - 1e-6) * step;
                    step = if cut { proposed.max(step) } else { proposed };
                }
                // A rejected step shrinks by a tenth at least.
                Ok(estimate) => step = h * growth(&estimate).min(0.9),
                Err(StepError::Dynamics(error)) => {
                    step = 0.25 * h;
                    cause = Some(error);
                }
                Err(error) => return Err(error),
            }
            // Failed and no accuracy to gain: ask for less, from the first step size on.
            if step < Self::HOPELESS * span && step < h && accuracy < self.loosest {
                accuracy = (Self::LOOSEN * accuracy).min(self.loosest);
                self.engine.ask_for(accuracy);
                step = Self::FIRST * span;
            }
            if last && self.state.t >= to.t {
                self.step = Some(step);
                to.q.copy_from_slice(&self.state.q);
                to.v.copy_from_slice(&self.state.v);
                to.x.copy_from_slice(&self.state.x);
                to.z.copy_from_slice(&self.state.z);
                to.lambda.copy_from_slice(&self.state.lambda);
                to.acceleration.copy_from_slice(&self.state.acceleration);
                return Ok(());
            }
        }
        let slow = DynamicsError::NotConverged {
            what: "the start of the multistep formula",
            t: self.state.t,
            iterations: Self::MAX_STEPS,
            correction: step,
        };
        Err(StepError::Dynamics(cause.unwrap_or(slow)))
    }
}

fn growth(estimate: &Estimate) -> f64 {
    let exponent = -1.0 / (estimate.next_order as f64 + 1.0);
    // 0.9 and 0.2: the usual safety and the strongest reduction.
    (0.9 * estimate.next_error.powf(exponent)).max(0.2)
}
