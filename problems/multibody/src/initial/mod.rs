//! Initial positions and velocities by joint coordinates and their rates.
//!
//! Bodies are stated somewhere, with the frames of their joints. Stated joint coordinates then move them, in three steps:
//!
//! 1. **Along the tree.** What hangs on a joint with a stated coordinate moves with it as one rigid piece. Every other
//!    joint keeps its own coordinates; so do relative velocities.
//! 2. **Closing the loops.** Joints that are not in the tree are then open. A projection closes them, with the least
//!    change by the mass matrix, and holds the stated coordinates. Long ways are gone in small parts, so that a loop stays
//!    on its branch.
//! 3. **Velocities** likewise: along the tree, then projected.
//!
//! [`Placement`] reports which bodies the joint coordinates and which the loops have moved.

mod coordinate;
mod place;
mod report;
mod tree;

pub use coordinate::JointCoordinate;
pub(crate) use place::{Start, place};
pub use report::{Displacement, PlacedBody, PlacedJoint, Placement};

use crate::builder::MultibodyBuilder;
use crate::joint::JointId;
use crate::mechanism::MultibodySystem;

impl MultibodyBuilder {
    /// Starts with a joint at this coordinate: rad for the angle of a revolute or cylindrical joint, m for the
    /// translation of a translational, cylindrical or revolute-cylindrical joint.
    ///
    /// The angle counts about z₁ from x₁ to x₂ and the translation along z₁ from P₁ to P₂. Both are zero as the bodies are
    /// stated, if the joint was placed in the world. An angle is reached the shorter way round; rotational springs
    /// start with the full angle. A joint with both coordinates wants a [`JointCoordinate`], others take the number.
    ///
    /// Bodies that hang on the joint move with it, and loops are closed: [`MultibodySystem::placement`] says what moved.
    /// Whoever wants a joint held where it is states its coordinate as well.
    ///
    /// # Errors
    /// When building: [`AssemblyError::UnknownJoint`](crate::AssemblyError::UnknownJoint),
    /// [`JointKind`](crate::AssemblyError::JointKind) for a joint without this coordinate,
    /// [`NotFinite`](crate::AssemblyError::NotFinite), [`DuplicateName`](crate::AssemblyError::DuplicateName) for a
    /// coordinate stated twice, and [`JointPositions`](crate::AssemblyError::JointPositions) for what contradicts itself or
    /// cannot be reached.
    ///
    /// ```
    /// use liedae_multibody::{BodyId, Joint, MultibodyBuilder, RigidBody, Snapshot};
    ///
    /// // A double pendulum, stated straight down, starts bent and turning.
    /// let mut mechanism = MultibodyBuilder::new();
    /// let [upper, lower] = [("upper", -0.5), ("lower", -1.5)]
    ///     .map(|(name, z)| mechanism.add_body(RigidBody::new(name, 1.0, [0.083, 0.083, 1e-3]).at([0.0, 0.0, z])));
    /// let axis = [0.0, -1.0, 0.0];
    /// let pivot = mechanism.add_joint(Joint::revolute("pivot", BodyId::GROUND, upper, [0.0; 3], axis));
    /// let elbow = mechanism.add_joint(Joint::revolute("elbow", upper, lower, [0.0, 0.0, -1.0], axis));
    /// mechanism.joint_position(pivot, 0.5).joint_position(elbow, -0.2);
    /// mechanism.joint_rate(pivot, 3.0).joint_rate(elbow, -3.0);
    /// let system = mechanism.build()?;
    ///
    /// let start = liedae::system::System::initial_state(&system);
    /// let now = Snapshot::new(&system, &start);
    /// assert!((now.point(lower, [0.0, 0.0, -0.5]).x - (0.5_f64.sin() + 0.3_f64.sin())).abs() < 1e-12);
    /// assert!(now.omega(lower).norm() < 1e-12);
    /// assert!((now.velocity(lower).norm() - 3.0).abs() < 1e-12);
    /// let placement = system.placement().expect("coordinates were stated");
    /// assert!((placement.bodies[0].by_joints.rotation - 0.5).abs() < 1e-12);
    /// assert_eq!(placement.moved_by_loops(1e-9).count(), 0);
    /// # Ok::<(), liedae_multibody::AssemblyError>(())
    /// ```
    pub fn joint_position(
        &mut self,
        joint: JointId,
        coordinate: impl Into<JointCoordinate>,
    ) -> &mut Self {
        self.joint_positions.push((joint, coordinate.into()));
        self
    }

    /// Starts with a joint moving at this rate of its coordinate, in rad/s or m/s; otherwise as
    /// [`joint_position`](Self::joint_position).
    ///
    /// # Errors
    /// As those of [`joint_position`](Self::joint_position), with
    /// [`JointRates`](crate::AssemblyError::JointRates) for rates that contradict themselves, a drive or a loop.
    ///
    /// ```
    /// use liedae_multibody::{BodyId, Joint, JointCoordinate, MultibodyBuilder, RigidBody};
    ///
    /// // A bolt that turns in its sleeve and does not slide.
    /// let mut mechanism = MultibodyBuilder::new();
    /// let bolt = mechanism.add_body(RigidBody::new("bolt", 1.0, [0.1; 3]));
    /// let sleeve = Joint::cylindrical("sleeve", BodyId::GROUND, bolt, [0.0; 3], [0.0, 0.0, 1.0]);
    /// let sleeve = mechanism.add_joint(sleeve);
    /// mechanism.joint_rate(sleeve, JointCoordinate::Angle(5.0));
    /// let system = mechanism.build()?;
    /// let start = liedae::system::System::initial_state(&system);
    /// assert_eq!(start.v, [0.0, 0.0, 0.0, 0.0, 0.0, 5.0]);
    /// # Ok::<(), liedae_multibody::AssemblyError>(())
    /// ```
    pub fn joint_rate(
        &mut self,
        joint: JointId,
        coordinate: impl Into<JointCoordinate>,
    ) -> &mut Self {
        self.joint_rates.push((joint, coordinate.into()));
        self
    }
}

impl MultibodySystem {
    /// How joint coordinates and loops have moved the bodies from where they were stated; `None` where no
    /// [`joint_position`](MultibodyBuilder::joint_position) or [`joint_rate`](MultibodyBuilder::joint_rate) was stated.
    pub fn placement(&self) -> Option<&Placement> {
        self.placement.as_ref()
    }
}
