//! Haddouni, Acary, Garreau, Beley, Brogliato 2017, section 4: Table 3, Figs. 9 to 11 and 13, on the sets that there are,
//! doi:10.1007/s11044-017-9570-y.

mod claims;
mod figures;
mod rotor;
mod runs;
mod settings;
mod statistics;

use super::claim::explained;
use super::{DataFile, Repetition};
use crate::error::CommandError;
use crate::experiment::{Instance, problem_sets};
use crate::registry::Registry;
use rotor::RunUp;
use runs::{Cell, Form};
use serde::Serialize;
use settings::{LADDER, SAFETY, SETS, SOLVERS, STIFF, TOLERANCE, variant};

/// Pieces of work that are announced, about: one per problem, and for each form of generalized-α and the rotor.
pub const PIECES: usize = 90;

/// Problems of a quick pass, by set.
const QUICK: [(&str, &[&str]); 2] = [
    ("smooth", &["pendulum"]),
    ("contact", &["newton-cradle:n=3:gap=0.001", "press-machine"]),
];

/// What the experiments gave.
#[derive(Default)]
struct Results {
    cells: Vec<Cell>,
    forms: Vec<Form>,
    run_up: Option<RunUp>,
}

/// Fig. 13 as data.
#[derive(Serialize)]
struct Amplitude {
    speed: f64,
    amplitude: f64,
    accurate: f64,
}

impl Results {
    fn add_set(
        &mut self,
        set: &'static str,
        problems: &[&'static str],
        quick: bool,
        progress: &mut dyn FnMut(&str),
    ) -> Result<(), CommandError> {
        let (ladder, safeties) = if quick {
            (&[TOLERANCE][..], &SAFETY[..1])
        } else {
            (&LADDER[..], &SAFETY[..])
        };
        for label in problems {
            progress(&format!("{set}: {label}"));
            let mut case = Instance::read(Registry::standard().problems(), label)?.build()?;
            let cells = runs::problem(set, label, &mut case, ladder, safeties)?;
            self.cells.extend(cells);
        }
        Ok(())
    }
}

/// Runs the experiments and judges the claims.
pub fn repeat(quick: bool, progress: &mut dyn FnMut(&str)) -> Result<Repetition, CommandError> {
    let mut results = Results::default();
    if quick {
        for (set, problems) in QUICK {
            results.add_set(set, problems, quick, progress)?;
        }
    } else {
        let sets = problem_sets(Registry::standard().problems());
        for wanted in &SETS {
            let found = sets.iter().find(|set| set.name == wanted.set);
            let problems = found.map(|set| set.problems.clone()).unwrap_or_default();
            results.add_set(wanted.set, &problems, quick, progress)?;
            if wanted.number == 1 {
                for problem in problems.iter().filter(|problem| !STIFF.contains(problem)) {
                    progress(&format!("forms of generalized-α: {problem}"));
                    results.forms.extend(runs::forms(problem)?);
                }
            }
        }
        progress("a rotor");
        let explicit: Vec<_> = SOLVERS
            .iter()
            .filter(|solver| solver.projects)
            .map(|solver| (solver.name, variant(solver, SAFETY[1])))
            .collect();
        results.run_up = Some(rotor::run_up(&explicit)?);
    }
    let mut claims = claims::claims(&results);
    explained(&mut claims, quick);
    let mut files = vec![
        DataFile::of_records("runs.csv", &results.cells)?,
        DataFile::of_records("forms.csv", &results.forms)?,
    ];
    if let Some(run_up) = &results.run_up {
        let pairs = run_up.found.iter().zip(&run_up.truth);
        let amplitudes: Vec<Amplitude> = pairs
            .map(|(found, truth)| Amplitude {
                speed: found.0,
                amplitude: found.1,
                accurate: truth.1,
            })
            .collect();
        files.push(DataFile::of_records("fig13.csv", &amplitudes)?);
        files.push(DataFile::of_records(
            "rotor_explicit.csv",
            &run_up.explicit,
        )?);
    }
    Ok(Repetition {
        paper: "haddouni2017",
        page: figures::page(&results, &claims, quick)?,
        files,
        claims,
        // A method that fails is a result.
        failures: Vec::new(),
    })
}
