//! Applied forces of plane mechanisms.

use super::{Motion, PlanePoint};
use crate::plane::geometry::PlaneBody;
use liedae::scalar::Scalar;
use nalgebra::Vector2;

/// A force or torque; what acts on the first body acts with opposite sign on the second.
///
/// ```
/// use liedae::integrator::Radau5;
/// use liedae::solve::{Options, solve};
/// use liedae::system::Automatic;
/// use liedae_multibody::plane::{PlaneBodyData, PlaneForce, PlaneMechanism};
///
/// // A wheel of 0.5 kg m² that a motor of 2 N m drives for 3 s.
/// let wheel = PlaneBodyData {
///     name: "wheel".to_owned(),
///     mass: 10.0,
///     inertia: 0.5,
///     position: [0.0; 3],
///     velocity: [0.0; 3],
/// };
/// let motor = PlaneForce::TorqueUntil([Some(0), None], 2.0, 3.0);
/// let mechanism: PlaneMechanism = PlaneMechanism::new(vec![wheel], [0.0, 0.0])?.with_forces([motor])?;
/// let options = Options::adaptive(5.0, 1e-8, 1e-8);
/// let end = solve(&mut Automatic::new(mechanism), &Radau5::default(), &options)?.state;
/// assert!((end.v[2] - 2.0 * 3.0 / 0.5).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PlaneForce {
    /// A spring with a damper between two points: the tension is k (L - L_0) + c L'.
    Spring {
        /// Its ends.
        points: [PlanePoint; 2],
        /// k in N/m.
        stiffness: f64,
        /// c in N s/m.
        damping: f64,
        /// L_0 in m.
        free_length: f64,
    },
    /// Springs and dampers of the same size in all directions between two points, a bushing: the first point is pulled by
    /// k (p_2 - p_1) + c (p_2' - p_1').
    Cartesian {
        /// The points p_1 and p_2.
        points: [PlanePoint; 2],
        /// k in N/m.
        stiffness: f64,
        /// c in N s/m.
        damping: f64,
    },
    /// A torsion spring with a damper: the torque on the first body is -k (θ_1 - θ_2 - α_0) - c (θ_1' - θ_2').
    Torsion {
        /// First and second body.
        bodies: [Option<usize>; 2],
        /// k in N m/rad.
        stiffness: f64,
        /// c in N m s/rad.
        damping: f64,
        /// α_0 in rad.
        free_angle: f64,
    },
    /// A constant torque in N m on the first body, against the second.
    Torque([Option<usize>; 2], f64),
    /// A constant torque in N m on the first body, against the second, up to a moment in s. Runs land on that moment and
    /// start anew.
    TorqueUntil([Option<usize>; 2], f64, f64),
    /// A torque in N m on the first body, against the second, that is prescribed in time.
    DrivenTorque([Option<usize>; 2], Motion),
    /// A constant force in N at a point, in the fixed frame.
    Constant(PlanePoint, [f64; 2]),
}

impl PlaneForce {
    pub(crate) fn bodies(&self) -> [Option<usize>; 2] {
        match *self {
            Self::Spring { points, .. } | Self::Cartesian { points, .. } => {
                [points[0].0, points[1].0]
            }
            Self::Torsion { bodies, .. }
            | Self::Torque(bodies, _)
            | Self::TorqueUntil(bodies, ..)
            | Self::DrivenTorque(bodies, _) => bodies,
            Self::Constant(point, _) => [point.0, None],
        }
    }

    /// The moment in s behind which it is not there, if there is one.
    pub(super) fn end(&self) -> Option<f64> {
        match *self {
            Self::TorqueUntil(_, _, end) => Some(end),
            _ => None,
        }
    }

    /// Adds the force to those on all bodies.
    pub(super) fn apply<S: Scalar>(&self, t: S, q: &[S], v: &[S], out: &mut [S]) {
        let read = |body| PlaneBody::read(body, q, v);
        match *self {
            Self::Spring {
                points,
                stiffness,
                damping,
                free_length,
            } => {
                let bodies = points.map(|point| read(point.0));
                let ends = [0, 1].map(|end| bodies[end].point(points[end].1));
                let between = ends[1] - ends[0];
                // A length of zero gives NaN, which the evaluation reports.
                let length = between.dot(&between).sqrt();
                let direction = between.map(|part| part / length);
                let rate = direction
                    .dot(&(bodies[1].velocity_at(&ends[1]) - bodies[0].velocity_at(&ends[0])));
                // k (L - L₀) + c L', positive when it pulls.
                let tension = (length - free_length) * stiffness + rate * damping;
                push(&points[0], &bodies[0], direction * tension, out);
                push(&points[1], &bodies[1], -direction * tension, out);
            }
            Self::Cartesian {
                points,
                stiffness,
                damping,
            } => {
                let bodies = points.map(|point| read(point.0));
                let ends = [0, 1].map(|end| bodies[end].point(points[end].1));
                let rates = [0, 1].map(|end| bodies[end].velocity_at(&ends[end]));
                let pull = (ends[1] - ends[0]).map(|way| way * stiffness)
                    + (rates[1] - rates[0]).map(|rate| rate * damping);
                push(&points[0], &bodies[0], pull, out);
                push(&points[1], &bodies[1], -pull, out);
            }
            Self::Torsion {
                bodies,
                stiffness,
                damping,
                free_angle,
            } => {
                let [first, second] = bodies.map(read);
                let torque = -(first.angle - second.angle - free_angle) * stiffness
                    - (first.omega - second.omega) * damping;
                turn(bodies, torque, out);
            }
            Self::Torque(bodies, torque) | Self::TorqueUntil(bodies, torque, _) => {
                turn(bodies, S::constant(torque), out);
            }
            Self::DrivenTorque(bodies, torque) => turn(bodies, torque.at(t), out),
            Self::Constant(point, force) => {
                push(
                    &point,
                    &read(point.0),
                    Vector2::from(force).map(S::constant),
                    out,
                );
            }
        }
    }

    /// Whether it is the gradient of its [`energy`](Self::energy).
    pub(super) fn is_conservative(&self) -> bool {
        match *self {
            Self::Spring { damping, .. }
            | Self::Cartesian { damping, .. }
            | Self::Torsion { damping, .. } => damping == 0.0,
            Self::Torque(..) | Self::Constant(..) => true,
            Self::TorqueUntil(..) | Self::DrivenTorque(..) => false,
        }
    }

    /// Whether it adds no energy to its potential and the motion.
    pub(super) fn is_passive(&self) -> bool {
        match *self {
            Self::Spring { damping, .. }
            | Self::Cartesian { damping, .. }
            | Self::Torsion { damping, .. } => damping >= 0.0,
            Self::Torque(..) | Self::Constant(..) => true,
            Self::TorqueUntil(..) | Self::DrivenTorque(..) => false,
        }
    }

    /// Potential energy in J; none of what depends on time.
    pub(super) fn energy(&self, q: &[f64]) -> f64 {
        let read = |body| PlaneBody::<f64>::read(body, q, &[]);
        match *self {
            Self::Spring {
                points,
                stiffness,
                free_length,
                ..
            } => {
                let [first, second] = points.map(|(body, point)| read(body).point(point));
                0.5 * stiffness * ((second - first).norm() - free_length).powi(2)
            }
            Self::Cartesian {
                points, stiffness, ..
            } => {
                let [first, second] = points.map(|(body, point)| read(body).point(point));
                0.5 * stiffness * (second - first).norm_squared()
            }
            Self::Torsion {
                bodies,
                stiffness,
                free_angle,
                ..
            } => {
                let [first, second] = bodies.map(read);
                0.5 * stiffness * (first.angle - second.angle - free_angle).powi(2)
            }
            // -T (θ₁ - θ₂), whose negative gradient is the torque.
            Self::Torque([first, second], torque) => {
                -torque * (read(first).angle - read(second).angle)
            }
            Self::TorqueUntil(..) | Self::DrivenTorque(..) => 0.0,
            Self::Constant((body, point), force) => {
                -Vector2::from(force).dot(&read(body).point(point))
            }
        }
    }
}

fn push<S: Scalar>(
    &(body, point): &PlanePoint,
    at: &PlaneBody<S>,
    force: Vector2<S>,
    out: &mut [S],
) {
    if let Some(body) = body {
        let arm = at.point(point) - at.position;
        out[3 * body] += force.x;
        out[3 * body + 1] += force.y;
        out[3 * body + 2] += arm.x * force.y - arm.y * force.x;
    }
}

fn turn<S: Scalar>(bodies: [Option<usize>; 2], torque: S, out: &mut [S]) {
    for (body, sign) in bodies.into_iter().zip([1.0, -1.0]) {
        if let Some(body) = body {
            out[3 * body + 2] += torque * sign;
        }
    }
}
