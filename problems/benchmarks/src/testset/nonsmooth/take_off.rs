//! Contacts that open by themselves: a bead on a sphere, a block on a shaker, a rope.

use super::contacts::point_on_edge;
use super::statement::{Statement, restitution};
use crate::mechanisms::plane::bodies::particle;
use crate::mechanisms::plane::{Built, GRAVITY, Mechanism};
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range};
use liedae_contact::Contact;
use liedae_multibody::plane::geometry::{DiscOnDisc, Rope};
use liedae_multibody::plane::{Motion, PlaneJoint, PlanePairing};

pub(crate) const SPHERE_TAKEOFF: ProblemEntry = ProblemEntry {
    name: "sphere-takeoff",
    title: "bead that slides off a sphere",
    description: "A bead on top of a sphere of 1 m radius is pushed sidewards. It leaves the sphere where \
                  cos th = 2/3 + v0^2 / (3 g R).",
    source: "classical",
    parameters: &[ParameterInfo::new(
        "speed",
        0.5,
        "m/s",
        Range::Between(0.01, 3.0),
        "initial speed v0",
    )],
    build: build_sphere,
};

pub(crate) const SHAKER: ProblemEntry = ProblemEntry {
    name: "shaker",
    title: "block on a table that shakes, faster than gravity follows",
    description: "The table moves with A sin(w t); where A w^2 > g the block takes off when the table's acceleration has \
                  reached -g, and bounces.",
    source: "classical; P. J. Holmes, J. Sound Vib. 84 (1982) 173-189, doi:10.1016/S0022-460X(82)80002-3",
    parameters: &[
        ParameterInfo::new("A", 0.05, "m", Range::Positive, "amplitude"),
        ParameterInfo::new("w", 20.0, "rad/s", Range::Positive, "angular frequency"),
        restitution(0.5),
    ],
    build: build_shaker,
};

pub(crate) const ROPE_PENDULUM: ProblemEntry = ProblemEntry {
    name: "rope-pendulum",
    title: "mass on a rope that goes slack and tightens again",
    description: "A mass on a rope of 1 m starts from the lowest point with v0^2 = energy * g L. For values between 2 and 5 \
                  the rope goes slack at cos th = (2 - energy) / 3, and tightens by an impact.",
    source: "classical",
    parameters: &[
        ParameterInfo::new("energy", 3.0, "1", Range::Between(0.1, 6.0), "v0^2 / (g L)"),
        restitution(0.0),
    ],
    build: build_rope,
};

fn build_sphere(parameters: &Parameters) -> Result<Problem, ProblemError> {
    Statement::new(SPHERE_TAKEOFF.name, 1.0, "bead.y").problem(on_sphere(parameters.get("speed")?))
}

fn on_sphere(speed: f64) -> Built {
    let radius = 1.0;
    let bead = particle("bead", [0.0, radius], [speed, 0.0]);
    let sphere = DiscOnDisc::new([[0.0, 0.0]; 2], [radius, 0.0])?;
    Ok(Mechanism::new(vec![bead], GRAVITY)?.with_contact(
        Contact::new("sphere", 0.0),
        [None, Some(0)],
        PlanePairing::DiscOnDisc(sphere),
    )?)
}

fn build_shaker(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let mechanism = shaken(
        parameters.get("A")?,
        parameters.get("w")?,
        parameters.get("e")?,
    );
    // Both are points in the equations, which touch where the block is drawn to stand.
    Statement::new(SHAKER.name, 1.0, "block.y")
        .drawn(|drawing| {
            let drawing = drawing
                .without_body(0)
                .without_body(1)
                .without_surfaces(Some(0));
            drawing
                .rectangle(Some(0), [0.0, -0.02], [0.2, 0.02])
                .rectangle(Some(1), [0.0, 0.05], [0.05, 0.05])
        })
        .problem(mechanism)
}

fn shaken(amplitude: f64, frequency: f64, e: f64) -> Built {
    let velocity = [0.0, amplitude * frequency];
    let bodies = vec![
        particle("table", [0.0, 0.0], velocity),
        particle("block", [0.0, 0.0], velocity),
    ];
    let (centre, rest) = (
        (Some(0), [0.0, 0.0]),
        Motion::Uniform {
            start: 0.0,
            rate: 0.0,
        },
    );
    let shaking = Motion::Harmonic {
        mean: 0.0,
        amplitude,
        frequency,
        phase: 0.0,
    };
    let joints = [
        PlaneJoint::PointDrive(centre, [1.0, 0.0], rest),
        PlaneJoint::PointDrive(centre, [0.0, 1.0], shaking),
        PlaneJoint::Angle(Some(0), None, 0.0),
    ];
    let table = point_on_edge([0.0, 0.0], [0.0, 1.0], [0.0, 0.0])?;
    Ok(Mechanism::new(bodies, GRAVITY)?
        .with_joints(joints)?
        .with_contact(Contact::new("table", e), [Some(0), Some(1)], table)?)
}

fn build_rope(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let mechanism = on_rope(parameters.get("energy")?, parameters.get("e")?);
    Statement::new(ROPE_PENDULUM.name, 1.4, "mass.y").problem(mechanism)
}

fn on_rope(energy: f64, e: f64) -> Built {
    let length = 1.0;
    let speed = (energy * -GRAVITY[1] * length).sqrt();
    let mass = particle("mass", [0.0, -length], [speed, 0.0]);
    let rope = PlanePairing::Rope(Rope::new([[0.0, 0.0]; 2], length)?);
    Ok(Mechanism::new(vec![mass], GRAVITY)?.with_contact(
        Contact::new("rope", e),
        [None, Some(0)],
        rope,
    )?)
}
