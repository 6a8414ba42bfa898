//! Position, orientation and velocity of one body, and the force and torque that act on it.

use liedae::scalar::{Dual, Scalar, Taylor2};
use nalgebra::{Matrix3, Vector3};

/// Coordinates per body: three of the centre of mass, nine of the rotation matrix.
pub(crate) const COORDINATES: usize = 12;

/// Velocities per body: three of the centre of mass, three of the angular velocity.
pub(crate) const VELOCITIES: usize = 6;

/// Directions of a derivative by the motion of two bodies.
pub(crate) const PAIR: usize = 2 * VELOCITIES;

/// The place of a body and the rows of its rotation, as its coordinates stand.
pub(crate) type Pose = [[f64; 3]; 4];

/// Where a body is and how it moves.
#[derive(Clone, Copy, Debug)]
pub struct Kinematics<S: Scalar = f64> {
    /// Centre of mass r in m, world frame.
    pub position: Vector3<S>,
    /// Rotation matrix A, body to world.
    pub rotation: Matrix3<S>,
    /// Velocity r' of the centre of mass in m/s, world frame.
    pub velocity: Vector3<S>,
    /// Angular velocity ω in rad/s, body frame.
    pub omega: Vector3<S>,
}

impl<S: Scalar> Kinematics<S> {
    /// The ground: the world frame itself, at rest.
    #[inline]
    pub fn ground() -> Self {
        Self {
            position: Vector3::zeros(),
            rotation: Matrix3::identity(),
            velocity: Vector3::zeros(),
            omega: Vector3::zeros(),
        }
    }

    /// Reads a body, or the ground, from the slices of a point. An empty `v` is a body at rest.
    #[inline]
    pub(crate) fn read(body: Option<usize>, q: &[S], v: &[S]) -> Self {
        let mut read = Self::ground();
        let Some(body) = body else { return read };
        if let Some(q) = q.get(COORDINATES * body..COORDINATES * (body + 1)) {
            read.position = Vector3::new(q[0], q[1], q[2]);
            read.rotation = Matrix3::new(q[3], q[4], q[5], q[6], q[7], q[8], q[9], q[10], q[11]);
        }
        if let Some(v) = v.get(VELOCITIES * body..VELOCITIES * (body + 1)) {
            read.velocity = Vector3::new(v[0], v[1], v[2]);
            read.omega = Vector3::new(v[3], v[4], v[5]);
        }
        read
    }

    /// A direction given in the body frame, in the world frame.
    pub fn direction(&self, local: &Vector3<f64>) -> Vector3<S> {
        rotate(&self.rotation, local)
    }

    /// A point given in the body frame (from the centre of mass), in the world frame.
    pub fn point(&self, local: &Vector3<f64>) -> Vector3<S> {
        self.position + self.direction(local)
    }

    /// Velocity of a point given in the body frame, in the world frame.
    pub fn point_velocity(&self, local: &Vector3<f64>) -> Vector3<S> {
        // v + ω × A r.
        self.velocity + self.angular_velocity().cross(&self.direction(local))
    }

    /// Angular velocity A ω in the world frame.
    pub fn angular_velocity(&self) -> Vector3<S> {
        self.rotation * self.omega
    }

    /// The wrench on this body of a force at a point; both in the world frame.
    pub fn force_at(&self, point: &Vector3<S>, force: &Vector3<S>) -> Wrench<S> {
        let moment = (point - self.position).cross(force);
        // Torques are in the body frame, as its angular velocity: Aᵀ (r × F).
        Wrench {
            force: *force,
            torque: self.rotation.tr_mul(&moment),
        }
    }

    /// The wrench on this body of a pure torque in the world frame.
    pub fn torque(&self, torque: &Vector3<S>) -> Wrench<S> {
        Wrench {
            force: Vector3::zeros(),
            torque: self.rotation.tr_mul(torque),
        }
    }
}

impl<S: Scalar> Kinematics<S> {
    /// The body displaced by δ, r + δr and A exp(hat δθ), with δ the parameters `first..first + 6` at zero.
    pub(crate) fn displaced(&self, first: usize) -> Kinematics<Dual<PAIR, S>> {
        let mut dual = self.lifted();
        for axis in 0..3 {
            dual.position[axis].gradient[first + axis] = S::one();
        }
        // ∂A/∂δθ_k = A hat(e_k): its columns are A (e_k × e_j).
        for axis in 0..3 {
            let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
            for row in 0..3 {
                dual.rotation[(row, next)].gradient[first + 3 + axis] = self.rotation[(row, last)];
                dual.rotation[(row, last)].gradient[first + 3 + axis] = -self.rotation[(row, next)];
            }
        }
        dual
    }

    /// The body with its velocities (r', ω) as the parameters `first..first + 6`.
    pub(crate) fn accelerated(&self, first: usize) -> Kinematics<Dual<PAIR, S>> {
        // Velocities are differentiated as they stand; only configurations turn.
        let mut dual = self.lifted();
        for axis in 0..3 {
            dual.velocity[axis].gradient[first + axis] = S::one();
            dual.omega[axis].gradient[first + 3 + axis] = S::one();
        }
        dual
    }

    /// The body without derivatives beside those that its numbers have.
    fn lifted(&self) -> Kinematics<Dual<PAIR, S>> {
        Kinematics {
            position: self.position.map(Dual::from_value),
            rotation: self.rotation.map(Dual::from_value),
            velocity: self.velocity.map(Dual::from_value),
            omega: self.omega.map(Dual::from_value),
        }
    }

    /// The body along the curve with its velocities, r + s r' + s²/2 r'' and A exp(hat(s ω + s²/2 ω')), at s = 0. The
    /// accelerations r'' and ω' are in the place of the velocities of `acceleration`.
    pub(crate) fn along(&self, acceleration: &Kinematics) -> Kinematics<Taylor2<S>> {
        let (bend, spin) = (
            acceleration.velocity.map(S::constant),
            acceleration.omega.map(S::constant),
        );
        let (velocity, omega) = (&self.velocity, &self.omega);
        // A' = A hat(ω), A'' = A (hat(ω)² + hat(ω')).
        let turning = self.rotation * hat(omega);
        let bending = turning * hat(omega) + self.rotation * hat(&spin);
        let curve = |value: &Vector3<S>, first: &Vector3<S>, second: &Vector3<S>| {
            Vector3::from_fn(|row, _| Taylor2::new(value[row], first[row], second[row]))
        };
        Kinematics {
            position: curve(&self.position, velocity, &bend),
            rotation: Matrix3::from_fn(|row, column| {
                let at = (row, column);
                Taylor2::new(self.rotation[at], turning[at], bending[at])
            }),
            velocity: curve(velocity, &bend, &Vector3::zeros()),
            omega: curve(omega, &spin, &Vector3::zeros()),
        }
    }
}

impl Kinematics<f64> {
    /// The body without derivatives.
    pub(crate) fn constant<S: Scalar>(&self) -> Kinematics<S> {
        Kinematics {
            position: self.position.map(S::constant),
            rotation: self.rotation.map(S::constant),
            velocity: self.velocity.map(S::constant),
            omega: self.omega.map(S::constant),
        }
    }
}

/// A force and a torque on one body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wrench<S: Scalar = f64> {
    /// Force in N at the centre of mass, world frame.
    pub force: Vector3<S>,
    /// Torque in N m about the centre of mass, body frame.
    pub torque: Vector3<S>,
}

impl<S: Scalar> Wrench<S> {
    /// No force, no torque.
    pub fn zero() -> Self {
        Self {
            force: Vector3::zeros(),
            torque: Vector3::zeros(),
        }
    }

    /// Entry 0 to 5: force, then torque.
    pub(crate) fn entry(&self, index: usize) -> S {
        if index < 3 {
            self.force[index]
        } else {
            self.torque[index - 3]
        }
    }

    /// Adds the wrench to the generalized forces of a body; nothing for the ground.
    pub(crate) fn add_to(&self, body: Option<usize>, forces: &mut [S]) {
        let Some(body) = body else { return };
        for (index, slot) in forces
            .iter_mut()
            .skip(VELOCITIES * body)
            .take(VELOCITIES)
            .enumerate()
        {
            *slot += self.entry(index);
        }
    }
}

impl<S: Scalar> std::ops::Add for Wrench<S> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            force: self.force + other.force,
            torque: self.torque + other.torque,
        }
    }
}

/// The matrix of a cross product, hat(ω) a = ω × a.
fn hat<S: Scalar>(omega: &Vector3<S>) -> Matrix3<S> {
    let (x, y, z, zero) = (omega.x, omega.y, omega.z, S::zero());
    Matrix3::new(zero, -z, y, z, zero, -x, -y, x, zero)
}

/// A vector without derivatives, rotated.
pub(crate) fn rotate<S: Scalar>(rotation: &Matrix3<S>, local: &Vector3<f64>) -> Vector3<S> {
    Vector3::from_fn(|row, _| {
        rotation[(row, 0)] * local.x + rotation[(row, 1)] * local.y + rotation[(row, 2)] * local.z
    })
}
