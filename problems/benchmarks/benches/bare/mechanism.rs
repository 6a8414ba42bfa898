//! Andrews' mechanism and its elimination, written out: no patterns, no checks of answers. Only sines and cosines are liedae's.

use liedae::scalar::Scalar;

pub const ANGLES: usize = 7;
const ROWS: usize = 6;

// Lengths in m, masses in kg and moments of inertia in kg m² as in Hairer and Wanner 1996, sec. VII.7.
const B: [f64; 2] = [-0.036_35, 0.032_73];
const C: [f64; 2] = [0.014, 0.072];
const D: f64 = 0.028;
const DA: f64 = 0.0115;
const E: f64 = 0.02;
const EA: f64 = 0.014_21;
const RR: f64 = 0.007;
const RA: f64 = 0.000_92;
const SS: f64 = 0.035;
const SA: f64 = 0.018_74;
const SB: f64 = 0.010_43;
const SC: f64 = 0.018;
const SD: f64 = 0.02;
const TA: f64 = 0.023_08;
const TB: f64 = 0.009_16;
const U: f64 = 0.04;
const UA: f64 = 0.012_28;
const UB: f64 = 0.004_49;
const ZF: f64 = 0.02;
const ZT: f64 = 0.04;
const FA: f64 = 0.014_21;
const M: [f64; ANGLES] = [
    0.043_25, 0.003_65, 0.023_73, 0.007_06, 0.0705, 0.007_06, 0.054_98,
];
const I: [f64; ANGLES] = [
    2.194e-6, 4.41e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5,
];
const STIFFNESS: f64 = 4530.0;
const FREE_LENGTH: f64 = 0.077_85;
const MOMENT: f64 = 0.033;

pub const INITIAL_ANGLES: [f64; ANGLES] = [
    -0.061_713_890_014_276_45,
    0.0,
    0.455_279_819_163_070_4,
    0.222_668_390_165_885_88,
    0.487_364_979_543_842_55,
    -0.222_668_390_165_885_88,
    1.230_547_444_549_821_2,
];

/// The symmetric matrix of two coupled angles: own, coupling, other.
type Pair = [f64; 3];

fn inverse([own, coupling, other]: Pair) -> Pair {
    let scale = 1.0 / (own * other - coupling * coupling);
    [other * scale, -coupling * scale, own * scale]
}

fn times([own, coupling, other]: Pair, [a, b]: [f64; 2]) -> [f64; 2] {
    [own * a + coupling * b, coupling * a + other * b]
}

fn dot(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

/// Accelerations: `M a = f + Gᵀ λ`, `G a = -γ`.
#[inline(always)]
pub fn accelerations(q: &[f64; ANGLES], v: &[f64; ANGLES]) -> [f64; ANGLES] {
    let [b, g, d, e, bt, pd, oe] = f64::sin_cos_all([
        q[0],
        q[2],
        q[4],
        q[6],
        q[0] + q[1],
        q[3] + q[4],
        q[5] + q[6],
    ]);
    let difference = |(s, c): (f64, f64), (ls, lc): (f64, f64)| (s * lc - c * ls, c * lc + s * ls);
    let (th, ph, om) = (difference(bt, b), difference(pd, d), difference(oe, e));

    // Inverse masses: one angle by itself and three pairs.
    let (l4, l6) = (E - EA, ZF - FA);
    let crank = th.1 * (M[1] * DA * RR);
    let second = M[1] * DA * DA + I[1];
    let left = ph.0 * (M[3] * ZT * l4);
    let fourth = M[3] * l4 * l4 + I[3];
    let right = om.0 * (M[5] * U * l6);
    let sixth = M[5] * l6 * l6 + I[5];
    let inverse_alone = 1.0 / (M[2] * (SA * SA + SB * SB) + I[2]);
    let own = M[0] * RA * RA + M[1] * RR * RR + I[0] + second - crank * 2.0;
    let fifth = fourth + M[3] * ZT * ZT + M[4] * (TA * TA + TB * TB) + I[4];
    let seventh = sixth + M[5] * U * U + M[6] * (UA * UA + UB * UB) + I[6];
    let inverse_shared = inverse([own, second - crank, second]);
    let inverse_pairs = [
        [inverse_alone, 0.0, 0.0],
        inverse([fourth, left + fourth, left * 2.0 + fifth]),
        inverse([sixth, sixth - right, seventh - right * 2.0]),
    ];

    // Forces, and the accelerations that they would give without the loops.
    let arm = [g.1 * SD + g.0 * SC, g.0 * SD - g.1 * SC];
    let end = [arm[0] + (B[0] - C[0]), arm[1] + (B[1] - C[1])];
    let length = dot(end, end).sqrt();
    let pull = (length - FREE_LENGTH) * STIFFNESS / length;
    let free = times(
        inverse_shared,
        [
            th.0 * v[1] * (v[1] + v[0] * 2.0) * (-M[1] * DA * RR) + MOMENT,
            th.0 * v[0] * v[0] * (M[1] * DA * RR),
        ],
    );
    let forces = [
        [-pull * dot(end, [-arm[1], arm[0]]), 0.0],
        [
            ph.1 * v[4] * v[4] * (M[3] * ZT * l4),
            ph.1 * v[3] * (v[3] + v[4] * 2.0) * (-M[3] * ZT * l4),
        ],
        [
            om.1 * v[6] * v[6] * (-M[5] * U * l6),
            om.1 * v[5] * (v[5] + v[6] * 2.0) * (M[5] * U * l6),
        ],
    ];
    let free_pairs: [[f64; 2]; 3] = std::array::from_fn(|k| times(inverse_pairs[k], forces[k]));

    // Rows of G: what all loops share, and what each has by itself.
    let by_theta = [bt.0 * D, bt.1 * -D];
    let by_phi = [pd.1 * -E, pd.0 * -E];
    let by_omega = [oe.0 * ZF, oe.1 * -ZF];
    let by_beta = [by_theta[0] - b.0 * RR, by_theta[1] + b.1 * RR];
    let by_gamma = [g.1 * -SS, g.0 * -SS];
    let by_delta = [by_phi[0] + d.0 * ZT, by_phi[1] - d.1 * ZT];
    let by_epsilon = [by_omega[0] - e.1 * U, by_omega[1] - e.0 * U];
    let common: [[f64; 2]; ROWS] = std::array::from_fn(|row| [by_beta[row % 2], by_theta[row % 2]]);
    let owns: [[f64; 2]; ROWS] = std::array::from_fn(|row| match row / 2 {
        0 => [by_gamma[row % 2], 0.0],
        1 => [by_phi[row % 2], by_delta[row % 2]],
        _ => [by_omega[row % 2], by_epsilon[row % 2]],
    });
    let square = |rate: f64| rate * rate;
    let (rb, rg, rd, re) = (square(v[0]), square(v[2]), square(v[4]), square(v[6]));
    let (rbt, rpd, roe) = (
        square(v[0] + v[1]),
        square(v[3] + v[4]),
        square(v[5] + v[6]),
    );
    let x = bt.1 * D * rbt - b.1 * RR * rb;
    let y = bt.0 * D * rbt - b.0 * RR * rb;
    let bias = [
        x + g.0 * SS * rg,
        y - g.1 * SS * rg,
        x + pd.0 * E * rpd + d.1 * ZT * rd,
        y - pd.1 * E * rpd + d.0 * ZT * rd,
        x + oe.1 * ZF * roe + e.0 * U * re,
        y + oe.0 * ZF * roe - e.1 * U * re,
    ];

    // Columns of M⁻¹ Gᵀ; G M⁻¹ Gᵀ by its lower triangle, and -γ - G M⁻¹ f.
    let by_common: [[f64; 2]; ROWS] = std::array::from_fn(|row| times(inverse_shared, common[row]));
    let by_own: [[f64; 2]; ROWS] =
        std::array::from_fn(|row| times(inverse_pairs[row / 2], owns[row]));
    let mut s = [[0.0; ROWS]; ROWS];
    for i in 0..ROWS {
        for j in 0..=i {
            s[i][j] = dot(common[i], by_common[j]);
            if i / 2 == j / 2 {
                s[i][j] += dot(owns[i], by_own[j]);
            }
        }
    }
    let mut lambda: [f64; ROWS] = std::array::from_fn(|row| {
        -bias[row] - dot(common[row], free) - dot(owns[row], free_pairs[row / 2])
    });
    let mut inverse_pivot = [0.0; ROWS];
    for k in 0..ROWS {
        inverse_pivot[k] = 1.0 / s[k][k];
        for i in k + 1..ROWS {
            let factor = s[i][k] * inverse_pivot[k];
            for j in k + 1..=i {
                s[i][j] -= factor * s[j][k];
            }
            lambda[i] -= factor * lambda[k];
        }
    }
    for k in (0..ROWS).rev() {
        for i in k + 1..ROWS {
            lambda[k] -= s[i][k] * lambda[i];
        }
        lambda[k] *= inverse_pivot[k];
    }
    let of_all_loops = |angle: usize| -> f64 {
        let products = by_common.iter().zip(&lambda);
        free[angle]
            + products
                .map(|(column, lambda)| column[angle] * lambda)
                .sum::<f64>()
    };
    let of_loop = |k: usize, angle: usize| {
        let [first, second] = [2 * k, 2 * k + 1].map(|row| by_own[row][angle] * lambda[row]);
        free_pairs[k][angle] + first + second
    };
    [
        of_all_loops(0),
        of_all_loops(1),
        of_loop(0, 0),
        of_loop(1, 0),
        of_loop(1, 1),
        of_loop(2, 0),
        of_loop(2, 1),
    ]
}
