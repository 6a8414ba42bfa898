//! Factorization in vectors as wide as the processor's.

use super::{INVERTIBLE, MOST_GROWTH, Number, SquareLu};
use faer::c64;
use pulp::{Arch, Simd, WithSimd};

/// Numbers by their parts: one of a real number, two of a complex one.
pub(crate) trait Parts<const P: usize>: Number {
    fn parts(self) -> [f64; P];
    fn from_parts(parts: [f64; P]) -> Self;
}

impl Parts<1> for f64 {
    fn parts(self) -> [f64; 1] {
        [self]
    }

    fn from_parts([real]: [f64; 1]) -> Self {
        real
    }
}

impl Parts<2> for c64 {
    fn parts(self) -> [f64; 2] {
        [self.re, self.im]
    }

    fn from_parts([real, imaginary]: [f64; 2]) -> Self {
        Self::new(real, imaginary)
    }
}

/// Fewest unknowns that vectors pay for.
const FEWEST: usize = 4;

/// Widths of rows that there is code for.
const WIDTHS: [usize; 6] = [4, 8, 12, 16, 24, 32];

/// [`SquareLu::factor_safely`] in rows of a width that the compiler knows, for up to 32 unknowns. Pivots, factors and solutions are
/// the same bit by bit: no product is fused with a sum, and each entry is changed in the same order.
pub(crate) struct WideLu<N> {
    lu: SquareLu<N>,
    /// `None` for matrices that are too small or too large.
    elimination: Option<Box<dyn Eliminate<N>>>,
}

impl<N: Number> WideLu<N> {
    /// Memory for matrices of at most this size.
    pub fn new<const P: usize>(capacity: usize) -> Self
    where
        N: Parts<P>,
    {
        let width = WIDTHS.into_iter().find(|&width| capacity <= width);
        Self {
            lu: SquareLu::new(capacity),
            elimination: width.filter(|_| capacity >= FEWEST).map(new::<N, P>),
        }
    }

    /// As [`SquareLu::matrix_to_overwrite`].
    pub fn matrix_to_overwrite(&mut self, size: usize) -> &mut [N] {
        self.lu.matrix_to_overwrite(size)
    }

    /// As [`SquareLu::factor_safely`].
    pub fn factor_safely(&mut self, doubtful: f64) -> bool {
        match &mut self.elimination {
            Some(elimination) if self.lu.size >= FEWEST => {
                self.lu.factorizations += 1;
                elimination.factor(&mut self.lu, doubtful)
            }
            _ => self.lu.factor_safely(doubtful),
        }
    }

    /// Overwrites `b` by A⁻¹ b.
    pub fn solve(&mut self, b: &mut [N]) {
        self.lu.solve(b);
    }

    /// Factorizations and solves so far.
    pub fn work(&self) -> (usize, usize) {
        self.lu.work()
    }
}

/// What factorizes, whatever the width of its rows.
trait Eliminate<N>: Send + Sync {
    fn factor(&mut self, lu: &mut SquareLu<N>, doubtful: f64) -> bool;
}

fn new<N: Parts<P>, const P: usize>(width: usize) -> Box<dyn Eliminate<N>> {
    match width {
        4 => Box::new(Rows::<P, 4>::new()),
        8 => Box::new(Rows::<P, 8>::new()),
        12 => Box::new(Rows::<P, 12>::new()),
        16 => Box::new(Rows::<P, 16>::new()),
        24 => Box::new(Rows::<P, 24>::new()),
        _ => Box::new(Rows::<P, 32>::new()),
    }
}

/// A row of `W` numbers, part by part.
type Row<const P: usize, const W: usize> = [[f64; W]; P];

struct Rows<const P: usize, const W: usize> {
    arch: Arch,
    rows: [Row<P, W>; W],
}

impl<const P: usize, const W: usize> Rows<P, W> {
    fn new() -> Self {
        Self {
            arch: Arch::new(),
            rows: [[[0.0; W]; P]; W],
        }
    }
}

impl<N: Parts<P>, const P: usize, const W: usize> Eliminate<N> for Rows<P, W> {
    fn factor(&mut self, lu: &mut SquareLu<N>, doubtful: f64) -> bool {
        self.arch.dispatch(Job {
            rows: &mut self.rows,
            lu,
            doubtful,
        })
    }
}

/// What is compiled for several processors. (A closure would do, but is not always compiled for the processor.)
struct Job<'a, N, const P: usize, const W: usize> {
    rows: &'a mut [Row<P, W>; W],
    lu: &'a mut SquareLu<N>,
    doubtful: f64,
}

impl<N: Parts<P>, const P: usize, const W: usize> WithSimd for Job<'_, N, P, W> {
    type Output = bool;
    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) -> bool {
        let Self { rows, lu, doubtful } = self;
        let n = lu.size.min(W);
        let rows = &mut rows[..n];
        for (row, given) in rows.iter_mut().zip(lu.lu.chunks_exact(n)) {
            *row = [[0.0; W]; P];
            for (lane, entry) in given.iter().enumerate() {
                for (part, value) in row.iter_mut().zip(entry.parts()) {
                    part[lane] = value;
                }
            }
        }
        if !eliminate(rows, lu, doubtful) {
            return false;
        }
        for (row, out) in rows.iter().zip(lu.lu.chunks_exact_mut(n)) {
            for (lane, entry) in out.iter_mut().enumerate() {
                *entry = number(row, lane);
            }
        }
        true
    }
}

/// The number in a lane. (Mapping an array would copy the row.)
#[inline(always)]
fn number<N: Parts<P>, const P: usize, const W: usize>(row: &Row<P, W>, lane: usize) -> N {
    let mut parts = [0.0; P];
    for (part, values) in parts.iter_mut().zip(row) {
        *part = values[lane];
    }
    N::from_parts(parts)
}

/// Sizes of the numbers of a row, as [`Number::size`].
#[inline(always)]
fn sizes<const P: usize, const W: usize>(row: &Row<P, W>) -> [f64; W] {
    let mut sizes = [0.0; W];
    for part in row {
        for (size, value) in sizes.iter_mut().zip(part) {
            *size += value.abs();
        }
    }
    sizes
}

/// The largest of some sizes, in four lanes.
#[inline(always)]
fn largest<const W: usize>(sizes: &[f64; W]) -> f64 {
    let larger = |a: f64, b: f64| if a > b { a } else { b };
    let mut lanes = [0.0; 4];
    for four in sizes.as_chunks::<4>().0 {
        for lane in 0..4 {
            lanes[lane] = larger(four[lane], lanes[lane]);
        }
    }
    larger(larger(lanes[0], lanes[1]), larger(lanes[2], lanes[3]))
}

/// `row -= factor * upper`, with the roundings of the numbers' own products.
#[inline(always)]
fn subtract<const P: usize, const W: usize>(
    row: &mut Row<P, W>,
    factor: [f64; P],
    upper: &Row<P, W>,
) {
    for lane in 0..W {
        if P == 1 {
            row[0][lane] -= factor[0] * upper[0][lane];
        } else {
            row[0][lane] -= factor[0] * upper[0][lane] - factor[1] * upper[1][lane];
            row[1][lane] -= factor[0] * upper[1][lane] + factor[1] * upper[0][lane];
        }
    }
}

/// Leaves the factors in the rows, their order and inverse pivots in `lu`; false as [`SquareLu::factor_safely`].
#[inline(always)]
fn eliminate<N: Parts<P>, const P: usize, const W: usize>(
    rows: &mut [Row<P, W>],
    lu: &mut SquareLu<N>,
    doubtful: f64,
) -> bool {
    let n = rows.len();
    let (source, scale) = (&mut lu.source[..n], &mut lu.scale[..n]);
    // Sizes of columns when rows are of unit size.
    let mut columns = [0.0; W];
    // NaN where something is not finite: comparisons alone would not see it everywhere.
    let mut zeros = [0.0; W];
    for (i, row) in rows.iter().enumerate() {
        let sizes = sizes(row);
        let inverse = 1.0 / largest(&sizes);
        for lane in 0..W {
            let size = sizes[lane] * inverse;
            columns[lane] = if size > columns[lane] {
                size
            } else {
                columns[lane]
            };
            zeros[lane] += 0.0 * sizes[lane];
        }
        (source[i], scale[i]) = (i, inverse);
    }
    if zeros.iter().any(|zero| zero.is_nan()) {
        return false;
    }
    for k in 0..n {
        let (mut pivot_row, mut size) = (k, -1.0);
        for i in k..n {
            let entry: N = number(&rows[i], k);
            let candidate = entry.size() * scale[i];
            if candidate > size {
                (pivot_row, size) = (i, candidate);
            }
        }
        // Written so that NaN counts as doubtful.
        if !(size > doubtful * columns[k] && size < f64::INFINITY) {
            return false;
        }
        if pivot_row != k {
            rows.swap(k, pivot_row);
            source.swap(k, pivot_row);
            scale.swap(k, pivot_row);
        }
        let (head, lower) = rows.split_at_mut(k + 1);
        let mut upper = head[k];
        let pivot: N = number(&upper, k);
        if !INVERTIBLE.contains(&pivot.size()) {
            return false;
        }
        let inverse = N::one() / pivot;
        lu.inverse_pivot[k] = inverse;
        // Factors in front of the pivot are left alone.
        for part in &mut upper {
            for (lane, value) in part.iter_mut().enumerate() {
                *value = if lane > k { *value } else { 0.0 };
            }
        }
        for row in lower {
            let factor = number::<N, P, W>(row, k) * inverse;
            if !factor.is_zero() {
                subtract(row, factor.parts(), &upper);
            }
            for (part, value) in row.iter_mut().zip(factor.parts()) {
                part[k] = value;
            }
        }
    }
    // Columns of U beside those of A, rows of unit size: `scale` has moved with its rows.
    let mut small = true;
    for (k, (row, scale)) in rows.iter().zip(scale).enumerate() {
        let sizes = sizes(row);
        for lane in 0..W {
            // Written so that NaN is a failure.
            small &= (sizes[lane] * *scale <= MOST_GROWTH * columns[lane]) | (lane < k);
        }
    }
    small
}

#[cfg(test)]
mod tests {
    use super::*;

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

    /// Both factorizations: verdict, factors and a solution.
    fn both<N: Parts<P> + PartialEq + std::fmt::Debug, const P: usize>(
        n: usize,
        entries: &[N],
    ) -> bool {
        let (mut wide, mut plain) = (WideLu::<N>::new(n), SquareLu::<N>::new(n));
        wide.matrix_to_overwrite(n).copy_from_slice(entries);
        plain.matrix_to_overwrite(n).copy_from_slice(entries);
        let verdict = plain.factor_safely(1e-10);
        assert_eq!(wide.factor_safely(1e-10), verdict, "{n}: {entries:?}");
        if verdict {
            let mut right = entries[..n].to_vec();
            let mut expected = right.clone();
            wide.solve(&mut right);
            plain.solve(&mut expected);
            assert_eq!(right, expected, "{n}");
            assert_eq!(wide.lu.lu, plain.lu, "{n}");
        }
        verdict
    }

    #[test]
    fn rows_in_vectors_give_the_same_factors() {
        let (mut safe, mut doubtful) = (0, 0);
        for n in 1..=34 {
            for seed in 0..20 {
                let values = numbers(100 * seed + n as u64, 2 * n * n);
                let complex: Vec<c64> = (values.as_chunks::<2>().0.iter())
                    .map(|&[re, im]| c64::new(re, im))
                    .collect();
                for verdict in [both(n, &values[..n * n]), both(n, &complex)] {
                    *(if verdict { &mut safe } else { &mut doubtful }) += 1;
                }
            }
        }
        assert!(safe > 1000 && doubtful > 0, "{safe} {doubtful}");
    }

    #[test]
    fn what_is_singular_or_not_finite_is_doubtful() {
        for n in [4, 5, 8, 13] {
            let regular = numbers(7, n * n).into_iter().enumerate();
            let regular: Vec<f64> = regular
                .map(|(at, value)| value + if at % (n + 1) == 0 { 1e4 } else { 0.0 })
                .collect();
            assert!(both(n, &regular));
            for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e308] {
                let mut matrix = regular.clone();
                matrix[n + 2] = bad;
                assert!(!both(n, &matrix) || bad == 1e308, "{n} {bad}");
            }
            let mut twice = regular.clone();
            twice.copy_within(..n, n);
            assert!(!both(n, &twice));
            let mut empty = regular;
            empty[..n].fill(0.0);
            assert!(!both(n, &empty));
        }
    }
}
