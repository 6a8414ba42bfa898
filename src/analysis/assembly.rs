//! Closing loops from rough guesses.

use super::matrices::{constraint_jacobian, dense, largest_at};
use super::{AnalysisError, Entry};
use crate::linalg::{Blocks, KktSolver, Pattern};
use crate::manifold::Manifold;
use crate::system::{Evaluator, Layout, State, check_branch};
use faer::Mat;
use serde::Serialize;

/// A mechanism needs some ten iterations; far guesses, with loops that turn over, some dozens.
const MOST_ITERATIONS: usize = 200;

/// Rows below this part of 1 + their gradient's length are closed: round-off of positions of the size of metres.
const CLOSED: f64 = 1e-12;

/// What is good enough where round-off of large coordinates allows no more.
const NEARLY_CLOSED: f64 = 1e-9;

/// Steps turn or shift nothing by more than this, in rad and m: the linearized rows know no more.
const LONGEST_STEP: f64 = 0.5;

/// Damping below this part of the squares of gradients would leave redundant rows, which contradict each other far from an assembly,
/// to the solver's decision of rank.
const LEAST_DAMPING: f64 = 1e-10;

/// What an assembly did.
///
/// ```
/// use liedae::analysis::{Assembly, assemble};
/// use liedae::system::{Evaluator, System};
///
/// // A bob on a rod of 1 m, drawn 1.2 m below the pivot.
/// let mut bob = liedae::model([0.0, -1.2], [0.0, 0.0])
///     .mass(1.0)
///     .force(|_t, _q, _v| [0.0, 0.0])
///     .constraint(|_t, [x, y]| [x * x + y * y - 1.0])
///     .build()?;
/// let mut state = bob.initial_state();
/// let Assembly { iterations, before, after } = assemble(&mut Evaluator::new(&mut bob), &mut state)?;
/// // The row is 1.2² - 1 at the drawn place.
/// assert!((before - 0.44).abs() < 1e-12 && after < 1e-11 && iterations < 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Assembly {
    /// Iterations taken.
    pub iterations: usize,
    /// Largest violation of a position row before.
    pub before: f64,
    /// Largest violation of a position row after.
    pub after: f64,
}

/// Moves a configuration onto the position rows from far away: the loops of a mechanism close.
///
/// Steps of Levenberg and Marquardt with bounded turns, until |g| is round-off. Unlike
/// [`project_initial_state`](crate::system::project_initial_state), which is for states nearly right and measures changes by the mass
/// matrix, this is for drawings: the guess may be off by any amount, massless coordinates are fine, rows may be redundant. Where
/// several configurations close the loops the one that the steps lead to is taken; axes that a joint wants alike never end opposite to each
/// other, where the system [knows them](crate::system::Branches). The velocity is not touched.
///
/// # Errors
/// [`AnalysisError::NotAssembled`] names the row that is violated most where the loops cannot close, and
/// [`AnalysisError::State`] the joint whose axes remain opposite to each other. The state stays as it was.
///
/// ```
/// use liedae::analysis::assemble;
/// use liedae::system::{Evaluator, System};
///
/// // Two bars of 1 m from (0, 0) to (1.2, 0), drawn with the joint at (0.9, 0.1).
/// let mut bars = liedae::model([0.9, 0.1], [0.0, 0.0])
///     .mass(1.0)
///     .force(|_t, _q, _v| [0.0, 0.0])
///     .constraint(|_t, [x, y]| [x * x + y * y - 1.0, (x - 1.2) * (x - 1.2) + y * y - 1.0])
///     .build()?;
/// let mut state = bars.initial_state();
/// let report = assemble(&mut Evaluator::new(&mut bars), &mut state)?;
/// assert!(report.before > 0.1 && (state.q[0] - 0.6).abs() < 1e-12 && (state.q[1] - 0.8).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn assemble(system: &mut Evaluator, state: &mut State) -> Result<Assembly, AnalysisError> {
    let mut closing = Closing::new(system.layout())?;
    closing.violation(system, state)?;
    let before = largest_at(closing.g.iter().copied()).1;
    let mut now = state.clone();
    let mut iterations = 0;
    if check_branch(system, state).is_ok() {
        iterations += closing.close(system, &mut now)?;
    }
    if check_branch(system, &now).is_err() {
        // From the guess anew, by rows that see which way axes point. What they leave is for the rows themselves.
        now = state.clone();
        closing.from_afar = true;
        iterations += closing.close(system, &mut now)?;
        closing.from_afar = false;
        iterations += closing.close(system, &mut now)?;
        check_branch(system, &now)?;
    }
    if !closing.is_closed(NEARLY_CLOSED) {
        let (row, violation) = largest_at(closing.g.iter().copied());
        return Err(AnalysisError::NotAssembled {
            row: Entry::row(system, row),
            violation,
            iterations,
        });
    }
    let after = largest_at(closing.g.iter().copied()).1;
    *state = now;
    Ok(Assembly {
        iterations,
        before,
        after,
    })
}

/// The workspace of an assembly.
struct Closing {
    space: Manifold,
    rows: usize,
    /// Whether rows are those for guesses far off.
    from_afar: bool,
    jacobian: Pattern,
    g: Vec<f64>,
    lengths: Vec<f64>,
    change: Vec<f64>,
    kkt: KktSolver,
}

impl Closing {
    fn new(layout: &Layout) -> Result<Self, AnalysisError> {
        let (n, rows) = (layout.dimension(), layout.position_rows);
        // [I -Gᵀ 0; G 0 damping]: the damping takes part as variables of its own, one for each row.
        let a = Pattern::diagonal(n + rows);
        let g = Pattern::dense(rows, n + rows);
        let blocks = Blocks {
            variables: vec![n + rows],
            rows: vec![rows],
        };
        Ok(Self {
            space: layout.space.clone(),
            rows,
            from_afar: false,
            jacobian: layout.jacobian.clone(),
            g: vec![0.0; rows],
            lengths: vec![1.0; rows],
            change: vec![0.0; n],
            kkt: KktSolver::new(&a, &g, &g, &blocks)?,
        })
    }

    /// Iterates until the rows are closed, or as far as it goes; the number of iterations.
    fn close(&mut self, system: &mut Evaluator, now: &mut State) -> Result<usize, AnalysisError> {
        self.measure(system, now)?;
        let mut violation = self.violation(system, now)?;
        // Where damping is small against the squares of gradients a step is Newton's.
        let mut damping = 1e-6;
        let mut iterations = 0;
        while !self.is_closed(CLOSED) && iterations < MOST_ITERATIONS {
            iterations += 1;
            self.step(system, now, damping)?;
            let mut trial = now.clone();
            self.space.retract(&now.q, &self.change, &mut trial.q);
            self.space.normalize(&mut trial.q);
            let after = self.violation(system, &trial)?;
            if after < violation {
                (*now, violation) = (trial, after);
                damping = (damping * 0.1).max(LEAST_DAMPING);
            } else {
                // What is left of a failed trial is that of the state before.
                self.violation(system, now)?;
                damping *= 10.0;
                if self.is_closed(NEARLY_CLOSED) || damping > 1e8 {
                    break;
                }
            }
        }
        Ok(iterations)
    }

    /// Rows count by the lengths of their gradients at the guess; the same ones all the way, so that less stays less.
    fn measure(&mut self, system: &mut Evaluator, state: &State) -> Result<(), AnalysisError> {
        let jacobian = self.rows(system, state)?;
        for (row, length) in self.lengths.iter_mut().enumerate() {
            *length = 1.0 + jacobian.row(row).norm_l2();
        }
        Ok(())
    }

    /// Evaluates the rows and their Jacobian.
    fn rows(&mut self, system: &mut Evaluator, state: &State) -> Result<Mat<f64>, AnalysisError> {
        if self.from_afar
            && let Some(branches) = system.system().branches()
        {
            let mut values = vec![0.0; self.jacobian.nnz()];
            if branches.rows_from_afar(&state.point(), &mut self.g, &mut values)? {
                return Ok(dense(&self.jacobian, &values));
            }
        }
        if self.rows > 0 {
            system.position_constraint(&state.point(), &mut self.g)?;
        }
        constraint_jacobian(system, state)
    }

    /// Evaluates the rows; the norm of what is violated.
    fn violation(&mut self, system: &mut Evaluator, state: &State) -> Result<f64, AnalysisError> {
        if self.from_afar {
            self.rows(system, state)?;
        } else if self.rows > 0 {
            system.position_constraint(&state.point(), &mut self.g)?;
        }
        let squares = self.g.iter().zip(&self.lengths);
        Ok(squares
            .map(|(g, length)| (g / length).powi(2))
            .sum::<f64>()
            .sqrt())
    }

    fn is_closed(&self, bound: f64) -> bool {
        let mut rows = self.g.iter().zip(&self.lengths);
        rows.all(|(g, length)| g.abs() <= bound * length)
    }

    /// The change of least (|u|² + |D s|²) with G u + s = -g: damped rows give way by s.
    fn step(
        &mut self,
        system: &mut Evaluator,
        state: &State,
        damping: f64,
    ) -> Result<(), AnalysisError> {
        let (n, rows) = (self.change.len(), self.rows);
        let jacobian = self.rows(system, state)?;
        let mut a = vec![1.0; n + rows];
        a[n..].fill(1.0 / damping);
        let mut g = vec![0.0; rows * (n + rows)];
        for row in 0..rows {
            let line = &mut g[row * (n + rows)..(row + 1) * (n + rows)];
            for column in 0..n {
                line[column] = jacobian[(row, column)] / self.lengths[row];
            }
            line[n + row] = 1.0;
        }
        self.kkt.factor(&a, &g, &g)?;
        let asked: Vec<f64> = self
            .g
            .iter()
            .zip(&self.lengths)
            .map(|(g, length)| -g / length)
            .collect();
        let (mut change, mut multipliers) = (vec![0.0; n + rows], vec![0.0; rows]);
        self.kkt
            .solve(&vec![0.0; n + rows], &asked, &mut change, &mut multipliers)?;
        let longest = largest_at(change[..n].iter().copied()).1;
        let scale = if longest > LONGEST_STEP {
            LONGEST_STEP / longest
        } else {
            1.0
        };
        for (slot, value) in self.change.iter_mut().zip(&change) {
            *slot = scale * value;
        }
        Ok(())
    }
}
