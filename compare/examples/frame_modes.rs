//! The modes of a portal frame: `cargo run --release --example frame_modes`. As the `liedae` command it draws one of them, too:
//! `cargo run --release --example frame_modes -- run frame-mode --set mode=2 --method hem5 --animate mode.html`.

use liedae::{analysis::linearize, prelude::*, system::Evaluator};
use liedae_compare::{Registry, main_with};
use liedae_multibody::*;
use liedae_problems::*;
use std::{error::Error, f64::consts::TAU, process::ExitCode};

const NAME: &str = "frame-mode";
const MODES: Range = Range::Integer(1, 20);
const WHICH: &[ParameterInfo] = &[ParameterInfo::new("mode", 1.0, "1", MODES, "which one")];

/// Steel tubes of 3 m: two columns, clamped at their feet, and a girder welded to them.
fn frame() -> Result<MultibodySystem, AssemblyError> {
    let tube = Section::tube(&Material::new(2.1e11, 0.3, 7850.0), 0.03, 0.026);
    let corners = [[0.0; 3], [0.0, 0.0, 3.0], [3.0, 0.0, 3.0], [3.0, 0.0, 0.0]];
    let (mut mechanism, mut before) = (MultibodyBuilder::new(), BodyId::GROUND);
    for (from, name) in ["left", "girder", "right"].into_iter().enumerate() {
        let ends = [corners[from], corners[from + 1]];
        let beam = mechanism.add_beam(Beam::straight(name, tube.clone(), ends[0], ends[1], 8));
        mechanism.add_joint(Joint::fixed(name, before, beam.start(), ends[0]));
        before = beam.end();
    }
    mechanism.add_joint(Joint::fixed("foot", before, BodyId::GROUND, corners[3]));
    mechanism.build()
}

/// Two periods in one mode: its amplitude is the only coordinate, and the drawing follows it.
fn swinging(which: usize) -> Result<Problem, Box<dyn Error>> {
    let mut frame = frame()?;
    let (rest, drawing) = (frame.initial_state(), frame.drawing());
    let modes = linearize(&mut Evaluator::new(&mut frame), &rest, None)?.modes()?;
    let mode = modes.into_iter().nth(which - 1).ok_or("it has no more")?;
    let (rate, swing) = (mode.eigenvalue.im, liedae::model([0.3], [0.0]).mass(1.0));
    let swing = swing.force(move |_t, [a], _v| [a * (-rate * rate)]);
    let bent = drawing.clone().placed_by(move |now, poses| {
        let by: Vec<f64> = mode.shape.iter().map(|part| part[0] * now.q[0]).collect();
        let mut state = rest.clone();
        frame.layout().space.retract(&rest.q, &by, &mut state.q);
        poses.clone_from_slice(&drawing.place(&state));
    });
    Ok(Problem::new(NAME, swing.build()?, 2.0 * TAU / rate).with_drawing(bent))
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    if std::env::args().len() > 1 {
        let entry = ProblemEntry::new(NAME, |given| {
            let problem = swinging(given.get("mode")? as usize);
            problem.map_err(|error| ProblemError::build(NAME, error))
        });
        let registry = Registry::standard().with_problem(entry.with_parameters(WHICH))?;
        return Ok(main_with(&registry));
    }
    for which in 1..=6 {
        println!("mode {which}: {:.3} Hz", 2.0 / swinging(which)?.t_end);
    }
    Ok(ExitCode::SUCCESS)
}
