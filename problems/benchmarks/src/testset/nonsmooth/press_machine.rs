//! Presses: an elastically mounted crank press, and a toggle press with an overload spring.

use super::statement::{Statement, contact};
use crate::mechanisms::plane::bodies::{apex, bar, body};
use crate::mechanisms::plane::{Built, GRAVITY, Mechanism};
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range};
use liedae_multibody::plane::geometry::{DiscOnLine, HalfPlane};
use liedae_multibody::plane::{PlaneForce, PlaneJoint, PlanePairing, PlanePoint};
use std::f64::consts::FRAC_PI_2;

pub(crate) const PRESS_MACHINE: ProblemEntry = ProblemEntry {
    name: "press-machine",
    title: "press: crank press on springs that hits a workpiece, or toggle press with an overload spring",
    description: "variant 0: a frame on springs and dampers carries crank, rod and slider; a motor with a falling torque \
                  drives the crank, and the slider hits a rigid workpiece on the ground before its lowest point, so that \
                  the frame must give way. variant 1: a crank with a constant torque stretches a toggle, whose ram \
                  presses a die on a stiff preloaded overload spring; the die leaves its stop, and the ram the die. All \
                  dimensions are this project's choice.",
    source: "this project",
    parameters: &[
        ParameterInfo::new(
            "variant",
            0.0,
            "1",
            Range::Choice(&["crank press", "toggle press"]),
            "which press",
        ),
        ParameterInfo::new(
            "e",
            0.3,
            "1",
            Range::Between(0.0, 1.0),
            "coefficient of restitution",
        ),
    ],
    build,
};

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let e = parameters.get("e")?;
    let toggle = parameters.get("variant")? == 1.0;
    let statement = |t_end: f64, main_output: &'static str| {
        Statement::new(PRESS_MACHINE.name, t_end, main_output)
            .with_step(1e-4)
            .of_size(0.1, 0.1)
    };
    if toggle {
        statement(1.0, "ram.y").problem(toggle_press(e))
    } else {
        statement(2.0, "slider.y").problem(crank_press(e))
    }
}

/// A point of a body that can only move up and down on a horizontal surface.
fn on_surface(height: f64) -> Built<PlanePairing> {
    let surface = HalfPlane::new([0.0, height], [0.0, 1.0])?;
    Ok(PlanePairing::DiscOnLine(DiscOnLine::point(
        surface,
        [0.0, 0.0],
    )?))
}

fn centre(body: usize) -> PlanePoint {
    (Some(body), [0.0, 0.0])
}

fn crank_press(e: f64) -> Built {
    const CRANK: f64 = 0.1;
    const ROD: f64 = 0.4;
    /// Height of the crank's axis; the slider's lowest point is at 0.5 m.
    const AXIS: f64 = 1.0;
    const WORKPIECE: f64 = 0.51;
    /// Half the distance of the springs.
    const HALF_WIDTH: f64 = 0.5;
    const MASSES: f64 = 228.0;
    const STIFFNESS: f64 = 2e5;
    const MOTOR: f64 = 40.0;
    const FALL: f64 = 4.0;

    // The crank is upright and turns with the rate at which the motor has no torque left.
    let rate = MOTOR / FALL;
    let tip = [0.0, AXIS + CRANK];
    let slider = [0.0, AXIS + CRANK - ROD];
    let mut crank = body("crank", 5.0, 2.0, [0.0, AXIS, FRAC_PI_2]);
    crank.velocity = [0.0, 0.0, rate];
    let mut rod = bar("rod", 3.0, [slider, tip]);
    rod.velocity = [-0.5 * CRANK * rate, 0.0, rate * CRANK / ROD];
    let bodies = vec![
        body("frame", 200.0, 20.0, [0.0, 0.5, 0.0]),
        crank,
        rod,
        body("slider", 20.0, 1.0, [slider[0], slider[1], 0.0]),
    ];
    let axis = (Some(0), [0.0, AXIS - 0.5]);
    let joints = [
        PlaneJoint::Revolute(centre(1), axis),
        PlaneJoint::Revolute((Some(2), [0.5 * ROD, 0.0]), (Some(1), [CRANK, 0.0])),
        PlaneJoint::Revolute(centre(3), (Some(2), [-0.5 * ROD, 0.0])),
        PlaneJoint::Angle(Some(3), Some(0), 0.0),
        PlaneJoint::PointOnLine(centre(3), axis, [0.0, 1.0]),
    ];
    let support = |from: [f64; 2], to: [f64; 2], load: f64| PlaneForce::Spring {
        points: [(None, from), (Some(0), to)],
        stiffness: STIFFNESS,
        damping: 2e3,
        free_length: (to[0] - from[0]).hypot(to[1] + 0.5 - from[1]) + load / STIFFNESS,
    };
    let weight = 0.5 * MASSES * -GRAVITY[1];
    let forces = [
        support([-HALF_WIDTH, -0.2], [-HALF_WIDTH, -0.4], weight),
        support([HALF_WIDTH, -0.2], [HALF_WIDTH, -0.4], weight),
        support([-HALF_WIDTH - 0.3, 0.5], [-HALF_WIDTH, 0.0], 0.0),
        PlaneForce::Torque([Some(1), Some(0)], MOTOR),
        PlaneForce::Torsion {
            bodies: [Some(1), Some(0)],
            stiffness: 0.0,
            damping: FALL,
            free_angle: 0.0,
        },
    ];
    Ok(Mechanism::new(bodies, GRAVITY)?
        .with_joints(joints)?
        .with_forces(forces)?
        .with_contact(
            contact("workpiece", e, 0.0),
            [None, Some(3)],
            on_surface(WORKPIECE)?,
        )?)
}

fn toggle_press(e: f64) -> Built {
    const LINK: f64 = 0.3;
    /// Height of the toggle's upper joint; stretched, the ram is at 0.
    const HEAD: f64 = 2.0 * LINK;
    const AXIS: [f64; 2] = [0.6, 0.3];
    const CRANK: f64 = 0.06;
    const ROD: f64 = 0.53;
    const TORQUE: f64 = 20.0;
    /// Height of the die on its stop.
    const DIE: f64 = 0.002;
    const OVERLOAD_STIFFNESS: f64 = 2e6;
    const PRELOAD: f64 = 1e4;
    const SPRING: f64 = 0.2;

    let head = [0.0, HEAD];
    let tip = [AXIS[0] + CRANK, AXIS[1]];
    let knee = apex((tip, ROD), (head, LINK))?;
    let ram = [0.0, knee[1] - (LINK * LINK - knee[0] * knee[0]).sqrt()];
    let bodies = vec![
        body("crank", 10.0, 1.0, [AXIS[0], AXIS[1], 0.0]),
        bar("rod", 2.0, [knee, tip]),
        bar("upper", 3.0, [head, knee]),
        bar("lower", 3.0, [knee, ram]),
        body("ram", 20.0, 1.0, [ram[0], ram[1], 0.0]),
        body("die", 5.0, 1.0, [0.0, DIE, 0.0]),
    ];
    let end = |body: usize, offset: f64| -> PlanePoint { (Some(body), [offset, 0.0]) };
    let guide = |body: usize| {
        [
            PlaneJoint::Angle(Some(body), None, 0.0),
            PlaneJoint::PointOnLine(centre(body), (None, [0.0, 0.0]), [0.0, 1.0]),
        ]
    };
    let joints = [
        PlaneJoint::Revolute(centre(0), (None, AXIS)),
        PlaneJoint::Revolute(end(1, 0.5 * ROD), end(0, CRANK)),
        PlaneJoint::Revolute(end(2, -0.5 * LINK), (None, head)),
        PlaneJoint::Revolute(end(1, -0.5 * ROD), end(2, 0.5 * LINK)),
        PlaneJoint::Revolute(end(3, -0.5 * LINK), end(2, 0.5 * LINK)),
        PlaneJoint::Revolute(centre(4), end(3, 0.5 * LINK)),
    ]
    .into_iter()
    .chain(guide(4))
    .chain(guide(5));
    let forces = [
        PlaneForce::Torque([Some(0), None], TORQUE),
        PlaneForce::Spring {
            points: [(None, [0.0, DIE - SPRING]), centre(5)],
            stiffness: OVERLOAD_STIFFNESS,
            damping: 500.0,
            free_length: SPRING + PRELOAD / OVERLOAD_STIFFNESS,
        },
    ];
    let below = HalfPlane::new([0.0, DIE], [0.0, -1.0])?;
    let stop = PlanePairing::DiscOnLine(DiscOnLine::point(below, [0.0, 0.0])?);
    Ok(Mechanism::new(bodies, GRAVITY)?
        .with_joints(joints)?
        .with_forces(forces)?
        .with_contact(
            contact("ram-die", e, 0.0),
            [Some(5), Some(4)],
            on_surface(0.0)?,
        )?
        .with_contact(contact("stop", e, 0.0), [None, Some(5)], stop)?)
}
