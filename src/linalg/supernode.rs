//! Supernodes of nets: pivots with the same later neighbours, eliminated together.
//!
//! In chains and trees a pivot has one or two later neighbours, in a net of bodies hundreds. One pivot at a time would read and
//! write the blocks of all pairs of these for each. Pivots that follow each other and leave the same neighbours behind form a
//! supernode: their panels are gathered into one dense matrix, and what they leave is one product, whose sums stay in registers.

use super::kernels::flush;
use super::symbolic::{Link, Step};
use pulp::{Arch, Simd, WithSimd};
use std::ops::Range;

/// Unknowns of a supernode at most: its rows stay in the second cache.
const MOST: usize = 48;

/// The first pivot of a supernode has at least so many unknowns of later neighbours. Narrower ones cost little one by one.
const WIDE: usize = 48;

// A supernode leaves something behind, and its matrix has room for a panel of the longest vectors.
const _: () = assert!(WIDE >= MOST && WIDE >= 2 * LANES);

/// Pivots that are eliminated together.
#[derive(Debug)]
pub(super) struct Supernode {
    pub steps: Range<usize>,
    /// First unknown of its pivots, in elimination order.
    unknown: usize,
    /// Unknowns of its pivots.
    order: usize,
    /// Unknowns of their later neighbours behind the supernode.
    width: usize,
}

impl Supernode {
    /// The supernodes of an elimination, in its order.
    pub fn all<'a>(steps: &'a [Step], links: impl Fn(&Step) -> &'a [Link]) -> Vec<Self> {
        // Elimination makes neighbours of all later neighbours of a pivot: those behind the next one are neighbours of that
        // one. Where it has as many, it has no others.
        let is_followed = |number: usize| {
            let (own, next) = (links(&steps[number]), links(&steps[number + 1]));
            own.len() == next.len() + 1 && own[0].step as usize == number + 1
        };
        let mut supernodes = Vec::new();
        let mut first = 0;
        while first < steps.len() {
            let (mut end, mut order) = (first + 1, steps[first].size());
            while end < steps.len() && is_followed(end - 1) && order + steps[end].size() <= MOST {
                order += steps[end].size();
                end += 1;
            }
            if end - first > 1 && steps[first].width() >= WIDE {
                supernodes.push(Self {
                    steps: first..end,
                    unknown: steps[first].unknown(),
                    order,
                    width: steps[end - 1].width(),
                });
            }
            first = end;
        }
        supernodes
    }

    /// First unknown of its pivots, in elimination order.
    pub fn first(&self) -> usize {
        self.unknown
    }

    /// Unknowns of its pivots.
    pub fn order(&self) -> usize {
        self.order
    }

    /// Unknowns of its pivots and of their later neighbours.
    pub fn unknowns(&self) -> usize {
        self.order + self.width
    }

    /// Where the rows of a pivot begin.
    pub fn place(&self, step: &Step) -> usize {
        step.unknown() - self.unknown
    }
}

/// The matrix of a supernode at a time.
#[derive(Default)]
pub(super) struct Workspace {
    arch: Arch,
    order: usize,
    width: usize,
    /// Pivots and upper panels, `order x (order + width)`, with the lower panels of pivots that follow below the diagonal.
    rows: Vec<f64>,
    /// The rest of the lower panels, transposed: `order x width`.
    columns: Vec<f64>,
    /// Upper panel of one pivot; some columns of all upper panels.
    work: Vec<f64>,
}

impl Workspace {
    pub fn new(supernodes: &[Supernode]) -> Self {
        let most = |of: fn(&Supernode) -> usize| supernodes.iter().map(of).max().unwrap_or(0);
        Self {
            rows: vec![0.0; most(|supernode| supernode.order * supernode.unknowns())],
            columns: vec![0.0; most(|supernode| supernode.order * supernode.width)],
            work: vec![0.0; most(|supernode| supernode.order * supernode.unknowns())],
            ..Self::default()
        }
    }

    fn stride(&self) -> usize {
        self.order + self.width
    }

    /// Gathers pivots and panels.
    pub fn load(&mut self, supernode: &Supernode, steps: &[Step], values: &[f64]) {
        (self.order, self.width) = (supernode.order, supernode.width);
        let (stride, order) = (self.stride(), self.order);
        for step in &steps[supernode.steps.clone()] {
            let (at, size) = (supernode.place(step), step.size());
            let end = at + size;
            let (pivot, lower) = values[step.start..step.end()].split_at(size * size);
            let upper = &values[step.upper..step.upper_end()];
            for row in 0..size {
                let out = &mut self.rows[(at + row) * stride..][at..stride];
                let (own, rest) = out.split_at_mut(size);
                own.copy_from_slice(&pivot[row * size..][..size]);
                rest.copy_from_slice(&upper[row * step.width()..][..step.width()]);
            }
            let (within, behind) = lower.split_at((order - end) * size);
            for (row, own) in within.chunks_exact(size.max(1)).enumerate() {
                self.rows[(end + row) * stride..][at..end].copy_from_slice(own);
            }
            for (row, own) in behind.chunks_exact(size.max(1)).enumerate() {
                for (column, &value) in own.iter().enumerate() {
                    self.columns[(at + column) * self.width + row] = value;
                }
            }
        }
    }

    /// Gives the panels back.
    pub fn give(&self, supernode: &Supernode, steps: &[Step], values: &mut [f64]) {
        let (stride, order) = (self.stride(), self.order);
        for step in &steps[supernode.steps.clone()] {
            let (at, size) = (supernode.place(step), step.size());
            let end = at + size;
            for row in 0..size {
                values[step.upper + row * step.width()..][..step.width()]
                    .copy_from_slice(&self.rows[(at + row) * stride..][end..stride]);
            }
            let lower = &mut values[step.lower()..step.end()];
            let (within, behind) = lower.split_at_mut((order - end) * size);
            for (row, own) in within.chunks_exact_mut(size.max(1)).enumerate() {
                own.copy_from_slice(&self.rows[(end + row) * stride..][at..end]);
            }
            for (row, own) in behind.chunks_exact_mut(size.max(1)).enumerate() {
                for (column, value) in own.iter_mut().enumerate() {
                    *value = self.columns[(at + column) * self.width + row];
                }
            }
        }
    }

    /// The pivot block of a step, as the pivots before have left it.
    pub fn pivot(&self, supernode: &Supernode, step: &Step, out: &mut [f64]) {
        let (at, stride) = (supernode.place(step), self.stride());
        for (row, out) in out.chunks_exact_mut(step.size().max(1)).enumerate() {
            out.copy_from_slice(&self.rows[(at + row) * stride + at..][..out.len()]);
        }
    }

    /// Eliminates one pivot, of which this is the inverse, from the supernode. Numbers below `tiny` are set to zero.
    pub fn eliminate(&mut self, supernode: &Supernode, step: &Step, inverse: &[f64], tiny: f64) {
        let (at, size) = (supernode.place(step), step.size());
        self.arch.dispatch(OnePivot {
            stride: self.stride(),
            width: self.width,
            own: at..at + size,
            inverse,
            rows: &mut self.rows[..self.order * (self.order + self.width)],
            columns: &mut self.columns[..self.order * self.width],
            work: &mut self.work,
            tiny,
        });
    }

    /// Sizes of what one pivot takes from the pivot block of a later one of the supernode: `kept = max(kept, |block|)`.
    pub fn measure_within(
        &self,
        supernode: &Supernode,
        [own, later]: [&Step; 2],
        kept: &mut [f64],
    ) {
        let (at, to, stride) = (supernode.place(own), supernode.place(later), self.stride());
        for (row, kept) in kept.chunks_exact_mut(later.size()).enumerate() {
            let factors = &self.rows[(to + row) * stride..][at..at + own.size()];
            for (column, kept) in kept.iter_mut().enumerate() {
                let terms = factors.iter().enumerate();
                let term = |(k, factor)| factor * self.rows[(at + k) * stride + to + column];
                *kept = terms.map(term).sum::<f64>().abs().max(*kept);
            }
        }
    }

    /// The same of a pivot block behind the supernode, whose unknowns have these places there.
    pub fn measure_behind(
        &self,
        supernode: &Supernode,
        own: &Step,
        places: Range<usize>,
        kept: &mut [f64],
    ) {
        let (at, stride) = (supernode.place(own), self.stride());
        for (row, kept) in places.clone().zip(kept.chunks_exact_mut(places.len())) {
            for (column, kept) in places.clone().zip(kept) {
                let term = |k: usize| {
                    let factor = self.columns[k * self.width + row];
                    factor * self.rows[k * stride + self.order + column]
                };
                let sum = (at..at + own.size()).map(term).sum::<f64>();
                *kept = sum.abs().max(*kept);
            }
        }
    }

    /// What the supernode takes from the blocks of all pairs of its later neighbours: `width x width`.
    pub fn product(&mut self, out: &mut [f64]) {
        self.arch.dispatch(Remainder {
            order: self.order,
            width: self.width,
            rows: &self.rows,
            columns: &self.columns,
            panel: &mut self.work,
            out,
        });
    }
}

/// One pivot is eliminated from a supernode.
struct OnePivot<'a> {
    stride: usize,
    width: usize,
    /// Its unknowns.
    own: Range<usize>,
    inverse: &'a [f64],
    rows: &'a mut [f64],
    columns: &'a mut [f64],
    work: &'a mut [f64],
    tiny: f64,
}

/// `y -= factor x`.
#[inline(always)]
fn subtract(y: &mut [f64], factor: f64, x: &[f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y -= factor * x;
    }
}

impl WithSimd for OnePivot<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        let Self {
            stride,
            width,
            own,
            inverse,
            rows,
            columns,
            work,
            tiny,
        } = self;
        let (at, end) = (own.start, own.end);
        let size = own.len();
        // The upper panel: D⁻¹ U.
        let (head, later) = rows.split_at_mut(end * stride);
        let own = &mut head[at * stride..];
        let long = stride - end;
        for (copy, row) in (work.chunks_exact_mut(long)).zip(own.chunks_exact(stride)) {
            copy.copy_from_slice(&row[end..]);
        }
        for (row, out) in own.chunks_exact_mut(stride).enumerate() {
            let out = &mut out[end..];
            out.fill(0.0);
            for (k, copy) in work.chunks_exact(long).take(size).enumerate() {
                subtract(out, -inverse[row * size + k], copy);
            }
            flush(out, tiny);
        }
        // Rows of the pivots that follow.
        for row in later.chunks_exact_mut(stride) {
            let (factors, rest) = row.split_at_mut(end);
            let factors = &mut factors[at..];
            flush(factors, tiny);
            for (factor, own) in factors.iter().zip(own.chunks_exact(stride)) {
                subtract(rest, *factor, &own[end..]);
            }
        }
        // Their columns.
        let (head, later) = columns.split_at_mut(end * width);
        let own_columns = &mut head[at * width..];
        flush(own_columns, tiny);
        for (column, out) in later.chunks_exact_mut(width).enumerate() {
            for (row, own_column) in own
                .chunks_exact(stride)
                .zip(own_columns.chunks_exact(width))
            {
                subtract(out, row[end + column], own_column);
            }
        }
    }
}

/// `out = columnsᵀ rows` of what lies behind the pivots of a supernode.
struct Remainder<'a> {
    order: usize,
    width: usize,
    rows: &'a [f64],
    columns: &'a [f64],
    /// Room for some columns of the rows.
    panel: &'a mut [f64],
    out: &'a mut [f64],
}

/// Rows of a product whose sums are in registers, two vectors each.
const TILE: usize = 6;

/// Numbers in the longest vector.
const LANES: usize = 8;

impl WithSimd for Remainder<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self {
            order,
            width,
            rows,
            columns,
            panel,
            out,
        } = self;
        let (stride, pair) = (order + width, 2 * S::F64_LANES);
        for first in (0..width).step_by(pair) {
            let count = pair.min(width - first);
            // Whole vectors, with zeros behind the last column.
            let panel = &mut panel[..order * pair];
            for (panel, row) in panel.chunks_exact_mut(pair).zip(rows.chunks_exact(stride)) {
                let (own, rest) = panel.split_at_mut(count);
                own.copy_from_slice(&row[order + first..][..count]);
                rest.fill(0.0);
            }
            let (vectors, _) = S::as_simd_f64s(panel);
            let mut store = |row: usize, sums: &[[S::f64s; 2]]| {
                for (row, sum) in (row..).zip(sums) {
                    let mut numbers = [0.0; 2 * LANES];
                    let (whole, _) = S::as_mut_simd_f64s(&mut numbers);
                    whole[..2].copy_from_slice(sum);
                    out[row * width + first..][..count].copy_from_slice(&numbers[..count]);
                }
            };
            let mut row = 0;
            while row + TILE <= width {
                store(row, &sums::<S, TILE>(simd, vectors, &columns[row..], width));
                row += TILE;
            }
            while row < width {
                store(row, &sums::<S, 1>(simd, vectors, &columns[row..], width));
                row += 1;
            }
        }
    }
}

/// Rows of a product: of each pair of vectors with a row of factors the sum over all rows.
#[inline(always)]
fn sums<S: Simd, const ROWS: usize>(
    simd: S,
    vectors: &[S::f64s],
    factors: &[f64],
    stride: usize,
) -> [[S::f64s; 2]; ROWS] {
    let mut sums = [[simd.splat_f64s(0.0); 2]; ROWS];
    for (pair, factors) in vectors.chunks_exact(2).zip(factors.chunks(stride)) {
        let factors = &factors[..ROWS];
        for row in 0..ROWS {
            let factor = simd.splat_f64s(factors[row]);
            sums[row][0] = simd.mul_add_e_f64s(factor, pair[0], sums[row][0]);
            sums[row][1] = simd.mul_add_e_f64s(factor, pair[1], sums[row][1]);
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use pulp::Scalar;

    #[test]
    fn remainders_are_sums_over_rows_of_any_width() {
        for order in [1, 3, 48] {
            for width in [1, 5, 6, 7, 15, 16, 17, 50] {
                let stride = order + width;
                let number = |index: usize| ((index * index + 3) as f64).sin();
                let rows: Vec<f64> = (0..order * stride).map(number).collect();
                let columns: Vec<f64> = (7..7 + order * width).map(number).collect();
                let expected = |row: usize, column: usize| -> f64 {
                    let term =
                        |k: usize| columns[k * width + row] * rows[k * stride + order + column];
                    (0..order).map(term).sum()
                };
                for by_scalars in [true, false] {
                    let mut out = vec![f64::NAN; width * width];
                    let remainder = Remainder {
                        order,
                        width,
                        rows: &rows,
                        columns: &columns,
                        panel: &mut vec![f64::NAN; order * 2 * LANES],
                        out: &mut out,
                    };
                    if by_scalars {
                        remainder.with_simd(Scalar::new());
                    } else {
                        Arch::new().dispatch(remainder);
                    }
                    for (index, value) in out.iter().enumerate() {
                        let error = (value - expected(index / width, index % width)).abs();
                        assert!(error < 1e-13, "{order} {width} {index}: {error}");
                    }
                }
            }
        }
    }
}
