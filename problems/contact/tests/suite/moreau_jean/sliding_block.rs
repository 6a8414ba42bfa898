//! A block on a floor.

use liedae::manifold::Manifold;
use liedae::scalar::Scalar;
use liedae::system::{Layout, MatrixMut, Model, Point, State};
use liedae_contact::{Contact, ContactModel};

/// A block with three contact points in a row that falls on a floor at y = 0 and slides there; methods that see no
/// contacts let it fall through. Its configuration is (x, y, angle) of the middle of its bottom.
pub struct SlidingBlock {
    pub height: f64,
    pub speed: f64,
    pub restitution: f64,
    pub friction: f64,
}

impl SlidingBlock {
    const OFFSETS: [f64; 3] = [-0.5, 0.0, 0.5];
}

impl Model for SlidingBlock {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(3))
    }
    fn initial_state(&self) -> State {
        State {
            q: vec![0.0, self.height, 0.0],
            v: vec![self.speed, 0.0, 0.0],
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        mass[(0, 0)] = S::constant(2.0);
        mass[(1, 1)] = S::constant(2.0);
        mass[(2, 2)] = S::constant(0.3);
    }
    fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) {
        force[1] = S::constant(-2.0 * 9.81);
    }
    fn energy(&self, at: &Point) -> Option<f64> {
        let kinetic = at.v[0] * at.v[0] + at.v[1] * at.v[1] + 0.15 * at.v[2] * at.v[2];
        Some(kinetic + 2.0 * 9.81 * at.q[1])
    }

    fn needs_layer(&self) -> bool {
        true
    }
}

impl ContactModel for SlidingBlock {
    fn contacts(&self) -> Vec<Contact> {
        let point = |offset| {
            let contact = Contact::new(format!("point {offset}"), self.restitution);
            if self.friction > 0.0 {
                contact.with_planar_friction(self.friction)
            } else {
                contact
            }
        };
        Self::OFFSETS.map(point).to_vec()
    }
    fn gap<S: Scalar>(&self, contact: usize, at: &Point<S>) -> S {
        at.q[1] + at.q[2].sin() * Self::OFFSETS[contact]
    }
    fn sliding_velocity<S: Scalar>(&self, contact: usize, at: &Point<S>, sliding: &mut [S]) {
        sliding[0] = at.v[0] - at.q[2].sin() * at.v[2] * Self::OFFSETS[contact];
    }
}
