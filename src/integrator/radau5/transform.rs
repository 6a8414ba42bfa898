//! Linear combinations of stages.

use crate::integrator::tableau::radau5::STAGES;

/// out = A x, stage by stage.
pub(super) fn transform(
    matrix: &[[f64; STAGES]; STAGES],
    x: &[Vec<f64>; STAGES],
    out: &mut [Vec<f64>; STAGES],
) {
    for (row, out) in matrix.iter().zip(out) {
        combine(row, x, out);
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
