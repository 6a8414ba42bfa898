//! Derivatives of a model's balance of forces and of its constraint rows, where it states them together.

use crate::linalg::{KktError, Pattern};
use crate::scalar::{Dual, Scalar};
use crate::system::automatic::arguments::Arguments;
use crate::system::{BalanceDerivatives, Derivative, Layout, Model, ModelBalance, Point};
use std::ops::Range;

/// Directions differentiated in one sweep: two vectors of four numbers.
const WIDTH: usize = 8;

type Wide = Dual<WIDTH>;

/// Row, direction and position of an entry that a sweep gives.
type Entries = Vec<(usize, usize, usize)>;

/// One evaluation with derivatives by some columns of q, and one by the same columns of v.
struct Sweep {
    columns: Range<usize>,
    /// Of the stiffness.
    stiffness: Entries,
    /// Of the derivatives of rates by v.
    rates: Entries,
    /// Of the constraint Jacobian.
    rows: Entries,
}

/// Workspaces for the derivatives of [`Model::balance`], allocated once.
pub(in crate::system) struct BalanceSweeps {
    arguments: Arguments<Wide>,
    acceleration: Vec<Wide>,
    velocity_rows: Vec<Wide>,
    acceleration_rows: Vec<Wide>,
    sweeps: Vec<Sweep>,
}

/// The entries of a pattern in these columns.
fn entries(pattern: &Pattern, columns: &Range<usize>) -> Entries {
    let own = pattern
        .iter()
        .filter(|(_, column, _)| columns.contains(column));
    own.map(|(row, column, position)| (row, column - columns.start, position))
        .collect()
}

fn write(entries: &Entries, sign: f64, numbers: &[Wide], out: &mut [f64]) {
    for &(row, direction, position) in entries {
        out[position] = sign * numbers[row].gradient[direction];
    }
}

impl BalanceSweeps {
    pub fn new(layout: &Layout) -> Result<Self, KktError> {
        let dimension = layout.dimension();
        let stiffness = layout.stiffness_pattern()?;
        let constants = |length: usize| vec![Wide::constant(0.0); length];
        let sweep = |first: usize| {
            let columns = first..(first + WIDTH).min(dimension);
            Sweep {
                stiffness: entries(&stiffness, &columns),
                rates: entries(&layout.rates, &columns),
                rows: entries(&layout.jacobian, &columns),
                columns,
            }
        };
        Ok(Self {
            arguments: Arguments::new(layout),
            acceleration: constants(dimension),
            velocity_rows: constants(layout.rows()),
            acceleration_rows: constants(layout.rows()),
            sweeps: (0..dimension).step_by(WIDTH).map(sweep).collect(),
        })
    }

    /// All that is wanted; nothing where the model leaves it to its parts.
    pub fn evaluate<M: Model>(
        &mut self,
        model: &M,
        layout: &Layout,
        at: &Point,
        acceleration: &[f64],
        wanted: &mut BalanceDerivatives,
    ) -> Derivative {
        for (slot, &value) in self.acceleration.iter_mut().zip(acceleration) {
            *slot = Wide::constant(value);
        }
        // The pattern of the stiffness has room for all of it.
        wanted.rates.by_position.fill(0.0);
        let sweeps = std::mem::take(&mut self.sweeps);
        let mut given = Derivative::Analytic;
        for sweep in &sweeps {
            let columns = sweep.columns.clone();
            let rows = wanted.velocity_rows.is_some();
            (self.arguments).displace_along(&layout.space, at, columns.clone().zip(0..));
            given = self.balance(model, at, rows, wanted.acceleration_rows.is_some());
            if given != Derivative::Analytic {
                break;
            }
            let forces = &self.arguments.out;
            write(&sweep.stiffness, -1.0, forces, wanted.stiffness);
            if let Some(out) = &mut wanted.velocity_rows {
                write(&sweep.rows, 1.0, &self.velocity_rows, out);
            }
            if let Some([out, _]) = &mut wanted.acceleration_rows {
                write(&sweep.rows, 1.0, &self.acceleration_rows, out);
            }

            self.arguments.load(at);
            for (direction, column) in columns.enumerate() {
                self.arguments.v[column].gradient[direction] = 1.0;
            }
            if wanted.acceleration_rows.is_some() {
                self.balance(model, at, false, true);
            } else {
                // Forces alone depend on v then.
                let (point, out) = self.arguments.split(at.mode);
                model.force(&point, &mut out[..self.acceleration.len()]);
            }
            let forces = &self.arguments.out;
            write(&sweep.rates, 1.0, forces, &mut wanted.rates.by_velocity);
            if let Some([_, out]) = &mut wanted.acceleration_rows {
                write(&sweep.rows, 1.0, &self.acceleration_rows, out);
            }
        }
        self.sweeps = sweeps;
        given
    }

    /// Evaluates the balance with the gradients that the arguments carry, and rows if they are wanted.
    fn balance<M: Model>(
        &mut self,
        model: &M,
        at: &Point,
        velocity: bool,
        acceleration: bool,
    ) -> Derivative {
        let zero = Wide::constant(0.0);
        for (rows, wanted) in [
            (&mut self.velocity_rows, velocity),
            (&mut self.acceleration_rows, acceleration),
        ] {
            if wanted {
                rows.fill(zero);
            }
        }
        let (point, forces) = self.arguments.split(at.mode);
        let mut out = ModelBalance {
            forces: &mut forces[..self.acceleration.len()],
            position: None,
            velocity: velocity.then_some(&mut self.velocity_rows[..]),
            acceleration: acceleration.then_some(&mut self.acceleration_rows[..]),
        };
        model.balance(&point, &self.acceleration, &mut out)
    }
}
