//! Matrices that models fill, entry by entry.

use crate::linalg::Pattern;
use crate::scalar::Scalar;
use crate::system::clear;
use std::fmt::{Debug, Formatter};
use std::ops::{Index, IndexMut};

/// Matrices with more places than this, most of them empty, are searched row by row: a table of all places would be larger than they are.
const LARGEST_TABLE: usize = 1 << 16;

/// Matrices with at most so many columns have tables with rows of one length: the place of a column that the compiler knows is a constant
/// there.
const NARROW: usize = 16;

/// In a table, a place without an entry.
const NOWHERE: u32 = u32::MAX;

/// A matrix to be filled by a model; zero when the model receives it.
///
/// It has the entries of a sparsity pattern, or all. What is written to another place is not kept: that place reads as zero.
///
/// ```
/// use liedae::system::MatrixMut;
///
/// let mut values = [0.0; 4];
/// let mut mass = MatrixMut::new(2, &mut values);
/// mass[(0, 0)] = 3.0;
/// mass[(1, 1)] += 2.0;
/// assert_eq!(values, [3.0, 0.0, 0.0, 2.0]);
/// ```
///
/// # Panics
/// Where a place outside of the matrix is read or written. Programs that are built without debug assertions do not look at the column in
/// small and dense matrices: one that is too large is then a place of a later row, or a place without an entry.
pub struct MatrixMut<'a, S> {
    columns: usize,
    values: &'a mut [S],
    /// Of a pattern with few columns, where the values stand, row by row; [`NOWHERE`] for places without an entry. It stands by itself: one
    /// question takes less time than to tell four cases from each other.
    narrow: Option<&'a [[u32; NARROW]]>,
    /// What is kept where there is no such list.
    kept: &'a Kept,
    others: Others<S>,
}

/// Which entries are kept.
enum Kept {
    /// All, row by row.
    All,
    /// Those of a pattern: where the values stand, for each place of the matrix, row by row.
    Table(Vec<u32>),
    /// Those of a pattern, which is searched.
    Pattern(Pattern),
}

/// All entries.
static ALL: Kept = Kept::All;

/// Stand-ins for entries outside the pattern: a zero to read, and a slot to write to.
struct Others<S> {
    zero: S,
    written: S,
}

impl<S: Copy> Others<S> {
    fn new(zero: S) -> Self {
        Self {
            zero,
            written: zero,
        }
    }

    /// Room for a number that is not kept, zero each time.
    fn slot(&mut self) -> &mut S {
        self.written = self.zero;
        &mut self.written
    }
}

/// The place of an entry in a matrix of so many columns, row by row.
#[inline(always)]
fn place(columns: usize, row: usize, column: usize) -> usize {
    debug_assert_column(columns, (row, column));
    row * columns + column
}

/// Looks at a column in programs with debug assertions.
#[inline(always)]
fn debug_assert_column(columns: usize, (row, column): (usize, usize)) {
    debug_assert!(
        column < columns,
        "({row}, {column}) is out of bounds of a matrix of {columns} columns"
    );
}

/// The position of an entry of a matrix.
#[inline]
fn position(pattern: &Pattern, row: usize, column: usize) -> Option<usize> {
    let (rows, columns) = (pattern.rows(), pattern.cols());
    assert!(
        row < rows && column < columns,
        "({row}, {column}) is out of bounds of a {rows} x {columns} matrix"
    );
    pattern.position(row, column)
}

impl<'a, S: Scalar> MatrixMut<'a, S> {
    /// Views `values`, row by row, as a matrix with this many columns.
    pub fn new(columns: usize, values: &'a mut [S]) -> Self {
        Self {
            columns,
            values,
            narrow: None,
            kept: &ALL,
            others: Others::new(S::constant(0.0)),
        }
    }
}

impl<'a, S> MatrixMut<'a, S> {
    /// Writes several entries of a row, (column, value) each, which takes less time than one after the other. The
    /// others stay what they are.
    ///
    /// ```
    /// use liedae::system::MatrixMut;
    ///
    /// let mut values = [0.0; 6];
    /// MatrixMut::new(3, &mut values).set_in_row(1, [(0, 3.0), (2, 2.0)]);
    /// assert_eq!(values, [0.0, 0.0, 0.0, 3.0, 0.0, 2.0]);
    /// ```
    ///
    /// # Panics
    /// Where an entry is outside of the matrix, as [`MatrixMut`] says.
    // Always: out of line the list goes through memory, and the call takes longer than the writing.
    #[inline(always)]
    pub fn set_in_row(&mut self, row: usize, entries: impl IntoIterator<Item = (usize, S)>) {
        let (columns, values) = (self.columns, &mut *self.values);
        if let Some(positions) = self.narrow {
            for (column, value) in entries {
                debug_assert_column(columns, (row, column));
                if let Some(slot) = values.get_mut(positions[row][column] as usize) {
                    *slot = value;
                }
            }
            return;
        }
        match self.kept {
            Kept::All => {
                for (column, value) in entries {
                    values[place(columns, row, column)] = value;
                }
            }
            Kept::Table(positions) => {
                for (column, value) in entries {
                    let place = place(columns, row, column);
                    if let Some(slot) = values.get_mut(positions[place] as usize) {
                        *slot = value;
                    }
                }
            }
            Kept::Pattern(pattern) => {
                for (column, value) in entries {
                    if let Some(position) = position(pattern, row, column) {
                        values[position] = value;
                    }
                }
            }
        }
    }
}

impl<S: Debug> Debug for MatrixMut<'_, S> {
    fn fmt(&self, f: &mut Formatter) -> std::fmt::Result {
        f.debug_struct("MatrixMut")
            .field("columns", &self.columns)
            .field("values", &self.values)
            .finish_non_exhaustive()
    }
}

impl<S> Index<(usize, usize)> for MatrixMut<'_, S> {
    type Output = S;

    #[inline]
    fn index(&self, (row, column): (usize, usize)) -> &S {
        let place = place(self.columns, row, column);
        let zero = &self.others.zero;
        if let Some(positions) = self.narrow {
            let position = positions[row][column] as usize;
            return self.values.get(position).unwrap_or(zero);
        }
        match self.kept {
            Kept::All => &self.values[place],
            Kept::Table(positions) => {
                let position = positions[place] as usize;
                self.values.get(position).unwrap_or(zero)
            }
            Kept::Pattern(pattern) => match position(pattern, row, column) {
                Some(position) => &self.values[position],
                None => zero,
            },
        }
    }
}

impl<S: Copy> IndexMut<(usize, usize)> for MatrixMut<'_, S> {
    #[inline]
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut S {
        let place = place(self.columns, row, column);
        let position = if let Some(positions) = self.narrow {
            positions[row][column] as usize
        } else {
            match self.kept {
                Kept::All => return &mut self.values[place],
                Kept::Table(positions) => positions[place] as usize,
                Kept::Pattern(pattern) => match position(pattern, row, column) {
                    Some(position) => return &mut self.values[position],
                    None => return self.others.slot(),
                },
            }
        };
        match self.values.get_mut(position) {
            Some(value) => value,
            None => self.others.slot(),
        }
    }
}

/// How the values of a pattern are seen as a matrix.
pub(in crate::system) struct MatrixView {
    columns: usize,
    /// For each place of a few columns the position of its entry, in rows of one length.
    narrow: Option<Vec<[u32; NARROW]>>,
    kept: Kept,
}

impl MatrixView {
    pub fn of(pattern: &Pattern) -> Self {
        let columns = pattern.cols();
        let places = pattern.rows().saturating_mul(columns);
        let is_narrow = columns <= NARROW && pattern.rows() * NARROW <= LARGEST_TABLE;
        let narrow = (is_narrow && !pattern.is_dense()).then(|| {
            let mut positions = vec![[NOWHERE; NARROW]; pattern.rows()];
            for ((row, column, _), position) in pattern.iter().zip(0..) {
                positions[row][column] = position;
            }
            positions
        });
        let kept = if pattern.is_dense() {
            Kept::All
        } else if narrow.is_some() || places > LARGEST_TABLE {
            Kept::Pattern(pattern.clone())
        } else {
            let mut positions = vec![NOWHERE; places];
            for ((row, column, _), position) in pattern.iter().zip(0..) {
                positions[row * columns + column] = position;
            }
            Kept::Table(positions)
        };
        Self {
            columns,
            narrow,
            kept,
        }
    }

    /// The values as a matrix, all of them zero.
    #[inline]
    pub fn zeroed<'a>(&'a self, values: &'a mut [f64]) -> MatrixMut<'a, f64> {
        clear(values);
        MatrixMut {
            columns: self.columns,
            values,
            narrow: self.narrow.as_deref(),
            kept: &self.kept,
            others: Others::new(0.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_entries_of_the_pattern_are_kept() {
        let entries = [(0, 0), (0, 2), (1, 1), (2, 0)];
        let narrow = MatrixView::of(&Pattern::from_entries(3, 3, entries).unwrap());
        let table = MatrixView::of(&Pattern::from_entries(30, 30, entries).unwrap());
        let large = MatrixView::of(&Pattern::from_entries(300, 300, entries).unwrap());
        assert!(narrow.narrow.is_some());
        assert!(matches!(table.kept, Kept::Table(_)));
        assert!(large.narrow.is_none() && matches!(large.kept, Kept::Pattern(_)));
        for view in [narrow, table, large] {
            let mut values = [9.0; 4];
            let mut matrix = view.zeroed(&mut values);
            for row in 0..3 {
                for column in 0..3 {
                    matrix[(row, column)] += (10 * row + column) as f64;
                }
            }
            assert_eq!(matrix[(0, 2)], 2.0);
            // Whatever was written there.
            assert_eq!(matrix[(1, 2)], 0.0);
            matrix[(2, 2)] += 1.0;
            assert_eq!(matrix[(2, 2)], 0.0);
            assert_eq!(values, [0.0, 2.0, 11.0, 20.0]);
            view.zeroed(&mut values).set_in_row(0, [(2, 5.0), (1, 6.0)]);
            assert_eq!(values, [0.0, 5.0, 0.0, 0.0]);
        }
        // No entries at all.
        let none = MatrixView::of(&Pattern::empty(3, 3));
        let mut matrix = none.zeroed(&mut []);
        matrix[(2, 2)] = 1.0;
        matrix.set_in_row(1, [(0, 2.0)]);
        assert_eq!((matrix[(2, 2)], matrix[(1, 0)]), (0.0, 0.0));
        let dense = MatrixView::of(&Pattern::dense(2, 2));
        let mut values = [9.0; 4];
        dense.zeroed(&mut values)[(1, 0)] = 5.0;
        assert_eq!(values, [0.0, 0.0, 5.0, 0.0]);
    }

    #[test]
    fn tables_have_rows_of_one_length_as_long_as_they_are_short() {
        let view = |rows, columns| {
            let entries = [(0, 0), (rows - 1, columns - 1)];
            MatrixView::of(&Pattern::from_entries(rows, columns, entries).unwrap())
        };
        for columns in [2, 15, 16, 17, 18] {
            let view = view(3, columns);
            assert_eq!(view.narrow.is_some(), columns <= NARROW);
            let mut values = [0.0; 2];
            view.zeroed(&mut values)[(2, columns - 1)] = 4.0;
            assert_eq!(values, [0.0, 4.0]);
        }
        assert!(matches!(view(5000, 2).kept, Kept::Table(_)));
    }

    #[test]
    fn places_outside_of_a_matrix_are_refused() {
        for size in [2, 16, 17, 300] {
            let view = MatrixView::of(&Pattern::diagonal(size));
            let write = |row: usize| {
                std::panic::catch_unwind(|| view.zeroed(&mut vec![0.0; size])[(row, 0)] = 1.0)
            };
            let set = |row: usize| {
                std::panic::catch_unwind(|| {
                    view.zeroed(&mut vec![0.0; size])
                        .set_in_row(row, [(0, 1.0)]);
                })
            };
            let read = |row: usize| {
                std::panic::catch_unwind(|| view.zeroed(&mut vec![0.0; size])[(row, 0)])
            };
            assert!(write(size - 1).is_ok() && set(size - 1).is_ok());
            assert!(read(size - 1).is_ok() && read(size).is_err());
            assert!(write(size).is_err() && set(size).is_err());
            let column = std::panic::catch_unwind(|| {
                view.zeroed(&mut vec![0.0; size])
                    .set_in_row(0, [(size, 1.0)]);
            });
            assert!(column.is_err() || (size < 300 && !cfg!(debug_assertions)));
        }
    }
}
