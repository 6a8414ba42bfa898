//! The paper's figures as charts and tables of one page.

mod friction;

use super::Results;
use super::beyond::{rotation_section, stiff_section};
use super::experiments::{Cost, Order};
use super::settings::{MECHANISMS, METHODS};
use crate::error::CommandError;
use crate::output::number;
use crate::report::{Axis, Chart, Figure, LineStyle, Page, Section, Series, TextTable};
use crate::reproduce::Claim;
use crate::reproduce::claim::{headline, tables};
use friction::friction_section;

/// The whole report.
pub fn page(results: &Results, claims: &[Claim], quick: bool) -> Result<Page, CommandError> {
    let mut page = Page {
        title: "Fang et al. 2022, repeated".to_owned(),
        summary: vec![
            format!(
                "Made by `liedae reproduce fang2022`, liedae {}: Figs. 2 to 9 of L. Fang, A. Kissel, R. Zhang, D. \
                 Negrut, half-implicit integration of index-3 DAEs, doi:10.1115/1.4056183.",
                env!("CARGO_PKG_VERSION")
            ),
            headline(claims),
            "Half-implicit is `half-implicit:guess=constant`, fully implicit is `backward-euler:matrix=start`. Both begin at the last \
             accelerations and multipliers and factorize once a step, at its start, as in the programs that the authors published \
             (github.com/uwsbel/sbel-reproducibility, 2022/HalfImplicit_JCND and 2022/IROS). The fully implicit matrix has the exact \
             derivatives of the applied forces and leaves those of the constraint forces out. Iterations with what this library does by \
             default, parabolas through the last values and the matrix of the first iterate, are shown beside."
                .to_owned(),
            "Counts decide the claims, times are shown. The rod's inertia is that of Table 1, whose small moment is that about y; in the \
             authors' data the rod lies along its x-axis, as here."
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
        "Figures 4 to 6: time and iterations",
        &results.costs,
        |costs| cost_section(costs),
    )?);
    page.sections.push(section(
        "Figures 7 and 8: chain of N links",
        &results.chains,
        |chains| chain_section(chains),
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
            "Error over all steps of 8 s, sqrt(Σ (z_i − z_ref(t_i))² / n), against the references of the problems. \
             Newton tolerances 1e-10 (half-implicit) and 1e-10 / h² (fully implicit), as in the paper."
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
            caption: format!("Reference: {reference}."),
        });
    }
    Ok(section)
}

fn marked(name: &str, points: Vec<(f64, f64)>, style: LineStyle, look: usize) -> Series {
    Series {
        name: name.to_owned(),
        points,
        style,
        look,
    }
}

/// Times of both methods, own and published, as curves through these points of a value.
fn times(points: impl Fn(fn(&Cost) -> Option<f64>) -> Vec<(f64, f64)>) -> Vec<Series> {
    vec![
        marked(
            "half-implicit",
            points(|cell| Some(cell.wall_half_s)),
            LineStyle::Marked,
            0,
        ),
        marked(
            "fully implicit",
            points(|cell| Some(cell.wall_fully_s)),
            LineStyle::Marked,
            1,
        ),
        marked(
            "half-implicit, paper",
            points(|cell| cell.paper_cpu_half_s),
            LineStyle::MarkedDashed,
            0,
        ),
        marked(
            "fully implicit, paper",
            points(|cell| cell.paper_cpu_fully_s),
            LineStyle::MarkedDashed,
            1,
        ),
    ]
}

fn cost_section(costs: &[Cost]) -> Result<Section, CommandError> {
    let mut section = Section {
        paragraphs: vec![
            "8 s simulated with the authors' Newton tolerances (each method's own measure of a correction). Ours is \
             compiled code with a solver of its own, theirs Python with SciPy on another machine: compare the ratios and \
             the iterations. Times are wall times of the shortest of up to five runs, one thread."
                .to_owned(),
        ],
        ..Section::default()
    };
    for mechanism in &MECHANISMS {
        let cells: Vec<&Cost> = costs
            .iter()
            .filter(|cell| cell.problem == mechanism.problem)
            .collect();
        let points = |value: fn(&Cost) -> Option<f64>| -> Vec<(f64, f64)> {
            cells
                .iter()
                .filter_map(|cell| Some((cell.h, value(cell)?)))
                .collect()
        };
        let time = Chart {
            title: format!(
                "Fig. {}(a): {}, time for 8 s",
                mechanism.cost_figure, mechanism.title
            ),
            x: Axis::logarithmic("step h / s"),
            y: Axis::logarithmic("time / s"),
            series: times(points),
        };
        let iterations = Chart {
            title: format!(
                "Fig. {}(b): {}, Newton iterations per step",
                mechanism.cost_figure, mechanism.title
            ),
            x: Axis::logarithmic("step h / s"),
            y: Axis::linear("iterations per step"),
            series: vec![
                marked(
                    "half-implicit",
                    points(|cell| Some(cell.iterations_half)),
                    LineStyle::Marked,
                    0,
                ),
                marked(
                    "fully implicit",
                    points(|cell| Some(cell.iterations_fully)),
                    LineStyle::Marked,
                    1,
                ),
                marked(
                    "half-implicit, own first guess",
                    points(|cell| Some(cell.own_iterations_half)),
                    LineStyle::Marked,
                    2,
                ),
                marked(
                    "fully implicit, own matrix",
                    points(|cell| Some(cell.own_iterations_fully)),
                    LineStyle::Marked,
                    3,
                ),
                marked(
                    "half-implicit, paper",
                    points(|cell| cell.paper_iterations_half),
                    LineStyle::MarkedDashed,
                    0,
                ),
                marked(
                    "fully implicit, paper",
                    points(|cell| cell.paper_iterations_fully),
                    LineStyle::MarkedDashed,
                    1,
                ),
            ],
        };
        for chart in [time, iterations] {
            section.figures.push(Figure {
                svg: chart.svg()?,
                caption: "Dashed: the authors' measurements.".to_owned(),
            });
        }
    }
    section.tables.push(cost_table(costs, |cell| {
        format!("{}, h = {:e} s", cell.problem, cell.h)
    }));
    Ok(section)
}

fn chain_section(chains: &[Cost]) -> Result<Section, CommandError> {
    let points = |value: fn(&Cost) -> Option<f64>| -> Vec<(f64, f64)> {
        chains
            .iter()
            .filter_map(|cell| Some((f64::from(cell.links?), value(cell)?)))
            .collect()
    };
    let chart = Chart {
        title: "Fig. 8: chain, time for 3 s at h = 1e-3 s".to_owned(),
        x: Axis::logarithmic("number of links N"),
        y: Axis::logarithmic("time / s"),
        series: times(points),
    };
    let mut paragraphs = vec![
        "Rigid bars on spherical joints, each spinning about its own axis, gravity in a skew direction (Fig. 7). Newton tolerances are the \
         methods' own."
            .to_owned(),
    ];
    if let Some(exponent) = growth(chains) {
        paragraphs.push(format!(
            "From 8 links on the time of the half-implicit method grows with the number of links to the power {exponent:.2}."
        ));
    }
    Ok(Section {
        paragraphs,
        figures: vec![Figure {
            svg: chart.svg()?,
            caption: "Dashed: the authors' measurements.".to_owned(),
        }],
        tables: vec![cost_table(chains, |cell| {
            format!("N = {}", cell.links.unwrap_or_default())
        })],
        ..Section::default()
    })
}

/// The power of the number of links with which the time of the half-implicit method grows.
fn growth(chains: &[Cost]) -> Option<f64> {
    let links = |cell: &Cost| cell.links.map(f64::from);
    let mut long = chains.iter().filter(|cell| cell.links >= Some(8));
    let (first, last) = (long.next()?, long.next_back()?);
    Some((last.wall_half_s / first.wall_half_s).ln() / (links(last)? / links(first)?).ln())
}

fn cost_table(costs: &[Cost], label: impl Fn(&Cost) -> String) -> TextTable {
    let optional = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), number);
    let tolerance = |value: Option<f64>, paper: Option<f64>| match value {
        None => "own".to_owned(),
        Some(value) if paper.is_some_and(|paper| value > paper) => format!("{value:.0e}*"),
        Some(value) => format!("{value:.0e}"),
    };
    let header = [
        "",
        "tol HI",
        "tol FI",
        "s HI",
        "s FI",
        "FI/HI",
        "iter HI",
        "iter FI",
        "fact HI",
        "fact FI",
        "iter HI, own guess",
        "iter FI, own matrix",
        "paper s HI",
        "paper s FI",
        "paper FI/HI",
        "paper iter HI",
        "paper iter FI",
    ];
    TextTable {
        caption: "HI half-implicit, FI fully implicit; times in s, iterations and factorizations per step. A star marks a tolerance looser \
                  than the authors', below which the iteration stalls at round-off here"
            .to_owned(),
        header: header.map(str::to_owned).into(),
        rows: costs
            .iter()
            .map(|cell| {
                vec![
                    label(cell),
                    tolerance(cell.tolerance_half, cell.paper_tolerance_half),
                    tolerance(cell.tolerance_fully, cell.paper_tolerance_fully),
                    format!("{:.4}", cell.wall_half_s),
                    format!("{:.4}", cell.wall_fully_s),
                    format!("{:.2}", cell.ratio()),
                    format!("{:.2}", cell.iterations_half),
                    format!("{:.2}", cell.iterations_fully),
                    format!("{:.2}", cell.factorizations_half),
                    format!("{:.2}", cell.factorizations_fully),
                    format!("{:.2}", cell.own_iterations_half),
                    format!("{:.2}", cell.own_iterations_fully),
                    optional(cell.paper_cpu_half_s),
                    optional(cell.paper_cpu_fully_s),
                    cell.paper_ratio().map_or_else(|| "–".to_owned(), |ratio| format!("{ratio:.2}")),
                    optional(cell.paper_iterations_half),
                    optional(cell.paper_iterations_fully),
                ]
            })
            .collect(),
        ..TextTable::default()
    }
}
