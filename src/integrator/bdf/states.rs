//! A correction of states whose rates stand alone, x' = d, of small systems: one piece behind the evaluation.

use crate::integrator::shared::sweep::{read, write};
use crate::linalg::{AroundOne, One};
use pulp::Simd;

/// What it reads and writes: vectors of whole columns, zero behind the last unknown.
pub(super) struct Correction<'a> {
    /// F; becomes the correction (α - ∂F/∂y)⁻¹ (F - α y - c).
    pub correction: &'a mut [f64],
    pub y: &'a mut [f64],
    pub constant: &'a [f64],
    pub alpha: f64,
}

impl AroundOne<1> for Correction<'_> {
    type Output = ();

    #[inline(always)]
    fn run_few<const N: usize>(self, one: One<1>) {
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
    }

    #[inline(always)]
    fn run<S: Simd>(self, simd: S, one: One<1>) {
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
