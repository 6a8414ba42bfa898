//! Sarrus' linkage, which guides a platform along a straight line.

use super::assembly::ROTATION;
use super::bodies::{cuboid, rod};
use super::shapes::bare;
use super::{GRAVITY, Smooth, probe_energy};
use crate::{Parameters, Problem, ProblemEntry, ProblemError};
use liedae_multibody::{Axis, BodyId, Frame, Joint, MultibodyBuilder, Output, TranslationalSpring};
use nalgebra::Vector3;

pub(crate) const SARRUS: ProblemEntry = ProblemEntry {
    name: "sarrus",
    title: "Sarrus' linkage: a platform on two legs of three revolutes each moves straight up and down",
    description: "The axes of one leg are parallel to y, those of the other to x; together they leave the vertical translation only. One of the 30 \
                  rows is redundant. A spring of 80 N/m between base and platform keeps the legs from folding; it is at its free length at the start, \
                  and the platform of 2 kg falls and bounces. Links of 1 m and 0.5 kg. Numbers are this project's own.",
    source: "P. F. Sarrus, Note sur la transformation des mouvements rectilignes alternatifs en mouvements circulaires, C. R. Acad. Sci. \
             Paris 36 (1853) 1036-1038",
    parameters: &[ROTATION],
    build,
};

/// Half the side of base and platform, and the reach of a knee beyond it, in m.
const HALF: f64 = 0.5;
const KNEE: f64 = 0.5;
const STIFFNESS: f64 = 80.0;

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    // Links of 1 m whose knees stand out by `KNEE` reach so high.
    let rise = (1.0 - KNEE * KNEE).sqrt();
    let top = Vector3::z() * (2.0 * rise);
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity(GRAVITY);
    let sides = [2.0 * HALF, 2.0 * HALF, 0.05];
    let platform = mechanism.add_body(cuboid("platform", 2.0, sides).at(top));
    for (leg, outward, axis) in [
        ("x", Vector3::x(), Vector3::y()),
        ("y", Vector3::y(), Vector3::x()),
    ] {
        let foot = outward * HALF;
        let knee = outward * (HALF + KNEE) + Vector3::z() * rise;
        let head = foot + top;
        let shin = mechanism.add_body(rod(format!("shin {leg}"), 0.5, 0.02, [foot, knee]));
        let thigh = mechanism.add_body(rod(format!("thigh {leg}"), 0.5, 0.02, [knee, head]));
        let joints = [
            ("foot", BodyId::GROUND, shin, foot),
            ("knee", shin, thigh, knee),
            ("head", thigh, platform, head),
        ];
        for (name, first, second, point) in joints {
            mechanism.add_joint(Joint::revolute(
                format!("{name} {leg}"),
                first,
                second,
                point,
                axis,
            ));
        }
    }
    let ends = [Frame::world_point([0.0; 3]), Frame::world_point(top)];
    let bodies = [BodyId::GROUND, platform];
    mechanism.add_spring(TranslationalSpring::new(
        "spring", bodies, ends, STIFFNESS, top.z,
    ));
    mechanism.output("height", Output::Position(platform, [0.0; 3], Axis::Z));
    mechanism.output("speed", Output::Velocity(platform, [0.0; 3], Axis::Z));
    mechanism.probe("sideways", move |now| now.position(platform).xy().norm());
    mechanism.define_output(
        "sideways",
        "horizontal distance of the platform's centre of mass from the z-axis, m",
    );
    probe_energy(&mut mechanism);
    Smooth::new(SARRUS.name, 3.0, "height")
        .drawn(move |drawing| {
            let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
            bare(drawing, platform)
                .cuboid(platform.index(), [0.0; 3], [HALF, HALF, 0.025])
                .polygon(None, corners.map(|[x, y]| [HALF * x, HALF * y, 0.0]))
        })
        .mechanism(mechanism, parameters)
}
