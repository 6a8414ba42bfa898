//! Derivatives of the rates, several columns in one evaluation.

use crate::scalar::Dual;
use crate::system::automatic::arguments::{Arguments, CHUNK, evaluate_rates};
use crate::system::automatic::sweeps::groups_of;
use crate::system::{Layout, Model, Point, RatesJacobian};

/// One evaluation of the rates with derivatives along up to [`CHUNK`] directions, each the sum of columns of which no two
/// occur in one row.
#[derive(Clone, Debug, Default)]
pub(in crate::system) struct RateSweep {
    position: Part,
    velocity: Part,
}

/// What a sweep gives of one matrix.
#[derive(Clone, Debug, Default)]
struct Part {
    /// Columns and their directions.
    seeds: Vec<(usize, usize)>,
    /// Row, direction and position of every entry.
    entries: Vec<(usize, usize, usize)>,
}

impl RateSweep {
    /// All sweeps that the derivatives of the rates by (q, x, z) and by v take.
    pub fn all(layout: &Layout) -> Vec<Self> {
        let groups = groups_of(&layout.rates, layout);
        let dimension = layout.dimension();
        let count = |groups: &[usize]| groups.iter().max().map_or(0, |last| last + 1);
        let first = count(&groups);
        let total = first + count(&groups[..dimension.min(groups.len())]);
        let mut sweeps = vec![Self::default(); total.div_ceil(CHUNK)];
        let split = |direction: usize| (direction / CHUNK, direction % CHUNK);
        for (column, &group) in groups.iter().enumerate() {
            let (sweep, direction) = split(group);
            sweeps[sweep].position.seeds.push((column, direction));
            if column < dimension {
                let (sweep, direction) = split(first + group);
                sweeps[sweep].velocity.seeds.push((column, direction));
            }
        }
        for (row, column, position) in layout.rates.iter() {
            let Some(&group) = groups.get(column) else {
                continue;
            };
            let (sweep, direction) = split(group);
            let entry = (row, direction, position);
            sweeps[sweep].position.entries.push(entry);
            if column < dimension {
                let (sweep, direction) = split(first + group);
                let entry = (row, direction, position);
                sweeps[sweep].velocity.entries.push(entry);
            }
        }
        sweeps
    }

    /// Evaluates the rates and writes the entries that this gives.
    pub fn evaluate<M: Model>(
        &self,
        model: &M,
        layout: &Layout,
        work: &mut Arguments<Dual<CHUNK>>,
        at: &Point,
        out: &mut RatesJacobian,
    ) {
        let (dimension, differential) = (layout.dimension(), layout.differential);
        work.load(at);
        for &(column, direction) in &self.position.seeds {
            if column < dimension {
                work.displace_column(&layout.space, at.q, column, direction);
            } else if column < dimension + differential {
                work.x[column - dimension].gradient[direction] = 1.0;
            } else {
                work.z[column - dimension - differential].gradient[direction] = 1.0;
            }
        }
        for &(column, direction) in &self.velocity.seeds {
            work.v[column].gradient[direction] = 1.0;
        }
        let (point, result) = work.split(at.mode);
        evaluate_rates(model, layout, &point, result);
        for &(row, direction, position) in &self.position.entries {
            out.by_position[position] = result[row].gradient[direction];
        }
        for &(row, direction, position) in &self.velocity.entries {
            out.by_velocity[position] = result[row].gradient[direction];
        }
    }
}
