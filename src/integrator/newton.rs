//! When a Newton iteration has converged: what implicit methods share, those of other crates too.
//!
//! ```
//! use liedae::integrator::NewtonOptions;
//! use liedae::integrator::newton::{Convergence, Sizes, Verdict};
//!
//! // x² = 2
//! let mut x = 1.5_f64;
//! let mut convergence = Convergence::new(&NewtonOptions::default(), 1e-12);
//! let verdict = loop {
//!     let correction = (2.0 - x * x) / (2.0 * x);
//!     x += correction;
//!     let mut sizes = Sizes::default();
//!     sizes.add(1.0, correction, x);
//!     match convergence.judge(sizes, false) {
//!         Verdict::GoOn => {}
//!         verdict => break verdict,
//!     }
//! };
//! assert_eq!(verdict, Verdict::Converged);
//! assert!((x - 2.0_f64.sqrt()).abs() < 1e-15);
//! ```

pub use super::shared::newton::{Convergence, Verdict};
pub use super::shared::round_off::{
    RoundOff, RoundedArguments, holds_to_round_off, round_off_of_rows,
};
pub use super::shared::sizes::Sizes;
