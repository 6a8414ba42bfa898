//! The sign and history of an event function between steps.

use super::side::{Course, Rest, Side, Stand};
use crate::scalar::larger_or_second;
use crate::system::Direction;

/// The sign and history of an event function between steps.
#[derive(Clone, Copy, Debug)]
pub(in crate::solve) struct SignTracker {
    pub stand: Stand,
    /// A value on its side and its time: the start of the search.
    pub value: f64,
    pub t: f64,
    /// The largest value of the last steps.
    pub size: f64,
    /// It may not become negative, and counts as positive at every start.
    pub barrier: bool,
    /// When the function last made the run restart.
    pub last_jump: f64,
}

impl SignTracker {
    pub(super) fn new(value: f64, t: f64, barrier: bool) -> Self {
        let side = barrier.then_some(Side::Positive);
        Self {
            stand: Stand::Fresh(side),
            value,
            t,
            size: value.abs(),
            barrier,
            last_jump: f64::NEG_INFINITY,
        }
    }

    /// A start or a jump has brought the function, which was on this side, to a value; the first step tells whether it is at its root.
    pub(super) fn start_anew(&mut self, side: Option<Side>, value: f64, t: f64) {
        let side = if self.barrier {
            Some(Side::Positive)
        } else {
            side
        };
        (self.stand, self.value, self.t) = (Stand::Fresh(side), value, t);
    }

    /// It is on this side from its root at `t` on.
    pub(super) fn go_on_from_root(&mut self, side: Side, t: f64) {
        (self.stand, self.value, self.t) = (Stand::Off(side), side.edge(), t);
    }

    /// It has left its root, where it was at `from`, for this side.
    pub(super) fn leave(
        &mut self,
        left: Side,
        (t, value): (f64, f64),
        from: f64,
        direction: Direction,
    ) {
        let side = self.stand.side().unwrap_or(left);
        if side != left && side.counts(direction) {
            // A crossing: what has been seen last is the side it was on.
            match &mut self.stand {
                Stand::At(rest) if !self.barrier => rest.leave(),
                _ => self.go_on_from_root(side, from),
            }
            return;
        }
        let value = if Side::of(value) == Some(left) {
            value
        } else {
            left.edge()
        };
        (self.stand, self.value, self.t) = (Stand::Off(left), value, t);
    }

    /// It is not at its root where it starts.
    pub(super) fn start_off_root(&mut self) {
        match Side::of(self.value) {
            // A barrier that a run starts behind is crossed at its start.
            Some(Side::Negative) if self.barrier => self.go_on_from_root(Side::Positive, self.t),
            Some(side) => self.stand = Stand::Off(side),
            None => {}
        }
    }

    /// The end of a step, to which its samples have followed it.
    #[inline]
    pub(super) fn see_end(&mut self, course: Course, value: f64, t: f64) {
        self.size = larger_or_second(value.abs(), 0.5 * self.size);
        (self.value, self.t) = (value, t);
        match (course, &mut self.stand) {
            (Course::Off(side), stand) => {
                *stand = Stand::Off(side);
                if value == 0.0 {
                    self.value = side.edge();
                }
            }
            (Course::At(side), Stand::At(rest)) => {
                rest.side = side;
                rest.seen = None;
            }
            // It has come to rest.
            (Course::At(side), stand) => *stand = Stand::At(Rest::new(side, value, t)),
        }
    }
}
