//! Derivatives of a model's inertia and constraint forces and of its hidden constraints, by nested duals.

use super::automatic::{CHUNK, Workspace};
use super::{Layout, MatrixMut, Model, Point};
use crate::linalg::Pattern;
use crate::scalar::{Dual, Scalar, Taylor2};
use std::ops::Range;

type Gradient = Dual<CHUNK>;

/// Workspaces for second derivatives, allocated once.
pub(super) struct SecondDerivatives {
    first: Workspace<Gradient>,
    /// Outer gradient: a small displacement from a configuration that the inner one has displaced.
    mixed: Workspace<Dual<CHUNK, Gradient>>,
    /// The configuration that the outer displacement starts from.
    mixed_base: Vec<Dual<CHUNK, Gradient>>,
    curve: Workspace<Taylor2<Gradient>>,
    curve_base: Vec<Taylor2<Gradient>>,
    mass: Vec<Gradient>,
    /// `None` for patterns that do not fit, which the layout's own check reports.
    stiffness: Option<Pattern>,
}

fn chunks(columns: usize) -> impl Iterator<Item = Range<usize>> {
    (0..columns)
        .step_by(CHUNK)
        .map(move |first| first..(first + CHUNK).min(columns))
}

impl SecondDerivatives {
    pub fn new(layout: &Layout) -> Self {
        let (dimension, coordinates) = (layout.dimension(), layout.space.coordinates());
        Self {
            first: Workspace::new(layout),
            mixed: Workspace::new(layout),
            mixed_base: vec![Dual::constant(0.0); coordinates],
            curve: Workspace::new(layout),
            curve_base: vec![Taylor2::constant(0.0); coordinates],
            mass: vec![Gradient::constant(0.0); dimension * dimension],
            stiffness: layout.stiffness_pattern().ok(),
        }
    }

    /// Loads a point whose configuration is displaced in these directions.
    fn displace(&mut self, layout: &Layout, at: &Point, columns: &Range<usize>) {
        self.first.load(at);
        for column in columns.clone() {
            self.first.displacement[column] = Dual::variable(0.0, column - columns.start);
        }
        self.first.displace(&layout.space, at.q);
    }

    /// ∂(M a - Gᵀ λ)/∂q in the stiffness pattern.
    pub fn geometric_stiffness<M: Model>(
        &mut self,
        model: &M,
        layout: &Layout,
        at: &Point,
        acceleration: &[f64],
        out: &mut [f64],
    ) {
        let dimension = layout.dimension();
        out.fill(0.0);
        let Some(pattern) = self.stiffness.take() else {
            return;
        };
        // Position rows in R^n: their part is the Hessian of -λᵀ g.
        let symmetric = layout.velocity_rows == 0 && layout.space.is_euclidean();
        let constrained = at.lambda.iter().any(|lambda| *lambda != 0.0);
        if constrained {
            self.mixed.load(at);
        }
        for columns in chunks(dimension) {
            self.displace(layout, at, &columns);
            self.mass.fill(Gradient::constant(0.0));
            let (point, _) = self.first.split(at.mode);
            model.mass_matrix(&point, &mut MatrixMut::new(dimension, &mut self.mass));
            for (row, masses) in self.mass.chunks_exact(dimension).enumerate() {
                let mut slopes = [0.0; CHUNK];
                for (mass, a) in masses.iter().zip(acceleration) {
                    for (slope, part) in slopes.iter_mut().zip(&mass.gradient) {
                        *slope += part * a;
                    }
                }
                for (column, slope) in columns.clone().zip(slopes) {
                    if let Some(position) = pattern.position(row, column) {
                        out[position] += slope;
                    }
                }
            }
            if !constrained {
                continue;
            }
            for rows in chunks(dimension) {
                if symmetric && rows.start > columns.start {
                    break;
                }
                self.reactions(model, layout, at, &rows);
                let mut slopes = [[0.0; CHUNK]; CHUNK];
                for (g, lambda) in self.mixed.out.iter().zip(at.lambda) {
                    for (slopes, by_row) in slopes.iter_mut().zip(&g.gradient) {
                        for (slope, part) in slopes.iter_mut().zip(&by_row.gradient) {
                            *slope += part * lambda;
                        }
                    }
                }
                let mirrored = symmetric && rows != columns;
                for (row, slopes) in rows.zip(slopes) {
                    for (column, slope) in columns.clone().zip(slopes) {
                        if let Some(position) = pattern.position(row, column) {
                            out[position] -= slope;
                        }
                        if mirrored && let Some(position) = pattern.position(column, row) {
                            out[position] -= slope;
                        }
                    }
                }
            }
        }
        self.stiffness = Some(pattern);
    }

    /// Evaluates all constraint rows at the displaced configuration, with the gradient that defines these entries of
    /// G: by a displacement for position rows, by the velocity for velocity rows. `mixed` holds the point and no gradients,
    /// and does so again afterwards.
    fn reactions<M: Model>(&mut self, model: &M, layout: &Layout, at: &Point, rows: &Range<usize>) {
        let position_rows = layout.position_rows;
        let mixed = &mut self.mixed;
        for (nested, plain) in mixed.q.iter_mut().zip(&self.first.q) {
            *nested = Dual::from_value(*plain);
        }
        if layout.velocity_rows > 0 {
            for row in rows.clone() {
                mixed.v[row] = Dual::variable(mixed.v[row].value, row - rows.start);
            }
            let (point, result) = mixed.split(at.mode);
            model.velocity_constraint(
                &point,
                &mut result[position_rows..position_rows + layout.velocity_rows],
            );
            for row in rows.clone() {
                mixed.v[row] = Dual::constant(at.v[row]);
            }
        } else {
            mixed.out.fill(Dual::constant(0.0));
        }
        if position_rows > 0 {
            for row in rows.clone() {
                mixed.displacement[row] = Dual::variable(Gradient::constant(0.0), row - rows.start);
            }
            self.mixed_base.copy_from_slice(&mixed.q);
            let space = &layout.space;
            space.retract(&self.mixed_base, &mixed.displacement, &mut mixed.q);
            let point = Point {
                t: mixed.t,
                q: &mixed.q,
                v: &mixed.v,
                x: &mixed.x,
                z: &mixed.z,
                lambda: &mixed.lambda,
                mode: at.mode,
            };
            model.position_constraint(&point, &mut mixed.out[..position_rows]);
            for row in rows.clone() {
                mixed.displacement[row] = Dual::constant(0.0);
            }
        }
    }

    /// Moves the displaced configuration of `first` along the curve with these velocities and accelerations.
    fn follow(&mut self, layout: &Layout, at: &Point, v: &[Gradient], acceleration: &[f64]) {
        let curve = &mut self.curve;
        curve.load(at);
        curve.t = Taylor2::variable(Gradient::constant(at.t));
        for (nested, plain) in self.curve_base.iter_mut().zip(&self.first.q) {
            *nested = Taylor2::from_value(*plain);
        }
        for (index, velocity) in v.iter().enumerate() {
            let acceleration =
                Gradient::constant(acceleration.get(index).copied().unwrap_or_default());
            let zero = Gradient::constant(0.0);
            curve.displacement[index] = Taylor2::new(zero, *velocity, acceleration);
            curve.v[index] = Taylor2::new(*velocity, acceleration, zero);
        }
        layout
            .space
            .retract(&self.curve_base, &curve.displacement, &mut curve.q);
    }

    /// ∂(G v + ∂g/∂t)/∂q and ∂b/∂q in the Jacobian's pattern.
    pub fn velocity_constraint<M: Model>(
        &mut self,
        model: &M,
        layout: &Layout,
        at: &Point,
        out: &mut [f64],
    ) {
        out.fill(0.0);
        if layout.rows() == 0 {
            return;
        }
        for columns in chunks(layout.dimension()) {
            self.displace(layout, at, &columns);
            let v = std::mem::take(&mut self.first.v);
            self.follow(layout, at, &v, &[]);
            self.first.v = v;
            let (point, result) = self.curve.split(at.mode);
            let (position, rest) = result.split_at_mut(layout.position_rows);
            model.position_constraint(&point, position);
            model.velocity_constraint(&point, &mut rest[..layout.velocity_rows]);
            for (row, entry) in result[..layout.rows()].iter().enumerate() {
                let level = if row < layout.position_rows {
                    entry.first
                } else {
                    entry.value
                };
                scatter(&layout.jacobian, row, &columns, &level, out);
            }
        }
    }

    /// ∂(G a + γ)/∂q and ∂γ/∂v in the Jacobian's pattern.
    pub fn acceleration_constraint<M: Model>(
        &mut self,
        model: &M,
        layout: &Layout,
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
        for columns in chunks(layout.dimension()) {
            self.displace(layout, at, &columns);
            self.acceleration_level(model, layout, at, acceleration, &columns, by_position);
            self.displace(layout, at, &(0..0));
            for column in columns.clone() {
                self.first.v[column] = Dual::variable(at.v[column], column - columns.start);
            }
            self.acceleration_level(model, layout, at, acceleration, &columns, by_velocity);
        }
    }

    /// Evaluates all rows at acceleration level with the gradients that `first` carries.
    fn acceleration_level<M: Model>(
        &mut self,
        model: &M,
        layout: &Layout,
        at: &Point,
        acceleration: &[f64],
        columns: &Range<usize>,
        out: &mut [f64],
    ) {
        let v = std::mem::take(&mut self.first.v);
        self.follow(layout, at, &v, acceleration);
        self.first.v = v;
        let (point, result) = self.curve.split(at.mode);
        let (position, rest) = result.split_at_mut(layout.position_rows);
        model.position_constraint(&point, position);
        model.velocity_constraint(&point, &mut rest[..layout.velocity_rows]);
        for (row, entry) in result[..layout.rows()].iter().enumerate() {
            let level = if row < layout.position_rows {
                entry.second
            } else {
                entry.first
            };
            scatter(&layout.jacobian, row, columns, &level, out);
        }
    }
}

/// Puts the gradient of one row into its places.
fn scatter(
    pattern: &Pattern,
    row: usize,
    columns: &Range<usize>,
    level: &Gradient,
    out: &mut [f64],
) {
    for column in columns.clone() {
        if let Some(position) = pattern.position(row, column) {
            out[position] = level.gradient[column - columns.start];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Automatic, State, System, differences};
    use super::*;
    use crate::manifold::{Factor, Manifold};

    /// Nothing physical: every term that has a derivative.
    struct Entangled(Manifold);

    impl Model for Entangled {
        fn layout(&self) -> Layout {
            Layout::dense(self.0.clone(), 2, 2, 0, 0)
        }
        fn initial_state(&self) -> State {
            let mut state = self.layout().state();
            let n = state.v.len();
            let displacement: Vec<f64> = (0..n).map(|i| 0.3 - 0.11 * i as f64).collect();
            let start = state.q.clone();
            self.0.retract(&start, &displacement, &mut state.q);
            state.t = 0.4;
            for index in 0..n {
                state.v[index] = 0.7 - 0.3 * index as f64;
                state.acceleration[index] = 0.2 * index as f64 - 1.0;
            }
            state.lambda = vec![1.5, -0.8, 0.4, 2.1];
            state
        }
        fn mass_matrix<S: Scalar>(&self, at: &Point<S>, mass: &mut MatrixMut<S>) {
            for i in 0..self.0.dimension() {
                for j in 0..self.0.dimension() {
                    let k = (i + j) % at.q.len();
                    mass[(i, j)] = at.q[k] * at.q[(k + 1) % at.q.len()] + at.t;
                }
            }
        }
        fn force<S: Scalar>(&self, _at: &Point<S>, _force: &mut [S]) {}
        fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
            let last = at.q.len() - 1;
            g[0] = (at.q[0] * at.q[last]).sin() + at.t * at.q[1] * at.q[1];
            g[1] = at.q.iter().copied().map(|q| q * q * q).sum();
        }
        fn velocity_constraint<S: Scalar>(&self, at: &Point<S>, b: &mut [S]) {
            let last = at.v.len() - 1;
            b[0] = at.q[0] * at.v[0] + at.q[2].sin() * at.v[last] * at.t;
            b[1] = at.q[1] * at.q[0] * at.v[1] - at.v[2];
        }
    }

    fn assert_close(found: &[f64], expected: &[f64], what: &str) {
        for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
            let error = (found - expected).abs();
            assert!(
                error < 1e-8 * (1.0 + expected.abs()),
                "{what} {index}: {found} {expected}"
            );
        }
        assert!(expected.iter().any(|value| value.abs() > 0.1), "{what}");
    }

    #[test]
    fn exact_derivatives_agree_with_differences() {
        let mixed = [Factor::Euclidean(2), Factor::Rotation, Factor::RigidMotion];
        let quaternion = [Factor::UnitQuaternion, Factor::Euclidean(1)];
        let spaces = [
            Manifold::euclidean(8),
            Manifold::new(mixed),
            Manifold::new(quaternion),
        ];
        for space in spaces {
            let mut system = Automatic::new(Entangled(space));
            let state = system.initial_state();
            let (at, a) = (state.point(), &state.acceleration);
            let n = state.v.len();

            let (mut found, mut expected) = (vec![f64::NAN; n * n], vec![f64::NAN; n * n]);
            system
                .geometric_stiffness(&at, a, &mut found)
                .expect("finite");
            differences::geometric_stiffness(&mut system, &at, a, &mut expected).expect("finite");
            assert_close(&found, &expected, "stiffness");

            let (mut found, mut expected) = (vec![f64::NAN; 4 * n], vec![f64::NAN; 4 * n]);
            system
                .velocity_constraint_jacobian(&at, &mut found)
                .expect("finite");
            differences::velocity_constraint_jacobian(&mut system, &at, &mut expected)
                .expect("finite");
            assert_close(&found, &expected, "velocity level");

            let mut by_velocity = [vec![f64::NAN; 4 * n], vec![f64::NAN; 4 * n]];
            let [found_v, expected_v] = &mut by_velocity;
            system
                .acceleration_constraint_jacobian(&at, a, &mut found, found_v)
                .expect("finite");
            differences::acceleration_constraint_jacobian(
                &mut system,
                &at,
                a,
                &mut expected,
                expected_v,
            )
            .expect("finite");
            assert_close(&found, &expected, "acceleration level by q");
            assert_close(found_v, expected_v, "acceleration level by v");
        }
    }
}
