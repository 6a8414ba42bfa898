//! A ball that bounces on a floor, and between floor and ceiling.

use super::contacts::point_on_edge;
use super::statement::{Statement, restitution};
use crate::mechanisms::plane::bodies::particle;
use crate::mechanisms::plane::{Built, GRAVITY, Mechanism};
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range};
use liedae_contact::Contact;

pub(crate) const BOUNCING_BALL: ProblemEntry = ProblemEntry {
    name: "bouncing-ball",
    title: "ball on a floor: impacts that accumulate (Zeno), then rest",
    description: "A ball falls on a floor and rebounds with the restitution e: impacts at t_1 = sqrt(2 h / g), then after \
                  2 e^k t_1 each. For 0 < e < 1 they accumulate at t_1 (1 + e) / (1 - e), after which the ball rests.",
    source: "classical; V. Acary and B. Brogliato, Numerical Methods for Nonsmooth Dynamical Systems, Springer 2008, \
             sec. 1.1",
    parameters: &[
        restitution(0.8),
        ParameterInfo::new("height", 1.0, "m", Range::Positive, "initial gap"),
    ],
    build: build_ball,
};

pub(crate) const BALL_TWO_CONTACTS: ProblemEntry = ProblemEntry {
    name: "ball-two-contacts",
    title: "ball between floor and ceiling",
    description: "A ball thrown upwards 1 m above the floor with 10 m/s, ceiling at 1.5 m, gravity 10 m/s^2: it hits both \
                  until it no longer reaches the ceiling; then its impacts on the floor accumulate.",
    source: "examples of the Siconos software, bouncing ball with two contacts",
    parameters: &[restitution(0.8)],
    build: build_between,
};

fn build_ball(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let (e, height) = (parameters.get("e")?, parameters.get("height")?);
    Statement::new(BOUNCING_BALL.name, 8.5, "ball.y").problem(above_floor(e, height))
}

fn above_floor(e: f64, height: f64) -> Built {
    let ball = particle("ball", [0.0, height], [0.0, 0.0]);
    let floor = point_on_edge([0.0, 0.0], [0.0, 1.0], [0.0, 0.0])?;
    let contact = Contact::new("floor", e);
    Ok(Mechanism::new(vec![ball], GRAVITY)?.with_contact(contact, [None, Some(0)], floor)?)
}

fn build_between(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let e = parameters.get("e")?;
    Statement::new(BALL_TWO_CONTACTS.name, 10.0, "ball.y").problem(between(e))
}

fn between(e: f64) -> Built {
    let ball = particle("ball", [0.0, 1.0], [0.0, 10.0]);
    let mut mechanism = Mechanism::new(vec![ball], [0.0, -10.0])?;
    for (label, height, normal) in [("floor", 0.0, 1.0), ("ceiling", 1.5, -1.0)] {
        let side = point_on_edge([0.0, height], [0.0, normal], [0.0, 0.0])?;
        mechanism = mechanism.with_contact(Contact::new(label, e), [None, Some(0)], side)?;
    }
    Ok(mechanism)
}
