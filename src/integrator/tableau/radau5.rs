//! The Radau IIA method with three stages, order 5: Hairer, Wanner, Solving Ordinary Differential Equations II, 1996,
//! sec. IV.5 and IV.8, doi:10.1007/978-3-642-05221-7.

/// Number of stages; the last is the end of the step.
pub const STAGES: usize = 3;

/// Nodes: (4 - √6)/10, (4 + √6)/10, 1.
pub const C: [f64; STAGES] = [0.155_051_025_721_682_2, 0.644_948_974_278_317_8, 1.0];

/// The real eigenvalue of the inverse coefficient matrix A⁻¹.
pub const GAMMA: f64 = 3.637_834_252_744_496;

/// The complex pair of eigenvalues α ± iβ of A⁻¹.
pub const ALPHA: f64 = 2.681_082_873_627_752;
/// Its imaginary part.
pub const BETA: f64 = 3.050_430_199_247_410_6;

/// T, which takes A⁻¹ to its real block form: T⁻¹ A⁻¹ T = [γ 0 0; 0 α -β; 0 β α].
pub const T: [[f64; STAGES]; STAGES] = [
    [
        9.123_239_487_089_295e-2,
        -0.141_255_295_020_954_2,
        -3.002_919_410_514_742_4e-2,
    ],
    [
        0.241_717_932_707_107,
        0.204_129_352_293_799_93,
        0.382_942_112_757_261_9,
    ],
    [0.966_048_182_615_093, 1.0, 0.0],
];

/// T⁻¹.
pub const T_INVERSE: [[f64; STAGES]; STAGES] = [
    [
        4.325_579_890_063_155,
        0.339_199_251_815_809_87,
        0.541_770_539_935_874_9,
    ],
    [
        -4.178_718_591_551_905,
        -0.327_682_820_761_062_4,
        0.476_623_554_500_550_45,
    ],
    [
        -0.502_872_634_945_786_9,
        2.571_926_949_855_605,
        -0.596_039_204_828_224_9,
    ],
];

/// Weights e of the error estimate (γ/h B - J)⁻¹ (F(t_n, y_n) + B Σ e_i Z_i / h), of order 3.
pub const E: [f64; STAGES] = [
    -10.048_809_399_827_416,
    1.382_142_733_160_749,
    -0.333_333_333_333_333_3,
];

#[cfg(test)]
mod tests {
    use super::*;

    /// A: integrals of the Lagrange polynomials of the nodes from 0 to each node.
    fn coefficients() -> [[f64; STAGES]; STAGES] {
        std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let others: Vec<f64> = (0..STAGES).filter(|&k| k != j).map(|k| C[k]).collect();
                let (a, b) = (others[0], others[1]);
                let x = C[i];
                (x * x * x / 3.0 - (a + b) * x * x / 2.0 + a * b * x) / ((C[j] - a) * (C[j] - b))
            })
        })
    }

    #[test]
    fn the_transformation_splits_the_coefficient_matrix() {
        // A T D = T, with D the block form of the inverse.
        let a = coefficients();
        let block = [[GAMMA, 0.0, 0.0], [0.0, ALPHA, -BETA], [0.0, BETA, ALPHA]];
        let times = |x: &[[f64; 3]; 3], y: &[[f64; 3]; 3]| -> [[f64; 3]; 3] {
            std::array::from_fn(|i| {
                std::array::from_fn(|j| (0..3).map(|k| x[i][k] * y[k][j]).sum())
            })
        };
        let product = times(&a, &times(&T, &block));
        let identity = times(&T, &T_INVERSE);
        for i in 0..3 {
            for j in 0..3 {
                assert!((product[i][j] - T[i][j]).abs() < 1e-14, "{i} {j}");
                let unit = f64::from(i == j);
                assert!((identity[i][j] - unit).abs() < 1e-14, "{i} {j}");
            }
        }
    }

    #[test]
    fn the_error_estimate_vanishes_on_polynomials_of_degree_three() {
        // y = t^k, h = 1, J = 0: y'(0) + Σ e_i c_i^k.
        for degree in 1..=3 {
            let rate = f64::from(degree == 1);
            let sum: f64 = E.iter().zip(C).map(|(e, c)| e * c.powi(degree)).sum();
            assert!(
                (rate + sum).abs() < 1e-12,
                "degree {degree}: {}",
                rate + sum
            );
        }
    }
}
