//! A scissor lift that sinks.

use super::bodies::{bar, body};
use super::points::{pin, pivot, place};
use super::{Built, GRAVITY, Mechanism};
use crate::mechanisms::Smooth;
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range};
use liedae_multibody::plane::{PlaneForce, PlaneJoint};
use std::f64::consts::FRAC_PI_3;

pub(crate) const SCISSOR_LIFT: ProblemEntry = ProblemEntry {
    name: "scissor-lift",
    title: "scissor lift of n stages that sinks under its load against a damper",
    description: "Each stage is a cross of two slender bars of 1 m and 2 kg; the lowest one stands on a pivot and a slider, the highest \
                  one carries a platform of 100 kg. Released from rest with the bars at 60 degrees, held back by a damper of \
                  6000 n N s/m between pivot and slider. Many loops, one degree of freedom; the forces in the bars grow towards the \
                  foot and as the lift becomes flat. Numbers are this project's own.",
    source: "own mechanism",
    parameters: &[ParameterInfo::new(
        "n",
        3.0,
        "1",
        Range::Integer(1, 100),
        "number of stages",
    )],
    build,
};

const LENGTH: f64 = 1.0;
const ANGLE: f64 = FRAC_PI_3;
const BAR: f64 = 2.0;
const LOAD: f64 = 100.0;
/// Damping in N s/m for each stage.
const DAMPING: f64 = 6000.0;

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    Smooth::new(SCISSOR_LIFT.name, 2.0, "platform.y")
        .problem(mechanism(parameters.get("n")? as usize))
}

fn mechanism(stages: usize) -> Built {
    let (width, height) = (LENGTH * ANGLE.cos(), LENGTH * ANGLE.sin());
    let left = |level: usize| [0.0, level as f64 * height];
    let right = |level: usize| [width, level as f64 * height];
    let [rising, falling] = [|stage: usize| 2 * stage, |stage: usize| 2 * stage + 1];
    let mut bodies = Vec::new();
    for stage in 0..stages {
        let name = |kind: &str| format!("{kind}{}", stage + 1);
        bodies.push(bar(&name("rising"), BAR, [left(stage), right(stage + 1)]));
        bodies.push(bar(&name("falling"), BAR, [left(stage + 1), right(stage)]));
    }
    let platform = bodies.len();
    let [x, y] = left(stages);
    let inertia = LOAD * LENGTH * LENGTH / 12.0;
    bodies.push(body("platform", LOAD, inertia, [x + 0.5 * LENGTH, y, 0.0]));

    let foot = place(&bodies, falling(0), right(0));
    let mut joints = vec![
        pivot(&bodies, rising(0), left(0)),
        PlaneJoint::PointOnLine(foot, (None, left(0)), [1.0, 0.0]),
    ];
    for stage in 0..stages {
        let middle = [0.5 * width, (stage as f64 + 0.5) * height];
        joints.push(pin(&bodies, rising(stage), falling(stage), middle));
        if stage > 0 {
            joints.push(pin(&bodies, rising(stage), falling(stage - 1), left(stage)));
            joints.push(pin(
                &bodies,
                falling(stage),
                rising(stage - 1),
                right(stage),
            ));
        }
    }
    joints.extend([
        pin(&bodies, falling(stages - 1), platform, left(stages)),
        PlaneJoint::PointOnLine(
            place(&bodies, rising(stages - 1), right(stages)),
            place(&bodies, platform, left(stages)),
            [1.0, 0.0],
        ),
    ]);
    let damper = PlaneForce::Spring {
        points: [(None, left(0)), foot],
        stiffness: 0.0,
        damping: DAMPING * stages as f64,
        free_length: 0.0,
    };
    Ok(Mechanism::new(bodies, GRAVITY)?
        .with_joints(joints)?
        .with_forces([damper])?)
}
