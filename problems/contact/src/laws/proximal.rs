//! Forces of least norm, where the motion does not determine them, by the proximal point method.
//!
//! Rows of a problem W x + u yield by ε (x - x'), with x' of the round before. What a round changes of x is a motion of the rows
//! times -1/ε, and so orthogonal to all forces that move none: from x' = 0 on the rounds go to the solution of least norm (Rockafellar
//! 1976, doi:10.1137/0314056). Rows that share forces without effect have the same ε. Others have their own,
//! since their bodies may be far lighter.

use crate::laws::dependence::Dependence;

/// What rows yield by, as a share of what they move by the same force: small beside the motion of all of them together, and far above the
/// round-off of solutions.
const COMPLIANCE: f64 = 1e-3;

/// Heavy bodies beside light ones move by this share of what these do, at least.
const WEAKEST: f64 = 1e-6;

/// Forces that change by less than this share have settled, ...
const SETTLED: f64 = 1e-12;

/// ... and after so many rounds what is left is round-off.
const ROUNDS: usize = 100;

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
    /// Whether the last round changed round-off only.
    pub have_settled: bool,
    dependence: Dependence,
    directions: Vec<f64>,
    group: Vec<bool>,
}

impl ProximalRounds {
    /// The first round for these rows of W x + u, from x' = 0; [`find_compliances`](Self::find_compliances) knows them.
    pub fn begin(&mut self, rows: &[usize], response: &[f64], free: &[f64]) {
        let size = free.len();
        self.response.clear();
        self.response.extend_from_slice(response);
        for (&row, compliance) in rows.iter().zip(&self.compliances) {
            self.response[row * (size + 1)] += compliance;
        }
        self.free.clear();
        self.free.extend_from_slice(free);
        self.last.clear();
        self.last.resize(rows.len(), 0.0);
        self.done = 0;
    }

    /// What these rows of W yield by: alike in each group of rows that share forces without effect, as a share of the least of what independent
    /// rows of the group leave each other. `entry` gives the symmetric part of W.
    pub fn find_compliances(&mut self, rows: &[usize], entry: impl Fn(usize, usize) -> f64) {
        let entry = |i: usize, j: usize| entry(rows[i], rows[j]);
        let rows = rows.len();
        let (dependence, directions) = (&mut self.dependence, &mut self.directions);
        dependence.find_by_pivots(rows, entry);
        dependence.directions(directions);
        self.compliances.clear();
        self.compliances.resize(rows, 0.0);
        for row in 0..rows {
            if self.compliances[row] > 0.0 {
                continue;
            }
            self.group.clear();
            self.group.resize(rows, false);
            self.group[row] = true;
            dependence.link(directions, &mut self.group);
            let least = dependence.pivots().filter(|&(one, _)| self.group[one]);
            let least = least.fold(f64::INFINITY, |least, (_, pivot)| least.min(pivot));
            let members = (0..rows).filter(|&one| self.group[one]);
            let largest = members
                .clone()
                .fold(0.0_f64, |most, one| most.max(entry(one, one)));
            // Weaker entries cannot be distinguished from zero.
            let compliance = COMPLIANCE * least.clamp(WEAKEST * largest, largest);
            for member in members {
                self.compliances[member] = compliance;
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
        self.have_settled = change <= SETTLED * largest;
        self.have_settled || self.done == ROUNDS
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
        rounds.find_compliances(&rows, entry);
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
