//! Forces between two bodies, given once for numbers with and without derivatives.

use super::kinematics::{Kinematics, PAIR, Wrench};
use liedae::scalar::{Dual, Scalar};
use nalgebra::Vector3;
use std::any::Any;

/// A number with its derivatives by the motion of two bodies: what force closures compute with.
///
/// ```
/// use liedae::scalar::Scalar;
/// use liedae_multibody::{ForceScalar, Kinematics, Vector3, Wrench};
///
/// /// Two bodies of 5 t attract each other.
/// fn gravitation(_t: f64, [one, two]: &[Kinematics<ForceScalar>; 2]) -> [Wrench<ForceScalar>; 2] {
///     let way = two.position - one.position;
///     let squared = way.dot(&way);
///     let pull = way * (ForceScalar::constant(6.674e-11 * 5e3 * 5e3) / (squared * squared.sqrt()));
///     [one.force_at(&one.position, &pull), two.force_at(&two.position, &-pull)]
/// }
///
/// // Twice as far away it is a quarter.
/// let at = |x: f64| {
///     let position = Vector3::new(x, 0.0, 0.0).map(ForceScalar::constant);
///     Kinematics { position, ..Kinematics::ground() }
/// };
/// let [near, far] = [2.0, 4.0].map(|x| gravitation(0.0, &[Kinematics::ground(), at(x)])[0].force.x.value);
/// assert!((near / far - 4.0).abs() < 1e-12);
/// ```
pub type ForceScalar = Dual<PAIR>;

/// A force that depends on time and on the motion of two bodies (either may be the ground) and acts on both.
///
/// Written once, generically; the exact derivatives that implicit integrators need follow from it. A uniform force on
/// one body:
///
/// ```
/// use liedae::scalar::Scalar;
/// use liedae_multibody::{Kinematics, PairForce, Vector3, Wrench};
///
/// /// A drag -c v at the centre of mass of the second body.
/// struct Drag(f64);
///
/// impl PairForce for Drag {
///     fn wrenches<S: Scalar>(&self, _t: f64, [_, body]: &[Kinematics<S>; 2]) -> [Wrench<S>; 2] {
///         let force = body.velocity * S::constant(-self.0);
///         [Wrench::zero(), Wrench { force, torque: Vector3::zeros() }]
///     }
/// }
/// ```
pub trait PairForce: Send + Sync {
    /// Force (world frame, at the centre of mass) and torque (body frame) on each body.
    fn wrenches<S: Scalar>(&self, t: f64, bodies: &[Kinematics<S>; 2]) -> [Wrench<S>; 2];

    /// Potential energy in J, where there is one.
    fn potential(&self, _t: f64, _bodies: &[Kinematics; 2]) -> f64 {
        0.0
    }

    /// Whether it never increases the sum of its potential and the kinetic energy.
    fn is_passive(&self) -> bool {
        false
    }

    /// Moments in s at which it is not smooth: every run ends a step there.
    fn moments(&self) -> Vec<f64> {
        Vec::new()
    }

    /// An invalid parameter with its name; the assembly refuses it. `None` if all are valid.
    fn wrong_number(&self) -> Option<(&'static str, f64)> {
        None
    }

    /// The points of both bodies between which it acts, in their frames in m, for drawings.
    fn ends(&self) -> Option<[Vector3<f64>; 2]> {
        None
    }
}

/// The object-safe face of [`PairForce`].
pub(crate) trait ErasedForce: Send + Sync {
    fn values(&self, t: f64, bodies: &[Kinematics; 2]) -> [Wrench; 2];
    fn derivatives(
        &self,
        t: f64,
        bodies: &[Kinematics<ForceScalar>; 2],
    ) -> [Wrench<ForceScalar>; 2];
    fn energy(&self, t: f64, bodies: &[Kinematics; 2]) -> f64;
    fn is_passive(&self) -> bool;
    fn moments(&self) -> Vec<f64>;
    fn wrong_number(&self) -> Option<(&'static str, f64)>;
    fn ends(&self) -> Option<[Vector3<f64>; 2]>;
    /// The law itself; none of a closure.
    fn law(&self) -> Option<&dyn Any>;
}

impl dyn ErasedForce {
    /// The law itself where it is of this type.
    #[cfg_attr(not(feature = "files"), allow(dead_code))]
    pub fn stated<L: 'static>(&self) -> Option<&L> {
        self.law()?.downcast_ref()
    }
}

impl<F: PairForce + 'static> ErasedForce for F {
    fn values(&self, t: f64, bodies: &[Kinematics; 2]) -> [Wrench; 2] {
        self.wrenches(t, bodies)
    }
    fn derivatives(
        &self,
        t: f64,
        bodies: &[Kinematics<ForceScalar>; 2],
    ) -> [Wrench<ForceScalar>; 2] {
        self.wrenches(t, bodies)
    }
    fn energy(&self, t: f64, bodies: &[Kinematics; 2]) -> f64 {
        self.potential(t, bodies)
    }
    fn is_passive(&self) -> bool {
        PairForce::is_passive(self)
    }
    fn moments(&self) -> Vec<f64> {
        PairForce::moments(self)
    }
    fn wrong_number(&self) -> Option<(&'static str, f64)> {
        PairForce::wrong_number(self)
    }
    fn ends(&self) -> Option<[Vector3<f64>; 2]> {
        PairForce::ends(self)
    }
    fn law(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

/// A closure over numbers with derivatives as a force. Plain values come from the same closure with zero derivatives: a few times
/// the cost of a [`PairForce`], with the same accuracy.
pub(crate) struct ClosureForce<F>(pub F);

impl<F> ErasedForce for ClosureForce<F>
where
    F: Fn(f64, &[Kinematics<ForceScalar>; 2]) -> [Wrench<ForceScalar>; 2] + Send + Sync,
{
    fn values(&self, t: f64, bodies: &[Kinematics; 2]) -> [Wrench; 2] {
        // A closure computes with duals only: constants of them give plain values.
        let constant = [bodies[0].constant(), bodies[1].constant()];
        (self.0)(t, &constant).map(|wrench| Wrench {
            force: wrench.force.map(Scalar::value),
            torque: wrench.torque.map(Scalar::value),
        })
    }
    fn derivatives(
        &self,
        t: f64,
        bodies: &[Kinematics<ForceScalar>; 2],
    ) -> [Wrench<ForceScalar>; 2] {
        (self.0)(t, bodies)
    }
    fn energy(&self, _t: f64, _bodies: &[Kinematics; 2]) -> f64 {
        0.0
    }
    fn is_passive(&self) -> bool {
        false
    }
    fn moments(&self) -> Vec<f64> {
        Vec::new()
    }
    fn wrong_number(&self) -> Option<(&'static str, f64)> {
        None
    }
    fn ends(&self) -> Option<[Vector3<f64>; 2]> {
        None
    }
    fn law(&self) -> Option<&dyn Any> {
        None
    }
}

/// A force in an assembled mechanism.
pub(crate) struct Force {
    #[cfg_attr(not(feature = "files"), allow(dead_code))]
    pub name: String,
    pub bodies: [Option<usize>; 2],
    pub law: Box<dyn ErasedForce>,
}

/// An actuator's contribution as a function of time, length (or angle) and its rate.
///
/// ```
/// use liedae::scalar::{Dual, Scalar};
/// use liedae_multibody::Actuator;
///
/// // A rubber buffer: 2 kN/m, and stiffer the more it is drawn out beyond 0.1 m.
/// let buffer: Actuator = Box::new(|_t, length, _rate| {
///     let stretch = length - 0.1;
///     stretch * 2e3 + stretch * stretch * stretch * 1e6
/// });
/// // Its stiffness at 0.12 m comes with the force: 2e3 + 3e6 · 0.02².
/// let force = buffer(0.0, Dual::variable(0.12, 0), Dual::constant(0.0));
/// assert!((force.value - 48.0).abs() < 1e-9 && (force.gradient[0] - 3200.0).abs() < 1e-9);
/// ```
pub type Actuator = Box<dyn Fn(f64, Dual<2>, Dual<2>) -> Dual<2> + Send + Sync>;

/// The actuator at a length and rate that carry any derivatives of first order.
pub(crate) fn actuate<S: Scalar>(actuator: Option<&Actuator>, t: f64, length: S, rate: S) -> S {
    let Some(actuator) = actuator else {
        return S::constant(0.0);
    };
    // First-order Taylor at the point: S may be a dual of any kind, the actuator knows Dual<2>.
    let (x, v) = (length.value(), rate.value());
    let at = actuator(t, Dual::variable(x, 0), Dual::variable(v, 1));
    (length - x) * at.gradient[0] + (rate - v) * at.gradient[1] + at.value
}
