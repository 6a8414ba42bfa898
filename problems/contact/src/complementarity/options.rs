//! Choices of the complementarity solver.

use serde::Serialize;

use super::error::LcpError;

/// Methods for `w = A z + b, 0 <= z ⟂ w >= 0`.
///
/// ```
/// use liedae_contact::complementarity::{LcpMethod, LcpOptions, LcpSolver, RowKind::Unilateral};
///
/// // Two contacts that press each other: all methods find the same forces.
/// for first in LcpMethod::ALL {
///     let mut solver = LcpSolver::new(LcpOptions { first, fallback: false, ..LcpOptions::default() });
///     let found = solver.solve(&[2.0, -1.0, -1.0, 2.0], &[-3.0, 0.0], &[Unilateral; 2])?;
///     assert_eq!(found.method, first);
///     assert!((found.z[0] - 2.0).abs() < 1e-9 && (found.z[1] - 1.0).abs() < 1e-9);
/// }
/// # Ok::<(), liedae_contact::complementarity::LcpError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LcpMethod {
    /// Lemke's complementary pivoting with the lexicographic rule: finite for every matrix; ends in a solution or in a ray.
    /// For positive semidefinite (and copositive-plus) matrices the ray proves infeasibility; P-matrices never meet one.
    #[default]
    Lemke,
    /// Principal pivoting by least indices: finite for P-matrices and for positive semidefinite ones.
    PrincipalPivoting,
    /// Semismooth Newton method on the Fischer-Burmeister function with a line search: few iterations, whatever `n`; may
    /// end in a local minimum of the merit function if the matrix is not a P0-matrix.
    FischerBurmeister,
    /// Projected Gauss-Seidel sweeps with over-relaxation: converges linearly for symmetric positive semidefinite matrices
    /// with a positive diagonal.
    GaussSeidel,
}

impl LcpMethod {
    /// All methods.
    pub const ALL: [Self; 4] = [
        Self::Lemke,
        Self::PrincipalPivoting,
        Self::FischerBurmeister,
        Self::GaussSeidel,
    ];

    /// Those that follow, in this order, where the first one fails. Gauss-Seidel has never answered where these did not.
    pub const FALLBACKS: [Self; 3] = [
        Self::Lemke,
        Self::PrincipalPivoting,
        Self::FischerBurmeister,
    ];
}

/// How [`super::LcpSolver`] solves and what it accepts.
///
/// ```
/// use liedae_contact::complementarity::{LcpError, LcpOptions, LcpSolver, RowKind::Unilateral, Uniqueness};
///
/// // Two supports at the same place: any split of the load will do, so that of least norm is not sought.
/// let mut solver = LcpSolver::new(LcpOptions { least_norm: false, ..LcpOptions::default() });
/// let found = solver.solve(&[1.0; 4], &[-8.0; 2], &[Unilateral; 2])?;
/// assert_eq!(found.uniqueness, Uniqueness::Basic);
/// assert!((found.z[0] + found.z[1] - 8.0).abs() < 1e-12);
/// let mut solver = LcpSolver::new(LcpOptions { relaxation: 2.5, ..LcpOptions::default() });
/// let refused = solver.solve(&[1.0], &[-8.0], &[Unilateral]);
/// assert!(matches!(refused, Err(LcpError::Option { option: "relaxation", .. })));
/// # Ok::<(), LcpError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LcpOptions {
    /// The method that is tried first.
    pub first: LcpMethod,
    /// Whether [`LcpMethod::FALLBACKS`] follow until one answers.
    pub fallback: bool,
    /// Largest residual of an accepted solution, in scaled units (see [`super::LcpSolver`]); 1e-9 unless set. Polished
    /// solutions are usually below 1e-14.
    pub tolerance: f64,
    /// Largest scaled residual of a redundant bilateral row; 1e-6 unless set, as for [`KktSolver`](liedae::linalg::KktSolver).
    pub consistency: f64,
    /// Whether `z` of least norm is sought where `z` is not unique; true unless set.
    pub least_norm: bool,
    /// Relaxation factor of [`LcpMethod::GaussSeidel`], between 0 and 2; 1 unless set.
    pub relaxation: f64,
    /// Most sweeps of [`LcpMethod::GaussSeidel`]; 2000 unless set.
    pub sweeps: usize,
    /// Most iterations of [`LcpMethod::FischerBurmeister`]; 100 unless set.
    pub newton_iterations: usize,
}

impl Default for LcpOptions {
    fn default() -> Self {
        Self {
            first: LcpMethod::Lemke,
            fallback: true,
            tolerance: 1e-9,
            consistency: 1e-6,
            least_norm: true,
            relaxation: 1.0,
            sweeps: 2000,
            newton_iterations: 100,
        }
    }
}

impl LcpOptions {
    /// # Errors
    /// [`LcpError::Option`] names the first field outside its range.
    pub(super) fn check(&self) -> Result<(), LcpError> {
        let fields = [
            ("tolerance", self.tolerance, 1.0),
            ("consistency", self.consistency, 1.0),
            ("relaxation", self.relaxation, 2.0),
        ];
        for (option, value, limit) in fields {
            // Written so that NaN is refused.
            if !(value > 0.0 && value < limit) {
                let range = if limit > 1.0 {
                    "between 0 and 2"
                } else {
                    "between 0 and 1"
                };
                return Err(LcpError::Option {
                    option,
                    value,
                    range,
                });
            }
        }
        Ok(())
    }
}
