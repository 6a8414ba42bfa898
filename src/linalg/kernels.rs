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

impl Panels {
    /// `upper = inverse * upper`; `work` holds at least `size * width`.
    pub fn multiply(self, inverse: &[f64], upper: &mut [f64], work: &mut [f64]) {
        if self.decoupled {
            return match self.width {
                3 => decoupled::<3>(inverse, upper),
                6 => decoupled::<6>(inverse, upper),
                _ => self.multiply_any(inverse, upper, work),
            };
        }
        match (self.size, self.width) {
            (3, 3) => panel::<3, 3>(inverse, upper),
            (3, 6) => panel::<3, 6>(inverse, upper),
            (3, 9) => panel::<3, 9>(inverse, upper),
            (6, 3) => panel::<6, 3>(inverse, upper),
            (6, 6) => panel::<6, 6>(inverse, upper),
            (6, 9) => panel::<6, 9>(inverse, upper),
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
        match (self.size, self.width) {
            (_, 0) => {}
            (3, 3) => products::<3, 3>(lower, upper, product),
            (3, 6) => products::<3, 6>(lower, upper, product),
            (3, 9) => products::<3, 9>(lower, upper, product),
            (6, 3) => products::<6, 3>(lower, upper, product),
            (6, 6) => products::<6, 6>(lower, upper, product),
            (6, 9) => products::<6, 9>(lower, upper, product),
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

fn panel<const S: usize, const W: usize>(inverse: &[f64], upper: &mut [f64]) {
    let (upper, _) = upper.as_chunks_mut::<W>();
    let (inverse, _) = inverse.as_chunks::<S>();
    let (Some(upper), Some(inverse)) = (upper.first_chunk_mut::<S>(), inverse.first_chunk::<S>())
    else {
        return;
    };
    let copy = *upper;
    for (out, row) in upper.iter_mut().zip(inverse) {
        *out = combine_fixed(row, &copy);
    }
}

/// As [`panel`] for two blocks of three.
fn decoupled<const W: usize>(inverse: &[f64], upper: &mut [f64]) {
    let (upper, _) = upper.as_chunks_mut::<W>();
    let (upper, _) = upper.as_chunks_mut::<3>();
    let (inverse, _) = inverse.as_chunks::<6>();
    let (inverse, _) = inverse.as_chunks::<3>();
    for (half, (upper, inverse)) in upper.iter_mut().zip(inverse).enumerate() {
        let copy = *upper;
        for (out, row) in upper.iter_mut().zip(inverse) {
            let own = if half == 0 {
                [row[0], row[1], row[2]]
            } else {
                [row[3], row[4], row[5]]
            };
            *out = combine_fixed(&own, &copy);
        }
    }
}

fn products<const S: usize, const W: usize>(lower: &[f64], upper: &[f64], product: &mut [f64]) {
    let (lower, _) = lower.as_chunks::<S>();
    let (upper, _) = upper.as_chunks::<W>();
    let (product, _) = product.as_chunks_mut::<W>();
    let Some(upper) = upper.first_chunk::<S>() else {
        return;
    };
    for (out, row) in product.iter_mut().zip(lower) {
        *out = combine_fixed(row, upper);
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

impl Panels {
    /// `own = inverse * own`, then `later = lower * own`, for a step's values: pivot, upper and lower panel. Numbers of
    /// `own` for which `tiny` is the bound are set to zero; `work` holds at least `size` numbers.
    pub fn forward(
        self,
        values: &[f64],
        own: &mut [f64],
        later: &mut [f64],
        work: &mut [f64],
        tiny: f64,
    ) {
        let (pivot, panels) = values.split_at(self.size * self.size);
        let lower = &panels[self.size * self.width..];
        match self.size {
            3 => forward::<3>(pivot, lower, own, later, tiny),
            6 => forward::<6>(pivot, lower, own, later, tiny),
            size => {
                let work = &mut work[..size];
                matrix_vector(pivot, own, work);
                own.copy_from_slice(work);
                flush(own, tiny);
                matrix_vector(lower, own, later);
            }
        }
    }

    /// `own -= upper * later`, for a step's values.
    pub fn backward(self, values: &[f64], later: &[f64], own: &mut [f64], tiny: f64) {
        let first = self.size * self.size;
        let upper = &values[first..first + self.size * self.width];
        match self.width {
            0 => {}
            3 => subtract_fixed::<3>(upper, later, own),
            6 => subtract_fixed::<6>(upper, later, own),
            9 => subtract_fixed::<9>(upper, later, own),
            width => {
                for (own, row) in own.iter_mut().zip(upper.chunks_exact(width)) {
                    let sum: f64 = row.iter().zip(later).map(|(m, x)| m * x).sum();
                    *own -= sum;
                }
            }
        }
        flush(own, tiny);
    }
}

fn forward<const S: usize>(
    pivot: &[f64],
    lower: &[f64],
    own: &mut [f64],
    later: &mut [f64],
    tiny: f64,
) {
    let Some(own) = own.first_chunk_mut::<S>() else {
        return;
    };
    let copy = *own;
    for (own, row) in own.iter_mut().zip(pivot.as_chunks::<S>().0) {
        *own = dot(row, &copy);
    }
    flush(own, tiny);
    for (later, row) in later.iter_mut().zip(lower.as_chunks::<S>().0) {
        *later = dot(row, own);
    }
}

fn subtract_fixed<const W: usize>(upper: &[f64], later: &[f64], own: &mut [f64]) {
    let Some(later) = later.first_chunk::<W>() else {
        return;
    };
    for (own, row) in own.iter_mut().zip(upper.as_chunks::<W>().0) {
        *own -= dot(row, later);
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

/// Sets what is smaller than `tiny` to zero.
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
