//! Impulses of contacts that yield alike, where the motion depends on impulses that it does not determine: see
//! [`yielding`](crate::closed::yielding).

use super::impact::ImpactError;
use super::law::ContactLaw;
use crate::closed::yielding::{Rows, Yielding};
use crate::laws::dependence::symmetric_part;
use crate::laws::proximal::ProximalRounds;

/// The contacts of a step that yield alike, and memory for their problem.
#[derive(Default)]
pub(super) struct Compliance {
    find: Yielding,
    rows: Vec<Rows>,
    /// All their rows.
    yielding: Vec<usize>,
    /// Whether a step begins.
    begins: bool,
    rounds: ProximalRounds,
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
                friction: law.friction,
            });
            next += law.rows();
        }
        let size = delassus.len().isqrt();
        let entry = symmetric_part(delassus, size);
        // Any in space that share forces may slide.
        let places = self.find.find(&self.rows, true, &entry, alike);
        self.yielding.clear();
        for &place in places {
            let normal = self.rows[place].normal;
            self.yielding.extend(normal..normal + laws[place].rows());
        }
        self.rounds.find_compliances(&self.yielding, entry);
    }

    /// Whether the contact in this place wedges itself: it stops what approaches, and has no rebound.
    pub fn is_wedged(&self, place: usize) -> bool {
        self.find.wedged().contains(&place)
    }

    /// Solves a problem, given by its Delassus matrix and its velocities without impulses: by `solve` once, or, where contacts yield
    /// alike, in [rounds](crate::laws::proximal).
    pub fn solve(
        &mut self,
        (delassus, velocity): (&[f64], &[f64]),
        impulses: &mut [f64],
        mut solve: impl FnMut(&[f64], &[f64], &mut [f64]) -> Result<(), ImpactError>,
    ) -> Result<(), ImpactError> {
        if self.yielding.is_empty() {
            return solve(delassus, velocity, impulses);
        }
        let (rows, rounds) = (&self.yielding, &mut self.rounds);
        rounds.begin(rows, delassus, velocity);
        // Impulses that wedge are not determined to round-off: those of the last iterate are kept.
        let wedges = !self.find.wedged().is_empty();
        if wedges && !std::mem::take(&mut self.begins) {
            rounds.go_on(rows, velocity, impulses);
        }
        loop {
            solve(&rounds.response, &rounds.free, impulses)?;
            if rounds.is_over(rows, velocity, impulses) {
                break;
            }
        }
        // What rounds that have not settled leave is an error. Contacts that wedge stop round-off with forces of any size without them.
        if rounds.have_settled || wedges {
            return Ok(());
        }
        solve(delassus, velocity, impulses)
    }
}
