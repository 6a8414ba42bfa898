//! Steppers that are other steppers: wrappers that change or watch a part of one.

use super::{Attempt, OwnDenseOutput, StepError, Stepper, Work};
use crate::control::ErrorNorm;
use crate::system::{Evaluator, Projector, State};

/// All functions of a stepper, handed on to another one: a single list, so that no wrapper loses dense output or the energy.
macro_rules! hand_on {
    ($self:ident, $shared:expr, $exclusive:expr) => {
        /// As [`Stepper::step`].
        fn step(
            &mut $self,
            system: &mut Evaluator,
            from: &State,
            h: f64,
            norm: &mut ErrorNorm,
            to: &mut State,
        ) -> Result<Attempt, StepError> {
            $exclusive.step(system, from, h, norm, to)
        }
        /// As [`Stepper::accept`].
        fn accept(
            &mut $self,
            system: &mut Evaluator,
            from: &State,
            h: f64,
            to: &mut State,
        ) -> Result<(), StepError> {
            $exclusive.accept(system, from, h, to)
        }
        /// As [`Stepper::repeats_steps`].
        fn repeats_steps(&$self) -> bool {
            $shared.repeats_steps()
        }
        /// As [`Stepper::ends_consistent`].
        fn ends_consistent(&$self) -> bool {
            $shared.ends_consistent()
        }
        /// As [`Stepper::has_algebraic_variables_at_end`].
        fn has_algebraic_variables_at_end(&$self) -> bool {
            $shared.has_algebraic_variables_at_end()
        }
        /// As [`Stepper::take_solved`].
        fn take_solved(&mut $self, to: &State) {
            $exclusive.take_solved(to)
        }
        /// As [`Stepper::renew_derivatives`].
        fn renew_derivatives(&mut $self) {
            $exclusive.renew_derivatives()
        }
        /// As [`Stepper::complete`].
        fn complete(&mut $self, system: &mut Evaluator, state: &mut State) -> Result<(), StepError> {
            $exclusive.complete(system, state)
        }
        /// As [`Stepper::begins_with_completion`].
        fn begins_with_completion(&$self) -> bool {
            $shared.begins_with_completion()
        }
        /// As [`Stepper::restart`].
        fn restart(&mut $self, system: &mut Evaluator, state: &State) -> Result<(), StepError> {
            $exclusive.restart(system, state)
        }
        /// As [`Stepper::velocity_lag`].
        fn velocity_lag(&$self) -> f64 {
            $shared.velocity_lag()
        }
        /// As [`Stepper::retry_factor`].
        fn retry_factor(&$self) -> f64 {
            $shared.retry_factor()
        }
        /// As [`Stepper::dense_output`].
        fn dense_output(&mut $self) -> Option<&mut dyn OwnDenseOutput> {
            $exclusive.dense_output()
        }
        /// As [`Stepper::energy_projector`].
        fn energy_projector(&mut $self) -> Option<&mut Projector> {
            $exclusive.energy_projector()
        }
        /// As [`Stepper::work`].
        fn work(&$self) -> Work {
            $shared.work()
        }
    };
}

/// What a wrapper changes of a stepper: every function has a default that hands on to the inner one. [`WrappedStepper`] makes a
/// stepper of it.
///
/// ```
/// use liedae::control::ErrorNorm;
/// use liedae::integrator::{
///     Attempt, Integrator, Method, StepError, StepSizes, Stepper, StepperWrapper, WrappedStepper,
/// };
/// use liedae::system::{Evaluator, State};
///
/// /// A method whose estimates count ten times as much.
/// struct Cautious<I>(I);
///
/// struct CautiousStepper(Box<dyn Stepper>);
///
/// impl StepperWrapper for CautiousStepper {
///     fn inner(&self) -> &dyn Stepper {
///         self.0.as_ref()
///     }
///     fn inner_mut(&mut self) -> &mut dyn Stepper {
///         self.0.as_mut()
///     }
///     fn step(
///         &mut self,
///         system: &mut Evaluator,
///         from: &State,
///         h: f64,
///         norm: &mut ErrorNorm,
///         to: &mut State,
///     ) -> Result<Attempt, StepError> {
///         let mut attempt = self.0.step(system, from, h, norm, to)?;
///         attempt.error = attempt.error.map(|error| 10.0 * error);
///         Ok(attempt)
///     }
/// }
///
/// impl<I: Integrator> Integrator for Cautious<I> {
///     fn method(&self) -> &'static Method {
///         self.0.method()
///     }
///     fn start(&self, system: &mut Evaluator, state: &State, sizes: StepSizes) -> Result<Box<dyn Stepper>, StepError> {
///         let stepper = CautiousStepper(self.0.start(system, state, sizes)?);
///         Ok(Box::new(WrappedStepper(stepper)))
///     }
///     // What else the method says of itself.
///     fn owns_contacts(&self, system: &mut Evaluator) -> bool {
///         self.0.owns_contacts(system)
///     }
///     fn uses_multipliers(&self, system: &mut Evaluator) -> bool {
///         self.0.uses_multipliers(system)
///     }
/// }
/// ```
pub trait StepperWrapper {
    /// The stepper that is wrapped.
    fn inner(&self) -> &dyn Stepper;

    /// The stepper that is wrapped.
    fn inner_mut(&mut self) -> &mut dyn Stepper;

    hand_on!(self, self.inner(), self.inner_mut());
}

/// The stepper that a [`StepperWrapper`] makes of its inner one.
pub struct WrappedStepper<W>(pub W);

impl<W: StepperWrapper> Stepper for WrappedStepper<W> {
    hand_on!(self, self.0, self.0);
}
