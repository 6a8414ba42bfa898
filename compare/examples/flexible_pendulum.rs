//! A rubber rod on a hinge: `cargo run --release --example flexible_pendulum`. As the `liedae` command it draws it, too:
//! `cargo run --release --example flexible_pendulum -- run flexible-pendulum --method radau5 --animate pendulum.html`.

use liedae::prelude::*;
use liedae_compare::{Registry, main_with};
use liedae_multibody::*;
use liedae_problems::{Parameters, Problem, ProblemEntry, ProblemError};
use std::{error::Error, process::ExitCode};

const NAME: &str = "flexible-pendulum";

/// A rod of 1 m, 2 cm thick, let go on the level of its hinge.
fn rod() -> Result<MultibodySystem, AssemblyError> {
    let (hinge, end, axis) = ([0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]);
    let rubber = Material::new(5e6, 0.5, 1100.0);
    let section = Section::circle(&rubber, 0.01).with_retardation(5e-3);
    let mut mechanism = MultibodyBuilder::new();
    mechanism.gravity([0.0, 0.0, -9.81]);
    let rod = mechanism.add_beam(Beam::straight("rod", section, hinge, end, 12));
    let (first, last) = (rod.start(), rod.end());
    mechanism.add_joint(Joint::revolute("hinge", BodyId::GROUND, first, hinge, axis));
    mechanism.probe("end x", move |now| now.position(last).x);
    mechanism.probe("end z", move |now| now.position(last).z);
    mechanism.probe("bending moment", move |now| now.section_forces(&rod, 6)[4]);
    mechanism.build()
}

fn pendulum(_: &Parameters) -> Result<Problem, ProblemError> {
    let system = rod().map_err(|error| ProblemError::build(NAME, error))?;
    let drawing = system.drawing();
    Ok(Problem::new(NAME, system, 3.0).with_drawing(drawing))
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    if std::env::args().len() > 1 {
        let entry = ProblemEntry::new(NAME, pendulum).with_title("A rubber rod on a hinge");
        return Ok(main_with(&Registry::standard().with_problem(entry)?));
    }
    for name in ["radau5", "bdf", "hem5"] {
        let method = liedae_contact::methods().build(name, &MethodOptions::default())?;
        let (mut system, options) = (rod()?, Options::adaptive(0.5, 1e-5, 1e-5));
        let run = solve(&mut system, method.as_ref(), &options)?;
        let outputs = named_outputs(&mut system, &run.state)?;
        let steps = run.statistics.accepted;
        println!("{name:6} {outputs:.4?} after {steps} steps");
    }
    Ok(ExitCode::SUCCESS)
}
