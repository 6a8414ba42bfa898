//! Quantities of a plane mechanism at one moment: positions, velocities, reactions.

use super::{PlaneBodyData, PlanePoint};
use super::{PlaneForce, PlaneJoint, PlaneMechanism, PlaneMechanismError, PlanePair};
use crate::plane::geometry::PlaneBody;
use liedae::scalar::{Dual, Scalar};
use liedae::system::State;
use nalgebra::Vector2;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A named quantity, as a function of a moment.
#[derive(Clone)]
pub(crate) struct PlaneProbe {
    pub value: Arc<dyn Fn(&PlaneSnapshot) -> f64 + Send + Sync>,
    /// Its definition, if there is one.
    pub definition: Option<String>,
}

impl fmt::Debug for PlaneProbe {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("probe")
    }
}

/// The force and torque that a joint exerts on one of its bodies, by the multipliers of the joint alone.
///
/// ```
/// use liedae::system::{AccelerationSolver, Automatic, Evaluator, System};
/// use liedae_multibody::Vector2;
/// use liedae_multibody::plane::{PlaneBodyData, PlaneJoint, PlaneMechanism, PlaneReaction, PlaneSnapshot};
///
/// // A bar of 1 m and 4 kg, level on a pivot at its end, is let go.
/// let bar = PlaneBodyData {
///     name: "bar".to_owned(),
///     mass: 4.0,
///     inertia: 4.0 / 12.0,
///     position: [0.5, 0.0, 0.0],
///     velocity: [0.0; 3],
/// };
/// let pivot = PlaneJoint::Revolute((None, [0.0, 0.0]), (Some(0), [-0.5, 0.0]));
/// let mechanism: PlaneMechanism = PlaneMechanism::new(vec![bar], [0.0, -10.0])?.with_joints([pivot])?;
/// let mut system = Automatic::new(mechanism.clone());
/// let mut state = system.initial_state();
/// AccelerationSolver::new(system.layout())?.complete(&mut Evaluator::new(&mut system), &mut state)?;
/// // The pivot carries a quarter of its weight.
/// let reaction: PlaneReaction = PlaneSnapshot::new(&mechanism, &state).reaction(0).ok_or("no such joint")?;
/// assert!((reaction.force - Vector2::new(0.0, 10.0)).norm() < 1e-9);
/// assert!((reaction.about(&Vector2::new(0.5, 0.0)).torque + 0.5 * 10.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlaneReaction {
    /// Force in N, fixed frame.
    pub force: Vector2<f64>,
    /// Torque in N m about `point`, positive counter-clockwise.
    pub torque: f64,
    /// The joint's point, fixed frame: where two points are held together, the point that stays on a line or is driven, the
    /// centre of mass where angles are held.
    pub point: Vector2<f64>,
}

impl PlaneReaction {
    /// The same wrench with its torque about another point.
    pub fn about(mut self, point: &Vector2<f64>) -> Self {
        self.torque += cross(&(self.point - point), &self.force);
        self.point = *point;
        self
    }

    /// Both wrenches together, about the point of the first.
    fn sum(self, other: Self) -> Self {
        let other = other.about(&self.point);
        Self {
            force: self.force + other.force,
            torque: self.torque + other.torque,
            ..self
        }
    }
}

fn cross(a: &Vector2<f64>, b: &Vector2<f64>) -> f64 {
    a.x * b.y - a.y * b.x
}

/// A plane mechanism in one state, with accelerations and multipliers. Bodies are counted from 0 in the order of the
/// statement, `None` is the ground; joints from 0 in the order of addition. What is not there answers NaN.
///
/// ```
/// use liedae::system::Model;
/// use liedae_multibody::plane::{PlaneBodyData, PlaneMechanism, PlaneSnapshot};
///
/// // A wheel of radius 0.3 m rolls with 3 m/s: where it touches the ground it is at rest.
/// let wheel = PlaneBodyData {
///     name: "wheel".to_owned(),
///     mass: 2.0,
///     inertia: 0.18,
///     position: [0.0, 0.3, 0.0],
///     velocity: [3.0, 0.0, -10.0],
/// };
/// let mechanism: PlaneMechanism = PlaneMechanism::new(vec![wheel], [0.0, -9.81])?;
/// let state = mechanism.initial_state();
/// let now = PlaneSnapshot::new(&mechanism, &state);
/// assert!(now.point_velocity(Some(0), [0.0, -0.3]).norm() < 1e-15);
/// // As a hoop it has as much energy of rotation as of translation.
/// assert!((now.energies().0 - 2.0 * 3.0 * 3.0).abs() < 1e-12);
/// # Ok::<(), liedae_multibody::plane::PlaneMechanismError>(())
/// ```
#[derive(Clone, Copy)]
pub struct PlaneSnapshot<'a> {
    bodies: &'a [PlaneBodyData],
    joints: &'a [PlaneJoint],
    forces: &'a [PlaneForce],
    gravity: [f64; 2],
    state: &'a State,
}

impl<'a> PlaneSnapshot<'a> {
    /// Looks at a state of a mechanism.
    pub fn new<C>(mechanism: &'a PlaneMechanism<C>, state: &'a State) -> Self {
        Self {
            bodies: &mechanism.bodies,
            joints: &mechanism.joints,
            forces: &mechanism.forces,
            gravity: mechanism.gravity,
            state,
        }
    }

    /// Time in s.
    pub fn time(&self) -> f64 {
        self.state.t
    }

    /// The state.
    pub fn state(&self) -> &State {
        self.state
    }

    /// Position, orientation and velocities of a body.
    pub fn kinematics(&self, body: Option<usize>) -> PlaneBody {
        PlaneBody::read(body, &self.state.q, &self.state.v)
    }

    /// Centre of mass in m, fixed frame.
    pub fn position(&self, body: Option<usize>) -> Vector2<f64> {
        self.kinematics(body).position
    }

    /// Orientation θ in rad.
    pub fn angle(&self, body: Option<usize>) -> f64 {
        self.kinematics(body).angle
    }

    /// Velocity of the centre of mass in m/s, fixed frame.
    pub fn velocity(&self, body: Option<usize>) -> Vector2<f64> {
        self.kinematics(body).velocity
    }

    /// Angular velocity in rad/s.
    pub fn omega(&self, body: Option<usize>) -> f64 {
        self.kinematics(body).omega
    }

    fn rate(&self, body: Option<usize>, component: usize) -> f64 {
        let Some(body) = body else { return 0.0 };
        let rate = self.state.acceleration.get(3 * body + component);
        rate.copied().unwrap_or(f64::NAN)
    }

    /// Acceleration of the centre of mass in m/s², fixed frame.
    pub fn acceleration(&self, body: Option<usize>) -> Vector2<f64> {
        Vector2::new(self.rate(body, 0), self.rate(body, 1))
    }

    /// Angular acceleration in rad/s².
    pub fn angular_acceleration(&self, body: Option<usize>) -> f64 {
        self.rate(body, 2)
    }

    /// A point given in the body frame (from the centre of mass), fixed frame, in m.
    pub fn point(&self, body: Option<usize>, local: [f64; 2]) -> Vector2<f64> {
        self.kinematics(body).point(local)
    }

    /// Velocity of a point given in the body frame, fixed frame, in m/s.
    pub fn point_velocity(&self, body: Option<usize>, local: [f64; 2]) -> Vector2<f64> {
        let moving = self.kinematics(body);
        moving.velocity_at(&moving.point(local))
    }

    /// Acceleration of a point given in the body frame, fixed frame, in m/s².
    pub fn point_acceleration(&self, body: Option<usize>, local: [f64; 2]) -> Vector2<f64> {
        let moving = self.kinematics(body);
        let arm = moving.point(local) - moving.position;
        let across = Vector2::new(-arm.y, arm.x);
        let omega = moving.omega;
        // a + α × s - ω² s.
        self.acceleration(body) + across * self.angular_acceleration(body) - arm * (omega * omega)
    }

    fn rows(&self, joint: usize) -> Option<Range<usize>> {
        let own = self.joints.get(joint)?;
        let first = self.joints[..joint].iter().map(PlaneJoint::rows).sum();
        Some(first..first + own.rows())
    }

    /// The multipliers of a joint; empty where there is none.
    pub fn multipliers(&self, joint: usize) -> &'a [f64] {
        let rows = self.rows(joint);
        rows.and_then(|rows| self.state.lambda.get(rows))
            .unwrap_or(&[])
    }

    /// The effort of a drive or another joint of one row: its multiplier, N m for an angle and N for a point.
    pub fn effort(&self, drive: usize) -> f64 {
        self.multipliers(drive).first().copied().unwrap_or(f64::NAN)
    }

    /// What a joint exerts on its second body, at the joint's point.
    pub fn reaction(&self, joint: usize) -> Option<PlaneReaction> {
        self.exerted(joint, 1)
    }

    /// What a gear on a carrier exerts on the carrier, at its centre of mass; `None` for other joints.
    pub fn reaction_on_carrier(&self, joint: usize) -> Option<PlaneReaction> {
        match *self.joints.get(joint)? {
            PlaneJoint::PlanetGear { carrier, .. } => Some(self.transposed(joint, Some(carrier))),
            _ => None,
        }
    }

    /// What a joint exerts on its first body, at the joint's point.
    pub fn counter_reaction(&self, joint: usize) -> Option<PlaneReaction> {
        self.exerted(joint, 0)
    }

    fn exerted(&self, joint: usize, side: usize) -> Option<PlaneReaction> {
        let own = self.joints.get(joint)?;
        let bodies = own.bodies();
        let point = match own {
            PlaneJoint::Revolute(first, second) => self.placed([*first, *second][side]),
            PlaneJoint::PointOnLine(point, ..)
            | PlaneJoint::PointDrive(point, ..)
            | PlaneJoint::SlideDrive(point, ..) => self.placed(*point),
            PlaneJoint::Angle(..)
            | PlaneJoint::AngleDrive(..)
            | PlaneJoint::Gear(..)
            | PlaneJoint::PlanetGear { .. } => self.position(bodies[side]),
        };
        if bodies[side].is_some() {
            return Some(self.transposed(joint, bodies[side]).about(&point));
        }
        // The ground has no coordinates: it gets the opposite of what the other bodies get.
        let pushed = own
            .members()
            .map(|body| self.transposed(joint, Some(body)).about(&point));
        pushed.reduce(PlaneReaction::sum).map(|all| PlaneReaction {
            force: -all.force,
            torque: -all.torque,
            ..all
        })
    }

    fn placed(&self, (body, local): PlanePoint) -> Vector2<f64> {
        self.point(body, local)
    }

    /// Gᵀ λ of a joint on a body, about its centre of mass.
    fn transposed(&self, joint: usize, body: Option<usize>) -> PlaneReaction {
        // Duals in x, y, θ of this body only: their gradients of the rows are its columns of G.
        let at = |index: Option<usize>| -> PlaneBody<Dual<3>> {
            let standing = self.kinematics(index);
            let [x, y, angle] = [standing.position.x, standing.position.y, standing.angle];
            let number = |value: f64, parameter: usize| {
                let parameter = if index == body { parameter } else { usize::MAX };
                Dual::variable(value, parameter)
            };
            if index.is_none() {
                return PlaneBody::ground();
            }
            let zero = Dual::constant(0.0);
            PlaneBody::new(
                [number(x, 0), number(y, 1)],
                number(angle, 2),
                [zero; 2],
                zero,
            )
        };
        let mut rows = [Dual::constant(0.0); 2];
        let mut total = [f64::NAN; 3];
        let lambda = self.multipliers(joint);
        if let Some(own) = self.joints.get(joint).filter(|_| !lambda.is_empty()) {
            own.evaluate(Dual::constant(self.state.t), at, &mut rows);
            // Gᵀ λ.
            total = std::array::from_fn(|index| {
                let terms = lambda.iter().zip(&rows);
                terms
                    .map(|(multiplier, row)| multiplier * row.gradient[index])
                    .sum()
            });
        }
        PlaneReaction {
            force: Vector2::new(total[0], total[1]),
            torque: total[2],
            point: self.position(body),
        }
    }

    /// Kinetic energy, and potential energy of gravity (zero at the origin) and of forces, in J.
    pub fn energies(&self) -> (f64, f64) {
        let (mut kinetic, mut potential) = (0.0, 0.0);
        for (index, body) in self.bodies.iter().enumerate() {
            let moving = self.kinematics(Some(index));
            kinetic += 0.5 * body.mass * moving.velocity.norm_squared();
            kinetic += 0.5 * body.inertia * moving.omega * moving.omega;
            potential -= body.mass * Vector2::from(self.gravity).dot(&moving.position);
        }
        let stored = self.forces.iter().map(|force| force.energy(&self.state.q));
        (kinetic, potential + stored.sum::<f64>())
    }
}

impl<C: PlanePair> PlaneMechanism<C> {
    /// Adds an output. Without any, a mechanism reports positions and velocities of all bodies.
    ///
    /// # Errors
    /// [`PlaneMechanismError::DuplicateName`].
    pub fn with_probe(
        mut self,
        name: impl Into<String>,
        probe: impl Fn(&PlaneSnapshot) -> f64 + Send + Sync + 'static,
    ) -> Result<Self, PlaneMechanismError> {
        let name = name.into();
        if self.probes.iter().any(|(other, _)| *other == name) {
            return Err(PlaneMechanismError::DuplicateName {
                kind: "probe",
                name,
            });
        }
        let probe = PlaneProbe {
            value: Arc::new(probe),
            definition: None,
        };
        self.probes.push((name, probe));
        Ok(self)
    }
}
