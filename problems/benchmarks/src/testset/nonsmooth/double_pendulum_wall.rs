//! A double pendulum above a floor.

use super::contacts::point_on_edge;
use super::statement::{Statement, restitution};
use crate::mechanisms::plane::bodies::rod;
use crate::mechanisms::plane::{Built, GRAVITY, Mechanism};
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range};
use liedae_contact::Contact;
use liedae_multibody::plane::PlaneJoint;

pub(crate) const DOUBLE_PENDULUM_WALL: ProblemEntry = ProblemEntry {
    name: "double-pendulum-wall",
    title: "double pendulum whose end hits a horizontal wall",
    description: "Two uniform bars of 1 m and 1 kg, released at rest from the horizontal; the end of the second one hits a \
                  horizontal wall 0.5 m below the pivot, sin th1 + sin th2 + depth >= 0 with the bars' angles against the \
                  horizontal. Impulses pass through the joints. With e = 0, and after impacts have accumulated, the end slides on \
                  the wall, periodically: with depth=0.5 the wall carries it for ever, with at least 0.773 N; with depth=0.8 it \
                  takes off and comes back.",
    source: "double pendulum with a unilateral constraint as in M. Haddouni, V. Acary, S. Garreau, J.-D. Beley and \
             B. Brogliato, Multibody Syst Dyn 41 (2017) 201-231, doi:10.1007/s11044-017-9570-y",
    parameters: &[
        restitution(0.6),
        ParameterInfo::new(
            "depth",
            0.5,
            "m",
            Range::Between(0.0, 1.9),
            "depth of the wall below the pivot",
        ),
    ],
    build,
};

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    Statement::new(DOUBLE_PENDULUM_WALL.name, 5.0, "second.y")
        .problem(mechanism(parameters.get("e")?, parameters.get("depth")?))
}

fn mechanism(e: f64, depth: f64) -> Built {
    let bars = vec![
        rod("first", 1.0, [0.5, 0.0, 0.0]),
        rod("second", 1.0, [1.5, 0.0, 0.0]),
    ];
    let (start, end) = ([-0.5, 0.0], [0.5, 0.0]);
    let joints = [
        PlaneJoint::Revolute((Some(0), start), (None, [0.0, 0.0])),
        PlaneJoint::Revolute((Some(1), start), (Some(0), end)),
    ];
    let wall = point_on_edge([0.0, -depth], [0.0, 1.0], end)?;
    Ok(Mechanism::new(bars, GRAVITY)?
        .with_joints(joints)?
        .with_contact(Contact::new("wall", e), [None, Some(1)], wall)?)
}
