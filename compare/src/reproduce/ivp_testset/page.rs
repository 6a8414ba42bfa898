//! The tables of the report.

use super::{ERROR_FACTOR, End, MARGIN, Steps};
use crate::report::{Page, Section, TextTable};
use crate::reproduce::claim::{class, headline, short, tables};
use crate::reproduce::{Claim, Verdict};

/// The whole report.
pub(super) fn page(steps: &[Steps], ends: &[End], claims: &[Claim], quick: bool) -> Page {
    let mut summary = vec![
        format!(
            "Made by `liedae reproduce ivp-testset`, liedae {}: `radau5` beside runs of RADAU5, `bdf` beside runs of \
             CVODE and IDA, and both beside the end values of the Test Set for IVP Solvers.",
            env!("CARGO_PKG_VERSION")
        ),
        headline(claims),
        format!(
            "A run agrees with a published one if its accepted steps are within {:.0} % and its error, where the published one is known, \
             within a factor of {ERROR_FACTOR} in either direction. End values have regression bounds: digits below those that \
             were reached when a row was made.",
            100.0 * MARGIN
        ),
    ];
    if quick {
        summary.push("A quick pass over the first rows.".to_owned());
    }
    let section = |heading: &str, table| Section {
        heading: heading.to_owned(),
        tables: vec![table],
        ..Section::default()
    };
    Page {
        title: "Published runs and end values".to_owned(),
        summary,
        sections: vec![
            Section {
                heading: "Verdicts".to_owned(),
                tables: tables(claims),
                ..Section::default()
            },
            Section {
                heading: "Steps".to_owned(),
                tables: vec![steps_table(steps), sources_table(steps)],
                ..Section::default()
            },
            section("End values", ends_table(ends)),
        ],
        ..Page::of_this_build()
    }
}

fn class_of(holds: bool) -> String {
    class(Verdict::from(holds)).to_owned()
}

fn steps_table(steps: &[Steps]) -> TextTable {
    let header = [
        "problem",
        "index",
        "code / method",
        "rtol, atol",
        "first step / s",
        "accepted",
        "rejected",
        "failed otherwise",
        "error",
        "accepted at no larger error",
        "agreement",
    ];
    let both = |published: String, here: String| format!("{published} / {here}");
    let rows = steps.iter().map(|row| {
        let errors = row.published_error.zip(row.error);
        vec![
            row.title.to_owned(),
            row.index().to_owned(),
            both(row.code.to_owned(), row.method.to_owned()),
            format!("{}, {}", short(row.rtol), row.atol),
            row.first_step
                .map_or_else(String::new, |step| format!("{step:e}")),
            both(row.published_accepted.to_string(), row.accepted.to_string()),
            both(row.published_rejected.to_string(), row.rejected.to_string()),
            row.failed.to_string(),
            errors.map_or_else(String::new, |(published, here)| {
                both(format!("{published:.1e}"), format!("{here:.1e}"))
            }),
            row.equal_error_accepted
                .map_or_else(String::new, |accepted| accepted.to_string()),
            if row.agrees() { "yes" } else { "no" }.to_owned(),
        ]
    });
    TextTable {
        caption: "Published / here. Errors at the end: of Andrews' angles in rad, of the pendulum's height in m, of y1 of Robertson's problem. \
                  Attempts that fail otherwise than by the error test are not published."
            .to_owned(),
        header: header.map(str::to_owned).into(),
        rows: rows.collect(),
        classes: steps
            .iter()
            .map(|row| if row.agrees() { "good" } else { "far" }.to_owned())
            .collect(),
        ..TextTable::default()
    }
}

/// Where the published runs are from.
fn sources_table(steps: &[Steps]) -> TextTable {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for row in steps {
        let cells = [row.code, row.title, row.source]
            .map(str::to_owned)
            .to_vec();
        if !rows.contains(&cells) {
            rows.push(cells);
        }
    }
    TextTable {
        caption: "Sources of the published runs.".to_owned(),
        header: ["code", "problem", "source"].map(str::to_owned).into(),
        rows,
        ..TextTable::default()
    }
}

fn ends_table(ends: &[End]) -> TextTable {
    let header = [
        "problem",
        "method",
        "tolerance",
        "accepted",
        "rejected",
        "digits",
        "regression bound",
    ];
    TextTable {
        caption: "Relative tolerance; the absolute one is that times the problem's scale."
            .to_owned(),
        header: header.map(str::to_owned).into(),
        rows: ends
            .iter()
            .map(|row| {
                vec![
                    row.problem.to_owned(),
                    row.method.to_owned(),
                    format!("{:e}", row.tolerance),
                    row.accepted.to_string(),
                    row.rejected.to_string(),
                    format!("{:.1}", row.digits),
                    row.expected.to_string(),
                ]
            })
            .collect(),
        classes: ends.iter().map(|row| class_of(row.holds)).collect(),
        ..TextTable::default()
    }
}
