//! Where a frame is.

use nalgebra::{Matrix3, Rotation3, UnitQuaternion};

use super::At;

/// The position and the orientation of a frame in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Its origin in m.
    pub position: [f64; 3],
    /// Its rotation matrix, frame to world, row by row.
    pub rotation: [f64; 9],
}

impl Default for Pose {
    /// The world's own.
    fn default() -> Self {
        Self {
            position: [0.0; 3],
            rotation: [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        }
    }
}

impl Pose {
    /// In the plane, turned by an angle in rad.
    pub fn plane([x, y]: [f64; 2], angle: f64) -> Self {
        let (sine, cosine) = angle.sin_cos();
        Self {
            position: [x, y, 0.0],
            rotation: [cosine, -sine, 0.0, sine, cosine, 0.0, 0.0, 0.0, 1.0],
        }
    }

    /// Not turned.
    pub fn at(position: [f64; 3]) -> Self {
        Self {
            position,
            ..Self::default()
        }
    }

    /// A point of the frame in the world.
    pub fn point(&self, local: impl Into<At>) -> [f64; 3] {
        let turned = self.direction(local);
        std::array::from_fn(|axis| self.position[axis] + turned[axis])
    }

    /// A direction of the frame in the world.
    pub fn direction(&self, local: impl Into<At>) -> [f64; 3] {
        let [x, y, z] = local.into().0;
        let row = |row: usize| {
            let [a, b, c] = [0, 1, 2].map(|column| self.rotation[3 * row + column]);
            a * x + b * y + c * z
        };
        [row(0), row(1), row(2)]
    }

    /// The angle about z in rad, between -π and π.
    pub fn angle(&self) -> f64 {
        self.rotation[3].atan2(self.rotation[0])
    }

    /// Hamilton's quaternion, scalar first and not negative.
    pub fn quaternion(&self) -> [f64; 4] {
        let matrix = Matrix3::from_row_slice(&self.rotation);
        let rotation = Rotation3::from_matrix_unchecked(matrix);
        let unit = UnitQuaternion::from_rotation_matrix(&rotation);
        let sign = if unit.w < 0.0 { -1.0 } else { 1.0 };
        [unit.w, unit.i, unit.j, unit.k].map(|part| sign * part)
    }
}
