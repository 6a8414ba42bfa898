//! Sparsity of a mechanism in other coordinates of its rotations, and how its matrices get there.

use super::chart::{MOST, Map};
use crate::AssemblyError;
use crate::kinematics::VELOCITIES;
use liedae::linalg::{Blocks, Pattern};
use liedae::manifold::Manifold;
use liedae::system::Layout;
use std::ops::Range;

/// What a row or column of the mechanism's own matrices becomes.
#[derive(Clone, Copy, Debug)]
enum Side {
    /// One row or column: of a position, a state or a constraint.
    Same,
    /// A component of ω: as many rows or columns as the rotation has coordinates, weighted by a row of T.
    Turned { body: usize, axis: usize },
}

/// One entry of the mechanism's own matrix.
#[derive(Clone, Debug)]
struct Entry {
    row: Side,
    column: Side,
    /// Position of the first column in each of the target rows.
    starts: [usize; MOST],
}

/// The places of Lᵀ V R in the target pattern, V in the source pattern.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    entries: Vec<Entry>,
    size: usize,
}

/// Numbers of bodies and of coordinates per rotation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    pub bodies: usize,
    pub rotation: usize,
    /// Rows of joints before those of |p| = 1.
    pub rows: usize,
    /// Whether every body has a row for |p| = 1.
    pub normalized: bool,
}

fn failed(error: impl ToString) -> AssemblyError {
    AssemblyError::Layout(error.to_string())
}

impl Sizes {
    /// Velocities per body.
    pub fn per_body(&self) -> usize {
        3 + self.rotation
    }

    /// The coordinates of a body's rotation.
    pub fn turning(&self, body: usize) -> Range<usize> {
        let first = self.per_body() * body;
        first + 3..first + self.per_body()
    }

    fn velocity(&self, index: usize) -> (Side, Range<usize>) {
        let (body, component) = (index / VELOCITIES, index % VELOCITIES);
        // Behind the bodies stand states and algebraic variables, which stay what they are.
        if body >= self.bodies {
            let at = self.per_body() * self.bodies + (index - VELOCITIES * self.bodies);
            (Side::Same, at..at + 1)
        } else if component < 3 {
            let at = self.per_body() * body + component;
            (Side::Same, at..at + 1)
        } else {
            let axis = component - 3;
            (Side::Turned { body, axis }, self.turning(body))
        }
    }

    fn row(&self, index: usize) -> (Side, Range<usize>) {
        (Side::Same, index..index + 1)
    }

    fn entries(
        self,
        source: &Pattern,
        rows: fn(&Self, usize) -> (Side, Range<usize>),
    ) -> impl Iterator<Item = (usize, usize)> {
        source.iter().flat_map(move |(row, column, _)| {
            let (rows, columns) = (rows(&self, row).1, self.velocity(column).1);
            rows.flat_map(move |row| columns.clone().map(move |column| (row, column)))
        })
    }

    /// The layout: a block of 3 + 3 or 3 + 4 velocities per body, the joints, then a row per body for |p| = 1.
    pub fn layout(self, source: &Layout) -> Result<Layout, AssemblyError> {
        let dimension = self.per_body() * self.bodies;
        let norms = if self.normalized { self.bodies } else { 0 };
        let rates = dimension + source.differential + source.algebraic;
        let mass = self.entries(&source.mass, Self::velocity);
        let joints = self.entries(&source.jacobian, Self::row);
        let unit = (0..norms).flat_map(|body| {
            self.turning(body)
                .map(move |column| (self.rows + body, column))
        });
        let forces = self.entries(&source.rates, Self::velocity);
        // T' s' and its derivatives couple the coordinates of one rotation.
        let turned = (0..self.bodies).flat_map(|body| {
            let columns = self.turning(body);
            self.turning(body)
                .flat_map(move |row| columns.clone().map(move |column| (row, column)))
        });
        Ok(Layout {
            space: Manifold::euclidean(dimension),
            position_rows: self.rows + norms,
            velocity_rows: 0,
            differential: source.differential,
            revolution_counters: source.revolution_counters,
            algebraic: source.algebraic,
            modes: source.modes,
            mass: Pattern::from_entries(dimension, dimension, mass).map_err(failed)?,
            // Tᵀ J T of a rotation depends on its coordinates.
            constant_mass: false,
            // Rows that keep parameters normalized are joints of their own.
            regular_joints: false,
            jacobian: Pattern::from_entries(self.rows + norms, dimension, joints.chain(unit))
                .map_err(failed)?,
            rates: Pattern::from_entries(rates, rates, forces.chain(turned)).map_err(failed)?,
            // Coordinates of a rotation curve every row that they occur in.
            reactions: None,
            descriptor: source.descriptor.clone(),
            differential_index: source.differential_index.clone(),
            blocks: Blocks {
                variables: vec![self.per_body(); self.bodies],
                rows: source
                    .blocks
                    .rows
                    .iter()
                    .copied()
                    .chain(std::iter::repeat_n(1, norms))
                    .collect(),
            },
        })
    }

    /// The plan of a matrix with velocities (and states) in rows and columns.
    pub fn square(&self, source: &Pattern, target: &Pattern) -> Result<Plan, AssemblyError> {
        self.plan(source, target, Self::velocity)
    }

    /// The plan of a matrix with constraints in its rows.
    pub fn constraints(&self, source: &Pattern, target: &Pattern) -> Result<Plan, AssemblyError> {
        self.plan(source, target, Self::row)
    }

    fn plan(
        &self,
        source: &Pattern,
        target: &Pattern,
        rows: fn(&Self, usize) -> (Side, Range<usize>),
    ) -> Result<Plan, AssemblyError> {
        let mut entries = Vec::with_capacity(source.nnz());
        for (row, column, _) in source.iter() {
            let ((row, target_rows), (column, columns)) = (rows(self, row), self.velocity(column));
            let mut starts = [0; MOST];
            // One start in each target row: the entries of a rotation follow each other there.
            for (start, row) in starts.iter_mut().zip(target_rows) {
                *start = position(target, row, columns.start)?;
            }
            entries.push(Entry {
                row,
                column,
                starts,
            });
        }
        Ok(Plan {
            entries,
            size: self.rotation,
        })
    }
}

/// The position of an entry that the layout was made to have.
pub(super) fn position(
    pattern: &Pattern,
    row: usize,
    column: usize,
) -> Result<usize, AssemblyError> {
    pattern
        .position(row, column)
        .ok_or_else(|| failed(format!("entry ({row}, {column}) is missing")))
}

impl Plan {
    /// Adds Lᵀ V R to `out`: L and R have the blocks `left` and `right` for rotations and the identity elsewhere; `same`
    /// is 0 instead where R stands for a derivative by rotations alone.
    pub fn add(&self, values: &[f64], left: &[Map], right: &[Map], same: f64, out: &mut [f64]) {
        let (one, same) = ([1.0], [same]);
        // Σ value · L_row ⊗ R_column, entry by entry of the source.
        for (entry, value) in self.entries.iter().zip(values) {
            let left = self.weights(entry.row, left, &one);
            let right = self.weights(entry.column, right, &same);
            for (&start, left) in entry.starts.iter().zip(left) {
                for (slot, right) in out[start..].iter_mut().zip(right) {
                    *slot += value * left * right;
                }
            }
        }
    }

    fn weights<'a>(&self, side: Side, maps: &'a [Map], same: &'a [f64; 1]) -> &'a [f64] {
        match side {
            Side::Same => same,
            Side::Turned { body, axis } => &maps[body][axis][..self.size],
        }
    }
}
