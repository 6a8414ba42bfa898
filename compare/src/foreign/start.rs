//! The derivatives x' that E x' = d has at the start, also where E is singular.

use liedae::linalg::SquareLu;
use liedae::system::{DynamicsError, Evaluator, RatesJacobian, State};

/// Pivots below this share of the largest entry of E are none.
const SINGULAR: f64 = 1e-12;

/// The derivative of d by time is taken by differences over this share of the run.
const SHARE: f64 = 1e-7;

/// x' at a consistent state. Rows of E x' = d are combined until what is left of E has full rank; the combinations
/// 0 = n(t, x) that remain are differentiated: n_x x' + n_t = 0. These determine x' for systems of index 1. For a higher index,
/// and where rows depend on mechanics or algebraic variables beside x, unknowns whose derivative no row of E determines get x' = 0.
pub fn rates(system: &mut Evaluator, state: &State, t_end: f64) -> Result<Vec<f64>, DynamicsError> {
    let layout = system.layout();
    let (dimension, size) = (layout.dimension(), layout.differential);
    let is_first_order = dimension == 0 && layout.algebraic == 0;
    let mut all = vec![0.0; layout.rate_count()];
    let mut jacobian = RatesJacobian::new(layout);
    if size == 0 {
        return Ok(Vec::new());
    }
    let mut at = state.point();
    system.rates(&at, &mut all)?;
    let rate = all[dimension..dimension + size].to_vec();
    let Some((pattern, values)) = system.layout().descriptor.clone() else {
        return Ok(rate);
    };
    // Rows of [ E | d | d_x | d_t ].
    let width = 2 * size + 2;
    let mut rows = vec![vec![0.0; width]; size];
    for (row, column, entry) in pattern.iter() {
        rows[row][column] += values[entry];
    }
    system.rates_jacobian(&at, &mut jacobian)?;
    for (row, column, entry) in system.layout().rates.iter() {
        let (row, column) = (row.wrapping_sub(dimension), column.wrapping_sub(dimension));
        if row < size && column < size {
            rows[row][size + 1 + column] = jacobian.by_position[entry];
        }
    }
    for (row, rate) in rows.iter_mut().zip(&rate) {
        row[size] = *rate;
    }
    let delta = SHARE * (t_end - state.t);
    // One-sided, of second order: (-3 d(t) + 4 d(t + δ) - d(t + 2 δ)) / (2 δ).
    for (steps, weight) in [(0.0, -3.0), (1.0, 4.0), (2.0, -1.0)] {
        at.t = state.t + steps * delta;
        system.rates(&at, &mut all)?;
        for (row, rate) in rows.iter_mut().zip(&all[dimension..]) {
            row[width - 1] += weight * rate / (2.0 * delta);
        }
    }
    let pivots = eliminate(&mut rows, size);
    let mut lu = SquareLu::new(size);
    for by_index_one in [is_first_order, false] {
        let matrix = lu.matrix(size);
        let mut result = vec![0.0; size];
        let mut free = (0..size).filter(|column| !pivots.contains(column));
        for (place, row) in rows.iter().enumerate() {
            let own = &mut matrix[place * size..(place + 1) * size];
            if place < pivots.len() {
                own.copy_from_slice(&row[..size]);
                result[place] = row[size];
            } else if by_index_one {
                own.copy_from_slice(&row[size + 1..2 * size + 1]);
                result[place] = -row[width - 1];
            } else if let Some(column) = free.next() {
                own[column] = 1.0;
            }
        }
        if lu.factor().is_ok() {
            lu.solve(&mut result);
            return Ok(result);
        }
    }
    Ok(vec![0.0; size])
}

/// Gaussian elimination with complete pivoting in the first `size` columns; the columns of the pivots, row by row.
fn eliminate(rows: &mut [Vec<f64>], size: usize) -> Vec<usize> {
    let entries = rows.iter().flat_map(|row| &row[..size]);
    let bound = SINGULAR * entries.fold(0.0_f64, |max, entry| max.max(entry.abs()));
    let mut pivots: Vec<usize> = Vec::new();
    for step in 0..size {
        let candidates = (step..size).flat_map(|row| (0..size).map(move |column| (row, column)));
        let best = candidates.max_by(|a, b| {
            let [a, b] = [a, b].map(|&(row, column)| rows[row][column].abs());
            a.total_cmp(&b)
        });
        let Some((row, column)) = best.filter(|&(row, column)| rows[row][column].abs() > bound)
        else {
            break;
        };
        rows.swap(step, row);
        let (above, below) = rows.split_at_mut(step + 1);
        let pivot = &above[step];
        for row in below {
            let factor = row[column] / pivot[column];
            for (entry, known) in row.iter_mut().zip(pivot) {
                *entry -= factor * known;
            }
            row[column] = 0.0;
        }
        pivots.push(column);
    }
    pivots
}
