//! A correction of stages of small systems: of states alone, x' = d, or of a mechanism whose velocities are eliminated in groups.
//!
//! A few equations spend their time between evaluations and factorizations: here all that follows the evaluations is one piece,
//! compiled for the vectors of the processor, and of states for their length.

use super::Stages;
use crate::integrator::radau5::transform::{Corrected, cut, cut_mut, decouple, decoupled_few};
use crate::integrator::radau5::weights::{sum_of_few_squares, sum_of_squares};
use crate::integrator::shared::implicit::{
    Answers, AroundGrouped, GroupedPair, around_groups, around_real_and_complex,
};
use crate::integrator::shared::sweep::read;
use crate::integrator::tableau::radau5::{C, STAGES};
use crate::linalg::{AroundBoth, Pair};
use crate::system::{EvaluationError, Evaluator, Point, State};
use pulp::Simd;

/// What a correction reads and writes: vectors of whole columns, zero behind the last unknown, where unknowns are states.
struct Correction<'a> {
    /// F at the stages; becomes the corrections of the transformed increments.
    right: &'a mut [Vec<f64>; STAGES],
    transformed: &'a mut [Vec<f64>; STAGES],
    increments: &'a mut [Vec<f64>; STAGES],
    points: &'a mut [Vec<f64>; STAGES],
    start: &'a [f64],
    weights: &'a [f64],
    /// By reference: a copy would be read right after it was stored, and would be waited for.
    eigenvalues: &'a [f64; STAGES],
    /// How many of the first unknowns have rates that stand alone.
    plain: usize,
}

impl Correction<'_> {
    /// Right-hand sides: T⁻¹ F - Λ W / h in the first `plain` of `length` unknowns, and T⁻¹ F in the others. Whether they are finite.
    #[inline(always)]
    fn decouple(&mut self, length: usize, plain: usize) -> bool {
        let w = cut(self.transformed, length);
        decouple(cut_mut(self.right, length), w, (plain, *self.eigenvalues))
    }

    /// What `right` has become, and what it changes.
    #[inline(always)]
    fn corrected(&mut self, length: usize) -> ([&[f64]; STAGES], Corrected<'_>) {
        let corrected = Corrected {
            start: &self.start[..length],
            w: cut_mut(self.transformed, length),
            z: cut_mut(self.increments, length),
            points: cut_mut(self.points, length),
        };
        (cut(self.right, length), corrected)
    }

    /// Adds the corrections that `right` has become; the sum of the squares of the weighted ones.
    #[inline(always)]
    fn add(&mut self, length: usize) -> f64 {
        let weights = &self.weights[..length];
        let (corrections, corrected) = self.corrected(length);
        let squares = sum_of_squares(weights, corrections);
        corrected.change_by(corrections);
        squares
    }
}

impl AroundBoth for Correction<'_> {
    /// The sum of the squares of the weighted corrections; none if right-hand sides are not finite.
    type Output = Option<f64>;

    #[inline(always)]
    fn run_few<const N: usize>(mut self, pair: Pair) -> Option<f64> {
        let w = read::<N, STAGES>(cut(self.transformed, N), 0);
        let right = decoupled_few::<N>(cut(self.right, N), &w, *self.eigenvalues)?;
        let corrections = pair.solve_few::<N>(right);
        let (_, mut corrected) = self.corrected(N);
        corrected.change_group(&w, &corrections, 0);
        let [weights] = read::<N, 1>([self.weights], 0);
        Some(sum_of_few_squares(weights, &corrections))
    }

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S, pair: Pair) -> Option<f64> {
        let length = pair.stride;
        if !self.decouple(length, length) {
            return None;
        }
        pair.solve(simd, cut_mut(self.right, length));
        Some(self.add(length))
    }
}

impl AroundGrouped for Correction<'_> {
    /// The sum of the squares of the weighted corrections; none if right-hand sides are not finite.
    type Output = Option<f64>;

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S, pair: GroupedPair) -> Option<f64> {
        let length = self.start.len();
        if !self.decouple(length, self.plain) {
            return None;
        }
        pair.solve(simd, cut_mut(self.right, length));
        Some(self.add(length))
    }
}

/// What has become of a correction in one piece.
pub(super) enum AtOnce {
    /// Not offered: matrices are large or their rank is in doubt, or unknowns are neither states whose rates stand alone nor those of a
    /// mechanism whose velocities are eliminated in groups.
    NotOffered,
    /// Right-hand sides are not finite; stages are what they were.
    NotFinite,
    /// The sum of the squares of the weighted corrections.
    Corrected(f64),
}

impl Stages {
    /// F at the stages, into `self.right`.
    #[inline]
    pub(super) fn evaluate_stages(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
        answers: Answers,
    ) -> Result<(), EvaluationError> {
        if self.unknowns.are_plain_states() && answers == Answers::ToSolveWith {
            return self.evaluate_states(system, from, h);
        }
        for ((c, point), f) in C.iter().zip(&self.points).zip(&mut self.right) {
            let at = (from.t + c * h, &from.q[..], &from.mode[..]);
            self.residual
                .evaluate_with(system, &self.unknowns, at, (point, answers), f)?;
        }
        Ok(())
    }

    /// The same for states alone, whose point is put together once.
    #[inline]
    fn evaluate_states(
        &mut self,
        system: &mut Evaluator,
        from: &State,
        h: f64,
    ) -> Result<(), EvaluationError> {
        let size = self.unknowns.len();
        let mut at = Point {
            x: &[],
            z: &[],
            lambda: &[],
            ..from.point()
        };
        for ((c, point), f) in C.iter().zip(&self.points).zip(&mut self.right) {
            at.t = from.t + c * h;
            at.x = &point[..size];
            system.rates_to_solve_with(&at, &mut f[..size])?;
        }
        Ok(())
    }

    /// Corrects the increments in one piece, F being in `self.right`.
    #[inline]
    pub(super) fn correct_at_once(&mut self) -> AtOnce {
        let Some(plain) = self.unknowns.plain_rates() else {
            return AtOnce::NotOffered;
        };
        let job = Correction {
            right: &mut self.right,
            transformed: &mut self.transformed,
            increments: &mut self.increments,
            points: &mut self.points,
            start: &self.start,
            weights: self.weights.factors(),
            eigenvalues: &self.eigenvalues,
            plain: plain.end,
        };
        let (real, complex) = (&mut self.real, &mut self.complex);
        let squares = if self.unknowns.are_plain_states() {
            around_real_and_complex(real, complex, job)
        } else {
            around_groups(real, complex, &self.unknowns, &self.linearization, job)
        };
        match squares {
            None => AtOnce::NotOffered,
            Some(None) => AtOnce::NotFinite,
            Some(Some(squares)) => AtOnce::Corrected(squares),
        }
    }
}
