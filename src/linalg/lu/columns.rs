//! Small matrices column by column, in vectors as wide as the processor's: inverses of the smallest, LU of the others.

mod assembly;
mod blocks;
mod cofactors;
mod dispatch;
mod elimination;
#[cfg(test)]
mod example;
mod fused_solve;
mod inverse;
mod lanes;
mod saddle;
mod substitution;
#[cfg(test)]
mod tests;

use super::parts::Parts;
use assembly::Assembly;
use blocks::Blocks;
pub(crate) use dispatch::column_length;
use dispatch::{FEWEST, by_size, run};
#[cfg(test)]
pub(crate) use example::{example_column, example_solver};
pub(crate) use fused_solve::{AroundBoth, FusedSolve, One, Pair, around_both, solve_both};
use inverse::Inverse;
use lanes::LaneMasks;
pub(crate) use lanes::slices;
use pulp::{Arch, Simd, WithSimd};
pub(crate) use saddle::{SaddleShape, SaddleSolver};

/// How many unknowns a matrix may have to be inverted.
///
/// Substitution waits for each unknown before the next one; a product with the inverse does not, but the inverse takes longer to find
/// than factors. Up to three unknowns it comes from cofactors, and is better always.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inverted {
    /// For matrices that serve three solutions or more.
    UpToEight,
    /// For a real and a complex matrix whose substitutions take turns: neither has to wait where the other one does.
    UpToThree,
}

/// Solves with a real (`P = 1`) or complex (`P = 2`) matrix of a fixed size: by its inverse as far as [`Inverted`]
/// says, by `P A = L U` beyond, with the pivots of [`SquareLu`](super::SquareLu) and the same factors bit by bit: no
/// product is fused with a sum, and each entry is changed in the same order. Large matrices are factorized by blocks.
///
/// An inverse makes errors of the size of those of ill-conditioned factors: it is for corrections of an iteration, which are measured
/// by the equations.
///
/// Columns are padded with zeros to [`column_length`]; the imaginary part of one follows its real part.
pub(crate) struct ColumnSolver<const P: usize> {
    arch: Arch,
    factors: Factors<P>,
    factorizations: usize,
    solves: usize,
}

struct Factors<const P: usize> {
    size: usize,
    stride: usize,
    inverse: Inverse<P>,
    /// The factors of a large matrix, in place of `lower` and `upper`.
    blocks: Option<Box<Blocks>>,
    /// U without its diagonal; the matrix before it is factorized.
    upper: Vec<f64>,
    /// L without its diagonal.
    lower: Vec<f64>,
    /// Which row of the matrix became which.
    source: Vec<usize>,
    inverse_pivot: Vec<Parts<P>>,
    masks: LaneMasks,
    /// Inverse sizes of the rows, and the sizes of columns when rows are of unit size.
    scale: Vec<f64>,
    column_size: Vec<f64>,
    /// For a column.
    sizes: Vec<f64>,
    work: Vec<f64>,
}

impl<const P: usize> Factors<P> {
    fn new(size: usize, inverted: Inverted) -> Self {
        let stride = column_length(size);
        let most = match inverted {
            Inverted::UpToEight => 8,
            Inverted::UpToThree => FEWEST - 1,
        };
        // One of both is empty.
        let (few, many) = if size <= most { (size, 0) } else { (0, size) };
        let matrix = |size: usize| vec![0.0; size * P * stride];
        let blocks = Blocks::new(many, P);
        let by_columns = if blocks.is_some() { 0 } else { many };
        let lanes = || vec![0.0; stride];
        Self {
            size,
            stride,
            inverse: Inverse::new(few, stride),
            blocks,
            upper: matrix(many),
            lower: matrix(by_columns),
            source: vec![0; stride],
            inverse_pivot: vec![[0.0; P]; size],
            masks: LaneMasks::new(stride),
            scale: lanes(),
            column_size: vec![0.0; size],
            sizes: lanes(),
            work: vec![0.0; P * stride],
        }
    }

    /// Overwrites the parts of a right-hand side with those of the solution.
    #[inline(always)]
    fn solve<S: Simd>(&mut self, simd: S, (size, stride): (usize, usize), mut b: [&mut [f64]; P]) {
        if size == 0 {
            return;
        }
        if !self.inverse.is_empty() {
            return self.inverse.multiply(simd, stride, &mut b);
        }
        if let Some(blocks) = &mut self.blocks {
            return blocks.solve(&mut b);
        }
        let mut system = self.begin((size, stride), &b);
        for k in 0..size - 1 {
            system.forward(simd, k, stride);
        }
        for k in (0..size).rev() {
            system.backward(simd, (k, stride), &mut b);
        }
    }
}

impl<const P: usize> ColumnSolver<P> {
    /// Memory for matrices of this size.
    pub fn new(size: usize, inverted: Inverted) -> Self {
        Self {
            arch: Arch::new(),
            factors: Factors::new(size, inverted),
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
    /// lose digits; up to three unknowns, if the determinant is below that part of its products.
    #[inline]
    pub fn factor_safely(&mut self, sum: &[(Parts<P>, &[f64])], doubtful: f64) -> bool {
        self.factor(Assembly::Sum(sum), doubtful)
    }

    /// The same for α I + A, of a real matrix A by padded columns.
    #[inline]
    pub fn factor_shifted(&mut self, alpha: Parts<P>, matrix: &[f64], doubtful: f64) -> bool {
        self.factor(Assembly::Shifted(alpha, matrix), doubtful)
    }

    fn factor(&mut self, assembly: Assembly<P>, doubtful: f64) -> bool {
        self.factorizations += 1;
        let factors = &mut self.factors;
        let size = factors.size;
        let job = Factorization {
            factors,
            assembly,
            doubtful,
        };
        size == 0 || run(self.arch, size, job)
    }
}

/// A matrix that is put together and factorized.
struct Factorization<'a, const P: usize> {
    factors: &'a mut Factors<P>,
    assembly: Assembly<'a, P>,
    doubtful: f64,
}

impl<const P: usize> WithSimd for Factorization<'_, P> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> bool {
        let Self {
            factors,
            assembly,
            doubtful,
        } = self;
        by_size!(
            factors,
            |N| factors.inverse.invert_few(&assembly.rows::<N>(), doubtful),
            |size, stride| {
                if !factors.inverse.is_empty() {
                    let matrix = factors.inverse.columns();
                    assembly.write(simd, (size, stride), matrix);
                    return factors.inverse.invert(simd, stride, doubtful);
                }
                assembly.write(simd, (size, stride), &mut factors.upper);
                match &mut factors.blocks {
                    Some(blocks) => blocks.factor(&factors.upper, stride, doubtful),
                    None => factors.eliminate(simd, (size, stride), doubtful),
                }
            }
        )
    }
}
