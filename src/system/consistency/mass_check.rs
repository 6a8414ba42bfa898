//! Is a mass matrix one? It must be symmetric, and may not be indefinite.

use crate::linalg::Pattern;
use crate::system::{ConsistencyError, DynamicsError, Evaluator, State};

/// Entries that mirror each other may differ by this part of the larger one of their rows' diagonal entries.
const ASYMMETRY: f64 = 1e-8;

/// A pivot below minus this part of its diagonal entry is no round-off.
const NEGATIVE: f64 = 1e-10;

/// Blocks of more velocities than this are not factorized: only their diagonals and symmetry are looked at.
const LARGEST_BLOCK: usize = 300;

/// Checks the mass matrix at a state: symmetric, and positive semidefinite block by block, where velocities that share no entry
/// are in different blocks. (It may be singular: constraints may make up for it.)
pub(in crate::system) fn check_mass_matrix(
    system: &mut Evaluator,
    state: &State,
) -> Result<(), ConsistencyError> {
    if system.has_checked_mass(&state.point()) {
        return Ok(());
    }
    check_values(system, state)?;
    system.remember_checked_mass();
    Ok(())
}

fn check_values(system: &mut Evaluator, state: &State) -> Result<(), ConsistencyError> {
    let pattern = system.layout().mass.clone();
    let mut values = vec![0.0; pattern.nnz()];
    if pattern.rows() == 0 {
        return Ok(());
    }
    system
        .mass_matrix(&state.point(), &mut values)
        .map_err(DynamicsError::from)?;
    let entry = |row: usize, column: usize| -> f64 {
        let place = pattern.row(row).binary_search(&column);
        place.map_or(0.0, |place| values[pattern.row_range(row).start + place])
    };
    for (row, column, place) in pattern.iter() {
        let (value, mirrored) = (values[place], entry(column, row));
        let size = entry(row, row).abs().max(entry(column, column).abs());
        let difference = (value - mirrored).abs();
        // Relative to the diagonal: entries beside it may be zero but for round-off.
        if difference > ASYMMETRY * size.max(value.abs()).max(mirrored.abs()) {
            return Err(ConsistencyError::AsymmetricMass {
                row,
                column,
                value,
                mirrored,
            });
        }
    }
    // A diagonal matrix needs its signs only.
    let mut rows = 0..pattern.rows();
    if rows.all(|row| pattern.row(row) == [row]) && values.iter().all(|&value| value >= 0.0) {
        return Ok(());
    }
    for block in blocks(&pattern) {
        check_block(&block, entry)?;
    }
    Ok(())
}

/// Velocities that are connected by entries.
fn blocks(pattern: &Pattern) -> Vec<Vec<usize>> {
    let size = pattern.rows();
    let mut seen = vec![false; size];
    let mut blocks = Vec::new();
    for first in 0..size {
        if std::mem::replace(&mut seen[first], true) {
            continue;
        }
        let mut block = vec![first];
        let mut next = 0;
        while let Some(&row) = block.get(next) {
            next += 1;
            for &column in pattern.row(row) {
                if !std::mem::replace(&mut seen[column], true) {
                    block.push(column);
                }
            }
        }
        block.sort_unstable();
        blocks.push(block);
    }
    blocks
}

/// Cholesky's factorization, with pivots that are zero but for round-off passed over.
fn check_block(
    block: &[usize],
    entry: impl Fn(usize, usize) -> f64,
) -> Result<(), ConsistencyError> {
    let negative = |row: usize, pivot: f64| ConsistencyError::IndefiniteMass { row, pivot };
    if let Some(&row) = block.iter().find(|&&row| entry(row, row) < 0.0) {
        return Err(negative(row, entry(row, row)));
    }
    let size = block.len();
    if size > LARGEST_BLOCK {
        return Ok(());
    }
    let mut left: Vec<f64> = block
        .iter()
        .flat_map(|&row| block.iter().map(move |&column| (row, column)))
        .map(|(row, column)| entry(row, column))
        .collect();
    // Cholesky without square roots: pivots of a positive semidefinite matrix are not negative.
    for k in 0..size {
        let (pivot, diagonal) = (left[k * size + k], entry(block[k], block[k]));
        if pivot < -NEGATIVE * diagonal {
            return Err(negative(block[k], pivot));
        }
        if pivot <= NEGATIVE * diagonal {
            // Nothing is left of this row: what is left beside the diagonal must be nothing as well.
            let rest = (k + 1..size).find(|&j| {
                let other = entry(block[j], block[j]);
                left[k * size + j].abs() > NEGATIVE.sqrt() * (diagonal * other).sqrt()
            });
            if let Some(j) = rest {
                return Err(negative(block[k], -left[k * size + j].abs()));
            }
            continue;
        }
        for i in k + 1..size {
            let factor = left[i * size + k] / pivot;
            for j in k + 1..size {
                left[i * size + j] -= factor * left[k * size + j];
            }
        }
    }
    Ok(())
}
