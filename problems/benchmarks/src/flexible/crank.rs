//! A slider-crank with a flexible rod, accelerated from rest.

use super::links::{ELEMENTS, FIELD, Foreshortening, Link, at, hinge, probe_bending};
use super::problem;
use crate::mechanisms::space::probe_energy;
use crate::parameters::Range;
use crate::{Formulation, ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError};
use liedae_multibody::{
    Axis, BeamEnds, BodyId, Joint, Load, LoadSize, Material, Motion, MultibodyBuilder, Output,
    RigidBody, Section, Vector3,
};

pub(crate) const FLEXIBLE_CRANK: ProblemEntry = ProblemEntry {
    name: "flexible-crank",
    title: "slider-crank with a flexible rod, accelerated by a torque from rest",
    description: "Simeon's slider-crank of 0.15 m and 0.3 m lies stretched out along x, without gravity. A torque on the crank rises to its value \
                  within some hundredths of a second; at the end of 0.1 s the crank turns with 107 to 172 rad/s. The steel rod is a beam in a \
                  floating frame through its ends. model=0: two modes of bending, two of stretching, linear, undamped. model=1: four of \
                  bending, two of stretching, deflections that shorten the rod, and a retardation that damps the first mode of bending \
                  by 0.5 %. The rod swings with 1e3 to 8e4 rad/s, which explicit methods follow. The torque is this project's own; the \
                  published motion is driven.",
    source: "data: Simeon, Math. Modelling of Systems 2 (1996) 1, doi:10.1080/13873959608837026, and the Test Set for IVP Solvers, `crank`",
    parameters: &[
        ParameterInfo::new(
            "model",
            0.0,
            "1",
            Range::Choice(&["linear", "with foreshortening and damping"]),
            "of the rod",
        ),
        ParameterInfo::new(
            "torque",
            10.0,
            "N m",
            Range::Finite,
            "on the crank, at the end",
        ),
        ParameterInfo::new(
            "E",
            2e11,
            "Pa",
            Range::Positive,
            "Young's modulus of the rod",
        ),
        FIELD,
    ],
    build,
};

const CRANK: f64 = 0.15;
const ROD: f64 = 0.3;
/// Side of the rod's square section, m.
const SIDE: f64 = 0.008;
const DENSITY: f64 = 7870.0;
const SLIDER_MASS: f64 = 0.075_552;
/// Of the crank about its pivot, kg m².
const CRANK_INERTIA: f64 = 0.002_727;
/// Of the crank, kg: that of a uniform rod.
const CRANK_MASS: f64 = 3.0 * CRANK_INERTIA / (CRANK * CRANK);
/// What is missing of the torque falls by e in this time, s.
const RISE: f64 = 0.01;
/// Part of critical damping of the first mode of bending.
const DAMPING: f64 = 0.005;

/// The rod of one of the models.
fn rod(parameters: &Parameters) -> Result<Link, ProblemError> {
    let nonlinear = parameters.get("model")? == 1.0;
    let steel = Material::new(parameters.get("E")?, 0.3, DENSITY);
    let link = Link {
        section: Section::rectangle(&steel, [SIDE, SIDE]),
        ends: BeamEnds::Pinned,
        bending: if nonlinear { 4 } else { 2 },
        stretching: 2,
        foreshortening: if nonlinear {
            Foreshortening::of(parameters)?
        } else {
            Foreshortening::Absent
        },
    };
    if !nonlinear {
        return Ok(link);
    }
    let frequencies = link.beam(ROD).frequencies();
    let [_, bending, ..] =
        frequencies.map_err(|error| ProblemError::build(FLEXIBLE_CRANK.name, error))?;
    // Damping ratio τ ω/2.
    let time = bending
        .first()
        .map_or(0.0, |slowest| 2.0 * DAMPING / slowest);
    Ok(Link {
        section: link.section.clone().with_retardation(time),
        ..link
    })
}

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let get = |name| parameters.get(name);
    let (pin, end) = (at(CRANK, 0.0), at(CRANK + ROD, 0.0));
    let ground = BodyId::GROUND;
    let mut mechanism = MultibodyBuilder::new();
    let across = CRANK_INERTIA / 4.0;
    let crank = RigidBody::new("crank", CRANK_MASS, [1e-5, across, across]);
    let crank = mechanism.add_body(crank.at(at(0.5 * CRANK, 0.0)));
    let link = rod(parameters)?;
    let nodes = [ELEMENTS];
    let rod = link.add(
        &mut mechanism,
        FLEXIBLE_CRANK.name,
        "rod",
        [pin, end],
        &nodes,
    )?;
    let slider = RigidBody::new("slider", SLIDER_MASS, [1e-5; 3]).at(end);
    let slider = mechanism.add_body(slider);
    mechanism.add_joint(hinge("pivot", [ground, crank], at(0.0, 0.0)));
    // The rod may slide along this pin: the wrist holds it in the plane.
    mechanism.add_joint(Joint::cylindrical(
        "pin",
        crank,
        rod.frame(),
        pin,
        Vector3::y(),
    ));
    mechanism.add_joint(Joint::spherical("wrist", rod.marker(0), slider, end));
    mechanism.add_joint(Joint::translational(
        "guide",
        ground,
        slider,
        end,
        Vector3::x(),
    ));
    let final_torque = get("torque")?;
    let torque = Motion::Approach {
        from: 0.0,
        to: final_torque,
        time: RISE,
    };
    // From x towards z is about -y.
    let load = Load::new(-Vector3::y(), LoadSize::Torque(torque.clone()));
    mechanism.add_force("torque", ground, crank, load);
    mechanism.output("slider.x", Output::Position(slider, [0.0; 3], Axis::X));
    mechanism.output("slider.vx", Output::Velocity(slider, [0.0; 3], Axis::X));
    mechanism.probe("crank.angle", move |now| {
        let x = now.rotation(crank).column(0).into_owned();
        x.z.atan2(x.x)
    });
    mechanism.define_output(
        "crank.angle",
        "angle of the crank's x-axis from x towards z of the fixed frame, rad",
    );
    mechanism.probe("crank.omega", move |now| -now.omega(crank).y);
    mechanism.define_output(
        "crank.omega",
        "angular velocity of crank about -y of its own frame, from x towards z, rad/s",
    );
    probe_bending(&mut mechanism, "rod", &rod);
    mechanism.probe("torque", move |now| torque.value(now.time()));
    mechanism.define_output(
        "torque",
        "torque on the crank about -y of the fixed frame, from x towards z, N m",
    );
    probe_energy(&mut mechanism);
    Ok(Problem {
        default_step: 1e-5,
        main_output: "slider.x".to_owned(),
        order_study_end: Some(0.01),
        ..problem(&FLEXIBLE_CRANK, mechanism, 0.1)?
    }
    .with_formulation(Formulation::new([
        format!("torque: on the crank acts M = torque (1 - exp(-t / {RISE})) N m about -y of the world, from x towards z"),
        "crank.angle: from x towards z; crank.omega: its rate".to_owned(),
    ])))
}
