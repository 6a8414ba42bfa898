//! Fixed sparsity patterns, compressed by rows.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use sprs::CsMatView;

use super::error::{KktError, check_len};
use super::schur::Structure as Elimination;
use super::shared::Shared;
use super::spans::Spans;
use super::symbolic::SymbolicFactorization;

/// Fixed sparsity pattern of a `rows x cols` matrix, compressed by rows.
///
/// Only the structure is stored: the values live beside it in a slice of length [`Pattern::nnz`],
/// row after row with increasing columns.
///
/// ```
/// use liedae::linalg::Pattern;
///
/// // Two entries in the first row, one in the second.
/// let pattern = Pattern::from_entries(2, 3, [(0, 0), (0, 2), (1, 1)])?;
/// let values = [1.0, 2.0, 3.0];
/// let mut product = [0.0; 2];
/// pattern.multiply(&values, &[1.0, 10.0, 100.0], &mut product);
/// assert_eq!(product, [201.0, 30.0]);
/// # Ok::<(), liedae::linalg::KktError>(())
/// ```
///
/// A clone shares the structure, and so do the solvers that are made for it.
#[derive(Clone, Debug)]
pub struct Pattern {
    structure: Arc<Structure>,
}

#[derive(Debug)]
struct Structure {
    cols: usize,
    /// `starts[i]..starts[i + 1]` are the positions of row `i`; length `rows + 1`.
    starts: Vec<usize>,
    /// Column of every position.
    columns: Vec<usize>,
    /// Made when first asked for.
    spans: OnceLock<Spans>,
    /// Symbolic factorizations of matrices with this upper left block, as long as a solver holds them.
    programs: Shared<SymbolicFactorization>,
    eliminations: Shared<Elimination>,
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        let (a, b) = (&*self.structure, &*other.structure);
        std::ptr::eq(a, b) || (a.cols == b.cols && a.starts == b.starts && a.columns == b.columns)
    }
}

impl Pattern {
    fn from_parts(cols: usize, starts: Vec<usize>, mut columns: Vec<usize>) -> Self {
        // Duplicates may have been taken out.
        columns.shrink_to_fit();
        let structure = Structure {
            cols,
            starts,
            columns,
            spans: OnceLock::new(),
            programs: Shared::default(),
            eliminations: Shared::default(),
        };
        Self {
            structure: Arc::new(structure),
        }
    }

    /// Runs of consecutive entries, one list for all who use this structure.
    pub(super) fn spans(&self) -> &Spans {
        self.structure.spans.get_or_init(|| Spans::new(self))
    }

    /// Symbolic factorizations with this upper left block that are in use.
    pub(super) fn programs(&self) -> &Shared<SymbolicFactorization> {
        &self.structure.programs
    }

    /// The same of Schur complements.
    pub(super) fn eliminations(&self) -> &Shared<Elimination> {
        &self.structure.eliminations
    }

    /// Every entry of a `rows x cols` matrix; values are then plain row-major.
    pub fn dense(rows: usize, cols: usize) -> Self {
        let mut columns = Vec::with_capacity(rows * cols);
        for _ in 0..rows {
            columns.extend(0..cols);
        }
        Self::from_parts(cols, (0..=rows).map(|i| i * cols).collect(), columns)
    }

    /// No entry at all.
    pub fn empty(rows: usize, cols: usize) -> Self {
        Self::from_parts(cols, vec![0; rows + 1], Vec::new())
    }

    /// The diagonal of an `n x n` matrix.
    pub fn diagonal(n: usize) -> Self {
        Self::from_parts(n, (0..=n).collect(), (0..n).collect())
    }

    /// The given `(row, column)` entries, in any order, repetitions allowed.
    ///
    /// # Errors
    /// [`KktError::EntryOutside`] for an entry beyond `rows x cols`.
    pub fn from_entries(
        rows: usize,
        cols: usize,
        entries: impl IntoIterator<Item = (usize, usize)>,
    ) -> Result<Self, KktError> {
        let entries: Vec<_> = entries.into_iter().collect();
        let mut starts = vec![0; rows + 1];
        for &(row, col) in &entries {
            if row >= rows || col >= cols {
                return Err(KktError::EntryOutside {
                    row,
                    col,
                    rows,
                    cols,
                });
            }
            starts[row + 1] += 1;
        }
        for i in 0..rows {
            starts[i + 1] += starts[i];
        }
        // Row by row, in the order in which they come.
        let (mut columns, mut next) = (vec![0; entries.len()], starts.clone());
        for (row, col) in entries {
            columns[next[row]] = col;
            next[row] += 1;
        }
        // Then by column: the order of the values. What is left of each row closes up to the one before.
        let mut kept = 0;
        for i in 0..rows {
            let range = starts[i]..starts[i + 1];
            let row = &mut columns[range.clone()];
            if !row.is_sorted() {
                row.sort_unstable();
            }
            starts[i] = kept;
            for index in range {
                let column = columns[index];
                if kept == starts[i] || columns[kept - 1] != column {
                    columns[kept] = column;
                    kept += 1;
                }
            }
        }
        starts[rows] = kept;
        columns.truncate(kept);
        Ok(Self::from_parts(cols, starts, columns))
    }

    /// Square dense blocks of the given sizes along the diagonal.
    pub fn block_diagonal(sizes: &[usize]) -> Self {
        let mut starts = vec![0];
        let mut columns = Vec::with_capacity(sizes.iter().map(|s| s * s).sum());
        let mut first = 0;
        for &size in sizes {
            for _ in 0..size {
                columns.extend(first..first + size);
                starts.push(columns.len());
            }
            first += size;
        }
        Self::from_parts(first, starts, columns)
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.structure.starts.len() - 1
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.structure.cols
    }

    /// Whether every entry is structural, so that values are those of a row-major matrix.
    pub fn is_dense(&self) -> bool {
        self.nnz() == self.rows() * self.structure.cols
    }

    /// Number of structural entries, the length of every value slice.
    pub fn nnz(&self) -> usize {
        self.structure.columns.len()
    }

    /// Columns of row `i`, increasing; empty for a row that does not exist.
    pub fn row(&self, i: usize) -> &[usize] {
        self.structure.columns.get(self.row_range(i)).unwrap_or(&[])
    }

    /// Positions of row `i` in a value slice; empty for a row that does not exist.
    pub fn row_range(&self, i: usize) -> Range<usize> {
        match (
            self.structure.starts.get(i),
            self.structure.starts.get(i + 1),
        ) {
            (Some(&start), Some(&end)) => start..end,
            _ => 0..0,
        }
    }

    /// Columns and values row by row.
    pub(crate) fn rows_of<'a>(
        &'a self,
        values: &'a [f64],
    ) -> impl Iterator<Item = (&'a [usize], &'a [f64])> {
        let bounds = self.structure.starts.windows(2);
        bounds.map(|bounds| {
            let range = bounds[0]..bounds[1];
            (&self.structure.columns[range.clone()], &values[range])
        })
    }

    /// Position of entry `(i, j)` in a value slice, if it is structural.
    pub fn position(&self, i: usize, j: usize) -> Option<usize> {
        let start = self.row_range(i).start;
        let columns = self.row(i);
        match consecutive(columns) {
            Some(run) => run.contains(&j).then(|| start + j - run.start),
            None => columns.binary_search(&j).ok().map(|k| start + k),
        }
    }

    /// All entries as `(row, column, position)`, in the order of the values.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (usize, usize, usize)> + '_ {
        let Structure {
            starts, columns, ..
        } = &*self.structure;
        let mut row = 0;
        columns.iter().enumerate().map(move |(position, &column)| {
            while starts[row + 1] <= position {
                row += 1;
            }
            (row, column, position)
        })
    }

    /// Rows and columns of all entries, in the order of the values.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.iter().map(|(row, column, _)| (row, column))
    }

    /// The matrix with these values as a [`sprs`] view.
    ///
    /// # Errors
    /// [`KktError::Dimension`] unless `values` has length `nnz`.
    pub fn view<'a>(&'a self, values: &'a [f64]) -> Result<CsMatView<'a, f64>, KktError> {
        check_len("values of the pattern", self.nnz(), values.len())?;
        let shape = (self.rows(), self.structure.cols);
        CsMatView::try_new(
            shape,
            &self.structure.starts[..],
            &self.structure.columns[..],
            values,
        )
        .map_err(|_| KktError::Dimension {
            what: "structure of the pattern",
            expected: self.nnz(),
            found: values.len(),
        })
    }

    /// `y = A x`.
    ///
    /// Slices have the lengths of the matrix; they come from the owner of the pattern, not from input.
    pub fn multiply(&self, values: &[f64], x: &[f64], y: &mut [f64]) {
        y.fill(0.0);
        self.multiply_add(values, 1.0, x, y);
    }

    /// `y += scale A x`.
    pub fn multiply_add(&self, values: &[f64], scale: f64, x: &[f64], y: &mut [f64]) {
        debug_assert_eq!(
            (values.len(), x.len(), y.len()),
            (self.nnz(), self.structure.cols, self.rows())
        );
        // Full rows need no columns looked up.
        if self.is_dense() {
            for (y, row) in y
                .iter_mut()
                .zip(values.chunks_exact(self.structure.cols.max(1)))
            {
                let mut sum = 0.0;
                for (v, x) in row.iter().zip(x) {
                    sum += v * x;
                }
                *y += scale * sum;
            }
            return;
        }
        // Where a solver has made them; a product must not allocate.
        if let Some(spans) = self.structure.spans.get() {
            return spans.multiply_add(values, scale, x, y);
        }
        for (y, (columns, values)) in y.iter_mut().zip(self.rows_of(values)) {
            let mut sum = 0.0;
            for (&j, v) in columns.iter().zip(values) {
                sum += v * x[j];
            }
            *y += scale * sum;
        }
    }

    /// `y = base + scale A x`.
    pub(crate) fn multiply_add_from(
        &self,
        values: &[f64],
        scale: f64,
        x: &[f64],
        base: &[f64],
        y: &mut [f64],
    ) {
        match self.structure.spans.get() {
            Some(spans) if !self.is_dense() => spans.multiply_add_from(values, scale, x, base, y),
            _ => {
                y.copy_from_slice(base);
                self.multiply_add(values, scale, x, y);
            }
        }
    }

    /// `y += |scale A^T| |x|`.
    pub(crate) fn add_transposed_sizes(
        &self,
        values: &[f64],
        scale: f64,
        x: &[f64],
        y: &mut [f64],
    ) {
        if let Some(spans) = self.structure.spans.get() {
            return spans.add_transposed_sizes(values, scale, x, y);
        }
        for (x, (columns, values)) in x.iter().zip(self.rows_of(values)) {
            let factor = (scale * x).abs();
            for (&column, value) in columns.iter().zip(values) {
                y[column] += factor * value.abs();
            }
        }
    }

    /// `y += scale A^T x`, with `x` of length `rows` and `y` of length `cols`.
    pub fn multiply_transpose_add(&self, values: &[f64], scale: f64, x: &[f64], y: &mut [f64]) {
        debug_assert_eq!(
            (values.len(), x.len(), y.len()),
            (self.nnz(), self.rows(), self.structure.cols)
        );
        if self.is_dense() {
            for (x, row) in x
                .iter()
                .zip(values.chunks_exact(self.structure.cols.max(1)))
            {
                let factor = scale * x;
                for (y, v) in y.iter_mut().zip(row) {
                    *y += factor * v;
                }
            }
            return;
        }
        if let Some(spans) = self.structure.spans.get() {
            return spans.multiply_transpose_add(values, scale, x, y);
        }
        for (i, &x) in x.iter().enumerate() {
            let factor = scale * x;
            let range = self.row_range(i);
            let columns = &self.structure.columns[range.clone()];
            for (&j, &v) in columns.iter().zip(&values[range]) {
                y[j] += factor * v;
            }
        }
    }

    /// Writes the matrix row-major into `out`, of length `rows * cols`.
    pub fn to_dense_into(&self, values: &[f64], out: &mut [f64]) {
        debug_assert_eq!(
            (values.len(), out.len()),
            (self.nnz(), self.rows() * self.structure.cols)
        );
        out.fill(0.0);
        for (i, j, k) in self.iter() {
            out[i * self.structure.cols + j] = values[k];
        }
    }
}

/// The columns of a row as a range, if they are one: most rows are, and need no look-ups then.
#[inline]
fn consecutive(columns: &[usize]) -> Option<Range<usize>> {
    let (first, end) = (*columns.first()?, columns.last()? + 1);
    (end - first == columns.len()).then_some(first..end)
}
