//! A joint in an assembled mechanism: two markers, its rows, and where they go in the matrices.

use super::custom::{CustomEquations, Evaluate, Own};
use super::error::AssemblyError;
use super::joint::{JointId, JointKind};
use super::joint_stiffness::JointStiffness;
use super::kinematics::{Kinematics, PAIR, VELOCITIES};
use super::layout::PairPlaces;
use super::marker::{Marker, Side};
use super::motion::Motion;
use super::placed::Placed;
use super::point_rows::PointRows;
use super::row::{Constraint, Couplings, Gradient, Row, Spin};
use super::row_entries::RowEntries;
use liedae::linalg::Pattern;
use liedae::scalar::{Dual, Scalar};
use nalgebra::{Matrix3, Vector3};
use std::ops::Range;

/// A joint with its frames and equations.
#[derive(Clone, Debug)]
pub(crate) struct Connection {
    pub name: String,
    pub kind: JointKind,
    pub bodies: [Option<usize>; 2],
    pub markers: [Marker; 2],
    pub rows: Vec<Row>,
    /// First row in the system.
    pub first_row: usize,
    /// Which entries rows have for each body, once they are located.
    pub row_entries: RowEntries,
    /// For each row where its entries of body 1 and of body 2 start in the values of the Jacobian.
    pub positions: Vec<[Option<usize>; 2]>,
    /// Where the derivatives of the joint's wrenches are in the values of the stiffness pattern.
    pub(crate) stiffness: Option<PairPlaces>,
    /// The same equations in closed form, if both points are all that they depend on.
    points: Option<PointRows>,
    needs_axes: bool,
}

impl Connection {
    pub fn new(
        name: String,
        kind: JointKind,
        bodies: [Option<usize>; 2],
        markers: [Marker; 2],
        mut rows: Vec<Row>,
    ) -> Self {
        rows.shrink_to_fit();
        let needs_axes = rows.iter().any(Row::needs_axes);
        Self {
            name,
            kind,
            bodies,
            markers,
            rows,
            first_row: 0,
            row_entries: RowEntries::default(),
            positions: Vec::new(),
            stiffness: None,
            points: None,
            needs_axes,
        }
    }

    /// What the forces and moments of this joint depend on; anything, for equations of one's own.
    pub fn couplings(&self) -> Couplings {
        let mut couplings = [[self.own().is_some(); 4]; 4];
        for row in &self.rows {
            for (all, own) in couplings.iter_mut().zip(row.constraint.couplings()) {
                for (all, own) in all.iter_mut().zip(own) {
                    *all |= own;
                }
            }
        }
        couplings
    }

    /// Number of rows.
    pub fn count(&self) -> usize {
        self.own().map_or(self.rows.len(), CustomEquations::rows)
    }

    /// Rows in the system.
    pub fn range(&self) -> Range<usize> {
        self.first_row..self.first_row + self.count()
    }

    /// Whether this is a ball joint that holds its points together along the axes of the world, in their order.
    pub fn is_ball(&self) -> bool {
        let axes = [Vector3::x(), Vector3::y(), Vector3::z()];
        let stands = |(row, axis): (&Row, Vector3<f64>)| {
            row.constraint == Constraint::Coordinate(axis)
                && matches!(row.motion, Motion::Constant(0.0))
        };
        matches!(self.kind, JointKind::Spherical)
            && self.rows.len() == axes.len()
            && self.rows.iter().zip(axes).all(stands)
    }

    /// The equations of a joint of one's own, which has no basic constraints.
    pub fn own(&self) -> Option<&CustomEquations> {
        self.kind.custom()
    }

    /// Whether the equations are those of two points in closed form.
    #[cfg(test)]
    pub fn joins_points(&self) -> bool {
        self.points.is_some()
    }

    /// Whether a row is the distance of both points.
    pub fn measures_distance(&self) -> bool {
        let mut rows = self.rows.iter();
        rows.any(|row| row.constraint == Constraint::Distance)
    }

    /// Whether the rows are stated at the level of velocities.
    pub fn is_nonholonomic(&self) -> bool {
        self.own().is_some_and(CustomEquations::is_nonholonomic)
    }

    /// Fixes where the rows are in the Jacobian and in the stiffness.
    pub fn locate(&mut self, row_entries: RowEntries, jacobian: &Pattern, stiffness: &Pattern) {
        self.points = PointRows::new(&self.rows, &self.markers, self.bodies, stiffness);
        if self.points.is_none() {
            self.stiffness = Some(PairPlaces::new(stiffness, &self.bodies));
        }
        let start = |index: usize, body: Option<usize>| {
            let first = row_entries.velocities(index).next()?;
            jacobian.position(self.first_row + index, VELOCITIES * body? + first)
        };
        self.positions = (0..self.count())
            .map(|index| self.bodies.map(|body| start(index, body)))
            .collect();
        self.row_entries = row_entries;
    }

    /// Whether the values in the rows of this joint are finite.
    pub fn is_finite(&self, rows: &[f64]) -> bool {
        rows[self.range()].iter().all(|value| value.is_finite())
    }

    /// Whether the entries of this joint in a matrix of the Jacobian's pattern are finite.
    pub fn has_finite_entries(&self, values: &[f64]) -> bool {
        let mut starts = self.positions.iter().flatten().flatten();
        starts.all(|&start| {
            let entries = &values[start..start + self.row_entries.count()];
            entries.iter().all(|entry| entry.is_finite())
        })
    }

    /// Both bodies at a point of the system.
    pub fn kinematics<S: Scalar>(&self, q: &[S], v: &[S]) -> [Kinematics<S>; 2] {
        self.bodies.map(|body| Kinematics::read(body, q, v))
    }

    /// Both joint frames in the world.
    pub fn sides<S: Scalar>(&self, bodies: &[Kinematics<S>; 2]) -> [Side<S>; 2] {
        [0, 1].map(|side| self.markers[side].side(&bodies[side], self.needs_axes))
    }

    /// Both joint frames in the world with their axes, which reactions are expressed in.
    pub fn sides_with_axes<S: Scalar>(&self, bodies: &[Kinematics<S>; 2]) -> [Side<S>; 2] {
        [0, 1].map(|side| self.markers[side].side(&bodies[side], true))
    }

    /// As [`Connection::sides`] at a point of a run, with the axes that rows ask for.
    #[inline]
    fn placed<'a>(&'a self, q: &'a [f64]) -> [Placed<'a>; 2] {
        let [one, two] = &self.markers;
        [
            Placed::new(one, self.bodies[0], q),
            Placed::new(two, self.bodies[1], q),
        ]
    }

    /// Velocities of both bodies in the world.
    pub fn spins<S: Scalar>(bodies: &[Kinematics<S>; 2]) -> [Spin<S>; 2] {
        [0, 1].map(|side| Spin {
            velocity: bodies[side].velocity,
            omega: bodies[side].angular_velocity(),
        })
    }

    /// Writes g into the rows of this joint.
    pub fn residual<S: Scalar>(&self, t: S, q: &[S], out: &mut [S])
    where
        dyn Own: Evaluate<S>,
    {
        let bodies = self.kinematics(q, &[]);
        if let Some(own) = self.own() {
            return self.own_residual(own, t, &bodies, out);
        }
        let sides = self.sides(&bodies);
        for (row, slot) in self.rows.iter().zip(&mut out[self.range()]) {
            *slot = row.residual(t, &sides);
        }
    }

    /// Writes G v + g_t into the rows of this joint.
    pub fn rate(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) {
        let bodies = self.kinematics(q, v);
        if let Some(own) = self.own() {
            return self.own_rate(own, t, &bodies, out);
        }
        let (sides, spins) = (self.sides(&bodies), Self::spins(&bodies));
        for (row, slot) in self.rows.iter().zip(&mut out[self.range()]) {
            *slot = row.rate(t, &sides, &spins);
        }
    }

    /// Writes γ into the rows of this joint.
    pub fn bias(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) {
        let bodies = self.kinematics(q, v);
        if let Some(own) = self.own() {
            return self.own_bias(own, t, &bodies, out);
        }
        let (sides, spins) = (self.sides(&bodies), Self::spins(&bodies));
        for (row, slot) in self.rows.iter().zip(&mut out[self.range()]) {
            *slot = row.bias(t, &sides, &spins);
        }
    }

    /// As [`Connection::residual`] at a point of a run.
    pub fn residual_at(&self, t: f64, q: &[f64], out: &mut [f64]) {
        match &self.points {
            Some(points) => points.residual(&self.rows, t, q, &mut out[self.range()]),
            None if self.own().is_some() => self.residual(t, q, out),
            None => {
                let sides = self.placed(q);
                for (row, slot) in self.rows.iter().zip(&mut out[self.range()]) {
                    *slot = row.residual(t, &sides);
                }
            }
        }
    }

    /// Writes the rows of G.
    pub fn jacobian(&self, t: f64, q: &[f64], out: &mut [f64]) {
        if let Some(points) = &self.points {
            let places = (self.row_entries, &self.positions[..]);
            return points.jacobian(&self.rows, q, places, out);
        }
        if let Some(own) = self.own() {
            return self.own_jacobian(own, t, &self.kinematics(q, &[]), out);
        }
        let sides = self.placed(q);
        for (index, (row, positions)) in self.rows.iter().zip(&self.positions).enumerate() {
            let gradient = row.gradient(t, &sides);
            for (side, frame) in sides.iter().enumerate() {
                if let Some(start) = positions[side] {
                    let all = frame.column(&gradient, side);
                    self.row_entries.write(index, &all, &mut out[start..]);
                }
            }
        }
    }

    /// Both bodies displaced by the twelve parameters of a pair.
    fn displaced(bodies: &[Kinematics; 2]) -> [Kinematics<Dual<PAIR>>; 2] {
        [bodies[0].displaced(0), bodies[1].displaced(VELOCITIES)]
    }

    /// Subtracts the derivative of the joint's wrenches Gᵀ λ by the configuration.
    pub fn subtract_stiffness(&self, t: f64, q: &[f64], lambda: &[f64], out: &mut [f64]) {
        if let Some(points) = &self.points {
            return points.subtract_stiffness(&self.rows, q, &lambda[self.range()], out);
        }
        let Some(places) = &self.stiffness else {
            return;
        };
        if let Some(own) = self.own() {
            let bodies = self.kinematics(q, &[]);
            return self.subtract_own_stiffness(own, t, &bodies, lambda, out);
        }
        let sides = self.placed(q);
        let mut stiffness = JointStiffness::zero();
        for (row, &multiplier) in self.rows.iter().zip(&lambda[self.range()]) {
            stiffness.add(row, t, &sides, multiplier);
        }
        stiffness.subtract(&sides, places, out);
    }

    /// Writes the derivatives of G v + g_t by the configuration.
    pub fn rate_jacobian(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) {
        let bodies = self.kinematics(q, v);
        if let Some(own) = self.own() {
            return self.own_rate_jacobian(own, t, &bodies, out);
        }
        let bodies = Self::displaced(&bodies);
        let (sides, spins) = (self.sides(&bodies), Self::spins(&bodies));
        for (index, row) in self.rows.iter().enumerate() {
            self.write(index, &row.rate(t, &sides, &spins).gradient, out);
        }
    }

    /// Writes the derivatives of G a + γ by the configuration and of γ by the velocity.
    pub fn acceleration_jacobian(
        &self,
        t: f64,
        [q, v, acceleration]: [&[f64]; 3],
        by_position: &mut [f64],
        by_velocity: &mut [f64],
    ) {
        let bodies = self.kinematics(q, v);
        let accelerated = self.kinematics(q, acceleration);
        if let Some(own) = self.own() {
            let arguments = [&bodies, &accelerated];
            return self.own_acceleration_jacobian(own, t, arguments, by_position, by_velocity);
        }
        // ∂(G v' + γ)/∂q with v' held.
        let displaced = Self::displaced(&bodies);
        let (sides, spins) = (self.sides(&displaced), Self::spins(&displaced));
        for (index, row) in self.rows.iter().enumerate() {
            let gradient = row.gradient(t, &sides);
            let mut level = row.bias(t, &sides, &spins);
            for side in 0..2 {
                let entries = column(&gradient, side, &displaced[side].rotation);
                let body = &accelerated[side];
                let parts = body.velocity.iter().chain(body.omega.iter());
                // G v' written out, so that its entries are differentiated with the rest.
                for (entry, &part) in entries.iter().zip(parts) {
                    level += *entry * part;
                }
            }
            self.write(index, &level.gradient, by_position);
        }
        // G does not depend on velocities: only γ is differentiated by v.
        let faster = [bodies[0].accelerated(0), bodies[1].accelerated(VELOCITIES)];
        let (sides, spins) = (self.sides(&faster), Self::spins(&faster));
        for (index, row) in self.rows.iter().enumerate() {
            self.write(index, &row.bias(t, &sides, &spins).gradient, by_velocity);
        }
    }

    /// Writes a gradient by the twelve parameters of the pair into one row.
    pub(crate) fn write(&self, index: usize, gradient: &[f64; PAIR], out: &mut [f64]) {
        let halves = gradient.as_chunks().0;
        for (start, part) in self.positions[index].iter().zip(halves) {
            if let Some(start) = *start {
                self.row_entries.write(index, part, &mut out[start..]);
            }
        }
    }

    /// The force on body 2 and the torque on it about its joint point, world frame, that these multipliers exert.
    pub fn reaction(
        &self,
        t: f64,
        bodies: &[Kinematics; 2],
        lambda: &[f64],
    ) -> (Vector3<f64>, Vector3<f64>) {
        let sides = &self.sides_with_axes(bodies);
        // The multiplier pushes body 2 along the gradient.
        if let Some(own) = self.own() {
            let wrench = self.own_wrenches(own, t, bodies, lambda)[1];
            let moment = bodies[1].rotation * wrench.torque;
            // From the body's origin to the point of the joint.
            return (wrench.force, moment - sides[1].arm.cross(&wrench.force));
        }
        let (mut force, mut moment) = (Vector3::zeros(), Vector3::zeros());
        for (row, &multiplier) in self.rows.iter().zip(&lambda[self.range()]) {
            let gradient = row.gradient(t, sides);
            force += gradient.force * multiplier;
            moment += gradient.moments[1] * multiplier;
        }
        (force, moment - sides[1].arm.cross(&force))
    }

    /// The force on body 1 and the torque on it about its joint point, world frame, that these multipliers exert.
    pub fn counter_reaction(
        &self,
        t: f64,
        bodies: &[Kinematics; 2],
        lambda: &[f64],
    ) -> (Vector3<f64>, Vector3<f64>) {
        let sides = &self.sides_with_axes(bodies);
        if let Some(own) = self.own() {
            let wrench = self.own_wrenches(own, t, bodies, lambda)[0];
            let moment = bodies[0].rotation * wrench.torque;
            return (wrench.force, moment - sides[0].arm.cross(&wrench.force));
        }
        let (mut force, mut moment) = (Vector3::zeros(), Vector3::zeros());
        for (row, &multiplier) in self.rows.iter().zip(&lambda[self.range()]) {
            let gradient = row.gradient(t, sides);
            force -= gradient.force * multiplier;
            moment += gradient.moments[0] * multiplier;
        }
        (force, moment - sides[0].arm.cross(&force))
    }
}

/// The six entries of G of one side: derivatives by r' (world frame) and by ω (body frame).
pub(crate) fn column<S: Scalar>(
    gradient: &Gradient<S>,
    side: usize,
    rotation: &Matrix3<S>,
) -> [S; VELOCITIES] {
    let force = if side == 0 {
        -gradient.force
    } else {
        gradient.force
    };
    // Moments are in the world, body velocities of rotation in the body: torque = Aᵀ m.
    let torque = rotation.tr_mul(&gradient.moments[side]);
    [force.x, force.y, force.z, torque.x, torque.y, torque.z]
}

/// Resolved joints in the order of their rows.
pub(crate) struct Joints {
    pub connections: Vec<Connection>,
    /// Place among the connections of every joint, in order of addition.
    pub order: Vec<usize>,
}

impl Joints {
    pub fn find(&self, joint: JointId, element: &str) -> Result<&Connection, AssemblyError> {
        self.order
            .get(joint.0)
            .and_then(|&place| self.connections.get(place))
            .ok_or_else(|| AssemblyError::UnknownJoint {
                element: element.to_owned(),
                joint: joint.0,
                joints: self.order.len(),
            })
    }
}
