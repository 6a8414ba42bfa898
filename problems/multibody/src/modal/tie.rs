//! The rows that tie a marker to its flexible body: three of its place, three of its orientation.
//!
//! With the marker of the modes at p = r + A u(η), B = A exp(hat θ(η)), and the marker's body at rₙ, Aₙ:
//!
//! ```text
//! 0 = p - rₙ,   0 = vee(skew D),   D = Bᵀ Aₙ
//! ```
//!
//! Small rotations of both sides change the second one by ½ (tr D - Dᵀ) δₙ - ½ (tr D - D) δ_B, in the marker's own axes.

use super::node::ModalNode;
use super::statement::{Marker, NamedModal};
use crate::branches::is_far;
use crate::kinematics::{Kinematics, PAIR, VELOCITIES};
use crate::marker_rows::MarkerRows;
use liedae::linalg::Pattern;
use liedae::manifold::rotation;
use liedae::scalar::{Dual, Scalar, Taylor2};
use nalgebra::{Matrix3, Vector3};
use std::ops::Range;

/// Rows of a tie.
pub(crate) const ROWS: usize = 6;

type Varied = Dual<PAIR>;

/// Where the entries of a row by the first side, by the second and by the modes start.
type Starts = [usize; 3];

/// The six rows of a marker.
#[derive(Clone, Debug)]
pub(crate) struct Tie {
    /// Name of the marker's body.
    name: String,
    /// Places of the frame and of the marker among the bodies.
    pub bodies: [usize; 2],
    pub first_row: usize,
    node: ModalNode,
    coordinates: Range<usize>,
    velocities: Range<usize>,
    jacobian: Vec<Starts>,
    /// Rows of both rotations and of the modes, by both rotations and the modes.
    stiffness: Vec<Starts>,
}

impl Tie {
    /// Without places in the matrices; [`locate`](Self::locate) gives them.
    pub fn new(
        part: &NamedModal,
        marker: &Marker,
        name: String,
        first_row: usize,
        [coordinates_at, velocities_at]: [usize; 2],
    ) -> Self {
        let modes = part.model.modes();
        Self {
            name,
            bodies: [part.frame, marker.body],
            first_row,
            node: part.model.nodes[marker.node].clone(),
            coordinates: coordinates_at..coordinates_at + modes,
            velocities: velocities_at..velocities_at + modes,
            jacobian: Vec::new(),
            stiffness: Vec::new(),
        }
    }

    /// Fixes where the rows are; `None` where the patterns do not have them.
    pub fn locate(&mut self, jacobian: &Pattern, stiffness: &Pattern) -> Option<()> {
        let modes = self.velocities.start;
        let [one, two] = self.bodies.map(|body| VELOCITIES * body);
        let starts = |pattern: &Pattern, row: usize, offset: usize| {
            Some([
                pattern.position(row, one + offset)?,
                pattern.position(row, two + offset)?,
                pattern.position(row, modes)?,
            ])
        };
        let rows = self.range();
        self.jacobian = rows
            .map(|row| starts(jacobian, row, 0))
            .collect::<Option<_>>()?;
        let rows = (one + 3..one + 6)
            .chain(two + 3..two + 6)
            .chain(self.velocities.clone());
        self.stiffness = rows
            .map(|row| starts(stiffness, row, 3))
            .collect::<Option<_>>()?;
        Some(())
    }

    fn pair(&self, q: &[f64], v: &[f64]) -> [Kinematics; 2] {
        self.bodies.map(|body| Kinematics::read(Some(body), q, v))
    }

    /// g of any numbers.
    pub fn level<S: Scalar>(
        &self,
        [frame, marker]: &[Kinematics<S>; 2],
        eta: &impl Fn(usize) -> S,
    ) -> [S; ROWS] {
        let place = frame.position + frame.rotation * self.node.place(eta) - marker.position;
        let between = self.between(frame, marker, eta);
        let [x, y, z] = place.into();
        let [a, b, c] = rotation::vee(&std::array::from_fn(|index| {
            between[(index / 3, index % 3)]
        }));
        [x, y, z, a, b, c]
    }

    /// D.
    fn between<S: Scalar>(
        &self,
        frame: &Kinematics<S>,
        marker: &Kinematics<S>,
        eta: &impl Fn(usize) -> S,
    ) -> Matrix3<S> {
        let turn = ModalNode::rotation(&self.node.turn(eta));
        (frame.rotation * turn).tr_mul(&marker.rotation)
    }

    /// The columns of G: six of the frame, six of the marker, then the modes; rows of place and of orientation.
    fn columns<S: Scalar>(
        &self,
        [frame, marker]: &[Kinematics<S>; 2],
        eta: &impl Fn(usize) -> S,
        mut each: impl FnMut(usize, Vector3<S>, Vector3<S>),
    ) {
        let turn = self.node.turn(eta);
        let between = self.between(frame, marker, eta);
        let half = S::constant(0.5);
        let whole = Matrix3::identity() * between.trace();
        let by_marker = (whole - between.transpose()) * half;
        // δ_B is in the axes of the marker, the frame's own rotation in those of the frame.
        let by_frame = (between - whole) * half * ModalNode::rotation(&turn).transpose();
        let arm = self.node.place(eta);
        let zero: Vector3<S> = Vector3::zeros();
        for axis in 0..3 {
            let mut unit = zero;
            unit[axis] = S::one();
            each(axis, unit, zero);
            let swung = frame.rotation * unit.cross(&arm);
            each(3 + axis, swung, by_frame * unit);
            each(6 + axis, -unit, zero);
            each(9 + axis, zero, by_marker * unit);
        }
        for mode in 0..self.velocities.len() {
            let moved = frame.rotation * self.node.shape(mode, eta);
            let spun = by_frame * self.node.spin(mode, &turn);
            each(PAIR + mode, moved, spun);
        }
    }

    /// The velocity that belongs to a column.
    fn velocity(&self, v: &[f64], column: usize) -> f64 {
        let [one, two] = self.bodies.map(|body| VELOCITIES * body);
        match column {
            0..VELOCITIES => v[one + column],
            VELOCITIES..PAIR => v[two + column - VELOCITIES],
            _ => v[self.velocities.start + column - PAIR],
        }
    }

    /// First directions of chunks: the twelve of both bodies, then the modes by twelves.
    fn chunks(&self) -> impl Iterator<Item = usize> {
        (0..PAIR + self.velocities.len()).step_by(PAIR)
    }

    /// A direction of both bodies and the modes, among those of both rotations and the modes.
    fn spinning(&self, direction: usize) -> Option<usize> {
        match direction {
            3..6 => Some(direction - 3),
            9..PAIR => Some(direction - 6),
            _ if direction < PAIR => None,
            _ if direction < PAIR + self.velocities.len() => Some(direction - 6),
            _ => None,
        }
    }

    fn stiffness_row(&self, column: usize) -> Option<&Starts> {
        self.stiffness.get(self.spinning(column)?)
    }

    /// Writes gradients by the directions of a chunk into the rows.
    fn write(&self, first: usize, rows: &[Varied; ROWS], out: &mut [f64]) {
        let directions = PAIR + self.velocities.len();
        for (starts, row) in self.jacobian.iter().zip(rows) {
            for (direction, part) in (first..directions).zip(row.gradient) {
                out[entry_at(starts, direction, VELOCITIES)] = part;
            }
        }
    }
}

impl MarkerRows for Tie {
    fn name(&self) -> &str {
        &self.name
    }

    fn range(&self) -> Range<usize> {
        self.first_row..self.first_row + ROWS
    }

    fn label(&self, row: usize) -> String {
        let own = row - self.first_row;
        let axis = ["x", "y", "z"][own % 3];
        let what = match own {
            0..3 => format!("displacement along {axis}"),
            _ => format!("rotation about its {axis}"),
        };
        format!("marker '{}': {what}", self.name)
    }

    fn is_opposed(&self, q: &[f64]) -> bool {
        let eta = |mode: usize| q[self.coordinates.start + mode];
        let [frame, marker] = self.pair(q, &[]);
        is_far(&self.between(&frame, &marker, &eta))
    }

    fn residual(&self, q: &[f64], out: &mut [f64]) {
        let eta = |mode: usize| q[self.coordinates.start + mode];
        let level = self.level(&self.pair(q, &[]), &eta);
        out[self.range()].copy_from_slice(&level);
    }

    fn jacobian(&self, q: &[f64], out: &mut [f64]) {
        let eta = |mode: usize| q[self.coordinates.start + mode];
        self.columns(&self.pair(q, &[]), &eta, |column, place, turn| {
            for (starts, entry) in self.jacobian.iter().zip(place.iter().chain(&turn)) {
                out[entry_at(starts, column, VELOCITIES)] = *entry;
            }
        });
    }

    fn rate(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        let eta = |mode: usize| q[self.coordinates.start + mode];
        let out = &mut out[self.range()];
        out.fill(0.0);
        self.columns(&self.pair(q, &[]), &eta, |column, place, turn| {
            let velocity = self.velocity(v, column);
            for (row, entry) in out.iter_mut().zip(place.iter().chain(&turn)) {
                *row += entry * velocity;
            }
        });
    }

    fn bias(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        let resting = Kinematics::ground();
        let curve = self.pair(q, v).map(|body| body.along(&resting));
        let eta = |mode: usize| {
            let (eta, rate) = (self.coordinates.start + mode, self.velocities.start + mode);
            Taylor2::new(q[eta], v[rate], 0.0)
        };
        let level = self.level(&curve, &eta);
        for (slot, level) in out[self.range()].iter_mut().zip(level) {
            *slot = level.second;
        }
    }

    fn subtract_stiffness(&self, q: &[f64], lambda: &[f64], out: &mut [f64]) {
        let lambda = &lambda[self.range()];
        if lambda.iter().all(|multiplier| *multiplier == 0.0) {
            return;
        }
        let bodies = self.pair(q, &[]);
        for first in self.chunks() {
            let eta = |mode: usize| varied(first, mode, q[self.coordinates.start + mode]);
            self.columns(&displaced(first, &bodies), &eta, |column, place, turn| {
                // Forces at the origins stay as they are.
                let Some(starts) = self.stiffness_row(column) else {
                    return;
                };
                let mut force = Varied::constant(0.0);
                for (entry, multiplier) in place.iter().chain(&turn).zip(lambda) {
                    force -= *entry * *multiplier;
                }
                for (part, direction) in force.gradient.iter().zip(first..) {
                    if let Some(direction) = self.spinning(direction) {
                        out[entry_at(starts, direction, 3)] += part;
                    }
                }
            });
        }
    }

    fn rate_jacobian(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        let bodies = self.pair(q, &[]);
        for first in self.chunks() {
            let eta = |mode: usize| varied(first, mode, q[self.coordinates.start + mode]);
            let mut rows = [Varied::constant(0.0); ROWS];
            self.columns(&displaced(first, &bodies), &eta, |column, place, turn| {
                let velocity = self.velocity(v, column);
                for (row, entry) in rows.iter_mut().zip(place.iter().chain(&turn)) {
                    *row += *entry * velocity;
                }
            });
            self.write(first, &rows, out);
        }
    }

    fn acceleration_jacobian(
        &self,
        [q, v, acceleration]: [&[f64]; 3],
        by_position: &mut [f64],
        by_velocity: &mut [f64],
    ) {
        let bodies = self.pair(q, v);
        let accelerated = self.pair(q, acceleration);
        let resting = Kinematics::ground();
        let constant = |from: usize, mode: usize, of: &[f64]| Varied::from_value(of[from + mode]);
        for first in self.chunks() {
            let (eta_at, rate_at) = (self.coordinates.start, self.velocities.start);
            let moved = displaced(first, &bodies);
            let curve = [0, 1].map(|side| moved[side].along(&accelerated[side]));
            let eta = |mode: usize| {
                let rate = constant(rate_at, mode, v);
                let bend = constant(rate_at, mode, acceleration);
                Taylor2::new(varied(first, mode, q[eta_at + mode]), rate, bend)
            };
            let rows = self.level(&curve, &eta).map(|level| level.second);
            self.write(first, &rows, by_position);
            let faster = match first {
                0 => [bodies[0].accelerated(0), bodies[1].accelerated(VELOCITIES)],
                _ => bodies.map(|body| body.constant()),
            };
            let curve = faster.map(|body| body.along(&resting));
            let eta = |mode: usize| {
                let rate = varied(first, mode, v[rate_at + mode]);
                let rest = Varied::constant(0.0);
                Taylor2::new(constant(eta_at, mode, q), rate, rest)
            };
            let rows = self.level(&curve, &eta).map(|level| level.second);
            self.write(first, &rows, by_velocity);
        }
    }
}

/// The place of a column: so many of each body, then the modes.
fn entry_at([one, two, modes]: &Starts, column: usize, each: usize) -> usize {
    if column < each {
        one + column
    } else if column < 2 * each {
        two + column - each
    } else {
        modes + column - 2 * each
    }
}

/// Both bodies displaced, in the first chunk.
fn displaced(first: usize, bodies: &[Kinematics; 2]) -> [Kinematics<Varied>; 2] {
    match first {
        0 => [bodies[0].displaced(0), bodies[1].displaced(VELOCITIES)],
        _ => bodies.map(|body| body.constant()),
    }
}

/// A number of a mode, which is the variable of its direction if that is in the chunk.
fn varied(first: usize, mode: usize, value: f64) -> Varied {
    match (PAIR + mode).checked_sub(first) {
        Some(place) if place < PAIR => Varied::variable(value, place),
        _ => Varied::from_value(value),
    }
}
