//! Table 4 and Fig. 13: flexible bodies.

use super::super::beam::{PAPER, TOLERANCES};
use super::super::rotor::{Amplitude, RunUp};
use super::super::runs::Cell;
use super::super::settings::SOLVERS;
use super::table;
use crate::error::CommandError;
use crate::report::{Axis, Chart, Figure, LineStyle, Section, Series, TextTable};

/// Table 4: the paper's numbers and those here.
pub(super) fn beam_section(cells: &[Cell]) -> Section {
    let header = [
        "method",
        "tolerance",
        "average step / s",
        "paper",
        "accepted",
        "paper",
        "rejected",
        "paper",
        "CPU / s",
        "paper",
        "error",
        "remark",
    ];
    let (mut rows, mut classes) = (Vec::new(), Vec::new());
    for (solver, printed) in SOLVERS.iter().zip(&PAPER) {
        for (tolerance, paper) in TOLERANCES.iter().zip(printed) {
            let wanted = |cell: &&Cell| cell.method == solver.name && cell.tolerance == *tolerance;
            let Some(cell) = cells.iter().find(wanted) else {
                continue;
            };
            classes.push(if cell.done { "" } else { "bad" }.to_owned());
            rows.push(vec![
                solver.label.to_owned(),
                format!("{tolerance:e}"),
                format!("{:.2e}", cell.average_step),
                format!("{:.2e}", paper.average_step),
                cell.accepted.to_string(),
                paper.accepted.to_string(),
                cell.rejected.to_string(),
                paper.rejected.to_string(),
                format!("{:.2}", cell.seconds),
                format!("{:.0}", paper.seconds),
                cell.error
                    .map_or_else(String::new, |error| format!("{error:.1e}")),
                cell.reason.clone(),
            ]);
        }
    }
    Section {
        heading: "Table 4: a beam that spins up eccentrically".to_owned(),
        paragraphs: vec![
            "Of its beam the paper says that it has 31 degrees of freedom, rotates eccentrically, and ever faster. Here it is \
             Simo and Vu-Quoc's, of 10 m, spun up to 6 rad/s within 15 s, with its root 1 m from the axle and five geometrically exact \
             elements, which have 31 degrees of freedom before the drive. It does not damp. CPU times are those of two machines and two \
             programs: only those of one column compare."
                .to_owned(),
        ],
        tables: vec![TextTable {
            caption: "0 s to 15 s".to_owned(),
            classes,
            ..table(&header, rows)
        }],
        ..Section::default()
    }
}

/// Points of a curve of Fig. 13 that are drawn: every so many of the 50,000 steps.
const EVERY: usize = 25;

/// Fig. 13, and what explicit methods do.
pub(super) fn rotor_section(run_up: &RunUp) -> Result<Section, CommandError> {
    let line = |name: &str, value: fn(&Amplitude) -> f64, style, look| Series {
        name: name.to_owned(),
        points: run_up
            .amplitudes
            .iter()
            .step_by(EVERY)
            .map(|at| (at.speed, value(at)))
            .collect(),
        style,
        look,
    };
    let chart = Chart {
        title: "Fig. 13: amplitude of a rotor over its speed".to_owned(),
        x: Axis::linear("speed / (rad/s)"),
        y: Axis::linear("amplitude / m"),
        series: vec![
            line(
                "closed form at constant speed",
                |at| at.steady,
                LineStyle::Plain,
                3,
            ),
            line("accurate", |at| at.accurate, LineStyle::Plain, 6),
            line(
                "stabilized generalized-\u{3b1}, h = 4e-4 s",
                |at| at.found,
                LineStyle::Dashed,
                1,
            ),
        ],
    };
    let rows = run_up.explicit.iter().map(|run| {
        vec![
            run.method.to_owned(),
            run.steps.to_string(),
            format!("{:.2e}", run.average_step),
            format!("{:.2e}", run.smallest_step),
            run.reason.clone(),
        ]
    });
    let header = [
        "method",
        "steps",
        "average step / s",
        "smallest step / s",
        "remark",
    ];
    Ok(Section {
        heading: "Figure 13: a rotor with frequencies of 1e5 Hz".to_owned(),
        paragraphs: vec![
            "The paper's rotor is a shaft, a disk and a bearing whose data are not in print. This one (`rotor-run-up`) is an unbalanced \
             disk of 1.6 kg on a geometrically exact shaft between two bearings, critical at 50 rad/s, run up to 100 rad/s in 20 s by a \
             constraint. The shaft is so light that its waves swing with 1e5 Hz, and does not damp them. The accurate amplitude is that of \
             Jeffcott's equations, with a massless shaft, to 1e-10."
                .to_owned(),
        ],
        figures: vec![Figure {
            svg: chart.svg()?,
            caption: format!(
                "Largest error of the amplitude {:.2} % of its peak.",
                100.0 * run_up.error
            ),
        }],
        tables: vec![TextTable {
            caption: "The first 0.02 s by tolerance".to_owned(),
            ..table(&header, rows.collect())
        }],
        ..Section::default()
    })
}
