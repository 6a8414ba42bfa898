//! Figs. 4 and 5 as charts, and all numbers as a table.

use super::{Cell, METHODS};
use crate::error::CommandError;
use crate::experiment::Case;
use crate::output::number;
use crate::report::{Axis, Chart, Figure, LineStyle, Page, Section, Series, TextTable};
use crate::reproduce::Claim;
use crate::reproduce::claim::{headline, short, tables};

/// A chart over the tolerances.
struct Panel {
    title: &'static str,
    axis: &'static str,
    value: fn(&Cell) -> f64,
}

const PANELS: [Panel; 6] = [
    Panel {
        title: "Fig. 4(a): average time step",
        axis: "average step / s",
        value: |cell| cell.average_step,
    },
    Panel {
        title: "Fig. 4(b): accepted steps",
        axis: "accepted steps",
        value: |cell| cell.accepted as f64,
    },
    Panel {
        title: "Fig. 4(c): rejected steps",
        axis: "rejected steps + 1",
        value: |cell| cell.rejected as f64 + 1.0,
    },
    Panel {
        title: "Fig. 4(d): violation of the position constraint",
        axis: "largest |g| / m",
        value: |cell| cell.violation_position,
    },
    Panel {
        title: "Fig. 4(e): violation of the velocity constraint",
        axis: "largest |G v| / (m/s)",
        value: |cell| cell.violation_velocity,
    },
    Panel {
        title: "Violation of the acceleration constraint",
        axis: "largest |G v' + γ| / (m/s²)",
        value: |cell| cell.violation_acceleration,
    },
];

/// The whole report.
pub(super) fn page(
    cells: &[Cell],
    claims: &[Claim],
    case: &Case,
    quick: bool,
) -> Result<Page, CommandError> {
    let mut page = Page {
        title: "Haddouni et al. 2017, the academic slider-crank, repeated".to_owned(),
        summary: vec![
            format!(
                "Made by `liedae reproduce haddouni2017-academic`, liedae {}: section 3.4 of M. Haddouni, V. Acary, S. \
                 Garreau, J.-D. Beley, B. Brogliato, Comparison of several formulations and integration methods, \
                 doi:10.1007/s11044-017-9570-y.",
                env!("CARGO_PKG_VERSION")
            ),
            headline(claims),
            "The paper prints neither the data of the mechanism nor the numbers behind its figures: the data are those of the problem \
             haddouni-slider-crank (last section), and the claims are those of the text. Nothing is projected, as in the paper's academic \
             examples; otherwise the methods have liedae's defaults. Effort claims are judged by operation counts; times are listed for \
             information."
                .to_owned(),
        ],
        sections: vec![Section {
            heading: "Claims".to_owned(),
            tables: tables(claims),
            ..Section::default()
        }],
        ..Page::of_this_build()
    };
    if quick {
        page.summary
            .push("A quick pass over few tolerances: the verdicts mean nothing.".to_owned());
    }
    let mut figures = Vec::new();
    for panel in &PANELS {
        let chart = Chart {
            title: panel.title.to_owned(),
            x: Axis::logarithmic("tolerance"),
            y: Axis::logarithmic(panel.axis),
            series: series(cells, |cell| (cell.tolerance, (panel.value)(cell))),
        };
        figures.push(Figure {
            svg: chart.svg()?,
            caption: match panel.axis.contains("largest") {
                true => "Relative = absolute tolerance; largest at any accepted step. Violations of exactly zero are left out.",
                false => "Relative = absolute tolerance.",
            }
            .to_owned(),
        });
    }
    page.sections.push(Section {
        heading: "Figure 4: steps and violations".to_owned(),
        figures,
        tables: vec![table(cells)],
        ..Section::default()
    });
    let mut figures = Vec::new();
    for (axis, timed) in [("force evaluations", false), ("time / s", true)] {
        let value = |cell: &Cell| {
            if timed {
                cell.wall_s
            } else {
                cell.force_evaluations as f64
            }
        };
        let chart = Chart {
            title: format!("Fig. 5: work and precision, {axis}"),
            x: Axis::logarithmic("RMS error at the end, relative to max(|output|, 1)"),
            y: Axis::logarithmic(axis),
            series: series(cells, |cell| (cell.error, value(cell))),
        };
        figures.push(Figure {
            svg: chart.svg()?,
            caption: "Down and left is better. Error over all outputs at the end: angles, their rates and accelerations, the slider's position and \
                      speed, the guide's force, the energy."
                .to_owned(),
        });
    }
    page.sections.push(Section {
        heading: "Figure 5: work and precision".to_owned(),
        figures,
        ..Section::default()
    });
    page.sections.push(data(case));
    Ok(page)
}

/// A method's label; its name where it has none.
fn label(method: &'static str) -> &'static str {
    let found = METHODS.iter().find(|(name, _)| *name == method);
    found.map_or(method, |(_, label)| *label)
}

/// The data of the mechanism, which are not the paper's.
fn data(case: &Case) -> Section {
    let header = ["parameter", "value", "unit", "meaning"];
    let rows = case.parameters.iter().map(|(info, value)| {
        vec![
            info.name.to_owned(),
            number(value),
            info.unit.to_owned(),
            info.description.to_owned(),
        ]
    });
    Section {
        heading: "Data of the mechanism".to_owned(),
        tables: vec![TextTable {
            caption: format!(
                "The slider-crank of Flores, Leine and Glocker (doi:10.1007/s11044-009-9178-y) without its clearance, over {} s: three \
                 revolutions.",
                short(case.t_end)
            ),
            header: header.map(str::to_owned).into(),
            rows: rows.collect(),
            ..TextTable::default()
        }],
        ..Section::default()
    }
}

fn series(cells: &[Cell], point: impl Fn(&Cell) -> (f64, f64)) -> Vec<Series> {
    METHODS
        .iter()
        .enumerate()
        .map(|(look, (method, label))| Series {
            name: (*label).to_owned(),
            points: cells
                .iter()
                .filter(|cell| cell.method == *method && cell.done)
                .map(&point)
                .collect(),
            style: LineStyle::Marked,
            look,
        })
        .collect()
}

fn table(cells: &[Cell]) -> TextTable {
    let header = [
        "method",
        "tolerance",
        "average step / s",
        "accepted",
        "rejected",
        "force evaluations",
        "factorizations",
        "Newton iterations",
        "time / s",
        "RMS error",
        "|g| / m",
        "|G v| / (m/s)",
        "|G v' + γ| / (m/s²)",
    ];
    TextTable {
        caption: "All runs; what stands in the charts.".to_owned(),
        header: header.map(str::to_owned).into(),
        rows: cells
            .iter()
            .map(|cell| {
                vec![
                    label(cell.method).to_owned(),
                    format!("{:e}", cell.tolerance),
                    number(cell.average_step),
                    cell.accepted.to_string(),
                    cell.rejected.to_string(),
                    cell.force_evaluations.to_string(),
                    cell.factorizations.to_string(),
                    cell.newton_iterations.to_string(),
                    short(cell.wall_s),
                    format!("{:.2e}", cell.error),
                    format!("{:.1e}", cell.violation_position),
                    format!("{:.1e}", cell.violation_velocity),
                    format!("{:.1e}", cell.violation_acceleration),
                ]
            })
            .collect(),
        ..TextTable::default()
    }
}
