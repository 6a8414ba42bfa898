//! Joints of one's own: equations between two joint frames, stated once for all number types.
//!
//! A [`CustomJoint`] states position rows g(t, q) = 0, a [`NonholonomicJoint`] velocity rows b(t, q, v) = 0. Both compare
//! a frame on body 1 with a frame on body 2, as the joints that are built in do. Jacobian, velocity level, acceleration
//! level and their derivatives follow exactly, by duals and by derivatives along curves.

mod equations;
mod frame;
mod rows;

pub use equations::CustomEquations;
pub(crate) use equations::{Evaluate, Level, Own};
pub use frame::{FrameMotion, FramePose};

use liedae::scalar::Scalar;

/// A joint by its own equations: `ROWS` position rows g(t, q) = 0 between two joint frames.
///
/// The number of rows belongs to the type, so that an array of another length does not compile. Rows may be lengths in m
/// or angles in rad; the multiplier of a row has the unit of its work, N or N m. Rows that depend on each other are
/// treated as those of other joints: listed, and given least-norm multipliers.
///
/// Joints of this kind are dearer than the built-in ones: derivatives carry twelve directions, those of implicit methods
/// twelve by twelve.
///
/// A nut on a screw moves by h/2π for each radian. The tangent of the angle would do as well near zero only; the sine
/// of the difference holds for any number of turns, as long as the steps are smaller than half a turn:
///
/// ```
/// use liedae::prelude::*;
/// use liedae::scalar::Scalar;
/// use liedae_multibody::{Axis, BodyId, CustomJoint, Frame, FramePose, Joint, MultibodyBuilder, RigidBody};
///
/// /// The angle about z₁ from x₁ to x₂ in rad is the displacement along z₁ divided by `lead` in m/rad.
/// struct Thread { lead: f64 }
///
/// impl CustomJoint<1> for Thread {
///     fn kind(&self) -> &'static str { "thread" }
///     fn residual<S: Scalar>(&self, _t: S, [nut, screw]: &[FramePose<S>; 2]) -> [S; 1] {
///         let along = nut.axis(Axis::Z).dot(&(screw.point - nut.point));
///         let (sin, cos) = (along / self.lead).sin_cos();
///         let x = screw.axis(Axis::X);
///         [x.dot(&nut.axis(Axis::Y)) * cos - x.dot(&nut.axis(Axis::X)) * sin]
///     }
/// }
///
/// let mut mechanism = MultibodyBuilder::new();
/// mechanism.gravity([0.0, 0.0, -9.81]);
/// let screw = mechanism.add_body(RigidBody::new("screw", 2.0, [0.1, 0.1, 0.02]));
/// let up = [0.0, 0.0, 1.0];
/// mechanism.add_joint(Joint::cylindrical("guide", BodyId::GROUND, screw, [0.0; 3], up));
/// let frames = [Frame::world([0.0; 3], up); 2];
/// mechanism.add_joint(Joint::custom("thread", BodyId::GROUND, screw, frames, Thread { lead: 0.05 }));
///
/// // (m + J / lead²) z'' = -m g: the screw falls from rest.
/// let mut system = mechanism.build()?;
/// let method = liedae_contact::methods().build("hem5", &MethodOptions::default())?;
/// let end = solve(&mut system, method.as_ref(), &Options::adaptive(1.0, 1e-9, 1e-9))?.state;
/// let expected = -0.5 * 9.81 * 2.0 / (2.0 + 0.02 / 0.05_f64.powi(2));
/// assert!((end.q[2] - expected).abs() < 1e-7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait CustomJoint<const ROWS: usize>: Send + Sync {
    /// The kind as descriptions show it.
    fn kind(&self) -> &'static str {
        "custom"
    }

    /// g(t, q), zero where the joint holds. `t` is the time in s; the frames are those on body 1 and body 2, in the world.
    ///
    /// It must be a function of its arguments, twice differentiable near g = 0. Where it is not finite, the evaluation
    /// fails with the joint's name.
    fn residual<S: Scalar>(&self, t: S, frames: &[FramePose<S>; 2]) -> [S; ROWS];
}

/// A nonholonomic joint: `ROWS` velocity rows b(t, q, v) = 0 between two joint frames, affine in the velocities.
///
/// The rows are velocities in m/s or rad/s; multipliers are forces in N or torques in N m. They come behind all position
/// rows of the mechanism. Mechanisms with such joints are stated in rotation matrices only.
///
/// A ball that rolls on a plane without sliding:
///
/// ```
/// use liedae::scalar::Scalar;
/// use liedae::system::System;
/// use liedae_multibody::{
///     Axis, BodyId, Frame, FrameMotion, Joint, JointKind, MultibodyBuilder, NonholonomicJoint, RigidBody,
/// };
///
/// /// The lowest point of a ball of this radius, with its centre in frame 2, rests on the plane across z₁.
/// struct Rolling { radius: f64 }
///
/// impl NonholonomicJoint<2> for Rolling {
///     fn velocity_residual<S: Scalar>(&self, _t: S, [plane, ball]: &[FrameMotion<S>; 2]) -> [S; 2] {
///         let arm = plane.axis(Axis::Z) * S::constant(-self.radius);
///         let sliding = ball.velocity + ball.angular_velocity.cross(&arm);
///         [sliding.dot(&plane.axis(Axis::X)), sliding.dot(&plane.axis(Axis::Y))]
///     }
/// }
///
/// let mut mechanism = MultibodyBuilder::new();
/// let ball = RigidBody::new("ball", 1.0, [4e-3; 3]).at([0.0, 0.0, 0.1]).moving([1.0, 0.0, 0.0], [0.0, 10.0, 0.0]);
/// let ball = mechanism.add_body(ball);
/// let frames = [Frame::world_point([0.0; 3]), Frame::local_point([0.0; 3])];
/// let height = JointKind::Dot2(Axis::Z, 0.1.into());
/// mechanism.add_joint(Joint::new("height", height, BodyId::GROUND, ball, frames));
/// mechanism.add_joint(Joint::nonholonomic("rolling", BodyId::GROUND, ball, frames, Rolling { radius: 0.1 }));
/// let system = mechanism.build()?;
/// assert_eq!((system.layout().position_rows, system.layout().velocity_rows), (1, 2));
/// # Ok::<(), liedae_multibody::AssemblyError>(())
/// ```
pub trait NonholonomicJoint<const ROWS: usize>: Send + Sync {
    /// The kind as descriptions show it.
    fn kind(&self) -> &'static str {
        "nonholonomic"
    }

    /// b(t, q, v), zero where the joint holds, and affine in the velocities: assembly refuses others. `t` is the time in s.
    fn velocity_residual<S: Scalar>(&self, t: S, frames: &[FrameMotion<S>; 2]) -> [S; ROWS];
}
