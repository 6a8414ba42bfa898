//! The tables of the report.

use super::Results;
use super::claims::{accurate_ratio, iteration_ratio, shown, step_ratio};
use super::experiments::{AMPLE, Predictor, Search};
use super::mechanisms::MECHANISMS;
use crate::report::TextTable;
use crate::reproduce::trajectory::Rung;

fn table(caption: &str, header: &[&str], rows: impl Iterator<Item = Vec<String>>) -> TextTable {
    TextTable {
        caption: caption.to_owned(),
        header: header.iter().map(|&name| name.to_owned()).collect(),
        rows: rows.collect(),
        ..TextTable::default()
    }
}

/// A number, or that there is none.
fn or_fails(value: Option<f64>, format: impl Fn(f64) -> String) -> String {
    value.map_or_else(|| "fails".to_owned(), format)
}

fn scientific(value: f64) -> String {
    format!("{value:.2e}")
}

fn fixed(value: f64) -> String {
    format!("{value:.2}")
}

fn or_dash(value: Option<f64>, format: impl Fn(f64) -> String) -> String {
    value.map_or_else(|| "\u{2013}".to_owned(), format)
}

fn step(rung: Option<Rung>) -> String {
    or_fails(rung.map(|rung| rung.step), scientific)
}

/// Numbers of IMPL and FV in one cell.
fn both(implicit: String, fv: String) -> String {
    format!("{implicit} / {fv}")
}

/// Both predictors side by side.
pub(super) fn table5(results: &Results) -> TextTable {
    let header = [
        "mechanism",
        "paper",
        "ratio",
        "predictor (sec. 3.3)",
        "ratio",
        "of accurate steps",
        "predictor (liedae)",
        "ratio",
        "of accurate steps",
    ];
    let rows = MECHANISMS.iter().filter_map(|mechanism| {
        let [exact, quasi] = mechanism.model.published();
        let mut row = vec![
            mechanism.title.to_owned(),
            both(exact.to_string(), quasi.to_string()),
            fixed(exact / quasi),
        ];
        for predictor in Predictor::BOTH {
            let search = results.searches.iter().find(|search| {
                search.predictor == predictor
                    && search.is_main()
                    && search.mechanism.title == mechanism.title
            })?;
            row.push(both(
                step(search.exact.largest()),
                step(search.quasi.largest()),
            ));
            row.push(or_dash(step_ratio(search), shown));
            row.push(or_dash(accurate_ratio(search), shown));
        }
        Some(row)
    });
    table(
        "Largest convergent steps in s, IMPL / FV; ratios within the resolution of 10 % are 1.",
        &header,
        rows,
    )
}

pub(super) fn limits(searches: &[Search]) -> TextTable {
    let header = [
        "mechanism",
        "predictor",
        "limit",
        "residual",
        "accurate steps",
        "ratio",
        "iterations",
        "ratio",
        "convergent steps",
        "errors",
        "ratio",
    ];
    let rows = searches.iter().map(|search| {
        let iterations = search.iterations().map(|(_, both)| both);
        let (exact, quasi) = (search.exact.largest(), search.quasi.largest());
        let error = |rung: Option<Rung>| {
            or_fails(rung.map(|rung| rung.error), |error| format!("{error:.1e}"))
        };
        vec![
            search.mechanism.title.to_owned(),
            search.predictor.short().to_owned(),
            search.limit.to_string(),
            format!("{:e}", search.tolerance),
            both(step(search.exact.accurate()), step(search.quasi.accurate())),
            or_dash(accurate_ratio(search), shown),
            both(
                or_dash(iterations.map(|both| both[0]), fixed),
                or_dash(iterations.map(|both| both[1]), fixed),
            ),
            or_dash(iteration_ratio(search), fixed),
            both(step(exact), step(quasi)),
            both(error(exact), error(quasi)),
            or_dash(step_ratio(search), shown),
        ]
    });
    table(
        "IMPL / FV; steps in s, errors relative to the range of motion; iterations per step at the largest step that is accurate with both.",
        &header,
        rows,
    )
}

pub(super) fn iterations(results: &Results) -> TextTable {
    let header = [
        "mechanism",
        "predictor",
        "h / s",
        "residual",
        "error of IMPL",
        "IMPL",
        "FV",
        "ratio",
    ];
    let rows = results.curves.iter().map(|curves| {
        let ratio = curves.exact.mean.zip(curves.quasi.mean);
        vec![
            curves.mechanism.title.to_owned(),
            curves.predictor.short().to_owned(),
            curves.step.to_string(),
            format!("{:e}", curves.tolerance),
            or_fails(curves.error, scientific),
            or_fails(curves.exact.mean, fixed),
            or_fails(curves.quasi.mean, fixed),
            or_dash(ratio.map(|(exact, quasi)| exact / quasi), fixed),
        ]
    });
    let caption = format!(
        "Iterations per step at the paper's steps, by tolerance of the residual; a step fails with more than {AMPLE}. Errors are relative to the \
         range of motion."
    );
    table(&caption, &header, rows)
}

pub(super) fn factors(results: &Results) -> TextTable {
    let header = ["mechanism", "h / s", "largest", "mean"];
    let rows = results.factors.iter().map(|factor| {
        vec![
            factor.mechanism.to_owned(),
            factor.step.to_string(),
            or_fails(factor.largest, scientific),
            or_fails(factor.mean, scientific),
        ]
    });
    table(
        "Spectral radius of I - \u{3a0}\u{207b}\u{b9} \u{3a8}' over the steps of a run of IMPL with the predictor of liedae.",
        &header,
        rows,
    )
}

pub(super) fn explicit(results: &Results) -> TextTable {
    let header = [
        "mechanism",
        "predictor",
        "EXPL: largest accurate h / s",
        "IMPL: largest accurate h / s",
        "ratio",
        "IMPL: largest convergent h / s",
        "ratio",
    ];
    let rows = results.explicit.iter().map(|found| {
        let ratio = |step: Option<f64>| {
            let pair = step.zip(found.explicit_step);
            or_dash(pair.map(|(step, other)| step / other), |ratio| {
                format!("{ratio:.0}")
            })
        };
        vec![
            found.mechanism.to_owned(),
            found.predictor.short().to_owned(),
            or_fails(found.explicit_step, scientific),
            or_fails(found.implicit_step, scientific),
            ratio(found.implicit_step),
            or_fails(found.implicit_largest, scientific),
            ratio(found.implicit_largest),
        ]
    });
    table(
        "The paper has 0.02 s (IMPL) and 0.00012 s (EXPL), ratio 167; Table 5 has 0.015 s for the same pendulum.",
        &header,
        rows,
    )
}
