//! Systems that are other systems: references, boxes, and wrappers that change a part of one.

use crate::system::{
    Balance, BalanceDerivatives, Branches, Energy, EvaluationError, EventHandling, EventReport,
    Events, Labels, Layout, Outputs, Point, Properties, RatesJacobian, SecondDerivatives, Spatial,
    State, System, Wanted,
};
use std::any::{Any, TypeId};

/// All functions of a system, handed on to another one: a single list, so that no wrapper loses events, contacts or the energy.
macro_rules! hand_on {
    ($self:ident, $shared:expr, $exclusive:expr) => {
        /// As [`System::layout`].
        fn layout(&$self) -> &Layout {
            $shared.layout()
        }
        /// As [`System::initial_state`].
        fn initial_state(&$self) -> State {
            $shared.initial_state()
        }
        /// As [`System::mass_matrix`].
        fn mass_matrix(&mut $self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
            $exclusive.mass_matrix(at, out)
        }
        /// As [`System::rates`].
        fn rates(&mut $self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
            $exclusive.rates(at, out)
        }
        /// As [`System::rates_jacobian`].
        fn rates_jacobian(
            &mut $self,
            at: &Point,
            out: &mut RatesJacobian,
        ) -> Result<(), EvaluationError> {
            $exclusive.rates_jacobian(at, out)
        }
        /// As [`System::position_constraint`].
        fn position_constraint(
            &mut $self,
            at: &Point,
            out: &mut [f64],
        ) -> Result<(), EvaluationError> {
            $exclusive.position_constraint(at, out)
        }
        /// As [`System::velocity_constraint`].
        fn velocity_constraint(
            &mut $self,
            at: &Point,
            out: &mut [f64],
        ) -> Result<(), EvaluationError> {
            $exclusive.velocity_constraint(at, out)
        }
        /// As [`System::constraint_jacobian`].
        fn constraint_jacobian(
            &mut $self,
            at: &Point,
            out: &mut [f64],
        ) -> Result<(), EvaluationError> {
            $exclusive.constraint_jacobian(at, out)
        }
        /// As [`System::acceleration_bias`].
        fn acceleration_bias(
            &mut $self,
            at: &Point,
            out: &mut [f64],
        ) -> Result<(), EvaluationError> {
            $exclusive.acceleration_bias(at, out)
        }
        /// As [`System::second_derivatives`].
        fn second_derivatives(&mut $self) -> Option<&mut dyn SecondDerivatives> {
            $exclusive.second_derivatives()
        }
        /// As [`System::outputs`].
        fn outputs(&mut $self) -> Option<&mut dyn Outputs> {
            $exclusive.outputs()
        }
        /// As [`System::branches`].
        fn branches(&mut $self) -> Option<&mut dyn Branches> {
            $exclusive.branches()
        }
        /// As [`System::energy`].
        fn energy(&mut $self) -> Option<&mut dyn Energy> {
            $exclusive.energy()
        }
        /// As [`System::properties`].
        fn properties(&mut $self) -> Option<&mut dyn Properties> {
            $exclusive.properties()
        }
        /// As [`System::labels`].
        fn labels(&$self) -> Option<&dyn Labels> {
            $shared.labels()
        }
        /// As [`System::spatial`].
        fn spatial(&$self) -> Option<&dyn Spatial> {
            $shared.spatial()
        }
        /// As [`System::extension`].
        fn extension(&mut $self, wanted: TypeId) -> Option<&mut dyn Any> {
            $exclusive.extension(wanted)
        }
        /// As [`System::events`].
        fn events(&mut $self) -> Option<&mut dyn Events> {
            $exclusive.events()
        }
        /// As [`System::prepare`].
        fn prepare(
            &mut $self,
            state: &mut State,
            events: EventHandling,
        ) -> Result<Vec<EventReport>, EvaluationError> {
            $exclusive.prepare(state, events)
        }
    };
}

/// The functions that a wrapper must not inherit: they would go round what the wrapper changes.
macro_rules! hand_on_together {
    () => {
        fn balance(
            &mut self,
            at: &Point,
            acceleration: &[f64],
            wanted: &mut Balance,
        ) -> Result<bool, EvaluationError> {
            (**self).balance(at, acceleration, wanted)
        }

        fn balance_derivatives(
            &mut self,
            at: &Point,
            acceleration: &[f64],
            wanted: &mut BalanceDerivatives,
        ) -> Result<bool, EvaluationError> {
            (**self).balance_derivatives(at, acceleration, wanted)
        }

        fn at_point(&mut self, at: &Point, wanted: &mut Wanted) -> Result<bool, EvaluationError> {
            (**self).at_point(at, wanted)
        }
    };
}

impl<S: System + ?Sized> System for &mut S {
    hand_on!(self, (**self), (**self));
    hand_on_together!();
}

impl<S: System + ?Sized> System for Box<S> {
    hand_on!(self, (**self), (**self));
    hand_on_together!();
}

/// The changes that a wrapper makes to a system: every function has a default that calls the inner system. [`Wrapped`] makes a
/// system of it.
///
/// A wrapper that changes [`rates`](Self::rates), a constraint or the mass matrix must change their derivatives as well, since
/// those of the inner system no longer fit. It must also check the layout: whether the mass is still constant
/// ([`Layout::constant_mass`](crate::system::Layout::constant_mass)), and, if it adds rows, whether joints are still regular
/// ([`Layout::regular_joints`](crate::system::Layout::regular_joints)). A wrapper that adds forces that do work (drag, drives)
/// must change [`energy`](Self::energy) as well: otherwise projections restore the energy of a conservative system
/// ([`Energy::is_kept`](crate::system::Energy::is_kept)) after every step.
///
/// ```
/// use liedae::prelude::*;
/// use liedae::system::{EvaluationError, Wrapped, Wrapper};
///
/// /// A system whose forces are counted.
/// struct Counted<S> {
///     inner: S,
///     evaluations: usize,
/// }
///
/// impl<S: System> Wrapper for Counted<S> {
///     type Inner = S;
///     fn inner(&self) -> &S {
///         &self.inner
///     }
///     fn inner_mut(&mut self) -> &mut S {
///         &mut self.inner
///     }
///     fn rates(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
///         self.evaluations += 1;
///         self.inner.rates(at, out)
///     }
/// }
///
/// fn run(system: &mut dyn System) -> Result<usize, Box<dyn std::error::Error>> {
///     let mut counted = Wrapped(Counted { inner: system, evaluations: 0 });
///     let method = MethodRegistry::standard().build("hem5", &MethodOptions::default())?;
///     solve(&mut counted, method.as_ref(), &Options::adaptive(1.0, 1e-6, 1e-6))?;
///     Ok(counted.0.evaluations)
/// }
/// ```
pub trait Wrapper {
    /// The system that is wrapped.
    type Inner: System + ?Sized;

    /// The system that is wrapped.
    fn inner(&self) -> &Self::Inner;

    /// The system that is wrapped.
    fn inner_mut(&mut self) -> &mut Self::Inner;

    hand_on!(self, self.inner(), self.inner_mut());
}

/// The system that a [`Wrapper`] makes of its inner one.
pub struct Wrapped<W>(pub W);

impl<W: Wrapper> System for Wrapped<W> {
    hand_on!(self, self.0, self.0);
}
