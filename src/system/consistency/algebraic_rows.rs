//! The equations of E x' = d that have no derivatives: whether they hold, and their solution for the algebraic variables.
//!
//! With wᵀ E = 0 the equation 0 = wᵀ d is algebraic, and directions n with E n = 0 are those in which x may jump: E x stays. Empty
//! rows and columns are the simplest case; nodes between capacitors have combinations of rows and of unknowns.

use super::bounds::Bounds;
use super::descriptor::{DescriptorElimination, Sparse, cancelling_sum};
use crate::linalg::{Blocks, KktError, KktSolver, Pattern};
use crate::scalar::larger_or_nan;
use crate::system::consistency::states::largest;
use crate::system::{DynamicsError, EvaluationError, Evaluator, Layout, RatesJacobian, State};

/// Round-off of an equation as a part of its terms: a few roundings for each.
const ROUNDINGS: f64 = 64.0 * f64::EPSILON;

/// The same of terms that the derivatives do not show, as a part of 1 + max |x|.
const UNSEEN: f64 = 16.0 * f64::EPSILON;

/// An iteration that cannot go on has converged with residuals of so many round-offs: equations may be ill-conditioned.
const STALLED: f64 = 1e4;

/// A method may leave so many times more of an equation than is allowed to a start.
const LEFT: f64 = 1e3;

const MAX_ITERATIONS: usize = 100;

/// Corrections below this part of the variables that do not shrink any more are round-off.
const NEARLY: f64 = 1e-6;

/// The shortest part of a Newton correction that is tried.
const SHORTEST: f64 = 1e-6;

/// What lets a part of a Newton correction stand.
#[derive(Clone, Copy)]
enum Damping {
    /// It keeps to the path on which all residuals shrink alike.
    AlongPath,
    /// The next correction would be smaller.
    Monotone,
}

/// An algebraic equation that does not hold.
pub(super) struct Violated {
    /// The rows of E x' = d that it consists of.
    pub rows: Vec<usize>,
    /// Its value.
    pub residual: f64,
    /// The sum of the absolute values of its terms.
    pub terms: f64,
}

/// The algebraic equations of a layout, and what is known of them at a state.
pub(super) struct AlgebraicRows {
    /// Where x begins among the columns of rates, and where z does.
    first: usize,
    algebraic: usize,
    /// w of each equation 0 = wᵀ d.
    combinations: Vec<Sparse>,
    /// n of each direction.
    directions: Vec<Sparse>,
    /// The directions that move a state, and by how much.
    of_state: Vec<Sparse>,
    /// Whether the equations determine the directions: no index is above 1.
    pub determined: bool,
    rates: Vec<f64>,
    jacobian: RatesJacobian,
    residuals: Vec<f64>,
    terms: Vec<f64>,
    round_off: Vec<f64>,
    /// Round-off of terms that the derivatives do not show.
    unseen: Vec<f64>,
    /// The derivatives of an equation by x and z.
    gradient: Vec<f64>,
}

impl AlgebraicRows {
    /// `None` where E is regular, or stated to be by indices that are all 0. Rows of algebraic variables z are among the equations
    /// if `with_z`.
    pub fn new(layout: &Layout, with_z: bool) -> Option<Self> {
        let algebraic = if with_z { layout.algebraic } else { 0 };
        let singular = layout.differential_index.iter().any(|&index| index > 0);
        let (combinations, directions) = match &layout.descriptor {
            Some((pattern, values)) if singular => {
                let elimination = DescriptorElimination::new(pattern, values);
                (
                    elimination.left_null_vectors(),
                    elimination.right_null_vectors(),
                )
            }
            _ => (Vec::new(), Vec::new()),
        };
        let equations = combinations.len() + algebraic;
        if equations == 0 {
            return None;
        }
        let mut of_state = vec![Vec::new(); layout.differential];
        for (index, direction) in directions.iter().enumerate() {
            for &(state, part) in direction {
                of_state[state].push((index, part));
            }
        }
        Some(Self {
            first: layout.dimension(),
            algebraic,
            combinations,
            directions,
            of_state,
            determined: layout.differential_index.iter().all(|&index| index <= 1),
            rates: vec![0.0; layout.rate_count()],
            jacobian: RatesJacobian::new(layout),
            residuals: vec![0.0; equations],
            terms: vec![0.0; equations],
            round_off: vec![0.0; equations],
            unseen: vec![0.0; equations],
            gradient: vec![0.0; layout.differential + layout.algebraic],
        })
    }

    /// The rows that an equation consists of, with their factors; those of z follow those of x.
    fn combination(&self, equation: usize) -> Sparse {
        let of_x = self.combinations.len();
        let states = self.of_state.len();
        match self.combinations.get(equation) {
            Some(combination) => combination.clone(),
            None => vec![(states + equation - of_x, 1.0)],
        }
    }

    /// Evaluates the equations, and hands their derivatives by x and z to `take`, equation by equation.
    fn evaluate(
        &mut self,
        system: &mut Evaluator,
        state: &State,
        mut take: impl FnMut(&Self, usize),
    ) -> Result<(), EvaluationError> {
        let at = state.point();
        system.rates(&at, &mut self.rates)?;
        system.rates_jacobian_or_secants(&at, &mut self.jacobian)?;
        let layout = system.layout();
        let (dimension, first) = (layout.dimension(), self.first);
        let unit = 1.0 + largest(&state.x).max(largest(&state.z));
        for equation in 0..self.residuals.len() {
            self.gradient.fill(0.0);
            let (mut residual, mut others, mut round_off) = (0.0, 0.0, 0.0);
            for (row, factor) in self.combination(equation) {
                residual += factor * self.rates[first + row];
                let entries = layout.rates.row(first + row).iter();
                for (&column, entry) in entries.zip(layout.rates.row_range(first + row)) {
                    let slope = factor * self.jacobian.by_position[entry];
                    let mut term = 0.0;
                    if column >= first {
                        let slot = &mut self.gradient[column - first];
                        *slot = cancelling_sum(*slot, slope);
                        let state = column - first;
                        let x = state.checked_sub(at.x.len());
                        term = (slope * x.map_or_else(|| at.x[state], |z| at.z[z])).abs();
                    } else if column < dimension && layout.space.is_euclidean() {
                        term = (slope * at.q[column]).abs();
                        others += term;
                    }
                    if column < dimension {
                        let by_velocity = factor * self.jacobian.by_velocity[entry];
                        let of_velocity = (by_velocity * at.v[column]).abs();
                        others += of_velocity;
                        term += of_velocity;
                    }
                    round_off += ROUNDINGS * term;
                }
            }
            let variables = at.x.iter().chain(at.z);
            let own = self.gradient.iter().zip(variables);
            self.terms[equation] = others + own.map(|(slope, x)| (slope * x).abs()).sum::<f64>();
            self.residuals[equation] = residual;
            self.round_off[equation] = round_off;
            let slopes = self.gradient.iter().map(|slope| slope.abs());
            self.unseen[equation] = UNSEEN * unit * slopes.sum::<f64>();
            take(self, equation);
        }
        Ok(())
    }

    /// The equation that is violated most, relative to what is allowed: `tolerance` of its terms, or about what `before` had, a state of
    /// the same moment which the method has left.
    pub fn violated(
        &mut self,
        system: &mut Evaluator,
        state: &State,
        tolerance: f64,
        before: Option<&State>,
    ) -> Result<Option<Violated>, EvaluationError> {
        let mut allowed = vec![0.0; self.residuals.len()];
        if let Some(before) = before {
            self.evaluate(system, before, |_, _| ())?;
            for (allowed, residual) in allowed.iter_mut().zip(&self.residuals) {
                *allowed = 2.0 * residual.abs();
            }
        }
        self.evaluate(system, state, |_, _| ())?;
        let mut worst: Option<(f64, usize)> = None;
        for (equation, allowed) in allowed.into_iter().enumerate() {
            let bound = tolerance * self.terms[equation] + self.unseen[equation];
            // A method leaves an error, and no contradiction.
            let excess = self.residuals[equation].abs() / bound.max(allowed.min(LEFT * bound));
            // A bound that is not a number lets nothing pass; 0 / 0 is no violation.
            let holds = excess <= 1.0 || self.residuals[equation] == 0.0 && !tolerance.is_nan();
            if !holds && worst.is_none_or(|(most, _)| excess > most) {
                worst = Some((excess, equation));
            }
        }
        Ok(worst.map(|(_, equation)| Violated {
            rows: (self.combination(equation).iter())
                .map(|&(row, _)| row)
                .collect(),
            residual: self.residuals[equation].abs(),
            terms: self.terms[equation],
        }))
    }

    /// The largest violation relative to the terms of its equation.
    pub fn largest_violation(
        &mut self,
        system: &mut Evaluator,
        state: &State,
    ) -> Result<f64, EvaluationError> {
        self.evaluate(system, state, |_, _| ())?;
        let pairs = self.residuals.iter().zip(&self.terms);
        let relative = pairs.map(|(residual, terms)| match residual.abs() {
            0.0 => 0.0,
            residual => residual / terms,
        });
        Ok(relative.fold(0.0, larger_or_nan))
    }

    /// Solves the equations by a damped Newton iteration for x along the directions and for z; E x and the rest of the state stay. What
    /// holds to round-off is left as it is. If it fails, the state is what it was.
    ///
    /// Equations may have several solutions, such as an equilibrium of acids one with and one without a sign that makes sense. The iteration
    /// follows the path on which all residuals shrink alike, from the guess on: a part of the correction is taken where linear theory
    /// foretells what is left, to a half. It does not step over poles that this shows, and ends where the guess is connected with. Kinks
    /// and strong curvature stop it: from the guess once more with the natural monotonicity test alone. Deuflhard 2011, Newton Methods for
    /// Nonlinear Problems, sec. 3.1.4 and 3.3, doi:10.1007/978-3-642-23899-4.
    pub fn solve(
        &mut self,
        system: &mut Evaluator,
        state: &mut State,
    ) -> Result<(), DynamicsError> {
        let mut solution = state.clone();
        let mut bounds = Bounds::held_at(system, state)?;
        if self
            .iterate(system, &mut solution, &mut bounds, Damping::AlongPath)
            .is_err()
        {
            solution.copy_from(state);
            self.iterate(system, &mut solution, &mut bounds, Damping::Monotone)?;
        }
        state.copy_from(&solution);
        Ok(())
    }

    fn iterate(
        &mut self,
        system: &mut Evaluator,
        state: &mut State,
        bounds: &mut Bounds,
        damping: Damping,
    ) -> Result<(), DynamicsError> {
        let t = state.t;
        let linear = |source| DynamicsError::Linear { t, source };
        let mut newton = Newton::new(self, system.layout()).map_err(linear)?;
        let mut start = state.clone();
        let mut size = f64::INFINITY;
        for _ in 0..MAX_ITERATIONS {
            self.evaluate(system, state, |rows, equation| newton.load(rows, equation))?;
            if self.hold(1.0) {
                return Ok(());
            }
            newton.factor().map_err(linear)?;
            newton.correct(&self.residuals, self).map_err(linear)?;
            size = newton.weigh(state);
            if size <= f64::EPSILON {
                return Ok(());
            }
            start.copy_from(state);
            let nearly = size <= NEARLY && self.hold(STALLED);
            let mut part = 1.0;
            loop {
                newton.add(part, &start, state);
                // Where equations cannot be evaluated, or a bound is left, the correction was too long.
                let evaluated = self.evaluate(system, state, |_, _| ());
                if evaluated.is_ok() && bounds.hold(system, state)? {
                    // What is left should be 1 - part of the correction, on the path and at least.
                    let (left, most) = match damping {
                        Damping::AlongPath => (1.0 - part, 0.5 * part),
                        Damping::Monotone => (0.0, 1.0 - 0.25 * part),
                    };
                    let beside = newton.simplified(&self.residuals, self, left);
                    if beside.map_err(linear)? <= most * size {
                        break;
                    }
                }
                if nearly {
                    // Nothing but round-off is left to correct.
                    state.copy_from(&start);
                    return Ok(());
                }
                part *= 0.5;
                if part < SHORTEST {
                    evaluated?;
                    return Err(not_converged(t, size));
                }
            }
        }
        Err(not_converged(t, size))
    }

    /// Whether all equations hold to so many times their round-off.
    fn hold(&self, times: f64) -> bool {
        let pairs = self.residuals.iter().zip(&self.round_off);
        let mut pairs = pairs.zip(&self.unseen);
        pairs.all(|((residual, round_off), unseen)| {
            // What the derivatives do not show counts where nothing else is left to do.
            let more = if times > 1.0 { *unseen } else { 0.0 };
            residual.abs() <= times * round_off + more
        })
    }
}

fn not_converged(t: f64, correction: f64) -> DynamicsError {
    DynamicsError::NotConverged {
        what: "the iteration for the algebraic variables",
        t,
        iterations: MAX_ITERATIONS,
        correction,
    }
}

/// The linear systems of the iteration: derivatives of the equations along the directions and by z.
struct Newton {
    kkt: KktSolver,
    pattern: Pattern,
    values: Vec<f64>,
    /// 1 over the largest entry of each row: equations have units of their own.
    scales: Vec<f64>,
    right: Vec<f64>,
    solution: Vec<f64>,
    /// Corrections of x and z, that of the iterate and that of a trial.
    change: Vec<f64>,
    trial: Vec<f64>,
    /// The largest size that each of them has had.
    weights: Vec<f64>,
}

impl Newton {
    fn new(rows: &AlgebraicRows, layout: &Layout) -> Result<Self, KktError> {
        let count = rows.residuals.len();
        let states = rows.of_state.len();
        let mut entries = Vec::new();
        for equation in 0..count {
            for (row, _) in rows.combination(equation) {
                let columns = layout.rates.row(rows.first + row).iter();
                for column in columns.filter(|&&column| column >= rows.first) {
                    let variable = column - rows.first;
                    match rows.of_state.get(variable) {
                        Some(moving) => {
                            entries.extend(moving.iter().map(|&(index, _)| (equation, index)));
                        }
                        None if rows.algebraic > 0 => {
                            entries.push((equation, rows.directions.len() + variable - states));
                        }
                        None => {}
                    }
                }
            }
        }
        let pattern = Pattern::from_entries(count, count, entries)?;
        let none = Pattern::empty(0, count);
        let blocks = Blocks {
            // A sparse matrix is eliminated unknown by unknown.
            variables: if pattern.is_dense() {
                vec![count]
            } else {
                vec![1; count]
            },
            rows: Vec::new(),
        };
        let variables = vec![0.0; rows.gradient.len()];
        Ok(Self {
            kkt: KktSolver::new(&pattern, &none, &none, &blocks)?,
            values: vec![0.0; pattern.nnz()],
            scales: vec![1.0; count],
            right: vec![0.0; count],
            solution: vec![0.0; count],
            change: variables.clone(),
            trial: variables.clone(),
            weights: variables,
            pattern,
        })
    }

    /// Takes the derivatives of an equation.
    fn load(&mut self, rows: &AlgebraicRows, equation: usize) {
        let states = rows.of_state.len();
        let range = self.pattern.row_range(equation);
        self.values[range.clone()].fill(0.0);
        let mut put = |column: usize, value: f64| {
            if let Some(position) = self.pattern.position(equation, column) {
                self.values[position] += value;
            }
        };
        let slopes = rows.gradient.iter().enumerate();
        for (variable, &slope) in slopes.filter(|&(_, &slope)| slope != 0.0) {
            match rows.of_state.get(variable) {
                Some(moving) => {
                    for &(index, part) in moving {
                        put(index, slope * part);
                    }
                }
                None => put(rows.directions.len() + variable - states, slope),
            }
        }
        let row = &mut self.values[range];
        let most = largest(row);
        self.scales[equation] = if most > 0.0 { 1.0 / most } else { 1.0 };
        for value in row {
            *value *= self.scales[equation];
        }
    }

    fn factor(&mut self) -> Result<(), KktError> {
        self.kkt.factor(&self.values, &[], &[])
    }

    /// The correction of x and z at these residuals.
    fn correct(&mut self, residuals: &[f64], rows: &AlgebraicRows) -> Result<(), KktError> {
        let pairs = residuals.iter().zip(&self.scales);
        for (slot, (residual, scale)) in self.right.iter_mut().zip(pairs) {
            *slot = -residual * scale;
        }
        self.kkt
            .solve(&self.right, &[], &mut self.solution, &mut [])?;
        let (of_x, of_z) = self.solution.split_at(rows.directions.len());
        let (x, z) = self.change.split_at_mut(rows.of_state.len());
        for (change, moving) in x.iter_mut().zip(&rows.of_state) {
            let parts = moving.iter().map(|&(index, part)| part * of_x[index]);
            *change = parts.sum();
        }
        for (change, correction) in z.iter_mut().zip(of_z) {
            *change = *correction;
        }
        Ok(())
    }

    /// The size of the correction at the residuals of a trial, with the derivatives of the iterate, less this part of the one of the iterate.
    fn simplified(
        &mut self,
        residuals: &[f64],
        rows: &AlgebraicRows,
        less: f64,
    ) -> Result<f64, KktError> {
        self.trial.copy_from_slice(&self.change);
        self.correct(residuals, rows)?;
        std::mem::swap(&mut self.trial, &mut self.change);
        for (trial, change) in self.trial.iter_mut().zip(&self.change) {
            *trial -= less * change;
        }
        Ok(size(&self.trial, &self.weights))
    }

    /// The size of the correction at a state, each variable measured by the largest size that it has had.
    fn weigh(&mut self, state: &State) -> f64 {
        let variables = state.x.iter().chain(&state.z);
        let pairs = variables.zip(&self.change);
        for (weight, (variable, change)) in self.weights.iter_mut().zip(pairs) {
            *weight = weight.max(variable.abs()).max(change.abs());
        }
        size(&self.change, &self.weights)
    }

    /// A part of the correction.
    fn add(&self, part: f64, start: &State, state: &mut State) {
        let (of_x, of_z) = self.change.split_at(start.x.len());
        for (slots, (start, change)) in [
            (&mut state.x, (&start.x, of_x)),
            (&mut state.z, (&start.z, of_z)),
        ] {
            for (slot, (start, change)) in slots.iter_mut().zip(start.iter().zip(change)) {
                *slot = start + part * change;
            }
        }
    }
}

/// The largest change relative to its weight.
fn size(change: &[f64], weights: &[f64]) -> f64 {
    let relative = change.iter().zip(weights).map(|(change, weight)| {
        // A weight of zero is that of no change.
        change.abs() / weight.max(f64::MIN_POSITIVE)
    });
    relative.fold(0.0, larger_or_nan)
}
