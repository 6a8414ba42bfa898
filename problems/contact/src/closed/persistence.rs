//! Contacts that stay closed and joints that stick: the complementarity problem at acceleration level and the rows that
//! follow from it.

use crate::closed::balance::{Balance, FrictionLaws, Turns, turn};
use crate::closed::guess::Settled;
use crate::closed::local_dynamics::{FreeMotion, LocalDynamics};
use crate::closed::redundancy::give_way;
use crate::closed::row_choice::RowChoice;
use crate::closed::thresholds::DRAWN_IN;
use crate::equations::Equations;
use crate::event_sets::{Arrived, Closed, Fired, Held};
use crate::event_slack::EventSlack;
use crate::laws::dependence::Dependence;
use crate::laws::friction::{Friction, PressedJoint};
use crate::laws::part::Part;
use crate::laws::problem::{ContactForces, LawError};
use crate::{Thresholds, failed};
use liedae::system::{EvaluationError, State};

/// What the decision draws on: who stays closed and what sticks.
pub(crate) struct Persistence<'a> {
    pub equations: &'a mut Equations,
    pub dynamics: &'a mut LocalDynamics,
    /// Set by the forces that are found.
    pub margins: &'a mut EventSlack,
    pub thresholds: &'a Thresholds,
    pub fired: &'a Fired,
    /// Friction before the event.
    pub held: &'a Held,
}

impl Persistence<'_> {
    /// The index set I_2, sticking joints, and their rows, by the complementarity problem at acceleration level.
    pub fn decide(
        &mut self,
        arrived: &mut Arrived,
        state: &State,
    ) -> Result<Settled, EvaluationError> {
        self.turn_to_sliding(&mut arrived.contacts);
        let closed = &arrived.contacts[..];
        let open = self.equations.nothing_closed();
        let resting: Vec<usize> = (0..closed.len())
            .filter(|&index| self.fired.rests(&closed[index], self.thresholds.velocity))
            .collect();
        if resting.is_empty() && self.equations.joints.is_empty() {
            return Ok(Settled::nothing(open));
        }
        let still = self.thresholds.acceleration;
        // What shares its friction with others slips when all of them are at their limits, at first as slowly as can be.
        let moving = if self.slips() { 0.0 } else { still };
        let mut balance = self.balance(arrived, resting, state)?;
        self.slide_by_least_norm(&mut balance);
        let mut turns = balance.begin_in_space(moving);
        turns.extend(balance.hold_as_given(&self.dynamics.response));
        for &(index, direction) in &turns {
            self.dynamics.response.turn(index, direction);
        }
        turns.splice(0..0, balance.turned.iter().copied());
        self.set_margins(&balance, moving);
        let choice = RowChoice::new(&balance, &self.dynamics.response, still, open);
        let mut settled = choice.settle(moving);
        for (index, direction) in turns {
            arrived.contacts[index].turn(direction);
        }
        for closed in &arrived.contacts {
            if let Some(only) = &mut settled.statuses.only[closed.contact] {
                *only = closed.given(*only);
            }
        }
        Ok(settled)
    }

    /// Turns the first tangential direction of contacts in space along their sliding, or against the friction that has reached
    /// its limit.
    fn turn_to_sliding(&mut self, closed: &mut [Closed]) {
        for (index, closed) in closed.iter_mut().enumerate() {
            if !self.equations.contacts[closed.contact].is_spatial() {
                continue;
            }
            let [_, x, y] = closed.velocity;
            let towards = if x.hypot(y) > self.least_speed(closed.contact) {
                [x, y]
            } else {
                closed
                    .seen(self.held_at_limit(closed.contact))
                    .map(|part| -part)
            };
            let length = towards[0].hypot(towards[1]);
            if length > 0.0 {
                let direction = towards.map(|part| part / length);
                self.dynamics.response.turn(index, direction);
                closed.turn(direction);
            }
        }
    }

    /// The speed above which a contact slides. Where its own sliding has come to an event, that has said what becomes of it.
    fn least_speed(&self, contact: usize) -> f64 {
        let slides = self.equations.statuses.contacts[contact]
            .sliding()
            .is_some();
        let slides_on = slides && !self.fired.tangential.contains(&contact);
        self.equations.slides[contact].least_speed(slides_on, self.thresholds.velocity)
    }

    /// The friction of a sticking contact that has reached its limit; zero for others.
    fn held_at_limit(&self, contact: usize) -> [f64; 2] {
        let slipping = self.fired.tangential.contains(&contact)
            && self.equations.statuses.contacts[contact].is_sticking();
        if slipping {
            self.held.contacts[contact]
        } else {
            [0.0; 2]
        }
    }

    /// Forces anew, if contacts in space slide and share forces: where what slides turns, friction moves the bodies by who carries how
    /// much, which rigid bodies leave open. So all that share forces with what slides yield alike.
    fn slide_by_least_norm(&mut self, balance: &mut Balance) {
        let still = self.thresholds.acceleration;
        let slides = |&index: &usize| balance.slides_in_space(index, still);
        if !balance.resting.iter().any(slides) {
            return;
        }
        let others = without(&balance.pressed, &balance.yielding);
        let mut moved = balance.forces.force.clone();
        let response = &self.dynamics.response;
        let support = balance.support(response, still, &others, &mut moved);
        if support.len() == others.len() {
            return;
        }
        let size = balance.free.motion.len();
        let entry = |i: usize, j: usize| response.matrix[others[i] * size + others[j]];
        let sharing = match sharing_with(others.len(), entry, |i| slides(&others[i])) {
            Some(places) => places.iter().map(|&place| others[place]).collect(),
            // Friction alone makes them depend on each other.
            None => others,
        };
        let yielding = [&balance.yielding[..], &sharing].concat();
        let problem = (&balance.free, &balance.friction, &yielding[..]);
        // Without an answer the one that there is is as good as any.
        if let Ok(forces) = self.forces(&balance.pressed, problem) {
            balance.scales = self.scales(&balance.free, &forces, balance.closed.len());
            balance.forces = forces;
            balance.yielding = yielding;
        }
    }

    /// Solves the problem at acceleration level for these contacts at rest and for all joints.
    fn balance<'c>(
        &mut self,
        arrived: &'c Arrived,
        resting: Vec<usize>,
        state: &State,
    ) -> Result<Balance<'c>, EvaluationError> {
        let (closed, t) = (&arrived.contacts[..], state.t);
        let still = self.thresholds.acceleration;
        let mut free = self
            .dynamics
            .free_motion(self.equations, (closed, still), state)?;
        let mut friction = self.friction_laws(arrived, &free.lambda);
        let contacts = &self.equations.contacts;
        let yielding = self
            .dynamics
            .yielding(&resting, (&friction.contacts, false), |index| {
                &contacts[closed[index].contact]
            });
        // What joints alone keep closed carries nothing: its motion is round-off, which no force changes.
        let size = free.motion.len();
        let mobility = |index: usize| self.dynamics.response.matrix[index * (size + 1)];
        let is_held = |&index: &usize| mobility(index) == 0.0 && free.motion[index] >= -still;
        let held: Vec<usize> = resting.iter().copied().filter(is_held).collect();
        let bearing = without(&resting, &held);
        let (released, turned) =
            self.released(closed, (&bearing, &yielding), &free, &mut friction, t)?;
        for &(index, direction) in &turned {
            let response = &mut self.dynamics.response;
            response.turn(index, direction);
            if let Some(second) = response.seconds[index] {
                let rows = [closed.len() + index, second];
                turn(&mut free.motion, rows, direction);
                friction.turn(rows, direction);
            }
            friction.slide_along(index);
        }
        let mut pressed = without(&bearing, &released);
        let mut forces = self
            .forces(&pressed, (&free, &friction, &yielding))
            .map_err(|error| self.no_forces(&error, closed, t))?;
        // Of several joints that reach their limits at once not all need slip: one that is driven back may stick.
        let first = 2 * closed.len();
        while let Some(joint) = self.driven_back(&friction.joints, arrived, &forces.motion[first..])
        {
            friction.joints[joint].friction = Friction::of_joint(&self.equations.joints[joint]);
            forces = self
                .forces(&pressed, (&free, &friction, &yielding))
                .map_err(|error| self.no_forces(&error, closed, t))?;
        }
        let pulled_back = |&index: &usize| forces.motion[index] < -still;
        if released.iter().any(pulled_back) {
            pressed = bearing;
            forces = self
                .forces(&pressed, (&free, &friction, &yielding))
                .map_err(|error| self.no_forces(&error, closed, t))?;
        }
        Ok(Balance {
            scales: self.scales(&free, &forces, closed.len()),
            seconds: self.dynamics.response.seconds.clone(),
            closed,
            resting,
            pressed,
            yielding,
            turned,
            released,
            friction,
            free,
            forces,
        })
    }

    /// Contacts at rest that have lost their force, or that open when those that share forces hold no longer. What slides
    /// then is set in `friction`; in space it is what is returned beside them, with its directions.
    fn released(
        &mut self,
        closed: &[Closed],
        (resting, yielding): (&[usize], &[usize]),
        free: &FreeMotion,
        friction: &mut FrictionLaws,
        t: f64,
    ) -> Result<(Vec<usize>, Turns), EvaluationError> {
        let among = |list: &[usize]| -> Vec<usize> {
            let resting = resting.iter().copied();
            resting
                .filter(|&index| list.contains(&closed[index].contact))
                .collect()
        };
        let (mut released, mut turned) = (among(&self.fired.releases), Vec::new());
        if !self.fired.shared.is_empty() {
            let drawn_in = self.draw_limits_in(free, friction, closed);
            let pressed = without(resting, &released);
            let sharing = among(&self.fired.shared);
            // Where what slides may turn, it does by who carries how much.
            let seconds = &self.dynamics.response.seconds;
            let turns = sharing.iter().any(|&index| seconds[index].is_some());
            let left = without(&sharing, yielding);
            let yielding = [yielding, if turns { &left } else { &[] }].concat();
            let forces = self
                .forces(&pressed, (&drawn_in, friction, &yielding))
                .map_err(|error| self.no_forces(&error, closed, t))?;
            let still = self.thresholds.acceleration;
            released.extend(give_way(&forces, &sharing, still, &mut friction.contacts));
            for &joint in &self.fired.shared_joints {
                let (row, law) = (2 * closed.len() + joint, &mut friction.joints[joint]);
                let normal = law.normal_force(&forces.force);
                let (force, motion) = (forces.force[row], forces.motion[row]);
                let slides = law.friction.sliding(normal, force, motion, still);
                if let (Friction::Limited { coefficient }, Some(sign)) = (law.friction, slides) {
                    let sign = sign.signum();
                    law.friction = Friction::Sliding { coefficient, sign };
                }
            }
            for &index in &sharing {
                let Some(second) = self.dynamics.response.seconds[index] else {
                    continue;
                };
                let both = |list: &[f64]| [list[closed.len() + index], list[second]];
                let ContactForces { force, motion } = &forces;
                let law = friction.contacts[index];
                let direction = law.beginning(force[index], both(force), both(motion), still);
                turned.extend(direction.map(|direction| (index, direction)));
            }
        }
        Ok((released, turned))
    }

    /// Of each contact by itself, since the bodies of others may be far heavier: what is summed up in the equation of
    /// its gap, as a force. Without any the weight of the threshold acceleration is the measure.
    fn scales(&self, free: &FreeMotion, forces: &ContactForces, count: usize) -> Vec<f64> {
        let size = free.motion.len();
        let scale = |index: usize| {
            let row = &self.dynamics.response.matrix[index * size..(index + 1) * size];
            if row[index] > 0.0 {
                let terms = row.iter().zip(&forces.force).map(|(w, f)| (w * f).abs());
                let least = self.thresholds.acceleration / row[index];
                ((free.motion[index].abs() + terms.sum::<f64>()) / row[index]).max(least)
            } else {
                0.0
            }
        };
        (0..count).map(scale).collect()
    }

    /// Sets by how much each contact may pull before it opens, and the friction of each joint exceed its limit before it
    /// slips; and notes whose sliding is prescribed.
    fn set_margins(&mut self, balance: &Balance, moving: f64) {
        let (matrix, size) = (&self.dynamics.response.matrix, balance.free.motion.len());
        for (index, closed) in balance.closed.iter().enumerate() {
            let mobility = matrix[index * (size + 1)];
            let second = balance.seconds[index];
            let mut sliding = [Some(balance.tangential(index)), second]
                .into_iter()
                .flatten();
            self.margins.prescribed.contacts[closed.contact] =
                sliding.all(|row| self.dynamics.response.is_implied(row));
            if mobility > 0.0 {
                let margin = self
                    .thresholds
                    .force_margin(balance.scales[index], mobility);
                self.margins.release[closed.contact] = margin;
            }
        }
        let normal_forces = balance.normal_forces_of_joints();
        for (joint, (normal, slip)) in normal_forces.iter().zip(&mut self.margins.slip).enumerate()
        {
            let mobility = matrix[balance.row_of_joint(joint) * (size + 1)];
            self.margins.prescribed.joints[joint] = mobility == 0.0;
            let limit = self.equations.joints[joint].friction * normal;
            *slip = self.thresholds.force_margin(limit, mobility);
            // What sticks at its limit, since it would hardly move, does so until it would move: it would slip at once otherwise, and stick again
            // where something else happens.
            let sticks = balance.sliding_of_joint(joint, moving).is_none();
            if sticks && mobility > 0.0 && balance.is_at_limit(joint, limit) {
                *slip = slip.max(MOVES * self.thresholds.acceleration / mobility);
            }
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
        let [held, _] = closed.seen(self.held_at_limit(contact));
        Friction::of_contact(&self.equations.contacts[contact]).between_events(
            closed.velocity[1],
            self.least_speed(contact),
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

    fn no_forces(&self, error: &LawError, closed: &[Closed], t: f64) -> EvaluationError {
        let contacts = &self.equations.contacts;
        let names = closed.iter().map(|closed| &contacts[closed.contact].label);
        let names: Vec<String> = names.map(|label| format!("'{label}'")).collect();
        failed(
            t,
            format!(
                "no forces keep the closed contacts ({}) from penetrating and balance the friction of contacts and joints \
                 (Painlevé's case; a self-locking joint that slides; bodies that jam): {error}",
                names.join(", ")
            ),
        )
    }

    /// Forces in some of the closed contacts and in all joints, and the motion of all of them.
    fn forces(
        &mut self,
        pressed: &[usize],
        (free, friction, yielding): (&FreeMotion, &FrictionLaws, &[usize]),
    ) -> Result<ContactForces, LawError> {
        let part = Part::new(
            pressed.to_vec(),
            &self.dynamics.response.matrix,
            &friction.contacts,
            &friction.joints,
            &self.dynamics.response.seconds,
        )
        .yielding(yielding);
        let solution = part.solve(&part.of(&free.motion), &[], &mut self.dynamics.lcp)?;
        let force = part.spread(solution.force);
        let response = &self.dynamics.response.matrix;
        Ok(ContactForces::of(response, &free.motion, force))
    }
}

/// A joint that sticks at its limit slips when it would accelerate by this multiple of the threshold.
const MOVES: f64 = 1.1;

/// Of contacts with these entries of the Delassus matrix along their normals the ones that share normal forces without effect with one that
/// slides; `None` where no such forces exist.
fn sharing_with(
    contacts: usize,
    entry: impl Fn(usize, usize) -> f64,
    slides: impl Fn(usize) -> bool,
) -> Option<Vec<usize>> {
    let (mut dependence, mut directions) = (Dependence::default(), Vec::new());
    dependence.find_by_pivots(contacts, entry);
    if dependence.count() == 0 {
        return None;
    }
    dependence.directions(&mut directions);
    let mut marked: Vec<bool> = (0..contacts).map(slides).collect();
    dependence.link(&directions, &mut marked);
    let shares = |&place: &usize| {
        let row = directions.chunks_exact(dependence.count()).nth(place);
        marked[place] && row.is_some_and(|row| row.iter().any(|share| *share != 0.0))
    };
    Some((0..contacts).filter(shares).collect())
}

/// These numbers without those.
fn without(all: &[usize], left_out: &[usize]) -> Vec<usize> {
    let all = all.iter().copied();
    all.filter(|index| !left_out.contains(index)).collect()
}
