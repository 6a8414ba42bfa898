//! Small dense products, specialised by their number of columns.

/// `target[i * stride ..][..columns] -= left[i, ..] * right`, with `left` of shape
/// `rows x inner` (row-major) and `right` of `inner` rows that are `width` apart.
///
/// With `magnitude` (`rows x columns`, row-major) the largest absolute products are kept there.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub rows: usize,
    pub inner: usize,
    pub columns: usize,
    pub width: usize,
    pub stride: usize,
}

pub(super) fn subtract_product(shape: Shape, left: &[f64], right: &[f64], target: &mut [f64]) {
    match shape.columns {
        1 => fixed::<1>(shape, left, right, target),
        2 => fixed::<2>(shape, left, right, target),
        3 => fixed::<3>(shape, left, right, target),
        4 => fixed::<4>(shape, left, right, target),
        5 => fixed::<5>(shape, left, right, target),
        6 => fixed::<6>(shape, left, right, target),
        _ => general(shape, left, right, target),
    }
}

#[inline]
fn fixed<const N: usize>(shape: Shape, left: &[f64], right: &[f64], target: &mut [f64]) {
    let rows = left.chunks_exact(shape.inner.max(1)).take(shape.rows);
    for (row, target) in rows.zip(target.chunks_mut(shape.stride.max(1))) {
        let mut sum = [0.0; N];
        for (&l, right) in row.iter().zip(right.chunks(shape.width.max(1))) {
            if let Some(right) = right.first_chunk::<N>() {
                for (s, &r) in sum.iter_mut().zip(right) {
                    *s += l * r;
                }
            }
        }
        if let Some(target) = target.first_chunk_mut::<N>() {
            for (t, s) in target.iter_mut().zip(sum) {
                *t -= s;
            }
        }
    }
}

fn general(shape: Shape, left: &[f64], right: &[f64], target: &mut [f64]) {
    let rows = left.chunks_exact(shape.inner.max(1)).take(shape.rows);
    for (row, target) in rows.zip(target.chunks_mut(shape.stride.max(1))) {
        for (&l, right) in row.iter().zip(right.chunks(shape.width.max(1))) {
            for (t, &r) in target.iter_mut().zip(right).take(shape.columns) {
                *t -= l * r;
            }
        }
    }
}

/// As [`subtract_product`], and `magnitude = max(magnitude, |product|)` entry by entry.
pub(super) fn subtract_product_tracked(
    shape: Shape,
    left: &[f64],
    right: &[f64],
    target: &mut [f64],
    magnitude: &mut [f64],
) {
    let rows = left.chunks_exact(shape.inner.max(1)).take(shape.rows);
    let outputs = target
        .chunks_mut(shape.stride.max(1))
        .zip(magnitude.chunks_mut(shape.columns.max(1)));
    for (row, (target, magnitude)) in rows.zip(outputs) {
        for (j, (t, m)) in target.iter_mut().zip(magnitude).enumerate() {
            let mut sum = 0.0;
            for (&l, right) in row.iter().zip(right.chunks(shape.width.max(1))) {
                sum += l * right[j];
            }
            *t -= sum;
            *m = m.max(sum.abs());
        }
    }
}

/// `panel = inverse * panel` for a `size x width` panel; `work` holds at least `size * width`.
pub(super) fn multiply_panel(
    size: usize,
    width: usize,
    inverse: &[f64],
    panel: &mut [f64],
    work: &mut [f64],
) {
    if width == 0 {
        return;
    }
    match (size, width) {
        (3, 3) => panel_fixed::<3, 3>(inverse, panel),
        (3, 6) => panel_fixed::<3, 6>(inverse, panel),
        (6, 3) => panel_fixed::<6, 3>(inverse, panel),
        (6, 6) => panel_fixed::<6, 6>(inverse, panel),
        _ => {
            let copy = &mut work[..size * width];
            copy.copy_from_slice(panel);
            let rows = inverse.chunks_exact(size.max(1));
            for (out, row) in panel.chunks_exact_mut(width).zip(rows) {
                out.fill(0.0);
                for (&d, copy) in row.iter().zip(copy.chunks_exact(width)) {
                    for (o, &c) in out.iter_mut().zip(copy) {
                        *o += d * c;
                    }
                }
            }
        }
    }
}

/// `panel = inverse * panel` for a body's or joint's usual sizes, all in registers or on the stack.
fn panel_fixed<const S: usize, const N: usize>(inverse: &[f64], panel: &mut [f64]) {
    let (panel, _) = panel.as_chunks_mut::<N>();
    let (inverse, _) = inverse.as_chunks::<S>();
    let (Some(panel), Some(inverse)) = (panel.first_chunk_mut::<S>(), inverse.first_chunk::<S>())
    else {
        return;
    };
    let copy = *panel;
    for (out, row) in panel.iter_mut().zip(inverse) {
        let mut sum = [0.0; N];
        for (&d, copy) in row.iter().zip(&copy) {
            for (s, &c) in sum.iter_mut().zip(copy) {
                *s += d * c;
            }
        }
        *out = sum;
    }
}

/// `y = M x` for a row-major matrix with `x.len()` columns.
pub(super) fn multiply_vector(matrix: &[f64], x: &[f64], y: &mut [f64]) {
    y.fill(0.0);
    subtract_matrix_vector(matrix, x.len(), x, y);
    for y in y {
        *y = -*y;
    }
}

/// `y -= M x` for a matrix with `x.len()` columns whose rows are `stride` apart.
pub(super) fn subtract_matrix_vector(matrix: &[f64], stride: usize, x: &[f64], y: &mut [f64]) {
    match x.len() {
        1 => vector_fixed::<1>(matrix, stride, x, y),
        2 => vector_fixed::<2>(matrix, stride, x, y),
        3 => vector_fixed::<3>(matrix, stride, x, y),
        6 => vector_fixed::<6>(matrix, stride, x, y),
        _ => {
            for (y, row) in y.iter_mut().zip(matrix.chunks(stride.max(1))) {
                let product: f64 = row.iter().zip(x).map(|(m, x)| m * x).sum();
                *y -= product;
            }
        }
    }
}

fn vector_fixed<const N: usize>(matrix: &[f64], stride: usize, x: &[f64], y: &mut [f64]) {
    let Some(x) = x.first_chunk::<N>() else {
        return;
    };
    for (y, row) in y.iter_mut().zip(matrix.chunks(stride.max(1))) {
        if let Some(row) = row.first_chunk::<N>() {
            // Two lanes: half the latency of one sum.
            let mut sum = [0.0; 2];
            for k in 0..N {
                sum[k % 2] += row[k] * x[k];
            }
            *y -= sum[0] + sum[1];
        }
    }
}
