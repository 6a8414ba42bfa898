//! A ball on a rough slope: it slides in a curve, then it rolls.

use super::kicked_ball::Motion;
use super::spatial::{Spatial, rubbing};
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range, Reference};
use liedae_multibody::{BodyId, MultibodyBuilder, RigidBody, Snapshot, Surface, SurfaceContact};
use nalgebra::Vector3;

pub(crate) const BALL_SLOPE: ProblemEntry = ProblemEntry {
    name: "ball-slope",
    title: "ball kicked across a rough slope: slides in a curve, then rolls",
    description: "A homogeneous ball of 1 kg and radius 0.1 m on a plane with a cone of friction. The x-axis points down the slope, the \
                  z-axis off it. The ball starts with some velocity and spin. The point of contact slides, and friction turns it \
                  towards the line of fall while it slows it down. Where mu > 2/7 tan(slope) it comes to roll, at 5/7 of the \
                  acceleration without friction. All of it is known in closed form, unless the contact slides up a slope that is too steep to \
                  roll on, or starts without sliding there.",
    source: "classical; closed form of the hodograph",
    parameters: &[
        ParameterInfo::new("mu", 0.3, "1", Range::NonNegative, "friction"),
        ParameterInfo::new(
            "slope",
            0.3,
            "rad",
            Range::Between(0.0, 1.5),
            "angle of the slope",
        ),
        ParameterInfo::new(
            "vx",
            1.0,
            "m/s",
            Range::Finite,
            "initial velocity down the slope",
        ),
        ParameterInfo::new(
            "vy",
            2.0,
            "m/s",
            Range::Finite,
            "initial velocity across the slope",
        ),
        ParameterInfo::new("wx", 10.0, "rad/s", Range::Finite, "initial spin about x"),
        ParameterInfo::new("wy", -10.0, "rad/s", Range::Finite, "initial spin about y"),
        ParameterInfo::new("wz", 5.0, "rad/s", Range::Finite, "initial spin about z"),
    ],
    build,
};

const GRAVITY: f64 = 9.81;
const RADIUS: f64 = 0.1;
const END: f64 = 1.0;

/// Places and velocities, and spins in the frame of the slope.
const OUTPUTS: [&str; 7] = ["x", "y", "vx", "vy", "wx", "wy", "wz"];

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let get = |name| parameters.get(name);
    let (friction, slope) = (get("mu")?, get("slope")?);
    let velocity = [get("vx")?, get("vy")?];
    let spin = [get("wx")?, get("wy")?, get("wz")?];
    let (sine, cosine) = slope.sin_cos();
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([GRAVITY * sine, 0.0, -GRAVITY * cosine]);
    let body = RigidBody::new("ball", 1.0, [0.4 * RADIUS * RADIUS; 3])
        .at([0.0, 0.0, RADIUS])
        .moving([velocity[0], velocity[1], 0.0], spin);
    let ball = mechanism.add_body(body);
    let plane = Surface::half_space(BodyId::GROUND, [0.0; 3], [0.0, 0.0, 1.0]);
    let contact = SurfaceContact::new("slope", plane, Surface::sphere(ball, [0.0; 3], RADIUS));
    mechanism.add_contact(rubbing(contact, friction));
    type Quantity = fn(&Snapshot, BodyId) -> Vector3<f64>;
    let quantities: [Quantity; 3] = [
        |now, ball| now.position(ball),
        |now, ball| now.velocity(ball),
        |now, ball| now.angular_velocity(ball),
    ];
    let components = [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2)];
    for (name, (quantity, axis)) in OUTPUTS.into_iter().zip(components) {
        mechanism.probe(name, move |now| quantities[quantity](now, ball)[axis]);
    }
    let statement = Spatial {
        name: BALL_SLOPE.name,
        t_end: END,
        default_step: 1e-3,
        main_output: "vy",
        length: RADIUS,
        time: 0.1,
        drawn: |drawing| drawing,
    };
    let mut problem = statement.problem(mechanism)?;
    let motion = Motion {
        fall: GRAVITY * sine,
        brake: friction * GRAVITY * cosine,
        radius: RADIUS,
        velocity,
        spin,
    };
    problem.reference = motion.sliding().map(|sliding| {
        let source = "closed form of the hodograph, to round-off";
        Reference::new(source, 0.0, 1e3, false)
            .with_closed_form(OUTPUTS, move |t, out| motion.at(&sliding, t, out))
    });
    Ok(problem)
}
