//! A cam with a follower that takes off.

use super::statement::{Statement, contact};
use crate::mechanisms::plane::bodies::body;
use crate::mechanisms::plane::{Built, Mechanism};
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range};
use liedae_multibody::plane::geometry::{ArcCam, DiscOnArcCam};
use liedae_multibody::plane::{Motion, PlaneForce, PlaneJoint, PlanePairing};
use std::f64::consts::PI;

pub(crate) const CAM_FOLLOWER: ProblemEntry = ProblemEntry {
    name: "cam-follower",
    title: "driven cam, spring-loaded follower that takes off, second mass on a spring",
    description: "A cam of circular arcs turns at a constant rate under the point of a vertical follower, which a spring \
                  presses on it. Behind the nose the follower takes off, falls back and bounces. The second mass rides \
                  on the follower on a spring; its data (0.2 kg, 20 kN/m) are this project's choice, everything else is \
                  that of the source. No gravity. The cam's curvature jumps between arcs: events of kind normal while they touch.",
    source: "cam-follower example of the Siconos software, after G. Osorio, M. di Bernardo and S. Santini; 358 rpm, \
             e = 0.8, 1.221 kg, 1430.8 N/m",
    parameters: &[
        ParameterInfo::new("rpm", 358.0, "1/min", Range::Positive, "rate of the cam"),
        ParameterInfo::new(
            "e",
            0.8,
            "1",
            Range::Between(0.0, 1.0),
            "coefficient of restitution",
        ),
        ParameterInfo::new(
            "mass2",
            0.2,
            "kg",
            Range::Positive,
            "mass of the second body",
        ),
        ParameterInfo::new(
            "stiffness2",
            2e4,
            "N/m",
            Range::NonNegative,
            "stiffness of the spring between follower and second body",
        ),
    ],
    build,
};

const T_END: f64 = 1.0;
const BASE: f64 = 0.40;
const FLANK: f64 = 0.85;
const NOSE: f64 = 0.15;
const TOP: f64 = 0.553_933_207_238_21;
const HALF_DWELL: f64 = PI / 9.0;
const MASS: f64 = 1.221;
const STIFFNESS: f64 = 1430.8;
/// Height at which the follower's spring is relaxed.
const RELAXED: f64 = 0.3;
/// Height of the second body above the follower.
const ABOVE: f64 = 0.2;
/// Height at which the follower's spring is held.
const HOLD: f64 = 2.0;

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let [rpm, e, mass, stiffness] =
        ["rpm", "e", "mass2", "stiffness2"].map(|name| parameters.get(name));
    let statement = Statement::new(CAM_FOLLOWER.name, T_END, "follower.y")
        .with_step(1e-4)
        .of_size(0.1, 0.1)
        .drawn(|drawing| {
            let drawing = drawing.without_body(1).without_body(2);
            let follower = [
                [0.0, 0.0],
                [0.04, 0.05],
                [0.04, 0.09],
                [-0.04, 0.09],
                [-0.04, 0.05],
            ];
            drawing
                .polygon(Some(1), follower)
                .rectangle(Some(2), [0.0, 0.02], [0.06, 0.02])
        });
    statement.problem(mechanism(rpm? * PI / 30.0, e?, mass?, stiffness?))
}

fn mechanism(rate: f64, e: f64, mass: f64, stiffness: f64) -> Built {
    let mut cam = body("cam", 10.0, 1.0, [0.0; 3]);
    cam.velocity[2] = rate;
    let bodies = vec![
        cam,
        body("follower", MASS, 1.0, [0.0, BASE, 0.0]),
        body("second", mass, 1.0, [0.0, BASE + ABOVE, 0.0]),
    ];
    let ground = (None, [0.0, 0.0]);
    let centre = |body: usize| (Some(body), [0.0, 0.0]);
    let drive = Motion::Uniform { start: 0.0, rate };
    let guide = |body: usize| {
        [
            PlaneJoint::Angle(Some(body), None, 0.0),
            PlaneJoint::PointOnLine(centre(body), ground, [0.0, 1.0]),
        ]
    };
    let joints = [
        PlaneJoint::Revolute(centre(0), ground),
        PlaneJoint::AngleDrive(Some(0), None, drive),
    ]
    .into_iter()
    .chain(guide(1))
    .chain(guide(2));
    let springs = [
        PlaneForce::Spring {
            points: [(None, [0.0, HOLD]), centre(1)],
            stiffness: STIFFNESS,
            damping: 0.0,
            free_length: HOLD - RELAXED,
        },
        PlaneForce::Spring {
            points: [centre(1), centre(2)],
            stiffness,
            damping: 0.0,
            free_length: ABOVE,
        },
    ];
    let outline = ArcCam::new(BASE, FLANK, NOSE, TOP, HALF_DWELL)?;
    let pair = DiscOnArcCam::new(outline, [0.0, 0.0], 0.0)?;
    Ok(Mechanism::new(bodies, [0.0, 0.0])?
        .with_joints(joints)?
        .with_forces(springs)?
        .with_contact(
            contact("cam", e, 0.0),
            [Some(0), Some(1)],
            PlanePairing::DiscOnArcCam(pair),
        )?)
}
