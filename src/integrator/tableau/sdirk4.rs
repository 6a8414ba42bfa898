//! The L-stable SDIRK method of order 4 with γ = 1/4 (Hairer, Wanner, Solving Ordinary Differential
//! Equations II, 1996, Table IV.6.5, doi:10.1007/978-3-642-05221-7).

/// Number of stages; the last one is the end of the step.
pub const STAGES: usize = 5;

/// The diagonal element.
pub const GAMMA: f64 = 0.25;

/// Weights of the stages' rates; the last row is that of the solution of order 4.
pub const A: [[f64; STAGES]; STAGES] = [
    [GAMMA, 0.0, 0.0, 0.0, 0.0],
    [0.5, GAMMA, 0.0, 0.0, 0.0],
    [17.0 / 50.0, -1.0 / 25.0, GAMMA, 0.0, 0.0],
    [371.0 / 1360.0, -137.0 / 2720.0, 15.0 / 544.0, GAMMA, 0.0],
    [25.0 / 24.0, -49.0 / 48.0, 125.0 / 16.0, -85.0 / 12.0, GAMMA],
];

/// Moments of the stages.
pub const C: [f64; STAGES] = [0.25, 0.75, 11.0 / 20.0, 0.5, 1.0];

/// The solution of order 4 minus the embedded one of order 3.
pub const E: [f64; STAGES] = [
    25.0 / 24.0 - 59.0 / 48.0,
    -49.0 / 48.0 + 17.0 / 96.0,
    125.0 / 16.0 - 225.0 / 32.0,
    0.0,
    GAMMA,
];

#[cfg(test)]
mod tests {
    use super::super::order_conditions::{residual, rooted_trees};
    use super::*;

    #[test]
    fn the_coefficients_satisfy_the_conditions_of_order_4_and_3() {
        for (row, c) in A.iter().zip(C) {
            assert!((row.iter().sum::<f64>() - c).abs() < 1e-14);
        }
        let embedded: [f64; STAGES] = std::array::from_fn(|i| A[STAGES - 1][i] - E[i]);
        for tree in rooted_trees(4) {
            assert!(residual(&A, &A[STAGES - 1], &tree) < 1e-14, "{tree:?}");
            let off = residual(&A, &embedded, &tree);
            assert!(
                tree.order() > 3 || off < 1e-14,
                "embedded: {tree:?} {off:e}"
            );
        }
        assert!(
            rooted_trees(4)
                .iter()
                .any(|tree| residual(&A, &embedded, tree) > 1e-3)
        );
    }
}
