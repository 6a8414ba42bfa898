//! Positions of the entries of source matrices in the real or complex target matrix.

use crate::linalg::{KktError, Parts, Pattern};

/// A complex number by real and imaginary part.
pub(crate) type Complex = Parts<2>;

/// Positions of a list of unknowns or rows: real parts, imaginary parts (empty in real systems).
pub(super) type Positions = [Vec<usize>; 2];

/// Entries of one source matrix in a target: complex multiples of a real source occupy real-real, imaginary-imaginary,
/// real-imaginary and imaginary-real entries, real multiples the first two, and in a real system there is the first.
pub(super) struct Place {
    parts: usize,
    stride: usize,
    sources: Vec<usize>,
    signs: Vec<f64>,
    entries: Vec<(usize, usize)>,
    positions: Vec<usize>,
}

impl Place {
    /// No entries yet; `complex` says whether factors are.
    pub fn new(parts: usize, complex: bool) -> Self {
        Self {
            parts,
            stride: if complex { parts * parts } else { parts },
            sources: Vec::new(),
            signs: Vec::new(),
            entries: Vec::new(),
            positions: Vec::new(),
        }
    }

    /// Room for so many entries.
    pub fn with_room(mut self, entries: usize) -> Self {
        self.sources.reserve_exact(entries);
        self.signs.reserve_exact(entries);
        self.entries.reserve_exact(entries * self.stride);
        self
    }

    /// The entries (row, column, source) of one matrix.
    pub fn of(
        mut self,
        entries: impl IntoIterator<Item = (usize, usize, usize)>,
        rows: &Positions,
        columns: &Positions,
    ) -> Self {
        for (row, column, source) in entries {
            self.push((rows, row), (columns, column), source, 1.0);
        }
        self
    }

    /// All entries of one matrix.
    pub fn of_pattern(self, pattern: &Pattern, rows: &Positions, columns: &Positions) -> Self {
        (self.with_room(pattern.nnz())).of(pattern.iter(), rows, columns)
    }

    /// Places `sign` times the source number `source`.
    pub fn push(
        &mut self,
        (rows, row): (&Positions, usize),
        (columns, column): (&Positions, usize),
        source: usize,
        sign: f64,
    ) {
        self.sources.push(source);
        self.signs.push(sign);
        let combinations = [(0, 0), (1, 1), (0, 1), (1, 0)];
        // Order of positions: real-real, imaginary-imaginary, then the two that mix them.
        for (i, j) in combinations.into_iter().take(self.stride) {
            self.entries.push((rows[i][row], columns[j][column]));
        }
    }

    /// The union of these places as a pattern, in which they then know their positions; all entries of the matrix if it is to be `dense`.
    pub fn merge(
        (rows, columns): (usize, usize),
        dense: bool,
        places: &mut [&mut Self],
    ) -> Result<Pattern, KktError> {
        if dense {
            for place in places {
                let entries = std::mem::take(&mut place.entries);
                let positions = entries.iter().map(|(row, column)| row * columns + column);
                place.positions = positions.collect();
            }
            return Ok(Pattern::dense(rows, columns));
        }
        let all = places
            .iter()
            .flat_map(|place| place.entries.iter().copied());
        let pattern = Pattern::from_entries(rows, columns, all)?;
        for place in places {
            place.positions = Vec::with_capacity(place.entries.len());
            for (row, column) in std::mem::take(&mut place.entries) {
                place.positions.extend(pattern.position(row, column));
            }
        }
        Ok(pattern)
    }

    /// Adds `factor` times the source to the target.
    pub fn add(&self, factor: Complex, source: &[f64], target: &mut [f64]) {
        if self.sources.is_empty() {
            return;
        }
        let signed = self.sources.iter().zip(&self.signs);
        for (at, (&index, sign)) in self.positions.chunks_exact(self.stride).zip(signed) {
            let value = sign * source[index];
            for &position in &at[..self.parts] {
                // a + i b acts as [a -b; b a] on real and imaginary parts.
                target[position] += factor[0] * value;
            }
            if let [_, _, upper, lower] = *at {
                target[upper] -= factor[1] * value;
                target[lower] += factor[1] * value;
            }
        }
    }
}
