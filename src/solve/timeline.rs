//! Where h is chosen: towards the next stop, by the controller, after failures.

use super::{Options, StepControl};
use crate::control::{Controller, Proposal, root};
use crate::integrator::Attempt;
use crate::scalar::{larger_or_second, smaller_or_second};
use crate::system::{System, time_events};

/// A step shorter than this multiple of the spacing of floating-point numbers makes no progress.
pub(super) const SMALLEST_STEP: f64 = 16.0 * f64::EPSILON;

/// The same where the time is zero and says nothing, as a part of the first step that is planned: guesses may be too long by
/// many powers of ten, as at the start of reactions that take hours in the end, but not by this one.
const SMALLEST_PART: f64 = f64::EPSILON * f64::EPSILON;

/// A step to a stop that is shorter than this part of the usual one is the driver's own: methods divide round-off by it, and guess the
/// next step from it. Of two moments that nearly coincide the second is as near as that.
pub(super) const SHORT: f64 = 1e-6;

/// Relative slack within which a step counts as reaching a stop.
const STOP_SLACK: f64 = 1e-6;

/// A rest of a step below this part of a constant step is none of its own: it would ruin the multipliers.
pub(super) const SLIVER: f64 = 0.1;

/// So many halves of a step are taken before whole ones are tried again: methods of several steps bear one doubling, not one in
/// every step.
const ALIKE: u32 = 6;

/// Points of the grid are rounded, by less than this together.
const GRID_ROUND_OFF: f64 = 4.0 * f64::EPSILON;

/// How far before a time event a step ends, as a multiple of the larger time at its ends: methods add parts of the step to its start, and
/// such a sum is rounded by less than half of that.
const BEFORE_TIME_EVENT: f64 = 4.0 * f64::EPSILON;

/// A run that ends no farther from its start than this multiple of the time makes no progress: its end counts as reached.
pub(super) const SHORTEST_RUN: f64 = SMALLEST_STEP + 2.0 * BEFORE_TIME_EVENT;

/// A moment that the run lands on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stop {
    pub t: f64,
    pub time_event: Option<TimeEvent>,
}

/// A moment at which the system is not smooth in time.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeEvent {
    /// Its number among the system's time events.
    pub index: usize,
    /// The stop may be later, by round-off.
    pub t: f64,
}

impl Stop {
    /// Where a step from `t` towards it ends. A function of time that jumps at a time event has its new value there: the step
    /// before ends a few roundings earlier, and sees nothing but the old one.
    pub fn end_of_step(&self, t: f64) -> f64 {
        match self.time_event {
            Some(event) => event.t - BEFORE_TIME_EVENT * larger_or_second(event.t.abs(), t.abs()),
            None => self.t,
        }
    }
}

/// What a step across a singular configuration must know of the time line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Schedule {
    /// The next stop.
    pub stop: f64,
    /// A step over which rows turn enough to tell where they are going to: steps that have failed have become too short
    /// for that.
    pub usual_step: f64,
    /// No step may be longer.
    pub max_step: f64,
    /// Where steps end that have the size that the user has given.
    pub grid: Option<Grid>,
}

/// Moments at multiples of a constant step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    /// They count from here.
    origin: f64,
    /// Constant steps have this size.
    pub step: f64,
}

impl Grid {
    /// The same with steps that are halved so often: all moments are among its own.
    fn halved(self, times: u32) -> Self {
        Self {
            step: self.step * 0.5_f64.powi(times as i32),
            ..self
        }
    }

    /// Whether this is one of the moments, but for round-off.
    fn has(&self, t: f64) -> bool {
        let count = (t - self.origin) / self.step;
        (count - count.round()).abs() < STOP_SLACK
    }

    /// The next moment behind this one; a rest below a tenth of a step joins the step after it.
    pub fn next(&self, t: f64) -> f64 {
        let mut index = ((t - self.origin) / self.step + STOP_SLACK).floor() + 1.0;
        if self.origin + index * self.step - t < SLIVER * self.step {
            index += 1.0;
        }
        self.origin + index * self.step
    }

    /// The first moment at this one, but for round-off, or behind it.
    pub fn not_before(&self, t: f64) -> f64 {
        let index = ((t - self.origin) / self.step - STOP_SLACK).ceil();
        self.origin + index * self.step
    }
}

/// Moments to land on, and the size of the next step.
pub(super) struct Timeline {
    /// The next one last.
    stops: Vec<Stop>,
    /// Where constant steps end.
    grid: Option<Grid>,
    /// How often constant steps are halved at present, since they have failed, and at most.
    halvings: u32,
    max_halvings: u32,
    /// Steps taken since that has changed.
    alike: u32,
    controller: Box<dyn Controller>,
    /// Errors fall with the size to this power, where a step does not say otherwise.
    error_order: f64,
    /// The size of the next step, unless a stop is nearer.
    step_size: f64,
    /// No step may be longer.
    pub max_step: f64,
    /// No step may be shorter, however near to zero the time is.
    shortest_step: f64,
    /// The size of the method's last step.
    last_step: f64,
    /// When a state event made the method start anew, if the driver has not started it anew for another reason since.
    last_event: Option<f64>,
}

impl Timeline {
    /// From the start of a run to its end, by steps of this size at first.
    pub fn new(
        system: &mut dyn System,
        start: f64,
        options: &Options,
        max_step: f64,
        (controller, error_order): (Box<dyn Controller>, f64),
        step_size: f64,
    ) -> Self {
        Self {
            stops: stops(system, start, options),
            grid: match options.control {
                StepControl::Fixed(step) => Some(Grid {
                    origin: start,
                    step,
                }),
                StepControl::Adaptive { .. } => None,
            },
            halvings: 0,
            max_halvings: options.max_halvings,
            alike: 0,
            controller,
            error_order,
            step_size,
            max_step,
            shortest_step: (SMALLEST_PART * step_size).max(f64::MIN_POSITIVE),
            last_step: 0.0,
            last_event: None,
        }
    }

    /// Whether steps have one size, and errors are nobody's concern.
    pub fn is_constant(&self) -> bool {
        self.grid.is_some()
    }

    /// The next stop; `None` at the end of the run.
    pub fn next_stop(&self) -> Option<Stop> {
        self.stops.last().copied()
    }

    /// Whether a step from `t` that ends at `target` reaches the next stop.
    pub fn stops_at(&self, t: f64, target: f64) -> bool {
        (self.next_stop()).is_some_and(|stop| target >= stop.end_of_step(t))
    }

    /// The run has landed on the next stop.
    pub fn land(&mut self) {
        self.stops.pop();
    }

    /// Leaves behind the stops that have been reached, up to a time event: that of a moment to which another event has
    /// jumped, so that no step has landed on it. Its number, and the moment.
    pub fn pass_stops(&mut self, t: f64) -> Option<(usize, f64)> {
        let reached = reached_at(t);
        while let Some(stop) = self.stops.pop_if(|stop| stop.t <= reached) {
            if let Some(event) = stop.time_event {
                return Some((event.index, stop.t));
            }
        }
        None
    }

    /// Whether the run has come to a time event.
    pub fn is_at_time_event(&self, t: f64) -> bool {
        let mut reached = (self.stops.iter().rev()).take_while(|stop| stop.t <= reached_at(t));
        reached.any(|stop| stop.time_event.is_some())
    }

    /// Size and end of the next step from `t` towards `stop`, no longer than `limit`.
    pub fn plan(&self, t: f64, stop: f64, limit: f64) -> (f64, f64) {
        let remaining = stop - t;
        // Adaptive: as planned, to the stop, or half of what is left so that no sliver remains.
        let Some(grid) = self.grid else {
            let h = smaller_or_second(smaller_or_second(self.step_size, self.max_step), limit);
            return if h >= remaining * (1.0 - STOP_SLACK) {
                (remaining, stop)
            } else if 2.0 * h > remaining {
                (0.5 * remaining, t + 0.5 * remaining)
            } else {
                (h, t + h)
            };
        };
        let grid = grid.halved(self.halvings);
        let step = grid.step;
        let count = remaining / step;
        if count <= 1.0 + STOP_SLACK {
            return (remaining, stop);
        }
        if count < 2.0 - STOP_SLACK {
            // A sliver at the end would ruin the multipliers: two equal steps instead.
            return (0.5 * remaining, t + 0.5 * remaining);
        }
        // Back onto the grid after an event, without a sliver there either.
        let target = grid.next(t);
        let h = target - t;
        (
            // Exactly the given size on the grid: methods compare sizes.
            if (h - step).abs() <= GRID_ROUND_OFF * larger_or_second(target.abs(), t.abs()) {
                step
            } else {
                h
            },
            target,
        )
    }

    /// Whether a step is only what lies between two moments that nearly coincide.
    pub fn is_short(&self, h: f64) -> bool {
        h < SHORT * self.planned()
    }

    /// Whether a step from `t` makes no progress.
    pub fn is_too_short(&self, t: f64, h: f64) -> bool {
        let shortest = larger_or_second(SMALLEST_STEP * t.abs(), self.shortest_step);
        h <= shortest || t + h == t
    }

    /// Whether this step size is prescribed by the user, in contrast to one that the error control chose.
    pub fn is_given(&self, h: f64) -> bool {
        self.is_constant() || h == self.max_step
    }

    /// Whether the error of a step lets it stand; chooses the next size.
    #[inline]
    pub fn judge(&mut self, h: f64, attempt: &Attempt) -> bool {
        if self.is_constant() {
            return true;
        }
        let proposal = self.propose(h, attempt);
        if !proposal.accept {
            self.step_size = proposal.step;
            return false;
        }
        let ratio = proposal.step / h;
        // A longer step that is not worth a new factorization is not taken.
        let wanted = if ratio > 1.0 && ratio < attempt.keep_step_below {
            h
        } else {
            proposal.step
        };
        // A step cut short by a stop says nothing against the size that was planned.
        let cut = h < (1.0 - STOP_SLACK) * self.step_size;
        let proposed = if cut {
            larger_or_second(wanted, self.step_size)
        } else {
            wanted
        };
        self.step_size = smaller_or_second(proposed, self.max_step);
        true
    }

    /// Asks the controller about a finished step. With an outlook the verdict rests on the step's own error, and the
    /// next size on the outlook.
    #[inline]
    fn propose(&mut self, h: f64, attempt: &Attempt) -> Proposal {
        let error = attempt.error.unwrap_or(f64::NAN);
        let controller = &mut self.controller;
        // By reference: a copy would be read while its parts are still on their way to memory.
        let Some(outlook) = &attempt.outlook else {
            return controller.propose(h, error, self.error_order);
        };
        // Accepted by its own error; the next size by the outlook, which may exceed 1.
        if error <= 1.0 {
            // A controller would take an outlook above 1 for a rejection: the excess comes on top.
            let mut proposal =
                controller.propose(h, smaller_or_second(outlook.error, 1.0), outlook.order);
            if outlook.error > 1.0 {
                proposal.step /= root(outlook.error, outlook.order);
            }
            proposal
        } else if error.is_nan() {
            controller.propose(h, error, outlook.order)
        } else {
            // Rejected, whatever the outlook says: at least barely above 1.
            controller.propose(h, outlook.error.max(1.0 + f64::EPSILON), outlook.order)
        }
    }

    /// The size of the next step, unless a stop is nearer.
    pub fn planned(&self) -> f64 {
        self.grid.map_or(self.step_size, |grid| grid.step)
    }

    /// A step has failed, or the driver has taken one of its own: the next one is to have this size.
    pub fn go_on_with(&mut self, h: f64) {
        self.step_size = h;
    }

    /// A constant step has failed: the next ones are half as long, up to a moment of the grid as it was before. False where that has been
    /// done as often as it may.
    pub fn halve(&mut self) -> bool {
        let may = self.halvings < self.max_halvings;
        self.halvings += u32::from(may);
        self.alike = 0;
        may
    }

    /// The method has taken a step of this size, up to this time.
    pub fn taken(&mut self, h: f64, t: f64) {
        self.last_step = h;
        if self.halvings == 0 {
            return;
        }
        self.alike += 1;
        let before = self.grid.map(|grid| grid.halved(self.halvings - 1));
        if self.alike >= ALIKE && before.is_some_and(|grid| grid.has(t)) {
            self.halvings -= 1;
            self.alike = 0;
        }
    }

    /// How long the flight since the last state event was, if that was the last jump. Where events follow each other, as a ball bounces,
    /// the next one is about as far away.
    pub fn flight(&self, t: f64) -> Option<f64> {
        self.last_event.map(|event| t - event)
    }

    /// The method starts anew, by a state event at this time or for another reason, with a first step of at most this size.
    pub fn restart(&mut self, event: Option<f64>, first: Option<f64>) {
        self.last_event = event;
        self.controller.restart();
        if let Some(first) = first {
            // A new start must not begin with more than the run was just taking.
            self.step_size = first.min(self.step_size);
        }
    }

    /// What a step across a singular configuration must know.
    pub fn schedule(&self, stop: f64) -> Schedule {
        Schedule {
            stop,
            usual_step: match self.grid {
                Some(grid) => grid.step,
                None => self.step_size.max(self.last_step),
            },
            max_step: self.max_step,
            grid: self.grid,
        }
    }
}

/// Stops up to this moment have been reached at time t: a step to just before one must not be too short.
fn reached_at(t: f64) -> f64 {
    t + SHORTEST_RUN * t.abs()
}

/// Moments to land on, the next one last.
fn stops(system: &mut dyn System, start: f64, options: &Options) -> Vec<Stop> {
    let own = time_events(system).iter().enumerate();
    let own = own.map(|(index, &t)| Stop {
        t,
        time_event: Some(TimeEvent { index, t }),
    });
    let asked = options.stops.iter().map(|&t| Stop {
        t,
        time_event: None,
    });
    let mut stops: Vec<Stop> = own
        .chain(asked)
        .filter(|stop| stop.t > start && stop.t <= options.t_end)
        .collect();
    stops.push(Stop {
        t: options.t_end,
        time_event: None,
    });
    let number = |stop: &Stop| stop.time_event.map(|event| event.index);
    stops.sort_by(|a, b| (b.t.total_cmp(&a.t)).then(number(b).cmp(&number(a))));
    // Stops that differ by round-off are one; the later time stays, and every time event.
    // `dedup_by` gives the later element of the list first: the earlier time.
    stops.dedup_by(|earlier, later| {
        let same = later.t - earlier.t <= 2.0 * SMALLEST_STEP * later.t.abs()
            && (later.time_event.is_none() || earlier.time_event.is_none());
        if same {
            later.time_event = later.time_event.or(earlier.time_event);
        }
        same
    });
    stops
}
