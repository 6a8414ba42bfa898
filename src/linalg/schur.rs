//! Saddle-point systems with a symmetric positive definite `A`, by the Schur complement of `A`.
//!
//! ```text
//! A = L D Lᵀ,   S = C A⁻¹ Bᵀ,   S y = c - C A⁻¹ f,   x = L⁻ᵀ D⁻¹ (L⁻¹ f + L⁻¹ Bᵀ y)
//! ```
//!
//! Where B and C are one matrix, `S = Vᵀ D⁻¹ V` with `V = L⁻¹ Bᵀ`: it is symmetric, and no term of its diagonal is negative. Where they
//! are two, A divides all of Bᵀ, and C stays what it is. Even then x is not summed from `A⁻¹ f` and `A⁻¹ Bᵀ`: forces that cancel would do
//! so behind a division by A, which magnifies their round-off.
//!
//! A right-hand side that is known beforehand is one more column of Bᵀ and of S, and takes part in the elimination. No pivot is
//! searched for. Small pivots, relative to what they are summed from, are left to factorizations that do.

mod compiled;
mod four;
mod mass;
mod measurement;
mod registers;
mod structure;
mod wide;

use super::bodies::RightHandSide;
use super::system::System;
use std::sync::Arc;
pub(super) use structure::Structure;
use wide::Wide;
pub(super) use wide::{DOUBTFUL, NEGLIGIBLE_ASYMMETRY, SUSPICIOUS};

/// Most constraint rows: rows of S are arrays of a length that the compiler knows.
const MOST_ROWS: usize = 32;

/// A lane for each of them and one for the right-hand side, an even number.
const WIDEST: usize = MOST_ROWS + 2;

/// Most variables: beyond, block elimination and dense kernels are better.
const MOST_VARIABLES: usize = 48;

/// Widths of rows that there is code for.
const WIDTHS: [usize; 7] = [2, 4, 8, 12, 16, 24, WIDEST];

/// Numbers in rows of one of these widths.
fn numbers(width: usize, n: usize, entries: usize) -> Box<dyn Numbers> {
    match width {
        2 => Box::new(Wide::<2>::new(n, entries)),
        4 => Box::new(Wide::<4>::new(n, entries)),
        8 => Box::new(Wide::<8>::new(n, entries)),
        12 => Box::new(Wide::<12>::new(n, entries)),
        16 => Box::new(Wide::<16>::new(n, entries)),
        24 => Box::new(Wide::<24>::new(n, entries)),
        _ => Box::new(Wide::<WIDEST>::new(n, entries)),
    }
}

/// `S = L U` and the factors of A; see above.
pub(super) struct SchurComplement {
    structure: Arc<Structure>,
    numbers: Box<dyn Numbers>,
}

/// What factors and solves, whatever the width of its rows.
trait Numbers: Send + Sync {
    /// As [`SchurComplement::factor`].
    fn factor(&mut self, structure: &Structure, system: &System) -> bool;
    /// As [`SchurComplement::factor_and_solve`].
    fn factor_and_solve(
        &mut self,
        structure: &Structure,
        system: &System,
        job: Job,
        tolerance: f64,
    ) -> Option<bool>;
    fn solve(&mut self, structure: &Structure, job: Job);
    /// As [`SchurComplement::is_above_suspicion`].
    fn is_regular(&self) -> bool;
    /// As [`SchurComplement::constraints_hold`].
    fn constraints_hold(&self, c: &[f64], x: &[f64], tolerance: f64) -> bool;
    /// As [`SchurComplement::solve_four`].
    fn solve_four(&self, structure: &Structure, job: FourJobs, measured: Option<f64>) -> bool;
}

/// So many right-hand sides are solved for at a time.
pub(crate) const AT_A_TIME: usize = 4;

/// Right-hand sides of constraint rows, with what each row of them is multiplied by, and where the solutions go: by variables, if
/// anybody asks for them, and by rows, multiplied by the same.
pub(super) struct FourJobs<'a> {
    pub c: &'a [[f64; AT_A_TIME]],
    pub scale: &'a [f64],
    pub x: Option<&'a mut [[f64; AT_A_TIME]]>,
    pub y: &'a mut [[f64; AT_A_TIME]],
}

/// A right-hand side, and where the solution goes.
pub(super) struct Job<'a> {
    pub rhs: RightHandSide<'a>,
    pub x: &'a mut [f64],
    pub y: &'a mut [f64],
}

impl SchurComplement {
    /// The symbolic phase; `None` for systems that are too large, or where a diagonal entry of A is not structural.
    pub fn new(system: &System) -> Option<Self> {
        let (n, m) = (system.n, system.m);
        if n == 0 || n > MOST_VARIABLES || m > MOST_ROWS {
            return None;
        }
        let width = WIDTHS.into_iter().find(|&width| m < width)?;
        let structure = Structure::shared(system, width)?;
        Some(Self {
            numbers: numbers(width, n, structure.entries.len()),
            structure,
        })
    }

    /// Factorizes; false where this is not the way: A is not symmetric positive definite, or a pivot is doubtful.
    pub fn factor(&mut self, system: &System) -> bool {
        self.numbers.factor(&self.structure, system)
    }

    /// Factorizes and solves in one go, half of the work of the latter. `None` where [`SchurComplement::factor`] is
    /// false; otherwise whether the factors are [above suspicion](Self::is_above_suspicion) and the [constraint rows
    /// hold](Self::constraints_hold).
    pub fn factor_and_solve(&mut self, system: &System, job: Job, tolerance: f64) -> Option<bool> {
        (self.numbers).factor_and_solve(&self.structure, system, job, tolerance)
    }

    /// `(x, y) = K⁻¹ rhs`. Tiny numbers of a right-hand side are taken for zero.
    pub fn solve(&mut self, job: Job) {
        self.numbers.solve(&self.structure, job);
    }

    /// `(x, y) = K⁻¹ (0, s c)` for four c at a time, and `s y` in place of y. Whether x and y are finite, and
    /// `C x = s c` holds in each row up to a part of its terms, if one is given. Where x is not asked for, nothing but
    /// y is looked at.
    pub fn solve_four(&self, job: FourJobs, measured: Option<f64>) -> bool {
        self.numbers.solve_four(&self.structure, job, measured)
    }

    /// Whether `x = A⁻¹ (f + Bᵀ y)` is as good as round-off allows, so that solutions need to be measured in the rows `C x = c` only:
    /// no pivot has lost digits. Without pivots that are searched for, cancellation shows in those rows.
    pub fn is_above_suspicion(&self) -> bool {
        self.numbers.is_regular()
    }

    /// Whether x is finite, and `C x = c` holds in each row up to this part of its terms. Of a solution by these factors y is finite, too,
    /// then: each number of x is a sum of products with all of y, and zero times what is not finite is NaN.
    pub fn constraints_hold(&self, c: &[f64], x: &[f64], tolerance: f64) -> bool {
        self.numbers.constraints_hold(c, x, tolerance)
    }
}
