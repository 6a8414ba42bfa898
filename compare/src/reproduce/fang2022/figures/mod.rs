//! The paper's figures as charts and tables of one page.

mod costs;
mod friction;

use super::Results;
use super::beyond::{rotation_section, stiff_section};
use super::experiments::Order;
use super::settings::METHODS;
use crate::error::CommandError;
use crate::report::{Axis, Chart, Figure, LineStyle, Page, Section, Series};
use crate::reproduce::Claim;
use crate::reproduce::claim::{headline, tables};
use costs::{chain_section, cost_section};
use friction::friction_section;

/// The whole report.
pub fn page(results: &Results, claims: &[Claim], quick: bool) -> Result<Page, CommandError> {
    let mut page = Page {
        title: "Fang et al. 2022, repeated".to_owned(),
        summary: vec![
            format!(
                "Made by `liedae reproduce fang2022`, liedae {}: Figs. 2 to 9 of L. Fang, A. Kissel, R. Zhang, D. \
                 Negrut, On the use of half-implicit numerical integration in multibody dynamics, doi:10.1115/1.4056183.",
                env!("CARGO_PKG_VERSION")
            ),
            headline(claims),
            "HI, half-implicit, is `half-implicit:guess=constant`; FI, fully implicit, is `backward-euler:matrix=start`. The predictor of \
             both is the last accelerations and multipliers, and both factorize once per step, at its start, as in the programs that the \
             authors published (github.com/uwsbel/sbel-reproducibility, 2022/HalfImplicit_JCND and 2022/IROS). The Newton matrix of FI has the \
             exact derivatives of the applied forces and leaves those of the constraint forces out, as in sec. 2.3; there is no FI with the \
             exact Jacobian here, of which sec. 4 says that it can improve convergence. For comparison: liedae's defaults (HI: quadratic \
             predictor; FI: Jacobian at the first iterate)."
                .to_owned(),
            "Effort claims are judged by operation counts; CPU times are listed for information. Table 1 gives the smallest moment of inertia \
             of the rod about its y-axis, but the rod lies along its x-axis; Table 1 is kept. The motion is prescribed, so that this changes \
             reactions and the torque of Fig. 9, and no velocity."
                .to_owned(),
        ],
        ..Page::of_this_build()
    };
    if quick {
        page.summary
            .push("A quick pass over short spans: the verdicts mean nothing.".to_owned());
    }
    page.sections.push(Section {
        heading: "Claims".to_owned(),
        tables: tables(claims),
        ..Section::default()
    });
    page.sections.push(section(
        "Figure 2: order of convergence",
        &results.orders,
        |orders| order_section(orders),
    )?);
    page.sections.push(section(
        "Figure 3: energy of the double pendulum",
        &results.energies,
        |curves| {
            let series = curves.iter().enumerate().map(|(look, curve)| Series {
                name: curve.label.to_owned(),
                points: curve.points.clone(),
                style: LineStyle::Plain,
                look,
            });
            let chart = Chart {
                title: "Fig. 3: total energy".to_owned(),
                x: Axis::linear("t / s"),
                y: Axis::linear("energy / J"),
                series: series.collect(),
            };
            let caption =
                "Energy with z = 0 at the pivot, h = 1e-3 s as in the authors' program, which ends at 10 s.";
            Ok(Section {
                figures: vec![Figure {
                    svg: chart.svg()?,
                    caption: caption.to_owned(),
                }],
                ..Section::default()
            })
        },
    )?);
    page.sections.push(section(
        "Figures 4 to 6: time, iterations and errors",
        &results.costs,
        |costs| cost_section(costs),
    )?);
    page.sections.push(section(
        "Figures 7 and 8: chain of N links",
        &results.chains,
        chain_section,
    )?);
    page.sections
        .push(section("Figure 9: friction", &results.frictions, |runs| {
            friction_section(runs)
        })?);
    page.sections.push(section(
        "Section 4: other rotation coordinates",
        &results.rotations,
        |rows| Ok(rotation_section(rows)),
    )?);
    page.sections.push(section(
        "Section 5: stiff problems",
        &results.stiff,
        |rows| Ok(stiff_section(rows)),
    )?);
    Ok(page)
}

fn section<T>(
    heading: &str,
    result: &Result<T, CommandError>,
    build: impl FnOnce(&T) -> Result<Section, CommandError>,
) -> Result<Section, CommandError> {
    let built = match result {
        Ok(value) => build(value)?,
        Err(error) => Section {
            paragraphs: vec![format!("This experiment failed: {error}")],
            ..Section::default()
        },
    };
    Ok(Section {
        heading: heading.to_owned(),
        ..built
    })
}

fn order_section(orders: &[Order]) -> Result<Section, CommandError> {
    let mut section = Section {
        paragraphs: vec![
            "RMS error over all steps of 8 s, sqrt(Σ (z_i − z_ref(t_i))² / n), against the references of the problems. \
             Newton tolerances 1e-10 (HI) and 1e-10 / h² (FI), as in the paper."
                .to_owned(),
        ],
        ..Section::default()
    };
    for order in orders {
        let mechanism = order.mechanism;
        let mut series: Vec<Series> = order
            .methods
            .iter()
            .zip(METHODS)
            .enumerate()
            .map(|(look, (result, (_, label)))| Series {
                name: match result.slope {
                    Some(slope) => format!("{label}, slope {slope:.2}"),
                    None => label.to_owned(),
                },
                points: result
                    .points
                    .iter()
                    .map(|point| (point.h, point.error_rms))
                    .collect(),
                // The two may coincide: the second lets the first show.
                style: if look == 0 {
                    LineStyle::Marked
                } else {
                    LineStyle::MarkedDashed
                },
                look,
            })
            .collect();
        if let Some(last) = order.methods[0].points.last() {
            let guide = |h: f64| (h, 0.4 * last.error_rms * h / last.h);
            let points = order.methods[0]
                .points
                .iter()
                .map(|point| guide(point.h))
                .collect();
            series.push(Series {
                name: "slope 1".to_owned(),
                points,
                style: LineStyle::Dashed,
                look: 6,
            });
        }
        let chart = Chart {
            title: format!("Fig. {}: {}", mechanism.order_figure, mechanism.title),
            x: Axis::logarithmic("step h / s"),
            y: Axis::logarithmic(format!("RMS error, {}", mechanism.quantity)),
            series,
        };
        let reference = &order.methods[0].reference;
        section.figures.push(Figure {
            svg: chart.svg()?,
            caption: match coincide(order) {
                true => format!("The two curves coincide. Reference: {reference}."),
                false => format!("Reference: {reference}."),
            },
        });
    }
    Ok(section)
}

/// Whether both methods have the same errors to a thousandth.
fn coincide(order: &Order) -> bool {
    let [half, fully] = &order.methods;
    let mut pairs = half.points.iter().zip(&fully.points);
    pairs.all(|(a, b)| (a.error_rms - b.error_rms).abs() <= 1e-3 * a.error_rms)
}

fn marked(name: &str, points: Vec<(f64, f64)>, style: LineStyle, look: usize) -> Series {
    Series {
        name: name.to_owned(),
        points,
        style,
        look,
    }
}
