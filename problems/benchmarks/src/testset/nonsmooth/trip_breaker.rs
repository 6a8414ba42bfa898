//! A circuit breaker that trips.

use super::contacts::{point_on_edge, with_stops};
use super::statement::{Statement, restitution};
use crate::mechanisms::plane::bodies::bar;
use crate::mechanisms::plane::points::{pin, pivot, place};
use crate::mechanisms::plane::{Built, Mechanism};
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range};
use liedae_contact::Contact;
use liedae_multibody::plane::geometry::DiscOnDisc;
use liedae_multibody::plane::{PlaneForce, PlanePairing};
use std::f64::consts::PI;

pub(crate) const TRIP_BREAKER: ProblemEntry = ProblemEntry {
    name: "trip-breaker",
    title: "toggle mechanism of a circuit breaker that trips",
    description: "Handle, two toggle links and contact arm, a five-bar chain of pins, hold the contact closed: the spring of the \
                  handle presses the toggle, 2 mm over its dead centre, onto the knee's stop and the arm onto the fixed contact. A \
                  latch thrown with a given rate hits the roller at the knee and drives it back over the dead centre; the arm's spring opens the \
                  contact within milliseconds up to its stop. No gravity. Numbers are this project's own.",
    source: "own mechanism; a toggle breaker in the manner of the example Trip_Magnetic of Siconos, \
             https://github.com/siconos/siconos",
    parameters: &[
        restitution(0.3),
        ParameterInfo::new(
            "rate",
            100.0,
            "rad/s",
            Range::NonNegative,
            "initial angular velocity of the latch",
        ),
    ],
    build,
};

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    Statement::new(TRIP_BREAKER.name, 0.1, "arm.theta")
        .with_step(2e-5)
        .of_size(0.1, 0.01)
        .drawn(|drawing| drawing.with_surfaces_of(0.012))
        .problem(mechanism(parameters.get("e")?, parameters.get("rate")?))
}

fn mechanism(e: f64, rate: f64) -> Built {
    let (handle_axis, head, knee, foot) = ([0.09, 0.06], [0.05, 0.06], [0.052, 0.03], [0.05, 0.0]);
    let (arm_axis, tip) = ([0.0, 0.0], [0.08, 0.0]);
    let (latch_axis, latch_end) = ([0.065, -0.01], [0.065, 0.028]);
    let mut bodies = vec![
        bar("handle", 0.02, [handle_axis, head]),
        bar("upper", 0.01, [head, knee]),
        bar("lower", 0.01, [knee, foot]),
        bar("arm", 0.05, [arm_axis, tip]),
        bar("latch", 0.02, [latch_axis, latch_end]),
    ];
    let half = 0.5 * (latch_end[1] - latch_axis[1]);
    bodies[4].velocity = [-rate * half, 0.0, rate];
    let joints = [
        pivot(&bodies, 0, handle_axis),
        pin(&bodies, 1, 0, head),
        pin(&bodies, 2, 1, knee),
        pin(&bodies, 3, 2, foot),
        pivot(&bodies, 3, arm_axis),
        pivot(&bodies, 4, latch_axis),
    ];
    let torsion = |body: usize, stiffness: f64, free_angle: f64| PlaneForce::Torsion {
        bodies: [Some(body), None],
        stiffness,
        damping: 0.0,
        free_angle,
    };
    let latch_angle = bodies[4].position[2];
    let springs = [
        torsion(0, 4.0, PI + 0.2),
        torsion(3, 0.5, 1.2),
        torsion(4, 0.1, latch_angle),
    ];
    let (_, roller) = place(&bodies, 2, knee);
    let (_, nose) = place(&bodies, 4, latch_end);
    let hit = PlanePairing::DiscOnDisc(DiscOnDisc::new([roller, nose], [0.004, 0.002])?);
    let knee_stop = point_on_edge(knee, [-1.0, 0.0], roller)?;
    let mechanism = Mechanism::new(bodies, [0.0, 0.0])?
        .with_joints(joints)?
        .with_forces(springs)?
        .with_contact(Contact::new("knee", e), [None, Some(2)], knee_stop)?
        .with_contact(Contact::new("latch", e), [Some(2), Some(4)], hit)?;
    with_stops(mechanism, "arm", e, [None, Some(3)], [0.0, 0.9])
}
