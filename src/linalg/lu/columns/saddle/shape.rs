//! Where the numbers of a saddle-point matrix stand whose variables are coupled in small groups.

use crate::linalg::Pattern;
use crate::linalg::lu::columns::dispatch::{FEWEST, column_length};
use crate::linalg::lu::columns::lanes::{read, slices};
use std::ops::Range;

/// Most variables in a group: as many as a rotation has.
pub(super) const LARGEST_GROUP: usize = 3;

/// The saddle-point matrix
///
/// ```text
/// [ A  -Bᵀ ]
/// [ C   0  ]
/// ```
///
/// whose A couples variables in groups of at most three, as the masses of separate bodies do. B and C have one pattern.
///
/// The numbers of A and C are one list: C column by column, padded to [`column_length`], then the groups, column by column.
/// Those of Bᵀ are a list of their own, a padded column for each row of B.
#[derive(Clone, Debug)]
pub(crate) struct SaddleShape {
    variables: usize,
    rows: usize,
    /// Numbers in a column of C, and in one of Bᵀ.
    pub(super) stride: usize,
    pub(super) transposed_stride: usize,
    pub(super) groups: Vec<Group>,
    /// The group of each variable, and its number among the members.
    owners: Vec<(usize, usize)>,
    /// The variables in each row of B.
    pattern: Pattern,
    length: usize,
}

/// Variables that are coupled with each other alone.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    pub members: [usize; LARGEST_GROUP],
    pub size: usize,
    /// Where its numbers begin.
    pub first: usize,
}

impl Group {
    /// Where its numbers are.
    #[inline(always)]
    pub fn range(&self) -> Range<usize> {
        self.first..self.first + self.size * self.size
    }
}

impl SaddleShape {
    /// For A with these entries (row, column) and for B and C with this pattern. `None` if a group is too large, or the matrix is so
    /// small that vectors do not pay.
    pub fn new(coupled: impl Iterator<Item = (usize, usize)>, pattern: &Pattern) -> Option<Self> {
        let (rows, variables) = (pattern.rows(), pattern.cols());
        if rows < FEWEST || variables < FEWEST {
            return None;
        }
        // The first member stands for its group.
        let mut first: Vec<usize> = (0..variables).collect();
        for (row, column) in coupled {
            let (one, other) = (first[row], first[column]);
            if one != other {
                let (kept, dropped) = (one.min(other), one.max(other));
                for slot in &mut first {
                    if *slot == dropped {
                        *slot = kept;
                    }
                }
            }
        }
        let stride = column_length(rows);
        let (mut groups, mut owners) = (Vec::<Group>::new(), vec![(0, 0); variables]);
        let mut end = variables * stride;
        for leader in 0..variables {
            if first[leader] != leader {
                continue;
            }
            let mut group = Group {
                members: [leader; LARGEST_GROUP],
                size: 0,
                first: end,
            };
            for member in leader..variables {
                if first[member] != leader {
                    continue;
                }
                *group.members.get_mut(group.size)? = member;
                owners[member] = (groups.len(), group.size);
                group.size += 1;
            }
            end = group.range().end;
            groups.push(group);
        }
        Some(Self {
            variables,
            rows,
            stride,
            transposed_stride: column_length(variables),
            groups,
            owners,
            pattern: pattern.clone(),
            length: column_length(end),
        })
    }

    /// Variables and rows.
    pub fn sizes(&self) -> (usize, usize) {
        (self.variables, self.rows)
    }

    /// Numbers of A and C.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Numbers of Bᵀ.
    pub fn transposed_length(&self) -> usize {
        self.rows * self.transposed_stride
    }

    /// How long vectors of this matrix are: variables, then rows, padded.
    pub fn vector_length(&self) -> usize {
        self.variables + self.stride
    }

    /// The place of an entry of A between coupled variables.
    pub fn coupling(&self, row: usize, column: usize) -> usize {
        let ((group, i), (other, j)) = (self.owners[row], self.owners[column]);
        debug_assert_eq!(group, other, "variables that are not coupled");
        let Group { first, size, .. } = self.groups[group];
        first + j * size + i
    }

    /// The place of an entry of C.
    pub fn constraint(&self, row: usize, variable: usize) -> usize {
        variable * self.stride + row
    }

    /// The place of an entry of B in the list of Bᵀ.
    pub fn transposed(&self, row: usize, variable: usize) -> usize {
        row * self.transposed_stride + variable
    }

    /// The variables in a row of B.
    #[inline(always)]
    pub(super) fn variables_of(&self, row: usize) -> &[usize] {
        self.pattern.row(row)
    }

    /// The whole matrix by columns of [`column_length`], Bᵀ left out where it is not given.
    pub fn expand(&self, values: &[f64], transposed: Option<&[f64]>, out: &mut [f64]) {
        let stride = column_length(self.variables + self.rows);
        out.fill(0.0);
        let (left, right) = out.split_at_mut(self.variables * stride);
        let columns = left.chunks_exact_mut(stride);
        for (out, column) in columns.zip(values.chunks_exact(self.stride)) {
            out[self.variables..][..self.rows].copy_from_slice(&column[..self.rows]);
        }
        for group in &self.groups {
            let columns = values[group.range()].chunks_exact(group.size);
            for (&column, numbers) in group.members.iter().zip(columns) {
                for (&row, &number) in group.members.iter().zip(numbers) {
                    left[column * stride + row] = number;
                }
            }
        }
        let Some(transposed) = transposed else {
            return;
        };
        let columns = transposed.chunks_exact(self.transposed_stride);
        for (out, column) in right.chunks_exact_mut(stride).zip(columns) {
            for (slot, number) in out.iter_mut().zip(&column[..self.variables]) {
                *slot = 0.0 - number;
            }
        }
    }

    /// `out = base + Σ A x` of several matrices, for several right-hand sides at a time.
    #[inline(always)]
    pub fn add_coupled<const T: usize, const N: usize>(
        &self,
        base: [&[f64]; N],
        terms: [(&[f64], [&[f64]; N]); T],
        out: &mut [&mut [f64]; N],
    ) {
        for group in &self.groups {
            match group.size {
                1 => add_group::<1, T, N>(group, &base, &terms, out),
                2 => add_group::<2, T, N>(group, &base, &terms, out),
                _ => add_group::<LARGEST_GROUP, T, N>(group, &base, &terms, out),
            }
        }
    }

    /// `out += C x` behind the variables of vectors of [`vector_length`](Self::vector_length), for several right-hand sides at a
    /// time.
    #[inline(always)]
    pub fn add_constrained<const N: usize>(
        &self,
        values: &[f64],
        x: [&[f64]; N],
        out: &mut [&mut [f64]; N],
    ) {
        // Columns of known length stay in registers.
        match self.stride {
            4 => self.add_columns::<4, N>(values, &x, out),
            8 => self.add_columns::<8, N>(values, &x, out),
            12 => self.add_columns::<12, N>(values, &x, out),
            stride => {
                for (out, x) in out.iter_mut().zip(x) {
                    let out = &mut out[self.variables..][..stride];
                    for (column, x) in values.chunks_exact(stride).zip(&x[..self.variables]) {
                        for (out, entry) in out.iter_mut().zip(column) {
                            *out += x * entry;
                        }
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn add_columns<const R: usize, const N: usize>(
        &self,
        values: &[f64],
        x: &[&[f64]; N],
        out: &mut [&mut [f64]; N],
    ) {
        let columns = &values.as_chunks::<R>().0[..self.variables];
        let x = slices(x, 0..columns.len());
        let mut sums = [[0.0; R]; N];
        for (sums, out) in sums.iter_mut().zip(out.iter()) {
            sums.copy_from_slice(&out[self.variables..][..R]);
        }
        for (variable, column) in columns.iter().enumerate() {
            for (sums, x) in sums.iter_mut().zip(x) {
                let x = x[variable];
                for (sum, entry) in sums.iter_mut().zip(column) {
                    *sum += x * entry;
                }
            }
        }
        for (sums, out) in sums.iter().zip(out) {
            out[self.variables..][..R].copy_from_slice(sums);
        }
    }
}

/// Adds the part of a group; as [`SaddleShape::add_coupled`].
#[inline(always)]
fn add_group<const S: usize, const T: usize, const N: usize>(
    group: &Group,
    base: &[&[f64]; N],
    terms: &[(&[f64], [&[f64]; N]); T],
    out: &mut [&mut [f64]; N],
) {
    // Members ascend. Numbers side by side are one piece.
    if group.members[S - 1] - group.members[0] == S - 1 {
        add_members::<S, true, T, N>(group, base, terms, out);
    } else {
        add_members::<S, false, T, N>(group, base, terms, out);
    }
}

/// The same, whose members stand `SIDE_BY_SIDE` or not.
#[inline(always)]
fn add_members<const S: usize, const SIDE_BY_SIDE: bool, const T: usize, const N: usize>(
    group: &Group,
    base: &[&[f64]; N],
    terms: &[(&[f64], [&[f64]; N]); T],
    out: &mut [&mut [f64]; N],
) {
    for (at, out) in out.iter_mut().enumerate() {
        let mut sums = members::<S, SIDE_BY_SIDE>(group, base[at]);
        for (numbers, x) in terms {
            let numbers = &numbers[group.first..][..S * S];
            let x = members::<S, SIDE_BY_SIDE>(group, x[at]);
            for (j, x) in x.into_iter().enumerate() {
                for (i, sum) in sums.iter_mut().enumerate() {
                    *sum += numbers[j * S + i] * x;
                }
            }
        }
        if SIDE_BY_SIDE {
            out[group.members[0]..][..S].copy_from_slice(&sums);
        } else {
            for (&member, sum) in group.members.iter().zip(sums) {
                out[member] = sum;
            }
        }
    }
}

/// The numbers of the members in a list.
#[inline(always)]
fn members<const S: usize, const SIDE_BY_SIDE: bool>(group: &Group, list: &[f64]) -> [f64; S] {
    if SIDE_BY_SIDE {
        return read(&list[group.members[0]..]);
    }
    let mut numbers = [0.0; S];
    for (number, &member) in numbers.iter_mut().zip(&group.members) {
        *number = list[member];
    }
    numbers
}
