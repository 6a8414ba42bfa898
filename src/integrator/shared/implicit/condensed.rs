//! Small systems α B - ∂F/∂y, reduced to one dense matrix: a sum over powers of α.

use super::Unknowns;
use crate::linalg::{KktError, column_length};
use crate::system::{Formulation, Layout};
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

/// The matrix of [`ShiftedSolver`](super::ShiftedSolver) as Σ α^k A_k, dense, and what its right-hand sides are made of.
///
/// Derivatives are gathered once for all α: each factorization only adds matrices up.
pub(crate) struct Condensed {
    pub(super) places: Places,
    /// Those of the matrix that are unknowns as they are, and where they stand among these; none is empty.
    others: Vec<(Range<usize>, Range<usize>)>,
    /// Powers of α, one for each matrix.
    powers: Vec<i32>,
    /// The A_k, columns of [`column_length`], then the blocks of right-hand sides, column by column.
    arrays: Vec<Vec<f64>>,
    entries: Vec<Entries>,
    descriptor: Vec<f64>,
    /// Whether the matrix is α I - ∂F/∂y.
    unit: bool,
    /// The power of α by which position rows and velocity rows are multiplied, so that G is their leading term.
    scales: [i32; 2],
    position_rows: usize,
}

/// Entries of one source in one array: place in the array, position among the values of the source.
struct Entries {
    source: Source,
    array: usize,
    sign: f64,
    places: Vec<(usize, usize)>,
}

impl Entries {
    fn add(&self, values: &[f64], array: &mut [f64]) {
        for &(place, position) in &self.places {
            array[place] += self.sign * values[position];
        }
    }
}

/// Blocks behind the matrices.
const BLOCKS: usize = 3;

/// Powers of α that occur: K P / α² of rows scaled by 1/α has the lowest, M α the highest.
pub(super) const POWERS: std::ops::RangeInclusive<i32> = -3..=1;

/// Collects entries by source and array.
struct Collector {
    /// By power, then the blocks.
    lists: Vec<Vec<Entries>>,
    /// Numbers in a column of the matrix.
    stride: usize,
}

impl Collector {
    /// Adds one entry, `sign` times value number `position` of `source`, to the matrix of a power of α.
    fn add(
        &mut self,
        (source, position): (Source, usize),
        sign: f64,
        power: i32,
        (row, column): (usize, usize),
    ) {
        let place = column * self.stride + row;
        let array = (power - POWERS.start()).unsigned_abs() as usize;
        self.push((source, position), sign, array, place);
    }

    fn push(&mut self, (source, position): (Source, usize), sign: f64, array: usize, place: usize) {
        let list = &mut self.lists[array];
        let known =
            (list.iter_mut()).find(|entries| entries.source == source && entries.sign == sign);
        match known {
            Some(entries) => entries.places.push((place, position)),
            None => list.push(Entries {
                source,
                array,
                sign,
                places: vec![(place, position)],
            }),
        }
    }
}

impl Condensed {
    /// For systems of this layout.
    pub fn new(layout: &Layout, unknowns: &Unknowns) -> Result<Self, KktError> {
        let places = Places::new(unknowns);
        let size = places.size();
        let stride = column_length(size);
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
        let powers = POWERS.count();
        let mut all = Collector {
            lists: (0..powers + BLOCKS).map(|_| Vec::new()).collect(),
            stride,
        };
        let [by_position, mass, by_acceleration] = [powers, powers + 1, powers + 2];
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
            all.push(
                (Source::Mass, position),
                1.0,
                mass,
                column * dimension + row,
            );
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
        for (row, column, position) in layout.stiffness_pattern()?.iter() {
            let place = (places.v.start + row, columns.start + column);
            all.add((Source::Stiffness, position), 1.0, order, place);
            if !stabilized {
                let block = column * size + place.0;
                all.push((Source::Stiffness, position), 1.0, by_position, block);
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
                let block = column * size + row;
                all.push(
                    (Source::RatesByPosition, position),
                    sign,
                    by_position,
                    block,
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
                let block = column * layout.rows() + row;
                let place = (here, there);
                let source = (Source::RowsByAcceleration, position);
                all.add(source, 1.0, scale + 1, place);
                all.push(source, 1.0, by_acceleration, block);
            }
            if stabilized && is_position_row {
                let (here, there) = (places.mu.start + row, places.u.start + column);
                all.add((Source::Jacobian, position), -1.0, 0, (there, here));
                all.add((Source::Jacobian, position), 1.0, 0, (here, there));
            }
            if !stabilized {
                let block = column * size + here;
                all.push((Source::RowsByPosition, position), 1.0, by_position, block);
                if curved {
                    all.add((Source::CurvedRows, position), 1.0, scale - 2, place);
                }
            }
        }

        // Matrices that stay zero are left out.
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
            entries: Vec::new(),
            unit: unknowns.are_plain_states(),
            descriptor,
            scales,
            position_rows: layout.position_rows,
            places,
        };
        for (list, power) in all.lists.drain(..powers).zip(POWERS) {
            if !list.is_empty() {
                condensed.powers.push(power);
                condensed.take(list, size * stride);
            }
        }
        let sizes = [
            if stabilized { 0 } else { size * dimension },
            dimension * dimension,
            layout.rows() * dimension,
        ];
        for (list, size) in all.lists.into_iter().zip(sizes) {
            condensed.take(list, size);
        }
        Ok(condensed)
    }

    fn take(&mut self, list: Vec<Entries>, length: usize) {
        let array = self.arrays.len();
        let mut values = vec![0.0; length];
        // What E alone makes does not change.
        let constant = list
            .iter()
            .all(|entries| entries.source == Source::Descriptor);
        for entries in list {
            if constant {
                entries.add(&self.descriptor, &mut values);
            } else {
                self.entries.push(Entries { array, ..entries });
            }
        }
        self.arrays.push(values);
    }

    /// Takes new derivatives, which `values` has by their source.
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

    fn block(&self, index: usize) -> &[f64] {
        &self.arrays[self.powers.len() + index]
    }

    /// What multiplies δu in all rows, column by column, those of constraints not scaled; empty if stabilized.
    pub(super) fn by_position(&self) -> &[f64] {
        self.block(0)
    }

    /// M, column by column.
    pub(super) fn mass(&self) -> &[f64] {
        self.block(1)
    }

    /// What multiplies δw in the constraint rows, column by column; zero above index 1.
    pub(super) fn by_acceleration(&self) -> &[f64] {
        self.block(2)
    }

    /// What the matrix has as it is, by its place in the matrix and among all unknowns.
    pub(super) fn others(&self) -> &[(Range<usize>, Range<usize>)] {
        &self.others
    }

    /// The power of α by which position rows and velocity rows are multiplied, and how many position rows there are.
    pub(super) fn row_scales(&self) -> ([i32; 2], usize) {
        (self.scales, self.position_rows)
    }
}
