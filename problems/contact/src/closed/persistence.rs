//! Contacts that stay closed and joints that stick: the complementarity problem at acceleration level and the rows that
//! follow from it.

use crate::closed::guess::Settled;
use crate::closed::joints::settle_joints;
use crate::closed::local_dynamics::{FreeMotion, LocalDynamics};
use crate::closed::redundancy::{give_way, hold_redundantly};
use crate::closed::selection::Selection;
use crate::closed::support::Supports;
use crate::closed::thresholds::{DRAWN_IN, NO_FORCE};
use crate::equations::Equations;
use crate::laws::friction::{Friction, PressedJoint};
use crate::laws::part::Part;
use crate::laws::problem::{ContactForces, LawError};
use crate::margins::Margins;
use crate::participants::{Arrived, Closed, Fired, Held};
use crate::{ContactStatus, Thresholds, failed};
use liedae::system::{EvaluationError, State};

/// What the decision draws on: who stays closed and what sticks.
pub(crate) struct Persistence<'a> {
    pub equations: &'a mut Equations,
    pub dynamics: &'a mut LocalDynamics,
    /// Set by the forces that are found.
    pub margins: &'a mut Margins,
    pub thresholds: &'a Thresholds,
    pub fired: &'a Fired,
    /// Friction before the event.
    pub held: &'a Held,
}

impl Persistence<'_> {
    /// The index set I_2, sticking joints, and their rows, by the complementarity problem at acceleration level.
    pub fn decide(&mut self, arrived: &Arrived, state: &State) -> Result<Settled, EvaluationError> {
        let closed = &arrived.contacts[..];
        let (fired, thresholds) = (self.fired, self.thresholds);
        let mut decided = self.equations.nothing_closed();
        // Numbers within `closed`, as the response has them.
        let resting: Vec<usize> = (0..closed.len())
            .filter(|&index| fired.rests(&closed[index], thresholds.velocity))
            .collect();
        if resting.is_empty() && self.equations.joints.is_empty() {
            return Ok(Settled::nothing(decided, closed.len()));
        }
        let free = {
            let still = thresholds.acceleration;
            self.dynamics
                .free_motion(self.equations, (closed, still), state)?
        };
        let mut friction = self.friction_laws(arrived, &free.lambda);
        let mut released: Vec<usize> = resting
            .iter()
            .copied()
            .filter(|&index| fired.releases.contains(&closed[index].contact))
            .collect();
        if !fired.shared.is_empty() {
            let drawn_in = self.draw_limits_in(&free, &friction, closed);
            let sharing: Vec<usize> = resting
                .iter()
                .copied()
                .filter(|&index| fired.shared.contains(&closed[index].contact))
                .collect();
            let pressed: Vec<usize> = resting
                .iter()
                .copied()
                .filter(|index| !released.contains(index))
                .collect();
            let forces = self.forces(&pressed, &drawn_in, &friction, state.t)?;
            released.extend(give_way(
                &forces,
                &sharing,
                thresholds.acceleration,
                &mut friction.contacts,
            ));
        }
        let pressed: Vec<usize> = resting
            .iter()
            .copied()
            .filter(|index| !released.contains(index))
            .collect();
        let mut forces = self.forces(&pressed, &free, &friction, state.t)?;
        let count = closed.len();
        // Of several joints that reach their limits at once not all need slip: one that is driven back may stick.
        while let Some(joint) =
            self.driven_back(&friction.joints, arrived, &forces.motion[2 * count..])
        {
            friction.joints[joint].friction = Friction::of_joint(&self.equations.joints[joint]);
            forces = self.forces(&pressed, &free, &friction, state.t)?;
        }
        let pulled_back = |forces: &ContactForces| {
            released
                .iter()
                .any(|&index| forces.motion[index] < -thresholds.acceleration)
        };
        if !released.is_empty() && pulled_back(&forces) {
            forces = self.forces(&resting, &free, &friction, state.t)?;
        }
        let size = 2 * count + self.equations.joints.len();

        // Of each contact by itself, since the bodies of others may be far heavier: what is summed up in the equation of
        // its gap, as a force. Without any the weight of the threshold acceleration is the measure.
        let mut scales = vec![0.0; count];
        for (index, scale) in scales.iter_mut().enumerate() {
            let row = &self.dynamics.response.matrix[index * size..(index + 1) * size];
            if row[index] > 0.0 {
                let terms = row.iter().zip(&forces.force).map(|(w, f)| (w * f).abs());
                let least = thresholds.acceleration / row[index];
                *scale = ((free.motion[index].abs() + terms.sum::<f64>()) / row[index]).max(least);
                self.margins.release[closed[index].contact] =
                    thresholds.force_margin(*scale, row[index]);
            }
        }
        let carries = |index: usize| forces.force[index] > NO_FORCE * scales[index];
        let carrying: Vec<usize> = resting.iter().copied().filter(|&i| carries(i)).collect();

        let mut carried = forces.force.clone();
        self.set_slip_forces(&friction.joints, &forces.force, 2 * count);
        let (matrix, scale) = (
            &self.dynamics.response.matrix,
            &self.dynamics.response.free_diagonal,
        );
        let statuses = &mut decided.contacts;
        let slides = |index: usize| {
            let (normal, force) = (forces.force[index], forces.force[count + index]);
            let motion = forces.motion[count + index];
            friction.contacts[index].sliding(normal, force, motion, thresholds.acceleration)
        };
        let slopes: Vec<f64> = (0..count)
            .map(|index| {
                let slope = |sign: f64| friction.contacts[index].coefficient() * sign.signum();
                slides(index).map_or(0.0, slope)
            })
            .collect();
        let rubs = |index: &usize| friction.contacts[*index] != Friction::None;
        let held_contacts = carrying.iter().copied().filter(rubs);
        let held_contacts = held_contacts.filter(|&index| slides(index).is_none());
        let held_joints = (0..self.equations.joints.len()).filter(|&joint| {
            let law = &friction.joints[joint];
            let (row, normal) = (2 * count + joint, law.normal_force(&forces.force));
            let motion = forces.motion[row];
            let slides =
                law.friction
                    .sliding(normal, forces.force[row], motion, thresholds.acceleration);
            law.friction != Friction::None && slides.is_none()
        });
        let sticks: Vec<usize> = held_contacts
            .map(|index| count + index)
            .chain(held_joints.map(|joint| 2 * count + joint))
            .collect();
        let supports = Supports {
            matrix,
            scale,
            slopes: &slopes,
            sticks: &sticks,
        };
        let support = supports.independent(&mut carried, &carrying);
        let mut selection = Selection::new(matrix, scale);
        for &index in &support {
            // Rows of the support are independent of each other by construction.
            let accepted = selection.accept(index).is_ok();
            let contact = closed[index].contact;
            statuses[contact] = if accepted {
                ContactStatus::Closed
            } else {
                ContactStatus::Redundant
            };
        }
        for &index in &resting {
            let contact = closed[index].contact;
            if support.contains(&index) {
                continue;
            }
            let stays = carries(index)
                || (forces.motion[index] <= thresholds.acceleration && !released.contains(&index));
            // Contacts that have lost their force together with a released one, as the corners of an edge that lifts,
            // would each hold down the others in turn if they got its row.
            let idle = !carries(index) && !released.is_empty();
            statuses[contact] = if !stays {
                ContactStatus::Separating
            } else if selection.implies(index) {
                ContactStatus::Redundant
            } else if idle || selection.accept(index).is_err() {
                ContactStatus::Separating
            } else {
                ContactStatus::Closed
            };
        }
        // What shares its friction with others slips when all of them are at their limits, at first as slowly as can be. That
        // may be round-off: what follows from rows that stick does not slide.
        let slips = self.slips();
        let moving = if slips { 0.0 } else { thresholds.acceleration };
        let mut slow = Vec::new();
        for &index in &resting {
            let contact = closed[index].contact;
            if statuses[contact] != ContactStatus::Closed {
                continue;
            }
            let tangential = count + index;
            let law = friction.contacts[index];
            let (normal, force) = (forces.force[index], forces.force[tangential]);
            let motion = forces.motion[tangential];
            let limited = matches!(law, Friction::Limited { .. });
            statuses[contact] = match law.sliding(normal, force, motion, moving) {
                Some(sign) if limited && motion.abs() <= thresholds.acceleration => {
                    slow.push((contact, tangential, sign));
                    continue;
                }
                Some(sign) => ContactStatus::sliding_towards(sign),
                None if law == Friction::None => ContactStatus::Closed,
                None if selection.accept(tangential).is_ok() => ContactStatus::Sticking,
                None => ContactStatus::StickingRedundantly,
            };
        }
        for (contact, tangential, sign) in slow {
            statuses[contact] = if selection.implies(tangential) {
                ContactStatus::StickingRedundantly
            } else {
                ContactStatus::sliding_towards(sign)
            };
        }
        settle_joints(
            &friction.joints,
            &forces,
            (2 * count, moving, thresholds.acceleration),
            &mut selection,
            &mut decided,
        );
        let statuses = &decided.contacts;
        let holds = (0..count).map(|index| {
            let redundant = statuses[closed[index].contact] == ContactStatus::Redundant;
            let tangential = count + index;
            let implied = redundant && selection.implies(tangential);
            let motion = forces.motion[tangential];
            let still = thresholds.acceleration;
            let hold = hold_redundantly(friction.contacts[index], (motion, still), implied);
            hold.filter(|_| redundant)
        });
        let holds = holds.collect();
        let mut reactions = free.lambda;
        for (row, force) in forces.force.iter().enumerate() {
            let unit = self.dynamics.response.reactions_of(row);
            for (reaction, unit) in reactions.iter_mut().zip(unit) {
                *reaction += force * unit;
            }
        }
        let laws = friction.joints.iter();
        let pressed = laws.map(|law| law.normal_force(&forces.force)).collect();
        Ok(Settled {
            statuses: decided,
            holds,
            forces: carried,
            reactions,
            pressed,
        })
    }

    /// Sets by how much each joint's friction exceeds its limit when it slips.
    fn set_slip_forces(&mut self, laws: &[PressedJoint], force: &[f64], first: usize) {
        let size = self.dynamics.response.free_diagonal.len();
        for (joint, (law, slip)) in laws.iter().zip(&mut self.margins.slip).enumerate() {
            let mobility = self.dynamics.response.matrix[(first + joint) * (size + 1)];
            let limit = self.equations.joints[joint].friction * law.normal_force(force);
            *slip = self.thresholds.force_margin(limit, mobility);
        }
    }

    /// A joint at rest that was taken to begin sliding, and accelerates against it.
    fn driven_back(
        &self,
        laws: &[PressedJoint],
        arrived: &Arrived,
        motion: &[f64],
    ) -> Option<usize> {
        let thresholds = self.thresholds;
        (0..laws.len()).find(|&joint| match laws[joint].friction {
            Friction::Sliding { sign, .. } => {
                arrived.joints[joint].abs() <= thresholds.velocity
                    && sign * motion[joint] < -thresholds.acceleration
            }
            _ => false,
        })
    }

    /// The motion without forces that belongs to forces of contacts by so much larger than the least ones that fit into
    /// limits which are drawn in.
    fn draw_limits_in(
        &self,
        free: &FreeMotion,
        friction: &FrictionLaws,
        closed: &[Closed],
    ) -> FreeMotion {
        let count = closed.len();
        let mut push = vec![0.0; free.motion.len()];
        for (index, closed) in closed.iter().enumerate() {
            if self.fired.shared.contains(&closed.contact) {
                let normal = DRAWN_IN * self.margins.release[closed.contact];
                push[index] = normal;
                if let Friction::Sliding { coefficient, sign } = friction.contacts[index] {
                    push[count + index] = -coefficient * sign * normal;
                }
            }
        }
        let rows = self.dynamics.response.matrix.chunks_exact(push.len());
        let motion = free
            .motion
            .iter()
            .zip(rows)
            .map(|(free, row)| free + row.iter().zip(&push).map(|(w, f)| w * f).sum::<f64>());
        FreeMotion {
            motion: motion.collect(),
            lambda: free.lambda.clone(),
        }
    }

    /// Whether something that stuck has reached the limit of friction.
    fn slips(&self) -> bool {
        let mut contacts = self.fired.tangential.iter();
        let mut joints = self.fired.joints.iter();
        contacts.any(|&contact| self.equations.statuses.contacts[contact].is_sticking())
            || joints.any(|&joint| self.equations.statuses.joints[joint].is_sticking())
    }

    /// Friction of closed contacts and of all joints between two events; `lambda` are the multipliers without it.
    fn friction_laws(&self, arrived: &Arrived, lambda: &[f64]) -> FrictionLaws {
        let contacts = arrived.contacts.iter();
        let joints = arrived
            .joints
            .iter()
            .enumerate()
            .map(|(joint, &velocity)| self.friction_of_joint(joint, velocity));
        FrictionLaws {
            contacts: contacts.map(|closed| self.friction_of(closed)).collect(),
            joints: self.dynamics.pressed_joints(
                &self.equations.joints,
                &joints.collect::<Vec<_>>(),
                lambda,
            ),
        }
    }

    /// Friction of a contact between two events.
    fn friction_of(&self, closed: &Closed) -> Friction {
        let contact = closed.contact;
        let slipping = self.fired.tangential.contains(&contact)
            && self.equations.statuses.contacts[contact].is_sticking();
        let held = if slipping {
            self.held.contacts[contact]
        } else {
            0.0
        };
        Friction::of_contact(&self.equations.contacts[contact]).between_events(
            closed.velocity[1],
            self.thresholds.velocity,
            held,
        )
    }

    /// Friction of a joint between two events.
    fn friction_of_joint(&self, joint: usize, velocity: f64) -> Friction {
        let slipping = self.fired.joints.contains(&joint)
            && self.equations.statuses.joints[joint].is_sticking();
        let held = if slipping {
            self.held.joints[joint]
        } else {
            0.0
        };
        Friction::of_joint(&self.equations.joints[joint]).between_events(
            velocity,
            self.thresholds.velocity,
            held,
        )
    }

    /// Forces in some of the closed contacts and in all joints, and the motion of all of them.
    fn forces(
        &mut self,
        pressed: &[usize],
        free: &FreeMotion,
        friction: &FrictionLaws,
        t: f64,
    ) -> Result<ContactForces, EvaluationError> {
        let size = free.motion.len();
        let part = Part::new(
            pressed.to_vec(),
            &self.dynamics.response.matrix,
            &friction.contacts,
            &friction.joints,
        );
        let solution = part
            .solve(&part.of(&free.motion), &[], &mut self.dynamics.lcp)
            .map_err(|error| no_forces(&error, t))?;
        let force = part.spread(&solution.force);
        let motion = (0..size)
            .map(|row| {
                let entries = &self.dynamics.response.matrix[row * size..(row + 1) * size];
                free.motion[row] + entries.iter().zip(&force).map(|(w, f)| w * f).sum::<f64>()
            })
            .collect();
        Ok(ContactForces { force, motion })
    }
}

/// What friction does in each closed contact and in each joint.
struct FrictionLaws {
    contacts: Vec<Friction>,
    joints: Vec<PressedJoint>,
}

fn no_forces(error: &LawError, t: f64) -> EvaluationError {
    failed(
        t,
        format!(
            "no forces keep the closed contacts from penetrating and balance the friction of contacts and joints \
             (Painlevé's case; a self-locking joint that slides): {error}"
        ),
    )
}
