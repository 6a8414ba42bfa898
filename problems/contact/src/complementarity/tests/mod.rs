//! Hand cases, errors and certificates, and each method by itself.

mod hand;
mod methods;
mod properties;
mod refusals;

use super::{LcpMethod, LcpOptions, LcpSolver, RowKind};

/// A solver with this method only.
fn only(first: LcpMethod) -> LcpSolver {
    LcpSolver::new(LcpOptions {
        first,
        fallback: false,
        ..LcpOptions::default()
    })
}

fn unilateral(n: usize) -> Vec<RowKind> {
    vec![RowKind::Unilateral; n]
}

fn assert_near(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (i, (f, e)) in found.iter().zip(expected).enumerate() {
        assert!((f - e).abs() <= tolerance, "{i}: {f} instead of {e}");
    }
}
