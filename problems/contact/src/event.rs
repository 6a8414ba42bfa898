//! The sequence of an event, in the order of the module's documentation.
//!
//! Events are functions that cross zero, moments of the wrapped system, and the start of a run. Each part of
//! [`NonsmoothSystem`] does its own; [`resolve`](NonsmoothSystem::resolve) calls them one after the other.

use crate::closed::guess::Settled;
use crate::closed::leaving::mark_leaving;
use crate::closed::persistence::Persistence;
use crate::equations::slides::{Found, Measure, Slide};
use crate::event_sets::{Arrived, Fired, Held, Moving};
use crate::impact::resolve::{Collision, Lists};
use crate::reports::{report_contacts, report_joints};
use crate::{ContactStatus, JointStatus, NonsmoothSystem, failed};
use liedae::system::{
    EvaluationError, EventAction, EventHandling, EventReport, EventResponse, State, System,
};

/// Motion faster than this multiple of the velocity threshold is not stopped by a contact that leaves.
const SEEN: f64 = 10.0;

/// The changes of velocities by forces in the step of an impact without collision, as shares of their threshold: with the larger one what has
/// been stopped may be drawn off at once, with the smaller one solvers may miss a solution.
const STEPS: [f64; 2] = [1e-2, 1.0];

/// An event that has been resolved.
struct Resolved {
    reports: Vec<EventReport>,
    /// Whether contacts or joints do something else than before.
    restructures: bool,
}

impl NonsmoothSystem {
    /// Begins a run from a state: who is closed, slides and sticks, with which rows.
    pub(crate) fn begin(
        &mut self,
        state: &mut State,
        handling: EventHandling,
    ) -> Result<Vec<EventReport>, EvaluationError> {
        self.detection.handling = handling;
        self.accumulations.clear();
        self.open_all(state)?;
        // A run depends on nothing that earlier ones have left.
        self.equations.forget_earlier();
        let space = &self.equations.structure.layout.space;
        if (state.q.len(), state.v.len()) != (space.coordinates(), space.dimension()) {
            // The driver's check of the initial values says what is wrong.
            return Ok(Vec::new());
        }
        self.refuse_penetration(state)?;
        self.equations.find_shared_reactions(state)?;
        if handling == EventHandling::Captured {
            return Ok(Vec::new());
        }
        let fired = Fired {
            start: Some(self.moving(state)?),
            ..Fired::default()
        };
        Ok(self.resolve(&fired, state)?.reports)
    }

    /// Hands events to the wrapped system and to the contacts.
    pub(crate) fn handle(
        &mut self,
        events: &[usize],
        state: &mut State,
    ) -> Result<EventResponse, EvaluationError> {
        let first = self.detection.inner_events;
        let mut own = Vec::new();
        if first > 0 {
            own.extend(events.iter().filter(|&&event| event < first));
        }
        let mut answer = EventResponse::from(EventAction::Continue);
        if !own.is_empty() {
            answer = self.hand_to_inner(&own, state)?;
            if answer.action == EventAction::Continue && own.len() == events.len() {
                return Ok(answer);
            }
            // What happens in the contacts does not make up the whole record.
            let descriptions = &self.detection.descriptions;
            answer.reports.get_or_insert_with(|| {
                let described = own.iter().map(|&event| &descriptions[event]);
                described
                    .map(|event| EventReport::new(event.kind.clone(), event.label.clone()))
                    .collect()
            });
        }
        // Memory of the event before.
        let mut fired = self.fired.take().unwrap_or_default();
        self.detection
            .note_fired(events, &self.equations, &self.sharing, &mut fired);
        let answered = self.answer(&mut fired, answer, state);
        self.fired = Some(fired);
        answered
    }

    /// Answers to the events of contacts and joints, behind those of the wrapped system.
    fn answer(
        &mut self,
        fired: &mut Fired,
        answer: EventResponse,
        state: &mut State,
    ) -> Result<EventResponse, EvaluationError> {
        let slide_on = self.turn_slides(fired, state)?;
        if slide_on && fired.is_empty() {
            // Nothing has happened but that slow sliding was looked at, or that a direction of reference has been left behind. The event
            // function is another one in any case: the search for events begins anew.
            return Ok(EventResponse {
                action: EventAction::Restart.max(answer.action),
                reports: Some(answer.reports.unwrap_or_default()),
            });
        }
        if let Some(stop) = self.hand_over(fired, state)? {
            return Ok(stop);
        }
        if self.begins_by_prescription(fired) {
            // Sliding that is no more than what a step has left of the rows is none.
            self.equations.put_velocities_on_rows(state)?;
        }
        self.respond(fired, answer, state)
    }

    /// Whether something seems to slide that rows keep at rest.
    fn begins_by_prescription(&self, fired: &Fired) -> bool {
        let statuses = &self.equations.statuses;
        let contacts = fired
            .tangential
            .iter()
            .any(|&contact| statuses.contacts[contact] == ContactStatus::StickingRedundantly);
        let mut joints = fired.joints.iter();
        contacts || joints.any(|&joint| statuses.joints[joint] == JointStatus::StickingRedundantly)
    }

    /// Gives contacts that slide on in space in another direction that direction, and takes them and those that have been looked at from
    /// those that have fired; whether there were any.
    fn turn_slides(&mut self, fired: &mut Fired, state: &State) -> Result<bool, EvaluationError> {
        if fired.tangential.is_empty() {
            return Ok(false);
        }
        let measure = Measure::at(state.t, &self.options.thresholds);
        let mut resting = Vec::with_capacity(fired.tangential.len());
        let mut turned = false;
        for &contact in &fired.tangential {
            let [_, first, second] = self.equations.velocity_of(contact, &state.point())?;
            let slides = self.equations.statuses.contacts[contact]
                .sliding()
                .is_some()
                && self.equations.contacts[contact].is_spatial();
            let slide = &mut self.equations.slides[contact];
            let found = match slides {
                true => slide.found([first, second], measure),
                false => Found::Rest,
            };
            match found {
                Found::Turn => {
                    *slide = slide.turned([first, second], measure);
                    turned = true;
                    continue;
                }
                Found::Wavers => fired.wavering.push(contact),
                Found::Lasts | Found::Overdue => {
                    let rate = self.equations.slows_down(contact, state)?;
                    let speed = first.hypot(second);
                    let short = measure.stops_short(speed, rate, speed);
                    let stops_in = short.then_some(speed / rate);
                    self.equations.slides[contact].watch_on(stops_in, measure);
                    if !short || found == Found::Lasts {
                        continue;
                    }
                    fired.lasting.push(contact);
                }
                Found::Rest => {}
            }
            resting.push(contact);
        }
        let slide_on = resting.len() < fired.tangential.len();
        fired.tangential = resting;
        if turned {
            self.turn_redundant(state)?;
        }
        Ok(slide_on)
    }

    /// Contacts that have wavered and do not stick slide on in the direction in which forces let them begin.
    fn settle_slides(&mut self, fired: &Fired, state: &State) -> Result<(), EvaluationError> {
        let measure = Measure::at(state.t, &self.options.thresholds);
        for &contact in &fired.wavering {
            let [_, first, second] = self.equations.velocity_of(contact, &state.point())?;
            let slide = &mut self.equations.slides[contact];
            if first.hypot(second) > measure.threshold {
                *slide = Slide::settled(slide.direction, [first, second], measure);
            }
        }
        Ok(())
    }

    /// Contacts in space that slide without rows of their own slide as those with rows do, and have no events of their own.
    fn turn_redundant(&mut self, state: &State) -> Result<(), EvaluationError> {
        let measure = Measure::at(state.t, &self.options.thresholds);
        for contact in 0..self.equations.contacts.len() {
            let redundant = self.equations.statuses.contacts[contact] == ContactStatus::Redundant;
            if !redundant || !self.equations.contacts[contact].is_spatial() {
                continue;
            }
            let [_, first, second] = self.equations.velocity_of(contact, &state.point())?;
            if first.hypot(second) > measure.threshold {
                let slide = &mut self.equations.slides[contact];
                *slide = slide.on_along([first, second], measure);
            }
        }
        Ok(())
    }

    /// Hands its events to the wrapped system, which may change its part of the state.
    fn hand_to_inner(
        &mut self,
        events: &[usize],
        state: &mut State,
    ) -> Result<EventResponse, EvaluationError> {
        let answer = self
            .equations
            .with_inner_state(state, |inner, own| match inner.events() {
                Some(inner_events) => inner_events.handle_events(events, own),
                None => Ok(EventAction::Continue.into()),
            })?;
        if answer.action != EventAction::Continue {
            self.equations.store_inner_state(state);
        }
        Ok(answer)
    }

    /// Hands a moment to the wrapped system, and then to the contacts, whose loads may have jumped.
    pub(crate) fn handle_moment(
        &mut self,
        event: usize,
        state: &mut State,
    ) -> Result<EventResponse, EvaluationError> {
        let mut answer =
            self.equations
                .with_inner_state(state, |inner, own| match inner.events() {
                    Some(events) => events.handle_time_event(event, own),
                    None => Ok(EventAction::Restart.into()),
                })?;
        if answer.action != EventAction::Continue {
            self.equations.store_inner_state(state);
            let label = format!("time event {}", event + 1);
            answer
                .reports
                .get_or_insert(vec![EventReport::new("load", label)]);
        }
        if self.detection.handling == EventHandling::Captured {
            return Ok(answer);
        }
        self.respond(&Fired::default(), answer, state)
    }

    /// Stops the run where impacts accumulate and are left to the event-capturing scheme.
    fn hand_over(
        &mut self,
        fired: &Fired,
        state: &State,
    ) -> Result<Option<EventResponse>, EvaluationError> {
        let policy = self.options.accumulation;
        let handover =
            self.accumulations
                .hands_over(&mut self.equations, &fired.impacts, policy, state)?;
        Ok(handover.map(|handover| {
            let contacts = handover.contacts.iter();
            let labels = contacts.map(|&contact| &self.equations.contacts[contact].label);
            EventResponse {
                action: EventAction::Stop,
                reports: Some(
                    labels
                        .map(|label| EventReport::new("capture", label))
                        .collect(),
                ),
            }
        }))
    }

    /// Resolves an event and says what the driver does.
    pub(crate) fn respond(
        &mut self,
        fired: &Fired,
        answer: EventResponse,
        state: &mut State,
    ) -> Result<EventResponse, EvaluationError> {
        let resolved = self.resolve(fired, state)?;
        let changed = if resolved.restructures {
            EventAction::Restructure
        } else {
            EventAction::Restart
        };
        let reports = match answer.reports {
            Some(mut all) => {
                all.extend(resolved.reports);
                all
            }
            None => resolved.reports,
        };
        Ok(EventResponse {
            action: answer.action.max(changed),
            reports: Some(reports),
        })
    }

    /// The algorithm of the module's documentation.
    fn resolve(&mut self, fired: &Fired, state: &mut State) -> Result<Resolved, EvaluationError> {
        let held = Held::at(&self.equations, state);
        let mut reports = Vec::new();
        for &contact in &fired.junctions {
            let label = &self.equations.contacts[contact].label;
            reports.push(EventReport::new("normal", label));
        }

        // 1. What has been passed is put back.
        self.equations
            .correct_penetration(&fired.impacts, &self.options.thresholds, state)?;

        // 2. Closed contacts that approach have an impact.
        let closed = self.find_closed(fired, state)?;
        self.dynamics
            .respond(&mut self.equations, &closed, &state.point())?;
        let (mut collision, lists) = self.collision(fired);
        let mut arrived = collision.resolve(lists, &closed, state, &mut reports)?;
        self.lists.closed = closed;

        // 3. Forces say who stays closed, slides and sticks; what wavers does so from rest.
        let threshold = self.options.thresholds.velocity;
        arrived.rest(&fired.wavering, |velocity| {
            Slide::leans(velocity, threshold)
        });
        let settled = self.settle(&mut arrived, fired, &held, state, &mut reports)?;
        let settled = self.stop_short(settled, &mut arrived, fired, &held, state, &mut reports)?;
        self.close_what_joins(fired, &settled, state)?;

        // 4. They become rows, and the equations go on with these forces.
        let statuses = [&self.equations.statuses, &settled.statuses];
        let closed = &arrived.contacts;
        report_contacts(
            &self.equations.contacts,
            statuses,
            closed,
            fired,
            &mut reports,
        );
        report_joints(&self.equations.joints, statuses, fired, &mut reports);
        self.accumulations.forget_closed(&settled.statuses.contacts);
        let restructures = self.set_statuses(&settled.statuses, state)?;
        let measure = Measure::at(state.t, &self.options.thresholds);
        self.equations.slide_on(closed, &fired.lasting, measure);
        self.settle_slides(fired, state)?;
        settled.begin(&self.equations, closed, state);

        // 5. Velocities are put onto the rows.
        self.equations.put_velocities_on_rows(state)?;
        self.margins
            .note_backward_slides(&mut self.equations, state)?;
        let response = &self.dynamics.response;
        let decided = (&settled.holds[..], &settled.reactions[..]);
        self.sharing
            .share(&self.equations, response, closed, decided);
        self.sharing.grant(&fired.shared, state.t);
        self.equations.done_with(settled.statuses);
        self.lists.arrived = arrived;
        Ok(Resolved {
            reports,
            restructures,
        })
    }

    /// Puts contacts that close without an impact, since they are nearer than the gap threshold, onto gap zero: a method that solves for
    /// positions would take what is left for a motion, as fast as its next step is short.
    fn close_what_joins(
        &mut self,
        fired: &Fired,
        settled: &Settled,
        state: &mut State,
    ) -> Result<(), EvaluationError> {
        let thresholds = &self.options.thresholds;
        let mut joining = Vec::new();
        for (contact, after) in settled.statuses.contacts.iter().enumerate() {
            let before = self.equations.statuses.contacts[contact];
            let joins =
                after.is_closed() && !before.is_closed() && !fired.impacts.contains(&contact);
            // What is farther away, by a threshold of the user's, is no round-off: the state is refused.
            if joins && self.equations.gap_of(contact, &state.point())? <= thresholds.penetration {
                joining.push(contact);
            }
        }
        self.equations
            .correct_penetration(&joining, thresholds, state)
    }

    /// The index set I_1.
    pub(crate) fn find_closed(
        &mut self,
        fired: &Fired,
        state: &State,
    ) -> Result<Vec<usize>, EvaluationError> {
        let mut closed = std::mem::take(&mut self.lists.closed);
        closed.clear();
        for contact in 0..self.equations.contacts.len() {
            let touches = self.equations.statuses.contacts[contact].is_closed()
                || fired.impacts.contains(&contact)
                || self.equations.gap_of(contact, &state.point())? <= self.options.thresholds.gap;
            if touches {
                closed.push(contact);
            }
        }
        Ok(closed)
    }

    /// Decides about contacts and joints by the forces at acceleration level; where there are none, impulses stop the sliding
    /// first.
    pub(crate) fn settle(
        &mut self,
        arrived: &mut Arrived,
        fired: &Fired,
        held: &Held,
        state: &mut State,
        reports: &mut Vec<EventReport>,
    ) -> Result<Settled, EvaluationError> {
        self.mark_leaving(arrived, fired, SEEN);
        let error = match fired.impasse {
            // There are forces at the impasse point itself, and none behind it.
            true => None,
            false => match self.persistence(fired, held).decide(arrived, state) {
                Ok(settled) => return Ok(settled),
                Err(error) => Some(error),
            },
        };
        if let Some(settled) = self.stop_jammed(arrived, fired, held, state, reports)? {
            return Ok(settled);
        }
        let Some(error) = error else {
            return Err(failed(state.t, "no impulses stop what slides"));
        };
        // What leaves as slowly as that may rest for a moment, but where no forces keep it.
        if !self.mark_leaving(arrived, fired, 1.0) {
            return Err(error);
        }
        (self.persistence(fired, held).decide(arrived, state)).map_err(|_| error)
    }

    /// Marks contacts that leave with a motion faster than this multiple of the velocity threshold; whether there are any.
    fn mark_leaving(&self, arrived: &mut Arrived, fired: &Fired, multiple: f64) -> bool {
        let threshold = self.options.thresholds.velocity;
        mark_leaving(
            arrived,
            fired,
            [threshold, multiple * threshold],
            &self.dynamics.response,
        );
        arrived.contacts.iter().any(|closed| closed.leaves)
    }

    /// The decision behind impulses that stop what jams; `None` leaves everything as it was.
    fn stop_jammed(
        &mut self,
        arrived: &mut Arrived,
        fired: &Fired,
        held: &Held,
        state: &mut State,
        reports: &mut Vec<EventReport>,
    ) -> Result<Option<Settled>, EvaluationError> {
        // Joints may come to lock themselves in motion, contacts only where an impact brings them there.
        let in_motion = !self.equations.joints.is_empty() && fired.start.is_none();
        if !in_motion && fired.impacts.is_empty() && !fired.impasse {
            return Ok(None);
        }
        let (before, said) = ((arrived.clone(), state.v.clone()), reports.len());
        for share in STEPS {
            let change = share * self.options.thresholds.velocity;
            let (mut collision, _) = self.collision(fired);
            if collision.stop_jammed(change, arrived, state, reports)? {
                self.mark_leaving(arrived, fired, SEEN);
                if let Ok(settled) = self.persistence(fired, held).decide(arrived, state) {
                    return Ok(Some(settled));
                }
            }
            (*arrived, state.v) = before.clone();
            reports.truncate(said);
            self.respond_anew(arrived, state)?;
        }
        Ok(None)
    }

    /// A decision has turned the directions of contacts: they and the response are those that the model gives again.
    pub(crate) fn respond_anew(
        &mut self,
        arrived: &mut Arrived,
        state: &State,
    ) -> Result<(), EvaluationError> {
        arrived.turn_back();
        let contacts = arrived.contacts.iter().map(|closed| closed.contact);
        let contacts: Vec<usize> = contacts.collect();
        self.dynamics
            .respond(&mut self.equations, &contacts, &state.point())
    }

    /// What an impact draws on, beside memory for it.
    pub(crate) fn collision<'a>(&'a mut self, fired: &'a Fired) -> (Collision<'a>, &'a mut Lists) {
        let collision = Collision {
            equations: &mut self.equations,
            dynamics: &mut self.dynamics,
            accumulations: &mut self.accumulations,
            options: &self.options,
            tolerance: self.detection.tolerance(),
            fired,
        };
        (collision, &mut self.lists)
    }

    pub(crate) fn persistence<'a>(
        &'a mut self,
        fired: &'a Fired,
        held: &'a Held,
    ) -> Persistence<'a> {
        Persistence {
            equations: &mut self.equations,
            dynamics: &mut self.dynamics,
            margins: &mut self.margins,
            thresholds: &self.options.thresholds,
            fired,
            held,
        }
    }

    fn refuse_penetration(&mut self, state: &State) -> Result<(), EvaluationError> {
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
        Ok(())
    }

    /// What slides or approaches.
    fn moving(&mut self, state: &State) -> Result<Moving, EvaluationError> {
        let threshold = self.options.thresholds.velocity;
        let mut contacts = Vec::with_capacity(self.equations.contacts.len());
        for contact in 0..self.equations.contacts.len() {
            let [rate, first, second] = self.equations.velocity_of(contact, &state.point())?;
            contacts.push(rate < -threshold || first.hypot(second) > threshold);
        }
        let joints = self.equations.joint_velocities(state)?;
        Ok(Moving {
            contacts,
            joints: joints.iter().map(|v| v.abs() > threshold).collect(),
        })
    }
}
