//! Where the numbers of a saddle-point matrix stand whose variables are coupled in small groups.

use crate::linalg::Pattern;
use crate::linalg::lu::columns::{FEWEST, column_length};
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
    /// Whether they stand one behind the other.
    pub is_run: bool,
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
                is_run: true,
                first: end,
            };
            for member in leader..variables {
                if first[member] != leader {
                    continue;
                }
                *group.members.get_mut(group.size)? = member;
                group.is_run &= member == leader + group.size;
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
            match (group.size, group.is_run) {
                (1, _) => add_run::<1, T, N>(group, &base, &terms, out),
                (2, true) => add_run::<2, T, N>(group, &base, &terms, out),
                (2, false) => add_group::<2, T, N>(group, &base, &terms, out),
                (_, true) => add_run::<LARGEST_GROUP, T, N>(group, &base, &terms, out),
                (_, false) => add_group::<LARGEST_GROUP, T, N>(group, &base, &terms, out),
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
        let mut x = *x;
        for x in &mut x {
            *x = &x[..columns.len()];
        }
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

/// The numbers that stand side by side from here on.
#[inline(always)]
fn run<const S: usize>(list: &[f64], first: usize) -> [f64; S] {
    let mut numbers = [0.0; S];
    numbers.copy_from_slice(&list[first..][..S]);
    numbers
}

/// As [`add_group`], for members one behind the other.
#[inline(always)]
fn add_run<const S: usize, const T: usize, const N: usize>(
    group: &Group,
    base: &[&[f64]; N],
    terms: &[(&[f64], [&[f64]; N]); T],
    out: &mut [&mut [f64]; N],
) {
    let first = group.members[0];
    for (at, out) in out.iter_mut().enumerate() {
        let mut sums = run::<S>(base[at], first);
        for (numbers, x) in terms {
            let (numbers, x) = (&numbers[group.first..][..S * S], run::<S>(x[at], first));
            for (j, x) in x.into_iter().enumerate() {
                for (i, sum) in sums.iter_mut().enumerate() {
                    *sum += numbers[j * S + i] * x;
                }
            }
        }
        out[first..][..S].copy_from_slice(&sums);
    }
}

#[inline(always)]
fn add_group<const S: usize, const T: usize, const N: usize>(
    group: &Group,
    base: &[&[f64]; N],
    terms: &[(&[f64], [&[f64]; N]); T],
    out: &mut [&mut [f64]; N],
) {
    let members = &group.members[..S];
    let numbers = terms
        .each_ref()
        .map(|(values, _)| &values[group.first..][..S * S]);
    for (at, out) in out.iter_mut().enumerate() {
        let mut sums = [0.0; S];
        for (sum, &member) in sums.iter_mut().zip(members) {
            *sum = base[at][member];
        }
        for (numbers, (_, x)) in numbers.iter().zip(terms) {
            for (j, &member) in members.iter().enumerate() {
                let x = x[at][member];
                for (i, sum) in sums.iter_mut().enumerate() {
                    *sum += numbers[j * S + i] * x;
                }
            }
        }
        for (&member, sum) in members.iter().zip(sums) {
            out[member] = sum;
        }
    }
}
