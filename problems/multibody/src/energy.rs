//! The energy of a mechanism.

use super::connection::Connection;
use super::force::Actuator;
use super::kinematics::Kinematics;
use super::mechanism::MultibodySystem;
use super::motion::Motion;
use liedae::system::{Energy, Point};

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
        for body in &self.flexible {
            let (own, stored) = body.energies(at, &self.gravity);
            kinetic += own;
            potential += stored;
        }
        for beam in &self.ancf {
            let (own, stored) = beam.energies(at, &self.gravity);
            kinetic += own;
            potential += stored;
        }
        for segment in &self.beams {
            potential += segment.energy(at);
        }
        for (torsion, ..) in &self.torsions {
            potential += torsion.potential(at.t, &Self::pair(&torsion.bodies, at), at.x, at.mode);
        }
        for force in &self.state_forces {
            potential += force.energy(at);
        }
        (kinetic, potential)
    }
}

impl Energy for MultibodySystem {
    fn total(&mut self, at: &Point) -> Option<f64> {
        let (kinetic, potential) = self.energies(at);
        Some(kinetic + potential)
    }

    fn is_kept(&mut self) -> bool {
        self.keeps_energy
    }

    /// Without drives, actuators, forces and joints of a user's own.
    fn is_passive(&mut self) -> bool {
        let stands = |connection: &Connection| {
            connection.own().is_none()
                && (connection.rows.iter()).all(|row| matches!(row.motion, Motion::Constant(_)))
        };
        let takes =
            |damping: f64, actuator: &Option<Actuator>| damping >= 0.0 && actuator.is_none();
        let torsions = self.torsions.iter().map(|(torsion, ..)| torsion);
        self.connections.iter().all(stands)
            && (self.forces.iter()).all(|(force, _)| force.law.is_passive())
            && torsions
                .into_iter()
                .all(|law| takes(law.damping, &law.actuator) && law.follows.is_none())
            && self.state_forces.is_empty()
    }
}
