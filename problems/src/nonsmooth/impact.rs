//! Laws of impact.

use super::ImpactLaw;
use super::law::{ContactForces, ContactProblem, Friction, JointLaw, LawError, NormalComponent};
use liedae::complementarity::LcpSolver;

/// An impact in closed contacts: normal directions of all, then the tangential ones, then the sliding directions of
/// joints.
pub(super) struct Impact<'a> {
    /// Delassus matrix, (2n + m) x (2n + m).
    pub response: &'a [f64],
    /// Restitution, one for each contact.
    pub restitution: &'a [f64],
    pub friction: &'a [Friction],
    /// Joints with friction, which may stick or slide by the impulses in them.
    pub joints: &'a [JointLaw],
    /// Approach below this speed is none.
    pub threshold: f64,
}

/// An impact that does not come to an end, or has none.
#[derive(Debug)]
pub(super) enum ImpactFailure {
    Law(LawError),
    Endless,
}

impl From<LawError> for ImpactFailure {
    fn from(error: LawError) -> Self {
        Self::Law(error)
    }
}

/// Rounds of secondary impacts for each contact.
const ROUNDS: usize = 10_000;

impl Impact<'_> {
    fn contacts(&self) -> usize {
        self.restitution.len()
    }

    /// Changes the relative velocities to those after the impact and returns the impulses, 2n + m each.
    pub fn resolve(
        &self,
        law: ImpactLaw,
        velocities: &mut [f64],
        solver: &mut LcpSolver,
    ) -> Result<Vec<f64>, ImpactFailure> {
        let mut total = vec![0.0; velocities.len()];
        for _ in 0..ROUNDS * self.contacts().max(1) {
            let fastest = (0..self.contacts())
                .filter(|&contact| velocities[contact] < -self.threshold)
                .min_by(|&a, &b| velocities[a].total_cmp(&velocities[b]));
            let Some(fastest) = fastest else {
                return Ok(total);
            };
            let impulse = match law {
                ImpactLaw::Moreau => self.moreau(velocities, solver)?,
                ImpactLaw::Poisson => self.poisson(velocities, solver)?,
                ImpactLaw::Sequential => self.single(fastest, velocities, solver)?,
            };
            let size = velocities.len();
            for (row, velocity) in velocities.iter_mut().enumerate() {
                let entries = &self.response[row * size..(row + 1) * size];
                let products = entries.iter().zip(&impulse).map(|(w, p)| w * p);
                *velocity += products.sum::<f64>();
            }
            for (sum, impulse) in total.iter_mut().zip(impulse) {
                *sum += impulse;
            }
        }
        Err(ImpactFailure::Endless)
    }

    /// The restitution of a contact acts on its approach only.
    fn rebound(&self, contact: usize, velocity: f64) -> f64 {
        if velocity < -self.threshold {
            self.restitution[contact] * velocity
        } else {
            0.0
        }
    }

    fn problem<'a>(&'a self, free: &'a [f64], floor: &'a [f64]) -> ContactProblem<'a> {
        ContactProblem {
            response: self.response,
            free,
            floor,
            friction: self.friction,
            joints: self.joints,
        }
    }

    fn moreau(&self, velocities: &[f64], solver: &mut LcpSolver) -> Result<Vec<f64>, LawError> {
        let mut free = velocities.to_vec();
        for contact in 0..self.contacts() {
            free[contact] += self.rebound(contact, velocities[contact]);
        }
        Ok(self.problem(&free, &[]).solve(solver)?.force)
    }

    fn poisson(&self, velocities: &[f64], solver: &mut LcpSolver) -> Result<Vec<f64>, LawError> {
        let ContactForces {
            force: mut impulse,
            motion: compressed,
        } = self.problem(velocities, &[]).solve(solver)?;
        let floor: Vec<f64> = impulse
            .iter()
            .zip(self.restitution)
            .map(|(impulse, restitution)| impulse * restitution)
            .collect();
        let expansion = self.problem(&compressed, &floor).solve(solver)?;
        for (sum, more) in impulse.iter_mut().zip(expansion.force) {
            *sum += more;
        }
        Ok(impulse)
    }

    /// One contact alone, with all joints.
    fn single(
        &self,
        contact: usize,
        velocities: &[f64],
        solver: &mut LcpSolver,
    ) -> Result<Vec<f64>, LawError> {
        let size = velocities.len();
        let mut rows = vec![contact, self.contacts() + contact];
        rows.extend(2 * self.contacts()..size);
        let pairs = rows
            .iter()
            .flat_map(|&row| rows.iter().map(move |&column| (row, column)));
        let response: Vec<f64> = pairs
            .map(|(row, column)| self.response[row * size + column])
            .collect();
        let mut free: Vec<f64> = rows.iter().map(|&row| velocities[row]).collect();
        free[0] += self.rebound(contact, velocities[contact]);
        let mut joints = self.joints.to_vec();
        let all = joints.iter_mut().flat_map(|joint| &mut joint.supports);
        for NormalComponent { by_force, .. } in all.flatten() {
            *by_force = rows.iter().map(|&row| by_force[row]).collect();
        }
        let alone = ContactProblem {
            response: &response,
            free: &free,
            floor: &[],
            friction: &self.friction[contact..=contact],
            joints: &joints,
        };
        let forces = alone.solve(solver)?;
        let mut impulse = vec![0.0; size];
        for (&row, force) in rows.iter().zip(forces.force) {
            impulse[row] = force;
        }
        Ok(impulse)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row of balls of 1 kg in touch.
    fn balls(count: usize, law: ImpactLaw, e: f64, velocities: &[f64]) -> Vec<f64> {
        let contacts = count - 1;
        let size = 2 * contacts;
        let mut response = vec![0.0; size * size];
        for i in 0..contacts {
            response[i * size + i] = 2.0;
            if i + 1 < contacts {
                response[i * size + i + 1] = -1.0;
                response[(i + 1) * size + i] = -1.0;
            }
        }
        let mut relative = vec![0.0; size];
        for i in 0..contacts {
            relative[i] = velocities[i + 1] - velocities[i];
        }
        let impact = Impact {
            response: &response,
            restitution: &vec![e; contacts],
            friction: &vec![Friction::None; contacts],
            joints: &[],
            threshold: 1e-12,
        };
        let impulses = impact
            .resolve(law, &mut relative, &mut LcpSolver::default())
            .unwrap();
        let push = |ball: usize| {
            let left = if ball > 0 { impulses[ball - 1] } else { 0.0 };
            let right = impulses.get(ball).copied().filter(|_| ball < contacts);
            left - right.unwrap_or(0.0)
        };
        (0..count)
            .map(|ball| velocities[ball] + push(ball))
            .collect()
    }

    fn close(found: &[f64], expected: &[f64]) {
        for (a, b) in found.iter().zip(expected) {
            assert!((a - b).abs() < 1e-9, "{found:?} {expected:?}");
        }
    }

    #[test]
    fn three_balls_depend_on_the_law() {
        let arriving = [1.0, 0.0, 0.0];
        let third = 1.0 / 3.0;
        close(
            &balls(3, ImpactLaw::Moreau, 1.0, &arriving),
            &[-third, 2.0 * third, 2.0 * third],
        );
        close(&balls(3, ImpactLaw::Moreau, 0.0, &arriving), &[third; 3]);
        close(
            &balls(3, ImpactLaw::Sequential, 1.0, &arriving),
            &[0.0, 0.0, 1.0],
        );
        close(&balls(3, ImpactLaw::Poisson, 0.0, &arriving), &[third; 3]);
        // Energy is kept by Poisson's law too, and the first ball does not get further than the others.
        let poisson = balls(3, ImpactLaw::Poisson, 1.0, &arriving);
        close(&[poisson.iter().sum()], &[1.0]);
    }

    /// Recursion of pairwise impacts, as computed exactly for the reference data of the five balls.
    #[test]
    fn five_balls_one_after_the_other() {
        let arriving = [1.0, 0.0, 0.0, 0.0, 0.0];
        close(
            &balls(5, ImpactLaw::Sequential, 0.9, &arriving)[4..],
            &[0.81450625],
        );
        close(
            &balls(5, ImpactLaw::Sequential, 1.0, &arriving),
            &[0.0, 0.0, 0.0, 0.0, 1.0],
        );
    }
}
