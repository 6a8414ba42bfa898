//! Masses of rigid bodies.

use super::entries::{Moved, TURNING, VELOCITIES, column};
use super::kernels::{invert, plus_image, transposed};
use crate::linalg::pattern::Pattern;
use crate::linalg::schur::NEGLIGIBLE_ASYMMETRY;

/// Values of the mass of one body: three masses, and the tensor of inertia row by row.
const VALUES: usize = 12;

/// Entries of a tensor that differ from their mirror images by no more than this part of the diagonal. Those of
/// implicit methods do, by the step size times the angular velocity. Elimination without exchanges then lets numbers
/// grow hardly more than for a symmetric tensor.
const MODEST_ASYMMETRY: f64 = 0.1;

/// Of so many bodies that differ from each other the masses are compared with those of every other one.
const COMPARED: usize = 8;

/// What masses are like.
#[derive(Clone, Copy)]
pub(super) struct Quality {
    /// No pivot is suspicious.
    pub regular: bool,
    /// All are symmetric but for what measures nothing.
    pub symmetric: bool,
}

impl Quality {
    /// That of two together.
    fn and(self, other: Self) -> Self {
        Self {
            regular: self.regular & other.regular,
            symmetric: self.symmetric & other.symmetric,
        }
    }
}

/// The inverse masses of all bodies: one for those that are equal. Long chains of equal links would come from memory with 96 bytes each.
#[derive(Default)]
pub(super) struct InverseMasses {
    different: Vec<InverseMass>,
    /// The bodies that the first symmetric ones were made of.
    samples: Vec<usize>,
    of_bodies: Vec<u32>,
}

impl InverseMasses {
    /// Memory for so many bodies.
    pub fn new(count: usize) -> Self {
        Self {
            different: Vec::with_capacity(count),
            samples: Vec::with_capacity(COMPARED),
            of_bodies: Vec::with_capacity(count),
        }
    }

    /// Inverts the masses of all bodies, and tells what they are like; `None` unless all are positive definite, and symmetric or nearly so.
    pub fn load(&mut self, values: &[f64]) -> Option<Quality> {
        let values = values.as_chunks::<VALUES>().0;
        let mut quality = Quality {
            regular: true,
            symmetric: true,
        };
        self.different.clear();
        self.samples.clear();
        self.of_bodies.clear();
        for (body, own) in values.iter().enumerate() {
            // Those that are not symmetric depend on how a body turns: no other one's is equal.
            let symmetric = is_symmetric(own);
            let equal = |&&sample: &&usize| values[sample] == *own;
            let known = (self.samples.iter().filter(|_| symmetric)).find(equal);
            if let Some(&sample) = known {
                self.of_bodies.push(self.of_bodies[sample]);
                continue;
            }
            let (mass, its_quality) = InverseMass::of(own)?;
            quality = quality.and(its_quality);
            (self.of_bodies).push(u32::try_from(self.different.len()).ok()?);
            self.different.push(mass);
            if symmetric && self.samples.len() < COMPARED {
                self.samples.push(body);
            }
        }
        Some(quality)
    }

    /// That of a body.
    #[inline(always)]
    pub fn of(&self, body: usize) -> &InverseMass {
        &self.different[self.of_bodies[body] as usize]
    }

    /// Those of all bodies.
    #[inline(always)]
    pub fn iter(&self) -> impl Iterator<Item = &InverseMass> {
        (self.of_bodies.iter()).map(|&index| &self.different[index as usize])
    }
}

/// Whether a tensor of inertia is its own mirror image to the last bit.
#[inline(always)]
fn is_symmetric(values: &[f64; VALUES]) -> bool {
    let [.., xy, xz, yx, _, yz, zx, zy, _] = values;
    xy == yx && xz == zx && yz == zy
}

/// The inverse of the mass of a body.
#[derive(Clone, Copy)]
pub(super) struct InverseMass {
    translation: [f64; 3],
    /// Column by column.
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

    /// Inverts the mass of a body, and tells what it is like; `None` unless it is positive definite, and symmetric or nearly so.
    fn of(values: &[f64; VALUES]) -> Option<(Self, Quality)> {
        let [m, tensor @ ..] = values.as_chunks::<3>().0 else {
            return None;
        };
        let mut rotation = *tensor.first_chunk::<3>()?;
        let mut symmetric = true;
        for (row, column) in [(1, 0), (2, 0), (2, 1)] {
            let difference = rotation[row][column] - rotation[column][row];
            let square = difference * difference;
            let size = rotation[row][row] * rotation[column][column];
            // Written so that NaN is no symmetry.
            let modest = square <= MODEST_ASYMMETRY * MODEST_ASYMMETRY * size;
            if !modest {
                return None;
            }
            symmetric &= square <= NEGLIGIBLE_ASYMMETRY * NEGLIGIBLE_ASYMMETRY * size;
        }
        // The tensor's pivots tell themselves.
        if !m.iter().all(|&m| m > 0.0 && m < f64::INFINITY) {
            return None;
        }
        let diagonal = [rotation[0][0], rotation[1][1], rotation[2][2]];
        let regular = invert(&mut rotation, &diagonal)?;
        let inverse = Self {
            translation: m.map(|m| 1.0 / m),
            rotation: transposed(&rotation),
        };
        Some((inverse, Quality { regular, symmetric }))
    }

    /// `out = M⁻¹ Gᵀ` for some rows of G; lanes beyond the last are zero.
    #[inline(always)]
    pub fn apply_to_rows<const N: usize, const R: usize, const W: usize>(
        &self,
        rows: [&[f64; N]; R],
        out: &mut Moved<W>,
    ) {
        self.apply_by(rows, out, |axis| self.rotation.map(|column| column[axis]));
    }

    /// `out = M⁻ᵀ Gᵀ`.
    #[inline(always)]
    pub fn apply_transposed_to_rows<const N: usize, const R: usize, const W: usize>(
        &self,
        rows: [&[f64; N]; R],
        out: &mut Moved<W>,
    ) {
        self.apply_by(rows, out, |axis| self.rotation[axis]);
    }

    /// The same with these rows of what turns.
    #[inline(always)]
    fn apply_by<const N: usize, const R: usize, const W: usize>(
        &self,
        rows: [&[f64; N]; R],
        out: &mut Moved<W>,
        rotation: impl Fn(usize) -> [f64; 3],
    ) {
        if N == VELOCITIES {
            let moving = out.moving.iter_mut().zip(self.translation);
            for (axis, (out, inverse)) in moving.enumerate() {
                *out = column(rows, axis).map(|entry| inverse * entry);
            }
        } else {
            out.moving[0] = column(rows, 0);
            for (out, inverse) in out.moving[0].iter_mut().zip(self.translation) {
                *out *= inverse;
            }
        }
        let columns = std::array::from_fn(|axis| column(rows, N - TURNING + axis));
        for (axis, out) in out.turning.iter_mut().enumerate() {
            *out = plus_image([-0.0; W], &rotation(axis), &columns);
        }
    }

    /// What `M⁻¹ x` may be for numbers of these sizes.
    #[inline(always)]
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
