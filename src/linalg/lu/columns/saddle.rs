//! Saddle-point matrices with small groups of variables, by the Schur complement of the groups.

mod group;
mod shape;
#[cfg(test)]
mod tests;

use super::substitution::Substitution;
use super::{Factors, Parts};
use crate::linalg::lu::parts::product;
use pulp::{Arch, Simd, WithSimd};
pub(crate) use shape::SaddleShape;
use shape::{Group, LARGEST_GROUP};

/// Pivots of the Schur complement below this part of their column, rows and columns of unit size, are not decided here. With what groups
/// may lose that leaves four digits of a solution at the least.
const DOUBTFUL: f64 = 1e-8;

/// A saddle-point matrix of a [`SaddleShape`], real (`P = 1`) or complex (`P = 2`), with a real B:
///
/// ```text
/// [ A  -Bᵀ ] [x]   [f]                         S = C A⁻¹ Bᵀ
/// [ C   0  ] [y] = [c]      S y = c - C A⁻¹ f,   x = A⁻¹ (f + Bᵀ y)
/// ```
///
/// Pivots are searched for within groups, and within S. A matrix that needs others is left to
/// [`ColumnLu`](super::ColumnLu).
pub(crate) struct SaddleLu<const P: usize> {
    arch: Arch,
    numbers: Numbers<P>,
    factorizations: usize,
    solves: usize,
}

struct Numbers<const P: usize> {
    /// A and C, part by part.
    values: Vec<f64>,
    /// C A⁻¹, column by column, the parts of a column one after the other.
    multipliers: Vec<f64>,
    /// Inverse groups, row by row, where [`Group::first`] says, less what C takes.
    inverse: Vec<Parts<P>>,
    /// S.
    complement: Factors<P>,
    /// Bᵀ y.
    reaction: Vec<f64>,
}

impl<const P: usize> SaddleLu<P> {
    /// Memory for matrices of this shape.
    pub fn new(shape: &SaddleShape) -> Self {
        let (variables, rows) = shape.sizes();
        Self {
            arch: Arch::new(),
            numbers: Numbers {
                values: vec![0.0; P * shape.length()],
                multipliers: vec![0.0; variables * P * shape.stride],
                inverse: vec![[0.0; P]; shape.length() - variables * shape.stride],
                complement: Factors::new(rows),
                reaction: vec![0.0; P * shape.transposed_stride],
            },
            factorizations: 0,
            solves: 0,
        }
    }

    /// Factorizations and solves so far.
    pub fn work(&self) -> (usize, usize) {
        (self.factorizations, self.solves)
    }

    /// Factorizes a sum of real A and C times real or complex factors beside a real Bᵀ; false if a pivot is doubtful.
    pub fn factor(
        &mut self,
        shape: &SaddleShape,
        sum: &[(Parts<P>, &[f64])],
        transposed: &[f64],
    ) -> bool {
        let job = Factorization {
            numbers: &mut self.numbers,
            shape,
            sum,
            transposed,
        };
        let safe = self.arch.dispatch(job);
        self.factorizations += usize::from(safe);
        safe
    }

    /// A part of A and C as they were last summed up, whether they could be factorized or not.
    pub fn values(&self, shape: &SaddleShape, part: usize) -> &[f64] {
        &self.numbers.values[part * shape.length()..][..shape.length()]
    }

    /// Overwrites (f, c), part by part, with (x, y). Vectors are as long as [`SaddleShape::vector_length`] says.
    pub fn solve(&mut self, shape: &SaddleShape, transposed: &[f64], b: [&mut [f64]; P]) {
        self.solves += 1;
        let job = Alone {
            numbers: &mut self.numbers,
            shape,
            transposed,
            b,
        };
        self.arch.dispatch(job);
    }
}

/// Solves with a real and a complex matrix of one shape at a time: neither has to wait where the other one does.
pub(crate) fn solve_both_saddles(
    real: &mut SaddleLu<1>,
    complex: &mut SaddleLu<2>,
    shape: &SaddleShape,
    transposed: &[f64],
    b: [&mut [f64]; 3],
) {
    real.solves += 1;
    complex.solves += 1;
    let job = Both {
        real: &mut real.numbers,
        complex: &mut complex.numbers,
        shape,
        transposed,
        b,
    };
    real.arch.dispatch(job);
}

/// Calls with the stride of columns of C, which the compiler knows where they are short.
macro_rules! by_stride {
    ($shape:expr, |$stride:ident| $call:expr) => {
        match $shape.stride {
            4 => {
                let $stride = 4;
                $call
            }
            8 => {
                let $stride = 8;
                $call
            }
            12 => {
                let $stride = 12;
                $call
            }
            $stride => $call,
        }
    };
}

struct Factorization<'a, const P: usize> {
    numbers: &'a mut Numbers<P>,
    shape: &'a SaddleShape,
    sum: &'a [(Parts<P>, &'a [f64])],
    transposed: &'a [f64],
}

impl<const P: usize> WithSimd for Factorization<'_, P> {
    type Output = bool;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> bool {
        let Self {
            numbers,
            shape,
            sum,
            transposed,
        } = self;
        numbers.assemble(simd, shape, sum);
        by_stride!(shape, |stride| {
            for group in &shape.groups {
                let safe = match group.size {
                    1 => numbers.eliminate::<S, 1>(simd, shape, stride, group),
                    2 => numbers.eliminate::<S, 2>(simd, shape, stride, group),
                    _ => numbers.eliminate::<S, LARGEST_GROUP>(simd, shape, stride, group),
                };
                if !safe {
                    return false;
                }
            }
            numbers.complete(simd, shape, stride, transposed);
            let rows = shape.sizes().1;
            numbers.complement.eliminate(simd, (rows, stride), DOUBTFUL)
        })
    }
}

impl<const P: usize> Numbers<P> {
    /// Σ factor · (A, C).
    #[inline(always)]
    fn assemble<S: Simd>(&mut self, simd: S, shape: &SaddleShape, sum: &[(Parts<P>, &[f64])]) {
        let length = shape.length();
        if sum.is_empty() {
            self.values.fill(0.0);
        }
        for (part, out) in self.values.chunks_exact_mut(length).enumerate() {
            let out = S::as_mut_simd_f64s(out).0;
            for (number, (factors, values)) in sum.iter().enumerate() {
                let factor = simd.splat_f64s(factors[part]);
                let values = S::as_simd_f64s(&values[..length]).0;
                for (slot, &value) in out.iter_mut().zip(values) {
                    let term = simd.mul_f64s(factor, value);
                    *slot = if number == 0 {
                        term
                    } else {
                        simd.add_f64s(*slot, term)
                    };
                }
            }
        }
    }

    /// The inverse of a group, and C times it; false if a pivot is doubtful.
    #[inline(always)]
    fn eliminate<S: Simd, const N: usize>(
        &mut self,
        simd: S,
        shape: &SaddleShape,
        stride: usize,
        group: &Group,
    ) -> bool {
        let length = shape.length();
        let mut rows = [[[0.0; P]; N]; N];
        for (part, values) in self.values.chunks_exact(length).enumerate() {
            let own = &values[group.first..][..N * N];
            for (i, row) in rows.iter_mut().enumerate() {
                for (j, number) in row.iter_mut().enumerate() {
                    number[part] = own[j * N + i];
                }
            }
        }
        let Some(inverse) = group::inverse(&rows) else {
            return false;
        };
        let first = group.first - shape.sizes().0 * stride;
        self.inverse[first..][..N * N].copy_from_slice(inverse.as_flattened());
        for j in 0..N {
            let out = &mut self.multipliers[group.members[j] * P * stride..][..P * stride];
            for (i, row) in inverse.iter().enumerate() {
                let at = group.members[i] * stride;
                let own = |part: usize| &self.values[part * length + at..][..stride];
                add_multiple(simd, stride, out, (own, row[j]), i > 0);
            }
        }
        true
    }

    /// S = C A⁻¹ Bᵀ.
    #[inline(always)]
    fn complete<S: Simd>(
        &mut self,
        simd: S,
        shape: &SaddleShape,
        stride: usize,
        transposed: &[f64],
    ) {
        let (_, rows) = shape.sizes();
        let multipliers = &self.multipliers[..];
        let out = self.complement.upper[..rows * P * stride].chunks_exact_mut(P * stride);
        let transposed = transposed.chunks_exact(shape.transposed_stride);
        for ((row, out), transposed) in out.enumerate().zip(transposed) {
            let variables = shape.variables_of(row);
            let vectors = S::as_mut_simd_f64s(out).0;
            for (at, out) in vectors.iter_mut().enumerate() {
                let mut sum = simd.splat_f64s(0.0);
                for &variable in variables {
                    let own = &multipliers[variable * P * stride..][..P * stride];
                    let own = S::as_simd_f64s(own).0[at];
                    let factor = simd.splat_f64s(transposed[variable]);
                    sum = simd.add_f64s(sum, simd.mul_f64s(factor, own));
                }
                *out = sum;
            }
        }
    }

    /// Right-hand sides of S in place of c, and the system that is left.
    #[inline(always)]
    fn begin<'a, S: Simd>(
        &'a mut self,
        simd: S,
        shape: &SaddleShape,
        stride: usize,
        b: &mut [&mut [f64]; P],
    ) -> (Substitution<'a, P>, Rest<'a, P>) {
        let (variables, rows) = shape.sizes();
        let columns = self.multipliers.chunks_exact(P * stride);
        for (j, column) in columns.take(variables).enumerate() {
            let mut known = [0.0; P];
            for (known, b) in known.iter_mut().zip(b.iter()) {
                *known = b[j];
            }
            subtract_multiple(simd, stride, column, known, variables, b);
        }
        let right = b.each_mut().map(|b| &mut b[variables..]);
        let substitution = self.complement.begin((rows, stride), &right);
        let rest = Rest {
            inverse: &self.inverse,
            reaction: &mut self.reaction,
        };
        (substitution, rest)
    }
}

/// What comes after y is known.
struct Rest<'a, const P: usize> {
    inverse: &'a [Parts<P>],
    reaction: &'a mut [f64],
}

impl<const P: usize> Rest<'_, P> {
    /// x = A⁻¹ (f + Bᵀ y).
    #[inline(always)]
    fn finish<S: Simd>(
        self,
        simd: S,
        shape: &SaddleShape,
        transposed: &[f64],
        b: &mut [&mut [f64]; P],
    ) {
        let (variables, rows) = shape.sizes();
        let stride = shape.transposed_stride;
        let reactions = self.reaction.chunks_exact_mut(stride);
        for (reaction, b) in reactions.zip(b.iter_mut()) {
            let (f, y) = b.split_at_mut(variables);
            let (vectors, y) = (S::as_mut_simd_f64s(reaction).0, &y[..rows]);
            for (at, slot) in vectors.iter_mut().enumerate() {
                let mut sum = simd.splat_f64s(0.0);
                for (column, &y) in transposed.chunks_exact(stride).zip(y) {
                    let own = S::as_simd_f64s(column).0[at];
                    sum = simd.add_f64s(sum, simd.mul_f64s(simd.splat_f64s(y), own));
                }
                *slot = sum;
            }
            for (f, &reaction) in f.iter_mut().zip(reaction.iter()) {
                *f += reaction;
            }
        }
        let skipped = variables * shape.stride;
        for group in &shape.groups {
            let inverse = &self.inverse[group.first - skipped..];
            match group.size {
                1 => apply::<1, P>(inverse, group, b),
                2 => apply::<2, P>(inverse, group, b),
                _ => apply::<LARGEST_GROUP, P>(inverse, group, b),
            }
        }
    }
}

/// Overwrites the members of a group with its inverse times them.
#[inline(always)]
fn apply<const N: usize, const P: usize>(
    inverse: &[Parts<P>],
    group: &Group,
    b: &mut [&mut [f64]; P],
) {
    let inverse = &inverse[..N * N];
    let mut sums = [[0.0; P]; N];
    for j in 0..N {
        let mut own = [0.0; P];
        for (own, b) in own.iter_mut().zip(b.iter()) {
            *own = b[group.members[j]];
        }
        for (i, sum) in sums.iter_mut().enumerate() {
            for (sum, term) in sum.iter_mut().zip(product(inverse[i * N + j], own)) {
                *sum += term;
            }
        }
    }
    for (i, sum) in sums.into_iter().enumerate() {
        for (b, sum) in b.iter_mut().zip(sum) {
            b[group.members[i]] = sum;
        }
    }
}

/// `out = column factor`, or plus what `out` has been.
#[inline(always)]
fn add_multiple<'a, S: Simd, const P: usize>(
    simd: S,
    stride: usize,
    out: &mut [f64],
    (column, factor): (impl Fn(usize) -> &'a [f64], Parts<P>),
    added: bool,
) {
    let sum = |old, term| {
        if added {
            simd.add_f64s(old, term)
        } else {
            term
        }
    };
    let (out, out_imaginary) = out[..P * stride].split_at_mut(stride);
    let (out, real) = (
        S::as_mut_simd_f64s(out).0,
        S::as_simd_f64s(&column(0)[..stride]).0,
    );
    match factor[..] {
        [x, x_imaginary] => {
            let (x, xi) = (simd.splat_f64s(x), simd.splat_f64s(x_imaginary));
            let out_imaginary = S::as_mut_simd_f64s(out_imaginary).0;
            let imaginary = S::as_simd_f64s(&column(1)[..stride]).0;
            let numbers = real.iter().zip(imaginary);
            for ((out, out_imaginary), (&a, &ai)) in out.iter_mut().zip(out_imaginary).zip(numbers)
            {
                let product = simd.sub_f64s(simd.mul_f64s(a, x), simd.mul_f64s(ai, xi));
                let turned = simd.add_f64s(simd.mul_f64s(a, xi), simd.mul_f64s(ai, x));
                *out = sum(*out, product);
                *out_imaginary = sum(*out_imaginary, turned);
            }
        }
        _ => {
            let x = simd.splat_f64s(factor[0]);
            for (out, &a) in out.iter_mut().zip(real) {
                *out = sum(*out, simd.mul_f64s(a, x));
            }
        }
    }
}

/// `b -= column x` behind place `first`.
#[inline(always)]
fn subtract_multiple<S: Simd, const P: usize>(
    simd: S,
    stride: usize,
    column: &[f64],
    x: Parts<P>,
    first: usize,
    b: &mut [&mut [f64]; P],
) {
    let (real, imaginary) = column[..P * stride].split_at(stride);
    let real = S::as_simd_f64s(real).0;
    match (&mut b[..], &x[..]) {
        ([b, bi], [x, xi]) => {
            let (x, xi) = (simd.splat_f64s(*x), simd.splat_f64s(*xi));
            let b = S::as_mut_simd_f64s(&mut b[first..first + stride]).0;
            let bi = S::as_mut_simd_f64s(&mut bi[first..first + stride]).0;
            let numbers = real.iter().zip(S::as_simd_f64s(imaginary).0);
            for ((b, bi), (&a, &ai)) in b.iter_mut().zip(bi).zip(numbers) {
                let change = simd.sub_f64s(simd.mul_f64s(a, x), simd.mul_f64s(ai, xi));
                let turned = simd.add_f64s(simd.mul_f64s(a, xi), simd.mul_f64s(ai, x));
                *b = simd.sub_f64s(*b, change);
                *bi = simd.sub_f64s(*bi, turned);
            }
        }
        (b, x) => {
            let x = simd.splat_f64s(x[0]);
            let b = S::as_mut_simd_f64s(&mut b[0][first..first + stride]).0;
            for (b, &a) in b.iter_mut().zip(real) {
                *b = simd.sub_f64s(*b, simd.mul_f64s(a, x));
            }
        }
    }
}

struct Alone<'a, const P: usize> {
    numbers: &'a mut Numbers<P>,
    shape: &'a SaddleShape,
    transposed: &'a [f64],
    b: [&'a mut [f64]; P],
}

impl<const P: usize> WithSimd for Alone<'_, P> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self {
            numbers,
            shape,
            transposed,
            mut b,
        } = self;
        let (variables, rows) = shape.sizes();
        by_stride!(shape, |stride| {
            let (mut system, rest) = numbers.begin(simd, shape, stride, &mut b);
            let mut y = b.each_mut().map(|b| &mut b[variables..]);
            for k in 0..rows - 1 {
                system.forward(simd, k, stride);
            }
            for k in (0..rows).rev() {
                system.backward(simd, (k, stride), &mut y);
            }
            rest.finish(simd, shape, transposed, &mut b);
        });
    }
}

struct Both<'a> {
    real: &'a mut Numbers<1>,
    complex: &'a mut Numbers<2>,
    shape: &'a SaddleShape,
    transposed: &'a [f64],
    b: [&'a mut [f64]; 3],
}

impl WithSimd for Both<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self {
            real,
            complex,
            shape,
            transposed,
            b: [first, second, third],
        } = self;
        let (variables, rows) = shape.sizes();
        let (mut one, mut two) = ([first], [second, third]);
        by_stride!(shape, |stride| {
            let (mut real, real_rest) = real.begin(simd, shape, stride, &mut one);
            let (mut complex, complex_rest) = complex.begin(simd, shape, stride, &mut two);
            let mut real_y = one.each_mut().map(|b| &mut b[variables..]);
            let mut complex_y = two.each_mut().map(|b| &mut b[variables..]);
            for k in 0..rows - 1 {
                real.forward(simd, k, stride);
                complex.forward(simd, k, stride);
            }
            for k in (0..rows).rev() {
                real.backward(simd, (k, stride), &mut real_y);
                complex.backward(simd, (k, stride), &mut complex_y);
            }
            real_rest.finish(simd, shape, transposed, &mut one);
            complex_rest.finish(simd, shape, transposed, &mut two);
        });
    }
}
