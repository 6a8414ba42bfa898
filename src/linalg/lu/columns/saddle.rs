//! Saddle-point matrices with small groups of variables, by the Schur complement of the groups.

mod shape;
#[cfg(test)]
mod tests;

use super::assembly::add_up;
use super::inverse::{Inverse, combination};
use super::lanes::{add_multiple, slices};
use super::{Parts, cofactors};
use crate::linalg::lu::parts::product;
use crate::scalar::larger_or_nan;
use pulp::{Arch, Scalar, Simd, WithSimd};
pub(crate) use shape::SaddleShape;
use shape::{Group, LARGEST_GROUP};

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

/// The same, and with the stride of columns of Bᵀ.
macro_rules! by_strides {
    ($shape:expr, |$strides:ident| $call:expr) => {
        match ($shape.stride, $shape.transposed_stride) {
            (4, 4) => {
                let $strides = (4, 4);
                $call
            }
            (4, 8) => {
                let $strides = (4, 8);
                $call
            }
            (8, 8) => {
                let $strides = (8, 8);
                $call
            }
            (8, 12) => {
                let $strides = (8, 12);
                $call
            }
            $strides => $call,
        }
    };
}

/// Determinants of groups below this part of their products are not decided here: rows of constraints may have better pivots.
const DOUBTFUL_GROUP: f64 = 1e-4;

/// The same for pivots of the Schur complement.
const DOUBTFUL: f64 = 1e-8;

/// A saddle-point matrix of a [`SaddleShape`], real (`P = 1`) or complex (`P = 2`), with a real B:
///
/// ```text
/// [ A  -Bᵀ ] [x]   [f]                         S = C A⁻¹ Bᵀ
/// [ C   0  ] [y] = [c]      S y = c - C A⁻¹ f,   x = A⁻¹ (f + Bᵀ y)
/// ```
///
/// Pivots are searched for within groups, and within S. A matrix that needs others is left to
/// [`ColumnSolver`](super::ColumnSolver): [`factor`](Self::factor) refuses it, or a solution shows a
/// [`violation`](Self::violation). S is inverted: substitution would wait for each unknown before the next one, for longer than the
/// products take, and each factorization serves several solutions.
pub(crate) struct SaddleSolver<const P: usize> {
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
    complement: Inverse<P>,
    /// c - C A⁻¹ f.
    known: [Vec<f64>; P],
}

impl<const P: usize> SaddleSolver<P> {
    /// Memory for matrices of this shape.
    pub fn new(shape: &SaddleShape) -> Self {
        let (variables, rows) = shape.sizes();
        Self {
            arch: Arch::new(),
            numbers: Numbers {
                values: vec![0.0; P * shape.length()],
                multipliers: vec![0.0; variables * P * shape.stride],
                inverse: vec![[0.0; P]; shape.length() - variables * shape.stride],
                complement: Inverse::new(rows, shape.stride),
                known: [(); P].map(|()| vec![0.0; shape.stride]),
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

    /// Sums A and C up without factorizing them.
    pub fn add_up(&mut self, shape: &SaddleShape, sum: &[(Parts<P>, &[f64])]) {
        add_up(Scalar::new(), shape.length(), sum, &mut self.numbers.values);
    }

    /// A part of A and C as they were last summed up, whether they could be factorized or not.
    pub fn values(&self, shape: &SaddleShape, part: usize) -> &[f64] {
        &self.numbers.values[part * shape.length()..][..shape.length()]
    }

    /// The largest part of its terms by which a row of C x = c fails; NaN if something is not a number.
    ///
    /// Groups are inverted whatever the constraint rows say. A mass that is tiny beside what the rows hang on it cancels in f + Bᵀ y,
    /// which shows in these rows only. Vectors hold (x, y) and (f, c).
    pub fn violation(&self, shape: &SaddleShape, x: &[&[f64]; P], right: &[&[f64]; P]) -> f64 {
        let (variables, rows) = shape.sizes();
        let mut largest = 0.0_f64;
        for row in 0..rows {
            let (mut rest, mut terms) = ([0.0; P], 0.0);
            for (rest, right) in rest.iter_mut().zip(right) {
                *rest = right[variables + row];
                terms += rest.abs();
            }
            for &variable in shape.variables_of(row) {
                let place = shape.constraint(row, variable);
                let (mut entry, mut number) = ([0.0; P], [0.0; P]);
                for part in 0..P {
                    entry[part] = self.numbers.values[part * shape.length() + place];
                    number[part] = x[part][variable];
                }
                for (rest, term) in rest.iter_mut().zip(product(entry, number)) {
                    *rest -= term;
                    terms += term.abs();
                }
            }
            let violation = rest.iter().map(|rest| rest.abs()).sum::<f64>();
            if violation == 0.0 && terms == 0.0 {
                continue;
            }
            let part = violation / terms;
            largest = larger_or_nan(largest, part);
        }
        largest
    }

    /// What this processor can do: for a job that contains a solution.
    pub fn arch(&self) -> Arch {
        self.arch
    }

    /// Overwrites (f, c), part by part, with (x, y), within a job. Vectors are as long as [`SaddleShape::vector_length`] says.
    #[inline(always)]
    pub fn solve<S: Simd>(
        &mut self,
        simd: S,
        shape: &SaddleShape,
        transposed: &[f64],
        mut b: [&mut [f64]; P],
    ) {
        self.solves += 1;
        by_strides!(shape, |strides| {
            (self.numbers).solve(simd, shape, strides, transposed, &mut b);
        });
    }
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
        add_up(simd, shape.length(), sum, &mut numbers.values);
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
            numbers.complement.invert(simd, stride, DOUBTFUL)
        })
    }
}

impl<const P: usize> Numbers<P> {
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
        let Some(inverse) = cofactors::inverse(&rows, DOUBTFUL_GROUP) else {
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
        let length = P * stride;
        let multipliers = &self.multipliers[..];
        let out = self.complement.columns().chunks_exact_mut(length);
        let transposed = transposed.chunks_exact(shape.transposed_stride);
        for ((row, out), transposed) in out.enumerate().zip(transposed) {
            let variables = shape.variables_of(row);
            // As many sums at a time as registers hold.
            let mut first = 0;
            while first < length / S::F64_LANES {
                let left = length / S::F64_LANES - first;
                let sums = (multipliers, length, first);
                first += match left {
                    4.. => sum_columns::<S, 4>(simd, sums, variables, transposed, out),
                    2.. => sum_columns::<S, 2>(simd, sums, variables, transposed, out),
                    _ => sum_columns::<S, 1>(simd, sums, variables, transposed, out),
                };
            }
        }
    }

    /// Overwrites (f, c) with (x, y).
    #[inline(always)]
    fn solve<S: Simd>(
        &mut self,
        simd: S,
        shape: &SaddleShape,
        (stride, wide): (usize, usize),
        transposed: &[f64],
        b: &mut [&mut [f64]; P],
    ) {
        let (variables, rows) = shape.sizes();
        // c - C A⁻¹ f.
        for at in 0..stride / S::F64_LANES {
            let f = slices(b, 0..variables);
            let known = combination(simd, stride, &self.multipliers, &f, at);
            for ((slot, b), known) in self.known.iter_mut().zip(b.iter()).zip(known) {
                let c = S::as_simd_f64s(&b[variables..][..stride]).0[at];
                S::as_mut_simd_f64s(&mut slot[..stride]).0[at] = simd.sub_f64s(c, known);
            }
        }
        // y.
        for at in 0..stride / S::F64_LANES {
            let known = slices(&self.known, 0..rows);
            let y = self.complement.product(simd, stride, &known, at);
            for (b, y) in b.iter_mut().zip(y) {
                S::as_mut_simd_f64s(&mut b[variables..][..stride]).0[at] = y;
            }
        }
        // f + Bᵀ y. What stands behind the variables gets zeros of the padding added.
        debug_assert!(wide <= variables + stride);
        for at in 0..wide / S::F64_LANES {
            // Bᵀ is real: each part by itself.
            for b in b.iter_mut() {
                let y = &b[variables..][..rows];
                let [sum] = combination(simd, wide, transposed, &[y], at);
                let f = &mut S::as_mut_simd_f64s(&mut b[..wide]).0[at];
                *f = simd.add_f64s(*f, sum);
            }
        }
        // Inverses stand one behind the other.
        let mut inverses = &self.inverse[..];
        for group in &shape.groups {
            let (inverse, rest) = inverses.split_at(group.size * group.size);
            inverses = rest;
            match group.size {
                1 => apply::<1, P>(inverse, group, b),
                2 => apply::<2, P>(inverse, group, b),
                _ => apply::<LARGEST_GROUP, P>(inverse, group, b),
            }
        }
    }
}

/// Writes `V` vectors of a sum of columns times numbers, from number `first` on; `V`.
#[inline(always)]
fn sum_columns<S: Simd, const V: usize>(
    simd: S,
    (columns, length, first): (&[f64], usize, usize),
    places: &[usize],
    numbers: &[f64],
    out: &mut [f64],
) -> usize {
    let mut sums = [simd.splat_f64s(0.0); V];
    for &place in places {
        let own = S::as_simd_f64s(&columns[place * length..][..length]).0;
        let (own, factor) = (&own[first..first + V], simd.splat_f64s(numbers[place]));
        for (sum, &own) in sums.iter_mut().zip(own) {
            *sum = simd.add_f64s(*sum, simd.mul_f64s(factor, own));
        }
    }
    S::as_mut_simd_f64s(out).0[first..first + V].copy_from_slice(&sums);
    V
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
