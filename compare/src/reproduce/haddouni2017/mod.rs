//! Haddouni, Acary, Garreau, Beley, Brogliato 2017, section 4: Tables 3 and 4, Figs. 9 to 11 and 13, on the sets that there are,
//! doi:10.1007/s11044-017-9570-y.

mod beam;
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
use runs::{Cell, Form, Plan, TIME_LIMIT};
use settings::{LADDER, SAFETY, SETS, SOLVERS, STIFF, TOLERANCE, variant};

/// Pieces of work that are announced, about: one per problem, and for each form of generalized-α, the beam and the rotor.
pub const PIECES: usize = 90;

/// Problems of a quick pass, by set.
const QUICK: [(&str, &[&str]); 2] = [
    ("rigid", &["pendulum"]),
    ("contact", &["newton-cradle:n=3:gap=0.001", "press-machine"]),
];

/// What the experiments gave.
#[derive(Default)]
struct Results {
    cells: Vec<Cell>,
    forms: Vec<Form>,
    /// Table 4.
    beam: Vec<Cell>,
    run_up: Option<RunUp>,
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
            let plan = Plan {
                ladder,
                safeties,
                limit: TIME_LIMIT,
                thorough: true,
            };
            let cells = runs::problem(set, label, &mut case, &plan)?;
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
        progress("a beam that spins up");
        results.beam = beam::runs()?;
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
        DataFile::of_records("table4.csv", &results.beam)?,
    ];
    if let Some(run_up) = &results.run_up {
        files.push(DataFile::of_records("fig13.csv", &run_up.amplitudes)?);
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
