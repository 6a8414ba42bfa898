//! Systems with contacts and joints that may stick.

use super::checks::check_contacts;
use crate::automatic::AutomaticContacts;
use crate::{ContactModel, FrictionJoints, UnilateralConstraints};
use liedae::system::{
    EvaluationError, EventHandling, EventReport, State, System, Wrapped, Wrapper,
};
use std::any::{Any, TypeId};
use thiserror::Error;

/// A system with contacts, with joints that may stick, or both. [`contact_system`] makes a [`ContactSystem`] of it.
///
/// Without that no contact is handled: its [`System::prepare`] should return an error ([`refuse_unseen`]).
pub trait Contacts: System + Any {
    /// The unilateral constraints, where the system has any.
    fn unilateral(&mut self) -> Option<&mut dyn UnilateralConstraints> {
        None
    }

    /// The joints with friction that may stick, where the system has any.
    fn joint_friction(&mut self) -> Option<&mut dyn FrictionJoints> {
        None
    }

    /// As [`System::prepare`], called in its place by the layer that handles the contacts.
    fn prepare_with_contacts(
        &mut self,
        state: &mut State,
        events: EventHandling,
    ) -> Result<Vec<EventReport>, EvaluationError>;
}

/// The error for systems with contacts or joints that may stick, if no layer handles them.
pub fn refuse_unseen(system: &mut dyn Contacts) -> Result<(), EvaluationError> {
    if system.unilateral().is_some() {
        return Err(EvaluationError::own(UnseenContacts::Contacts));
    }
    if system.joint_friction().is_some() {
        return Err(EvaluationError::own(UnseenContacts::FrictionJoints));
    }
    Ok(())
}

/// A system with contacts as a [`System`]. Methods that capture events run on it; for all others
/// [`NonsmoothSystem`](crate::NonsmoothSystem) locates its events.
pub type ContactSystem = Wrapped<ContactPart>;

/// The system of a model, with derivatives by duals.
pub fn with_contacts(model: impl ContactModel + 'static) -> ContactSystem {
    contact_system(AutomaticContacts::wrap(model))
}

/// Makes a [`ContactSystem`] of a system with contacts and its own derivatives. A [`ContactSystem`] is returned unchanged.
pub fn contact_system<T: Contacts + 'static>(system: T) -> ContactSystem {
    let mut layer: fn(T) -> ContactSystem = |system| {
        Wrapped(ContactPart {
            system: Box::new(system),
        })
    };
    // Both functions are of one type where T is a ContactSystem, and nowhere else: a second layer would cost a dynamic call for
    // each evaluation.
    let any: &mut dyn Any = &mut layer;
    if let Some(layer) = any.downcast_mut::<fn(ContactSystem) -> ContactSystem>() {
        *layer = std::convert::identity;
    }
    layer(system)
}

fn contact_part(system: &mut dyn System) -> Option<&mut ContactPart> {
    let wanted = TypeId::of::<ContactPart>();
    system.extension(wanted)?.downcast_mut()
}

/// The unilateral constraints of a system, also below a [`NonsmoothSystem`](crate::NonsmoothSystem) and wrappers; `None` without.
pub fn unilateral(system: &mut dyn System) -> Option<&mut dyn UnilateralConstraints> {
    contact_part(system)?.unilateral()
}

/// The joints that may stick of a system, as [`unilateral`].
pub fn joint_friction(system: &mut dyn System) -> Option<&mut dyn FrictionJoints> {
    contact_part(system)?.joint_friction()
}

/// What a [`ContactSystem`] adds to a system.
///
/// ```
/// use liedae::prelude::*;
/// use liedae_contact::{Contact, ContactModel, ContactPart, with_contacts};
///
/// /// A ball 1 m above a floor.
/// struct Ball;
/// # impl Model for Ball {
/// #     fn layout(&self) -> Layout { Layout::dense(Manifold::euclidean(1)) }
/// #     fn initial_state(&self) -> State {
/// #         State { q: vec![1.0], v: vec![0.0], ..self.layout().state() }
/// #     }
/// #     fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
/// #         mass[(0, 0)] = S::constant(1.0);
/// #     }
/// #     fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) { force[0] = S::constant(-10.0); }
/// #     fn needs_layer(&self) -> bool { true }
/// # }
///
/// impl ContactModel for Ball {
///     fn contacts(&self) -> Vec<Contact> { vec![Contact::new("floor", 0.5)] }
///     fn gap<S: Scalar>(&self, _contact: usize, at: &Point<S>) -> S { at.q[0] }
/// }
///
/// let mut system = with_contacts(Ball);
/// let start = system.initial_state();
/// let part: &mut ContactPart = &mut system.0;
/// assert!(part.joint_friction().is_none());
/// let contacts = part.unilateral().ok_or("it has a contact")?;
/// assert_eq!(contacts.gap(0, &start.point())?, 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ContactPart {
    system: Box<dyn Contacts>,
}

/// The error that no layer handles the contacts of a system.
///
/// ```
/// use liedae::prelude::*;
/// use liedae::system::EvaluationError;
/// use liedae_contact::{Contact, ContactModel, UnseenContacts, refuse_unseen, with_contacts};
///
/// /// A ball above a floor.
/// struct Ball;
/// # impl Model for Ball {
/// #     fn layout(&self) -> Layout { Layout::dense(Manifold::euclidean(1)) }
/// #     fn initial_state(&self) -> State {
/// #         State { q: vec![1.0], v: vec![0.0], ..self.layout().state() }
/// #     }
/// #     fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
/// #         mass[(0, 0)] = S::constant(1.0);
/// #     }
/// #     fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) { force[0] = S::constant(-10.0); }
/// #     fn needs_layer(&self) -> bool { true }
/// # }
///
/// impl ContactModel for Ball {
///     fn contacts(&self) -> Vec<Contact> { vec![Contact::new("floor", 0.5)] }
///     fn gap<S: Scalar>(&self, _contact: usize, at: &Point<S>) -> S { at.q[0] }
/// }
///
/// // Methods that see no contacts would let it fall through.
/// let refused = refuse_unseen(&mut with_contacts(Ball));
/// let Err(EvaluationError::Foreign(error)) = refused else { panic!("it has a contact") };
/// assert_eq!(error.downcast_ref(), Some(&UnseenContacts::Contacts));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum UnseenContacts {
    /// Contacts.
    #[error(
        "the system has contacts, which nobody looks after: let NonsmoothSystem locate them as events, or give what contact_system \
         makes of it to a method that captures events, such as moreau-jean"
    )]
    Contacts,
    /// A model with contacts that would run without them.
    #[error(
        "the model has contacts or joints that may stick: add `fn needs_layer(&self) -> bool {{ true }}` to its `impl Model`, so that it \
         is refused where nobody looks after them"
    )]
    NotSaid,
    /// Joints that may stick.
    #[error(
        "the system has joints that may stick, which nobody looks after: let NonsmoothSystem locate sticking and slipping as events, \
         or give what contact_system makes of it to a method that captures events, such as moreau-jean"
    )]
    FrictionJoints,
}

impl ContactPart {
    /// The system that was given to [`contact_system`], if it is of this type: a mechanism, whose reactions are asked for.
    pub fn get<T: 'static>(&self) -> Option<&T> {
        let system: &dyn Any = &*self.system;
        system.downcast_ref()
    }

    /// The unilateral constraints, if there are any.
    pub fn unilateral(&mut self) -> Option<&mut dyn UnilateralConstraints> {
        self.system.unilateral()
    }

    /// The joints with friction that may stick, if there are any.
    pub fn joint_friction(&mut self) -> Option<&mut dyn FrictionJoints> {
        self.system.joint_friction()
    }
}

impl Wrapper for ContactPart {
    type Inner = dyn Contacts;

    fn inner(&self) -> &Self::Inner {
        &*self.system
    }

    fn inner_mut(&mut self) -> &mut Self::Inner {
        &mut *self.system
    }

    fn extension(&mut self, wanted: TypeId) -> Option<&mut dyn Any> {
        if wanted == TypeId::of::<Self>() {
            Some(self)
        } else {
            self.system.extension(wanted)
        }
    }

    /// Refuses methods that do not see contacts, and checks what contacts and joints promise.
    fn prepare(
        &mut self,
        state: &mut State,
        events: EventHandling,
    ) -> Result<Vec<EventReport>, EvaluationError> {
        if events != EventHandling::Captured {
            refuse_unseen(&mut *self.system)?;
        }
        check_contacts(&mut *self.system, state).map_err(EvaluationError::own)?;
        self.system.prepare_with_contacts(state, events)
    }
}

/// A wrapper changes a part of what is smooth; the contacts below stay what they are.
impl<W> Contacts for Wrapped<W>
where
    W: Wrapper + 'static,
    W::Inner: Contacts,
{
    fn unilateral(&mut self) -> Option<&mut dyn UnilateralConstraints> {
        self.0.inner_mut().unilateral()
    }

    fn joint_friction(&mut self) -> Option<&mut dyn FrictionJoints> {
        self.0.inner_mut().joint_friction()
    }

    fn prepare_with_contacts(
        &mut self,
        state: &mut State,
        events: EventHandling,
    ) -> Result<Vec<EventReport>, EvaluationError> {
        self.0.inner_mut().prepare_with_contacts(state, events)
    }
}

impl Contacts for Box<dyn Contacts> {
    fn unilateral(&mut self) -> Option<&mut dyn UnilateralConstraints> {
        (**self).unilateral()
    }

    fn joint_friction(&mut self) -> Option<&mut dyn FrictionJoints> {
        (**self).joint_friction()
    }

    fn prepare_with_contacts(
        &mut self,
        state: &mut State,
        events: EventHandling,
    ) -> Result<Vec<EventReport>, EvaluationError> {
        (**self).prepare_with_contacts(state, events)
    }
}
