//! Corrections of drift at events: positions and velocities are put onto the rows of closed contacts.

use crate::equations::Equations;
use crate::equations::structure::Statuses;
use crate::equations::wrapped::contacts_of;
use crate::{ContactStatus, JointStatus, Thresholds, failed};
use liedae::system::{EvaluationError, Evaluator, Projector, State, System};

/// Gaps below zero by less than this share of the gap threshold are round-off of a projection onto other gaps.
const ROUND_OFF: f64 = 1e-3;

/// Gaps of up to so many times the round-off of coordinates may be round-off: a bound for norms of gradients.
const STEEP: f64 = 4.0;

impl Equations {
    /// Puts contacts that have just closed, `arriving`, and those that were closed, back to gap zero (eq. 35).
    pub fn correct_penetration(
        &mut self,
        arriving: &[usize],
        thresholds: &Thresholds,
        state: &mut State,
    ) -> Result<(), EvaluationError> {
        if arriving.is_empty() {
            return Ok(());
        }
        // Memory of its own: bodies that rebound come here at every impact.
        let mut together = std::mem::take(&mut self.work.together);
        together.clone_from(&self.statuses);
        let corrected = self.put_all_onto(&mut together, arriving, thresholds, state);
        self.work.together = together;
        corrected
    }

    /// Puts positions onto the gaps that are closed in `together` or are `arriving`, and onto those that are passed by that.
    fn put_all_onto(
        &mut self,
        together: &mut Statuses,
        arriving: &[usize],
        thresholds: &Thresholds,
        state: &mut State,
    ) -> Result<(), EvaluationError> {
        for &contact in arriving {
            together.contacts[contact] = ContactStatus::Closed;
        }
        loop {
            self.put_onto(together, arriving, thresholds, state)?;
            // What others were put onto their contacts for must not push these through theirs: each would fire in turn.
            let mut more = false;
            for contact in 0..self.contacts.len() {
                if !together.contacts[contact].is_closed()
                    && self.gap_of(contact, &state.point())? < -ROUND_OFF * thresholds.gap
                {
                    together.contacts[contact] = ContactStatus::Closed;
                    more = true;
                }
            }
            if !more {
                return Ok(());
            }
        }
    }

    /// Whether a projection onto the gaps that are closed in `together` would leave everything where it is, as far as that can be told
    /// from gaps alone: a rebound at a well located moment has nothing to correct.
    fn meets_gaps(&mut self, together: &Statuses, state: &State) -> Result<bool, EvaluationError> {
        if self.inner.layout().position_rows > 0 {
            return Ok(false);
        }
        let floor = Projector::round_off(&state.q);
        for (contact, status) in together.contacts.iter().enumerate() {
            if !status.has_normal_force() {
                continue;
            }
            // What fails is for the projection to say, and NaN for it to refuse.
            let Ok(gap) = self.gap_of(contact, &state.point()) else {
                return Ok(false);
            };
            // Gradients are seldom as long as that, and cost more than gaps.
            let may_be_met = gap.abs() <= STEEP * floor;
            if !may_be_met {
                return Ok(false);
            }
            let at = self
                .structure
                .inner_point(&state.point(), &mut self.work.lambda);
            let row = &mut self.work.row;
            let contacts = contacts_of(&mut self.inner, state.t)?;
            if contacts.gap_jacobian(contact, &at, row).is_err() {
                return Ok(false);
            }
            let is_met = (gap * Projector::row_scale(row)).abs() <= floor;
            if !is_met {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Puts positions onto the gaps that are closed in `together`.
    fn put_onto(
        &mut self,
        together: &Statuses,
        arriving: &[usize],
        thresholds: &Thresholds,
        state: &mut State,
    ) -> Result<(), EvaluationError> {
        if self.meets_gaps(together, state)? {
            return Ok(());
        }
        let t = state.t;
        // Positions are projected, which are the same whatever the rows.
        let switched = self.switch_to(together, t)?;
        self.work.given.clone_from(&state.q);
        let projected = self.with_projector(t, |projector, system| {
            projector
                .project_position(system, state, false)
                .map_err(|error| failed(t, format!("closing the gaps: {error}")))
        });
        if switched {
            self.switch_back();
        }
        // Redundant gaps that contradict each other by less than what counts as closed can stay as they are.
        if let Err(error) = projected {
            state.q.clone_from(&self.work.given);
            for &contact in arriving {
                let gap = self.gap_of(contact, &state.point())?;
                if gap.abs() > thresholds.penetration {
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// Puts contacts that rest near gap zero onto it: what the event-capturing scheme leaves.
    pub fn close_gaps(
        &mut self,
        thresholds: &Thresholds,
        state: &mut State,
    ) -> Result<(), EvaluationError> {
        let mut resting = Vec::new();
        for contact in 0..self.contacts.len() {
            let gap = self.gap_of(contact, &state.point())?;
            let [rate, ..] = self.velocity_of(contact, &state.point())?;
            if gap < thresholds.penetration && rate.abs() <= thresholds.velocity {
                resting.push(contact);
            }
        }
        self.correct_penetration(&resting, thresholds, state)
    }

    /// Closed contacts have no velocity left (eq. 36).
    pub fn put_velocities_on_rows(&mut self, state: &mut State) -> Result<(), EvaluationError> {
        if self.structure.layout.rows() == 0 {
            return Ok(());
        }
        let t = state.t;
        let fail = |error: String| failed(t, format!("the velocities of closed contacts: {error}"));
        self.with_projector(t, |projector, system| {
            projector
                .project_velocity(system, state)
                .map_err(|error| fail(error.to_string()))
        })
    }

    /// Puts velocities onto the rows, and joints that slide no faster than `slow` to rest: they slide on from there.
    pub fn put_at_rest(&mut self, slow: f64, state: &mut State) -> Result<(), EvaluationError> {
        let statuses = self.statuses.clone();
        let mut resting = statuses.clone();
        let velocities = self.joint_velocities(state)?;
        for (status, velocity) in resting.joints.iter_mut().zip(velocities) {
            if status.sliding().is_some() && velocity.abs() <= slow {
                *status = JointStatus::Sticking;
            }
        }
        self.set_statuses(&resting, state)?;
        let put = self.put_velocities_on_rows(state);
        self.set_statuses(&statuses, state)?;
        put
    }

    /// Calls `project` with what projects states onto the present rows, as if it were new.
    fn with_projector<R>(
        &mut self,
        t: f64,
        project: impl FnOnce(&mut Projector, &mut Evaluator) -> Result<R, EvaluationError>,
    ) -> Result<R, EvaluationError> {
        let mut projector = match self.projector.take() {
            Some(projector) => projector,
            None => Box::new(
                Projector::new(&self.structure.layout)
                    .map_err(|error| failed(t, error.to_string()))?,
            ),
        };
        projector.forget();
        let projected = project(&mut projector, &mut Evaluator::new(self));
        self.projector = Some(projector);
        projected
    }
}
