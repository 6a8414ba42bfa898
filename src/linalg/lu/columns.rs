//! LU of small matrices column by column, in vectors as wide as the processor's.

use super::parts::{Parts, product, reciprocal};
use super::{INVERTIBLE, MOST_GROWTH};
use crate::linalg::dense::larger;
use pulp::{Arch, Scalar, Simd, WithSimd};

/// Fewest unknowns that vectors pay for.
const FEWEST: usize = 4;

/// How many numbers a column of so many rows takes, so that it consists of whole vectors.
pub(crate) fn column_length(rows: usize) -> usize {
    struct Lanes;
    impl WithSimd for Lanes {
        type Output = usize;
        #[inline(always)]
        fn with_simd<S: Simd>(self, _simd: S) -> usize {
            S::F64_LANES
        }
    }
    if rows < FEWEST {
        rows.max(1)
    } else {
        rows.next_multiple_of(Arch::new().dispatch(Lanes))
    }
}

/// `P A = L U` of a real (`P = 1`) or complex (`P = 2`) matrix of a fixed size, with the pivots of
/// [`SquareLu`](super::SquareLu) and the same factors bit by bit: no product is fused with a sum, and each entry is changed in the
/// same order.
///
/// Columns are padded with zeros to [`column_length`]; the imaginary part of one follows its real part.
pub(crate) struct ColumnLu<const P: usize> {
    arch: Arch,
    factors: Factors<P>,
    factorizations: usize,
    solves: usize,
}

struct Factors<const P: usize> {
    size: usize,
    stride: usize,
    /// U without its diagonal; the matrix before it is factorized.
    upper: Vec<f64>,
    /// L without its diagonal.
    lower: Vec<f64>,
    /// Which row of the matrix became which.
    source: Vec<usize>,
    inverse_pivot: Vec<Parts<P>>,
    /// Zero, one, two: the row that each lane of a column belongs to.
    row: Vec<f64>,
    /// Inverse sizes of the rows, and the sizes of columns when rows are of unit size.
    scale: Vec<f64>,
    column_size: Vec<f64>,
    /// For a column.
    sizes: Vec<f64>,
    work: Vec<f64>,
}

impl<const P: usize> ColumnLu<P> {
    /// Memory for matrices of this size.
    pub fn new(size: usize) -> Self {
        let stride = column_length(size);
        let matrix = || vec![0.0; size * P * stride];
        let lanes = || vec![0.0; stride];
        Self {
            arch: Arch::new(),
            factors: Factors {
                size,
                stride,
                upper: matrix(),
                lower: matrix(),
                source: vec![0; stride],
                inverse_pivot: vec![[0.0; P]; size],
                row: (0..stride).map(|row| row as f64).collect(),
                scale: lanes(),
                column_size: vec![0.0; size],
                sizes: lanes(),
                work: vec![0.0; P * stride],
            },
            factorizations: 0,
            solves: 0,
        }
    }

    /// Factorizations and solves so far.
    pub fn work(&self) -> (usize, usize) {
        (self.factorizations, self.solves)
    }

    /// Factorizes a sum of real matrices times real or complex factors, each by columns padded with zeros. False if a pivot is
    /// below the part `doubtful` of its column, rows and columns brought to unit size, or if entries grow so much that solutions
    /// lose digits. What passes needs no check of its solutions.
    pub fn factor_safely(&mut self, sum: &[(Parts<P>, &[f64])], doubtful: f64) -> bool {
        self.factorizations += 1;
        let factors = &mut self.factors;
        if factors.size == 0 {
            return true;
        }
        let job = Factorization {
            factors,
            sum,
            doubtful,
        };
        if job.factors.size < FEWEST {
            job.with_simd(Scalar::new())
        } else {
            self.arch.dispatch(job)
        }
    }

    /// Overwrites `b`, part by part, by A⁻¹ b.
    pub fn solve(&mut self, b: [&mut [f64]; P]) {
        self.solves += 1;
        let factors = &mut self.factors;
        if factors.size == 0 {
            return;
        }
        if factors.size < FEWEST {
            Solution { factors, b }.with_simd(Scalar::new());
        } else {
            self.arch.dispatch(Solution { factors, b });
        }
    }
}

/// Solves with a real and a complex matrix of one size at a time: neither has to wait where the other one does.
pub(crate) fn solve_both(real: &mut ColumnLu<1>, complex: &mut ColumnLu<2>, b: [&mut [f64]; 3]) {
    debug_assert_eq!(real.factors.size, complex.factors.size);
    real.solves += 1;
    complex.solves += 1;
    let job = Both {
        real: &mut real.factors,
        complex: &mut complex.factors,
        b,
    };
    if job.real.size == 0 {
        return;
    }
    if job.real.size < FEWEST {
        job.with_simd(Scalar::new());
    } else {
        real.arch.dispatch(job);
    }
}

/// Calls with the size of a matrix and the stride of its columns, which the compiler knows where they are short.
macro_rules! by_size {
    ($factors:expr, |$size:ident, $stride:ident| $call:expr) => {
        match ($factors.size, $factors.stride) {
            (1, _) => {
                let ($size, $stride) = (1, 1);
                $call
            }
            (2, _) => {
                let ($size, $stride) = (2, 2);
                $call
            }
            (3, _) => {
                let ($size, $stride) = (3, 3);
                $call
            }
            ($size, 4) => {
                let $stride = 4;
                $call
            }
            ($size, 8) => {
                let $stride = 8;
                $call
            }
            ($size, 12) => {
                let $stride = 12;
                $call
            }
            ($size, 16) => {
                let $stride = 16;
                $call
            }
            ($size, $stride) => $call,
        }
    };
}

struct Factorization<'a, const P: usize> {
    factors: &'a mut Factors<P>,
    sum: &'a [(Parts<P>, &'a [f64])],
    doubtful: f64,
}

impl<const P: usize> WithSimd for Factorization<'_, P> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> bool {
        let Self {
            factors,
            sum,
            doubtful,
        } = self;
        by_size!(factors, |size, stride| {
            factors.assemble(simd, (size, stride), sum);
            match size {
                1 => factors.eliminate_in_registers::<1>(doubtful),
                2 => factors.eliminate_in_registers::<2>(doubtful),
                3 => factors.eliminate_in_registers::<3>(doubtful),
                _ => factors.eliminate(simd, (size, stride), doubtful),
            }
        })
    }
}

struct Solution<'a, const P: usize> {
    factors: &'a mut Factors<P>,
    b: [&'a mut [f64]; P],
}

impl<const P: usize> WithSimd for Solution<'_, P> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { factors, mut b } = self;
        by_size!(factors, |size, stride| {
            let mut system = factors.begin((size, stride), &b);
            for k in 0..size - 1 {
                system.forward(simd, k, stride);
            }
            for k in (0..size).rev() {
                system.backward(simd, (k, stride), &mut b);
            }
        });
    }
}

struct Both<'a> {
    real: &'a mut Factors<1>,
    complex: &'a mut Factors<2>,
    b: [&'a mut [f64]; 3],
}

impl WithSimd for Both<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { real, complex, b } = self;
        let [first, second, third] = b;
        let (mut one, mut two) = ([first], [second, third]);
        by_size!(real, |size, stride| {
            let mut real = real.begin((size, stride), &one);
            let mut complex = complex.begin((size, stride), &two);
            for k in 0..size - 1 {
                real.forward(simd, k, stride);
                complex.forward(simd, k, stride);
            }
            for k in (0..size).rev() {
                real.backward(simd, (k, stride), &mut one);
                complex.backward(simd, (k, stride), &mut two);
            }
        });
    }
}

/// Triangular factors beside a right-hand side.
///
/// The next unknown is found by itself, before all equations have been changed: the vectors would let it wait twice as long.
struct Substitution<'a, const P: usize> {
    lower: &'a [f64],
    upper: &'a [f64],
    inverse_pivot: &'a [Parts<P>],
    work: &'a mut [f64],
    /// What is left of the right-hand side of the next unknown.
    next: Parts<P>,
}

impl<const P: usize> Substitution<'_, P> {
    /// Takes what unknown `k`, not the last one, is out of the equations below.
    #[inline(always)]
    fn forward<S: Simd>(&mut self, simd: S, k: usize, stride: usize) {
        let column = &self.lower[k * P * stride..][..P * stride];
        self.eliminate(simd, stride, column, (self.next, k + 1));
    }

    /// Finds unknown `k` and takes it out of the equations above.
    #[inline(always)]
    fn backward<S: Simd>(&mut self, simd: S, (k, stride): (usize, usize), b: &mut [&mut [f64]; P]) {
        let known = product(self.next, self.inverse_pivot[k]);
        for (b, value) in b.iter_mut().zip(known) {
            b[k] = value;
        }
        if k > 0 {
            let column = &self.upper[k * P * stride..][..P * stride];
            self.eliminate(simd, stride, column, (known, k - 1));
        }
    }

    #[inline(always)]
    fn eliminate<S: Simd>(
        &mut self,
        simd: S,
        stride: usize,
        column: &[f64],
        (known, next): (Parts<P>, usize),
    ) {
        let mut ahead: Parts<P> = entry(self.work, stride, next);
        let change = product(entry(column, stride, next), known);
        for (ahead, change) in ahead.iter_mut().zip(change) {
            *ahead -= change;
        }
        subtract(simd, stride, self.work, column, known);
        self.next = ahead;
    }
}

impl<const P: usize> Factors<P> {
    /// The right-hand side in the order of the pivots.
    #[inline(always)]
    fn begin<'a>(
        &'a mut self,
        (size, stride): (usize, usize),
        b: &[&mut [f64]; P],
    ) -> Substitution<'a, P> {
        let work = &mut self.work[..P * stride];
        for (work, b) in work.chunks_exact_mut(stride).zip(b) {
            let b = &b[..size];
            for (slot, &source) in work.iter_mut().zip(&self.source[..size]) {
                *slot = b[source];
            }
        }
        Substitution {
            lower: &self.lower[..size * P * stride],
            upper: &self.upper[..size * P * stride],
            inverse_pivot: &self.inverse_pivot[..size],
            next: entry(work, stride, 0),
            work,
        }
    }

    /// Σ factor · matrix.
    #[inline(always)]
    fn assemble<S: Simd>(
        &mut self,
        simd: S,
        (size, stride): (usize, usize),
        sum: &[(Parts<P>, &[f64])],
    ) {
        let matrix = &mut self.upper[..size * P * stride];
        if sum.is_empty() {
            matrix.fill(0.0);
        }
        for (number, &(factors, values)) in sum.iter().enumerate() {
            let columns = matrix.chunks_exact_mut(P * stride);
            for (column, values) in columns.zip(values.chunks_exact(stride)) {
                let values = S::as_simd_f64s(values).0;
                for (part, factor) in column.chunks_exact_mut(stride).zip(factors) {
                    let factor = simd.splat_f64s(factor);
                    let part = S::as_mut_simd_f64s(part).0;
                    for (slot, &value) in part.iter_mut().zip(values) {
                        let term = simd.mul_f64s(factor, value);
                        *slot = if number == 0 {
                            term
                        } else {
                            simd.add_f64s(*slot, term)
                        };
                    }
                }
            }
        }
    }

    /// Leaves the factors in place of the matrix; false as [`ColumnLu::factor_safely`].
    #[inline(always)]
    fn eliminate<S: Simd>(
        &mut self,
        simd: S,
        (size, stride): (usize, usize),
        doubtful: f64,
    ) -> bool {
        if !self.measure(simd, size, stride) {
            return false;
        }
        let upper = &mut self.upper[..size * P * stride];
        let lower = &mut self.lower[..size * P * stride];
        let (sizes, scale) = (&mut self.sizes[..stride], &mut self.scale[..stride]);
        for k in 0..size {
            let column = &upper[k * P * stride..][..P * stride];
            // Rows of unit size. Above the pivot the column is that of U.
            let most = scaled_sizes::<S, P>(simd, stride, column, (scale, sizes));
            let (mut pivot_row, mut largest) = (k, -1.0);
            for (below, &candidate) in sizes[k..size].iter().enumerate() {
                if candidate > largest {
                    (pivot_row, largest) = (k + below, candidate);
                }
            }
            // Written so that NaN counts as doubtful.
            let column_size = self.column_size[k];
            if !(largest > doubtful * column_size && most <= MOST_GROWTH * column_size) {
                return false;
            }
            if pivot_row != k {
                let columns = upper[k * P * stride..].chunks_exact_mut(stride);
                let earlier = lower[..k * P * stride].chunks_exact_mut(stride);
                for column in columns.chain(earlier) {
                    column.swap(k, pivot_row);
                }
                self.source.swap(k, pivot_row);
                scale.swap(k, pivot_row);
            }
            let (column, rest) = upper[k * P * stride..].split_at_mut(P * stride);
            let pivot: Parts<P> = entry(column, stride, k);
            if !INVERTIBLE.contains(&magnitude(pivot)) {
                return false;
            }
            let inverse = reciprocal(pivot);
            self.inverse_pivot[k] = inverse;
            let multipliers = &mut lower[k * P * stride..][..P * stride];
            split_column(simd, (&self.row[..stride], k), column, inverse, multipliers);
            for column in rest.chunks_exact_mut(P * stride) {
                let factor = entry::<P>(column, stride, k);
                if factor != [0.0; P] {
                    subtract(simd, stride, column, multipliers, factor);
                }
            }
        }
        true
    }

    /// The same for very few unknowns, where lists and lanes would cost more than what is done with them.
    #[inline(always)]
    fn eliminate_in_registers<const N: usize>(&mut self, doubtful: f64) -> bool {
        let mut rows = [[[0.0; P]; N]; N];
        for (j, column) in self.upper.chunks_exact(P * N).enumerate() {
            for (i, row) in rows.iter_mut().enumerate() {
                row[j] = entry(column, N, i);
            }
        }
        let (mut scale, mut column_size, mut source) = ([0.0; N], [0.0; N], [0; N]);
        // NaN where something is not finite, or a row consists of zeros.
        let mut zeros = 0.0;
        for i in 0..N {
            let mut largest = 0.0;
            for number in rows[i] {
                largest = larger(magnitude(number), largest);
                zeros += 0.0 * magnitude(number);
            }
            (scale[i], source[i]) = (1.0 / largest, i);
            for (number, column_size) in rows[i].into_iter().zip(&mut column_size) {
                let scaled = magnitude(number) * scale[i];
                *column_size = larger(scaled, *column_size);
                zeros += 0.0 * scaled;
            }
        }
        if zeros.is_nan() {
            return false;
        }
        for k in 0..N {
            let (mut pivot_row, mut largest) = (k, -1.0);
            let mut bounded = true;
            for i in 0..N {
                let candidate = magnitude(rows[i][k]) * scale[i];
                // Written so that NaN is a failure.
                bounded &= candidate <= MOST_GROWTH * column_size[k];
                if i >= k && candidate > largest {
                    (pivot_row, largest) = (i, candidate);
                }
            }
            let pivot = rows[pivot_row][k];
            let safe = bounded
                && largest > doubtful * column_size[k]
                && INVERTIBLE.contains(&magnitude(pivot));
            if !safe {
                return false;
            }
            rows.swap(k, pivot_row);
            scale.swap(k, pivot_row);
            source.swap(k, pivot_row);
            let inverse = reciprocal(pivot);
            self.inverse_pivot[k] = inverse;
            let upper = rows[k];
            for row in &mut rows[k + 1..] {
                let factor = product(row[k], inverse);
                row[k] = factor;
                for (entry, upper) in row[k + 1..].iter_mut().zip(&upper[k + 1..]) {
                    for (entry, change) in entry.iter_mut().zip(product(factor, *upper)) {
                        *entry -= change;
                    }
                }
            }
        }
        self.source[..N].copy_from_slice(&source);
        for j in 0..N {
            for part in 0..P {
                for (i, row) in rows.iter().enumerate() {
                    let (at, value) = ((j * P + part) * N + i, row[j][part]);
                    self.upper[at] = if i < j { value } else { 0.0 };
                    self.lower[at] = if i > j { value } else { 0.0 };
                }
            }
        }
        true
    }

    /// Sizes of rows, and those of columns when rows are of unit size; false if something is not finite.
    #[inline(always)]
    fn measure<S: Simd>(&mut self, simd: S, size: usize, stride: usize) -> bool {
        let upper = &self.upper[..size * P * stride];
        let (sizes, scale) = (&mut self.sizes[..stride], &mut self.scale[..stride]);
        scale.fill(0.0);
        let mut zeros = simd.splat_f64s(0.0);
        for column in upper.chunks_exact(P * stride) {
            measure_column::<S, P>(simd, stride, column, sizes);
            let largest = S::as_mut_simd_f64s(scale).0;
            for (largest, &size) in largest.iter_mut().zip(S::as_simd_f64s(sizes).0) {
                *largest = simd.max_f64s(*largest, size);
                // NaN where something is not finite: comparisons alone would not see it everywhere.
                zeros = simd.add_f64s(zeros, simd.mul_f64s(simd.splat_f64s(0.0), size));
            }
        }
        if simd.reduce_sum_f64s(zeros).is_nan() {
            return false;
        }
        for (row, (scale, source)) in scale.iter_mut().zip(&mut self.source).enumerate() {
            *source = row;
            // Lanes behind the last row are not measured.
            *scale = if row < size { 1.0 / *scale } else { 0.0 };
        }
        let columns = upper.chunks_exact(P * stride);
        for (column, slot) in columns.zip(&mut self.column_size) {
            *slot = scaled_sizes::<S, P>(simd, stride, column, (scale, sizes));
        }
        true
    }
}

/// The size of a number, as [`Number::size`](super::Number::size).
#[inline(always)]
fn magnitude<const P: usize>(number: Parts<P>) -> f64 {
    let mut sum = 0.0;
    for part in number {
        sum += part.abs();
    }
    sum
}

/// The number in a row of a column.
#[inline(always)]
fn entry<const P: usize>(column: &[f64], stride: usize, row: usize) -> Parts<P> {
    let mut parts = [0.0; P];
    for (part, values) in parts.iter_mut().zip(column.chunks_exact(stride)) {
        *part = values[row];
    }
    parts
}

/// Sizes of the numbers of a column, as [`Number::size`](super::Number::size).
#[inline(always)]
fn measure_column<S: Simd, const P: usize>(
    simd: S,
    stride: usize,
    column: &[f64],
    sizes: &mut [f64],
) {
    let sizes = S::as_mut_simd_f64s(&mut sizes[..stride]).0;
    for (part, values) in column.chunks_exact(stride).enumerate() {
        let values = S::as_simd_f64s(values).0;
        for (slot, &value) in sizes.iter_mut().zip(values) {
            let size = simd.abs_f64s(value);
            *slot = if part == 0 {
                size
            } else {
                simd.add_f64s(*slot, size)
            };
        }
    }
}

/// Sizes of the numbers of a column, rows scaled, and the largest of them; NaN if one is not finite.
#[inline(always)]
fn scaled_sizes<S: Simd, const P: usize>(
    simd: S,
    stride: usize,
    column: &[f64],
    (scale, sizes): (&[f64], &mut [f64]),
) -> f64 {
    measure_column::<S, P>(simd, stride, column, sizes);
    let zero = simd.splat_f64s(0.0);
    let (mut largest, mut zeros) = (zero, zero);
    let sizes = S::as_mut_simd_f64s(&mut sizes[..stride]).0.iter_mut();
    for (size, &scale) in sizes.zip(S::as_simd_f64s(&scale[..stride]).0) {
        *size = simd.mul_f64s(*size, scale);
        largest = simd.max_f64s(largest, *size);
        zeros = simd.add_f64s(zeros, simd.mul_f64s(zero, *size));
    }
    // What is not finite makes zeros NaN, whatever the maximum does with it.
    simd.reduce_max_f64s(largest) + simd.reduce_sum_f64s(zeros)
}

/// `y -= column x`, with the roundings of the numbers' own products.
#[inline(always)]
fn subtract<S: Simd, const P: usize>(
    simd: S,
    stride: usize,
    y: &mut [f64],
    column: &[f64],
    x: Parts<P>,
) {
    let (y, y_imaginary) = y[..P * stride].split_at_mut(stride);
    let (real, imaginary) = column[..P * stride].split_at(stride);
    let y = S::as_mut_simd_f64s(y).0;
    let real = S::as_simd_f64s(real).0;
    match x[..] {
        [x, x_imaginary] => {
            let (x, xi) = (simd.splat_f64s(x), simd.splat_f64s(x_imaginary));
            let y_imaginary = S::as_mut_simd_f64s(y_imaginary).0;
            let numbers = real.iter().zip(S::as_simd_f64s(imaginary).0);
            for ((y, yi), (&a, &ai)) in y.iter_mut().zip(y_imaginary).zip(numbers) {
                let change = simd.sub_f64s(simd.mul_f64s(a, x), simd.mul_f64s(ai, xi));
                let turned = simd.add_f64s(simd.mul_f64s(a, xi), simd.mul_f64s(ai, x));
                *y = simd.sub_f64s(*y, change);
                *yi = simd.sub_f64s(*yi, turned);
            }
        }
        _ => {
            let x = simd.splat_f64s(x[0]);
            for (y, &a) in y.iter_mut().zip(real) {
                *y = simd.sub_f64s(*y, simd.mul_f64s(a, x));
            }
        }
    }
}

/// Leaves in a column what is above row `k`, and makes multipliers of what is below.
#[inline(always)]
fn split_column<S: Simd, const P: usize>(
    simd: S,
    (row, k): (&[f64], usize),
    column: &mut [f64],
    inverse: Parts<P>,
    multipliers: &mut [f64],
) {
    let stride = row.len();
    let (zero, pivot) = (simd.splat_f64s(0.0), simd.splat_f64s(k as f64));
    let row = S::as_simd_f64s(row).0;
    let (real, imaginary) = column[..P * stride].split_at_mut(stride);
    let (factor, factor_imaginary) = multipliers[..P * stride].split_at_mut(stride);
    let (real, factor) = (S::as_mut_simd_f64s(real).0, S::as_mut_simd_f64s(factor).0);
    match inverse[..] {
        [x, x_imaginary] => {
            let (x, xi) = (simd.splat_f64s(x), simd.splat_f64s(x_imaginary));
            let imaginary = S::as_mut_simd_f64s(imaginary).0.iter_mut();
            let factor_imaginary = S::as_mut_simd_f64s(factor_imaginary).0.iter_mut();
            let numbers = real.iter_mut().zip(imaginary);
            let factors = factor.iter_mut().zip(factor_imaginary);
            for (((a, ai), (f, fi)), &row) in numbers.zip(factors).zip(row) {
                let below = simd.less_than_f64s(pivot, row);
                let above = simd.less_than_f64s(row, pivot);
                let product = simd.sub_f64s(simd.mul_f64s(*a, x), simd.mul_f64s(*ai, xi));
                let turned = simd.add_f64s(simd.mul_f64s(*a, xi), simd.mul_f64s(*ai, x));
                *f = simd.select_f64s(below, product, zero);
                *fi = simd.select_f64s(below, turned, zero);
                *a = simd.select_f64s(above, *a, zero);
                *ai = simd.select_f64s(above, *ai, zero);
            }
        }
        _ => {
            let x = simd.splat_f64s(inverse[0]);
            for ((a, f), &row) in real.iter_mut().zip(factor).zip(row) {
                let below = simd.less_than_f64s(pivot, row);
                let above = simd.less_than_f64s(row, pivot);
                *f = simd.select_f64s(below, simd.mul_f64s(*a, x), zero);
                *a = simd.select_f64s(above, *a, zero);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{Number, SquareLu};
    use faer::c64;

    /// Entries of many sizes, some zero; the same ones for the same seed.
    fn numbers(seed: u64, count: usize) -> Vec<f64> {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        (0..count)
            .map(|_| match next() {
                few if few > 0.3 => 0.0,
                size => next() * 10_f64.powf(6.0 * size),
            })
            .collect()
    }

    /// A number of the other factorization by parts.
    trait Split<const P: usize>: Number + std::fmt::Debug {
        fn parts(self) -> Parts<P>;
    }

    impl Split<1> for f64 {
        fn parts(self) -> [f64; 1] {
            [self]
        }
    }

    impl Split<2> for c64 {
        fn parts(self) -> [f64; 2] {
            [self.re, self.im]
        }
    }

    /// The matrix as a sum of its real part times 1 and its imaginary part times i.
    fn factored<N: Split<P>, const P: usize>(n: usize, entries: &[N]) -> (ColumnLu<P>, bool) {
        let stride = column_length(n);
        let mut matrices = vec![vec![0.0; n * stride]; P];
        for (at, entry) in entries.iter().enumerate() {
            for (matrix, part) in matrices.iter_mut().zip(entry.parts()) {
                matrix[at % n * stride + at / n] = part;
            }
        }
        let mut lu = ColumnLu::new(n);
        let sum: Vec<(Parts<P>, &[f64])> = (matrices.iter().enumerate())
            .map(|(part, matrix)| {
                let mut unit = [0.0; P];
                unit[part] = 1.0;
                (unit, &matrix[..])
            })
            .collect();
        let verdict = lu.factor_safely(&sum, 1e-10);
        (lu, verdict)
    }

    /// Both factorizations: verdict, factors, and how far a solution is from that of the other, beside its size.
    fn both<N: Split<P>, const P: usize>(n: usize, entries: &[N]) -> Option<f64> {
        let mut plain = SquareLu::<N>::new(n);
        plain.matrix_to_overwrite(n).copy_from_slice(entries);
        let verdict = plain.factor_safely(1e-10);
        let (mut lu, same) = factored::<N, P>(n, entries);
        assert_eq!(same, verdict, "{n}: {entries:?}");
        if !verdict {
            return None;
        }
        let stride = column_length(n);
        for (at, entry) in plain.lu.iter().enumerate() {
            let (row, column) = (at / n, at % n);
            let factors = &lu.factors;
            let place = column * P * stride..(column + 1) * P * stride;
            let found: Parts<P> = match row.cmp(&column) {
                std::cmp::Ordering::Less => super::entry(&factors.upper[place], stride, row),
                std::cmp::Ordering::Greater => super::entry(&factors.lower[place], stride, row),
                std::cmp::Ordering::Equal => continue,
            };
            assert_eq!(found, entry.parts(), "{n}: row {row}, column {column}");
        }
        assert_eq!(lu.factors.source[..n], plain.source);
        let mut expected = entries[..n].to_vec();
        let mut parts = [(); P].map(|()| vec![0.0; n]);
        for (at, entry) in entries[..n].iter().enumerate() {
            for (part, value) in parts.iter_mut().zip(entry.parts()) {
                part[at] = value;
            }
        }
        plain.solve(&mut expected);
        let mut vectors = parts.iter_mut();
        lu.solve([(); P].map(|()| &mut vectors.next().expect("P vectors")[..]));
        let (mut difference, mut size) = (0.0_f64, 0.0_f64);
        for (at, expected) in expected.iter().enumerate() {
            for (part, value) in parts.iter().zip(expected.parts()) {
                difference += (part[at] - value).abs();
                size += value.abs();
            }
        }
        assert!(difference.is_finite());
        Some(difference / size.max(f64::MIN_POSITIVE))
    }

    #[test]
    fn factors_are_those_of_rows_bit_by_bit() {
        let (mut safe, mut doubtful) = (0, 0);
        for n in 1..=34 {
            for seed in 0..20 {
                let values = numbers(100 * seed + n as u64, 2 * n * n);
                let complex: Vec<c64> = (values.as_chunks::<2>().0.iter())
                    .map(|&[re, im]| c64::new(re, im))
                    .collect();
                for difference in [both(n, &values[..n * n]), both(n, &complex)] {
                    match difference {
                        // Sums of other orders, magnified by ill-conditioned matrices.
                        Some(difference) => {
                            assert!(difference < 1e-7, "{n}: {difference:e}");
                            safe += 1;
                        }
                        None => doubtful += 1,
                    }
                }
            }
        }
        assert!(safe > 1000 && doubtful > 0, "{safe} {doubtful}");
    }

    #[test]
    fn two_at_a_time_are_solved_as_one_by_one() {
        for n in 1..=20 {
            let regular = |seed| {
                let values = numbers(seed, n * n).into_iter().enumerate();
                let regular = values.map(|(at, value)| match at % (n + 1) {
                    0 => value + 1e4,
                    _ => value,
                });
                regular.collect::<Vec<f64>>()
            };
            let (real, imaginary) = (regular(3), numbers(4, n * n));
            let complex: Vec<c64> = (real.iter().zip(&imaginary))
                .map(|(&re, &im)| c64::new(re, im))
                .collect();
            let (mut one, safe) = factored::<f64, 1>(n, &real);
            let (mut two, also) = factored::<c64, 2>(n, &complex);
            assert!(safe && also);
            let right = |seed| numbers(seed, n);
            let mut apart = [right(5), right(6), right(7)];
            let mut together = apart.clone();
            let [first, second, third] = &mut apart;
            one.solve([first]);
            two.solve([second, third]);
            let [first, second, third] = &mut together;
            solve_both(&mut one, &mut two, [first, second, third]);
            assert_eq!(apart, together, "{n}");
            assert_eq!((one.work(), two.work()), ((1, 2), (1, 2)));
        }
    }

    #[test]
    fn what_is_singular_or_not_finite_is_doubtful() {
        for n in [2, 4, 5, 8, 13] {
            let regular = numbers(7, n * n).into_iter().enumerate();
            let regular: Vec<f64> = regular
                .map(|(at, value)| value + if at % (n + 1) == 0 { 1e4 } else { 0.0 })
                .collect();
            assert!(both(n, &regular).is_some());
            for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                for place in [0, 1, n * n - 1] {
                    let mut matrix = regular.clone();
                    matrix[place] = bad;
                    assert!(!factored::<f64, 1>(n, &matrix).1, "{n} {bad}");
                }
            }
            let mut twice = regular.clone();
            twice.copy_within(..n, n);
            assert!(both(n, &twice).is_none());
            let mut empty = regular;
            empty[..n].fill(0.0);
            assert!(both(n, &empty).is_none());
        }
    }

    #[test]
    fn complex_pivots_that_cannot_be_squared_are_doubtful() {
        for unit in [1e-160, 1e-155, 1e155, 1e160] {
            let entries = [2.0, 1.0, 1.0, 3.0].map(|value| c64::new(value * unit, 0.5 * unit));
            assert!(!factored::<c64, 2>(2, &entries).1, "{unit:e}");
        }
    }

    #[test]
    fn without_unknowns_there_is_nothing_to_do() {
        let mut lu = ColumnLu::<2>::new(0);
        assert!(lu.factor_safely(&[], 1e-10));
        lu.solve([&mut [], &mut []]);
    }
}
