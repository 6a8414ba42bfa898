//! Event functions of contacts and joints, and whose events they are.

use super::resolve::Fired;
use super::wrapped::{contacts_of, finite_gap, joints_of};
use super::{ContactStatus, NonsmoothSystem};
use liedae::system::{
    EvaluationError, EventAction, EventDescription, EventHandling, EventReport, EventResponse,
    Point, State, System,
};

/// A contact that carries nothing, such as one of equal pendulums that swing together, is not opened by the round-off of
/// its force: less than this share of the force that belongs to the threshold acceleration.
const WEIGHTLESS: f64 = 1e-2;

/// A redundant contact has opened towards penetration beyond this share of the largest penetration.
const REDUNDANT_GAP: f64 = 1e-2;

/// Below this share of the gap threshold, round-off may change the sign of a gap right after a rebound; a contact that
/// opens is open there.
const ROUND_OFF: f64 = 1e-3;

/// Sliding has ended at minus this share of the velocity threshold, so that it can begin at zero.
const SLIDING_VELOCITY: f64 = 1e-4;

impl<S: System> NonsmoothSystem<S> {
    /// The offset of the release function: a force below minus this opens a contact.
    fn release_force(&self) -> f64 {
        let relative = self.options.thresholds.force * self.force_scale;
        relative.max(WEIGHTLESS * self.least_force)
    }

    /// The event functions that belong to the present statuses.
    pub(super) fn describe_events(&mut self) {
        self.events.clear();
        self.events.extend_from_slice(self.inner.events());
        if self.handling == EventHandling::Captured {
            return;
        }
        for (contact, status) in self.contacts.iter().zip(&self.statuses.contacts) {
            let label = contact.label.clone();
            self.events.push(if status.has_row() {
                EventDescription::barrier("release", label).of_multipliers()
            } else {
                EventDescription::barrier("impact", label)
            });
        }
        for &contact in &self.frictional {
            let label = self.contacts[contact].label.clone();
            self.events
                .push(if self.statuses.contacts[contact].is_sticking() {
                    EventDescription::barrier("slip", label).of_multipliers()
                } else {
                    EventDescription::barrier("stick", label)
                });
        }
        for (joint, status) in self.joints.iter().zip(&self.statuses.joints) {
            let label = joint.label.clone();
            self.events.push(if status.is_sticking() {
                EventDescription::barrier("slip", label).of_multipliers()
            } else {
                EventDescription::barrier("stick", label)
            });
        }
    }

    /// The number of the first event function of contacts and joints.
    pub(super) fn first_contact_event(&self) -> usize {
        self.inner.events().len()
    }

    /// The event functions of the wrapped system, then a normal one per contact, then a tangential one per contact with
    /// friction, then one per joint with friction.
    pub(super) fn evaluate_events(
        &mut self,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let inner_events = self.first_contact_event();
        let release = self.release_force();
        let own = self
            .structure
            .inner_point(at, self.inner.layout(), &mut self.work.lambda);
        self.inner.event_functions(&own, &mut out[..inner_events])?;
        if self.handling == EventHandling::Captured {
            return Ok(());
        }
        let thresholds = self.options.thresholds;
        let first_normal = self.inner.layout().position_rows;
        let first_stick = self.structure.first_stick();
        let value = |row: usize| at.lambda.get(row).copied().unwrap_or(0.0);
        let (normals, tangents) = out[inner_events..].split_at_mut(self.contacts.len());
        let (tangents, joints) = tangents.split_at_mut(self.frictional.len());
        for (joint, slot) in joints.iter_mut().enumerate() {
            let status = self.statuses.joints[joint];
            let law = &self.joints[joint];
            *slot = if let Some(sign) = status.sliding() {
                let velocity = joints_of(&mut self.inner, at.t)?.joint_velocity(joint, &own)?;
                sign * velocity + SLIDING_VELOCITY * thresholds.velocity
            } else if let Some(row) = self.structure.row_of_joint(joint) {
                let limit = law.friction * law.normal_force(own.lambda);
                limit + self.slip_forces[joint] - value(row).abs()
            } else {
                1.0
            };
        }
        if self.contacts.is_empty() {
            return Ok(());
        }
        let unilateral = contacts_of(&mut self.inner, at.t)?;
        let mut row = first_normal;
        for (contact, slot) in normals.iter_mut().enumerate() {
            let status = self.statuses.contacts[contact];
            *slot = if status.has_row() {
                row += 1;
                value(row - 1) + release
            } else {
                let gap = finite_gap(
                    unilateral.gap(contact, &own)?,
                    &self.contacts[contact],
                    at.t,
                )?;
                match status {
                    ContactStatus::Open if gap.abs() < ROUND_OFF * thresholds.gap => {
                        let rate = unilateral.gap_rate(contact, &own)?;
                        if rate > thresholds.velocity {
                            ROUND_OFF * thresholds.gap
                        } else {
                            gap
                        }
                    }
                    ContactStatus::Open => gap,
                    ContactStatus::Separating => gap + thresholds.gap,
                    // Drift of the rows that imply it is no penetration.
                    _ => gap + REDUNDANT_GAP * thresholds.penetration,
                }
            };
        }
        for (slot, &contact) in tangents.iter_mut().zip(&self.frictional) {
            let status = self.statuses.contacts[contact];
            *slot = if let Some(sign) = status.sliding() {
                let mut sliding = [0.0];
                unilateral.sliding_velocity(contact, &own, &mut sliding)?;
                sign * sliding[0] + SLIDING_VELOCITY * thresholds.velocity
            } else if status == ContactStatus::Sticking {
                let place = |list: &[usize]| list.iter().position(|&other| other == contact);
                match (
                    place(&self.structure.normals),
                    place(&self.structure.sticks),
                ) {
                    (Some(normal), Some(stick)) => {
                        self.contacts[contact].friction * (value(first_normal + normal) + release)
                            - value(first_stick + stick).abs()
                    }
                    _ => 1.0,
                }
            } else {
                1.0
            };
        }
        Ok(())
    }

    /// Hands events to the wrapped system and to the contacts.
    pub(super) fn handle_located(
        &mut self,
        events: &[usize],
        state: &mut State,
    ) -> Result<EventResponse, EvaluationError> {
        let first = self.first_contact_event();
        let own: Vec<usize> = events
            .iter()
            .copied()
            .filter(|&event| event < first)
            .collect();
        let mut response = EventResponse::from(EventAction::Continue);
        if !own.is_empty() {
            let (answer, inner_state) = self.with_inner_state(state, |inner, own_state| {
                inner.handle_events(&own, own_state)
            });
            response = answer?;
            self.store_inner_state(inner_state, state);
            if response.action == EventAction::Continue && own.len() == events.len() {
                return Ok(response);
            }
        }
        let mut fired = Fired::default();
        for &event in events.iter().filter(|&&event| event >= first) {
            let contact = event - first;
            let tangential = contact.wrapping_sub(self.contacts.len());
            if contact >= self.contacts.len() + self.frictional.len() {
                fired.joints.push(tangential - self.frictional.len());
            } else if contact >= self.contacts.len() {
                fired.tangential.push(self.frictional[tangential]);
            } else if self.statuses.contacts[contact].has_row() {
                fired.releases.push(contact);
            } else {
                fired.impacts.push(contact);
            }
        }
        if self.hands_over(&fired, state.t) {
            self.handing_over = true;
            let contacts = fired.impacts.iter().map(|&contact| &self.contacts[contact]);
            let reports = contacts.map(|contact| EventReport::new("capture", &contact.label));
            return Ok(EventResponse {
                action: EventAction::Stop,
                reports: Some(reports.collect()),
            });
        }
        self.respond(&fired, response, state)
    }
}
