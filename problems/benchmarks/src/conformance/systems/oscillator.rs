//! A mass on a spring that bounces off a floor or is pushed from some moment on: closed forms for events.

use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::system::{
    Direction, EventAction, EventDescription, Layout, MatrixMut, Model, ModelEvents, Point, State,
};
use std::f64::consts::{FRAC_PI_2, PI};

/// What happens to the oscillator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::conformance) enum Switch {
    /// Nothing.
    Never,
    /// Its velocity is reversed wherever q falls to zero.
    Bounce,
    /// A load is switched on at [`Oscillator::LOADED_AT`].
    Load,
}

/// q'' = -q from q = 1 at rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::conformance) struct Oscillator(pub Switch);

impl Oscillator {
    /// When the load is switched on, in s: on no grid of steps.
    pub const LOADED_AT: f64 = 0.7;

    /// The load in N.
    const LOAD: f64 = 0.5;

    /// The moment of the impact of this number, from 0, in s.
    pub fn impact(number: usize) -> f64 {
        FRAC_PI_2 + number as f64 * PI
    }

    /// Place and velocity at a time, in closed form.
    pub fn exact(self, t: f64) -> [f64; 2] {
        match self.0 {
            Switch::Never => [t.cos(), -t.sin()],
            Switch::Bounce => {
                let sign = t.cos().signum();
                [sign * t.cos(), -sign * t.sin()]
            }
            Switch::Load if t <= Self::LOADED_AT => [t.cos(), -t.sin()],
            Switch::Load => {
                let (sin, cos) = Self::LOADED_AT.sin_cos();
                let (offset, speed) = (cos - Self::LOAD, -sin);
                let (sin, cos) = (t - Self::LOADED_AT).sin_cos();
                let q = Self::LOAD + offset * cos + speed * sin;
                [q, -offset * sin + speed * cos]
            }
        }
    }
}

impl Model for Oscillator {
    fn layout(&self) -> Layout {
        Layout {
            modes: 1,
            ..Layout::dense(Manifold::euclidean(1))
        }
    }

    fn initial_state(&self) -> State {
        State {
            q: vec![1.0],
            ..self.layout().state()
        }
    }

    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        mass[(0, 0)] = S::constant(1.0);
    }

    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        let load = if at.mode[0] == 1 { Self::LOAD } else { 0.0 };
        force[0] = -at.q[0] + load;
    }

    fn energy(&self, at: &Point) -> Option<f64> {
        let load = if at.mode[0] == 1 { Self::LOAD } else { 0.0 };
        Some(0.5 * (at.v[0] * at.v[0] + at.q[0] * at.q[0]) - load * at.q[0])
    }

    fn events(&self) -> Option<&dyn ModelEvents> {
        Some(self)
    }
}

impl ModelEvents for Oscillator {
    fn descriptions(&self) -> Vec<EventDescription> {
        match self.0 {
            Switch::Bounce => vec![EventDescription::new("impact", "floor", Direction::Falling)],
            Switch::Never | Switch::Load => Vec::new(),
        }
    }

    fn event_functions(&self, at: &Point, out: &mut [f64]) {
        out.fill(at.q[0]);
    }

    fn handle_event(&self, _event: usize, state: &mut State) -> EventAction {
        state.v[0] = -state.v[0];
        EventAction::Restart
    }

    fn time_events(&self) -> Vec<f64> {
        match self.0 {
            Switch::Load => vec![Self::LOADED_AT],
            Switch::Never | Switch::Bounce => Vec::new(),
        }
    }

    fn handle_time_event(&self, _event: usize, state: &mut State) -> EventAction {
        state.mode[0] = 1;
        EventAction::Restart
    }
}
