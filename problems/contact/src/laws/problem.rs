//! Signorini's condition and Coulomb's friction, in contacts in the plane and in joints, as one linear complementarity
//! problem.

use crate::complementarity::{LcpError, LcpSolver, RowKind};
use crate::laws::friction::{Friction, PressedJoint};
use thiserror::Error;

/// Contacts and joints with the response of their relative motion to forces in them.
///
/// Rows: the normal directions of all contacts, the tangential direction of each, in the order of the contacts, then
/// the sliding directions of the joints, then the second tangential directions of contacts in space; contacts without
/// friction have a zero row. Friction of a contact in space that slides acts in its first tangential direction.
pub(crate) struct ContactProblem<'a> {
    /// Delassus matrix W, square, row-major: accelerations (or velocities) of the gaps and of sliding by
    /// unit forces (or impulses).
    pub response: &'a [f64],
    /// What the relative motion is without them, row by row.
    pub free: &'a [f64],
    /// Least normal forces, one for each contact; empty for zeros. Forces are at least these, g_N ⟂ λ_N - floor.
    pub floor: &'a [f64],
    /// One for each contact.
    pub friction: &'a [Friction],
    /// One for each joint.
    pub joints: &'a [PressedJoint],
    /// The second tangential row of each contact, if it has one.
    pub seconds: &'a [Option<usize>],
}

/// Forces (or impulses) in contacts and joints and what remains of their motion.
#[derive(Clone, Debug, Default)]
pub(crate) struct ContactForces {
    /// λ_N, then λ_T of contacts, then λ_T of joints, then the second λ_T of contacts in space.
    pub force: Vec<f64>,
    /// The motion in the same rows at the level of the problem: free + W λ.
    pub motion: Vec<f64>,
}

impl ContactForces {
    /// These forces and the motion that they leave.
    pub fn of(response: &[f64], free: &[f64], force: Vec<f64>) -> Self {
        let rows = free.iter().zip(response.chunks_exact(free.len().max(1)));
        let motion = rows.map(|(free, row)| free + dot(row, &force)).collect();
        Self { force, motion }
    }
}

/// No forces satisfy the laws, or none were found.
#[derive(Debug, Error)]
pub(crate) enum LawError {
    #[error(transparent)]
    Complementarity(#[from] LcpError),
    #[error("no forces within the cones of friction of contacts in space were found")]
    Cones,
    #[error("the directions of the normal forces in joints with friction do not settle")]
    Directions,
}

/// What the motion of a lone contact may miss of its terms: some roundings.
const SATISFIED: f64 = 8.0 * f64::EPSILON;

/// Rounds for the directions of normal forces with several components.
const ROUNDS: usize = 50;

/// Normal forces that turn by less than this share of the largest force have settled.
const SETTLED: f64 = 1e-12;

/// A quantity that depends linearly on the unknowns: their coefficients, then a constant.
#[derive(Clone)]
struct Linear(Vec<f64>);

impl Linear {
    fn zero(unknowns: usize) -> Self {
        Self(vec![0.0; unknowns + 1])
    }

    fn plus(mut self, factor: f64, other: &Self) -> Self {
        for (value, more) in self.0.iter_mut().zip(&other.0) {
            *value += factor * more;
        }
        self
    }

    fn and(mut self, unknown: usize, factor: f64) -> Self {
        self.0[unknown] += factor;
        self
    }

    fn sum(unknowns: usize, constant: f64, factors: &[f64], terms: &[Self]) -> Self {
        let mut sum = Self::zero(unknowns);
        sum.0[unknowns] = constant;
        let present = factors
            .iter()
            .zip(terms)
            .filter(|(factor, _)| **factor != 0.0);
        present.fold(sum, |sum, (&factor, term)| sum.plus(factor, term))
    }

    fn at(&self, z: &[f64]) -> f64 {
        dot(&self.0, z) + self.0[z.len()]
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl ContactProblem<'_> {
    /// Solves 0 ≤ λ_N ⟂ W λ + free ≥ 0 with friction: by a linear complementarity problem and, where that has no answer and
    /// joints rub, [by their limits](Self::by_limits). Cones of friction are none of linear complementarity, so they are left
    /// to the latter.
    pub fn solve(&self, solver: &mut LcpSolver) -> Result<ContactForces, LawError> {
        if let Some([force, motion]) = self.alone() {
            let (force, motion) = (force.into(), motion.into());
            return Ok(ContactForces { force, motion });
        }
        self.solve_by_numbers(solver)
    }

    /// As [`solve`](Self::solve), where there is no [closed form](Self::alone).
    pub fn solve_by_numbers(&self, solver: &mut LcpSolver) -> Result<ContactForces, LawError> {
        if self.has_cones() {
            return self.by_limits().ok_or(LawError::Cones);
        }
        self.by_complementarity(solver)
            .or_else(|error| self.by_limits().ok_or(error))
    }

    /// Whether friction in space may hold a contact.
    pub fn has_cones(&self) -> bool {
        let mut laws = self.friction.iter();
        laws.any(|law| matches!(law, Friction::Cone { .. }))
    }

    /// Forces and motion of a lone contact without friction, 0 ≤ λ - floor ⟂ W λ + free ≥ 0, in closed form; `None` where the answer
    /// does not satisfy that to round-off.
    pub fn alone(&self) -> Option<[[f64; 2]; 2]> {
        let ([Friction::None], []) = (self.friction, self.joints) else {
            return None;
        };
        let (&[own, _, across, _], &[free, sliding]) = (self.response, self.free) else {
            return None;
        };
        let floor = self.floor.first().copied().unwrap_or(0.0);
        let opening = free + own * floor;
        let more = (-opening / own).max(0.0);
        let force = floor + more;
        let motion = free + own * force;
        // Written so that NaN and overflow do not satisfy it, nor a contact that does not answer.
        let error = if more > 0.0 { motion.abs() } else { -motion };
        let satisfied = own > 0.0 && error <= SATISFIED * (free.abs() + own * force.abs());
        let motion = [motion, sliding + across * force];
        (satisfied && force.is_finite()).then_some([[force, 0.0], motion])
    }

    /// Solves the problem as a linear complementarity problem.
    ///
    /// A contact that may stick has λ_T = p - μ λ_N with 0 ≤ p ≤ 2 μ λ_N and g_T = κ - n with
    /// 0 ≤ p ⟂ κ ≥ 0 and 0 ≤ 2 μ λ_N - p ⟂ n ≥ 0 (Pfeiffer and Glocker 1996, ch. 8, doi:10.1002/9783527618385).
    ///
    /// The normal force N of a joint pushes either way: |N| = N⁺ + N⁻ = 2 N⁺ - N with 0 ≤ N⁺ ⟂ N⁻ = N⁺ - N ≥ 0, the
    /// two flanks of a guide without clearance. With the limit L = μ Σ |N|, a joint that may stick has g_T = κ⁺ - κ⁻
    /// with 0 ≤ κ⁺ ⟂ L + λ_T ≥ 0 and 0 ≤ κ⁻ ⟂ L - λ_T ≥ 0. Of a normal force with several components |N| is
    /// linearized as n·N with the direction n of N, and the problem repeated until n settles (Newton's method, since
    /// |N| is homogeneous).
    fn by_complementarity(&self, solver: &mut LcpSolver) -> Result<ContactForces, LawError> {
        let supports = self.joints.iter().flat_map(|joint| &joint.supports);
        let mut directions: Vec<Vec<f64>> = supports
            .map(|support| {
                let some = (support.len() as f64).sqrt().recip();
                vec![some; support.len()]
            })
            .collect();
        // First directions: normal forces without any force of the problem.
        self.turn(&mut directions, &[]);
        for _ in 0..ROUNDS {
            // Newton's method in |N|: n·N along the directions of the last round.
            let forces = self.solve_along(&directions, solver)?;
            if self.turn(&mut directions, &forces.force) <= SETTLED * self.largest_force(&forces) {
                return Ok(forces);
            }
        }
        Err(LawError::Directions)
    }

    /// The largest normal force in a joint, or what it takes to stop its sliding: errors are measured against it.
    fn largest_force(&self, forces: &ContactForces) -> f64 {
        let size = self.free.len();
        let first = 2 * self.friction.len();
        let numbered = self.joints.iter().enumerate();
        let each = numbered.map(|(joint, law)| {
            let (row, pressed) = (first + joint, law.normal_force(&forces.force));
            let mobility = self.response[row * (size + 1)];
            if mobility > 0.0 {
                pressed.max(self.free[row].abs() / mobility)
            } else {
                pressed
            }
        });
        each.fold(0.0, f64::max)
    }

    /// Takes the directions of the normal forces of joints at these forces; returns the largest change across them.
    fn turn(&self, directions: &mut [Vec<f64>], force: &[f64]) -> f64 {
        let supports = self.joints.iter().flat_map(|joint| &joint.supports);
        let mut change = 0.0_f64;
        for (support, direction) in supports.zip(directions) {
            if support.len() == 1 {
                continue;
            }
            let normal: Vec<f64> = support.iter().map(|part| part.at(force)).collect();
            let length = dot(&normal, &normal).sqrt();
            if length > 0.0 {
                for (old, part) in direction.iter_mut().zip(normal) {
                    // How far N has turned across itself, in units of force.
                    change = change.max((part / length - *old).abs() * length);
                    *old = part / length;
                }
            }
        }
        change
    }

    /// Solves with normal forces of joints along fixed directions.
    fn solve_along(
        &self,
        directions: &[Vec<f64>],
        solver: &mut LcpSolver,
    ) -> Result<ContactForces, LcpError> {
        let contacts = self.friction.len();
        let size = self.free.len();
        let limited = may_stick(self.friction.iter().copied());
        let limited_joints = may_stick(self.joints.iter().map(|joint| joint.friction)).len();
        // Unknowns: λ_N above the floor; p and n of contacts; λ_T, κ⁺, κ⁻ and N⁺ of joints.
        let pushes = contacts;
        let left = pushes + limited.len();
        let held = left + limited.len();
        let forward = held + self.joints.len();
        let backward = forward + limited_joints;
        let flanks = backward + limited_joints;
        let unknowns = flanks + directions.len();

        // λ_N is its unknown above the floor.
        let mut forces = vec![Linear::zero(unknowns); size];
        for (contact, force) in forces[..contacts].iter_mut().enumerate() {
            force.0[contact] = 1.0;
            force.0[unknowns] = self.floor.get(contact).copied().unwrap_or(0.0);
        }
        // λ_T = -μ sign λ_N; or -μ λ_N + p, with p added below.
        for (contact, friction) in self.friction.iter().enumerate() {
            let factor = match *friction {
                Friction::None => 0.0,
                Friction::Sliding { coefficient, sign } => -coefficient * sign,
                Friction::Limited { coefficient } | Friction::Cone { coefficient } => -coefficient,
            };
            forces[contacts + contact] =
                Linear::zero(unknowns).plus(factor, &forces[contact].clone());
        }
        for (index, &(contact, _)) in limited.iter().enumerate() {
            forces[contacts + contact].0[pushes + index] += 1.0;
        }
        for joint in 0..self.joints.len() {
            forces[2 * contacts + joint].0[held + joint] = 1.0;
        }
        let motion = |row: usize| {
            let entries = &self.response[row * size..(row + 1) * size];
            Linear::sum(unknowns, self.free[row], entries, &forces)
        };

        let mut rows = vec![Linear::zero(unknowns); unknowns];
        let mut kinds = vec![RowKind::Unilateral; unknowns];
        // 0 ≤ λ_N - floor ⟂ g_N ≥ 0.
        for (contact, row) in rows[..contacts].iter_mut().enumerate() {
            *row = motion(contact);
        }
        // 0 ≤ p ⟂ g_T + n ≥ 0 and 0 ≤ n ⟂ 2 μ λ_N - p ≥ 0.
        for (index, &(contact, coefficient)) in limited.iter().enumerate() {
            rows[pushes + index] = motion(contacts + contact).and(left + index, 1.0);
            rows[left + index] = Linear::zero(unknowns)
                .plus(2.0 * coefficient, &forces[contact])
                .and(pushes + index, -1.0);
        }
        let mut flank = 0;
        let mut stick = 0;
        for (joint, law) in self.joints.iter().enumerate() {
            // Σ |N|.
            let mut pressing = Linear::zero(unknowns);
            for support in &law.supports {
                let parts = support.iter().zip(&directions[flank]);
                let normal = parts.fold(Linear::zero(unknowns), |sum, (part, &direction)| {
                    let component = Linear::sum(unknowns, part.free, &part.by_force, &forces);
                    sum.plus(direction, &component)
                });
                // Σ |N| = Σ (2 N⁺ - N).
                pressing = pressing.and(flanks + flank, 2.0).plus(-1.0, &normal);
                // N⁻ = N⁺ - N.
                rows[flanks + flank] = Linear::zero(unknowns)
                    .and(flanks + flank, 1.0)
                    .plus(-1.0, &normal);
                flank += 1;
            }
            kinds[held + joint] = RowKind::Bilateral;
            let force = Linear::zero(unknowns).and(held + joint, 1.0);
            rows[held + joint] = match law.friction {
                Friction::None | Friction::Cone { .. } => force,
                Friction::Sliding { coefficient, sign } => {
                    force.plus(coefficient * sign, &pressing)
                }
                Friction::Limited { coefficient } => {
                    let index = stick;
                    stick += 1;
                    let limit = |sign: f64| {
                        let force = Linear::zero(unknowns).plus(sign, &force);
                        force.plus(coefficient, &pressing)
                    };
                    // L ± λ_T ≥ 0.
                    rows[forward + index] = limit(1.0);
                    rows[backward + index] = limit(-1.0);
                    // 0 = g_T - κ⁺ + κ⁻.
                    motion(2 * contacts + joint)
                        .and(forward + index, -1.0)
                        .and(backward + index, 1.0)
                }
            };
        }

        let matrix: Vec<f64> = rows
            .iter()
            .flat_map(|row| row.0[..unknowns].to_vec())
            .collect();
        let vector: Vec<f64> = rows.iter().map(|row| row.0[unknowns]).collect();
        let solution = solver.solve(&matrix, &vector, &kinds)?;
        let force: Vec<f64> = forces.iter().map(|force| force.at(&solution.z)).collect();
        Ok(ContactForces::of(self.response, self.free, force))
    }
}

/// Numbers and coefficients of those that may stick.
fn may_stick(laws: impl Iterator<Item = Friction>) -> Vec<(usize, f64)> {
    laws.enumerate()
        .filter_map(|(index, friction)| match friction {
            Friction::Limited { coefficient } => Some((index, coefficient)),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::friction::NormalComponent;

    fn solve(response: &[f64], free: &[f64], friction: &[Friction]) -> ContactForces {
        ContactProblem {
            response,
            free,
            floor: &[],
            friction,
            joints: &[],
            seconds: &[],
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

    /// A block of 2 kg in a guide that is loaded across with `load`, and pulled along with a force.
    fn guided(load: f64, pull: f64, friction: Friction, tilt: f64) -> ContactForces {
        let component = NormalComponent {
            free: -load,
            by_force: vec![tilt],
        };
        ContactProblem {
            response: &[0.5],
            free: &[0.5 * pull],
            floor: &[],
            friction: &[],
            joints: &[PressedJoint {
                friction,
                supports: vec![vec![component]],
            }],
            seconds: &[],
        }
        .solve(&mut LcpSolver::default())
        .unwrap()
    }

    #[test]
    fn a_guide_holds_whichever_flank_is_loaded() {
        let limited = Friction::Limited { coefficient: 0.5 };
        for load in [20.0, -20.0] {
            for direction in [1.0, -1.0] {
                let held = guided(load, 6.0 * direction, limited, 0.0);
                assert!((held.force[0] + 6.0 * direction).abs() < 1e-12);
                assert!(held.motion[0].abs() < 1e-12);
                let slides = guided(load, 16.0 * direction, limited, 0.0);
                assert!((slides.force[0] + 10.0 * direction).abs() < 1e-12);
                assert!((slides.motion[0] - 3.0 * direction).abs() < 1e-12);
                let sign = direction;
                let sliding = Friction::Sliding {
                    coefficient: 0.5,
                    sign,
                };
                let slides = guided(load, 0.0, sliding, 0.0);
                assert!((slides.force[0] + 10.0 * sign).abs() < 1e-12);
            }
        }
        assert_eq!(guided(0.0, 16.0, limited, 0.0).force, [0.0]);
    }

    /// Friction that presses itself harder: λ = -μ |N₀ + r λ| with r > 0 and N₀ < 0 has λ = -μ |N₀| / (1 - μ r).
    #[test]
    fn friction_that_presses_the_guide() {
        let sliding = Friction::Sliding {
            coefficient: 0.5,
            sign: 1.0,
        };
        let found = guided(20.0, 0.0, sliding, 1.2);
        assert!((found.force[0] + 10.0 / 0.4).abs() < 1e-10, "{found:?}");
        // With μ r > 1 no force balances sliding, but any pull is held.
        let locked = guided(20.0, 1e4, Friction::Limited { coefficient: 0.5 }, 2.5);
        assert!((locked.force[0] + 1e4).abs() < 1e-8 && locked.motion[0].abs() < 1e-8);
    }

    /// A guide without load in a mechanism under load: the direction of round-off does not matter.
    #[test]
    fn a_guide_in_space_without_load() {
        let (free, by) = ([3e-16, -1e-16], [0.3, 0.8]);
        let components = [0, 1].map(|index| NormalComponent {
            free: free[index],
            by_force: vec![by[index]],
        });
        for friction in [
            Friction::Limited { coefficient: 0.4 },
            Friction::Sliding {
                coefficient: 0.4,
                sign: -1.0,
            },
        ] {
            let found = ContactProblem {
                response: &[1.0],
                free: &[7.0],
                floor: &[],
                friction: &[],
                joints: &[PressedJoint {
                    friction,
                    supports: vec![components.to_vec()],
                }],
                seconds: &[],
            }
            .solve(&mut LcpSolver::default())
            .unwrap();
            assert!(found.force[0].abs() < 1e-12 && (found.motion[0] - 7.0).abs() < 1e-12);
        }
    }

    /// Two components of the normal force, one of which depends on friction: found by another way, a fixed point.
    #[test]
    fn normal_forces_in_space() {
        let (free, by) = ([3.0, -4.0], [0.3, 0.8]);
        let components = [0, 1].map(|index| NormalComponent {
            free: free[index],
            by_force: vec![by[index]],
        });
        let found = ContactProblem {
            response: &[1.0],
            free: &[7.0],
            floor: &[],
            friction: &[],
            joints: &[PressedJoint {
                friction: Friction::Limited { coefficient: 0.4 },
                supports: vec![components.to_vec()],
            }],
            seconds: &[],
        }
        .solve(&mut LcpSolver::default())
        .unwrap();
        let mut force = 0.0_f64;
        for _ in 0..200 {
            force = -0.4 * (free[0] + by[0] * force).hypot(free[1] + by[1] * force);
        }
        assert!((found.force[0] - force).abs() < 1e-12, "{found:?} {force}");
    }
}
