//! Algebraic variables in the index-1 form: the matrix enlarged by their rows and columns.

use crate::linalg::{KktError, Pattern};
use crate::system::{Layout, Point, RatesJacobian};

/// Residuals of algebraic rows below this share of their terms are round-off, a few roundings for each term.
const ROUNDINGS: f64 = 64.0 * f64::EPSILON;

/// The larger matrix that algebraic variables need.
pub(super) struct Coupling {
    upper_left: Pattern,
    constraint: Pattern,
    upper_left_values: Vec<f64>,
    left_values: Vec<f64>,
    right_values: Vec<f64>,
    /// Derivatives of the rates.
    pub jacobian: RatesJacobian,
    last_lambda: Vec<f64>,
}

impl Coupling {
    /// Memory for systems of this layout.
    pub fn new(layout: &Layout) -> Result<Self, KktError> {
        let (dimension, rows) = (layout.dimension(), layout.rows());
        let total = dimension + layout.algebraic;
        // Algebraic variables are one more body: rows a below, columns ∂f/∂z beside the mass.
        let below =
            (dimension..total).flat_map(|row| (dimension..total).map(move |column| (row, column)));
        let beside =
            (0..dimension).flat_map(|row| (dimension..total).map(move |column| (row, column)));
        let mass = layout.mass.entries();
        let upper_left = Pattern::from_entries(total, total, mass.chain(below).chain(beside))?;
        let own = layout.jacobian.entries();
        let extra = (0..rows).flat_map(|row| (dimension..total).map(move |column| (row, column)));
        let constraint = Pattern::from_entries(rows, total, own.chain(extra))?;
        Ok(Self {
            upper_left_values: vec![0.0; upper_left.nnz()],
            left_values: vec![0.0; constraint.nnz()],
            right_values: vec![0.0; constraint.nnz()],
            jacobian: RatesJacobian::new(layout),
            last_lambda: vec![0.0; rows],
            upper_left,
            constraint,
        })
    }

    /// Patterns of the upper left block and of the constraint Jacobian with the algebraic variables behind the velocities.
    pub fn patterns(&self) -> (&Pattern, &Pattern) {
        (&self.upper_left, &self.constraint)
    }

    /// Values of the upper left block, of the left and of the right constraint Jacobian.
    pub fn values(&self) -> [&[f64]; 3] {
        [
            &self.upper_left_values,
            &self.left_values,
            &self.right_values,
        ]
    }

    /// ∂a/∂λ λ in the row number `index` of the algebraic ones.
    pub fn by_multipliers(&self, index: usize, lambda: &[f64]) -> f64 {
        self.slopes(index, lambda.len())
            .iter()
            .zip(lambda)
            .map(|(slope, multiplier)| slope * multiplier)
            .sum()
    }

    fn slopes(&self, index: usize, rows: usize) -> &[f64] {
        &self.jacobian.by_multiplier[index * rows..(index + 1) * rows]
    }

    /// Remembers the multipliers that an iteration begins with.
    pub fn begin(&mut self, lambda: &[f64]) {
        self.last_lambda.copy_from_slice(lambda);
    }

    /// By how much the multipliers have changed since they were remembered, and how large they are; remembers them.
    pub fn shift(&mut self, lambda: &[f64]) -> (f64, f64) {
        let (mut shift, mut size) = (0.0_f64, 0.0_f64);
        for (last, multiplier) in self.last_lambda.iter_mut().zip(lambda) {
            shift = shift.max((multiplier - *last).abs());
            size = size.max(multiplier.abs());
            *last = *multiplier;
        }
        (shift, size)
    }

    /// Whether the residuals of the algebraic rows are round-off of what they are made of; the Jacobian is that of `at`.
    pub fn explains(&self, layout: &Layout, residuals: &[f64], at: &Point) -> bool {
        let first = layout.dimension() + layout.differential;
        let rows = layout.rows();
        residuals.iter().enumerate().all(|(index, residual)| {
            let own = layout.rates.row(first + index).iter();
            let own = own.zip(layout.rates.row_range(first + index));
            let own = own.filter(|&(&column, _)| column >= first);
            let by_variables =
                // A row is a sum: its terms, not its value, bound its round-off.
                own.map(|(&column, entry)| self.jacobian.by_position[entry] * at.z[column - first]);
            let by_multipliers = self
                .slopes(index, rows)
                .iter()
                .zip(at.lambda)
                .map(|(slope, lambda)| slope * lambda);
            let terms = by_variables
                .chain(by_multipliers)
                .map(f64::abs)
                .sum::<f64>();
            residual.abs() <= ROUNDINGS * terms
        })
    }

    /// Assembles the matrix from the mass matrix, both constraint Jacobians and the derivatives of the rates.
    pub fn assemble(&mut self, layout: &Layout, mass: &[f64], [left, right]: [&[f64]; 2]) {
        let (dimension, rows) = (layout.dimension(), layout.rows());
        let differential = layout.differential;
        self.upper_left_values.fill(0.0);
        self.left_values.fill(0.0);
        self.right_values.fill(0.0);
        let mut put = |row: usize, column: usize, value: f64| {
            if let Some(position) = self.upper_left.position(row, column) {
                self.upper_left_values[position] = value;
            }
        };
        // [M -∂f/∂z; 0 ∂a/∂z]: x has no columns, it is given at this instant.
        for (row, column, position) in layout.mass.iter() {
            put(row, column, mass[position]);
        }
        for (row, column, position) in layout.rates.iter() {
            let (forces, residuals) = (row < dimension, row >= dimension + differential);
            if column < dimension + differential || !(forces || residuals) {
                continue;
            }
            let slope = self.jacobian.by_position[position];
            if forces {
                put(row, column - differential, -slope);
            } else {
                put(row - differential, column - differential, slope);
            }
        }
        for (row, column, position) in layout.jacobian.iter() {
            if let Some(target) = self.constraint.position(row, column) {
                self.left_values[target] = left[position];
                self.right_values[target] = right[position];
            }
        }
        // ∂a/∂λ as -leftᵀ, like -Gᵀ.
        for index in 0..layout.algebraic {
            for row in 0..rows {
                if let Some(target) = self.constraint.position(row, dimension + index) {
                    self.left_values[target] = -self.jacobian.by_multiplier[index * rows + row];
                }
            }
        }
    }
}
