//! A press with a toggle joint.

use super::bodies::{apex, bar, body};
use super::points::{pin, pivot, slider};
use super::{Built, GRAVITY, Mechanism};
use crate::mechanisms::Smooth;
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range};
use liedae_multibody::plane::{PlaneForce, PlaneJoint, PlanePoint};

pub(crate) const TOGGLE_PRESS: ProblemEntry = ProblemEntry {
    name: "toggle-press",
    title: "knuckle-joint press that works near its dead centre",
    description: "A flywheel crank of 0.1 m draws a knee between two links of 0.4 m, above which is the frame and below which is the ram; \
                  once a turn the knee comes within `gap` of the line in which both links are straight. There the ram hardly moves \
                  and pushes with many times the rod's force against a spring of 1e5 N/m. A torque of 200 N m speeds the flywheel up from \
                  rest against a damper. One degree of freedom, two loops, near a dead centre where the matrix of mass and constraints is badly \
                  conditioned in the ram's direction. Numbers are this project's own.",
    source: "own mechanism",
    parameters: &[ParameterInfo::new(
        "gap",
        0.005,
        "m",
        Range::Between(0.0005, 0.05),
        "smallest distance of the knee from the dead centre",
    )],
    build,
};

const CRANK: usize = 0;
const ROD: usize = 1;
const UPPER: usize = 2;
const LOWER: usize = 3;
const RAM: usize = 4;
const HEAD: [f64; 2] = [0.0, 1.0];
/// The knee's height when both links are straight; the crank's axis is level with it.
const LINK: f64 = 0.4;
const AXIS: [f64; 2] = [-0.7, HEAD[1] - LINK];
const CRANK_LENGTH: f64 = 0.1;
/// Initial angle of the crank in rad.
const START: f64 = 2.0;

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    Smooth::new(TOGGLE_PRESS.name, 1.0, "ram.y")
        .with_step(1e-4)
        .problem(mechanism(parameters.get("gap")?))
}

fn mechanism(gap: f64) -> Built {
    let rod = -AXIS[0] - CRANK_LENGTH - gap;
    let (sine, cosine) = START.sin_cos();
    let tip = [
        AXIS[0] + CRANK_LENGTH * cosine,
        AXIS[1] + CRANK_LENGTH * sine,
    ];
    let knee = apex((HEAD, LINK), (tip, rod))?;
    let ram = [0.0, knee[1] - (LINK * LINK - knee[0] * knee[0]).sqrt()];

    let mut bodies = vec![
        body("crank", 60.0, 4.0, [AXIS[0], AXIS[1], START]),
        bar("rod", 8.0, [tip, knee]),
        bar("upper", 10.0, [HEAD, knee]),
        bar("lower", 10.0, [knee, ram]),
    ];
    bodies.push(body("ram", 40.0, 1.0, [ram[0], ram[1], 0.0]));
    let mut joints = vec![
        pivot(&bodies, CRANK, AXIS),
        PlaneJoint::Revolute(
            (Some(ROD), [-0.5 * rod, 0.0]),
            (Some(CRANK), [CRANK_LENGTH, 0.0]),
        ),
        pin(&bodies, ROD, UPPER, knee),
        pin(&bodies, LOWER, UPPER, knee),
        pivot(&bodies, UPPER, HEAD),
        pin(&bodies, LOWER, RAM, ram),
    ];
    joints.extend(slider(&bodies, RAM, [0.0, 1.0]));
    let centre: PlanePoint = (Some(RAM), [0.0, 0.0]);
    let forces = [
        PlaneForce::Torque([Some(CRANK), None], 200.0),
        PlaneForce::Torsion {
            bodies: [Some(CRANK), None],
            stiffness: 0.0,
            damping: 4.0,
            free_angle: 0.0,
        },
        PlaneForce::Spring {
            points: [centre, (None, [0.0, -0.2])],
            stiffness: 1e5,
            damping: 0.0,
            free_length: 0.46,
        },
    ];
    Ok(Mechanism::new(bodies, GRAVITY)?
        .with_joints(joints)?
        .with_forces(forces)?)
}
