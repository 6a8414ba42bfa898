//! What a mechanism has in space: energies and momenta.

use super::kinematics::{Kinematics, VELOCITIES};
use super::mechanism::MultibodySystem;
use liedae::system::{Momentum, Point, Spatial};
use nalgebra::Vector3;

impl MultibodySystem {
    /// Kinetic energy, potential energy of gravity (zero at the origin of the world) and of springs, in J.
    pub fn energies(&self, at: &Point) -> (f64, f64) {
        let (mut kinetic, mut potential) = (0.0, 0.0);
        for (index, body) in self.bodies.iter().enumerate() {
            let moving = Kinematics::read(Some(index), at.q, at.v);
            kinetic += 0.5 * body.mass * moving.velocity.norm_squared();
            kinetic += 0.5 * moving.omega.dot(&(body.inertia * moving.omega));
            potential -= body.mass * self.gravity.dot(&moving.position);
        }
        for (force, _) in &self.forces {
            potential += force.law.energy(at.t, &Self::pair(&force.bodies, at));
        }
        for (torsion, ..) in &self.torsions {
            potential += torsion.potential(&Self::pair(&torsion.bodies, at), at.x);
        }
        for force in &self.state_forces {
            potential += force.energy(at);
        }
        (kinetic, potential)
    }
}

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
            .collect()
    }
}
