//! Balls on a line between walls or on a floor.

use super::statement::{Statement, restitution};
use crate::mechanisms::plane::bodies::body;
use crate::mechanisms::plane::points::slider;
use crate::mechanisms::plane::{Built, GRAVITY, Mechanism};
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range};
use liedae_contact::Contact;
use liedae_multibody::plane::PlanePairing;
use liedae_multibody::plane::geometry::{DiscOnDisc, DiscOnLine, HalfPlane};

pub(crate) const SLIDER_TRAIN: ProblemEntry = ProblemEntry {
    name: "slider-train",
    title: "balls on a line between walls, or above a floor",
    description: "Equal balls of 1 kg and 0.1 m diameter slide without turning on a line. Between walls there is no gravity: \
                  0.4 m of the line for each ball, velocities cos(2.3 i) + 0.1 m/s, i = 0, 1, ..; the motion between impacts is \
                  uniform. Stacked, they fall from rest, the lowest one 0.5 m above the floor and the others 0.2 m apart, and \
                  come to rest on each other after impacts that accumulate. Numbers are this project's own.",
    source: "own mechanism; conservation of momentum and laws of impact",
    parameters: &[
        ParameterInfo::new("n", 3.0, "1", Range::Integer(1, 50), "number of balls"),
        restitution(0.9),
        ParameterInfo::new(
            "line",
            0.0,
            "1",
            Range::Choice(&["walls", "stack"]),
            "horizontal between two walls, or vertical above a floor",
        ),
    ],
    build,
};

const RADIUS: f64 = 0.05;
const PITCH: f64 = 0.4;

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let count = parameters.get("n")? as usize;
    let e = parameters.get("e")?;
    let stacked = parameters.get("line")? > 0.0;
    Statement::new(
        SLIDER_TRAIN.name,
        5.0,
        if stacked { "ball1.y" } else { "ball1.x" },
    )
    .problem(if stacked {
        stack(count, e)
    } else {
        between_walls(count, e)
    })
}

fn between_walls(count: usize, e: f64) -> Built {
    let places: Vec<_> = (0..count)
        .map(|ball| [PITCH * (ball as f64 + 0.5), 0.0])
        .collect();
    let speeds: Vec<_> = (0..count)
        .map(|ball| [(2.3 * ball as f64).cos() + 0.1, 0.0])
        .collect();
    let line = row(&places, &speeds, [1.0, 0.0], [0.0, 0.0], e)?;
    let end = PITCH * count as f64;
    wall(
        wall(line, "left", [0.0, 0.0], [1.0, 0.0], 0, e)?,
        "right",
        [end, 0.0],
        [-1.0, 0.0],
        count - 1,
        e,
    )
}

fn stack(count: usize, e: f64) -> Built {
    let places: Vec<_> = (0..count)
        .map(|ball| [0.0, 0.5 + RADIUS + 0.2 * ball as f64])
        .collect();
    let line = row(&places, &vec![[0.0, 0.0]; count], [0.0, 1.0], GRAVITY, e)?;
    wall(line, "floor", [0.0, 0.0], [0.0, 1.0], 0, e)
}

/// The balls with their contacts with each other.
fn row(
    places: &[[f64; 2]],
    speeds: &[[f64; 2]],
    along: [f64; 2],
    gravity: [f64; 2],
    e: f64,
) -> Built {
    let balls: Vec<_> = places
        .iter()
        .zip(speeds)
        .enumerate()
        .map(|(index, (place, speed))| {
            let inertia = 0.4 * RADIUS * RADIUS;
            let mut ball = body(
                &format!("ball{}", index + 1),
                1.0,
                inertia,
                [place[0], place[1], 0.0],
            );
            ball.velocity = [speed[0], speed[1], 0.0];
            ball
        })
        .collect();
    let count = balls.len();
    let sliders: Vec<_> = (0..count)
        .flat_map(|ball| slider(&balls, ball, along))
        .collect();
    let mut line = Mechanism::new(balls, gravity)?.with_joints(sliders)?;
    for ball in 1..count {
        let pair = PlanePairing::DiscOnDisc(DiscOnDisc::new([[0.0, 0.0]; 2], [RADIUS; 2])?);
        let contact = Contact::new(format!("balls{}-{}", ball, ball + 1), e);
        line = line.with_contact(contact, [Some(ball - 1), Some(ball)], pair)?;
    }
    Ok(line)
}

fn wall(
    line: Mechanism,
    label: &str,
    at: [f64; 2],
    normal: [f64; 2],
    ball: usize,
    e: f64,
) -> Built {
    let pair = DiscOnLine::new(HalfPlane::new(at, normal)?, [0.0, 0.0], RADIUS)?;
    let pair = PlanePairing::DiscOnLine(pair);
    Ok(line.with_contact(Contact::new(label, e), [None, Some(ball)], pair)?)
}
