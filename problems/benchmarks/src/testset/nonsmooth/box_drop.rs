//! A box that falls onto a floor.

use super::spatial::{Spatial, rubbing, uniform_box};
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range};
use liedae_multibody::{BodyId, Frame, MultibodyBuilder, Shape, Surface, SurfaceContact};
use nalgebra::{Rotation3, Vector3};

pub(crate) const BOX_DROP: ProblemEntry = ProblemEntry {
    name: "box-drop",
    title: "rigid box dropped onto a floor, eight corners with impact and friction",
    description: "A uniform box of 1 kg falls with its bottom level, or turned about the x-axis by tilt and then about the \
                  y-axis by half of it. Each of the eight corners may touch. At rest four do, which say the same as \
                  three: redundant contacts, of which the forces are not unique. With friction each corner \
                  has a cone, and those that slide or stick share their forces.",
    source: "a standard test of contact solvers; dimensions by this project",
    parameters: &[
        ParameterInfo::new(
            "e",
            0.5,
            "1",
            Range::Between(0.0, 1.0),
            "coefficient of restitution",
        ),
        ParameterInfo::new(
            "mu",
            0.0,
            "1",
            Range::NonNegative,
            "coefficient of friction",
        ),
        ParameterInfo::new(
            "height",
            0.1,
            "m",
            Range::NonNegative,
            "initial height of the lowest corner",
        ),
        ParameterInfo::new("tilt", 0.0, "rad", Range::Finite, "initial tilt"),
        ParameterInfo::new("speed", 0.0, "m/s", Range::Finite, "initial speed along x"),
    ],
    build,
};

/// Half the sides in m.
const HALF: [f64; 3] = [0.1, 0.15, 0.05];

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let get = |name| parameters.get(name);
    let (friction, tilt) = (get("mu")?, get("tilt")?);
    let turn = Rotation3::from_axis_angle(&Vector3::y_axis(), 0.5 * tilt)
        * Rotation3::from_axis_angle(&Vector3::x_axis(), tilt);
    let turn = turn.into_inner();
    // The lowest corner is this far below the centre.
    let depth: f64 = turn
        .row(2)
        .iter()
        .zip(HALF)
        .map(|(entry, half)| entry.abs() * half)
        .sum();
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, 0.0, -9.81]);
    let body = uniform_box("box", 1.0, HALF)
        .at([0.0, 0.0, get("height")? + depth])
        .rotated(turn)
        .moving([get("speed")?, 0.0, 0.0], [0.0; 3]);
    let body = mechanism.add_body(body);
    let floor = Surface::half_space(BodyId::GROUND, [0.0; 3], [0.0, 0.0, 1.0]);
    let cuboid = Surface::new(body, Frame::local_point([0.0; 3]), Shape::Cuboid(HALF));
    let contact = SurfaceContact::new("floor", floor, cuboid).with_restitution(get("e")?);
    mechanism.add_contact(rubbing(contact, friction));
    let statement = Spatial {
        name: BOX_DROP.name,
        t_end: 1.0,
        default_step: 1e-3,
        main_output: "box.z",
        length: 0.1,
        time: 0.1,
        drawn: |drawing| drawing,
    };
    statement.problem(mechanism)
}
