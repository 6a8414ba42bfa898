//! Redundant constraints: the rows that carry multipliers are chosen once per step, and the others are watched.

use crate::control::ErrorNorm;
use crate::integrator::Integrator;
use crate::linalg::KktError;
use crate::system::{
    AccelerationSolver, DynamicsError, Evaluator, IndependentRows, Layout, Point, State,
};

/// A dropped row may come to violate its constraint by this multiple of the tolerance within a step.
const TOLERATED: f64 = 10.0;

/// The same with constant steps, relative to one plus the largest coordinate or velocity.
const TOLERATED_CONSTANT: f64 = 1e-3;

/// What the kept rows violate, times this, is no fault of a dropped one: methods of index 3 leave velocities off the
/// constraints.
const SHARED: f64 = 10.0;

/// Steps after which the condition of the kept rows is looked at again; in the first ones after a change, in every step.
const LOOK_AGAIN: usize = 8;

/// Where a step fails in the linear algebra, a row is left out for it that is this close (sin²) to the span of the others.
const NEARLY_DEPENDENT: f64 = 1e-2;

/// The rows that carry multipliers, of a system with redundant constraints.
///
/// From [`meet`](Self::meet) on the evaluator leaves the others out. States that are seen from outside have the multipliers of
/// least norm, methods work with those of the kept rows ([`with_kept`](Self::with_kept)).
pub(super) struct HeldRows {
    rows: IndependentRows,
    /// Rows that carry no multiplier.
    dropped: Vec<usize>,
    /// Rows left out of the step that is being tried: these, or one more.
    left_out: Vec<usize>,
    /// Steps since the last change.
    age: usize,
    /// Violations of all rows at the start of a step: position level, then velocity level.
    before: Vec<f64>,
    after: Vec<f64>,
    jacobian: Vec<f64>,
    /// A displacement along the gradient of one row, and nothing in the other parts.
    along: Vec<f64>,
    still: Vec<f64>,
    unchanged: Vec<f64>,
    /// The multipliers of the kept rows at the current state, if the state has those of least norm.
    kept: Vec<f64>,
    spread: bool,
}

/// Whether motion depends on the multipliers beyond Gᵀ λ, so that they are no matter of choice: by algebraic variables,
/// or by what the method itself does with them.
pub(super) fn multipliers_matter(system: &mut Evaluator, integrator: &dyn Integrator) -> bool {
    system.layout().algebraic > 0 || integrator.uses_multipliers(system)
}

impl HeldRows {
    pub fn new(layout: &Layout) -> Result<Box<Self>, KktError> {
        let (rows, n) = (layout.rows(), layout.dimension());
        Ok(Box::new(Self {
            rows: IndependentRows::new(layout)?,
            dropped: Vec::with_capacity(rows),
            left_out: Vec::with_capacity(rows),
            age: 0,
            before: vec![0.0; layout.position_rows + rows],
            after: vec![0.0; layout.position_rows + rows],
            jacobian: vec![0.0; layout.jacobian.nnz()],
            along: vec![0.0; n],
            still: vec![0.0; n],
            unchanged: vec![0.0; layout.differential],
            kept: vec![0.0; rows],
            spread: false,
        }))
    }

    /// After the equations of motion have been solved at a consistent state with all rows: where redundant ones were met,
    /// chooses those that carry multipliers and leaves out the others. The multipliers of `state` stay those of least norm.
    ///
    /// Where [multipliers matter](multipliers_matter) all rows stay.
    pub fn meet(
        held: &mut Option<Box<Self>>,
        system: &mut Evaluator,
        integrator: &dyn Integrator,
        accelerations: &mut AccelerationSolver,
        state: &mut State,
    ) -> Result<(), DynamicsError> {
        let redundant = !accelerations.kkt().redundant_rows().is_empty();
        if !redundant || multipliers_matter(system, integrator) {
            *held = None;
            return Ok(());
        }
        let layout = system.layout();
        let held = match held {
            Some(held) => held,
            None => held.insert(
                Self::new(layout).map_err(|source| DynamicsError::Linear { t: state.t, source })?,
            ),
        };
        held.rows.load(system, &state.point())?;
        held.rows.choose();
        held.take_over(system);
        held.kept.copy_from_slice(&state.lambda);
        accelerations.complete(system, state)?;
        held.kept.swap_with_slice(&mut state.lambda);
        held.spread = true;
        Ok(())
    }

    /// Lets a method work on the current state with the multipliers of the kept rows.
    pub fn with_kept<R>(
        held: &mut Option<Box<Self>>,
        state: &mut State,
        work: impl FnOnce(&State) -> R,
    ) -> R {
        let Some(held) = held.as_mut().filter(|held| held.spread) else {
            return work(state);
        };
        held.kept.swap_with_slice(&mut state.lambda);
        let result = work(state);
        held.kept.swap_with_slice(&mut state.lambda);
        result
    }

    /// Solves the equations of motion at a state; the multipliers are those of least norm.
    pub fn complete(
        held: &mut Option<Box<Self>>,
        system: &mut Evaluator,
        accelerations: &mut AccelerationSolver,
        state: &mut State,
    ) -> Result<(), DynamicsError> {
        accelerations.complete(system, state)?;
        Self::least_norm(held, system, state)
    }

    /// Replaces the multipliers of the kept rows by those of least norm with the same force.
    pub fn least_norm(
        held: &mut Option<Box<Self>>,
        system: &mut Evaluator,
        state: &mut State,
    ) -> Result<(), DynamicsError> {
        let Some(held) = held.as_mut().filter(|held| held.holds()) else {
            return Ok(());
        };
        for &row in &held.dropped {
            state.lambda[row] = 0.0;
        }
        held.rows.load(system, &state.point())?;
        held.rows.spread(&mut state.lambda);
        Ok(())
    }

    /// Leaves out of the step that is going to be tried what is to be left out of it.
    pub fn leave_out_of_step(&self, system: &mut Evaluator) {
        system.leave_out(&self.left_out);
    }

    /// The rows left out here that would not have to be at another point: redundant ones there are as many, but for these.
    pub fn returning(
        &mut self,
        system: &mut Evaluator,
        at: &Point,
    ) -> Result<Vec<usize>, DynamicsError> {
        self.rows.load(system, at)?;
        let elsewhere = self.rows.redundant();
        let dropped = self.dropped.iter().copied();
        Ok(if elsewhere.len() < self.dropped.len() {
            dropped.filter(|row| !elsewhere.contains(row)).collect()
        } else {
            Vec::new()
        })
    }

    /// Leaves out the rows that carry no multiplier.
    pub fn leave_out_dropped(&self, system: &mut Evaluator) {
        system.leave_out(&self.dropped);
    }

    /// Remembers the multipliers of the kept rows before they become those of least norm.
    pub fn keep_multipliers(&mut self, state: &State) {
        self.kept.copy_from_slice(&state.lambda);
        self.spread = true;
    }

    /// Gives a state of least norm the multipliers of the kept rows back.
    pub fn recall_multipliers(&self, state: &mut State) {
        if self.spread {
            state.lambda.copy_from_slice(&self.kept);
        }
    }

    /// Whether rows are looked at before the next step: whether those that carry multipliers are as independent as others.
    pub fn looks_again(&mut self) -> bool {
        self.age += 1;
        self.age <= LOOK_AGAIN || self.age.is_multiple_of(LOOK_AGAIN)
    }

    /// Looks at the rows at a point; whether others are to carry multipliers than until now.
    pub fn reconsider(
        &mut self,
        system: &mut Evaluator,
        at: &Point,
    ) -> Result<bool, DynamicsError> {
        self.rows.load(system, at)?;
        Ok(self.rows.keep_or_choose())
    }

    /// Chooses anew among the rows looked at last; whether others are to carry multipliers than until now.
    pub fn choose_anew(&mut self) -> bool {
        self.rows.choose();
        self.rows.dropped() != self.dropped
    }

    /// Looks at the rows at a point.
    pub fn load(&mut self, system: &mut Evaluator, at: &Point) -> Result<(), DynamicsError> {
        self.rows.load(system, at)
    }

    /// Leaves one more row out of the step that is going to be tried, the one nearest to the span of the others; whether one is
    /// near.
    pub fn leave_out_weakest(&mut self) -> bool {
        let near = self.rows.drop_weakest(NEARLY_DEPENDENT);
        if near {
            copy(&mut self.left_out, self.rows.dropped());
        }
        near
    }

    /// Leaves out of the next trial the rows that carry no multiplier, and no more.
    pub fn leave_out_no_more(&mut self) {
        copy(&mut self.left_out, &self.dropped);
    }

    /// Whether a row that has been chosen to carry a multiplier carried none until now.
    pub fn returns_rows(&self) -> bool {
        let chosen = self.rows.dropped();
        let mut dropped = self.dropped.iter();
        dropped.any(|row| chosen.binary_search(row).is_err())
    }

    /// The method has gone on to a state whose multipliers are those of the kept rows.
    pub fn accepted(&mut self) {
        self.spread = false;
    }

    /// The rows just chosen carry multipliers from now on.
    pub fn take_over(&mut self, system: &mut Evaluator) {
        copy(&mut self.dropped, self.rows.dropped());
        copy(&mut self.left_out, self.rows.dropped());
        system.leave_out(&self.dropped);
        self.age = 0;
    }

    /// Violations of all rows as displacements, value over length of gradient.
    fn violations(
        jacobian: &mut [f64],
        out: &mut [f64],
        system: &mut Evaluator,
        at: &Point,
    ) -> Result<(), DynamicsError> {
        let position_rows = system.layout().position_rows;
        let (positions, velocities) = out.split_at_mut(position_rows);
        system.with_all_rows(|system| {
            system.constraint_jacobian(at, jacobian)?;
            if position_rows > 0 {
                system.position_constraint(at, positions)?;
            }
            system.velocity_constraint(at, velocities)
        })?;
        let pattern = &system.layout().jacobian;
        for (row, velocity) in velocities.iter_mut().enumerate() {
            let squares = jacobian[pattern.row_range(row)]
                .iter()
                .map(|entry| entry * entry);
            let length = squares.sum::<f64>().sqrt();
            let scale = if length > 0.0 { 1.0 / length } else { 0.0 };
            *velocity = velocity.abs() * scale;
            if let Some(position) = positions.get_mut(row) {
                *position = position.abs() * scale;
            }
        }
        Ok(())
    }

    /// Looks at how well the rows hold at the start of a step.
    pub fn look(&mut self, system: &mut Evaluator, at: &Point) -> Result<(), DynamicsError> {
        Self::violations(&mut self.jacobian, &mut self.before, system, at)
    }

    /// Whether the rows left out of a step hold at its end as well as can be expected.
    pub fn check(
        &mut self,
        system: &mut Evaluator,
        [from, to]: [&State; 2],
        norm: &mut ErrorNorm,
    ) -> Result<(), DynamicsError> {
        if self.left_out.is_empty() {
            return Ok(());
        }
        Self::violations(&mut self.jacobian, &mut self.after, system, &to.point())?;
        norm.weigh(from, to);
        let layout = system.layout();
        let (position_rows, rows) = (layout.position_rows, layout.rows());
        let levels = [
            (0..position_rows, 0, &to.q),
            (0..rows, position_rows, &to.v),
        ];
        for (number, (rows, first, sizes)) in levels.into_iter().enumerate() {
            let kept = rows
                .clone()
                .filter(|row| self.left_out.binary_search(row).is_err());
            let shared = kept.map(|row| self.after[first + row]).fold(0.0, f64::max);
            let largest = sizes
                .iter()
                .fold(0.0, |max: f64, value| max.max(value.abs()));
            for &row in self.left_out.iter().filter(|row| rows.contains(row)) {
                let violation = (self.after[first + row] - self.before[first + row]).max(0.0);
                if violation <= SHARED * shared {
                    continue;
                }
                let size = if norm.is_binding() {
                    let range = layout.jacobian.row_range(row);
                    let gradient = layout.jacobian.row(row).iter().zip(&self.jacobian[range]);
                    displace(&mut self.along, gradient, violation);
                    let [q, v] = if number == 0 {
                        [&self.along, &self.still]
                    } else {
                        [&self.still, &self.along]
                    };
                    norm.root_mean_square(q, v, &self.unchanged) / TOLERATED
                } else {
                    violation / (TOLERATED_CONSTANT * (1.0 + largest))
                };
                if size.is_nan() || size > 1.0 {
                    return Err(DynamicsError::NotImplied {
                        t: to.t,
                        row,
                        violation: self.after[first + row],
                    });
                }
            }
        }
        Ok(())
    }

    /// Whether there are rows that carry no multiplier.
    pub fn holds(&self) -> bool {
        !self.dropped.is_empty()
    }
}

fn copy(to: &mut Vec<usize>, from: &[usize]) {
    to.clear();
    to.extend_from_slice(from);
}

/// Writes the displacement of this length along a gradient, given as columns and entries.
fn displace<'a>(
    out: &mut [f64],
    gradient: impl Iterator<Item = (&'a usize, &'a f64)> + Clone,
    length: f64,
) {
    out.fill(0.0);
    let squares = gradient.clone().map(|(_, entry)| entry * entry);
    let norm = squares.sum::<f64>().sqrt();
    for (&column, entry) in gradient {
        out[column] = length * entry / norm;
    }
}
