//! All contacts at once by a semismooth Newton method.

use super::Problem;
use crate::integrator::moreau_jean::impact::ImpactLaw;
use crate::linalg::SquareLu;

/// Newton steps of an attempt.
const ITERATIONS: usize = 40;

/// Halvings of a step that does not reduce the residual.
const HALVINGS: usize = 8;

/// Proximal terms, relative to the mobility of each row, from the first to the largest that is tried.
const PROXIMAL: [f64; 2] = [1e-10, 1e-2];

/// An accepted error that a step reduces by less is round-off.
const STALLED: f64 = 0.1;

/// Residuals of this many steps before, of which the largest must be undercut.
const MEMORY: usize = 4;

/// Newton's method on the equations of Alart and Curnier, with d = P - ρ (U_N - ℓ, U_T):
///
/// ```text
/// P_N - max(0, d_N) = 0
/// P_T - proj(d_T) = 0              onto the disc of radius μ max(0, d_N)
/// ```
///
/// Quadratic near a solution, whatever the number of contacts; `n³` operations a step. Redundant contacts make the
/// matrix singular: W + ε 1 instead of W in it, which is a step of the proximal point method around the present
/// impulses and leaves the solutions as they are. A step that does not reduce the residual is halved, then ε grows.
///
/// Sources: P. Alart, A. Curnier, CMAME 92 (1991), doi:10.1016/0045-7825(91)90022-X; V. Acary, M. Brémond, O. Huber, On
/// solving contact problems with Coulomb friction, 2018, doi:10.1007/978-3-319-75972-2_10.
#[derive(Default)]
pub(in crate::integrator::moreau_jean) struct Newton {
    lu: Option<SquareLu>,
    capacity: usize,
    contacts: Vec<Contact>,
    residual: Vec<f64>,
    direction: Vec<f64>,
    trial: Vec<f64>,
    /// Newton steps so far.
    pub steps: usize,
}

/// What one contact does at the present impulses.
#[derive(Clone, Copy, Default)]
struct Contact {
    /// ρ of the normal and of the tangents.
    scale: [f64; 2],
    /// d_N > 0.
    closed: bool,
    /// Unit vector of d_T and |d_T| if it slides.
    slides: Option<([f64; 2], f64)>,
    radius: f64,
}

impl Newton {
    /// Memory for so many contacts and rows.
    pub fn reserve(&mut self, contacts: usize, rows: usize) {
        for buffer in [&mut self.residual, &mut self.direction, &mut self.trial] {
            buffer.clear();
            buffer.reserve(rows);
        }
        self.contacts.clear();
        self.contacts.reserve(contacts);
        if self.capacity < rows || self.lu.is_none() {
            (self.lu, self.capacity) = (Some(SquareLu::new(rows)), rows);
        }
    }

    /// From the given impulses until the problem's error is at most `wanted`, or at most `accepted` and no longer falling
    /// fast; returns it.
    pub fn solve(
        &mut self,
        problem: &Problem,
        impulses: &mut [f64],
        [wanted, accepted]: [f64; 2],
    ) -> f64 {
        let n = problem.rows();
        self.reserve(problem.laws.len(), n);
        for buffer in [&mut self.residual, &mut self.direction, &mut self.trial] {
            buffer.resize(n, 0.0);
        }
        self.contacts.resize(problem.laws.len(), Contact::default());
        let mut merit = self.evaluate(problem, impulses);
        let mut memory = [merit; MEMORY];
        let [mut proximal, largest] = PROXIMAL;
        let mut before = f64::INFINITY;
        for iteration in 0..ITERATIONS {
            let error = problem.error(impulses);
            let stalled = error <= accepted && error > STALLED * before;
            if error <= wanted || stalled || !merit.is_finite() {
                return error;
            }
            before = error;
            self.steps += 1;
            let bound = memory.iter().fold(0.0_f64, |max, &merit| max.max(merit));
            let mut factor = if self.direct(problem, proximal) {
                1.0
            } else {
                0.0
            };
            let mut taken = false;
            for _ in 0..=HALVINGS {
                if factor == 0.0 {
                    break;
                }
                let trial = self.trial.iter_mut().zip(&self.direction).zip(&*impulses);
                for ((trial, step), old) in trial {
                    *trial = old + factor * step;
                }
                let trial = std::mem::take(&mut self.trial);
                merit = self.evaluate(problem, &trial);
                self.trial = trial;
                taken = merit <= (1.0 - 1e-4 * factor) * bound;
                if taken {
                    break;
                }
                factor *= 0.5;
            }
            if taken {
                impulses.copy_from_slice(&self.trial);
                memory[iteration % MEMORY] = merit;
                if factor == 1.0 {
                    proximal = (0.1 * proximal).max(PROXIMAL[0]);
                }
            } else if proximal < largest {
                merit = self.evaluate(problem, impulses);
                proximal *= 100.0;
            } else {
                break;
            }
        }
        problem.error(impulses)
    }

    /// Residuals and what each contact does; half the sum of squares in units of energy.
    fn evaluate(&mut self, problem: &Problem, impulses: &[f64]) -> f64 {
        let mut merit = 0.0;
        for ((row, law), step) in problem.contacts().zip(&mut self.contacts) {
            *step = Contact::default();
            let own = &impulses[row..row + law.rows()];
            let residual = &mut self.residual[row..row + law.rows()];
            let normal = problem.entry(row, row);
            step.scale[0] = if normal > 0.0 { 1.0 / normal } else { 1.0 };
            let closing = problem.velocity_of(impulses, row) - law.least_velocity;
            let pressed = own[0] - step.scale[0] * closing;
            step.closed = pressed > 0.0;
            residual[0] = own[0] - pressed.max(0.0);
            residual[1..].copy_from_slice(&own[1..]);
            step.radius = law.friction * pressed.max(0.0);
            if step.radius > 0.0 && law.tangents > 0 {
                let mobility = (1..law.rows()).map(|i| problem.entry(row + i, row + i));
                let mobility = mobility.fold(0.0, f64::max);
                step.scale[1] = if mobility > 0.0 { 1.0 / mobility } else { 1.0 };
                let mut pulled = [0.0; 2];
                for (i, pulled) in pulled.iter_mut().enumerate().take(law.tangents) {
                    let sliding = problem.velocity_of(impulses, row + 1 + i);
                    *pulled = own[1 + i] - step.scale[1] * sliding;
                }
                let size = pulled[0].hypot(pulled[1]);
                let kept = if size > step.radius {
                    step.slides = Some((pulled.map(|pull| pull / size), size));
                    step.radius / size
                } else {
                    1.0
                };
                for (residual, pulled) in residual[1..].iter_mut().zip(pulled) {
                    *residual -= kept * pulled;
                }
            }
            let squares: f64 = residual.iter().map(|residual| residual * residual).sum();
            merit += squares / step.scale[0];
        }
        0.5 * merit
    }

    /// The Newton direction; false if the matrix is singular.
    fn direct(&mut self, problem: &Problem, proximal: f64) -> bool {
        let Some(lu) = &mut self.lu else {
            return false;
        };
        let n = problem.rows();
        let matrix = lu.matrix(n);
        for ((row, law), step) in problem.contacts().zip(&self.contacts) {
            for i in 0..law.rows() {
                let entries = &mut matrix[(row + i) * n..(row + i + 1) * n];
                fill(entries, problem, (row, law), step, i, proximal);
            }
        }
        for (direction, residual) in self.direction.iter_mut().zip(&self.residual) {
            *direction = -residual;
        }
        if lu.factor().is_err() {
            return false;
        }
        lu.solve(&mut self.direction);
        self.direction.iter().all(|entry| entry.is_finite())
    }
}

/// One row of the generalized Jacobian.
fn fill(
    entries: &mut [f64],
    problem: &Problem,
    (row, law): (usize, &ImpactLaw),
    step: &Contact,
    index: usize,
    proximal: f64,
) {
    // Adds factor * ρ (W + ε 1) of a row of this contact.
    let moved = |entries: &mut [f64], i: usize, factor: f64| {
        let scale = factor * step.scale[usize::from(i > 0)];
        for (entry, w) in entries.iter_mut().zip(problem.row(row + i)) {
            *entry += scale * w;
        }
        entries[row + i] += factor * proximal;
    };
    if index == 0 {
        if step.closed {
            moved(entries, 0, 1.0);
        } else {
            entries[row] = 1.0;
        }
        return;
    }
    let Some((along, size)) = step.slides else {
        if step.radius > 0.0 {
            moved(entries, index, 1.0);
        } else {
            entries[row + index] = 1.0;
        }
        return;
    };
    // P_T - μ d_N e - (radius/|d|) (1 - e eᵀ) dP_T', with e = d/|d| and P' = P - ρ U.
    let pull = along[index - 1];
    entries[row + index] += 1.0;
    entries[row] -= law.friction * pull;
    moved(entries, 0, law.friction * pull);
    let turned = step.radius / size;
    for j in 1..law.rows() {
        let across = f64::from(j == index) - pull * along[j - 1];
        entries[row + j] -= turned * across;
        moved(entries, j, turned * across);
    }
}
