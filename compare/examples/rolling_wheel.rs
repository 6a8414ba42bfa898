//! A wheel that is thrown onto a rough plane, skids and comes to roll: `cargo run --release --example rolling_wheel`. As the `liedae`
//! command it draws it, too:
//! `cargo run --release --example rolling_wheel -- run rolling-wheel --method radau5 --animate wheel.html`.

use liedae::prelude::*;
use liedae_compare::{Registry, main_with};
use liedae_contact::{NonsmoothOptions, NonsmoothSystem};
use liedae_multibody::*;
use liedae_problems::{Parameters, Problem, ProblemEntry, ProblemError};
use std::{error::Error, f64::consts::FRAC_PI_2, process::ExitCode};

const NAME: &str = "rolling-wheel";

/// A hoop of 1 kg, 0.3 m and 2 cm of width that leans by 0.1 rad, skids forwards and sideways.
fn wheel() -> Result<MultibodySystem, AssemblyError> {
    let (radius, half_length, lean): (f64, f64, f64) = (0.3, 0.01, 0.1);
    // Its axle is the z-axis of the body.
    let turned = Rotation3::from_axis_angle(&Vector3::x_axis(), -FRAC_PI_2 - lean);
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, 0.0, -9.81]);
    let hoop = RigidBody::new("wheel", 1.0, [0.045, 0.045, 0.09]).rotated(turned.into_inner());
    let hoop = hoop.at([0.0, 0.0, radius * lean.cos() + half_length * lean.sin()]);
    let hoop = mechanism.add_body(hoop.moving([3.0, 0.4, 0.0], [0.0, -0.5, 4.0]));
    let floor = Surface::half_space(BodyId::GROUND, [0.0; 3], [0.0, 0.0, 1.0]);
    let cylinder = Shape::Cylinder {
        radius,
        half_length,
    };
    let rim = Surface::new(hoop, Frame::local_point([0.0; 3]), cylinder);
    mechanism.add_contact(SurfaceContact::new("floor", floor, rim).with_friction(0.6));
    mechanism.probe("x", move |now| now.position(hoop).x);
    mechanism.probe("lean", move |now| -now.rotation(hoop)[(2, 2)].asin());
    mechanism.build()
}

fn rolling(_: &Parameters) -> Result<Problem, ProblemError> {
    let wheel = wheel().map_err(|error| ProblemError::build(NAME, error))?;
    let drawing = wheel.drawing();
    let system = NonsmoothSystem::new(wheel, NonsmoothOptions::default());
    let system = system.map_err(|error| ProblemError::build(NAME, error))?;
    Ok(Problem::new(NAME, system, 3.0).with_drawing(drawing))
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let entry = ProblemEntry::new(NAME, rolling).with_title("A wheel on a rough plane");
    if std::env::args().len() > 1 {
        return Ok(main_with(&Registry::standard().with_problem(entry)?));
    }
    for name in ["hem5", "radau5"] {
        let method = liedae_contact::methods().build(name, &MethodOptions::default())?;
        let (mut problem, options) = (entry.build_with(&[])?, Options::adaptive(3.0, 1e-8, 1e-8));
        let run = solve(&mut problem.system, method.as_ref(), &options)?;
        let outputs = named_outputs(&mut problem.system, &run.state)?;
        let rolls = run.events.iter().find(|event| event.kind == "stick");
        let rolls = rolls.map(|event| event.t);
        println!("{name:6} rolls from {rolls:.6?} s on: {outputs:.5?}");
    }
    Ok(ExitCode::SUCCESS)
}
