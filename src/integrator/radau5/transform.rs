//! Linear combinations of stages.

use crate::integrator::tableau::radau5::{STAGES, T, T_INVERSE};

/// Three numbers, one of each stage, times a matrix.
#[inline(always)]
fn product(matrix: &[[f64; STAGES]; STAGES], x: [f64; STAGES]) -> [f64; STAGES] {
    let [a, b, c] = matrix;
    [
        a[0] * x[0] + a[1] * x[1] + a[2] * x[2],
        b[0] * x[0] + b[1] * x[1] + b[2] * x[2],
        c[0] * x[0] + c[1] * x[1] + c[2] * x[2],
    ]
}

/// Vectors of the three stages, cut to one length that the compiler sees.
#[inline(always)]
fn equally_long(stages: &[Vec<f64>; STAGES], length: usize) -> (&[f64], &[f64], &[f64]) {
    let [a, b, c] = stages;
    (&a[..length], &b[..length], &c[..length])
}

#[inline(always)]
fn equally_long_mut(
    stages: &mut [Vec<f64>; STAGES],
    length: usize,
) -> (&mut [f64], &mut [f64], &mut [f64]) {
    let [a, b, c] = stages;
    (&mut a[..length], &mut b[..length], &mut c[..length])
}

/// out = A x, all stages in one pass.
pub(super) fn transform(
    matrix: &[[f64; STAGES]; STAGES],
    x: &[Vec<f64>; STAGES],
    out: &mut [Vec<f64>; STAGES],
) {
    let length = out[0].len();
    let (x1, x2, x3) = equally_long(x, length);
    let (out1, out2, out3) = equally_long_mut(out, length);
    for at in 0..length {
        [out1[at], out2[at], out3[at]] = product(matrix, [x1[at], x2[at], x3[at]]);
    }
}

/// W += ΔW and Z = T W.
pub(super) fn add_and_transform(
    changes: &[Vec<f64>; STAGES],
    transformed: &mut [Vec<f64>; STAGES],
    increments: &mut [Vec<f64>; STAGES],
) {
    let length = changes[0].len();
    let (change1, change2, change3) = equally_long(changes, length);
    let (w1, w2, w3) = equally_long_mut(transformed, length);
    let (z1, z2, z3) = equally_long_mut(increments, length);
    for at in 0..length {
        let w = [
            w1[at] + change1[at],
            w2[at] + change2[at],
            w3[at] + change3[at],
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
    let plain = plain.min(length);
    let (f1, f2, f3) = equally_long(rates, length);
    let (w1, w2, w3) = equally_long(transformed, length);
    let (right1, right2, right3) = equally_long_mut(right, length);
    for at in 0..plain {
        let [real, first, second] = product(&T_INVERSE, [f1[at], f2[at], f3[at]]);
        right1[at] = real - gamma * w1[at];
        right2[at] = first - (alpha * w2[at] - beta * w3[at]);
        right3[at] = second - (beta * w2[at] + alpha * w3[at]);
    }
    for at in plain..length {
        [right1[at], right2[at], right3[at]] = product(&T_INVERSE, [f1[at], f2[at], f3[at]]);
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
    let (x1, x2, x3) = equally_long(x, length);
    for (at, slot) in out.iter_mut().enumerate() {
        *slot = weights[0] * x1[at] + weights[1] * x2[at] + weights[2] * x3[at];
    }
}
