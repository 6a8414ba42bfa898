//! Joint frames in plain numbers, read directly from the coordinates. Most evaluations of a run use them; they avoid copies of
//! bodies and of axes that no row needs.

use super::kinematics::{COORDINATES, Pose, VELOCITIES};
use super::marker::{Axis, JointFrame, Marker};
use super::row::Gradient;
use nalgebra::{Matrix3, Vector3};

/// The ground stands where the world does.
const GROUND: Pose = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
];

/// A joint frame on a body at a point of a run.
pub(crate) struct Placed<'a> {
    pose: &'a Pose,
    marker: &'a Marker,
    arm: Vector3<f64>,
}

impl<'a> Placed<'a> {
    /// The frame on a body, or on the ground.
    #[inline]
    pub fn new(marker: &'a Marker, body: Option<usize>, q: &'a [f64]) -> Self {
        let coordinates = body.and_then(|body| q.get(COORDINATES * body..));
        let pose = coordinates.and_then(|q| q.as_chunks().0.first_chunk());
        let pose = pose.unwrap_or(&GROUND);
        Self {
            pose,
            marker,
            arm: turned(pose, &marker.point),
        }
    }

    /// A of the body.
    pub fn rotation(&self) -> Matrix3<f64> {
        let [_, rows @ ..] = self.pose;
        Matrix3::from_fn(|row, column| rows[row][column])
    }

    /// The six entries of G of this side: derivatives by r' (world frame) and by ω (body frame).
    #[inline]
    pub fn column(&self, gradient: &Gradient, side: usize) -> [f64; VELOCITIES] {
        let force = if side == 0 {
            -gradient.force
        } else {
            gradient.force
        };
        let [_, x, y, z] = self.pose;
        let moment = &gradient.moments[side];
        // Moments are in the world, body velocities of rotation in the body: torque = Aᵀ m.
        let torque = |axis: usize| x[axis] * moment.x + y[axis] * moment.y + z[axis] * moment.z;
        [force.x, force.y, force.z, torque(0), torque(1), torque(2)]
    }
}

/// A direction of the body frame in the world.
#[inline]
fn turned([_, rows @ ..]: &Pose, local: &Vector3<f64>) -> Vector3<f64> {
    let along = |row: &[f64; 3]| row[0] * local.x + row[1] * local.y + row[2] * local.z;
    Vector3::new(along(&rows[0]), along(&rows[1]), along(&rows[2]))
}

impl JointFrame<f64> for Placed<'_> {
    #[inline]
    fn origin(&self) -> Vector3<f64> {
        Vector3::from(self.pose[0])
    }

    #[inline]
    fn arm(&self) -> Vector3<f64> {
        self.arm
    }

    #[inline]
    fn axis(&self, axis: Axis) -> Vector3<f64> {
        turned(
            self.pose,
            &self.marker.axes.column(axis as usize).into_owned(),
        )
    }
}
