//! Forces of plane mechanisms as closures.

use crate::plane::geometry::PlaneBody;
use liedae::scalar::{Dual, Scalar};
use nalgebra::Vector2;
use std::fmt;
use std::sync::Arc;

/// Directions of a derivative by the motion of one body: x, y, θ and their rates.
const ONE: usize = 6;

/// A number with its derivatives by the motion of two plane bodies: what force closures compute with.
///
/// ```
/// use liedae::scalar::Scalar;
/// use liedae_multibody::plane::geometry::PlaneBody;
/// use liedae_multibody::plane::{PlaneForceScalar, PlaneWrench};
///
/// /// The drag of a bob in the air: 0.1 |v| v.
/// fn drag(_t: f64, [_, bob]: &[PlaneBody<PlaneForceScalar>; 2]) -> [PlaneWrench<PlaneForceScalar>; 2] {
///     let speed = bob.velocity.dot(&bob.velocity).sqrt();
///     let force = bob.velocity * (speed * -0.1);
///     [PlaneWrench::zero(), bob.force_at(&bob.position, &force)]
/// }
///
/// // 20 m/s, in the direction of one of the twelve derivatives.
/// let zero = PlaneForceScalar::constant(0.0);
/// let bob = PlaneBody::new([zero; 2], zero, [PlaneForceScalar::variable(20.0, 3), zero], zero);
/// let force = drag(0.0, &[PlaneBody::ground(), bob])[1].force.x;
/// assert!((force.value + 40.0).abs() < 1e-12 && (force.gradient[3] + 2.0 * 0.1 * 20.0).abs() < 1e-12);
/// ```
pub type PlaneForceScalar = Dual<{ 2 * ONE }>;

/// A force and a torque on one plane body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlaneWrench<S: Scalar = f64> {
    /// Force in N at the centre of mass, fixed frame.
    pub force: Vector2<S>,
    /// Torque in N m about the centre of mass, positive counter-clockwise.
    pub torque: S,
}

impl<S: Scalar> PlaneWrench<S> {
    /// No force, no torque.
    pub fn zero() -> Self {
        Self {
            force: Vector2::zeros(),
            torque: S::zero(),
        }
    }
}

impl<S: Scalar> PlaneBody<S> {
    /// The wrench on this body of a force in N at a point in m, both in the fixed frame.
    pub fn force_at(&self, point: &Vector2<S>, force: &Vector2<S>) -> PlaneWrench<S> {
        let arm = point - self.position;
        PlaneWrench {
            force: *force,
            torque: arm.x * force.y - arm.y * force.x,
        }
    }
}

type Law = dyn Fn(f64, &[PlaneBody<PlaneForceScalar>; 2]) -> [PlaneWrench<PlaneForceScalar>; 2]
    + Send
    + Sync;

/// A force closure with its bodies.
#[derive(Clone)]
pub(crate) struct PlaneClosure {
    pub name: String,
    pub bodies: [Option<usize>; 2],
    /// Which of them are point masses.
    pub points: [bool; 2],
    pub law: Arc<Law>,
}

impl fmt::Debug for PlaneClosure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "closure `{}` on {:?}", self.name, self.bodies)
    }
}

/// x, y, θ, then their rates.
fn motion<S: Scalar>(body: &PlaneBody<S>) -> [S; ONE] {
    let (r, v) = (&body.position, &body.velocity);
    [r.x, r.y, body.angle, v.x, v.y, body.omega]
}

impl PlaneClosure {
    pub fn evaluate<S: Scalar>(&self, t: S, bodies: &[PlaneBody<S>; 2]) -> [[S; 3]; 2] {
        let parameters = bodies.each_ref().map(motion);
        let variables = [0, 1].map(|side| {
            let at =
                // Twelve parameters: positions and rates of both bodies.
                |index: usize| Dual::variable(parameters[side][index].value(), ONE * side + index);
            PlaneBody::new([at(0), at(1)], at(2), [at(3), at(4)], at(5))
        });
        let wrenches = (self.law)(t.value(), &variables);
        // Exact for any derivatives of first order: these are all that forces are asked for.
        // f(p) + Σ ∂f/∂p (p - p₀): the closure knows one kind of number, the caller any.
        let carry = |entry: PlaneForceScalar| {
            let all = parameters.iter().flatten().zip(entry.gradient);
            // What does not change has no part, whatever the slope: it may be infinite where the force is not.
            let changing = all
                .map(|(&parameter, slope)| (parameter - parameter.value(), slope))
                .filter(|(change, _)| !change.is_zero());
            changing.fold(S::constant(entry.value), |sum, (change, slope)| {
                sum + change * slope
            })
        };
        wrenches.map(|wrench| [wrench.force.x, wrench.force.y, wrench.torque].map(carry))
    }

    /// Adds the force to those on all bodies.
    pub fn apply<S: Scalar>(&self, t: S, q: &[S], v: &[S], out: &mut [S]) {
        let entries = self.evaluate(t, &PlaneBody::pair(self.bodies, q, v));
        for (side, body) in self.bodies.into_iter().enumerate() {
            let Some(body) = body else { continue };
            for (slot, entry) in out[3 * body..].iter_mut().zip(entries[side]) {
                *slot += entry;
            }
            // Nothing turns a point mass: the evaluation has to fail.
            if self.points[side] && entries[side][2].value() != 0.0 {
                out[3 * body + 2] = S::constant(f64::NAN);
            }
        }
    }
}
