//! Murua's partitioned half-explicit method of order 5 for index-2 problems: A. Murua, Computing 59 (1997) 43-61,
//! doi:10.1007/BF02684403; M. Arnold, BIT 38 (1998) 415-438, doi:10.1007/BF02510252.
//!
//! Its explicit stages, weights and embedded weights are those of Dormand and Prince ([`super::dopri5`]).

use super::dopri5::STAGES as SLOTS;

/// Nodes at which the constraints fix the multipliers of the stages.
pub const CONSTRAINT_C: [f64; SLOTS] =
    [0.0, 3.0 / 10.0, 3.0 / 8.0, 5.0 / 7.0, 1.0, 1.0, 19.0 / 30.0];

/// Coefficients of these points, lower triangular.
pub const CONSTRAINT_A: [[f64; SLOTS]; SLOTS] = [
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [21.0 / 256.0, 45.0 / 256.0, 15.0 / 128.0, 0.0, 0.0, 0.0, 0.0],
    [
        19235.0 / 98784.0,
        -225.0 / 392.0,
        6235.0 / 6174.0,
        2755.0 / 32928.0,
        0.0,
        0.0,
        0.0,
    ],
    [
        -293.0 / 1152.0,
        85.0 / 48.0,
        -2275.0 / 1908.0,
        35.0 / 32.0,
        -2835.0 / 6784.0,
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
    [
        10752038939.0 / 66307507200.0,
        -19259.0 / 50160.0,
        19581770468.0 / 24023520675.0,
        9941999.0 / 650073600.0,
        180060831.0 / 4820710400.0,
        -11331659.0 / 439538400.0,
        1.0 / 76.0,
    ],
];

/// Where dense output has its additional value.
pub const THETA: f64 = 19.0 / 30.0;

/// Weights of that value, of order 4.
pub const AT_THETA: [f64; SLOTS] = [
    1812923.0 / 20736000.0,
    0.0,
    45847.0 / 100170.0,
    56677.0 / 414720.0,
    -289161.0 / 13568000.0,
    -67507.0 / 4536000.0,
    -3971.0 / 324000.0,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::integrator::tableau::dopri5::{A, C};
    use crate::integrator::tableau::order_conditions::{residual, rooted_trees};

    #[test]
    fn constraints_are_taken_where_quadratures_of_order_three_lead() {
        for (row, node) in CONSTRAINT_A.iter().zip(CONSTRAINT_C).skip(1) {
            for power in 0..=2 {
                let sum: f64 = row.iter().zip(C).map(|(a, c)| a * c.powi(power)).sum();
                let exact = node.powi(power + 1) / f64::from(power + 1);
                assert!((sum - exact).abs() < 2e-15, "{node}: {:e}", sum - exact);
            }
        }
    }

    /// The multiplier of each stage for λ = t^power, given that of the first stage.
    fn multipliers(power: i32) -> [f64; SLOTS] {
        let mut z = [0.0; SLOTS];
        for stage in 1..SLOTS {
            let row = &CONSTRAINT_A[stage];
            let known: f64 = (0..stage).map(|j| row[j] * z[j]).sum();
            let wanted = CONSTRAINT_C[stage].powi(power + 1) / f64::from(power + 1);
            z[stage] = (wanted - known) / row[stage];
        }
        z
    }

    #[test]
    fn multipliers_have_stage_order_two_and_order_four_at_the_end() {
        for power in 1..=2 {
            for (z, node) in multipliers(power).into_iter().zip(C) {
                assert!((z - node.powi(power)).abs() < 1e-13);
            }
        }
        // The slot of the end is the first stage of the next step: one order more.
        assert!((multipliers(3)[SLOTS - 1] - 1.0).abs() < 1e-12);
        assert!((multipliers(3)[4] - C[4].powi(3)).abs() > 1e-3);
    }

    #[test]
    fn weights_satisfy_the_conditions_that_the_multipliers_add() {
        let weights = &A[SLOTS - 1];
        let sum = |terms: &dyn Fn(usize) -> f64| -> f64 {
            (0..SLOTS).map(|i| weights[i] * terms(i)).sum()
        };
        for order in 2..=5_i32 {
            for power in 1..order {
                let z = multipliers(power);
                let rest = order - 1 - power;
                let direct = sum(&|i| C[i].powi(rest) * z[i]) - 1.0 / f64::from(order);
                assert!(direct.abs() < 1e-13, "order {order}, t^{power}: {direct:e}");
                if rest == 0 {
                    continue;
                }
                let inner = |i: usize| -> f64 {
                    (0..SLOTS)
                        .map(|j| A[i][j] * C[j].powi(rest - 1) * z[j])
                        .sum()
                };
                let nested = sum(&inner) - 1.0 / f64::from(order * (order - 1));
                assert!(nested.abs() < 1e-13, "order {order}, t^{power}: {nested:e}");
            }
        }
    }

    #[test]
    fn the_value_within_the_step_has_order_four() {
        for tree in rooted_trees(4) {
            let scaled = AT_THETA.map(|weight| weight / THETA.powi(tree.order() as i32));
            assert!(residual(&A, &scaled, &tree) < 1e-14);
        }
    }
}
