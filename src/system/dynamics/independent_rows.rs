//! Which constraint rows carry multipliers where rows are redundant.

use crate::linalg::{Blocks, DEPENDENT_PIVOT, KktError, KktSolver, Pattern, RowChoice};
use crate::system::{DynamicsError, Evaluator, Layout, Point};

/// A choice of independent constraint rows at one state, in the metric of the mass matrix: the angle between rows i and j is
/// that of G_i M⁻¹ G_jᵀ. (Where M is singular by itself the metric is the Euclidean one.)
///
/// ```
/// use liedae::prelude::*;
/// use liedae::system::{Evaluator, IndependentRows};
///
/// // A bead on a circle, which is stated twice.
/// let mut bead = liedae::model([1.0, 0.0], [0.0, 0.0])
///     .mass(1.0)
///     .force(|_t, _q, _v| [0.0, -9.81])
///     .constraint(|_t, [x, y]| [x * x + y * y - 1.0, (x * x + y * y) * 3.0 - 3.0])
///     .build()?;
/// let start = bead.initial_state();
/// let mut rows = IndependentRows::new(bead.layout())?;
/// rows.load(&mut Evaluator::new(&mut bead), &start.point())?;
/// rows.choose();
/// assert_eq!(rows.redundant().len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct IndependentRows {
    metric: KktSolver,
    mass: Vec<f64>,
    jacobian: Vec<f64>,
    row: Vec<f64>,
    /// M⁻¹ Gᵀ, column after column.
    columns: Vec<f64>,
    gram: Vec<f64>,
    choice: RowChoice,
    /// Another choice to compare with.
    other: RowChoice,
    before: Vec<usize>,
}

impl IndependentRows {
    /// Allocates for systems of this layout, `rows`² numbers among others.
    pub fn new(layout: &Layout) -> Result<Self, KktError> {
        let (dimension, rows) = (layout.dimension(), layout.rows());
        let none = Pattern::empty(0, dimension);
        let blocks = Blocks {
            variables: layout.blocks.variables.clone(),
            rows: Vec::new(),
        };
        Ok(Self {
            metric: KktSolver::new(&layout.mass, &none, &none, &blocks)?,
            mass: vec![0.0; layout.mass.nnz()],
            jacobian: vec![0.0; layout.jacobian.nnz()],
            row: vec![0.0; dimension],
            columns: vec![0.0; rows * dimension],
            gram: vec![0.0; rows * rows],
            choice: RowChoice::new(rows),
            other: RowChoice::new(rows),
            before: Vec::with_capacity(rows),
        })
    }

    /// Evaluates mass matrix and Jacobian at a point, those of rows that are left out as well.
    pub fn load(&mut self, system: &mut Evaluator, at: &Point) -> Result<(), DynamicsError> {
        system.mass_matrix(at, &mut self.mass)?;
        let jacobian = &mut self.jacobian;
        system.with_all_rows(|system| system.constraint_jacobian(at, jacobian))?;
        let (pattern, n) = (&system.layout().jacobian, self.row.len());
        let regular = self.metric.factor(&self.mass, &[], &[]).is_ok();
        for (index, column) in self.columns.chunks_exact_mut(n).enumerate() {
            self.row.fill(0.0);
            // M⁻¹ G_iᵀ, row by row.
            let entries = &self.jacobian[pattern.row_range(index)];
            for (&place, &entry) in pattern.row(index).iter().zip(entries) {
                self.row[place] = entry;
            }
            // A singular M has no inverse: plain angles instead.
            if !(regular && self.metric.solve(&self.row, &[], column, &mut []).is_ok()) {
                column.copy_from_slice(&self.row);
            }
        }
        let m = pattern.rows();
        for i in 0..m {
            let entries = &self.jacobian[pattern.row_range(i)];
            for (j, column) in self.columns.chunks_exact(n).enumerate() {
                let products = pattern.row(i).iter().zip(entries);
                // G_i M⁻¹ G_jᵀ.
                self.gram[i * m + j] = products.map(|(&place, entry)| entry * column[place]).sum();
            }
        }
        Ok(())
    }

    /// Chooses rows anew at the point loaded last; whether the choice has changed.
    pub fn choose(&mut self) -> bool {
        self.before.clear();
        self.before.extend_from_slice(self.choice.dropped());
        self.choice.choose(&self.gram, DEPENDENT_PIVOT);
        self.before != self.choice.dropped()
    }

    /// The condition of the choice at the point loaded last: the least sin² of a chosen row to the span of those chosen before
    /// it, and the largest of a dropped row to the span of all chosen ones.
    pub fn condition(&mut self) -> (f64, f64) {
        self.choice.refactor(&self.gram)
    }

    /// The least sin² of a chosen row if rows were chosen anew at the point loaded last; the choice stays what it was.
    pub fn best_condition(&mut self) -> f64 {
        self.other.choose(&self.gram, DEPENDENT_PIVOT);
        self.other.refactor(&self.gram).0
    }

    /// The least sin² of a chosen row if as many rows as now were chosen anew at the point loaded last; zero if there are not so
    /// many. Beside the constraints more rows seem independent than are upon them.
    pub(crate) fn best_of_as_many(&mut self) -> f64 {
        let count = self.choice.kept();
        self.other
            .choose_at_most(&self.gram, DEPENDENT_PIVOT, count);
        if self.other.kept() < count {
            return 0.0;
        }
        self.other.least_pivot()
    }

    /// Chooses as many rows as now anew at the point loaded last; whether the choice has changed.
    pub(crate) fn choose_as_many(&mut self) -> bool {
        self.before.clear();
        self.before.extend_from_slice(self.choice.dropped());
        let count = self.choice.kept();
        self.choice
            .choose_at_most(&self.gram, DEPENDENT_PIVOT, count);
        self.before != self.choice.dropped()
    }

    /// Rows that are redundant at the point loaded last, increasing; the choice stays what it was.
    pub fn redundant(&mut self) -> &[usize] {
        self.other.choose(&self.gram, DEPENDENT_PIVOT);
        self.other.dropped()
    }

    /// Drops the row that adds least to the others at the point loaded last, if its sin² is below `bound`.
    pub fn drop_weakest(&mut self, bound: f64) -> bool {
        self.choose();
        self.choice
            .drop_weakest(&self.gram)
            .is_some_and(|weakest| weakest < bound)
    }

    /// Rows that carry no multiplier, increasing.
    pub fn dropped(&self) -> &[usize] {
        self.choice.dropped()
    }

    /// Turns multipliers of all rows into those of least norm with the same force at a point, where no more than `rank` rows are
    /// independent: beside the constraints more seem to be. Rows that are nearly dependent, but no more than that, carry forces of their own.
    pub(crate) fn minimize(
        &mut self,
        system: &mut Evaluator,
        at: &Point,
        rank: usize,
        lambda: &mut [f64],
    ) -> Result<(), DynamicsError> {
        self.load(system, at)?;
        self.choice
            .choose_at_most(&self.gram, DEPENDENT_PIVOT, rank);
        if !self.choice.dropped().is_empty() {
            self.choice.gather(lambda);
            self.choice.spread(lambda);
        }
        Ok(())
    }

    /// Turns multipliers of the kept rows into those of least norm with the same force at the point loaded last.
    pub fn spread(&mut self, lambda: &mut [f64]) {
        let (least, _) = self.choice.refactor(&self.gram);
        // Rows that have become dependent meanwhile would give infinite coefficients.
        if least > DEPENDENT_PIVOT {
            self.choice.spread(lambda);
        }
    }
}
