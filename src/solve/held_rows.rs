//! Redundant constraints: the rows that carry multipliers are chosen once per step, and the others are watched.

use super::{Driver, SolveErrorKind};
use crate::control::ErrorNorm;
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
    /// If the multipliers of the latest accepted state have been spread over all rows, those of the kept rows; while a
    /// step is tried the other way round.
    other: Vec<f64>,
    spread: bool,
    exchanged: bool,
}

impl HeldRows {
    fn new(layout: &Layout) -> Result<Box<Self>, KktError> {
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
            other: vec![0.0; rows],
            spread: false,
            exchanged: false,
        }))
    }

    /// After the equations of motion have been solved at a consistent state: where redundant rows were met, chooses those
    /// that carry multipliers, leaves out the others, and gives `state` the multipliers of the chosen ones.
    ///
    /// Algebraic variables may depend on multipliers, which then are no matter of choice: with them all rows stay.
    pub fn meet(
        held: &mut Option<Box<Self>>,
        system: &mut Evaluator,
        accelerations: &mut AccelerationSolver,
        state: &mut State,
    ) -> Result<(), DynamicsError> {
        let layout = system.layout();
        if accelerations.kkt().redundant_rows().is_empty() || layout.algebraic > 0 {
            *held = None;
            return Ok(());
        }
        let held = match held {
            Some(held) => held,
            None => held.insert(
                Self::new(layout).map_err(|source| DynamicsError::Linear { t: state.t, source })?,
            ),
        };
        held.rows.load(system, &state.point())?;
        held.rows.choose();
        held.take_over();
        system.leave_out(&held.dropped);
        held.other.copy_from_slice(&state.lambda);
        (held.spread, held.exchanged) = (true, true);
        accelerations.complete(system, state)
    }

    /// Ends what [`meet`](Self::meet) began: all rows are shown, and `state` has the multipliers of least norm again.
    pub fn show_all(held: &mut Option<Box<Self>>, system: &mut Evaluator, state: &mut State) {
        if let Some(held) = held.as_mut().filter(|held| held.exchanged) {
            system.leave_out(&[]);
            held.exchange(&mut state.lambda);
        }
    }

    /// Exchanges multipliers of all rows and of the kept rows, if the latest state has both.
    fn exchange(&mut self, lambda: &mut [f64]) {
        if self.spread {
            self.other.swap_with_slice(lambda);
            self.exchanged = !self.exchanged;
        }
    }

    fn take_over(&mut self) {
        self.dropped.clear();
        self.dropped.extend_from_slice(self.rows.dropped());
        self.left_out.clear();
        self.left_out.extend_from_slice(self.rows.dropped());
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
        system.constraint_jacobian(at, jacobian)?;
        if position_rows > 0 {
            system.position_constraint(at, positions)?;
        }
        system.velocity_constraint(at, velocities)?;
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

    /// Whether the rows left out in the step hold at its end as well as can be expected.
    fn check(
        &mut self,
        system: &mut Evaluator,
        [from, to]: [&State; 2],
        norm: &mut ErrorNorm,
    ) -> Result<(), DynamicsError> {
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

    /// Rows that carry no multiplier, increasing.
    pub fn dropped(&self) -> &[usize] {
        &self.dropped
    }

    /// Gives a complete state with multipliers of the kept rows those of least norm.
    pub fn least_norm(
        &mut self,
        system: &mut Evaluator,
        state: &mut State,
    ) -> Result<(), DynamicsError> {
        for &row in &self.dropped {
            state.lambda[row] = 0.0;
        }
        self.rows.load(system, &state.point())?;
        self.rows.spread(&mut state.lambda);
        Ok(())
    }
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

/// What has been tried to save a step of one size.
#[derive(Default)]
pub(super) struct Remedies {
    anew: bool,
    weakest: bool,
}

impl Driver<'_> {
    /// Before a step: keeps or chooses the rows that carry multipliers in it, and leaves out the others.
    pub(super) fn hold_rows(&mut self) -> Result<(), SolveErrorKind> {
        let Some(held) = &mut self.held else {
            return Ok(());
        };
        if held.dropped.is_empty() {
            return Ok(());
        }
        held.exchange(&mut self.state.lambda);
        held.age += 1;
        if held.age <= LOOK_AGAIN || held.age.is_multiple_of(LOOK_AGAIN) {
            held.rows.load(&mut self.evaluator, &self.state.point())?;
            if held.rows.keep_or_choose() {
                return self.change_rows();
            }
        }
        self.leave_out_rows()
    }

    /// After a step: all rows are shown, and the old state has the multipliers that it was seen with.
    pub(super) fn release_rows(&mut self, accepted: bool) {
        if let Some(held) = &mut self.held {
            self.evaluator.leave_out(&[]);
            if held.exchanged {
                held.exchange(&mut self.state.lambda);
            }
            held.spread &= !accepted;
        }
    }

    /// Takes over the rows just chosen; the method starts anew with the multipliers that belong to them.
    fn change_rows(&mut self) -> Result<(), SolveErrorKind> {
        if let Some(held) = &mut self.held {
            let chosen = held.rows.dropped();
            let returns = held
                .dropped
                .iter()
                .any(|row| chosen.binary_search(row).is_err());
            held.take_over();
            self.evaluator.leave_out(&held.dropped);
            if returns {
                // Rows that carried no multiplier hold up to the tolerance only, which no method starts from.
                self.projector
                    .project_position(&mut self.evaluator, &mut self.state, false)?;
                self.projector
                    .project_velocity(&mut self.evaluator, &mut self.state)?;
            }
            self.accelerations
                .complete(&mut self.evaluator, &mut self.state)?;
            self.integrator.restart(&mut self.evaluator, &self.state)?;
        }
        self.leave_out_rows()
    }

    /// Leaves rows out for a step, after a look at how well they hold at its start.
    fn leave_out_rows(&mut self) -> Result<(), SolveErrorKind> {
        if let Some(held) = &mut self.held {
            self.evaluator.leave_out(&[]);
            let (jacobian, before) = (&mut held.jacobian, &mut held.before);
            HeldRows::violations(jacobian, before, &mut self.evaluator, &self.state.point())?;
            self.evaluator.leave_out(&held.left_out);
        }
        Ok(())
    }

    /// Whether the rows left out of the step hold at its end; rows left out for this step only are shown again.
    pub(super) fn check_left_out(&mut self) -> Result<(), DynamicsError> {
        match &mut self.held {
            Some(held) if !held.left_out.is_empty() => {
                self.evaluator.leave_out(&[]);
                let states = [&self.state, &self.next];
                let checked = held.check(&mut self.evaluator, states, &mut self.norm);
                held.left_out.clear();
                held.left_out.extend_from_slice(&held.dropped);
                self.evaluator.leave_out(&held.left_out);
                checked
            }
            _ => Ok(()),
        }
    }

    /// After a failed step: chooses rows anew, or leaves out one more for this step. Whether that is worth another try.
    pub(super) fn other_rows(
        &mut self,
        error: &DynamicsError,
        tried: &mut Remedies,
    ) -> Result<bool, SolveErrorKind> {
        if let Some(held) = &mut self.held {
            held.left_out.clear();
            held.left_out.extend_from_slice(&held.dropped);
            self.evaluator.leave_out(&held.left_out);
        }
        let layout = self.evaluator.layout();
        let holds = self.held.as_ref().is_some_and(|held| held.holds());
        let rank = match error {
            DynamicsError::Linear { source, .. } => matches!(
                source,
                KktError::Singular { .. }
                    | KktError::Inconsistent { .. }
                    | KktError::Inaccurate { .. }
            ),
            DynamicsError::NotConverged { .. } | DynamicsError::NotImplied { .. } => holds,
            DynamicsError::Evaluation(_) => false,
        };
        if !rank || tried.weakest || layout.rows() < 2 || layout.algebraic > 0 {
            return Ok(false);
        }
        let held = match &mut self.held {
            Some(held) => held,
            None => {
                let new = HeldRows::new(layout);
                self.held
                    .insert(new.map_err(|source| DynamicsError::Linear {
                        t: self.state.t,
                        source,
                    })?)
            }
        };
        self.evaluator.leave_out(&[]);
        held.rows.load(&mut self.evaluator, &self.state.point())?;
        if !std::mem::replace(&mut tried.anew, true) {
            held.rows.choose();
            if held.rows.dropped() != held.dropped {
                self.change_rows()?;
                return Ok(true);
            }
        }
        tried.weakest = true;
        let worth = !matches!(error, DynamicsError::NotImplied { .. })
            && held.rows.drop_weakest(NEARLY_DEPENDENT);
        if worth {
            held.left_out.clear();
            held.left_out.extend_from_slice(held.rows.dropped());
        }
        held.rows.choose();
        self.leave_out_rows()?;
        Ok(worth)
    }

    /// Completes the latest state, `next` after a step and `state` at the end of the run: multipliers of the kept rows by
    /// the method, then those of least norm with the same force.
    pub(super) fn complete_latest(&mut self, next: bool) -> Result<(), SolveErrorKind> {
        let state = if next {
            &mut self.next
        } else {
            &mut self.state
        };
        let Some(held) = self.held.as_mut().filter(|held| held.holds()) else {
            self.integrator.complete(&mut self.evaluator, state)?;
            return Ok(());
        };
        held.exchange(&mut state.lambda);
        self.evaluator.leave_out(&held.dropped);
        let completed = self.integrator.complete(&mut self.evaluator, state);
        self.evaluator.leave_out(&[]);
        completed?;
        held.other.copy_from_slice(&state.lambda);
        (held.spread, held.exchanged) = (true, false);
        held.least_norm(&mut self.evaluator, state)?;
        Ok(())
    }
}
