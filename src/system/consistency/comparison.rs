//! Derivatives that a system states, compared with differences.

use super::system_faults::{Stated, SystemCheckError, SystemFault};
use crate::linalg::Pattern;
use crate::manifold::Manifold;
use crate::system::dynamics::constant_mass::stir;
use crate::system::{Evaluator, Point, RatesJacobian, State};

/// Relative displacements of differences. The cube root of the machine precision balances truncation and round-off; the
/// smaller one is for functions that are curved on the scale of a millimetre.
pub(super) const DISPLACEMENTS: [f64; 2] = [6e-6, 1e-7];

/// What is stated may differ from a difference by this part of one plus the larger of both, ...
const TOLERANCE: f64 = 1e-5;

/// ... and by the round-off of the values that the difference is taken of.
pub(super) const ROUND_OFF: f64 = 64.0 * f64::EPSILON;

/// Compares what a system states at a state.
pub(super) struct Comparison<'a, 'b> {
    system: &'a mut Evaluator<'b>,
    state: &'a State,
    pub faults: Vec<SystemFault>,
}

/// Slopes of a function by displacements of several sizes, each with its round-off.
struct Differences(Vec<(Vec<f64>, f64)>);

/// A vector-valued function of a point.
type Function<'f> =
    dyn FnMut(&mut Evaluator, &Point, &mut [f64]) -> Result<(), SystemCheckError> + 'f;

impl<'a, 'b> Comparison<'a, 'b> {
    pub fn new(system: &'a mut Evaluator<'b>, state: &'a State) -> Self {
        Self {
            system,
            state,
            faults: Vec::new(),
        }
    }

    /// Differences of a function over displacements of a state, relative to a size, with their round-off.
    fn differences(
        &mut self,
        length: usize,
        relative_to: f64,
        displace: &dyn Fn(&mut State, f64),
        function: &mut Function,
    ) -> Differences {
        let mut found = Vec::with_capacity(DISPLACEMENTS.len());
        for displacement in DISPLACEMENTS {
            let step = displacement * relative_to;
            let mut ends = [vec![0.0; length], vec![0.0; length]];
            let mut defined = true;
            for (end, sign) in ends.iter_mut().zip([1.0, -1.0]) {
                let mut displaced = self.state.clone();
                displace(&mut displaced, sign * step);
                defined &= function(self.system, &displaced.point(), end).is_ok();
            }
            // At the edge of where a function is defined there is nothing to compare with.
            if !defined {
                continue;
            }
            let [ahead, behind] = &ends;
            let size = ahead
                .iter()
                .fold(0.0_f64, |max, value| max.max(value.abs()));
            let pairs = ahead.iter().zip(behind);
            let slopes = pairs.map(|(a, b)| (a - b) / (2.0 * step)).collect();
            // Central difference, with the round-off of the function over the step.
            found.push((slopes, ROUND_OFF * size / step));
        }
        Differences(found)
    }

    /// Notes the largest disagreement of one derivative. It must disagree with all differences.
    fn compare(
        &mut self,
        stated: Stated,
        (row, column): (usize, usize),
        value: f64,
        differences: &Differences,
        index: usize,
    ) {
        // Agreement with one of the differences is enough: kinks and curvature spoil single ones.
        let mut nearest = (f64::INFINITY, 0.0);
        for (slopes, noise) in &differences.0 {
            let difference: f64 = slopes[index];
            let off = (value - difference).abs();
            if off <= TOLERANCE * (1.0 + value.abs().max(difference.abs())) + noise {
                return;
            }
            if off < nearest.0 {
                nearest = (off, difference);
            }
        }
        let (off, difference) = nearest;
        if differences.0.is_empty() {
            return;
        }
        let fault = SystemFault::Derivative {
            stated,
            row,
            column,
            value,
            difference,
        };
        let known = self.faults.iter_mut().find(|known| known.is_like(&fault));
        match known {
            None => self.faults.push(fault),
            Some(known) => {
                if let SystemFault::Derivative {
                    value, difference, ..
                } = known
                    && off > (*value - *difference).abs()
                {
                    *known = fault;
                }
            }
        }
    }

    pub fn rates(&mut self) -> Result<(), SystemCheckError> {
        let layout = self.system.layout();
        let (dimension, length) = (layout.dimension(), layout.rate_count());
        let (differential, algebraic) = (layout.differential, layout.algebraic);
        let (pattern, rows) = (layout.rates.clone(), layout.rows());
        let space = layout.space.clone();
        let mut derivatives = RatesJacobian::new(layout);
        self.system
            .rates_jacobian(&self.state.point(), &mut derivatives)?;
        let mut rates = |system: &mut Evaluator, at: &Point, out: &mut [f64]| {
            system.rates(at, out)?;
            Ok(())
        };
        // Columns of q, x and z; those of v and λ follow below.
        for column in 0..length {
            let displace = |state: &mut State, by: f64| {
                if column < dimension {
                    turn(&space, column, by, state);
                } else if column < dimension + differential {
                    state.x[column - dimension] += by;
                } else {
                    state.z[column - dimension - differential] += by;
                }
            };
            let relative_to = if column < dimension {
                self.extent()
            } else if column < dimension + differential {
                unit(1.0, self.state.x[column - dimension])
            } else {
                unit(1.0, self.state.z[column - dimension - differential])
            };
            let found = self.differences(length, relative_to, &displace, &mut rates);
            let stated = Stated::RatesByPosition;
            self.compare_column(
                stated,
                &pattern,
                &derivatives.by_position,
                column,
                length,
                &found,
            );
        }
        for column in 0..dimension {
            let displace = |state: &mut State, by: f64| state.v[column] += by;
            let relative_to = unit(1.0, self.state.v[column]);
            let found = self.differences(length, relative_to, &displace, &mut rates);
            let stated = Stated::RatesByVelocity;
            self.compare_column(
                stated,
                &pattern,
                &derivatives.by_velocity,
                column,
                length,
                &found,
            );
        }
        for column in 0..if algebraic > 0 { rows } else { 0 } {
            let displace = |state: &mut State, by: f64| state.lambda[column] += by;
            let relative_to = unit(1.0, self.state.lambda[column]);
            let found = self.differences(length, relative_to, &displace, &mut rates);
            for index in 0..algebraic {
                let value = derivatives.by_multiplier[index * rows + column];
                let (place, row) = ((index, column), dimension + differential + index);
                self.compare(Stated::ResidualsByMultiplier, place, value, &found, row);
            }
        }
        Ok(())
    }

    fn compare_column(
        &mut self,
        stated: Stated,
        pattern: &Pattern,
        values: &[f64],
        column: usize,
        length: usize,
        found: &Differences,
    ) {
        for row in 0..length {
            let value = pattern
                .position(row, column)
                .map_or(0.0, |place| values[place]);
            self.compare(stated, (row, column), value, found, row);
        }
    }

    pub fn constraints(&mut self) -> Result<(), SystemCheckError> {
        let layout = self.system.layout();
        let (dimension, rows) = (layout.dimension(), layout.rows());
        let position_rows = layout.position_rows;
        let (pattern, space) = (layout.jacobian.clone(), layout.space.clone());
        if rows == 0 {
            return Ok(());
        }
        let mut jacobian = vec![0.0; pattern.nnz()];
        let mut velocity = vec![0.0; rows];
        let mut bias = vec![0.0; rows];
        let at = self.state.point();
        self.system.constraint_jacobian(&at, &mut jacobian)?;
        self.system.velocity_constraint(&at, &mut velocity)?;
        self.system.acceleration_bias(&at, &mut bias)?;
        let mut positions = |system: &mut Evaluator, at: &Point, out: &mut [f64]| {
            if position_rows > 0 {
                system.position_constraint(at, out)?;
            }
            Ok(())
        };
        let mut velocities = |system: &mut Evaluator, at: &Point, out: &mut [f64]| {
            system.velocity_constraint(at, out)?;
            Ok(())
        };
        let extent = self.extent();
        for column in 0..dimension {
            let turn = |state: &mut State, by: f64| turn(&space, column, by, state);
            let push = |state: &mut State, by: f64| state.v[column] += by;
            let by_position = self.differences(position_rows, extent, &turn, &mut positions);
            let by_velocity = self.differences(
                rows,
                unit(1.0, self.state.v[column]),
                &push,
                &mut velocities,
            );
            for row in 0..rows {
                let place = pattern.position(row, column);
                let value = place.map_or(0.0, |place| jacobian[place]);
                let stated = Stated::ConstraintJacobian;
                if row < position_rows {
                    self.compare(stated, (row, column), value, &by_position, row);
                }
                self.compare(stated, (row, column), value, &by_velocity, row);
            }
        }
        // Along the motion: q · exp(v s), t + s gives G v + ∂g/∂t, and γ of its rates.
        let go_on = |state: &mut State, by: f64| {
            let u: Vec<f64> = state.v.iter().map(|v| by * v).collect();
            let q = state.q.clone();
            space.retract(&q, &u, &mut state.q);
            state.t += by;
        };
        // In the time in which the fastest velocity covers a displacement.
        let fastest = self.state.v.iter().fold(1.0_f64, |max, v| max.max(v.abs()));
        let rates = self.differences(position_rows, extent / fastest, &go_on, &mut positions);
        for (row, &value) in velocity.iter().enumerate().take(position_rows) {
            self.compare(Stated::VelocityConstraint, (row, 0), value, &rates, row);
        }
        let rates = self.differences(rows, extent / fastest, &go_on, &mut velocities);
        for (row, &value) in bias.iter().enumerate() {
            self.compare(Stated::AccelerationBias, (row, 0), value, &rates, row);
        }
        Ok(())
    }

    /// What displacements of the configuration are relative to.
    fn extent(&self) -> f64 {
        self.state.q.iter().copied().fold(1.0, unit)
    }
}

/// Displaces the configuration in one local coordinate.
fn turn(space: &Manifold, column: usize, by: f64, state: &mut State) {
    let mut u = vec![0.0; space.dimension()];
    u[column] = by;
    let q = state.q.clone();
    space.retract(&q, &u, &mut state.q);
}

/// What displacements of a value are relative to, at least.
fn unit(least: f64, value: f64) -> f64 {
    least.max(value.abs())
}

/// The state with velocities, differential states and multipliers without a pattern: many mistakes do not show at rest.
pub(super) fn moving(state: &State) -> State {
    let mut moving = state.clone();
    let parts = [
        &mut moving.v,
        &mut moving.x,
        &mut moving.z,
        &mut moving.lambda,
    ];
    for part in parts {
        stir(part);
    }
    moving
}
