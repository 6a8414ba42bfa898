//! Fig. 9: the driving torque and the force on the crank's pivot.

use super::marked;
use crate::error::CommandError;
use crate::report::{Axis, Chart, Figure, LineStyle, Section, TextTable};
use crate::reproduce::fang2022::experiments::Friction;

pub(super) fn friction_section(runs: &[Friction]) -> Result<Section, CommandError> {
    let mut torque = Vec::new();
    let mut force = Vec::new();
    let mut table = TextTable {
        caption: "RMS distance from the reference over all steps but the reversals".to_owned(),
        header: [
            "",
            "swing of T / N m",
            "error of T",
            "jump of T",
            "swing of FAx / N",
            "error of FAx",
            "jump of FAx",
            "first reversal / s",
        ]
        .map(str::to_owned)
        .into(),
        ..TextTable::default()
    };
    for (look, run) in runs.iter().enumerate() {
        let name = format!("µ = {}", run.mu);
        torque.push(marked(
            &name,
            run.torque.points.clone(),
            LineStyle::Plain,
            look,
        ));
        force.push(marked(
            &name,
            run.pivot_force
                .points
                .iter()
                .map(|&(t, value)| (t, -value))
                .collect(),
            LineStyle::Plain,
            look,
        ));
        table.rows.push(vec![
            name,
            format!("{:.4}", run.torque.swing),
            format!("{:.1e}", run.torque.error),
            format!("{:.1e}", run.torque.jump),
            format!("{:.3}", run.pivot_force.swing),
            format!("{:.1e}", run.pivot_force.error),
            format!("{:.4}", run.pivot_force.jump),
            run.first_reversal
                .map_or_else(|| "–".to_owned(), |t| format!("{t:.9}")),
        ]);
    }
    for run in runs {
        let sparse = |points: &[(f64, f64)], sign: f64| -> Vec<(f64, f64)> {
            points
                .iter()
                .step_by(50)
                .map(|&(t, value)| (t, sign * value))
                .collect()
        };
        let name = format!("reference, µ = {}", run.mu);
        let look = runs
            .iter()
            .position(|other| other.mu == run.mu)
            .unwrap_or(0);
        torque.push(marked(
            &name,
            sparse(&run.torque.reference, 1.0),
            LineStyle::Points,
            look,
        ));
        force.push(marked(
            &name,
            sparse(&run.pivot_force.reference, -1.0),
            LineStyle::Points,
            look,
        ));
    }
    let charts = [
        ("Fig. 9: driving torque (recomputed)", "T / N m", torque),
        (
            "Fig. 9 as printed: minus the x-force on the crank's pivot",
            "−FAx / N",
            force,
        ),
    ];
    let mut section = Section {
        paragraphs: vec![
            "Slider-crank with Coulomb friction in the slider's guide, half-implicit method, h = 1e-3 s. The paper's Fig. \
             9 is labelled a driving torque, but its curves are minus the x-force of the ground on the crank's pivot, in \
             N: both are shown. The torque is continuous where the slider reverses, because friction has no power there; \
             the pivot force jumps. Here reversals are located as events; the paper switches friction at the end of a step."
                .to_owned(),
        ],
        tables: vec![table],
        ..Section::default()
    };
    for (title, label, series) in charts {
        let chart = Chart {
            title: title.to_owned(),
            x: Axis::linear("t / s"),
            y: Axis::linear(label),
            series,
        };
        section.figures.push(Figure {
            svg: chart.svg()?,
            caption: "Lines: half-implicit. Markers: reference by inverse dynamics.".to_owned(),
        });
    }
    Ok(section)
}
