//! Which constraint rows carry multipliers where rows are redundant.

use crate::linalg::{Blocks, KktError, KktSolver, Pattern, RowChoice};
use crate::system::{DynamicsError, Evaluator, Layout, Point};

/// Rows whose sin² to the span of the others is below this are dependent, as for
/// [`KktSolver`](crate::linalg::KktSolver).
const DEPENDENT: f64 = 1e-12;

/// Rows chosen before are kept as long as none of them comes this close (sin²) to the span of the others, and no
/// dropped row leaves it further.
const KEPT: f64 = 1e-6;

/// Rows that are this far (sin²) from the span of the others are well chosen.
const WELL_CHOSEN: f64 = 1e-2;

/// Otherwise they are kept unless others would be this many times further (sin²) from it.
const BETTER: f64 = 100.0;

/// A choice of independent constraint rows at one state, in the metric of the mass matrix: the angle between rows i and j is
/// that of G_i M⁻¹ G_jᵀ. (Where M is singular by itself the metric is the Euclidean one.)
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
            let entries = &self.jacobian[pattern.row_range(index)];
            for (&place, &entry) in pattern.row(index).iter().zip(entries) {
                self.row[place] = entry;
            }
            if !(regular && self.metric.solve(&self.row, &[], column, &mut []).is_ok()) {
                column.copy_from_slice(&self.row);
            }
        }
        let m = pattern.rows();
        for i in 0..m {
            let entries = &self.jacobian[pattern.row_range(i)];
            for (j, column) in self.columns.chunks_exact(n).enumerate() {
                let products = pattern.row(i).iter().zip(entries);
                self.gram[i * m + j] = products.map(|(&place, entry)| entry * column[place]).sum();
            }
        }
        Ok(())
    }

    /// Chooses rows anew at the point loaded last; whether the choice has changed.
    pub fn choose(&mut self) -> bool {
        self.before.clear();
        self.before.extend_from_slice(self.choice.dropped());
        self.choice.choose(&self.gram, DEPENDENT);
        self.before != self.choice.dropped()
    }

    /// Keeps the rows chosen before where they are still well conditioned at the point loaded last, and chooses anew
    /// otherwise; whether the choice has changed.
    pub fn keep_or_choose(&mut self) -> bool {
        let (least, largest) = self.choice.refactor(&self.gram);
        if least > KEPT && largest < KEPT {
            if least > WELL_CHOSEN {
                return false;
            }
            self.other.choose(&self.gram, DEPENDENT);
            let (others, _) = self.other.refactor(&self.gram);
            if others < BETTER * least {
                return false;
            }
        }
        self.choose()
    }

    /// Rows that are redundant at the point loaded last, increasing; the choice stays what it was.
    pub fn redundant(&mut self) -> &[usize] {
        self.other.choose(&self.gram, DEPENDENT);
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

    /// Turns multipliers of the kept rows into those of least norm with the same force at the point loaded last.
    pub fn spread(&mut self, lambda: &mut [f64]) {
        let (least, _) = self.choice.refactor(&self.gram);
        if least > DEPENDENT {
            self.choice.spread(lambda);
        }
    }
}
