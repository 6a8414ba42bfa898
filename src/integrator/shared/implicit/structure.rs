//! Positions of unknowns, rows and source matrices in the saddle-point system.

use super::Unknowns;
use super::places::{Place, Positions};
use crate::linalg::{Blocks, KktError, Pattern};
use crate::system::{Formulation, Layout};

/// The position of each unknown and each row in the saddle-point system: one list per part, real and imaginary.
pub(super) struct Indices {
    pub u: Positions,
    pub v: Positions,
    pub x: Positions,
    pub z: Positions,
    pub lambda: Positions,
    pub mu: Positions,
    pub blocks: Blocks,
    pub variables: usize,
    pub rows: usize,
}

impl Indices {
    pub fn new(layout: &Layout, unknowns: &Unknowns, parts: usize) -> Self {
        let stabilized = unknowns.formulation.is_stabilized();
        let mut indices = Self {
            u: Default::default(),
            v: Default::default(),
            x: Default::default(),
            z: Default::default(),
            lambda: Default::default(),
            mu: Default::default(),
            blocks: Blocks {
                variables: Vec::new(),
                rows: Vec::new(),
            },
            variables: 0,
            rows: 0,
        };
        // Real and imaginary parts of a block stand side by side: both belong to the same body or joint.
        let take = |next: &mut usize, lists: &mut Positions, count: usize| {
            for list in lists.iter_mut().take(parts) {
                list.extend(*next..*next + count);
                *next += count;
            }
        };
        // Corrections of a body stand with its velocities, so that elimination sees one block per body.
        let bodies = layout.blocks.variables.iter();
        for &size in bodies.filter(|&&size| size > 0) {
            let first = indices.variables;
            if stabilized {
                take(&mut indices.variables, &mut indices.u, size);
            }
            take(&mut indices.variables, &mut indices.v, size);
            indices.blocks.variables.push(indices.variables - first);
        }
        for (lists, count) in [
            (&mut indices.x, layout.differential),
            (&mut indices.z, layout.algebraic),
        ] {
            // Beside bodies, further states are one block. By themselves, with a sparse derivative, each is one.
            let single = layout.dimension() == 0 && !layout.rates.is_dense();
            let size = if single { 1 } else { count };
            for _ in 0..count.checked_div(size).unwrap_or(0) {
                take(&mut indices.variables, lists, size);
                indices.blocks.variables.push(parts * size);
            }
        }
        let mut row = 0;
        for &size in layout.blocks.rows.iter().filter(|&&size| size > 0) {
            let first = indices.rows;
            // Only position rows have a μ; `row` counts the rows of λ before this joint.
            if stabilized {
                let corrections = unknowns.mu().len().saturating_sub(row).min(size);
                take(&mut indices.rows, &mut indices.mu, corrections);
            }
            take(&mut indices.rows, &mut indices.lambda, size);
            indices.blocks.rows.push(indices.rows - first);
            row += size;
        }
        indices
    }
}

/// The positions of each source matrix, see [`ShiftedSolver::factor`].
pub(super) struct Places {
    pub mass: Place,
    pub descriptor: Place,
    pub stiffness: Place,
    pub rates_by_position: Place,
    pub rates_by_states: Place,
    pub rates_by_velocity: Place,
    pub correction: Place,
    pub correction_velocity: Place,
    pub left: Place,
    pub left_correction: Place,
    pub left_residual: Place,
    pub right_position: Place,
    pub right_velocity: Place,
    pub right_correction: Place,
    pub right_displacement: Place,
}

impl Places {
    /// In patterns that have these entries, or in `dense` ones, which take less to find.
    pub fn new(
        layout: &Layout,
        unknowns: &Unknowns,
        indices: &Indices,
        (parts, dense): (usize, bool),
    ) -> Result<(Self, [Pattern; 3]), KktError> {
        let (dimension, differential) = (layout.dimension(), layout.differential);
        let first_algebraic = dimension + differential;
        let stabilized = unknowns.formulation.is_stabilized();
        let Indices { u, v, x, z, .. } = indices;
        let (lambda, mu) = (&indices.lambda, &indices.mu);
        // Derivatives by q multiply δu: that of the stabilized form, or δv / α.
        let columns_of_position = if stabilized { u } else { v };
        let real = || Place::new(parts, false);
        let complex = || Place::new(parts, true);
        // A multiple by 1/α is complex, one by 1 is real.
        let by_position = || Place::new(parts, !stabilized);

        let only = |wanted: bool, pattern: &Pattern| -> Vec<(usize, usize, usize)> {
            pattern.iter().filter(|_| wanted).collect()
        };
        let stiffness = unknowns.stiffness_pattern(layout)?;
        let identity = Pattern::diagonal(differential);
        let descriptor = layout.descriptor.as_ref();
        let descriptor = descriptor.map_or(&identity, |(pattern, _)| pattern);
        let columns = layout.rates.entries().map(|(_, column)| column);
        let by_velocity = columns.filter(|&column| column < dimension).count();
        let mut rates_by_position = by_position().with_room(by_velocity);
        let mut rates_by_velocity = real().with_room(by_velocity);
        let mut rates_by_states = real().with_room(layout.rates.nnz() - by_velocity);
        for (row, column, source) in layout.rates.iter() {
            // Rows of forces and differential rates enter with a minus, those of a do not.
            let (row, sign) = if row < dimension {
                ((v, row), -1.0)
            } else if row < first_algebraic {
                ((x, row - dimension), -1.0)
            } else {
                ((z, row - first_algebraic), 1.0)
            };
            if column < dimension {
                rates_by_position.push(row, (columns_of_position, column), source, sign);
                rates_by_velocity.push(row, (v, column), source, sign);
            } else if column < first_algebraic {
                rates_by_states.push(row, (x, column - dimension), source, sign);
            } else {
                rates_by_states.push(row, (z, column - first_algebraic), source, sign);
            }
        }
        let rows_of = |position: bool| {
            let pattern = &layout.jacobian;
            pattern
                .iter()
                .filter(move |&(row, ..)| (row < layout.position_rows) == position)
        };
        // ∂a/∂λ enters through the left matrix, whose transpose the solver subtracts.
        let mut left_residual = real().with_room(layout.rows() * layout.algebraic);
        for row in 0..layout.rows() {
            for index in 0..layout.algebraic {
                let source = index * layout.rows() + row;
                left_residual.push((lambda, row), (z, index), source, -1.0);
            }
        }
        // Position rows at their own level have the real G in front of δv, on vector spaces.
        // α · G/α is real: four entries of a complex pattern shrink to two.
        let at_their_level =
            unknowns.formulation == Formulation::Index3 && layout.space.is_euclidean();
        let position_rows = Place::new(parts, !at_their_level && !stabilized);
        let corrections = || rows_of(true).filter(|_| stabilized);
        let mut places = Self {
            mass: complex().of_pattern(&layout.mass, v, v),
            descriptor: complex().of_pattern(descriptor, x, x),
            stiffness: by_position().of_pattern(stiffness, v, columns_of_position),
            rates_by_position,
            rates_by_states,
            rates_by_velocity,
            correction: complex().of(only(stabilized, &layout.mass), u, u),
            correction_velocity: real().of(only(stabilized, &layout.mass), u, v),
            left: real().of_pattern(&layout.jacobian, lambda, v),
            left_correction: real().of(corrections(), mu, u),
            left_residual,
            right_position: (position_rows.with_room(layout.jacobian.nnz())).of(
                rows_of(true),
                lambda,
                v,
            ),
            right_velocity: by_position().of(rows_of(false), lambda, v),
            right_correction: real().of(corrections(), mu, u),
            right_displacement: real().of(only(stabilized, &layout.jacobian), lambda, u),
        };
        let (variables, rows) = (indices.variables, indices.rows);
        let upper_left = Place::merge(
            (variables, variables),
            dense,
            &mut [
                &mut places.mass,
                &mut places.descriptor,
                &mut places.stiffness,
                &mut places.rates_by_position,
                &mut places.rates_by_states,
                &mut places.rates_by_velocity,
                &mut places.correction,
                &mut places.correction_velocity,
            ],
        )?;
        let left = Place::merge(
            (rows, variables),
            dense,
            &mut [
                &mut places.left,
                &mut places.left_correction,
                &mut places.left_residual,
            ],
        )?;
        let right = Place::merge(
            (rows, variables),
            dense,
            &mut [
                &mut places.right_position,
                &mut places.right_velocity,
                &mut places.right_correction,
                &mut places.right_displacement,
            ],
        )?;
        Ok((places, [upper_left, left, right]))
    }
}
