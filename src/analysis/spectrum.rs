//! Eigenvalues and eigenvectors of real matrices without symmetry.

use super::AnalysisError;
use super::balance::Balanced;
use super::matrices::Singular;
use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::schur::SchurParams;
use faer::linalg::evd::{ComputeEigenvectors, EvdParams, evd_real, evd_scratch};
use faer::{Auto, Mat, Par, Spec, c64};

/// Residuals A u - s u of unit vectors are round-off up to so many roundings for each row, of the size of A.
const ROUNDINGS: f64 = 256.0;

/// Singular values are zeros with round-off up to so many roundings of the size of A.
const ZERO: f64 = 64.0;

/// An eigenvalue with its eigenvector; of a conjugate pair the one with Im s > 0.
#[derive(Clone, Debug)]
pub(super) struct Eigenpair {
    pub value: c64,
    /// Of any length but zero.
    pub vector: Vec<c64>,
}

/// What the eigenvalues of a matrix are.
#[derive(Clone, Debug)]
pub(super) struct Spectrum {
    /// All eigenvectors of the eigenvalue zero, then those of the others.
    pub pairs: Vec<Eigenpair>,
    /// What round-off does to a well-conditioned eigenvalue.
    pub round_off: f64,
}

impl Spectrum {
    /// Eigenvalues and eigenvectors of a square matrix.
    ///
    /// Zeros come first, since multiple ones without as many eigenvectors (a body that moves freely) would come out as
    /// the root of round-off: the kernel of A is split off by singular values, then that of what is left, until nothing
    /// is left to split off. This is the staircase of Kublanovskaya 1966, doi:10.1016/0041-5553(66)90001-2. What
    /// remains is regular, and its eigenvalues are found by the QR iteration.
    ///
    /// faer's iteration with many shifts goes on without end on some matrices, and none of its iterations says that it has given up.
    /// So double shifts are used, of which the number is bounded, and residuals and the trace are looked at.
    pub fn of(matrix: &Mat<f64>) -> Result<Self, AnalysisError> {
        if !matrix.is_all_finite() {
            return Err(AnalysisError::NotFinite);
        }
        let scale = Scale::of(matrix);
        let outer = Balanced::of(&scale.down(matrix));
        let size = outer.matrix.norm_l2();
        let stairs = Stairs::of(outer.matrix.clone())?;
        let inner = Balanced::of(&stairs.rest);
        let zeros = stairs.kernel().into_iter().map(|vector| Eigenpair {
            value: c64::new(0.0, 0.0),
            vector: outer.back(&vector),
        });
        let others = regular_pairs(&inner.matrix)?.into_iter().map(|pair| {
            let vector = stairs.back(pair.value, inner.back(&pair.vector));
            let Eigenpair { value, .. } = pair;
            Eigenpair {
                value: c64::new(scale.up(value.re), scale.up(value.im)),
                vector: outer.back(&vector),
            }
        });
        Ok(Self {
            pairs: zeros.chain(others).collect(),
            round_off: scale.up(ZERO * f64::EPSILON * size),
        })
    }
}

/// The power of two that makes the largest entry of a matrix a number near 1, so that neither squares nor products overflow or vanish. As
/// two factors: it may be no number itself.
struct Scale([f64; 2]);

impl Scale {
    fn of(matrix: &Mat<f64>) -> Self {
        let largest = matrix.norm_max();
        let exponent = if largest > 0.0 {
            largest.log2().floor()
        } else {
            0.0
        };
        let half = (exponent / 2.0).floor();
        Self([half.exp2(), (exponent - half).exp2()])
    }

    fn down(&self, matrix: &Mat<f64>) -> Mat<f64> {
        let Self([one, other]) = self;
        Mat::from_fn(matrix.nrows(), matrix.ncols(), |i, j| {
            matrix[(i, j)] / one / other
        })
    }

    fn up(&self, number: f64) -> f64 {
        let Self([one, other]) = self;
        number * one * other
    }
}

/// A matrix from which its zeros have been split off.
struct Stairs {
    steps: Vec<Step>,
    /// What is left: regular.
    rest: Mat<f64>,
}

/// A [Z C] = [Z C] [0 B; 0 A'], where Z spans the kernel of A.
struct Step {
    z: Mat<f64>,
    c: Mat<f64>,
    b: Mat<f64>,
}

impl Stairs {
    fn of(matrix: Mat<f64>) -> Result<Self, AnalysisError> {
        let zero = ZERO * f64::EPSILON * matrix.norm_l2();
        let mut stairs = Self {
            steps: Vec::new(),
            rest: matrix,
        };
        while stairs.rest.nrows() > 0 {
            let n = stairs.rest.nrows();
            let Singular { sizes, right, .. } = Singular::of(&stairs.rest)?;
            let rank = sizes.iter().filter(|&&size| size > zero).count();
            if rank == n {
                break;
            }
            let (c, z) = right.split_at_col(rank);
            let (c, z) = (c.to_owned(), z.to_owned());
            let image = &stairs.rest * &c;
            stairs.rest = c.transpose() * &image;
            let b = z.transpose() * &image;
            stairs.steps.push(Step { z, c, b });
        }
        Ok(stairs)
    }

    /// A basis of the kernel of the whole matrix.
    fn kernel(&self) -> Vec<Vec<c64>> {
        let first = self.steps.iter().take(1);
        let columns = first.flat_map(|step| step.z.col_iter());
        columns
            .map(|column| column.iter().map(|&x| c64::new(x, 0.0)).collect())
            .collect()
    }

    /// The eigenvector of the whole matrix from that of the rest: C u + Z B u / s, step by step.
    fn back(&self, value: c64, vector: Vec<c64>) -> Vec<c64> {
        let mut vector = vector;
        for Step { z, c, b } in self.steps.iter().rev() {
            let of_kernel: Vec<c64> = product(b, &vector).iter().map(|x| x / value).collect();
            let mut whole = product(c, &vector);
            for (slot, add) in whole.iter_mut().zip(product(z, &of_kernel)) {
                *slot += add;
            }
            vector = whole;
        }
        vector
    }
}

/// A real matrix times a complex vector.
pub(super) fn product(matrix: &Mat<f64>, vector: &[c64]) -> Vec<c64> {
    let mut out = vec![c64::new(0.0, 0.0); matrix.nrows()];
    for (j, u) in vector.iter().enumerate() {
        for (row, entry) in out.iter_mut().zip(matrix.col(j).iter()) {
            *row += u * *entry;
        }
    }
    out
}

/// The eigenpairs of a balanced matrix, verified.
fn regular_pairs(matrix: &Mat<f64>) -> Result<Vec<Eigenpair>, AnalysisError> {
    let n = matrix.nrows();
    let failed = || AnalysisError::Decomposition("eigenvalues");
    let mut pairs = iterated(matrix).ok_or_else(failed)?;
    let bound = ROUNDINGS * f64::EPSILON * n as f64 * matrix.norm_l2();
    // An eigenvalue that has been found twice in place of another one has a vector, too.
    let trace: f64 = (0..n).map(|i| matrix[(i, i)]).sum();
    let sum: f64 = (pairs.iter())
        .map(|pair| pair.value.re * if pair.value.im == 0.0 { 1.0 } else { 2.0 })
        .sum();
    if exceeds((sum - trace).abs(), bound) {
        return Err(failed());
    }
    for pair in &mut pairs {
        pair.normalize();
        if exceeds(pair.residual(matrix), bound) {
            // Vectors of multiple eigenvalues overflow in the substitution that gives them.
            pair.vector = almost_kernel(matrix, pair.value)?;
            if exceeds(pair.residual(matrix), bound) {
                return Err(failed());
            }
        }
    }
    Ok(pairs)
}

/// Whether a number is above a bound, or none.
fn exceeds(number: f64, bound: f64) -> bool {
    number.is_nan() || number > bound
}

/// Eigenvalues and eigenvectors by faer's QR iteration, not looked at.
fn iterated(matrix: &Mat<f64>) -> Option<Vec<Eigenpair>> {
    let n = matrix.nrows();
    let automatic = <EvdParams as Auto<f64>>::auto();
    let params = EvdParams {
        schur: SchurParams {
            blocking_threshold: usize::MAX,
            ..automatic.schur
        },
        ..automatic
    };
    let params = Spec::new(params);
    let (left, right) = (ComputeEigenvectors::No, ComputeEigenvectors::Yes);
    let scratch = evd_scratch::<f64>(n, left, right, Par::Seq, params);
    let (mut re, mut im) = (Diag::<f64>::zeros(n), Diag::<f64>::zeros(n));
    let mut vectors = Mat::<f64>::zeros(n, n);
    evd_real(
        matrix.as_ref(),
        re.as_mut(),
        im.as_mut(),
        None,
        Some(vectors.as_mut()),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        params,
    )
    .ok()?;
    let (re, im) = (re.column_vector(), im.column_vector());
    let mut pairs = Vec::new();
    let mut k = 0;
    while k < n {
        // Columns of a pair are the real and the imaginary part of the vector with Im s > 0.
        let is_pair = im[k] != 0.0;
        let part = |i: usize| if is_pair { vectors[(i, k + 1)] } else { 0.0 };
        let vector = (0..n).map(|i| c64::new(vectors[(i, k)], part(i)));
        pairs.push(Eigenpair {
            value: c64::new(re[k], im[k]),
            vector: vector.collect(),
        });
        k += if is_pair { 2 } else { 1 };
    }
    Some(pairs)
}

/// The unit vector for which A u - s u is shortest: the last singular vector of [A - a, b; -b, A - a] or, for a real s, of A - s.
fn almost_kernel(matrix: &Mat<f64>, value: c64) -> Result<Vec<c64>, AnalysisError> {
    let n = matrix.nrows();
    let shifted = |i: usize, j: usize| matrix[(i, j)] - if i == j { value.re } else { 0.0 };
    let is_real = value.im == 0.0;
    let size = if is_real { n } else { 2 * n };
    let whole = Mat::from_fn(size, size, |i, j| match (i < n, j < n) {
        (true, true) => shifted(i, j),
        (false, false) => shifted(i - n, j - n),
        (true, false) if j - n == i => value.im,
        (false, true) if i - n == j => -value.im,
        _ => 0.0,
    });
    let right = Singular::of(&whole)?.right;
    let part = |i: usize| {
        if is_real {
            0.0
        } else {
            right[(n + i, size - 1)]
        }
    };
    Ok((0..n)
        .map(|i| c64::new(right[(i, size - 1)], part(i)))
        .collect())
}

impl Eigenpair {
    /// Divides the vector by its largest entry, so that its length is a number.
    fn normalize(&mut self) {
        let sizes = self.vector.iter().map(|u| u.re.abs().max(u.im.abs()));
        let largest = sizes.fold(0.0, f64::max);
        for entry in &mut self.vector {
            *entry = c64::new(entry.re / largest, entry.im / largest);
        }
    }

    /// |A u - s u| / |u|; not a number where the vector is none.
    fn residual(&self, matrix: &Mat<f64>) -> f64 {
        let image = product(matrix, &self.vector);
        let size = |vector: &mut dyn Iterator<Item = c64>| {
            vector.map(|u| u.norm_sqr()).sum::<f64>().sqrt()
        };
        let mut residual = image
            .iter()
            .zip(&self.vector)
            .map(|(a, u)| a - self.value * u);
        size(&mut residual) / size(&mut self.vector.iter().copied())
    }
}
