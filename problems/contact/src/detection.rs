//! Event functions of contacts and joints, and whose events they are.

use crate::closed::sharing::Sharing;
use crate::equations::Equations;
use crate::equations::correction::ROUND_OFF;
use crate::equations::relative::Inside;
use crate::equations::wrapped::{contacts_of, finite_gap, joints_of};
use crate::margins::Margins;
use crate::participants::Fired;
use crate::{Contact, ContactStatus, Thresholds};
use liedae::system::{
    Direction, EvaluationError, EventDescription, EventHandling, Point, System, event_descriptions,
};

/// A redundant contact has opened towards penetration beyond this share of the largest penetration.
const REDUNDANT_GAP: f64 = 1e-2;

/// What has just been released and does not approach may seem to penetrate by this share of the largest penetration.
const SEPARATING_GAP: f64 = 0.5;

/// While it opens, by this share: less than what counts as penetrated.
const OPENING_GAP: f64 = 0.9;

/// Sliding has ended at minus this share of the velocity threshold, so that it can begin at zero. What was slower than the
/// threshold may have begun to slide against the velocity that was left: that much is granted beside it.
const SLIDING_VELOCITY: f64 = 1e-4;

/// The event functions of a run: whose they are, in which order, and what they are now.
pub(crate) struct Detection {
    /// How events are handled in this run.
    pub handling: EventHandling,
    /// How many functions tell where each contact's normal or curvature jumps.
    junctions: Vec<usize>,
    /// Numbers of the contacts with a tangential event function.
    frictional: Vec<usize>,
    /// Those of the wrapped system, then those of contacts and joints.
    pub descriptions: Vec<EventDescription>,
    /// How many of them are the wrapped system's.
    pub inner_events: usize,
}

impl Detection {
    /// Nothing is described yet; `junctions` of each contact are counted.
    pub fn new(contacts: &[Contact], junctions: Vec<usize>, handling: EventHandling) -> Self {
        let rubs = |contact: &Contact| contact.tangents == 1 && contact.friction > 0.0;
        Self {
            handling,
            junctions,
            frictional: (0..contacts.len())
                .filter(|&contact| rubs(&contacts[contact]))
                .collect(),
            descriptions: Vec::new(),
            inner_events: 0,
        }
    }

    /// To within which events are located, in s; zero where they are not.
    pub fn tolerance(&self) -> f64 {
        match self.handling {
            EventHandling::Located { tolerance } => tolerance,
            EventHandling::Captured => 0.0,
        }
    }

    /// Describes the event functions that belong to the present statuses.
    pub fn describe(&mut self, equations: &mut Equations) {
        self.descriptions.clear();
        self.descriptions
            .extend_from_slice(event_descriptions(&mut equations.inner));
        self.inner_events = self.descriptions.len();
        if self.handling == EventHandling::Captured {
            return;
        }
        for (contact, status) in equations.contacts.iter().zip(&equations.statuses.contacts) {
            let label = contact.label.clone();
            self.descriptions.push(if status.has_row() {
                EventDescription::barrier("release", label).of_multipliers()
            } else {
                EventDescription::barrier("impact", label)
            });
        }
        for &contact in &self.frictional {
            let label = equations.contacts[contact].label.clone();
            self.descriptions
                .push(if equations.statuses.contacts[contact].is_sticking() {
                    EventDescription::barrier("slip", label).of_multipliers()
                } else {
                    EventDescription::barrier("stick", label)
                });
        }
        for (joint, status) in equations.joints.iter().zip(&equations.statuses.joints) {
            let label = joint.label.clone();
            self.descriptions.push(if status.is_sticking() {
                EventDescription::barrier("slip", label).of_multipliers()
            } else {
                EventDescription::barrier("stick", label)
            });
        }
        for (contact, &count) in equations.contacts.iter().zip(&self.junctions) {
            let junction =
                EventDescription::new("normal", &contact.label, Direction::Both).beyond_its_root();
            self.descriptions
                .extend(std::iter::repeat_n(junction, count));
        }
    }

    /// The event functions of the wrapped system, then a normal one per contact, then a tangential one per contact with
    /// friction, then one per joint with friction, then those of the junctions that closed contacts may pass.
    ///
    /// Margins of contacts that share forces are those of this point.
    pub fn evaluate(
        &self,
        equations: &mut Equations,
        (sharing, margins): (&Sharing, &Margins),
        thresholds: &Thresholds,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let inner_events = self.inner_events;
        let Inside {
            system,
            at: own,
            contacts,
            joints: laws,
            statuses,
            structure,
        } = equations.inside(at);
        if let Some(events) = system.events() {
            events.event_functions(&own, &mut out[..inner_events])?;
        }
        if self.handling == EventHandling::Captured {
            return Ok(());
        }
        let first_normal = system.layout().position_rows;
        let first_stick = structure.first_stick();
        let value = |row: usize| at.lambda.get(row).copied().unwrap_or(0.0);
        let (normals, rest) = out[inner_events..].split_at_mut(contacts.len());
        let (tangents, rest) = rest.split_at_mut(self.frictional.len());
        let (joints, mut junctions) = rest.split_at_mut(laws.len());
        for (joint, slot) in joints.iter_mut().enumerate() {
            let status = statuses.joints[joint];
            let law = &laws[joint];
            *slot = if let Some(sign) = status.sliding() {
                let velocity = joints_of(system, at.t)?.joint_velocity(joint, &own)?;
                sign * velocity
                    + SLIDING_VELOCITY * thresholds.velocity
                    + margins.backward.joints[joint]
            } else if let Some(row) = structure.row_of_joint(joint) {
                let limit = law.friction * law.normal_force(own.lambda);
                limit + margins.slip[joint] - value(row).abs()
            } else {
                1.0
            };
        }
        if contacts.is_empty() {
            return Ok(());
        }
        let unilateral = contacts_of(system, at.t)?;
        let mut row = first_normal;
        for (contact, slot) in normals.iter_mut().enumerate() {
            let status = statuses.contacts[contact];
            *slot = if status.has_row() {
                row += 1;
                match sharing.group_of(contact) {
                    Some(group) if sharing.leader(group) == Some(contact) => sharing.margin(group),
                    Some(_) => 1.0,
                    None => value(row - 1) + margins.release[contact],
                }
            } else {
                let gap = finite_gap(unilateral.gap(contact, &own)?, &contacts[contact], at.t)?;
                match status {
                    // A contact that opens cannot arrive. A gap below zero is then round-off right after a rebound, or, at the end
                    // of a flight of one step, the lag between positions and velocities of a method of first order. It may be no
                    // deeper than that: a body that grazes and turns back by itself has had an impact.
                    ContactStatus::Open
                        if gap < ROUND_OFF * thresholds.gap && gap > -thresholds.gap =>
                    {
                        let rate = unilateral.gap_rate(contact, &own)?;
                        if rate > thresholds.velocity {
                            ROUND_OFF * thresholds.gap
                        } else {
                            gap
                        }
                    }
                    ContactStatus::Open => gap,
                    // It opens with no velocity at all. When it returns, its gap counts; without an approach a negative
                    // gap is an error of the method's positions, O(h²) in the first step of one of first order, and
                    // while it opens it cannot arrive. Deeper down it has been missed.
                    ContactStatus::Separating => {
                        let rate = unilateral.gap_rate(contact, &own)?;
                        if rate < -thresholds.velocity {
                            gap
                        } else {
                            let opens = rate > 0.0 && gap > -OPENING_GAP * thresholds.penetration;
                            let gap = if opens { gap.max(0.0) } else { gap };
                            gap + SEPARATING_GAP * thresholds.penetration
                        }
                    }
                    // Drift of the rows that imply it is no penetration.
                    _ => gap + REDUNDANT_GAP * thresholds.penetration,
                }
            };
        }
        for (slot, &contact) in tangents.iter_mut().zip(&self.frictional) {
            let status = statuses.contacts[contact];
            *slot = if let Some(sign) = status.sliding() {
                let mut sliding = [0.0];
                unilateral.sliding_velocity(contact, &own, &mut sliding)?;
                sign * sliding[0]
                    + SLIDING_VELOCITY * thresholds.velocity
                    + margins.backward.contacts[contact]
            } else if status == ContactStatus::Sticking && sharing.group_of(contact).is_none() {
                let place = |list: &[usize]| list.iter().position(|&other| other == contact);
                match (place(&structure.normals), place(&structure.sticks)) {
                    (Some(normal), Some(stick)) => {
                        let normal = value(first_normal + normal) + margins.release[contact];
                        contacts[contact].friction * normal - value(first_stick + stick).abs()
                    }
                    _ => 1.0,
                }
            } else {
                1.0
            };
        }
        for (contact, &count) in self.junctions.iter().enumerate() {
            let (values, others) = junctions.split_at_mut(count);
            if statuses.contacts[contact].has_row() {
                unilateral.junction_values(contact, &own, values)?;
            } else {
                values.fill(1.0);
            }
            junctions = others;
        }
        Ok(())
    }

    /// Whose events these are, among those of contacts and joints.
    pub fn fired(&self, events: &[usize], equations: &Equations, sharing: &Sharing) -> Fired {
        let mut fired = Fired::default();
        let own = events.iter();
        for event in own.filter_map(|event| event.checked_sub(self.inner_events)) {
            self.note(event, equations, sharing, &mut fired);
        }
        fired
    }

    /// Notes whose event this is, counted from the first one of contacts.
    fn note(&self, event: usize, equations: &Equations, sharing: &Sharing, fired: &mut Fired) {
        let (contacts, frictional) = (equations.contacts.len(), self.frictional.len());
        let joints = equations.joints.len();
        if event < contacts {
            if !equations.statuses.contacts[event].has_row() {
                fired.impacts.push(event);
            } else if let Some(group) = sharing.group_of(event) {
                fired.shared.extend(sharing.contacts_of(group));
            } else {
                fired.releases.push(event);
            }
        } else if event < contacts + frictional {
            fired.tangential.push(self.frictional[event - contacts]);
        } else if event < contacts + frictional + joints {
            fired.joints.push(event - contacts - frictional);
        } else {
            let mut left = event - contacts - frictional - joints;
            let passes = self.junctions.iter().position(|&count| {
                let here = left < count;
                left = left.saturating_sub(count);
                here
            });
            fired.junctions.extend(passes);
        }
    }
}
