//! Self-stress of redundant joints: reactions that do not affect the motion.

use crate::{ContactSystem, FrictionJoint};
use liedae::system::{EvaluationError, Point, System};
use nalgebra::{Cholesky, DMatrix, DVector};

/// Multipliers along the null space of Gᵀ: they move nothing, and rigid joints do not determine them. Friction takes those of least
/// norm, as between joints that yield alike, as it does in [`MoreauJean`](crate::capturing::MoreauJean).
///
/// Empty where no joint with friction is pressed by them: then nothing is computed. The null space at another configuration is found
/// from the one that is known, N = K⁻¹ N₀ with K = G Gᵀ + N₀ N₀ᵀ, which is exact. Beside the constraints, where rows that are
/// dependent on them are not quite so, it is as far off as they are.
#[derive(Debug)]
pub(crate) struct SharedReactions {
    /// G with rows of unit length.
    jacobian: DMatrix<f64>,
    entries: Vec<f64>,
    lengths: DVector<f64>,
    /// Orthonormal columns, for rows of unit length.
    known: DMatrix<f64>,
    /// The same for the rows as they are, at the configuration below.
    shared: DMatrix<f64>,
    t: f64,
    q: Vec<f64>,
    /// Multipliers without what is shared.
    least: Vec<f64>,
}

/// Rows whose sines to the others are below this depend on them.
const DEPENDENT: f64 = 1e-6;

/// The tracked null space is no longer one where Gᵀ N is above this.
const LOST: f64 = 1e-3;

impl SharedReactions {
    pub fn new(rows: usize, dimension: usize, entries: usize) -> Self {
        Self {
            jacobian: DMatrix::zeros(rows, dimension),
            entries: vec![0.0; entries],
            lengths: DVector::zeros(rows),
            known: DMatrix::zeros(rows, 0),
            shared: DMatrix::zeros(rows, 0),
            t: f64::NAN,
            q: Vec::new(),
            least: vec![0.0; rows],
        }
    }

    /// Finds what presses these joints and is not determined at a configuration.
    pub fn find(
        &mut self,
        system: &mut ContactSystem,
        joints: &[FrictionJoint],
        at: &Point,
    ) -> Result<(), EvaluationError> {
        let rows = self.lengths.len();
        self.known = DMatrix::zeros(rows, 0);
        self.shared = DMatrix::zeros(rows, 0);
        if joints.is_empty() || rows == 0 {
            return Ok(());
        }
        self.load(system, at)?;
        let gram = &self.jacobian * self.jacobian.transpose();
        if !gram.iter().all(|entry| entry.is_finite()) {
            return Ok(());
        }
        let eigen = gram.symmetric_eigen();
        let null = (0..rows).filter(|&k| eigen.eigenvalues[k] < DEPENDENT * DEPENDENT);
        let null: Vec<_> = null.map(|k| eigen.eigenvectors.column(k)).collect();
        if null.is_empty() {
            return Ok(());
        }
        self.known = DMatrix::from_columns(&null);
        self.orthonormalize();
        if !joints.iter().any(|joint| self.presses(joint)) {
            self.known = DMatrix::zeros(rows, 0);
            self.shared = DMatrix::zeros(rows, 0);
        }
        Ok(())
    }

    /// Whether a joint is pressed by what is shared.
    pub fn presses(&self, joint: &FrictionJoint) -> bool {
        let components = joint
            .supports
            .iter()
            .flat_map(|support| &support.components);
        components.into_iter().any(|component| {
            let mut row = DVector::zeros(self.lengths.len());
            component
                .iter()
                .for_each(|&(index, factor)| row[index] += factor);
            self.shared.tr_mul(&row).norm() > DEPENDENT * row.norm()
        })
    }

    /// Whether anything is shared that matters.
    pub fn is_empty(&self) -> bool {
        self.shared.ncols() == 0
    }

    /// G at a configuration.
    fn load(&mut self, system: &mut ContactSystem, at: &Point) -> Result<(), EvaluationError> {
        system.constraint_jacobian(at, &mut self.entries)?;
        self.jacobian.fill(0.0);
        for (row, column, index) in system.layout().jacobian.iter() {
            self.jacobian[(row, column)] += self.entries[index];
        }
        for (mut row, length) in self.jacobian.row_iter_mut().zip(self.lengths.iter_mut()) {
            *length = row.norm();
            if *length > 0.0 {
                row /= *length;
            } else {
                *length = 1.0;
            }
        }
        self.t = at.t;
        self.q.clear();
        self.q.extend_from_slice(at.q);
        Ok(())
    }

    /// Orthonormal columns for rows of unit length, and for the rows as they are: Σ λ_i G_i = Σ (λ_i |G_i|) G_i / |G_i|.
    fn orthonormalize(&mut self) {
        self.known = self.known.clone().qr().q();
        let mut shared = self.known.clone();
        for (mut row, length) in shared.row_iter_mut().zip(self.lengths.iter()) {
            row /= *length;
        }
        self.shared = shared.qr().q();
    }

    /// Follows the configuration.
    fn follow(
        &mut self,
        system: &mut ContactSystem,
        joints: &[FrictionJoint],
        at: &Point,
    ) -> Result<(), EvaluationError> {
        if self.t == at.t && self.q == at.q {
            return Ok(());
        }
        self.load(system, at)?;
        let near =
            &self.jacobian * self.jacobian.transpose() + &self.known * self.known.transpose();
        let Some(near) = Cholesky::new(near) else {
            return self.find(system, joints, at);
        };
        let known = near.solve(&self.known);
        self.known = known;
        self.orthonormalize();
        if self.jacobian.tr_mul(&self.known).norm() > LOST {
            return self.find(system, joints, at);
        }
        Ok(())
    }

    /// The multipliers at a point without what is shared.
    pub fn without<'a>(
        &'a mut self,
        system: &mut ContactSystem,
        joints: &[FrictionJoint],
        at: &Point<'a>,
    ) -> Result<&'a [f64], EvaluationError> {
        if self.is_empty() {
            return Ok(at.lambda);
        }
        self.follow(system, joints, at)?;
        self.least.copy_from_slice(at.lambda);
        remove(&self.shared, &mut self.least);
        Ok(&self.least)
    }

    /// Removes from derivatives by multipliers, which stand at these places, what [`without`](Self::without) has removed from these.
    pub fn remove_from(&mut self, derivatives: &mut [f64], places: &[usize]) {
        if self.is_empty() {
            return;
        }
        for (value, &place) in self.least.iter_mut().zip(places) {
            *value = derivatives[place];
        }
        remove(&self.shared, &mut self.least);
        for (value, &place) in self.least.iter().zip(places) {
            derivatives[place] = *value;
        }
    }
}

fn remove(shared: &DMatrix<f64>, list: &mut [f64]) {
    for column in shared.column_iter() {
        let along: f64 = column.iter().zip(&*list).map(|(a, b)| a * b).sum();
        for (value, entry) in list.iter_mut().zip(column.iter()) {
            *value -= along * entry;
        }
    }
}
