//! Jobs that contain solutions, and are compiled with them.

use super::dispatch::{by_size, run};
use super::lanes::read;
use super::{ColumnSolver, Factors};
use pulp::{Simd, WithSimd};

impl<const P: usize> ColumnSolver<P> {
    /// Overwrites `b`, part by part, by A⁻¹ b.
    #[inline]
    pub fn solve(&mut self, b: [&mut [f64]; P]) {
        self.around(OneAlone { b });
    }

    /// Runs a job that contains solutions.
    #[inline]
    pub fn around<J: FusedSolve<P>>(&mut self, job: J) -> J::Output {
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

/// A job that contains solutions with one matrix, and is compiled with them as [`AroundBoth`].
pub(crate) trait FusedSolve<const P: usize> {
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
    /// How many numbers a column has, as [`column_length`](super::column_length) says.
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

/// A job, and the factors that it solves with.
struct AroundOneOf<'a, const P: usize, J> {
    factors: &'a mut Factors<P>,
    solves: &'a mut usize,
    job: J,
}

impl<const P: usize, J: FusedSolve<P>> WithSimd for AroundOneOf<'_, P, J> {
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

impl<const P: usize> FusedSolve<P> for OneAlone<'_, P> {
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
    /// How many numbers a column has, as [`column_length`](super::column_length) says.
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
        let inverted = !(self.real.inverse.is_empty() || self.complex.inverse.is_empty());
        if size == 0 || inverted || self.real.blocks.is_some() {
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
