//! A quarter of a car on a McPherson strut.

use super::Smooth;
use super::assembly::ROTATION;
use super::bodies::rod;
use super::quarter_car::{ARMS, QuarterCar, RIMS, SUSPENSION, TIE_ROD, tyre_law};
use super::shapes::tyre;
use super::tyre::RADIUS;
use crate::{Parameters, Problem, ProblemEntry, ProblemError};
use liedae_multibody::{Frame, Joint, TranslationalSpring};
use nalgebra::Vector3;

pub(crate) const MCPHERSON: ProblemEntry = ProblemEntry {
    name: "mcpherson",
    title: "quarter of a car on a McPherson strut over a wavy road, with a stiff tyre",
    description: "As double-wishbone, with a strut in the place of the upper arm: its rod hangs by a ball joint from the chassis and slides in the upright, a slide \
                  within a closed loop. Numbers are this project's own.",
    source: "own mechanism; E. S. McPherson, Vehicle wheel suspension system, US patent 2660449, 1953",
    parameters: &[ROTATION],
    build,
};

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let mut car = QuarterCar::new();
    let (chassis, upright) = (car.chassis, car.upright);
    let (_, mass, pivot, ball) = ARMS[0];
    let [pivot, ball] = [pivot, ball].map(Vector3::from);
    let arm = car
        .mechanism
        .add_body(rod("arm", mass, 0.03, [pivot, ball]));
    car.mechanism
        .add_joint(Joint::revolute("hinge", chassis, arm, pivot, Vector3::x()));
    car.mechanism
        .add_joint(Joint::spherical("ball", arm, upright, ball));
    let (top, foot) = (Vector3::new(0.0, 0.58, 0.85), Vector3::new(0.0, 0.66, 0.40));
    let strut = car
        .mechanism
        .add_body(rod("strut", 4.0, 0.015, [top, foot]));
    car.mechanism
        .add_joint(Joint::spherical("top mount", chassis, strut, top));
    let along = (foot - top).normalize();
    car.mechanism.add_joint(Joint::translational(
        "strut slide",
        strut,
        upright,
        foot,
        along,
    ));
    let [inner, outer] = TIE_ROD;
    car.mechanism
        .add_joint(Joint::distance("tie rod", chassis, upright, inner, outer));
    let [stiffness, damping] = SUSPENSION;
    let free_length = (foot - top).norm() + 400.0 * 9.81 / stiffness;
    let ends = [top, foot].map(Frame::world_point);
    let spring = TranslationalSpring::new("spring", [strut, upright], ends, stiffness, free_length);
    car.mechanism.add_spring(spring.with_damping(damping));
    Smooth::new(MCPHERSON.name, 5.0, "chassis.z")
        .drawn(move |drawing| tyre(drawing, upright, RADIUS, RIMS))
        .mechanism(car.with_outputs(), parameters)
        .map(|problem| problem.with_formulation(tyre_law()))
}
