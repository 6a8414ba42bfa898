//! Which constraint rows carry multipliers in a step, where some are redundant.

use super::SolveErrorKind;
use super::held_rows::{HeldRows, multipliers_matter};
use super::motion::Motion;
use crate::linalg::KktError;
use crate::system::DynamicsError;

/// What has been tried to save a step of one size.
#[derive(Default)]
pub(super) struct Remedies {
    anew: bool,
    weakest: bool,
}

/// What has become of the rows after a failed step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Remedy {
    /// There is none.
    None,
    /// Others carry multipliers now: the method has started anew.
    Changed,
    /// One more is left out of this step.
    LeftOut,
}

impl Motion<'_> {
    /// Before a step: keeps or chooses the rows that carry multipliers in it. Whether others do now.
    pub fn hold_rows(&mut self) -> Result<bool, SolveErrorKind> {
        let Some(held) = self.held.as_mut().filter(|held| held.holds()) else {
            return Ok(false);
        };
        let at = self.state.point();
        if held.looks_again() && held.reconsider(&mut self.evaluator, &at)? {
            self.change_rows()?;
            return Ok(true);
        }
        held.look(&mut self.evaluator, &at)?;
        Ok(false)
    }

    /// Takes over the rows just chosen; the method starts anew with the multipliers that belong to them.
    fn change_rows(&mut self) -> Result<(), SolveErrorKind> {
        let Some(held) = &mut self.held else {
            return Ok(());
        };
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
        held.look(&mut self.evaluator, &state.point())?;
        held.keep_multipliers(state);
        Ok(HeldRows::least_norm(
            &mut self.held,
            &mut self.evaluator,
            state,
        )?)
    }

    /// For a step of another size everything may be tried again.
    pub fn fresh_remedies(&mut self) -> Remedies {
        if let Some(held) = &mut self.held {
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
        let layout = self.evaluator.layout();
        let holds = self.held.as_ref().is_some_and(|held| held.holds());
        let rank = match error {
            DynamicsError::Linear { source, .. } => matches!(
                source,
                KktError::Singular { .. }
                    | KktError::Inconsistent { .. }
                    | KktError::Inaccurate { .. }
            ),
            DynamicsError::NotConverged { .. } | DynamicsError::NotImplied { .. } => holds,
            DynamicsError::Evaluation(_) => false,
        };
        if !rank || tried.weakest || layout.rows() < 2 || matter {
            return Ok(Remedy::None);
        }
        let at = self.state.point();
        let linear = |source| DynamicsError::Linear { t: at.t, source };
        let held = match &mut self.held {
            Some(held) => held,
            None => self.held.insert(HeldRows::new(layout).map_err(linear)?),
        };
        held.load(&mut self.evaluator, &at)?;
        if !std::mem::replace(&mut tried.anew, true) && held.choose_anew() {
            self.change_rows()?;
            return Ok(Remedy::Changed);
        }
        tried.weakest = true;
        // A row that is not implied by the others does not become so by leaving out one more.
        let worth = !matches!(error, DynamicsError::NotImplied { .. }) && held.leave_out_weakest();
        if worth {
            held.look(&mut self.evaluator, &at)?;
        }
        held.choose_anew();
        Ok(if worth { Remedy::LeftOut } else { Remedy::None })
    }
}
