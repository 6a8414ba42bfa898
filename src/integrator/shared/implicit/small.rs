//! Small systems (α B - ∂F/∂y) δ = r with a real or complex α, by groups of velocities beside their constraints, or factorized as they
//! are.

mod grouped;
mod reduction;

use super::form::Form;
use super::newton_matrix_small::{Condensed, POWERS};
use super::{Kinematics, Unknowns};
use crate::linalg::{
    AroundBoth, ColumnSolver, FusedSolve, Inverted, KktError, Parts, around_both, product,
    reciprocal, solve_both,
};
use crate::system::Layout;
pub(super) use grouped::around_grouped;
pub(crate) use grouped::{AroundGrouped, GroupedPair};
use grouped::{Grouped, SolveGrouped};
use reduction::{give, take};

/// Pivots below this part of their column, rows and columns of unit size, are left to the solver that decides about rank. It
/// draws the line at 1e-12.
const DOUBTFUL: f64 = 1e-10;

/// What a system is made of.
#[derive(Clone, Copy)]
pub(super) struct Parameters<'a> {
    pub condensed: &'a Condensed,
    pub unknowns: &'a Unknowns,
    pub kinematics: &'a Kinematics,
}

impl Parameters<'_> {
    /// As [`Condensed::add_known`], where there are velocities.
    #[inline(always)]
    fn add_known<const N: usize>(self, y: [&[f64]; N], shift: [&[f64]; N], z: [&mut [f64]; N]) {
        if !self.unknowns.u().is_empty() {
            self.condensed.add_known(self.unknowns, y, shift, z);
        }
    }
}

/// Which factors can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Factored {
    No,
    Dense,
    Grouped,
}

/// The factors of a small matrix, real (`P = 1`) or complex (`P = 2`). Vectors stand part by part.
pub(super) struct Small<const P: usize> {
    lu: ColumnSolver<P>,
    grouped: Option<Grouped<P>>,
    alpha: Parts<P>,
    inverse: Parts<P>,
    /// What position rows and velocity rows are multiplied by.
    scales: [Parts<P>; 2],
    /// The unknowns of the matrix.
    z: [Vec<f64>; P],
    /// What is known of -δu.
    shift: [Vec<f64>; P],
    /// P times a vector.
    turned: [Vec<f64>; P],
    factored: Factored,
}

impl<const P: usize> Small<P> {
    /// Memory for the matrices of a layout.
    pub fn new(layout: &Layout, unknowns: &Unknowns, inverted: Inverted) -> Result<Self, KktError> {
        let size = unknowns.matrix_size();
        let vectors = |length: usize| std::array::from_fn(|_| vec![0.0; length]);
        let mut one = [0.0; P];
        one[0] = 1.0;
        let form = Form::new(layout, unknowns)?;
        let grouped = form.saddle().map(|shape| Grouped::new(shape, size));
        Ok(Self {
            lu: ColumnSolver::new(size, inverted),
            grouped,
            alpha: one,
            inverse: one,
            scales: [one; 2],
            z: vectors(form.vector_length(size)),
            shift: vectors(unknowns.u().len()),
            turned: vectors(unknowns.u().len()),
            factored: Factored::No,
        })
    }

    /// Factorizations and solves so far.
    pub fn work(&self) -> (usize, usize) {
        let dense = self.lu.work();
        let grouped = self.grouped.as_ref().map_or((0, 0), Grouped::work);
        (dense.0 + grouped.0, dense.1 + grouped.1)
    }

    /// Whether the factors are those of groups of velocities.
    #[cfg(test)]
    pub fn is_grouped(&self) -> bool {
        self.factored == Factored::Grouped
    }

    /// Whether there are factors.
    pub fn is_usable(&self) -> bool {
        self.factored != Factored::No
    }

    /// α to one of the powers that occur, [`POWERS`].
    fn power(&self, power: i32) -> Parts<P> {
        let mut one = [0.0; P];
        one[0] = 1.0;
        match power {
            1 => self.alpha,
            0 => one,
            -1 => self.inverse,
            -2 => product(self.inverse, self.inverse),
            _ => product(product(self.inverse, self.inverse), self.inverse),
        }
    }

    /// Factorizes the matrix at α; false if a pivot is doubtful or entries grow.
    #[inline]
    pub fn factor(&mut self, condensed: &Condensed, alpha: Parts<P>) -> bool {
        self.factored = self.factor_somehow(condensed, alpha);
        self.is_usable()
    }

    fn factor_somehow(&mut self, condensed: &Condensed, alpha: Parts<P>) -> Factored {
        let dense = |safe| if safe { Factored::Dense } else { Factored::No };
        if let Some(matrix) = condensed.beside_unit_matrix() {
            return dense(self.lu.factor_shifted(alpha, matrix, DOUBTFUL));
        }
        self.alpha = alpha;
        self.inverse = reciprocal(alpha);
        let (scales, _) = condensed.row_scales();
        self.scales = [self.power(scales[0]), self.power(scales[1])];
        let mut terms: [(Parts<P>, &[f64]); POWERS_THAT_OCCUR] = [([0.0; P], &[]); _];
        let mut count = 0;
        for (slot, (power, values)) in terms.iter_mut().zip(condensed.terms()) {
            *slot = (self.power(power), values);
            count += 1;
        }
        let terms = &terms[..count];
        let Some(grouped) = &mut self.grouped else {
            return dense(self.lu.factor_safely(terms, DOUBTFUL));
        };
        let Some((shape, transposed)) = condensed.saddle() else {
            return Factored::No;
        };
        if grouped.factor(shape, terms, transposed) {
            return Factored::Grouped;
        }
        dense(self.factor_dense(condensed))
    }

    /// Runs a job that contains a solution, where all unknowns are states: the matrix is that of all of them.
    #[inline]
    pub fn around<J: FusedSolve<P>>(&mut self, job: J) -> J::Output {
        self.lu.around(job)
    }

    /// Overwrites r, one vector for each part, with δ.
    #[inline]
    pub fn solve(&mut self, system: Parameters, mut r: [&mut [f64]; P]) {
        if system.unknowns.are_states() {
            return self.lu.solve(r);
        }
        if let Some(arch) = self.grouped_arch() {
            return arch.dispatch(SolveGrouped {
                small: self,
                system,
                r,
            });
        }
        self.reduce(system, &r);
        self.lu.solve(self.z.each_mut().map(Vec::as_mut_slice));
        self.expand(system, &mut r);
    }

    /// All of [`begin`](Self::begin) and [`take`], what is known beforehand, and [`scale_rows`](Self::scale_rows).
    #[inline(always)]
    fn reduce(&mut self, system: Parameters, r: &[&mut [f64]; P]) {
        self.begin(system, r);
        let y = r.each_ref().map(|part| &part[..]);
        take(system, y, self.z.each_mut().map(Vec::as_mut_slice));
        let shift = self.shift.each_ref().map(Vec::as_slice);
        let z = self.z.each_mut().map(Vec::as_mut_slice);
        system.add_known(y, shift, z);
        self.scale_rows(system.condensed);
    }

    /// All unknowns from those of the matrix.
    #[inline(always)]
    fn expand(&mut self, system: Parameters, r: &mut [&mut [f64]; P]) {
        let z = self.z.each_ref().map(Vec::as_slice);
        give(system.condensed, z, r.each_mut().map(|part| &mut **part));
        self.expand_motion(system, r);
    }
}

/// How many powers of α there are.
const POWERS_THAT_OCCUR: usize = (*POWERS.end() - *POWERS.start() + 1) as usize;

/// Runs a job that contains a solution with a real and a complex matrix, where all unknowns are states.
#[inline]
pub(super) fn around_pair<J: AroundBoth>(
    real: &mut Small<1>,
    complex: &mut Small<2>,
    job: J,
) -> J::Output {
    around_both(&mut real.lu, &mut complex.lu, job)
}

/// Solves a real and a complex system with the same derivatives, dense ones at a time, which takes less than one after the other.
#[inline]
pub(super) fn solve_pair(
    real: &mut Small<1>,
    complex: &mut Small<2>,
    system: Parameters,
    [first, second, third]: [&mut [f64]; 3],
) {
    if system.unknowns.are_states() {
        return solve_both(&mut real.lu, &mut complex.lu, [first, second, third]);
    }
    if real.factored != Factored::Dense || complex.factored != Factored::Dense {
        real.solve(system, [first]);
        return complex.solve(system, [second, third]);
    }
    let (mut one, mut two) = ([first], [second, third]);
    real.reduce(system, &one);
    complex.reduce(system, &two);
    let ([z], [re, im]) = (&mut real.z, &mut complex.z);
    solve_both(&mut real.lu, &mut complex.lu, [z, re, im]);
    real.expand(system, &mut one);
    complex.expand(system, &mut two);
}
