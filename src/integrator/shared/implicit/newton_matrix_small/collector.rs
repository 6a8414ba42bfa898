//! Which numbers of the derivatives go where in the matrices and blocks.

use super::{POWERS, Places, Source};
use crate::integrator::shared::implicit::form::{Form, Place};
use crate::linalg::column_length;

/// Entries of one source in one array: place in the array, position among the values of the source.
pub(super) struct Entries {
    pub source: Source,
    pub array: usize,
    sign: f64,
    places: Vec<(usize, usize)>,
}

impl Entries {
    /// All but the array.
    pub fn parts(&self) -> (Source, f64, &[(usize, usize)]) {
        (self.source, self.sign, &self.places)
    }

    pub fn add(&self, values: &[f64], array: &mut [f64]) {
        for &(place, position) in &self.places {
            array[place] += self.sign * values[position];
        }
    }
}

/// What there is beside the matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Block {
    /// What multiplies δu in all rows, those of constraints not scaled; zero if stabilized.
    ByPosition,
    Mass,
    /// What multiplies δw in the constraint rows; zero above index 1.
    ByAcceleration,
    /// Gᵀ in the last columns of a saddle-point matrix.
    Transposed,
}

impl Block {
    pub const ALL: [Self; 4] = [
        Self::ByPosition,
        Self::Mass,
        Self::ByAcceleration,
        Self::Transposed,
    ];
}

/// Collects entries by source and array.
pub(super) struct Collector<'a> {
    pub form: &'a Form,
    pub places: &'a Places,
    pub constraint_rows: usize,
    /// By power.
    pub matrices: Vec<Vec<Entries>>,
    pub blocks: [Vec<Entries>; Block::ALL.len()],
}

impl Collector<'_> {
    /// Adds one entry, `sign` times value number `position` of `source`, to the matrix of a power of α.
    pub fn add(
        &mut self,
        source: (Source, usize),
        sign: f64,
        power: i32,
        (row, column): (usize, usize),
    ) {
        match self.place(row, column) {
            Place::Matrix(place) => {
                let power = (power - POWERS.start()).unsigned_abs() as usize;
                collect(&mut self.matrices[power], source, sign, place);
            }
            // The list has Gᵀ, the matrix -Gᵀ.
            Place::Transposed(place) => {
                let list = &mut self.blocks[Block::Transposed as usize];
                collect(list, source, -sign, place);
            }
        }
    }

    /// The place of an entry of the matrix.
    fn place(&self, row: usize, column: usize) -> Place {
        let first_row = self.places.lambda.start;
        match self.form {
            Form::Dense => Place::Matrix(column * column_length(self.places.size()) + row),
            Form::Saddle(shape) if row >= first_row => {
                Place::Matrix(shape.constraint(row - first_row, column))
            }
            Form::Saddle(shape) if column >= first_row => {
                Place::Transposed(shape.transposed(column - first_row, row))
            }
            Form::Saddle(shape) => Place::Matrix(shape.coupling(row, column)),
        }
    }

    /// Adds an entry of a block, whose columns are velocities.
    pub fn push(
        &mut self,
        source: (Source, usize),
        sign: f64,
        block: Block,
        (row, column): (usize, usize),
    ) {
        let place = match (self.form, block) {
            (Form::Dense, Block::ByPosition) => column * self.places.size() + row,
            (Form::Dense, Block::ByAcceleration) => column * self.constraint_rows + row,
            (Form::Dense, _) => column * self.places.v.len() + row,
            (Form::Saddle(shape), Block::ByAcceleration) => shape.constraint(row, column),
            (Form::Saddle(_), _) => match self.place(row, column) {
                Place::Matrix(place) | Place::Transposed(place) => place,
            },
        };
        collect(&mut self.blocks[block as usize], source, sign, place);
    }
}

/// Adds an entry to the list of an array, by source.
fn collect(list: &mut Vec<Entries>, (source, position): (Source, usize), sign: f64, place: usize) {
    let known = (list.iter_mut()).find(|entries| entries.source == source && entries.sign == sign);
    match known {
        Some(entries) => entries.places.push((place, position)),
        None => list.push(Entries {
            source,
            array: 0,
            sign,
            places: vec![(place, position)],
        }),
    }
}
