//! Translational spring, damper and actuator between two points.

use super::body::BodyId;
use super::force::{Actuator, PairForce, actuate};
use super::kinematics::{Kinematics, Wrench};
use super::marker::Frame;
use liedae::scalar::{Dual, Scalar};
use nalgebra::Vector3;

/// A translational spring-damper-actuator: along the line of its points, in tension positive,
/// F = k (l - l₀) + c l' + h(l, l', t) (Haug 1989, section 11.2).
///
/// Where the points coincide the direction is undefined and the force is taken as zero.
///
/// ```
/// use liedae::analysis::static_equilibrium;
/// use liedae::system::{Evaluator, System};
/// use liedae_multibody::{BodyId, Frame, Joint, MultibodyBuilder, RigidBody, TranslationalSpring};
///
/// // 2 kg on a vertical guide hang on a spring of 100 N/m that is 1 m long without load.
/// let mut mechanism = MultibodyBuilder::new();
/// mechanism.gravity([0.0, 0.0, -10.0]);
/// let load = mechanism.add_body(RigidBody::new("load", 2.0, [0.1; 3]).at([0.0, 0.0, -1.0]));
/// mechanism.add_joint(Joint::translational("guide", BodyId::GROUND, load, [0.0; 3], [0.0, 0.0, 1.0]));
/// let ends = [[0.0; 3], [0.0, 0.0, -1.0]].map(Frame::world_point);
/// mechanism.add_spring(TranslationalSpring::new("spring", [BodyId::GROUND, load], ends, 100.0, 1.0).with_damping(5.0));
/// let mut system = mechanism.build()?;
/// let start = system.initial_state();
/// let rest = static_equilibrium(&mut Evaluator::new(&mut system), &start, &Default::default())?.state;
/// assert!((rest.q[2] + 1.0 + 2.0 * 10.0 / 100.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct TranslationalSpring {
    /// Name, unique among forces.
    pub name: String,
    /// Body 1 and body 2.
    pub bodies: [BodyId; 2],
    /// Its points on them.
    pub points: [Frame; 2],
    /// Stiffness k in N/m.
    pub stiffness: f64,
    /// Damping c in N s/m.
    pub damping: f64,
    /// Free length l₀ in m.
    pub free_length: f64,
    /// Actuator h in N of (t, l, l').
    pub actuator: Option<Actuator>,
}

impl TranslationalSpring {
    /// A spring without damper and actuator.
    pub fn new(
        name: impl Into<String>,
        bodies: [BodyId; 2],
        points: [Frame; 2],
        stiffness: f64,
        free_length: f64,
    ) -> Self {
        Self {
            name: name.into(),
            bodies,
            points,
            stiffness,
            damping: 0.0,
            free_length,
            actuator: None,
        }
    }

    /// With a damper in N s/m.
    pub fn with_damping(mut self, damping: f64) -> Self {
        self.damping = damping;
        self
    }

    /// With an actuator h(t, l, l') in N, positive in tension.
    pub fn with_actuator(
        mut self,
        actuator: impl Fn(f64, Dual<2>, Dual<2>) -> Dual<2> + Send + Sync + 'static,
    ) -> Self {
        self.actuator = Some(Box::new(actuator));
        self
    }
}

/// The force law of a [`TranslationalSpring`] with its points in the body frames.
pub(crate) struct SpringLaw {
    pub points: [Vector3<f64>; 2],
    pub stiffness: f64,
    pub damping: f64,
    pub free_length: f64,
    pub actuator: Option<Actuator>,
}

impl PairForce for SpringLaw {
    fn wrenches<S: Scalar>(&self, t: f64, [one, two]: &[Kinematics<S>; 2]) -> [Wrench<S>; 2] {
        let (start, end) = (one.point(&self.points[0]), two.point(&self.points[1]));
        let d = end - start;
        let square = d.dot(&d);
        // Coincident ends have no direction to pull along.
        if square.value() == 0.0 {
            return [Wrench::zero(); 2];
        }
        let length = square.sqrt();
        let along = d * length.recip();
        let rate =
            along.dot(&(two.point_velocity(&self.points[1]) - one.point_velocity(&self.points[0])));
        // k (l - l₀) + c l' + actuator, positive when it pulls.
        let tension = (length - self.free_length) * self.stiffness
            + rate * self.damping
            + actuate(self.actuator.as_ref(), t, length, rate);
        let force = along * tension;
        [one.force_at(&start, &force), two.force_at(&end, &-force)]
    }

    fn potential(&self, _t: f64, [one, two]: &[Kinematics; 2]) -> f64 {
        let stretch =
            (two.point(&self.points[1]) - one.point(&self.points[0])).norm() - self.free_length;
        0.5 * self.stiffness * stretch * stretch
    }

    fn is_passive(&self) -> bool {
        self.damping >= 0.0 && self.actuator.is_none()
    }

    fn ends(&self) -> Option<[Vector3<f64>; 2]> {
        Some(self.points)
    }
}
