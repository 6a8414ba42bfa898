//! A flyball governor.

use super::assembly::{ROTATION, output_vector};
use super::bodies::{along, cuboid, rod, turning};
use super::shapes::bare;
use super::{GRAVITY, Smooth, probe_energy};
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range};
use liedae_multibody::{
    Axis, BodyId, Frame, Joint, MultibodyBuilder, Output, RigidBody, TranslationalSpring,
};
use nalgebra::Vector3;
use std::f64::consts::{FRAC_PI_6, TAU};

pub(crate) const FLYBALL: ProblemEntry = ProblemEntry {
    name: "flyball",
    title: "flyball governor: two rods with masses on a spinning shaft, tied to a slider",
    description: "The shaft spins freely with 2 pi rad/s at the start. Rods of 1 m with 5 kg at their ends hang from its top, 30 degrees below the \
                  horizontal; from their middles springs with dampers of 0.5 m, or rigid couplers, reach down to a slider of 3 kg. The stiff \
                  variant is the benchmark's: its springs decay at 2.6e4 1/s. With couplers four of 38 rows are redundant, \
                  one end of each being a cylindrical joint. Angle of the first rod below the horizontal, height of the slider.",
    source: "A05 of the IFToMM multibody benchmark library; soft springs and couplers are this project's own",
    parameters: &[
        ParameterInfo::new(
            "variant",
            0.0,
            "1",
            Range::Choice(&[
                "k = 8e5 N/m, c = 4e4 N s/m",
                "k = 4e3 N/m, c = 2e2 N s/m",
                "rigid couplers of 0.15 kg",
            ]),
            "what ties rods and slider",
        ),
        ROTATION,
    ],
    build,
};

/// Side of the shaft and of the rods, in m.
const SIDE: f64 = 0.01;
const ROD_MASS: f64 = 0.3;
const BALL_MASS: f64 = 5.0;
const TIE: f64 = 0.5;

/// A rod of 1 m with a point mass at its end, from the pivot on; its centre of mass is so far from the pivot.
fn ballast(name: &str, pivot: Vector3<f64>, direction: Vector3<f64>) -> (RigidBody, f64) {
    let mass = ROD_MASS + BALL_MASS;
    let center = (0.5 * ROD_MASS + BALL_MASS) / mass;
    let across = ROD_MASS * (1.0 + SIDE * SIDE) / 12.0
        + ROD_MASS * (center - 0.5).powi(2)
        + BALL_MASS * (1.0 - center).powi(2);
    let own = ROD_MASS * SIDE * SIDE / 6.0;
    let body = RigidBody::new(name, mass, [own, across, across]);
    let body = body
        .at(pivot + direction * center)
        .rotated(along(direction));
    (body, center)
}

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let (x, y, z) = (Vector3::x(), Vector3::y(), Vector3::z());
    let turned = |body| turning(body, Vector3::zeros(), z * TAU);
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity(GRAVITY);
    let shaft = cuboid("shaft", ROD_MASS, [SIDE, SIDE, 1.0]).at(z * 0.5);
    let shaft = mechanism.add_body(turned(shaft));
    let slider = mechanism.add_body(turned(cuboid("slider", 3.0, [0.1; 3]).at(z * 0.5)));
    mechanism.add_joint(Joint::revolute(
        "bearing",
        BodyId::GROUND,
        shaft,
        Vector3::zeros(),
        z,
    ));
    mechanism.add_joint(Joint::translational("guide", shaft, slider, z * 0.5, z));
    let (mut first_rod, mut balls) = (None, Vec::new());
    for (label, side) in [("1", 1.0), ("2", -1.0)] {
        let pivot = x * (0.05 * side) + z;
        let direction = x * (side * FRAC_PI_6.cos()) - z * FRAC_PI_6.sin();
        let (rod_body, center) = ballast(&format!("rod {label}"), pivot, direction);
        let rod_body = mechanism.add_body(turned(rod_body));
        mechanism.add_joint(Joint::revolute(
            format!("pivot {label}"),
            shaft,
            rod_body,
            pivot,
            y,
        ));
        let middle = pivot + direction * 0.5;
        let eye = x * (0.05 * side) + z * 0.5;
        let springs = match parameters.get("variant")? {
            0.0 => Some((8e5, 4e4)),
            1.0 => Some((4e3, 2e2)),
            _ => None,
        };
        if let Some((stiffness, damping)) = springs {
            let points = [Frame::world_point(middle), Frame::world_point(eye)];
            let tie = TranslationalSpring::new(
                format!("tie {label}"),
                [rod_body, slider],
                points,
                stiffness,
                TIE,
            );
            mechanism.add_spring(tie.with_damping(damping));
        } else {
            let coupler = rod(format!("coupler {label}"), 0.15, 0.5 * SIDE, [middle, eye]);
            let coupler = mechanism.add_body(turned(coupler));
            mechanism.add_joint(Joint::revolute(
                format!("upper {label}"),
                rod_body,
                coupler,
                middle,
                y,
            ));
            mechanism.add_joint(Joint::cylindrical(
                format!("lower {label}"),
                coupler,
                slider,
                eye,
                y,
            ));
        }
        first_rod.get_or_insert((rod_body, center));
        balls.push((rod_body, [1.0 - center, 0.0, 0.0]));
    }
    if let Some((rod_body, center)) = first_rod {
        mechanism.probe("angle", move |now| {
            let along = now.rotation(rod_body).column(0).into_owned();
            (-along.z).atan2(along.xy().norm())
        });
        output_vector(&mut mechanism, "ball", |axis| {
            Output::Position(rod_body, [1.0 - center, 0.0, 0.0], axis)
        });
    }
    mechanism.output("slider.z", Output::Position(slider, [0.0; 3], Axis::Z));
    mechanism.output("slider.vz", Output::Velocity(slider, [0.0; 3], Axis::Z));
    mechanism.output("shaft.omega", Output::AngularVelocity(shaft, Axis::Z));
    probe_energy(&mut mechanism);
    Smooth::new(FLYBALL.name, 10.0, "slider.z")
        .drawn(move |drawing| {
            let drawing = bare(drawing, slider).cuboid(slider.index(), [0.0; 3], [0.05; 3]);
            balls.into_iter().fold(drawing, |drawing, (rod, end)| {
                drawing.disc(rod.index(), end, 0.07)
            })
        })
        .mechanism(mechanism, parameters)
}
