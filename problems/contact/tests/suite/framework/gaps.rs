//! A gap that depends on velocities, for the table of all methods.

use super::matrix::Case;
use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::system::{Layout, MatrixMut, Model, Point, State, System};
use liedae_contact::{Contact, ContactModel, NonsmoothOptions, NonsmoothSystem, with_contacts};

struct Ball;

impl Model for Ball {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(1))
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
    fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) {
        force[0] = S::constant(-9.81);
    }
    fn needs_layer(&self) -> bool {
        true
    }
}

impl ContactModel for Ball {
    fn contacts(&self) -> Vec<Contact> {
        vec![Contact::new("floor", 0.5)]
    }
    fn gap<S: Scalar>(&self, _contact: usize, at: &Point<S>) -> S {
        at.q[0] + at.v[0] * 1e-3
    }
}

pub fn cases() -> [Case; 2] {
    let layered = || -> Box<dyn System> {
        let system = NonsmoothSystem::new(with_contacts(Ball), NonsmoothOptions::default());
        Box::new(system.expect("a layer"))
    };
    let bare = || -> Box<dyn System> { Box::new(with_contacts(Ball)) };
    // A method that captures events takes the system without the layer, the others take it with the layer; each says so.
    [
        Case::refused(
            "a gap depends on velocities, event-driven layer",
            layered,
            &["`floor`", "NonsmoothSystem"],
        ),
        Case::refused(
            "a gap depends on velocities, no layer",
            bare,
            &["`floor`", "NonsmoothSystem"],
        ),
    ]
}
