//! What the patterns say about the elimination: fill, and which rows meet which columns.

use crate::linalg::system::System;
use std::ops::Range;

/// An entry of L below the diagonal.
pub(super) struct Entry {
    pub row: usize,
    pub column: usize,
    /// Positions among the values of A of this entry and its mirror image; none for fill.
    pub source: Option<usize>,
    pub mirror: Option<usize>,
    /// Where the products with the entries below in the same column go.
    pub first_target: usize,
}

/// What the patterns say.
pub(super) struct Structure {
    pub n: usize,
    pub m: usize,
    pub steps: Vec<Step>,
    pub entries: Vec<Entry>,
    pub targets: Vec<usize>,
    /// Rows of U in which columns have entries, column by column.
    pub touched: Vec<usize>,
    /// Where the values of B and C go in Bᵀ and Cᵀ, row by row.
    pub b_places: Vec<usize>,
    pub c_places: Vec<usize>,
}

/// The elimination of one variable.
pub(super) struct Step {
    /// Position of the diagonal entry among the values of A.
    pub source: usize,
    /// Its column of L among the entries.
    pub column: Range<usize>,
    /// Its row of U.
    pub touched: Range<usize>,
}

impl Structure {
    /// For rows of this width; `None` where a diagonal entry of A is not structural.
    pub fn new(system: &System, width: usize) -> Option<Self> {
        let (n, m) = (system.n, system.m);
        // Structure of L with fill, column by column.
        let mut below: Vec<Vec<bool>> = (0..n)
            .map(|k| {
                let either =
                    |i| system.a.position(i, k).is_some() || system.a.position(k, i).is_some();
                (0..n).map(|i| i > k && either(i)).collect()
            })
            .collect();
        let mut columns_left = &mut below[..];
        while let Some((column, later)) = columns_left.split_first_mut() {
            let next = n - later.len();
            for (i, fill) in (next..n).zip(later.iter_mut()) {
                for j in (i + 1..n).filter(|&j| column[i] && column[j]) {
                    fill[j] = true;
                }
            }
            columns_left = later;
        }
        let mut index = vec![vec![0; n]; n];
        let (mut columns, mut count) = (Vec::with_capacity(n), 0);
        for (column, index) in below.iter().zip(&mut index) {
            let first = count;
            for (_, index) in column.iter().zip(index).filter(|(below, _)| **below) {
                *index = count;
                count += 1;
            }
            columns.push(first..count);
        }
        let (mut entries, mut targets) = (Vec::with_capacity(count), Vec::new());
        for (k, column) in below.iter().enumerate() {
            for i in (k + 1..n).filter(|&i| column[i]) {
                entries.push(Entry {
                    row: i,
                    column: k,
                    source: system.a.position(i, k),
                    mirror: system.a.position(k, i),
                    first_target: targets.len(),
                });
                targets.extend((i + 1..n).filter(|&j| column[j]).map(|j| index[i][j]));
            }
        }
        // Structure of U = L⁻¹ Cᵀ.
        let mut touches = vec![vec![false; m]; n];
        for (row, column, _) in system.c.iter() {
            touches[column][row] = true;
        }
        for k in 0..n {
            let own = touches[k].clone();
            for i in (k + 1..n).filter(|&i| below[k][i]) {
                for (inherited, &touched) in touches[i].iter_mut().zip(&own) {
                    *inherited |= touched;
                }
            }
        }
        let (mut steps, mut touched) = (Vec::with_capacity(n), Vec::new());
        for ((k, column), row) in columns.into_iter().enumerate().zip(&touches) {
            let first = touched.len();
            touched.extend((0..m).filter(|&i| row[i]));
            steps.push(Step {
                source: system.a.position(k, k)?,
                column,
                touched: first..touched.len(),
            });
        }
        let place = |(row, column, _): (usize, usize, usize)| column * width + row;
        Some(Self {
            n,
            m,
            steps,
            entries,
            targets,
            touched,
            b_places: system.b.iter().map(place).collect(),
            c_places: system.c.iter().map(place).collect(),
        })
    }
}
