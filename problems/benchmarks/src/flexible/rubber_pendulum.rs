//! A rod of rubber on a hinge, by three kinds of elements.

use super::problem;
use crate::parameters::Range;
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError};
use liedae_multibody::{
    AncfBeam, Axis, Beam, BodyId, Joint, Material, MultibodyBuilder, Output, Section, Snapshot,
};

pub(crate) const RUBBER_PENDULUM: ProblemEntry = ProblemEntry {
    name: "rubber-pendulum",
    title: "rod of rubber on a hinge, released from level",
    description: "A rod of rubber, 1 m long and 1 cm thick, falls from level on a hinge along y and whips round: displacements are of its own size. \
                  It is a geometrically exact beam, a cable in absolute nodal coordinates, or a shear-deformable beam in absolute nodal \
                  coordinates, damped by the viscosity of the source in each case; fine meshes of all three agree to 1e-4 m \
                  after half a second. What shears and what keeps the shape of the section is stiff for explicit methods.",
    source: "Hante, Tumiotto and Arnold, Multibody Syst. Dyn. 54 (2022) 97, doi:10.1007/s11044-021-09807-8",
    parameters: &[
        ParameterInfo::new("n", 8.0, "1", Range::Integer(1, 256), "number of elements"),
        ParameterInfo::new(
            "element",
            0.0,
            "1",
            Range::Choice(&["geometrically exact", "cable", "shear-deformable"]),
            "the elements; the last two are in absolute nodal coordinates",
        ),
        ParameterInfo::new("E", 5e6, "Pa", Range::Positive, "Young's modulus"),
        ParameterInfo::new("radius", 0.005, "m", Range::Positive, "of the rod"),
    ],
    build,
};

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let get = |name| parameters.get(name);
    let rubber = Material::new(get("E")?, 0.5, 1100.0);
    let section = Section::circle(&rubber, get("radius")?);
    let section = section.with_viscosity([0.1, 0.1, 0.1, 2e-4, 2e-4, 2e-4]);
    // An integer from 1 to 256 by its range.
    let count = get("n")? as usize;
    let (from, to) = ([0.0; 3], [1.0, 0.0, 0.0]);
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, 0.0, -9.81]);
    // Choices are numbered from zero.
    let beam = match get("element")? as usize {
        1 => Some(AncfBeam::cable("rod", section.clone(), from, to, count)),
        2 => Some(AncfBeam::shear_deformable(
            "rod",
            section.clone(),
            from,
            to,
            count,
        )),
        _ => None,
    };
    let [start, end] = match beam {
        None => {
            let nodes = mechanism.add_beam(Beam::straight("rod", section, from, to, count));
            [nodes.start(), nodes.end()]
        }
        Some(beam) => {
            let last = beam.nodes() - 1;
            let nodes = mechanism.add_ancf_beam(beam.with_marker(0).with_marker(last));
            [nodes.marker(0), nodes.marker(1)]
        }
    };
    let hinge = Joint::revolute("hinge", BodyId::GROUND, start, from, [0.0, 1.0, 0.0]);
    let hinge = mechanism.add_joint(hinge);
    mechanism.output("x", Output::Position(end, [0.0; 3], Axis::X));
    mechanism.output("z", Output::Position(end, [0.0; 3], Axis::Z));
    for (name, axis) in [("hinge_x", 0), ("hinge_z", 2)] {
        let force = move |now: &Snapshot| {
            now.reaction(hinge)
                .map_or(f64::NAN, |hinge| hinge.force[axis])
        };
        mechanism.probe(name, force);
    }
    let problem = problem(&RUBBER_PENDULUM, mechanism, 1.0)?;
    Ok(Problem {
        default_step: 1e-4,
        main_output: "z".to_owned(),
        order_study_end: Some(0.05),
        ..problem
    })
}
