//! Quantities of a mechanism at one moment: positions, velocities, reactions, energies.

use super::ancf::AncfPart;
use super::beam::BeamNodes;
use super::body::BodyId;
use super::joint::JointId;
use super::kinematics::{Kinematics, VELOCITIES};
use super::marker::JointFrame;
use super::mechanism::MultibodySystem;
use super::modal::Flexible;
use liedae::system::State;
use nalgebra::{Matrix3, Rotation3, UnitQuaternion, Vector3};

/// A named quantity of a mechanism, as a function of a moment.
///
/// ```
/// use liedae::system::System;
/// use liedae_multibody::{MultibodyBuilder, Probe, RigidBody, Snapshot};
///
/// // The momentum of a sledge upwards.
/// let mut mechanism = MultibodyBuilder::new();
/// let sledge = mechanism.add_body(RigidBody::new("sledge", 50.0, [5.0; 3]).moving([3.0, 0.0, 4.0], [0.0; 3]));
/// let momentum: Probe = Box::new(move |now| 50.0 * now.velocity(sledge).z);
/// let system = mechanism.build()?;
/// assert_eq!(momentum(&Snapshot::new(&system, &system.initial_state())), 200.0);
/// # Ok::<(), liedae_multibody::AssemblyError>(())
/// ```
pub type Probe = Box<dyn Fn(&Snapshot) -> f64 + Send + Sync>;

/// The force and torque that a joint exerts on one of its bodies, by the multipliers of the joint alone.
///
/// ```
/// use liedae::system::{AccelerationSolver, Evaluator, System};
/// use liedae_multibody::{BodyId, Joint, MultibodyBuilder, Reaction, RigidBody, Snapshot, Vector3};
///
/// // A block of 2 kg sticks out of a wall by half a metre.
/// let mut mechanism = MultibodyBuilder::new();
/// mechanism.gravity([0.0, 0.0, -10.0]);
/// let block = mechanism.add_body(RigidBody::new("block", 2.0, [0.1; 3]).at([0.5, 0.0, 0.0]));
/// let wall = mechanism.add_joint(Joint::fixed("wall", BodyId::GROUND, block, [0.0; 3]));
/// let mut system = mechanism.build()?;
/// let mut state = system.initial_state();
/// AccelerationSolver::new(system.layout())?.complete(&mut Evaluator::new(&mut system), &mut state)?;
/// let reaction: Reaction = Snapshot::new(&system, &state).reaction(wall).ok_or("no such joint")?;
/// assert!((reaction.force.z - 20.0).abs() < 1e-9 && (reaction.torque.y + 10.0).abs() < 1e-9);
/// // About the centre of mass it has no moment.
/// assert!(reaction.about(&Vector3::new(0.5, 0.0, 0.0)).torque.norm() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reaction {
    /// Force in N, world frame.
    pub force: Vector3<f64>,
    /// Torque in N m about `point`, world frame.
    pub torque: Vector3<f64>,
    /// The joint's point on that body, world frame.
    pub point: Vector3<f64>,
    /// Axes (columns) of the joint frame on body 1 in the world.
    pub first_axes: Matrix3<f64>,
    /// Axes (columns) of the joint frame on body 2 in the world.
    pub second_axes: Matrix3<f64>,
}

impl Reaction {
    /// Force and torque in the joint frame of body 1.
    pub fn in_first_frame(&self) -> (Vector3<f64>, Vector3<f64>) {
        (
            self.first_axes.tr_mul(&self.force),
            self.first_axes.tr_mul(&self.torque),
        )
    }

    /// Force and torque in the joint frame of body 2.
    pub fn in_second_frame(&self) -> (Vector3<f64>, Vector3<f64>) {
        (
            self.second_axes.tr_mul(&self.force),
            self.second_axes.tr_mul(&self.torque),
        )
    }

    /// The same wrench with its torque about another point of the world.
    pub fn about(mut self, point: &Vector3<f64>) -> Self {
        // Moment about another point: M + (old - new) × F.
        self.torque += (self.point - point).cross(&self.force);
        self.point = *point;
        self
    }
}

/// A mechanism in one state, with accelerations and multipliers.
///
/// Identifiers that are not of this mechanism answer NaN.
#[derive(Clone, Copy)]
pub struct Snapshot<'a> {
    system: &'a MultibodySystem,
    state: &'a State,
}

impl<'a> Snapshot<'a> {
    /// Looks at a state of a system.
    pub fn new(system: &'a MultibodySystem, state: &'a State) -> Self {
        Self { system, state }
    }

    /// Time in s.
    pub fn time(&self) -> f64 {
        self.state.t
    }

    /// The state.
    pub fn state(&self) -> &'a State {
        self.state
    }

    /// Position, rotation and velocities of a body.
    pub fn kinematics(&self, body: BodyId) -> Kinematics {
        if body
            .0
            .is_some_and(|index| index >= self.system.bodies.len())
        {
            let unknown = Vector3::repeat(f64::NAN);
            return Kinematics {
                position: unknown,
                rotation: Matrix3::repeat(f64::NAN),
                velocity: unknown,
                omega: unknown,
            };
        }
        Kinematics::read(body.0, &self.state.q, &self.state.v)
    }

    /// Centre of mass in m, world frame.
    pub fn position(&self, body: BodyId) -> Vector3<f64> {
        self.kinematics(body).position
    }

    /// Velocity of the centre of mass in m/s, world frame.
    pub fn velocity(&self, body: BodyId) -> Vector3<f64> {
        self.kinematics(body).velocity
    }

    /// Rotation matrix, body to world.
    pub fn rotation(&self, body: BodyId) -> Matrix3<f64> {
        self.kinematics(body).rotation
    }

    /// Hamilton quaternion (w, x, y, z), body to world, with w ≥ 0.
    pub fn quaternion(&self, body: BodyId) -> [f64; 4] {
        let rotation = Rotation3::from_matrix_unchecked(self.rotation(body));
        let quaternion = UnitQuaternion::from_rotation_matrix(&rotation);
        // q and -q are the same rotation; the one with w ≥ 0 is shown.
        let sign = if quaternion.w < 0.0 { -1.0 } else { 1.0 };
        [quaternion.w, quaternion.i, quaternion.j, quaternion.k].map(|part| sign * part)
    }

    /// Angular velocity in rad/s, body frame.
    pub fn omega(&self, body: BodyId) -> Vector3<f64> {
        self.kinematics(body).omega
    }

    /// Angular velocity in rad/s, world frame.
    pub fn angular_velocity(&self, body: BodyId) -> Vector3<f64> {
        self.kinematics(body).angular_velocity()
    }

    /// Forces and moments in an element of a beam, in N and N m in the order of [`Section`](crate::Section), those of viscosity included:
    /// their mean between its ends. NaN of an element that does not exist.
    pub fn section_forces(&self, beam: &BeamNodes, element: usize) -> [f64; 6] {
        self.strain_and_stress(beam, element).1
    }

    /// Strains in an element of a beam, beyond those of its reference shape, in the order of
    /// [`Section`](crate::Section). NaN of an element that does not exist.
    pub fn strains(&self, beam: &BeamNodes, element: usize) -> [f64; 6] {
        self.strain_and_stress(beam, element).0
    }

    pub(crate) fn flexible(&self, frame: BodyId) -> Option<&'a Flexible> {
        let mut all = self.system.flexible.iter();
        all.find(|body| Some(body.frame) == frame.0)
    }

    pub(crate) fn ancf(&self, beam: usize) -> Option<&'a AncfPart> {
        self.system.ancf.get(beam)
    }

    fn strain_and_stress(&self, beam: &BeamNodes, element: usize) -> ([f64; 6], [f64; 6]) {
        let place = beam.element(element);
        let Some(part) = place.and_then(|place| self.system.beams.get(place)) else {
            return ([f64::NAN; 6], [f64::NAN; 6]);
        };
        let bodies = part.bodies.map(|body| self.kinematics(BodyId(body)));
        part.element.strain_and_stress(&bodies)
    }

    fn rate(&self, body: BodyId, offset: usize) -> Vector3<f64> {
        let Some(index) = body.0 else {
            return Vector3::zeros();
        };
        let first = VELOCITIES * index + offset;
        match self.state.acceleration.get(first..first + 3) {
            Some(rate) => Vector3::new(rate[0], rate[1], rate[2]),
            None => Vector3::repeat(f64::NAN),
        }
    }

    /// Acceleration of the centre of mass in m/s², world frame.
    pub fn acceleration(&self, body: BodyId) -> Vector3<f64> {
        self.rate(body, 0)
    }

    /// Angular acceleration ω' in rad/s², body frame.
    pub fn omega_rate(&self, body: BodyId) -> Vector3<f64> {
        self.rate(body, 3)
    }

    /// Angular acceleration in rad/s², world frame.
    pub fn angular_acceleration(&self, body: BodyId) -> Vector3<f64> {
        self.rotation(body) * self.omega_rate(body)
    }

    /// A point given in the body frame (from the centre of mass), world frame, in m.
    pub fn point(&self, body: BodyId, local: impl Into<Vector3<f64>>) -> Vector3<f64> {
        self.kinematics(body).point(&local.into())
    }

    /// Velocity of a point given in the body frame, world frame, in m/s.
    pub fn point_velocity(&self, body: BodyId, local: impl Into<Vector3<f64>>) -> Vector3<f64> {
        self.kinematics(body).point_velocity(&local.into())
    }

    /// Acceleration of a point given in the body frame, world frame, in m/s².
    pub fn point_acceleration(&self, body: BodyId, local: impl Into<Vector3<f64>>) -> Vector3<f64> {
        let moving = self.kinematics(body);
        let (arm, spin) = (moving.direction(&local.into()), moving.angular_velocity());
        // a + α × s + ω × (ω × s).
        self.acceleration(body)
            + self.angular_acceleration(body).cross(&arm)
            + spin.cross(&spin.cross(&arm))
    }

    /// What a joint exerts on its body 2, at its joint point on body 2. Virtual-work consistent: it is Gᵀ λ.
    pub fn reaction(&self, joint: JointId) -> Option<Reaction> {
        let connection = self.system.connection(joint)?;
        let bodies = connection.kinematics(&self.state.q, &self.state.v);
        let sides = connection.sides_with_axes(&bodies);
        let (force, torque) = connection.reaction(self.state.t, &bodies, &self.state.lambda);
        let [first_axes, second_axes] = [sides[0].axes, sides[1].axes];
        Some(Reaction {
            force,
            torque,
            point: sides[1].point(),
            first_axes,
            second_axes,
        })
    }

    /// What a joint exerts on its body 1, at its joint point on body 1.
    pub fn counter_reaction(&self, joint: JointId) -> Option<Reaction> {
        let connection = self.system.connection(joint)?;
        let bodies = connection.kinematics(&self.state.q, &self.state.v);
        let sides = connection.sides_with_axes(&bodies);
        let (force, torque) =
            connection.counter_reaction(self.state.t, &bodies, &self.state.lambda);
        let [first_axes, second_axes] = [sides[0].axes, sides[1].axes];
        Some(Reaction {
            force,
            torque,
            point: sides[0].point(),
            first_axes,
            second_axes,
        })
    }

    /// The effort of a drive or another joint of one row: the torque (N m) about z on body 2 for an angle, the force
    /// (N) on body 2 along the driven direction otherwise.
    pub fn effort(&self, drive: JointId) -> f64 {
        let rows = self.multipliers(drive);
        rows.first().copied().unwrap_or(f64::NAN)
    }

    /// The multipliers of a joint; empty for a joint of another mechanism.
    pub fn multipliers(&self, joint: JointId) -> &'a [f64] {
        let range = self
            .system
            .connection(joint)
            .map(super::connection::Connection::range);
        range
            .and_then(|range| self.state.lambda.get(range))
            .unwrap_or(&[])
    }

    /// The normal force z of a friction element in N, by order of addition.
    pub fn normal_force(&self, friction: usize) -> f64 {
        self.state.z.get(friction).copied().unwrap_or(f64::NAN)
    }

    /// The states of a force of this name ([`StateForce`](crate::StateForce)); empty where there is none.
    pub fn force_states(&self, force: &str) -> &'a [f64] {
        let mut forces = self.system.state_forces.iter();
        let element = forces.find(|element| element.name == force);
        element
            .and_then(|element| self.state.x.get(element.range.clone()))
            .unwrap_or(&[])
    }

    /// Kinetic and potential energy in J.
    pub fn energies(&self) -> (f64, f64) {
        self.system.energies(&self.state.point())
    }
}
