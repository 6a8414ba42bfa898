//! Ball joints as long mechanisms read them: all that their equations need in one line of the cache.
//!
//! With s the point in the body frame, A the rotation and σ = 1 for body 2, -1 for body 1, the rows are g = r₂ + A₂
//! s₂ - r₁ - A₁ s₁, and the three entries of G by ω in row k are σ s × aₖ with aₖ the row k of A. [`Connection`] states
//! the same more generally; a chain of ten thousand links would read half a kilobyte of it for each joint.

use super::connection::Connection;
use super::kinematics::{COORDINATES, Kinematics, Pose, VELOCITIES, rotate};
use super::row::Spin;
use super::row_entries::POINT_ENTRIES;
use liedae::memory::fetch;
use liedae::system::Point;
use nalgebra::Vector3;

/// Number of a body that is the ground.
const GROUND: u32 = u32::MAX;

/// A ball joint between two bodies, or a body and the ground.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct BallJoint {
    /// From the centres of mass, body frames; for the ground in the world.
    points: [[f64; 3]; 2],
    bodies: [u32; 2],
    first_row: u32,
    /// Where the first row begins among the values of G.
    first_entry: u32,
}

impl BallJoint {
    /// `None` unless the joint is a ball joint whose entries stand as those of two bodies do.
    pub fn new(joint: &Connection) -> Option<Self> {
        if !joint.is_ball() {
            return None;
        }
        let number = |body: Option<usize>| match body {
            None => Some(GROUND),
            Some(body) => u32::try_from(body).ok().filter(|&body| body != GROUND),
        };
        let first_entry = joint.positions.first()?.iter().flatten().min()?;
        let packed = Self {
            points: joint.markers.map(|marker| marker.point.into()),
            bodies: [number(joint.bodies[0])?, number(joint.bodies[1])?],
            first_row: u32::try_from(joint.first_row).ok()?,
            first_entry: u32::try_from(*first_entry).ok()?,
        };
        let as_stated = joint.positions.iter().enumerate().all(|(row, places)| {
            let count = joint.row_entries.count();
            let own = [0, 1].map(|side| packed.body(side).map(|_| packed.entry(count, row, side)));
            own == *places
        });
        as_stated.then_some(packed)
    }

    fn body(&self, side: usize) -> Option<usize> {
        (self.bodies[side] != GROUND).then_some(self.bodies[side] as usize)
    }

    /// Where the entries of a body in a row begin, so many for each body. Bodies stand by their numbers, which the ground is
    /// behind.
    #[inline(always)]
    fn entry(&self, count: usize, row: usize, side: usize) -> usize {
        let is_pair = !self.bodies.contains(&GROUND);
        let width = if is_pair { 2 * count } else { count };
        let is_second = is_pair && self.bodies[side] > self.bodies[1 - side];
        self.first_entry as usize + row * width + if is_second { count } else { 0 }
    }

    fn pose<'a>(&self, side: usize, q: &'a [f64]) -> Option<&'a Pose> {
        q.get(COORDINATES * self.body(side)?..)?
            .as_chunks()
            .0
            .first_chunk()
    }

    fn rows<'a>(&self, out: &'a mut [f64]) -> Option<&'a mut [f64; 3]> {
        out.get_mut(self.first_row as usize..)?.first_chunk_mut()
    }

    /// Asks for the rows of G, as they are going to be written.
    #[inline(always)]
    pub fn fetch_entries<const N: usize>(&self, entries: &[f64]) {
        fetch(entries, self.first_entry as usize, 2 * 3 * N);
    }

    /// Asks for where the last of its bodies is and how it moves, as far as these lists reach: the other one has been
    /// read for the joint before.
    #[inline(always)]
    pub fn fetch_motion(&self, q: &[f64], v: &[f64]) {
        if let Some(body) = self.end().checked_sub(1) {
            fetch(q, body * COORDINATES, COORDINATES);
            fetch(v, body * VELOCITIES, VELOCITIES);
        }
    }

    /// The point in the world.
    #[inline]
    fn place(&self, side: usize, q: &[f64]) -> [f64; 3] {
        let [x, y, z] = self.points[side];
        match self.pose(side, q) {
            None => [x, y, z],
            Some([place, rows @ ..]) => std::array::from_fn(|axis| {
                let row = rows[axis];
                place[axis] + (row[0] * x + row[1] * y + row[2] * z)
            }),
        }
    }

    /// Writes g(q) times a factor.
    #[inline]
    pub fn residual(&self, q: &[f64], factor: f64, out: &mut [f64]) {
        let (one, two) = (self.place(0, q), self.place(1, q));
        if let Some(rows) = self.rows(out) {
            *rows = std::array::from_fn(|axis| factor * (two[axis] - one[axis]));
        }
    }

    /// One past the last of its bodies.
    pub fn end(&self) -> usize {
        let last = [0, 1].into_iter().filter_map(|side| self.body(side)).max();
        last.map_or(0, |last| last + 1)
    }

    /// A body and what these multipliers exert on it, its part of Gᵀ λ; `None` for the ground.
    #[inline]
    pub fn reaction(&self, side: usize, at: &Point) -> Option<(usize, [f64; VELOCITIES])> {
        let body = self.body(side)?;
        let [_, rotation @ ..] = self.pose(side, at.q)?;
        let lambda = at
            .lambda
            .get(self.first_row as usize..)?
            .first_chunk::<3>()?;
        let [fx, fy, fz] = lambda.map(|force| if side == 0 { -force } else { force });
        // s × Aᵀ F.
        let [u, v, w]: [f64; 3] = std::array::from_fn(|axis| {
            rotation[0][axis] * fx + rotation[1][axis] * fy + rotation[2][axis] * fz
        });
        let [x, y, z] = self.points[side];
        Some((
            body,
            [fx, fy, fz, y * w - z * v, z * u - x * w, x * v - y * u],
        ))
    }

    /// Writes the rows of G, with so many entries for each body.
    #[inline]
    pub fn jacobian<const N: usize>(&self, q: &[f64], out: &mut [f64]) {
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let Some([_, rotation @ ..]) = self.pose(side, q) else {
                continue;
            };
            let [x, y, z] = self.points[side];
            for (axis, row) in rotation.iter().enumerate() {
                let [u, v, w] = row.map(|entry| sign * entry);
                let turning = [y * w - z * v, z * u - x * w, x * v - y * u];
                let mut entries = [0.0; N];
                entries[if N == POINT_ENTRIES { 0 } else { axis }] = sign;
                entries[N - turning.len()..].copy_from_slice(&turning);
                let first = self.entry(N, axis, side);
                out[first..first + N].copy_from_slice(&entries);
            }
        }
    }

    /// The arm of each body in the world, and how both move.
    fn motion(&self, q: &[f64], v: &[f64]) -> [(Vector3<f64>, Spin); 2] {
        [0, 1].map(|side| {
            let body = Kinematics::read(self.body(side), q, v);
            let spin = Spin {
                velocity: body.velocity,
                omega: body.angular_velocity(),
            };
            (rotate(&body.rotation, &self.points[side].into()), spin)
        })
    }

    /// Writes G v.
    pub fn rate(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        let [(one, first), (two, second)] = self.motion(q, v);
        let rate = second.velocity + second.rate(&two) - first.velocity - first.rate(&one);
        if let Some(rows) = self.rows(out) {
            *rows = rate.into();
        }
    }

    /// Writes the bias γ of G v' + γ = 0.
    pub fn bias(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        let [(one, first), (two, second)] = self.motion(q, v);
        let bias = second.centripetal(&two) - first.centripetal(&one);
        if let Some(rows) = self.rows(out) {
            *rows = bias.into();
        }
    }
}
