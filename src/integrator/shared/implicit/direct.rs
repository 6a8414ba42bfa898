//! Small dense systems (α B - ∂F/∂y) δ = r with real or complex entries, factorized as they are.

use super::places::Complex;
use crate::linalg::SquareLu;
use faer::c64;

/// Pivots below this part of their column, rows and columns of unit size, are left to the solver that decides about rank. It
/// draws the line at 1e-12.
const DOUBTFUL: f64 = 1e-10;

/// Entries of a source and where they go: place in the row-major matrix, position among the values of the source.
pub(super) type Targets = Vec<(usize, usize)>;

/// The factors of a small matrix, real or complex.
pub(super) struct Direct {
    factors: Factors,
    size: usize,
    usable: bool,
}

enum Factors {
    Real { lu: SquareLu, z: Vec<f64> },
    Complex { lu: SquareLu<c64>, z: Vec<c64> },
}

impl Direct {
    /// Memory for matrices of this size: real ones for one part, complex ones for two.
    pub fn new(size: usize, parts: usize) -> Self {
        let factors = if parts == 1 {
            Factors::Real {
                lu: SquareLu::new(size),
                z: vec![0.0; size],
            }
        } else {
            Factors::Complex {
                lu: SquareLu::new(size),
                z: vec![c64::default(); size],
            }
        };
        Self {
            factors,
            size,
            usable: false,
        }
    }

    /// Whether there are factors that can be used.
    pub fn is_usable(&self) -> bool {
        self.usable
    }

    /// Factorizations and solves so far.
    pub fn work(&self) -> (usize, usize) {
        match &self.factors {
            Factors::Real { lu, .. } => lu.work(),
            Factors::Complex { lu, .. } => lu.work(),
        }
    }

    /// Factorizes the sum of multiples of sources; false if a pivot is doubtful or entries grow.
    pub fn factor(&mut self, sources: &[(Complex, &Targets, &[f64])]) -> bool {
        self.usable = match &mut self.factors {
            Factors::Real { lu, .. } => {
                let matrix = lu.matrix(self.size);
                for (factor, targets, values) in sources {
                    for &(place, source) in *targets {
                        matrix[place] += factor[0] * values[source];
                    }
                }
                lu.factor_safely(DOUBTFUL)
            }
            Factors::Complex { lu, .. } => {
                let matrix = lu.matrix(self.size);
                for (factor, targets, values) in sources {
                    for &(place, source) in *targets {
                        let value = values[source];
                        matrix[place] += c64::new(factor[0] * value, factor[1] * value);
                    }
                }
                lu.factor_safely(DOUBTFUL)
            }
        };
        self.usable
    }

    /// Solves with the right-hand side that `read` gives by index.
    pub fn solve(&mut self, read: impl Fn(usize) -> Complex) {
        match &mut self.factors {
            Factors::Real { lu, z } => {
                for (index, z) in z.iter_mut().enumerate() {
                    *z = read(index)[0];
                }
                lu.solve(z);
            }
            Factors::Complex { lu, z } => {
                for (index, z) in z.iter_mut().enumerate() {
                    let [real, imaginary] = read(index);
                    *z = c64::new(real, imaginary);
                }
                lu.solve(z);
            }
        }
    }

    /// Hands the solution out by index.
    pub fn store(&self, mut write: impl FnMut(usize, Complex)) {
        match &self.factors {
            Factors::Real { z, .. } => {
                for (index, z) in z.iter().enumerate() {
                    write(index, [*z, 0.0]);
                }
            }
            Factors::Complex { z, .. } => {
                for (index, z) in z.iter().enumerate() {
                    write(index, [z.re, z.im]);
                }
            }
        }
    }
}
