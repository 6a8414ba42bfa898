//! Derivatives of a model's balance of forces and of its constraint rows, where it states them together.

use crate::linalg::{KktError, Pattern};
use crate::scalar::{Dual, Scalar};
use crate::system::automatic::arguments::Arguments;
use crate::system::automatic::sweeps::groups_of;
use crate::system::{BalanceDerivatives, Derivative, Layout, Model, ModelBalance, Point};

/// Directions differentiated in one sweep, where so many suffice: a vector of four numbers.
const NARROW: usize = 4;

/// The same otherwise: two vectors.
const WIDE: usize = 8;

/// Row, direction and position of an entry that a sweep gives.
type Entries = Vec<(usize, usize, usize)>;

/// One evaluation with derivatives along directions of q, and one along the same directions of v. Each direction is the sum of columns of
/// which no two occur in one row (Curtis, Powell and Reid 1974, doi:10.1093/imamat/13.1.117).
#[derive(Default)]
struct Sweep {
    /// Columns and their directions.
    seeds: Vec<(usize, usize)>,
    /// Of the stiffness.
    stiffness: Entries,
    /// Of the derivatives of rates by v.
    rates: Entries,
    /// Of the constraint Jacobian.
    rows: Entries,
}

/// The derivatives of [`Model::balance`].
pub(in crate::system) enum BalanceSweeps {
    Narrow(Sweeps<NARROW>),
    Wide(Sweeps<WIDE>),
}

impl BalanceSweeps {
    pub fn new(layout: &Layout) -> Result<Self, KktError> {
        let stiffness = layout.stiffness_pattern()?;
        let groups = groups(layout, &stiffness)?;
        let suffices = groups.iter().all(|&group| group < NARROW);
        Ok(if suffices {
            Self::Narrow(Sweeps::new(layout, &stiffness, &groups))
        } else {
            Self::Wide(Sweeps::new(layout, &stiffness, &groups))
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
        match self {
            Self::Narrow(sweeps) => sweeps.evaluate(model, layout, at, acceleration, wanted),
            Self::Wide(sweeps) => sweeps.evaluate(model, layout, at, acceleration, wanted),
        }
    }
}

/// A group for each velocity: columns of a group occur in no common row, neither of the forces nor of the constraints.
fn groups(layout: &Layout, stiffness: &Pattern) -> Result<Vec<usize>, KktError> {
    let dimension = layout.dimension();
    // The coefficients of a velocity row may depend on coordinates whose velocities are not in it.
    if layout.velocity_rows > 0 {
        return Ok((0..dimension).collect());
    }
    let rows = layout.jacobian.entries();
    let rows = rows.map(|(row, column)| (dimension + row, column));
    let all = stiffness.entries().chain(rows);
    let all = Pattern::from_entries(dimension + layout.rows(), dimension, all)?;
    Ok(groups_of(&all, layout))
}

/// Workspaces for sweeps of `WIDTH` directions, allocated once.
pub(in crate::system) struct Sweeps<const WIDTH: usize> {
    arguments: Arguments<Dual<WIDTH>>,
    acceleration: Vec<Dual<WIDTH>>,
    velocity_rows: Vec<Dual<WIDTH>>,
    acceleration_rows: Vec<Dual<WIDTH>>,
    sweeps: Vec<Sweep>,
}

fn write<const WIDTH: usize>(
    entries: &Entries,
    sign: f64,
    numbers: &[Dual<WIDTH>],
    out: &mut [f64],
) {
    for &(row, direction, position) in entries {
        out[position] = sign * numbers[row].gradient[direction];
    }
}

impl<const WIDTH: usize> Sweeps<WIDTH> {
    fn new(layout: &Layout, stiffness: &Pattern, groups: &[usize]) -> Self {
        let constants = |length: usize| vec![Dual::constant(0.0); length];
        let count = groups.iter().max().map_or(0, |last| last / WIDTH + 1);
        let mut sweeps = Vec::new();
        sweeps.resize_with(count, Sweep::default);
        for (column, group) in groups.iter().enumerate() {
            sweeps[group / WIDTH].seeds.push((column, group % WIDTH));
        }
        let mut deal = |pattern: &Pattern, part: fn(&mut Sweep) -> &mut Entries| {
            for (row, column, position) in pattern.iter() {
                // Further states have no velocities.
                if let Some(group) = groups.get(column) {
                    part(&mut sweeps[group / WIDTH]).push((row, group % WIDTH, position));
                }
            }
        };
        deal(stiffness, |sweep| &mut sweep.stiffness);
        deal(&layout.rates, |sweep| &mut sweep.rates);
        deal(&layout.jacobian, |sweep| &mut sweep.rows);
        Self {
            arguments: Arguments::new(layout),
            acceleration: constants(layout.dimension()),
            velocity_rows: constants(layout.rows()),
            acceleration_rows: constants(layout.rows()),
            sweeps,
        }
    }

    /// As [`BalanceSweeps::evaluate`].
    fn evaluate<M: Model>(
        &mut self,
        model: &M,
        layout: &Layout,
        at: &Point,
        acceleration: &[f64],
        wanted: &mut BalanceDerivatives,
    ) -> Derivative {
        for (slot, &value) in self.acceleration.iter_mut().zip(acceleration) {
            *slot = Dual::constant(value);
        }
        // The pattern of the stiffness has room for all of it.
        wanted.rates.by_position.fill(0.0);
        let sweeps = std::mem::take(&mut self.sweeps);
        let mut given = Derivative::Analytic;
        for sweep in &sweeps {
            let rows = wanted.velocity_rows.is_some();
            let seeds = sweep.seeds.iter().copied();
            (self.arguments).displace_along(&layout.space, at, seeds.clone());
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
            for (column, direction) in seeds {
                self.arguments.v[column].gradient[direction] = 1.0;
            }
            if wanted.acceleration_rows.is_some() {
                // A model may state these rows with others only.
                given = self.balance(model, at, false, true);
                if given != Derivative::Analytic {
                    break;
                }
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
        let zero = Dual::constant(0.0);
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
