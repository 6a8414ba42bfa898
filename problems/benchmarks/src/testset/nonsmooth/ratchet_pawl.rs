//! A ratchet wheel with its pawl.

use super::statement::{Statement, contact};
use crate::mechanisms::plane::bodies::body;
use crate::mechanisms::plane::{Built, GRAVITY, Mechanism};
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range};
use liedae_multibody::plane::geometry::{DiscOnWedges, Wedges};
use liedae_multibody::plane::{PlaneForce, PlaneJoint, PlanePairing};
use std::f64::consts::PI;

pub(crate) const RATCHET_PAWL: ProblemEntry = ProblemEntry {
    name: "ratchet-pawl",
    title: "ratchet wheel with 12 teeth: the pawl clicks over some of them, then holds the wheel",
    description: "The wheel turns forward against a constant torque, and its teeth lift the spring-loaded pawl, which falls \
                  into the next gap. When the wheel comes back, the steep side of a tooth hits the pawl, and both come to \
                  rest. Even and odd teeth are one contact each, with the tooth next to the pawl: while the pawl is on \
                  one tooth, the other contact changes its tooth. All dimensions are this project's choice.",
    source: "this project",
    parameters: &[
        ParameterInfo::new(
            "omega",
            4.0,
            "rad/s",
            Range::NonNegative,
            "initial rate of the wheel, forward",
        ),
        ParameterInfo::new(
            "torque",
            0.02,
            "N m",
            Range::NonNegative,
            "torque that turns the wheel back",
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

const TEETH: u8 = 12;
/// Radii of the teeth's tips and roots.
const TIP: f64 = 0.05;
const ROOT: f64 = 0.042;
/// The steep side leans backwards by this angle, so that it pulls the pawl in.
const UNDERCUT: f64 = 0.1;
/// Radius of the pawl's end.
const END: f64 = 0.002;
const PAWL: f64 = 0.06;
/// Height of the pawl's pivot, which is to the left of the wheel's top, and the angle that it starts with.
const PIVOT: f64 = 0.052;
const LIFTED: f64 = 0.05;

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let [omega, torque, e] = ["omega", "torque", "e"].map(|name| parameters.get(name));
    let statement = Statement::new(RATCHET_PAWL.name, 2.0, "wheel.theta")
        .with_step(1e-4)
        .of_size(0.1, 0.1)
        .drawn(|drawing| {
            let teeth = (0..TEETH).flat_map(|tooth| {
                // Up the ramp to the tip, and down the steep side.
                let (sine, cosine) = (2.0 * PI * f64::from(tooth) / f64::from(TEETH)).sin_cos();
                [TIP, ROOT].map(|radius| [radius * cosine, radius * sine])
            });
            drawing.without_body(0).polygon(Some(0), teeth)
        });
    statement.problem(mechanism(omega?, torque?, e?))
}

/// Every second tooth, beginning with number 0 or 1: ramps rise counterclockwise, then comes the steep side.
fn teeth(first: f64) -> Built<PlanePairing> {
    let pitch = 2.0 * PI / f64::from(TEETH);
    let tip = first * pitch;
    let turned = |x: f64, y: f64| [x * tip.cos() - y * tip.sin(), x * tip.sin() + y * tip.cos()];
    let (ramp_x, ramp_y) = (TIP - ROOT * pitch.cos(), ROOT * pitch.sin());
    let ramp = turned(ramp_y, -ramp_x);
    let steep = turned(-UNDERCUT.sin(), UNDERCUT.cos());
    let middle = tip - 0.5 * pitch;
    let wedges = Wedges::new(
        turned(TIP, 0.0),
        [ramp, steep],
        usize::from(TEETH / 2),
        middle,
    )?;
    let end = DiscOnWedges::new(wedges, [0.5 * PAWL, 0.0], END)?;
    Ok(PlanePairing::DiscOnWedges(end))
}

fn mechanism(omega: f64, torque: f64, e: f64) -> Built {
    let mut wheel = body("wheel", 2.0, 5e-3, [0.0; 3]);
    wheel.velocity[2] = -omega;
    let middle = [
        -PAWL + 0.5 * PAWL * LIFTED.cos(),
        PIVOT + 0.5 * PAWL * LIFTED.sin(),
    ];
    let pawl = body("pawl", 0.05, 1.5e-5, [middle[0], middle[1], LIFTED]);
    let joints = [
        PlaneJoint::Revolute((Some(0), [0.0, 0.0]), (None, [0.0, 0.0])),
        PlaneJoint::Revolute((Some(1), [-0.5 * PAWL, 0.0]), (None, [-PAWL, PIVOT])),
    ];
    let forces = [
        PlaneForce::Torque([Some(0), None], torque),
        PlaneForce::Torsion {
            bodies: [Some(1), None],
            stiffness: 0.05,
            damping: 0.0,
            free_angle: -0.3,
        },
    ];
    let wheel_and_pawl = [Some(0), Some(1)];
    Ok(Mechanism::new(vec![wheel, pawl], GRAVITY)?
        .with_joints(joints)?
        .with_forces(forces)?
        .with_contact(contact("even teeth", e, 0.0), wheel_and_pawl, teeth(0.0)?)?
        .with_contact(contact("odd teeth", e, 0.0), wheel_and_pawl, teeth(1.0)?)?)
}
