//! Small dense products, specialised by their sizes.

/// The shape of a pivot block and its panels, all row-major.
#[derive(Clone, Copy)]
pub(super) struct Panels {
    /// Order of the pivot block.
    pub size: usize,
    /// Columns of the upper panel and rows of the lower one.
    pub width: usize,
    /// Two blocks of three on the diagonal of the pivot block, zeros beside them.
    pub decoupled: bool,
}

/// Up to this order pivot blocks have products whose loops the compiler unrolls: bodies and joints in space.
const UNROLLED: usize = 6;

/// From so many columns on, upper panels of nets are summed in lanes. Shorter ones are summed in order.
const LONG: usize = 24;

impl Panels {
    /// `upper = inverse * upper`; `work` holds at least `size * width`.
    pub fn multiply(self, inverse: &[f64], upper: &mut [f64], work: &mut [f64]) {
        if self.decoupled {
            let (first, second) = upper.split_at_mut(3 * self.width);
            decoupled::<0>(inverse, first, self.width);
            return decoupled::<3>(inverse, second, self.width);
        }
        match self.size {
            1 => panel::<1>(inverse, upper, self.width),
            2 => panel::<2>(inverse, upper, self.width),
            3 => panel::<3>(inverse, upper, self.width),
            4 => panel::<4>(inverse, upper, self.width),
            5 => panel::<5>(inverse, upper, self.width),
            UNROLLED => panel::<UNROLLED>(inverse, upper, self.width),
            _ => self.multiply_any(inverse, upper, work),
        }
    }

    fn multiply_any(self, inverse: &[f64], upper: &mut [f64], work: &mut [f64]) {
        if self.width == 0 {
            return;
        }
        let copy = &mut work[..self.size * self.width];
        copy.copy_from_slice(upper);
        let rows = inverse.chunks_exact(self.size.max(1));
        for (out, row) in upper.chunks_exact_mut(self.width).zip(rows) {
            combine(row, copy, out);
        }
    }

    /// `product = lower * upper`, `width x width`.
    pub fn products(self, lower: &[f64], upper: &[f64], product: &mut [f64]) {
        match self.size {
            _ if self.width == 0 => {}
            1 => products::<1>(lower, upper, product, self.width),
            2 => products::<2>(lower, upper, product, self.width),
            3 => products::<3>(lower, upper, product, self.width),
            4 => products::<4>(lower, upper, product, self.width),
            5 => products::<5>(lower, upper, product, self.width),
            UNROLLED => products::<UNROLLED>(lower, upper, product, self.width),
            _ => {
                let rows = lower.chunks_exact(self.size.max(1));
                for (out, row) in product.chunks_exact_mut(self.width).zip(rows) {
                    combine(row, upper, out);
                }
            }
        }
    }
}

/// `out = row * matrix` for a matrix with as many columns as `out`.
fn combine(row: &[f64], matrix: &[f64], out: &mut [f64]) {
    out.fill(0.0);
    for (&factor, line) in row.iter().zip(matrix.chunks_exact(out.len())) {
        for (out, &value) in out.iter_mut().zip(line) {
            *out += factor * value;
        }
    }
}

/// As [`combine`], all in registers.
#[inline(always)]
fn combine_fixed<const S: usize, const W: usize>(
    row: &[f64; S],
    matrix: &[[f64; W]; S],
) -> [f64; W] {
    let mut sum = [0.0; W];
    for (&factor, line) in row.iter().zip(matrix) {
        for (sum, &value) in sum.iter_mut().zip(line) {
            *sum += factor * value;
        }
    }
    sum
}

/// Some columns of a row-major matrix from this one on.
#[inline(always)]
fn columns<const S: usize, const W: usize>(
    matrix: &[f64],
    width: usize,
    first: usize,
) -> [[f64; W]; S] {
    let mut out = [[0.0; W]; S];
    for (out, row) in out.iter_mut().zip(matrix.chunks_exact(width)) {
        out.copy_from_slice(&row[first..first + W]);
    }
    out
}

/// `upper = inverse * upper` for blocks of `S` rows.
fn panel<const S: usize>(inverse: &[f64], upper: &mut [f64], width: usize) {
    let Some(inverse) = inverse.as_chunks::<S>().0.first_chunk::<S>() else {
        return;
    };
    multiply_columns(|row| inverse[row], upper, width);
}

/// As [`panel`] for one of two blocks of three, which begins in this column.
fn decoupled<const FIRST: usize>(inverse: &[f64], upper: &mut [f64], width: usize) {
    let Some(inverse) = inverse.as_chunks::<6>().0.first_chunk::<6>() else {
        return;
    };
    let row = |row: usize| std::array::from_fn(|column| inverse[FIRST + row][FIRST + column]);
    multiply_columns::<3>(row, upper, width);
}

#[inline(always)]
fn multiply_columns<const S: usize>(
    inverse: impl Fn(usize) -> [f64; S],
    upper: &mut [f64],
    width: usize,
) {
    #[inline(always)]
    fn some<const S: usize, const W: usize>(
        inverse: &impl Fn(usize) -> [f64; S],
        upper: &mut [f64],
        width: usize,
        first: usize,
    ) {
        let copy = columns::<S, W>(upper, width, first);
        for (row, out) in upper.chunks_exact_mut(width).enumerate() {
            out[first..first + W].copy_from_slice(&combine_fixed(&inverse(row), &copy));
        }
    }
    let rest = width - width % 4;
    for first in (0..rest).step_by(4) {
        some::<S, 4>(&inverse, upper, width, first);
    }
    match width - rest {
        1 => some::<S, 1>(&inverse, upper, width, rest),
        2 => some::<S, 2>(&inverse, upper, width, rest),
        3 => some::<S, 3>(&inverse, upper, width, rest),
        _ => {}
    }
}

fn products<const S: usize>(lower: &[f64], upper: &[f64], product: &mut [f64], width: usize) {
    #[inline(always)]
    fn some<const S: usize, const W: usize>(
        lower: &[f64],
        upper: &[f64],
        product: &mut [f64],
        [width, first]: [usize; 2],
    ) {
        let own = columns::<S, W>(upper, width, first);
        let rows = lower.as_chunks::<S>().0;
        for (out, row) in product.chunks_exact_mut(width).zip(rows) {
            out[first..first + W].copy_from_slice(&combine_fixed(row, &own));
        }
    }
    let rest = width - width % 4;
    for first in (0..rest).step_by(4) {
        some::<S, 4>(lower, upper, product, [width, first]);
    }
    match width - rest {
        1 => some::<S, 1>(lower, upper, product, [width, rest]),
        2 => some::<S, 2>(lower, upper, product, [width, rest]),
        3 => some::<S, 3>(lower, upper, product, [width, rest]),
        _ => {}
    }
}

/// `target -= block` row by row; the rows of the target are `stride` apart.
#[inline]
pub(super) fn subtract_block<'a>(
    rows: impl Iterator<Item = &'a [f64]>,
    target: &mut [f64],
    stride: usize,
) {
    for (target, row) in target.chunks_mut(stride.max(1)).zip(rows) {
        // Joints have three rows more often than not, bodies six columns.
        if let ([t0, t1, t2, ..], [r0, r1, r2]) = (&mut *target, row) {
            *t0 -= r0;
            *t1 -= r1;
            *t2 -= r2;
        } else if let (Some(target), Ok(row)) =
            (target.first_chunk_mut::<6>(), <&[f64; 6]>::try_from(row))
        {
            for (target, value) in target.iter_mut().zip(row) {
                *target -= value;
            }
        } else {
            for (target, value) in target.iter_mut().zip(row) {
                *target -= value;
            }
        }
    }
}

/// As [`subtract_block`] for square blocks, and `magnitude = max(magnitude, |block|)` entry by entry.
#[inline]
pub(super) fn subtract_block_tracked<'a>(
    rows: impl Iterator<Item = &'a [f64]>,
    target: &mut [f64],
    stride: usize,
    magnitudes: &mut [f64],
) {
    let mut magnitudes = magnitudes;
    for (target, row) in target.chunks_mut(stride.max(1)).zip(rows) {
        let (own, rest) = std::mem::take(&mut magnitudes).split_at_mut(row.len());
        magnitudes = rest;
        for ((target, magnitude), value) in target.iter_mut().zip(own).zip(row) {
            *target -= value;
            *magnitude = magnitude.max(value.abs());
        }
    }
}

/// Copies the unknowns of a joint or a body, mostly three or six: without a call.
#[inline(always)]
pub(super) fn copy_short(from: &[f64], to: &mut [f64]) {
    match (from, to) {
        ([a, b, c], [x, y, z]) => [*x, *y, *z] = [*a, *b, *c],
        ([a, b, c, d, e, f], [u, v, w, x, y, z]) => {
            [*u, *v, *w, *x, *y, *z] = [*a, *b, *c, *d, *e, *f];
        }
        (from, to) => to.copy_from_slice(from),
    }
}

impl Panels {
    /// `own = inverse * own`, for a step's pivot block, with which `values` begins. Numbers of `own` for which `tiny`
    /// is the bound are set to zero; `work` holds at least `size` numbers.
    #[inline]
    pub fn solve_pivot(self, values: &[f64], own: &mut [f64], work: &mut [f64], tiny: f64) {
        match self.size {
            3 => solve_pivot::<3>(values, own, dot),
            5 => solve_pivot::<5>(values, own, dot_in_order),
            6 => solve_pivot::<6>(values, own, dot),
            size => {
                let work = &mut work[..size];
                matrix_vector(&values[..size * size], own, work);
                own.copy_from_slice(work);
            }
        }
        flush(own, tiny);
    }

    /// Gives `lower * own`, row by row, to these places; `values` are a step's pivot block and lower panel.
    #[inline]
    pub fn pass_on(
        self,
        values: &[f64],
        own: &[f64],
        later: &mut [f64],
        give: impl Fn(&mut f64, f64),
    ) {
        let lower = &values[self.size * self.size..];
        match self.size {
            3 => pass_on::<3>(lower, own, later, dot, give),
            5 => pass_on::<5>(lower, own, later, dot_in_order, give),
            6 => pass_on::<6>(lower, own, later, dot, give),
            size => {
                let rows = lower.chunks_exact(size.max(1));
                for (later, row) in later.iter_mut().zip(rows) {
                    give(later, dot_in_order(row, own));
                }
            }
        }
    }

    /// `own -= upper * later`.
    #[inline]
    pub fn backward(self, upper: &[f64], later: &[f64], own: &mut [f64], tiny: f64) {
        match self.width {
            0 => {}
            3 => subtract_fixed::<3>(upper, later, own, dot),
            5 => subtract_fixed::<5>(upper, later, own, dot_in_order),
            6 => subtract_fixed::<6>(upper, later, own, dot),
            9 => subtract_fixed::<9>(upper, later, own, dot),
            10 => subtract_fixed::<10>(upper, later, own, dot_in_order),
            11 => subtract_fixed::<11>(upper, later, own, dot_in_order),
            width => {
                let dot = if width < LONG {
                    dot_in_order
                } else {
                    dot_in_lanes
                };
                for (own, row) in own.iter_mut().zip(upper.chunks_exact(width)) {
                    *own -= dot(row, later);
                }
            }
        }
        flush(own, tiny);
    }
}

#[inline(always)]
fn solve_pivot<const S: usize>(
    pivot: &[f64],
    own: &mut [f64],
    dot: impl Fn(&[f64; S], &[f64; S]) -> f64,
) {
    if let Some(own) = own.first_chunk_mut::<S>() {
        let copy = *own;
        for (own, row) in own.iter_mut().zip(pivot.as_chunks::<S>().0) {
            *own = dot(row, &copy);
        }
    }
}

#[inline(always)]
fn pass_on<const S: usize>(
    lower: &[f64],
    own: &[f64],
    later: &mut [f64],
    dot: impl Fn(&[f64; S], &[f64; S]) -> f64,
    give: impl Fn(&mut f64, f64),
) {
    if let Some(own) = own.first_chunk::<S>() {
        for (later, row) in later.iter_mut().zip(lower.as_chunks::<S>().0) {
            give(later, dot(row, own));
        }
    }
}

#[inline(always)]
fn subtract_fixed<const W: usize>(
    upper: &[f64],
    later: &[f64],
    own: &mut [f64],
    dot: impl Fn(&[f64; W], &[f64; W]) -> f64,
) {
    if let Some(later) = later.first_chunk::<W>() {
        for (own, row) in own.iter_mut().zip(upper.as_chunks::<W>().0) {
            *own -= dot(row, later);
        }
    }
}

/// In two lanes: half the latency of one sum.
#[inline(always)]
fn dot<const N: usize>(row: &[f64; N], x: &[f64; N]) -> f64 {
    let mut sum = [0.0; 2];
    for k in 0..N {
        sum[k % 2] += row[k] * x[k];
    }
    sum[0] + sum[1]
}

/// One term after the other.
#[inline(always)]
pub(super) fn dot_in_order<A: AsRef<[f64]> + ?Sized>(row: &A, x: &A) -> f64 {
    let terms = row.as_ref().iter().zip(x.as_ref());
    terms.map(|(m, x)| m * x).sum()
}

/// In eight lanes: no sum waits for the one before.
fn dot_in_lanes(row: &[f64], x: &[f64]) -> f64 {
    let ((rows, row), (xs, x)) = (row.as_chunks::<8>(), x.as_chunks::<8>());
    let mut sums = [0.0; 8];
    for (row, x) in rows.iter().zip(xs) {
        for (sum, (row, x)) in sums.iter_mut().zip(row.iter().zip(x)) {
            *sum += row * x;
        }
    }
    sums.iter().sum::<f64>() + dot_in_order(row, x)
}

/// Sets what is smaller than `tiny` to zero.
#[inline]
pub(super) fn flush(values: &mut [f64], tiny: f64) {
    for value in values {
        *value = if value.abs() < tiny { 0.0 } else { *value };
    }
}

/// `y = M x` for a row-major matrix with `x.len()` columns.
fn matrix_vector(matrix: &[f64], x: &[f64], y: &mut [f64]) {
    if x.is_empty() {
        return y.fill(0.0);
    }
    for (y, row) in y.iter_mut().zip(matrix.chunks_exact(x.len())) {
        *y = row.iter().zip(x).map(|(m, x)| m * x).sum();
    }
}
