//! The iteration for states whose rates stand alone, x' = d, of small systems: one piece around the evaluations.

use super::corrector::Step;
use super::pace::{Pace, Verdict};
use super::rule::Rule;
use crate::control::ErrorNorm;
use crate::integrator::shared::implicit::Unknowns;
use crate::integrator::shared::sizes::largest;
use crate::integrator::shared::sweep::{read, write};
use crate::linalg::{AroundOne, One, all_finite};
use crate::system::{EvaluationError, Evaluator, Function, Point};
use pulp::Simd;

/// The unknowns on their way to the solution.
pub(super) struct Iterate {
    /// The first guess, then the solution.
    pub y: Vec<f64>,
    /// c of y' = α y + c, of the differential unknowns.
    pub constant: Vec<f64>,
    /// The last correction.
    pub correction: Vec<f64>,
    pub pace: Pace,
}

impl Iterate {
    /// Memory for these unknowns: whole columns of small matrices where all are states, and whole pairs.
    pub fn new(unknowns: &Unknowns) -> Self {
        let all = || vec![0.0; unknowns.padded_len().next_multiple_of(2)];
        Self {
            y: all(),
            constant: if unknowns.are_states() {
                all()
            } else {
                vec![0.0; unknowns.differential().len()]
            },
            correction: all(),
            pace: Pace::new(),
        }
    }
}

/// Corrections of y, each by an evaluation and a solution, until the iteration ends or needs another matrix. Behind the last unknown vectors
/// are zero.
pub(super) struct Iteration<'a, 's> {
    pub system: &'a mut Evaluator<'s>,
    pub step: &'a Step<'a>,
    pub norm: &'a ErrorNorm,
    pub rule: &'a Rule,
    pub iterate: &'a mut Iterate,
}

impl Iteration<'_, '_> {
    /// F(t, y) of so many states, which need not be finite.
    #[inline(always)]
    fn evaluate(&mut self, size: usize) -> Result<(), EvaluationError> {
        let Iterate { y, correction, .. } = &mut *self.iterate;
        let at = Point {
            t: self.step.t,
            q: &self.step.from.q,
            v: &[],
            x: &y[..size],
            z: &[],
            lambda: &[],
            mode: &self.step.from.mode,
        };
        (self.system).rates_to_solve_with(&at, &mut correction[..size])
    }

    /// Which of the rates is not finite.
    #[cold]
    fn not_finite(&self) -> EvaluationError {
        let index = self
            .iterate
            .correction
            .iter()
            .position(|rate| !rate.is_finite());
        EvaluationError::NonFinite {
            function: Function::Rates,
            t: self.step.t,
            index: index.unwrap_or_default(),
        }
    }

    fn correction(&mut self) -> Correction<'_> {
        Correction {
            correction: &mut self.iterate.correction,
            y: &mut self.iterate.y,
            constant: &self.iterate.constant,
            alpha: self.step.alpha,
        }
    }

    /// States have no multipliers that would have to settle.
    #[inline(always)]
    fn judge(&mut self, size: f64) -> Verdict {
        self.iterate.pace.judge(self.rule, size, || [0.0; 2])
    }
}

impl AroundOne<1> for Iteration<'_, '_> {
    type Output = Result<Verdict, EvaluationError>;

    #[inline(always)]
    fn run_few<const N: usize>(mut self, mut one: One<1>) -> Self::Output {
        let [scales] = read::<N, 1>([self.norm.scales()], 0);
        loop {
            self.evaluate(N)?;
            let [rate] = read::<N, 1>([&self.iterate.correction], 0);
            // Zero times anything that is not finite is no zero.
            if rate.iter().fold(0.0, |sum, rate| sum + 0.0 * rate) != 0.0 {
                return Err(self.not_finite());
            }
            let correction = self.correction().make_few(&mut one);
            let size = if self.rule.tolerance.is_some() {
                largest(&correction)
            } else {
                ErrorNorm::root_mean_square_of_few(&correction, &scales)
            };
            match self.judge(size) {
                Verdict::GoOn => {}
                verdict => return Ok(verdict),
            }
        }
    }

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S, mut one: One<1>) -> Self::Output {
        let states = self.norm.scales().len();
        loop {
            self.evaluate(states)?;
            if !all_finite(&self.iterate.correction[..states]) {
                return Err(self.not_finite());
            }
            self.correction().make(simd, &mut one);
            let correction = &self.iterate.correction[..states];
            let size = if self.rule.tolerance.is_some() {
                largest(correction)
            } else {
                self.norm.root_mean_square_of(correction)
            };
            match self.judge(size) {
                Verdict::GoOn => {}
                verdict => return Ok(verdict),
            }
        }
    }
}

/// One correction.
struct Correction<'a> {
    /// F; becomes the correction.
    correction: &'a mut [f64],
    y: &'a mut [f64],
    constant: &'a [f64],
    alpha: f64,
}

impl Correction<'_> {
    /// Of so few unknowns that they stay in registers.
    #[inline(always)]
    fn make_few<const N: usize>(self, one: &mut One<1>) -> [f64; N] {
        let [rate, mut y, constant] = read::<N, 3>([self.correction, self.y, self.constant], 0);
        let mut right = [0.0; N];
        for at in 0..N {
            right[at] = rate[at] - (self.alpha * y[at] + constant[at]);
        }
        let [correction] = one.solve_few([right]);
        for at in 0..N {
            y[at] += correction[at];
        }
        write(&[correction, y], &mut [self.correction, self.y], 0);
        correction
    }

    #[inline(always)]
    fn make<S: Simd>(self, simd: S, one: &mut One<1>) {
        let length = one.stride;
        let correction = &mut self.correction[..length];
        let (y, constant) = (&mut self.y[..length], &self.constant[..length]);
        for at in 0..length {
            correction[at] -= self.alpha * y[at] + constant[at];
        }
        one.solve(simd, [&mut *correction]);
        for at in 0..length {
            y[at] += correction[at];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{Inverted, example_column, example_solver};

    impl AroundOne<1> for Correction<'_> {
        type Output = ();

        fn run_few<const N: usize>(self, mut one: One<1>) {
            self.make_few::<N>(&mut one);
        }

        fn run<S: Simd>(self, simd: S, mut one: One<1>) {
            self.make(simd, &mut one);
        }
    }

    /// Few unknowns in registers, or many in lists, and step by step.
    #[test]
    fn a_correction_in_one_piece_is_that_of_its_parts() {
        for size in 1..=6 {
            let list = |first| example_column(size, first);
            let mut solver = example_solver(size, Inverted::UpToEight);
            let (rate, constant, before) = (list(7), list(400), list(900));
            let (mut correction, mut y) = (rate.clone(), before.clone());
            solver.around(Correction {
                correction: &mut correction,
                y: &mut y,
                constant: &constant,
                alpha: 0.7,
            });
            let parts = rate.iter().zip(before.iter().zip(&constant));
            let right = parts.map(|(rate, (y, constant))| rate - (0.7 * y + constant));
            let mut expected: Vec<f64> = right.collect();
            solver.solve([&mut expected[..size]]);
            assert_eq!(correction, expected, "{size}");
            for ((y, before), change) in y.iter().zip(&before).zip(&expected) {
                assert_eq!(*y, before + change);
            }
        }
    }
}
