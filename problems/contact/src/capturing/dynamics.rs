//! The smooth part of a step: the theta-scheme's equations and their Newton iteration.

use super::contacts::StepContacts;
use super::iterate::{Iterate, Span};
use liedae::integrator::newton::{
    Convergence, RoundOff, RoundedArguments, Verdict, holds_to_round_off, round_off_of_rows,
};
use liedae::integrator::{NewtonOptions, StepError};
use liedae::linalg::{Blocks, KktError, KktSolver, Pattern};
use liedae::system::{DynamicsError, Evaluator, Layout, RatesJacobian};

/// Matrices, right-hand sides and their solution.
///
/// Linear systems are solved for the new y and P rather than for corrections, so that redundant rows are judged, and
/// multipliers of least norm chosen, by the whole unknowns.
pub(super) struct Dynamics {
    pub iterate: Iterate,
    options: NewtonOptions,
    pub kkt: KktSolver,
    /// Whether the factorization belongs to this step.
    factored: bool,
    constraint: Pattern,
    upper_left: Pattern,
    upper_left_values: Vec<f64>,
    left_values: Vec<f64>,
    right_values: Vec<f64>,
    // Where the entries of each source matrix stand in the matrix of the step.
    mass_positions: Vec<usize>,
    stiffness_positions: Vec<usize>,
    rates_positions: Vec<usize>,
    diagonal_positions: Vec<usize>,
    jacobian_positions: Vec<usize>,
    pub mass: Vec<f64>,
    jacobian: Vec<f64>,
    /// G at the end of the step, for systems whose joints rub.
    end_jacobian: Vec<f64>,
    stiffness: Vec<f64>,
    rates: Vec<f64>,
    rates_jacobian: RatesJacobian,
    pub new_y: Vec<f64>,
    pub new_p: Vec<f64>,
    pub top: Vec<f64>,
    pub bottom: Vec<f64>,
    increment: Vec<f64>,
    round_off: RoundOff,
    /// Whether the rows of the last iterate held to round-off.
    rows_hold: bool,
    /// Norms of the rows of G at the last factorization.
    pub row_scale: Vec<f64>,
    pub newton_iterations: usize,
}

impl Dynamics {
    pub fn new(layout: &Layout, theta: f64, options: NewtonOptions) -> Result<Self, KktError> {
        let (dimension, rows, differential) =
            (layout.dimension(), layout.rows(), layout.differential);
        let total = layout.rate_count();
        let entries = |pattern: &Pattern| -> Vec<(usize, usize)> {
            let all = pattern.iter();
            all.map(|(row, column, _)| (row, column)).collect()
        };
        let stiffness_pattern = layout.stiffness_pattern()?;
        let diagonal: Vec<_> = (dimension..dimension + differential)
            .map(|index| (index, index))
            .collect();
        let all = entries(&layout.mass)
            .into_iter()
            .chain(entries(&stiffness_pattern))
            .chain(entries(&layout.rates))
            .chain(diagonal.iter().copied());
        let upper_left = Pattern::from_entries(total, total, all)?;
        let beside = (0..rows)
            .flat_map(|row| (dimension + differential..total).map(move |column| (row, column)));
        let all = entries(&layout.jacobian).into_iter().chain(beside);
        let constraint = Pattern::from_entries(rows, total, all)?;
        let places = |target: &Pattern, entries: &[(usize, usize)]| -> Vec<usize> {
            let all = entries.iter();
            all.filter_map(|&(row, column)| target.position(row, column))
                .collect()
        };
        let mut variables = layout.blocks.variables.clone();
        let beyond = [differential, layout.algebraic];
        variables.extend(beyond.into_iter().filter(|&size| size > 0));
        let blocks = Blocks {
            variables,
            rows: layout.blocks.rows.clone(),
        };
        Ok(Self {
            iterate: Iterate::new(layout, theta),
            options,
            kkt: KktSolver::new(&upper_left, &constraint, &constraint, &blocks)?,
            factored: false,
            mass_positions: places(&upper_left, &entries(&layout.mass)),
            stiffness_positions: places(&upper_left, &entries(&stiffness_pattern)),
            rates_positions: places(&upper_left, &entries(&layout.rates)),
            diagonal_positions: places(&upper_left, &diagonal),
            jacobian_positions: places(&constraint, &entries(&layout.jacobian)),
            upper_left_values: vec![0.0; upper_left.nnz()],
            left_values: vec![0.0; constraint.nnz()],
            right_values: vec![0.0; constraint.nnz()],
            mass: vec![0.0; layout.mass.nnz()],
            jacobian: vec![0.0; layout.jacobian.nnz()],
            end_jacobian: vec![0.0; layout.jacobian.nnz()],
            stiffness: vec![0.0; stiffness_pattern.nnz()],
            rates: vec![0.0; total],
            rates_jacobian: RatesJacobian::new(layout),
            new_y: vec![0.0; total],
            new_p: vec![0.0; rows],
            top: vec![0.0; total],
            bottom: vec![0.0; rows],
            increment: vec![0.0; dimension],
            round_off: RoundOff::new(layout),
            rows_hold: true,
            row_scale: vec![1.0; rows],
            newton_iterations: 0,
            constraint,
            upper_left,
        })
    }

    /// Begins a step: its first guess, and a new factorization.
    pub fn begin(&mut self, span: &Span) {
        self.iterate.begin(span);
        self.factored = false;
    }

    /// Derivatives at the inner point, the matrix of the step and its factorization. The rows of velocities in it are those
    /// of the inner point, too, or `at_end` of the step.
    fn factor(
        &mut self,
        system: &mut Evaluator,
        span: &Span,
        at_end: bool,
    ) -> Result<(), StepError> {
        let at = self.iterate.inner(span);
        system.rates_jacobian_or_secants(&at, &mut self.rates_jacobian)?;
        if !at.v.is_empty() {
            let acceleration = &self.iterate.acceleration;
            // ∂(M a - Gᵀ λ)/∂q at the inner point.
            system.geometric_stiffness(&at, acceleration, &mut self.stiffness)?;
        }
        // Where joints rub G v is asked for at the end, while Gᵀ P acts at the inner point.
        if at_end && !at.lambda.is_empty() {
            system.constraint_jacobian(&self.iterate.end(span), &mut self.end_jacobian)?;
        } else {
            self.end_jacobian.copy_from_slice(&self.jacobian);
        }
        self.assemble(system.layout(), span.h);
        self.kkt
            .factor(
                &self.upper_left_values,
                &self.left_values,
                &self.right_values,
            )
            .map_err(|source| StepError::linear(span.end, source))?;
        self.factored = true;
        Ok(())
    }

    fn assemble(&mut self, layout: &Layout, h: f64) {
        let theta = self.iterate.theta;
        let (dimension, rows) = (layout.dimension(), layout.rows());
        let rates = dimension + layout.differential;
        self.upper_left_values.fill(0.0);
        // M + h² θ² K - θ h (h θ f_q + f_v): the inner q and v follow v_{n+1} by h θ² and θ.
        for (&position, &value) in self.mass_positions.iter().zip(&self.mass) {
            self.upper_left_values[position] += value;
        }
        for (&position, &value) in self.stiffness_positions.iter().zip(&self.stiffness) {
            self.upper_left_values[position] += h * h * theta * theta * value;
        }
        for &position in &self.diagonal_positions {
            self.upper_left_values[position] += 1.0;
        }
        for (row, column, source) in layout.rates.iter() {
            let by_position = self.rates_jacobian.by_position[source];
            let slope = if column < dimension {
                theta * (h * theta * by_position + self.rates_jacobian.by_velocity[source])
            } else if column < rates {
                theta * by_position
            } else {
                by_position
            };
            // Rows of forces and differential rates are M (v - v_n) - h f and x - x_n - h d, algebraic ones a.
            let factor = if row < rates { -h } else { 1.0 };
            self.upper_left_values[self.rates_positions[source]] += factor * slope;
        }
        let both = self.jacobian.iter().zip(&self.end_jacobian);
        // The left matrix carries forces, the right one velocities.
        for (&position, (&force, &velocity)) in self.jacobian_positions.iter().zip(both) {
            self.left_values[position] = force;
            self.right_values[position] = velocity;
        }
        for index in 0..layout.algebraic {
            for row in 0..rows {
                if let Some(position) = self.constraint.position(row, rates + index) {
                    let slope = self.rates_jacobian.by_multiplier[index * rows + row];
                    // P = h λ: ∂a/∂P = ∂a/∂λ / h.
                    self.left_values[position] = -slope / h;
                }
            }
        }
        for (row, scale) in self.row_scale.iter_mut().enumerate() {
            let entries = &self.jacobian[layout.jacobian.row_range(row)];
            let squares: f64 = entries.iter().map(|entry| entry * entry).sum();
            *scale = if squares > 0.0 { squares.sqrt() } else { 1.0 };
        }
    }

    /// Evaluates the system at the present iterate.
    fn evaluate(&mut self, system: &mut Evaluator, span: &Span) -> Result<(), StepError> {
        let at = self.iterate.inner(span);
        system.rates(&at, &mut self.rates)?;
        if !at.v.is_empty() {
            system.mass_matrix(&at, &mut self.mass)?;
        }
        if !at.lambda.is_empty() {
            system.constraint_jacobian(&at, &mut self.jacobian)?;
            let end = self.iterate.end(span);
            system.velocity_constraint(&end, &mut self.bottom)?;
            let entries = (&system.layout().jacobian, &self.jacobian[..]);
            self.rows_hold = holds_to_round_off(&self.bottom, entries, 0, end.v);
        }
        Ok(())
    }

    /// Right-hand sides K (y, P) + residual, and the solution without contact impulses.
    fn solve_free(&mut self, layout: &Layout, span: &Span) -> Result<(), StepError> {
        let (h, dimension) = (span.h, layout.dimension());
        let rates = dimension + layout.differential;
        let Iterate { y, p, .. } = &self.iterate;
        // h f, h d and -a.
        for (index, (top, rate)) in self.top.iter_mut().zip(&self.rates).enumerate() {
            *top = if index < rates { h * rate } else { -rate };
        }
        for (index, old) in span.from.x.iter().enumerate() {
            self.top[dimension + index] -= y[dimension + index] - old;
        }
        for (index, increment) in self.increment.iter_mut().enumerate() {
            // M (v - v_n).
            *increment = y[index] - span.from.v[index];
        }
        let forces = &mut self.top[..dimension];
        layout
            .mass
            .multiply_add(&self.mass, -1.0, &self.increment, forces);
        layout
            .jacobian
            .multiply_transpose_add(&self.jacobian, 1.0, p, forces);
        self.round_off.residual.copy_from_slice(&self.top);
        // K (y, P) + residual on the right: the unknowns are y and P themselves.
        self.upper_left
            .multiply_add(&self.upper_left_values, 1.0, y, &mut self.top);
        self.constraint
            .multiply_transpose_add(&self.left_values, -1.0, p, &mut self.top);
        // G y - (G v + ∂g/∂t).
        for row in &mut self.bottom {
            *row = -*row;
        }
        self.constraint
            .multiply_add(&self.right_values, 1.0, y, &mut self.bottom);
        // What rounded velocities leave in the rows contradicts nothing.
        let rounded = round_off_of_rows(&self.right_values, y);
        self.kkt.expect_round_off(rounded);
        self.kkt
            .solve(&self.top, &self.bottom, &mut self.new_y, &mut self.new_p)
            .map_err(|source| StepError::linear(span.end, source))
    }

    /// Whether the equations without contacts held to round-off before the last solution.
    fn is_exact(&mut self, layout: &Layout, span: &Span) -> bool {
        let rates = layout.dimension() + layout.differential;
        let (h, round_off) = (span.h, &mut self.round_off);
        round_off.begin(h, &self.rates[..rates]);
        round_off.add(&layout.mass, &self.mass, 1.0, &self.increment, 0);
        round_off.add_transpose(&layout.jacobian, &self.jacobian, 1.0, &self.iterate.p);
        let at = self.iterate.inner(span);
        round_off.add_algebraic(layout, &self.rates_jacobian, &at);
        let arguments = RoundedArguments::new(layout, &self.rates_jacobian, h, at);
        self.rows_hold && round_off.explains_residual(Some(&arguments))
    }

    /// Newton's iteration for the step, from the present iterate; active contacts and joints with friction take part. `settled` keeps the
    /// configuration at the end.
    pub fn iterate(
        &mut self,
        system: &mut Evaluator,
        span: &Span,
        mut contacts: Option<&mut StepContacts>,
        settled: bool,
    ) -> Result<(), StepError> {
        let mut convergence = Convergence::new(&self.options, NewtonOptions::DISPLACEMENT);
        loop {
            self.iterate.place(system.layout(), span, settled);
            self.evaluate(system, span)?;
            // Rows of the joints belong to the factorization: they change together.
            if !self.factored || convergence.is_slow() {
                let rub = contacts.as_deref().is_some_and(StepContacts::rub);
                self.factor(system, span, rub)?;
                if let Some(contacts) = contacts.as_deref_mut() {
                    contacts.load_end_rows(system, span, &self.iterate)?;
                    contacts.forget_responses();
                }
            }
            // Without contact impulses, then what these add.
            self.solve_free(system.layout(), span)?;
            if let Some(contacts) = contacts.as_deref_mut() {
                contacts.follow_joints(system, span, &self.iterate)?;
                contacts.push(self, span.end)?;
            }
            self.newton_iterations += 1;
            let sizes = self.iterate.take_over(&self.new_y, &self.new_p, span.h);
            // Impulses of contacts are no part of the residual.
            let exact = contacts.is_none()
                && convergence.stalls(sizes)
                && self.is_exact(system.layout(), span);
            match convergence.judge(sizes, exact) {
                Verdict::GoOn => {}
                Verdict::Converged => break,
                Verdict::Failed => {
                    return Err(StepError::Dynamics(DynamicsError::NotConverged {
                        what: "the Newton iteration of the theta-scheme",
                        t: span.end,
                        iterations: convergence.iterations,
                        correction: sizes.correction,
                    }));
                }
            }
        }
        self.iterate.place(system.layout(), span, settled);
        Ok(())
    }
}
