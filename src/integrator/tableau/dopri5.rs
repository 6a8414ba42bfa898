//! Dormand and Prince's method of order 5(4): J. Comput. Appl. Math. 6 (1980) 19-26, doi:10.1016/0771-050X(80)90013-3.

/// Number of stages; the last is the first of the next step.
pub const STAGES: usize = 7;

/// Nodes.
pub const C: [f64; STAGES] = [0.0, 1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0, 1.0];

/// Stage coefficients, strictly lower triangular; the last row holds the weights of order 5.
pub const A: [[f64; STAGES]; STAGES] = [
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [1.0 / 5.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0, 0.0, 0.0, 0.0, 0.0],
    [
        19372.0 / 6561.0,
        -25360.0 / 2187.0,
        64448.0 / 6561.0,
        -212.0 / 729.0,
        0.0,
        0.0,
        0.0,
    ],
    [
        9017.0 / 3168.0,
        -355.0 / 33.0,
        46732.0 / 5247.0,
        49.0 / 176.0,
        -5103.0 / 18656.0,
        0.0,
        0.0,
    ],
    [
        35.0 / 384.0,
        0.0,
        500.0 / 1113.0,
        125.0 / 192.0,
        -2187.0 / 6784.0,
        11.0 / 84.0,
        0.0,
    ],
];

/// Weights of the error estimate, order 5 minus order 4.
pub const E: [f64; STAGES] = [
    71.0 / 57600.0,
    0.0,
    -71.0 / 16695.0,
    71.0 / 1920.0,
    -17253.0 / 339200.0,
    22.0 / 525.0,
    -1.0 / 40.0,
];

/// Weights of the last coefficient of the dense output of order 4 (Hairer, Nørsett, Wanner, Solving Ordinary
/// Differential Equations I, II.6, doi:10.1007/978-3-540-78862-1).
pub const DENSE: [[f64; STAGES]; 1] = [[
    -12715105075.0 / 11282082432.0,
    0.0,
    87487479700.0 / 32700410799.0,
    -10690763975.0 / 1880347072.0,
    701980252875.0 / 199316789632.0,
    -1453857185.0 / 822651844.0,
    69997945.0 / 29380423.0,
]];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::integrator::tableau::order_conditions::{residual, rooted_trees};

    #[test]
    fn coefficients_satisfy_the_order_conditions() {
        let embedded: [f64; STAGES] = std::array::from_fn(|i| A[6][i] - E[i]);
        for tree in rooted_trees(5) {
            assert!(residual(&A, &A[6], &tree) < 1e-14);
            if tree.order() <= 4 {
                assert!(residual(&A, &embedded, &tree) < 1e-14);
            }
        }
        for (row, node) in A.iter().zip(C) {
            assert!((row.iter().sum::<f64>() - node).abs() < 1e-14);
        }
    }
}
