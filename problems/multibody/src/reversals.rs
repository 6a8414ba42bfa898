//! The events of a mechanism: sliding that reverses, and moments at which loads are switched.

use crate::MultibodySystem;
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
        Ok(())
    }

    fn handle_events(
        &mut self,
        events: &[usize],
        state: &mut State,
    ) -> Result<EventResponse, EvaluationError> {
        let mut action = EventAction::Continue;
        for &event in events {
            if let Some(mode) = state.mode.get_mut(event) {
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
