//! The builder of mechanisms.

use super::ancf::NamedAncf;
use super::beam::{NamedElement, StatedBeam};
use super::bearing::BearingFriction;
use super::body::{BodyId, RigidBody};
use super::contact::SurfaceContact;
use super::error::AssemblyError;
use super::force::{ClosureForce, ErasedForce, ForceScalar, PairForce};
use super::friction::Friction;
use super::initial::JointCoordinate;
use super::joint::{Joint, JointId, JointKind};
use super::kinematics::{Kinematics, Wrench};
use super::modal::NamedModal;
use super::motion::Drive;
use super::output::{Measured, Output};
use super::snapshot::Snapshot;
use super::spring::TranslationalSpring;
use super::state_force::{NamedStateForce, StateForce, WithStates};
use super::torsion::RotationalSpring;
use nalgebra::Vector3;

/// A named force element before assembly.
pub(crate) struct NamedForce {
    pub name: String,
    pub bodies: [BodyId; 2],
    pub law: Box<dyn ErasedForce>,
}

/// Collects bodies, joints, drives, forces and probes, and assembles them.
///
/// Adding never fails; [`build`](Self::build) checks everything.
///
/// ```
/// use liedae::system::System;
/// use liedae_multibody::{BodyId, Joint, MultibodyBuilder, RigidBody};
///
/// // A bar of 2 m on a revolute joint, released horizontally.
/// let mut mechanism = MultibodyBuilder::new();
/// mechanism.gravity([0.0, 0.0, -9.81]);
/// let bar = mechanism.add_body(RigidBody::new("bar", 3.0, [0.01, 1.0, 1.0]).at([1.0, 0.0, 0.0]));
/// let pivot = mechanism.add_joint(Joint::revolute("pivot", BodyId::GROUND, bar, [0.0; 3], [0.0, 1.0, 0.0]));
/// mechanism.probe("tip height", move |now| now.point(bar, [1.0, 0.0, 0.0]).z);
/// mechanism.probe("support", move |now| now.reaction(pivot).map_or(f64::NAN, |reaction| reaction.force.z));
/// let system = mechanism.build()?;
/// assert_eq!(system.layout().rows(), 5);
/// # Ok::<(), liedae_multibody::AssemblyError>(())
/// ```
#[derive(Default)]
pub struct MultibodyBuilder {
    pub(crate) bodies: Vec<RigidBody>,
    pub(crate) joints: Vec<Joint>,
    /// Drives of joints that do not exist or cannot be driven: reported when building.
    pub(crate) rejected: Vec<AssemblyError>,
    pub(crate) gravity: Vector3<f64>,
    pub(crate) forces: Vec<NamedForce>,
    pub(crate) elements: Vec<NamedElement>,
    pub(crate) modal: Vec<NamedModal>,
    pub(crate) ancf: Vec<NamedAncf>,
    pub(crate) state_forces: Vec<NamedStateForce>,
    pub(crate) springs: Vec<TranslationalSpring>,
    pub(crate) torsions: Vec<RotationalSpring>,
    pub(crate) frictions: Vec<Friction>,
    pub(crate) bearings: Vec<BearingFriction>,
    pub(crate) contacts: Vec<SurfaceContact>,
    pub(crate) probes: Vec<(String, Measured)>,
    pub(crate) beams: Vec<StatedBeam>,
    pub(crate) time_events: Vec<f64>,
    pub(crate) start: f64,
    pub(crate) joint_positions: Vec<(JointId, JointCoordinate)>,
    pub(crate) joint_rates: Vec<(JointId, JointCoordinate)>,
    pub(crate) keeps_energy: bool,
}

impl MultibodyBuilder {
    /// An empty mechanism without gravity.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes the energy a constraint that projections hold, see [`liedae::system::Energy::is_kept`]: for mechanisms
    /// without drives, dampers and other forces that have no potential.
    pub fn keep_energy(&mut self) -> &mut Self {
        self.keeps_energy = true;
        self
    }

    /// Sets the acceleration of gravity in m/s², world frame.
    pub fn gravity(&mut self, gravity: impl Into<Vector3<f64>>) -> &mut Self {
        self.gravity = gravity.into();
        self
    }

    /// Sets the time in s that the initial positions and velocities belong to; 0 by default.
    pub fn start_time(&mut self, t: f64) -> &mut Self {
        self.start = t;
        self
    }

    /// Adds a moment at which a drive, force or actuator is not smooth: every run ends a step there.
    pub fn time_event(&mut self, t: f64) -> &mut Self {
        self.time_events.push(t);
        self
    }

    /// Adds a body. Bodies in the order of a chain make its matrices banded.
    pub fn add_body(&mut self, body: RigidBody) -> BodyId {
        self.bodies.push(body);
        BodyId(Some(self.bodies.len() - 1))
    }

    /// Adds a joint, drive or basic constraint.
    pub fn add_joint(&mut self, joint: Joint) -> JointId {
        self.joints.push(joint);
        JointId(self.joints.len() - 1)
    }

    /// Drives a degree of freedom of a joint with one row of its own, whose multiplier is the effort of the drive.
    pub fn add_drive(&mut self, name: impl Into<String>, joint: JointId, drive: Drive) -> JointId {
        let name = name.into();
        let Some(driven) = self.joints.get(joint.0).cloned() else {
            let joints = self.joints.len();
            self.rejected.push(AssemblyError::UnknownJoint {
                element: name,
                joint: joint.0,
                joints,
            });
            // No joint has this number: the assembly refuses elements that refer to it.
            return JointId(usize::MAX);
        };
        let (fits, kind, reason) = match drive {
            Drive::Angle(motion) => (
                driven.kind.turns(),
                JointKind::Angle(motion),
                "an angle needs a revolute or cylindrical joint",
            ),
            Drive::Translation(motion) => (
                // z₁ · d, the translation along the axis of the joint.
                driven.kind.slides(),
                JointKind::Dot2(super::marker::Axis::Z, motion),
                "a translation needs a translational, cylindrical or revolute-cylindrical joint",
            ),
        };
        if !fits {
            let joint = driven.name.clone();
            self.rejected.push(AssemblyError::JointKind {
                element: name.clone(),
                joint,
                reason,
            });
        }
        self.add_joint(Joint {
            name,
            kind,
            ..driven
        })
    }

    /// Adds a force between two bodies; either may be the ground.
    pub fn add_force(
        &mut self,
        name: impl Into<String>,
        first: BodyId,
        second: BodyId,
        force: impl PairForce + 'static,
    ) -> &mut Self {
        self.forces.push(NamedForce {
            name: name.into(),
            bodies: [first, second],
            law: Box::new(force),
        });
        self
    }

    /// Adds a force as a closure over numbers that carry derivatives, see [`PairForce::wrenches`].
    ///
    /// ```
    /// use liedae_multibody::{BodyId, MultibodyBuilder, RigidBody, Vector3, Wrench};
    /// let mut mechanism = MultibodyBuilder::new();
    /// let ball = mechanism.add_body(RigidBody::new("ball", 1.0, [0.1; 3]));
    /// mechanism.add_force_closure("thrust", BodyId::GROUND, ball, |t, [_, ball]| {
    ///     let along = ball.direction(&Vector3::new(t.cos(), 0.0, 0.0));
    ///     [Wrench::zero(), ball.force_at(&ball.position, &along)]
    /// });
    /// ```
    pub fn add_force_closure(
        &mut self,
        name: impl Into<String>,
        first: BodyId,
        second: BodyId,
        force: impl Fn(f64, &[Kinematics<ForceScalar>; 2]) -> [Wrench<ForceScalar>; 2]
        + Send
        + Sync
        + 'static,
    ) -> &mut Self {
        let law = Box::new(ClosureForce(force));
        self.forces.push(NamedForce {
            name: name.into(),
            bodies: [first, second],
            law,
        });
        self
    }

    /// Adds a force with differential states between two bodies; either may be the ground. Its states follow those of
    /// springs that count turns, in the order of addition.
    pub fn add_state_force<const STATES: usize>(
        &mut self,
        name: impl Into<String>,
        first: BodyId,
        second: BodyId,
        force: impl StateForce<STATES> + 'static,
    ) -> &mut Self {
        self.state_forces.push(NamedStateForce {
            name: name.into(),
            bodies: [first, second],
            law: Box::new(WithStates(force)),
        });
        self
    }

    /// Adds a translational spring, damper and actuator.
    pub fn add_spring(&mut self, spring: TranslationalSpring) -> &mut Self {
        self.springs.push(spring);
        self
    }

    /// Adds a rotational spring, damper and actuator.
    pub fn add_rotational_spring(&mut self, spring: RotationalSpring) -> &mut Self {
        self.torsions.push(spring);
        self
    }

    /// Adds Coulomb friction to a sliding joint.
    pub fn add_friction(&mut self, friction: Friction) -> &mut Self {
        self.frictions.push(friction);
        self
    }

    /// Adds Coulomb friction to the bearing of a revolute joint.
    pub fn add_bearing_friction(&mut self, friction: BearingFriction) -> &mut Self {
        self.bearings.push(friction);
        self
    }

    /// Adds a contact between surfaces of two bodies; either may be the ground.
    ///
    /// ```
    /// use liedae::system::System;
    /// use liedae_multibody::{BodyId, MultibodyBuilder, RigidBody, Surface, SurfaceContact};
    ///
    /// let mut mechanism = MultibodyBuilder::new();
    /// let ball = mechanism.add_body(RigidBody::new("ball", 1.0, [0.4e-2; 3]).at([0.0, 0.0, 1.0]));
    /// let floor = Surface::half_space(BodyId::GROUND, [0.0; 3], [0.0, 0.0, 1.0]);
    /// let bounce = SurfaceContact::new("floor", floor, Surface::sphere(ball, [0.0; 3], 0.1));
    /// mechanism.add_contact(bounce.with_restitution(0.8).with_friction(0.3));
    /// let mut system = mechanism.build()?;
    /// let state = system.initial_state();
    /// use liedae_contact::Contacts;
    /// let contacts = system.unilateral().expect("there is a contact");
    /// assert_eq!(contacts.gap(0, &state.point()), Ok(0.9));
    /// # Ok::<(), liedae_multibody::AssemblyError>(())
    /// ```
    pub fn add_contact(&mut self, contact: SurfaceContact) -> &mut Self {
        self.contacts.push(contact);
        self
    }

    /// Adds an output. Without any, a mechanism reports positions and velocities of all bodies, as `body.x`, and the states
    /// of forces, as `force.state`.
    /// The gaps of contacts follow as `gap.<label>` in any case.
    pub fn probe(
        &mut self,
        name: impl Into<String>,
        probe: impl Fn(&Snapshot) -> f64 + Send + Sync + 'static,
    ) -> &mut Self {
        let probe = Measured::Function(Box::new(probe), None);
        self.probes.push((name.into(), probe));
        self
    }

    /// Sets the definition of an existing [`probe`](Self::probe), with unit, frame and sign
    /// ([`output_definitions`](liedae::system::output_definitions)). Other outputs define themselves.
    ///
    /// ```
    /// use liedae::system::output_definitions;
    /// use liedae_multibody::{Axis, MultibodyBuilder, Output, RigidBody};
    ///
    /// let mut mechanism = MultibodyBuilder::new();
    /// let ball = mechanism.add_body(RigidBody::new("ball", 1.0, [0.1; 3]));
    /// mechanism.probe("speed", move |now| now.velocity(ball).norm());
    /// mechanism.define_output("speed", "speed of the centre of mass of ball, m/s");
    /// mechanism.output("spin", Output::AngularVelocity(ball, Axis::Z));
    /// let definitions = output_definitions(&mut mechanism.build()?);
    /// let definitions: Vec<&str> = definitions.iter().flatten().map(String::as_str).collect();
    /// assert_eq!(definitions, ["speed of the centre of mass of ball, m/s", "angular velocity of ball about z of the fixed frame, rad/s"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn define_output(&mut self, name: &str, definition: impl Into<String>) -> &mut Self {
        let mut probes = self.probes.iter_mut();
        if let Some((_, Measured::Function(_, own))) = probes.find(|(known, _)| known == name) {
            *own = Some(definition.into());
        }
        self
    }

    /// Adds an output as data, which a mechanism file can state; otherwise as [`probe`](Self::probe).
    pub fn output(&mut self, name: impl Into<String>, output: Output) -> &mut Self {
        self.probes.push((name.into(), Measured::Stated(output)));
        self
    }
}
