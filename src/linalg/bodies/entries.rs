//! The entries of a body in the rows of a joint.
//!
//! A row has six entries for a body, one for each of its velocities, or four. The rows of a point have four: one for the
//! velocity along the row's own axis, which is x in the first row, and three for the rotation. Ball joints have such rows
//! where bodies move along the axes of the world. Long chains wait for what they read, and that is a third less.

use super::kernels::{dot, dot_and_size, plus_image};

/// Velocities of a rigid body: of its place, of its rotation.
pub(super) const VELOCITIES: usize = 6;

/// The axes that bodies turn about are behind those that they move along.
pub(super) const TURNING: usize = 3;

/// Entries of the row of a point.
pub(super) const POINT: usize = 4;

/// Whether rows of a joint may have so many entries for a body.
pub(super) const fn are_entries(entries: usize, rows: usize) -> bool {
    entries == VELOCITIES || entries == POINT && rows <= TURNING
}

/// Which velocity this entry of a row is for.
pub(super) const fn velocity_of<const N: usize>(row: usize, entry: usize) -> usize {
    if N == VELOCITIES {
        entry
    } else if entry == 0 {
        row
    } else {
        TURNING + entry - 1
    }
}

/// The last three numbers, those of the rotation.
#[inline(always)]
pub(super) fn turning<const N: usize, T: Copy>(all: &[T; N]) -> [T; TURNING] {
    std::array::from_fn(|axis| all[N - TURNING + axis])
}

/// `G x` in some rows.
#[inline(always)]
pub(super) fn products<const N: usize, const R: usize>(
    rows: [&[f64; N]; R],
    x: &[f64; VELOCITIES],
) -> [f64; R] {
    std::array::from_fn(|row| dot(rows[row], &known(row, x)))
}

/// `G x` in some rows, and the sums of the sizes of their terms.
#[inline(always)]
pub(super) fn products_and_sizes<const N: usize, const R: usize>(
    rows: [&[f64; N]; R],
    x: &[f64; VELOCITIES],
) -> [(f64, f64); R] {
    std::array::from_fn(|row| dot_and_size(rows[row], &known(row, x)))
}

/// The velocities that a row has entries for.
#[inline(always)]
fn known<const N: usize>(row: usize, x: &[f64; VELOCITIES]) -> [f64; N] {
    std::array::from_fn(|entry| x[velocity_of::<N>(row, entry)])
}

/// Adds `Gᵀ y`, of which something is taken term by term.
#[inline(always)]
pub(super) fn add_forces<const N: usize, const R: usize>(
    sums: &mut [f64; VELOCITIES],
    rows: [&[f64; N]; R],
    y: &[f64; R],
    of_term: impl Fn(f64) -> f64,
) {
    for row in 0..R {
        for entry in 0..N {
            sums[velocity_of::<N>(row, entry)] += of_term(y[row] * rows[row][entry]);
        }
    }
}

/// `M⁻¹ Gᵀ` of one body and joint.
#[derive(Clone, Copy)]
pub(super) struct Moved<const W: usize> {
    /// For the velocities of its place, one line for each. Rows of points have one such velocity each; its number stands in
    /// the lane of the row, in the first line.
    pub moving: [[f64; W]; TURNING],
    pub turning: [[f64; W]; TURNING],
}

impl<const W: usize> Moved<W> {
    pub const ZERO: Self = Self {
        moving: [[0.0; W]; TURNING],
        turning: [[0.0; W]; TURNING],
    };

    /// Adds the products with some rows of the same body.
    #[inline(always)]
    pub fn add_products<const N: usize, const R: usize>(
        &self,
        rows: [&[f64; N]; R],
        sums: &mut [[f64; W]; R],
    ) {
        for row in 0..R {
            if N == VELOCITIES {
                let moving = std::array::from_fn(|axis| rows[row][axis]);
                sums[row] = plus_image(sums[row], &moving, &self.moving);
            } else {
                sums[row][row] += rows[row][0] * self.moving[0][row];
            }
            sums[row] = plus_image(sums[row], &turning(rows[row]), &self.turning);
        }
    }
}

/// The entries of some rows in this place. Lanes beyond the last row are zero.
#[inline(always)]
pub(super) fn column<const N: usize, const R: usize, const W: usize>(
    rows: [&[f64; N]; R],
    entry: usize,
) -> [f64; W] {
    let mut column = [0.0; W];
    for (out, row) in column.iter_mut().zip(rows) {
        *out = row[entry];
    }
    column
}
