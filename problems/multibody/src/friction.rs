//! Coulomb friction in sliding joints, with the normal force as an algebraic variable.
//!
//! Friction sticks, slips and reverses. It adds nothing to the mechanism itself: it is one of its [`FrictionJoints`], which
//! [`NonsmoothSystem`](liedae_contact::NonsmoothSystem) or `moreau-jean` applies.
//!
//! Friction that reverses only ([`Friction::reversing`]) is a part of the mechanism: the variable z = |N|, the residual
//! 0 = z - |N(λ)|, and the force -σ μ z along the joint's axis on
//! body 2 at its joint point, the opposite on body 1 at the same point. σ is a discrete mode, the sign of the sliding
//! velocity, and changes at the event that this velocity crosses zero: a reversal (Fang et al.
//! 2022, section 3.4, doi:10.1115/1.4056183). Because z is solved with the multipliers, the
//! friction of an instant belongs to the reaction of the same instant. Where the joint would come to rest, the run ends with an
//! error: see `reversals.rs`.
//!
//! The joint's first two rows push along x₁ and y₁ with unit gradients, so that the normal force on body 2 in the joint
//! frame of body 1 is (λ₁, λ₂, 0): N depends on the multipliers alone.

use super::connection::Connection;
use super::joint::JointId;
use super::kinematics::{Kinematics, VELOCITIES, Wrench};
use super::marker::{Axis, Marker, Side};
use super::row::{Constraint, Gradient, Row};
use liedae::scalar::Scalar;
use liedae_contact::{FrictionJoint, Support};
use nalgebra::Vector2;

/// Which part of the joint's reaction presses.
///
/// ```
/// use liedae::integrator::Radau5;
/// use liedae::solve::{Options, solve};
/// use liedae::system::named_outputs;
/// use liedae_contact::{NonsmoothOptions, NonsmoothSystem};
/// use liedae_multibody::{BodyId, Friction, Joint, MultibodyBuilder, NormalForce, RigidBody};
///
/// // 3 N press to the side and 4 N down: all of it rubs, or what presses down along y₁, which is the world's z.
/// for (normal, size) in [(NormalForce::Full, 5.0), (NormalForce::Component([0.0, 1.0]), 4.0)] {
///     let mut mechanism = MultibodyBuilder::new();
///     mechanism.gravity([0.0, 3.0, -4.0]);
///     let block = mechanism.add_body(RigidBody::new("block", 1.0, [0.1; 3]).moving([2.0, 0.0, 0.0], [0.0; 3]));
///     let guide = Joint::translational("guide", BodyId::GROUND, block, [0.0; 3], [1.0, 0.0, 0.0]);
///     let guide = mechanism.add_joint(guide.with_x([0.0, 1.0, 0.0]));
///     mechanism.add_friction(Friction::new("rubbing", guide, 0.2, normal));
///     let mut system = NonsmoothSystem::new(mechanism.build()?, NonsmoothOptions::default())?;
///     let end = solve(&mut system, &Radau5::default(), &Options::adaptive(0.1, 1e-8, 1e-8))?.state;
///     let outputs = named_outputs(&mut system, &end)?;
///     let pressed = outputs.iter().find(|(name, _)| name == "guide.normal").ok_or("it rubs")?;
///     assert!((pressed.1 - size).abs() < 1e-6);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NormalForce {
    /// The component along this direction (x, y) of the joint frame of body 1, a unit vector.
    Component([f64; 2]),
    /// The whole force across the axis, √(Nx² + Ny²).
    Full,
}

/// Coulomb friction in a translational, cylindrical or revolute-cylindrical joint. It sticks, slips and reverses.
///
/// A mechanism with such a joint has to be run in a [`NonsmoothSystem`](liedae_contact::NonsmoothSystem), or with `moreau-jean`.
///
/// ```
/// use liedae::integrator::Radau5;
/// use liedae::solve::{Options, solve};
/// use liedae_contact::{NonsmoothOptions, NonsmoothSystem};
/// use liedae_multibody::{BodyId, Friction, Joint, MultibodyBuilder, NormalForce, RigidBody};
///
/// // A block slides along a level guide with 2 m/s.
/// let mut mechanism = MultibodyBuilder::new();
/// mechanism.gravity([0.0, 0.0, -10.0]);
/// let block = mechanism.add_body(RigidBody::new("block", 5.0, [0.1; 3]).moving([2.0, 0.0, 0.0], [0.0; 3]));
/// let guide = mechanism.add_joint(Joint::translational("guide", BodyId::GROUND, block, [0.0; 3], [1.0, 0.0, 0.0]));
/// mechanism.add_friction(Friction::new("rubbing", guide, 0.3, NormalForce::Full));
/// let mut system = NonsmoothSystem::new(mechanism.build()?, NonsmoothOptions::default())?;
/// let solution = solve(&mut system, &Radau5::default(), &Options::adaptive(1.0, 1e-8, 1e-8))?;
/// // It loses μ g t, and stays where it has come to rest.
/// let stop = &solution.events[0];
/// assert_eq!(stop.kind, "stick");
/// assert!((stop.t - 2.0 / (0.3 * 10.0)).abs() < 1e-6);
/// assert!((solution.state.q[0] - 2.0_f64.powi(2) / (2.0 * 0.3 * 10.0)).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Friction {
    /// Name, unique among forces.
    pub name: String,
    /// The joint.
    pub joint: JointId,
    /// Coefficient μ.
    pub coefficient: f64,
    /// What presses.
    pub normal: NormalForce,
    /// Sign of the sliding velocity at the start, of friction that reverses only; by default that of the initial velocity, and the one
    /// that forces give at rest. It must not contradict either.
    pub initial_direction: Option<i32>,
    /// Whether it sticks, as it does by default; otherwise it slides and reverses only.
    pub sticks: bool,
}

impl Friction {
    /// Friction by the given normal force, which sticks.
    pub fn new(
        name: impl Into<String>,
        joint: JointId,
        coefficient: f64,
        normal: NormalForce,
    ) -> Self {
        Self {
            name: name.into(),
            joint,
            coefficient,
            normal,
            initial_direction: None,
            sticks: true,
        }
    }

    /// Friction that slides and reverses only: for joints that a drive moves, and others that never come to rest. The mechanism is
    /// then run as it is. A run ends with an error where this friction would act along the velocity, or push a body from rest. It
    /// stands alone: beside contacts or joints that may stick it is refused.
    pub fn reversing(mut self) -> Self {
        self.sticks = false;
        self
    }

    /// Friction that reverses only, starting to slide in this direction, +1 or -1, where the initial velocity is zero.
    pub fn starting(mut self, direction: i32) -> Self {
        self.initial_direction = Some(direction);
        self
    }
}

/// A [`Friction`] in an assembled mechanism.
#[derive(Clone, Debug)]
pub(crate) struct Slide {
    pub name: String,
    #[cfg_attr(not(feature = "files"), allow(dead_code))]
    pub joint: JointId,
    pub bodies: [Option<usize>; 2],
    pub markers: [Marker; 2],
    pub coefficient: f64,
    pub normal: NormalForce,
    /// Row of λ₁; λ₂ follows.
    pub first_row: usize,
    /// Whether the direction in which it starts has been stated.
    pub is_directed: bool,
}

impl Slide {
    pub fn row() -> Row {
        Row::zero(Constraint::Dot2(Axis::Z))
    }

    pub fn sides<S: Scalar>(&self, bodies: &[Kinematics<S>; 2]) -> [Side<S>; 2] {
        [0, 1].map(|side| self.markers[side].side(&bodies[side], true))
    }

    /// The sliding velocity in m/s, of point 2 along z₁.
    pub fn velocity(&self, bodies: &[Kinematics; 2]) -> f64 {
        Self::row().rate(0.0, &self.sides(bodies), &Connection::spins(bodies))
    }

    /// γ of s' = (∂s/∂v) v' + γ.
    pub fn bias(&self, t: f64, bodies: &[Kinematics; 2]) -> f64 {
        Self::row().bias(t, &self.sides(bodies), &Connection::spins(bodies))
    }

    /// The sliding acceleration s' in m/s², with the accelerations of all bodies.
    pub fn acceleration(&self, t: f64, bodies: &[Kinematics; 2], all: &[f64]) -> f64 {
        let moved = self.unit_wrenches(bodies).into_iter().zip(self.bodies);
        let power = moved.map(|(unit, body)| {
            let own = body.and_then(|body| all.get(VELOCITIES * body..VELOCITIES * (body + 1)));
            let own = own.unwrap_or(&[]);
            let entries = own.iter().enumerate();
            entries
                .map(|(component, a)| unit.entry(component) * a)
                .sum::<f64>()
        });
        power.sum::<f64>() + self.bias(t, bodies)
    }

    /// Wrenches of a unit force along the joint: the gradient of the sliding coordinate.
    pub fn unit_wrenches<S: Scalar>(&self, bodies: &[Kinematics<S>; 2]) -> [Wrench<S>; 2] {
        let Gradient { force, moments } = Self::row().gradient(0.0, &self.sides(bodies));
        let torque = |side: usize| bodies[side].rotation.tr_mul(&moments[side]);
        // A unit of the multiplier of z₁ · d: the force along the axis and its moments.
        [
            Wrench {
                force: -force,
                torque: torque(0),
            },
            Wrench {
                force,
                torque: torque(1),
            },
        ]
    }

    /// The friction of a joint that may stick.
    pub fn law(&self, name: &str) -> FrictionJoint {
        let rows = [self.first_row, self.first_row + 1];
        // The first two rows of the joint are those across its axis, x₁ · d and y₁ · d.
        let support = match self.normal {
            NormalForce::Full => Support::of_rows(rows),
            NormalForce::Component(direction) => Support {
                components: vec![rows.into_iter().zip(direction).collect()],
            },
        };
        let bodies = self.bodies.into_iter().flatten();
        let velocities = bodies.flat_map(|body| VELOCITIES * body..VELOCITIES * (body + 1));
        FrictionJoint::new(name, self.coefficient, [support]).acting_on(velocities)
    }

    /// |N| and its derivatives by the two multipliers.
    ///
    /// At N = 0, where |N| has no derivative, it is that of some direction: an iteration that starts from unknown
    /// multipliers, usually zeros, must see that N depends on them.
    pub fn normal(&self, lambda: &[f64]) -> (f64, Vector2<f64>) {
        let push = match lambda.get(self.first_row..self.first_row + 2) {
            Some(pair) => Vector2::new(pair[0], pair[1]),
            None => Vector2::zeros(),
        };
        match self.normal {
            NormalForce::Component(direction) => {
                let direction = Vector2::from(direction);
                let component = direction.dot(&push);
                let sign = if component < 0.0 { -1.0 } else { 1.0 };
                // ∂|N|/∂λ = direction · sign.
                (component.abs(), direction * sign)
            }
            NormalForce::Full => {
                let norm = push.norm();
                // At zero the norm has no slope; any unit vector is one of its subgradients.
                let slope = if norm > 0.0 {
                    push / norm
                } else {
                    Vector2::new(0.6, 0.8)
                };
                (norm, slope)
            }
        }
    }
}
