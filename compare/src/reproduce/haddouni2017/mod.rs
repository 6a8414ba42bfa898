//! Haddouni, Acary, Garreau, Beley, Brogliato 2017, section 4: Tables 3 and 4, Figs. 9 to 11 and 13, on sets 1 to 3 of the open test set,
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
use liedae_problems::catalogue::TEST_SETS;
use rotor::RunUp;
use runs::{Cell, Form, Place, Plan, TIME_LIMIT};
use settings::{IMPACTS, LADDER, SAFETY, SETS, SMOOTH, SOLVERS, TOLERANCE, variant};
use statistics::stiff;

/// Pieces of work that are announced: references, runs, forms of generalized-α, the beam and the rotor.
pub const PIECES: usize = 1 + 115 + 69 + 2;

/// Rows of a quick pass, by set.
const QUICK: [(&str, &[&str]); 2] = [(SMOOTH, &["s1-007"]), (IMPACTS, &["s2-005", "s2-015"])];

/// What the experiments gave.
#[derive(Default)]
struct Results {
    cells: Vec<Cell>,
    forms: Vec<Form>,
    /// Table 4.
    beam: Vec<Cell>,
    run_up: Option<RunUp>,
    /// Identifiers of the rows in which stability limits the steps of explicit methods.
    stiff: Vec<&'static str>,
}

impl Results {
    fn is_stiff(&self, id: &str) -> bool {
        self.stiff.contains(&id)
    }
}

/// The rows of the three sets, or those of a quick pass.
fn places(quick: bool) -> Vec<Place> {
    let sets = TEST_SETS
        .iter()
        .filter(|set| SETS.iter().any(|wanted| wanted.set == set.name));
    let rows = sets.flat_map(|set| {
        let rows = set.rows.iter();
        rows.map(|row| Place { set: set.name, row })
    });
    let is_quick = |place: &Place| {
        let chosen = QUICK.iter().find(|(set, _)| *set == place.set);
        chosen.is_some_and(|(_, ids)| ids.contains(&place.row.id))
    };
    rows.filter(|place| !quick || is_quick(place)).collect()
}

/// Runs the experiments and judges the claims.
pub fn repeat(quick: bool, progress: &mut dyn FnMut(&str)) -> Result<Repetition, CommandError> {
    let places = places(quick);
    progress("references of all problems");
    let truths = runs::truths(&places);
    let (ladder, safeties) = if quick {
        (&[TOLERANCE][..], &SAFETY[..1])
    } else {
        (&LADDER[..], &SAFETY[..])
    };
    let plan = Plan {
        ladder,
        safeties,
        limit: TIME_LIMIT,
        thorough: true,
    };
    let mut results = Results::default();
    for (place, truth) in places.iter().zip(&truths) {
        progress(&format!("{} {}", place.row.id, place.row.problem));
        let cells = runs::problem(*place, truth.as_ref(), &plan)?;
        results.cells.extend(cells);
    }
    results.stiff = stiff(&results.cells);
    if !quick {
        let calm = |place: &&Place| place.set == SMOOTH && !results.is_stiff(place.row.id);
        let mut forms = Vec::new();
        for place in places.iter().filter(calm) {
            progress(&format!("forms of generalized-α: {}", place.row.id));
            forms.extend(runs::forms(*place)?);
        }
        results.forms = forms;
        progress("a beam that spins up");
        let mut known = places.iter().zip(&truths);
        if let Some((place, truth)) = known.find(|(place, _)| place.row.id == beam::ROW) {
            results.beam = beam::runs(*place, truth.as_ref())?;
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
