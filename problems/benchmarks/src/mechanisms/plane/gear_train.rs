//! A train of gear wheels.

use super::bodies::body;
use super::motion::{Moving, fixed, reference};
use super::points::pivot;
use super::{Built, Mechanism};
use crate::mechanisms::Smooth;
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range};
use liedae_multibody::Drawing;
use liedae_multibody::plane::{Motion, PlaneBodyData, PlaneForce, PlaneJoint};

pub(crate) const GEAR_TRAIN: ProblemEntry = ProblemEntry {
    name: "gear-train",
    title: "five gear wheels in a row, four meshes, driven by a torque that pulsates",
    description: "Discs with radii of 20, 50, 30, 60 and 40 mm on fixed axes; a torque of 2 + 1 sin(omega t) N m drives the \
                  first from rest, a load of 1 N m holds the last one back. Rows hold ratios of angles that grow to \
                  thousands of radians; all motion is a closed form. Numbers are this project's own.",
    source: "own mechanism",
    parameters: &[ParameterInfo::new(
        "omega",
        20.0,
        "rad/s",
        Range::Positive,
        "angular frequency of the torque",
    )],
    build,
};

const T_END: f64 = 2.0;
const RADII: [f64; 5] = [0.02, 0.05, 0.03, 0.06, 0.04];
/// Mass of a disc per area of a square of its radius, in kg/m².
const AREA_DENSITY: f64 = 500.0;
/// Mean and amplitude of the torque, and the load, in N m.
const MEAN: f64 = 2.0;
const AMPLITUDE: f64 = 1.0;
const LOAD: f64 = 1.0;

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let omega = parameters.get("omega")?;
    let wheels = wheels();
    let places: Vec<[f64; 3]> = wheels.iter().map(|wheel| wheel.position).collect();
    let first = first_wheel(&wheels, omega);
    let positions = move |t: f64| {
        let angle = first(t);
        let placed = places.iter().zip(ratios());
        placed
            .map(|(place, ratio)| [fixed(place[0]), fixed(place[1]), angle * ratio])
            .collect()
    };
    Smooth::new(GEAR_TRAIN.name, T_END, "wheel5.theta")
        .with_reference(reference("closed form", &wheels, T_END, positions))
        .drawn(draw)
        .problem(mechanism(wheels, omega))
}

fn wheels() -> Vec<PlaneBodyData> {
    let mut x = -RADII[0];
    let wheels = RADII.into_iter().enumerate().map(|(index, radius)| {
        x += radius;
        let mass = AREA_DENSITY * radius * radius;
        let inertia = 0.5 * mass * radius * radius;
        let wheel = body(&format!("wheel{}", index + 1), mass, inertia, [x, 0.0, 0.0]);
        x += radius;
        wheel
    });
    wheels.collect()
}

/// Angles of all wheels by that of the first.
fn ratios() -> [f64; 5] {
    let mut sign = -1.0;
    RADII.map(|radius| {
        sign = -sign;
        sign * RADII[0] / radius
    })
}

fn mechanism(wheels: Vec<PlaneBodyData>, omega: f64) -> Built {
    let last = wheels.len() - 1;
    let mut joints: Vec<_> = wheels
        .iter()
        .enumerate()
        .map(|(index, wheel)| pivot(&wheels, index, [wheel.position[0], wheel.position[1]]))
        .collect();
    let meshes = RADII.windows(2).enumerate();
    joints.extend(
        meshes.map(|(index, pair)| PlaneJoint::Gear(index, index + 1, pair[1] / pair[0], 0.0)),
    );
    let torque = Motion::Harmonic {
        mean: MEAN,
        amplitude: AMPLITUDE,
        frequency: omega,
        phase: 0.0,
    };
    let forces = [
        PlaneForce::DrivenTorque([Some(0), None], torque),
        PlaneForce::Torque([Some(last), None], -LOAD * ratios()[last].signum()),
    ];
    Ok(Mechanism::new(wheels, [0.0, 0.0])?
        .with_joints(joints)?
        .with_forces(forces)?)
}

/// The first wheel's angle over time: J θ'' = M + A sin ωt, with what all wheels add to it.
fn first_wheel(wheels: &[PlaneBodyData], omega: f64) -> impl Fn(f64) -> Moving + use<> {
    let inertia: f64 = wheels
        .iter()
        .zip(ratios())
        .map(|(wheel, ratio)| wheel.inertia * ratio * ratio)
        .sum();
    let last = ratios()[RADII.len() - 1].abs();
    let (mean, amplitude) = ((MEAN - LOAD * last) / inertia, AMPLITUDE / inertia);
    move |t| {
        let (sine, cosine) = (omega * t).sin_cos();
        let angle = 0.5 * mean * t * t + amplitude * (t - sine / omega) / omega;
        Moving::new(angle, [mean * t + amplitude * (1.0 - cosine) / omega])
    }
}

fn draw(drawing: Drawing) -> Drawing {
    let wheels = RADII.into_iter().enumerate();
    wheels.fold(drawing, |drawing, (index, radius)| {
        drawing.disc(Some(index), [0.0, 0.0], radius)
    })
}
