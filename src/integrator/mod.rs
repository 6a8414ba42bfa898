//! Methods: one per file, each a small set of functions that the [driver](crate::solve) calls.
//!
//! A method implements [`Integrator`]; step-size control, events, dense output and statistics come from the driver.
//! It works in local coordinates of the group around the start of the step, so that methods for vector spaces run on
//! Lie groups unchanged: q = q_n · exp(u), u' = dexp⁻¹(u) v. It owns its memory and allocates in `start` only.

mod bdf;
mod defaults;
mod euler;
mod extrapolation;
mod forwarding;
mod generalized_alpha;
mod implicit;
mod method;
mod named_options;
pub mod newton;
mod options;
mod probe;
mod radau5;
mod registry;
mod runge_kutta;
mod shared;
mod standard;
mod state_space;
mod stormer_verlet;
mod tableau;

pub use bdf::{Bdf, BdfLie};
pub use euler::backward_euler::{BackwardEuler, MatrixPoint};
pub use euler::half_implicit::{FirstGuess, HalfImplicit, NewtonMatrix};
pub use extrapolation::Extrapolation;
pub use forwarding::{StepperWrapper, WrappedStepper};
pub use generalized_alpha::{ConstraintLevel, GeneralizedAlpha};
pub use implicit::ImplicitEquations;
pub use method::{DenseOutput, Kind, Method, Orders};
pub use named_options::{NamedOption, OptionError, named_options};
pub use options::{MethodOption, MethodOptions};
pub use probe::Probe;
pub use radau5::Radau5;
pub use registry::{BuildError, MethodEntry, MethodRegistry};
pub use runge_kutta::dop853::Dop853;
pub use runge_kutta::dopri5::Dopri5;
pub use runge_kutta::explicit::ExplicitRungeKutta;
pub use runge_kutta::hem5::Hem5;
pub use runge_kutta::mdop5::Mdop5;
pub use runge_kutta::phem56::Phem56;
pub use shared::newton::NewtonOptions;
pub use shared::projection::Projection;
pub use state_space::{
    ContractionFactors, ContractionGauge, NewmarkConvergence, NewmarkParameters, NewmarkPredictor,
    StateSpaceAbm, StateSpaceNewmark, StateSpaceRk4, StateSpaceSdirk4,
};
pub(crate) use stormer_verlet::StormerVerletStepper;
pub use stormer_verlet::{Kicks, StormerVerlet};
pub use tableau::alpha::{AlphaCoefficients, AlphaCoefficientsError};

use crate::control::ErrorNorm;
use crate::linalg::KktError;
use crate::manifold::Manifold;
use crate::system::{
    AccelerationSolver, DynamicsError, Evaluator, ForeignError, Layout, LimitReached, Projector,
    State,
};
use serde::Serialize;
use std::error::Error;

/// A step could not be taken.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StepError {
    /// Evaluation, linear algebra or an inner iteration failed; a smaller step may help.
    #[error(transparent)]
    Dynamics(#[from] DynamicsError),
    /// A step within the step was one too many for the run.
    #[error(transparent)]
    Limit(#[from] LimitReached),
    /// The method does not apply to this system; no step size helps.
    #[error("{method} does not apply to this system: {reason}")]
    Unsupported {
        /// The method's name.
        method: &'static str,
        /// What it cannot do, and what can.
        reason: String,
    },
    /// A constant step whose error estimate says that it has failed.
    #[error(
        "{method} says that its step of {h} s from t = {t} has failed (its error is {error}): with a constant step there is no other size to try"
    )]
    Failed {
        /// The method's name.
        method: &'static str,
        /// Start of the step in s.
        t: f64,
        /// Its size in s.
        h: f64,
        /// The error, not finite.
        error: f64,
    },
    /// The method says that it has dense output of its own, and its stepper has none.
    #[error("{method} says that it has dense output of its own, but its stepper has none")]
    NoDenseOutput {
        /// The method's name.
        method: &'static str,
    },
    /// The coefficients that the options ask for do not exist.
    #[error(transparent)]
    Coefficients(#[from] AlphaCoefficientsError),
    /// An option of the method is out of range.
    #[error("{method}: {reason}")]
    Option {
        /// The method's name.
        method: &'static str,
        /// What was given and what would be possible.
        reason: String,
    },
    /// An error of the method's own kind.
    #[error(transparent)]
    Foreign(ForeignError),
}

impl From<crate::system::EvaluationError> for StepError {
    fn from(error: crate::system::EvaluationError) -> Self {
        Self::Dynamics(error.into())
    }
}

impl StepError {
    /// An error of the method's own kind. No smaller step is tried.
    pub fn own(error: impl Error + Send + Sync + 'static) -> Self {
        Self::Foreign(ForeignError::new(error))
    }

    /// Puts a moment to a failure of the linear solver.
    pub fn linear(t: f64, source: KktError) -> Self {
        Self::Dynamics(DynamicsError::Linear { t, source })
    }
}

/// Work inside a method that the evaluations of the system do not show.
///
/// ```
/// use liedae::integrator::{BackwardEuler, Dopri5, Work};
/// use liedae::prelude::*;
///
/// // An explicit method has nothing to iterate.
/// let mut oscillator = liedae::model([1.0], [0.0]).mass(1.0).force(|_t, [x], _v| [x * -100.0]).build()?;
/// let options = Options::fixed(1.0, 0.01);
/// let Work { newton_iterations, solves, .. } = solve(&mut oscillator, &Dopri5::default(), &options)?.statistics.work;
/// assert!(newton_iterations == 0 && solves >= 600);
/// let implicit = solve(&mut oscillator, &BackwardEuler::default(), &options)?.statistics.work;
/// assert!(implicit.newton_iterations >= 100);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Work {
    /// Matrix factorizations.
    pub factorizations: usize,
    /// Solutions with a factorized matrix.
    pub solves: usize,
    /// Newton iterations of implicit or half-implicit steps.
    pub newton_iterations: usize,
}

impl std::ops::AddAssign for Work {
    fn add_assign(&mut self, other: Self) {
        self.factorizations += other.factorizations;
        self.solves += other.solves;
        self.newton_iterations += other.newton_iterations;
    }
}

impl Work {
    /// What has been done since `before`.
    pub(crate) fn since(self, before: Self) -> Self {
        Self {
            factorizations: self.factorizations.saturating_sub(before.factorizations),
            solves: self.solves.saturating_sub(before.solves),
            newton_iterations: self
                .newton_iterations
                .saturating_sub(before.newton_iterations),
        }
    }
}

/// A finished step, not yet accepted.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Attempt {
    /// Weighted norm of the estimated local error, 1 being just acceptable; `None` where the method has no estimate.
    pub error: Option<f64>,
    /// The basis of the next step size, if it is not this step's error at the method's fixed order.
    pub outlook: Option<Outlook>,
    /// The step size is kept unless it would grow by more than this factor, so that a factorization can be reused; 1 for other
    /// methods.
    pub keep_step_below: f64,
}

/// A certificate that the result of a step is finite ([`Stepper::finite_state`]).
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct FiniteState(());

impl FiniteState {
    pub(crate) fn if_seen(is_finite: bool) -> Option<Self> {
        is_finite.then_some(Self(()))
    }
}

/// The error by which the controller chooses the next step size, in place of this step's error: that of a step of the same size
/// with the order chosen for the next step.
///
/// ```
/// use liedae::control::{Controller, Limits, ProportionalIntegral};
/// use liedae::integrator::{Attempt, Outlook};
///
/// // With order 4 the error would have been a tenth of a tolerance: the step may grow by the fourth root of ten.
/// let attempt = Attempt::without_estimate().with_outlook(0.1, 4.0);
/// let Some(Outlook { error, order }) = attempt.outlook else { panic!("it is stated") };
/// let next = ProportionalIntegral::elementary(Limits::default()).propose(0.01, error, order);
/// assert!((next.step / 0.01 - 0.9 * 10.0_f64.powf(0.25)).abs() < 1e-12);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outlook {
    /// Weighted norm of the error, 1 being just acceptable.
    pub error: f64,
    /// It behaves like h to this power.
    pub order: f64,
}

impl Attempt {
    /// A step with the weighted norm of its estimated local error.
    pub fn with_error(error: f64) -> Self {
        Self {
            error: Some(error),
            ..Self::without_estimate()
        }
    }

    /// A step of a method that has no error estimate; it can only run with fixed steps.
    pub fn without_estimate() -> Self {
        Self {
            error: None,
            outlook: None,
            keep_step_below: 1.0,
        }
    }

    /// Bases the next step size on another error and order than this step's: methods that choose their order, or that
    /// count the cost of an iteration.
    pub fn with_outlook(mut self, error: f64, order: f64) -> Self {
        self.outlook = Some(Outlook { error, order });
        self
    }

    /// Keeps the step size unless it would grow by more than this factor.
    pub fn keeping_step_below(mut self, factor: f64) -> Self {
        self.keep_step_below = factor;
        self
    }
}

/// Whether all steps of a run have one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepSizes {
    /// One size, but for steps fitted to a stop or an event.
    Constant,
    /// The size follows from the estimated error.
    Adaptive,
}

/// A method with its options. It holds nothing of a run: [`start`](Self::start) makes the [`Stepper`] that does.
///
/// One method can be started any number of times, for any system that it applies to, and on several threads at a time.
pub trait Integrator: Send + Sync {
    /// What the method is.
    fn method(&self) -> &'static Method;

    /// A stepper that is ready at `state`: it has checked that the method applies and has allocated all its memory. The state is
    /// consistent and complete. The driver starts a new stepper when the shape of the system has changed.
    fn start(
        &self,
        system: &mut Evaluator,
        state: &State,
        sizes: StepSizes,
    ) -> Result<Box<dyn Stepper>, StepError>;

    /// Whether the method integrates a part of the system that the driver does not know, such as contacts. The driver then takes
    /// no steps of its own across singular configurations, since they would ignore that part.
    fn owns_contacts(&self, _system: &mut Evaluator) -> bool {
        false
    }

    /// Whether the method uses multipliers of the system for more than Gᵀ λ, as the normal forces of joints that rub. The
    /// multipliers of redundant rows are then not arbitrary, and all rows stay in the equations.
    fn uses_multipliers(&self, _system: &mut Evaluator) -> bool {
        false
    }
}

impl<I: Integrator + ?Sized> Integrator for Box<I> {
    fn method(&self) -> &'static Method {
        (**self).method()
    }

    fn start(
        &self,
        system: &mut Evaluator,
        state: &State,
        sizes: StepSizes,
    ) -> Result<Box<dyn Stepper>, StepError> {
        (**self).start(system, state, sizes)
    }

    fn owns_contacts(&self, system: &mut Evaluator) -> bool {
        (**self).owns_contacts(system)
    }

    fn uses_multipliers(&self, system: &mut Evaluator) -> bool {
        (**self).uses_multipliers(system)
    }
}

/// A method at work on one system.
///
/// ```text
/// start ── step ──┬── accept ── (complete) ── step ...
///                 ├── (rejected: step again, smaller)
///                 └── (an event within: step again, up to the event)
/// restart after every event that changes the state, then step
/// ```
pub trait Stepper {
    /// Takes a step of size `h` from `from` and writes its end into `to`, of the same shape: q, v and x, and what
    /// [`ends_consistent`](Self::ends_consistent) promises. `to.t` and `to.mode` are the driver's, which sets them before and behind
    /// the step. An error that is not finite says that the step has failed, also with constant steps. `norm` weighs the error
    /// estimate. A method that takes an open number of steps of its own within it counts them ([`Evaluator::begin_inner_step`]),
    /// so that the limits of the run apply to them.
    fn step(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        norm: &mut ErrorNorm,
        to: &mut State,
    ) -> Result<Attempt, StepError>;

    /// The step was accepted: the method may project `to` onto the constraints and shift its history.
    fn accept(
        &mut self,
        _system: &mut Evaluator,
        _from: &State,
        _h: f64,
        _to: &mut State,
    ) -> Result<(), StepError> {
        Ok(())
    }

    /// Whether `step` may be called again from the same `from` with another size, as after a rejection, although the last one was
    /// not rejected: the driver repeats steps up to an event. If it may not, the event is located on dense output, and the state
    /// is projected onto the constraints.
    fn repeats_steps(&self) -> bool {
        true
    }

    /// Whether `step` leaves in `to` the acceleration, multipliers and algebraic variables that solve the equations of motion
    /// there, as methods do whose last stage is the end of the step. The driver then does not solve for them again when it
    /// searches for events. A wrapper that changes `to` must return false. The conformance suite of `liedae-problems` compares
    /// what the step leaves with what solves the equations.
    fn ends_consistent(&self) -> bool {
        false
    }

    /// Whether `step` leaves in `to` the algebraic variables of its end, as implicit methods do that solve for them with the
    /// other unknowns: the driver then checks whether their rows hold there. Explicit methods have those of their last stage, and
    /// [`complete`](Self::complete) solves for the others.
    fn has_algebraic_variables_at_end(&self) -> bool {
        false
    }

    /// Rows without derivatives have been solved in the end `to` of the last step, which is about to be accepted, for x and z as
    /// far as E x does not change: within the tolerances, but by much of their own size where they are smaller. A method that
    /// keeps its own copy of the end must take over these values.
    fn take_solved(&mut self, _to: &State) {}

    /// The last step was refused since rows do not hold at its end, which the method took for solved: it must discard derivatives
    /// that it keeps from earlier steps.
    fn renew_derivatives(&mut self) {}

    /// Whether the last step has verified that its result is finite; otherwise the driver checks all numbers. Only methods of
    /// this crate can return it; wrappers, which may change the result, do not.
    #[doc(hidden)]
    fn finite_state(&self) -> Option<FiniteState> {
        None
    }

    /// Fills in acceleration, multipliers and algebraic variables of an accepted state, to the accuracy of the method. The driver
    /// calls it when an observer reads the state.
    fn complete(&mut self, _system: &mut Evaluator, _state: &mut State) -> Result<(), StepError> {
        Ok(())
    }

    /// Whether the next step begins with what [`complete`](Self::complete) has solved for, and does not solve for it again. The
    /// work then counts as the method's own.
    fn begins_with_completion(&self) -> bool {
        false
    }

    /// Forgets the history and starts anew from `state`, complete and consistent, which has jumped or has its multipliers on
    /// other rows. The energy that projections hold stays the same.
    fn restart(&mut self, _system: &mut Evaluator, _state: &State) -> Result<(), StepError> {
        Ok(())
    }

    /// By how much earlier than the state's configuration its velocity is, in s: half a step in staggered schemes, whose velocity is
    /// that of the middle of the last step. Steps of the driver across singular configurations start from v + lag v', and give the
    /// method v - lag v' to go on with.
    fn velocity_lag(&self) -> f64 {
        0.0
    }

    /// The factor by which the step size is multiplied after a failed step of an adaptive run.
    fn retry_factor(&self) -> f64 {
        0.25
    }

    /// Dense output of its own, of methods that say [`DenseOutput::Own`]. Other methods may have one for some quantities: it
    /// overwrites these in the polynomial of the driver.
    fn dense_output(&mut self) -> Option<&mut dyn OwnDenseOutput> {
        None
    }

    /// The projector onto the energy that a system conserves, of methods that use one. The driver tells it the energy
    /// ([`Projector::keep_energy`]) at the start and where the state has jumped, and projects states at events as well.
    fn energy_projector(&mut self) -> Option<&mut Projector> {
        None
    }

    /// Work done so far, since the start; [`work_of`] has that of an [`AccelerationSolver`], and [`ImplicitEquations::work`] its own.
    fn work(&self) -> Work {
        Work::default()
    }
}

/// Dense output that a method makes itself.
///
/// ```
/// use liedae::integrator::{OwnDenseOutput, StepError};
/// use liedae::manifold::Manifold;
/// use liedae::system::{Evaluator, State};
///
/// /// Straight lines between the ends of a step, on a vector space.
/// struct Straight([State; 2]);
///
/// impl OwnDenseOutput for Straight {
///     fn prepare(&mut self, _system: &mut Evaluator, from: &State, to: &State) -> Result<(), StepError> {
///         self.0 = [from.clone(), to.clone()];
///         Ok(())
///     }
///     fn interpolate(&mut self, _space: &Manifold, t: f64, out: &mut State) {
///         let [from, to] = &self.0;
///         let part = (t - from.t) / (to.t - from.t);
///         out.t = t;
///         for (out, (from, to)) in out.q.iter_mut().zip(from.q.iter().zip(&to.q)) {
///             *out = from + part * (to - from);
///         }
///     }
/// }
///
/// let space = Manifold::euclidean(1);
/// let at = |t, x| State { t, q: vec![x], ..State::new(&space, 0, 0, 0) };
/// let mut between = at(0.0, 0.0);
/// Straight([at(0.0, 0.0), at(2.0, 8.0)]).interpolate(&space, 0.5, &mut between);
/// assert_eq!((between.t, between.q[0]), (0.5, 2.0));
/// ```
pub trait OwnDenseOutput {
    /// Prepares dense output within the step from `from` to `to`. The driver calls it when an observer or an event needs a state
    /// within the last step, before the next step. All evaluations that dense output needs belong here. The step may have been
    /// accepted, and `to` projected, or not yet: events are looked for before.
    fn prepare(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        to: &State,
    ) -> Result<(), StepError>;

    /// Writes the state at time `t` within the step that dense output has been prepared for: configuration, velocity and
    /// differential states to the order of the dense output, accelerations, multipliers and algebraic variables to
    /// the accuracy of the method. The driver sets the modes. For methods without [`DenseOutput::Own`] the driver also provides all
    /// quantities that this function leaves unchanged.
    fn interpolate(&mut self, space: &Manifold, t: f64, out: &mut State);
}

/// Refuses systems with a row of E x' = d beyond the index that a method handles.
pub fn require_index(
    layout: &Layout,
    method: &'static str,
    largest_index: u8,
) -> Result<(), StepError> {
    let indices = &layout.differential_index;
    match indices.iter().position(|&index| index > largest_index) {
        None => Ok(()),
        Some(row) => Err(StepError::Unsupported {
            method,
            reason: format!(
                "row {row} of E x' = d has index {}; this method handles index {largest_index}, radau5 and bdf up to 3",
                indices[row]
            ),
        }),
    }
}

/// Refuses systems with a matrix E other than the identity.
pub fn require_identity_descriptor(layout: &Layout, method: &'static str) -> Result<(), StepError> {
    match layout.descriptor {
        None => Ok(()),
        Some(_) => Err(StepError::Unsupported {
            method,
            reason: "it needs E x' = d with E the identity; use hem5, mdop5 or backward-euler"
                .to_owned(),
        }),
    }
}

/// Work of an [`AccelerationSolver`], for [`Stepper::work`] of methods that solve with it.
pub fn work_of(solver: &AccelerationSolver) -> Work {
    Work {
        factorizations: solver.kkt().factorizations(),
        solves: solver.kkt().solves(),
        newton_iterations: 0,
    }
}
