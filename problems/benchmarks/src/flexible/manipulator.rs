//! An elastic manipulator with controlled joints.

use super::links::{ELEMENTS, FIELD, Foreshortening, Link, at, hinge, probe_bending, probe_place};
use super::problem;
use crate::parameters::Range;
use crate::{Formulation, ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError};
use liedae_multibody::{
    BeamEnds, BodyId, Joint, Material, Motion, MultibodyBuilder, RigidBody, RotationalSpring,
    Section,
};

pub(crate) const FLEXIBLE_MANIPULATOR: ProblemEntry = ProblemEntry {
    name: "flexible-manipulator",
    title: "elastic manipulator of two links whose joints are controlled proportionally and differentially",
    description: "Links of 0.5 m of aluminium, 30 mm wide and 3 mm thick, with six modes of bending and foreshortening each, undamped, in a \
                  horizontal plane: no gravity acts in it. The elbow carries a motor of 0.1 kg, the end a payload; the motors turn hubs of \
                  5e-3 and 1e-3 kg m^2. Within 1 s the controllers take shoulder and elbow along polynomials of the fifth degree to \
                  1 rad and -1.5 rad and hold them. They know the angles at the hinges, not the bending, so that the payload swings \
                  on. Numbers are this project's own.",
    source: "floating frames with modes: Shabana, Dynamics of Multibody Systems, 2020, chapter 5",
    parameters: &[
        ParameterInfo::new("payload", 0.1, "kg", Range::Positive, "at the end"),
        ParameterInfo::new("modes", 6.0, "1", Range::Integer(1, 12), "of bending, each"),
        ParameterInfo::new(
            "gain",
            1.0,
            "1",
            Range::Positive,
            "factor on what the controllers do",
        ),
        FIELD,
    ],
    build,
};

const LENGTH: f64 = 0.5;
/// When the commanded motion ends, s.
const TIME: f64 = 1.0;

/// A controlled joint.
struct Control {
    name: &'static str,
    /// Commanded angle at the end, rad, from x towards z.
    angle: f64,
    /// N m/rad.
    proportional: f64,
    /// N m s/rad.
    differential: f64,
}

const SHOULDER: Control = Control {
    name: "shoulder",
    angle: 1.0,
    proportional: 12.0,
    differential: 2.5,
};

const ELBOW: Control = Control {
    name: "elbow",
    angle: -1.5,
    proportional: 4.0,
    differential: 0.5,
};

/// From 0 to this angle within `TIME`, by the polynomial of the fifth degree that starts and ends without rate and acceleration.
fn command(angle: f64) -> Motion {
    let powers = [0.0, 0.0, 0.0, 10.0, -15.0, 6.0];
    let scaled = powers.iter().zip(0..);
    let scaled = scaled.map(|(part, power)| angle * part / TIME.powi(power));
    let rise = Motion::Polynomial(scaled.collect());
    Motion::Pieces(vec![(rise, TIME)], Box::new(Motion::Constant(angle)))
}

/// What the motors do.
fn formulation() -> Formulation {
    let motors = [SHOULDER, ELBOW].map(|control| {
        let Control {
            name,
            angle,
            proportional,
            differential,
        } = control;
        [
            name.into(),
            angle.into(),
            proportional.into(),
            differential.into(),
        ]
    });
    Formulation::new([
        "motor: torque gain (P (w - theta) + D (w' - theta')) about the joint, theta: its angle from x towards z".to_owned(),
        format!("command w = angle s^3 (10 - 15 s + 6 s^2), s = t / {TIME} up to t = {TIME} s, then w = angle"),
        "the joints count angles about y, from z towards x: there the springs and dampers of the tables follow -w".to_owned(),
    ])
    .with_table("motors", ["motor", "angle (rad)", "P (N m/rad)", "D (N m s/rad)"], motors)
}

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let name = FLEXIBLE_MANIPULATOR.name;
    let get = |name| parameters.get(name);
    let gain = get("gain")?;
    let aluminium = Material::new(7e10, 0.33, 2700.0);
    let section = Section::rectangle(&aluminium, [0.03, 0.003]);
    // An integer from 1 to 12 by its range.
    let modes = get("modes")? as usize;
    let field = Foreshortening::of(parameters)?;
    let link = Link::new(section, BeamEnds::Clamped, modes, field);
    let (base, elbow, end) = (at(0.0, 0.0), at(LENGTH, 0.0), at(2.0 * LENGTH, 0.0));
    let mut mechanism = MultibodyBuilder::new();
    let tip = [ELEMENTS];
    // What a motor turns: without it dampers would act on next to no inertia.
    let hub = |name: &str, spin: f64| RigidBody::new(name, 0.05, [spin; 3]);
    let first = mechanism.add_body(hub("hub", 5e-3).at(base));
    let upper = link.add(&mut mechanism, name, "upper arm", [base, elbow], &tip)?;
    let motor = RigidBody::new("motor", 0.1, [2e-5; 3]).at(elbow);
    let motor = mechanism.add_body(motor);
    let second = mechanism.add_body(hub("rotor", 1e-3).at(elbow));
    let fore = link.add(&mut mechanism, name, "forearm", [elbow, end], &tip)?;
    let mass = get("payload")?;
    // A ball of 20 mm radius.
    let payload = RigidBody::new("payload", mass, [0.4 * mass * 4e-4; 3]).at(end);
    let payload = mechanism.add_body(payload);
    mechanism.add_joint(Joint::fixed("root", first, upper.frame(), base));
    mechanism.add_joint(Joint::fixed("motor mount", upper.marker(0), motor, elbow));
    mechanism.add_joint(Joint::fixed("neck", second, fore.frame(), elbow));
    mechanism.add_joint(Joint::fixed("grip", fore.marker(0), payload, end));
    let hinges = [
        (SHOULDER, [BodyId::GROUND, first], base),
        (ELBOW, [motor, second], elbow),
    ];
    for (control, bodies, point) in hinges {
        let joint = mechanism.add_joint(hinge(control.name, bodies, point));
        let (stiffness, damping) = (gain * control.proportional, gain * control.differential);
        let spring = RotationalSpring::new(control.name, joint, stiffness, 0.0);
        // The joint counts about y, from z towards x.
        let spring = spring.following(command(-control.angle));
        mechanism.add_rotational_spring(spring.with_damping(damping));
    }
    probe_place(&mut mechanism, "payload", payload);
    probe_place(&mut mechanism, "elbow", motor);
    mechanism.probe("shoulder.angle", move |now| {
        let x = now.rotation(upper.frame()).column(0).into_owned();
        x.z.atan2(x.x)
    });
    mechanism.define_output(
        "shoulder.angle",
        "angle of the x-axis of the upper arm's frame from x towards z of the fixed frame, rad",
    );
    probe_bending(&mut mechanism, "forearm", &fore);
    Ok(Problem {
        default_step: 2e-4,
        main_output: "payload.z".to_owned(),
        order_study_end: Some(0.1),
        ..problem(&FLEXIBLE_MANIPULATOR, mechanism, 3.0)?
    }
    .with_formulation(formulation()))
}
