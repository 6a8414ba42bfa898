//! Forces of least norm, where the motion does not determine them, by the proximal point method.
//!
//! Rows of a problem W x + u yield by ε (x - x'), with x' of the round before. What a round changes of x is a motion of the rows
//! times -1/ε, and so orthogonal to all forces that move none: from x' = 0 on the rounds go to the solution of least norm (Rockafellar
//! 1976, doi:10.1137/0314056). Rows that move each other have the same ε. Others have their own, since their bodies may be far lighter.

/// What rows yield by, as a share of what they move by the same force: small beside the motion of all of them together, and far above the
/// round-off of solutions.
const COMPLIANCE: f64 = 1e-3;

/// Forces that change by less than this share have settled, ...
const SETTLED: f64 = 1e-12;

/// ... and after so many rounds what is left is round-off.
const ROUNDS: usize = 100;

/// Rows whose entry has a square above this share of the product of their diagonals move each other.
const COUPLED: f64 = 1e-18;

/// The problem of the next round, in memory of its own.
#[derive(Default)]
pub(crate) struct ProximalRounds {
    /// W with the compliance ε of the rows that yield, row by row.
    pub response: Vec<f64>,
    /// u - ε x'.
    pub free: Vec<f64>,
    /// ε of the rows that yield.
    compliances: Vec<f64>,
    /// x' of the rows that yield.
    last: Vec<f64>,
    done: usize,
}

impl ProximalRounds {
    /// The first round for these rows of W x + u, from x' = 0.
    pub fn begin(&mut self, rows: &[usize], response: &[f64], free: &[f64]) {
        let size = free.len();
        self.response.clear();
        self.response.extend_from_slice(response);
        self.find_compliances(rows, |i, j| response[i * size + j]);
        for (&row, compliance) in rows.iter().zip(&self.compliances) {
            self.response[row * (size + 1)] += compliance;
        }
        self.free.clear();
        self.free.extend_from_slice(free);
        self.last.clear();
        self.last.resize(rows.len(), 0.0);
        self.done = 0;
    }

    fn find_compliances(&mut self, rows: &[usize], entry: impl Fn(usize, usize) -> f64) {
        let own = rows.iter().map(|&row| COMPLIANCE * entry(row, row));
        self.compliances.clear();
        self.compliances.extend(own);
        let mut changes = true;
        while std::mem::take(&mut changes) {
            for (i, &row) in rows.iter().enumerate() {
                for (j, &other) in rows.iter().enumerate() {
                    let coupled = entry(row, other).powi(2);
                    let both = entry(row, row) * entry(other, other);
                    if coupled > COUPLED * both && self.compliances[i] < self.compliances[j] {
                        self.compliances[i] = self.compliances[j];
                        changes = true;
                    }
                }
            }
        }
    }

    /// The next round goes on from these forces of all rows; returns their largest change and the largest of them.
    pub fn go_on(&mut self, rows: &[usize], free: &[f64], forces: &[f64]) -> [f64; 2] {
        let (mut change, mut largest) = (0.0_f64, 0.0_f64);
        let each = rows.iter().zip(&self.compliances);
        for ((&row, compliance), last) in each.zip(&mut self.last) {
            let force = forces[row];
            change = change.max((force - *last).abs());
            largest = largest.max(force.abs());
            *last = force;
            self.free[row] = free[row] - compliance * force;
        }
        [change, largest]
    }

    /// Whether a round with these forces was the last one; otherwise the next one goes on from them.
    pub fn is_over(&mut self, rows: &[usize], free: &[f64], forces: &[f64]) -> bool {
        let [change, largest] = self.go_on(rows, free, forces);
        self.done += 1;
        change <= SETTLED * largest || self.done == ROUNDS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three legs under a beam of 1 kg and 1 kg m², at these places, carry 6 N in its middle.
    #[test]
    fn legs_share_by_least_norm() {
        let places = [-1.0, 0.0, 2.0];
        let entry = |i: usize, j: usize| 1.0 + places[i] * places[j];
        let response: Vec<f64> = (0..9).map(|place| entry(place / 3, place % 3)).collect();
        let free = [-6.0; 3];
        let rows = [0, 1, 2];
        let mut rounds = ProximalRounds::default();
        rounds.begin(&rows, &response, &free);
        let forces = loop {
            let matrix = nalgebra::Matrix3::from_row_slice(&rounds.response);
            let right = -nalgebra::Vector3::from_row_slice(&rounds.free);
            let forces = matrix.lu().solve(&right).expect("regular");
            if rounds.is_over(&rows, &free, forces.as_slice()) {
                break forces;
            }
        };
        // a + b x, with the sum 6 and no moment.
        let [a, b] = [30.0 / 14.0, -6.0 / 14.0];
        for (force, x) in forces.iter().zip(places) {
            assert!((force - a - b * x).abs() < 1e-9, "{forces}");
        }
    }
}
