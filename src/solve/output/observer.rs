//! Observers of a run.

use crate::integrator::{StepError, Stepper};
use crate::solve::EventRecord;
use crate::solve::output::dense::Dense;
use crate::system::{Evaluator, Scales, State};
use std::ops::ControlFlow;

/// One accepted step, as shown to an observer.
pub struct StepView<'v, 'e> {
    /// The state at the start of the step.
    pub from: &'v State,
    /// The state at its end; at an event, the state before the jump.
    pub to: &'v State,
    /// Whether the end of the step is an event, which the system has not answered yet: if it changes the state, a view
    /// of the state after the jump, with `from` = `to`, follows, otherwise one of what is left of the step.
    pub event: bool,
    /// Why accelerations and multipliers of `to` are not complete, where the equations of motion could not be solved: the
    /// rows are near a singular configuration. They are what the step left then.
    pub incomplete: Option<&'v StepError>,
    pub(in crate::solve) dense: Option<(&'v mut Dense, &'v mut dyn Stepper)>,
    pub(in crate::solve) system: &'v mut Evaluator<'e>,
    /// Where the run has units of its own: these, and a state in the units of the statement.
    pub(in crate::solve) units: Option<(&'v Scales, &'v mut State)>,
}

impl<'e> StepView<'_, 'e> {
    /// The state at a time within the step. Without dense output (see [`Observer::wants_dense_output`]) it is the end of the step
    /// nearer in time. Algebraic variables of index 1 solve their rows there; where these cannot be solved, they are
    /// interpolated. [`DenseOutput`](crate::integrator::DenseOutput) states the accuracy of multipliers.
    pub fn at(&mut self, t: f64) -> &State {
        self.at_with_system(t).0
    }

    /// The system, for outputs, energies and violations; wrap counted calls in [`Evaluator::uncounted`].
    pub fn system(&mut self) -> &mut Evaluator<'e> {
        self.system
    }

    /// Interpolated state and system together.
    pub fn at_with_system(&mut self, t: f64) -> (&State, &mut Evaluator<'e>) {
        let state = match &mut self.dense {
            Some((dense, stepper)) => {
                // What samples cost does not belong to the run.
                let state = (self.system).with_units_of_run(|system| {
                    system.uncounted(|system| dense.at(*stepper, system, t))
                });
                match &mut self.units {
                    Some((scales, converted)) => {
                        (**converted).clone_from(state);
                        scales.leave(converted);
                        &**converted
                    }
                    None => state,
                }
            }
            None if (t - self.from.t).abs() < (t - self.to.t).abs() => self.from,
            None => self.to,
        };
        (state, self.system)
    }
}

/// A callback for every accepted step. Observers do not change the steps or the final state of a run.
///
/// ```
/// use liedae::integrator::{Hem5, Projection};
/// use liedae::prelude::*;
/// use liedae::solve::StopReason;
/// use std::ops::ControlFlow;
///
/// /// Ends the run when the mass has passed its lowest point.
/// struct Lowest;
/// impl Observer for Lowest {
///     fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
///         if step.to.q[0] < 0.0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
///     }
/// }
///
/// let mut pendulum = liedae::model([1.0, 0.0], [0.0, 0.0])
///     .mass(1.0)
///     .force(|_t, _q, _v| [0.0, -9.81])
///     .constraint(|_t, [x, y]| [x * x + y * y - 1.0])
///     .build()?;
/// let options = Options::adaptive(10.0, 1e-8, 1e-8);
/// let solution = solve_observed(&mut pendulum, &Hem5::new(Projection::EveryStep), &options, &mut Lowest)?;
/// assert_eq!(solution.reason, StopReason::Observer);
/// assert!(solution.state.t < 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Observer {
    /// Called with a view of zero length at the start, after each accepted step, and after each jump. Breaking ends
    /// the run there.
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()>;

    /// Called for each event, after the views of the step in which it happened, whether its
    /// [record is kept](crate::solve::Options::max_event_records) or not.
    ///
    /// ```
    /// use liedae::integrator::Dopri5;
    /// use liedae::prelude::*;
    /// use liedae::solve::EventRecord;
    /// use std::ops::ControlFlow;
    ///
    /// /// Counts events, of which no record is kept.
    /// struct Counter(usize);
    /// impl Observer for Counter {
    ///     fn observe(&mut self, _step: &mut StepView) -> ControlFlow<()> { ControlFlow::Continue(()) }
    ///     fn event(&mut self, _record: &EventRecord) { self.0 += 1; }
    /// }
    ///
    /// // An oscillator passes its middle 16 times in 5 s.
    /// let middle = EventDescription::new("middle", "mass", Direction::Both);
    /// let mut oscillator = liedae::model([1.0], [0.0])
    ///     .mass(1.0)
    ///     .force(|_t, [x], _v| [x * -100.0])
    ///     .event(middle, |at| at.q[0], |_state| EventAction::Continue)
    ///     .build()?;
    /// let options = Options { max_event_records: 0, ..Options::adaptive(5.0, 1e-8, 1e-8) };
    /// let mut counter = Counter(0);
    /// let solution = solve_observed(&mut oscillator, &Dopri5::default(), &options, &mut counter)?;
    /// assert_eq!((counter.0, solution.events.len(), solution.statistics.events_left_out), (16, 0, 16));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn event(&mut self, _record: &EventRecord) {}

    /// Whether [`StepView::at`] is going to be used between the ends of steps. It costs some methods an evaluation
    /// of the accelerations per step, which the statistics of the run do not count: they are those of a run that nobody observes.
    fn wants_dense_output(&self) -> bool {
        false
    }

    /// Whether accelerations and multipliers of accepted states are looked at, with the same cost.
    fn wants_complete_states(&self) -> bool {
        self.wants_dense_output()
    }
}

/// An observer that looks away.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn observe(&mut self, _step: &mut StepView) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// Keeps the states at given times, from dense output.
///
/// ```
/// use liedae::integrator::Dop853;
/// use liedae::prelude::*;
/// use liedae::solve::Recorder;
///
/// // A pendulum, ten times in a second.
/// let mut pendulum = liedae::model([1.0, 0.0], [0.0, 0.0])
///     .mass(1.0)
///     .force(|_t, _q, _v| [0.0, -9.81])
///     .constraint(|_t, [x, y]| [x * x + y * y - 1.0])
///     .build()?;
/// let mut recorder = Recorder::equidistant(0.0, 1.0, 11);
/// solve_observed(&mut pendulum, &Dop853::default(), &Options::adaptive(1.0, 1e-8, 1e-8), &mut recorder)?;
/// assert_eq!(recorder.states.len(), 11);
/// assert_eq!(recorder.states[3].t, 0.3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    times: Vec<f64>,
    next: usize,
    /// The states recorded so far.
    pub states: Vec<State>,
}

impl Recorder {
    /// Records at these times; those before the start of the run are left out.
    pub fn new(mut times: Vec<f64>) -> Self {
        times.retain(|t| t.is_finite());
        times.sort_by(f64::total_cmp);
        Self {
            times,
            next: 0,
            states: Vec::new(),
        }
    }

    /// Records at `count` equidistant times from `start` to `end`, both included.
    pub fn equidistant(start: f64, end: f64, count: usize) -> Self {
        let last = count.saturating_sub(1).max(1) as f64;
        Self::new(
            (0..count)
                .map(|i| {
                    // The last time exactly: a multiple of the spacing may lie beyond the end.
                    if i + 1 == count {
                        end
                    } else {
                        start + (end - start) * (i as f64 / last)
                    }
                })
                .collect(),
        )
    }
}

impl Observer for Recorder {
    fn observe(&mut self, step: &mut StepView) -> ControlFlow<()> {
        while let Some(&t) = self.times.get(self.next) {
            if t > step.to.t {
                break;
            }
            self.next += 1;
            // A time before this step belongs to none: the run began behind it.
            if t < step.from.t {
                continue;
            }
            let state = step.at(t).clone();
            self.states.push(state);
        }
        ControlFlow::Continue(())
    }

    fn wants_dense_output(&self) -> bool {
        true
    }
}
