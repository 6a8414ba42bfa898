//! Linear combinations of stages.

use crate::integrator::tableau::radau5::STAGES;

/// out = A x, all stages in one pass.
pub(super) fn transform(
    matrix: &[[f64; STAGES]; STAGES],
    x: &[Vec<f64>; STAGES],
    out: &mut [Vec<f64>; STAGES],
) {
    let [out1, out2, out3] = out;
    let length = out1.len();
    let [x1, x2, x3] = x.each_ref().map(|stage| &stage[..length]);
    let (out2, out3) = (&mut out2[..length], &mut out3[..length]);
    for (index, out1) in out1.iter_mut().enumerate() {
        let x = [x1[index], x2[index], x3[index]];
        let product = |row: &[f64; STAGES]| row[0] * x[0] + row[1] * x[1] + row[2] * x[2];
        *out1 = product(&matrix[0]);
        out2[index] = product(&matrix[1]);
        out3[index] = product(&matrix[2]);
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
