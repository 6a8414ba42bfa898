//! A valve train with lash.

use super::passages::passages;
use super::statement::{Statement, contact};
use crate::mechanisms::plane::bodies::body;
use crate::mechanisms::plane::{Built, GRAVITY, Mechanism};
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range};
use liedae_multibody::plane::geometry::{ArcCam, DiscOnArcCam, DiscOnLine, HalfPlane};
use liedae_multibody::plane::{Motion, PlaneForce, PlaneJoint, PlanePairing};
use std::f64::consts::PI;

pub(crate) const CAM_ROCKER_VALVE: ProblemEntry = ProblemEntry {
    name: "cam-rocker-valve",
    title: "valve train: crankshaft, cam, rocker, valve with a stiff spring and a seat",
    description: "The crankshaft turns at a constant rate and the cam at half of it. The cam lifts a roller of the rocker, \
                  the rocker's other end crosses the lash and opens the valve, the valve's spring closes it onto its seat. \
                  Runs land on the moments at which the lift begins, before which nothing moves. Contacts: cam and roller, rocker and valve, valve and seat. All dimensions are this project's choice \
                  (a small engine: 7 mm lift, 0.2 mm lash, spring of 20 kN/m with 200 N preload).",
    source: "this project; the contacts are those of every overhead-cam valve train",
    parameters: &[
        ParameterInfo::new(
            "rpm",
            1200.0,
            "1/min",
            Range::Positive,
            "rate of the crankshaft",
        ),
        ParameterInfo::new(
            "lash",
            2e-4,
            "m",
            Range::Positive,
            "gap of rocker and valve while the cam does not lift",
        ),
        ParameterInfo::new(
            "e",
            0.3,
            "1",
            Range::Between(0.0, 1.0),
            "coefficient of restitution of all contacts",
        ),
        ParameterInfo::new(
            "stiffness",
            2e4,
            "N/m",
            Range::Positive,
            "stiffness of the valve's spring",
        ),
    ],
    build,
};

const T_END: f64 = 0.5;
/// The fastest crankshaft in 1/min. Runs land on every lift of the cam, so that there must not be too many.
const FASTEST: f64 = 1e6;
/// Radii of the cam's base circle, flank and nose, and its largest radius.
const CAM: [f64; 4] = [0.015, 0.05, 0.006, 0.022];
/// Radii of the rocker's roller and of its pad on the valve, and their distances from the pivot.
const ROLLER: f64 = 0.008;
const PAD: f64 = 0.01;
const ARMS: [f64; 2] = [0.03, 0.04];
const PRELOAD: f64 = 200.0;
/// The angle in rad by which runs land before the lift, so that steps up to there see nothing of it.
const EARLY: f64 = 1e-8;
/// Length of the valve's stem below its tip.
const STEM: f64 = 0.1;

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let [rpm, lash, e, stiffness] =
        ["rpm", "lash", "e", "stiffness"].map(|name| parameters.get(name));
    let rpm = rpm?;
    if rpm > FASTEST {
        return Err(ProblemError::ParameterValue {
            problem: CAM_ROCKER_VALVE.name,
            name: "rpm",
            value: rpm,
            expected: format!("at most {FASTEST}, since runs land on every lift of the cam"),
        });
    }
    let statement = Statement::new(CAM_ROCKER_VALVE.name, T_END, "valve.y")
        .with_step(1e-5)
        .of_size(0.01, 0.01)
        .drawn(|drawing| {
            let drawing = drawing
                .with_surfaces_of(0.012)
                .without_body(0)
                .without_body(3);
            drawing
                .disc(Some(0), [0.0, 0.0], 0.02)
                .bar(Some(3), [0.0, 0.0], [0.0, -0.5 * STEM])
                .rectangle(Some(3), [0.0, -0.5 * STEM], [0.015, 0.002])
        });
    statement.problem(mechanism(rpm * PI / 30.0, lash?, e?, stiffness?))
}

fn mechanism(rate: f64, lash: f64, e: f64, stiffness: f64) -> Built {
    let [base, flank, nose, top] = CAM;
    // The cam begins with its back to the roller.
    let start = -0.5 * PI;
    let shaft = [-ARMS[0], -(base + ROLLER)];
    let tip = -PAD - lash;
    let mut crankshaft = body("crankshaft", 5.0, 0.01, [-0.2, shaft[1], 0.0]);
    crankshaft.velocity[2] = rate;
    let mut cam = body("cam", 0.5, 1e-4, [shaft[0], shaft[1], start]);
    cam.velocity[2] = 0.5 * rate;
    let bodies = vec![
        crankshaft,
        cam,
        body("rocker", 0.1, 5e-5, [0.0; 3]),
        body("valve", 0.08, 1e-4, [ARMS[1], tip, 0.0]),
    ];
    let centre = |body: usize| (Some(body), [0.0, 0.0]);
    let motion = Motion::Uniform { start: 0.0, rate };
    let joints = [
        PlaneJoint::Revolute(centre(0), (None, [-0.2, shaft[1]])),
        PlaneJoint::AngleDrive(Some(0), None, motion),
        PlaneJoint::Revolute(centre(1), (None, shaft)),
        PlaneJoint::Gear(1, 0, -0.5, start),
        PlaneJoint::Revolute(centre(2), (None, [0.0, 0.0])),
        PlaneJoint::Angle(Some(3), None, 0.0),
        PlaneJoint::PointOnLine(centre(3), (None, [ARMS[1], 0.0]), [0.0, 1.0]),
    ];
    let forces = [
        // The seat is above the valve's head, the spring below pushes the valve up.
        PlaneForce::Spring {
            points: [(None, [ARMS[1], tip - STEM]), centre(3)],
            stiffness,
            damping: 5.0,
            free_length: STEM + PRELOAD / stiffness,
        },
        // A light spring keeps the rocker on the cam.
        PlaneForce::Torsion {
            bodies: [Some(2), None],
            stiffness: 1.0,
            damping: 1e-3,
            free_angle: 0.5,
        },
    ];
    let outline = ArcCam::new(base, flank, nose, top, 0.0)?;
    let roller = DiscOnArcCam::new(outline, [-ARMS[0], 0.0], ROLLER)?;
    let [_, _, lift] = outline.joints();
    let pad = DiscOnLine::new(HalfPlane::new([0.0, 0.0], [0.0, 1.0])?, [ARMS[1], 0.0], PAD)?;
    let seat = DiscOnLine::point(HalfPlane::new([ARMS[1], tip], [0.0, -1.0])?, [0.0, 0.0])?;
    Ok(Mechanism::new(bodies, GRAVITY)?
        .with_joints(joints)?
        .with_forces(forces)?
        .with_contact(
            contact("cam-rocker", e, 0.0),
            [Some(1), Some(2)],
            PlanePairing::DiscOnArcCam(roller),
        )?
        .with_contact(
            contact("rocker-valve", e, 0.0),
            [Some(3), Some(2)],
            PlanePairing::DiscOnLine(pad),
        )?
        .with_contact(
            contact("seat", e, 0.0),
            [None, Some(3)],
            PlanePairing::DiscOnLine(seat),
        )?
        .with_time_events(passages(
            0.5 * PI - start - EARLY,
            0.5 * rate,
            &[lift],
            T_END,
        )))
}
