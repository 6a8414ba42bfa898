//! Outputs of a system with contacts: the wrapped system's, then gaps and forces.

use crate::capturing::{ContactImpulse, JointImpulse};
use crate::closed::force_distribution::ForceDistribution;
use crate::equations::Equations;
use crate::{Contact, FrictionJoint};
use liedae::system::{
    EvaluationError, State, System, output_definitions, output_names, output_values,
};

/// Names and values of all outputs.
pub(crate) struct ContactOutputs {
    pub names: Vec<String>,
    /// What those are that the wrapped system does not have.
    definitions: Vec<String>,
}

/// What the gap of a contact is, as outputs define it.
///
/// ```
/// use liedae_contact::{Contact, gap_definition};
///
/// assert_eq!(gap_definition(&Contact::new("floor", 0.5)), "gap of contact floor, negative where it is penetrated, m");
/// ```
pub fn gap_definition(contact: &Contact) -> String {
    let unit = if contact.angular { "rad" } else { "m" };
    let label = &contact.label;
    format!("gap of contact {label}, negative where it is penetrated, {unit}")
}

impl ContactOutputs {
    /// Behind those of the wrapped system, `names`: gap, normal force and friction of each contact, in space
    /// the length of its friction; normal force and friction of each
    /// joint.
    pub fn new(mut names: Vec<String>, contacts: &[Contact], joints: &[FrictionJoint]) -> Self {
        let mut definitions = Vec::new();
        let mut add = |name: String, definition: String| {
            names.push(name);
            definitions.push(definition);
        };
        for contact in contacts {
            let label = &contact.label;
            add(format!("{label}.gap"), gap_definition(contact));
            let force = match contact.angular {
                true => "normal moment of contact {}, which opens it, at least 0, N m",
                false => "normal force of contact {}, which pushes the bodies apart, at least 0, N",
            };
            add(format!("{label}.force"), force.replace("{}", label));
            if contact.rubs_in() > 0 {
                let friction = match contact.is_spatial() {
                    true => "magnitude of the friction force of contact {}, N",
                    false => {
                        "friction force of contact {} in the direction of its sliding velocity, negative where that is positive, N"
                    }
                };
                add(format!("{label}.friction"), friction.replace("{}", label));
            }
        }
        for joint in joints {
            let label = &joint.label;
            add(
                format!("{label}.normal"),
                format!(
                    "normal force of the joint {label}, the sum over its supports of magnitudes, N"
                ),
            );
            add(
                format!("{label}.friction"),
                format!(
                    "friction force of the joint {label} in the direction of its sliding velocity, negative where that is positive, N"
                ),
            );
        }
        Self { names, definitions }
    }

    /// What all outputs are.
    pub fn definitions(&self, equations: &mut Equations) -> Vec<Option<String>> {
        let mut known = output_definitions(&mut equations.inner);
        known.extend(self.definitions.iter().cloned().map(Some));
        known
    }

    /// All values; those who share forces have been given their shares.
    pub fn evaluate(
        &self,
        equations: &mut Equations,
        sharing: &ForceDistribution,
        state: &State,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let at = state.point();
        let own = output_names(&mut equations.inner).len();
        let changes = &sharing.changes;
        equations.with_inner_state(state, |inner, inner_state| {
            for (multiplier, change) in inner_state.lambda.iter_mut().zip(changes) {
                *multiplier += change;
            }
            output_values(inner, inner_state, &mut out[..own])
        })?;
        let first_slide = equations.inner.layout().algebraic;
        let mut slot = own;
        for contact in 0..equations.contacts.len() {
            out[slot] = equations.gap_of(contact, &at)?;
            let value = |index: usize| state.lambda.get(index).copied().unwrap_or(0.0);
            let shared = sharing.forces(contact);
            let structure = &equations.structure;
            out[slot + 1] = match shared {
                Some([normal, _]) => normal,
                None => structure
                    .normal_force(contact, &state.lambda)
                    .unwrap_or(0.0),
            };
            slot += 2;
            if equations.contacts[contact].rubs_in() > 0 {
                let sliding = structure.variable_of(contact).and_then(|index| {
                    let sign = structure.pressed[index].sliding?;
                    Some((index, sign))
                });
                let stick = structure.rows_of_stick(contact);
                out[slot] = match (shared, stick, sliding) {
                    (Some([_, friction]), ..) => friction,
                    (None, Some(rows), _) if equations.contacts[contact].is_spatial() => {
                        rows.map(value).fold(0.0, f64::hypot)
                    }
                    (None, Some(rows), _) => value(rows.start),
                    (None, None, Some((index, sign))) => {
                        let normal = state.z.get(first_slide + index).copied().unwrap_or(0.0);
                        let law = &equations.contacts[contact];
                        let signed = -law.friction * sign * normal;
                        if law.is_spatial() {
                            signed.abs()
                        } else {
                            signed
                        }
                    }
                    (None, None, None) => 0.0,
                };
                slot += 1;
            }
        }
        for joint in 0..equations.joints.len() {
            [out[slot], out[slot + 1]] = match sharing.joint_friction(joint) {
                Some(friction) => [equations.pressing(joint, &at, changes), friction],
                None => equations.joint_forces(joint, &at),
            };
            slot += 2;
        }
        Ok(())
    }

    /// Puts forces of a step over those of rows, of which there are none where events are captured.
    pub fn show_captured(&self, forces: &CapturedForces, contacts: &[Contact], out: &mut [f64]) {
        let own: usize = contacts
            .iter()
            .map(|contact| 2 + usize::from(contact.rubs_in() > 0))
            .sum();
        let mut slot = self.names.len() - own - 2 * forces.joints.len();
        for (contact, [normal, friction]) in contacts.iter().zip(&forces.contacts) {
            out[slot + 1] = *normal;
            slot += 2;
            if contact.rubs_in() > 0 {
                out[slot] = *friction;
                slot += 1;
            }
        }
        for joint in &forces.joints {
            out[slot..slot + 2].copy_from_slice(joint);
            slot += 2;
        }
    }
}

/// Mean forces of a step in which impacts are captured: normal force and friction, in space its length.
#[derive(Debug)]
pub(crate) struct CapturedForces {
    contacts: Vec<[f64; 2]>,
    joints: Vec<[f64; 2]>,
}

impl CapturedForces {
    /// Before the first step.
    pub fn none([contacts, joints]: [usize; 2]) -> Self {
        let none = |count| vec![[0.0; 2]; count];
        Self {
            contacts: none(contacts),
            joints: none(joints),
        }
    }

    /// Takes the impulses of a step of length h.
    pub fn take(&mut self, contacts: &[ContactImpulse], joints: &[JointImpulse], h: f64) {
        for (force, impulse) in self.contacts.iter_mut().zip(contacts) {
            *force = [impulse.normal, impulse.friction()].map(|part| part / h);
        }
        for (force, impulse) in self.joints.iter_mut().zip(joints) {
            *force = [impulse.normal, impulse.friction].map(|part| part / h);
        }
    }
}
