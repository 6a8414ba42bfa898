//! Plane mechanisms under loads that change in time.

use liedae::scalar::Scalar;
use liedae::system::{Layout, MatrixMut, Model, Point, State};
use liedae_contact::{Contact, ContactModel};
use liedae_multibody::plane::PlaneMechanism;

/// rate t + amplitude sin(frequency t + phase) along one velocity.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    pub velocity: usize,
    pub rate: f64,
    pub amplitude: f64,
    pub frequency: f64,
    pub phase: f64,
}

impl Load {
    /// A load that grows by `rate` per second.
    pub fn growing(velocity: usize, rate: f64) -> Self {
        Self {
            velocity,
            rate,
            amplitude: 0.0,
            frequency: 0.0,
            phase: 0.0,
        }
    }
}

/// A mechanism and its loads.
#[derive(Clone)]
pub struct Loaded {
    pub mechanism: PlaneMechanism,
    pub loads: Vec<Load>,
}

impl Model for Loaded {
    fn layout(&self) -> Layout {
        self.mechanism.layout()
    }

    fn initial_state(&self) -> State {
        self.mechanism.initial_state()
    }

    fn mass_matrix<S: Scalar>(&self, at: &Point<S>, mass: &mut MatrixMut<S>) {
        self.mechanism.mass_matrix(at, mass);
    }

    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        self.mechanism.force(at, force);
        for load in &self.loads {
            let phase = at.t * load.frequency + load.phase;
            force[load.velocity] += at.t * load.rate + phase.sin() * load.amplitude;
        }
    }

    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        self.mechanism.position_constraint(at, g);
    }

    fn output_names(&self) -> Vec<String> {
        let mut names = self.mechanism.output_names();
        let rows = self.mechanism.layout().rows();
        names.extend((0..rows).map(|row| format!("reaction{row}")));
        names
    }

    fn outputs(&self, state: &State, out: &mut [f64]) {
        let (own, reactions) = out.split_at_mut(out.len() - state.lambda.len());
        self.mechanism.outputs(state, own);
        reactions.copy_from_slice(&state.lambda);
    }

    fn needs_layer(&self) -> bool {
        true
    }
}

impl ContactModel for Loaded {
    fn contacts(&self) -> Vec<Contact> {
        self.mechanism.contacts()
    }

    fn gap<S: Scalar>(&self, contact: usize, at: &Point<S>) -> S {
        self.mechanism.gap(contact, at)
    }

    fn sliding_velocity<S: Scalar>(&self, contact: usize, at: &Point<S>, sliding: &mut [S]) {
        self.mechanism.sliding_velocity(contact, at, sliding);
    }
}
