//! Whether solutions hold in the constraint rows.

use super::AT_A_TIME;
use super::wide::Wide;
use crate::linalg::kkt::flushed;
use crate::linalg::system::all_finite;
use pulp::{Simd, WithSimd};

/// Whether what is left of a row is at most this part of the size of its terms. Written so that NaN and overflow are not.
#[inline(always)]
fn holds(rest: f64, size: f64, allowed: f64) -> bool {
    rest.abs() <= allowed * size && size < f64::INFINITY
}

/// A list of `M` numbers with zeros behind it.
#[inline(always)]
fn padded<const W: usize, const M: usize>(list: &[f64]) -> [f64; W] {
    let mut padded = [0.0; W];
    if let (Some(slots), Some(list)) = (padded.first_chunk_mut::<M>(), list.first_chunk::<M>()) {
        *slots = *list;
    }
    padded
}

/// Whether x is finite and C x = c holds; what is compiled for several processors.
pub(super) struct Rows<'a, const W: usize> {
    pub numbers: &'a Wide<W>,
    pub c: &'a [f64],
    pub x: &'a [f64],
    /// What may be left of a row, as a part of the size of its terms.
    pub allowed: f64,
}

impl<const W: usize> WithSimd for Rows<'_, W> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> bool {
        let Self { c, allowed, .. } = self;
        let (mut sums, mut sizes) = ([0.0; W], [0.0; W]);
        for (row, x) in self.numbers.constraint_columns().iter().zip(self.x) {
            for lane in 0..W {
                let term = row[lane] * x;
                sums[lane] += term;
                sizes[lane] += term.abs();
            }
        }
        // Copies of a length that the compiler knows stay in registers: vectors would wait for single numbers in memory.
        let mut known = match c.len() {
            4 => padded::<W, 4>(c),
            5 => padded::<W, 5>(c),
            6 => padded::<W, 6>(c),
            7 => padded::<W, 7>(c),
            _ => {
                let mut known = [0.0; W];
                for (slot, c) in known.iter_mut().zip(c) {
                    *slot = *c;
                }
                known
            }
        };
        let mut lanes = [0.0; W];
        for (lane, (known, number)) in known.iter_mut().zip(&mut lanes).enumerate() {
            *known = flushed(*known);
            *number = lane as f64;
        }
        // How many rows fail, in whole vectors. Lanes behind the rows mean nothing.
        let (zero, one) = (simd.splat_f64s(0.0), simd.splat_f64s(1.0));
        let (part, rows) = (simd.splat_f64s(allowed), simd.splat_f64s(c.len() as f64));
        let infinity = simd.splat_f64s(f64::INFINITY);
        let vectors = |values| S::as_simd_f64s(values).0.iter();
        let all = vectors(&known).zip(vectors(&lanes));
        let all = all.zip(vectors(&sums).zip(vectors(&sizes)));
        let mut fails = zero;
        for ((&c, &lane), (&sum, &size)) in all {
            let rest = simd.abs_f64s(simd.sub_f64s(c, sum));
            let size = simd.add_f64s(size, simd.abs_f64s(c));
            // As in `holds`.
            let is_small = simd.less_than_or_equal_f64s(rest, simd.mul_f64s(part, size));
            let is_finite = simd.less_than_f64s(size, infinity);
            let fail = simd.select_f64s(simd.and_m64s(is_small, is_finite), zero, one);
            let is_row = simd.less_than_f64s(lane, rows);
            fails = simd.add_f64s(fails, simd.select_f64s(is_row, fail, zero));
        }
        let whole = W / S::F64_LANES * S::F64_LANES;
        let mut others = whole..c.len().min(W);
        // Rows look at all of x: zero times what is not finite is NaN.
        (!c.is_empty() || all_finite(self.x))
            && simd.reduce_sum_f64s(fails) == 0.0
            && others.all(|lane| {
                let size = sizes[lane] + known[lane].abs();
                holds(known[lane] - sums[lane], size, allowed)
            })
    }
}

impl<const W: usize> Wide<W> {
    /// Whether C x = s c holds in each row for four solutions, up to this part of its terms.
    #[inline(always)]
    pub(super) fn four_hold(
        &self,
        [c, x]: [&[[f64; AT_A_TIME]]; 2],
        scale: &[f64],
        allowed: f64,
    ) -> bool {
        let columns = self.constraint_columns();
        let mut all_hold = true;
        for (row, (c, scale)) in c.iter().zip(scale).enumerate().take(W) {
            let mut rest = *c;
            for rest in &mut rest {
                *rest *= scale;
            }
            let mut size = rest;
            for size in &mut size {
                *size = size.abs();
            }
            for (column, x) in columns.iter().zip(x.iter()) {
                for lane in 0..AT_A_TIME {
                    let term = column[row] * x[lane];
                    rest[lane] -= term;
                    size[lane] += term.abs();
                }
            }
            for (rest, size) in rest.into_iter().zip(size) {
                all_hold &= holds(rest, size, allowed);
            }
        }
        all_hold
    }
}
