//! Systems with known solutions that every method is tested on.
#![allow(dead_code)] // each test program uses some of them

use liedae::manifold::{Factor, Manifold};
use liedae::scalar::Scalar;
use liedae::system::{
    Direction, EventAction, EventDescription, FirstOrderModel, Layout, MatrixMut, Model,
    ModelEvents, Point, State,
};

/// A point mass on a circle of radius 1, gravity 9.81 along -y, pushed upwards from the horizontal.
///
/// Not released at rest: there the first-order velocity error of half-implicit Euler, h/2 (Φ a(0) - a(t)) with Φ the
/// sensitivity of v to the initial velocity, vanishes, because a push by h/2 a(0) is a shift in time by h/2.
pub struct Pendulum;

pub const PENDULUM_SPEED: f64 = 0.5;
pub const PENDULUM_GRAVITY: f64 = 9.81;

impl Model for Pendulum {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(2))
            .with_position_rows(1)
            .with_constant_mass()
    }
    fn initial_state(&self) -> State {
        State {
            q: vec![1.0, 0.0],
            v: vec![0.0, PENDULUM_SPEED],
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        mass[(0, 0)] = S::constant(1.0);
        mass[(1, 1)] = S::constant(1.0);
    }
    fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) {
        force[1] = S::constant(-9.81);
    }
    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        g[0] = (at.q[0] * at.q[0] + at.q[1] * at.q[1] - 1.0) * 0.5;
    }
    fn energy(&self, at: &Point) -> Option<f64> {
        Some(0.5 * (at.v[0] * at.v[0] + at.v[1] * at.v[1]) + 9.81 * at.q[1])
    }
}

/// The same pendulum as an ODE in its angle from the downward vertical; an independent reference.
pub struct AnglePendulum;

impl Model for AnglePendulum {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(1))
    }
    fn initial_state(&self) -> State {
        State {
            q: vec![std::f64::consts::FRAC_PI_2],
            v: vec![PENDULUM_SPEED],
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        mass[(0, 0)] = S::constant(1.0);
    }
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        force[0] = at.q[0].sin() * -9.81;
    }
}

/// x, y, u, v, λ of the pendulum, its constraint differentiated 3 - index times.
pub struct FirstOrderPendulum {
    pub level: u8,
    pub index: Vec<u8>,
}

impl FirstOrderModel for FirstOrderPendulum {
    fn dimension(&self) -> usize {
        5
    }
    fn initial_value(&self) -> Vec<f64> {
        vec![
            1.0,
            0.0,
            0.0,
            PENDULUM_SPEED,
            -PENDULUM_SPEED * PENDULUM_SPEED,
        ]
    }
    fn rate<S: Scalar>(&self, _t: S, y: &[S], rate: &mut [S]) {
        let (x, y, u, v, lambda) = (y[0], y[1], y[2], y[3], y[4]);
        rate[0] = u;
        rate[1] = v;
        rate[2] = x * lambda;
        rate[3] = y * lambda - PENDULUM_GRAVITY;
        rate[4] = match self.level {
            3 => (x * x + y * y - 1.0) * 0.5,
            2 => x * u + y * v,
            _ => (x * x + y * y) * lambda - y * PENDULUM_GRAVITY + u * u + v * v,
        };
    }
    fn mass(&self) -> Option<Vec<(usize, usize, f64)>> {
        Some((0..4).map(|i| (i, i, 1.0)).collect())
    }
    fn index(&self) -> Vec<u8> {
        self.index.clone()
    }
}

/// A pendulum of mass 2 with everything that a system may have beside positions and velocities: friction z that
/// depends on the multiplier (not linearly), and heat x that makes the friction weaker.
pub struct HeatedPendulum;

impl Model for HeatedPendulum {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(2))
            .with_position_rows(1)
            .with_differential_states(1)
            .with_algebraic_variables(1)
    }
    fn initial_state(&self) -> State {
        State {
            q: vec![1.0, 0.0],
            v: vec![0.0, PENDULUM_SPEED],
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        mass[(0, 0)] = S::constant(2.0);
        mass[(1, 1)] = S::constant(2.0);
    }
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        let friction = at.z[0] / (at.x[0] + 1.0) * 0.1;
        force[0] = -friction * at.v[0];
        force[1] = S::constant(-2.0 * 9.81) - friction * at.v[1];
    }
    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        g[0] = (at.q[0] * at.q[0] + at.q[1] * at.q[1] - 1.0) * 0.5;
    }
    fn differential_rate<S: Scalar>(&self, at: &Point<S>, rate: &mut [S]) {
        let speed_squared = at.v[0] * at.v[0] + at.v[1] * at.v[1];
        rate[0] = at.z[0] * speed_squared * 0.02 - at.x[0];
    }
    fn algebraic_residual<S: Scalar>(&self, at: &Point<S>, residual: &mut [S]) {
        residual[0] = at.z[0] - (at.lambda[0] * at.lambda[0] + 1.0).sqrt();
    }
}

/// Where the configuration of the heavy top lives.
#[derive(Clone, Copy, Debug)]
pub enum TopGroup {
    /// R³ x SO(3), rotation matrix.
    Matrix,
    /// R³ x unit quaternions.
    Quaternion,
    /// SE(3).
    RigidMotion,
}

/// The heavy top in absolute coordinates, its centre of mass held at distance 1 from the origin along body y.
pub struct HeavyTop(pub TopGroup);

impl HeavyTop {
    pub const MASS: f64 = 15.0;
    pub const INERTIA: [f64; 3] = [0.234375, 0.46875, 0.234375];
    pub const OMEGA: [f64; 3] = [0.0, 150.0, -4.61538];

    /// World coordinates of the body's y axis.
    fn arm<S: Scalar>(&self, q: &[S]) -> [S; 3] {
        match self.0 {
            TopGroup::Quaternion => {
                let [w, x, y, z] = [q[3], q[4], q[5], q[6]];
                [
                    (x * y - w * z) * 2.0,
                    S::constant(1.0) - (x * x + z * z) * 2.0,
                    (y * z + w * x) * 2.0,
                ]
            }
            TopGroup::Matrix | TopGroup::RigidMotion => [q[4], q[7], q[10]],
        }
    }
}

impl Model for HeavyTop {
    fn layout(&self) -> Layout {
        let factors = match self.0 {
            TopGroup::Matrix => vec![Factor::Euclidean(3), Factor::Rotation],
            TopGroup::Quaternion => vec![Factor::Euclidean(3), Factor::UnitQuaternion],
            TopGroup::RigidMotion => vec![Factor::RigidMotion],
        };
        Layout::dense(Manifold::new(factors)).with_position_rows(3)
    }
    fn initial_state(&self) -> State {
        let mut state = self.layout().state();
        state.q[1] = 1.0;
        // ω x r of the centre of mass; body and world axes coincide at the start.
        state.v.copy_from_slice(&[
            4.61538,
            0.0,
            0.0,
            Self::OMEGA[0],
            Self::OMEGA[1],
            Self::OMEGA[2],
        ]);
        state
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        for axis in 0..3 {
            mass[(axis, axis)] = S::constant(Self::MASS);
            mass[(axis + 3, axis + 3)] = S::constant(Self::INERTIA[axis]);
        }
    }
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        let omega = [at.v[3], at.v[4], at.v[5]];
        let spin = [
            omega[0] * Self::INERTIA[0],
            omega[1] * Self::INERTIA[1],
            omega[2] * Self::INERTIA[2],
        ];
        let cross = |a: [S; 3], b: [S; 3]| {
            [
                a[1] * b[2] - a[2] * b[1],
                a[2] * b[0] - a[0] * b[2],
                a[0] * b[1] - a[1] * b[0],
            ]
        };
        let weight = -9.81 * Self::MASS;
        match self.0 {
            TopGroup::RigidMotion => {
                // Velocities in the body frame: gravity is rotated into it, and m ω x v appears.
                let momentum = [
                    at.v[0] * Self::MASS,
                    at.v[1] * Self::MASS,
                    at.v[2] * Self::MASS,
                ];
                let gyroscopic = cross(omega, momentum);
                for axis in 0..3 {
                    force[axis] = at.q[9 + axis] * weight - gyroscopic[axis];
                }
            }
            TopGroup::Matrix | TopGroup::Quaternion => force[2] = S::constant(weight),
        }
        let gyroscopic = cross(omega, spin);
        for axis in 0..3 {
            force[axis + 3] = -gyroscopic[axis];
        }
    }
    fn position_constraint<S: Scalar>(&self, at: &Point<S>, g: &mut [S]) {
        let arm = self.arm(at.q);
        for axis in 0..3 {
            g[axis] = at.q[axis] - arm[axis];
        }
    }
    fn energy(&self, at: &Point) -> Option<f64> {
        let translation: f64 = at.v[..3].iter().map(|v| 0.5 * Self::MASS * v * v).sum();
        let rotation: f64 = at.v[3..]
            .iter()
            .zip(Self::INERTIA)
            .map(|(w, j)| 0.5 * j * w * w)
            .sum();
        Some(translation + rotation + 9.81 * Self::MASS * at.q[2])
    }
}

/// A knife edge (Chaplygin sleigh) on a horizontal plane: x, y, heading, one nonholonomic row.
pub struct Sleigh;

impl Model for Sleigh {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(3))
            .with_velocity_rows(1)
            .with_constant_mass()
    }
    fn initial_state(&self) -> State {
        State {
            v: vec![1.0, 0.0, 2.0],
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        for axis in 0..3 {
            mass[(axis, axis)] = S::constant(1.0);
        }
    }
    fn force<S: Scalar>(&self, _at: &Point<S>, _force: &mut [S]) {}
    fn velocity_constraint<S: Scalar>(&self, at: &Point<S>, b: &mut [S]) {
        b[0] = at.v[1] * at.q[2].cos() - at.v[0] * at.q[2].sin();
    }
    fn energy(&self, at: &Point) -> Option<f64> {
        Some(0.5 * at.v.iter().map(|v| v * v).sum::<f64>())
    }
}

/// A ball that bounces between mirror-like floors: flight under gravity, velocity reversed at y = 0.
pub struct Bouncer {
    pub restitution: f64,
}

impl Model for Bouncer {
    fn layout(&self) -> Layout {
        Layout::dense(Manifold::euclidean(1)).with_constant_mass()
    }
    fn initial_state(&self) -> State {
        State {
            q: vec![1.0],
            ..self.layout().state()
        }
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        mass[(0, 0)] = S::constant(1.0);
    }
    fn force<S: Scalar>(&self, _at: &Point<S>, force: &mut [S]) {
        force[0] = S::constant(-9.81);
    }

    fn events(&self) -> Option<&dyn ModelEvents> {
        Some(self)
    }
}

impl ModelEvents for Bouncer {
    fn descriptions(&self) -> Vec<EventDescription> {
        vec![EventDescription::new("bounce", "floor", Direction::Falling)]
    }

    fn event_functions(&self, at: &Point, out: &mut [f64]) {
        out[0] = at.q[0];
    }

    fn handle_event(&self, _event: usize, state: &mut State) -> EventAction {
        state.v[0] *= -self.restitution;
        EventAction::Restart
    }
}
