//! A car on four double wishbones.

use super::assembly::{ROTATION, output_vector};
use super::bodies::{cuboid, rod};
use super::quarter_car::{ARMS, HUB, SPRING, SUSPENSION, TIE_ROD};
use super::shapes::bare;
use super::tyre::{RADIUS, law, tyre};
use super::{GRAVITY, Smooth};
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range};
use liedae_multibody::{
    BodyId, Drawing, Frame, Joint, MultibodyBuilder, Output, RigidBody, TranslationalSpring,
};
use nalgebra::Vector3;

pub(crate) const FULL_CAR: ProblemEntry = ProblemEntry {
    name: "full-car",
    title: "car on four double wishbones with rolling wheels, over a bump under its left side",
    description: "A chassis of 1400 kg moves freely; each corner has two arms on ball joints, a tie rod, an upright and a wheel that rolls. It starts at 15 m/s \
                  in steady straight motion, and its left wheels pass a bump of 4 cm and 2 m after 5 m: it rolls, pitches, and turns a little. Tyres are linear in \
                  slip, or follow Pacejka's magic formula; slip is the sliding by the speed of the wheel, which counts for 0.1 m/s at least. 102 velocities, 88 rows, 14 degrees of freedom. Numbers are this project's own.",
    source: "own mechanism; tyres: H. B. Pacejka, Tire and vehicle dynamics, 2012, doi:10.1016/C2010-0-68548-8, eq. 4.E9",
    parameters: &[
        ParameterInfo::new(
            "tyre",
            0.0,
            "1",
            Range::Choice(&["linear", "magic formula"]),
            "how forces of the tyres follow from slip",
        ),
        ROTATION,
    ],
    build,
};

const CHASSIS: f64 = 1400.0;
/// What a tyre carries at rest, N.
const LOAD: f64 = (0.25 * CHASSIS + 50.0) * 9.81;
const SPEED: f64 = 15.0;
/// Half the wheel base, in m.
const AXLE: f64 = 1.3;
/// What each spring carries at the start, in N: by virtual work in a small rotation of the lower arm, with the weights of arms, upright and wheel,
/// the wheel's centre rises by 0.335659 m/rad and the spring shortens accordingly. The start is then steady.
const SPRING_LOAD: f64 = 5_459.747_859_159_486;

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let magic = parameters.get("tyre")? != 0.0;
    let (x, y) = (Vector3::x(), Vector3::y());
    let ahead = x * SPEED;
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity(GRAVITY);
    let chassis = cuboid("chassis", CHASSIS, [4.0, 1.4, 0.8]).at([0.0, 0.0, 0.6]);
    let chassis = mechanism.add_body(chassis.moving(ahead, [0.0; 3]));
    let (mut hubs, mut wheels) = (Vec::new(), Vec::new());
    for (end, axle) in [("front", AXLE), ("rear", -AXLE)] {
        for (side, sign) in [("left", 1.0), ("right", -1.0)] {
            let label = format!("{end} {side}");
            // Coordinates of a quarter car, shifted to the axle; the right side is the mirror image.
            let at = |point: [f64; 3]| Vector3::new(point[0] + axle, sign * point[1], point[2]);
            let hub = at(HUB);
            let upright = RigidBody::new(format!("{label} upright"), 20.0, [0.5, 0.4, 0.5]);
            let upright = mechanism.add_body(upright.at(hub).moving(ahead, [0.0; 3]));
            let mut lower = None;
            for (name, mass, pivot, ball) in ARMS {
                let ends = [at(pivot), at(ball)];
                let arm = rod(format!("{label} {name} arm"), mass, 0.03, ends);
                let arm = mechanism.add_body(arm.moving(ahead, [0.0; 3]));
                let name = format!("{label} {name}");
                mechanism.add_joint(Joint::revolute(
                    format!("{name} hinge"),
                    chassis,
                    arm,
                    ends[0],
                    x,
                ));
                mechanism.add_joint(Joint::spherical(
                    format!("{name} ball"),
                    arm,
                    upright,
                    ends[1],
                ));
                lower.get_or_insert(arm);
            }
            let [inner, outer] = TIE_ROD.map(at);
            mechanism.add_joint(Joint::distance(
                format!("{label} tie rod"),
                chassis,
                upright,
                inner,
                outer,
            ));
            let ends = SPRING.map(at);
            if let Some(lower) = lower {
                mechanism.add_spring(spring(&label, [chassis, lower], ends));
            }
            let wheel = RigidBody::new(format!("{label} wheel"), 20.0, [0.6, 1.2, 0.6]).at(hub);
            // Rolling forwards turns about +y.
            let wheel = wheel.moving(ahead, y * (SPEED / RADIUS));
            let wheel = mechanism.add_body(wheel);
            wheels.push(wheel);
            mechanism.add_joint(Joint::revolute(
                format!("{label} axle"),
                upright,
                wheel,
                hub,
                y,
            ));
            let tyre = tyre(LOAD, magic, sign > 0.0);
            mechanism.add_force(format!("{label} tyre"), BodyId::GROUND, wheel, tyre);
            hubs.push((label, upright));
        }
    }
    output_vector(&mut mechanism, "chassis.", |axis| {
        Output::Position(chassis, [0.0; 3], axis)
    });
    output_vector(&mut mechanism, "chassis.v", |axis| {
        Output::Velocity(chassis, [0.0; 3], axis)
    });
    mechanism.probe("roll", move |now| now.rotation(chassis).column(1).z.asin());
    mechanism.define_output(
        "roll",
        "inclination of the chassis' y-axis above the horizontal, rad",
    );
    mechanism.probe("pitch", move |now| {
        -now.rotation(chassis).column(0).z.asin()
    });
    mechanism.define_output(
        "pitch",
        "inclination of the chassis' x-axis below the horizontal, rad",
    );
    mechanism.probe("yaw", move |now| {
        let ahead = now.rotation(chassis).column(0).into_owned();
        ahead.y.atan2(ahead.x)
    });
    for (label, upright) in hubs {
        mechanism.probe(format!("{}.z", label.replace(' ', "_")), move |now| {
            now.position(upright).z
        });
    }
    Smooth::new(FULL_CAR.name, 5.0, "chassis.z")
        .drawn(move |drawing| draw(drawing, chassis, &wheels))
        .mechanism(mechanism, parameters)
        .map(|problem| problem.with_formulation(law(LOAD)))
}

/// A body with a cabin, so narrow that the suspensions show, and wheels.
fn draw(drawing: Drawing, chassis: BodyId, wheels: &[BodyId]) -> Drawing {
    let frame = chassis.index();
    let drawing = bare(drawing, chassis)
        .cuboid(frame, [0.0; 3], [2.0, 0.35, 0.2])
        .cuboid(frame, [-0.2, 0.0, 0.4], [0.9, 0.32, 0.2])
        .following(frame);
    let half = Vector3::y() * 0.1;
    wheels.iter().fold(drawing, |drawing, &wheel| {
        bare(drawing, wheel).cylinder(wheel.index(), -half, half, RADIUS)
    })
}

/// A spring that carries its corner of the car at the start.
fn spring(label: &str, bodies: [BodyId; 2], ends: [Vector3<f64>; 2]) -> TranslationalSpring {
    let [stiffness, damping] = SUSPENSION;
    let free_length = (ends[0] - ends[1]).norm() + SPRING_LOAD / stiffness;
    let points = ends.map(Frame::world_point);
    let spring = TranslationalSpring::new(
        format!("{label} spring"),
        bodies,
        points,
        stiffness,
        free_length,
    );
    spring.with_damping(damping)
}
