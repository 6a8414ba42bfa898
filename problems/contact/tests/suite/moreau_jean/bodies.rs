//! Free rigid bodies in space, balls and boxes, with the floor z = 0 and with each other; gravity may be inclined.

use super::support::GRAVITY;
use liedae::manifold::{Factor, Manifold};
use liedae::scalar::Scalar;
use liedae::system::{Layout, MatrixMut, Model, Point, State};
use liedae_contact::{Contact, ContactModel};

/// Mass, principal moments, position, velocity and angular velocity (in the body frame) at the start.
#[derive(Clone)]
pub struct Body {
    pub mass: f64,
    pub moments: [f64; 3],
    pub at: [f64; 3],
    pub velocity: [f64; 3],
    pub spin: [f64; 3],
}

impl Body {
    pub fn ball(mass: f64, radius: f64, at: [f64; 3]) -> Self {
        Self {
            mass,
            moments: [0.4 * mass * radius * radius; 3],
            at,
            velocity: [0.0; 3],
            spin: [0.0; 3],
        }
    }
    pub fn cuboid(mass: f64, half: [f64; 3], at: [f64; 3]) -> Self {
        let [x, y, z] = half.map(|side| side * side);
        Self {
            moments: [y + z, z + x, x + y].map(|sum| mass * sum / 3.0),
            ..Self::ball(mass, 1.0, at)
        }
    }
}

/// What may touch.
#[derive(Clone, Copy)]
pub enum Pair {
    /// A ball of this radius on the floor.
    BallFloor(usize, f64),
    /// Two balls with this sum of radii; without friction.
    Balls(usize, usize, f64),
    /// A point of a body on the floor.
    PointFloor(usize, [f64; 3]),
    /// A point of a body on the upper face, at this height in its frame, of another.
    PointOn(usize, [f64; 3], usize, f64),
}

#[derive(Clone)]
pub struct Bodies {
    pub bodies: Vec<Body>,
    pub pairs: Vec<Pair>,
    pub restitution: f64,
    pub friction: f64,
    /// Inclination of the floor about the y-axis, in rad: gravity pulls along +x too.
    pub slope: f64,
    /// Friction along the first direction only.
    pub planar: bool,
}

/// The four lower corners of a box.
pub fn bottom(half: [f64; 3]) -> [[f64; 3]; 4] {
    std::array::from_fn(|corner| {
        let sign = |bit: usize| if corner >> bit & 1 == 1 { 1.0 } else { -1.0 };
        [sign(0) * half[0], sign(1) * half[1], -half[2]]
    })
}

fn cross<S: Scalar>(a: &[S], b: [S; 3]) -> [S; 3] {
    std::array::from_fn(|axis| {
        let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
        a[i] * b[j] - a[j] * b[i]
    })
}

fn position<S: Scalar>(q: &[S], body: usize) -> [S; 3] {
    std::array::from_fn(|axis| q[12 * body + axis])
}

/// R x.
fn turn<S: Scalar>(q: &[S], body: usize, x: [S; 3]) -> [S; 3] {
    let r = &q[12 * body + 3..12 * body + 12];
    std::array::from_fn(|i| r[3 * i] * x[0] + r[3 * i + 1] * x[1] + r[3 * i + 2] * x[2])
}

/// Rᵀ x.
fn turn_back<S: Scalar>(q: &[S], body: usize, x: [S; 3]) -> [S; 3] {
    let r = &q[12 * body + 3..12 * body + 12];
    std::array::from_fn(|i| r[i] * x[0] + r[3 + i] * x[1] + r[6 + i] * x[2])
}

fn point<S: Scalar>(q: &[S], body: usize, arm: [S; 3]) -> [S; 3] {
    let (at, arm) = (position(q, body), turn(q, body, arm));
    std::array::from_fn(|axis| at[axis] + arm[axis])
}

fn velocity<S: Scalar>(q: &[S], v: &[S], body: usize, arm: [S; 3]) -> [S; 3] {
    let turning = turn(q, body, cross(&v[6 * body + 3..6 * body + 6], arm));
    std::array::from_fn(|axis| v[6 * body + axis] + turning[axis])
}

fn minus<S: Scalar>(a: [S; 3], b: [S; 3]) -> [S; 3] {
    std::array::from_fn(|axis| a[axis] - b[axis])
}

impl Bodies {
    fn gravity(&self) -> [f64; 3] {
        [GRAVITY * self.slope.sin(), 0.0, -GRAVITY * self.slope.cos()]
    }
}

impl Model for Bodies {
    fn layout(&self) -> Layout {
        let factors = [Factor::Euclidean(3), Factor::Rotation];
        Layout::dense(Manifold::new(factors.repeat(self.bodies.len())))
    }
    fn initial_state(&self) -> State {
        let mut state = self.layout().state();
        for (index, body) in self.bodies.iter().enumerate() {
            state.q[12 * index..12 * index + 3].copy_from_slice(&body.at);
            state.v[6 * index..6 * index + 3].copy_from_slice(&body.velocity);
            state.v[6 * index + 3..6 * index + 6].copy_from_slice(&body.spin);
        }
        state
    }
    fn mass_matrix<S: Scalar>(&self, _at: &Point<S>, mass: &mut MatrixMut<S>) {
        for (index, body) in self.bodies.iter().enumerate() {
            for axis in 0..3 {
                let (v, w) = (6 * index + axis, 6 * index + 3 + axis);
                mass[(v, v)] = S::constant(body.mass);
                mass[(w, w)] = S::constant(body.moments[axis]);
            }
        }
    }
    fn force<S: Scalar>(&self, at: &Point<S>, force: &mut [S]) {
        for (index, body) in self.bodies.iter().enumerate() {
            let gravity = self.gravity();
            let w = &at.v[6 * index + 3..6 * index + 6];
            let momentum = std::array::from_fn(|axis| w[axis] * body.moments[axis]);
            let gyroscopic = cross(w, momentum);
            let weight = gravity.map(|g| S::constant(body.mass * g));
            force[6 * index..6 * index + 3].copy_from_slice(&weight);
            let turning = gyroscopic.map(|moment| -moment);
            force[6 * index + 3..6 * index + 6].copy_from_slice(&turning);
        }
    }
    fn energy(&self, at: &Point) -> Option<f64> {
        let gravity = self.gravity();
        let energies = self.bodies.iter().enumerate().map(|(index, body)| {
            let axes = (0..3).map(|axis| {
                let (v, w) = (at.v[6 * index + axis], at.v[6 * index + 3 + axis]);
                let kinetic = 0.5 * (body.mass * v * v + body.moments[axis] * w * w);
                kinetic - body.mass * gravity[axis] * at.q[12 * index + axis]
            });
            axes.sum::<f64>()
        });
        Some(energies.sum())
    }

    fn needs_layer(&self) -> bool {
        true
    }
}

impl ContactModel for Bodies {
    fn contacts(&self) -> Vec<Contact> {
        let pairs = self.pairs.iter().enumerate();
        pairs
            .map(|(index, pair)| {
                let contact = Contact::new(format!("pair {index}"), self.restitution);
                if self.friction == 0.0 || matches!(pair, Pair::Balls(..)) {
                    contact
                } else if self.planar {
                    contact.with_planar_friction(self.friction)
                } else {
                    contact.with_spatial_friction(self.friction)
                }
            })
            .collect()
    }
    fn gap<S: Scalar>(&self, contact: usize, at: &Point<S>) -> S {
        match self.pairs[contact] {
            Pair::BallFloor(ball, radius) => at.q[12 * ball + 2] - radius,
            Pair::Balls(one, other, distance) => {
                let between = minus(position(at.q, other), position(at.q, one));
                let squares = between.map(|x| x * x);
                (squares[0] + squares[1] + squares[2]).sqrt() - distance
            }
            Pair::PointFloor(body, arm) => point(at.q, body, arm.map(S::constant))[2],
            Pair::PointOn(body, arm, lower, height) => {
                let corner = point(at.q, body, arm.map(S::constant));
                turn_back(at.q, lower, minus(corner, position(at.q, lower)))[2] - height
            }
        }
    }
    fn sliding_velocity<S: Scalar>(&self, contact: usize, at: &Point<S>, sliding: &mut [S]) {
        let zero = S::constant(0.0);
        let relative = match self.pairs[contact] {
            Pair::Balls(..) => return,
            Pair::BallFloor(ball, radius) => {
                let down = turn_back(at.q, ball, [zero, zero, S::constant(-radius)]);
                velocity(at.q, at.v, ball, down)
            }
            Pair::PointFloor(body, arm) => velocity(at.q, at.v, body, arm.map(S::constant)),
            Pair::PointOn(body, arm, lower, _) => {
                let arm = arm.map(S::constant);
                let corner = point(at.q, body, arm);
                let below = turn_back(at.q, lower, minus(corner, position(at.q, lower)));
                let difference = minus(
                    velocity(at.q, at.v, body, arm),
                    velocity(at.q, at.v, lower, below),
                );
                turn_back(at.q, lower, difference)
            }
        };
        let count = sliding.len();
        sliding.copy_from_slice(&relative[..count]);
    }
}
