//! A slider-crank whose slider has clearance in its guide.

use super::statement::{Statement, contact};
use crate::mechanisms::plane::{Built, GRAVITY, Mechanism};
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range};
use liedae_multibody::plane::geometry::{DiscOnLine, HalfPlane};
use liedae_multibody::plane::{PlaneBodyData, PlaneJoint, PlanePairing};

pub(crate) const SLIDER_CRANK_CLEARANCE: ProblemEntry = ProblemEntry {
    name: "slider-crank-clearance",
    title: "slider-crank whose slider has clearance in its guide, four corners with impact and friction",
    description: "Crank and rod in line at the start, the crank turning at omega without a drive, the slider in the middle \
                  of its guide. Each corner of the slider may touch its wall, so none, one, two neighbouring or two \
                  opposite corners are in contact, with impacts between. Without friction the slider never turns and both \
                  corners of a side hit at once.",
    source: "P. Flores, R. Leine and C. Glocker, Multibody Syst Dyn 23 (2010) 165-190, doi:10.1007/s11044-009-9178-y, \
             in Cartesian coordinates",
    parameters: &[
        ParameterInfo::new(
            "clearance",
            1e-3,
            "m",
            Range::Positive,
            "distance of the slider from each wall in the middle of the guide",
        ),
        ParameterInfo::new(
            "e",
            0.4,
            "1",
            Range::Between(0.0, 1.0),
            "coefficient of restitution",
        ),
        ParameterInfo::new(
            "mu",
            0.01,
            "1",
            Range::NonNegative,
            "coefficient of friction",
        ),
        ParameterInfo::new(
            "omega",
            150.0,
            "rad/s",
            Range::Finite,
            "initial rate of the crank",
        ),
    ],
    build,
};

const CRANK: f64 = 0.153;
const ROD: f64 = 0.306;
/// Half length and half height of the slider.
const HALF: [f64; 2] = [0.05, 0.025];

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let [clearance, e, mu, omega] =
        ["clearance", "e", "mu", "omega"].map(|name| parameters.get(name));
    let omega = omega?;
    let statement = Statement::new(
        SLIDER_CRANK_CLEARANCE.name,
        // Almost five turns.
        if omega == 0.0 {
            0.2
        } else {
            30.0 / omega.abs()
        },
        "slider.y",
    )
    .with_step(1e-5)
    .of_size(0.1, 0.01);
    statement.problem(mechanism(clearance?, [e?, mu?], omega))
}

fn mechanism(clearance: f64, [e, mu]: [f64; 2], omega: f64) -> Built {
    // In the stretched position the slider is at rest, and the middles of crank and rod have the same speed.
    let rise = 0.5 * omega * CRANK;
    let part =
        |name: &str, [mass, inertia]: [f64; 2], x: f64, [speed, rate]: [f64; 2]| PlaneBodyData {
            name: name.to_owned(),
            mass,
            inertia,
            position: [x, 0.0, 0.0],
            velocity: [0.0, speed, rate],
        };
    let bodies = vec![
        part("crank", [0.038, 7.4e-5], 0.5 * CRANK, [rise, omega]),
        part(
            "rod",
            [0.038, 5.9e-4],
            CRANK + 0.5 * ROD,
            [rise, -omega * CRANK / ROD],
        ),
        part("slider", [0.076, 2.7e-6], CRANK + ROD, [0.0, 0.0]),
    ];
    let end = |length: f64| [0.5 * length, 0.0];
    let joints = [
        PlaneJoint::Revolute((Some(0), end(-CRANK)), (None, [0.0, 0.0])),
        PlaneJoint::Revolute((Some(1), end(-ROD)), (Some(0), end(CRANK))),
        PlaneJoint::Revolute((Some(2), [0.0, 0.0]), (Some(1), end(ROD))),
    ];
    let mut mechanism = Mechanism::new(bodies, GRAVITY)?.with_joints(joints)?;
    for (label, [x, y]) in [
        ("upper left", [-1.0, 1.0]),
        ("upper right", [1.0, 1.0]),
        ("lower left", [-1.0, -1.0]),
        ("lower right", [1.0, -1.0]),
    ] {
        let wall = HalfPlane::new([0.0, y * (HALF[1] + clearance)], [0.0, -y])?;
        let corner = DiscOnLine::point(wall, [x * HALF[0], y * HALF[1]])?;
        mechanism = mechanism.with_contact(
            contact(label, e, mu),
            [None, Some(2)],
            PlanePairing::DiscOnLine(corner),
        )?;
    }
    Ok(mechanism)
}
