//! Rigid bodies as the user states them.

use super::error::AssemblyError;
use super::kinematics::Kinematics;
use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};

/// A body of a mechanism, or the ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BodyId(pub(crate) Option<usize>);

impl BodyId {
    /// The ground, fixed in the world; its frame is the world frame.
    pub const GROUND: Self = Self(None);

    /// The number of the body in order of addition; `None` for the ground.
    pub fn index(self) -> Option<usize> {
        self.0
    }
}

/// Inertia tensor about the centre of mass, constant in the body frame, kg m².
///
/// ```
/// use liedae_multibody::{Inertia, RigidBody, Rotation3, Vector3};
///
/// // Principal moments, or a tensor: that of the same rod, turned by a quarter about z.
/// let along_x = Inertia::from([0.01, 0.3, 0.3]);
/// let turn = Rotation3::from_axis_angle(&Vector3::z_axis(), std::f64::consts::FRAC_PI_2).into_inner();
/// let along_y = Inertia::from(turn * along_x.0 * turn.transpose());
/// assert!((along_y.0[(0, 0)] - 0.3).abs() < 1e-15 && (along_y.0[(1, 1)] - 0.01).abs() < 1e-15);
/// let rod = RigidBody::new("rod", 2.0, along_y);
/// assert_eq!(rod.inertia, along_y.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inertia(pub Matrix3<f64>);

impl From<[f64; 3]> for Inertia {
    /// Principal moments along the body axes.
    fn from(moments: [f64; 3]) -> Self {
        Self(Matrix3::from_diagonal(&Vector3::from(moments)))
    }
}

impl From<Matrix3<f64>> for Inertia {
    fn from(tensor: Matrix3<f64>) -> Self {
        Self(tensor)
    }
}

/// A rigid body with its initial position and velocity.
#[derive(Clone, Debug, PartialEq)]
pub struct RigidBody {
    /// Name, unique among bodies.
    pub name: String,
    /// Mass in kg.
    pub mass: f64,
    /// Inertia tensor about the centre of mass in the body frame, kg m².
    pub inertia: Matrix3<f64>,
    /// Initial centre of mass in m, world frame.
    pub position: Vector3<f64>,
    /// Initial rotation matrix, body to world.
    pub rotation: Matrix3<f64>,
    /// Initial velocity of the centre of mass in m/s, world frame.
    pub velocity: Vector3<f64>,
    /// Initial angular velocity in rad/s, body frame.
    pub omega: Vector3<f64>,
    /// Accept principal moments that violate the triangle inequality.
    pub unphysical_inertia: bool,
}

/// How far an initial rotation may be from orthonormal.
const ROTATION_TOLERANCE: f64 = 1e-9;

/// How far the length of a quaternion may be from one: it is normalized.
pub(crate) const QUATERNION_TOLERANCE: f64 = 1e-6;

impl RigidBody {
    /// Where it is stated, and how it moves there.
    pub(crate) fn kinematics(&self) -> Kinematics {
        Kinematics {
            position: self.position,
            rotation: self.rotation,
            velocity: self.velocity,
            omega: self.omega,
        }
    }

    /// A body at the origin, unrotated and at rest.
    pub fn new(name: impl Into<String>, mass: f64, inertia: impl Into<Inertia>) -> Self {
        Self {
            name: name.into(),
            mass,
            inertia: inertia.into().0,
            position: Vector3::zeros(),
            rotation: Matrix3::identity(),
            velocity: Vector3::zeros(),
            omega: Vector3::zeros(),
            unphysical_inertia: false,
        }
    }

    /// With its centre of mass at this point of the world.
    pub fn at(mut self, position: impl Into<Vector3<f64>>) -> Self {
        self.position = position.into();
        self
    }

    /// With this rotation matrix, body to world.
    pub fn rotated(mut self, rotation: Matrix3<f64>) -> Self {
        self.rotation = rotation;
        self
    }

    /// With the rotation of this Hamilton quaternion (w, x, y, z), body to world. It should be of unit length: another
    /// length, beyond rounding of 1e-6, gives an error when the mechanism is built.
    pub fn rotated_by_quaternion(mut self, [w, x, y, z]: [f64; 4]) -> Self {
        let quaternion = Quaternion::new(w, x, y, z);
        let norm = quaternion.norm();
        let unit = UnitQuaternion::from_quaternion(quaternion)
            .to_rotation_matrix()
            .into_inner();
        // A wrong length is kept as a scaled matrix, which the check of the rotation finds.
        self.rotation = if (norm - 1.0).abs() <= QUATERNION_TOLERANCE {
            unit
        } else {
            unit * norm
        };
        self
    }

    /// Moving with this velocity of the centre of mass (world frame) and angular velocity (body frame).
    pub fn moving(
        mut self,
        velocity: impl Into<Vector3<f64>>,
        omega: impl Into<Vector3<f64>>,
    ) -> Self {
        self.velocity = velocity.into();
        self.omega = omega.into();
        self
    }

    /// Accepts principal moments of which the largest exceeds the sum of the others, as idealized models have them.
    pub fn with_unphysical_inertia(mut self) -> Self {
        self.unphysical_inertia = true;
        self
    }

    /// Checks mass, inertia, rotation and finiteness.
    pub(crate) fn check(&self) -> Result<(), AssemblyError> {
        let body = self.name.clone();
        if !(self.mass.is_finite() && self.mass > 0.0) {
            return Err(AssemblyError::Mass {
                body,
                mass: self.mass,
            });
        }
        for (what, vector) in [
            ("position", &self.position),
            ("velocity", &self.velocity),
            ("omega", &self.omega),
        ] {
            if !vector.iter().all(|number| number.is_finite()) {
                return Err(AssemblyError::NotFinite {
                    what: format!("the initial {what} of '{body}'"),
                    element: Some(body),
                });
            }
        }
        if !self.inertia.iter().all(|number| number.is_finite()) {
            return Err(AssemblyError::NotFinite {
                what: format!("the inertia tensor of '{body}'"),
                element: Some(body),
            });
        }
        let difference = (self.inertia - self.inertia.transpose()).amax();
        if difference > 1e-9 * self.inertia.amax() {
            return Err(AssemblyError::InertiaNotSymmetric { body, difference });
        }
        let mut moments: [f64; 3] = self.inertia.symmetric_eigenvalues().into();
        moments.sort_by(f64::total_cmp);
        // 1e-14 of the largest moment is zero but for round-off: the mass matrix would be singular.
        if moments[0].is_nan() || moments[0] <= 1e-14 * moments[2] {
            return Err(AssemblyError::InertiaNotPositive {
                body,
                smallest: moments[0],
            });
        }
        // I₃ ≤ I₁ + I₂ holds for every distribution of positive mass.
        if !self.unphysical_inertia && moments[2] > (moments[0] + moments[1]) * (1.0 + 1e-9) {
            return Err(AssemblyError::InertiaTriangle { body, moments });
        }
        let gram = (self.rotation.tr_mul(&self.rotation) - Matrix3::identity()).amax();
        // A reflection is orthogonal, too: the determinant tells.
        let deviation = gram.max((self.rotation.determinant() - 1.0).abs());
        if deviation.is_nan() || gram.is_nan() || deviation > ROTATION_TOLERANCE {
            return Err(AssemblyError::Rotation { body, deviation });
        }
        Ok(())
    }
}
