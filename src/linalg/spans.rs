//! Runs of consecutive entries: what makes scattered loops contiguous.

use super::kernels::{copy_short, dot_in_order};
use super::pattern::Pattern;

/// Runs of consecutive columns, in the order of the values. Consecutive rows with the same columns, like those of most joints, are
/// a block that has its runs once.
#[derive(Debug)]
pub(super) struct Spans {
    blocks: Vec<Block>,
    list: Vec<Run>,
    /// Number of columns if every row is full.
    width: Option<usize>,
}

/// Rows with the same columns, or with one entry each along a diagonal.
#[derive(Clone, Copy, Debug)]
struct Block {
    rows: u32,
    /// Whether the one run is that of the first row, and each other row has the column behind.
    diagonal: bool,
    /// One past its runs in the list: they begin where those of the block before end.
    runs: u32,
    /// Entries of a row.
    length: u32,
}

/// Consecutive columns.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Run {
    column: u32,
    length: u32,
}

impl Run {
    #[inline(always)]
    fn columns(self) -> std::ops::Range<usize> {
        self.column as usize..(self.column + self.length) as usize
    }

    /// The columns in this row of a block.
    #[inline(always)]
    fn in_row(self, row: u32, block: Block) -> std::ops::Range<usize> {
        let shift = if block.diagonal { row } else { 0 };
        let column = self.column + shift;
        column as usize..(column + self.length) as usize
    }
}

impl Spans {
    pub fn new(pattern: &Pattern) -> Self {
        let (mut blocks, mut list): (Vec<Block>, Vec<Run>) = (Vec::new(), Vec::new());
        // Where the runs of the last block begin.
        let mut begin = 0;
        for i in 0..pattern.rows() {
            let first = list.len();
            for &j in pattern.row(i) {
                match list[first..].last_mut() {
                    Some(run) if run.columns().end == j => run.length += 1,
                    _ => list.push(Run {
                        column: j as u32,
                        length: 1,
                    }),
                }
            }
            if let Some(block) = blocks.last_mut() {
                let (before, own) = (&list[begin..first], &list[first..]);
                let is_next = matches!((before, own), ([before], [own])
                    if before.length == 1
                        && own.length == 1
                        && before.column + block.rows == own.column);
                let goes_on = if block.diagonal {
                    is_next
                } else {
                    before == own || (block.rows == 1 && is_next)
                };
                if goes_on {
                    block.diagonal = is_next;
                    block.rows += 1;
                    list.truncate(first);
                    continue;
                }
            }
            begin = first;
            blocks.push(Block {
                rows: 1,
                diagonal: false,
                runs: list.len() as u32,
                length: pattern.row(i).len() as u32,
            });
        }
        blocks.shrink_to_fit();
        list.shrink_to_fit();
        let width = pattern.is_dense().then_some(pattern.cols());
        Self {
            blocks,
            list,
            width: width.filter(|&columns| columns > 0),
        }
    }

    /// Blocks of rows: their number, their runs and the values of one after the other.
    #[inline(always)]
    fn with_values<'a>(
        &'a self,
        values: &'a [f64],
    ) -> impl Iterator<Item = (Block, &'a [Run], &'a [f64])> {
        let (mut first, mut values) = (0, values);
        self.blocks.iter().map(move |&block| {
            let runs = &self.list[first..block.runs as usize];
            first = block.runs as usize;
            let (own, rest) = values.split_at(block.rows as usize * block.length as usize);
            values = rest;
            (block, runs, own)
        })
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
        let mut outputs = residual.iter_mut().zip(weight.iter_mut()).zip(rhs);
        if let Some(columns) = self.width {
            for (((r, w), &rhs), row) in outputs.zip(values.chunks_exact(columns)) {
                let (sum, size) = products(row, x);
                *r = rhs - sum;
                *w = rhs.abs() + size;
            }
            return;
        }
        for (block, runs, mut values) in self.with_values(values) {
            for (row, ((r, w), &rhs)) in (0..block.rows).zip(outputs.by_ref()) {
                let (mut sum, mut size) = (0.0, 0.0);
                for run in runs {
                    let (own, rest) = values.split_at(run.length as usize);
                    values = rest;
                    let (s, a) = products(own, &x[run.in_row(row, block)]);
                    sum += s;
                    size += a;
                }
                *r = rhs - sum;
                *w = rhs.abs() + size;
            }
        }
    }

    /// `y += scale A x`.
    pub fn multiply_add(&self, values: &[f64], scale: f64, x: &[f64], y: &mut [f64]) {
        self.add_image(values, scale, x, y, |_| {});
    }

    /// `y = base + scale A x`.
    pub fn multiply_add_from(
        &self,
        values: &[f64],
        scale: f64,
        x: &[f64],
        base: &[f64],
        y: &mut [f64],
    ) {
        let mut base = base;
        self.add_image(values, scale, x, y, |rows| {
            let (own, rest) = base.split_at(rows.len());
            base = rest;
            copy_short(own, rows);
        });
    }

    /// `y += scale A x`; `begin` gets the rows of each block before.
    #[inline(always)]
    fn add_image(
        &self,
        values: &[f64],
        scale: f64,
        x: &[f64],
        y: &mut [f64],
        mut begin: impl FnMut(&mut [f64]),
    ) {
        let mut y = y;
        for (block, runs, mut values) in self.with_values(values) {
            let (rows, rest) = std::mem::take(&mut y).split_at_mut(block.rows as usize);
            y = rest;
            begin(rows);
            if let [run] = runs {
                if block.diagonal {
                    let x = &x[run.column as usize..];
                    for ((y, v), x) in rows.iter_mut().zip(values).zip(x) {
                        *y += scale * (v * x);
                    }
                    continue;
                }
                let x = &x[run.columns()];
                // Bodies have three, four or six columns, joints of two neighbours up to twelve: no loop.
                match run.length {
                    1 => add_images::<1>(values, scale, x, rows, |v, x| v[0] * x[0]),
                    3 => add_images::<3>(values, scale, x, rows, |v, x| products(v, x).0),
                    4 => add_images::<4>(values, scale, x, rows, |v, x| products(v, x).0),
                    6 => add_images::<6>(values, scale, x, rows, |v, x| products(v, x).0),
                    12 => add_images::<12>(values, scale, x, rows, dot_in_order),
                    length => {
                        for (y, row) in rows.iter_mut().zip(values.chunks_exact(length as usize)) {
                            *y += scale * dot_in_order(row, x);
                        }
                    }
                }
                continue;
            }
            for y in rows {
                let mut sum = 0.0;
                for run in runs {
                    let (own, rest) = values.split_at(run.length as usize);
                    values = rest;
                    let x = &x[run.columns()];
                    sum += match run.length {
                        1 => own[0] * x[0],
                        3 => product::<3>(own, x),
                        4 => product::<4>(own, x),
                        6 => product::<6>(own, x),
                        _ => dot_in_order(own, x),
                    };
                }
                *y += scale * sum;
            }
        }
    }

    /// `y += scale A^T x`.
    pub fn multiply_transpose_add(&self, values: &[f64], scale: f64, x: &[f64], y: &mut [f64]) {
        self.add_turned(values, x, y, |x| scale * x, |value| value);
    }

    /// `y += |scale A^T| |x|`.
    pub fn add_transposed_sizes(&self, values: &[f64], scale: f64, x: &[f64], y: &mut [f64]) {
        self.add_turned(values, x, y, |x| (scale * x).abs(), f64::abs);
    }

    /// `y += A^T x` with other numbers in place of those of x and A.
    #[inline(always)]
    fn add_turned(
        &self,
        values: &[f64],
        x: &[f64],
        y: &mut [f64],
        factor: impl Fn(f64) -> f64,
        entry: impl Fn(f64) -> f64 + Copy,
    ) {
        let mut x = x;
        for (block, runs, values) in self.with_values(values) {
            let (factors, rest) = x.split_at(block.rows as usize);
            x = rest;
            if let ([run], true) = (runs, block.diagonal) {
                let y = &mut y[run.column as usize..];
                for ((y, v), x) in y.iter_mut().zip(values).zip(factors) {
                    *y += factor(*x) * entry(*v);
                }
                continue;
            }
            let (mut offset, stride) = (0, block.length as usize);
            for run in runs {
                let length = run.length as usize;
                // Chunks would be counted, by a division.
                let rows = factors.iter().enumerate().map(|(row, x)| {
                    let first = offset + row * stride;
                    (factor(*x), &values[first..first + length])
                });
                let y = &mut y[run.columns()];
                match run.length {
                    1 => add_rows::<1>(rows, y, entry),
                    2 => add_rows::<2>(rows, y, entry),
                    3 => add_rows::<3>(rows, y, entry),
                    4 => add_rows::<4>(rows, y, entry),
                    6 => add_rows::<6>(rows, y, entry),
                    12 => add_rows::<12>(rows, y, entry),
                    _ => {
                        for (factor, row) in rows {
                            for (y, v) in y.iter_mut().zip(row) {
                                *y += factor * entry(*v);
                            }
                        }
                    }
                }
                offset += length;
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
        let mut y = y;
        for (block, runs, mut values) in self.with_values(values) {
            let (rows, rest) = y.split_at(block.rows as usize);
            y = rest;
            for (row, y) in (0..).zip(rows) {
                for run in runs {
                    let (own, rest) = values.split_at(run.length as usize);
                    values = rest;
                    let columns = run.in_row(row, block);
                    let r = &mut residual[columns.clone()];
                    let w = &mut weight[columns];
                    for ((&v, r), w) in own.iter().zip(r).zip(w) {
                        let term = v * y;
                        *r += term;
                        *w += term.abs();
                    }
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

/// `y += scale A x` for rows of so many entries.
#[inline(always)]
fn add_images<const N: usize>(
    values: &[f64],
    scale: f64,
    x: &[f64],
    y: &mut [f64],
    product: impl Fn(&[f64; N], &[f64; N]) -> f64,
) {
    if let Some(x) = x.first_chunk::<N>() {
        for (y, row) in y.iter_mut().zip(values.as_chunks::<N>().0) {
            *y += scale * product(row, x);
        }
    }
}

/// `y += factor v` of so many for some rows v, whose sum stays in registers.
#[inline(always)]
fn add_rows<'a, const N: usize>(
    rows: impl Iterator<Item = (f64, &'a [f64])>,
    y: &mut [f64],
    entry: impl Fn(f64) -> f64,
) {
    if let Some(y) = y.first_chunk_mut::<N>() {
        let mut sum = *y;
        for (factor, row) in rows {
            if let Some(row) = row.first_chunk::<N>() {
                for (sum, v) in sum.iter_mut().zip(row) {
                    *sum += factor * entry(*v);
                }
            }
        }
        *y = sum;
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
    runs: Vec<Targets>,
}

/// Consecutive values with targets at equal distances: rows of a block, or columns of a transposed one.
#[derive(Clone, Copy, Debug)]
struct Targets {
    first: usize,
    stride: u32,
    length: u32,
}

impl Scatter {
    pub fn new(targets: &[usize]) -> Self {
        let mut scatter = Self::default();
        for &target in targets {
            scatter.push(target);
        }
        scatter.runs.shrink_to_fit();
        scatter
    }

    /// For so many values, whose targets are to be pushed.
    pub fn with_capacity(values: usize) -> Self {
        Self {
            runs: Vec::with_capacity(values),
        }
    }

    /// The target of the next value.
    pub fn push(&mut self, target: usize) {
        if let Some(run) = self.runs.last_mut() {
            // The second value of a run sets its stride.
            let stride = match run.length {
                1 => target.checked_sub(run.first).filter(|&stride| stride > 0),
                _ => Some(run.stride as usize),
            };
            let next = |stride: &usize| run.first + run.length as usize * stride == target;
            if let Some(stride) = stride.filter(next).and_then(|s| u32::try_from(s).ok()) {
                run.stride = stride;
                run.length += 1;
                return;
            }
        }
        self.runs.push(Targets {
            first: target,
            stride: 1,
            length: 1,
        });
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
