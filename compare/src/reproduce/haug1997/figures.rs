//! Table 5 and the iterations of Figs. 9 to 11 beside what was measured here.

use super::Results;
use super::claims::{iteration_ratio, step_ratio};
use super::experiments::{AMPLE, Search};
use crate::error::CommandError;
use crate::report::{Axis, Chart, Figure, LineStyle, Page, Section, Series, TextTable};
use crate::reproduce::{Claim, claim_table};

/// What the paper leaves open, and what was put in its place.
const SETTINGS: &str = "The printed tables of the paper have lost the stiffnesses and damping constants of the double \
    pendulum and of the slider-crank, and the initial positions of the former; those here are stand-ins (see `liedae \
    describe`), so that steps in seconds cannot be compared with the paper's, only their ratios. Of the seven bodies \
    nothing is lost. The slider-crank has two freedoms in the text, and one with a guide: both are shown. As in step 6 of \
    section 3.3 the residual ends an iteration, before a correction is computed, here at 1e-10 of the forces; both methods \
    count corrections. A step fails when they exceed a limit. The paper states neither tolerance nor limit; claims are judged \
    with a limit of 12, and the others are shown.";

/// Why results differ from the paper's.
const CAUSES: &str = "Close to the solution an iteration with the quasi-Newton matrix \u{3a0} shrinks the error by the spectral \
    radius of I - \u{3a0}\u{207b}\u{b9} \u{3a8}', \u{3a8}' the exact matrix (eq. 29), which differs from \u{3a0} by eq. 40. \
    It depends on the independent coordinates: it is large where a stiff torque acts on a rotation that depends on Cartesian \
    coordinates, as full pivoting chooses them in the double pendulum. With a guide the slider-crank has one freedom w and \
    the tip x(w): the factor is about h k s |x''| / ((2 c + h k) x'\u{b2}), s the stretch of the spring, below 0.04 with the \
    stand-in's stretch for any k, c and h, so that the quasi-Newton matrix is as good as exact. With two freedoms, as the \
    text has it, it is not. On the seven bodies the factor stays below 0.3 along the motion: the paper's largest \
    quasi-Newton step of 1e-4 s does not follow from its eq. 40. Steps of which all equations are solved need not be \
    accurate: trapezoidal steps ring, and Newton's method may find other solutions of the equations of a step, as it does on \
    the seven bodies from 4.6e-3 s on.";

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
            SETTINGS.to_owned(),
            CAUSES.to_owned(),
        ],
        sections: Vec::new(),
    };
    if quick {
        page.summary
            .push("A quick pass over one mechanism: not all claims are measured.".to_owned());
    }
    let mut add = |heading: &str, table: TextTable| {
        page.sections.push(Section {
            heading: heading.to_owned(),
            tables: vec![table],
            ..Section::default()
        });
    };
    add("Claims", claim_table(claims));
    add(
        "Table 5 and Figures 9 to 11: largest steps, and iterations at the quasi-Newton method's",
        searches(&results.searches),
    );
    add(
        "The same with the first guess of section 3.3, explicit extrapolation: very far off where a step is larger than a time constant",
        searches(&results.extrapolated),
    );
    add(
        &format!(
            "Figures 9 to 11: iterations per step at the paper's steps, by tolerance; at most {AMPLE}"
        ),
        comparisons(results),
    );
    add(
        "Factor by which an iteration with the quasi-Newton matrix shrinks errors",
        factors(results),
    );
    add(
        "Steps from which an iteration with the quasi-Newton matrix diverges",
        critical(results),
    );
    add("Seven bodies: steps for the same error", efforts(results));
    page.sections[1].figures = by_limit(&results.searches)?;
    Ok(page)
}

/// A chart over the limits of iterations.
struct Panel {
    title: &'static str,
    axis: Axis,
    ratio: fn(&Search) -> Option<f64>,
    caption: &'static str,
}

/// What the limit of iterations, which the paper does not state, does to both ratios.
fn by_limit(searches: &[Search]) -> Result<Vec<Figure>, CommandError> {
    let panels = [
        Panel {
            title: "largest steps, exact / quasi-Newton",
            axis: Axis::logarithmic("ratio of the largest steps"),
            ratio: step_ratio,
            caption: "Steps that converge. The paper's conclusion needs 1.3 or more.",
        },
        Panel {
            title: "iterations, exact / quasi-Newton",
            axis: Axis::linear("ratio of the iterations"),
            ratio: iteration_ratio,
            caption: "At the quasi-Newton method's largest step. The paper's conclusion needs 0.5, here 0.6, or less.",
        },
    ];
    let mut figures = Vec::new();
    for panel in panels {
        let mut series: Vec<Series> = Vec::new();
        for search in searches {
            let Some(value) = (panel.ratio)(search) else {
                continue;
            };
            let point = (search.limit as f64, value);
            match series.last_mut() {
                Some(last) if last.name == search.mechanism => last.points.push(point),
                _ => series.push(Series {
                    name: search.mechanism.to_owned(),
                    points: vec![point],
                    style: LineStyle::Marked,
                    look: series.len(),
                }),
            }
        }
        let chart = Chart {
            title: panel.title.to_owned(),
            x: Axis::linear("iterations after which a step has failed"),
            y: panel.axis,
            series,
        };
        figures.push(Figure {
            svg: chart.svg()?,
            caption: panel.caption.to_owned(),
        });
    }
    Ok(figures)
}

fn table(header: &[&str], rows: impl Iterator<Item = Vec<String>>) -> TextTable {
    TextTable {
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

fn quotient(a: Option<f64>, b: Option<f64>) -> String {
    match (a, b) {
        (Some(a), Some(b)) => fixed(a / b),
        _ => "-".to_owned(),
    }
}

fn searches(searches: &[Search]) -> TextTable {
    let header = [
        "mechanism",
        "iteration limit",
        "exact: largest h / s",
        "quasi-Newton",
        "ratio",
        "paper",
        "exact: error / displacement",
        "quasi-Newton",
        "exact: largest h / s with an error below 10 %",
        "quasi-Newton",
        "exact: iterations",
        "quasi-Newton",
        "ratio",
    ];
    let rows = searches.iter().map(|search| {
        vec![
            search.mechanism.to_owned(),
            search.limit.to_string(),
            or_fails(search.exact_step, scientific),
            or_fails(search.quasi_step, scientific),
            quotient(search.exact_step, search.quasi_step),
            format!("{} / {}", search.published_exact, search.published_quasi),
            or_fails(search.exact_error, fixed),
            or_fails(search.quasi_error, fixed),
            or_fails(search.exact_accurate_step, scientific),
            or_fails(search.quasi_accurate_step, scientific),
            or_fails(search.exact_iterations, fixed),
            or_fails(search.quasi_iterations, fixed),
            quotient(search.exact_iterations, search.quasi_iterations),
        ]
    });
    table(&header, rows)
}

fn comparisons(results: &Results) -> TextTable {
    let header = [
        "mechanism",
        "h / s",
        "tolerance",
        "exact",
        "quasi-Newton",
        "ratio",
    ];
    let rows = results.comparisons.iter().map(|comparison| {
        vec![
            comparison.mechanism.to_owned(),
            comparison.step.to_string(),
            format!("{:e}", comparison.tolerance),
            or_fails(comparison.exact_iterations, fixed),
            or_fails(comparison.quasi_iterations, fixed),
            quotient(comparison.exact_iterations, comparison.quasi_iterations),
        ]
    });
    table(&header, rows)
}

fn factors(results: &Results) -> TextTable {
    let header = ["mechanism", "h / s", "largest", "mean"];
    let rows = results.factors.iter().map(|factor| {
        vec![
            factor.mechanism.to_owned(),
            factor.step.to_string(),
            or_fails(factor.largest, scientific),
            or_fails(factor.mean, scientific),
        ]
    });
    table(&header, rows)
}

fn critical(results: &Results) -> TextTable {
    let header = [
        "mechanism",
        "diverges from h / s",
        "exact: largest h / s",
        "ratio",
        "paper, quasi-Newton",
    ];
    let rows = results.critical.iter().map(|critical| {
        vec![
            critical.mechanism.to_owned(),
            critical
                .step
                .map_or_else(|| "converges".to_owned(), scientific),
            scientific(critical.exact_step),
            quotient(Some(critical.exact_step), critical.step),
            critical.published_quasi.to_string(),
        ]
    });
    table(&header, rows)
}

fn efforts(results: &Results) -> TextTable {
    let header = ["method", "step / s", "steps", "error at the end"];
    let rows = results.efforts.iter().map(|effort| {
        vec![
            effort.method.to_owned(),
            scientific(effort.step),
            effort.steps.to_string(),
            format!("{:.1e}", effort.error),
        ]
    });
    table(&header, rows)
}
