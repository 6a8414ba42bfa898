//! The gauge by which a caller reads the impulses of a run.

use super::contacts::ContactImpulse;
use super::joints::JointImpulse;
use liedae::integrator::Probe;

/// Shows the impulses of the last accepted step of a [`MoreauJean`](super::MoreauJean::measuring_impulses), in the latest run.
/// Its clones show the same.
///
/// ```
/// use liedae::prelude::*;
/// use liedae_contact::capturing::{ImpulseGauge, MoreauJean};
/// use liedae_contact::{Contact, ContactModel, with_contacts};
///
/// /// A ball of 1 kg that falls from 5 m into mud and stays there.
/// struct Ball;
/// # impl Model for Ball {
/// #     fn layout(&self) -> Layout { Layout::dense(Manifold::euclidean(1)) }
/// #     fn initial_state(&self) -> State {
/// #         State { q: vec![5.0], v: vec![0.0], ..self.layout().state() }
/// #     }
/// #     fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
/// #         mass[(0, 0)] = S::constant(1.0);
/// #     }
/// #     fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) { force[0] = S::constant(-10.0); }
/// #     fn needs_layer(&self) -> bool { true }
/// # }
///
/// impl ContactModel for Ball {
///     fn contacts(&self) -> Vec<Contact> { vec![Contact::new("floor", 0.0)] }
///     fn gap<S: Scalar>(&self, _contact: usize, at: &Point<S>) -> S { at.q[0] }
/// }
///
/// let gauge = ImpulseGauge::default();
/// assert!(gauge.contacts().is_empty());
/// let method = MoreauJean::default().measuring_impulses(&gauge);
/// // It flies for 1 s; in a step of 0.01 s its weight then gives 0.1 N s.
/// for (t_end, impulse) in [(0.9, 0.0), (1.5, 0.1)] {
///     solve(&mut with_contacts(Ball), &method, &Options::fixed(t_end, 0.01))?;
///     assert!((gauge.contacts()[0].normal - impulse).abs() < 1e-12);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ImpulseGauge(Probe<Impulses>);

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
