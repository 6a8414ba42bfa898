//! Rotational spring, damper and actuator about the axis of a joint.

use super::force::{Actuator, actuate};
use super::joint::JointId;
use super::kinematics::{Kinematics, Wrench};
use super::marker::{Axis, JointFrame, Marker};
use liedae::scalar::{Dual, Scalar};
use std::f64::consts::{PI, TAU};

/// A rotational spring-damper-actuator about the z-axis of a revolute or cylindrical joint: the torque on body 2 is
/// -(k (φ - φ₀) + c φ' + h(φ, φ', t)), the opposite acts on body 1 (Haug 1989, section 11.2).
///
/// φ is the angle about z₁ from x₁ to x₂, zero at assembly if the joint was placed in the world. By itself it lies in
/// (φ₀ - π, φ₀ + π], and the torque of the spring jumps where the joint turns half a revolution away from φ₀; a free
/// angle beyond ±π is refused. With [`counting_turns`](Self::counting_turns) a differential state of the system follows
/// φ and tells the revolution: φ is exact and unbounded, starts in (-π, π], and φ₀ may be many turns away (a spring that
/// is wound up). To start on another revolution, add its 2π to that state (`x`, one each in the order of the springs).
///
/// ```
/// use liedae::analysis::linearize;
/// use liedae::system::{Evaluator, System};
/// use liedae_multibody::{BodyId, Joint, MultibodyBuilder, RigidBody, RotationalSpring};
///
/// // A balance wheel of 0.04 kg m² on a spring of 4 N m/rad.
/// let mut mechanism = MultibodyBuilder::new();
/// let wheel = mechanism.add_body(RigidBody::new("wheel", 1.0, [0.03, 0.03, 0.04]));
/// let staff = mechanism.add_joint(Joint::revolute("staff", BodyId::GROUND, wheel, [0.0; 3], [0.0, 0.0, 1.0]));
/// mechanism.add_rotational_spring(RotationalSpring::new("spring", staff, 4.0, 0.0));
/// let mut system = mechanism.build()?;
/// let rest = system.initial_state();
/// let modes = linearize(&mut Evaluator::new(&mut system), &rest, None)?.modes()?;
/// assert!((modes[0].eigenvalue.im - (4.0 / 0.04_f64).sqrt()).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct RotationalSpring {
    /// Name, unique among forces.
    pub name: String,
    /// The joint.
    pub joint: JointId,
    /// Stiffness k in N m/rad.
    pub stiffness: f64,
    /// Damping c in N m s/rad.
    pub damping: f64,
    /// Free angle φ₀ in rad.
    pub free_angle: f64,
    /// Actuator h in N m of (t, φ, φ').
    pub actuator: Option<Actuator>,
    /// Whether a differential state counts the revolutions.
    pub counts_turns: bool,
}

impl RotationalSpring {
    /// A spring without damper and actuator.
    pub fn new(name: impl Into<String>, joint: JointId, stiffness: f64, free_angle: f64) -> Self {
        Self {
            name: name.into(),
            joint,
            stiffness,
            damping: 0.0,
            free_angle,
            actuator: None,
            counts_turns: false,
        }
    }

    /// With a damper in N m s/rad.
    pub fn with_damping(mut self, damping: f64) -> Self {
        self.damping = damping;
        self
    }

    /// With an actuator h(t, φ, φ') in N m, positive where it pulls φ back.
    pub fn with_actuator(
        mut self,
        actuator: impl Fn(f64, Dual<2>, Dual<2>) -> Dual<2> + Send + Sync + 'static,
    ) -> Self {
        self.actuator = Some(Box::new(actuator));
        self
    }

    /// With a differential state that counts revolutions.
    pub fn counting_turns(mut self) -> Self {
        self.counts_turns = true;
        self
    }
}

/// A [`RotationalSpring`] in an assembled mechanism.
pub(crate) struct Torsion {
    #[cfg_attr(not(feature = "files"), allow(dead_code))]
    pub name: String,
    #[cfg_attr(not(feature = "files"), allow(dead_code))]
    pub joint: JointId,
    pub bodies: [Option<usize>; 2],
    pub markers: [Marker; 2],
    pub stiffness: f64,
    pub damping: f64,
    pub free_angle: f64,
    pub actuator: Option<Actuator>,
    /// Index of the differential state that counts revolutions.
    pub counter: Option<usize>,
}

impl Torsion {
    /// φ within (-π, π].
    pub fn principal_angle<S: Scalar>(&self, bodies: &[Kinematics<S>; 2]) -> S {
        let [one, two] = [0, 1].map(|side| self.markers[side].side(&bodies[side], true));
        let x = two.axis(Axis::X);
        // φ = atan2(y₁ · x₂, x₁ · x₂).
        one.axis(Axis::Y).dot(&x).atan2(one.axis(Axis::X).dot(&x))
    }

    /// φ on its revolution. `x` are the differential states, one of which may count revolutions; without it φ is NaN.
    pub fn angle<S: Scalar>(&self, bodies: &[Kinematics<S>; 2], x: &[f64]) -> S {
        let principal = self.principal_angle(bodies);
        // Whole revolutions only, so that φ is exact whatever the error of the state that is followed.
        let towards = |near: f64| ((near - principal.value()) / TAU).round();
        if let Some(counter) = self.counter {
            let followed = x.get(counter).copied().unwrap_or(f64::NAN);
            return principal + towards(followed) * TAU;
        }
        let angle = principal + towards(self.free_angle) * TAU;
        // Half a turn off rounds to either side: the branch is (free - π, free + π].
        if angle.value() <= self.free_angle - PI {
            angle + TAU
        } else {
            angle
        }
    }

    /// φ'.
    pub fn rate<S: Scalar>(&self, bodies: &[Kinematics<S>; 2]) -> S {
        let axis = self.markers[0].side(&bodies[0], true).axis(Axis::Z);
        axis.dot(&(bodies[1].angular_velocity() - bodies[0].angular_velocity()))
    }

    /// The torques on both bodies.
    pub fn wrenches<S: Scalar>(
        &self,
        t: f64,
        bodies: &[Kinematics<S>; 2],
        x: &[f64],
    ) -> [Wrench<S>; 2] {
        let (angle, rate) = (self.angle(bodies, x), self.rate(bodies));
        let torque = (angle - self.free_angle) * self.stiffness
            + rate * self.damping
            + actuate(self.actuator.as_ref(), t, angle, rate);
        // The spring turns body 1 towards body 2, and body 2 back.
        let along = self.markers[0].side(&bodies[0], true).axis(Axis::Z) * torque;
        [bodies[0].torque(&along), bodies[1].torque(&-along)]
    }

    /// ½ k (φ - φ₀)².
    pub fn potential(&self, bodies: &[Kinematics; 2], x: &[f64]) -> f64 {
        let turn = self.angle(bodies, x) - self.free_angle;
        0.5 * self.stiffness * turn * turn
    }
}
