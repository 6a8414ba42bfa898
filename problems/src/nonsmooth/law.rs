//! Signorini's condition and Coulomb's friction in the plane as one linear complementarity problem.

use liedae::complementarity::{LcpError, LcpSolver, RowKind};

/// What friction does in a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Friction {
    /// Nothing.
    None,
    /// The contact slides: λ_T = -μ sign λ_N.
    Sliding { coefficient: f64, sign: f64 },
    /// It may stick: |λ_T| ≤ μ λ_N, and λ_T opposes the sliding that is left.
    Limited { coefficient: f64 },
}

/// Contacts with the response of their relative motion to forces in them.
///
/// Rows: the normal directions of all contacts, then the tangential direction of each, in the order of the contacts;
/// contacts without friction have a zero row there.
pub(super) struct ContactProblem<'a> {
    /// Delassus matrix W, 2n x 2n, row-major: accelerations (or velocities) of the gaps and of sliding by unit forces (or
    /// impulses).
    pub response: &'a [f64],
    /// What the relative motion is without them, 2n.
    pub free: &'a [f64],
    /// Least normal forces, one for each contact; empty for zeros. Forces are at least these, g_N ⟂ λ_N - floor.
    pub floor: &'a [f64],
    /// One for each contact.
    pub friction: &'a [Friction],
}

/// Forces (or impulses) in contacts and what remains of their motion.
#[derive(Clone, Debug, Default)]
pub(super) struct ContactForces {
    /// λ_N, then λ_T, 2n.
    pub force: Vec<f64>,
    /// g_N, then g_T at the level of the problem: free + W λ.
    pub motion: Vec<f64>,
}

impl ContactProblem<'_> {
    /// Solves 0 ≤ λ_N ⟂ W λ + free ≥ 0 with friction.
    ///
    /// A contact that may stick has λ_T = p - μ λ_N with 0 ≤ p ≤ 2 μ λ_N and g_T = κ - n with
    /// 0 ≤ p ⟂ κ ≥ 0 and 0 ≤ 2 μ λ_N - p ⟂ n ≥ 0 (Pfeiffer and Glocker 1996, ch. 8, doi:10.1002/9783527618385).
    pub fn solve(&self, solver: &mut LcpSolver) -> Result<ContactForces, LcpError> {
        let contacts = self.friction.len();
        let limited: Vec<(usize, f64)> = self
            .friction
            .iter()
            .enumerate()
            .filter_map(|(contact, friction)| match *friction {
                Friction::Limited { coefficient } => Some((contact, coefficient)),
                _ => None,
            })
            .collect();
        let unknowns = contacts + 2 * limited.len();
        let floor = |contact: usize| self.floor.get(contact).copied().unwrap_or(0.0);
        let response = |row: usize, column: usize| self.response[row * 2 * contacts + column];
        // The motion of a row by λ_N of a contact, with the part of friction that is proportional to it.
        let by_normal = |row: usize, contact: usize| {
            let tangential = response(row, contacts + contact);
            response(row, contact)
                - match self.friction[contact] {
                    Friction::None => 0.0,
                    Friction::Sliding { coefficient, sign } => coefficient * sign * tangential,
                    Friction::Limited { coefficient } => coefficient * tangential,
                }
        };
        let mut matrix = vec![0.0; unknowns * unknowns];
        let mut vector = vec![0.0; unknowns];
        let mut fill = |equation: usize, row: usize| {
            for contact in 0..contacts {
                matrix[equation * unknowns + contact] = by_normal(row, contact);
            }
            for (index, &(contact, _)) in limited.iter().enumerate() {
                matrix[equation * unknowns + contacts + index] = response(row, contacts + contact);
            }
            let raised = (0..contacts).map(|contact| by_normal(row, contact) * floor(contact));
            vector[equation] = self.free[row] + raised.sum::<f64>();
        };
        for contact in 0..contacts {
            fill(contact, contact);
        }
        for (index, &(contact, _)) in limited.iter().enumerate() {
            fill(contacts + index, contacts + contact);
        }
        for (index, &(contact, coefficient)) in limited.iter().enumerate() {
            let (push, left) = (contacts + index, contacts + limited.len() + index);
            matrix[push * unknowns + left] = 1.0;
            matrix[left * unknowns + contact] = 2.0 * coefficient;
            matrix[left * unknowns + push] = -1.0;
            vector[left] = 2.0 * coefficient * floor(contact);
        }

        let solution = solver.solve(&matrix, &vector, &vec![RowKind::Unilateral; unknowns])?;
        let mut force = vec![0.0; 2 * contacts];
        for (contact, force) in force[..contacts].iter_mut().enumerate() {
            *force = solution.z[contact] + floor(contact);
        }
        for (contact, friction) in self.friction.iter().enumerate() {
            if let Friction::Sliding { coefficient, sign } = *friction {
                force[contacts + contact] = -coefficient * sign * force[contact];
            }
        }
        for (index, &(contact, coefficient)) in limited.iter().enumerate() {
            force[contacts + contact] = solution.z[contacts + index] - coefficient * force[contact];
        }
        let motion = (0..2 * contacts)
            .map(|row| {
                let terms = (0..2 * contacts).map(|column| response(row, column) * force[column]);
                self.free[row] + terms.sum::<f64>()
            })
            .collect();
        Ok(ContactForces { force, motion })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solve(response: &[f64], free: &[f64], friction: &[Friction]) -> ContactForces {
        ContactProblem {
            response,
            free,
            floor: &[],
            friction,
        }
        .solve(&mut LcpSolver::default())
        .unwrap()
    }

    /// A block of 2 kg on a floor, pulled along it.
    #[test]
    fn a_pulled_block_sticks_until_the_pull_exceeds_friction() {
        let limited = [Friction::Limited { coefficient: 0.5 }];
        let response = [0.5, 0.0, 0.0, 0.5];
        // Weight 20 N, pull 6 N: friction holds 6 N of at most 10 N.
        let held = solve(&response, &[-10.0, 3.0], &limited);
        assert!((held.force[0] - 20.0).abs() < 1e-12 && (held.force[1] + 6.0).abs() < 1e-12);
        assert!(held.motion[1].abs() < 1e-12);
        // Pull 16 N: friction of 10 N, the rest accelerates it.
        let sliding = solve(&response, &[-10.0, 8.0], &limited);
        assert!((sliding.force[1] + 10.0).abs() < 1e-12);
        assert!((sliding.motion[1] - 3.0).abs() < 1e-12);
        // Lifted: no force at all.
        assert_eq!(solve(&response, &[1.0, 8.0], &limited).force, [0.0, 0.0]);
    }

    #[test]
    fn sliding_friction_follows_the_normal_force() {
        let sliding = [Friction::Sliding {
            coefficient: 0.5,
            sign: -1.0,
        }];
        let forces = solve(&[0.5, 0.0, 0.0, 0.5], &[-10.0, 0.0], &sliding);
        assert!((forces.force[0] - 20.0).abs() < 1e-12 && (forces.force[1] - 10.0).abs() < 1e-12);
    }
}
