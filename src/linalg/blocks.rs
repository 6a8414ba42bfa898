//! The grouping of unknowns into bodies and joints.

use super::error::{KktError, check_len};
use super::pattern::Pattern;

/// How `x` and the constraint rows split into blocks; the sparse path pivots inside blocks only.
///
/// A block of variables should have an invertible diagonal block of `A` (a body), a block of rows
/// should hold the constraints between the same bodies (a joint).
#[derive(Clone, Debug, PartialEq)]
pub struct Blocks {
    /// Sizes of consecutive blocks of `x`, e.g. 3, 3 or 6 per body; they sum to `n`.
    pub variables: Vec<usize>,
    /// Sizes of consecutive blocks of constraint rows, e.g. 3 per ball joint; they sum to `m`.
    pub rows: Vec<usize>,
}

impl Blocks {
    /// Every variable and every row its own block.
    pub fn unstructured(n: usize, m: usize) -> Self {
        Self {
            variables: vec![1; n],
            rows: vec![1; m],
        }
    }

    /// Sizes of all blocks, variables first.
    pub(super) fn sizes(&self) -> Vec<usize> {
        self.variables.iter().chain(&self.rows).copied().collect()
    }

    /// These, with more blocks of variables behind them, as far as they are not empty.
    pub(crate) fn followed_by(&self, sizes: impl IntoIterator<Item = usize>) -> Self {
        let mut blocks = self.clone();
        let sizes = sizes.into_iter().filter(|&size| size > 0);
        blocks.variables.extend(sizes);
        blocks
    }

    /// The blocks the patterns suggest: the diagonal blocks of `A` (coarsest split such that no
    /// entry of `A` crosses a boundary, broken into single variables where a block exceeds
    /// [`Blocks::LARGEST_DETECTED`]), and maximal runs of rows that touch the same variable blocks.
    pub fn detect(a: &Pattern, b: &Pattern, c: &Pattern) -> Self {
        let n = a.rows();
        // The farthest variable that each one is coupled with: a block ends where nothing reaches beyond.
        let mut reach: Vec<usize> = (0..n).collect();
        for (i, j, _) in a.iter() {
            let low = i.min(j);
            if low < n {
                reach[low] = reach[low].max(i.max(j).min(n - 1));
            }
        }
        let mut variables = Vec::new();
        let (mut start, mut end) = (0, 0);
        for (i, &far) in reach.iter().enumerate() {
            end = end.max(far);
            if i == end {
                let size = i + 1 - start;
                if size <= Self::LARGEST_DETECTED {
                    variables.push(size);
                } else {
                    variables.extend(std::iter::repeat_n(1, size));
                }
                start = i + 1;
                end = start;
            }
        }
        let owner = owners(&variables);
        let touched = |i: usize| {
            let columns = b.row(i).iter().chain(c.row(i));
            let mut nodes: Vec<_> = columns.filter_map(|&j| owner.get(j).copied()).collect();
            nodes.sort_unstable();
            nodes.dedup();
            nodes
        };
        let mut rows: Vec<usize> = Vec::new();
        let mut previous: Option<Vec<usize>> = None;
        for i in 0..b.rows().max(c.rows()) {
            let nodes = touched(i);
            match rows.last_mut() {
                Some(size) if previous.as_ref() == Some(&nodes) && *size < Self::LARGEST_ROWS => {
                    *size += 1;
                }
                _ => rows.push(1),
            }
            previous = Some(nodes);
        }
        Self { variables, rows }
    }

    /// Largest variable block [`Blocks::detect`] forms.
    pub const LARGEST_DETECTED: usize = 12;

    /// Largest row block [`Blocks::detect`] forms.
    pub const LARGEST_ROWS: usize = 6;

    /// Checks that the blocks cover `n` variables and `m` rows.
    pub(super) fn check(&self, n: usize, m: usize) -> Result<(), KktError> {
        check_len("sum of variable blocks", n, self.variables.iter().sum())?;
        check_len("sum of row blocks", m, self.rows.iter().sum())
    }
}

/// First index of every block, for consecutive blocks of the given sizes.
pub(super) fn starts(sizes: &[usize]) -> Vec<usize> {
    let each = |next: &mut usize, &size: &usize| Some(std::mem::replace(next, *next + size));
    sizes.iter().scan(0, each).collect()
}

/// Block number of every index, for consecutive blocks of the given sizes.
pub(super) fn owners(sizes: &[usize]) -> Vec<usize> {
    let each = |(block, &size): (usize, &usize)| std::iter::repeat_n(block, size);
    sizes.iter().enumerate().flat_map(each).collect()
}
