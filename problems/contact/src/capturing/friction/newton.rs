//! All contacts and joints at once by a semismooth Newton method.

use super::joint::{Joint, Motion};
use super::problem::Problem;
use crate::capturing::law::ContactLaw;
use liedae::linalg::SquareLu;

/// Proximal term relative to the mobility of each row.
const PROXIMAL: f64 = 1e-10;

/// Full steps from a first guess.
const STEPS: usize = 25;

/// Proximal terms from far to near, and full steps with each.
const HOMOTOPY: [(f64, usize); 5] = [
    (1e-2, 25),
    (1e-4, 20),
    (1e-6, 20),
    (1e-8, 20),
    (PROXIMAL, 25),
];

/// Steps with a line search.
const SEARCHES: usize = 60;

/// Cases of what joints do that are gone through.
const CASES: usize = 10_000;

/// Halvings of a step that does not reduce the residual.
const HALVINGS: usize = 8;

/// The largest proximal term that is tried where no step does, and how it grows.
const LARGEST: (f64, f64) = (1e-2, 100.0);

/// Residuals of this many steps before, of which the largest must be undercut.
const MEMORY: usize = 10;

/// An accepted error that a step reduces by less is round-off.
const STALLED: f64 = 0.1;

/// Newton's method on the equations of Alart and Curnier, with d = P - ρ (U_N - ℓ, U_T):
///
/// ```text
/// P_N - max(0, d_N) = 0
/// P_T - proj(d_T) = 0              onto the disc of radius μ max(0, d_N)
/// Q - proj(Q - ρ s) = 0            onto the interval [-L(P, Q), L(P, Q)], L = μ Σ |N|, for joints with k = 0
/// ```
///
/// Quadratic near a solution, whatever the number of contacts; `n³` operations a step. Redundant contacts make the
/// matrix singular: W + ε 1 instead of W in it, which is a step of the proximal point method around the present
/// impulses and leaves the solutions as they are. Full steps find a solution sooner and more often than shortened ones;
/// where they cycle, large ε, reduced by and by, lead near it; a line search is a further way.
///
/// Sources: P. Alart, A. Curnier, CMAME 92 (1991), doi:10.1016/0045-7825(91)90022-X; V. Acary, M. Brémond, O. Huber, On
/// solving contact problems with Coulomb friction, 2018, doi:10.1007/978-3-319-75972-2_10.
#[derive(Default)]
pub(in crate::capturing) struct Newton {
    lu: Option<SquareLu>,
    capacity: usize,
    contacts: Vec<ContactStep>,
    joints: Vec<JointStep>,
    /// What joints are supposed to do: a number of which each joint takes its part.
    case: Option<usize>,
    residual: Vec<f64>,
    direction: Vec<f64>,
    trial: Vec<f64>,
    /// Newton steps so far.
    pub steps: usize,
}

/// Errors at which an iteration ends.
#[derive(Clone, Copy)]
pub(in crate::capturing) struct Goal {
    pub wanted: f64,
    pub accepted: f64,
}

impl Goal {
    fn is_met(&self, error: f64, before: f64) -> bool {
        error <= self.wanted || (error <= self.accepted && error > STALLED * before)
    }
}

/// What one contact does at the present impulses.
#[derive(Clone, Copy, Default)]
struct ContactStep {
    /// ρ of the normal and of the tangents.
    scale: [f64; 2],
    /// d_N > 0.
    closed: bool,
    /// Unit vector of d_T and |d_T| if it slides.
    slides: Option<([f64; 2], f64)>,
    radius: f64,
}

/// What one joint does at the present impulses.
#[derive(Clone, Copy, Default)]
struct JointStep {
    scale: f64,
    motion: Motion,
}

impl Newton {
    /// Memory for so many contacts and rows.
    pub fn reserve(&mut self, contacts: usize, rows: usize) {
        self.clear(contacts, rows);
    }

    /// Empties what belongs to a problem, with memory for so many contacts and rows.
    fn clear(&mut self, contacts: usize, rows: usize) {
        for buffer in [&mut self.residual, &mut self.direction, &mut self.trial] {
            buffer.clear();
            buffer.reserve(rows);
        }
        self.contacts.clear();
        self.contacts.reserve(contacts);
        self.joints.clear();
        self.joints.reserve(rows);
        if self.capacity < rows || self.lu.is_none() {
            (self.lu, self.capacity) = (Some(SquareLu::new(rows)), rows);
        }
    }

    /// Full steps from the given impulses until the problem's error is at most `wanted`, or at most `accepted` and no
    /// longer falling fast; the best impulses and their error.
    pub fn solve(&mut self, problem: &Problem, impulses: &mut [f64], goal: Goal) -> f64 {
        self.full_steps(problem, impulses, goal, (PROXIMAL, STEPS))
    }

    /// As [`solve`](Self::solve), with proximal terms from large to small.
    pub fn approach(&mut self, problem: &Problem, impulses: &mut [f64], goal: Goal) -> f64 {
        let mut error = f64::INFINITY;
        for stage in HOMOTOPY {
            error = self.full_steps(problem, impulses, goal, stage);
            if error <= goal.accepted {
                break;
            }
        }
        error
    }

    /// As [`solve`](Self::solve), but from nothing, through what the joints may do case by case, as far as the cases can
    /// be counted.
    pub fn by_cases(&mut self, problem: &Problem, impulses: &mut [f64], goal: Goal) -> f64 {
        let cases: usize = problem
            .joints()
            .map(|joint| joint.cases())
            .fold(1, usize::saturating_mul);
        let mut error = f64::INFINITY;
        // First with the case imposed, then from there with the laws themselves.
        for case in 0..cases.min(CASES) {
            self.case = Some(case);
            impulses.fill(0.0);
            self.full_steps(problem, impulses, goal, (PROXIMAL, STEPS));
            self.case = None;
            error = self.full_steps(problem, impulses, goal, (PROXIMAL, STEPS));
            if error <= goal.accepted {
                break;
            }
        }
        error
    }

    fn full_steps(
        &mut self,
        problem: &Problem,
        impulses: &mut [f64],
        goal: Goal,
        (proximal, steps): (f64, usize),
    ) -> f64 {
        self.prepare(problem);
        let mut point = std::mem::take(&mut self.trial);
        point.copy_from_slice(impulses);
        let (mut least, mut before) = (f64::INFINITY, f64::INFINITY);
        for step in 0..=steps {
            let error = problem.error(&point);
            if error < least {
                // The best impulses are kept: full steps may lead away.
                least = error;
                impulses.copy_from_slice(&point);
            }
            if goal.is_met(error, before) || step == steps || !error.is_finite() {
                break;
            }
            before = error;
            self.steps += 1;
            self.evaluate(problem, &point);
            if !self.direct(problem, &point, proximal) {
                break;
            }
            for (point, step) in point.iter_mut().zip(&self.direction) {
                *point += step;
            }
        }
        self.trial = point;
        least
    }

    /// As [`solve`](Self::solve), with steps that are halved until they reduce the residual.
    pub fn search(&mut self, problem: &Problem, impulses: &mut [f64], goal: Goal) -> f64 {
        self.prepare(problem);
        let mut trial = std::mem::take(&mut self.trial);
        let mut merit = self.evaluate(problem, impulses);
        let mut memory = [merit; MEMORY];
        let mut proximal = PROXIMAL;
        let mut before = f64::INFINITY;
        for iteration in 0..SEARCHES {
            let error = problem.error(impulses);
            if goal.is_met(error, before) || !merit.is_finite() {
                break;
            }
            before = error;
            self.steps += 1;
            let bound = memory.iter().fold(0.0_f64, |max, &merit| max.max(merit));
            let mut halvings = if self.direct(problem, impulses, proximal) {
                0
            } else {
                HALVINGS + 1
            };
            let mut factor = 1.0;
            while halvings <= HALVINGS {
                let moved = trial.iter_mut().zip(&self.direction).zip(&*impulses);
                for ((trial, step), old) in moved {
                    *trial = old + factor * step;
                }
                merit = self.evaluate(problem, &trial);
                // Nonmonotone: below the largest of the last residuals, by Armijo's 1e-4.
                if merit <= (1.0 - 1e-4 * factor) * bound {
                    break;
                }
                factor *= 0.5;
                halvings += 1;
            }
            let (largest, growth) = LARGEST;
            if halvings <= HALVINGS {
                impulses.copy_from_slice(&trial);
                memory[iteration % MEMORY] = merit;
                if halvings == 0 {
                    // A full step was good: less of the proximal term.
                    proximal = (0.1 * proximal).max(PROXIMAL);
                }
            } else if proximal < largest {
                merit = self.evaluate(problem, impulses);
                proximal *= growth;
            } else {
                break;
            }
        }
        self.trial = trial;
        problem.error(impulses)
    }

    fn prepare(&mut self, problem: &Problem) {
        let (contacts, rows) = (problem.laws.len(), problem.rows());
        self.clear(contacts, rows);
        for buffer in [&mut self.residual, &mut self.direction, &mut self.trial] {
            buffer.resize(rows, 0.0);
        }
        self.contacts.resize(contacts, ContactStep::default());
        let joints = problem.joints.laws.len();
        self.joints.resize(joints, JointStep::default());
    }

    /// Residuals and what each contact does; half the sum of squares in units of energy.
    fn evaluate(&mut self, problem: &Problem, impulses: &[f64]) -> f64 {
        let mut merit = 0.0;
        for ((row, law), step) in problem.contacts().zip(&mut self.contacts) {
            *step = ContactStep::default();
            let own = &impulses[row..row + law.rows()];
            let residual = &mut self.residual[row..row + law.rows()];
            let normal = problem.entry(row, row);
            // ρ = 1/W_NN, so that d has the unit of an impulse.
            step.scale[0] = if normal > 0.0 { 1.0 / normal } else { 1.0 };
            let closing = problem.velocity_of(impulses, row) - law.least_velocity;
            let pressed = own[0] - step.scale[0] * closing;
            step.closed = pressed > 0.0;
            residual[0] = own[0] - pressed.max(0.0);
            // P_T - proj(d_T), proj onto the disc of radius μ d_N.
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
            // Squared impulses over ρ are energies.
            merit += squares / step.scale[0];
        }
        let mut left = self.case;
        for (joint, step) in problem.joints().zip(&mut self.joints) {
            let (row, own) = (joint.row, impulses[joint.row]);
            let mobility = problem.entry(row, row);
            step.scale = if mobility > 0.0 { 1.0 / mobility } else { 1.0 };
            let pulled = own - step.scale * problem.velocity_of(impulses, row);
            let limit = joint.limit(impulses);
            let (motion, resolved) = match left {
                None => joint.resolve(pulled, step.scale, limit),
                // The number of the case, in mixed bases: each joint takes its digit.
                Some(cases) => {
                    left = Some(cases / joint.cases());
                    joint.resolve_as(cases % joint.cases(), pulled, step.scale, limit)
                }
            };
            step.motion = motion;
            let residual = own - resolved;
            self.residual[row] = residual;
            merit += residual * residual / step.scale;
        }
        0.5 * merit
    }

    /// The Newton direction; false if the matrix is singular.
    fn direct(&mut self, problem: &Problem, impulses: &[f64], proximal: f64) -> bool {
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
        for (joint, step) in problem.joints().zip(&self.joints) {
            let entries = &mut matrix[joint.row * n..(joint.row + 1) * n];
            fill_joint(entries, problem, &joint, step, impulses, proximal);
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
    (row, law): (usize, &ContactLaw),
    step: &ContactStep,
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
            // Closed: d_N = P_N - ρ (U_N - ℓ), so that the row is ρ W_N.
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

/// The row of a joint in the generalized Jacobian.
fn fill_joint(
    entries: &mut [f64],
    problem: &Problem,
    joint: &Joint,
    step: &JointStep,
    impulses: &[f64],
    proximal: f64,
) {
    match step.motion {
        // Q = ± L(P): the limit depends on all impulses.
        Motion::Slides(sign) => {
            entries[joint.row] = 1.0;
            joint.add_slope(impulses, -sign, entries);
        }
        // s = 0 (or -k): the row is ρ W.
        Motion::Held => {
            for (entry, w) in entries.iter_mut().zip(problem.row(joint.row)) {
                *entry = step.scale * w;
            }
            entries[joint.row] += proximal;
        }
        Motion::Passes => entries[joint.row] = 1.0,
    }
}
