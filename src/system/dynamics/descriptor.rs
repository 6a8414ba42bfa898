//! What a singular matrix E of E x' = d determines, and what it leaves to equations without derivatives.

use crate::linalg::Pattern;

/// Entries of a vector: (index, value).
pub(in crate::system) type Entries = Vec<(usize, f64)>;

/// Null spaces and a generalized inverse of a constant, singular matrix E.
///
/// Rows and columns that no entry connects are treated apart, each group by Gauss-Jordan elimination with complete pivoting, so
/// that a circuit's capacitances, say, cost no more than those of its parts.
pub(crate) struct SingularDescriptor {
    pattern: Pattern,
    values: Vec<f64>,
    /// N with Nᵀ E = 0: combinations of rows that have no derivatives.
    equations: Vec<Entries>,
    /// V with E V = 0: directions of x whose rates are in no row.
    directions: Vec<Entries>,
    /// G with E G E = E, as (column of E, row of E, value).
    inverse: Vec<(usize, usize, f64)>,
    image: Vec<f64>,
}

/// Pivots below this part of the largest entry of an equilibrated group are round-off.
const ROUND_OFF: f64 = 1e-12;

impl SingularDescriptor {
    /// Splits E.
    pub fn new(pattern: &Pattern, values: &[f64]) -> Self {
        let mut split = Self {
            pattern: pattern.clone(),
            values: values.to_vec(),
            equations: Vec::new(),
            directions: Vec::new(),
            inverse: Vec::new(),
            image: vec![0.0; pattern.rows()],
        };
        for (rows, columns) in groups(pattern, values) {
            split.eliminate(&rows, &columns);
        }
        split
    }

    /// Combinations of rows without derivatives.
    pub(in crate::system) fn equations(&self) -> &[Entries] {
        &self.equations
    }

    /// Directions without derivatives, as many.
    pub(in crate::system) fn directions(&self) -> &[Entries] {
        &self.directions
    }

    /// Moves x so that E x becomes the image: x + G (image - E x).
    fn move_image(&mut self, x: &mut [f64]) {
        (self.pattern).multiply_add(&self.values, -1.0, x, &mut self.image);
        for &(column, row, value) in &self.inverse {
            x[column] += value * self.image[row];
        }
    }

    /// Makes of any rates x' some with E x' = d, as far as d lies in the range of E.
    pub fn satisfy(&mut self, d: &[f64], rates: &mut [f64]) {
        self.image.copy_from_slice(d);
        self.move_image(rates);
    }

    /// Gives x what `other` has in directions without derivatives: x := other + G E (x - other).
    pub(in crate::system) fn borrow(&mut self, other: &[f64], x: &mut [f64]) {
        self.pattern.multiply(&self.values, x, &mut self.image);
        x.copy_from_slice(other);
        self.move_image(x);
    }

    /// Splits the part of E that one group of rows and columns makes.
    fn eliminate(&mut self, rows: &[usize], columns: &[usize]) {
        let (m, n) = (rows.len(), columns.len());
        let mut a = vec![0.0; m * n];
        for (i, &row) in rows.iter().enumerate() {
            for (j, &column) in columns.iter().enumerate() {
                let position = self.pattern.position(row, column);
                a[i * n + j] = position.map_or(0.0, |position| self.values[position]);
            }
        }
        let (of_rows, of_columns) = equilibrate(&mut a, m, n);
        // M with M A = the reduced matrix.
        let mut operations = vec![0.0; m * m];
        for i in 0..m {
            operations[i * m + i] = 1.0;
        }
        // By row its pivot's column, and by column its pivot's row.
        let (mut column_of, mut row_of) = (vec![None; m], vec![None; n]);
        while let Some((i, j)) = largest_entry(&a, &column_of, &row_of) {
            let pivot = a[i * n + j];
            a[i * n..][..n].iter_mut().for_each(|entry| *entry /= pivot);
            (operations[i * m..][..m].iter_mut()).for_each(|entry| *entry /= pivot);
            for other in (0..m).filter(|&other| other != i) {
                let factor = a[other * n + j];
                if factor != 0.0 {
                    subtract_row(&mut a, n, other, i, factor);
                    subtract_row(&mut operations, m, other, i, factor);
                    a[other * n + j] = 0.0;
                }
            }
            (column_of[i], row_of[j]) = (Some(j), Some(i));
        }
        for (i, pivot) in column_of.iter().enumerate() {
            let own = operations[i * m..][..m].iter().enumerate();
            let own = own.filter(|(_, value)| **value != 0.0);
            match *pivot {
                Some(j) => {
                    let scale = of_columns[j];
                    let entries =
                        own.map(|(r, value)| (columns[j], rows[r], scale * value * of_rows[r]));
                    self.inverse.extend(entries);
                }
                None => {
                    let entries = own.map(|(r, value)| (rows[r], value * of_rows[r]));
                    self.equations.push(normalized(entries.collect()));
                }
            }
        }
        for free in (0..n).filter(|&j| row_of[j].is_none()) {
            let mut direction = vec![(columns[free], of_columns[free])];
            for (j, row) in row_of.iter().enumerate() {
                let entry = row.map_or(0.0, |i| a[i * n + free]);
                if entry != 0.0 {
                    direction.push((columns[j], -of_columns[j] * entry));
                }
            }
            self.directions.push(normalized(direction));
        }
    }
}

/// Groups of rows and columns that nonzero entries connect.
fn groups(pattern: &Pattern, values: &[f64]) -> Vec<(Vec<usize>, Vec<usize>)> {
    let (m, n) = (pattern.rows(), pattern.cols());
    // A forest of rows, then columns.
    let mut parent: Vec<usize> = (0..m + n).collect();
    fn root(parent: &mut [usize], mut node: usize) -> usize {
        while parent[node] != node {
            parent[node] = parent[parent[node]];
            node = parent[node];
        }
        node
    }
    for (row, column, position) in pattern.iter() {
        if values[position] != 0.0 {
            let (a, b) = (root(&mut parent, row), root(&mut parent, m + column));
            parent[a] = b;
        }
    }
    let mut found = vec![(Vec::new(), Vec::new()); m + n];
    for node in 0..m + n {
        let (rows, columns) = &mut found[root(&mut parent, node)];
        if node < m {
            rows.push(node);
        } else {
            columns.push(node - m);
        }
    }
    let is_group = |(rows, columns): &(Vec<usize>, Vec<usize>)| rows.len() + columns.len() > 0;
    found.into_iter().filter(is_group).collect()
}

/// Scales rows and columns so that the largest entry of each is near 1; returns the factors.
fn equilibrate(a: &mut [f64], m: usize, n: usize) -> (Vec<f64>, Vec<f64>) {
    let (mut of_rows, mut of_columns) = (vec![1.0; m], vec![1.0; n]);
    // A few sweeps do: only orders of magnitude matter.
    for _ in 0..3 {
        for (i, factor) in of_rows.iter_mut().enumerate() {
            let row = &mut a[i * n..][..n];
            let size = row
                .iter()
                .fold(0.0_f64, |size, entry| size.max(entry.abs()));
            if size > 0.0 {
                row.iter_mut().for_each(|entry| *entry /= size);
                *factor /= size;
            }
        }
        for (j, factor) in of_columns.iter_mut().enumerate() {
            let size = (0..m).fold(0.0_f64, |size, i| size.max(a[i * n + j].abs()));
            if size > 0.0 {
                (0..m).for_each(|i| a[i * n + j] /= size);
                *factor /= size;
            }
        }
    }
    (of_rows, of_columns)
}

/// The largest entry among rows and columns without a pivot, if it is more than round-off.
fn largest_entry(
    a: &[f64],
    column_of: &[Option<usize>],
    row_of: &[Option<usize>],
) -> Option<(usize, usize)> {
    let n = row_of.len();
    let mut best = (ROUND_OFF, None);
    for i in (0..column_of.len()).filter(|&i| column_of[i].is_none()) {
        for j in (0..n).filter(|&j| row_of[j].is_none()) {
            let size = a[i * n + j].abs();
            if size > best.0 {
                best = (size, Some((i, j)));
            }
        }
    }
    best.1
}

/// Subtracts a multiple of one row from another one.
fn subtract_row(a: &mut [f64], n: usize, from: usize, row: usize, factor: f64) {
    for j in 0..n {
        a[from * n + j] -= factor * a[row * n + j];
    }
}

/// The same vector with a largest entry of 1.
fn normalized(mut entries: Entries) -> Entries {
    let size = (entries.iter()).fold(0.0_f64, |size, (_, value)| size.max(value.abs()));
    entries.iter_mut().for_each(|(_, value)| *value /= size);
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two capacitors of very different size, one of them to ground at its end, an empty row and an empty column, and a
    /// regular group.
    #[test]
    fn null_spaces_and_inverse_are_those_of_the_matrix() -> Result<(), crate::linalg::KktError> {
        let entries = [
            (0, 0, -1e-12),
            (0, 1, 1e-12),
            (1, 0, 1e-12),
            (1, 1, -1e-12 - 3e-3),
            (1, 2, 3e-3),
            (2, 1, 3e-3),
            (2, 2, -3e-3),
            (4, 3, 2.0),
            (5, 5, 1.0),
            (5, 6, 2.0),
            (6, 5, 3.0),
            (6, 6, 4.0),
        ];
        let positions = entries.iter().map(|&(row, column, _)| (row, column));
        let pattern = Pattern::from_entries(7, 7, positions)?;
        let mut values = vec![0.0; pattern.nnz()];
        for (row, column, value) in entries {
            if let Some(position) = pattern.position(row, column) {
                values[position] = value;
            }
        }
        let mut split = SingularDescriptor::new(&pattern, &values);
        // Rank 2 of the capacitors' 3 rows, 1 and 2.
        assert_eq!((split.equations.len(), split.directions.len()), (2, 2));
        for direction in &split.directions {
            let mut x = [0.0; 7];
            direction.iter().for_each(|&(at, value)| x[at] = value);
            let mut image = [0.0; 7];
            pattern.multiply(&values, &x, &mut image);
            assert!(image.iter().all(|value| value.abs() < 1e-17), "{image:?}");
        }
        for equation in &split.equations {
            let mut weights = [0.0; 7];
            equation.iter().for_each(|&(at, value)| weights[at] = value);
            for column in 0..7 {
                let product = |row: usize| {
                    let position = pattern.position(row, column);
                    weights[row] * position.map_or(0.0, |position| values[position])
                };
                let sum: f64 = (0..7).map(product).sum();
                assert!(sum.abs() < 1e-15, "{column}: {sum:e}");
            }
        }
        let known: Vec<f64> = (0..7).map(|i| (i as f64 + 0.3).sin()).collect();
        let mut x = known.clone();
        split.borrow(&[0.7; 7], &mut x);
        assert_eq!((x[4], x[0].to_bits() == known[0].to_bits()), (0.7, false));
        let (mut found, mut expected) = (vec![0.0; 7], vec![0.0; 7]);
        pattern.multiply(&values, &x, &mut found);
        pattern.multiply(&values, &known, &mut expected);
        for (row, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let scale = expected.abs().max(1e-15);
            assert!(
                (found - expected).abs() < 1e-9 * scale,
                "{row}: {found:e} {expected:e}"
            );
        }
        let mut rates = vec![-0.2; 7];
        split.satisfy(&expected, &mut rates);
        pattern.multiply(&values, &rates, &mut found);
        for (row, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let scale = expected.abs().max(1e-15);
            assert!(
                (found - expected).abs() < 1e-9 * scale,
                "{row}: {found:e} {expected:e}"
            );
        }
        Ok(())
    }
}
