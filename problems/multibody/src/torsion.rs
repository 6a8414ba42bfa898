//! Rotational spring, damper and actuator about the axis of a joint.

use super::force::{Actuator, actuate};
use super::joint::JointId;
use super::kinematics::{Kinematics, Wrench};
use super::marker::{Axis, JointFrame, Marker};
use super::motion::Motion;
use liedae::scalar::{Dual, Scalar, Taylor2};
use std::f64::consts::{PI, TAU};

/// A rotational spring-damper-actuator about the z-axis of a revolute or cylindrical joint: the torque on body 2 is
/// -(k (φ - φ₀) + c φ' + h(φ, φ', t)), the opposite acts on body 1 (Haug 1989, section 11.2).
///
/// φ is the angle about z₁ from x₁ to x₂, zero at assembly if the joint was placed in the world. It counts turns: a
/// differential state of the system, `name.angle`, follows φ and tells the revolution, so that φ is exact and unbounded. It
/// starts in (-π, π], or on the revolution of a stated [joint position](crate::MultibodyBuilder::joint_position), and φ₀ may
/// be many turns away (a spring that is wound up). A mere damper needs no revolution and has no such state.
///
/// A spring that is [`wrapping`](Self::wrapping) forgets turns: its φ lies in (φ₀ - π, φ₀ + π], and its torque jumps where
/// the joint turns half a revolution away from φ₀, at an event of the kind `wrap`. Its free angle is within ±π.
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
/// assert_eq!(modes.len(), 1);
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
    /// What φ₀ follows in time, in rad, in the place of `free_angle`.
    pub follows: Option<Motion>,
    /// Actuator h in N m of (t, φ, φ').
    pub actuator: Option<Actuator>,
    /// Whether the torque goes on over many turns; otherwise it jumps at half a turn from the free angle.
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
            follows: None,
            actuator: None,
            counts_turns: true,
        }
    }

    /// With a damper in N m s/rad.
    pub fn with_damping(mut self, damping: f64) -> Self {
        self.damping = damping;
        self
    }

    /// With a free angle that follows a motion w(t): the torque on body 2 is -(k (φ - w) + c (φ' - w')), that of a controller in
    /// proportion to the angle and its rate. Without stiffness it is a motor whose torque falls in proportion to its speed.
    ///
    /// ```
    /// use liedae::integrator::Radau5;
    /// use liedae::solve::{Options, solve};
    /// use liedae_multibody::{BodyId, Joint, Motion, MultibodyBuilder, RigidBody, RotationalSpring};
    ///
    /// // A motor takes a wheel of 0.5 kg m² to 20 rad/s, with 4 N m at rest.
    /// let mut mechanism = MultibodyBuilder::new();
    /// let wheel = mechanism.add_body(RigidBody::new("wheel", 1.0, [0.5; 3]));
    /// let shaft = Joint::revolute("shaft", BodyId::GROUND, wheel, [0.0; 3], [0.0, 0.0, 1.0]);
    /// let shaft = mechanism.add_joint(shaft);
    /// let motor = RotationalSpring::new("motor", shaft, 0.0, 0.0).with_damping(4.0 / 20.0);
    /// mechanism.add_rotational_spring(motor.following(Motion::linear(0.0, 20.0)));
    /// let options = Options::adaptive(2.0, 1e-9, 1e-9);
    /// let end = solve(&mut mechanism.build()?, &Radau5::default(), &options)?.state;
    /// // ω = 20 (1 - exp(-c t / J)).
    /// assert!((end.v[5] - 20.0 * (1.0 - (-0.2_f64 * 2.0 / 0.5).exp())).abs() < 1e-6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn following(mut self, motion: Motion) -> Self {
        self.follows = Some(motion);
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

    /// Forgets turns: the angle is taken within half a turn of the free angle.
    ///
    /// ```
    /// use liedae::integrator::{Hem5, Projection};
    /// use liedae::solve::{Options, solve};
    /// use liedae_multibody::{BodyId, Joint, MultibodyBuilder, RigidBody, RotationalSpring};
    ///
    /// // The pointer of a meter whose controller takes the shorter way round, turned past half a turn.
    /// let mut mechanism = MultibodyBuilder::new();
    /// let pointer = RigidBody::new("pointer", 1.0, [1.0; 3]).moving([0.0; 3], [0.0, 0.0, 4.0]);
    /// let pointer = mechanism.add_body(pointer);
    /// let pin = Joint::revolute("pin", BodyId::GROUND, pointer, [0.0; 3], [0.0, 0.0, 1.0]);
    /// let pin = mechanism.add_joint(pin);
    /// mechanism.add_rotational_spring(RotationalSpring::new("controller", pin, 1.0, 0.0).wrapping());
    /// let run = solve(&mut mechanism.build()?, &Hem5::new(Projection::EveryStep), &Options::adaptive(2.0, 1e-9, 1e-9))?;
    /// // φ = 4 sin t reaches π at arcsin(π / 4); from there on the torque draws it on, to the next turn.
    /// assert_eq!((run.events.len(), run.events[0].kind.as_str()), (1, "wrap"));
    /// assert!((run.events[0].t - (std::f64::consts::PI / 4.0).asin()).abs() < 1e-8);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn wrapping(mut self) -> Self {
        self.counts_turns = false;
        self
    }

    /// Whether the torque depends on the revolution: that of a mere damper does not.
    pub(crate) fn has_revolutions(&self) -> bool {
        self.stiffness != 0.0 || self.actuator.is_some()
    }

    /// Whether its torque jumps.
    pub(crate) fn wraps(&self) -> bool {
        !self.counts_turns && self.has_revolutions()
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
    pub follows: Option<Motion>,
    pub actuator: Option<Actuator>,
    /// Index of the differential state that counts revolutions; a mere damper has none.
    pub counter: Option<usize>,
    /// Index of the mode that is the number of turns forgotten, of a spring that wraps.
    pub wrap: Option<usize>,
}

impl Torsion {
    /// φ within (-π, π].
    pub fn principal_angle<S: Scalar>(&self, bodies: &[Kinematics<S>; 2]) -> S {
        let [one, two] = [0, 1].map(|side| self.markers[side].side(&bodies[side], true));
        let x = two.axis(Axis::X);
        // φ = atan2(y₁ · x₂, x₁ · x₂).
        one.axis(Axis::Y).dot(&x).atan2(one.axis(Axis::X).dot(&x))
    }

    /// φ on its revolution, less the turns that are forgotten. The differential states `x` tell the revolution, where φ is a
    /// number of any size; a damper has its principal angle.
    pub fn angle<S: Scalar>(&self, bodies: &[Kinematics<S>; 2], x: &[f64], mode: &[i32]) -> S {
        let principal = self.principal_angle(bodies);
        let Some(counter) = self.counter else {
            return principal;
        };
        let followed = x.get(counter).copied().unwrap_or(f64::NAN);
        // Whole revolutions only, so that φ is exact whatever the error of the state that is followed.
        let turns = ((followed - principal.value()) / TAU).round();
        let forgotten = self.wrap.and_then(|wrap| mode.get(wrap)).map_or(0, |&n| n);
        principal + (turns - f64::from(forgotten)) * TAU
    }

    /// The turns by which an angle is off (φ₀ - π, φ₀ + π].
    pub fn turns_off(&self, angle: f64) -> i32 {
        // Half a turn off belongs to the lower turn. The conversion saturates, and makes zero of NaN.
        ((angle - self.free_angle - PI) / TAU).ceil() as i32
    }

    /// What falls through zero where a spring that wraps is half a turn away from φ₀: cos((φ - φ₀) / 2).
    pub fn distance_from_wrap(&self, bodies: &[Kinematics; 2], x: &[f64], mode: &[i32]) -> f64 {
        ((self.angle(bodies, x, mode) - self.free_angle) / 2.0).cos()
    }

    /// φ'.
    pub fn rate<S: Scalar>(&self, bodies: &[Kinematics<S>; 2]) -> S {
        let axis = self.markers[0].side(&bodies[0], true).axis(Axis::Z);
        axis.dot(&(bodies[1].angular_velocity() - bodies[0].angular_velocity()))
    }

    /// φ₀ with its rates in time.
    fn free(&self, t: f64) -> Taylor2 {
        let constant = Taylor2::constant(self.free_angle);
        self.follows
            .as_ref()
            .map_or(constant, |motion| motion.at(t))
    }

    /// The torques on both bodies.
    pub fn wrenches<S: Scalar>(
        &self,
        t: f64,
        bodies: &[Kinematics<S>; 2],
        x: &[f64],
        mode: &[i32],
    ) -> [Wrench<S>; 2] {
        let (angle, rate) = (self.angle(bodies, x, mode), self.rate(bodies));
        let free = self.free(t);
        let torque = (angle - free.value) * self.stiffness
            + (rate - free.first) * self.damping
            + actuate(self.actuator.as_ref(), t, angle, rate);
        // The spring turns body 1 towards body 2, and body 2 back.
        let along = self.markers[0].side(&bodies[0], true).axis(Axis::Z) * torque;
        [bodies[0].torque(&along), bodies[1].torque(&-along)]
    }

    /// ½ k (φ - φ₀)².
    pub fn potential(&self, t: f64, bodies: &[Kinematics; 2], x: &[f64], mode: &[i32]) -> f64 {
        let turn = self.angle(bodies, x, mode) - self.free(t).value;
        0.5 * self.stiffness * turn * turn
    }
}
