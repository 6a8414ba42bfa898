//! A run in progress and its parts.

use super::end::check_end;
use super::events::locator::Locator;
use super::motion::Motion;
use super::output::last_step::LastStep;
use super::properties::PropertyWatch;
use super::singular::monitor::Approach;
use super::statistics::Tally;
use super::timeline::Timeline;
use super::turning::Turning;
use super::{Observer, Options, Solution, SolveError, SolveErrorKind, Statistics, StopReason};
use crate::system::State;

/// A run in progress: owns the state and all memory, borrows system and method. It stops at any step and goes on from
/// there.
///
/// ```
/// use liedae::integrator::Dopri5;
/// use liedae::prelude::*;
/// use liedae::solve::{Driver, Silent, StopReason};
///
/// // A ball that is thrown up with 3 m/s: step by step, until it has landed.
/// let mut ball = liedae::model([0.0], [3.0]).mass(1.0).force(|_t, _q, _v| [-10.0]).build()?;
/// let (start, method) = (ball.initial_state(), Dopri5::default());
/// let mut driver = Driver::new(&mut ball, &method, start, &Options::fixed(2.0, 0.1))?;
/// while driver.advance(&mut Silent)?.is_none() && driver.state().q[0] > 1e-12 {}
/// assert!((driver.state().t - 0.6).abs() < 1e-12);
/// assert_eq!(driver.statistics().accepted, 6);
/// // From there it goes on.
/// assert_eq!(driver.run(&mut Silent)?.reason, StopReason::EndTime);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Driver<'a> {
    pub(super) options: Options,
    /// The method at work on the equations.
    pub(super) motion: Motion<'a>,
    /// Where h is chosen.
    pub(super) timeline: Timeline,
    /// How far bodies may turn in a step.
    pub(super) turning: Turning,
    /// What the run has cost, and may cost.
    pub(super) tally: Tally,
    /// The last step, for those who look into it.
    pub(super) step: LastStep,
    /// Finds events.
    pub(super) locator: Locator,
    /// What is known of singular configurations ahead, where there may be any.
    pub(super) approach: Option<Box<Approach>>,
    /// Conserved quantities and bounds, where the system states any.
    pub(super) properties: Option<Box<PropertyWatch>>,
    pub(super) observed_start: bool,
    /// Where a step has failed for good and the system was asked for a jump, the last time.
    pub(super) impasse: Option<f64>,
    /// The current state in the units of the statement, where the run has others.
    pub(super) state_of_statement: Option<Box<State>>,
}

impl Driver<'_> {
    /// The current state, with accelerations and multipliers as the method has them if the observer asks for them.
    pub fn state(&self) -> &State {
        match &self.state_of_statement {
            Some(state) => state,
            None => self.step.shown.start(&self.motion.state),
        }
    }

    /// Keeps the current state in the units of the statement, where the run has others.
    pub(super) fn note_state(&mut self) {
        if let Some(scales) = self.motion.evaluator.scales() {
            let state = self.step.shown.start(&self.motion.state);
            let noted = (self.state_of_statement).get_or_insert_with(|| Box::new(state.clone()));
            (**noted).clone_from(state);
            scales.leave(noted);
        }
    }

    /// What the run has cost so far.
    pub fn statistics(&self) -> Statistics {
        let events_left_out = self.locator.records.left_out();
        self.tally.statistics(&self.motion, events_left_out)
    }

    /// Runs to the end time, or until an event or the observer stops it.
    pub fn run(mut self, observer: &mut dyn Observer) -> Result<Solution, SolveError> {
        let ended = loop {
            match self.advance(observer) {
                Ok(None) => {}
                Ok(Some(reason)) => break self.end(reason).map(|()| reason),
                Err(kind) => break Err(kind),
            }
        };
        let statistics = self.statistics();
        if let Some(scales) = self.motion.evaluator.scales() {
            scales.leave(&mut self.motion.state);
        }
        let events = self.locator.records.into_kept();
        match ended {
            Ok(reason) => Ok(Solution {
                statistics,
                state: self.motion.state,
                reason,
                events,
                violated: (self.properties).map_or_else(Vec::new, |watch| watch.into_violated()),
            }),
            Err(kind) => Err(SolveError {
                kind: kind.in_units_of_statement(&self.motion.evaluator),
                statistics: Box::new(statistics),
                state: Some(Box::new(self.motion.state)),
                events,
            }),
        }
    }

    /// Completes the last state, and checks what the run promises about the constraints there.
    fn end(&mut self, reason: StopReason) -> Result<(), SolveErrorKind> {
        // The end has been reached in time.
        self.motion.evaluator.allow(usize::MAX, None);
        self.step.shown.complete_last(&mut self.motion)?;
        match reason {
            // Who stops a run may have seen it drift.
            StopReason::Observer => Ok(()),
            StopReason::EndTime | StopReason::Event => {
                check_end(&mut self.motion, &self.options.control)
            }
        }
    }

    /// Takes one accepted step, with its events; `Some` when the run has ended.
    pub fn advance(
        &mut self,
        observer: &mut dyn Observer,
    ) -> Result<Option<StopReason>, SolveErrorKind> {
        let advanced = self.go_one_step(observer).and_then(|reason| {
            if let Some(properties) = &mut self.properties {
                properties.see(&mut self.motion)?;
            }
            Ok(reason)
        });
        self.note_state();
        self.locator.records.finish_step(observer);
        advanced.map_err(|kind| self.explain(kind))
    }

    /// Says of a failure what limit, or what singular configuration, is behind it.
    fn explain(&mut self, kind: SolveErrorKind) -> SolveErrorKind {
        let kind = self.tally.name_limit(&self.motion, kind);
        // What is left to be said of the last state needs evaluations, too.
        self.motion.evaluator.allow(usize::MAX, None);
        let usual_step = self.timeline.schedule(f64::INFINITY).usual_step;
        match &mut self.approach {
            Some(approach) => approach.explain(&mut self.motion, usual_step, kind),
            None => kind,
        }
    }
}
