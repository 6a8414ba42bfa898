//! Brasey's half-explicit method of order 5 for index-2 problems: V. Brasey, Computing 48 (1992) 191-201,
//! doi:10.1007/BF02310533; V. Brasey, E. Hairer, SIAM J. Numer. Anal. 30 (1993) 538-552, doi:10.1137/0730025.
//!
//! The published coefficients have 16 decimals and satisfy the order conditions to 1.6e-13. These are the nearest
//! coefficients that satisfy all of them (row sums, stage order 2 and 3, the classical conditions to order 5, those of
//! the multipliers, order 3 of the last stage) to 1e-38, found by Gauss-Newton iteration; the largest change is 1.7e-13.

/// Number of stages. The multiplier of stage i is fixed by the constraint at stage i + 1; after the last stage comes
/// the end of the step.
pub const STAGES: usize = 8;

/// Nodes.
pub const C: [f64; STAGES] = [
    0.0,
    0.1,
    0.15,
    0.3614787346573631,
    0.08535584335486425,
    0.5,
    0.8,
    1.0,
];

/// Stage coefficients, strictly lower triangular.
pub const A: [[f64; STAGES]; STAGES] = [
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [0.0375, 0.1125, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [
        0.32221692362160254,
        -1.1888833229876012,
        1.2281451340233618,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
    ],
    [
        -0.035011238981299334,
        0.37254206010861607,
        -0.2721053535582033,
        0.019930375785750805,
        0.0,
        0.0,
        0.0,
        0.0,
    ],
    [
        -0.5576547055041974,
        1.3673072896458864,
        -1.7322363604607232,
        0.4587772007467557,
        0.9638065755722784,
        0.0,
        0.0,
        0.0,
    ],
    [
        0.08654517193564669,
        -0.08810082847945383,
        0.19812755473291485,
        -0.46454226793310877,
        0.1615170091109884,
        0.9064533606330126,
        0.0,
        0.0,
    ],
    [
        0.0,
        0.0,
        0.0,
        3.6244772487538817,
        -0.46177241891829673,
        -3.1980246281643367,
        1.035319798328752,
        0.0,
    ],
];

/// Weights.
pub const B: [f64; STAGES] = [
    0.0,
    0.0,
    0.0,
    0.24677606676367944,
    0.2106594087489728,
    0.17692181491250103,
    0.30644464441479347,
    0.059198065160053284,
];

/// Weights of the second embedded result, of order 2: on the last two stages (Haddouni et al. 2017, eq. 33).
pub const E2: [f64; 2] = [2.5, -1.5];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::integrator::tableau::order_conditions::{residual, rooted_trees};

    #[test]
    fn coefficients_satisfy_the_classical_order_conditions() {
        for tree in rooted_trees(5) {
            assert!(
                residual(&A, &B, &tree) < 2e-14,
                "order {}: {:e}",
                tree.order(),
                residual(&A, &B, &tree)
            );
        }
        for tree in rooted_trees(3) {
            assert!(residual(&A, &A[7], &tree) < 2e-14);
        }
        let order_six = rooted_trees(6)
            .iter()
            .map(|tree| residual(&A, &B, tree))
            .fold(0.0, f64::max);
        assert!(order_six > 1e-4, "the method has order 5, not 6");
    }

    #[test]
    fn multipliers_have_stage_order_two_from_the_fourth_stage_on() {
        // Z solves the shifted tableau against c^(k+1) / (k+1): the multiplier's stage value for λ = t^k.
        for power in 1..=2 {
            let mut z = [0.0; STAGES];
            for i in 0..STAGES {
                let (row, node) = if i + 1 < STAGES {
                    (&A[i + 1], C[i + 1])
                } else {
                    (&B, 1.0)
                };
                let known: f64 = (0..i).map(|j| row[j] * z[j]).sum();
                z[i] = (node.powi(power + 1) / f64::from(power + 1) - known) / row[i];
                if i >= 3 {
                    assert!(
                        (z[i] - C[i].powi(power)).abs() < 1e-12,
                        "stage {i}: {:e}",
                        z[i] - C[i].powi(power)
                    );
                }
            }
        }
    }
}

#[cfg(test)]
mod stability {
    use super::{A, B, STAGES};

    /// |R(iy)|, what a step makes of an undamped oscillation with y = h ω.
    fn amplification(y: f64) -> f64 {
        let mut rates = [[0.0; 2]; STAGES];
        let value = |row: &[f64; STAGES], rates: &[[f64; 2]; STAGES]| {
            let sum = |part: usize| -> f64 {
                let products = row.iter().zip(rates).map(|(a, rate)| a * rate[part]);
                products.sum()
            };
            // 1 + i y Σ a k
            [1.0 - y * sum(1), y * sum(0)]
        };
        for stage in 0..STAGES {
            rates[stage] = value(&A[stage], &rates);
        }
        let [re, im] = value(&B, &rates);
        re.hypot(im)
    }

    #[test]
    fn undamped_oscillations() {
        let samples = |from: usize, to: usize| (from..to).map(|y| amplification(0.01 * y as f64));
        assert!(samples(1, 137).all(|size| size < 1.0003));
        assert!(samples(137, 340).all(|size| size < 1.0));
        assert!(amplification(3.5) > 1.05);
    }
}
