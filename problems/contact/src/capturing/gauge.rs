//! What the impulses of a run are read from.

use super::contacts::ContactImpulse;
use super::joints::JointImpulse;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Shows the impulses of the last accepted step of a [`MoreauJean`](super::MoreauJean::measuring_impulses), in the latest run.
/// Its clones show the same.
#[derive(Clone, Debug, Default)]
pub struct ImpulseGauge {
    impulses: Arc<Mutex<Impulses>>,
}

#[derive(Debug, Default)]
struct Impulses {
    contacts: Vec<ContactImpulse>,
    joints: Vec<JointImpulse>,
}

impl ImpulseGauge {
    /// Impulses of the contacts, in their order; zero before the first step, empty without contacts.
    pub fn contacts(&self) -> Vec<ContactImpulse> {
        self.lock().contacts.clone()
    }

    /// Impulses of the joints with friction, in their order; zero before the first step, empty without such joints.
    pub fn joints(&self) -> Vec<JointImpulse> {
        self.lock().joints.clone()
    }

    pub(super) fn clear(&self) {
        self.show(&[], &[]);
    }

    /// Allocates nothing where as many were shown before.
    pub(super) fn show(&self, contacts: &[ContactImpulse], joints: &[JointImpulse]) {
        let mut impulses = self.lock();
        impulses.contacts.clear();
        impulses.contacts.extend_from_slice(contacts);
        impulses.joints.clear();
        impulses.joints.extend_from_slice(joints);
    }

    fn lock(&self) -> MutexGuard<'_, Impulses> {
        // Any numbers can be read, also those that a panic elsewhere left.
        self.impulses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
