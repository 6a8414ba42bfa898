//! A passive walker with knees.

use super::contacts::point_on_edge;
use super::statement::{Statement, contact, restitution};
use crate::mechanisms::plane::bodies::body;
use crate::mechanisms::plane::points::{pin, place};
use crate::mechanisms::plane::{Built, Mechanism};
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range};
use liedae_contact::Contact;
use liedae_multibody::plane::geometry::AngularStop;
use liedae_multibody::plane::{PlaneBodyData, PlanePairing};

pub(crate) const COMPASS_WALKER: ProblemEntry = ProblemEntry {
    name: "compass-walker",
    title: "passive walker with knees on a slope",
    description: "Two legs of thigh and shank, 0.5 m each, walk down a slope without actuation: a foot sticks to the ground by \
                  friction, the knees have stops at 0.05 rad behind the straight leg, which hold the loaded leg and stop the \
                  swinging shank. Masses are those of a known point-foot walker, half of the hip's mass on each thigh; the legs start \
                  near its gait. Rows come and go with every foot and knee. The walker's later steps depend on small things.",
    source: "after T. McGeer, Passive walking with knees, IEEE Int Conf Robotics and Automation 1990, \
             doi:10.1109/ROBOT.1990.126245; stops, friction and inertias are this project's own",
    parameters: &[
        restitution(0.0),
        ParameterInfo::new(
            "mu",
            1.0,
            "1",
            Range::NonNegative,
            "coefficient of friction at the feet",
        ),
        ParameterInfo::new(
            "slope",
            0.052_359_877_559_829_89,
            "rad",
            Range::Finite,
            "slope, downhill in x; 3 degrees",
        ),
    ],
    build,
};

/// Length of thigh and of shank.
const LENGTH: f64 = 0.5;
/// Angle of the straightened knee.
const STOP: f64 = 0.05;
/// Angles of the legs against the normal of the slope and their rates, the standing leg first.
const LEGS: [(f64, f64); 2] = [(0.238, -1.1), (-0.238, -0.04)];

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    Statement::new(COMPASS_WALKER.name, 3.0, "thigh1.theta").problem(mechanism(
        parameters.get("e")?,
        parameters.get("mu")?,
        parameters.get("slope")?,
    ))
}

/// A place and its velocity.
type Moving = ([f64; 2], [f64; 2]);

/// A point at this distance from another one in the direction of a leg, downwards, that turns with the given rate.
fn below(([x, y], [vx, vy]): Moving, distance: f64, angle: f64, rate: f64) -> Moving {
    let (sine, cosine) = angle.sin_cos();
    let (dx, dy) = (distance * sine, -distance * cosine);
    ([x + dx, y + dy], [vx - rate * dy, vy + rate * dx])
}

fn segment(
    name: &str,
    mass: f64,
    inertia: f64,
    (centre, velocity): Moving,
    angle: f64,
    rate: f64,
) -> PlaneBodyData {
    PlaneBodyData {
        velocity: [velocity[0], velocity[1], rate],
        ..body(name, mass, inertia, [centre[0], centre[1], angle])
    }
}

fn mechanism(e: f64, mu: f64, slope: f64) -> Built {
    let half = 0.5 * STOP;
    let (angle, rate) = LEGS[0];
    let knee = below(([0.0, 0.0], [0.0, 0.0]), -LENGTH, angle + half, rate);
    let hip = below(knee, -LENGTH, angle - half, rate);
    let mut bodies = Vec::new();
    let mut knees = Vec::new();
    for (leg, (angle, rate)) in LEGS.into_iter().enumerate() {
        let (thigh, shank) = (angle - half, angle + half);
        let knee = below(hip, LENGTH, thigh, rate);
        let centre = below(hip, 0.65 / 3.0, thigh, rate);
        let name = |part: &str| format!("{part}{}", leg + 1);
        bodies.push(segment(&name("thigh"), 0.75, 0.0176, centre, thigh, rate));
        let centre = below(knee, 0.125, shank, rate);
        bodies.push(segment(&name("shank"), 0.05, 1e-3, centre, shank, rate));
        knees.push(knee.0);
    }
    let joints = [
        pin(&bodies, 0, 2, hip.0),
        pin(&bodies, 1, 0, knees[0]),
        pin(&bodies, 3, 2, knees[1]),
    ];
    let gravity = [9.81 * slope.sin(), -9.81 * slope.cos()];
    let feet = [1, 3].map(|shank| {
        let (_, knee) = place(&bodies, shank, knees[shank / 2]);
        [knee[0], knee[1] - LENGTH]
    });
    let mut mechanism = Mechanism::new(bodies, gravity)?.with_joints(joints)?;
    for (leg, foot) in feet.into_iter().enumerate() {
        let (thigh, shank) = (2 * leg, 2 * leg + 1);
        let ground = point_on_edge([0.0, 0.0], [0.0, 1.0], foot)?;
        let law = contact(format!("foot{}", leg + 1), e, mu);
        let stop = PlanePairing::AngularStop(AngularStop::at_most(STOP)?);
        let knee = Contact::new(format!("knee{}", leg + 1), e);
        mechanism = mechanism
            .with_contact(law, [None, Some(shank)], ground)?
            .with_contact(knee, [Some(thigh), Some(shank)], stop)?;
    }
    Ok(mechanism)
}
