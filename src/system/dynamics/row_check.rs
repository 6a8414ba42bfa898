//! Whether rows without derivatives hold at the end of a step, by what that means for the variables that they determine.

use super::algebraic::AlgebraicSolver;
use crate::control::ErrorNorm;
use crate::linalg::KktError;
use crate::system::{DynamicsError, EvaluationError, Evaluator, Layout, State};

/// So many tolerances off the solution of its rows a variable may be. Newton iterations leave a third of a tolerance, of the looser ones
/// that `radau5` iterates to some more.
const ALLOWED: f64 = 10.0;

/// A row that is off by this part of its terms is looked at, however small its variables are.
const SUSPICIOUS: f64 = 1e-3;

/// So is one that errors of its variables by this part of their tolerances would not explain.
const EXPLAINED: f64 = 3.0;

/// After so many steps rows are looked at whatever is known of their slopes, which may have fallen since.
const EVERY: usize = 10;

/// A row that is off by this part of its terms, or of what it was off by, has been solved.
const SOLVED: f64 = 1e-2;

/// Round-off of a row as a part of its terms.
const ROUND_OFF: f64 = 64.0 * f64::EPSILON;

/// The iteration that measures the distance from the solution.
const ITERATIONS: usize = 25;

/// The shortest part of a correction that is tried.
const SHORTEST: f64 = 1e-3;

/// Corrections relative to their variables that are round-off ...
const SETTLED: f64 = 1e-13;

/// ... and what those may be that no longer shrink.
const STALLED: f64 = 1e-9;

/// How slopes that were seen may have grown from one look to the next.
const GROWTH: f64 = 4.0;

/// A variable of a row.
#[derive(Clone, Copy)]
enum Variable {
    Q(usize),
    V(usize),
    X(usize),
    Z(usize),
}

/// The derivative of an equation by a variable: a sum over entries of the derivatives of the rates.
struct Slope {
    equation: usize,
    variable: Variable,
    /// Where its entries begin and end in the list of them.
    entries: [usize; 2],
    /// Its size: the smallest seen, which grows slowly with every look that sees a larger one.
    size: f64,
    /// Its size where derivatives were evaluated last.
    now: f64,
}

/// What a look at the rows has found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Verdict {
    /// They hold, or nothing can be said.
    Holds,
    /// They did not hold, but their solution is within the tolerances, and the state has it now.
    Solved,
    /// The solution is farther away than the tolerances allow: by so many of them, or more.
    Off(f64),
}

/// Rows without derivatives, looked at behind every step.
///
/// Newton iterations of methods end where their corrections are small beside the tolerances. A row that is steep where the iteration
/// stands, as that of a diode's current near zero (slope 1e12 V/A), makes corrections of any size small: the row may be off by volts.
/// So may one whose slopes have fallen since the derivatives of the iteration were evaluated. Here a row that is suspicious is
/// solved from where the step has left it, with derivatives of its own, as far as the tolerances reach.
pub(crate) struct RowCheck {
    solver: AlgebraicSolver,
    /// Of each equation, in turn.
    slopes: Vec<Slope>,
    /// Entries of the derivatives of the rates, by position or by velocity, and their factors.
    entries: Vec<(usize, f64)>,
    terms: Vec<f64>,
    tolerated: Vec<f64>,
    /// What the rows were off by at the start of the iteration.
    first: Vec<f64>,
    /// The iterate, and where its last correction began.
    trial: State,
    before: State,
    /// Looks since derivatives were evaluated; `None` where they never were.
    age: Option<usize>,
    /// Rows depend on multipliers, which methods know less well than these tolerances ask for: nothing can be said then.
    of_multipliers: bool,
    factorizations: usize,
}

impl RowCheck {
    /// `None` where there are no such rows, or the method leaves z to others and there are no other ones.
    pub fn new(layout: &Layout, with_z: bool) -> Result<Option<Self>, KktError> {
        if layout.algebraic > 0 && !with_z {
            return Ok(None);
        }
        let Some(solver) = AlgebraicSolver::with_states(layout)? else {
            return Ok(None);
        };
        let (slopes, entries) = slopes(layout, &solver);
        let count = solver.equations().len();
        let zeros = || vec![0.0; count];
        Ok(Some(Self {
            solver,
            slopes,
            entries,
            terms: zeros(),
            tolerated: zeros(),
            first: zeros(),
            trial: layout.state(),
            before: layout.state(),
            age: None,
            of_multipliers: false,
            factorizations: 0,
        }))
    }

    /// Factorizations so far, and solutions, one with each.
    pub fn factorizations(&self) -> usize {
        self.factorizations
    }

    /// Looks at the rows at the end of a step; at their slopes as well if the run stops there.
    pub fn look(
        &mut self,
        system: &mut Evaluator,
        state: &mut State,
        norm: &ErrorNorm,
        stops: bool,
    ) -> Result<Verdict, DynamicsError> {
        if self.of_multipliers {
            return Ok(Verdict::Holds);
        }
        self.solver.load_rates(system, &state.point())?;
        let due = self.age.is_none_or(|age| age + 1 >= EVERY) || stops;
        if !due && !self.is_suspicious(state, norm, |slope| slope.size) {
            self.age = self.age.map(|age| age + 1);
            return Ok(Verdict::Holds);
        }
        self.load_slopes(system, state)?;
        self.age = Some(0);
        if self.of_multipliers {
            return Ok(Verdict::Holds);
        }
        if !self.is_suspicious(state, norm, |slope| slope.now) {
            // The correction may still be large where a combination of rows determines a variable weakly.
            return Ok(match self.correct() {
                true => self.within(system, state, norm),
                false => Verdict::Holds,
            });
        }
        let found = self.measure(system, state, norm);
        if found == Verdict::Solved {
            state.x.copy_from_slice(&self.trial.x);
            state.z.copy_from_slice(&self.trial.z);
        }
        Ok(found)
    }

    /// Solves the rows from where a step has left them, for steps that have no other size.
    pub fn solve(
        &mut self,
        system: &mut Evaluator,
        state: &mut State,
    ) -> Result<(), DynamicsError> {
        let t = state.t;
        let linear = |source| DynamicsError::Linear { t, source };
        self.solver.load_rates(system, &state.point())?;
        self.trial.copy_from(state);
        let mut size = f64::INFINITY;
        for iteration in 0..ITERATIONS {
            self.load_trial_slopes(system)?;
            if iteration > 0 && self.holds_to_round_off() {
                size = 0.0;
                break;
            }
            self.factorizations += 1;
            self.solver.correct().map_err(linear)?;
            if !self.add_correction(system) {
                break;
            }
            let before = std::mem::replace(&mut size, relative_change(&self.before, &self.trial));
            // Corrections of round-off do not shrink any more.
            if size <= SETTLED || (size <= STALLED && size >= 0.5 * before) {
                size = 0.0;
                break;
            }
        }
        if size == 0.0 {
            state.x.copy_from_slice(&self.trial.x);
            state.z.copy_from_slice(&self.trial.z);
            return Ok(());
        }
        Err(DynamicsError::NotConverged {
            what: "the iteration for rows without derivatives at the end of a constant step",
            t,
            iterations: ITERATIONS,
            correction: size,
        })
    }

    /// Follows Newton's method to the solution, as far as the tolerances reach.
    fn measure(&mut self, system: &mut Evaluator, state: &State, norm: &ErrorNorm) -> Verdict {
        self.trial.copy_from(state);
        for (first, residual) in self.first.iter_mut().zip(self.solver.residual()) {
            *first = residual.abs();
        }
        for iteration in 0..ITERATIONS {
            if iteration > 0 {
                if self.load_trial_slopes(system).is_err() {
                    break;
                }
                if self.is_solved() {
                    return Verdict::Solved;
                }
            }
            // Rows that do not determine their variables say nothing of them, and neither do those that cannot be evaluated.
            if !self.correct() || !self.add_correction(system) {
                break;
            }
            // The solution lies beyond what the tolerances reach, wherever it is.
            let off = farthest(state, &self.trial, norm);
            if off > ALLOWED {
                return Verdict::Off(off);
            }
        }
        Verdict::Holds
    }

    /// Adds the largest part of the correction to the iterate behind which the rows can be evaluated; false where there is none.
    fn add_correction(&mut self, system: &mut Evaluator) -> bool {
        self.before.copy_from(&self.trial);
        let mut part = 1.0;
        while part >= SHORTEST {
            self.trial.copy_from(&self.before);
            self.solver.add_change(part, &mut self.trial);
            let evaluated = self.solver.load_rates(system, &self.trial.point());
            if evaluated.is_ok() && self.trial.is_finite() {
                return true;
            }
            part *= 0.5;
        }
        false
    }

    /// The correction, where it can be had.
    fn correct(&mut self) -> bool {
        self.factorizations += 1;
        self.solver.correct().is_ok()
    }

    /// What the correction says of the distance of a state from its solution, where the rows are nearly solved.
    fn within(&mut self, system: &mut Evaluator, state: &State, norm: &ErrorNorm) -> Verdict {
        self.trial.copy_from(state);
        self.solver.add_change(1.0, &mut self.trial);
        let off = farthest(state, &self.trial, norm);
        if off <= ALLOWED || self.holds_to_round_off() {
            return Verdict::Holds;
        }
        // Residuals that the correction leaves as they are were round-off, which weakly determined variables magnify.
        let before = largest(self.solver.residual());
        let evaluated = self.solver.load_rates(system, &self.trial.point());
        if evaluated.is_ok() && largest(self.solver.residual()) < 0.5 * before {
            Verdict::Off(off)
        } else {
            Verdict::Holds
        }
    }

    fn holds_to_round_off(&self) -> bool {
        let pairs = self.solver.residual().iter().zip(&self.terms);
        pairs
            .into_iter()
            .all(|(residual, terms)| residual.abs() <= ROUND_OFF * terms)
    }

    /// Whether the rows have been solved well enough to believe where the iteration stands.
    fn is_solved(&self) -> bool {
        let rows = self.solver.residual().iter().zip(&self.terms);
        rows.zip(&self.first).all(|((residual, terms), first)| {
            residual.abs() <= (SOLVED * first).max(SUSPICIOUS * terms)
        })
    }

    /// Whether a row is off by more than its variables explain, as far as slopes are known.
    fn is_suspicious(&mut self, state: &State, norm: &ErrorNorm, known: fn(&Slope) -> f64) -> bool {
        self.weigh(state, norm, known);
        let rows = self.solver.residual().iter();
        let mut rows = rows.zip(self.terms.iter().zip(&self.tolerated));
        rows.any(|(residual, (terms, tolerated))| {
            let size = residual.abs();
            size > ROUND_OFF * terms && (size > SUSPICIOUS * terms || size > EXPLAINED * tolerated)
        })
    }

    /// The sizes of the terms of each row, and what tolerances make of them.
    fn weigh(&mut self, state: &State, norm: &ErrorNorm, known: fn(&Slope) -> f64) {
        self.terms.fill(0.0);
        self.tolerated.fill(0.0);
        let tolerances = ToleranceOf::new(state, norm);
        for slope in &self.slopes {
            let (value, tolerance) = tolerances.of(slope.variable, state);
            let size = known(slope);
            self.terms[slope.equation] += size * value;
            self.tolerated[slope.equation] += size * tolerance;
        }
    }

    /// Evaluates derivatives at a state, and learns the sizes of slopes.
    fn load_slopes(
        &mut self,
        system: &mut Evaluator,
        state: &State,
    ) -> Result<(), EvaluationError> {
        self.solver.load_slopes(system, &state.point())?;
        let mut by_multiplier = self.solver.jacobian().by_multiplier.iter();
        self.of_multipliers = by_multiplier.any(|slope| *slope != 0.0);
        self.see();
        Ok(())
    }

    /// The same at the iterate, where terms are those of the slopes there.
    fn load_trial_slopes(&mut self, system: &mut Evaluator) -> Result<(), EvaluationError> {
        self.solver.load_slopes(system, &self.trial.point())?;
        self.terms.fill(0.0);
        let jacobian = self.solver.jacobian();
        for slope in &self.slopes {
            let size = size_of(slope, &self.entries, jacobian);
            self.terms[slope.equation] += size * value_of(slope.variable, &self.trial).abs();
        }
        Ok(())
    }

    fn see(&mut self) {
        let jacobian = self.solver.jacobian();
        for slope in &mut self.slopes {
            let size = size_of(slope, &self.entries, jacobian);
            slope.now = size;
            slope.size = size.min((GROWTH * slope.size).max(f64::EPSILON * size));
        }
    }
}

fn size_of(
    slope: &Slope,
    entries: &[(usize, f64)],
    jacobian: &crate::system::RatesJacobian,
) -> f64 {
    let values = match slope.variable {
        Variable::V(_) => &jacobian.by_velocity,
        _ => &jacobian.by_position,
    };
    let [from, to] = slope.entries;
    let entries = entries[from..to].iter();
    let sum: f64 = entries
        .map(|&(position, factor)| factor * values[position])
        .sum();
    sum.abs()
}

fn value_of(variable: Variable, state: &State) -> f64 {
    match variable {
        Variable::Q(index) => state.q[index],
        Variable::V(index) => state.v[index],
        Variable::X(index) => state.x[index],
        Variable::Z(index) => state.z[index],
    }
}

/// Tolerances of variables at a state.
struct ToleranceOf<'a> {
    relative: &'a [f64],
    absolute: &'a [f64],
    loosest: [f64; 2],
    dimension: usize,
}

impl<'a> ToleranceOf<'a> {
    fn new(state: &State, norm: &'a ErrorNorm) -> Self {
        let (relative, absolute) = norm.tolerances();
        let loosest = if state.z.is_empty() {
            [0.0; 2]
        } else {
            norm.loosest()
        };
        Self {
            relative,
            absolute,
            loosest,
            dimension: state.v.len(),
        }
    }

    /// The size of a variable, and its tolerance.
    fn of(&self, variable: Variable, state: &State) -> (f64, f64) {
        let size = value_of(variable, state).abs();
        let component = match variable {
            Variable::Q(index) => index,
            Variable::V(index) => self.dimension + index,
            Variable::X(index) => 2 * self.dimension + index,
            Variable::Z(_) => {
                let [relative, absolute] = self.loosest;
                return (size, absolute + relative * size);
            }
        };
        let tolerance = self.absolute[component] + self.relative[component] * size;
        (size, tolerance)
    }
}

/// How many tolerances the variables of two states differ by at most.
fn farthest(from: &State, to: &State, norm: &ErrorNorm) -> f64 {
    let tolerances = ToleranceOf::new(from, norm);
    let mut most = 0.0_f64;
    let mut see = |variable: Variable| {
        let difference = (value_of(variable, to) - value_of(variable, from)).abs();
        if difference > 0.0 {
            let (_, tolerance) = tolerances.of(variable, from);
            let (_, other) = tolerances.of(variable, to);
            most = crate::scalar::larger_or_nan(difference / tolerance.max(other), most);
        }
    };
    (0..from.x.len()).for_each(|index| see(Variable::X(index)));
    (0..from.z.len()).for_each(|index| see(Variable::Z(index)));
    most
}

fn largest(values: &[f64]) -> f64 {
    values
        .iter()
        .fold(0.0, |most: f64, value| most.max(value.abs()))
}

/// The largest change of a variable relative to its size.
fn relative_change(from: &State, to: &State) -> f64 {
    let pairs = (from.x.iter().zip(&to.x)).chain(from.z.iter().zip(&to.z));
    pairs.fold(0.0, |most, (from, to)| {
        let change = (to - from).abs();
        let size = from.abs().max(to.abs()).max(f64::MIN_POSITIVE);
        crate::scalar::larger_or_nan(change / size, most)
    })
}

/// The derivatives of the equations of a solver by all variables with a size of their own, and the entries that they are summed from.
fn slopes(layout: &Layout, solver: &AlgebraicSolver) -> (Vec<Slope>, Vec<(usize, f64)>) {
    let (dimension, differential) = (layout.dimension(), layout.differential);
    let (mut slopes, mut entries) = (Vec::new(), Vec::new());
    for (equation, combination) in solver.equations().iter().enumerate() {
        let mut found: Vec<(usize, usize, f64)> = Vec::new();
        for &(rate, weight) in combination {
            let columns = layout.rates.row(rate).iter();
            let columns = columns.zip(layout.rates.row_range(rate));
            found.extend(columns.map(|(&column, position)| (column, position, weight)));
        }
        found.sort_by_key(|&(column, position, _)| (column, position));
        for group in found.chunk_by(|a, b| a.0 == b.0) {
            let column = group[0].0;
            let from = entries.len();
            entries.extend(
                group
                    .iter()
                    .map(|&(_, position, weight)| (position, weight)),
            );
            let range = [from, entries.len()];
            let mut push = |variable| {
                slopes.push(Slope {
                    equation,
                    variable,
                    entries: range,
                    size: f64::MAX,
                    now: f64::MAX,
                });
            };
            match column.checked_sub(dimension) {
                None => {
                    if layout.space.is_euclidean() {
                        push(Variable::Q(column));
                    }
                    push(Variable::V(column));
                }
                Some(index) if index < differential => push(Variable::X(index)),
                Some(index) => push(Variable::Z(index - differential)),
            }
        }
    }
    (slopes, entries)
}
