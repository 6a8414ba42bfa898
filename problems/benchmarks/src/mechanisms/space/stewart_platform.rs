//! A Stewart platform on six springs.

use super::assembly::{ROTATION, output_vector, probe_vector};
use super::bodies::{disk, rod};
use super::shapes::plate;
use super::{GRAVITY, Smooth, probe_energy};
use crate::{Parameters, Problem, ProblemEntry, ProblemError};
use liedae_multibody::{BodyId, Frame, Joint, MultibodyBuilder, Output, TranslationalSpring};
use nalgebra::Vector3;
use std::f64::consts::{FRAC_PI_3, TAU};

pub(crate) const STEWART_PLATFORM: ProblemEntry = ProblemEntry {
    name: "stewart-platform",
    title: "Stewart platform: six legs of two parts each, with springs",
    description: "Each leg is a tube on a universal joint and a bar that slides in it, on a spherical joint under the platform of 60 kg and 0.5 m radius. Springs \
                  of 8 to 13 kN/m, stiffer from leg to leg, with dampers of 20 N s/m act in the legs; they are unloaded at the start, from where the \
                  platform falls, tilts and turns. 78 coordinates and 72 rows, none redundant. Numbers are this project's own.",
    source: "D. Stewart, A platform with six degrees of freedom, Proc. Inst. Mech. Eng. 180 (1965) 371-386, \
             doi:10.1243/PIME_PROC_1965_180_029_02",
    parameters: &[ROTATION],
    build,
};

const BASE: f64 = 0.8;
const TOP: f64 = 0.5;
const HEIGHT: f64 = 0.9;

/// A point at this radius and angle.
fn around(radius: f64, angle: f64, height: f64) -> Vector3<f64> {
    Vector3::new(radius * angle.cos(), radius * angle.sin(), height)
}

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity(GRAVITY);
    let platform = mechanism.add_body(disk("platform", 60.0, TOP).at(Vector3::z() * HEIGHT));
    for leg in 0..6 {
        // Feet stand in pairs 0.3 rad off the corners of a triangle, heads off those of the opposite one.
        let corner = TAU * f64::from(leg / 2) / 3.0;
        let side = if leg % 2 == 0 { -1.0 } else { 1.0 };
        let foot = around(BASE, corner + side * 0.3, 0.0);
        let head = around(TOP, corner + side * (FRAC_PI_3 - 0.3), HEIGHT);
        let way = head - foot;
        let along = way.normalize();
        let label = leg + 1;
        let tube = rod(format!("tube {label}"), 3.0, 0.04, [foot, foot + way * 0.6]);
        let tube = mechanism.add_body(tube);
        let bar = mechanism.add_body(rod(
            format!("bar {label}"),
            2.0,
            0.02,
            [foot + way * 0.4, head],
        ));
        let across = Vector3::z().cross(&along).normalize();
        let other = along.cross(&across);
        let joint = Joint::universal(
            format!("foot {label}"),
            BodyId::GROUND,
            tube,
            foot,
            across,
            other,
        );
        mechanism.add_joint(joint);
        mechanism.add_joint(Joint::translational(
            format!("slide {label}"),
            tube,
            bar,
            foot,
            along,
        ));
        mechanism.add_joint(Joint::spherical(
            format!("head {label}"),
            bar,
            platform,
            head,
        ));
        let spring = TranslationalSpring::new(
            format!("spring {label}"),
            [tube, bar],
            [foot, head].map(Frame::world_point),
            8000.0 + 1000.0 * f64::from(leg),
            way.norm(),
        );
        mechanism.add_spring(spring.with_damping(20.0));
    }
    output_vector(&mut mechanism, "platform.", |axis| {
        Output::Position(platform, [0.0; 3], axis)
    });
    output_vector(&mut mechanism, "platform.v", |axis| {
        Output::Velocity(platform, [0.0; 3], axis)
    });
    probe_vector(
        &mut mechanism,
        "normal.",
        "platform's z-axis, 1",
        move |now| now.rotation(platform).column(2).into_owned(),
    );
    probe_energy(&mut mechanism);
    Smooth::new(STEWART_PLATFORM.name, 3.0, "platform.z")
        .drawn(move |drawing| {
            plate(drawing, platform, TOP, 0.02).hoop(None, [0.0; 3], Vector3::z(), BASE)
        })
        .mechanism(mechanism, parameters)
}
