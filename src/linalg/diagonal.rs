//! Systems without constraint rows whose `A` is diagonal, such as point masses: a product for each unknown.

use super::kkt::flushed;
use super::system::System;

/// The inverse of `A`.
pub(super) struct Diagonal {
    inverse: Vec<f64>,
}

impl Diagonal {
    /// `None` for systems of another structure.
    pub fn new(system: &System) -> Option<Self> {
        let n = system.n;
        let diagonal = system.a.nnz() == n && system.a.iter().all(|(row, column, _)| row == column);
        (system.m == 0 && n > 0 && diagonal).then(|| Self {
            inverse: vec![0.0; n],
        })
    }

    /// Factorizes; false where this is not the way: an entry is not a positive number.
    pub fn factor(&mut self, system: &System) -> bool {
        let mut positive = true;
        for (inverse, &entry) in self.inverse.iter_mut().zip(&system.a_values) {
            // Written so that NaN is not.
            positive &= entry > 0.0 && entry < f64::INFINITY;
            *inverse = 1.0 / entry;
        }
        positive
    }

    /// `x = A⁻¹ f`, and whether every number of it is finite: then it is exact but for two roundings.
    pub fn solve(&self, f: &[f64], x: &mut [f64]) -> bool {
        let n = self.inverse.len();
        let (f, x) = (&f[..n], &mut x[..n]);
        let (fours, rest) = x.as_chunks_mut::<4>();
        let done = 4 * fours.len();
        let inverses = self.inverse.as_chunks::<4>().0.iter();
        // Zero times anything that is not finite is not a number.
        let mut zeros = [0.0; 4];
        for ((x, f), inverse) in fours.iter_mut().zip(f.as_chunks::<4>().0).zip(inverses) {
            let mut product = [0.0; 4];
            for lane in 0..4 {
                product[lane] = flushed(f[lane]) * inverse[lane];
                zeros[lane] += 0.0 * product[lane];
            }
            *x = product;
        }
        for ((x, f), inverse) in rest.iter_mut().zip(&f[done..]).zip(&self.inverse[done..]) {
            *x = flushed(*f) * inverse;
            zeros[0] += 0.0 * *x;
        }
        zeros == [0.0; 4]
    }
}
