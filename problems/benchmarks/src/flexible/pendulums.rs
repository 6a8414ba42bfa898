//! Elastic pendulums: a double one, and one of several substructures.

use super::links::{
    ELEMENTS, FIELD, Foreshortening, GRAVITY, Link, acrylic, hinge, probe_bending, probe_place,
    towards,
};
use super::problem;
use crate::mechanisms::space::probe_energy;
use crate::parameters::Range;
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError};
use liedae_multibody::{Beam, BeamEnds, BodyId, Joint, MultibodyBuilder, Section, Vector3};

pub(crate) const FLEXIBLE_DOUBLE_PENDULUM: ProblemEntry = ProblemEntry {
    name: "flexible-double-pendulum",
    title: "double pendulum of two elastic beams",
    description: "Two strips of acrylic of 0.5 m, 20 mm wide and 4 mm thick, hang from each other, both `angle` away from the vertical and straight, \
                  and are let go. Each is a beam in the frame of its upper hinge with four modes of bending and foreshortening, undamped. \
                  Place of the lower end. Numbers are this project's own.",
    source: "floating frames with modes: Shabana, Dynamics of Multibody Systems, 2020, chapter 5",
    parameters: &[
        ParameterInfo::new(
            "angle",
            0.8,
            "rad",
            Range::Finite,
            "of both beams from the vertical at the start",
        ),
        ParameterInfo::new("modes", 4.0, "1", Range::Integer(1, 12), "of bending, each"),
        FIELD,
    ],
    build: build_double,
};

pub(crate) const SUBSTRUCTURED_PENDULUM: ProblemEntry = ProblemEntry {
    name: "substructured-pendulum",
    title: "slender pendulum of rigidly joined substructures, released from level",
    description: "A strip of acrylic of 1 m, 20 mm wide and 4 mm thick, falls from level on a hinge. It is cut into three beams, each in a \
                  frame of its own with six modes of bending and foreshortening, clamped to the end of the one before; or it is a \
                  geometrically exact beam of 24 elements. Modes of a beam whose end is free know no moment there, so that joined beams \
                  bend too little: the error falls with the number of modes, not with that of beams. Undamped. Numbers are this \
                  project's own.",
    source: "substructuring: Shabana, Dynamics of Multibody Systems, 2020, chapter 6; exact beams: Simo and Vu-Quoc, J. Appl. Mech. 53 \
             (1986) 855, doi:10.1115/1.3171871",
    parameters: &[
        ParameterInfo::new(
            "n",
            3.0,
            "1",
            Range::Integer(1, 8),
            "number of substructures",
        ),
        ParameterInfo::new("modes", 6.0, "1", Range::Integer(1, 12), "of bending, each"),
        ParameterInfo::new(
            "beam",
            0.0,
            "1",
            Range::Choice(&["substructures with modes", "geometrically exact"]),
            "what the strip is made of",
        ),
        FIELD,
    ],
    build: build_substructured,
};

/// A strip of acrylic, 4 mm thick.
fn strip() -> Section {
    Section::rectangle(&acrylic(), [0.02, 0.004])
}

fn build_double(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let name = FLEXIBLE_DOUBLE_PENDULUM.name;
    let get = |name| parameters.get(name);
    // An integer from 1 to 12 by its range.
    let modes = get("modes")? as usize;
    let field = Foreshortening::of(parameters)?;
    let link = Link::new(strip(), BeamEnds::Clamped, modes, field);
    let half = towards(get("angle")? - std::f64::consts::FRAC_PI_2) * 0.5;
    let top = Vector3::zeros();
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity(GRAVITY);
    let tip = [ELEMENTS];
    let upper = link.add(&mut mechanism, name, "upper", [top, half], &tip)?;
    let lower = link.add(&mut mechanism, name, "lower", [half, half * 2.0], &tip)?;
    mechanism.add_joint(hinge("pivot", [BodyId::GROUND, upper.frame()], top));
    mechanism.add_joint(hinge("joint", [upper.marker(0), lower.frame()], half));
    probe_place(&mut mechanism, "tip", lower.marker(0));
    probe_place(&mut mechanism, "joint", upper.marker(0));
    probe_bending(&mut mechanism, "upper", &upper);
    probe_bending(&mut mechanism, "lower", &lower);
    probe_energy(&mut mechanism);
    Ok(Problem {
        main_output: "tip.x".to_owned(),
        order_study_end: Some(0.1),
        ..problem(&FLEXIBLE_DOUBLE_PENDULUM, mechanism, 3.0)?
    })
}

/// Elements of the geometrically exact beam.
const EXACT_ELEMENTS: usize = 24;

fn build_substructured(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let name = SUBSTRUCTURED_PENDULUM.name;
    let get = |name| parameters.get(name);
    let (top, x) = (Vector3::zeros(), Vector3::x());
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity(GRAVITY);
    let [root, tip] = if get("beam")? == 1.0 {
        let beam = Beam::straight("strip", strip(), [0.0; 3], [1.0, 0.0, 0.0], EXACT_ELEMENTS);
        let beam = mechanism.add_beam(beam);
        [beam.start(), beam.end()]
    } else {
        // Integers within their ranges.
        let (count, modes) = (get("n")? as usize, get("modes")? as usize);
        let field = Foreshortening::of(parameters)?;
        let link = Link::new(strip(), BeamEnds::Clamped, modes, field);
        let mut ends: Option<[BodyId; 2]> = None;
        for part in 0..count {
            let places = [part, part + 1].map(|place| x * (place as f64 / count as f64));
            let label = format!("part {}", part + 1);
            let beam = link.add(&mut mechanism, name, &label, places, &[ELEMENTS])?;
            if let Some([_, end]) = ends {
                let weld = format!("weld {part}");
                mechanism.add_joint(Joint::fixed(weld, end, beam.frame(), places[0]));
            }
            ends = Some([ends.map_or(beam.frame(), |[root, _]| root), beam.marker(0)]);
        }
        ends.unwrap_or([BodyId::GROUND; 2])
    };
    mechanism.add_joint(hinge("hinge", [BodyId::GROUND, root], top));
    probe_place(&mut mechanism, "tip", tip);
    mechanism.probe("root.angle", move |now| {
        let x = now.rotation(root).column(0).into_owned();
        x.z.atan2(x.x)
    });
    mechanism.define_output(
        "root.angle",
        "angle of the x-axis at the root from x towards z of the fixed frame, rad",
    );
    mechanism.probe("tip.angle", move |now| {
        let x = now.rotation(tip).column(0).into_owned();
        x.z.atan2(x.x)
    });
    mechanism.define_output(
        "tip.angle",
        "angle of the x-axis at the tip from x towards z of the fixed frame, rad",
    );
    probe_energy(&mut mechanism);
    Ok(Problem {
        default_step: 2e-4,
        main_output: "tip.z".to_owned(),
        order_study_end: Some(0.05),
        ..problem(&SUBSTRUCTURED_PENDULUM, mechanism, 1.0)?
    })
}
