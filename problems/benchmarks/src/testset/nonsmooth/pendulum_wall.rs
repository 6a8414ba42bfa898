//! A pendulum that swings against a wall.

use super::contacts::point_on_edge;
use super::statement::{Statement, restitution};
use crate::mechanisms::plane::bodies::rod;
use crate::mechanisms::plane::{Built, GRAVITY, Mechanism};
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range};
use liedae_contact::Contact;
use liedae_multibody::plane::PlaneJoint;
use std::f64::consts::{FRAC_PI_3, FRAC_PI_6};

pub(crate) const PENDULUM_WALL: ProblemEntry = ProblemEntry {
    name: "pendulum-wall",
    title: "bar that swings against a wall through its pivot",
    description: "A uniform bar of 1 kg, released at rest; its end hits a wall that passes through the pivot. The angle \
                  counts from the lowest position, that of the wall is negative. Every impact multiplies the angular \
                  velocity by -e. With wall=0 the impacts go on for ever in intervals that tend to half a period; \
                  length=1.5 swings as a point mass at 1 m.",
    source: "classical; period by elliptic integrals, Whittaker, Analytical Dynamics, sec. 44",
    parameters: &[
        restitution(0.7),
        ParameterInfo::new("length", 1.0, "m", Range::Positive, "length of the bar"),
        ParameterInfo::new(
            "angle",
            FRAC_PI_3,
            "rad",
            Range::Between(0.1, 2.0),
            "initial angle",
        ),
        ParameterInfo::new(
            "wall",
            -FRAC_PI_6,
            "rad",
            Range::Between(-1.0, 0.0),
            "angle of the wall",
        ),
    ],
    build,
};

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let mechanism = mechanism(
        parameters.get("e")?,
        parameters.get("length")?,
        parameters.get("angle")?,
        parameters.get("wall")?,
    );
    Statement::new(PENDULUM_WALL.name, 9.0, "bar.theta").problem(mechanism)
}

fn mechanism(e: f64, length: f64, angle: f64, wall: f64) -> Built {
    let half = 0.5 * length;
    let (sine, cosine) = angle.sin_cos();
    let bar = rod("bar", length, [half * sine, -half * cosine, angle]);
    let pivot = PlaneJoint::Revolute((Some(0), [0.0, half]), (None, [0.0, 0.0]));
    let wall = point_on_edge([0.0, 0.0], [wall.cos(), wall.sin()], [0.0, -half])?;
    Ok(Mechanism::new(vec![bar], GRAVITY)?
        .with_joints([pivot])?
        .with_contact(Contact::new("wall", e), [None, Some(0)], wall)?)
}
