//! A slider-crank whose slider sticks and slips in its guide.

use super::statement::Statement;
use crate::mechanisms::plane::bodies::{bar, body};
use crate::mechanisms::plane::{Built, GRAVITY, Mechanism};
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range};
use liedae_multibody::plane::{Motion, PlaneForce, PlaneFriction, PlaneJoint};

pub(crate) const SLIDER_CRANK_FRICTION: ProblemEntry = ProblemEntry {
    name: "slider-crank-friction",
    title: "slider-crank with dry friction in the slider's guide that sticks, slips and reverses",
    description: "A crank on a torsion spring, let go at rest away from its equilibrium, moves a slider in a horizontal guide \
                  through a rod; gravity acts, and so does a torque on the crank that grows and falls. The guide rubs by \
                  Coulomb's law, as a whole or on two pads that lie behind the pin: the oscillation decays over reversals until friction \
                  holds the slider, and the torque tears it loose and turns it round again. All dimensions are this project's choice.",
    source: "this project; friction after Pfeiffer and Glocker 1996, ch. 8, doi:10.1002/9783527618385",
    parameters: &[
        ParameterInfo::new(
            "mu",
            0.3,
            "1",
            Range::Between(0.0, 1.0),
            "coefficient of friction in the guide",
        ),
        ParameterInfo::new(
            "model",
            0.0,
            "1",
            Range::Choice(&["normal force", "two pads 0.12 m apart"]),
            "what presses in the guide",
        ),
        ParameterInfo::new(
            "torque",
            2.0,
            "N m",
            Range::Finite,
            "amplitude of the torque on the crank",
        ),
    ],
    build,
};

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let pads = parameters.get("model")? == 1.0;
    Statement::new(SLIDER_CRANK_FRICTION.name, 6.0, "slider.x")
        .of_size(0.1, 0.1)
        .drawn(|drawing| {
            let drawing = drawing.without_body(2);
            drawing
                .rectangle(Some(2), MIDDLE, [0.5 * PADS, 0.015])
                .bar(Some(2), [0.0, 0.0], MIDDLE)
        })
        .problem(mechanism(
            parameters.get("mu")?,
            pads,
            parameters.get("torque")?,
        ))
}

/// Distance of the pads in m.
const PADS: f64 = 0.12;

/// The middle of the guide below and behind the slider's pin, which is its centre of mass, too: so far behind that the pads press on
/// opposite flanks.
const MIDDLE: [f64; 2] = [-0.1, -0.03];

fn mechanism(mu: f64, pads: bool, torque: f64) -> Built<Mechanism> {
    const CRANK: f64 = 0.1;
    const ROD: f64 = 0.3;
    const STIFFNESS: f64 = 10.0;
    /// Angle of the crank in rad at which the spring is slack, and at which it is let go.
    const SLACK: f64 = 1.2;
    const START: f64 = 2.2;
    /// Angular frequency of the torque in rad/s.
    const FREQUENCY: f64 = 2.0;

    let (sin, cos) = START.sin_cos();
    let pin = [CRANK * cos, CRANK * sin];
    let slider = [pin[0] + (ROD * ROD - pin[1] * pin[1]).sqrt(), 0.0];
    let bodies = vec![
        body("crank", 1.0, 5e-3, [0.0, 0.0, START]),
        bar("rod", 0.5, [pin, slider]),
        body("slider", 2.0, 1e-2, [slider[0], slider[1], 0.0]),
    ];
    let joints = [
        PlaneJoint::Revolute((Some(0), [0.0, 0.0]), (None, [0.0, 0.0])),
        PlaneJoint::Revolute((Some(1), [-0.5 * ROD, 0.0]), (Some(0), [CRANK, 0.0])),
        PlaneJoint::Revolute((Some(2), [0.0, 0.0]), (Some(1), [0.5 * ROD, 0.0])),
        PlaneJoint::PointOnLine((Some(2), MIDDLE), (None, [0.0, MIDDLE[1]]), [1.0, 0.0]),
        PlaneJoint::Angle(Some(2), None, 0.0),
    ];
    let forces = [
        PlaneForce::Torsion {
            bodies: [Some(0), None],
            stiffness: STIFFNESS,
            damping: 0.0,
            free_angle: SLACK,
        },
        PlaneForce::DrivenTorque(
            [Some(0), None],
            Motion::Harmonic {
                mean: 0.0,
                amplitude: torque,
                frequency: FREQUENCY,
                phase: 0.0,
            },
        ),
    ];
    let friction = if pads {
        PlaneFriction::TwoPads {
            line: 3,
            angle: 4,
            length: PADS,
        }
    } else {
        PlaneFriction::Guide(3)
    };
    Ok(Mechanism::new(bodies, GRAVITY)?
        .with_joints(joints)?
        .with_forces(forces)?
        .with_friction("guide", mu, friction)?)
}
