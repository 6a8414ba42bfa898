//! Forces in independent rows of closed contacts alone.

use crate::closed::selection::Selection;
use crate::closed::thresholds::{CANCELLED, STAYS};
use crate::laws::dependence::DEPENDENT;

/// What closed contacts respond to forces, and what goes with normal forces in them.
pub(crate) struct Supports<'a> {
    /// W, row-major: its first rows are normal directions, as many as slopes, the next ones the tangential directions.
    pub matrix: &'a [f64],
    /// W without joints, its diagonal: pivots are measured against it.
    pub scale: &'a [f64],
    /// μ s of contacts that slide in the direction s, zero for others: their friction is -μ s N.
    pub slopes: &'a [f64],
    /// Tangential rows and joints that stick.
    pub sticks: &'a [usize],
}

impl Supports<'_> {
    /// Moves non-negative normal forces to independent rows (Carathéodory), so that no gap accelerates and nothing that sticks
    /// begins to slide: returns the rows that still carry a force.
    ///
    /// Friction goes with the forces, and what it moves or turns is balanced by the other forces and by those that
    /// hold what sticks. Where coefficients of friction differ, what slides may slide at another rate, and forces move to the
    /// smoother rows: what slides goes on sliding.
    pub fn independent(&self, force: &mut [f64], rows: &[usize]) -> Vec<usize> {
        let mut support: Vec<usize> = rows.to_vec();
        while let Some(direction) = self.direction(&support) {
            let limit = |sign: f64| {
                direction
                    .iter()
                    .filter(|(_, change)| sign * change < 0.0)
                    .map(|&(row, change)| (-force[row] / (sign * change), row))
                    .min_by(|a, b| a.0.total_cmp(&b.0))
                    .map(|(step, row)| (sign * step.max(0.0), row))
            };
            let terms = direction
                .iter()
                .map(|&(row, change)| self.slopes[row].abs() * change);
            let (sum, size) = terms.fold((0.0, 0.0_f64), |(sum, size), term| {
                (sum + term, size + term.abs())
            });
            // Without a difference the last contact gives its force away.
            let smoother = if sum > CANCELLED * size { -1.0 } else { 1.0 };
            let Some((step, emptied)) = limit(smoother).or_else(|| limit(-smoother)) else {
                break;
            };
            for &(row, change) in &direction {
                force[row] = (force[row] + step * change).max(0.0);
            }
            force[emptied] = 0.0;
            support.retain(|&row| row != emptied);
        }
        support
    }

    /// A change of the normal forces of these contacts that moves neither their gaps nor what sticks; `None` if their
    /// normal rows are independent.
    fn direction(&self, support: &[usize]) -> Option<Vec<(usize, f64)>> {
        let mut sticks = self.sticks.to_vec();
        loop {
            match self.direction_beside(support, &sticks) {
                Ok(direction) => return direction,
                Err(dependent) => sticks.retain(|&stick| stick != dependent),
            }
        }
    }

    /// As [`direction`](Self::direction), with these rows that stick; the error is one that depends on the others.
    fn direction_beside(
        &self,
        support: &[usize],
        sticks: &[usize],
    ) -> Result<Option<Vec<(usize, f64)>>, usize> {
        let mut selection = Selection::new(self.matrix, self.scale);
        support.iter().for_each(|&row| drop(selection.accept(row)));
        if selection.rows.len() == support.len() {
            return Ok(None);
        }
        // Sticking comes first: its rows and columns are independent of each other, so that no direction is without normal
        // forces.
        let mut columns: Vec<usize> = Vec::new();
        for &stick in sticks {
            if selection.accept(stick).is_ok() {
                columns.push(stick);
            }
        }
        let held = selection.rows.len();
        columns.extend(support);
        let size = self.scale.len();
        let contacts = self.slopes.len();
        let effect = |row: usize, column: usize| {
            let entries = &self.matrix[row * size..(row + 1) * size];
            let slope = self.slopes.get(column).copied().unwrap_or(0.0);
            let friction = if slope == 0.0 {
                0.0
            } else {
                slope * entries[contacts + column]
            };
            entries[column] - friction
        };
        let length = |row: usize| self.scale[row].max(f64::MIN_POSITIVE).sqrt();
        let width = columns.len();
        let mut work: Vec<f64> = Vec::with_capacity(held * width);
        for &row in &selection.rows {
            let scaled = columns
                .iter()
                .map(|&column| effect(row, column) / (length(row) * length(column)));
            work.extend(scaled);
        }
        // Gauss-Jordan elimination as far as columns are independent; there are more columns than rows.
        for column in 0..width {
            let size_of = |row: &usize| work[row * width + column].abs();
            let pivot = (column..held).max_by(|a, b| size_of(a).total_cmp(&size_of(b)));
            let pivot = pivot.filter(|row| size_of(row) > DEPENDENT);
            let Some(pivot) = pivot else {
                // Its row was taken for independent by a pivot of another size.
                if columns[column] >= contacts {
                    return Err(columns[column]);
                }
                let mut direction = vec![(columns[column], -1.0)];
                for row in 0..column {
                    let (other, share) = (columns[row], work[row * width + column]);
                    if other < contacts && share.abs() > STAYS {
                        let scale = length(columns[column]) / length(other);
                        direction.push((other, share * scale));
                    }
                }
                return Ok(Some(direction));
            };
            for entry in 0..width {
                work.swap(pivot * width + entry, column * width + entry);
            }
            let scale = work[column * width + column];
            for entry in column..width {
                work[column * width + entry] /= scale;
            }
            for row in (0..held).filter(|&row| row != column) {
                let factor = work[row * width + column];
                for entry in column..width {
                    work[row * width + entry] -= factor * work[column * width + entry];
                }
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points under a box of unit mass and inertia, its centre `height` above them, that slides forward with these
    /// coefficients: what their gaps and the box get by forces of one newton, and the forces moved to independent points.
    fn box_on(
        height: f64,
        points: &[f64],
        slopes: &[f64],
        mut force: Vec<f64>,
    ) -> (Vec<usize>, [Vec<f64>; 2], f64) {
        let count = points.len();
        let normals = points.iter().map(|x| [0.0, 1.0, *x]);
        let tangents = points.iter().map(|_| [1.0, 0.0, height]);
        let rows: Vec<[f64; 3]> = normals.chain(tangents).collect();
        let entry = |i: usize, j: usize| (0..3).map(|k| rows[i][k] * rows[j][k]).sum::<f64>();
        let size = 2 * count;
        let matrix: Vec<f64> = (0..size * size)
            .map(|place| entry(place / size, place % size))
            .collect();
        let scale: Vec<f64> = (0..size).map(|row| entry(row, row)).collect();
        let push = |force: &[f64], k: usize| -> f64 {
            let both = force.iter().zip(slopes).enumerate();
            let both = both.map(|(i, (n, slope))| n * (rows[i][k] - slope * rows[count + i][k]));
            both.sum()
        };
        let lifts_and_turns = |force: &[f64]| vec![push(force, 1), push(force, 2)];
        let (before, drag) = (lifts_and_turns(&force), push(&force, 0));
        let all: Vec<usize> = (0..count).collect();
        let supports = Supports {
            matrix: &matrix,
            scale: &scale,
            slopes,
            sticks: &[],
        };
        let support = supports.independent(&mut force, &all);
        let after = lifts_and_turns(&force);
        for (a, b) in before.into_iter().zip(after) {
            assert!((a - b).abs() < 1e-12, "{a} became {b}");
        }
        let speeds_up = push(&force, 0) - drag;
        assert!(force.iter().all(|force| *force >= 0.0));
        let base = support.iter().map(|&row| force[row]).collect();
        (support, [force, base], speeds_up)
    }

    /// Without difference in friction it is the last point that gives its force away, or the one that is emptied first.
    #[test]
    fn smoother_rows_take_over() {
        let support = |friction: [f64; 3]| {
            let (support, [force, _], _) =
                box_on(0.0, &[-1.0, 0.0, 1.0], &friction, vec![1.0, 2.0, 1.0]);
            (support, force)
        };
        assert_eq!(support([0.1, 0.5, 0.1]), (vec![0, 2], vec![2.0, 0.0, 2.0]));
        assert!(support([0.5, 0.1, 0.1]).0.contains(&1));
        assert_eq!(support([0.3; 3]).0.len(), 2);
    }

    /// Friction below the centre turns the box: the smoothest pair would have to pull at the floor.
    #[test]
    fn friction_turns_what_it_acts_on() {
        let points = [-1.0, 0.4, 0.6, 1.0];
        for height in [0.0, 0.3, 0.8, 1.5] {
            for slopes in [[0.25, 0.4, 0.55, 0.0], [-0.7, -0.1, -0.2, -0.5]] {
                let force = vec![2.0, 1.0, 3.0, 0.5];
                let (support, [_, base], change) = box_on(height, &points, &slopes, force);
                assert!(support.len() == 2 && base.iter().all(|force| *force > 0.0));
                assert!(
                    change * slopes[0] >= 0.0,
                    "{height} {slopes:?}: slower by {change}"
                );
            }
        }
    }

    /// A table on four legs: three carry it.
    #[test]
    fn four_legs_become_three() {
        // Heights of legs at (±1, ±1) on a plate: rows (1, x, y).
        let legs = [
            [1.0, 1.0, 1.0],
            [1.0, -1.0, 1.0],
            [1.0, -1.0, -1.0],
            [1.0, 1.0, -1.0],
        ];
        let mut matrix = vec![0.0; 16];
        for i in 0..4 {
            for j in 0..4 {
                matrix[4 * i + j] = (0..3).map(|k| legs[i][k] * legs[j][k]).sum();
            }
        }
        let mut force = [1.0, 2.0, 3.0, 4.0];
        let sums = |force: &[f64]| -> Vec<f64> {
            (0..3)
                .map(|k| (0..4).map(|i| legs[i][k] * force[i]).sum())
                .collect()
        };
        let before = sums(&force);
        let supports = Supports {
            matrix: &matrix,
            scale: &[3.0; 4],
            slopes: &[0.0; 4],
            sticks: &[],
        };
        let support = supports.independent(&mut force, &[0, 1, 2, 3]);
        assert_eq!(support.len(), 3);
        for (a, b) in before.iter().zip(sums(&force)) {
            assert!((a - b).abs() < 1e-12);
        }
        assert!(force.iter().all(|&force| force >= 0.0));
    }
}
