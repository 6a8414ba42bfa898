//! The events of a mechanism: sliding that reverses, springs that wrap, and moments at which loads are switched.

use crate::MultibodySystem;
use crate::torsion::Torsion;
use liedae::system::{
    EvaluationError, EventAction, EventDescription, EventResponse, Events, Point, State,
};

impl Events for MultibodySystem {
    fn descriptions(&mut self) -> &[EventDescription] {
        &self.events
    }

    fn event_functions(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        for (slot, (slide, _)) in out.iter_mut().zip(&self.slides) {
            *slot = slide.velocity(&Self::pair(&slide.bodies, at));
        }
        let wraps = self.wraps();
        for (slot, torsion) in out[self.slides.len()..].iter_mut().zip(wraps) {
            let bodies = Self::pair(&torsion.bodies, at);
            *slot = torsion.distance_from_wrap(&bodies, at.x, at.mode);
        }
        Ok(())
    }

    fn handle_events(
        &mut self,
        events: &[usize],
        state: &mut State,
    ) -> Result<EventResponse, EvaluationError> {
        let mut action = EventAction::Continue;
        for &event in events {
            if let Some(wrap) = event.checked_sub(self.slides.len()) {
                action = self.wrap(wrap, state).max(action);
            } else if let Some(mode) = state.mode.get_mut(event) {
                // The direction of friction turns at the moment at which the joint comes to rest.
                *mode = -*mode;
                action = EventAction::Restart;
            }
        }
        Ok(action.into())
    }

    fn time_events(&mut self) -> &[f64] {
        &self.time_events
    }
}

impl MultibodySystem {
    /// The springs that wrap, in the order of their modes.
    fn wraps(&self) -> impl Iterator<Item = &Torsion> {
        let torsions = self.torsions.iter().map(|(torsion, ..)| torsion);
        torsions.filter(|torsion| torsion.wrap.is_some())
    }

    /// A spring that wraps forgets a turn.
    fn wrap(&self, index: usize, state: &mut State) -> EventAction {
        let Some(torsion) = self.wraps().nth(index) else {
            return EventAction::Continue;
        };
        let bodies = Self::pair(&torsion.bodies, &state.point());
        let angle = torsion.angle(&bodies, &state.x, &state.mode);
        let off = torsion.turns_off(angle);
        // By round-off the moment may be one just before half a turn.
        let off = if off == 0 && angle < torsion.free_angle {
            -1
        } else if off == 0 {
            1
        } else {
            off
        };
        if let Some(mode) = torsion.wrap.and_then(|wrap| state.mode.get_mut(wrap)) {
            *mode = mode.saturating_add(off);
        }
        EventAction::Restart
    }
}
