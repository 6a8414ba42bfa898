//! Impasse points: sliding that comes to where friction leaves no forces that balance it.

use crate::NonsmoothSystem;
use crate::event_sets::{Fired, Held};
use liedae::system::{
    EvaluationError, EventAction, EventHandling, EventReport, EventResponse, State,
};

/// How far behind an impasse point forces are missed, in s: steps of a constant size end farther before it.
const BEHIND: [f64; 6] = [1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5];

impl NonsmoothSystem {
    /// Stops by impulses what slides, where no forces are found behind an impasse point.
    ///
    /// The normal force of a joint in space is the norm of its reaction, and its friction is part of what causes the reaction: solutions
    /// may meet in pairs and end, while forces are finite (a fold). At the point itself there are forces still, and steps up to it
    /// succeed: so impulses are those of a state that has moved on with its accelerations until there are none.
    pub(crate) fn pass_impasse(
        &mut self,
        state: &mut State,
    ) -> Result<EventResponse, EvaluationError> {
        if self.detection.handling == EventHandling::Captured {
            return Ok(EventAction::Continue.into());
        }
        let fired = Fired {
            impasse: true,
            ..Fired::default()
        };
        let held = Held::at(&self.equations, state);
        let mut found = None;
        for behind in BEHIND {
            let mut later = self.moved_on(state, behind);
            let closed = self.find_closed(&fired, &later)?;
            self.dynamics
                .respond(&mut self.equations, &closed, &later.point())?;
            let (mut collision, lists) = self.collision(&fired);
            let mut arrived = collision.resolve(lists, &closed, &mut later, &mut Vec::new())?;
            self.lists.closed = closed;
            let mut persistence = self.persistence(&fired, &held);
            if persistence.decide(&mut arrived, &later).is_ok() {
                continue;
            }
            let moved = later.v.clone();
            let sliding = self.sliding();
            let Ok(response) = self.respond(&fired, EventAction::Continue.into(), &mut later)
            else {
                continue;
            };
            // The jump takes place at the point itself.
            (later.t, later.q) = (state.t, state.q.clone());
            for ((v, moved), before) in later.v.iter_mut().zip(moved).zip(&state.v) {
                *v += before - moved;
            }
            // Near the point impulses may be found that stop nothing: a moment later there are no forces again.
            let stops = self.sliding() < sliding;
            found = Some((later, response));
            if stops {
                break;
            }
        }
        let Some((later, mut response)) = found else {
            return Ok(EventAction::Continue.into());
        };
        *state = later;
        self.equations
            .put_at_rest(self.options.thresholds.velocity, state)?;
        let reports = response.reports.get_or_insert_default();
        reports.insert(0, EventReport::new("impasse", "the system"));
        Ok(response)
    }

    /// How many contacts and joints slide.
    fn sliding(&self) -> usize {
        let statuses = &self.equations.statuses;
        let contacts = statuses.contacts.iter().map(|status| status.sliding());
        let joints = statuses.joints.iter().map(|status| status.sliding());
        contacts.chain(joints).flatten().count()
    }

    /// The state moved on by a time with its velocities and accelerations, at its own moment.
    fn moved_on(&self, state: &State, by: f64) -> State {
        let mut later = state.clone();
        let space = &self.equations.structure.layout.space;
        let path: Vec<f64> = state.v.iter().map(|v| by * v).collect();
        space.retract(&state.q, &path, &mut later.q);
        for (v, a) in later.v.iter_mut().zip(&state.acceleration) {
            *v += by * a;
        }
        later
    }
}
