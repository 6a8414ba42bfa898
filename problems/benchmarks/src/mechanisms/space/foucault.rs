//! Foucault's pendulum on a turntable.

use super::assembly::{ROTATION, output_vector};
use super::bodies::{disk, turning};
use super::{GRAVITY, Smooth, probe_energy};
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range};
use liedae_multibody::{BodyId, Drive, Joint, Motion, MultibodyBuilder, Output, RigidBody};
use nalgebra::Vector3;

pub(crate) const FOUCAULT: ProblemEntry = ProblemEntry {
    name: "foucault",
    title: "Foucault's pendulum: a ball on a wire, hung from a driven turntable",
    description: "A ball of 28 kg and 0.15 m radius hangs 5 m below a point of the turntable, 0.3 m from its axis, and is released 0.5 m aside, at rest \
                  on the turntable. That turns uniformly with rate: seen from it, the plane of oscillation turns backwards, slowly against the oscillation. \
                  The joint leaves the ball its spin. Place of the ball in the world and, as u and w, on the turntable. Numbers are this project's own.",
    source: "L. Foucault, Démonstration physique du mouvement de rotation de la terre, C. R. Acad. Sci. Paris 32 (1851) 135-138",
    parameters: &[
        ParameterInfo::new(
            "rate",
            0.1,
            "rad/s",
            Range::Finite,
            "angular velocity of the turntable",
        ),
        ROTATION,
    ],
    build,
};

const WIRE: f64 = 5.0;
const RADIUS: f64 = 0.15;
const MASS: f64 = 28.0;
const ASIDE: f64 = 0.5;

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let rate = parameters.get("rate")?;
    let (z, origin) = (Vector3::z(), Vector3::zeros());
    let turned = |body| turning(body, origin, z * rate);
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity(GRAVITY);
    let table = mechanism.add_body(turned(disk("turntable", 100.0, 1.0)));
    let hook = Vector3::x() * 0.3;
    let ball = RigidBody::new("ball", MASS, [0.4 * MASS * RADIUS * RADIUS; 3]);
    let ball = ball.at(hook + Vector3::x() * ASIDE - z * (WIRE * WIRE - ASIDE * ASIDE).sqrt());
    let ball = mechanism.add_body(turned(ball));
    let axis = mechanism.add_joint(Joint::revolute("axis", BodyId::GROUND, table, origin, z));
    mechanism.add_drive("drive", axis, Drive::Angle(Motion::linear(0.0, rate)));
    mechanism.add_joint(Joint::spherical("hook", table, ball, hook));
    output_vector(&mut mechanism, "ball.", |axis| {
        Output::Position(ball, [0.0; 3], axis)
    });
    output_vector(&mut mechanism, "ball.v", |axis| {
        Output::Velocity(ball, [0.0; 3], axis)
    });
    for (axis, name) in ["u", "w"].into_iter().enumerate() {
        mechanism.probe(name, move |now| {
            (now.rotation(table).tr_mul(&now.position(ball)) - hook)[axis]
        });
    }
    probe_energy(&mut mechanism);
    Smooth::new(FOUCAULT.name, 20.0, "u")
        .drawn(move |drawing| {
            drawing.disc(ball.index(), [0.0; 3], RADIUS).hoop(
                table.index(),
                [0.0; 3],
                Vector3::z(),
                1.0,
            )
        })
        .mechanism(mechanism, parameters)
}
