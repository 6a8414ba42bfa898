//! The events of a system: event functions, time events, and their handlers.

use crate::system::{EvaluationError, Point, State};
use serde::Serialize;

/// Which crossings of an event function are events. A function crosses where it reaches zero, whether it continues or rests
/// there. From then on it is on the other side; if it returns to where it came from, it crosses back. A function that starts at
/// zero has not crossed.
///
/// For a ball that bounces off the floor take `Falling`. Where a mode follows the sign of a function, take `Both` or one function for each
/// direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// From negative to zero and positive.
    Rising,
    /// From positive to zero and negative.
    Falling,
    /// Either way.
    Both,
}

/// The description of an event function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EventDescription {
    /// The kind as reported, such as `reversal` or `impact`.
    pub kind: String,
    /// What it happens to, such as a joint's or a contact's name.
    pub label: String,
    /// Which sign change counts.
    pub direction: Direction,
    /// Whether the function depends on multipliers, algebraic variables or accelerations: the driver then solves the index-1 form
    /// at each evaluation of the function, since interpolated values are not accurate enough.
    pub multipliers: bool,
    /// Whether the function may not become negative: it then counts as positive at the start of a run and after a jump, so that a
    /// function that is zero there and falls has its event at once. For `Direction::Falling`.
    pub barrier: bool,
    /// Whether the system decides by the function's sign: the moment of the event is then on the side where the sign has
    /// changed, up to the location tolerance behind the root; of a function that comes to rest, where it is zero.
    pub beyond: bool,
}

impl EventDescription {
    /// Describes an event function of t, q, v, x and modes.
    pub fn new(kind: impl Into<String>, label: impl Into<String>, direction: Direction) -> Self {
        Self {
            kind: kind.into(),
            label: label.into(),
            direction,
            multipliers: false,
            barrier: false,
            beyond: false,
        }
    }

    /// Describes a function that may not become negative: the gap of a contact, the force in a closed one.
    pub fn barrier(kind: impl Into<String>, label: impl Into<String>) -> Self {
        Self {
            barrier: true,
            ..Self::new(kind, label, Direction::Falling)
        }
    }

    /// Asks for moments behind the root, where the sign has changed.
    pub fn beyond_its_root(mut self) -> Self {
        self.beyond = true;
        self
    }

    /// The function depends on multipliers, too.
    pub fn of_multipliers(mut self) -> Self {
        self.multipliers = true;
        self
    }
}

/// What the driver does after an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EventAction {
    /// Record the event and continue with the step; changes of the state are discarded.
    Continue,
    /// State, mode or right-hand side jumped: restart the method from the event.
    Restart,
    /// As `Restart`, and the layout or the event functions are others than before; the state has the new shape.
    Restructure,
    /// The run ends here.
    Stop,
}

/// What a system did at an event.
///
/// ```
/// use liedae::prelude::*;
/// use liedae::system::EventResponse;
///
/// // A ball that keeps half its velocity when it lands.
/// let landing = EventDescription::new("landing", "ball", Direction::Falling);
/// let mut ball = liedae::model([5.0], [-3.0])
///     .mass(1.0)
///     .force(|_t, _q, _v| [-10.0])
///     .event(landing, |at| at.q[0], |state| {
///         state.v[0] *= -0.5;
///         EventAction::Restart
///     })
///     .build()?;
/// let mut state = ball.initial_state();
/// let events = ball.events().ok_or("it has one")?;
/// let EventResponse { action, reports } = events.handle_events(&[0], &mut state)?;
/// assert_eq!((action, reports), (EventAction::Restart, None));
/// assert_eq!(state.v, [1.5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct EventResponse {
    /// What the driver does next.
    pub action: EventAction,
    /// Reports for the record; if empty, the driver records the descriptions of the events.
    pub reports: Option<Vec<EventReport>>,
}

impl From<EventAction> for EventResponse {
    fn from(action: EventAction) -> Self {
        Self {
            action,
            reports: None,
        }
    }
}

/// One thing that happened at an event.
///
/// ```
/// use liedae::system::{EventAction, EventReport, EventResponse, Quantity};
///
/// // What a handler says of an impact beside what follows from it.
/// let impulse = Quantity { name: "impulse", value: 4.5, unit: "N s" };
/// let report = EventReport { quantities: vec![impulse], ..EventReport::new("impact", "ball on floor") };
/// assert_eq!((report.kind.as_str(), report.t), ("impact", None));
/// let response = EventResponse { action: EventAction::Restart, reports: Some(vec![report]) };
/// assert_eq!(response.reports.map_or(0, |reports| reports.len()), 1);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct EventReport {
    /// Its kind, such as `impact`, `release`, `stick` or `slip`.
    pub kind: String,
    /// What it happened to.
    pub label: String,
    /// When in s, if that is not the moment of the event: the limit of accumulating impacts.
    pub t: Option<f64>,
    /// Quantities of the event, such as an impulse.
    pub quantities: Vec<Quantity>,
}

impl EventReport {
    /// A report without numbers, of the moment of the event.
    pub fn new(kind: impl Into<String>, label: impl Into<String>) -> Self {
        Self {
            kind: kind.into(),
            label: label.into(),
            t: None,
            quantities: Vec::new(),
        }
    }
}

/// A quantity of an event, such as the impulse of an impact.
///
/// ```
/// use liedae::solve::EventRecord;
/// use liedae::system::Quantity;
///
/// // Numbers of an event are found by their names.
/// let record = EventRecord {
///     t: 1.0,
///     kind: "impact".to_owned(),
///     label: "ball on floor".to_owned(),
///     quantities: vec![Quantity { name: "impulse", value: 4.5, unit: "N s" }],
/// };
/// assert_eq!((record.quantity("impulse"), record.quantity("torque")), (Some(4.5), None));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Quantity {
    /// Its name.
    pub name: &'static str,
    /// The number.
    pub value: f64,
    /// Its unit.
    pub unit: &'static str,
}

/// Whether the driver or the method handles impacts and changes of contact.
///
/// ```
/// use liedae::prelude::*;
/// use liedae::system::EventHandling;
///
/// // Before a run the system hears who deals with its events.
/// let landing = EventDescription::new("landing", "ball", Direction::Falling);
/// let mut ball = liedae::model([5.0], [-3.0])
///     .mass(1.0)
///     .force(|_t, _q, _v| [-10.0])
///     .event(landing, |at| at.q[0], |state| {
///         state.v[0] *= -0.5;
///         EventAction::Restart
///     })
///     .build()?;
/// let mut state = ball.initial_state();
/// let reports = ball.prepare(&mut state, EventHandling::Located { tolerance: 1e-9 })?;
/// // It starts in the air: nothing has happened yet.
/// assert!(reports.is_empty() && state == ball.initial_state());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EventHandling {
    /// The driver locates them, and the system answers ([`Events::handle_events`]).
    Located {
        /// To within this time in s. Motion of one contact that is shorter is the system's business, as is motion shorter than
        /// some 1e-11 s or 1e-14 of the time itself in any case: the driver takes it for an accumulation that nobody ends.
        tolerance: f64,
    },
    /// The method captures them within its steps: the system has no rows and event functions for contacts, and the method gets
    /// them by [`System::extension`](crate::system::System::extension).
    Captured,
}

/// The events of a system: event functions that the driver monitors, moments at which every run ends a step, and the handlers.
///
/// Every `out` slice has as many entries as there are [`descriptions`](Self::descriptions) and is overwritten entirely.
pub trait Events {
    /// Descriptions of the event functions, one each. They stay until a handler answers [`EventAction::Restructure`]: records of events
    /// have them as they were at the start, or behind the last such answer.
    fn descriptions(&mut self) -> &[EventDescription] {
        &[]
    }

    /// Values of the event functions.
    fn event_functions(&mut self, _at: &Point, _out: &mut [f64]) -> Result<(), EvaluationError> {
        Ok(())
    }

    /// The value of one of the event functions, as in [`event_functions`](Self::event_functions): the search for its root needs
    /// no other. State it if the other functions are expensive. `memory` is scratch space with a place for every function.
    fn event_function(
        &mut self,
        event: usize,
        at: &Point,
        memory: &mut [f64],
    ) -> Result<f64, EvaluationError> {
        self.event_functions(at, memory)?;
        Ok(memory[event])
    }

    /// Changes state or modes at events that have been located at `state.t`, all that fall together there; what is
    /// left must satisfy the constraints.
    fn handle_events(
        &mut self,
        _events: &[usize],
        _state: &mut State,
    ) -> Result<EventResponse, EvaluationError> {
        Ok(EventAction::Continue.into())
    }

    /// Moments at which the system is not smooth in time (a load switched on): every run ends a step at those after its start, up
    /// to its end. The initial state is the one after an event at its own moment, so that a run may be split anywhere.
    ///
    /// A function of time that jumps at a moment T has its new value at T itself (`if t >= T`). The step before ends a few
    /// roundings earlier, and evaluates the old one only; the step behind begins at T. Observers see both ends at T.
    /// [`EventAction::Continue`] means that nothing jumps there: methods keep their history.
    fn time_events(&mut self) -> &[f64] {
        &[]
    }

    /// Changes state or modes at the moment number `event` of [`time_events`](Self::time_events).
    fn handle_time_event(
        &mut self,
        _event: usize,
        _state: &mut State,
    ) -> Result<EventResponse, EvaluationError> {
        Ok(EventAction::Restart.into())
    }

    /// Changes the state at an impasse point, beyond which the equations have no solution, so that steps of any size fail. It
    /// occurs with friction that depends on the forces which it causes; velocities then jump. [`EventAction::Continue`] means
    /// that there is no continuation: the run ends with the failure of its step.
    fn handle_impasse(&mut self, _state: &mut State) -> Result<EventResponse, EvaluationError> {
        Ok(EventAction::Continue.into())
    }

    /// The largest adaptive step in s that misses no pair of zero crossings of an event function. It matters if nothing
    /// accelerates between events, since no error estimate limits the step then. Positive; infinity means no limit.
    fn largest_step(&mut self) -> f64 {
        f64::INFINITY
    }

    /// The same from a given point, such as for bodies that could pass through each other within a step. The driver calls it
    /// before each adaptive step. Infinity means no limit.
    fn passing_step(&mut self, _at: &Point, _acceleration: &[f64]) -> Result<f64, EvaluationError> {
        Ok(f64::INFINITY)
    }

    /// The longest step in s of an explicit method from a point where error estimates may be too small: fast components there are
    /// below the tolerances and yet determine the motion. The driver limits adaptive steps of methods of the kinds
    /// [`Explicit`](crate::integrator::Kind::Explicit) and [`HalfExplicit`](crate::integrator::Kind::HalfExplicit), and calls it
    /// before each of them. Infinity means no limit.
    fn explicit_step(
        &mut self,
        _at: &Point,
        _acceleration: &[f64],
    ) -> Result<f64, EvaluationError> {
        Ok(f64::INFINITY)
    }
}
