//! Natural modes of undamped systems at rest, K φ = ω² M φ, each of them verified.

use super::AnalysisError;
use super::linearization::Conservative;
use super::matrices::Singular;
use faer::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_upper_triangular_in_place,
};
use faer::{Mat, Par, Side};

/// Sums and angles between modes are round-off up to so many roundings of their terms.
const ROUNDINGS: f64 = 16.0;

/// Largest relative error of a square that residuals leave room for.
const VERIFIED: f64 = 1e-6;

/// A square ω² is zero with round-off up to so many roundings of the terms that it is summed from.
const ZERO: f64 = 16.0;

/// A pivot of a Cholesky factorization below so many roundings for each unknown of its diagonal entry has no digit left.
const LOST: f64 = 4.0;

/// Where K is not positive definite, its shift grows by this factor until it is.
const SHIFT_GROWTH: f64 = 8.0;

/// Most enlargements of the shift: from round-off of the largest ω² to much more than that.
const MOST_SHIFTS: usize = 40;

/// Natural modes of a conservative system.
pub(super) struct NaturalModes {
    /// ω² of each mode; exact zeros of free motions, negative where the rest is unstable.
    pub squares: Vec<f64>,
    /// Columns: displacements of all velocities.
    pub shapes: Mat<f64>,
}

impl NaturalModes {
    /// All modes of a system at rest.
    ///
    /// With M = L Lᵀ and K + σM = R Rᵀ the square roots of ω² + σ are the singular values of L⁻¹ R, and L⁻ᵀ times its left singular
    /// vectors are the modes. An error of the size of a rounding of the largest *frequency* is left in every frequency: the
    /// eigenvalues of L⁻¹ K L⁻ᵀ would have one of the largest *square*, with which the first bending of a finely divided beam
    /// is lost. σ is zero where K is positive definite, round-off where motions are free, and as large as the steepest
    /// descent of an unstable rest. Squares are Rayleigh quotients, whose error is the square of that of the modes.
    ///
    /// # Errors
    /// [`AnalysisError::Decomposition`] where M is not positive definite, or where the modes that were found are none: those that are
    /// returned have small residuals, and stand at right angles to each other by M.
    pub fn of(system: &Conservative) -> Result<Self, AnalysisError> {
        let Conservative {
            mass,
            stiffness,
            kernel,
            ..
        } = system;
        let failed = || AnalysisError::Decomposition("eigenvalues");
        let n = mass.nrows();
        if n == 0 {
            let shapes = Mat::zeros(kernel.nrows(), 0);
            return Ok(Self {
                squares: Vec::new(),
                shapes,
            });
        }
        if !(mass.is_all_finite() && stiffness.is_all_finite()) {
            return Err(AnalysisError::NotFinite);
        }
        let lower = mass.llt(Side::Lower).map_err(|_| failed())?.L().to_owned();
        let (root, shifted) = shifted_root(mass, stiffness).ok_or_else(failed)?;
        let mut ratio = root.clone();
        solve_lower_triangular_in_place(lower.as_ref(), ratio.as_mut(), Par::Seq);
        let Singular { left, sizes, .. } = Singular::of(&ratio)?;
        let mut modes = left;
        solve_upper_triangular_in_place(lower.transpose(), modes.as_mut(), Par::Seq);
        if !are_modes((mass, &lower), (&shifted, &root), (&sizes, &modes)) {
            return Err(failed());
        }
        let shapes = kernel * &modes;
        let squares = system.rayleigh_quotients(&shapes);
        Ok(Self { squares, shapes })
    }
}

/// R and K + σM = R Rᵀ, with the least σ of those that are tried.
fn shifted_root(mass: &Mat<f64>, stiffness: &Mat<f64>) -> Option<(Mat<f64>, Mat<f64>)> {
    let n = mass.nrows();
    let lost = LOST * n as f64 * f64::EPSILON;
    // Round-off of the largest ω², which is about that of an entry of K by those of M.
    let scale = |i: usize, j: usize| stiffness[(i, j)].abs() / (mass[(i, i)] * mass[(j, j)]).sqrt();
    let largest = (0..n).flat_map(|i| (0..n).map(move |j| scale(i, j)));
    let largest = largest.fold(0.0, f64::max);
    let first = if largest > 0.0 { lost * largest } else { 1.0 };
    let mut shift = 0.0;
    for _ in 0..MOST_SHIFTS {
        let shifted = Mat::from_fn(n, n, |i, j| stiffness[(i, j)] + shift * mass[(i, j)]);
        if let Ok(factors) = shifted.llt(Side::Lower) {
            let root = factors.L().to_owned();
            let stands = |i: usize| root[(i, i)] * root[(i, i)] > lost * shifted[(i, i)];
            if (0..n).all(stands) {
                return Some((root, shifted));
            }
        }
        shift = if shift == 0.0 {
            first
        } else {
            shift * SHIFT_GROWTH
        };
    }
    None
}

/// Whether these are the modes of (K + σM) φ = s² M φ with M = L Lᵀ and K + σM = R Rᵀ, all of them, normalized by M.
///
/// Residuals K φ + σM φ - s² M φ, relative to s² M φ, bound the relative error of s² in the norm of the energy, |R⁻¹ ..|, and in that of the
/// inertia, |L⁻¹ ..|. The former is evaluated well for slow motions and the latter for fast ones: one of both has to be small.
fn are_modes(
    (mass, lower): (&Mat<f64>, &Mat<f64>),
    (shifted, root): (&Mat<f64>, &Mat<f64>),
    (sizes, modes): (&[f64], &Mat<f64>),
) -> bool {
    let n = sizes.len();
    let [inertias, energies] = [mass, shifted].map(|matrix| summed_terms(matrix, modes));
    // Roundings of factorizations add up as those of a random walk.
    let rounding = ROUNDINGS * f64::EPSILON * (n as f64).sqrt();
    let momenta = mass * modes;
    let products = modes.transpose() * &momenta;
    let is_orthonormal = (0..n).all(|i| {
        (0..n).all(|j| {
            let off = products[(i, j)] - f64::from(u8::from(i == j));
            let terms = (n as f64 + inertias[i] * inertias[j]).sqrt();
            off.abs() <= rounding * terms
        })
    });
    let mut residuals = shifted * modes;
    for (k, size) in sizes.iter().enumerate() {
        for i in 0..n {
            residuals[(i, k)] -= size * size * momenta[(i, k)];
        }
    }
    let relative_in = |triangle: &Mat<f64>, power: i32| {
        let mut parts = residuals.clone();
        solve_lower_triangular_in_place(triangle.as_ref(), parts.as_mut(), Par::Seq);
        let relative = |(k, size): (usize, &f64)| parts.col(k).norm_l2() / size.powi(power);
        sizes.iter().enumerate().map(relative).collect::<Vec<_>>()
    };
    let (by_energy, by_inertia) = (relative_in(root, 1), relative_in(lower, 2));
    // How much of each motion's energy is round-off, and what that is of the one that has least besides, such as a free motion: it is in
    // the residuals of all others, too.
    let doubts = energies.iter().zip(sizes);
    let doubts: Vec<f64> = doubts.map(|(terms, size)| terms.sqrt() / size).collect();
    let greatest = doubts.iter().copied().fold(0.0, f64::max);
    is_orthonormal
        && (0..n).all(|k| {
            let allowed = VERIFIED.max(rounding * doubts[k] * greatest);
            by_energy[k] <= allowed || by_inertia[k] <= allowed
        })
}

/// |φ|ᵀ |A| |φ| of each column φ: a rounding of this is that of φᵀ A φ.
fn summed_terms(matrix: &Mat<f64>, columns: &Mat<f64>) -> Vec<f64> {
    let sizes = |of: &Mat<f64>| Mat::from_fn(of.nrows(), of.ncols(), |i, j| of[(i, j)].abs());
    let sizes_of_columns = sizes(columns);
    let terms = sizes(matrix) * &sizes_of_columns;
    let pairs = terms.col_iter().zip(sizes_of_columns.col_iter());
    pairs
        .map(|(terms, sizes)| sizes.transpose() * terms)
        .collect()
}

impl Conservative {
    /// φᵀ K φ / φᵀ M φ of each column φ, in all velocities; zero where that is round-off of the sum.
    fn rayleigh_quotients(&self, shapes: &Mat<f64>) -> Vec<f64> {
        let forces = &self.all_stiffness * shapes;
        let momenta = &self.all_mass * shapes;
        let summed = summed_terms(&self.all_stiffness, shapes);
        let columns = forces.col_iter().zip(momenta.col_iter());
        let columns = columns.zip(shapes.col_iter()).zip(summed);
        columns
            .map(|(((force, momentum), shape), summed)| {
                let energy = shape.transpose() * force;
                if energy.abs() <= ZERO * f64::EPSILON * summed {
                    0.0
                } else {
                    energy / (shape.transpose() * momentum)
                }
            })
            .collect()
    }
}
