//! The systems that a method is checked on.

mod caught;
mod faulty;
mod motion;
mod oscillator;

pub(super) use caught::Caught;
pub(super) use faulty::{Faulty, Flaw};
pub(super) use motion::{Motion, Rows, Space};
pub(super) use oscillator::{Oscillator, Switch};

use liedae::system::Automatic;
use std::fmt;

/// How long the motions of [`Case`] are followed, in s: about a third of a turn, long enough for methods of high order to be
/// off by more than round-off.
pub(super) const SPAN: f64 = 2.0;

/// A smooth motion by name.
pub(super) type Case = Motion;

impl Motion {
    /// A motion without heat or redundant rows.
    pub const fn new(space: Space, rows: Rows) -> Self {
        Self {
            space,
            rows,
            redundant: false,
            heated: false,
        }
    }

    /// The same with the first row stated once more.
    pub const fn stated_twice(self) -> Self {
        Self {
            redundant: true,
            ..self
        }
    }

    /// All spaces with all kinds of rows, and one motion with a differential state.
    pub fn all() -> impl Iterator<Item = Self> {
        let rows = [Rows::Free, Rows::Position, Rows::Velocity];
        let spaces = [Space::Vector, Space::Rotation, Space::RigidMotion];
        let plain = rows
            .into_iter()
            .flat_map(move |rows| spaces.map(|space| Self::new(space, rows)));
        plain.chain([Self {
            heated: true,
            ..Self::new(Space::Vector, Rows::Position)
        }])
    }

    /// A few that differ most: for checks that need not go everywhere.
    pub const FEW: [Self; 4] = [
        Self::new(Space::Vector, Rows::Free),
        Self::new(Space::Vector, Rows::Position),
        Self::new(Space::RigidMotion, Rows::Position),
        Self::new(Space::Rotation, Rows::Velocity),
    ];

    /// The system.
    pub fn system(self) -> Automatic<Self> {
        Automatic::new(self)
    }
}

impl fmt::Display for Motion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let space = match self.space {
            Space::Vector => "R^3",
            Space::Rotation => "SO(3)",
            Space::RigidMotion => "SE(3)",
        };
        let rows = match self.rows {
            Rows::Free => "",
            Rows::Position => ", position rows",
            Rows::Velocity => ", velocity row",
        };
        let heat = if self.heated { ", states x" } else { "" };
        let twice = if self.redundant { ", stated twice" } else { "" };
        write!(formatter, "{space}{rows}{heat}{twice}")
    }
}
