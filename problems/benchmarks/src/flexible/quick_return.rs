//! Whitworth's quick return with a rocker that bends.

use super::links::{
    ELEMENTS, FIELD, Foreshortening, GRAVITY, Link, along, at, hinge, probe_bending, probe_place,
    slot,
};
use super::problem;
use crate::mechanisms::space::probe_energy;
use crate::parameters::Range;
use crate::{Formulation, ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError};
use liedae_multibody::{
    Axis, BeamEnds, BodyId, Frame, Joint, JointKind, Material, Motion, MultibodyBuilder, Output,
    RigidBody, RotationalSpring, Section, Vector3,
};

pub(crate) const FLEXIBLE_QUICK_RETURN: ProblemEntry = ProblemEntry {
    name: "flexible-quick-return",
    title: "quick-return mechanism of a shaper whose rocker bends, started by a motor",
    description: "A crank of 0.08 m carries a block along the slotted rocker, whose pivot is 0.2 m below; a link of 0.3 m ties the rocker's end to \
                  a ram that slides along x. The slot is rigid up to 0.32 m from the pivot: no joint slides on a deforming beam here. \
                  Above it the rocker is a steel strip of 0.38 m, 20 mm wide and 4 mm thick, clamped to the slot, with five modes of \
                  bending and foreshortening, undamped. The motor's torque falls in proportion to the speed of the crank and vanishes at \
                  8 rad/s. Going back is faster than going forth, and makes the rocker swing. Six degrees of freedom, no \
                  redundant row. Numbers are this project's own.",
    source: "mechanism: Norton, Design of Machinery; floating frames with modes: Shabana, Dynamics of Multibody Systems, 2020, chapter 5",
    parameters: &[
        ParameterInfo::new(
            "speed",
            8.0,
            "rad/s",
            Range::Finite,
            "of the motor without load",
        ),
        ParameterInfo::new(
            "E",
            2.1e11,
            "Pa",
            Range::Positive,
            "Young's modulus of the rocker",
        ),
        FIELD,
    ],
    build,
};

const CRANK: f64 = 0.08;
/// Height of the crank's axle above the rocker's pivot, of the end of the slot, of the rocker's end, and of the ram, m.
const AXLE: f64 = 0.2;
const SLOT: f64 = 0.32;
const ROCKER: f64 = 0.7;
const RAM: f64 = 0.67;
const LINK: f64 = 0.3;
/// Of the motor, N m s/rad.
const MOTOR: f64 = 1.0;

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let name = FLEXIBLE_QUICK_RETURN.name;
    let get = |name| parameters.get(name);
    let ground = BodyId::GROUND;
    let (pivot, axle, pin) = (at(0.0, 0.0), at(0.0, AXLE), at(0.0, AXLE + CRANK));
    let (neck, top) = (at(0.0, SLOT), at(0.0, ROCKER));
    let drop = ROCKER - RAM;
    let ram_place = at((LINK * LINK - drop * drop).sqrt(), RAM);
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity(GRAVITY);
    // A balanced wheel.
    let crank = RigidBody::new("crank", 2.0, [0.025, 0.05, 0.025]).at(axle);
    let crank = mechanism.add_body(crank);
    let block = mechanism.add_body(RigidBody::new("block", 0.1, [4e-5; 3]).at(pin));
    let guide = RigidBody::new("guide", 0.4, [3.5e-3, 3.5e-3, 1e-4]).at(at(0.0, 0.5 * SLOT));
    let guide = mechanism.add_body(guide);
    let steel = Material::new(get("E")?, 0.3, 7850.0);
    let section = Section::rectangle(&steel, [0.02, 0.004]);
    let field = Foreshortening::of(parameters)?;
    let rocker = Link::new(section, BeamEnds::Clamped, 5, field);
    let rocker = rocker.add(&mut mechanism, name, "rocker", [neck, top], &[ELEMENTS])?;
    let link = RigidBody::new("link", 0.1, [1e-5, 7.5e-4, 7.5e-4]);
    let link = link.rotated(along(ram_place - top));
    let link = mechanism.add_body(link.at((top + ram_place) * 0.5));
    let ram = mechanism.add_body(RigidBody::new("ram", 0.5, [1e-3; 3]).at(ram_place));

    let driven = mechanism.add_joint(hinge("axle", [ground, crank], axle));
    mechanism.add_joint(hinge("pin", [crank, block], pin));
    mechanism.add_joint(hinge("pivot", [ground, guide], pivot));
    // The pin holds the block in the plane: two rows keep it in the slot, neither aside nor askew.
    let (x, y) = (Vector3::x(), Vector3::y());
    mechanism.add_joint(slot("slot", [guide, block], pin, x));
    let askew = JointKind::Dot1(Axis::X, Axis::Z, 0.0.into());
    let frames = [
        Frame::world(pin, y).with_x(x),
        Frame::world(pin, Vector3::z()).with_x(x),
    ];
    mechanism.add_joint(Joint::new("block", askew, guide, block, frames));
    mechanism.add_joint(Joint::fixed("neck", guide, rocker.frame(), neck));
    // The link may slide along this pin: the ram holds it in the plane.
    mechanism.add_joint(Joint::cylindrical("top", rocker.marker(0), link, top, y));
    mechanism.add_joint(Joint::spherical("wrist", link, ram, ram_place));
    mechanism.add_joint(Joint::translational("bed", ground, ram, ram_place, x));
    // A damper against the speed without load.
    let motor = RotationalSpring::new("motor", driven, 0.0, 0.0).with_damping(MOTOR);
    let turning = Motion::linear(0.0, get("speed")?);
    mechanism.add_rotational_spring(motor.following(turning));
    mechanism.output("ram.x", Output::Position(ram, [0.0; 3], Axis::X));
    mechanism.output("ram.vx", Output::Velocity(ram, [0.0; 3], Axis::X));
    mechanism.probe("crank.angle", move |now| {
        let z = now.rotation(crank).column(2).into_owned();
        z.x.atan2(z.z)
    });
    mechanism.define_output(
        "crank.angle",
        "angle of the crank's z-axis from z towards x of the fixed frame, rad",
    );
    mechanism.probe("crank.omega", move |now| now.omega(crank).y);
    mechanism.define_output(
        "crank.omega",
        "angular velocity of crank about y of its own frame, rad/s",
    );
    probe_place(&mut mechanism, "top", rocker.marker(0));
    probe_bending(&mut mechanism, "rocker", &rocker);
    probe_energy(&mut mechanism);
    Ok(Problem {
        default_step: 1e-4,
        main_output: "ram.x".to_owned(),
        order_study_end: Some(0.05),
        ..problem(&FLEXIBLE_QUICK_RETURN, mechanism, 1.0)?
    }
    .with_formulation(Formulation::new([format!(
        "motor: M = {MOTOR} (speed - omega_y) N m on the crank about y of the world, omega its angular velocity; speed: the parameter `speed`"
    )])))
}
