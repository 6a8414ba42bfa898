//! Lemke's complementary pivoting with the lexicographic rule.

use super::fit;
use super::standard::{Attempt, Outcome, Standard};

/// Entries of a column below this fraction of its largest one are round-off.
const PIVOT: f64 = 1e-11;
/// Ratios and lexicographic components closer than this are equal.
const TIE: f64 = 1e-12;

/// Lemke's method on `w - M z - e z0 = q` with the covering vector `e = (1, ..., 1)`, which is the unit of every scaled row.
///
/// The artificial variable `z0` enters first; then the complement of the variable that left enters, until `z0` leaves (the
/// basis is complementary: a solution) or nothing blocks (a secondary ray). The leaving row is the lexicographically
/// smallest of `(q_i, (B^-1)_i) / pivot_i`, so that no basis repeats, however degenerate the problem: finite for any matrix.
/// Where `z0` takes part in a tie it leaves.
///
/// The rows live in a condensed tableau of m x (m + 2) numbers, non-basic columns only; a pivot costs 2 m² operations,
/// and m to 2 m pivots are typical (exponentially many are possible, so that they are limited to 50 m + 100).
///
/// Sources: Lemke 1965, doi:10.1287/mnsc.11.7.681; Cottle, Pang, Stone 2009, chapter 4 (the
/// method, rays of copositive-plus matrices, the lexicographic rule), doi:10.1137/1.9780898719000.
#[derive(Default)]
pub(super) struct Lemke {
    /// Columns: right-hand side, then the non-basic variables.
    tableau: Vec<f64>,
    /// Variables: `0..m` are `w`, `m..2m` are `z`, `2m` is `z0`.
    basic: Vec<usize>,
    nonbasic: Vec<usize>,
    /// Where a variable is: its row, or its column plus `m`.
    place: Vec<usize>,
    candidates: Vec<usize>,
    pivot_row: Vec<f64>,
}

impl Lemke {
    pub fn solve(&mut self, problem: &Standard, z: &mut [f64]) -> Attempt {
        let m = problem.m;
        z[..m].fill(0.0);
        self.start(problem);
        // Ties go to the largest index, the lexicographically smallest of (q_i, e_i).
        let (mut row, mut smallest) = (0, f64::INFINITY);
        for (i, &q) in problem.vector.iter().enumerate() {
            if q <= smallest {
                (row, smallest) = (i, q);
            }
        }
        if smallest >= 0.0 {
            return Attempt::pivoting(Outcome::Candidate, 0);
        }
        let limit = 50 * m + 100;
        // z₀ enters first, in the row that is most negative.
        let mut entering = 2 * m;
        for pivots in 1..=limit {
            let leaving = self.basic[row];
            let col = self.place[entering] - m;
            self.pivot(m, row, col);
            // z₀ has left: the basis is complementary.
            if leaving == 2 * m {
                self.read(m, z);
                return Attempt::pivoting(Outcome::Candidate, pivots);
            }
            // The complement of what has just left enters.
            entering = (leaving + m) % (2 * m);
            let col = self.place[entering] - m;
            match self.leaving_row(m, col) {
                Some(next) => row = next,
                None => {
                    self.read_ray(m, col, z);
                    return Attempt::pivoting(Outcome::Ray, pivots);
                }
            }
        }
        Attempt::pivoting(Outcome::Stalled, limit)
    }

    fn start(&mut self, problem: &Standard) {
        let m = problem.m;
        let width = m + 2;
        fit(&mut self.tableau, m * width);
        // w - M z - z₀ e = q with w basic.
        for (i, row) in self.tableau.chunks_exact_mut(width).enumerate() {
            row[0] = problem.vector[i];
            for (entry, value) in row[1..=m].iter_mut().zip(&problem.matrix[i * m..]) {
                *entry = -value;
            }
            row[m + 1] = -1.0;
        }
        self.basic.clear();
        self.basic.extend(0..m);
        self.nonbasic.clear();
        self.nonbasic.extend(m..=2 * m);
        self.place.clear();
        self.place.extend(0..=2 * m);
        fit(&mut self.pivot_row, width);
    }

    /// Exchanges the basic variable of a row with the non-basic one of a column.
    fn pivot(&mut self, m: usize, row: usize, col: usize) {
        let width = m + 2;
        let at = col + 1;
        let inverse = self.tableau[row * width + at].recip();
        for (kept, &entry) in self
            .pivot_row
            .iter_mut()
            .zip(&self.tableau[row * width..(row + 1) * width])
        {
            *kept = entry * inverse;
        }
        self.pivot_row[at] = inverse;
        for (i, target) in self.tableau.chunks_exact_mut(width).enumerate() {
            if i == row {
                target.copy_from_slice(&self.pivot_row);
                continue;
            }
            let factor = target[at];
            if factor != 0.0 {
                target[at] = 0.0;
                for (entry, &pivot) in target.iter_mut().zip(&self.pivot_row) {
                    *entry -= factor * pivot;
                }
            }
        }
        let (entering, leaving) = (self.nonbasic[col], self.basic[row]);
        self.basic[row] = entering;
        self.nonbasic[col] = leaving;
        self.place[entering] = row;
        self.place[leaving] = col + m;
    }

    /// The lexicographic ratio test; `None` if nothing blocks.
    fn leaving_row(&mut self, m: usize, col: usize) -> Option<usize> {
        let width = m + 2;
        let entry = |i: usize, j: usize| self.tableau[i * width + j];
        let largest = (0..m).fold(0.0_f64, |max, i| max.max(entry(i, col + 1).abs()));
        // Entries below are round-off and no pivots.
        let blocks = PIVOT * largest.max(1e-3);
        let mut smallest = f64::INFINITY;
        for i in 0..m {
            let pivot = entry(i, col + 1);
            if pivot > blocks {
                smallest = smallest.min(entry(i, 0).max(0.0) / pivot);
            }
        }
        if smallest == f64::INFINITY {
            return None;
        }
        self.candidates.clear();
        self.candidates.extend((0..m).filter(|&i| {
            let pivot = entry(i, col + 1);
            pivot > blocks && entry(i, 0).max(0.0) <= smallest * pivot + TIE * pivot.max(1.0)
        }));
        if let Some(&artificial) = self.candidates.iter().find(|&&i| self.basic[i] == 2 * m) {
            return Some(artificial);
        }
        let (candidates, place) = (&mut self.candidates, &self.place);
        for &at in &place[..m] {
            if candidates.len() == 1 {
                break;
            }
            // Component of (B^-1)_i: the column of this w, a unit vector while it is basic.
            let component = |i: usize| {
                let value = if at >= m {
                    entry(i, at - m + 1)
                } else if at == i {
                    1.0
                } else {
                    0.0
                };
                value / entry(i, col + 1)
            };
            let least = candidates
                .iter()
                .fold(f64::INFINITY, |min, &i| min.min(component(i)));
            let bound = least + TIE * least.abs().max(1.0);
            candidates.retain(|&i| component(i) <= bound);
        }
        candidates.first().copied()
    }

    fn read(&self, m: usize, z: &mut [f64]) {
        for (i, &variable) in self.basic.iter().enumerate() {
            if (m..2 * m).contains(&variable) {
                // Degenerate basic variables stay visible: the basis is what is asked for.
                z[variable - m] = self.tableau[i * (m + 2)].max(f64::MIN_POSITIVE);
            }
        }
    }

    fn read_ray(&self, m: usize, col: usize, z: &mut [f64]) {
        let mut set = |variable: usize, value: f64| {
            if (m..2 * m).contains(&variable) {
                z[variable - m] = value.max(0.0);
            }
        };
        // Along the ray the entering variable grows by 1, basic ones by minus its column.
        set(self.nonbasic[col], 1.0);
        for (i, &variable) in self.basic.iter().enumerate() {
            set(variable, -self.tableau[i * (m + 2) + col + 1]);
        }
    }
}
