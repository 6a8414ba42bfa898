//! A system that changes its layout at events: a mass that is caught by a rod and let go again.

use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::system::{
    Automatic, Direction, EvaluationError, EventAction, EventDescription, EventResponse, Events,
    Layout, MatrixMut, Model, Point, State, Wrapper,
};

/// A point mass in the plane, free or on a rod of length 1 m.
struct Mass {
    held: bool,
}

impl Model for Mass {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(2)).with_position_rows(usize::from(self.held))
    }

    fn initial_state(&self) -> State {
        State {
            q: vec![0.6, 0.0],
            ..self.layout().state()
        }
    }

    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        mass[(0, 0)] = S::constant(1.0);
        mass[(1, 1)] = S::constant(1.0);
    }

    fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) {
        force[1] = S::constant(-Caught::GRAVITY);
    }

    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        if self.held {
            g[0] = (at.q[0] * at.q[0] + at.q[1] * at.q[1] - 1.0) * 0.5;
        }
    }
}

/// It falls freely until it is 1 m from the origin; there it is caught, and let go again at [`Caught::RELEASED_AT`].
pub(in crate::conformance) struct Caught {
    free: Automatic<Mass>,
    held: Automatic<Mass>,
    is_held: bool,
    descriptions: Vec<EventDescription>,
}

impl Caught {
    /// Gravity in m/s².
    const GRAVITY: f64 = 10.0;

    /// When it is caught, in s: it falls 0.8 m until then.
    pub const CAUGHT_AT: f64 = 0.4;

    /// When it is let go, in s.
    pub const RELEASED_AT: f64 = 0.6;

    /// Its energy in J after it was caught at (0.6, -0.8) with 4 m/s downwards, of which 0.6 · 4 m/s are left.
    pub const ENERGY: f64 = 0.5 * 2.4 * 2.4 - 0.8 * Self::GRAVITY;

    pub fn new() -> Self {
        let reach = EventDescription::new("reach", "rod", Direction::Rising);
        Self {
            free: Automatic::new(Mass { held: false }),
            held: Automatic::new(Mass { held: true }),
            is_held: false,
            descriptions: vec![reach],
        }
    }

    /// Its energy in J.
    pub fn energy_of(state: &State) -> f64 {
        let square: f64 = state.v.iter().map(|v| v * v).sum();
        0.5 * square + Self::GRAVITY * state.q[1]
    }
}

impl Wrapper for Caught {
    type Inner = dyn liedae::system::System;

    fn inner(&self) -> &Self::Inner {
        if self.is_held { &self.held } else { &self.free }
    }

    fn inner_mut(&mut self) -> &mut Self::Inner {
        if self.is_held {
            &mut self.held
        } else {
            &mut self.free
        }
    }

    fn events(&mut self) -> Option<&mut dyn Events> {
        Some(self)
    }
}

impl Events for Caught {
    fn descriptions(&mut self) -> &[EventDescription] {
        &self.descriptions
    }

    fn event_functions(&mut self, at: &Point, out: &mut [f64]) -> Result<(), EvaluationError> {
        out.fill(at.q[0].hypot(at.q[1]) - 1.0);
        Ok(())
    }

    fn handle_events(
        &mut self,
        _events: &[usize],
        state: &mut State,
    ) -> Result<EventResponse, EvaluationError> {
        let radial = state.q[0] * state.v[0] + state.q[1] * state.v[1];
        for (v, q) in state.v.iter_mut().zip(&state.q) {
            *v -= radial * q;
        }
        state.lambda = vec![0.0];
        self.is_held = true;
        self.descriptions.clear();
        Ok(EventAction::Restructure.into())
    }

    fn time_events(&mut self) -> &[f64] {
        &[Self::RELEASED_AT]
    }

    fn handle_time_event(
        &mut self,
        _event: usize,
        state: &mut State,
    ) -> Result<EventResponse, EvaluationError> {
        state.lambda.clear();
        self.is_held = false;
        Ok(EventAction::Restructure.into())
    }
}
