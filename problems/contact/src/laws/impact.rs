//! Laws of impact.

use crate::ImpactLaw;
use crate::complementarity::LcpSolver;
use crate::laws::friction::{Friction, PressedJoint};
use crate::laws::part::Part;
use crate::laws::problem::{ContactForces, ContactProblem, LawError};
use std::ops::Deref;

/// An impact in closed contacts: normal directions of all, then the tangential ones, then the sliding directions of
/// joints, then the second tangential ones of contacts in space.
pub(crate) struct Impact<'a> {
    /// Delassus matrix, (2n + m) x (2n + m).
    pub response: &'a [f64],
    /// Restitution, one for each contact.
    pub restitution: &'a [f64],
    pub friction: &'a [Friction],
    /// Joints with friction, which may stick or slide by the impulses in them.
    pub joints: &'a [PressedJoint],
    /// The second tangential rows of contacts in space, behind all others.
    pub seconds: &'a [Option<usize>],
    /// Contacts whose impulses are those of least norm, see [`yielding`](crate::closed::yielding).
    pub yielding: &'a [usize],
    /// Approach below this speed is none.
    pub threshold: f64,
}

/// An impact that does not come to an end, or has none.
#[derive(Debug)]
pub(crate) enum ImpactFailure {
    Law(LawError),
    Endless,
}

impl From<LawError> for ImpactFailure {
    fn from(error: LawError) -> Self {
        Self::Law(error)
    }
}

/// The impulses of one round.
enum Impulse {
    /// In a lone contact, without memory.
    Lone([f64; 2]),
    /// In any.
    Listed(Vec<f64>),
}

impl Deref for Impulse {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        match self {
            Self::Lone(impulse) => impulse,
            Self::Listed(impulses) => impulses,
        }
    }
}

/// What moves by less than this share of the threshold in all its directions is at rest: that is round-off of what has stuck, whose
/// directions contradict each other, and impulses that stop it may not exist.
const AT_REST: f64 = 1e-3;

/// Rounds of secondary impacts for each contact.
const ROUNDS: usize = 10_000;

impl Impact<'_> {
    fn contacts(&self) -> usize {
        self.restitution.len()
    }

    /// Changes the relative velocities to those after the impact, and puts the impulses, of the same length, into `total`.
    pub fn resolve(
        &self,
        law: ImpactLaw,
        velocities: &mut [f64],
        solver: &mut LcpSolver,
        total: &mut [f64],
    ) -> Result<(), ImpactFailure> {
        total.fill(0.0);
        self.stop_what_rests(velocities);
        for _ in 0..ROUNDS * self.contacts().max(1) {
            // The fastest approach; without any the impact is over.
            let fastest = (0..self.contacts())
                .filter(|&contact| velocities[contact] < -self.threshold)
                .min_by(|&a, &b| velocities[a].total_cmp(&velocities[b]));
            let Some(fastest) = fastest else {
                return Ok(());
            };
            let impulse = match self.round(law, fastest, velocities, solver) {
                // Restitution may have no solution in jammed contacts: once more without.
                Err(_) if self.restitution.iter().any(|&e| e > 0.0) => {
                    self.without_restitution(law, fastest, velocities, solver)?
                }
                impulse => impulse?,
            };
            self.apply(&impulse, velocities, total);
        }
        Err(ImpactFailure::Endless)
    }

    /// Takes the velocities of contacts and joints at rest for zero.
    fn stop_what_rests(&self, velocities: &mut [f64]) {
        let still = AT_REST * self.threshold;
        let count = self.contacts();
        for contact in 0..count {
            let rows = [contact, count + contact];
            let rows = rows.into_iter().chain(self.seconds[contact]);
            if rows.clone().all(|row| velocities[row].abs() < still) {
                rows.for_each(|row| velocities[row] = 0.0);
            }
        }
        for velocity in velocities
            .iter_mut()
            .skip(2 * count)
            .take(self.joints.len())
        {
            if velocity.abs() < still {
                *velocity = 0.0;
            }
        }
    }

    /// U += W P, and P is added to the total.
    fn apply(&self, impulse: &[f64], velocities: &mut [f64], total: &mut [f64]) {
        let rows = self.response.chunks_exact(velocities.len());
        for (velocity, entries) in velocities.iter_mut().zip(rows) {
            let products = entries.iter().zip(impulse).map(|(w, p)| w * p);
            *velocity += products.sum::<f64>();
        }
        for (sum, impulse) in total.iter_mut().zip(impulse) {
            *sum += impulse;
        }
    }

    /// The impulses of one round.
    #[inline]
    fn round(
        &self,
        law: ImpactLaw,
        fastest: usize,
        velocities: &[f64],
        solver: &mut LcpSolver,
    ) -> Result<Impulse, LawError> {
        match law {
            ImpactLaw::Moreau => self.moreau(velocities, solver),
            ImpactLaw::Poisson => self.poisson(velocities, solver).map(Impulse::Listed),
            ImpactLaw::Sequential => {
                let single = self.single(fastest, velocities, solver);
                single.map(Impulse::Listed)
            }
        }
    }

    /// A round with e = 0. In jammed contacts impulses within the cones of friction balance each other; a law that
    /// prescribes velocities then has a solution only if Σ e U_N⁻ P_N ≥ 0 for all such P: the problem is copositive, and solvable
    /// where its constant is not negative on the solutions of the homogeneous problem (Cottle, Pang, Stone 2009, theorem 3.8.6,
    /// doi:10.1137/1.9780898719000). With e = 0 that sum is zero.
    fn without_restitution(
        &self,
        law: ImpactLaw,
        fastest: usize,
        velocities: &[f64],
        solver: &mut LcpSolver,
    ) -> Result<Impulse, LawError> {
        let none = vec![0.0; self.contacts()];
        let plastic = Impact {
            restitution: &none,
            ..*self
        };
        plastic.round(law, fastest, velocities, solver)
    }

    /// The restitution of a contact acts on its approach only.
    fn rebound(&self, contact: usize, velocity: f64) -> f64 {
        if velocity < -self.threshold {
            self.restitution[contact] * velocity
        } else {
            0.0
        }
    }

    #[inline]
    fn moreau(&self, velocities: &[f64], solver: &mut LcpSolver) -> Result<Impulse, LawError> {
        // Of a lone contact nothing has to be picked out.
        if let (&[normal, tangential], []) = (velocities, self.yielding) {
            let lone = ContactProblem {
                response: self.response,
                free: &[normal + self.rebound(0, normal), tangential],
                floor: &[],
                friction: self.friction,
                joints: self.joints,
                seconds: self.seconds,
            };
            return Ok(match lone.alone() {
                Some([impulse, _]) => Impulse::Lone(impulse),
                None => Impulse::Listed(lone.solve_by_numbers(solver)?.force),
            });
        }
        let part = self.among(self.not_separating(velocities));
        let mut free = part.of(velocities);
        // Moreau: U⁺ + e U⁻ ⟂ P.
        for (slot, &contact) in free.iter_mut().zip(part.contacts()) {
            *slot += self.rebound(contact, velocities[contact]);
        }
        let forces = part.solve(&free, &[], solver)?;
        Ok(Impulse::Listed(part.spread(forces.force)))
    }

    fn poisson(&self, velocities: &[f64], solver: &mut LcpSolver) -> Result<Vec<f64>, LawError> {
        let part = self.among(self.not_separating(velocities));
        // Compression: an impact without restitution.
        let ContactForces {
            force: mut impulse,
            motion: compressed,
        } = part.solve(&part.of(velocities), &[], solver)?;
        // Expansion: impulses of at least e times those of compression.
        let restitution = part
            .contacts()
            .iter()
            .map(|&contact| self.restitution[contact]);
        let floor: Vec<f64> = impulse
            .iter()
            .zip(restitution)
            .map(|(impulse, restitution)| impulse * restitution)
            .collect();
        let expansion = part.solve(&compressed, &floor, solver)?;
        for (sum, more) in impulse.iter_mut().zip(expansion.force) {
            *sum += more;
        }
        Ok(part.spread(impulse))
    }

    /// One contact alone, with all joints.
    fn single(
        &self,
        contact: usize,
        velocities: &[f64],
        solver: &mut LcpSolver,
    ) -> Result<Vec<f64>, LawError> {
        let part = self.among(vec![contact]);
        let mut free = part.of(velocities);
        free[0] += self.rebound(contact, velocities[contact]);
        Ok(part.spread(part.solve(&free, &[], solver)?.force))
    }

    /// Contacts that take part in a round. One that separates has no impulse: stopping its separation would feed energy
    /// into the others. Where the others make it approach, it takes part in the next round. Of one that joints hold round-off is left,
    /// which no impulse changes.
    fn not_separating(&self, velocities: &[f64]) -> Vec<usize> {
        let rows = velocities.len();
        let is_held = |contact: usize| {
            self.response[contact * (rows + 1)] == 0.0 && velocities[contact] >= -self.threshold
        };
        let contacts = 0..self.contacts();
        contacts
            .filter(|&contact| velocities[contact] <= self.threshold && !is_held(contact))
            .collect()
    }

    fn among(&self, contacts: Vec<usize>) -> Part<'_> {
        Part::new(
            contacts,
            self.response,
            self.friction,
            self.joints,
            self.seconds,
        )
        .yielding(self.yielding)
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
            seconds: &vec![None; contacts],
            yielding: &[],
            threshold: 1e-12,
        };
        let (mut solver, mut impulses) = (LcpSolver::default(), vec![0.0; size]);
        impact
            .resolve(law, &mut relative, &mut solver, &mut impulses)
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

    /// A ball of 1 kg flies off a wall with 1 m/s into one of 9 kg that comes with 2 m/s: with any restitution no energy is
    /// gained, and the small one does not pass the wall.
    #[test]
    fn a_contact_that_separates_gives_no_energy() {
        for law in [ImpactLaw::Moreau, ImpactLaw::Poisson, ImpactLaw::Sequential] {
            for e in [0.0, 0.3, 0.7, 1.0] {
                // Gaps: small one from the wall, large one from the small one.
                let mut relative = vec![1.0, -3.0, 0.0, 0.0];
                let mut response = vec![0.0; 16];
                response[0] = 1.0;
                (response[1], response[4]) = (-1.0, -1.0);
                response[5] = 1.0 + 1.0 / 9.0;
                let impact = Impact {
                    response: &response,
                    restitution: &[e; 2],
                    friction: &[Friction::None; 2],
                    joints: &[],
                    seconds: &[None; 2],
                    yielding: &[],
                    threshold: 1e-12,
                };
                let mut solver = LcpSolver::default();
                impact
                    .resolve(law, &mut relative, &mut solver, &mut [0.0; 4])
                    .unwrap();
                let (small, large) = (relative[0], relative[0] + relative[1]);
                let energy = 0.5 * small * small + 4.5 * large * large;
                assert!(small >= -1e-12 && large >= small - 1e-12, "{law:?} {e}");
                assert!(energy <= 18.5 + 1e-9, "{law:?} {e}: {energy} J");
                if e == 1.0 {
                    close(&[energy], &[18.5]);
                }
            }
        }
    }

    /// A point of 1 kg falls with 1 m/s into a wedge whose walls stand at ±α to the vertical, with friction that holds it there
    /// (μ > tan α): every impulse of a wall along which it slides upwards has a part downwards. It stays.
    #[test]
    fn what_jams_does_not_rebound() {
        let (sin, cos) = 0.3_f64.sin_cos();
        let rows = [[cos, sin], [-cos, sin], [-sin, cos], [sin, cos]];
        let response: Vec<f64> = rows
            .iter()
            .flat_map(|a| rows.map(|b| a[0] * b[0] + a[1] * b[1]))
            .collect();
        for law in [ImpactLaw::Moreau, ImpactLaw::Poisson] {
            for (coefficient, rises) in [(0.1, true), (1.0, false)] {
                let mut relative = [-sin, -sin, -cos, -cos];
                let impact = Impact {
                    response: &response,
                    restitution: &[0.5; 2],
                    friction: &[Friction::Limited { coefficient }; 2],
                    joints: &[],
                    seconds: &[None; 2],
                    yielding: &[],
                    threshold: 1e-12,
                };
                let mut solver = LcpSolver::default();
                impact
                    .resolve(law, &mut relative, &mut solver, &mut [0.0; 4])
                    .unwrap();
                let speed = (relative[2] + relative[3]) / (2.0 * cos);
                assert!((speed > 0.1) == rises, "{law:?} {coefficient}: {speed}");
                assert!(rises || speed.abs() < 1e-12, "{law:?} {speed}");
            }
        }
    }

    /// A ball of 1 kg falls onto a floor while a slider elsewhere rests on one that is steep to its guide and holds it by friction: what
    /// round-off leaves of the slider's motion fits no direction of the guide, and no impulse is asked to stop it.
    #[test]
    fn round_off_of_what_rests_takes_no_impulse() {
        // Normals of the ball and of the slider, their first tangents, their second ones.
        let slider = [-0.27, -0.88, 0.86];
        let mut response = vec![0.0; 36];
        for (i, row) in [1, 3, 5].into_iter().enumerate() {
            response[7 * (2 * i)] = 1.0;
            for (j, column) in [1, 3, 5].into_iter().enumerate() {
                response[6 * row + column] = slider[i] * slider[j];
            }
        }
        let mut velocities = [-2.0, -1e-17, 0.0, 3e-17, 0.0, -2e-17];
        let impact = Impact {
            response: &response,
            restitution: &[0.5; 2],
            friction: &[Friction::Cone { coefficient: 0.6 }; 2],
            joints: &[],
            seconds: &[Some(4), Some(5)],
            yielding: &[],
            threshold: 1e-7,
        };
        let (mut solver, mut impulses) = (LcpSolver::default(), [0.0; 6]);
        impact
            .resolve(
                ImpactLaw::Moreau,
                &mut velocities,
                &mut solver,
                &mut impulses,
            )
            .unwrap();
        close(&velocities, &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        close(&impulses, &[3.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
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
