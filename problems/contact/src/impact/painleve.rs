//! Sliding contacts and joints that no finite forces balance: impulses stop them.

use crate::contact_event::ContactEvent;
use crate::event_sets::Arrived;
use crate::impact::resolve::Collision;
use crate::laws::friction::Friction;
use crate::laws::part::Part;
use liedae::system::{EvaluationError, EventReport, State};

impl Collision<'_> {
    /// Stops sliding that has no solution at acceleration level (Painlevé's case; a joint that locks itself). Whether any
    /// impulse was found.
    ///
    /// The impact goes on without collision: it is the step h of Moreau's scheme in the limit h → 0: 0 ≤ U⁺ ⟂ P ≥ 0
    /// with friction and U⁺ = U + h a + W P, which has a solution that stays finite (Génot and Brogliato 1999,
    /// doi:10.1016/S0997-7538(99)00144-8). Here h changes no velocity by more than `change`. No energy is gained
    /// but what h a is worth. The impulses in the rows of joints press them, beside h N of the forces without friction.
    pub fn stop_jammed(
        &mut self,
        change: f64,
        arrived: &mut Arrived,
        state: &mut State,
        reports: &mut Vec<EventReport>,
    ) -> Result<bool, EvaluationError> {
        let threshold = self.options.thresholds.velocity;
        let still = self.options.thresholds.acceleration;
        let count = arrived.contacts.len();
        let free = self
            .dynamics
            .free_motion(self.equations, (&arrived.contacts, still), state)?;
        let fastest = free.motion.iter().fold(0.0_f64, |sum, a| sum.max(a.abs()));
        let h = if fastest > 0.0 { change / fastest } else { 0.0 };
        // What rests is not about to leave: its normal velocity is round-off, or the error of a flight of one step.
        let rests = |index: usize| self.fired.rests(&arrived.contacts[index], threshold);
        let seconds = self.dynamics.response.seconds.clone();
        let second_of = |row: usize| seconds.iter().position(|&second| second == Some(row));
        let velocity = |row: usize| match row.checked_sub(2 * count) {
            Some(joint) if joint < arrived.joints.len() => arrived.joints[joint],
            Some(_) => second_of(row).map_or(0.0, |index| arrived.contacts[index].velocity[2]),
            None if row < count && rests(row) => arrived.contacts[row].velocity[0].min(0.0),
            None => arrived.contacts[row % count].velocity[row / count],
        };
        let size = free.motion.len();
        // U + h a.
        let pushed = (0..size).map(|row| velocity(row) + h * free.motion[row]);
        let pushed: Vec<f64> = pushed.collect();
        // Joints hold what no impulse moves.
        let response = &self.dynamics.response.matrix;
        let moves = |index: usize| response[index * (size + 1)] > 0.0 || pushed[index] < -threshold;
        let resting: Vec<usize> = (0..count)
            .filter(|&index| rests(index) && moves(index))
            .collect();
        let friction: Vec<Friction> = arrived
            .contacts
            .iter()
            .map(|closed| Friction::of_contact(&self.equations.contacts[closed.contact]))
            .collect();
        let joints = &self.equations.joints;
        let may_stick: Vec<Friction> = joints.iter().map(Friction::of_joint).collect();
        // Impulses of the joints' own rows during h.
        let lambda: Vec<f64> = free.lambda.iter().map(|force| h * force).collect();
        let joints = self.dynamics.pressed_joints(joints, &may_stick, &lambda);
        let all: Vec<usize> = (0..count).collect();
        let contacts = &self.equations.contacts;
        let law = |index: usize| &contacts[arrived.contacts[index].contact];
        let yielding = self.dynamics.yielding(&all, (&friction, true), law);
        let part = Part::new(
            resting,
            &self.dynamics.response.matrix,
            &friction,
            &joints,
            &seconds,
        )
        .yielding(&yielding);
        let Ok(solution) = part.solve(&part.of(&pushed), &[], &mut self.dynamics.lcp) else {
            return Ok(false);
        };
        let impulses = part.spread(solution.force);
        self.dynamics.response.push(&impulses, &mut state.v);
        // U += W P.
        let changes = self.dynamics.response.matrix.chunks_exact(size).map(|row| {
            let products = row.iter().zip(&impulses).map(|(w, p)| w * p);
            products.sum::<f64>()
        });
        let changes: Vec<f64> = changes.collect();
        for (velocity, change) in arrived.joints.iter_mut().zip(&changes[2 * count..]) {
            *velocity += change;
        }
        for (index, closed) in arrived.contacts.iter_mut().enumerate() {
            let before = closed.velocity[0];
            let rows = [Some(index), Some(count + index), seconds[index]];
            for (slot, row) in closed.velocity.iter_mut().zip(rows) {
                *slot += row.map_or(0.0, |row| changes[row]);
            }
            if impulses[index] > 0.0 {
                let law = &self.equations.contacts[closed.contact];
                let mut report = EventReport::new("impact", law.label.clone());
                let contact = ContactEvent {
                    angular: law.angular,
                    impulse: impulses[index],
                    friction_impulse: closed.given([
                        impulses[count + index],
                        seconds[index].map_or(0.0, |row| impulses[row]),
                    ]),
                    velocity_before: before,
                    velocity_after: closed.velocity[0],
                };
                report.quantities = contact.quantities();
                reports.push(report);
            }
        }
        Ok(impulses.iter().any(|&impulse| impulse != 0.0))
    }
}
