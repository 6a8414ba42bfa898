//! Elastic beams on a hinge that hit something.

use super::links::{
    ELEMENTS, FIELD, Foreshortening, GRAVITY, HINGE, Link, acrylic, at, hinge, probe_bending,
    probe_place, towards,
};
use crate::mechanisms::space::probe_energy;
use crate::parameters::Range;
use crate::testset::nonsmooth::spatial::Spatial;
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError};
use liedae_multibody::{
    Axis, BeamEnds, BodyId, Frame, ModalNodes, MultibodyBuilder, Output, Section, Shape, Surface,
    SurfaceContact, Vector3,
};
use std::f64::consts::FRAC_PI_2;

const RESTITUTION: ParameterInfo = ParameterInfo::new(
    "e",
    0.0,
    "1",
    Range::Between(0.0, 1.0),
    "coefficient of restitution",
);

pub(crate) const BEAM_ON_CYLINDER: ProblemEntry = ProblemEntry {
    name: "beam-on-cylinder",
    title: "elastic beam on a hinge falls on a fixed cylinder",
    description: "A strip of acrylic of 0.8 m, 20 mm wide and 6 mm thick, falls from level on a hinge at its end until it hits a fixed cylinder of \
                  0.1 m radius below its middle. It has eight modes of bending in the frame of the hinge, with foreshortening, undamped. Three \
                  balls on its axis, as thick as the strip and a twelfth of its length apart, are what touches, without friction. \
                  With e=0 contacts persist while the rest of the beam swings on, and let go when it swings back; the contact \
                  goes from ball to ball. Choices of the model decide which impacts occur: at 0.25 s the end is at z = -0.2624 m after 7 of \
                  them with foreshortening in the inertia by an affine fit, at -0.2602 m after 9 with the plain field (field=1), and at \
                  -0.2622 m after 10 with twelve modes. Numbers are this project's own.",
    source: "after Haddouni et al. 2017, Fig. 8a, whose data are not in print, doi:10.1007/s11044-017-9570-y",
    parameters: &[
        RESTITUTION,
        ParameterInfo::new("modes", 8.0, "1", Range::Integer(1, 12), "of bending"),
        FIELD,
    ],
    build: build_cylinder,
};

pub(crate) const IMPACTING_FLEXIBLE_PENDULUM: ProblemEntry = ProblemEntry {
    name: "impacting-flexible-pendulum",
    title: "elastic pendulum whose end hits a stop",
    description: "A strip of acrylic of 0.5 m, 20 mm wide and 5 mm thick, hangs on a hinge, `angle` away from the vertical, and is let go. A ball of \
                  10 mm radius about its end, without mass, hits a wall 0.05 m before the vertical. Six modes of bending in the \
                  frame of the hinge, with foreshortening, undamped. The end bounces off at once; the rest moves on, bends the beam and \
                  presses the end against the wall again, several times in each hit. Choices of the model decide which impacts occur: at 0.3 s the \
                  end is at x = 0.0612 m after 11 of them with foreshortening in the inertia by an affine fit, at 0.0609 m after 10 with the \
                  plain field (field=1), and at 0.0606 m after 21 with ten modes. Numbers are this project's own.",
    source: "impacts on modes: Khulief and Shabana, J. Mech. Trans. Autom. Des. 108 (1986) 38",
    parameters: &[
        ParameterInfo {
            default: 0.8,
            ..RESTITUTION
        },
        ParameterInfo::new(
            "angle",
            0.8,
            "rad",
            Range::Between(0.2, 3.0),
            "from the vertical at the start",
        ),
        ParameterInfo::new("modes", 6.0, "1", Range::Integer(1, 12), "of bending"),
        FIELD,
    ],
    build: build_pendulum,
};

/// A strip of acrylic of so many modes on a hinge at the origin, at rest up to this point, with markers at these nodes.
fn add_strip(
    mechanism: &mut MultibodyBuilder,
    parameters: &Parameters,
    thickness: f64,
    end: Vector3<f64>,
    markers: &[usize],
) -> Result<ModalNodes, ProblemError> {
    let section = Section::rectangle(&acrylic(), [0.02, thickness]);
    // An integer from 1 to 12 by its range.
    let link = Link::new(
        section,
        BeamEnds::Clamped,
        parameters.get("modes")? as usize,
        Foreshortening::of(parameters)?,
    );
    let ends = [Vector3::zeros(), end];
    let strip = link.add(mechanism, parameters.problem(), "strip", ends, markers)?;
    mechanism.gravity(GRAVITY);
    mechanism.add_joint(hinge("hinge", [BodyId::GROUND, strip.frame()], ends[0]));
    Ok(strip)
}

fn build_cylinder(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let thickness = 0.006;
    let mut mechanism = MultibodyBuilder::new();
    // The balls and, for its place, the end.
    let markers = [6, 7, 8, ELEMENTS];
    let strip = add_strip(
        &mut mechanism,
        parameters,
        thickness,
        at(0.8, 0.0),
        &markers,
    )?;
    let restitution = parameters.get(RESTITUTION.name)?;
    let (balls, end) = (&strip.markers()[..3], strip.marker(3));
    for (index, ball) in balls.iter().enumerate() {
        let frame = Frame::world(at(0.42, -0.25), HINGE);
        let cylinder = Shape::Cylinder {
            radius: 0.1,
            half_length: 0.1,
        };
        let cylinder = Surface::new(BodyId::GROUND, frame, cylinder);
        let ball = Surface::sphere(*ball, [0.0; 3], 0.5 * thickness);
        let contact = SurfaceContact::new(format!("ball {}", index + 1), cylinder, ball);
        mechanism.add_contact(contact.with_restitution(restitution));
    }
    probe_place(&mut mechanism, "tip", end);
    probe_place(&mut mechanism, "middle", strip.marker(0));
    probe_bending(&mut mechanism, "strip", &strip);
    probe_energy(&mut mechanism);
    let spatial = Spatial {
        name: BEAM_ON_CYLINDER.name,
        t_end: 1.0,
        default_step: 2e-4,
        main_output: "tip.z",
        length: 0.1,
        time: 0.1,
        drawn: |drawing| drawing,
    };
    spatial.problem(mechanism)
}

fn build_pendulum(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let (length, radius, stop) = (0.5, 0.01, 0.05);
    let end = towards(parameters.get("angle")? - FRAC_PI_2) * length;
    let mut mechanism = MultibodyBuilder::new();
    let strip = add_strip(&mut mechanism, parameters, 0.005, end, &[ELEMENTS])?;
    let tip = strip.marker(0);
    let wall = Surface::half_space(BodyId::GROUND, [stop, 0.0, 0.0], [1.0, 0.0, 0.0]);
    let ball = Surface::sphere(tip, [0.0; 3], radius);
    let contact = SurfaceContact::new("stop", wall, ball);
    mechanism.add_contact(contact.with_restitution(parameters.get(RESTITUTION.name)?));
    probe_place(&mut mechanism, "tip", tip);
    mechanism.output("tip.vx", Output::Velocity(tip, [0.0; 3], Axis::X));
    probe_bending(&mut mechanism, "strip", &strip);
    probe_energy(&mut mechanism);
    let spatial = Spatial {
        name: IMPACTING_FLEXIBLE_PENDULUM.name,
        t_end: 2.0,
        default_step: 2e-4,
        main_output: "tip.x",
        length: 0.1,
        time: 0.1,
        drawn: |drawing| drawing,
    };
    spatial.problem(mechanism)
}
