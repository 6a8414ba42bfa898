//! From a [`ContactModel`] to a system with contacts: every derivative comes from forward-mode duals.

mod contacts;
mod derivatives;
mod joints;

use crate::{
    Contact, ContactModel, Contacts, FrictionJoint, FrictionJoints, UnilateralConstraints,
    UnseenContacts,
};
use liedae::scalar::{Dual, Taylor2};
use liedae::system::derivatives::{Arguments, CHUNK, NestedDuals};
use liedae::system::{
    Automatic, EvaluationError, EventHandling, EventReport, State, System, Wrapped, Wrapper,
};

/// A [`ContactModel`] as a system: [`Automatic`] for what is smooth, and the same for gaps and sliding velocities.
///
/// Nothing is allocated after construction.
pub(crate) struct AutomaticContacts<M> {
    smooth: Automatic<M>,
    contacts: Vec<Contact>,
    /// The velocities that the rows of each contact act on.
    touched: Vec<Vec<usize>>,
    friction_joints: Vec<FrictionJoint>,
    /// The velocities that the friction of each joint acts on.
    rubbed: Vec<Vec<usize>>,
    dual: Arguments<Dual<CHUNK>>,
    curve: Arguments<Taylor2>,
    nested: NestedDuals,
}

impl<M: ContactModel> AutomaticContacts<M> {
    /// Makes a system of a model.
    pub fn wrap(model: M) -> Wrapped<Self> {
        let (contacts, friction_joints) = (model.contacts(), model.friction_joints());
        let smooth = Automatic::new(model);
        let layout = smooth.layout();
        let touched = contacts.iter();
        let touched = touched.map(|contact| contact.acts_on(layout.dimension()));
        let rubbed = friction_joints.iter();
        let rubbed = rubbed.map(|joint| joint.acts_on(layout.dimension()));
        Wrapped(Self {
            touched: touched.collect(),
            contacts,
            rubbed: rubbed.collect(),
            friction_joints,
            dual: Arguments::new(layout),
            curve: Arguments::new(layout),
            nested: NestedDuals::new(layout),
            smooth,
        })
    }
}

impl<M: ContactModel> Wrapper for AutomaticContacts<M> {
    type Inner = Automatic<M>;

    fn inner(&self) -> &Self::Inner {
        &self.smooth
    }

    fn inner_mut(&mut self) -> &mut Self::Inner {
        &mut self.smooth
    }
}

impl<M: ContactModel + 'static> Contacts for Wrapped<AutomaticContacts<M>> {
    fn unilateral(&mut self) -> Option<&mut dyn UnilateralConstraints> {
        (!self.0.contacts.is_empty()).then_some(&mut self.0)
    }

    fn joint_friction(&mut self) -> Option<&mut dyn FrictionJoints> {
        (!self.0.friction_joints.is_empty()).then_some(&mut self.0)
    }

    fn prepare_with_contacts(
        &mut self,
        _state: &mut State,
        _events: EventHandling,
    ) -> Result<Vec<EventReport>, EvaluationError> {
        let model = self.0.smooth.model();
        match self.0.touched.is_empty() && self.0.friction_joints.is_empty() || model.needs_layer()
        {
            true => Ok(Vec::new()),
            false => Err(EvaluationError::own(UnseenContacts::NotSaid)),
        }
    }
}
