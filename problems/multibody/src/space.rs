//! Momenta and orientations of a mechanism in space.

use super::kinematics::{Kinematics, VELOCITIES};
use super::mechanism::MultibodySystem;
use liedae::system::{Momentum, Point, Spatial};
use nalgebra::Vector3;

impl Spatial for MultibodySystem {
    fn momentum(&self, at: &Point) -> Momentum {
        let (mut linear, mut angular) = (Vector3::zeros(), Vector3::zeros());
        for (index, body) in self.bodies.iter().enumerate() {
            let moving = Kinematics::read(Some(index), at.q, at.v);
            let own = moving.velocity * body.mass;
            linear += own;
            angular += moving.position.cross(&own);
            angular += moving.rotation * (body.inertia * moving.omega);
        }
        for body in &self.flexible {
            let [own, turning] = body.momentum(at);
            linear += own;
            angular += turning;
        }
        for beam in &self.ancf {
            let [own, turning] = beam.momentum(at);
            linear += own;
            angular += turning;
        }
        Momentum {
            linear: linear.into(),
            angular: angular.into(),
        }
    }

    fn orientations(&self, at: &Point) -> Vec<(usize, [f64; 9])> {
        (0..self.bodies.len())
            .map(|body| {
                let rotation = Kinematics::read(Some(body), at.q, at.v).rotation;
                let rows = std::array::from_fn(|entry| rotation[(entry / 3, entry % 3)]);
                (VELOCITIES * body + 3, rows)
            })
            .collect()
    }

    fn world_vectors(&self) -> Vec<usize> {
        (0..self.bodies.len())
            .map(|body| VELOCITIES * body)
            .chain(self.ancf.iter().flat_map(|beam| beam.range().step_by(3)))
            .collect()
    }
}
