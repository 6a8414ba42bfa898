//! Joint frames in the world, as the equations of a joint of one's own see them.

use crate::kinematics::{Kinematics, rotate};
use crate::marker::{Axis, Marker};
use liedae::scalar::Scalar;
use nalgebra::{Matrix3, Vector3};

/// Where a joint frame is.
#[derive(Clone, Copy, Debug)]
pub struct FramePose<S: Scalar = f64> {
    /// The joint's point in m, world frame.
    pub point: Vector3<S>,
    /// The axes x, y, z as columns, world frame.
    pub axes: Matrix3<S>,
}

impl<S: Scalar> FramePose<S> {
    /// One axis, a unit vector of the world.
    pub fn axis(&self, axis: Axis) -> Vector3<S> {
        self.axes.column(axis as usize).into_owned()
    }
}

/// Where a joint frame is and how it moves.
#[derive(Clone, Copy, Debug)]
pub struct FrameMotion<S: Scalar = f64> {
    /// Point and axes.
    pub pose: FramePose<S>,
    /// Velocity of the joint's point in m/s, world frame.
    pub velocity: Vector3<S>,
    /// Angular velocity of the body in rad/s, world frame.
    pub angular_velocity: Vector3<S>,
}

impl<S: Scalar> FrameMotion<S> {
    /// One axis, a unit vector of the world.
    pub fn axis(&self, axis: Axis) -> Vector3<S> {
        self.pose.axis(axis)
    }
}

impl Marker {
    /// The marker in the world with its body at `body`.
    pub(crate) fn motion<S: Scalar>(&self, body: &Kinematics<S>) -> FrameMotion<S> {
        let column = |index: usize| body.direction(&self.axes.column(index).into_owned());
        let arm = rotate(&body.rotation, &self.point);
        let angular_velocity = body.angular_velocity();
        FrameMotion {
            pose: FramePose {
                point: body.position + arm,
                axes: Matrix3::from_columns(&[column(0), column(1), column(2)]),
            },
            velocity: body.velocity + angular_velocity.cross(&arm),
            angular_velocity,
        }
    }
}
