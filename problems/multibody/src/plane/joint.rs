//! Joints and drives of plane mechanisms.

use super::PlanePoint;
use crate::plane::geometry::PlaneBody;
use liedae::scalar::Scalar;

/// A prescribed motion in time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Motion {
    /// start + rate t
    Uniform {
        /// Value at t = 0.
        start: f64,
        /// Its rate.
        rate: f64,
    },
    /// mean + amplitude sin(frequency t + phase)
    Harmonic {
        /// Middle of the motion.
        mean: f64,
        /// Largest excursion.
        amplitude: f64,
        /// Angular frequency in rad/s.
        frequency: f64,
        /// Phase in rad at t = 0.
        phase: f64,
    },
}

impl Motion {
    /// The value at time t.
    pub fn at<S: Scalar>(&self, t: S) -> S {
        match *self {
            Self::Uniform { start, rate } => t * rate + start,
            Self::Harmonic {
                mean,
                amplitude,
                frequency,
                phase,
            } => (t * frequency + phase).sin() * amplitude + mean,
        }
    }
}

/// A joint or a drive. Multipliers are forces in N and torques in N m on the first body.
///
/// ```
/// use liedae::system::{AccelerationSolver, Automatic, Evaluator, System};
/// use liedae_multibody::plane::{PlaneBodyData, PlaneForce, PlaneJoint, PlaneMechanism, PlanePoint};
///
/// // Two wheels in gear; the second has twice the radius of the first, which a motor of 0.6 N m drives.
/// let wheel = |name: &str, inertia, x| PlaneBodyData {
///     name: name.to_owned(),
///     mass: 1.0,
///     inertia,
///     position: [x, 0.0, 0.0],
///     velocity: [0.0; 3],
/// };
/// let centre = |body: usize| -> PlanePoint { (Some(body), [0.0, 0.0]) };
/// let wheels = vec![wheel("small", 0.1, 0.0), wheel("large", 0.8, 0.3)];
/// let mechanism: PlaneMechanism = PlaneMechanism::new(wheels, [0.0, 0.0])?
///     .with_joints([
///         PlaneJoint::Revolute((None, [0.0, 0.0]), centre(0)),
///         PlaneJoint::Revolute((None, [0.3, 0.0]), centre(1)),
///         PlaneJoint::Gear(0, 1, 2.0, 0.0),
///     ])?
///     .with_forces([PlaneForce::Torque([Some(0), None], 0.6)])?;
/// let mut system = Automatic::new(mechanism);
/// let mut state = system.initial_state();
/// AccelerationSolver::new(system.layout())?.complete(&mut Evaluator::new(&mut system), &mut state)?;
/// // The motor feels I₁ + I₂ / 2² = 0.3 kg m².
/// assert!((state.acceleration[2] - 2.0).abs() < 1e-12 && (state.acceleration[5] + 1.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PlaneJoint {
    /// Two points coincide: two rows.
    Revolute(PlanePoint, PlanePoint),
    /// A point stays on a line: one row. The line goes through the second point along `direction` in the frame of the second
    /// point's body.
    PointOnLine(PlanePoint, PlanePoint, [f64; 2]),
    /// The orientation of the first body less that of the second is constant: one row.
    Angle(Option<usize>, Option<usize>, f64),
    /// The orientation of the first body less that of the second moves as prescribed: one row.
    AngleDrive(Option<usize>, Option<usize>, Motion),
    /// A point has a prescribed coordinate along a fixed direction: one row.
    PointDrive(PlanePoint, [f64; 2], Motion),
    /// A point moves as prescribed along a line: one row. The way in m counts from the second point along the unit vector
    /// `direction` in the frame of the second point's body. [`PointOnLine`](Self::PointOnLine) holds the point on that line.
    SlideDrive(PlanePoint, PlanePoint, [f64; 2], Motion),
    /// The orientations of two bodies turn in proportion, θ_1 + ratio θ_2 = offset, as gear wheels on fixed axes: one row.
    Gear(usize, usize, f64, f64),
    /// Two meshing wheels on a carrier that may turn: one row, (θ_1 - θ_c) + ratio (θ_2 - θ_c) = offset. Wheels of the radii
    /// r_1 and r_2 that mesh from outside have the ratio r_2 / r_1; if one of them is a ring around the other, -r_2 / r_1.
    /// The ground may be a wheel.
    PlanetGear {
        /// First and second wheel.
        wheels: [Option<usize>; 2],
        /// The body that holds the axes of both wheels.
        carrier: usize,
        /// Ratio of the radii, with its sign.
        ratio: f64,
        /// The constant of the row in rad.
        offset: f64,
    },
}

impl PlaneJoint {
    /// Its number of rows.
    pub fn rows(&self) -> usize {
        match self {
            Self::Revolute(..) => 2,
            _ => 1,
        }
    }

    /// Whether it moves bodies as prescribed in time.
    pub(crate) fn is_drive(&self) -> bool {
        matches!(
            self,
            Self::AngleDrive(..) | Self::PointDrive(..) | Self::SlideDrive(..)
        )
    }

    /// All bodies that it acts on.
    pub(super) fn members(&self) -> impl Iterator<Item = usize> + use<> {
        let carrier = match *self {
            Self::PlanetGear { carrier, .. } => Some(carrier),
            _ => None,
        };
        self.bodies().into_iter().chain([carrier]).flatten()
    }

    /// First and second body.
    pub(crate) fn bodies(&self) -> [Option<usize>; 2] {
        match *self {
            Self::Revolute(first, second)
            | Self::PointOnLine(first, second, _)
            | Self::SlideDrive(first, second, ..) => [first.0, second.0],
            Self::Angle(first, second, _) | Self::AngleDrive(first, second, _) => [first, second],
            Self::PointDrive(point, ..) => [point.0, None],
            Self::Gear(first, second, ..) => [Some(first), Some(second)],
            Self::PlanetGear { wheels, .. } => wheels,
        }
    }

    /// Its rows at position level.
    pub(crate) fn evaluate<S: Scalar>(
        &self,
        t: S,
        body: impl Fn(Option<usize>) -> PlaneBody<S>,
        out: &mut [S],
    ) {
        let point = |point: PlanePoint| body(point.0).point(point.1);
        match *self {
            Self::Revolute(first, second) => {
                let difference = point(first) - point(second);
                (out[0], out[1]) = (difference.x, difference.y);
            }
            Self::PointOnLine(first, second, along) => {
                // The normal of the line turns with the second body.
                let normal = nalgebra::Vector2::new(-along[1], along[0]).map(S::constant);
                let normal = body(second.0).direction(&normal);
                out[0] = normal.dot(&(point(first) - point(second)));
            }
            Self::Angle(first, second, offset) => {
                out[0] = body(first).angle - body(second).angle - offset;
            }
            Self::AngleDrive(first, second, motion) => {
                out[0] = body(first).angle - body(second).angle - motion.at(t);
            }
            Self::PointDrive(driven, along, motion) => {
                let along = nalgebra::Vector2::from(along).map(S::constant);
                out[0] = along.dot(&point(driven)) - motion.at(t);
            }
            Self::SlideDrive(first, second, along, motion) => {
                let along = nalgebra::Vector2::from(along).map(S::constant);
                let along = body(second.0).direction(&along);
                out[0] = along.dot(&(point(first) - point(second))) - motion.at(t);
            }
            Self::PlanetGear {
                wheels,
                carrier,
                ratio,
                offset,
            } => {
                let turned = body(Some(carrier)).angle;
                let [first, second] = wheels.map(|wheel| body(wheel).angle - turned);
                out[0] = first + second * ratio - offset;
            }
            Self::Gear(first, second, ratio, offset) => {
                out[0] = body(Some(first)).angle + body(Some(second)).angle * ratio - offset;
            }
        }
    }
}
