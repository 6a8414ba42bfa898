//! Slow sliding in space that comes to rest: it is stopped where the remaining motion is negligible and friction can hold it with a
//! margin.

use crate::NonsmoothSystem;
use crate::closed::guess::Settled;
use crate::complementarity::RowKind;
use crate::equations::slides::{Measure, Slide};
use crate::event_sets::{Arrived, Closed, Fired, Held};
use crate::laws::problem::ContactForces;
use liedae::system::{EvaluationError, EventReport, State, System};

/// Friction holds a contact with a margin if it needs less than this share of its limit.
const HELD_WITH_EASE: f64 = 0.99;

impl NonsmoothSystem {
    /// Puts contacts to rest whose sliding wavers or has been checked, if they stop within a negligible distance and friction
    /// holds them with a margin. Otherwise the decision `sliding` remains.
    pub(crate) fn stop_short(
        &mut self,
        sliding: Settled,
        arrived: &mut Arrived,
        fired: &Fired,
        held: &Held,
        state: &mut State,
        reports: &mut Vec<EventReport>,
    ) -> Result<Settled, EvaluationError> {
        let nobody = fired.wavering.is_empty() && fired.lasting.is_empty();
        // Where normal forces are about to be shared anew, friction has no certain limit.
        if nobody || !fired.shared.is_empty() {
            return Ok(sliding);
        }
        let measure = Measure::at(state.t, &self.options.thresholds);
        let count = arrived.contacts.len();
        let speed = |place: usize| {
            let [_, first, second] = arrived.contacts[place].velocity;
            f64::hypot(first, second)
        };
        let stops_short = |place: usize, change: f64| {
            let rate = sliding.motion.get(count + place).map_or(0.0, |a| -a);
            measure.stops_short(speed(place), rate, change)
        };
        let is_doubtful = |&place: &usize| {
            let contact = arrived.contacts[place].contact;
            fired.wavering.contains(&contact) || fired.lasting.contains(&contact)
        };
        // The feet of a body stop together.
        let slides = |&place: &usize| {
            let [_, first, second] = arrived.contacts[place].velocity;
            let slow = Slide::is_slow([first, second], measure.threshold);
            slow && speed(place) > 0.0 && stops_short(place, speed(place))
        };
        let doubtful: Vec<usize> = (0..count).filter(slides).collect();
        if !doubtful.iter().any(is_doubtful) {
            return Ok(sliding);
        }
        let Some((at_rest, change)) = self.with_stopped(&doubtful, &sliding, arrived) else {
            return Ok(sliding);
        };
        if !doubtful.iter().all(|&place| stops_short(place, change)) {
            return Ok(sliding);
        }
        let before = std::mem::replace(arrived, at_rest);
        match self.persistence(fired, held).decide(arrived, state) {
            Ok(settled) if self.holds_with_ease(&settled, &arrived.contacts, &doubtful) => {
                return Ok(settled);
            }
            _ => {}
        }
        // The directions of contacts have been turned: the decision is made anew, from those that the model gives.
        *arrived = before;
        self.respond_anew(arrived, state)?;
        self.settle(arrived, fired, held, state, reports)
    }

    /// Contacts and joints with these contacts at rest, by impulses that leave rows as they are, and the largest change of a velocity;
    /// `None` where no impulses stop them.
    fn with_stopped(
        &mut self,
        stopped: &[usize],
        sliding: &Settled,
        arrived: &Arrived,
    ) -> Option<(Arrived, f64)> {
        let (closed, count) = (&arrived.contacts, arrived.contacts.len());
        let (response, statuses) = (&self.dynamics.response, &sliding.statuses);
        // Rows, and the motion in them that ends; of those that hold what is there is round-off.
        let mut rows: Vec<(usize, f64)> = Vec::new();
        for (place, closed) in closed.iter().enumerate() {
            let status = statuses.contacts[closed.contact];
            if status.has_normal_force() {
                rows.push((place, 0.0));
            }
            let [_, first, second] = match (stopped.contains(&place), status.is_sticking()) {
                (true, _) => closed.velocity,
                (false, true) => [0.0; 3],
                (false, false) => continue,
            };
            rows.push((count + place, first));
            rows.extend(response.seconds[place].map(|row| (row, second)));
        }
        let joints = statuses.joints.iter().enumerate();
        let sticking = joints.filter(|(_, status)| status.is_sticking());
        rows.extend(sticking.map(|(joint, _)| (2 * count + joint, 0.0)));
        let size = response.free_diagonal.len();
        let entries = rows
            .iter()
            .flat_map(|&(row, _)| rows.iter().map(move |&(column, _)| row * size + column));
        let matrix: Vec<f64> = entries.map(|entry| response.matrix[entry]).collect();
        let vector: Vec<f64> = rows.iter().map(|&(_, motion)| motion).collect();
        let kinds = vec![RowKind::Bilateral; rows.len()];
        let solution = self.dynamics.lcp.solve(&matrix, &vector, &kinds).ok()?;
        let mut impulses = vec![0.0; size];
        for (&(row, _), &impulse) in rows.iter().zip(&solution.z) {
            impulses[row] = impulse;
        }
        let response = &self.dynamics.response;
        let mut changes = vec![0.0; self.equations.layout().dimension()];
        response.push(&impulses, &mut changes);
        let largest = changes
            .iter()
            .fold(0.0_f64, |most, change| most.max(change.abs()));
        let change = ContactForces::of(&response.matrix, &vec![0.0; size], impulses).motion;
        let mut at_rest = arrived.clone();
        for (place, closed) in at_rest.contacts.iter_mut().enumerate() {
            let [normal, first, second] = closed.velocity;
            closed.velocity = match stopped.contains(&place) {
                true => [normal, 0.0, 0.0],
                false => [
                    normal,
                    first + change[count + place],
                    second + response.seconds[place].map_or(0.0, |row| change[row]),
                ],
            };
        }
        for (joint, velocity) in at_rest.joints.iter_mut().enumerate() {
            *velocity += change[2 * count + joint];
        }
        Some((at_rest, largest))
    }

    /// Whether all of these contacts can be put to rest, and stick by less than [`HELD_WITH_EASE`] of what friction can do. The
    /// distribution among several feet of a body is arbitrary; only their sum matters.
    fn holds_with_ease(&self, settled: &Settled, closed: &[Closed], stopped: &[usize]) -> bool {
        let response = &self.dynamics.response;
        let status = |place: usize| settled.statuses.contacts[closed[place].contact];
        let stop =
            |&place: &usize| status(place).sliding().is_none() && response.slides_freely(place);
        if !stopped.iter().all(stop) {
            return false;
        }
        let (mut friction, mut limits) = (0.0, 0.0);
        for &place in stopped {
            let [normal, first, second] = settled.forces_of(place);
            friction += first.hypot(second);
            limits += self.equations.contacts[closed[place].contact].friction * normal;
        }
        limits > 0.0 && friction <= HELD_WITH_EASE * limits
    }
}
