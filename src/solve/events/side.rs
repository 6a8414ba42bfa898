//! On which side of zero an event function is, and where that is not decided yet: at its root.
//!
//! A function that is *off* its root crosses where it reaches zero. From there on it is on the other side, whether it goes on or comes to
//! rest at zero: that is what whoever handles the event has been told. One that stands *at* its root, since it starts there, has been
//! handled there or has come to rest there, has a dead band: it crosses only if it leaves zero for the other side than the one it is on.

use crate::scalar::larger_or_second;
use crate::system::Direction;

/// A side of zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::solve) enum Side {
    Negative,
    Positive,
}

impl Side {
    /// That of a value; zero is on neither.
    #[inline]
    pub fn of(value: f64) -> Option<Self> {
        if value > 0.0 {
            Some(Self::Positive)
        } else if value < 0.0 {
            Some(Self::Negative)
        } else {
            None
        }
    }

    /// -1 or 1.
    #[inline]
    pub fn sign(self) -> f64 {
        match self {
            Self::Negative => -1.0,
            Self::Positive => 1.0,
        }
    }

    /// The smallest value on this side: it stands for the side at a root.
    pub fn edge(self) -> f64 {
        self.sign() * f64::MIN_POSITIVE
    }

    pub fn opposite(self) -> Self {
        match self {
            Self::Negative => Self::Positive,
            Self::Positive => Self::Negative,
        }
    }

    /// Whether leaving this side is an event in the direction asked for.
    #[inline]
    pub fn counts(self, direction: Direction) -> bool {
        match direction {
            Direction::Rising => self == Self::Negative,
            Direction::Falling => self == Self::Positive,
            Direction::Both => true,
        }
    }
}

/// What is known of an event function where its values are looked at one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::solve) enum Course {
    /// It is off its root, on this side.
    Off(Side),
    /// It stands at its root, and is on this side if it has ever been on one.
    At(Option<Side>),
}

/// What is known of an event function between steps.
#[derive(Clone, Copy, Debug)]
pub(in crate::solve) enum Stand {
    /// A start or a jump has brought it where it is: the first step tells whether that is its root. The side on which it was before.
    Fresh(Option<Side>),
    /// At its root, within the dead band.
    At(Rest),
    /// Off its root.
    Off(Side),
}

impl Stand {
    /// The side that it is on as far as anybody knows.
    pub fn side(&self) -> Option<Side> {
        match *self {
            Self::Fresh(side) => side,
            Self::At(rest) => rest.side,
            Self::Off(side) => Some(side),
        }
    }

    /// It is on this side; where it stands is another question.
    pub fn be_on(&mut self, side: Side) {
        match self {
            Self::Fresh(known) => *known = Some(side),
            Self::At(rest) => rest.side = Some(side),
            Self::Off(known) => *known = side,
        }
    }

    /// Whether it is known to be off its root.
    #[inline]
    pub fn is_off(&self) -> bool {
        matches!(self, Self::Off(_))
    }
}

/// A change that grows steadily over so many doublings of the time is no round-off.
const STEADY: u8 = 3;

/// Round-off of a function is this part of its size.
pub(super) const ROUND_OFF: f64 = 64.0 * f64::EPSILON;

/// What exceeds the changes that did not grow by this factor is none of them.
const BEYOND_NOISE: f64 = 8.0;

/// What a function at its root may change by without having left it.
#[derive(Clone, Copy, Debug)]
pub(in crate::solve) struct DeadBand {
    /// Its value at the root: what locating has left.
    pub root: f64,
    /// The largest change that is round-off.
    pub width: f64,
}

impl DeadBand {
    /// Nothing but zero is at the root.
    pub const NONE: Self = Self {
        root: 0.0,
        width: 0.0,
    };

    /// The side for which a function with this value has left its root.
    pub fn left(&self, value: f64) -> Option<Side> {
        let change = value - self.root;
        let side = Side::of(value).filter(|_| change.abs() > self.width);
        side.filter(|side| Side::of(change) == Some(*side))
    }
}

/// A function at its root, and what probes behind it have shown. Their distance from the root doubles, over as many steps as it takes.
#[derive(Clone, Copy, Debug)]
pub(in crate::solve) struct Rest {
    /// The side it is on, if it has ever been on one.
    pub side: Option<Side>,
    /// Its value at the root: what locating has left.
    root: f64,
    /// The moment of the root.
    since: f64,
    /// The next probe lies so far behind it.
    offset: f64,
    /// How much the last probe differs from the root, and how often that has doubled steadily.
    change: f64,
    doublings: u8,
    /// The largest change that did not grow.
    noise: f64,
    /// The last probe of this step.
    pub seen: Option<(f64, f64)>,
    /// It has left its root steadily for the other side than the one it is on.
    left: bool,
}

impl Rest {
    pub fn new(side: Option<Side>, root: f64, since: f64) -> Self {
        Self {
            side,
            root,
            since,
            offset: 0.0,
            change: 0.0,
            doublings: 0,
            noise: 0.0,
            seen: None,
            left: false,
        }
    }

    /// Where it was seen last, it has left its root for the other side than the one it is on.
    pub fn leave(&mut self) {
        self.left = true;
    }

    /// It has not left: a step has shown that.
    pub fn stay(&mut self) {
        (self.left, self.seen) = (false, None);
    }

    /// The moment of the next probe behind `t`; the first one lies this far behind the root.
    pub fn next_probe(&mut self, t: f64, first: f64) -> f64 {
        if self.left {
            return f64::INFINITY;
        }
        self.offset = self.offset.max(first);
        while self.since + self.offset <= t {
            self.offset *= 2.0;
        }
        self.since + self.offset
    }

    /// Notes a probe; the side to which the function has left its root, if that stands out of the round-off.
    pub fn probe(&mut self, t: f64, value: f64) -> Option<Side> {
        if self.left {
            return None;
        }
        self.seen = Some((t, value));
        // One before the next distance tells nothing of growth.
        if t < self.since + self.offset {
            return None;
        }
        let change = value - self.root;
        // Growth by a factor near 2 or 4 per doubling: linear or quadratic, not round-off.
        let ratio = change / self.change;
        if (1.5..5.0).contains(&ratio) {
            self.doublings += 1;
        } else {
            self.doublings = 0;
        }
        if ratio < 1.5 {
            let larger = self.change.abs().max(change.abs());
            self.noise = larger_or_second(larger, self.noise);
        }
        self.change = change;
        // Steady, and beyond what is left at the root itself.
        let steady = self.doublings >= STEADY && change.abs() > self.root.abs();
        steady.then(|| Side::of(change)).flatten()
    }

    /// By how much a function may change that was of this size before, if it was known, and has values up to that in the step.
    pub fn dead_band(&self, before: f64, step: f64) -> DeadBand {
        let round_off = ROUND_OFF * before.max(step);
        DeadBand {
            root: self.root,
            width: if self.left {
                0.0
            } else if before > 0.0 {
                round_off
            } else {
                // Nobody knows what the function is the difference of.
                round_off.max(BEYOND_NOISE * self.noise)
            },
        }
    }
}
