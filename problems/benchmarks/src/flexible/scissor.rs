//! A scissor lift with elastic struts.

use super::links::{
    ELEMENTS, FIELD, Foreshortening, GRAVITY, Link, acrylic, add_pin, along, at, hinge,
    probe_bending, probe_place, slot,
};
use super::problem;
use crate::mechanisms::space::probe_energy;
use crate::parameters::Range;
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError};
use liedae_multibody::{
    Axis, BeamEnds, BodyId, Frame, ModalNodes, MultibodyBuilder, Output, RigidBody, Section,
    TranslationalSpring, Vector3,
};
use std::f64::consts::FRAC_PI_6;

pub(crate) const FLEXIBLE_SCISSOR: ProblemEntry = ProblemEntry {
    name: "flexible-scissor",
    title: "scissor lift of four stages with elastic struts on a spring",
    description: "Eight struts of 0.6 m, 20 mm wide and 12 mm thick, cross in four stages, 30 degrees above the horizontal; the first foot \
                  is pinned, the second slides along the floor, and a platform of 0.5 kg lies on top. A spring pulls the feet together with \
                  `preload` times what the undeformed lift needs. The five lowest struts are acrylic with four modes of bending each, in \
                  frames through their ends, with foreshortening, undamped; the other three are rigid. The lift is let go, sinks, and \
                  rises on the spring. 21 degrees of freedom in eight loops, no redundant row. Numbers are this project's own.",
    source: "floating frames with modes: Shabana, Dynamics of Multibody Systems, 2020, chapter 5",
    parameters: &[
        ParameterInfo::new(
            "preload",
            0.7,
            "1",
            Range::NonNegative,
            "force of the spring at the start, as a part of that of equilibrium",
        ),
        ParameterInfo::new(
            "stiffness",
            2000.0,
            "N/m",
            Range::Positive,
            "of the spring: less than 600 N/m lets the lift collapse",
        ),
        FIELD,
    ],
    build,
};

const STAGES: usize = 4;
/// How many struts bend, counted from the lowest stage.
const ELASTIC: usize = 5;
const STRUT: f64 = 0.6;
const SECTION: [f64; 2] = [0.02, 0.012];
const PAYLOAD: f64 = 0.5;

/// A strut by the bodies at its ends and its middle.
struct Strut {
    start: BodyId,
    middle: BodyId,
    end: BodyId,
    flexible: Option<ModalNodes>,
}

fn add_strut(
    mechanism: &mut MultibodyBuilder,
    label: &str,
    elastic: Option<Foreshortening>,
    [from, to]: [Vector3<f64>; 2],
) -> Result<Strut, ProblemError> {
    let section = Section::rectangle(&acrylic(), SECTION);
    if let Some(field) = elastic {
        let markers = [ELEMENTS / 2, ELEMENTS];
        let link = Link::new(section, BeamEnds::Pinned, 4, field);
        let nodes = link.add(
            mechanism,
            FLEXIBLE_SCISSOR.name,
            label,
            [from, to],
            &markers,
        )?;
        return Ok(Strut {
            start: nodes.frame(),
            middle: nodes.marker(0),
            end: nodes.marker(1),
            flexible: Some(nodes),
        });
    }
    let mass = section.mass() * STRUT;
    let [across, aside] = SECTION.map(|side| side * side);
    let length = STRUT * STRUT;
    let moments = [across + aside, length + aside, length + across];
    let moments = moments.map(|sum| mass * sum / 12.0);
    let body = RigidBody::new(label, mass, moments).at((from + to) * 0.5);
    let body = mechanism.add_body(body.rotated(along(to - from)));
    Ok(Strut {
        start: body,
        middle: body,
        end: body,
        flexible: None,
    })
}

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let get = |name| parameters.get(name);
    let ground = BodyId::GROUND;
    let (width, rise) = (STRUT * FRAC_PI_6.cos(), STRUT * FRAC_PI_6.sin());
    let corner =
        |right: bool, level: usize| at(if right { width } else { 0.0 }, rise * level as f64);
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity(GRAVITY);
    let field = Foreshortening::of(parameters)?;
    let mut stages = Vec::with_capacity(STAGES);
    for stage in 0..STAGES {
        // The first strut of a stage rises to the right, the second to the left.
        let ends = [false, true].map(|right| [corner(right, stage), corner(!right, stage + 1)]);
        let elastic = [2 * stage, 2 * stage + 1].map(|strut| (strut < ELASTIC).then_some(field));
        let names = ["up", "down"].map(|way| format!("{way} {}", stage + 1));
        let up = add_strut(&mut mechanism, &names[0], elastic[0], ends[0])?;
        let down = add_strut(&mut mechanism, &names[1], elastic[1], ends[1])?;
        stages.push([up, down]);
    }
    let height = corner(false, STAGES);
    let platform = RigidBody::new("platform", PAYLOAD, [0.01; 3]);
    let platform = mechanism.add_body(platform.at(height + at(0.5 * width, 0.0)));

    // Hinges keep every body in the plane once; what closes loops adds rows in the plane only.
    let mut below: Option<&[Strut; 2]> = None;
    for (stage, pair) in stages.iter().enumerate() {
        let [up, down] = pair;
        let (left, right) = (corner(false, stage), corner(true, stage));
        let number = stage + 1;
        match below {
            None => {
                mechanism.add_joint(hinge("pivot", [ground, up.start], left));
                mechanism.add_joint(slot("floor", [ground, down.start], right, Vector3::z()));
            }
            Some([lower_up, lower_down]) => {
                let name = format!("left {number}");
                mechanism.add_joint(hinge(&name, [lower_down.end, up.start], left));
                let bodies = [lower_up.end, down.start];
                add_pin(&mut mechanism, &format!("right {number}"), bodies, right);
            }
        }
        let middle = (left + corner(true, stage + 1)) * 0.5;
        let bodies = [up.middle, down.middle];
        mechanism.add_joint(hinge(&format!("middle {number}"), bodies, middle));
        below = Some(pair);
    }
    if let (Some([up, down]), Some([first_up, first_down])) = (below, stages.first()) {
        mechanism.add_joint(hinge("rim", [down.end, platform], height));
        let right = corner(true, STAGES);
        mechanism.add_joint(slot("roller", [platform, up.end], right, Vector3::z()));
        // Two struts of each stage and the platform rise with it: by how much weight times height grows with its rise.
        let mass = Section::rectangle(&acrylic(), SECTION).mass() * STRUT;
        let weight = -GRAVITY[2] * ((STAGES * STAGES) as f64 * mass + STAGES as f64 * PAYLOAD);
        let (stiffness, preload) = (get("stiffness")?, get("preload")?);
        let balance = weight * width / rise;
        let free = width - preload * balance / stiffness;
        let feet = [corner(false, 0), corner(true, 0)].map(Frame::world_point);
        let bodies = [first_up.start, first_down.start];
        let spring = TranslationalSpring::new("spring", bodies, feet, stiffness, free);
        mechanism.add_spring(spring);
        probe_place(&mut mechanism, "foot", first_down.start);
        for (label, strut) in [("up 1", first_up), ("down 1", first_down)] {
            if let Some(nodes) = &strut.flexible {
                probe_bending(&mut mechanism, label, nodes);
            }
        }
    }
    mechanism.output("platform.x", Output::Position(platform, [0.0; 3], Axis::X));
    mechanism.output("platform.z", Output::Position(platform, [0.0; 3], Axis::Z));
    probe_energy(&mut mechanism);
    Ok(Problem {
        main_output: "platform.z".to_owned(),
        order_study_end: Some(0.05),
        ..problem(&FLEXIBLE_SCISSOR, mechanism, 1.0)?
    })
}
