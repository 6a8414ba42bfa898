//! Haddouni, Acary, Garreau, Beley, Brogliato 2017, section 3.4: the slider-crank with one constraint, Figs. 3 to 5,
//! doi:10.1007/s11044-017-9570-y.

mod claims;
mod efforts;
mod figures;

use super::claim::explained;
use super::{DataFile, Repetition};
use crate::error::{CommandError, Status};
use crate::experiment::{Choice, Control, Repeat, RunRequest, run};
use crate::registry::Registry;
use claims::Sizes;
use liedae::integrator::Projection;
use serde::Serialize;

/// The problem.
const PROBLEM: &str = "haddouni-slider-crank";

/// Methods of the paper: name and label.
const METHODS: [(&str, &str); 4] = [
    ("hem5", "HEM5"),
    ("dopri5", "DOPRI5"),
    ("generalized-alpha", "generalized-α, positions"),
    ("generalized-alpha-velocity", "generalized-α, velocities"),
];

/// Tolerances of Figs. 4 and 5.
const TOLERANCES: [f64; 7] = [1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8];

/// Pieces of work that are announced.
pub const PIECES: usize = METHODS.len() * TOLERANCES.len();

/// One run.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Cell {
    method: &'static str,
    tolerance: f64,
    done: bool,
    /// Average step in s.
    average_step: f64,
    accepted: usize,
    rejected: usize,
    force_evaluations: usize,
    factorizations: usize,
    newton_iterations: usize,
    wall_s: f64,
    /// Root mean square over the outputs of the error at the end, relative to the larger of the output and 1.
    error: f64,
    violation_position: f64,
    violation_velocity: f64,
    violation_acceleration: f64,
    reason: String,
}

/// Runs the experiments and judges the claims.
pub fn repeat(quick: bool, progress: &mut dyn FnMut(&str)) -> Result<Repetition, CommandError> {
    let tolerances = if quick {
        &TOLERANCES[..3]
    } else {
        &TOLERANCES[..]
    };
    let mut cells = Vec::new();
    for (name, label) in METHODS {
        for &tolerance in tolerances {
            progress(&format!("{label}, tolerance {tolerance:e}"));
            cells.push(cell(name, tolerance)?);
        }
    }
    let failures = cells
        .iter()
        .filter(|cell| !cell.done)
        .map(|cell| format!("{} at {:e}: {}", cell.method, cell.tolerance, cell.reason))
        .collect();
    let case = Registry::standard().case::<&str>(PROBLEM, &[], None)?;
    let parameter = |name: &str| {
        let mut all = case.parameters.iter();
        let found = all.find_map(|(info, value)| (info.name == name).then_some(value));
        found.unwrap_or(f64::NAN)
    };
    let length = parameter("l1");
    let sizes = Sizes {
        length,
        speed: length * parameter("omega1").abs(),
    };
    let mut claims = claims::claims(&cells, sizes);
    explained(&mut claims, quick);
    Ok(Repetition {
        paper: "haddouni2017-academic",
        page: figures::page(&cells, &claims, &case, quick)?,
        files: vec![DataFile::of_records("fig4_5.csv", &cells)?],
        claims,
        failures,
    })
}

fn cell(method: &'static str, tolerance: f64) -> Result<Cell, CommandError> {
    let case = Registry::standard().case::<&str>(PROBLEM, &[], None)?;
    let span = case.t_end - case.problem.system.initial_state().t;
    // As in the paper's academic examples, nothing is projected.
    let own = Registry::standard().choice(method)?.projection();
    let mut request = RunRequest {
        case,
        choice: Choice::parse(&liedae_contact::methods(), method)?.with_options(
            &liedae_contact::methods(),
            own.map(|_| Projection::Never),
            None,
        )?,
        control: Control::Adaptive {
            rtol: tolerance,
            atol: tolerance,
        },
        max_steps: None,
        time_limit: None,
        repeat: Some(Repeat::SHORT),
        watch: Default::default(),
    };
    let report = run(&mut request, None)?;
    let errors: Vec<f64> = report
        .error
        .0
        .iter()
        .filter_map(|(name, error)| {
            let value = report.outputs.0.iter().find(|(other, _)| other == name)?.1;
            Some(error / value.abs().max(1.0))
        })
        .collect();
    let squares: f64 = errors.iter().map(|error| error * error).sum();
    Ok(Cell {
        method,
        tolerance,
        done: report.status == Status::Done,
        average_step: span / report.steps.accepted.max(1) as f64,
        accepted: report.steps.accepted,
        rejected: report.steps.rejected,
        force_evaluations: report.evaluations.force,
        factorizations: report.factorizations,
        newton_iterations: report.newton_iterations,
        wall_s: report.wall_s,
        error: (squares / errors.len().max(1) as f64).sqrt(),
        violation_position: report.violation.position,
        violation_velocity: report.violation.velocity,
        violation_acceleration: report.violation.acceleration,
        reason: report.reason,
    })
}
