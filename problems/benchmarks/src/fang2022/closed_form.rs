//! Motions in closed form: vectors with two time derivatives, and what rigid bodies need to follow them.

use liedae::scalar::{Scalar, Taylor2};
use nalgebra::{Matrix3, Vector3};

/// A vector with its first and second time derivatives.
pub(crate) type MovingVector = Vector3<Taylor2>;

/// A vector that does not move.
pub(crate) fn fixed(x: f64, y: f64, z: f64) -> MovingVector {
    Vector3::new(x, y, z).map(Taylor2::constant)
}

/// Present value.
pub(crate) fn value(vector: &MovingVector) -> Vector3<f64> {
    vector.map(|part| part.value)
}

/// First derivative.
pub(crate) fn rate(vector: &MovingVector) -> Vector3<f64> {
    vector.map(|part| part.first)
}

/// Second derivative.
pub(crate) fn second(vector: &MovingVector) -> Vector3<f64> {
    vector.map(|part| part.second)
}

/// The direction of a vector.
pub(crate) fn unit(vector: MovingVector) -> MovingVector {
    vector * vector.dot(&vector).sqrt().recip()
}

/// A moving body: its centre of mass and its axes in the fixed frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MovingBody {
    pub center: MovingVector,
    pub axes: [MovingVector; 3],
}

/// Where a body is and how it moves, all in the fixed frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Posture {
    pub center: Vector3<f64>,
    pub velocity: Vector3<f64>,
    pub rotation: Matrix3<f64>,
    pub omega: Vector3<f64>,
}

impl MovingBody {
    /// Position and velocity.
    pub fn posture(&self) -> Posture {
        Posture {
            center: value(&self.center),
            velocity: rate(&self.center),
            rotation: self.rotation(),
            omega: self.omega(),
        }
    }

    /// The rotation matrix, body to world.
    pub fn rotation(&self) -> Matrix3<f64> {
        Matrix3::from_columns(&self.axes.each_ref().map(value))
    }

    /// Angular velocity in the fixed frame: the sum of e x e' over the axes is twice it.
    pub fn omega(&self) -> Vector3<f64> {
        self.axes
            .iter()
            .map(|axis| value(axis).cross(&rate(axis)) * 0.5)
            .sum()
    }

    /// Angular acceleration in the fixed frame: the sum of e x e'' over the axes is twice it, as the centripetal parts
    /// of three orthogonal axes cancel.
    pub fn alpha(&self) -> Vector3<f64> {
        self.axes
            .iter()
            .map(|axis| value(axis).cross(&second(axis)) * 0.5)
            .sum()
    }

    /// The torque about the centre of mass that the motion needs, for principal moments of inertia, fixed frame.
    pub fn torque(&self, inertia: [f64; 3]) -> Vector3<f64> {
        let rotation = self.rotation();
        let tensor =
            rotation * Matrix3::from_diagonal(&Vector3::from(inertia)) * rotation.transpose();
        let omega = self.omega();
        tensor * self.alpha() + omega.cross(&(tensor * omega))
    }

    /// The force that the motion needs beside gravity along -z.
    pub fn force(&self, mass: f64, gravity: f64) -> Vector3<f64> {
        (second(&self.center) + Vector3::z() * gravity) * mass
    }
}

/// Copies vectors one after the other into the columns of a reference.
pub(crate) fn write(out: &mut [f64], vectors: &[Vector3<f64>]) {
    for (slot, value) in out
        .iter_mut()
        .zip(vectors.iter().flat_map(|vector| vector.iter()))
    {
        *slot = *value;
    }
}
