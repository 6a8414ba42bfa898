//! A problem in a comparison: work against precision, and all runs.

use super::profiles::{COST_CHOICE, measured};
use super::runs::{MULTIPLE, Runs};
use super::{Alternative, Axis, Chart, Figure, Gallery, LineStyle, Section, Series, TextTable};
use crate::comparison::Comparison;
use crate::error::{CommandError, Status};
use crate::experiment::{Verdict, WorkPoint};
use crate::output::number;

/// The identifier of the row of the run with this number.
fn row_id(run: usize) -> String {
    format!("r{run}")
}

/// The section of one problem of a comparison, with the methods that have runs of it; `None` where none has.
pub fn problem(compared: &Comparison, problem: &str) -> Result<Option<Section>, CommandError> {
    let mut plan = compared.definition.clone();
    let runs = || (compared.runs.iter()).filter(|point| point.problem == problem);
    plan.variants
        .retain(|variant| runs().any(|point| point.variant == variant.name));
    if plan.variants.is_empty() {
        return Ok(None);
    }
    let runs = Runs::new(&plan, &compared.runs, &compared.references);
    problem_section(&runs, problem).map(Some)
}

/// The section of a problem. Every point of its diagrams leads to its row in the table.
pub(super) fn problem_section(runs: &Runs<'_>, problem: &str) -> Result<Section, CommandError> {
    let mut section = Section {
        heading: problem.to_owned(),
        ..Section::default()
    };
    if let Some(source) = runs.source(problem) {
        section
            .paragraphs
            .push(format!("Reference: {}.", source.source));
        section.figures.extend(source.picture.as_ref().map(|svg| Figure {
            // Within a page an SVG element needs no name of its language.
            svg: svg.replace(" xmlns=\"http://www.w3.org/2000/svg\"", ""),
            caption: "Some moments of the motion, at equal intervals of time; forces of contacts in red.".to_owned(),
        }));
        if source.determined {
            section.paragraphs.push(
                "The constraints alone determine this motion: a method that projects onto them has positions and \
                 velocities exactly, whatever its steps, and its errors here say nothing about its order."
                    .to_owned(),
            );
        }
    }
    let mut gallery = Gallery::default();
    for cost in measured(runs) {
        let (mut series, mut links) = (Vec::new(), Vec::new());
        for variant in &runs.plan.variants {
            let (points, numbers) = runs.curve(problem, &variant.name, cost);
            links.push(numbers.into_iter().map(row_id).collect());
            series.push(Series {
                name: variant.name.clone(),
                points,
                style: if variant.secondary {
                    LineStyle::MarkedDashed
                } else {
                    LineStyle::Marked
                },
                look: variant.number,
            });
        }
        let visible = |series: &Series| {
            series
                .points
                .iter()
                .filter(|(error, cost)| *error > 0.0 && *cost > 0.0)
                .count()
        };
        if series.iter().all(|series| visible(series) < 2) {
            continue;
        }
        let hidden: Vec<&str> = series
            .iter()
            .filter(|series| visible(series) < series.points.len())
            .map(|series| series.name.as_str())
            .collect();
        let mut caption =
            "Down and left is better: a lower cost, a smaller error. Lines that coincide hide one another.".to_owned();
        if !hidden.is_empty() {
            caption.push_str(&format!(" Zeros cannot be shown: {}.", hidden.join("; ")));
        }
        let chart = Chart {
            title: format!("{problem}: error and {}", cost.title),
            x: Axis::logarithmic("error at the end, relative to the size of each output"),
            y: Axis::logarithmic(cost.axis),
            series,
        };
        let figure = Figure {
            svg: chart.linked(&links)?,
            caption,
        };
        gallery.alternatives.push(Alternative::new(
            &[(COST_CHOICE, cost.title)],
            figure,
            false,
        ));
    }
    if !gallery.alternatives.is_empty() {
        section.galleries.push(gallery);
    }
    let all = runs.results.iter().enumerate();
    section
        .tables
        .push(table(all.filter(|(_, point)| point.problem == problem)));
    Ok(section)
}

fn table<'p>(points: impl Iterator<Item = (usize, &'p WorkPoint)>) -> TextTable {
    let header = [
        "method",
        "tolerance",
        "step / s",
        "error at the end",
        "over samples",
        "t / s",
        "events",
        "energy rise / J",
        "CPU / s",
        "wall / s",
        "steps",
        "rejected",
        "force",
        "constraint",
        "Jacobian",
        "factorizations",
        "Newton",
        "|g|",
        "remark",
    ];
    let dash = || "–".to_owned();
    let exponent = |value: Option<f64>| value.map_or_else(dash, |value| format!("{value:.2e}"));
    let mut table = TextTable {
        caption: format!(
            "All runs; those that failed say why, and those with an error above {MULTIPLE} times their tolerance are marked"
        ),
        header: header.map(str::to_owned).into(),
        ..TextTable::default()
    };
    for (run, point) in points {
        table.rows.push(vec![
            point.variant.clone(),
            point
                .tolerance
                .map_or_else(dash, |tolerance| format!("{tolerance:e}")),
            point.step.map_or_else(dash, number),
            exponent(point.error_end),
            exponent(point.error_samples),
            point.t_reached.map_or_else(dash, number),
            point.events.to_string(),
            exponent(point.energy_rise),
            point.cpu_s.map_or_else(|| "–".to_owned(), number),
            number(point.wall_s),
            point.accepted.to_string(),
            point.rejected.to_string(),
            point.force.to_string(),
            point.constraint.to_string(),
            point.jacobian.to_string(),
            point.factorizations.to_string(),
            point.newton_iterations.to_string(),
            exponent(point.violation_position),
            remark(point),
        ]);
        table.ids.push(row_id(run));
        let class = match Runs::verdict(point) {
            _ if point.status != Status::Done => "bad",
            Some(Verdict::Beyond) => "far",
            _ => "",
        };
        table.classes.push(class.to_owned());
    }
    table
}

/// Why a run failed, that its error is not a number, or how far beyond its tolerance its error is.
fn remark(point: &WorkPoint) -> String {
    match (Runs::verdict(point), point.error_end, point.tolerance) {
        (_, Some(error), _) if error.is_infinite() => {
            "the error is not a number: outputs at the end are none".to_owned()
        }
        (Some(Verdict::Beyond), Some(error), Some(tolerance)) => {
            format!(
                "error is {} tolerances",
                number((error / tolerance).round())
            )
        }
        _ => point.reason.clone(),
    }
}
