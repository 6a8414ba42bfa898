//! Contacts that approach: impacts, and where accumulating ones end.

use super::impact::{Impact, ImpactFailure};
use super::law::Friction;
use super::resolve::{Arrived, Closed, Fired};
use super::{ContactStatus, NonsmoothSystem, failed};
use liedae::system::{ContactEvent, EvaluationError, EventReport, State, System};

/// Flights that rise by less than this share of the gap threshold end an accumulation.
const HIDDEN_FLIGHT: f64 = 1e-4;

impl<S: System> NonsmoothSystem<S> {
    /// Resolves impacts until no contact approaches, and reports them.
    pub(super) fn impact(
        &mut self,
        closed: &[usize],
        fired: &Fired,
        state: &mut State,
        reports: &mut Vec<EventReport>,
    ) -> Result<Arrived, EvaluationError> {
        let count = closed.len();
        let mut velocities = vec![0.0; 2 * count];
        for (index, &contact) in closed.iter().enumerate() {
            let [normal, sliding] = self.velocity_of(contact, &state.point())?;
            (velocities[index], velocities[count + index]) = (normal, sliding);
        }
        velocities.extend(self.joint_velocities(state)?);
        let thresholds = self.options.thresholds;
        let approaches = |velocity: f64| velocity < -thresholds.velocity;
        let arriving = velocities.clone();
        let mut impulses = vec![0.0; velocities.len()];
        let mut limits = vec![None; count];
        if arriving[..count]
            .iter()
            .any(|&velocity| approaches(velocity))
        {
            let mut restitution = Vec::with_capacity(count);
            for (index, &contact) in closed.iter().enumerate() {
                let e = self.contacts[contact].restitution;
                if approaches(arriving[index]) && e > 0.0 {
                    let prediction = self.impacts[contact].note(state.t, -arriving[index]);
                    let (policy, height) =
                        (self.options.accumulation, HIDDEN_FLIGHT * thresholds.gap);
                    limits[index] = prediction
                        .filter(|end| end.closes(policy, -arriving[index], height))
                        .map(|end| end.limit);
                }
                restitution.push(if limits[index].is_some() { 0.0 } else { e });
            }
            let friction: Vec<Friction> = closed
                .iter()
                .map(|&contact| self.limited(contact))
                .collect();
            // Impulses of the joints' own rows are those of impulses in contacts alone: all other forces are finite.
            let may_stick: Vec<Friction> = (0..self.joints.len())
                .map(|joint| self.limited_joint(joint))
                .collect();
            let impact = Impact {
                joints: &self.joint_laws(&may_stick, &[]),
                response: &self.response.matrix,
                restitution: &restitution,
                friction: &friction,
                threshold: thresholds.velocity,
            };
            impulses = impact
                .resolve(self.options.law, &mut velocities, &mut self.lcp)
                .map_err(|failure| self.no_impact(failure, closed, &arriving, state.t))?;
            self.response.push(&impulses, &mut state.v);
        }
        for (index, &contact) in closed.iter().enumerate() {
            let hit = impulses[index] > 0.0;
            // Round-off of a gap just after a rebound looks like an impact of a contact that opens.
            let arrived = fired.impacts.contains(&contact)
                && arriving[index] <= thresholds.velocity
                && self.statuses.contacts[contact] != ContactStatus::Redundant;
            if hit || arrived {
                let law = &self.contacts[contact];
                let mut report = EventReport::new("impact", law.label.clone());
                report.contact = Some(ContactEvent {
                    angular: law.angular,
                    impulse: impulses[index],
                    friction_impulse: [impulses[count + index], 0.0],
                    velocity_before: arriving[index],
                    velocity_after: velocities[index],
                });
                reports.push(report);
            }
            if let Some(limit) = limits[index] {
                let mut report =
                    EventReport::new("accumulation", self.contacts[contact].label.clone());
                report.t = Some(limit);
                reports.push(report);
            }
        }
        let contacts = closed.iter().enumerate().map(|(index, &contact)| Closed {
            contact,
            velocity: [velocities[index], velocities[count + index]],
        });
        Ok(Arrived {
            contacts: contacts.collect(),
            joints: velocities[2 * count..].to_vec(),
        })
    }

    fn no_impact(
        &self,
        failure: ImpactFailure,
        closed: &[usize],
        arriving: &[f64],
        t: f64,
    ) -> EvaluationError {
        let approaching: Vec<_> = closed
            .iter()
            .zip(arriving)
            .filter(|(_, velocity)| **velocity < 0.0)
            .map(|(&contact, velocity)| {
                format!("`{}` ({velocity:e} m/s)", self.contacts[contact].label)
            })
            .collect();
        let why = match failure {
            ImpactFailure::Law(error) => error.to_string(),
            ImpactFailure::Endless => "secondary impacts do not come to an end".to_owned(),
        };
        failed(
            t,
            format!(
                "no impulse stops the approach of contact {}: {why}",
                approaching.join(", ")
            ),
        )
    }

    /// The friction law of a contact whose sliding velocity may be any.
    pub(super) fn limited(&self, contact: usize) -> Friction {
        let Some(law) = self.contacts.get(contact) else {
            return Friction::None;
        };
        if law.tangents == 1 {
            Friction::of(law.friction)
        } else {
            Friction::None
        }
    }
}
