//! Derivatives of a model's inertia and constraint forces and of its hidden constraints, by nested duals.

use crate::linalg::Pattern;
use crate::scalar::{Dual, Scalar};
use crate::system::automatic::arguments::CHUNK;
use crate::system::automatic::nested_duals::{Gradient, NestedDuals};
use crate::system::automatic::reactions::Reaction;
use crate::system::automatic::sweeps::Sweep;
use crate::system::dynamics::deadline::is_over_for_derivatives;
use crate::system::{Layout, MatrixMut, Model, Point};
use std::ops::Range;

/// Beyond this many sweeps over all columns it is asked first whether the mass matrix depends on them.
const WORTH_ASKING: usize = 3;

/// Workspaces for second derivatives, allocated once.
pub(in crate::system) struct SecondSweeps {
    nested: NestedDuals,
    mass: Vec<Gradient>,
    /// `None` for patterns that do not fit, which the layout's own check reports.
    stiffness: Option<Pattern>,
    reactions: Vec<Reaction>,
}

fn chunks(columns: usize) -> impl Iterator<Item = Range<usize>> {
    (0..columns)
        .step_by(CHUNK)
        .map(move |first| first..(first + CHUNK).min(columns))
}

impl SecondSweeps {
    pub fn new(layout: &Layout, sweeps: &[Sweep]) -> Self {
        let dimension = layout.dimension();
        let stiffness = layout.stiffness_pattern().ok();
        let reactions = stiffness.as_ref();
        Self {
            nested: NestedDuals::new(layout),
            mass: vec![Gradient::constant(0.0); dimension * dimension],
            reactions: reactions
                .map_or_else(Vec::new, |pattern| Reaction::all(layout, sweeps, pattern)),
            stiffness,
        }
    }

    /// ∂(M a - Gᵀ λ)/∂q in the stiffness pattern.
    pub fn geometric_stiffness<M: Model>(
        &mut self,
        model: &M,
        layout: &Layout,
        sweeps: &[Sweep],
        at: &Point,
        acceleration: &[f64],
        out: &mut [f64],
    ) {
        out.fill(0.0);
        if self.stiffness.is_none() {
            return;
        }
        if !self.mass_is_constant(model, layout, at) {
            self.add_inertia(model, layout, at, acceleration, out);
        }
        if at.lambda.iter().all(|lambda| *lambda == 0.0) {
            return;
        }
        self.nested.mixed.load(at);
        let reactions = std::mem::take(&mut self.reactions);
        let mut loaded = None;
        for reaction in &reactions {
            if is_over_for_derivatives() {
                break;
            }
            if loaded != Some(reaction.columns) {
                self.nested
                    .displace(layout, at, &sweeps[reaction.columns].seeds);
                loaded = Some(reaction.columns);
            }
            self.react(model, layout, at, &sweeps[reaction.rows].seeds);
            reaction.subtract(&self.nested.mixed.out, at.lambda, out);
        }
        self.reactions = reactions;
    }

    /// Whether the mass matrix does not change along one direction that every coordinate takes part in, by numbers without
    /// a common measure: then it is constant. Asked of systems so large that the answer is worth an evaluation.
    fn mass_is_constant<M: Model>(&mut self, model: &M, layout: &Layout, at: &Point) -> bool {
        let dimension = layout.dimension();
        if dimension <= WORTH_ASKING * CHUNK {
            return false;
        }
        self.nested.first.load(at);
        for (index, slot) in self.nested.first.displacement.iter_mut().enumerate() {
            slot.gradient[0] = 1.0 + (0.618_033_988_749_895 * (index + 1) as f64).fract();
        }
        self.nested.first.displace(&layout.space, at.q);
        self.evaluate_mass(model, at);
        let entries = layout.mass.iter();
        entries.fold(true, |constant, (row, column, _)| {
            constant && self.mass[row * dimension + column].gradient[0] == 0.0
        })
    }

    fn evaluate_mass<M: Model>(&mut self, model: &M, at: &Point) {
        let dimension = self.nested.first.displacement.len();
        self.mass.fill(Gradient::constant(0.0));
        let (point, _) = self.nested.first.split(at.mode);
        model.mass_matrix(&point, &mut MatrixMut::new(dimension, &mut self.mass));
    }

    /// Adds ∂(M a)/∂q.
    fn add_inertia<M: Model>(
        &mut self,
        model: &M,
        layout: &Layout,
        at: &Point,
        acceleration: &[f64],
        out: &mut [f64],
    ) {
        let dimension = layout.dimension();
        let Some(pattern) = self.stiffness.take() else {
            return;
        };
        for columns in chunks(dimension) {
            if is_over_for_derivatives() {
                break;
            }
            let seeds = columns.clone().zip(0..);
            self.nested.first.displace_along(&layout.space, at, seeds);
            self.evaluate_mass(model, at);
            for row in 0..dimension {
                let masses = &self.mass[row * dimension..(row + 1) * dimension];
                let mut slopes = [0.0; CHUNK];
                for &other in layout.mass.row(row) {
                    for (slope, part) in slopes.iter_mut().zip(&masses[other].gradient) {
                        *slope += part * acceleration[other];
                    }
                }
                for (column, slope) in columns.clone().zip(slopes) {
                    if slope != 0.0
                        && let Some(position) = pattern.position(row, column)
                    {
                        out[position] += slope;
                    }
                }
            }
        }
        self.stiffness = Some(pattern);
    }

    /// Evaluates all constraint rows at the displaced configuration, with the gradient that defines these entries of
    /// G: by a displacement for position rows, by the velocity for velocity rows. `mixed` holds the point and no gradients,
    /// and does so again afterwards.
    fn react<M: Model>(
        &mut self,
        model: &M,
        layout: &Layout,
        at: &Point,
        seeds: &[(usize, usize)],
    ) {
        let position_rows = layout.position_rows;
        self.nested.nest();
        if layout.velocity_rows > 0 {
            self.nested.move_nested(at, seeds);
            let (point, result) = self.nested.mixed.split(at.mode);
            model.velocity_constraint(
                &point,
                &mut result[position_rows..position_rows + layout.velocity_rows],
            );
            self.nested.stop_nested(at, seeds);
        } else {
            self.nested.mixed.out.fill(Dual::constant(0.0));
        }
        if position_rows > 0 {
            self.nested.displace_nested(layout, seeds);
            let mut out = std::mem::take(&mut self.nested.mixed.out);
            model.position_constraint(&self.nested.mixed.point(at.mode), &mut out[..position_rows]);
            self.nested.mixed.out = out;
        }
    }

    /// ∂(G v + ∂g/∂t)/∂q and ∂b/∂q in the Jacobian's pattern.
    pub fn velocity_constraint<M: Model>(
        &mut self,
        model: &M,
        layout: &Layout,
        sweeps: &[Sweep],
        at: &Point,
        out: &mut [f64],
    ) {
        out.fill(0.0);
        if layout.rows() == 0 {
            return;
        }
        for sweep in sweeps {
            if is_over_for_derivatives() {
                break;
            }
            self.nested.displace(layout, at, &sweep.seeds);
            let v = std::mem::take(&mut self.nested.first.v);
            self.nested.follow(layout, at, &v, &[]);
            self.nested.first.v = v;
            let (point, result) = self.nested.curve.split(at.mode);
            let (position, rest) = result.split_at_mut(layout.position_rows);
            model.position_constraint(&point, position);
            model.velocity_constraint(&point, &mut rest[..layout.velocity_rows]);
            for &(row, direction, position) in &sweep.entries {
                let level = if row < layout.position_rows {
                    &result[row].first
                } else {
                    &result[row].value
                };
                out[position] = level.gradient[direction];
            }
        }
    }

    /// ∂(G a + γ)/∂q and ∂γ/∂v in the Jacobian's pattern.
    pub fn acceleration_constraint<M: Model>(
        &mut self,
        model: &M,
        layout: &Layout,
        sweeps: &[Sweep],
        at: &Point,
        acceleration: &[f64],
        out: [&mut [f64]; 2],
    ) {
        let [by_position, by_velocity] = out;
        by_position.fill(0.0);
        by_velocity.fill(0.0);
        if layout.rows() == 0 {
            return;
        }
        for sweep in sweeps {
            if is_over_for_derivatives() {
                break;
            }
            self.nested.displace(layout, at, &sweep.seeds);
            self.acceleration_level(model, layout, at, acceleration, sweep, by_position);
            self.nested.displace(layout, at, &[]);
            for &(column, direction) in &sweep.seeds {
                self.nested.first.v[column] = Dual::variable(at.v[column], direction);
            }
            self.acceleration_level(model, layout, at, acceleration, sweep, by_velocity);
        }
    }

    /// Evaluates all rows at acceleration level with the gradients that `first` carries.
    fn acceleration_level<M: Model>(
        &mut self,
        model: &M,
        layout: &Layout,
        at: &Point,
        acceleration: &[f64],
        sweep: &Sweep,
        out: &mut [f64],
    ) {
        let v = std::mem::take(&mut self.nested.first.v);
        self.nested.follow(layout, at, &v, acceleration);
        self.nested.first.v = v;
        let (point, result) = self.nested.curve.split(at.mode);
        let (position, rest) = result.split_at_mut(layout.position_rows);
        model.position_constraint(&point, position);
        model.velocity_constraint(&point, &mut rest[..layout.velocity_rows]);
        for &(row, direction, position) in &sweep.entries {
            let level = if row < layout.position_rows {
                &result[row].second
            } else {
                &result[row].first
            };
            out[position] = level.gradient[direction];
        }
    }
}

#[cfg(test)]
mod tests;
