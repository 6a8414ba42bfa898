//! What happens at an event, in the order of the module's documentation.

use crate::equations::structure::Statuses;
use crate::impact::accumulation::Handover;
use crate::participants::{Closed, Fired, Held, Moving};
use crate::{Contact, ContactStatus, NonsmoothSystem, failed};
use liedae::system::{
    EvaluationError, EventAction, EventHandling, EventReport, EventResponse, State, System,
};

impl NonsmoothSystem {
    /// Forms the index sets of an initial state.
    pub(crate) fn begin(&mut self, state: &mut State) -> Result<Vec<EventReport>, EvaluationError> {
        for contact in 0..self.equations.contacts.len() {
            let gap = self.equations.gap_of(contact, &state.point())?;
            if gap < -self.options.thresholds.penetration {
                let label = &self.equations.contacts[contact].label;
                return Err(failed(
                    state.t,
                    format!("contact `{label}` is penetrated by {:e} m", -gap),
                ));
            }
        }
        let spatial = |contact: &&Contact| contact.tangents > 1 && contact.friction > 0.0;
        match self.detection.handling {
            EventHandling::Located { .. } => match self.equations.contacts.iter().find(spatial) {
                None => {
                    let start = Some(self.moving(state)?);
                    let fired = Fired {
                        start,
                        ..Fired::default()
                    };
                    self.resolve(&fired, state)
                }
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

    /// What slides or approaches.
    fn moving(&mut self, state: &State) -> Result<Moving, EvaluationError> {
        let threshold = self.options.thresholds.velocity;
        let mut contacts = Vec::with_capacity(self.equations.contacts.len());
        for contact in 0..self.equations.contacts.len() {
            let [rate, sliding] = self.equations.velocity_of(contact, &state.point())?;
            contacts.push(rate < -threshold || sliding.abs() > threshold);
        }
        let joints = self.equations.joint_velocities(state)?;
        Ok(Moving {
            contacts,
            joints: joints.iter().map(|v| v.abs() > threshold).collect(),
        })
    }

    /// Hands events to the wrapped system and to the contacts.
    pub(crate) fn handle_located(
        &mut self,
        events: &[usize],
        state: &mut State,
    ) -> Result<EventResponse, EvaluationError> {
        let first = self.detection.inner_events;
        let own = events.iter().copied();
        let own: Vec<usize> = own.filter(|&event| event < first).collect();
        let mut response = EventResponse::from(EventAction::Continue);
        if !own.is_empty() {
            let described = own.iter().map(|&event| &self.detection.descriptions[event]);
            let described: Vec<_> = described
                .map(|event| EventReport::new(event.kind.clone(), event.label.clone()))
                .collect();
            let answer =
                self.equations
                    .with_inner_state(state, |inner, own_state| match inner.events() {
                        Some(events) => events.handle_events(&own, own_state),
                        None => Ok(EventAction::Continue.into()),
                    });
            response = answer?;
            if response.action != EventAction::Continue {
                self.equations.store_inner_state(state);
            } else if own.len() == events.len() {
                return Ok(response);
            }
            // What happens in the contacts does not make up the whole record.
            response.reports.get_or_insert(described);
        }
        let fired = self.detection.fired(events, &self.equations, &self.sharing);
        if let Some(handover) = self.hands_over(&fired, state)? {
            let contacts = handover.contacts.iter();
            let reports = contacts
                .map(|&contact| {
                    EventReport::new("capture", &self.equations.contacts[contact].label)
                })
                .collect();
            self.handing_over = Some(handover);
            return Ok(EventResponse {
                action: EventAction::Stop,
                reports: Some(reports),
            });
        }
        self.respond(&fired, response, state)
    }

    /// Resolves an event and says what the driver does.
    pub(crate) fn respond(
        &mut self,
        fired: &Fired,
        answer: EventResponse,
        state: &mut State,
    ) -> Result<EventResponse, EvaluationError> {
        let before = self.equations.statuses.clone();
        let reports = self.resolve(fired, state)?;
        let changed = if before == self.equations.statuses {
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

    /// Which of these impacts are among many before a limit that is left to the event-capturing scheme.
    pub(crate) fn hands_over(
        &mut self,
        fired: &Fired,
        state: &State,
    ) -> Result<Option<Handover>, EvaluationError> {
        let mut handover = Handover {
            contacts: Vec::new(),
            limit: f64::NEG_INFINITY,
        };
        for &contact in &fired.impacts {
            let [rate, _] = self.equations.velocity_of(contact, &state.point())?;
            let prediction = self.impacts[contact].clone().note(state.t, -rate);
            if let Some(end) = prediction.filter(|end| end.is_captured(self.options.accumulation)) {
                handover.contacts.push(contact);
                handover.limit = handover.limit.max(end.limit);
            }
        }
        Ok((!handover.contacts.is_empty()).then_some(handover))
    }

    /// The algorithm of the module's documentation.
    fn resolve(
        &mut self,
        fired: &Fired,
        state: &mut State,
    ) -> Result<Vec<EventReport>, EvaluationError> {
        let before = self.equations.statuses.clone();
        let held = self.held(state);
        let thresholds = self.options.thresholds;
        self.equations
            .correct_penetration(&fired.impacts, &thresholds, state)?;
        let closed = self.closed(&before.contacts, fired, state)?;
        self.compute_response(&closed, &state.point())?;
        let passing = fired.junctions.iter();
        let mut reports: Vec<_> = passing
            .map(|&contact| EventReport::new("normal", &self.equations.contacts[contact].label))
            .collect();
        let mut arrived = self.impact(&closed, fired, state, &mut reports)?;

        let open = Statuses::none(self.equations.contacts.len(), self.equations.joints.len());
        let mut statuses = open.clone();
        let settled = self.stay_closed(&arrived, fired, &held, state, &mut statuses);
        let settled = match settled {
            Ok(settled) => settled,
            Err(error) => {
                // Joints may come to lock themselves in motion, contacts only where an impact brings them there.
                let in_motion = !self.equations.joints.is_empty() && fired.start.is_none();
                let stops = in_motion || !fired.impacts.is_empty();
                if !stops || !self.stop_jammed(&mut arrived, fired, state, &mut reports)? {
                    return Err(error);
                }
                statuses = open;
                self.stay_closed(&arrived, fired, &held, state, &mut statuses)?
            }
        };
        self.report_contacts(&before, &statuses, &arrived.contacts, fired, &mut reports);
        self.report_joints(&before, &statuses, fired, &mut reports);
        for (contact, status) in statuses.contacts.iter().enumerate() {
            if status.is_closed() {
                self.impacts[contact].forget();
            }
        }
        self.set_statuses(statuses, state)?;
        self.begin_with(&settled, &arrived.contacts, state);
        self.equations.put_velocities_on_rows(state)?;
        self.margins
            .note_backward_slides(&mut self.equations, state)?;
        self.share_forces(&arrived.contacts, &settled.holds);
        Ok(reports)
    }

    /// What holds the sticking contacts and joints.
    fn held(&self, state: &State) -> Held {
        let structure = &self.equations.structure;
        let force = |row: usize| state.lambda.get(row).copied().unwrap_or(0.0);
        let mut contacts = vec![0.0; self.equations.contacts.len()];
        for (index, &contact) in structure.sticks.iter().enumerate() {
            contacts[contact] = force(structure.first_stick() + index);
        }
        let mut joints = vec![0.0; self.equations.joints.len()];
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
            let gap = self.equations.gap_of(contact, &state.point())?;
            let touches = gap <= self.options.thresholds.gap
                || status.is_closed()
                || fired.impacts.contains(&contact);
            if touches {
                closed.push(contact);
            }
        }
        Ok(closed)
    }

    fn report_contacts(
        &self,
        before: &Statuses,
        after: &Statuses,
        closed: &[Closed],
        fired: &Fired,
        reports: &mut Vec<EventReport>,
    ) {
        for closed in closed {
            let contact = closed.contact;
            let label = &self.equations.contacts[contact].label;
            let (was, is) = (before.contacts[contact], after.contacts[contact]);
            let moved = fired
                .start
                .as_ref()
                .is_none_or(|start| start.contacts[contact]);
            let struck = reports
                .iter()
                .any(|report| report.kind == "impact" && report.label == *label);
            let kind = match (was, is) {
                _ if was.is_closed() && !is.is_closed() && !struck => "release",
                _ if is.is_sticking() && !was.is_sticking() && moved => "stick",
                _ if was.is_sticking() && is.sliding().is_some() => "slip",
                _ if was.sliding().zip(is.sliding()).is_some_and(|(a, b)| a != b) => "reversal",
                _ => continue,
            };
            reports.push(EventReport::new(kind, label.clone()));
        }
    }

    fn report_joints(
        &self,
        before: &Statuses,
        after: &Statuses,
        fired: &Fired,
        reports: &mut Vec<EventReport>,
    ) {
        for (index, joint) in self.equations.joints.iter().enumerate() {
            let (was, is) = (before.joints[index], after.joints[index]);
            let moved = fired.start.as_ref().is_none_or(|start| start.joints[index]);
            let kind = if is.is_sticking() && !was.is_sticking() && moved {
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
