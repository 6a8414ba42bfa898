//! Systems that say when something happens to them, by moments or by functions, and remember when they were asked.

use liedae::prelude::*;
use liedae::system::{EvaluationError, EventResponse, Events, Wrapped, Wrapper};

/// A system with moments and event functions of its own.
pub struct Announced {
    system: Box<dyn System>,
    moments: Vec<f64>,
    descriptions: Vec<EventDescription>,
    functions: Vec<fn(&Point) -> f64>,
    /// What a moment is answered with.
    pub action: EventAction,
    /// The first velocity behind a moment, where it jumps.
    pub velocity: Option<f64>,
    /// The times of moments and of events that have been handled.
    pub moments_handled_at: Vec<f64>,
    pub events_handled_at: Vec<f64>,
}

/// A system that announces these moments, and crossings of these functions from below.
pub fn announced(
    system: impl System + 'static,
    moments: &[f64],
    functions: &[fn(&Point) -> f64],
) -> Wrapped<Announced> {
    let described = (1..=functions.len())
        .map(|number| EventDescription::new("reach", format!("mark {number}"), Direction::Rising));
    Wrapped(Announced {
        system: Box::new(system),
        moments: moments.to_vec(),
        descriptions: described.collect(),
        functions: functions.to_vec(),
        action: EventAction::Restart,
        velocity: None,
        moments_handled_at: Vec::new(),
        events_handled_at: Vec::new(),
    })
}

impl Wrapper for Announced {
    type Inner = dyn System;

    fn inner(&self) -> &Self::Inner {
        self.system.as_ref()
    }
    fn inner_mut(&mut self) -> &mut Self::Inner {
        self.system.as_mut()
    }
    fn events(&mut self) -> Option<&mut dyn Events> {
        Some(self)
    }
}

impl Events for Announced {
    fn descriptions(&mut self) -> &[EventDescription] {
        &self.descriptions
    }
    fn event_functions(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        for (slot, function) in out.iter_mut().zip(&self.functions) {
            *slot = function(at);
        }
        Ok(())
    }
    fn handle_events(
        &mut self,
        _events: &[usize],
        state: &mut State,
    ) -> Result<EventResponse, EvaluationError> {
        self.events_handled_at.push(state.t);
        Ok(EventAction::Restart.into())
    }
    fn time_events(&mut self) -> &[f64] {
        &self.moments
    }
    fn handle_time_event(
        &mut self,
        _event: usize,
        state: &mut State,
    ) -> Result<EventResponse, EvaluationError> {
        self.moments_handled_at.push(state.t);
        if let Some(velocity) = self.velocity {
            state.v[0] = velocity;
        }
        Ok(self.action.into())
    }
}
