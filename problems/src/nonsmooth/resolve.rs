//! What happens at an event: penetration, impact, and which contacts stay closed.

use super::impact::{Impact, ImpactFailure};
use super::law::{ContactForces, ContactProblem, Friction};
use super::selection::{Selection, independent_support};
use super::{ContactStatus, NonsmoothSystem, failed};
use liedae::complementarity::LcpError;
use liedae::system::{
    Contact, ContactEvent, EvaluationError, Evaluator, EventAction, EventHandling, EventReport,
    EventResponse, Projector, State, System,
};

/// Contacts whose event functions have changed their sign.
#[derive(Clone, Debug, Default)]
pub(super) struct Fired {
    /// Open contacts that have closed.
    pub impacts: Vec<usize>,
    /// Closed ones whose force has vanished.
    pub releases: Vec<usize>,
    /// Sliding has come to rest, or sticking has reached the limit of friction.
    pub tangential: Vec<usize>,
}

/// A contact that takes part in an event.
#[derive(Clone, Copy, Debug)]
struct Closed {
    contact: usize,
    /// Relative velocities after a possible impact: of the gap, of sliding.
    velocity: [f64; 2],
}

/// Flights that rise by less than this share of the gap threshold end an accumulation.
const HIDDEN_FLIGHT: f64 = 1e-4;

/// A contact that seems to close while it opens slower than this multiple of the velocity threshold stays closed.
const HIDDEN_SPEED: f64 = 10.0;

/// Forces below this share of the largest are none.
const NO_FORCE: f64 = 1e-10;

impl<S: System> NonsmoothSystem<S> {
    /// Forms the index sets of an initial state.
    pub(super) fn begin(&mut self, state: &mut State) -> Result<Vec<EventReport>, EvaluationError> {
        for contact in 0..self.contacts.len() {
            let gap = self.gap_of(contact, &state.point())?;
            if gap < -self.options.thresholds.penetration {
                let label = &self.contacts[contact].label;
                return Err(failed(
                    state.t,
                    format!("contact `{label}` is penetrated by {:e} m", -gap),
                ));
            }
        }
        let spatial = |contact: &&Contact| contact.tangents > 1 && contact.friction > 0.0;
        match self.handling {
            EventHandling::Located => match self.contacts.iter().find(spatial) {
                None => self.resolve(&Fired::default(), state),
                Some(contact) => Err(failed(
                    state.t,
                    format!(
                        "contact `{}` slides in two directions: friction between located events is that of the plane; use moreau-jean",
                        contact.label
                    ),
                )),
            },
            EventHandling::Captured => Ok(Vec::new()),
        }
    }

    /// Resolves an event and says what the driver does.
    pub(super) fn respond(
        &mut self,
        fired: &Fired,
        answer: EventResponse,
        state: &mut State,
    ) -> Result<EventResponse, EvaluationError> {
        let before = self.statuses.clone();
        let reports = self.resolve(fired, state)?;
        let changed = if before == self.statuses {
            EventAction::Restart
        } else {
            EventAction::Restructure
        };
        let mut all = answer.reports.unwrap_or_default();
        all.extend(reports);
        Ok(EventResponse {
            action: answer.action.max(changed),
            reports: Some(all),
        })
    }

    /// Whether one of these impacts is one of many before a limit that is left to the event-capturing scheme.
    pub(super) fn hands_over(&self, fired: &Fired, t: f64) -> bool {
        fired.impacts.iter().any(|&contact| {
            let prediction = self.impacts[contact].clone().note(t);
            prediction.is_some_and(|end| end.is_captured(self.options.accumulation))
        })
    }

    /// The algorithm of the module's documentation.
    fn resolve(
        &mut self,
        fired: &Fired,
        state: &mut State,
    ) -> Result<Vec<EventReport>, EvaluationError> {
        let before = self.statuses.clone();
        let held: Vec<f64> = before
            .iter()
            .enumerate()
            .map(|(contact, _)| self.friction_force(contact, state))
            .collect();
        self.correct_penetration(fired, state)?;
        let closed = self.closed(&before, fired, state)?;
        self.compute_response(&closed, &state.point())?;
        let mut reports = Vec::new();
        let closed = self.impact(&closed, fired, state, &mut reports)?;

        let mut statuses = vec![ContactStatus::Open; self.contacts.len()];
        self.stay_closed(&closed, fired, &held, state, &mut statuses)?;
        self.report_changes(&before, &statuses, &closed, &mut reports);
        for (contact, status) in statuses.iter().enumerate() {
            if status.is_closed() {
                self.impacts[contact].forget();
            }
        }
        self.set_statuses(statuses, state)?;
        self.put_velocities_on_rows(state)?;
        Ok(reports)
    }

    /// The friction force of a sticking contact.
    fn friction_force(&self, contact: usize, state: &State) -> f64 {
        let structure = &self.structure;
        let first = structure.layout.rows() - structure.sticks.len();
        let place = structure.sticks.iter().position(|&other| other == contact);
        place.map_or(0.0, |index| {
            state.lambda.get(first + index).copied().unwrap_or(0.0)
        })
    }

    /// Puts contacts that have just closed, and those that were closed, back to gap zero (eq. 35).
    fn correct_penetration(
        &mut self,
        fired: &Fired,
        state: &mut State,
    ) -> Result<(), EvaluationError> {
        if fired.impacts.is_empty() {
            return Ok(());
        }
        let mut together = self.statuses.clone();
        for &contact in &fired.impacts {
            together[contact] = ContactStatus::Closed;
        }
        let old = self.statuses.clone();
        self.set_statuses(together, state)?;
        let t = state.t;
        let given = state.q.clone();
        let projected = Projector::new(&self.structure.layout)
            .map_err(|error| failed(t, error.to_string()))
            .and_then(|mut projector| {
                projector
                    .project_position(&mut Evaluator::new(self), state, false)
                    .map_err(|error| failed(t, format!("closing the gaps: {error}")))
            });
        self.set_statuses(old, state)?;
        // Redundant gaps that contradict each other by less than what counts as closed can stay as they are.
        if let Err(error) = projected {
            state.q = given;
            for &contact in &fired.impacts {
                let gap = self.gap_of(contact, &state.point())?;
                if gap.abs() > self.options.thresholds.penetration {
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// Puts contacts that rest near gap zero onto it: what the event-capturing scheme leaves.
    pub(super) fn close_gaps(&mut self, state: &mut State) -> Result<(), EvaluationError> {
        let thresholds = self.options.thresholds;
        let mut fired = Fired::default();
        for contact in 0..self.contacts.len() {
            let gap = self.gap_of(contact, &state.point())?;
            let [rate, _] = self.velocity_of(contact, &state.point())?;
            if gap < thresholds.penetration && rate.abs() <= thresholds.velocity {
                fired.impacts.push(contact);
            }
        }
        self.correct_penetration(&fired, state)
    }

    /// The index set I_1.
    fn closed(
        &mut self,
        before: &[ContactStatus],
        fired: &Fired,
        state: &State,
    ) -> Result<Vec<usize>, EvaluationError> {
        let mut closed = Vec::new();
        for (contact, status) in before.iter().enumerate() {
            let gap = self.gap_of(contact, &state.point())?;
            let touches = gap <= self.options.thresholds.gap
                || status.is_closed()
                || fired.impacts.contains(&contact);
            if touches {
                closed.push(contact);
            }
        }
        Ok(closed)
    }

    /// Resolves impacts until no contact approaches, and reports them.
    fn impact(
        &mut self,
        closed: &[usize],
        fired: &Fired,
        state: &mut State,
        reports: &mut Vec<EventReport>,
    ) -> Result<Vec<Closed>, EvaluationError> {
        let count = closed.len();
        let mut velocities = vec![0.0; 2 * count];
        for (index, &contact) in closed.iter().enumerate() {
            let [normal, sliding] = self.velocity_of(contact, &state.point())?;
            (velocities[index], velocities[count + index]) = (normal, sliding);
        }
        let thresholds = self.options.thresholds;
        let approaches = |velocity: f64| velocity < -thresholds.velocity;
        let arriving = velocities.clone();
        let mut impulses = vec![0.0; 2 * count];
        let mut limits = vec![None; count];
        if arriving[..count]
            .iter()
            .any(|&velocity| approaches(velocity))
        {
            let mut restitution = Vec::with_capacity(count);
            for (index, &contact) in closed.iter().enumerate() {
                let e = self.contacts[contact].restitution;
                if approaches(arriving[index]) && e > 0.0 {
                    let prediction = self.impacts[contact].note(state.t);
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
            let impact = Impact {
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
                && self.statuses[contact] != ContactStatus::Redundant;
            if hit || arrived {
                let label = &self.contacts[contact].label;
                let mut report = EventReport::new("impact", label.clone());
                report.contact = Some(ContactEvent {
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
        Ok(closed
            .iter()
            .enumerate()
            .map(|(index, &contact)| Closed {
                contact,
                velocity: [velocities[index], velocities[count + index]],
            })
            .collect())
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

    fn limited(&self, contact: usize) -> Friction {
        let Some(law) = self.contacts.get(contact) else {
            return Friction::None;
        };
        if law.tangents == 1 && law.friction > 0.0 {
            Friction::Limited {
                coefficient: law.friction,
            }
        } else {
            Friction::None
        }
    }

    /// The index set I_2 and its rows, by the complementarity problem at acceleration level.
    fn stay_closed(
        &mut self,
        closed: &[Closed],
        fired: &Fired,
        held: &[f64],
        state: &State,
        statuses: &mut [ContactStatus],
    ) -> Result<(), EvaluationError> {
        let thresholds = self.options.thresholds;
        // Numbers within `closed`, as the response has them.
        let resting: Vec<usize> = (0..closed.len())
            .filter(|&index| {
                // A flight that round-off of the gap hides looks like an impact of a contact that opens.
                let hidden = fired.impacts.contains(&closed[index].contact);
                let limit = if hidden { HIDDEN_SPEED } else { 1.0 } * thresholds.velocity;
                closed[index].velocity[0] <= limit
            })
            .collect();
        (self.force_scale, self.least_force) = (0.0, 0.0);
        if resting.is_empty() {
            return Ok(());
        }
        let free = self.free_motion(closed, state)?;
        let friction: Vec<Friction> = closed
            .iter()
            .map(|closed| self.friction_of(closed, fired, held))
            .collect();
        let released: Vec<usize> = resting
            .iter()
            .copied()
            .filter(|&index| fired.releases.contains(&closed[index].contact))
            .collect();
        let pressed: Vec<usize> = resting
            .iter()
            .copied()
            .filter(|index| !released.contains(index))
            .collect();
        let mut forces = self.forces(&pressed, &free, &friction, state.t)?;
        let count = closed.len();
        let pulled_back = |forces: &ContactForces| {
            released
                .iter()
                .any(|&index| forces.motion[index] < -thresholds.acceleration)
        };
        if !released.is_empty() && pulled_back(&forces) {
            forces = self.forces(&resting, &free, &friction, state.t)?;
        }

        let largest = forces.force[..count].iter().copied().fold(0.0, f64::max);
        let compliance = (0..count)
            .map(|index| self.response.matrix[index * (2 * count) + index])
            .fold(0.0, f64::max);
        // Without any force the weight of the threshold acceleration is the measure.
        let smallest = if compliance > 0.0 {
            thresholds.acceleration / compliance
        } else {
            0.0
        };
        self.force_scale = largest.max(smallest);
        self.least_force = smallest;
        let carries = |index: usize| forces.force[index] > NO_FORCE * self.force_scale;
        let carrying: Vec<usize> = resting.iter().copied().filter(|&i| carries(i)).collect();

        let mut carried = forces.force.clone();
        let (matrix, scale) = (&self.response.matrix, &self.response.free_diagonal);
        let support = independent_support(matrix, scale, &mut carried, &carrying);
        let mut selection = Selection::new(matrix, scale);
        for &index in &support {
            // Rows of the support are independent of each other by construction.
            let accepted = selection.accept(index).is_ok();
            let contact = closed[index].contact;
            statuses[contact] = if accepted {
                ContactStatus::Closed
            } else {
                ContactStatus::Redundant
            };
        }
        for &index in &resting {
            let contact = closed[index].contact;
            if support.contains(&index) {
                continue;
            }
            let stays = carries(index)
                || (forces.motion[index] <= thresholds.acceleration && !released.contains(&index));
            // Contacts that have lost their force together with a released one, as the corners of an edge that lifts,
            // would each hold down the others in turn if they got its row.
            let idle = !carries(index) && !released.is_empty();
            statuses[contact] = if !stays {
                ContactStatus::Separating
            } else if selection.implies(index) {
                ContactStatus::Redundant
            } else if idle || selection.accept(index).is_err() {
                ContactStatus::Separating
            } else {
                ContactStatus::Closed
            };
        }
        for &index in &resting {
            let contact = closed[index].contact;
            if statuses[contact] != ContactStatus::Closed {
                continue;
            }
            let tangential = count + index;
            statuses[contact] = match friction[index] {
                Friction::None => ContactStatus::Closed,
                Friction::Sliding { sign, .. } => ContactStatus::sliding_towards(sign),
                Friction::Limited { coefficient } => {
                    let limit = coefficient * forces.force[index];
                    let motion = forces.motion[tangential];
                    let slides = motion.abs() > thresholds.acceleration
                        && forces.force[tangential].abs() >= (1.0 - 1e-9) * limit;
                    if slides {
                        ContactStatus::sliding_towards(motion)
                    } else if selection.accept(tangential).is_ok() {
                        ContactStatus::Sticking
                    } else {
                        ContactStatus::StickingRedundantly
                    }
                }
            };
        }
        Ok(())
    }

    /// Friction of a contact between two events: it slides, or may stick. One that has reached the limit of friction
    /// slides against the force that held it.
    fn friction_of(&self, closed: &Closed, fired: &Fired, held: &[f64]) -> Friction {
        let limited = self.limited(closed.contact);
        let Friction::Limited { coefficient } = limited else {
            return limited;
        };
        let sliding = closed.velocity[1];
        let slipping = fired.tangential.contains(&closed.contact)
            && self.statuses[closed.contact].is_sticking();
        if sliding.abs() > self.options.thresholds.velocity {
            Friction::Sliding {
                coefficient,
                sign: sliding.signum(),
            }
        } else if slipping && held[closed.contact] != 0.0 {
            Friction::Sliding {
                coefficient,
                sign: -held[closed.contact].signum(),
            }
        } else {
            limited
        }
    }

    /// Accelerations of the gaps and of sliding without forces in the contacts, with all joints.
    fn free_motion(
        &mut self,
        closed: &[Closed],
        state: &State,
    ) -> Result<Vec<f64>, EvaluationError> {
        let mut own = self.inner.layout().state();
        let (_, loaded) = self.with_inner_state(state, |_, _| ());
        own.clone_from(&loaded);
        self.accelerations
            .complete(&mut Evaluator::new(&mut self.inner), &mut own)
            .map_err(|error| failed(state.t, format!("the motion without contacts: {error}")))?;
        let count = closed.len();
        let mut free = vec![0.0; 2 * count];
        for (index, closed) in closed.iter().enumerate() {
            let bias = self.bias_of(closed.contact, &state.point())?;
            for (level, bias) in bias.into_iter().enumerate() {
                let row = level * count + index;
                free[row] = self.response.motion_of(&own.acceleration, row) + bias;
            }
        }
        Ok(free)
    }

    /// Forces in some of the closed contacts, and the motion of all of them.
    fn forces(
        &mut self,
        pressed: &[usize],
        free: &[f64],
        friction: &[Friction],
        t: f64,
    ) -> Result<ContactForces, EvaluationError> {
        let (count, some) = (friction.len(), pressed.len());
        let rows: Vec<usize> = pressed
            .iter()
            .copied()
            .chain(pressed.iter().map(|&index| count + index))
            .collect();
        let size = 2 * count;
        let response: Vec<f64> = rows
            .iter()
            .flat_map(|&i| rows.iter().map(move |&j| (i, j)))
            .map(|(i, j)| self.response.matrix[i * size + j])
            .collect();
        let free_of_some: Vec<f64> = rows.iter().map(|&row| free[row]).collect();
        let friction_of_some: Vec<Friction> =
            pressed.iter().map(|&index| friction[index]).collect();
        let solution = ContactProblem {
            response: &response,
            free: &free_of_some,
            floor: &[],
            friction: &friction_of_some,
        }
        .solve(&mut self.lcp)
        .map_err(|error| no_forces(&error, t))?;
        let mut force = vec![0.0; size];
        for (&row, value) in rows.iter().zip(&solution.force) {
            force[row] = *value;
        }
        debug_assert_eq!(solution.force.len(), 2 * some);
        let motion = (0..size)
            .map(|row| {
                let entries = &self.response.matrix[row * size..(row + 1) * size];
                free[row] + entries.iter().zip(&force).map(|(w, f)| w * f).sum::<f64>()
            })
            .collect();
        Ok(ContactForces { force, motion })
    }

    /// Closed contacts have no velocity left (eq. 36).
    fn put_velocities_on_rows(&mut self, state: &mut State) -> Result<(), EvaluationError> {
        if self.structure.layout.rows() == 0 {
            return Ok(());
        }
        let t = state.t;
        let fail = |error: String| failed(t, format!("the velocities of closed contacts: {error}"));
        Projector::new(&self.structure.layout)
            .map_err(|error| fail(error.to_string()))?
            .project_velocity(&mut Evaluator::new(self), state)
            .map_err(|error| fail(error.to_string()))
    }

    fn report_changes(
        &self,
        before: &[ContactStatus],
        after: &[ContactStatus],
        closed: &[Closed],
        reports: &mut Vec<EventReport>,
    ) {
        for closed in closed {
            let contact = closed.contact;
            let label = &self.contacts[contact].label;
            let (was, is) = (before[contact], after[contact]);
            let struck = reports
                .iter()
                .any(|report| report.kind == "impact" && report.label == *label);
            let kind = match (was, is) {
                _ if was.is_closed() && !is.is_closed() && !struck => "release",
                _ if is.is_sticking() && !was.is_sticking() => "stick",
                _ if was.is_sticking() && is.sliding().is_some() => "slip",
                _ if was.sliding().zip(is.sliding()).is_some_and(|(a, b)| a != b) => "reversal",
                _ => continue,
            };
            reports.push(EventReport::new(kind, label.clone()));
        }
    }
}

fn no_forces(error: &LcpError, t: f64) -> EvaluationError {
    failed(
        t,
        format!(
            "no forces keep the closed contacts from penetrating (with friction this is Painlevé's case): {error}"
        ),
    )
}
