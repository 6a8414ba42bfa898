//! The optional parts of a model (second derivatives, outputs, energy, properties) as parts of a system.

use crate::system::automatic::model::Automatic;
use crate::system::{
    Energy, EvaluationError, EventAction, EventDescription, EventResponse, Events, Model,
    ModelEvents, Outputs, Point, Properties, Property, SecondDerivatives, State,
};

impl<M: Model> SecondDerivatives for Automatic<M> {
    fn geometric_stiffness(
        &mut self,
        at: &Point,
        acceleration: &[f64],
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        self.second.geometric_stiffness(
            &self.model,
            &self.layout,
            &self.sweeps,
            at,
            acceleration,
            out,
        );
        Ok(())
    }

    fn velocity_constraint_jacobian(
        &mut self,
        at: &Point,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        self.second
            .velocity_constraint(&self.model, &self.layout, &self.sweeps, at, out);
        Ok(())
    }

    fn acceleration_constraint_jacobian(
        &mut self,
        at: &Point,
        acceleration: &[f64],
        by_position: &mut [f64],
        by_velocity: &mut [f64],
    ) -> Result<(), EvaluationError> {
        self.second.acceleration_constraint(
            &self.model,
            &self.layout,
            &self.sweeps,
            at,
            acceleration,
            [by_position, by_velocity],
        );
        Ok(())
    }
}

impl<M: Model> Outputs for Automatic<M> {
    fn names(&self) -> &[String] {
        &self.output_names
    }

    fn definitions(&mut self) -> Vec<Option<String>> {
        self.model.output_definitions()
    }

    fn values(&mut self, state: &State, out: &mut [f64]) -> Result<(), EvaluationError> {
        out.fill(0.0);
        self.model.outputs(state, out);
        Ok(())
    }
}

impl<M: Model> Energy for Automatic<M> {
    fn total(&mut self, at: &Point) -> Option<f64> {
        self.model.energy(at)
    }

    fn is_kept(&mut self) -> bool {
        self.keeps_energy
    }

    fn is_passive(&mut self) -> bool {
        self.keeps_energy || self.model.is_passive()
    }
}

impl<M: Model> Properties for Automatic<M> {
    fn descriptions(&mut self) -> &[Property] {
        &self.properties
    }

    fn values(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        // Quantities that are described and not stated are no numbers.
        out.fill(f64::NAN);
        self.model.property_values(at, out);
        Ok(())
    }
}

impl<M: Model> Events for Automatic<M> {
    fn descriptions(&mut self) -> &[EventDescription] {
        &self.events
    }

    fn event_functions(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        // Functions that are described and not stated are no numbers.
        out.fill(f64::NAN);
        if let Some(events) = self.model.events() {
            events.event_functions(at, out);
        }
        Ok(())
    }

    fn handle_events(
        &mut self,
        events: &[usize],
        state: &mut State,
    ) -> Result<EventResponse, EvaluationError> {
        let Some(part) = self.model.events() else {
            return Ok(EventAction::Continue.into());
        };
        let actions = events.iter().map(|&event| part.handle_event(event, state));
        Ok(actions.max().unwrap_or(EventAction::Continue).into())
    }

    fn time_events(&mut self) -> &[f64] {
        &self.time_events
    }

    fn largest_step(&mut self) -> f64 {
        (self.model.events()).map_or(f64::INFINITY, ModelEvents::largest_step)
    }

    fn handle_time_event(
        &mut self,
        event: usize,
        state: &mut State,
    ) -> Result<EventResponse, EvaluationError> {
        let part = self.model.events();
        let action = part.map_or(EventAction::Restart, |part| {
            part.handle_time_event(event, state)
        });
        Ok(action.into())
    }
}
