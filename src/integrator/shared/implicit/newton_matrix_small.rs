//! Small systems α B - ∂F/∂y, reduced to one matrix: a sum over powers of α.

mod collector;

use super::Unknowns;
use super::form::Form;
use crate::integrator::shared::sweep::slices;
use crate::linalg::{KktError, SaddleShape, column_length};
use crate::system::{Formulation, Layout};
use collector::{Block, Collector, Entries};
use std::ops::Range;

/// What the entries of the matrix are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// E of E x' = d, which does not change.
    Descriptor,
    Mass,
    Stiffness,
    RatesByPosition,
    RatesByVelocity,
    RowsByMultiplier,
    Jacobian,
    RowsByPosition,
    RowsByVelocity,
    RowsByAcceleration,
    CurvedMass,
    CurvedStiffness,
    CurvedRates,
    CurvedRows,
}

/// Powers of α that occur: K P / α² of rows scaled by 1/α has the lowest, M α the highest.
pub(super) const POWERS: std::ops::RangeInclusive<i32> = -3..=1;

/// Where the unknowns and the rows of the matrix stand: δu if stabilized, δv, δx, δz, δλ, δμ if stabilized.
#[derive(Clone, Debug)]
pub(super) struct Places {
    pub u: Range<usize>,
    pub v: Range<usize>,
    pub x: Range<usize>,
    pub z: Range<usize>,
    pub lambda: Range<usize>,
    pub mu: Range<usize>,
}

impl Places {
    fn new(unknowns: &Unknowns) -> Self {
        let mut end = 0;
        let mut next = |count: usize| {
            end += count;
            end - count..end
        };
        Self {
            u: next(unknowns.s().len()),
            v: next(unknowns.v().len()),
            x: next(unknowns.x().len()),
            z: next(unknowns.z().len()),
            lambda: next(unknowns.lambda().len()),
            mu: next(unknowns.mu().len()),
        }
    }

    /// Number of unknowns.
    pub fn size(&self) -> usize {
        self.mu.end
    }
}

/// The matrix of [`ShiftedSolver`](super::ShiftedSolver) as Σ α^k A_k, and what its right-hand sides are made of.
///
/// Derivatives are gathered once for all α: each factorization only adds matrices up.
pub(crate) struct Condensed {
    pub(super) places: Places,
    form: Form,
    /// Those of the matrix that are unknowns as they are, and where they stand among these; none is empty.
    others: Vec<(Range<usize>, Range<usize>)>,
    /// Powers of α, one for each matrix.
    powers: Vec<i32>,
    /// The A_k, then those [`Block`]s that are none of them.
    arrays: Vec<Vec<f64>>,
    /// The array of each [`Block`].
    blocks: [usize; Block::ALL.len()],
    entries: Vec<Entries>,
    descriptor: Vec<f64>,
    /// Whether the matrix is α I - ∂F/∂y.
    unit: bool,
    /// The power of α by which position rows and velocity rows are multiplied, so that G is their leading term.
    scales: [i32; 2],
    position_rows: usize,
}

impl Condensed {
    /// For systems of this layout.
    pub fn new(layout: &Layout, unknowns: &Unknowns) -> Result<Self, KktError> {
        let places = Places::new(unknowns);
        let dimension = layout.dimension();
        let formulation = unknowns.formulation;
        let stabilized = formulation.is_stabilized();
        let curved = !layout.space.is_euclidean();
        let scales = match formulation {
            // In C_u/α + C_v + α C_w G is C_u, C_v or C_w.
            Formulation::Index3 => [1, 0],
            Formulation::Index2 | Formulation::StabilizedIndex2 => [0, 0],
            Formulation::Index1 | Formulation::Baumgarte { .. } => [-1, -1],
        };
        let form = Form::new(layout, unknowns)?;
        let mut all = Collector {
            form: &form,
            places: &places,
            constraint_rows: layout.rows(),
            matrices: POWERS.map(|_| Vec::new()).collect(),
            blocks: Default::default(),
        };
        // δu = δv / α unless it is an unknown of its own.
        let (columns, order) = if stabilized {
            (&places.u, 0)
        } else {
            (&places.v, -1)
        };

        // Rows of forces: α M + K/α and, on groups, K P/α².
        for (row, column, position) in layout.mass.iter() {
            let place = (places.v.start + row, places.v.start + column);
            all.add((Source::Mass, position), 1.0, 1, place);
            all.push((Source::Mass, position), 1.0, Block::Mass, (row, column));
            if stabilized {
                // M ((α - P) δu - δv).
                let place = (places.u.start + row, places.u.start + column);
                all.add((Source::Mass, position), 1.0, 1, place);
                if curved {
                    all.add((Source::CurvedMass, position), -1.0, 0, place);
                }
                let place = (places.u.start + row, places.v.start + column);
                all.add((Source::Mass, position), -1.0, 0, place);
            }
        }
        for (row, column, position) in unknowns.stiffness_pattern(layout)?.iter() {
            let place = (places.v.start + row, columns.start + column);
            all.add((Source::Stiffness, position), 1.0, order, place);
            if !stabilized {
                let block = (place.0, column);
                all.push((Source::Stiffness, position), 1.0, Block::ByPosition, block);
                if curved {
                    all.add((Source::CurvedStiffness, position), 1.0, -2, place);
                }
            }
        }
        // Derivatives of f, d and a; rows of a do not have the minus of -∂F/∂y.
        let first_algebraic = dimension + layout.differential;
        for (row, column, position) in layout.rates.iter() {
            let sign = if row < first_algebraic { -1.0 } else { 1.0 };
            // v, x and z stand side by side.
            let row = places.v.start + row;
            if column >= dimension {
                let place = (row, places.v.start + column);
                all.add((Source::RatesByPosition, position), sign, 0, place);
                continue;
            }
            let place = (row, places.v.start + column);
            all.add((Source::RatesByVelocity, position), sign, 0, place);
            let place = (row, columns.start + column);
            all.add((Source::RatesByPosition, position), sign, order, place);
            if !stabilized {
                all.push(
                    (Source::RatesByPosition, position),
                    sign,
                    Block::ByPosition,
                    (row, column),
                );
                if curved {
                    all.add((Source::CurvedRates, position), sign, -2, place);
                }
            }
        }
        let (descriptor_pattern, descriptor) = layout.descriptor_or_identity();
        for (row, column, position) in descriptor_pattern.iter() {
            let place = (places.x.start + row, places.x.start + column);
            all.add((Source::Descriptor, position), 1.0, 1, place);
        }
        for row in 0..layout.rows() {
            for index in 0..layout.algebraic {
                let position = index * layout.rows() + row;
                let place = (places.z.start + index, places.lambda.start + row);
                all.add((Source::RowsByMultiplier, position), 1.0, 0, place);
            }
        }
        // Constraint rows and their multipliers.
        for (row, column, position) in layout.jacobian.iter() {
            let is_position_row = row < layout.position_rows;
            let scale = scales[usize::from(!is_position_row)];
            let (here, there) = (places.lambda.start + row, places.v.start + column);
            all.add((Source::Jacobian, position), -1.0, 0, (there, here));
            let place = (here, columns.start + column);
            all.add(
                (Source::RowsByPosition, position),
                1.0,
                scale + order,
                place,
            );
            // Position rows at their own level have no velocities, and only those of index 1 have accelerations.
            if formulation != Formulation::Index3 || !is_position_row {
                let place = (here, there);
                all.add((Source::RowsByVelocity, position), 1.0, scale, place);
            }
            if formulation.index() == 1 {
                let place = (here, there);
                let source = (Source::RowsByAcceleration, position);
                all.add(source, 1.0, scale + 1, place);
                all.push(source, 1.0, Block::ByAcceleration, (row, column));
            }
            if stabilized && is_position_row {
                let (here, there) = (places.mu.start + row, places.u.start + column);
                all.add((Source::Jacobian, position), -1.0, 0, (there, here));
                all.add((Source::Jacobian, position), 1.0, 0, (here, there));
            }
            if !stabilized {
                all.push(
                    (Source::RowsByPosition, position),
                    1.0,
                    Block::ByPosition,
                    (here, column),
                );
                if curved {
                    all.add((Source::CurvedRows, position), 1.0, scale - 2, place);
                }
            }
        }

        let others = [
            (places.x.clone(), unknowns.x()),
            (places.z.clone(), unknowns.z()),
            (places.lambda.clone(), unknowns.lambda()),
            (places.mu.clone(), unknowns.mu()),
        ];
        let others = others.into_iter().filter(|(place, _)| !place.is_empty());
        let mut condensed = Self {
            others: others.collect(),
            powers: Vec::new(),
            arrays: Vec::new(),
            blocks: [0; Block::ALL.len()],
            entries: Vec::new(),
            unit: unknowns.are_plain_states(),
            descriptor,
            scales,
            position_rows: layout.position_rows,
            places: Places::new(unknowns),
            form: Form::Dense,
        };
        let Collector {
            matrices, blocks, ..
        } = all;
        condensed.form = form;
        condensed.arrange(matrices, blocks, layout.rows());
        Ok(condensed)
    }

    /// Makes the arrays.
    fn arrange(
        &mut self,
        matrices: Vec<Vec<Entries>>,
        blocks: [Vec<Entries>; Block::ALL.len()],
        rows: usize,
    ) {
        let (size, dimension) = (self.places.size(), self.places.v.len());
        let (length, transposed) = match &self.form {
            Form::Dense => (size * column_length(size), 0),
            Form::Saddle(shape) => (shape.length(), shape.transposed_length()),
        };
        let matrices = matrices.into_iter().zip(POWERS);
        // Matrices that stay zero are left out.
        for (list, power) in matrices.filter(|(list, _)| !list.is_empty()) {
            self.powers.push(power);
            self.take(list, length);
        }
        for (list, block) in blocks.into_iter().zip(Block::ALL) {
            let length = match (&self.form, block) {
                (_, Block::Transposed) => transposed,
                (Form::Saddle(_), _) => length,
                (Form::Dense, Block::ByPosition) => size * dimension,
                (Form::Dense, Block::Mass) => dimension * dimension,
                (Form::Dense, Block::ByAcceleration) => rows * dimension,
            };
            // M is the matrix of the first power of α, where they stand in one form.
            let known = (0..self.powers.len()).find(|&array| self.is_made_of(array, &list));
            let known = known.filter(|&array| self.arrays[array].len() == length);
            self.blocks[block as usize] = known.unwrap_or_else(|| self.take(list, length));
        }
    }

    /// Whether an array is made of these entries. What is constant is not among its entries any more.
    fn is_made_of(&self, array: usize, list: &[Entries]) -> bool {
        let own = self.entries.iter().filter(|entries| entries.array == array);
        !list.is_empty() && own.map(Entries::parts).eq(list.iter().map(Entries::parts))
    }

    /// Makes an array of these entries, and says which one it is.
    fn take(&mut self, list: Vec<Entries>, length: usize) -> usize {
        let array = self.arrays.len();
        let mut values = vec![0.0; length];
        // What E alone makes does not change.
        let constant = list
            .iter()
            .all(|entries| entries.source == Source::Descriptor);
        for mut entries in list {
            if constant {
                entries.add(&self.descriptor, &mut values);
            } else {
                entries.array = array;
                self.entries.push(entries);
            }
        }
        self.arrays.push(values);
        array
    }

    /// Takes new derivatives, which `values` has by their source.
    #[inline]
    pub(super) fn gather<'a>(&mut self, values: impl Fn(Source) -> &'a [f64]) {
        let mut cleared = None;
        for entries in &self.entries {
            let array = &mut self.arrays[entries.array];
            // Entries of an array stand together.
            if cleared != Some(entries.array) {
                array.fill(0.0);
                cleared = Some(entries.array);
            }
            let values = match entries.source {
                Source::Descriptor => &self.descriptor,
                source => values(source),
            };
            entries.add(values, array);
        }
    }

    /// -∂F/∂y where the matrix is α I - ∂F/∂y: all unknowns are states, and their rates stand alone.
    pub(super) fn beside_unit_matrix(&self) -> Option<&[f64]> {
        let at = self.powers.iter().position(|&power| power == 0)?;
        self.unit.then(|| &self.arrays[at][..])
    }

    /// The matrices A_k with their powers.
    pub(super) fn terms(&self) -> impl Iterator<Item = (i32, &[f64])> {
        let arrays = self.arrays.iter().map(Vec::as_slice);
        self.powers.iter().copied().zip(arrays)
    }

    #[inline(always)]
    fn block(&self, block: Block) -> &[f64] {
        &self.arrays[self.blocks[block as usize]]
    }

    /// The shape of a saddle-point matrix with small groups of velocities, and its Gᵀ; `None` if the matrices A_k are dense.
    pub(super) fn saddle(&self) -> Option<(&SaddleShape, &[f64])> {
        match &self.form {
            Form::Dense => None,
            Form::Saddle(shape) => Some((shape, self.block(Block::Transposed))),
        }
    }

    /// Writes right-hand sides of forces, and adds to all of the matrix what is known beforehand of δw, -`y` of the velocities, and of
    /// δu, `shift` unless stabilized. Those of constraints are not scaled.
    #[inline(always)]
    pub(super) fn add_known<const N: usize>(
        &self,
        unknowns: &Unknowns,
        y: [&[f64]; N],
        shift: [&[f64]; N],
        mut z: [&mut [f64]; N],
    ) {
        let v = slices(&y, unknowns.v());
        let mass = self.block(Block::Mass);
        let has_accelerations = unknowns.formulation.index() == 1;
        let shape = match &self.form {
            Form::Saddle(shape) => shape,
            Form::Dense => {
                let rows = self.places.lambda.clone();
                for (at, z) in z.into_iter().enumerate() {
                    z[self.places.v.clone()].copy_from_slice(&y[at][unknowns.w()]);
                    add_product(mass, v[at], &mut z[self.places.v.clone()]);
                    if has_accelerations {
                        let block = self.block(Block::ByAcceleration);
                        add_product(block, v[at], &mut z[rows.clone()]);
                    }
                    if unknowns.s().is_empty() {
                        add_product(self.block(Block::ByPosition), shift[at], z);
                    } else {
                        add_product(mass, &y[at][unknowns.u()], &mut z[self.places.u.clone()]);
                    }
                }
                return;
            }
        };
        let by_position = self.block(Block::ByPosition);
        let base = slices(&y, unknowns.w());
        shape.add_coupled(base, [(mass, v), (by_position, shift)], &mut z);
        shape.add_constrained(by_position, shift, &mut z);
        if has_accelerations {
            shape.add_constrained(self.block(Block::ByAcceleration), v, &mut z);
        }
    }

    /// What the matrix has as it is, by its place in the matrix and among all unknowns.
    #[inline(always)]
    pub(super) fn others(&self) -> &[(Range<usize>, Range<usize>)] {
        &self.others
    }

    /// The power of α by which position rows and velocity rows are multiplied, and how many position rows there are.
    #[inline(always)]
    pub(super) fn row_scales(&self) -> ([i32; 2], usize) {
        (self.scales, self.position_rows)
    }
}

/// out += A x, A column by column.
fn add_product(columns: &[f64], x: &[f64], out: &mut [f64]) {
    let length = out.len();
    let (fours, rest) = out.as_chunks_mut::<4>();
    let done = fours.len() * 4;
    // Four rows at a time, whose sums stay in registers.
    for (group, out) in fours.iter_mut().enumerate() {
        let mut sums = *out;
        for (column, &x) in columns.chunks_exact(length).zip(x) {
            let own = &column[4 * group..4 * group + 4];
            for lane in 0..4 {
                sums[lane] += x * own[lane];
            }
        }
        *out = sums;
    }
    for (row, out) in (done..length).zip(rest) {
        for (column, &x) in columns.chunks_exact(length).zip(x) {
            *out += x * column[row];
        }
    }
}
