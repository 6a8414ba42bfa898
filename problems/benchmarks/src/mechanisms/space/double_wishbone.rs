//! A quarter of a car on double wishbones.

use super::Smooth;
use super::assembly::ROTATION;
use super::bodies::rod;
use super::quarter_car::{
    ARMS, BUSHING_COLUMNS, HUB, QuarterCar, RIMS, SPRING, SUSPENSION, TIE_ROD, bushing_law,
    bushing_row, tyre_law,
};
use super::shapes::tyre;
use super::tyre::RADIUS;
use crate::{ParameterInfo, Parameters, Problem, ProblemEntry, ProblemError, Range};
use liedae_multibody::{CartesianSpring, Frame, Joint, TranslationalSpring};
use nalgebra::Vector3;

pub(crate) const DOUBLE_WISHBONE: ProblemEntry = ProblemEntry {
    name: "double-wishbone",
    title: "quarter of a car on double wishbones over a wavy road, with a stiff tyre",
    description: "The chassis of 400 kg moves vertically, the upright of 40 kg is held by two arms on ball joints and a tie rod. Suspension 2e4 N/m and 1e3 N s/m, \
                  tyre 2e5 N/m and 50 N s/m on a road 0.02 m (1 - cos 9t): vertical forces only. With bushings=1 the ball joints are bushings of 1e7 N/m and \
                  1e3 N s/m in all directions, very stiff for explicit methods. Numbers are this project's own.",
    source: "own mechanism",
    parameters: &[
        ParameterInfo::new(
            "bushings",
            0.0,
            "1",
            Range::Choice(&["ball joints", "bushings of 1e7 N/m"]),
            "what holds the upright on its arms",
        ),
        ROTATION,
    ],
    build,
};

const BUSHING: [f64; 2] = [1e7, 1e3];

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    let soft = parameters.get("bushings")? != 0.0;
    let x = Vector3::x();
    let mut car = QuarterCar::new();
    let (chassis, upright) = (car.chassis, car.upright);
    let (mut bodies, mut bushings) = (Vec::new(), Vec::new());
    for (name, mass, pivot, ball) in ARMS {
        let [pivot, ball] = [pivot, ball].map(Vector3::from);
        let body_name = format!("{name} arm");
        let body = rod(&body_name, mass, 0.03, [pivot, ball]);
        // In the frames of the arm, along its x-axis, and of the upright, which stands unrotated.
        let half = Vector3::x() * (0.5 * (ball - pivot).norm());
        let arm = car.mechanism.add_body(body);
        let hinge = Joint::revolute(format!("{name} hinge"), chassis, arm, pivot, x);
        car.mechanism.add_joint(hinge);
        let name = format!("{name} ball");
        if soft {
            let points = [half, ball - Vector3::from(HUB)];
            bushings.push(bushing_row(
                &name,
                [body_name, "upright".to_owned()],
                points,
            ));
            let [stiffness, damping] = BUSHING;
            let bushing = CartesianSpring::bushing(stiffness, damping).between(points);
            car.mechanism.add_force(name, arm, upright, bushing);
        } else {
            car.mechanism
                .add_joint(Joint::spherical(name, arm, upright, ball));
        }
        bodies.push(arm);
    }
    let [inner, outer] = TIE_ROD;
    car.mechanism
        .add_joint(Joint::distance("tie rod", chassis, upright, inner, outer));
    let [top, seat] = SPRING.map(Vector3::from);
    let [stiffness, damping] = SUSPENSION;
    // About what carries the chassis at the start, by the lever of the lower arm.
    let load = 400.0 * 9.81 * (0.33 / 0.23);
    let free_length = (top - seat).norm() + load / stiffness;
    let ends = [top, seat].map(Frame::world_point);
    let spring =
        TranslationalSpring::new("spring", [chassis, bodies[0]], ends, stiffness, free_length);
    car.mechanism.add_spring(spring.with_damping(damping));
    let (t_end, step) = if soft { (2.0, 2e-5) } else { (5.0, 1e-3) };
    let mut formulation = tyre_law();
    if soft {
        formulation = formulation.with_table("bushings", BUSHING_COLUMNS, bushings);
        formulation.equations.push(bushing_law(BUSHING));
    }
    Smooth::new(DOUBLE_WISHBONE.name, t_end, "chassis.z")
        .with_step(step)
        .drawn(move |drawing| tyre(drawing, upright, RADIUS, RIMS))
        .mechanism(car.with_outputs(), parameters)
        .map(|problem| problem.with_formulation(formulation))
}
