//! Contacts that stay closed and joints that stick: the complementarity problem at acceleration level and the rows that
//! follow from it.

use crate::closed::guess::Settled;
use crate::closed::selection::Selection;
use crate::closed::support::Supports;
use crate::closed::thresholds::{DRAWN_IN, NO_FORCE};
use crate::equations::structure::Statuses;
use crate::laws::friction::{Friction, PressedJoint};
use crate::laws::part::Part;
use crate::laws::problem::{ContactForces, LawError};
use crate::participants::{Arrived, Closed, Fired, Held};
use crate::{ContactStatus, NonsmoothSystem, failed};
use liedae::system::{EvaluationError, Evaluator, State};

impl NonsmoothSystem {
    /// The index set I_2, sticking joints, and their rows, by the complementarity problem at acceleration level.
    pub(crate) fn stay_closed(
        &mut self,
        arrived: &Arrived,
        fired: &Fired,
        held: &Held,
        state: &State,
        statuses: &mut Statuses,
    ) -> Result<Settled, EvaluationError> {
        let closed = &arrived.contacts[..];
        let thresholds = self.options.thresholds;
        // Numbers within `closed`, as the response has them.
        let resting: Vec<usize> = (0..closed.len())
            .filter(|&index| fired.rests(&closed[index], thresholds.velocity))
            .collect();
        if resting.is_empty() && self.equations.joints.is_empty() {
            return Ok(Settled::nothing(closed.len()));
        }
        let free = self.free_motion(closed, state)?;
        let mut friction = self.friction_laws(arrived, fired, held, &free.lambda);
        let mut released: Vec<usize> = resting
            .iter()
            .copied()
            .filter(|&index| fired.releases.contains(&closed[index].contact))
            .collect();
        if !fired.shared.is_empty() {
            let drawn_in = self.draw_limits_in(&free, &friction, fired, closed);
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
            released.extend(self.give_way(&forces, &sharing, &mut friction.contacts));
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
            friction.joints[joint].friction = self.limited_joint(joint);
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
            let row = &self.response.matrix[index * size..(index + 1) * size];
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
        let (matrix, scale) = (&self.response.matrix, &self.response.free_diagonal);
        let decided = statuses;
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
        let slips = self.slips(fired);
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
        self.settle_joints(
            &friction.joints,
            &forces,
            (2 * count, moving),
            &mut selection,
            decided,
        );
        let statuses = &decided.contacts;
        let holds = (0..count).map(|index| {
            let redundant = statuses[closed[index].contact] == ContactStatus::Redundant;
            let tangential = count + index;
            let implied = redundant && selection.implies(tangential);
            let motion = forces.motion[tangential];
            let hold = self.hold_redundantly(friction.contacts[index], motion, implied);
            hold.filter(|_| redundant)
        });
        let holds = holds.collect();
        let mut reactions = free.lambda;
        for (row, force) in forces.force.iter().enumerate() {
            let unit = self.response.reactions_of(row);
            for (reaction, unit) in reactions.iter_mut().zip(unit) {
                *reaction += force * unit;
            }
        }
        let laws = friction.joints.iter();
        let pressed = laws.map(|law| law.normal_force(&forces.force)).collect();
        Ok(Settled {
            holds,
            forces: carried,
            reactions,
            pressed,
        })
    }

    /// A joint at rest that was taken to begin sliding, and accelerates against it.
    fn driven_back(
        &self,
        laws: &[PressedJoint],
        arrived: &Arrived,
        motion: &[f64],
    ) -> Option<usize> {
        let thresholds = self.options.thresholds;
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
        fired: &Fired,
        closed: &[Closed],
    ) -> FreeMotion {
        let count = closed.len();
        let mut push = vec![0.0; free.motion.len()];
        for (index, closed) in closed.iter().enumerate() {
            if fired.shared.contains(&closed.contact) {
                let normal = DRAWN_IN * self.margins.release[closed.contact];
                push[index] = normal;
                if let Friction::Sliding { coefficient, sign } = friction.contacts[index] {
                    push[count + index] = -coefficient * sign * normal;
                }
            }
        }
        let rows = self.response.matrix.chunks_exact(push.len());
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
    fn slips(&self, fired: &Fired) -> bool {
        let mut contacts = fired.tangential.iter();
        let mut joints = fired.joints.iter();
        contacts.any(|&contact| self.equations.statuses.contacts[contact].is_sticking())
            || joints.any(|&joint| self.equations.statuses.joints[joint].is_sticking())
    }

    fn friction_laws(
        &self,
        arrived: &Arrived,
        fired: &Fired,
        held: &Held,
        lambda: &[f64],
    ) -> FrictionLaws {
        let contacts = arrived.contacts.iter();
        let joints = arrived.joints.iter().enumerate().map(|(joint, &velocity)| {
            let slipping = fired.joints.contains(&joint);
            self.friction_of_joint(joint, velocity, slipping, held.joints[joint])
        });
        FrictionLaws {
            contacts: contacts
                .map(|closed| self.friction_of(closed, fired, &held.contacts))
                .collect(),
            joints: self.pressed_joints(&joints.collect::<Vec<_>>(), lambda),
        }
    }

    /// Friction of a contact between two events.
    fn friction_of(&self, closed: &Closed, fired: &Fired, held: &[f64]) -> Friction {
        let contact = closed.contact;
        let slipping = fired.tangential.contains(&contact)
            && self.equations.statuses.contacts[contact].is_sticking();
        let held = if slipping { held[contact] } else { 0.0 };
        let threshold = self.options.thresholds.velocity;
        self.limited(contact)
            .between_events(closed.velocity[1], threshold, held)
    }

    /// The motion without forces in the contacts and without friction, with all joints.
    pub(crate) fn free_motion(
        &mut self,
        closed: &[Closed],
        state: &State,
    ) -> Result<FreeMotion, EvaluationError> {
        let accelerations = &mut self.accelerations;
        let completed = self.equations.with_inner_state(state, |inner, own| {
            let completed = accelerations.complete(&mut Evaluator::new(inner), own);
            completed.map(|_| own.clone())
        });
        let own = completed
            .map_err(|error| failed(state.t, format!("the motion without contacts: {error}")))?;
        let count = closed.len();
        let mut free = vec![0.0; 2 * count + self.equations.joints.len()];
        for (index, closed) in closed.iter().enumerate() {
            let bias = self.equations.bias_of(closed.contact, &state.point())?;
            for (level, bias) in bias.into_iter().enumerate() {
                let row = level * count + index;
                free[row] = self.response.motion_of(&own.acceleration, row) + bias;
            }
        }
        for joint in 0..self.equations.joints.len() {
            let row = 2 * count + joint;
            let at = state.point();
            let (joints, inner_at) = self.equations.joints_at(&at)?;
            let bias = joints.joint_bias(joint, &inner_at)?;
            free[row] = self.response.motion_of(&own.acceleration, row) + bias;
            // Of a joint that no force moves round-off is left, which no friction could balance.
            let mobility = self.response.matrix[row * (free.len() + 1)];
            if mobility == 0.0 && free[row].abs() <= self.options.thresholds.acceleration {
                free[row] = 0.0;
            }
        }
        Ok(FreeMotion {
            motion: free,
            lambda: own.lambda,
        })
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
            &self.response.matrix,
            &friction.contacts,
            &friction.joints,
        );
        let solution = part
            .solve(&part.of(&free.motion), &[], &mut self.lcp)
            .map_err(|error| no_forces(&error, t))?;
        let force = part.spread(&solution.force);
        let motion = (0..size)
            .map(|row| {
                let entries = &self.response.matrix[row * size..(row + 1) * size];
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

/// The motion without forces in contacts and without friction in joints.
pub(crate) struct FreeMotion {
    /// Accelerations of gaps and of sliding, in the order of the response's rows.
    pub motion: Vec<f64>,
    /// Multipliers of the wrapped system's rows.
    pub lambda: Vec<f64>,
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
