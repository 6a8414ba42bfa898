//! Systems without constraint rows whose `A` is diagonal, such as point masses: a product for each unknown.

use super::system::{Finite, System};

/// The inverse of `A`.
pub(super) struct Diagonal {
    inverse: Vec<f64>,
}

/// Solutions by a diagonal in use, counted.
pub(crate) struct Quotients<'a> {
    pub(super) diagonal: &'a Diagonal,
    pub(super) solves: &'a mut usize,
}

impl Quotients<'_> {
    /// Overwrites `f`, of length n, with the solution. False where that is not finite: `f` is then of no use.
    #[inline]
    pub fn divide(&mut self, f: &mut [f64]) -> bool {
        let solved = self.diagonal.divide(f);
        *self.solves += usize::from(solved);
        solved
    }
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
        x.copy_from_slice(f);
        self.divide(x)
    }

    /// The same where `f` stands.
    #[inline]
    pub fn divide(&self, f: &mut [f64]) -> bool {
        let mut finite = Finite::default();
        for (f, inverse) in f.iter_mut().zip(&self.inverse) {
            *f *= inverse;
            finite.see(*f);
        }
        finite.holds()
    }
}
