//! Linear combinations of stages.

use crate::integrator::shared::sweep::{self, GROUP, Sweep, read, read_old, slices, sweep, write};
use crate::integrator::tableau::radau5::{ALPHA, BETA, GAMMA, STAGES, T, T_INVERSE};

/// A square matrix that mixes stages.
pub(super) type Mix = [[f64; STAGES]; STAGES];

/// Leaves them as they are.
pub(super) const UNCHANGED: Mix = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// The same components of all stages.
type Group<const L: usize> = sweep::Group<L, STAGES>;

/// A x.
#[inline(always)]
fn product<const L: usize>(a: &Mix, x: &Group<L>) -> Group<L> {
    let mut product = [[0.0; L]; STAGES];
    for (out, row) in product.iter_mut().zip(a) {
        for lane in 0..L {
            out[lane] = row[0] * x[0][lane] + row[1] * x[1][lane] + row[2] * x[2][lane];
        }
    }
    product
}

/// γ/h, α/h and β/h: A⁻¹/h has the eigenvalues γ/h and (α ± iβ)/h (8.13).
#[inline(always)]
pub(super) fn eigenvalues(h: f64) -> [f64; STAGES] {
    [GAMMA / h, ALPHA / h, BETA / h]
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

/// a + scale b.
#[inline(always)]
fn add_scaled<const L: usize>(mut a: Group<L>, scale: f64, b: &Group<L>) -> Group<L> {
    for (a, b) in a.iter_mut().zip(b) {
        for lane in 0..L {
            a[lane] += scale * b[lane];
        }
    }
    a
}

/// The stages: the start of the step y, the same for all, and their increments Z.
#[inline(always)]
fn points<const L: usize>(start: &[f64], at: usize, increments: Group<L>) -> Group<L> {
    add_scaled(increments, 1.0, &read([start; STAGES], at))
}

/// Slices of one length that the compiler sees.
#[inline(always)]
pub(super) fn cut(stages: &[Vec<f64>; STAGES], length: usize) -> [&[f64]; STAGES] {
    let [a, b, c] = stages;
    [&a[..length], &b[..length], &c[..length]]
}

#[inline(always)]
pub(super) fn cut_mut(stages: &mut [Vec<f64>; STAGES], length: usize) -> [&mut [f64]; STAGES] {
    let [a, b, c] = stages;
    [&mut a[..length], &mut b[..length], &mut c[..length]]
}

/// First guesses from increments Z: `W = T⁻¹ A Z`, and y + A Z.
pub(super) struct Prediction<'a> {
    pub mix: &'a Mix,
    pub increments: &'a [Vec<f64>; STAGES],
    pub start: &'a [f64],
}

impl Prediction<'_> {
    #[inline]
    pub fn write(self, w: &mut [Vec<f64>; STAGES], points: &mut [Vec<f64>; STAGES]) {
        let length = self.start.len();
        let job = Predict {
            mix: self.mix,
            transformed_mix: product(&T_INVERSE, self.mix),
            known: cut(self.increments, length),
            start: self.start,
            w: cut_mut(w, length),
            points: cut_mut(points, length),
        };
        sweep(0, length, job);
    }
}

struct Predict<'a> {
    mix: &'a Mix,
    transformed_mix: Mix,
    known: [&'a [f64]; STAGES],
    start: &'a [f64],
    w: [&'a mut [f64]; STAGES],
    points: [&'a mut [f64]; STAGES],
}

impl Sweep for Predict<'_> {
    #[inline(always)]
    fn group<const L: usize>(&mut self, at: usize) {
        let known = read::<L, STAGES>(self.known, at);
        write(&product(&self.transformed_mix, &known), &mut self.w, at);
        let increments = product(self.mix, &known);
        write(&points(self.start, at, increments), &mut self.points, at);
    }
}

/// F becomes T⁻¹ F - Λ W for the first `plain` unknowns, whose rates stand alone, with Λ = diag(γ, [α -β; β α]), and T⁻¹ F for the
/// others. Vectors have one length. Whether all of that is finite.
#[inline(always)]
pub(super) fn decouple(
    mut f: [&mut [f64]; STAGES],
    w: [&[f64]; STAGES],
    (plain, factors): (usize, [f64; STAGES]),
) -> bool {
    let length = f[0].len();
    let plain = plain.min(length);
    let [f1, f2, f3] = &mut f;
    let with_rates = Decouple {
        f: [f1, f2, f3],
        w,
        factors,
    };
    sweep(0, plain, with_rates);
    let [f1, f2, f3] = &mut f;
    sweep(plain, length, MixRates { f: [f1, f2, f3] });
    are_finite(slices(&f, 0..length))
}

/// Whether all numbers of vectors of one length are finite: zero times anything else is no zero. In groups, as sums: the bits that
/// [`all_finite`](crate::linalg::all_finite) collects take 1 % more of the time on Andrews' mechanism.
#[inline(always)]
fn are_finite(vectors: [&[f64]; STAGES]) -> bool {
    let mut zeros = [0.0; GROUP];
    for vector in vectors {
        let (groups, rest) = vector.as_chunks::<GROUP>();
        for group in groups {
            for lane in 0..GROUP {
                zeros[lane] += 0.0 * group[lane];
            }
        }
        for (zero, number) in zeros.iter_mut().zip(rest) {
            *zero += 0.0 * number;
        }
    }
    (zeros[0] + zeros[1]) + (zeros[2] + zeros[3]) == 0.0
}

struct Decouple<'a> {
    f: [&'a mut [f64]; STAGES],
    w: [&'a [f64]; STAGES],
    factors: [f64; STAGES],
}

impl Sweep for Decouple<'_> {
    #[inline(always)]
    fn group<const L: usize>(&mut self, at: usize) {
        let decoupled = decoupled::<L>(&read_old(&self.f, at), &read(self.w, at), self.factors);
        write(&decoupled, &mut self.f, at);
    }
}

/// T⁻¹ F - Λ W.
#[inline(always)]
fn decoupled<const L: usize>(f: &Group<L>, w: &Group<L>, factors: [f64; STAGES]) -> Group<L> {
    add_scaled(product(&T_INVERSE, f), -1.0, &turn(factors, w))
}

struct MixRates<'a> {
    f: [&'a mut [f64]; STAGES],
}

impl Sweep for MixRates<'_> {
    #[inline(always)]
    fn group<const L: usize>(&mut self, at: usize) {
        let mixed = product::<L>(&T_INVERSE, &read_old(&self.f, at));
        write(&mixed, &mut self.f, at);
    }
}

/// What corrections change, vectors of one length: W, Z = T W, and y + Z.
pub(super) struct Corrected<'a> {
    pub start: &'a [f64],
    pub w: [&'a mut [f64]; STAGES],
    pub z: [&'a mut [f64]; STAGES],
    pub points: [&'a mut [f64]; STAGES],
}

impl Corrected<'_> {
    /// `W += ΔW`, and what follows from it.
    #[inline(always)]
    pub fn change_by(self, change: [&[f64]; STAGES]) {
        let to = self;
        sweep(0, to.start.len(), Change { change, to });
    }

    /// The same of components from `at` on, whose W is known.
    #[inline(always)]
    pub fn change_group<const L: usize>(&mut self, w: &Group<L>, change: &Group<L>, at: usize) {
        let w = add_scaled(*w, 1.0, change);
        write(&w, &mut self.w, at);
        let z = product(&T, &w);
        write(&z, &mut self.z, at);
        write(&points(self.start, at, z), &mut self.points, at);
    }
}

struct Change<'a> {
    change: [&'a [f64]; STAGES],
    to: Corrected<'a>,
}

impl Sweep for Change<'_> {
    #[inline(always)]
    fn group<const L: usize>(&mut self, at: usize) {
        let change = read::<L, STAGES>(self.change, at);
        let w = read_old(&self.to.w, at);
        self.to.change_group(&w, &change, at);
    }
}

/// [`decouple`] for few unknowns, whose rates stand alone; `None` if right-hand sides are not finite. Numbers stay in registers: read
/// back right after they were stored they would be waited for.
#[inline(always)]
pub(super) fn decoupled_few<const N: usize>(
    f: [&[f64]; STAGES],
    w: &Group<N>,
    factors: [f64; STAGES],
) -> Option<Group<N>> {
    let right = decoupled::<N>(&read(f, 0), w, factors);
    let [a, b, c] = &right;
    are_finite([a, b, c]).then_some(right)
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
