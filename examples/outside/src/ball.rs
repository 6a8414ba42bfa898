//! A problem with contact: a ball thrown into a corner, restitution 0.8 at the floor and 0.6 at the wall.

use liedae::prelude::*;
use liedae_contact::{Contact, ContactModel};

/// Where the wall stands, in m.
const WALL: f64 = 2.0;

/// Position (x, y) of a ball of 1 kg and radius 0.
pub struct Ball;

impl Model for Ball {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(2))
    }

    fn initial_state(&self) -> State {
        State {
            q: vec![0.0, 1.0],
            v: vec![3.0, 0.0],
            ..self.layout().state()
        }
    }

    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        mass[(0, 0)] = S::constant(1.0);
        mass[(1, 1)] = S::constant(1.0);
    }

    fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) {
        force[1] = S::constant(-9.81);
    }

    fn needs_layer(&self) -> bool {
        true
    }
}

impl ContactModel for Ball {
    fn contacts(&self) -> Vec<Contact> {
        vec![Contact::new("floor", 0.8), Contact::new("wall", 0.6)]
    }

    fn gap<S: Scalar>(&self, contact: usize, at: &Point<S>) -> S {
        match contact {
            0 => at.q[1],
            _ => -at.q[0] + WALL,
        }
    }
}

/// Time and velocity before the first impact on the floor and on the wall, in closed form.
pub fn first_impacts() -> [[f64; 2]; 2] {
    let fall = (2.0_f64 / 9.81).sqrt();
    [[fall, -9.81 * fall], [WALL / 3.0, -3.0]]
}
