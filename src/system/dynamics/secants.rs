//! Slopes where derivatives are infinite.

use crate::scalar::largest;
use crate::system::{EvaluationError, Evaluator, Point, RatesJacobian};

/// A secant reaches over this part of its variable, ...
const REACH: f64 = 1.5e-8;

/// ... which counts as this part of the largest one at least.
const LEAST: f64 = 1e-3;

/// What variables are measured by where all of them are zero.
const UNIT: f64 = 1e-6;

/// A derivative that is not finite: its place, and its entry among those by position or by velocity.
#[derive(Clone, Copy)]
struct Infinite {
    row: usize,
    column: usize,
    entry: usize,
    by_velocity: bool,
}

impl Evaluator<'_> {
    /// As [`Self::rates_jacobian`], for Newton iterations, which need slopes to converge and end where the equations hold. A derivative
    /// that is infinite, as that of a root at zero, is replaced by the slope of a short secant: flow through a valve that nothing drives
    /// yet, adsorption in a clean bed.
    ///
    /// # Errors
    /// Those of [`Self::rates_jacobian`], where the rates themselves cannot be evaluated beside the point.
    pub fn rates_jacobian_or_secants(
        &mut self,
        at: &Point,
        out: &mut RatesJacobian,
    ) -> Result<(), EvaluationError> {
        self.rates_jacobian_unchecked(at, out)?;
        match self.check_rates_jacobian(at, out) {
            Ok(()) => Ok(()),
            Err(error) => {
                self.replace_by_secants(at, out)?;
                // Derivatives by multipliers have no secants.
                self.check_rates_jacobian(at, out).map_err(|_| error)
            }
        }
    }

    fn replace_by_secants(
        &mut self,
        at: &Point,
        out: &mut RatesJacobian,
    ) -> Result<(), EvaluationError> {
        let layout = self.layout();
        let (dimension, count) = (layout.dimension(), layout.rate_count());
        let mut infinite = Vec::new();
        for (row, column, entry) in layout.rates.iter() {
            let lists = [(&out.by_position, false), (&out.by_velocity, true)];
            let of_entry = lists.iter().filter(|(list, _)| !list[entry].is_finite());
            infinite.extend(of_entry.map(|&(_, by_velocity)| Infinite {
                row,
                column,
                entry,
                by_velocity,
            }));
        }
        infinite.sort_by_key(|found| (found.by_velocity, found.column));
        let mut here = vec![0.0; count];
        self.rates(at, &mut here)?;
        let mut there = vec![0.0; count];
        for of_column in infinite.chunk_by(|one, other| {
            (one.by_velocity, one.column) == (other.by_velocity, other.column)
        }) {
            let Infinite {
                column,
                by_velocity,
                ..
            } = of_column[0];
            // Local coordinates of a configuration have no size of their own.
            let (variables, own) = match column.checked_sub(dimension) {
                None if by_velocity => (at.v, at.v[column]),
                None => (at.q, 0.0),
                Some(index) => match index.checked_sub(at.x.len()) {
                    None => (at.x, at.x[index]),
                    Some(index) => (at.z, at.z[index]),
                },
            };
            let most = largest(variables);
            let size = if most > 0.0 { LEAST * most } else { UNIT };
            let mut reach = REACH * size.max(own.abs());
            // Where the rates end at this value they go on on the other side.
            let variable = (column, by_velocity);
            if self.rates_beside(at, variable, reach, &mut there).is_err() {
                reach = -reach;
                self.rates_beside(at, variable, reach, &mut there)?;
            }
            for found in of_column {
                let slope = (there[found.row] - here[found.row]) / reach;
                let list = match by_velocity {
                    true => &mut out.by_velocity,
                    false => &mut out.by_position,
                };
                list[found.entry] = slope;
            }
        }
        Ok(())
    }

    /// The rates where one variable is larger by this much.
    fn rates_beside(
        &mut self,
        at: &Point,
        (column, by_velocity): (usize, bool),
        reach: f64,
        out: &mut [f64],
    ) -> Result<(), EvaluationError> {
        let dimension = at.v.len();
        let [mut q, mut v, mut x, mut z] = [at.q, at.v, at.x, at.z].map(<[f64]>::to_vec);
        match column.checked_sub(dimension) {
            None if by_velocity => v[column] += reach,
            None => {
                let mut displacement = vec![0.0; dimension];
                displacement[column] = reach;
                self.layout().space.retract(at.q, &displacement, &mut q);
            }
            Some(index) => match index.checked_sub(x.len()) {
                None => x[index] += reach,
                Some(index) => z[index] += reach,
            },
        }
        let beside = Point {
            q: &q,
            v: &v,
            x: &x,
            z: &z,
            ..*at
        };
        self.rates(&beside, out)
    }
}
