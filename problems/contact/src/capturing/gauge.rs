//! What the impulses of a run are read from.

use super::contacts::ContactImpulse;
use super::joints::JointImpulse;
use liedae::integrator::Gauge;

/// Shows the impulses of the last accepted step of a [`MoreauJean`](super::MoreauJean::measuring_impulses), in the latest run.
/// Its clones show the same.
#[derive(Clone, Debug, Default)]
pub struct ImpulseGauge(Gauge<Impulses>);

#[derive(Debug, Default)]
struct Impulses {
    contacts: Vec<ContactImpulse>,
    joints: Vec<JointImpulse>,
}

impl ImpulseGauge {
    /// Impulses of the contacts, in their order; zero before the first step, empty without contacts.
    pub fn contacts(&self) -> Vec<ContactImpulse> {
        self.0.read().contacts.clone()
    }

    /// Impulses of the joints with friction, in their order; zero before the first step, empty without such joints.
    pub fn joints(&self) -> Vec<JointImpulse> {
        self.0.read().joints.clone()
    }

    pub(super) fn clear(&self) {
        self.show(&[], &[]);
    }

    /// Allocates nothing where as many were shown before.
    pub(super) fn show(&self, contacts: &[ContactImpulse], joints: &[JointImpulse]) {
        let mut impulses = self.0.write();
        impulses.contacts.clear();
        impulses.contacts.extend_from_slice(contacts);
        impulses.joints.clear();
        impulses.joints.extend_from_slice(joints);
    }
}
