//! Errors of the linear algebra.

use std::fmt;
use thiserror::Error;

/// Why a pattern, a factorization or a solution was refused.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum KktError {
    /// A length or a shape does not fit.
    #[error("{what}: expected {expected}, found {found}")]
    Dimension {
        /// The offending argument.
        what: &'static str,
        /// The size that would have fitted.
        expected: usize,
        /// The size that was given.
        found: usize,
    },
    /// A pattern entry lies outside its matrix.
    #[error("entry ({row}, {col}) lies outside a {rows} x {cols} matrix")]
    EntryOutside {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        col: usize,
        /// Rows of the matrix.
        rows: usize,
        /// Columns of the matrix.
        cols: usize,
    },
    /// An input is NaN or infinite.
    #[error("{which} is not finite at ({row}, {col})")]
    NonFinite {
        /// The argument: `"A"`, `"B"`, `"C"`, `"f"` or `"c"`.
        which: &'static str,
        /// Row of the first such entry.
        row: usize,
        /// Column of the first such entry (0 for vectors).
        col: usize,
    },
    /// `x` is not determined.
    #[error("{what}: {}", Undetermined(rows, variables))]
    Singular {
        /// Which assumption fails.
        what: &'static str,
        /// Constraint rows that belong to undetermined multipliers.
        rows: Vec<usize>,
        /// Entries of `x` that take part in the undetermined motion.
        variables: Vec<usize>,
    },
    /// The constraints contradict each other.
    #[error("the constraint rows {rows:?} contradict the others (largest residual {residual:.1e})")]
    Inconsistent {
        /// Constraint rows left unsatisfied.
        rows: Vec<usize>,
        /// Largest absolute residual, in the unit of its row.
        residual: f64,
    },
    /// No path reached an acceptable backward error (overflow ends here, too).
    #[error("no factorization reached an acceptable backward error (best {backward_error:.1e})")]
    Inaccurate {
        /// The best scaled backward error reached; NaN or infinite after an overflow.
        backward_error: f64,
    },
    /// The robust dense path would be needed, but the system is too large for it.
    #[error("{what}: {size} unknowns exceed the limit {limit} of the dense robust path")]
    TooLarge {
        /// Why the robust path was asked for.
        what: &'static str,
        /// Number of unknowns `n + m`.
        size: usize,
        /// Largest number of unknowns the robust path accepts.
        limit: usize,
    },
    /// `solve` was called without a successful `factor`.
    #[error("there is no factorization to solve with")]
    NotFactored,
}

/// Says what a singular matrix leaves open.
struct Undetermined<'a>(&'a [usize], &'a [usize]);

impl fmt::Display for Undetermined<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(rows, variables) = self;
        write!(formatter, "it does not determine variables {variables:?}")?;
        if !rows.is_empty() {
            write!(
                formatter,
                " and the multipliers of constraint rows {rows:?}"
            )?;
        }
        formatter.write_str(" (both count from 0)")
    }
}

/// `Ok` if `found == expected`, else [`KktError::Dimension`].
pub(super) fn check_len(what: &'static str, expected: usize, found: usize) -> Result<(), KktError> {
    if expected == found {
        Ok(())
    } else {
        Err(KktError::Dimension {
            what,
            expected,
            found,
        })
    }
}
