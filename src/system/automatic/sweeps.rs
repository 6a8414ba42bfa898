//! Columns of the constraint Jacobian that are differentiated together.

use crate::linalg::Pattern;
use crate::manifold::Factor;
use crate::system::Layout;
use crate::system::automatic::arguments::CHUNK;
use std::ops::Range;

/// One evaluation with derivatives along up to [`CHUNK`] directions, each the sum of columns of which no two occur in
/// one row: the derivative of a row along a direction is that by its only column of the direction (Curtis, Powell and
/// Reid 1974, doi:10.1093/imamat/13.1.117).
#[derive(Clone, Debug)]
pub(in crate::system) struct Sweep {
    /// Columns and their directions.
    pub seeds: Vec<(usize, usize)>,
    /// Row, direction and position of every entry of the Jacobian that this evaluation gives.
    pub entries: Vec<(usize, usize, usize)>,
}

impl Sweep {
    /// All sweeps that the constraint Jacobian of a layout takes.
    pub fn all(layout: &Layout) -> Vec<Self> {
        let groups = groups(layout);
        let count = groups.iter().max().map_or(0, |last| last / CHUNK + 1);
        let empty = Self {
            seeds: Vec::new(),
            entries: Vec::new(),
        };
        let mut sweeps = vec![empty; count];
        for (column, group) in groups.iter().enumerate() {
            sweeps[group / CHUNK].seeds.push((column, group % CHUNK));
        }
        for (row, column, position) in layout.jacobian.iter() {
            if let Some(group) = groups.get(column) {
                let entry = (row, group % CHUNK, position);
                sweeps[group / CHUNK].entries.push(entry);
            }
        }
        sweeps
    }

    /// The direction of a column, if it belongs to this sweep.
    pub fn direction(&self, column: usize) -> Option<usize> {
        let seed = self.seeds.iter().find(|(seed, _)| *seed == column);
        seed.map(|&(_, direction)| direction)
    }
}

/// All columns that a column is differentiated with: displacements of one rotation do not commute, so that a row sees
/// all of it or nothing. Behind the velocities stand the other states.
pub(in crate::system) fn companions(layout: &Layout, columns: usize) -> Vec<Range<usize>> {
    let mut ranges = Vec::with_capacity(columns);
    for (factor, _, first) in layout.space.factor_ranges() {
        let end = first + factor.dimension();
        ranges.extend((first..end).map(|column| match factor {
            Factor::Euclidean(_) => column..column + 1,
            _ => first..end,
        }));
    }
    ranges.extend((ranges.len()..columns).map(|column| column..column + 1));
    ranges
}

/// A group for every column of the constraint Jacobian.
fn groups(layout: &Layout) -> Vec<usize> {
    // The coefficients of a velocity row may depend on coordinates whose velocities are not in it.
    if layout.velocity_rows > 0 {
        return (0..layout.dimension()).collect();
    }
    groups_of(&layout.jacobian, layout)
}

/// A group for every column of a pattern by the velocities of a layout and further states: the lowest that no column of a
/// common row has.
pub(in crate::system) fn groups_of(pattern: &Pattern, layout: &Layout) -> Vec<usize> {
    let columns = pattern.cols();
    if pattern.is_dense() || columns < layout.dimension() {
        return (0..columns).collect();
    }
    let companions = companions(layout, columns);
    let mut columns_of: Vec<Vec<usize>> = vec![Vec::new(); pattern.rows()];
    let mut rows_of = vec![Vec::new(); columns];
    for (row, seen) in columns_of.iter_mut().enumerate() {
        for &column in pattern.row(row) {
            if !seen.contains(&column) {
                seen.extend(companions[column].clone());
            }
        }
        for &column in seen.iter() {
            rows_of[column].push(row);
        }
    }
    let mut groups: Vec<Option<usize>> = vec![None; columns];
    // One more than there are groups: groups are few, columns may be many.
    let mut taken = vec![false];
    for column in 0..columns {
        taken.fill(false);
        let others = rows_of[column].iter().flat_map(|&row| &columns_of[row]);
        for group in others.filter_map(|&other| groups[other]) {
            taken[group] = true;
        }
        let group = taken.iter().position(|taken| !taken);
        if group.is_some_and(|group| group + 1 == taken.len()) {
            taken.push(false);
        }
        groups[column] = group;
    }
    // There are as many groups as columns, so that none is left over.
    groups.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifold::Manifold;

    #[test]
    fn columns_of_one_row_are_apart_and_every_entry_is_found_once() {
        let space = Manifold::new([
            Factor::Euclidean(4),
            Factor::Rotation,
            Factor::Rotation,
            Factor::Euclidean(2),
        ]);
        // The second row has a part of the first rotation only, and sees all of it.
        let entries = [
            (0, 0),
            (0, 1),
            (1, 1),
            (1, 5),
            (2, 7),
            (2, 8),
            (2, 9),
            (3, 10),
            (3, 11),
        ];
        let jacobian = Pattern::from_entries(4, 12, entries).unwrap();
        let layout = Layout {
            jacobian,
            ..Layout::dense(space).with_position_rows(4)
        };
        let groups = groups(&layout);
        assert_eq!(groups, [0, 1, 0, 0, 0, 2, 3, 0, 1, 2, 0, 1]);
        let sweeps = Sweep::all(&layout);
        assert_eq!(sweeps.len(), 1);
        let mut found = vec![0; layout.jacobian.nnz()];
        for &(row, direction, position) in &sweeps[0].entries {
            found[position] += 1;
            let seeds = sweeps[0].seeds.iter().filter(|seed| seed.1 == direction);
            let own = seeds.filter(|seed| layout.jacobian.position(row, seed.0).is_some());
            assert_eq!(own.count(), 1, "row {row}");
        }
        assert!(found.iter().all(|&count| count == 1));
    }

    #[test]
    fn velocity_rows_and_dense_rows_take_one_direction_for_every_column() {
        for velocity_rows in [0, 1] {
            let layout = Layout::dense(Manifold::euclidean(8))
                .with_position_rows(1)
                .with_velocity_rows(velocity_rows);
            let sweeps = Sweep::all(&layout);
            let seeds: Vec<_> = sweeps.iter().flat_map(|sweep| &sweep.seeds).collect();
            assert_eq!(seeds.len(), 8);
            assert_eq!(sweeps.len(), 2);
        }
    }
}
