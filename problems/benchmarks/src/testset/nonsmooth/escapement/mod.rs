//! A pin-lever escapement, driven by a torque or by a gear train.

mod formulation;
mod profile;

use self::profile::{EscapementPair, PinOnTeeth, Profile};
use super::statement::{Statement, restitution};
use crate::mechanisms::plane::Built;
use crate::mechanisms::plane::bodies::body;
use crate::mechanisms::plane::points::pivot;
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range};
use liedae_contact::Contact;
use liedae_multibody::drawing::{Drawing, Figure, Kind};
use liedae_multibody::plane::geometry::AngularStop;
use liedae_multibody::plane::{PlaneBodyData, PlaneForce, PlaneJoint, PlaneMechanism};
use std::f64::consts::TAU;

pub(crate) const ESCAPEMENT: ProblemEntry = ProblemEntry {
    name: "escapement",
    title: "pin-lever escapement: wheel, lever and balance",
    description: "An escape wheel of 15 teeth and 0.2 m radius under a constant torque; two round pins of the lever catch its teeth in \
                  turn, are held by draw on the leading faces and driven along the impulse faces. The pin of the balance \
                  swings through the fork of the lever, unlocks it and receives its impulse; bankings limit the lever. \
                  Contacts change between wheel, lever and balance within a beat. The balance starts at -1.8 rad. When a pin passes a corner \
                  under load, its force jumps with the curvature. Numbers are this project's own.",
    source: "own mechanism: pin-lever (Roskopf) escapement",
    parameters: &[
        restitution(0.1),
        ParameterInfo::new(
            "torque",
            1.0,
            "N m",
            Range::Positive,
            "torque on the escape wheel",
        ),
        DAMPING,
    ],
    build: build_single,
};

pub(crate) const ESCAPEMENT_DOUBLE: ProblemEntry = ProblemEntry {
    name: "escapement-double",
    title: "barrel and gear train with a pin-lever escapement",
    description: "The escapement of `escapement`, its wheel driven by a barrel with a mainspring through three pairs of wheels 1:3. The \
                  barrel has a stop-work; when it arrives there the escapement runs out of torque. Numbers are this project's own.",
    source: "own mechanism in the manner of the watch movement of M. Haddouni, V. Acary, S. Garreau, J.-D. Beley and \
             B. Brogliato, Multibody Syst Dyn 41 (2017) 201-231, doi:10.1007/s11044-017-9570-y",
    parameters: &[
        restitution(0.1),
        ParameterInfo::new(
            "travel",
            0.045,
            "rad",
            Range::Positive,
            "angle of the barrel up to its stop",
        ),
        DAMPING,
    ],
    build: build_double,
};

const DAMPING: ParameterInfo = ParameterInfo::new(
    "damping",
    2e-3,
    "N m s/rad",
    Range::NonNegative,
    "damping of the balance",
);

type Mechanism = PlaneMechanism<EscapementPair>;

/// Radius of the circle through the pins with the lever in the middle.
const RADIUS: f64 = 0.2;
const TEETH: usize = 15;
/// Half of the angle between the pins, 2.5 teeth.
const SPAN: f64 = 1.25 * TAU / TEETH as f64;
/// Distance of the axes of lever and balance, and of the balance's pin from its axis.
const DISTANCE: f64 = 0.24;
const ARM: f64 = 0.25 * DISTANCE;
/// Angle of the balance at which its pin enters the fork.
const ENTRY: f64 = TAU / 12.0;
/// Angle of the wheel, 4 degrees, at which a tooth is near the first pin.
const BEFORE_LOCK: f64 = TAU / 90.0;
/// Stiffness of the balance spring, for 2 Hz.
const HAIRSPRING: f64 = 1.58;
/// Stiffness of the mainspring in N m/rad, and the angle in rad at which it is relaxed.
const MAINSPRING: [f64; 2] = [10.0, 2.7];
/// Of each pair of wheels in the train.
const RATIO: f64 = 3.0;

fn build_single(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let mechanism = single(
        parameters.get("e")?,
        parameters.get("torque")?,
        parameters.get("damping")?,
    );
    let problem = assembly(ESCAPEMENT.name).problem(mechanism)?;
    Ok(problem.with_formulation(formulation::single(&bodies())))
}

fn build_double(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let travel = parameters.get("travel")?;
    let mechanism = double(parameters.get("e")?, travel, parameters.get("damping")?);
    let problem = assembly(ESCAPEMENT_DOUBLE.name).problem(mechanism)?;
    Ok(problem.with_formulation(formulation::double(&driven_bodies(), travel)))
}

fn assembly(name: &'static str) -> Statement {
    Statement::new(name, 2.0, "balance.theta")
        .with_step(1e-4)
        .drawn(|drawing| {
            let ring = |drawing: Drawing, frame: usize, radius: f64| {
                let centre = [0.0; 3];
                let drawing =
                    drawing.with(Some(frame), Kind::Body, Figure::Ring { centre, radius });
                drawing.bar(Some(frame), [-radius, 0.0], [radius, 0.0])
            };
            let fork = [0.0, 0.5 * DISTANCE];
            let drawing = drawing.bar(Some(1), [0.0, 0.0], fork);
            let drawing = ring(drawing, 0, 0.845 * RADIUS);
            // The wheels of the train, by their axes.
            let wheels = drawing.frames().len();
            let drawing = ring(drawing, 2, 0.4 * RADIUS);
            (3..wheels).fold(drawing, |drawing, wheel| ring(drawing, wheel, 0.6 * RADIUS))
        })
}

/// The angle of the lever at a banking: where the pin of the balance meets the middle of the fork.
fn banking() -> f64 {
    (ARM * ENTRY.sin()).atan2(DISTANCE - ARM * ENTRY.cos())
}

/// The axis of the lever: on the tangents of the pins' circle.
fn lever_axis() -> [f64; 2] {
    [0.0, RADIUS / SPAN.cos()]
}

/// Wheel, lever and balance; the wheel turns clockwise, the lever is at its first banking.
fn bodies() -> Vec<PlaneBodyData> {
    let [x, y] = lever_axis();
    vec![
        body("wheel", 0.1, 5e-4, [0.0, 0.0, BEFORE_LOCK]),
        body("lever", 0.1, 3e-4, [x, y, banking()]),
        body("balance", 0.5, 1e-2, [x, y + DISTANCE, -1.8]),
    ]
}

/// A tooth between polar angles 0 and 7 degrees, its leading face first and undercut by the draw.
fn tooth() -> Profile {
    let corner = |radius: f64, degrees: f64| {
        let angle = degrees * TAU / 360.0;
        [RADIUS * radius * angle.cos(), RADIUS * radius * angle.sin()]
    };
    [
        corner(0.845, 1.5),
        corner(0.965, 0.0),
        corner(1.03, 7.0),
        corner(0.845, 5.0),
    ]
}

/// Pins of the lever on the teeth of the wheel, and of the balance on the horns of the fork, with their bodies.
fn pins() -> [(&'static str, [usize; 2], PinOnTeeth); 4] {
    let [_, height] = lever_axis();
    let of_lever = |side: f64| PinOnTeeth {
        profile: tooth(),
        teeth: TEETH,
        pin: [side * RADIUS * SPAN.sin(), RADIUS * SPAN.cos() - height],
        radius: 0.03 * RADIUS,
    };
    let (pin, clearance) = (0.01 * DISTANCE, 0.004 * DISTANCE);
    let (inner, outer) = (pin + clearance, pin + clearance + 0.03 * DISTANCE);
    let (root, end) = (0.5 * DISTANCE, 0.785 * DISTANCE);
    let of_balance = |left: f64, right: f64| PinOnTeeth {
        profile: [[right, root], [right, end], [left, end], [left, root]],
        teeth: 1,
        pin: [0.0, -ARM],
        radius: pin,
    };
    [
        ("entry-pin", [0, 1], of_lever(-1.0)),
        ("exit-pin", [0, 1], of_lever(1.0)),
        ("fork-left", [1, 2], of_balance(-outer, -inner)),
        ("fork-right", [1, 2], of_balance(inner, outer)),
    ]
}

/// Contacts of wheel, lever and balance, which are the first three bodies.
fn with_escapement(mut mechanism: Mechanism, e: f64) -> Built<Mechanism> {
    for (label, bodies, pin) in pins() {
        let pair = EscapementPair::Teeth(pin);
        mechanism = mechanism.with_contact(Contact::new(label, e), bodies.map(Some), pair)?;
    }
    let stops = [
        ("banking-low", AngularStop::at_least(-banking())?),
        ("banking-high", AngularStop::at_most(banking())?),
    ];
    for (label, stop) in stops {
        let pair = EscapementPair::Stop(stop);
        mechanism = mechanism.with_contact(Contact::new(label, e), [None, Some(1)], pair)?;
    }
    Ok(mechanism)
}

fn hairspring(damping: f64) -> PlaneForce {
    PlaneForce::Torsion {
        bodies: [Some(2), None],
        stiffness: HAIRSPRING,
        damping,
        free_angle: 0.0,
    }
}

fn pivots(bodies: &[PlaneBodyData]) -> Vec<PlaneJoint> {
    let axes = bodies
        .iter()
        .map(|body| [body.position[0], body.position[1]]);
    axes.enumerate()
        .map(|(body, at)| pivot(bodies, body, at))
        .collect()
}

fn single(e: f64, torque: f64, damping: f64) -> Built<Mechanism> {
    let bodies = bodies();
    let joints = pivots(&bodies);
    let drive = PlaneForce::Torque([Some(0), None], -torque);
    let mechanism = Mechanism::new(bodies, [0.0, 0.0])?
        .with_joints(joints)?
        .with_forces([drive, hairspring(damping)])?;
    with_escapement(mechanism, e)
}

/// Wheel, lever and balance, then the train from the wheel to the barrel.
fn driven_bodies() -> Vec<PlaneBodyData> {
    let mut bodies = bodies();
    bodies.extend([
        body("third-wheel", 0.2, 2e-3, [0.3, -0.2, 0.0]),
        body("second-wheel", 0.5, 1.5e-2, [0.7, 0.0, 0.0]),
        body("barrel", 2.0, 0.15, [1.2, 0.3, 0.0]),
    ]);
    bodies
}

fn double(e: f64, travel: f64, damping: f64) -> Built<Mechanism> {
    let bodies = driven_bodies();
    let mut joints = pivots(&bodies);
    joints.extend([(5, 4), (4, 3), (3, 0)].map(|(slow, fast)| {
        let offset = bodies[fast].position[2] / RATIO;
        PlaneJoint::Gear(slow, fast, 1.0 / RATIO, offset)
    }));
    let mainspring = PlaneForce::Torsion {
        bodies: [Some(5), None],
        stiffness: MAINSPRING[0],
        damping: 0.0,
        free_angle: MAINSPRING[1],
    };
    let mechanism = Mechanism::new(bodies, [0.0, 0.0])?
        .with_joints(joints)?
        .with_forces([mainspring, hairspring(damping)])?;
    let mechanism = with_escapement(mechanism, e)?;
    let stop = EscapementPair::Stop(AngularStop::at_most(travel)?);
    Ok(mechanism.with_contact(Contact::new("stop-work", e), [None, Some(5)], stop)?)
}
