//! The iteration for states whose rates stand alone, x' = d, of small systems: one piece around the evaluations.

use super::convergence::{Pace, Verdict};
use super::corrector::Step;
use super::rule::Rule;
use crate::control::ErrorNorm;
use crate::integrator::shared::implicit::Unknowns;
use crate::integrator::shared::sweep::{GROUP, Sweep, read, sweep, write};
use crate::linalg::{FusedSolve, One};
use crate::scalar::largest;
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

/// Corrections of y, each by an evaluation and a solution, until the iteration ends or needs another matrix. Behind the
/// last unknown vectors are zero.
pub(super) struct Iteration<'a, 's> {
    pub system: &'a mut Evaluator<'s>,
    pub step: &'a Step<'a>,
    pub norm: &'a ErrorNorm,
    pub rule: &'a Rule,
    pub iterate: &'a mut Iterate,
}

impl Iteration<'_, '_> {
    /// Corrects so many states.
    #[inline(always)]
    fn run_with(
        self,
        states: usize,
        mut corrections: impl Corrections,
    ) -> Result<Verdict, EvaluationError> {
        let Self {
            system,
            step,
            rule,
            iterate,
            ..
        } = self;
        let Iterate {
            y,
            constant,
            correction,
            pace,
        } = iterate;
        let (y, correction, constant) = (&mut y[..], &mut correction[..], &constant[..]);
        loop {
            let at = Point {
                t: step.t,
                q: &step.from.q,
                v: &[],
                x: &y[..states],
                z: &[],
                lambda: &[],
                mode: &step.from.mode,
            };
            system.rates_to_solve_with(&at, &mut correction[..states])?;
            let job = Correction {
                correction: &mut *correction,
                y: &mut *y,
                constant,
                alpha: step.alpha,
            };
            let Some(size) = corrections.make(job) else {
                return Err(not_finite(step.t, correction));
            };
            // States have no multipliers that would have to settle.
            match pace.judge(rule, size, || [0.0; 2]) {
                Verdict::GoOn => {}
                verdict => return Ok(verdict),
            }
        }
    }
}

/// Which of the right-hand sides F - α y - c is not finite, as a rule for its rate.
#[cold]
fn not_finite(t: f64, rates: &[f64]) -> EvaluationError {
    let index = rates.iter().position(|rate| !rate.is_finite());
    EvaluationError::NonFinite {
        function: Function::Rates,
        t,
        index: index.unwrap_or_default(),
    }
}

impl FusedSolve<1> for Iteration<'_, '_> {
    type Output = Result<Verdict, EvaluationError>;

    #[inline(always)]
    fn run_few<const N: usize>(self, one: One<1>) -> Self::Output {
        let [scales] = read::<N, 1>([self.norm.scales()], 0);
        let by_largest = self.rule.by_largest;
        let few = Few {
            one,
            scales,
            by_largest,
        };
        self.run_with(N, few)
    }

    #[inline(always)]
    fn run<S: Simd>(self, simd: S, one: One<1>) -> Self::Output {
        let (norm, by_largest) = (self.norm, self.rule.by_largest);
        let many = Many {
            simd,
            one,
            norm,
            by_largest,
        };
        self.run_with(norm.scales().len(), many)
    }
}

/// How corrections are made. Closures would be compiled apart, without the vectors of the piece that they are called in.
trait Corrections {
    /// Makes one, and measures it; `None` unless the right-hand side is finite.
    fn make(&mut self, job: Correction) -> Option<f64>;
}

/// Of so few unknowns that they stay in registers.
struct Few<'a, const N: usize> {
    one: One<'a, 1>,
    scales: [f64; N],
    by_largest: bool,
}

impl<const N: usize> Corrections for Few<'_, N> {
    #[inline(always)]
    fn make(&mut self, job: Correction) -> Option<f64> {
        let correction = job.make_few(&mut self.one)?;
        Some(if self.by_largest {
            largest(&correction)
        } else {
            ErrorNorm::root_mean_square_of_few(&correction, &self.scales)
        })
    }
}

/// Of any number of unknowns.
struct Many<'a, S> {
    simd: S,
    one: One<'a, 1>,
    norm: &'a ErrorNorm,
    by_largest: bool,
}

impl<S: Simd> Corrections for Many<'_, S> {
    #[inline(always)]
    fn make(&mut self, job: Correction) -> Option<f64> {
        let correction = job.make(self.simd, &mut self.one)?;
        let correction = &correction[..self.norm.scales().len()];
        Some(if self.by_largest {
            largest(correction)
        } else {
            self.norm.root_mean_square_of(correction)
        })
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

impl<'a> Correction<'a> {
    /// Of so few unknowns that they stay in registers; `None`, and y is what it was, unless the right-hand side is finite.
    #[inline(always)]
    fn make_few<const N: usize>(self, one: &mut One<1>) -> Option<[f64; N]> {
        let [rate, mut y, constant] = read::<N, 3>([self.correction, self.y, self.constant], 0);
        let mut right = [0.0; N];
        for at in 0..N {
            right[at] = rate[at] - (self.alpha * y[at] + constant[at]);
        }
        // Zero times anything that is not finite is no zero.
        if right.iter().fold(0.0, |sum, right| sum + 0.0 * right) != 0.0 {
            write(&[right], &mut [self.correction], 0);
            return None;
        }
        let [correction] = one.solve_few([right]);
        for at in 0..N {
            y[at] += correction[at];
        }
        write(&[correction, y], &mut [self.correction, self.y], 0);
        Some(correction)
    }

    /// Of any number of unknowns; `None`, and y is what it was, unless the right-hand side is finite. Otherwise vectors would not stay zero
    /// behind the last unknown.
    #[inline(always)]
    fn make<S: Simd>(self, simd: S, one: &mut One<1>) -> Option<&'a [f64]> {
        let Self {
            correction,
            y,
            constant,
            alpha,
        } = self;
        let mut zeros = [0.0; GROUP];
        let job = RightSide {
            correction: &mut *correction,
            y: &*y,
            constant,
            alpha,
            zeros: &mut zeros,
        };
        sweep(0, one.stride, job);
        if zeros.iter().sum::<f64>() != 0.0 {
            return None;
        }
        one.solve(simd, [&mut *correction]);
        let correction = &*correction;
        sweep(0, one.stride, Add { correction, y });
        Some(correction)
    }
}

/// F - α y - c in the place of F.
struct RightSide<'a> {
    correction: &'a mut [f64],
    y: &'a [f64],
    constant: &'a [f64],
    alpha: f64,
    /// Sums of zero times what is left, which are no zeros where it is not finite.
    zeros: &'a mut [f64; GROUP],
}

impl Sweep for RightSide<'_> {
    #[inline(always)]
    fn group<const L: usize>(&mut self, at: usize) {
        let [mut rate, y, constant] = read::<L, 3>([self.correction, self.y, self.constant], at);
        for lane in 0..L {
            rate[lane] -= self.alpha * y[lane] + constant[lane];
            self.zeros[lane] += 0.0 * rate[lane];
        }
        write(&[rate], &mut [&mut *self.correction], at);
    }
}

/// y and its correction.
struct Add<'a> {
    correction: &'a [f64],
    y: &'a mut [f64],
}

impl Sweep for Add<'_> {
    #[inline(always)]
    fn group<const L: usize>(&mut self, at: usize) {
        let [correction, mut y] = read::<L, 2>([self.correction, self.y], at);
        for lane in 0..L {
            y[lane] += correction[lane];
        }
        write(&[y], &mut [&mut *self.y], at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{Inverted, example_column, example_solver};

    impl FusedSolve<1> for Correction<'_> {
        type Output = bool;

        fn run_few<const N: usize>(self, mut one: One<1>) -> bool {
            self.make_few::<N>(&mut one).is_some()
        }

        fn run<S: Simd>(self, simd: S, mut one: One<1>) -> bool {
            self.make(simd, &mut one).is_some()
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
            let made = solver.around(Correction {
                correction: &mut correction,
                y: &mut y,
                constant: &constant,
                alpha: 0.7,
            });
            assert!(made, "{size}");
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

    /// What overflows beside finite rates leaves nothing behind in the memory of the next correction.
    #[test]
    fn a_correction_is_the_same_behind_one_that_overflowed() {
        for size in 1..=9 {
            let mut solver = example_solver(size, Inverted::UpToEight);
            let (rate, before) = (example_column(size, 7), example_column(size, 900));
            let constant = example_column(size, 400);
            let mut correct = |correction: &mut [f64], y: &mut [f64], constant: &[f64]| {
                solver.around(Correction {
                    correction,
                    y,
                    constant,
                    alpha: 0.7,
                })
            };
            let (mut correction, mut y) = (rate.clone(), before.clone());
            assert!(correct(&mut correction, &mut y, &constant), "{size}");
            let mut overflown = constant.clone();
            overflown[size - 1] = f64::INFINITY;
            let (mut again, mut after) = (rate.clone(), before.clone());
            assert!(!correct(&mut again, &mut after, &overflown), "{size}");
            assert_eq!(after, before);
            // Rates are written up to the last unknown.
            again[..size].copy_from_slice(&rate[..size]);
            assert!(correct(&mut again, &mut after, &constant), "{size}");
            assert_eq!((again, after), (correction, y), "{size}");
        }
    }

    /// Whichever of the rates it is.
    #[test]
    fn nothing_is_corrected_by_rates_that_are_not_finite() {
        for size in 1..=9 {
            let mut solver = example_solver(size, Inverted::UpToEight);
            let (constant, before) = (example_column(size, 400), example_column(size, 900));
            for at in 0..size {
                for rate in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                    let (mut correction, mut y) = (example_column(size, 7), before.clone());
                    correction[at] = rate;
                    let made = solver.around(Correction {
                        correction: &mut correction,
                        y: &mut y,
                        constant: &constant,
                        alpha: 0.7,
                    });
                    assert!(!made && y == before, "{rate} at {at} of {size}");
                    let error = not_finite(0.0, &correction);
                    let EvaluationError::NonFinite { index, .. } = error else {
                        panic!("{error}")
                    };
                    assert_eq!(index, at);
                }
            }
        }
    }
}
