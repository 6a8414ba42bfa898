//! Small saddle-point systems whose rank is in no doubt: one dense matrix, complex ones as they are.

use super::direct::{Direct, Targets};
use super::places::Complex;
use super::structure::Indices;
use crate::linalg::Pattern;

/// A saddle-point matrix [A -Bᵀ; C 0] with real and imaginary parts side by side, as one with real or complex entries.
pub(super) struct Saddle {
    pub direct: Direct,
    /// Where real and imaginary parts of A, B and C go.
    targets: [[Targets; 2]; 3],
    /// Positions of real and imaginary parts of the variables and of the rows.
    variables: Vec<[usize; 2]>,
    rows: Vec<[usize; 2]>,
}

impl Saddle {
    /// For matrices A, B and C with these patterns.
    pub fn new(indices: &Indices, [a, b, c]: [&Pattern; 3], parts: usize) -> Self {
        let pairs = |lists: &[&[Vec<usize>; 2]]| -> Vec<[usize; 2]> {
            let all = lists.iter().flat_map(|[real, imaginary]| {
                let imaginary = if parts == 2 { imaginary } else { real };
                real.iter().zip(imaginary).map(|(&re, &im)| [re, im])
            });
            let mut all: Vec<[usize; 2]> = all.collect();
            all.sort_unstable();
            all
        };
        let variables = pairs(&[&indices.u, &indices.v, &indices.x, &indices.z]);
        let rows = pairs(&[&indices.lambda, &indices.mu]);
        // Index among the complex unknowns and part of every position.
        let owners = |pairs: &[[usize; 2]]| -> Vec<(usize, usize)> {
            let mut owners = vec![(0, 0); parts * pairs.len()];
            for (index, positions) in pairs.iter().enumerate() {
                for (part, &position) in positions.iter().enumerate().take(parts) {
                    owners[position] = (index, part);
                }
            }
            owners
        };
        let (of_variable, of_row) = (owners(&variables), owners(&rows));
        let (n, size) = (variables.len(), variables.len() + rows.len());
        // A complex number stands twice, as [re -im; im re]: the columns of real parts have it.
        let targets = |pattern: &Pattern,
                       rows: &[(usize, usize)],
                       columns: &[(usize, usize)],
                       [first_row, first_column]: [usize; 2]| {
            let mut parts: [Targets; 2] = Default::default();
            for (row, column, position) in pattern.iter() {
                let ((row, part), (column, part_of_column)) = (rows[row], columns[column]);
                if part_of_column == 0 {
                    let place = (first_row + row) * size + first_column + column;
                    parts[part].push((place, position));
                }
            }
            parts
        };
        // -Bᵀ stands in the columns of the rows: its real columns are the real rows of B.
        let mut transposed: [Targets; 2] = Default::default();
        for (row, column, position) in b.iter() {
            let ((row, part_of_row), (column, part)) = (of_row[row], of_variable[column]);
            if part_of_row == 0 {
                transposed[part].push((column * size + n + row, position));
            }
        }
        Self {
            direct: Direct::new(size, parts),
            targets: [
                targets(a, &of_variable, &of_variable, [0, 0]),
                transposed,
                targets(c, &of_row, &of_variable, [n, 0]),
            ],
            variables,
            rows,
        }
    }

    /// Factorizes the matrix with these values of A, B and C; false if the solver that decides about rank should.
    pub fn factor(&mut self, a: &[f64], b: &[f64], c: &[f64]) -> bool {
        let (one, i): (Complex, Complex) = ([1.0, 0.0], [0.0, 1.0]);
        let negative = |[re, im]: Complex| [-re, -im];
        let [of_a, of_b, of_c] = &self.targets;
        self.direct.factor(&[
            (one, &of_a[0], a),
            (i, &of_a[1], a),
            (negative(one), &of_b[0], b),
            (negative(i), &of_b[1], b),
            (one, &of_c[0], c),
            (i, &of_c[1], c),
        ])
    }

    /// Solves for x and y with the right-hand sides f and c.
    pub fn solve(&mut self, f: &[f64], c: &[f64], x: &mut [f64], y: &mut [f64]) {
        let (variables, rows) = (&self.variables, &self.rows);
        self.direct.solve(|index| match variables.get(index) {
            Some(&[re, im]) => [f[re], f[im]],
            None => {
                let [re, im] = rows[index - variables.len()];
                [c[re], c[im]]
            }
        });
        self.direct.store(|index, value| {
            let (out, [re, im]) = match variables.get(index) {
                Some(&pair) => (&mut *x, pair),
                None => (&mut *y, rows[index - variables.len()]),
            };
            // Of real systems both positions are that of the real part, which comes last.
            out[im] = value[1];
            out[re] = value[0];
        });
    }
}
