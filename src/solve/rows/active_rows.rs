//! The rows that carry multipliers: chosen once per step, for every method alike.

use super::thresholds::{BETTER, LOOK_AGAIN, REMAINS, STAYS, TOO_NEAR, WELL_CHOSEN, WORTH};
use super::violation::Violation;
use crate::control::ErrorNorm;
use crate::integrator::{Integrator, Kind, StepError};
use crate::linalg::KktError;
use crate::system::{
    AccelerationSolver, DynamicsError, Evaluator, IndependentRows, Layout, Point, State,
};

/// The rows that are held in a step, of a system with redundant constraints; all of them, as long as none has been met.
///
/// From [`meet`](Self::meet) on the evaluator leaves the others out. States that are seen from outside have the multipliers of
/// least norm, methods work with those of the held rows.
///
/// Where all rows stay although some are redundant, since [multipliers matter](multipliers_matter), those of least norm are
/// kept up from step to step.
pub(in crate::solve) struct HeldRows {
    held: Option<Box<Held>>,
    least_norm: Option<LeastNorm>,
}

/// All rows, and how many of them are independent upon the constraints.
struct LeastNorm {
    rows: Box<IndependentRows>,
    rank: usize,
}

/// Which rows are held, and what is known of the others.
pub(super) struct Held {
    pub rows: IndependentRows,
    /// Rows that carry no multiplier.
    dropped: Vec<usize>,
    /// Rows left out of the step that is being tried: these, or one more.
    left_out: Vec<usize>,
    /// Steps since the last change.
    age: usize,
    pub violation: Violation,
    /// The multipliers of the held rows at the current state, if the state has those of least norm.
    own: Vec<f64>,
    spread: bool,
}

/// What becomes of all rows where those held come to depend on each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::solve) enum RankAhead {
    /// They depend on each other as well: the rank falls.
    Falls,
    /// The rank stays, and the held rows are about as good a choice there as any.
    Stays,
    /// The rank stays if others are held. They have been chosen.
    StaysWithOthers,
}

/// Whether motion depends on the multipliers beyond Gᵀ λ, so that they are no matter of choice: by algebraic variables,
/// or by what the method itself does with them.
pub(in crate::solve) fn multipliers_matter(
    system: &mut Evaluator,
    integrator: &dyn Integrator,
) -> bool {
    system.layout().algebraic > 0 || integrator.uses_multipliers(system)
}

/// Whether multipliers of one step are where the next one begins, so that what redundant rows share without a force
/// would grow from step to step: corrections are those of least norm, and leave it as it was extrapolated.
fn remembers_multipliers(system: &mut Evaluator, integrator: &dyn Integrator) -> bool {
    let implicit = matches!(
        integrator.method().kind,
        Kind::Implicit | Kind::HalfImplicit
    );
    implicit && !integrator.uses_multipliers(system)
}

impl HeldRows {
    /// All rows.
    pub fn all(system: &mut Evaluator) -> Self {
        system.leave_out(&[]);
        Self {
            held: None,
            least_norm: None,
        }
    }

    /// Solves the equations of motion at a consistent state with all rows. Where redundant ones are met, chooses those that carry
    /// multipliers and leaves out the others. The multipliers of `state` stay those of least norm.
    ///
    /// Where [multipliers matter](multipliers_matter) all rows stay.
    pub fn meet(
        &mut self,
        system: &mut Evaluator,
        integrator: &dyn Integrator,
        accelerations: &mut AccelerationSolver,
        state: &mut State,
    ) -> Result<(), DynamicsError> {
        system.leave_out(&[]);
        // All rows at once: only then does the linear solver see which are redundant.
        accelerations.complete(system, state)?;
        let rank = accelerations.kkt().rank();
        let redundant = rank < system.layout().rows();
        if !redundant || multipliers_matter(system, integrator) {
            self.held = None;
            self.least_norm = None;
            if redundant && remembers_multipliers(system, integrator) {
                let linear = |source| DynamicsError::Linear { t: state.t, source };
                let rows = IndependentRows::new(system.layout()).map_err(linear)?;
                let rows = Box::new(rows);
                self.least_norm = Some(LeastNorm { rows, rank });
            }
            return Ok(());
        }
        let held = self.get_or_new(system.layout(), state.t)?;
        held.rows.load(system, &state.point())?;
        held.rows.choose();
        held.take_over(system);
        // The first solution has the multipliers of least norm, the second those of the held rows.
        held.own.copy_from_slice(&state.lambda);
        accelerations.complete(system, state)?;
        held.own.swap_with_slice(&mut state.lambda);
        held.spread = true;
        Ok(())
    }

    /// Whether there are rows that carry no multiplier.
    pub fn are_left_out(&self) -> bool {
        self.held
            .as_ref()
            .is_some_and(|held| !held.dropped.is_empty())
    }

    /// Whether steps are taken with all rows: one may be left out of a single step, too.
    pub fn are_all_in_steps(&self) -> bool {
        (self.held.as_ref()).is_none_or(|held| held.dropped.is_empty() && held.left_out.is_empty())
    }

    /// What is held, where any row is left out.
    pub(super) fn chosen(&mut self) -> Option<&mut Held> {
        let held = self.held.as_deref_mut();
        held.filter(|held| !held.dropped.is_empty())
    }

    pub(super) fn get(&mut self) -> Option<&mut Held> {
        self.held.as_deref_mut()
    }

    pub(super) fn get_or_new(
        &mut self,
        layout: &Layout,
        t: f64,
    ) -> Result<&mut Held, DynamicsError> {
        Ok(match &mut self.held {
            Some(held) => held,
            none => none.insert(Box::new(
                Held::new(layout).map_err(|source| DynamicsError::Linear { t, source })?,
            )),
        })
    }

    /// Lets a method work on the current state with the multipliers of the held rows.
    #[inline(always)]
    pub fn with_own<R>(&mut self, state: &mut State, work: impl FnOnce(&State) -> R) -> R {
        let Some(held) = self.get().filter(|held| held.spread) else {
            return work(state);
        };
        // Swapped, not copied: the state gets the multipliers of least norm back.
        held.own.swap_with_slice(&mut state.lambda);
        let result = work(state);
        held.own.swap_with_slice(&mut state.lambda);
        result
    }

    /// Lets a method try a step, without the rows that are left out of it.
    #[inline]
    pub fn step<R>(
        &mut self,
        system: &mut Evaluator,
        state: &mut State,
        work: impl FnOnce(&mut Evaluator, &State) -> R,
    ) -> R {
        // As long as none has been met all rows are there.
        let Some(held) = self.get() else {
            return work(system, state);
        };
        system.leave_out(&held.left_out);
        let result = self.with_own(state, |state| work(system, state));
        self.leave_out(system);
        result
    }

    /// Leaves out the rows that carry no multiplier.
    pub(super) fn leave_out(&self, system: &mut Evaluator) {
        let dropped = self.held.as_ref().map(|held| &held.dropped[..]);
        system.leave_out(dropped.unwrap_or_default());
    }

    /// Whether the rows left out of a step hold at its end as well as can be expected.
    pub fn check(
        &mut self,
        system: &mut Evaluator,
        ends: [&State; 2],
        norm: &mut ErrorNorm,
    ) -> Result<(), DynamicsError> {
        let Some(held) = self.get() else {
            return Ok(());
        };
        held.violation.check(system, &held.left_out, ends, norm)
    }

    /// Before the method accepts a step: where all rows stay, its end has the multipliers of least norm.
    pub fn minimize(
        &mut self,
        system: &mut Evaluator,
        end: &mut State,
    ) -> Result<(), DynamicsError> {
        let Some(LeastNorm { rows, rank }) = &mut self.least_norm else {
            return Ok(());
        };
        let mut lambda = std::mem::take(&mut end.lambda);
        let minimized = rows.minimize(system, &end.point(), *rank, &mut lambda);
        end.lambda = lambda;
        minimized
    }

    /// The method has gone on to a state whose multipliers are those of the held rows.
    pub fn accepted(&mut self) {
        if let Some(held) = self.get() {
            held.spread = false;
        }
    }

    /// Lets a method complete a state with multipliers of the held rows, which become those of least norm.
    pub fn complete_by(
        &mut self,
        system: &mut Evaluator,
        state: &mut State,
        method: impl FnOnce(&mut Evaluator, &mut State) -> Result<(), StepError>,
    ) -> Result<(), StepError> {
        if let Some(held) = self.get().filter(|held| held.spread) {
            state.lambda.copy_from_slice(&held.own);
        }
        method(system, state)?;
        if let Some(held) = self.get() {
            held.keep_own(state);
        }
        Ok(self.least_norm(system, state)?)
    }

    /// Replaces the multipliers of the held rows by those of least norm with the same force.
    pub fn least_norm(
        &mut self,
        system: &mut Evaluator,
        state: &mut State,
    ) -> Result<(), DynamicsError> {
        let Some(held) = self.chosen() else {
            return Ok(());
        };
        // A multiplier that was left there would be spread as a force.
        for &row in &held.dropped {
            state.lambda[row] = 0.0;
        }
        held.rows.load(system, &state.point())?;
        held.rows.spread(&mut state.lambda);
        Ok(())
    }

    /// What becomes of the rank of all rows where those held come to depend on each other. That is nearly at the point `there`, as
    /// seen from the point `here`. Others are chosen only where they may be.
    pub fn rank_ahead(
        &mut self,
        system: &mut Evaluator,
        here: &Point,
        there: &Point,
        others_may_be_chosen: bool,
    ) -> Result<RankAhead, DynamicsError> {
        match self.chosen() {
            Some(held) => held.rank_ahead(system, here, there, others_may_be_chosen),
            None => Ok(RankAhead::Falls),
        }
    }

    /// The rows left out here that would not have to be at another point: redundant ones there are as many, but for these.
    pub fn returning(
        &mut self,
        system: &mut Evaluator,
        at: &Point,
    ) -> Result<Vec<usize>, DynamicsError> {
        let Some(held) = self.chosen() else {
            return Ok(Vec::new());
        };
        held.rows.load(system, at)?;
        let elsewhere = held.rows.redundant();
        let dropped = held.dropped.iter().copied();
        // Fewer are redundant elsewhere: the difference comes back into play.
        Ok(if elsewhere.len() < held.dropped.len() {
            dropped.filter(|row| !elsewhere.contains(row)).collect()
        } else {
            Vec::new()
        })
    }
}

impl Held {
    fn new(layout: &Layout) -> Result<Self, KktError> {
        let rows = layout.rows();
        Ok(Self {
            rows: IndependentRows::new(layout)?,
            dropped: Vec::with_capacity(rows),
            left_out: Vec::with_capacity(rows),
            age: 0,
            violation: Violation::new(layout),
            own: vec![0.0; rows],
            spread: false,
        })
    }

    /// Remembers the multipliers of the held rows before they become those of least norm.
    pub fn keep_own(&mut self, state: &State) {
        self.own.copy_from_slice(&state.lambda);
        self.spread = true;
    }

    /// Looks at the rows before a step, unless they have been well chosen for some steps. Whether others are to carry multipliers
    /// than until now.
    pub fn reconsider(
        &mut self,
        system: &mut Evaluator,
        at: &Point,
    ) -> Result<bool, DynamicsError> {
        self.age += 1;
        // In each of LOOK_AGAIN steps after a change, then in every LOOK_AGAIN-th.
        if self.age > LOOK_AGAIN && !self.age.is_multiple_of(LOOK_AGAIN) {
            return Ok(false);
        }
        self.rows.load(system, at)?;
        Ok(!self.stays() && self.rows.choose())
    }

    /// Whether the choice is good enough at the point looked at last.
    fn stays(&mut self) -> bool {
        let (least, largest) = self.rows.condition();
        // Neither a held row too near to the span, nor one left out too far from it.
        let holds = least > TOO_NEAR && largest < TOO_NEAR;
        holds && (least > WELL_CHOSEN || self.rows.best_condition() < BETTER * least)
    }

    fn rank_ahead(
        &mut self,
        system: &mut Evaluator,
        here: &Point,
        there: &Point,
        others_may_be_chosen: bool,
    ) -> Result<RankAhead, DynamicsError> {
        self.rows.load(system, here)?;
        let best_here = self.rows.best_of_as_many();
        self.rows.load(system, there)?;
        let (own, best) = (self.rows.condition().0, self.rows.best_of_as_many());
        let others = best > REMAINS * best_here && best > WORTH * own;
        if others && others_may_be_chosen && self.rows.choose_as_many() {
            // Chosen for the point ahead, they must do until there as well.
            self.rows.load(system, here)?;
            if self.rows.condition().0 <= TOO_NEAR {
                self.rows.choose_as_many();
            }
            if self.rows.dropped() != self.dropped {
                return Ok(RankAhead::StaysWithOthers);
            }
        }
        Ok(if best > STAYS * best_here {
            RankAhead::Stays
        } else {
            RankAhead::Falls
        })
    }

    /// Chooses anew among the rows looked at last; whether others are to carry multipliers than until now.
    pub fn choose_anew(&mut self) -> bool {
        self.rows.choose();
        self.rows.dropped() != self.dropped
    }

    /// Leaves one more row out of the step that is going to be tried, the one nearest to the span of the others; whether one is
    /// near.
    pub fn leave_out_weakest(&mut self) -> bool {
        let near = self.rows.drop_weakest(WELL_CHOSEN);
        if near {
            copy(&mut self.left_out, self.rows.dropped());
        }
        near
    }

    /// Leaves out of the next trial the rows that carry no multiplier, and no more.
    pub fn leave_out_no_more(&mut self) {
        copy(&mut self.left_out, &self.dropped);
    }

    /// Whether a row that has been chosen to carry a multiplier carried none until now.
    pub fn returns_rows(&self) -> bool {
        let chosen = self.rows.dropped();
        let mut dropped = self.dropped.iter();
        dropped.any(|row| chosen.binary_search(row).is_err())
    }

    /// The rows just chosen carry multipliers from now on.
    pub fn take_over(&mut self, system: &mut Evaluator) {
        copy(&mut self.dropped, self.rows.dropped());
        copy(&mut self.left_out, self.rows.dropped());
        system.leave_out(&self.dropped);
        self.age = 0;
    }
}

fn copy(to: &mut Vec<usize>, from: &[usize]) {
    to.clear();
    to.extend_from_slice(from);
}
