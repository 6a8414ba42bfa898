//! Solutions by groups of velocities that are eliminated beside their constraints.

use super::reduction::{give, take};
use super::{DOUBTFUL, Factored, Parameters, Small};
use crate::integrator::shared::implicit::newton_matrix_small::Condensed;
use crate::linalg::{Parts, SaddleShape, SaddleSolver, column_length};
use pulp::{Arch, Simd, WithSimd};

/// The first solution with new factors may miss a constraint row by this part of its terms. Corrections of an iteration need no more
/// digits, and the estimate of a step needs fewer.
const ALLOWED: f64 = 1e-6;

/// After so many matrices in a row that need other pivots the others are not tried.
const MOST_FAILURES: usize = 3;

/// Factors of a saddle-point matrix with small groups of velocities, tried before those of the dense matrix.
pub(super) struct Grouped<const P: usize> {
    solver: SaddleSolver<P>,
    /// The dense matrix, part by part, where that is needed.
    dense: [Vec<f64>; P],
    /// A right-hand side, while its solution is measured.
    right: [Vec<f64>; P],
    /// Whether a solution with these factors has been measured.
    proven: bool,
    failures: usize,
}

impl<const P: usize> Grouped<P> {
    /// Memory for matrices of this shape and size.
    pub fn new(shape: &SaddleShape, size: usize) -> Self {
        let vectors = |length: usize| std::array::from_fn(|_| vec![0.0; length]);
        Self {
            solver: SaddleSolver::new(shape),
            dense: vectors(size * column_length(size)),
            right: vectors(shape.vector_length()),
            proven: false,
            failures: 0,
        }
    }

    /// Factorizations and solves so far.
    pub fn work(&self) -> (usize, usize) {
        self.solver.work()
    }

    /// Factorizes a sum as [`SaddleSolver::factor`]; false if that is not the way.
    pub fn factor(
        &mut self,
        shape: &SaddleShape,
        terms: &[(Parts<P>, &[f64])],
        transposed: &[f64],
    ) -> bool {
        self.proven = false;
        if self.failures >= MOST_FAILURES {
            self.solver.add_up(shape, terms);
            return false;
        }
        let safe = self.solver.factor(shape, terms, transposed);
        self.failures += usize::from(!safe);
        safe
    }

    /// Writes the dense matrix.
    fn expand(&mut self, shape: &SaddleShape, transposed: &[f64]) {
        for (part, matrix) in self.dense.iter_mut().enumerate() {
            let values = self.solver.values(shape, part);
            shape.expand(values, (part == 0).then_some(transposed), matrix);
        }
    }

    /// The dense matrix as a sum of its parts, times 1 and times i.
    fn terms(&self) -> [(Parts<P>, &[f64]); P] {
        let mut terms = self.dense.each_ref().map(|part| ([0.0; P], &part[..]));
        for (part, (factor, _)) in terms.iter_mut().enumerate() {
            factor[part] = 1.0;
        }
        terms
    }
}

impl<const P: usize> Small<P> {
    /// What the processor can do, if the factors are those of groups.
    pub(super) fn grouped_arch(&self) -> Option<Arch> {
        let grouped = self.grouped.as_ref()?;
        (self.factored == Factored::Grouped).then_some(grouped.solver.arch())
    }

    /// Overwrites a right-hand side of the matrix with the solution by the factors of groups.
    #[inline(always)]
    fn solve_grouped<S: Simd>(&mut self, simd: S, condensed: &Condensed) {
        if let (Some(grouped), Some((shape, transposed))) = (&mut self.grouped, condensed.saddle())
        {
            let z = self.z.each_mut().map(Vec::as_mut_slice);
            grouped.solver.solve(simd, shape, transposed, z);
        }
    }

    /// The same, the first solution being measured: where it misses constraint rows the dense matrix takes its place, if that has
    /// factors.
    #[inline(always)]
    fn solve_and_measure<S: Simd>(&mut self, simd: S, condensed: &Condensed) {
        let Some(grouped) = self.grouped.as_mut().filter(|grouped| !grouped.proven) else {
            return self.solve_grouped(simd, condensed);
        };
        for (right, z) in grouped.right.iter_mut().zip(&self.z) {
            right.copy_from_slice(z);
        }
        self.solve_grouped(simd, condensed);
        self.measure(condensed);
    }

    #[inline(never)]
    fn measure(&mut self, condensed: &Condensed) {
        let (Some(grouped), Some((shape, _))) = (&mut self.grouped, condensed.saddle()) else {
            return;
        };
        let x = self.z.each_ref().map(Vec::as_slice);
        let right = grouped.right.each_ref().map(Vec::as_slice);
        grouped.proven = true;
        // NaN is a failure, too.
        if grouped.solver.violation(shape, &x, &right) <= ALLOWED {
            grouped.failures = 0;
            return;
        }
        if self.leave_groups(condensed)
            && let Some(grouped) = &self.grouped
        {
            for (z, right) in self.z.iter_mut().zip(&grouped.right) {
                z.copy_from_slice(right);
            }
            self.lu.solve(self.z.each_mut().map(Vec::as_mut_slice));
        }
    }

    /// Takes over what a system with the same groups has shown.
    fn follow<const Q: usize>(&mut self, other: &Small<Q>) {
        if let (Some(own), Some(other)) = (&mut self.grouped, &other.grouped) {
            (own.proven, own.failures) = (other.proven, other.failures);
        }
    }

    /// Factorizes the dense matrix, and says whether that is used from now on.
    fn leave_groups(&mut self, condensed: &Condensed) -> bool {
        if let Some(grouped) = &mut self.grouped {
            grouped.failures += 1;
        }
        let safe = self.factor_dense(condensed);
        if safe {
            self.factored = Factored::Dense;
        }
        safe
    }

    /// Factorizes the dense matrix of what was last tried by groups; false if that is in doubt, too.
    pub(super) fn factor_dense(&mut self, condensed: &Condensed) -> bool {
        let (Some(grouped), Some((shape, transposed))) = (&mut self.grouped, condensed.saddle())
        else {
            return false;
        };
        grouped.expand(shape, transposed);
        self.lu.factor_safely(&grouped.terms(), DOUBTFUL)
    }
}

/// A solution by the factors of groups: all of it is compiled for vectors as wide as the processor's.
pub(super) struct SolveGrouped<'a, const P: usize> {
    pub small: &'a mut Small<P>,
    pub system: Parameters<'a>,
    pub r: [&'a mut [f64]; P],
}

impl<const P: usize> WithSimd for SolveGrouped<'_, P> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self {
            small,
            system,
            mut r,
        } = self;
        small.reduce(system, &r);
        small.solve_and_measure(simd, system.condensed);
        small.expand(system, &mut r);
    }
}

/// A job that contains a solution with a real and a complex system by the factors of groups: what comes before and behind is compiled
/// with it, for vectors as wide as the processor's.
pub(crate) trait AroundGrouped {
    /// What comes of it.
    type Output;

    /// Does the job, in which it solves once.
    fn run<S: Simd>(self, simd: S, pair: GroupedPair) -> Self::Output;
}

/// A real and a complex system with factors of groups.
pub(crate) struct GroupedPair<'a> {
    real: &'a mut Small<1>,
    complex: &'a mut Small<2>,
    system: Parameters<'a>,
}

impl GroupedPair<'_> {
    /// Overwrites the right-hand side of the real system, and the parts of that of the complex one, with the solutions.
    #[inline(always)]
    pub fn solve<S: Simd>(self, simd: S, [first, second, third]: [&mut [f64]; 3]) {
        let Self {
            real,
            complex,
            system,
        } = self;
        let (mut one, mut two) = ([first], [second, third]);
        real.begin(system, &one);
        complex.begin(system, &two);
        // One matrix serves three right-hand sides.
        let ([z], [re, im]) = (&mut real.z, &mut complex.z);
        let y = [&*one[0], &*two[0], &*two[1]];
        take(system, y, [z, re, im]);
        let shift = [&real.shift[0][..], &complex.shift[0], &complex.shift[1]];
        system.add_known(y, shift, [z, re, im]);
        real.scale_rows(system.condensed);
        complex.scale_rows(system.condensed);
        // What the real solution shows holds for the complex one, whose groups are the same at another α.
        real.solve_and_measure(simd, system.condensed);
        if real.factored == Factored::Dense && complex.leave_groups(system.condensed) {
            complex
                .lu
                .solve(complex.z.each_mut().map(Vec::as_mut_slice));
        } else {
            complex.follow(real);
            complex.solve_grouped(simd, system.condensed);
        }
        let z = [&real.z[0][..], &complex.z[0], &complex.z[1]];
        let ([first], [second, third]) = (&mut one, &mut two);
        give(system.condensed, z, [first, second, third]);
        real.expand_motion(system, &mut one);
        complex.expand_motion(system, &mut two);
    }
}

/// A job, and the systems that it solves.
struct Around<'a, J> {
    pair: GroupedPair<'a>,
    job: J,
}

impl<J: AroundGrouped> WithSimd for Around<'_, J> {
    type Output = J::Output;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> J::Output {
        self.job.run(simd, self.pair)
    }
}

/// Runs a job around a solution with a real and a complex system with the same derivatives, if both have factors of groups.
#[inline]
pub(in crate::integrator::shared::implicit) fn around_grouped<J: AroundGrouped>(
    real: &mut Small<1>,
    complex: &mut Small<2>,
    system: Parameters,
    job: J,
) -> Option<J::Output> {
    let arch = real.grouped_arch()?;
    complex.grouped_arch()?;
    let pair = GroupedPair {
        real,
        complex,
        system,
    };
    Some(arch.dispatch(Around { pair, job }))
}
