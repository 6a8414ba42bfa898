//! What happens at an event, in the order of the module's documentation.

use super::structure::Statuses;
use super::{ContactStatus, JointStatus, NonsmoothSystem, failed};
use liedae::system::{
    Contact, EvaluationError, EventAction, EventHandling, EventReport, EventResponse, State, System,
};

/// Contacts and joints whose event functions have changed their sign.
#[derive(Clone, Debug, Default)]
pub(super) struct Fired {
    /// Open contacts that have closed.
    pub impacts: Vec<usize>,
    /// Closed ones whose force has vanished.
    pub releases: Vec<usize>,
    /// Those that share forces, of which no split is admissible any more.
    pub shared: Vec<usize>,
    /// Sliding has come to rest, or sticking has reached the limit of friction.
    pub tangential: Vec<usize>,
    /// Joints that have come to rest, or that have reached the limit of friction.
    pub joints: Vec<usize>,
    /// Closed ones whose normal or curvature jumps.
    pub junctions: Vec<usize>,
}

/// Contacts and joints after a possible impact.
#[derive(Clone, Debug)]
pub(super) struct Arrived {
    pub contacts: Vec<Closed>,
    /// Sliding velocities of all joints.
    pub joints: Vec<f64>,
}

/// Friction forces of sticking contacts and joints before an event, zero for others.
#[derive(Clone, Debug)]
pub(super) struct Held {
    pub contacts: Vec<f64>,
    pub joints: Vec<f64>,
}

/// A contact that takes part in an event.
#[derive(Clone, Copy, Debug)]
pub(super) struct Closed {
    pub contact: usize,
    /// Relative velocities after a possible impact: of the gap, of sliding.
    pub velocity: [f64; 2],
}

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
            EventHandling::Located { .. } => match self.contacts.iter().find(spatial) {
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
    pub(super) fn hands_over(
        &mut self,
        fired: &Fired,
        state: &State,
    ) -> Result<bool, EvaluationError> {
        for &contact in &fired.impacts {
            let [rate, _] = self.velocity_of(contact, &state.point())?;
            let prediction = self.impacts[contact].clone().note(state.t, -rate);
            if prediction.is_some_and(|end| end.is_captured(self.options.accumulation)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The algorithm of the module's documentation.
    fn resolve(
        &mut self,
        fired: &Fired,
        state: &mut State,
    ) -> Result<Vec<EventReport>, EvaluationError> {
        let before = self.statuses.clone();
        let held = self.held(state);
        self.correct_penetration(fired, state)?;
        let closed = self.closed(&before.contacts, fired, state)?;
        self.compute_response(&closed, &state.point())?;
        let passing = fired.junctions.iter();
        let mut reports: Vec<_> = passing
            .map(|&contact| EventReport::new("normal", &self.contacts[contact].label))
            .collect();
        let mut arrived = self.impact(&closed, fired, state, &mut reports)?;

        let open = Statuses::none(self.contacts.len(), self.joints.len());
        let mut statuses = open.clone();
        let settled = self.stay_closed(&arrived, fired, &held, state, &mut statuses);
        let redundant = match settled {
            Ok(redundant) => redundant,
            Err(error) => {
                if fired.impacts.is_empty()
                    || !self.stop_jammed(&mut arrived, state, &mut reports)?
                {
                    return Err(error);
                }
                statuses = open;
                self.stay_closed(&arrived, fired, &held, state, &mut statuses)?
            }
        };
        self.report_changes(
            &before.contacts,
            &statuses.contacts,
            &arrived.contacts,
            &mut reports,
        );
        self.report_joints(&before.joints, &statuses.joints, &mut reports);
        for (contact, status) in statuses.contacts.iter().enumerate() {
            if status.is_closed() {
                self.impacts[contact].forget();
            }
        }
        self.set_statuses(statuses, state)?;
        self.put_velocities_on_rows(state)?;
        self.note_backward_slides(state)?;
        self.share_forces(&arrived.contacts, &redundant);
        Ok(reports)
    }

    /// How fast contacts and joints move against the direction in which they are about to slide.
    fn note_backward_slides(&mut self, state: &State) -> Result<(), EvaluationError> {
        for contact in 0..self.contacts.len() {
            let backward = match self.statuses.contacts[contact].sliding() {
                Some(sign) => -sign * self.velocity_of(contact, &state.point())?[1],
                None => 0.0,
            };
            self.backward_slides.contacts[contact] = backward.max(0.0);
        }
        let velocities = self.joint_velocities(state)?;
        for (joint, velocity) in velocities.into_iter().enumerate() {
            let sign = self.statuses.joints[joint].sliding().unwrap_or(0.0);
            self.backward_slides.joints[joint] = (-sign * velocity).max(0.0);
        }
        Ok(())
    }

    /// What holds the sticking contacts and joints.
    fn held(&self, state: &State) -> Held {
        let structure = &self.structure;
        let force = |row: usize| state.lambda.get(row).copied().unwrap_or(0.0);
        let mut contacts = vec![0.0; self.contacts.len()];
        for (index, &contact) in structure.sticks.iter().enumerate() {
            contacts[contact] = force(structure.first_stick() + index);
        }
        let mut joints = vec![0.0; self.joints.len()];
        for (index, &joint) in structure.joint_sticks.iter().enumerate() {
            joints[joint] = force(structure.first_joint_stick() + index);
        }
        Held { contacts, joints }
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

    fn report_joints(
        &self,
        before: &[JointStatus],
        after: &[JointStatus],
        reports: &mut Vec<EventReport>,
    ) {
        for (joint, (was, is)) in self.joints.iter().zip(before.iter().zip(after)) {
            let kind = if is.is_sticking() && !was.is_sticking() {
                "stick"
            } else if was.is_sticking() && is.sliding().is_some() {
                "slip"
            } else if was.sliding().zip(is.sliding()).is_some_and(|(a, b)| a != b) {
                "reversal"
            } else {
                continue;
            };
            reports.push(EventReport::new(kind, joint.label.clone()));
        }
    }
}
