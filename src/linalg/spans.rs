//! Runs of consecutive entries: what makes scattered loops contiguous.

use super::pattern::Pattern;

/// Runs of consecutive columns, row by row, in the order of the values.
#[derive(Debug)]
pub(super) struct Spans {
    /// `list[starts[i]..starts[i + 1]]` are the runs of row `i`.
    starts: Vec<usize>,
    /// First column and length.
    list: Vec<(u32, u32)>,
    /// Number of columns if every row is full.
    width: Option<usize>,
}

impl Spans {
    pub fn new(pattern: &Pattern) -> Self {
        let mut starts = vec![0];
        let mut list: Vec<(u32, u32)> = Vec::new();
        for i in 0..pattern.rows() {
            let first = list.len();
            for &j in pattern.row(i) {
                match list[first..].last_mut() {
                    Some((column, length)) if (*column + *length) as usize == j => *length += 1,
                    _ => list.push((j as u32, 1)),
                }
            }
            starts.push(list.len());
        }
        list.shrink_to_fit();
        let width = pattern.is_dense().then_some(pattern.cols());
        Self {
            starts,
            list,
            width: width.filter(|&columns| columns > 0),
        }
    }

    /// `residual = rhs - A x` and `weight = |rhs| + |A| |x|`.
    pub fn residual(
        &self,
        values: &[f64],
        x: &[f64],
        rhs: &[f64],
        residual: &mut [f64],
        weight: &mut [f64],
    ) {
        let mut values = values;
        let outputs = residual.iter_mut().zip(weight.iter_mut()).zip(rhs);
        if let Some(columns) = self.width {
            for (((r, w), &rhs), row) in outputs.zip(values.chunks_exact(columns)) {
                let (sum, size) = products(row, x);
                *r = rhs - sum;
                *w = rhs.abs() + size;
            }
            return;
        }
        for (((r, w), &rhs), bounds) in outputs.zip(self.starts.windows(2)) {
            let (mut sum, mut size) = (0.0, 0.0);
            for &(column, length) in &self.list[bounds[0]..bounds[1]] {
                let (column, length) = (column as usize, length as usize);
                let (own, rest) = values.split_at(length);
                values = rest;
                let (s, a) = products(own, &x[column..column + length]);
                sum += s;
                size += a;
            }
            *r = rhs - sum;
            *w = rhs.abs() + size;
        }
    }

    /// `y += scale A x`.
    pub fn multiply_add(&self, values: &[f64], scale: f64, x: &[f64], y: &mut [f64]) {
        let mut values = values;
        for (y, bounds) in y.iter_mut().zip(self.starts.windows(2)) {
            let mut sum = 0.0;
            for &(column, length) in &self.list[bounds[0]..bounds[1]] {
                let (own, rest) = values.split_at(length as usize);
                values = rest;
                let x = &x[column as usize..];
                // Bodies have three or six columns: no loop.
                sum += match length {
                    1 => own[0] * x[0],
                    3 => product::<3>(own, x),
                    6 => product::<6>(own, x),
                    _ => own.iter().zip(x).map(|(v, x)| v * x).sum(),
                };
            }
            *y += scale * sum;
        }
    }

    /// `y += scale A^T x`.
    pub fn multiply_transpose_add(&self, values: &[f64], scale: f64, x: &[f64], y: &mut [f64]) {
        let mut values = values;
        for (x, bounds) in x.iter().zip(self.starts.windows(2)) {
            let factor = scale * x;
            for &(column, length) in &self.list[bounds[0]..bounds[1]] {
                let (own, rest) = values.split_at(length as usize);
                values = rest;
                let y = &mut y[column as usize..];
                match length {
                    3 => add::<3>(factor, own, y),
                    6 => add::<6>(factor, own, y),
                    _ => {
                        for (y, v) in y.iter_mut().zip(own) {
                            *y += factor * v;
                        }
                    }
                }
            }
        }
    }

    /// `residual += A^T y` and `weight += |A^T| |y|`.
    pub fn add_transpose(
        &self,
        values: &[f64],
        y: &[f64],
        residual: &mut [f64],
        weight: &mut [f64],
    ) {
        let mut values = values;
        for (&y, bounds) in y.iter().zip(self.starts.windows(2)) {
            for &(column, length) in &self.list[bounds[0]..bounds[1]] {
                let (column, length) = (column as usize, length as usize);
                let (own, rest) = values.split_at(length);
                values = rest;
                let r = &mut residual[column..column + length];
                let w = &mut weight[column..column + length];
                for ((&v, r), w) in own.iter().zip(r).zip(w) {
                    let term = v * y;
                    *r += term;
                    *w += term.abs();
                }
            }
        }
    }
}

/// `sum v x` of so many.
#[inline(always)]
fn product<const N: usize>(v: &[f64], x: &[f64]) -> f64 {
    match (v.first_chunk::<N>(), x.first_chunk::<N>()) {
        (Some(v), Some(x)) => products(v, x).0,
        _ => 0.0,
    }
}

/// `y += factor v` of so many.
#[inline(always)]
fn add<const N: usize>(factor: f64, v: &[f64], y: &mut [f64]) {
    if let (Some(v), Some(y)) = (v.first_chunk::<N>(), y.first_chunk_mut::<N>()) {
        for (y, v) in y.iter_mut().zip(v) {
            *y += factor * v;
        }
    }
}

/// `sum v x` and `sum |v x|`, in two lanes so that additions need not wait for each other.
#[inline(always)]
fn products(v: &[f64], x: &[f64]) -> (f64, f64) {
    let (mut sum, mut size) = ([0.0; 2], [0.0; 2]);
    let ((v, v_rest), (x, x_rest)) = (v.as_chunks::<2>(), x.as_chunks::<2>());
    for (v, x) in v.iter().zip(x) {
        for lane in 0..2 {
            let term = v[lane] * x[lane];
            sum[lane] += term;
            size[lane] += term.abs();
        }
    }
    if let (Some(v), Some(x)) = (v_rest.first(), x_rest.first()) {
        sum[0] += v * x;
        size[0] += (v * x).abs();
    }
    (sum[0] + sum[1], size[0] + size[1])
}

/// Where the values of a matrix go in another buffer.
#[derive(Debug, Default)]
pub(super) struct Scatter {
    runs: Vec<Run>,
}

/// Consecutive values with targets at equal distances: rows of a block, or columns of a transposed one.
#[derive(Clone, Copy, Debug)]
struct Run {
    first: usize,
    stride: u32,
    length: u32,
}

impl Scatter {
    pub fn new(targets: &[usize]) -> Self {
        let mut runs: Vec<Run> = Vec::new();
        for &target in targets {
            if let Some(run) = runs.last_mut() {
                // The second value of a run sets its stride.
                let stride = match run.length {
                    1 => target.checked_sub(run.first).filter(|&stride| stride > 0),
                    _ => Some(run.stride as usize),
                };
                let next = |stride: &usize| run.first + run.length as usize * stride == target;
                if let Some(stride) = stride.filter(next).and_then(|s| u32::try_from(s).ok()) {
                    run.stride = stride;
                    run.length += 1;
                    continue;
                }
            }
            runs.push(Run {
                first: target,
                stride: 1,
                length: 1,
            });
        }
        runs.shrink_to_fit();
        Self { runs }
    }

    /// Copies `values` to their targets.
    pub fn copy(&self, values: &[f64], out: &mut [f64]) {
        self.apply(values, out, |v| v);
    }

    /// Copies the negated `values` to their targets.
    pub fn copy_negated(&self, values: &[f64], out: &mut [f64]) {
        self.apply(values, out, |v| -v);
    }

    #[inline]
    fn apply(&self, values: &[f64], out: &mut [f64], map: impl Fn(f64) -> f64) {
        let mut values = values;
        for run in &self.runs {
            let (own, rest) = values.split_at(run.length as usize);
            values = rest;
            // Short loops: a call of memcpy would cost more.
            if run.stride == 1 {
                for (out, &v) in out[run.first..].iter_mut().zip(own) {
                    *out = map(v);
                }
            } else {
                let targets = out[run.first..].iter_mut().step_by(run.stride as usize);
                for (out, &v) in targets.zip(own) {
                    *out = map(v);
                }
            }
        }
    }
}
