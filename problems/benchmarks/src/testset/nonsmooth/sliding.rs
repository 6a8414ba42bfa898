//! Coulomb friction on a floor: a disc with backspin, a block that comes to rest.

use super::statement::Statement;
use crate::mechanisms::plane::{Built, GRAVITY, Mechanism};
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range};
use liedae_contact::Contact;
use liedae_multibody::plane::geometry::{DiscOnLine, HalfPlane, box_on_line};
use liedae_multibody::plane::{PlaneBodyData, PlanePairing};

pub(crate) const DISC_BACKSPIN: ProblemEntry = ProblemEntry {
    name: "disc-backspin",
    title: "disc thrown with backspin: slides, then rolls",
    description: "A homogeneous disc of 1 kg and radius 0.1 m on a floor moves with 3 m/s and spins backwards with 20 rad/s. \
                  Friction slows it down until it rolls, at v = 4/3 m/s.",
    source: "classical",
    parameters: &[ParameterInfo::new(
        "mu",
        0.2,
        "1",
        Range::Positive,
        "friction",
    )],
    build: build_disc,
};

pub(crate) const SLIDING_BLOCK: ProblemEntry = ProblemEntry {
    name: "sliding-block",
    title: "block that slides on a floor and comes to rest",
    description: "A block of 1 kg, 0.4 m x 0.2 m, on both of its lower corners; it stops after v / (mu g). The corners carry \
                  different weights while it slides, and one of the sticking rows is redundant when it rests.",
    source: "classical",
    parameters: &[
        ParameterInfo::new("mu", 0.3, "1", Range::Between(0.0, 1.5), "friction"),
        ParameterInfo::new(
            "speed",
            2.0,
            "m/s",
            Range::Finite,
            "initial velocity along the floor",
        ),
    ],
    build: build_block,
};

fn build_disc(parameters: &Parameters) -> Result<Problem, ProblemError> {
    Statement::new(DISC_BACKSPIN.name, 2.0, "disc.vx").problem(disc(parameters.get("mu")?))
}

fn disc(mu: f64) -> Built {
    let radius = 0.1;
    let disc = PlaneBodyData {
        name: "disc".to_owned(),
        mass: 1.0,
        inertia: 0.5 * radius * radius,
        position: [0.0, radius, 0.0],
        velocity: [3.0, 0.0, 20.0],
    };
    let floor = HalfPlane::new([0.0, 0.0], [0.0, 1.0])?;
    let floor = PlanePairing::DiscOnLine(DiscOnLine::new(floor, [0.0, 0.0], radius)?);
    let contact = Contact::new("floor", 0.0).with_planar_friction(mu);
    Ok(Mechanism::new(vec![disc], GRAVITY)?.with_contact(contact, [None, Some(0)], floor)?)
}

fn build_block(parameters: &Parameters) -> Result<Problem, ProblemError> {
    Statement::new(SLIDING_BLOCK.name, 1.0, "block.x")
        .drawn(|drawing| {
            let drawing = drawing.without_body(0);
            drawing.rectangle(Some(0), [0.0, 0.0], HALF)
        })
        .problem(block(parameters.get("mu")?, parameters.get("speed")?))
}

/// Half length and half height of the block in m.
const HALF: [f64; 2] = [0.2, 0.1];

fn block(mu: f64, speed: f64) -> Built {
    let [b, h] = HALF;
    let block = PlaneBodyData {
        name: "block".to_owned(),
        mass: 1.0,
        inertia: (b * b + h * h) / 3.0,
        position: [0.0, h, 0.0],
        velocity: [speed, 0.0, 0.0],
    };
    let floor = HalfPlane::new([0.0, 0.0], [0.0, 1.0])?;
    let [left, right, ..] = box_on_line(floor, [0.0, 0.0], [b, h])?;
    let mut mechanism = Mechanism::new(vec![block], GRAVITY)?;
    for (label, corner) in [("left", left), ("right", right)] {
        let contact = Contact::new(label, 0.0).with_planar_friction(mu);
        let corner = PlanePairing::DiscOnLine(corner);
        mechanism = mechanism.with_contact(contact, [None, Some(0)], corner)?;
    }
    Ok(mechanism)
}
