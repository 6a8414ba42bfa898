//! The locator of the events of a run, with its memory.

use super::jumps::Jump;
use super::records::EventRecords;
use super::search::EventSearch;
use crate::integrator::Method;
use crate::solve::shape::Shape;
use crate::solve::{Options, SolveErrorKind};
use crate::system::{Consistency, Evaluator, State};

/// Watches the event functions, finds the moments at which they cross zero, and lets the system answer.
pub(in crate::solve) struct Locator {
    pub search: EventSearch,
    /// The state at an event, then after it.
    pub state: State,
    /// The length of a step of the method, where the step that is searched is the driver's own, across a singular
    /// configuration.
    pub own_step: Option<f64>,
    /// The events so far.
    pub records: EventRecords,
    /// Sizes that stay what they are until the system says otherwise.
    pub(super) shape: Shape,
    /// What handlers leave must be consistent to this.
    pub(super) consistency: Consistency,
    /// Jumps in quick succession up to the last one, and its moment.
    pub(super) quick_jumps: usize,
    pub(super) last_jump: f64,
    /// Memory for the functions that cross at a moment.
    pub(super) involved: Vec<usize>,
}

impl Locator {
    /// At a complete state.
    pub fn new(
        evaluator: &mut Evaluator,
        method: &Method,
        state: &State,
        options: &Options,
    ) -> Result<Self, SolveErrorKind> {
        Ok(Self {
            search: EventSearch::new(evaluator, method, state, options)?,
            state: state.clone(),
            own_step: None,
            records: EventRecords::new(options.max_event_records),
            shape: Shape::of(evaluator.system()),
            consistency: options.consistency,
            quick_jumps: 0,
            last_jump: f64::NEG_INFINITY,
            involved: Vec::new(),
        })
    }

    /// What has happened so far is that of another locator, before the system changed its structure.
    pub fn go_on_from(&mut self, before: Self) {
        self.search.length = before.search.length;
        self.search.velocity = before.search.velocity;
        self.records = before.records;
        (self.quick_jumps, self.last_jump) = (before.quick_jumps, before.last_jump);
    }

    /// A jump is over: its memory is that of the next one.
    pub fn done_with(&mut self, jump: Jump) {
        self.involved = jump.involved;
    }

    /// Whether there is anything to look for.
    pub fn is_needed(&self) -> bool {
        self.search.is_needed()
    }
}
