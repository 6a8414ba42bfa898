//! A gantry crane that hoists while it travels.

use super::bodies::body;
use super::points::slider;
use super::{Built, GRAVITY, Mechanism};
use crate::mechanisms::Smooth;
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range};
use liedae_multibody::Drawing;
use liedae_multibody::plane::{Motion, PlaneForce, PlaneJoint, PlanePoint};
use std::f64::consts::{FRAC_PI_2, PI};

pub(crate) const CRANE: ProblemEntry = ProblemEntry {
    name: "crane",
    title: "crane whose trolley travels while the hoist shortens the rope",
    description: "A trolley of 500 kg on a rail is pulled 5 m to the side by its servo, a spring with a damper; from it hangs a straight rope \
                  of 20 kg, at whose end a load of 1000 kg swings on its hook. The hoist changes the rope's length from 4 m to \
                  `length` within 10 s, a row that depends on time: a shorter rope swings faster and wider. A double pendulum \
                  on a trolley, three degrees of freedom. Numbers are this project's own.",
    source: "own mechanism",
    parameters: &[ParameterInfo::new(
        "length",
        2.0,
        "m",
        Range::Between(1.0, 8.0),
        "length of the rope after 10 s",
    )],
    build,
};

const T_END: f64 = 10.0;
const TROLLEY: usize = 0;
const ROPE: usize = 1;
const LOAD: usize = 2;
/// Length of the rope at the start.
const START: f64 = 4.0;
/// The hook over the centre of the load.
const HOOK: PlanePoint = (Some(LOAD), [0.0, 0.6]);
/// The upper end of the rope, half a metre over the centre of what hangs as a straight line.
const TOP: PlanePoint = (Some(ROPE), [0.0, 0.5]);
const DOWN: [f64; 2] = [0.0, -1.0];
/// Where the trolley comes to rest, and the wall that its servo pulls it to.
const GOAL: f64 = 5.0;
const WALL: f64 = 8.0;

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    Smooth::new(CRANE.name, T_END, "load.x")
        .drawn(draw)
        .problem(mechanism(parameters.get("length")?))
}

fn mechanism(length: f64) -> Built {
    let bodies = vec![
        body("trolley", 500.0, 100.0, [0.0; 3]),
        body("rope", 20.0, 5.0, [0.0, -TOP.1[1], 0.0]),
        body("load", 1000.0, 150.0, [0.0, -START - HOOK.1[1], 0.0]),
    ];
    let trolley: PlanePoint = (Some(TROLLEY), [0.0, 0.0]);
    // Half a cosine from the first length to the last.
    let hoist = Motion::Harmonic {
        mean: 0.5 * (START + length),
        amplitude: 0.5 * (START - length),
        frequency: PI / T_END,
        phase: FRAC_PI_2,
    };
    let mut joints = slider(&bodies, TROLLEY, [1.0, 0.0]).to_vec();
    joints.extend([
        PlaneJoint::Revolute(TOP, trolley),
        PlaneJoint::PointOnLine(HOOK, TOP, DOWN),
        PlaneJoint::SlideDrive(HOOK, TOP, DOWN, hoist),
    ]);
    let servo = PlaneForce::Spring {
        points: [trolley, (None, [WALL, 0.0])],
        stiffness: 2000.0,
        damping: 1500.0,
        free_length: WALL - GOAL,
    };
    Ok(Mechanism::new(bodies, GRAVITY)?
        .with_joints(joints)?
        .with_forces([servo])?)
}

fn draw(drawing: Drawing) -> Drawing {
    let ((trolley, hook), [width, height]) = ((TROLLEY, HOOK.1), [0.5, 0.4]);
    drawing
        .without_body(ROPE)
        .rod((Some(trolley), [0.0, 0.0]), (Some(LOAD), hook))
        .rectangle(Some(LOAD), [0.0, 0.0], [width, height])
}
