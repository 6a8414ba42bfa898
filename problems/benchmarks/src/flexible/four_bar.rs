//! A four-bar linkage of three elastic links.

use super::links::{
    ELEMENTS, FIELD, Foreshortening, GRAVITY, Link, acrylic, at, hinge, probe_bending, probe_place,
};
use super::problem;
use crate::mechanisms::space::probe_energy;
use crate::parameters::Range;
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError};
use liedae_multibody::{BeamEnds, BodyId, Joint, Material, MultibodyBuilder, Section, Vector3};

pub(crate) const FLEXIBLE_FOUR_BAR: ProblemEntry = ProblemEntry {
    name: "flexible-four-bar",
    title: "four-bar linkage of three elastic links, released",
    description: "Crank of 0.25 m, coupler of 0.7 m and rocker of 0.6 m on pivots 0.8 m apart are strips of acrylic, 20 mm wide and 5 mm thick, \
                  with four modes of bending each: the crank in the frame of its pivot, the others in frames through their ends. The crank \
                  stands upright and is let go; gravity turns it and bends all links. Thirteen degrees of freedom in a closed loop without a \
                  redundant row, undamped. Places of the two joints between the links. Numbers are this project's own.",
    source: "floating frames with modes: Shabana, Dynamics of Multibody Systems, 2020, chapter 5",
    parameters: &[
        ParameterInfo::new("E", 3.2e9, "Pa", Range::Positive, "Young's modulus"),
        FIELD,
    ],
    build,
};

const CRANK: f64 = 0.25;
const COUPLER: f64 = 0.7;
const ROCKER: f64 = 0.6;
const BASE: f64 = 0.8;

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let name = FLEXIBLE_FOUR_BAR.name;
    let (pivot, head, foot) = (at(0.0, 0.0), at(0.0, CRANK), at(BASE, 0.0));
    // Where circles about the head and the foot meet above.
    let between = foot - head;
    let span = between.norm();
    let forward = (COUPLER * COUPLER - ROCKER * ROCKER + span * span) / (2.0 * span);
    let aside = (COUPLER * COUPLER - forward * forward).sqrt();
    let way = between / span;
    let knee = head + way * forward + at(-way.z, way.x) * aside;
    let material = Material {
        young: parameters.get("E")?,
        ..acrylic()
    };
    let section = Section::rectangle(&material, [0.02, 0.005]);
    let field = Foreshortening::of(parameters)?;
    let clamped = Link::new(section.clone(), BeamEnds::Clamped, 4, field);
    let pinned = Link::new(section, BeamEnds::Pinned, 4, field);
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity(GRAVITY);
    let tip = [ELEMENTS];
    let crank = clamped.add(&mut mechanism, name, "crank", [pivot, head], &tip)?;
    let coupler = pinned.add(&mut mechanism, name, "coupler", [head, knee], &tip)?;
    let rocker = pinned.add(&mut mechanism, name, "rocker", [foot, knee], &tip)?;
    mechanism.add_joint(hinge("pivot", [BodyId::GROUND, crank.frame()], pivot));
    mechanism.add_joint(hinge("foot", [BodyId::GROUND, rocker.frame()], foot));
    // The coupler may slide along the crank's pin: the knee holds it in the plane.
    let pin = Joint::cylindrical("head", crank.marker(0), coupler.frame(), head, Vector3::y());
    mechanism.add_joint(pin);
    let (end, top) = (coupler.marker(0), rocker.marker(0));
    mechanism.add_joint(Joint::spherical("knee", end, top, knee));
    probe_place(&mut mechanism, "knee", top);
    probe_place(&mut mechanism, "head", crank.marker(0));
    for (label, link) in [
        ("crank", &crank),
        ("coupler", &coupler),
        ("rocker", &rocker),
    ] {
        probe_bending(&mut mechanism, label, link);
    }
    probe_energy(&mut mechanism);
    Ok(Problem {
        default_step: 2e-4,
        main_output: "knee.x".to_owned(),
        order_study_end: Some(0.05),
        ..problem(&FLEXIBLE_FOUR_BAR, mechanism, 1.0)?
    })
}
