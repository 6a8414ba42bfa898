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

impl Correction<'_> {
    /// All of it for few unknowns, whose numbers stay in registers.
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
}

impl AroundOne<1> for Correction<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S, one: One<1>) {
        match one.size() {
            1 => return self.run_few::<1>(one),
            2 => return self.run_few::<2>(one),
            3 => return self.run_few::<3>(one),
            _ => {}
        }
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
