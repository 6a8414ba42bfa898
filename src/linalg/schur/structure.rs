//! Symbolic analysis of the elimination: fill, and which rows meet which columns.

use crate::linalg::Pattern;
use crate::linalg::system::System;
use std::ops::Range;
use std::sync::Arc;

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
pub(in crate::linalg) struct Structure {
    /// The patterns of B and C, and the width of rows, that it was made for.
    made_for: (Pattern, Pattern, usize),
    pub(super) m: usize,
    pub(super) steps: Vec<Step>,
    /// Positions of the diagonal among the values of A.
    pub(super) diagonal: Vec<usize>,
    /// All of A, where it couples its variables in pairs at most.
    pub(super) pairs: Option<Pairs>,
    pub(super) entries: Vec<Entry>,
    pub(super) targets: Vec<usize>,
    /// Columns in which rows of L have entries, and their numbers among the entries, row by row.
    pub(super) left_of: Vec<(usize, usize)>,
    /// Rows of `L⁻¹ Cᵀ` in which columns have entries, column by column.
    pub(super) touched: Vec<usize>,
    /// Where the values of B and C go in Bᵀ and Cᵀ, row by row.
    pub(super) b_places: Vec<usize>,
    pub(super) c_places: Vec<usize>,
}

/// A matrix that couples its variables in pairs at most.
pub(super) struct Pairs {
    /// Variables that are coupled with none, and the positions of their diagonal entries among the values.
    pub single: Vec<(usize, usize)>,
    /// In the order of their entries in L.
    pub coupled: Vec<Pair>,
}

/// Two variables that are coupled with each other alone.
pub(super) struct Pair {
    pub variables: [usize; 2],
    /// Positions of the diagonal entries, and of the coupling and its mirror image.
    pub diagonal: [usize; 2],
    pub coupling: [usize; 2],
}

impl Pairs {
    /// Of a matrix with this diagonal and these entries of L.
    fn new(diagonal: &[usize], entries: &[Entry]) -> Option<Self> {
        let mut is_coupled = vec![false; diagonal.len()];
        let mut coupled = Vec::with_capacity(entries.len());
        for entry in entries {
            let variables = [entry.column, entry.row];
            for variable in variables {
                if std::mem::replace(&mut is_coupled[variable], true) {
                    return None;
                }
            }
            coupled.push(Pair {
                variables,
                diagonal: variables.map(|variable| diagonal[variable]),
                coupling: [entry.source?, entry.mirror?],
            });
        }
        let alone = is_coupled.iter().zip(diagonal).enumerate();
        let alone = alone.filter(|(_, (coupled, _))| !**coupled);
        Some(Self {
            single: alone
                .map(|(variable, (_, &source))| (variable, source))
                .collect(),
            coupled,
        })
    }
}

/// The elimination of one variable.
pub(super) struct Step {
    /// Its column of L among the entries.
    pub column: Range<usize>,
    /// Its row of L in `left_of`.
    pub left_of: Range<usize>,
    /// Its row of `L⁻¹ Cᵀ`.
    pub touched: Range<usize>,
}

impl Structure {
    /// That of a system for rows of this width, made anew unless another solver has it.
    pub fn shared(system: &System, width: usize) -> Option<Arc<Self>> {
        let fits = |structure: &Self| {
            let (b, c, its_width) = &structure.made_for;
            *its_width == width && *b == system.b && *c == system.c
        };
        let make = || Self::new(system, width).ok_or(());
        system.a.eliminations().get(fits, make).ok()
    }

    /// For rows of this width; `None` where a diagonal entry of A is not structural.
    pub fn new(system: &System, width: usize) -> Option<Self> {
        let (n, m) = (system.n, system.m);
        let below = factor_columns(system);
        // Where the entries of each column begin, and that of a row among them.
        let mut columns = Vec::with_capacity(n);
        let mut count = 0;
        for &column in &below {
            columns.push(count..count + column.count_ones() as usize);
            count += column.count_ones() as usize;
        }
        let index = |row: usize, column: usize| {
            columns[column].start + (below[column] & before(row)).count_ones() as usize
        };
        let (mut entries, mut targets) = (Vec::with_capacity(count), Vec::new());
        let mut left: Vec<Set> = vec![0; n];
        for (k, &column) in below.iter().enumerate() {
            for i in members(column) {
                left[i] |= only(k);
                entries.push(Entry {
                    row: i,
                    column: k,
                    source: system.a.position(i, k),
                    mirror: system.a.position(k, i),
                    first_target: targets.len(),
                });
                targets.extend(members(column & !before(i + 1)).map(|j| index(j, i)));
            }
        }
        // Structure of V = L⁻¹ Cᵀ, which has that of Cᵀ in it.
        let mut touches: Vec<Set> = vec![0; n];
        for (row, column, _) in system.c.iter() {
            touches[column] |= only(row);
        }
        for (k, &column) in below.iter().enumerate() {
            let own = touches[k];
            for i in members(column) {
                touches[i] |= own;
            }
        }
        let (mut steps, mut touched) = (Vec::with_capacity(n), Vec::new());
        let (mut diagonal, mut left_of) = (Vec::with_capacity(n), Vec::with_capacity(count));
        for ((k, column), &rows) in columns.iter().cloned().enumerate().zip(&touches) {
            let (first, first_left) = (touched.len(), left_of.len());
            touched.extend(members(rows));
            left_of.extend(members(left[k]).map(|column| (column, index(k, column))));
            diagonal.push(system.a.position(k, k)?);
            steps.push(Step {
                column,
                left_of: first_left..left_of.len(),
                touched: first..touched.len(),
            });
        }
        let place = |(row, column, _): (usize, usize, usize)| column * width + row;
        Some(Self {
            made_for: (system.b.clone(), system.c.clone(), width),
            m,
            steps,
            pairs: Pairs::new(&diagonal, &entries),
            diagonal,
            entries,
            targets,
            left_of,
            touched,
            b_places: system.b.iter().map(place).collect(),
            c_places: system.c.iter().map(place).collect(),
        })
    }
}

/// Variables or rows by number, one bit each: there are at most [`MOST_VARIABLES`](super::MOST_VARIABLES) and
/// [`MOST_ROWS`](super::MOST_ROWS) of them.
type Set = u64;

const _: () = assert!(super::MOST_VARIABLES < 64 && super::MOST_ROWS < 64);

fn only(number: usize) -> Set {
    1 << number
}

/// All numbers below this one.
fn before(number: usize) -> Set {
    only(number) - 1
}

/// The numbers, ascending.
fn members(mut set: Set) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let first = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(first)
    })
}

/// The entries of L below the diagonal with its fill, column by column.
fn factor_columns(system: &System) -> Vec<Set> {
    let mut columns: Vec<Set> = vec![0; system.n];
    for (row, column, _) in system.a.iter() {
        let (first, last) = (row.min(column), row.max(column));
        if first < last {
            columns[first] |= only(last);
        }
    }
    for k in 0..columns.len() {
        let column = columns[k];
        for i in members(column) {
            columns[i] |= column & !before(i + 1);
        }
    }
    columns
}
