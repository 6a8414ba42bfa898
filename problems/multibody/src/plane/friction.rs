//! Coulomb friction in the joints of plane mechanisms.

use super::PlaneJoint;
use crate::plane::geometry::PlaneBody;
use liedae::scalar::Scalar;
use liedae_contact::{FrictionJoint, Support};
use nalgebra::Vector2;

/// What rubs in a joint; joints are counted from 0 in the order of their addition.
///
/// A translational joint is a [`PlaneJoint::PointOnLine`] with a [`PlaneJoint::Angle`]: a normal force F at the point
/// and a torque T. Two models of its friction: by the normal force alone, where the guide is long enough for the
/// torque not to matter, and by the forces F/2 ± T/l on two pads at the distance l along the line, of which each may
/// press on either flank of the guide. The flanks have no clearance; friction acts in the line.
///
/// ```
/// use liedae::integrator::Radau5;
/// use liedae::solve::{Options, solve};
/// use liedae_contact::{NonsmoothOptions, NonsmoothSystem, with_contacts};
/// use liedae_multibody::plane::{PlaneBodyData, PlaneFriction, PlaneJoint, PlaneMechanism};
///
/// // A wheel of 20 N turns with 1 rad/s on a pin of radius 1 cm.
/// let wheel = PlaneBodyData {
///     name: "wheel".to_owned(),
///     mass: 2.0,
///     inertia: 0.05,
///     position: [0.0; 3],
///     velocity: [0.0, 0.0, 1.0],
/// };
/// let axle = PlaneJoint::Revolute((None, [0.0, 0.0]), (Some(0), [0.0, 0.0]));
/// let mechanism: PlaneMechanism = PlaneMechanism::new(vec![wheel], [0.0, -10.0])?
///     .with_joints([axle])?
///     .with_friction("rubbing", 0.25, PlaneFriction::Pin { joint: 0, radius: 0.01 })?;
/// let mut system = NonsmoothSystem::new(with_contacts(mechanism), NonsmoothOptions::default())?;
/// let solution = solve(&mut system, &Radau5::default(), &Options::adaptive(2.0, 1e-8, 1e-8))?;
/// // It slows down by μ r W / I = 1 rad/s².
/// assert_eq!(solution.events[0].kind, "stick");
/// assert!((solution.events[0].t - 1.0).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PlaneFriction {
    /// The point of a [`PlaneJoint::PointOnLine`] along its line: |λ_T| ≤ μ |F|.
    Guide(usize),
    /// A slider on two pads, half their distance before and behind the point: |λ_T| ≤ μ (|F/2 + T/l| + |F/2 - T/l|).
    TwoPads {
        /// The [`PlaneJoint::PointOnLine`] in the middle between the pads.
        line: usize,
        /// The [`PlaneJoint::Angle`] between the same bodies.
        angle: usize,
        /// Distance l of the pads in m.
        length: f64,
    },
    /// The pin of a [`PlaneJoint::Revolute`]: |λ_T| ≤ μ |F| at its surface, a torque of at most μ |F| times the radius.
    Pin {
        /// The joint.
        joint: usize,
        /// Radius of the pin in m.
        radius: f64,
    },
}

/// A friction that the joints do not offer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Misplaced {
    pub joint: usize,
    pub needs: &'static str,
}

impl PlaneFriction {
    /// The joints that it is in, and what kind each has to be.
    fn check(&self, joints: &[PlaneJoint]) -> Result<(), Misplaced> {
        let is_line = |joint| matches!(joints.get(joint), Some(PlaneJoint::PointOnLine(..)));
        let refuse = |joint, needs| Err(Misplaced { joint, needs });
        match *self {
            Self::Guide(line) | Self::TwoPads { line, .. } if !is_line(line) => {
                refuse(line, "a point on a line")
            }
            Self::Guide(_) => Ok(()),
            Self::TwoPads {
                line,
                angle,
                length,
            } => {
                let same = match joints.get(angle) {
                    Some(joint @ PlaneJoint::Angle(..)) => joint.bodies() == joints[line].bodies(),
                    _ => false,
                };
                if !same {
                    refuse(
                        angle,
                        "a constant angle between the same bodies, in the same order",
                    )
                } else if !(length > 0.0 && length.is_finite()) {
                    refuse(line, "two pads at a positive distance")
                } else {
                    Ok(())
                }
            }
            Self::Pin { joint, radius } => {
                if !matches!(joints.get(joint), Some(PlaneJoint::Revolute(..))) {
                    refuse(joint, "a revolute joint")
                } else if !(radius > 0.0 && radius.is_finite()) {
                    refuse(joint, "a pin with a positive radius")
                } else {
                    Ok(())
                }
            }
        }
    }

    /// The joint whose bodies rub.
    fn joint(&self) -> usize {
        match *self {
            Self::Guide(joint) | Self::TwoPads { line: joint, .. } | Self::Pin { joint, .. } => {
                joint
            }
        }
    }

    /// The friction with its normal forces in the multipliers of the joints' rows.
    pub(super) fn law(
        &self,
        label: &str,
        coefficient: f64,
        joints: &[PlaneJoint],
    ) -> Result<FrictionJoint, Misplaced> {
        self.check(joints)?;
        let row = |joint: usize| joints[..joint].iter().map(PlaneJoint::rows).sum::<usize>();
        // The gradient of a point on a line is as long as its direction.
        let normal = |line: usize| match joints[line] {
            PlaneJoint::PointOnLine(_, _, [x, y]) => (row(line), x.hypot(y)),
            _ => (row(line), 1.0),
        };
        let single = |terms: Vec<(usize, f64)>| Support {
            components: vec![terms],
        };
        let supports = match *self {
            Self::Guide(line) => vec![single(vec![normal(line)])],
            Self::TwoPads {
                line,
                angle,
                length,
            } => {
                let (first, scale) = normal(line);
                let pad =
                    |sign: f64| single(vec![(first, 0.5 * scale), (row(angle), sign / length)]);
                // F/2 ± T/l on the two pads.
                vec![pad(1.0), pad(-1.0)]
            }
            Self::Pin { joint, .. } => vec![Support::of_rows(row(joint)..row(joint) + 2)],
        };
        let bodies = joints[self.joint()].bodies().into_iter().flatten();
        let velocities = bodies.flat_map(|body| 3 * body..3 * body + 3);
        Ok(FrictionJoint::new(label, coefficient, supports).acting_on(velocities))
    }

    /// The sliding velocity: of the first point along the line in the second body, or of the surface of the pin.
    pub(super) fn velocity<S: Scalar>(&self, joints: &[PlaneJoint], q: &[S], v: &[S]) -> S {
        let body = |index: Option<usize>| PlaneBody::read(index, q, v);
        match (*self, joints[self.joint()]) {
            (Self::Pin { radius, .. }, joint) => {
                let [first, second] = joint.bodies().map(body);
                // The surface of the pin moves at the relative angular velocity times its radius.
                (first.omega - second.omega) * radius
            }
            (_, PlaneJoint::PointOnLine(first, second, along)) => {
                let (one, two) = (body(first.0), body(second.0));
                let point = one.point(first.1);
                // Both velocities at the same point: what is left is slip.
                let slip = one.velocity_at(&point) - two.velocity_at(&point);
                let along = Vector2::from(along).normalize().map(S::constant);
                two.direction(&along).dot(&slip)
            }
            _ => S::constant(0.0),
        }
    }
}
