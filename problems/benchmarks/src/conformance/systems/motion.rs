//! Smooth motion with unit rates on three spaces, free, with position rows and with velocity rows.

use liedae::manifold::{Factor, Manifold};
use liedae::scalar::Scalar;
use liedae::system::{Layout, MatrixMut, Model, Point, State};

/// Where configurations live.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::conformance) enum Space {
    /// R³: a particle with a mass that depends on the place.
    Vector,
    /// SO(3): a rigid body about a fixed point.
    Rotation,
    /// SE(3): a rigid body on a spring.
    RigidMotion,
}

/// Which constraints there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::conformance) enum Rows {
    /// None.
    Free,
    /// Position rows: an ellipsoid; an axis that stays horizontal; a body hinged at a point.
    Position,
    /// A velocity row that no position row replaces.
    Velocity,
}

/// A smooth, nonlinear, damped and driven motion.
///
/// Forces depend on everything that they may depend on, so that no order is better than it is by luck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::conformance) struct Motion {
    /// Where configurations live.
    pub space: Space,
    /// Which constraints there are.
    pub rows: Rows,
    /// Whether the first row is stated once more, in other words.
    pub redundant: bool,
    /// Whether damping heats up a differential state x, which weakens the damping.
    pub heated: bool,
}

/// Principal moments of inertia in kg m².
const INERTIA: [f64; 3] = [1.0, 1.4, 1.7];

/// Mass of the body on SE(3) in kg.
const MASS: f64 = 1.5;

/// Where the body's spring is fixed to it, in body coordinates; that of gravity on SO(3).
const ARM: [f64; 3] = [0.3, -0.2, 0.5];

/// Gravity in m/s², small enough for rates of about 1/s.
const GRAVITY: f64 = 4.0;

/// The velocity row on SO(3) by body-fixed angular velocities, and how it changes with the attitude.
const SUSLOV: [f64; 3] = [0.5, -0.2, 1.0];

fn cross<S: Scalar>(a: [S; 3], b: [S; 3]) -> [S; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// Rᵀ a, with R row by row.
fn to_body<S: Scalar>(r: &[S], a: [S; 3]) -> [S; 3] {
    std::array::from_fn(|column| r[column] * a[0] + r[column + 3] * a[1] + r[column + 6] * a[2])
}

/// R a, with R row by row.
fn to_world<S: Scalar>(r: &[S], a: [f64; 3]) -> [S; 3] {
    std::array::from_fn(|row| r[3 * row] * a[0] + r[3 * row + 1] * a[1] + r[3 * row + 2] * a[2])
}

impl Motion {
    /// The configuration space.
    pub fn manifold(self) -> Manifold {
        match self.space {
            Space::Vector => Manifold::euclidean(3),
            Space::Rotation => Manifold::new([Factor::Rotation]),
            Space::RigidMotion => Manifold::new([Factor::RigidMotion]),
        }
    }

    fn position_rows(self) -> usize {
        match (self.rows, self.space) {
            (Rows::Position, Space::RigidMotion) => 3 + usize::from(self.redundant),
            (Rows::Position, _) => 1 + usize::from(self.redundant),
            _ => 0,
        }
    }

    fn velocity_rows(self) -> usize {
        match self.rows {
            Rows::Velocity => 1 + usize::from(self.redundant),
            _ => 0,
        }
    }

    fn damping<S: Scalar>(self, at: &Point<S>) -> S {
        if self.heated {
            S::constant(0.4) / (at.x[0] + 1.0)
        } else {
            S::constant(0.2)
        }
    }

    /// Forces on the particle: Coriolis terms of its mass, a spring that hardens, a magnetic field that changes.
    fn particle<S: Scalar>(self, at: &Point<S>, force: &mut [S]) {
        let (q, v) = (at.q, at.v);
        let stiffness = (q[0] * q[0] + q[1] * q[1] + q[2] * q[2]) * 0.5 + 1.0;
        let field = q[0] * 0.4 + 0.6;
        let load = (at.t * 2.0).cos() * 0.5;
        let damping = self.damping(at);
        force[0] = -q[0] * stiffness + field * v[1] + load - q[1] * v[0] * v[1] * 0.6;
        force[1] = -q[1] * stiffness - field * v[0] + q[1] * v[0] * v[0] * 0.3;
        force[2] = -q[2] * stiffness - GRAVITY * 0.5;
        for (force, &v) in force.iter_mut().zip(v) {
            *force -= damping * v;
        }
    }

    /// Moments on the body about its fixed point: gyroscopic, of gravity, of damping, a load.
    fn moments<S: Scalar>(self, at: &Point<S>, rotation: &[S], omega: [S; 3]) -> [S; 3] {
        let spin = std::array::from_fn(|axis| omega[axis] * INERTIA[axis]);
        let gyroscopic = cross(omega, spin);
        let weight = to_body(rotation, [0.0, 0.0, -GRAVITY].map(S::constant));
        let heavy = cross(ARM.map(S::constant), weight);
        let damping = self.damping(at);
        let load = (at.t * 2.0).cos() * 0.4;
        std::array::from_fn(|axis| {
            let load = if axis == 0 { load } else { S::constant(0.0) };
            heavy[axis] - gyroscopic[axis] - damping * omega[axis] + load
        })
    }
}

impl Model for Motion {
    fn layout(&self) -> Layout {
        Layout::dense(self.manifold())
            .with_position_rows(self.position_rows())
            .with_velocity_rows(self.velocity_rows())
            .with_differential_states(usize::from(self.heated))
    }

    fn initial_state(&self) -> State {
        let mut state = self.layout().state();
        match (self.space, self.rows) {
            (Space::Vector, Rows::Velocity) => {
                state.q = vec![0.8, 0.5, 0.1];
                state.v = vec![0.6, -0.4, 0.3];
            }
            (Space::Vector, _) => {
                // On the ellipsoid x² + 2 y² + z² = 1 and tangent to it.
                state.q = vec![0.8, 0.0, 0.6];
                state.v = vec![0.6, 0.9, -0.8];
            }
            (Space::Rotation, Rows::Free) => state.v = vec![0.9, -0.5, 0.7],
            (Space::Rotation, Rows::Position) => state.v = vec![0.0, 1.1, 0.7],
            (Space::Rotation, Rows::Velocity) => state.v = vec![1.0, 0.5, -0.4],
            (Space::RigidMotion, Rows::Free) => {
                state.q[..3].copy_from_slice(&[0.4, 0.2, -0.3]);
                state.v = vec![0.5, -0.3, 0.4, 0.9, -0.5, 0.7];
            }
            (Space::RigidMotion, Rows::Position) => {
                // The hinge is the origin, the centre of mass at 1 m along the body's y axis.
                state.q[1] = 1.0;
                state.v = vec![-0.7, 0.0, 0.9, 0.9, -0.5, 0.7];
            }
            (Space::RigidMotion, Rows::Velocity) => {
                state.v = vec![0.5, 0.14, 0.4, 0.9, -0.5, 0.7];
            }
        }
        state
    }

    fn mass_matrix<S: Scalar>(&self, at: &Point<S>, mass: &mut MatrixMut<S>) {
        match self.space {
            Space::Vector => {
                mass[(0, 0)] = at.q[1] * at.q[1] * 0.3 + 1.0;
                mass[(1, 1)] = S::constant(1.3);
                mass[(2, 2)] = S::constant(0.8);
            }
            Space::Rotation => {
                for (axis, inertia) in INERTIA.into_iter().enumerate() {
                    mass[(axis, axis)] = S::constant(inertia);
                }
            }
            Space::RigidMotion => {
                for (axis, inertia) in INERTIA.into_iter().enumerate() {
                    mass[(axis, axis)] = S::constant(MASS);
                    mass[(axis + 3, axis + 3)] = S::constant(inertia);
                }
            }
        }
    }

    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        match self.space {
            Space::Vector => self.particle(at, force),
            Space::Rotation => {
                let omega = [at.v[0], at.v[1], at.v[2]];
                force.copy_from_slice(&self.moments(at, at.q, omega));
            }
            Space::RigidMotion => {
                let (place, rotation) = at.q.split_at(3);
                let (velocity, omega) = ([at.v[0], at.v[1], at.v[2]], [at.v[3], at.v[4], at.v[5]]);
                let end = to_world(rotation, ARM);
                let spring: [S; 3] = std::array::from_fn(|axis| (place[axis] + end[axis]) * -2.0);
                let pull = to_body(rotation, spring);
                let momentum = velocity.map(|v| v * MASS);
                let gyroscopic = cross(omega, momentum);
                let turn = cross(ARM.map(S::constant), pull);
                let moments = self.moments(at, rotation, omega);
                let damping = self.damping(at);
                for axis in 0..3 {
                    force[axis] = pull[axis] - gyroscopic[axis] - damping * velocity[axis];
                    force[axis + 3] = moments[axis] + turn[axis];
                }
            }
        }
    }

    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        if self.rows != Rows::Position {
            return;
        }
        match self.space {
            Space::Vector => {
                let [x, y, z] = [at.q[0], at.q[1], at.q[2]];
                g[0] = (x * x + y * y * 2.0 + z * z - 1.0) * 0.5;
            }
            // The body's y axis stays horizontal.
            Space::Rotation => g[0] = at.q[7],
            Space::RigidMotion => {
                let (place, rotation) = at.q.split_at(3);
                let centre = to_world(rotation, [0.0, 1.0, 0.0]);
                for axis in 0..3 {
                    g[axis] = place[axis] - centre[axis];
                }
            }
        }
        if self.redundant
            && let Some((last, others)) = g.split_last_mut()
        {
            *last = others[0] * (at.q[0] * 0.5 + 2.0);
        }
    }

    fn velocity_constraint<S: Scalar>(&self, at: &Point<S>, b: &mut [S]) {
        if self.rows != Rows::Velocity {
            return;
        }
        b[0] = match self.space {
            // z' = y x': a disk that neither slips nor tilts, in few words.
            Space::Vector => at.v[2] - at.q[1] * at.v[0],
            Space::Rotation => {
                let fixed = at.v[0] * SUSLOV[0] + at.v[1] * SUSLOV[1] + at.v[2] * SUSLOV[2];
                fixed + at.q[2] * at.v[0] * 0.3
            }
            // A runner along the body's x axis, off the centre of mass.
            Space::RigidMotion => at.v[1] - at.v[5] * 0.2 + at.q[0] * at.v[0] * 0.3,
        };
        if self.redundant {
            b[1] = b[0] * (at.q[0] * 0.5 + 2.0);
        }
    }

    fn differential_rate<S: Scalar>(&self, at: &Point<S>, rate: &mut [S]) {
        if self.heated {
            let square: S = at.v.iter().map(|&v| v * v).sum();
            rate[0] = square * 0.5 - at.x[0] * 0.7;
        }
    }
}
