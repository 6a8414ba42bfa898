//! Contacts that approach: impacts, and where accumulating ones end.

use crate::closed::local_dynamics::LocalDynamics;
use crate::contact_event::ContactEvent;
use crate::equations::Equations;
use crate::event_sets::{Arrived, Closed, Fired, HIDDEN_SPEED};
use crate::impact::accumulation::Accumulations;
use crate::laws::friction::Friction;
use crate::laws::impact::{Impact, ImpactFailure};
use crate::{ContactStatus, NonsmoothOptions, failed};
use liedae::system::{EvaluationError, EventReport, State};

/// Flights that rise by less than this share of the gap threshold end an accumulation.
pub(crate) const HIDDEN_FLIGHT: f64 = 1e-4;

/// Flights shorter than this, in s and as a share of the time itself, cannot be told from one event of long duration: twice what
/// the driver allows.
const SHORTEST: [f64; 2] = [3.2e-11, 32.0 * f64::EPSILON];

/// Of a prediction of an accumulation that is reported: its largest change over the last impact, as a share of what is left.
const AGREEMENT: f64 = 0.1;

/// Whether the impacts of a contact are over.
#[derive(Clone, Copy, Default)]
struct Ending {
    closes: bool,
    /// Their limit, if there is a series of them.
    limit: Option<f64>,
}

/// Lists of an impact, whose memory the next one uses again.
#[derive(Default)]
pub(crate) struct Lists {
    /// Contacts that take part.
    pub closed: Vec<usize>,
    /// Relative velocities in the rows of the response.
    velocities: Vec<f64>,
    /// The same at the arrival.
    arriving: Vec<f64>,
    /// The bias of each gap, where it is known.
    biases: Vec<Option<f64>>,
    endings: Vec<Ending>,
    restitution: Vec<f64>,
    friction: Vec<Friction>,
    /// In the rows of the response.
    impulses: Vec<f64>,
    /// Contacts and joints behind the last impact.
    pub arrived: Arrived,
}

/// Velocities that jump, and what that draws on.
pub(crate) struct Collision<'a> {
    pub equations: &'a mut Equations,
    /// With the response of the contacts that take part.
    pub dynamics: &'a mut LocalDynamics,
    pub accumulations: &'a mut Accumulations,
    pub options: &'a NonsmoothOptions,
    /// To within which events are located, in s.
    pub tolerance: f64,
    pub fired: &'a Fired,
}

impl Collision<'_> {
    /// Resolves impacts until no contact approaches, and reports them.
    pub fn resolve(
        &mut self,
        lists: &mut Lists,
        closed: &[usize],
        state: &mut State,
        reports: &mut Vec<EventReport>,
    ) -> Result<Arrived, EvaluationError> {
        let Lists {
            velocities,
            arriving,
            biases,
            endings,
            restitution,
            friction,
            impulses,
            arrived,
            ..
        } = lists;
        let count = closed.len();
        let response = &self.dynamics.response;
        velocities.clear();
        velocities.resize(response.free_diagonal.len(), 0.0);
        biases.clear();
        for (index, &contact) in closed.iter().enumerate() {
            let at = state.point();
            // What arrives is about to rebound, if it can: then its bias is asked for as well.
            let rebounds = self.equations.contacts[contact].restitution > 0.0;
            let ([normal, first, second], bias) =
                if rebounds && self.fired.impacts.contains(&contact) {
                    let (velocity, bias) = self.equations.approach_of(contact, &at)?;
                    (velocity, Some(bias))
                } else {
                    (self.equations.velocity_of(contact, &at)?, None)
                };
            biases.push(bias);
            (velocities[index], velocities[count + index]) = (normal, first);
            if let Some(row) = response.seconds[index] {
                velocities[row] = second;
            }
        }
        let own_joints = 2 * count..2 * count + self.equations.joints.len();
        if !own_joints.is_empty() {
            let joint_velocities = self.equations.joint_velocities(state)?;
            velocities[own_joints.clone()].copy_from_slice(&joint_velocities);
        }
        let thresholds = self.options.thresholds;
        let approaches = |velocity: f64| velocity < -thresholds.velocity;
        arriving.clone_from(velocities);
        endings.clear();
        endings.resize(count, Ending::default());
        let approaching = arriving[..count]
            .iter()
            .any(|&velocity| approaches(velocity));
        impulses.clear();
        impulses.resize(velocities.len(), 0.0);
        if approaching {
            let laws = closed.iter();
            let laws = laws.map(|&contact| Friction::of_contact(&self.equations.contacts[contact]));
            friction.clear();
            friction.extend(laws);
            let all: Vec<usize> = (0..count).collect();
            let contacts = &self.equations.contacts;
            let law = |index: usize| &contacts[closed[index]];
            let yielding = self.dynamics.yielding(&all, (friction, true), law);
            restitution.clear();
            for (index, &contact) in closed.iter().enumerate() {
                // What wedges itself has no rebound: friction holds it.
                let e = match self.dynamics.is_wedged(index) {
                    true => 0.0,
                    false => self.equations.contacts[contact].restitution,
                };
                if approaches(arriving[index]) && e > 0.0 {
                    let speed = -arriving[index];
                    // g_N'' = N a + γ at the arrival.
                    let bias = match biases[index] {
                        Some(bias) => bias,
                        None => self.equations.bias_of(contact, &state.point())?[0],
                    };
                    let response = &self.dynamics.response;
                    let rising = response.motion_of(&state.acceleration, index) + bias;
                    endings[index] = self.ending(contact, speed, rising, state.t);
                }
                // A contact whose impacts end here does not rebound.
                restitution.push(if endings[index].closes { 0.0 } else { e });
            }
            // Impulses of the joints' own rows are those of impulses in contacts alone: all other forces are finite.
            let joints = &self.equations.joints;
            let may_stick: Vec<Friction> = joints.iter().map(Friction::of_joint).collect();
            let impact = Impact {
                joints: &self.dynamics.pressed_joints(joints, &may_stick, &[]),
                response: &self.dynamics.response.matrix,
                seconds: &self.dynamics.response.seconds,
                yielding: &yielding,
                restitution,
                friction,
                threshold: thresholds.velocity,
            };
            impact
                .resolve(
                    self.options.law,
                    velocities,
                    &mut self.dynamics.lcp,
                    impulses,
                )
                .map_err(|failure| self.no_impact(failure, closed, arriving, state.t))?;
            self.dynamics.response.push(impulses, &mut state.v);
        }
        let second = |index: usize, values: &[f64]| {
            self.dynamics.response.seconds[index].map_or(0.0, |row| values[row])
        };
        for (index, &contact) in closed.iter().enumerate() {
            let hit = impulses[index] > 0.0;
            // Round-off of a gap just after a rebound looks like an impact of a contact that opens.
            let arrived = self.fired.impacts.contains(&contact)
                && arriving[index] <= thresholds.velocity
                && self.equations.statuses.contacts[contact] != ContactStatus::Redundant;
            if hit || arrived {
                let law = &self.equations.contacts[contact];
                let mut report = EventReport::new("impact", law.label.clone());
                let contact = ContactEvent {
                    angular: law.angular,
                    impulse: impulses[index],
                    friction_impulse: [impulses[count + index], second(index, impulses)],
                    velocity_before: arriving[index],
                    velocity_after: velocities[index],
                };
                report.quantities = contact.quantities();
                reports.push(report);
            }
            if let Some(limit) = endings[index].limit {
                let mut report = EventReport::new(
                    "accumulation",
                    self.equations.contacts[contact].label.clone(),
                );
                report.t = Some(limit);
                reports.push(report);
            }
        }
        let contacts = closed.iter().enumerate().map(|(index, &contact)| Closed {
            contact,
            velocity: [
                velocities[index],
                velocities[count + index],
                second(index, velocities),
            ],
            direction: [1.0, 0.0],
            leaves: false,
        });
        let mut behind = std::mem::take(arrived);
        behind.contacts.clear();
        behind.contacts.extend(contacts);
        behind.joints.clear();
        behind.joints.extend_from_slice(&velocities[own_joints]);
        Ok(behind)
    }

    /// Whether the impacts of a contact end with this one, which has this speed, while its gap accelerates by `rising`.
    ///
    /// They do by the policy for accumulation, and where the rebound e v cannot be followed: it is so slow that round-off of
    /// the gap hides it, or the flight of 2 e v / |rising| is shorter than the location tolerance. The impact is then
    /// taken with e = 0, which loses the energy of that rebound; in a series of impacts all flights
    /// that are left take 1/(1 - e) times as long.
    fn ending(&mut self, contact: usize, speed: f64, rising: f64, t: f64) -> Ending {
        let (policy, thresholds) = (self.options.accumulation, self.options.thresholds);
        let e = self.equations.contacts[contact].restitution;
        let prediction = self.accumulations.note(contact, t, speed);
        let by_policy =
            prediction.filter(|end| end.closes(policy, speed, HIDDEN_FLIGHT * thresholds.gap));
        if let Some(end) = by_policy {
            return Ending {
                closes: true,
                limit: Some(end.limit),
            };
        }
        let shortest = self.tolerance.max(SHORTEST[0]).max(SHORTEST[1] * t.abs());
        // Time of flight of the rebound e v.
        let flight = if rising < 0.0 {
            2.0 * e * speed / -rising
        } else {
            f64::INFINITY
        };
        if flight < shortest {
            // Flights that are left form a geometric series.
            let left = if e < 1.0 { flight / (1.0 - e) } else { flight };
            return Ending {
                closes: true,
                limit: Some(t + left),
            };
        }
        let hidden = e * speed < HIDDEN_SPEED * thresholds.velocity;
        let series = prediction.filter(|end| end.agrees(AGREEMENT));
        Ending {
            closes: hidden,
            limit: series.filter(|_| hidden).map(|end| end.limit),
        }
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
                format!(
                    "`{}` ({velocity:e} m/s)",
                    self.equations.contacts[contact].label
                )
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
}
