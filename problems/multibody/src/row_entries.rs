//! Which entries of G the rows of joints have for each of their bodies.

use super::kinematics::VELOCITIES;

/// Entries of a row of a ball joint for a body.
pub(crate) const POINT_ENTRIES: usize = 4;

/// Which entries the rows of all joints have for each of their bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum RowEntries {
    /// One for each velocity.
    #[default]
    All,
    /// One for the velocity along the row's own axis of the world, x in the first row of a joint, and three for the
    /// rotation: ball joints have no others. Long chains read a third less.
    Points,
}

impl RowEntries {
    /// The velocities of a body that a row of a joint has entries for. Rows are counted from its first one.
    pub fn velocities(self, row: usize) -> impl Iterator<Item = usize> + Clone {
        let moving = match self {
            Self::All => 0..3,
            Self::Points => row..row + 1,
        };
        moving.chain(3..VELOCITIES)
    }

    /// How many these are.
    pub fn count(self) -> usize {
        match self {
            Self::All => VELOCITIES,
            Self::Points => POINT_ENTRIES,
        }
    }

    /// Writes those of this row among all six, from the first one on.
    #[inline]
    pub fn write(self, row: usize, all: &[f64; VELOCITIES], out: &mut [f64]) {
        match self {
            Self::All => out[..VELOCITIES].copy_from_slice(all),
            Self::Points => {
                out[0] = all[row];
                out[1..POINT_ENTRIES].copy_from_slice(&all[3..]);
            }
        }
    }
}
