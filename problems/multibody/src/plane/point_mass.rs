//! Point masses: bodies of no inertia, which nothing may turn.

use super::{
    PlaneBodyData, PlaneForce, PlaneFriction, PlaneJoint, PlaneMechanismError, PlanePair,
    PlanePoint,
};
use crate::plane::geometry::PlaneBody;
use liedae::scalar::{Dual, Scalar};

/// Whether a body is a point mass.
pub(super) fn is_one(bodies: &[PlaneBodyData], body: Option<usize>) -> bool {
    body.and_then(|body| bodies.get(body))
        .is_some_and(PlaneBodyData::is_point_mass)
}

/// A body where it starts.
pub(super) fn standing<S: Scalar>(bodies: &[PlaneBodyData], body: Option<usize>) -> PlaneBody<S> {
    match body.and_then(|body| bodies.get(body)) {
        Some(body) => {
            let [x, y, angle] = body.position.map(S::constant);
            let [vx, vy, omega] = body.velocity.map(S::constant);
            PlaneBody::new([x, y], angle, [vx, vy], omega)
        }
        None => PlaneBody::ground(),
    }
}

/// Refuses the first of some bodies that is a point mass.
fn refuse(
    bodies: &[PlaneBodyData],
    turned: impl IntoIterator<Item = Option<usize>>,
    what: &str,
) -> Result<(), PlaneMechanismError> {
    let mut turned = turned.into_iter().flatten();
    match turned.find(|&body| is_one(bodies, Some(body))) {
        Some(body) => Err(PlaneMechanismError::PointMass {
            what: what.to_owned(),
            body,
        }),
        None => Ok(()),
    }
}

/// The body of a point beside its centre.
fn beside((body, local): PlanePoint) -> Option<usize> {
    body.filter(|_| local != [0.0; 2])
}

pub(super) fn check_joint(
    bodies: &[PlaneBodyData],
    joint: &PlaneJoint,
) -> Result<(), PlaneMechanismError> {
    let turned = match *joint {
        PlaneJoint::Revolute(first, second) => [beside(first), beside(second)],
        // The line turns with its body.
        PlaneJoint::PointOnLine(first, second, _) | PlaneJoint::SlideDrive(first, second, ..) => {
            [beside(first), second.0]
        }
        PlaneJoint::PointDrive(point, ..) => [beside(point), None],
        PlaneJoint::Angle(..)
        | PlaneJoint::AngleDrive(..)
        | PlaneJoint::Gear(..)
        | PlaneJoint::PlanetGear { .. } => {
            return refuse(bodies, joint.members().map(Some), "a joint");
        }
    };
    refuse(bodies, turned, "a joint")
}

pub(super) fn check_force(
    bodies: &[PlaneBodyData],
    force: &PlaneForce,
) -> Result<(), PlaneMechanismError> {
    let turned = match *force {
        PlaneForce::Spring { points, .. } | PlaneForce::Cartesian { points, .. } => {
            points.map(beside)
        }
        PlaneForce::Constant(point, _) => [beside(point), None],
        PlaneForce::Torsion { .. }
        | PlaneForce::Torque(..)
        | PlaneForce::TorqueUntil(..)
        | PlaneForce::DrivenTorque(..) => force.bodies(),
    };
    refuse(bodies, turned, "a force")
}

pub(super) fn check_friction(
    bodies: &[PlaneBodyData],
    label: &str,
    friction: &PlaneFriction,
    joints: &[PlaneJoint],
) -> Result<(), PlaneMechanismError> {
    let turned = match *friction {
        // The force acts in the line, at the point.
        PlaneFriction::Guide(_) => [None; 2],
        PlaneFriction::TwoPads { line: joint, .. } | PlaneFriction::Pin { joint, .. } => {
            joints.get(joint).map_or([None; 2], PlaneJoint::bodies)
        }
    };
    refuse(bodies, turned, &format!("friction `{label}`"))
}

/// Contacts are known by their gaps: turning a point mass must not change them, nor the sliding velocity where there is friction.
pub(super) fn check_contact(
    bodies: &[PlaneBodyData],
    label: &str,
    pair: [Option<usize>; 2],
    (shapes, rubs): (&impl PlanePair, bool),
) -> Result<(), PlaneMechanismError> {
    for side in 0..2 {
        if !is_one(bodies, pair[side]) {
            continue;
        }
        let mut turned = pair.map(|body| standing::<Dual<2>>(bodies, body));
        let own = turned[side];
        let [x, y, vx, vy] = [
            own.position.x,
            own.position.y,
            own.velocity.x,
            own.velocity.y,
        ];
        // A bit of a turn, for shapes that hide what they depend on at θ = 0.
        let angle = Dual::variable(own.angle.value() + 0.1, 0);
        turned[side] = PlaneBody::new([x, y], angle, [vx, vy], Dual::variable(0.0, 1));
        let t = Dual::constant(0.0);
        let gap = Some(shapes.gap(t, &turned));
        let sliding = rubs.then(|| shapes.sliding_velocity(t, &turned));
        if gap
            .into_iter()
            .chain(sliding)
            .flat_map(|number| number.gradient)
            .any(|slope| slope != 0.0)
        {
            return refuse(bodies, [pair[side]], &format!("contact `{label}`"));
        }
    }
    Ok(())
}
