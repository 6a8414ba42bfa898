//! Joints that hold two points together along fixed directions, in closed form: ball joints, and what else has rows
//! c·d = f(t) only.
//!
//! With s the point in the body frame, A the rotation and n = Σ λ c, the torque of the joint on its body is σ s × Aᵀ n in
//! the body frame, σ being 1 for body 2 and -1 for body 1. A small rotation A exp(hat δ) changes it by
//! σ (Aᵀ n sᵀ - s·Aᵀ n) δ, and nothing else changes anything.

use super::kinematics::{COORDINATES, Pose, VELOCITIES};
use super::marker::Marker;
use super::row::{Constraint, Row};
use super::row_entries::RowEntries;
use liedae::linalg::Pattern;
use nalgebra::{Matrix3, Vector3};

/// Both points of a joint, each on a body or on the ground.
#[derive(Clone, Debug)]
pub(crate) struct PointRows([End; 2]);

#[derive(Clone, Debug)]
struct End {
    /// From the centre of mass, body frame; for the ground in the world.
    point: Vector3<f64>,
    body: Option<usize>,
    /// Where the derivatives of the torque by the rotation are in the values of the stiffness pattern, row by row.
    stiffness: [usize; 3],
}

impl End {
    /// A of the body.
    fn rotation(&self, q: &[f64]) -> Option<Matrix3<f64>> {
        let q = q.get(COORDINATES * self.body? + 3..)?;
        q.first_chunk::<9>()
            .map(|q| Matrix3::from_row_slice(q.as_slice()))
    }

    /// The place of the body and the rows of A, as they stand.
    #[inline]
    fn pose<'a>(&self, q: &'a [f64]) -> Option<&'a Pose> {
        let q = q.get(COORDINATES * self.body?..)?;
        q.as_chunks().0.first_chunk()
    }

    /// The point in the world.
    #[inline]
    fn place(&self, q: &[f64]) -> Vector3<f64> {
        let p = &self.point;
        let Some([r, x, y, z]) = self.pose(q) else {
            return *p;
        };
        let along = |row: &[f64; 3]| row[0] * p.x + row[1] * p.y + row[2] * p.z;
        Vector3::new(r[0] + along(x), r[1] + along(y), r[2] + along(z))
    }
}

/// The direction c of a row.
fn direction(row: &Row) -> Option<&Vector3<f64>> {
    match &row.constraint {
        Constraint::Coordinate(direction) => Some(direction),
        _ => None,
    }
}

/// 1 for the force on body 2, -1 for that on body 1.
fn sign(side: usize) -> f64 {
    if side == 0 { -1.0 } else { 1.0 }
}

impl PointRows {
    /// The points of a joint; `None` unless all of its rows are of this kind.
    pub fn new(
        rows: &[Row],
        markers: &[Marker; 2],
        bodies: [Option<usize>; 2],
        stiffness: &Pattern,
    ) -> Option<Self> {
        if rows.is_empty() || !rows.iter().all(|row| direction(row).is_some()) {
            return None;
        }
        let end = |side: usize| {
            let mut places = [0; 3];
            if let Some(body) = bodies[side] {
                let first = VELOCITIES * body + 3;
                for (axis, place) in places.iter_mut().enumerate() {
                    *place = stiffness.position(first + axis, first)?;
                }
            }
            Some(End {
                point: markers[side].point,
                body: bodies[side],
                stiffness: places,
            })
        };
        Some(Self([end(0)?, end(1)?]))
    }

    /// Writes g(t, q).
    pub fn residual(&self, rows: &[Row], t: f64, q: &[f64], out: &mut [f64]) {
        let [one, two] = &self.0;
        let d = two.place(q) - one.place(q);
        for (row, slot) in rows.iter().zip(out) {
            let along = direction(row).map_or(0.0, |c| d.x * c.x + d.y * c.y + d.z * c.z);
            *slot = along - row.motion.value(t);
        }
    }

    /// Writes the rows of G, where these entries of both bodies start at these positions.
    pub fn jacobian(
        &self,
        rows: &[Row],
        q: &[f64],
        (entries, positions): (RowEntries, &[[Option<usize>; 2]]),
        out: &mut [f64],
    ) {
        for (side, end) in self.0.iter().enumerate() {
            let Some([_, x, y, z]) = end.pose(q) else {
                continue;
            };
            let p = &end.point;
            for (index, (row, starts)) in rows.iter().zip(positions).enumerate() {
                let (Some(start), Some(c)) = (starts[side], direction(row)) else {
                    continue;
                };
                let c = c * sign(side);
                // Aᵀ c, and p × Aᵀ c.
                let turned = |axis: usize| c.x * x[axis] + c.y * y[axis] + c.z * z[axis];
                let [u, v, w] = [turned(0), turned(1), turned(2)];
                let torque = [p.y * w - p.z * v, p.z * u - p.x * w, p.x * v - p.y * u];
                let all = [c.x, c.y, c.z, torque[0], torque[1], torque[2]];
                entries.write(index, &all, &mut out[start..]);
            }
        }
    }

    /// Subtracts the derivative of the wrenches Gᵀ λ by the configuration.
    pub fn subtract_stiffness(&self, rows: &[Row], q: &[f64], lambda: &[f64], out: &mut [f64]) {
        let mut force = Vector3::zeros();
        for (row, &multiplier) in rows.iter().zip(lambda) {
            force += direction(row).map_or_else(Vector3::zeros, |c| c * multiplier);
        }
        for (side, end) in self.0.iter().enumerate() {
            let Some(rotation) = end.rotation(q) else {
                continue;
            };
            let turned = rotation.tr_mul(&force) * sign(side);
            let along = end.point.dot(&turned);
            for (axis, &start) in end.stiffness.iter().enumerate() {
                for column in 0..3 {
                    let diagonal = if column == axis { along } else { 0.0 };
                    out[start + column] -= turned[axis] * end.point[column] - diagonal;
                }
            }
        }
    }
}
