//! A triple pendulum with stops at its joints.

use super::contacts::with_stops;
use super::statement::{Statement, restitution};
use crate::mechanisms::plane::bodies::bar;
use crate::mechanisms::plane::points::{pin, pivot};
use crate::mechanisms::plane::{Built, GRAVITY, Mechanism};
use crate::{Parameters, Problem, ProblemEntry, ProblemError};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, FRAC_PI_6};

pub(crate) const TRIPLE_PENDULUM_STOPS: ProblemEntry = ProblemEntry {
    name: "triple-pendulum-stops",
    title: "triple pendulum with stops on both sides of every joint",
    description: "Three uniform bars of 0.5 m and 1 kg, start in a bent position, the first one 55 degrees from hanging, \
                  and turn as one about the support with 5 rad/s. The first joint has stops at 60 degrees to both sides, the others at 45 and at 30. Each impact at a stop \
                  passes through all three joints. Numbers are this project's own.",
    source: "own mechanism, in the manner of M. Haddouni, V. Acary, S. Garreau, J.-D. Beley and B. Brogliato, Multibody \
             Syst Dyn 41 (2017) 201-231, doi:10.1007/s11044-017-9570-y",
    parameters: &[restitution(0.5)],
    build,
};

const LENGTH: f64 = 0.5;
/// Initial angles of the bars against hanging.
const ANGLES: [f64; 3] = [0.96, 0.61, 0.79];
/// Initial angular velocity of all bars about the support.
const RATE: f64 = -5.0;

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    Statement::new(TRIPLE_PENDULUM_STOPS.name, 5.0, "bar3.x")
        .problem(mechanism(parameters.get("e")?))
}

fn mechanism(e: f64) -> Built {
    let mut joints = vec![[0.0, 0.0]];
    let mut bars = Vec::new();
    for (index, angle) in ANGLES.into_iter().enumerate() {
        let [x, y] = joints[index];
        let end = [x + LENGTH * angle.sin(), y - LENGTH * angle.cos()];
        let mut bar = bar(&format!("bar{}", index + 1), 1.0, [[x, y], end]);
        bar.velocity = [-RATE * bar.position[1], RATE * bar.position[0], RATE];
        bars.push(bar);
        joints.push(end);
    }
    let pins = [
        pivot(&bars, 0, joints[0]),
        pin(&bars, 1, 0, joints[1]),
        pin(&bars, 2, 1, joints[2]),
    ];
    let third = 2.0 * FRAC_PI_6;
    let mut mechanism = Mechanism::new(bars, GRAVITY)?.with_joints(pins)?;
    let stops = [
        ("joint1", None, [-FRAC_PI_2 - third, -FRAC_PI_2 + third]),
        ("joint2", Some(0), [-FRAC_PI_4, FRAC_PI_4]),
        ("joint3", Some(1), [-FRAC_PI_6, FRAC_PI_6]),
    ];
    for (bar, (label, inner, limits)) in stops.into_iter().enumerate() {
        mechanism = with_stops(mechanism, label, e, [inner, Some(bar)], limits)?;
    }
    Ok(mechanism)
}
