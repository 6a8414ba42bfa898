//! Linear combinations of stages.
//!
//! Four components at a time, then one by one: what is read is copied first, so that the compiler need not fear that vectors
//! overlap, and takes as many at once as the processor can.

use crate::integrator::tableau::radau5::{STAGES, T, T_INVERSE};

/// Components that are taken at a time.
const GROUP: usize = 4;

/// The same components of all stages.
type Group<const L: usize> = [[f64; L]; STAGES];

/// Components from `at` on.
#[inline(always)]
fn read<const L: usize>(stages: &[&[f64]; STAGES], at: usize) -> Group<L> {
    let mut group = [[0.0; L]; STAGES];
    for (group, stage) in group.iter_mut().zip(stages) {
        group.copy_from_slice(&stage[at..at + L]);
    }
    group
}

#[inline(always)]
fn write<const L: usize>(group: &Group<L>, stages: &mut [&mut [f64]; STAGES], at: usize) {
    for (group, stage) in group.iter().zip(stages) {
        stage[at..at + L].copy_from_slice(group);
    }
}

/// A x for a matrix A.
#[inline(always)]
fn product<const L: usize>(matrix: &[[f64; STAGES]; STAGES], x: &Group<L>) -> Group<L> {
    let mut product = [[0.0; L]; STAGES];
    for (out, row) in product.iter_mut().zip(matrix) {
        for lane in 0..L {
            out[lane] = row[0] * x[0][lane] + row[1] * x[1][lane] + row[2] * x[2][lane];
        }
    }
    product
}

/// Λ W, Λ = diag(γ, [α -β; β α]).
#[inline(always)]
fn turn<const L: usize>([gamma, alpha, beta]: [f64; STAGES], w: &Group<L>) -> Group<L> {
    let mut turned = [[0.0; L]; STAGES];
    for lane in 0..L {
        turned[0][lane] = gamma * w[0][lane];
        turned[1][lane] = alpha * w[1][lane] - beta * w[2][lane];
        turned[2][lane] = beta * w[1][lane] + alpha * w[2][lane];
    }
    turned
}

#[inline(always)]
fn subtract<const L: usize>(mut a: Group<L>, b: &Group<L>) -> Group<L> {
    for (a, b) in a.iter_mut().zip(b) {
        for lane in 0..L {
            a[lane] -= b[lane];
        }
    }
    a
}

#[inline(always)]
fn sum<const L: usize>(mut a: Group<L>, b: &Group<L>) -> Group<L> {
    for (a, b) in a.iter_mut().zip(b) {
        for lane in 0..L {
            a[lane] += b[lane];
        }
    }
    a
}

/// Slices of one length that the compiler sees.
#[inline(always)]
fn cut(stages: &[Vec<f64>; STAGES], length: usize) -> [&[f64]; STAGES] {
    let [a, b, c] = stages;
    [&a[..length], &b[..length], &c[..length]]
}

#[inline(always)]
fn cut_mut(stages: &mut [Vec<f64>; STAGES], length: usize) -> [&mut [f64]; STAGES] {
    let [a, b, c] = stages;
    [&mut a[..length], &mut b[..length], &mut c[..length]]
}

/// Where groups of components begin, and where those begin that are left.
#[inline(always)]
fn groups(start: usize, end: usize) -> (impl Iterator<Item = usize>, usize) {
    let count = (end - start) / GROUP;
    let rest = start + count * GROUP;
    ((0..count).map(move |group| start + group * GROUP), rest)
}

/// out = A x, all stages in one pass.
pub(super) fn transform(
    matrix: &[[f64; STAGES]; STAGES],
    x: &[Vec<f64>; STAGES],
    out: &mut [Vec<f64>; STAGES],
) {
    let length = out[0].len();
    let (x, mut out) = (cut(x, length), cut_mut(out, length));
    let (groups, rest) = groups(0, length);
    for at in groups {
        write::<GROUP>(&product(matrix, &read(&x, at)), &mut out, at);
    }
    for at in rest..length {
        write::<1>(&product(matrix, &read(&x, at)), &mut out, at);
    }
}

/// W += ΔW and Z = T W.
pub(super) fn add_and_transform(
    changes: &[Vec<f64>; STAGES],
    transformed: &mut [Vec<f64>; STAGES],
    increments: &mut [Vec<f64>; STAGES],
) {
    let length = changes[0].len();
    let changes = cut(changes, length);
    let (mut w, mut z) = (cut_mut(transformed, length), cut_mut(increments, length));
    let (groups, rest) = groups(0, length);
    for at in groups {
        add_group::<GROUP>(&changes, &mut w, &mut z, at);
    }
    for at in rest..length {
        add_group::<1>(&changes, &mut w, &mut z, at);
    }
}

#[inline(always)]
fn add_group<const L: usize>(
    changes: &[&[f64]; STAGES],
    transformed: &mut [&mut [f64]; STAGES],
    increments: &mut [&mut [f64]; STAGES],
    at: usize,
) {
    let [w1, w2, w3] = transformed;
    let known = read::<L>(&[w1, w2, w3], at);
    let w = sum(known, &read(changes, at));
    write(&w, transformed, at);
    write(&product(&T, &w), increments, at);
}

/// T⁻¹ F - Λ W of unknowns whose rates stand alone, Λ = diag(γ, [α -β; β α]), and T⁻¹ F of the others, which follow.
pub(super) fn decouple(
    rates: &[Vec<f64>; STAGES],
    transformed: &[Vec<f64>; STAGES],
    (plain, factors): (usize, [f64; STAGES]),
    right: &mut [Vec<f64>; STAGES],
) {
    let length = right[0].len();
    let plain = plain.min(length);
    let (f, w) = (cut(rates, length), cut(transformed, length));
    let mut right = cut_mut(right, length);
    let (with_rates, rest) = groups(0, plain);
    for at in with_rates {
        decouple_group::<GROUP>(&f, &w, factors, &mut right, at);
    }
    for at in rest..plain {
        decouple_group::<1>(&f, &w, factors, &mut right, at);
    }
    let (without, rest) = groups(plain, length);
    for at in without {
        write::<GROUP>(&product(&T_INVERSE, &read(&f, at)), &mut right, at);
    }
    for at in rest..length {
        write::<1>(&product(&T_INVERSE, &read(&f, at)), &mut right, at);
    }
}

#[inline(always)]
fn decouple_group<const L: usize>(
    rates: &[&[f64]; STAGES],
    transformed: &[&[f64]; STAGES],
    factors: [f64; STAGES],
    right: &mut [&mut [f64]; STAGES],
    at: usize,
) {
    let mixed = product::<L>(&T_INVERSE, &read(rates, at));
    let turned = turn(factors, &read(transformed, at));
    write(&subtract(mixed, &turned), right, at);
}

/// out = a + b.
pub(super) fn add(a: &[f64], b: &[f64], out: &mut [f64]) {
    for (slot, (a, b)) in out.iter_mut().zip(a.iter().zip(b)) {
        *slot = a + b;
    }
}

/// out = Σ w_i x_i.
pub(super) fn combine(weights: &[f64; STAGES], x: &[Vec<f64>; STAGES], out: &mut [f64]) {
    let [x1, x2, x3] = cut(x, out.len());
    for (at, slot) in out.iter_mut().enumerate() {
        *slot = weights[0] * x1[at] + weights[1] * x2[at] + weights[2] * x3[at];
    }
}
