//! Impulses of contacts that yield alike, where the motion depends on impulses that it does not determine: see
//! [`yielding`](crate::closed::yielding).
//!
//! So do contacts that wedge themselves: a ball on an arm that turns about an axis has a normal and a sliding direction that move the arm
//! alike, and forces through the axis, within the cone, that do not move it at all. Without a rule round-off of the velocities is stopped by
//! impulses of any size.

use super::impact::ImpactError;
use super::law::ContactLaw;
use crate::closed::thresholds::DEPENDENT;
use crate::closed::yielding::{Rows, Yielding};
use crate::laws::part::{COMPLIANCE, ROUNDS, SETTLED};
use std::ops::Range;

/// The contacts of a step that yield alike, and memory for their problem.
#[derive(Default)]
pub(super) struct Compliance {
    find: Yielding,
    rows: Vec<Rows>,
    /// All their rows.
    yielding: Vec<usize>,
    /// Whether each contact wedges itself.
    wedged: Vec<bool>,
    /// Whether a step begins: impulses then grow from zero, and otherwise from those of the last iterate.
    begins: bool,
    delassus: Vec<f64>,
    velocity: Vec<f64>,
    last: Vec<f64>,
}

impl Compliance {
    /// A step begins.
    pub fn begin(&mut self) {
        self.begins = true;
    }

    /// Finds them among the contacts of a problem, whose Delassus matrix this is; `alike` says whether two act on the same bodies.
    pub fn find(
        &mut self,
        laws: &[ContactLaw],
        delassus: &[f64],
        alike: impl Fn(usize, usize) -> bool,
    ) {
        self.rows.clear();
        let mut next = 0;
        for law in laws {
            let tangents = [1, 2].map(|k| {
                let rubs = k <= law.tangents && law.friction > 0.0;
                rubs.then_some(next + k)
            });
            self.rows.push(Rows {
                normal: next,
                tangents,
            });
            next += law.rows();
        }
        let size = delassus.len().isqrt();
        let entry = |row: usize, column: usize| delassus[row * size + column];
        let places = self.find.find(&self.rows, entry, alike).iter();
        self.yielding.clear();
        for &place in places {
            let normal = self.rows[place].normal;
            self.yielding.extend(normal..normal + laws[place].rows());
        }
        self.wedged.clear();
        for (rows, law) in self.rows.iter().zip(laws) {
            let own = rows.normal..rows.normal + law.rows();
            let wedges = law.friction > 0.0 && wedges(own.clone(), law.friction, entry);
            self.wedged.push(wedges);
            if wedges && !self.yielding.contains(&own.start) {
                self.yielding.extend(own);
            }
        }
    }

    /// Whether the contact in this place wedges itself: it stops what approaches, and has no rebound.
    pub fn is_wedged(&self, place: usize) -> bool {
        self.wedged[place]
    }

    /// Solves a problem, given by its Delassus matrix and its velocities without impulses: by `solve` once, or, where contacts yield
    /// alike, by the proximal point method.
    pub fn solve(
        &mut self,
        (delassus, velocity): (&[f64], &[f64]),
        impulses: &mut [f64],
        mut solve: impl FnMut(&[f64], &[f64], &mut [f64]) -> Result<(), ImpactError>,
    ) -> Result<(), ImpactError> {
        if self.yielding.is_empty() {
            return solve(delassus, velocity, impulses);
        }
        let size = velocity.len();
        self.delassus.clear();
        self.delassus.extend_from_slice(delassus);
        let diagonal = self.yielding.iter().map(|&row| delassus[row * (size + 1)]);
        let compliance = COMPLIANCE * diagonal.fold(0.0, f64::max);
        for &row in &self.yielding {
            self.delassus[row * (size + 1)] += compliance;
        }
        self.velocity.clear();
        self.velocity.extend_from_slice(velocity);
        self.last.clear();
        self.last.resize(self.yielding.len(), 0.0);
        if !std::mem::take(&mut self.begins) {
            for (&row, last) in self.yielding.iter().zip(&mut self.last) {
                *last = impulses[row];
                self.velocity[row] -= compliance * impulses[row];
            }
        }
        for _ in 0..ROUNDS {
            solve(&self.delassus, &self.velocity, impulses)?;
            let (mut change, mut largest) = (0.0_f64, 0.0_f64);
            for (&row, last) in self.yielding.iter().zip(&mut self.last) {
                let impulse = impulses[row];
                change = change.max((impulse - *last).abs());
                largest = largest.max(impulse.abs());
                *last = impulse;
                self.velocity[row] = velocity[row] - compliance * impulse;
            }
            if change <= SETTLED * largest {
                break;
            }
        }
        Ok(())
    }
}

/// Whether forces of a contact within its cone move nothing at all: its normal direction moves what its sliding directions move.
fn wedges(rows: Range<usize>, friction: f64, entry: impl Fn(usize, usize) -> f64) -> bool {
    let normal = rows.start;
    // In the plane the second direction is missing.
    let w = |i: usize, j: usize| {
        let inside = normal + i.max(j) < rows.end;
        if inside {
            entry(normal + i, normal + j)
        } else {
            0.0
        }
    };
    let (a, b, c) = (w(1, 1), w(1, 2), w(2, 2));
    let [x, y] = [w(1, 0), w(2, 0)];
    let (largest, determinant) = (a.max(c), a * c - b * b);
    if largest <= 0.0 || w(0, 0) <= 0.0 {
        return false;
    }
    // The friction -W_TT⁺ W_TN of a unit normal force: together they move nothing along the tangents.
    let [first, second] = if determinant > DEPENDENT * largest * largest {
        [(b * y - c * x) / determinant, (b * x - a * y) / determinant]
    } else {
        // W_TT = v vᵀ with the trace |v|².
        let v = if a > c { [a, b] } else { [b, c] }.map(|part| part / largest.sqrt());
        let along = (v[0] * x + v[1] * y) / (a + c).powi(2);
        v.map(|part| -part * along)
    };
    let left = w(0, 0) + w(0, 1) * first + w(0, 2) * second;
    left.abs() <= DEPENDENT * w(0, 0) && first.hypot(second) <= friction
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ball on an arm that turns about an axis through the origin, from which it is this far away along a wall and off it. In
    /// space the arm's axis may also be moved along itself.
    #[test]
    fn an_arm_wedges_itself_within_the_cone() {
        for (along, off, friction, expected) in [
            (0.3, 1.0, 0.5, true),
            (0.3, 1.0, 0.2, false),
            (0.0, 1.0, 0.5, false),
            (-0.3, 1.0, 0.5, true),
        ] {
            // Motions of the ball by the arm's turning and by the axis.
            let rows: [[f64; 2]; 3] = [[along, 0.0], [off, 0.0], [0.0, 1.0]];
            let entry = |i: usize, j: usize| rows[i][0] * rows[j][0] + rows[i][1] * rows[j][1];
            for end in [2, 3] {
                assert_eq!(
                    wedges(0..end, friction, entry),
                    expected,
                    "{along} {friction}"
                );
            }
            // A ball on its own has a normal direction of its own.
            let free = |i: usize, j: usize| entry(i, j) + if i == j { 0.1 } else { 0.0 };
            assert!(!wedges(0..3, friction, free));
        }
    }
}
