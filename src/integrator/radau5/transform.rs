//! Linear combinations of stages.

use crate::integrator::tableau::radau5::{STAGES, T, T_INVERSE};

/// Vectors of the three stages, cut to one length that the compiler sees.
fn equally_long(stages: &[Vec<f64>; STAGES], length: usize) -> [&[f64]; STAGES] {
    stages.each_ref().map(|stage| &stage[..length])
}

fn equally_long_mut(stages: &mut [Vec<f64>; STAGES], length: usize) -> [&mut [f64]; STAGES] {
    stages.each_mut().map(|stage| &mut stage[..length])
}

fn product(matrix: &[[f64; STAGES]; STAGES], x: [f64; STAGES]) -> [f64; STAGES] {
    matrix.map(|row| row[0] * x[0] + row[1] * x[1] + row[2] * x[2])
}

/// out = A x, all stages in one pass.
pub(super) fn transform(
    matrix: &[[f64; STAGES]; STAGES],
    x: &[Vec<f64>; STAGES],
    out: &mut [Vec<f64>; STAGES],
) {
    let length = out[0].len();
    let x = equally_long(x, length);
    let [out1, out2, out3] = equally_long_mut(out, length);
    for at in 0..length {
        [out1[at], out2[at], out3[at]] = product(matrix, x.map(|stage| stage[at]));
    }
}

/// W += ΔW and Z = T W.
pub(super) fn add_and_transform(
    changes: &[Vec<f64>; STAGES],
    transformed: &mut [Vec<f64>; STAGES],
    increments: &mut [Vec<f64>; STAGES],
) {
    let length = changes[0].len();
    let changes = equally_long(changes, length);
    let [w1, w2, w3] = equally_long_mut(transformed, length);
    let [z1, z2, z3] = equally_long_mut(increments, length);
    for at in 0..length {
        let w = [
            w1[at] + changes[0][at],
            w2[at] + changes[1][at],
            w3[at] + changes[2][at],
        ];
        [w1[at], w2[at], w3[at]] = w;
        [z1[at], z2[at], z3[at]] = product(&T, w);
    }
}

/// T⁻¹ F - Λ W of unknowns whose rates stand alone, Λ = diag(γ, [α -β; β α]), and T⁻¹ F of the others, which follow.
pub(super) fn decouple(
    rates: &[Vec<f64>; STAGES],
    transformed: &[Vec<f64>; STAGES],
    (plain, [gamma, alpha, beta]): (usize, [f64; STAGES]),
    right: &mut [Vec<f64>; STAGES],
) {
    let length = right[0].len();
    let rates = equally_long(rates, length);
    let w = equally_long(transformed, length);
    let [right1, right2, right3] = equally_long_mut(right, length);
    for at in 0..length {
        [right1[at], right2[at], right3[at]] = product(&T_INVERSE, rates.map(|stage| stage[at]));
    }
    for at in 0..plain.min(length) {
        right1[at] -= gamma * w[0][at];
        right2[at] -= alpha * w[1][at] - beta * w[2][at];
        right3[at] -= beta * w[1][at] + alpha * w[2][at];
    }
}

/// out = a + b.
pub(super) fn add(a: &[f64], b: &[f64], out: &mut [f64]) {
    for (slot, (a, b)) in out.iter_mut().zip(a.iter().zip(b)) {
        *slot = a + b;
    }
}

/// out = Σ w_i x_i.
pub(super) fn combine(weights: &[f64; STAGES], x: &[Vec<f64>; STAGES], out: &mut [f64]) {
    let length = out.len();
    let [x1, x2, x3] = x;
    let (x1, x2, x3) = (&x1[..length], &x2[..length], &x3[..length]);
    for (index, slot) in out.iter_mut().enumerate() {
        *slot = weights[0] * x1[index] + weights[1] * x2[index] + weights[2] * x3[index];
    }
}
