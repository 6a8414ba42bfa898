//! The report of `liedae compare`.

use super::columns::columns;
use super::overview::{PARENTHESES, energy_words, overview};
use super::problem::problem_section;
use super::profiles::{at_equal_error, at_equal_tolerance, data_profiles};
use super::runs::Runs;
use super::solved::{fractions, spreads};
use super::{Page, Section, made_how};
use crate::comparison::Comparison;
use crate::error::{CommandError, Status};
use crate::provenance::{summary, warnings};

/// Puts the report together.
pub fn comparison(compared: &Comparison) -> Result<Page, CommandError> {
    let (plan, results) = (&compared.definition, compared.runs.as_slice());
    let failed = results
        .iter()
        .filter(|point| point.status != Status::Done)
        .count();
    let tolerances: Vec<String> = plan
        .tolerances
        .iter()
        .map(|tolerance| format!("{tolerance:e}"))
        .collect();
    let mut page = Page {
        title: "Comparison of methods".to_owned(),
        warnings: warnings(&compared.provenance),
        summary: vec![
            format!(
                "liedae {} compared {} variants of methods on {} problems: {} runs, {failed} failed; \
                 the runs that are reported took {:.1} s.",
                env!("CARGO_PKG_VERSION"),
                plan.variants.len(),
                plan.problems.len(),
                results.len(),
                results.iter().map(|point| point.wall_s).sum::<f64>()
            ),
            format!(
                "Adaptive runs: relative = absolute tolerance {}. Methods that step with a fixed size by default run \
                 on a ladder of steps as well: 4, 2, 1, 1/2 ... times the problem's default step, as many as there \
                 are tolerances. A run that takes more than {} s of CPU time is given up.",
                tolerances.join(", "),
                plan.time_limit_s
            ),
            "Times depend on the machine and on what else it did; the counts beside them do not. The times are those \
             of runs that nobody observed: errors and violations come from the final state and from a second run."
                .to_owned(),
        ],
        sections: Vec::new(),
    };
    page.summary.extend(shared_words(compared));
    let runs = Runs::new(plan, results, &compared.references);
    page.sections.push(at_a_glance(compared));
    if plan.variants.len() > 1 {
        page.sections.extend([
            fractions(&runs),
            at_equal_error(&runs)?,
            at_equal_tolerance(&runs)?,
            spreads(&runs)?,
            data_profiles(&runs)?,
        ]);
    }
    for problem in runs.problems() {
        page.sections.push(problem_section(&runs, problem)?);
    }
    page.sections
        .extend([columns(), made_how(&summary(&compared.provenance))]);
    Ok(page)
}

/// Says so where times were taken beside other work.
fn shared_words(compared: &Comparison) -> Option<String> {
    let shared = compared.runs.iter().filter(|point| point.shared).count();
    (shared > 0).then(|| {
        format!(
            "{shared} of {} runs were timed while other workers went on: CPU time says more than wall time there, and \
             `--retime` takes all times anew, one run after the other.",
            compared.runs.len()
        )
    })
}

fn at_a_glance(compared: &Comparison) -> Section {
    let (results, references) = (&compared.runs, &compared.references);
    let mut paragraphs = vec![
        "Every problem with every method at its tightest tolerance or smallest step; red where a run failed, and the \
         tables below say why. The error is that at the end, relative to the size of each output; – where there is no \
         reference that two methods confirm."
            .to_owned(),
    ];
    if results.iter().any(|point| point.events > 0) {
        paragraphs.push(format!(
            "The rise of the energy is the largest across one event, negative if all events lose energy, {PARENTHESES}. \
             The depth is the largest penetration of a contact at any step, in rad where a gap is an angle."
        ));
    }
    paragraphs.extend(energy_words(results, references));
    Section {
        heading: "At a glance".to_owned(),
        paragraphs,
        tables: vec![overview(compared)],
        ..Section::default()
    }
}
