//! LU of small matrices column by column, in vectors as wide as the processor's.

mod elimination;
mod lanes;
mod substitution;
#[cfg(test)]
mod tests;

use super::parts::Parts;
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
        let size = factors.size;
        let job = Factorization {
            factors,
            sum,
            doubtful,
        };
        size == 0 || run(self.arch, size, job)
    }

    /// Overwrites `b`, part by part, by A⁻¹ b.
    pub fn solve(&mut self, b: [&mut [f64]; P]) {
        self.solves += 1;
        let factors = &mut self.factors;
        let size = factors.size;
        if size > 0 {
            run(self.arch, size, Solution { factors, b });
        }
    }
}

/// Does it in vectors as wide as the processor's, where there are enough unknowns.
#[inline(always)]
fn run<J: WithSimd>(arch: Arch, size: usize, job: J) -> J::Output {
    if size < FEWEST {
        job.with_simd(Scalar::new())
    } else {
        arch.dispatch(job)
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
    let size = job.real.size;
    if size > 0 {
        run(real.arch, size, job);
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
