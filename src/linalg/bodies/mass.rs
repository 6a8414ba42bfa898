//! Masses of rigid bodies.

use super::kernels::{invert, plus_image};
use crate::linalg::pattern::Pattern;
use crate::linalg::schur::NEGLIGIBLE_ASYMMETRY;

/// Velocities of a rigid body: of its place, of its rotation.
pub(super) const VELOCITIES: usize = 6;

/// Values of the mass of one body: three masses, and the tensor of inertia row by row.
const VALUES: usize = 12;

/// The inverse of the mass of a body.
#[derive(Clone, Copy, Default)]
pub(super) struct InverseMass {
    translation: [f64; 3],
    rotation: [[f64; 3]; 3],
}

impl InverseMass {
    /// Whether a mass matrix is one of rigid bodies: three masses on the diagonal and a tensor of inertia for each.
    pub fn fits(pattern: &Pattern) -> bool {
        let expected = |row: usize| {
            let (first, axis) = (row - row % VELOCITIES, row % VELOCITIES);
            if axis < 3 {
                row..row + 1
            } else {
                first + 3..first + 6
            }
        };
        pattern.rows().is_multiple_of(VELOCITIES)
            && (0..pattern.rows()).all(|row| pattern.row(row).iter().copied().eq(expected(row)))
    }

    /// Inverts the masses of all bodies, and tells whether no pivot is suspicious; `None` unless all are symmetric positive
    /// definite.
    pub fn load(values: &[f64], masses: &mut [Self]) -> Option<bool> {
        let (mut regular, mut symmetric) = (true, true);
        for (mass, values) in masses.iter_mut().zip(values.as_chunks::<VALUES>().0) {
            let [m, tensor @ ..] = values.as_chunks::<3>().0 else {
                return None;
            };
            let tensor = *tensor.first_chunk::<3>()?;
            for (row, column) in [(1, 0), (2, 0), (2, 1)] {
                let difference = tensor[row][column] - tensor[column][row];
                let size = tensor[row][row] * tensor[column][column];
                symmetric &=
                    difference * difference <= NEGLIGIBLE_ASYMMETRY * NEGLIGIBLE_ASYMMETRY * size;
            }
            // Written so that NaN is none; the tensor's pivots tell themselves.
            if !m.iter().all(|&m| m > 0.0 && m < f64::INFINITY) {
                return None;
            }
            mass.translation = m.map(|m| 1.0 / m);
            let diagonal = [tensor[0][0], tensor[1][1], tensor[2][2]];
            mass.rotation = tensor;
            regular &= invert(&mut mass.rotation, &diagonal)?;
        }
        symmetric.then_some(regular)
    }

    /// `out = M⁻¹ Gᵀ` for some rows of G; lanes beyond the last are zero.
    #[inline(always)]
    pub fn apply_to_rows<const R: usize, const W: usize>(
        &self,
        rows: [&[f64; VELOCITIES]; R],
        out: &mut [[f64; W]; VELOCITIES],
    ) {
        let column = |axis: usize| {
            let mut column = [0.0; W];
            for (entry, row) in column.iter_mut().zip(rows) {
                *entry = row[axis];
            }
            column
        };
        let (translation, spin) = out.split_at_mut(3);
        for (axis, (out, inverse)) in translation.iter_mut().zip(self.translation).enumerate() {
            *out = column(axis).map(|entry| inverse * entry);
        }
        let columns = [column(3), column(4), column(5)];
        for (out, row) in spin.iter_mut().zip(&self.rotation) {
            *out = plus_image([-0.0; W], row, &columns);
        }
    }

    /// What `M⁻¹ x` may be for numbers of these sizes.
    pub fn bound(&self, sizes: &[f64; VELOCITIES]) -> [f64; VELOCITIES] {
        let positive = Self {
            translation: self.translation,
            rotation: self.rotation.map(|row| row.map(f64::abs)),
        };
        let mut out = [0.0; VELOCITIES];
        positive.apply(sizes, &mut out);
        out
    }

    /// `out = M⁻¹ x`.
    #[inline(always)]
    pub fn apply(&self, x: &[f64; VELOCITIES], out: &mut [f64; VELOCITIES]) {
        for ((out, inverse), x) in out.iter_mut().zip(&self.translation).zip(x) {
            *out = inverse * x;
        }
        // Column by column, which are the rows.
        let mut spin = [-0.0; 3];
        for (column, x) in self.rotation.iter().zip(&x[3..]) {
            for (spin, entry) in spin.iter_mut().zip(column) {
                *spin += entry * x;
            }
        }
        for (axis, spin) in spin.iter().enumerate() {
            out[3 + axis] = *spin;
        }
    }
}
