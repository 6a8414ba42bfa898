//! Sliding contacts that no finite forces balance behind an impact: impulses stop them.

use super::NonsmoothSystem;
use super::law::Friction;
use super::part::Part;
use super::resolve::Arrived;
use liedae::system::{ContactEvent, EvaluationError, EventReport, State, System};

impl<S: System> NonsmoothSystem<S> {
    /// Stops sliding that has no solution at acceleration level behind an impact (Painlevé's case). Whether any impulse was
    /// found.
    ///
    /// The impact goes on without collision: it is the step h of Moreau's scheme in the limit h → 0: 0 ≤ U⁺ ⟂ P ≥ 0 with friction and U⁺ = U + h a + W P, which has a
    /// solution that stays finite (Génot and Brogliato 1999, doi:10.1016/S0997-7538(99)00144-8). Here h changes no
    /// velocity by more than the threshold. No energy is gained but what h a is worth. Joints that slide and lock themselves are
    /// left alone.
    pub(super) fn stop_jammed(
        &mut self,
        arrived: &mut Arrived,
        state: &mut State,
        reports: &mut Vec<EventReport>,
    ) -> Result<bool, EvaluationError> {
        if !self.joints.is_empty() {
            return Ok(false);
        }
        let threshold = self.options.thresholds.velocity;
        let count = arrived.contacts.len();
        let free = self.free_motion(&arrived.contacts, state)?;
        let fastest = free.motion.iter().fold(0.0_f64, |sum, a| sum.max(a.abs()));
        let h = if fastest > 0.0 {
            threshold / fastest
        } else {
            0.0
        };
        let velocity = |row: usize| arrived.contacts[row % count].velocity[row / count];
        let pushed = (0..2 * count).map(|row| velocity(row) + h * free.motion[row]);
        let pushed: Vec<f64> = pushed.collect();
        let resting = (0..count).filter(|&index| arrived.contacts[index].velocity[0] <= threshold);
        let friction: Vec<Friction> = arrived
            .contacts
            .iter()
            .map(|closed| self.limited(closed.contact))
            .collect();
        let part = Part::new(resting.collect(), &self.response.matrix, &friction, &[]);
        let Ok(solution) = part.solve(&part.of(&pushed), &[], &mut self.lcp) else {
            return Ok(false);
        };
        let impulses = part.spread(&solution.force);
        self.response.push(&impulses, &mut state.v);
        for (index, closed) in arrived.contacts.iter_mut().enumerate() {
            let before = closed.velocity[0];
            for (level, slot) in closed.velocity.iter_mut().enumerate() {
                *slot = self.response.motion_of(&state.v, level * count + index);
            }
            if impulses[index] > 0.0 {
                let law = &self.contacts[closed.contact];
                let mut report = EventReport::new("impact", law.label.clone());
                report.contact = Some(ContactEvent {
                    angular: law.angular,
                    impulse: impulses[index],
                    friction_impulse: [impulses[count + index], 0.0],
                    velocity_before: before,
                    velocity_after: closed.velocity[0],
                });
                reports.push(report);
            }
        }
        Ok(impulses.iter().any(|&impulse| impulse != 0.0))
    }
}
