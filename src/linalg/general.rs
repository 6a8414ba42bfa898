//! Sparse LU with partial pivoting for large systems that the block elimination cannot handle.

use super::scaling::Scaling;
use super::system::System;
use faer::linalg::solvers::Solve;
use faer::sparse::linalg::solvers::{Lu, SymbolicLu};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use sprs::TriMat;

/// LU of the equilibrated matrix `diag(r) K diag(c)` by faer, with its symbolic part reused.
///
/// It pivots across blocks, so it solves what needs that (massless coordinates held by constraints), at any size. It does
/// not reveal rank: on a singular matrix it returns nonsense or NaN, which the caller's verification turns into an error.
pub(super) struct GeneralLu {
    starts: Vec<usize>,
    rows: Vec<usize>,
    values: Vec<f64>,
    /// Where each entry of `K`, in the order of [`System::for_each_with_idle`], goes.
    places: Vec<usize>,
    symbolic: SymbolicLu<usize>,
    numeric: Option<Lu<usize, f64>>,
    size: usize,
    /// Rows without entries that the pattern has ones for.
    idle: Vec<usize>,
}

impl GeneralLu {
    /// The symbolic phase; `None` if faer refuses (out of memory, index overflow).
    pub fn new(system: &System) -> Option<Self> {
        let size = system.size();
        let mut triplets = TriMat::new((size, size));
        system.for_each_with_idle(|row, column, _| triplets.add_triplet(row, column, 1.0));
        let matrix = triplets.to_csc::<usize>();
        let (starts, rows, values) = matrix.into_raw_storage();
        let mut places = Vec::with_capacity(values.len());
        system.for_each_with_idle(|row, column, _| {
            let (first, last) = (starts[column], starts[column + 1]);
            let offset = rows[first..last].binary_search(&row).unwrap_or(0);
            places.push(first + offset);
        });
        let pattern = SymbolicSparseColMatRef::new_checked(size, size, &starts, None, &rows);
        let symbolic = SymbolicLu::try_new(pattern).ok()?;
        Some(Self {
            starts,
            rows,
            values,
            places,
            symbolic,
            numeric: None,
            size,
            idle: system.idle.clone(),
        })
    }

    /// Whether the symbolic part still fits.
    pub fn fits(&self, system: &System) -> bool {
        self.idle == system.idle
    }

    /// Factorizes; false if faer reports a failure.
    pub fn factor(&mut self, system: &System, scaling: &Scaling) -> bool {
        // Entries add up: the same place may come from several parts.
        self.values.fill(0.0);
        let mut places = self.places.iter();
        let values = &mut self.values;
        system.for_each_with_idle(|row, column, value| {
            if let Some(&place) = places.next() {
                values[place] += value * scaling.row[row] * scaling.col[column];
            }
        });
        let pattern = SymbolicSparseColMatRef::new_checked(
            self.size,
            self.size,
            &self.starts,
            None,
            &self.rows,
        );
        let matrix = SparseColMatRef::new(pattern, &self.values);
        self.numeric = Lu::try_new_with_symbolic(self.symbolic.clone(), matrix).ok();
        self.numeric.is_some()
    }

    /// `z = K^-1 rhs`; NaN where there is no factorization.
    pub fn solve(&self, scaling: &Scaling, rhs: &[f64], z: &mut [f64]) {
        // diag(r) K diag(c) w = diag(r) rhs, z = diag(c) w.
        for ((z, rhs), scale) in z.iter_mut().zip(rhs).zip(&scaling.row) {
            *z = rhs * scale;
        }
        match &self.numeric {
            Some(numeric) => numeric.solve_in_place(faer::ColMut::from_slice_mut(z).as_mat_mut()),
            None => z.fill(f64::NAN),
        }
        for (z, scale) in z.iter_mut().zip(&scaling.col) {
            *z *= scale;
        }
    }
}
