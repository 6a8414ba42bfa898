//! Small matrices column by column, in vectors as wide as the processor's: inverses of the smallest, LU of the others.

mod assembly;
mod cofactors;
mod elimination;
#[cfg(test)]
mod example;
mod inverse;
mod lanes;
mod saddle;
mod substitution;
#[cfg(test)]
mod tests;

use super::parts::Parts;
use assembly::Assembly;
#[cfg(test)]
pub(crate) use example::{example_column, example_solver};
use inverse::Inverse;
use lanes::LaneMasks;
pub(crate) use lanes::slices;
use pulp::{Arch, Scalar, Simd, WithSimd};
pub(crate) use saddle::{SaddleShape, SaddleSolver};

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

/// Solves with a real (`P = 1`) or complex (`P = 2`) matrix of a fixed size: by its inverse as far as [`Inverted`] says, by
/// `P A = L U` beyond, with the pivots of [`SquareLu`](super::SquareLu) and the same factors bit by bit: no product is fused with a sum, and each
/// entry is changed in the same order.
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
        let matrix = || vec![0.0; many * P * stride];
        let lanes = || vec![0.0; stride];
        Self {
            size,
            stride,
            inverse: Inverse::new(few, stride),
            upper: matrix(),
            lower: matrix(),
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

    /// Overwrites `b`, part by part, by A⁻¹ b.
    #[inline]
    pub fn solve(&mut self, b: [&mut [f64]; P]) {
        self.around(OneAlone { b });
    }

    /// Runs a job that contains solutions.
    #[inline]
    pub fn around<J: AroundOne<P>>(&mut self, job: J) -> J::Output {
        let (factors, solves) = (&mut self.factors, &mut self.solves);
        let size = factors.size;
        let job = AroundOneOf {
            factors,
            solves,
            job,
        };
        run(self.arch, size, job)
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
pub(crate) fn solve_both(
    real: &mut ColumnSolver<1>,
    complex: &mut ColumnSolver<2>,
    b: [&mut [f64]; 3],
) {
    around_both(real, complex, Alone { b });
}

/// Runs a job that contains one solution with a real and a complex matrix of one size.
pub(crate) fn around_both<J: AroundBoth>(
    real: &mut ColumnSolver<1>,
    complex: &mut ColumnSolver<2>,
    job: J,
) -> J::Output {
    debug_assert_eq!(real.factors.size, complex.factors.size);
    real.solves += 1;
    complex.solves += 1;
    let (arch, size) = (real.arch, real.factors.size);
    let job = Around {
        real: &mut real.factors,
        complex: &mut complex.factors,
        job,
    };
    run(arch, size, job)
}

/// The first numbers of a list, by value: lists that are written may be lists that are read, for all the compiler knows.
#[inline(always)]
fn read<const N: usize>(list: &[f64]) -> [f64; N] {
    let mut numbers = [0.0; N];
    numbers.copy_from_slice(&list[..N]);
    numbers
}

#[inline(always)]
fn read_parts<const N: usize, const P: usize>(lists: &[&mut [f64]; P]) -> [[f64; N]; P] {
    lists.each_ref().map(|list| read(list))
}

#[inline(always)]
fn write_parts<const N: usize, const P: usize>(numbers: [[f64; N]; P], lists: [&mut [f64]; P]) {
    for (list, numbers) in lists.into_iter().zip(numbers) {
        list[..N].copy_from_slice(&numbers);
    }
}

/// A job that contains solutions with one matrix, and is compiled with them as [`AroundBoth`].
pub(crate) trait AroundOne<const P: usize> {
    /// What comes of it.
    type Output;

    /// Does the job for one, two or three unknowns: the numbers of a solution stay in registers.
    fn run_few<const N: usize>(self, one: One<P>) -> Self::Output;

    /// The same for any other number of them.
    fn run<S: Simd>(self, simd: S, one: One<P>) -> Self::Output;
}

/// The factors of a matrix.
pub(crate) struct One<'a, const P: usize> {
    factors: &'a mut Factors<P>,
    solves: &'a mut usize,
    size: usize,
    /// How many numbers a column has, as [`column_length`] says.
    pub stride: usize,
}

impl<const P: usize> One<'_, P> {
    /// The solution for a right-hand side of as many numbers as there are unknowns, at most three.
    #[inline(always)]
    pub fn solve_few<const N: usize>(&mut self, b: [[f64; N]; P]) -> [[f64; N]; P] {
        *self.solves += 1;
        self.factors.inverse.multiply_few(b)
    }

    /// Overwrites the parts of a right-hand side with those of the solution.
    #[inline(always)]
    pub fn solve<S: Simd>(&mut self, simd: S, b: [&mut [f64]; P]) {
        *self.solves += 1;
        self.factors.solve(simd, (self.size, self.stride), b);
    }
}

/// A job that contains one solution with a real and a complex matrix: what comes before and behind the solution is compiled with it,
/// for vectors as wide as the processor's, and for each size of short columns.
pub(crate) trait AroundBoth {
    /// What comes of it.
    type Output;

    /// Does the job for one, two or three unknowns, in which it solves once: the numbers stay in registers.
    fn run_few<const N: usize>(self, pair: Pair) -> Self::Output;

    /// The same for any other number of them.
    fn run<S: Simd>(self, simd: S, pair: Pair) -> Self::Output;
}

/// The factors of a real and of a complex matrix of one size.
pub(crate) struct Pair<'a> {
    real: &'a mut Factors<1>,
    complex: &'a mut Factors<2>,
    size: usize,
    /// How many numbers a column has, as [`column_length`] says.
    pub stride: usize,
}

impl Pair<'_> {
    /// The solutions for right-hand sides of as many numbers as there are unknowns, at most three.
    #[inline(always)]
    pub fn solve_few<const N: usize>(self, [real, first, second]: [[f64; N]; 3]) -> [[f64; N]; 3] {
        let [real] = self.real.inverse.multiply_few([real]);
        let [first, second] = self.complex.inverse.multiply_few([first, second]);
        [real, first, second]
    }

    /// Overwrites the right-hand side of the real system, and the parts of that of the complex one, with the solutions.
    #[inline(always)]
    pub fn solve<S: Simd>(self, simd: S, [first, second, third]: [&mut [f64]; 3]) {
        let (size, stride) = (self.size, self.stride);
        let (mut one, mut two) = ([first], [second, third]);
        if !(self.real.inverse.is_empty() || self.complex.inverse.is_empty()) {
            // One after the other: the processor finds by itself what does not have to wait.
            self.real.solve(simd, (size, stride), one);
            return self.complex.solve(simd, (size, stride), two);
        }
        let mut real = self.real.begin((size, stride), &one);
        let mut complex = self.complex.begin((size, stride), &two);
        for k in 0..size - 1 {
            real.forward(simd, k, stride);
            complex.forward(simd, k, stride);
        }
        for k in (0..size).rev() {
            real.backward(simd, (k, stride), &mut one);
            complex.backward(simd, (k, stride), &mut two);
        }
    }
}

/// Calls with the size of a matrix, which the compiler knows up to three unknowns, or with it and the stride of its columns, which the
/// compiler knows where they are short.
macro_rules! by_size {
    ($factors:expr, |$few:ident| $call_few:expr, |$size:ident, $stride:ident| $call:expr) => {
        match ($factors.size, $factors.stride) {
            (1, _) => {
                const $few: usize = 1;
                $call_few
            }
            (2, _) => {
                const $few: usize = 2;
                $call_few
            }
            (3, _) => {
                const $few: usize = 3;
                $call_few
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
                factors.eliminate(simd, (size, stride), doubtful)
            }
        )
    }
}

/// A job, and the factors that it solves with.
struct AroundOneOf<'a, const P: usize, J> {
    factors: &'a mut Factors<P>,
    solves: &'a mut usize,
    job: J,
}

impl<const P: usize, J: AroundOne<P>> WithSimd for AroundOneOf<'_, P, J> {
    type Output = J::Output;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> J::Output {
        let Self {
            factors,
            solves,
            job,
        } = self;
        let one = |size, stride, factors, solves| One {
            factors,
            solves,
            size,
            stride,
        };
        by_size!(
            factors,
            |N| job.run_few::<N>(one(N, N, factors, solves)),
            |size, stride| job.run(simd, one(size, stride, factors, solves))
        )
    }
}

/// The job that is a solution and nothing else.
struct OneAlone<'a, const P: usize> {
    b: [&'a mut [f64]; P],
}

impl<const P: usize> AroundOne<P> for OneAlone<'_, P> {
    type Output = ();

    #[inline(always)]
    fn run_few<const N: usize>(self, mut one: One<P>) {
        let solution = one.solve_few::<N>(read_parts(&self.b));
        write_parts(solution, self.b);
    }

    #[inline(always)]
    fn run<S: Simd>(self, simd: S, mut one: One<P>) {
        one.solve(simd, self.b);
    }
}

/// A job, and both factors that it solves with.
struct Around<'a, J> {
    real: &'a mut Factors<1>,
    complex: &'a mut Factors<2>,
    job: J,
}

impl<J: AroundBoth> WithSimd for Around<'_, J> {
    type Output = J::Output;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> J::Output {
        let Self { real, complex, job } = self;
        let pair = |size, stride, real, complex| Pair {
            real,
            complex,
            size,
            stride,
        };
        by_size!(
            real,
            |N| job.run_few::<N>(pair(N, N, real, complex)),
            |size, stride| job.run(simd, pair(size, stride, real, complex))
        )
    }
}

/// The job that is a solution and nothing else.
struct Alone<'a> {
    b: [&'a mut [f64]; 3],
}

impl AroundBoth for Alone<'_> {
    type Output = ();

    #[inline(always)]
    fn run_few<const N: usize>(self, pair: Pair) {
        let solution = pair.solve_few::<N>(read_parts(&self.b));
        write_parts(solution, self.b);
    }

    #[inline(always)]
    fn run<S: Simd>(self, simd: S, pair: Pair) {
        pair.solve(simd, self.b);
    }
}
