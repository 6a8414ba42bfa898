//! The choice of active rows among redundant ones: before a step, after a failed one, and at singular configurations.

use super::active_rows::multipliers_matter;
use super::thresholds::TOO_NEAR;
use crate::linalg::KktError;
use crate::solve::SolveErrorKind;
use crate::solve::motion::Motion;
use crate::system::{DynamicsError, IndependentRows, State};

/// The remedies that have been tried for a step of one size.
#[derive(Default)]
pub(in crate::solve) struct Remedies {
    anew: bool,
    weakest: bool,
}

/// The change of the active rows after a failed step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::solve) enum Remedy {
    /// There is none.
    None,
    /// Others carry multipliers now: the method has started anew.
    Changed,
    /// One more is left out of this step.
    LeftOut,
}

impl Motion<'_> {
    /// Before a step: keeps or chooses the rows that carry multipliers in it. Whether others do now.
    #[inline]
    pub fn hold_rows(&mut self) -> Result<bool, SolveErrorKind> {
        let Some(held) = self.rows.chosen() else {
            return Ok(false);
        };
        let at = self.state.point();
        if held.reconsider(&mut self.evaluator, &at)? {
            self.change_rows()?;
            return Ok(true);
        }
        held.violation.look(&mut self.evaluator, &at)?;
        Ok(false)
    }

    /// Takes over the rows just chosen; the method starts anew with the multipliers that belong to them.
    pub fn change_rows(&mut self) -> Result<(), SolveErrorKind> {
        let Some(held) = self.rows.get() else {
            return Ok(());
        };
        // Before the choice is taken over: afterwards it is what it was.
        let returns = held.returns_rows();
        held.take_over(&mut self.evaluator);
        let state = &mut self.state;
        if returns {
            // Rows that carried no multiplier hold up to the tolerance only, which no method starts from.
            self.projector
                .project_position(&mut self.evaluator, state, false)?;
            self.projector
                .project_velocity(&mut self.evaluator, state)?;
        }
        self.accelerations.complete(&mut self.evaluator, state)?;
        self.stepper.restart(&mut self.evaluator, state)?;
        held.violation.look(&mut self.evaluator, &state.point())?;
        held.keep_own(state);
        Ok(self.rows.least_norm(&mut self.evaluator, state)?)
    }

    /// For a step of another size everything may be tried again.
    pub fn fresh_remedies(&mut self) -> Remedies {
        if let Some(held) = self.rows.get() {
            held.leave_out_no_more();
        }
        Remedies::default()
    }

    /// After a failed step: chooses rows anew, or leaves out one more for this step, so that another try is worth it.
    pub fn other_rows(
        &mut self,
        error: &DynamicsError,
        tried: &mut Remedies,
    ) -> Result<Remedy, SolveErrorKind> {
        let matter = multipliers_matter(&mut self.evaluator, self.integrator);
        let holds = self.rows.are_left_out();
        let rank = match error {
            // Contradictions of rank, or what dependent rows make of an iteration.
            DynamicsError::Linear { source, .. } => matches!(
                source,
                KktError::Singular { .. }
                    | KktError::Inconsistent { .. }
                    | KktError::Inaccurate { .. }
            ),
            DynamicsError::NotConverged { .. } | DynamicsError::NotImplied { .. } => holds,
            DynamicsError::Evaluation(_) | DynamicsError::NotSolved { .. } => false,
        };
        if !rank || tried.weakest || self.evaluator.layout().rows() < 2 || matter {
            return Ok(Remedy::None);
        }
        let at = self.state.point();
        let held = self.rows.get_or_new(self.evaluator.layout(), at.t)?;
        held.rows.load(&mut self.evaluator, &at)?;
        if !std::mem::replace(&mut tried.anew, true) && held.choose_anew() {
            // First another choice, then one row less, in this order: the first costs no constraint.
            self.change_rows()?;
            return Ok(Remedy::Changed);
        }
        tried.weakest = true;
        // A row that is not implied by the others does not become so by leaving out one more.
        let worth = !matches!(error, DynamicsError::NotImplied { .. }) && held.leave_out_weakest();
        if worth {
            held.violation.look(&mut self.evaluator, &at)?;
        }
        // The trial with one row less is over: the choice is the one for all steps.
        held.choose_anew();
        Ok(if worth { Remedy::LeftOut } else { Remedy::None })
    }
    /// Does something with all rows.
    pub fn with_all_rows<R>(&mut self, work: impl FnOnce(&mut Self) -> R) -> R {
        self.evaluator.leave_out(&[]);
        let result = work(self);
        self.rows.leave_out(&mut self.evaluator);
        result
    }

    /// Puts a state upon a singular configuration onto the constraints, without the row that adds least to the others there.
    pub fn project_without_weakest(&mut self, state: &mut State) -> Result<(), DynamicsError> {
        let system = &mut self.evaluator;
        let linear = |source| DynamicsError::Linear { t: state.t, source };
        let mut rows = IndependentRows::new(system.layout()).map_err(linear)?;
        rows.load(system, &state.point())?;
        // No row is near enough to the span to be the cause: the usual choice.
        if !rows.drop_weakest(TOO_NEAR) {
            rows.choose();
        }
        system.leave_out(rows.dropped());
        let projector = &mut self.projector;
        let projected = projector
            .project_position(system, state, false)
            .and_then(|_| projector.project_velocity(system, state));
        self.rows.leave_out(system);
        projected
    }
}
