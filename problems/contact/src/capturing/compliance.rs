//! Impulses of contacts that yield alike, where the motion depends on impulses that it does not determine: see
//! [`yielding`](crate::closed::yielding).

use super::impact::ImpactError;
use super::law::ContactLaw;
use crate::closed::yielding::{Rows, Yielding};
use crate::laws::proximal::ProximalRounds;

/// The contacts of a step that yield alike, and memory for their problem.
#[derive(Default)]
pub(super) struct Compliance {
    find: Yielding,
    rows: Vec<Rows>,
    /// All rows of those whose share of forces moves bodies while they stick, as wheels that roll do.
    always: Vec<usize>,
    /// Those of the ones whose share moves bodies where they slide as well: all that share forces in space.
    yielding: Vec<usize>,
    /// Places of the latter.
    turning: Vec<usize>,
    /// Whether a step begins.
    begins: bool,
    rounds: ProximalRounds,
    /// The first guess, and impulses of those that yield alike.
    guess: Vec<f64>,
    alike: Vec<f64>,
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
        // Gyroscopic terms leave W unsymmetric.
        let entry = |row: usize, column: usize| {
            0.5 * (delassus[row * size + column] + delassus[column * size + row])
        };
        let all_rows = |place: &usize| {
            let normal = self.rows[*place].normal;
            normal..normal + laws[*place].rows()
        };
        let places = self.find.find(&self.rows, true, entry, &alike);
        self.yielding.clear();
        self.yielding.extend(places.iter().flat_map(all_rows));
        self.turning.clear();
        self.turning.extend(places);
        self.always.clear();
        if !self.turning.is_empty() {
            let places = self.find.find(&self.rows, false, entry, &alike);
            self.always.extend(places.iter().flat_map(all_rows));
            self.turning.retain(|place| !places.contains(place));
        }
    }

    /// Whether the contact in this place wedges itself: it stops what approaches, and has no rebound.
    pub fn is_wedged(&self, place: usize) -> bool {
        self.find.wedged().contains(&place)
    }

    /// Solves a problem, given by its Delassus matrix and its velocities without impulses: by `solve` once, or, where contacts yield
    /// alike, in [rounds](crate::laws::proximal). What slides then, and can stick by other impulses, sticks.
    pub fn solve(
        &mut self,
        problem: (&[f64], &[f64]),
        impulses: &mut [f64],
        mut solve: impl FnMut(&[f64], &[f64], &mut [f64]) -> Result<(), ImpactError>,
    ) -> Result<(), ImpactError> {
        // Impulses that wedge are not determined to round-off: those of the last iterate are kept.
        let wedges = !self.find.wedged().is_empty();
        let goes_on = wedges && !std::mem::take(&mut self.begins);
        self.guess.clear();
        self.guess.extend_from_slice(impulses);
        let rows = (&self.yielding[..], goes_on, wedges);
        let alike = self.rounds.run(rows, problem, impulses, &mut solve);
        if self.turning.is_empty() || (alike.is_ok() && !self.slides(problem, impulses)) {
            return alike;
        }
        self.alike.clear();
        self.alike.extend_from_slice(impulses);
        impulses.copy_from_slice(&self.guess);
        let rows = (&self.always[..], goes_on, wedges);
        let others = self.rounds.run(rows, problem, impulses, &mut solve);
        let holds = others.is_ok() && !self.slides(problem, impulses);
        if !holds && alike.is_ok() {
            impulses.copy_from_slice(&self.alike);
            return alike;
        }
        others
    }

    /// Whether contacts slide that would share forces alike then.
    fn slides(&self, (delassus, velocity): (&[f64], &[f64]), impulses: &[f64]) -> bool {
        let size = velocity.len();
        let moves = |row: usize| {
            let entries = &delassus[row * size..(row + 1) * size];
            let terms = entries.iter().zip(impulses).map(|(w, p)| w * p);
            let own = velocity[row];
            let [sum, scale] = terms.fold([own, own.abs()], |[sum, scale], term| {
                [sum + term, scale + term.abs()]
            });
            sum.abs() > SLIDES * scale
        };
        self.turning.iter().any(|&place| {
            let rows = &self.rows[place];
            impulses[rows.normal] > 0.0 && rows.tangents.into_iter().flatten().any(moves)
        })
    }
}

impl ProximalRounds {
    /// Impulses that have least norm in these rows; by `solve` alone where there are none. The first round goes on from the present
    /// impulses, or from zero.
    fn run(
        &mut self,
        (rows, goes_on, wedges): (&[usize], bool, bool),
        (delassus, velocity): (&[f64], &[f64]),
        impulses: &mut [f64],
        mut solve: impl FnMut(&[f64], &[f64], &mut [f64]) -> Result<(), ImpactError>,
    ) -> Result<(), ImpactError> {
        if rows.is_empty() {
            return solve(delassus, velocity, impulses);
        }
        self.begin(rows, delassus, velocity);
        if goes_on {
            self.go_on(rows, velocity, impulses);
        }
        loop {
            solve(&self.response, &self.free, impulses)?;
            if self.is_over(rows, velocity, impulses) {
                break;
            }
        }
        // What rounds that have not settled leave is an error. Contacts that wedge stop round-off with forces of any size without them.
        if self.have_settled || wedges {
            return Ok(());
        }
        solve(delassus, velocity, impulses)
    }
}

/// A sliding velocity above this share of what adds up to it is no round-off.
const SLIDES: f64 = 1e-7;
