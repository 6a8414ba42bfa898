//! Table 5 and the iterations of Figs. 9 to 11 beside what was measured here.

use super::Results;
use crate::error::CommandError;
use crate::report::{Page, Section, TextTable};
use crate::reproduce::{Claim, claim_table};

/// The whole report.
pub(super) fn page(results: &Results, claims: &[Claim], quick: bool) -> Result<Page, CommandError> {
    let held = claims
        .iter()
        .filter(|claim| claim.holds == Some(true))
        .count();
    let mut page = Page {
        title: "Haug, Negrut, Iancu 1997, repeated".to_owned(),
        summary: vec![
            format!(
                "Made by `liedae reproduce haug1997`, liedae {}: section 4 of E. J. Haug, D. Negrut, M. Iancu, A \
                 state-space-based implicit integration algorithm for differential-algebraic equations of multibody \
                 dynamics, doi:10.1080/08905459708905292.",
                env!("CARGO_PKG_VERSION")
            ),
            format!("{held} of {} claims hold.", claims.len()),
            "The printed tables of the paper have lost the stiffnesses and damping constants of the double pendulum and \
             of the slider-crank; those here are stand-ins (see `liedae describe`), so that steps in seconds cannot be \
             compared with the paper's, only their ratios. A step fails when Newton's method exceeds the limit of \
             iterations, which the paper does not state: both limits are shown."
                .to_owned(),
        ],
        sections: Vec::new(),
    };
    if quick {
        page.summary
            .push("A quick pass over one mechanism: not all claims are measured.".to_owned());
    }
    page.sections.push(Section {
        heading: "Claims".to_owned(),
        tables: vec![claim_table(claims)],
        ..Section::default()
    });
    let header = [
        "mechanism",
        "iteration limit",
        "exact: largest h / s",
        "quasi-Newton",
        "ratio",
        "paper",
        "exact: iterations",
        "quasi-Newton",
        "ratio",
    ];
    page.sections.push(Section {
        heading: "Table 5 and Figures 9 to 11: largest steps, and iterations at the quasi-Newton method's".to_owned(),
        tables: vec![TextTable {
            header: header.map(str::to_owned).into(),
            rows: results
                .searches
                .iter()
                .map(|search| {
                    vec![
                        search.mechanism.to_owned(),
                        search.limit.to_string(),
                        format!("{:.2e}", search.exact_step),
                        format!("{:.2e}", search.quasi_step),
                        format!("{:.2}", search.exact_step / search.quasi_step),
                        format!("{:.1}", search.published_exact / search.published_quasi),
                        format!("{:.2}", search.exact_iterations),
                        format!("{:.2}", search.quasi_iterations),
                        format!("{:.2}", search.exact_iterations / search.quasi_iterations),
                    ]
                })
                .collect(),
            ..TextTable::default()
        }],
        ..Section::default()
    });
    let header = ["method", "step / s", "steps", "error at the end"];
    page.sections.push(Section {
        heading: "Seven bodies: steps for the same error".to_owned(),
        tables: vec![TextTable {
            header: header.map(str::to_owned).into(),
            rows: results
                .efforts
                .iter()
                .map(|effort| {
                    vec![
                        effort.method.to_owned(),
                        format!("{:.2e}", effort.step),
                        effort.steps.to_string(),
                        format!("{:.1e}", effort.error),
                    ]
                })
                .collect(),
            ..TextTable::default()
        }],
        ..Section::default()
    });
    Ok(page)
}
