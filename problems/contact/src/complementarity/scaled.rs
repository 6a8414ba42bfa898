//! The problem in scaled units, in which tolerances have a meaning.

use super::error::LcpError;
use super::fit;

/// What a row of a mixed linear complementarity problem asks.
///
/// ```
/// use liedae_contact::complementarity::{LcpSolver, RowKind};
///
/// // What hangs on a rod is held from flying off by a pull; a table lets it go.
/// let mut solver = LcpSolver::default();
/// for (kind, force, velocity) in [(RowKind::Bilateral, -3.0, 0.0), (RowKind::Unilateral, 0.0, 3.0)] {
///     let found = solver.solve(&[1.0], &[3.0], &[kind])?;
///     assert_eq!((found.z[0], found.w[0]), (force, velocity));
/// }
/// # Ok::<(), liedae_contact::complementarity::LcpError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowKind {
    /// `z_i` free, `w_i = 0`.
    Bilateral,
    /// `0 <= z_i ⟂ w_i >= 0`.
    Unilateral,
}

/// Sweeps of the equilibration; a matrix with a dominant diagonal, as positive semidefinite ones have, needs none.
const SWEEPS: usize = 12;

/// `A' = D A D`, `b' = D b / beta`, so that `z = beta D z'` and `w = beta D^-1 w'`.
#[derive(Default)]
pub(super) struct Scaled {
    pub n: usize,
    /// `A'`, row by row.
    pub a: Vec<f64>,
    pub b: Vec<f64>,
    /// Diagonal of `D`, powers of two.
    pub d: Vec<f64>,
    pub beta: f64,
    pub kinds: Vec<RowKind>,
    largest: Vec<f64>,
}

impl Scaled {
    /// Checks and scales. `D` makes the diagonal about 1; where that leaves a larger entry in a row or column (never in
    /// a positive semidefinite matrix) that entry is made about 1 instead.
    pub fn set(
        &mut self,
        matrix: &[f64],
        vector: &[f64],
        kinds: &[RowKind],
    ) -> Result<(), LcpError> {
        let n = kinds.len();
        for (what, expected, found) in
            [("matrix", n * n, matrix.len()), ("vector", n, vector.len())]
        {
            if expected != found {
                return Err(LcpError::Dimension {
                    what,
                    expected,
                    found,
                });
            }
        }
        if let Some(k) = matrix.iter().position(|v| !v.is_finite()) {
            return Err(LcpError::NonFinite {
                which: "matrix",
                row: k / n,
                col: k % n,
            });
        }
        if let Some(row) = vector.iter().position(|v| !v.is_finite()) {
            return Err(LcpError::NonFinite {
                which: "vector",
                row,
                col: 0,
            });
        }
        self.n = n;
        self.kinds.clear();
        self.kinds.extend_from_slice(kinds);
        self.equilibrate(matrix);
        fit(&mut self.a, n * n);
        for i in 0..n {
            for j in 0..n {
                // (d_i a_ij) d_j: each product is moderate, whereas d_i d_j may overflow.
                self.a[i * n + j] = (self.d[i] * matrix[i * n + j]) * self.d[j];
            }
        }
        self.b.clear();
        self.b
            .extend(vector.iter().zip(&self.d).map(|(b, d)| b * d));
        // The right-hand side becomes of order 1 as well.
        self.beta = power_of_two(largest(&self.b));
        for b in &mut self.b {
            *b /= self.beta;
        }
        Ok(())
    }

    fn equilibrate(&mut self, matrix: &[f64]) {
        let n = self.n;
        self.d.clear();
        // 1/√|a_ii|: a diagonal of about 1.
        self.d.extend((0..n).map(|i| {
            let size = matrix[i * n + i].abs();
            power_of_two(size.sqrt()).recip()
        }));
        fit(&mut self.largest, n);
        for _ in 0..SWEEPS {
            self.largest.fill(0.0);
            for i in 0..n {
                for j in 0..n {
                    let size = (self.d[i] * matrix[i * n + j].abs()) * self.d[j];
                    self.largest[i] = self.largest[i].max(size);
                    self.largest[j] = self.largest[j].max(size);
                }
            }
            let mut balanced = true;
            for (d, &size) in self.d.iter_mut().zip(&self.largest) {
                // Within a factor of 8 is balanced: scales are powers of two.
                if size > 0.0 && !(0.125..=8.0).contains(&size) {
                    balanced = false;
                    *d /= power_of_two(size.min(1e300).sqrt());
                }
            }
            if balanced {
                return;
            }
        }
    }

    /// `w' = A' z' + b'`; returns the largest sum of absolute terms of a row, the unit of residuals.
    pub fn residual(&self, z: &[f64], w: &mut [f64]) -> f64 {
        let mut unit = 0.0_f64;
        for ((row, w), &b) in self.a.chunks_exact(self.n).zip(w.iter_mut()).zip(&self.b) {
            let (mut sum, mut size) = (b, b.abs());
            for (a, z) in row.iter().zip(z) {
                let term = a * z;
                sum += term;
                size += term.abs();
            }
            *w = sum;
            unit = unit.max(size);
        }
        unit
    }

    /// Whether row `i` is bilateral.
    pub fn bilateral(&self, i: usize) -> bool {
        self.kinds[i] == RowKind::Bilateral
    }
}

/// The power of two nearest to a positive number; 1 for zero.
fn power_of_two(value: f64) -> f64 {
    if value > 0.0 {
        value.log2().round().clamp(-1000.0, 1000.0).exp2()
    } else {
        1.0
    }
}

/// Largest absolute value.
pub(super) fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0_f64, |max, v| max.max(v.abs()))
}
