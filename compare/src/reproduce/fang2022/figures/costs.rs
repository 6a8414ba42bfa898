//! Figs. 4 to 6 and 8: times, iterations and errors as charts and tables.

use super::marked;
use crate::error::CommandError;
use crate::output::number;
use crate::report::{Axis, Chart, Figure, LineStyle, Section, Series, TextTable};
use crate::reproduce::claim::short;
use crate::reproduce::fang2022::claims::size;
use crate::reproduce::fang2022::costs::{ChainIterations, Chains, Cost};
use crate::reproduce::fang2022::settings::MECHANISMS;

/// Times of both methods, here and in the paper, as curves through these points of a value.
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

pub(super) fn cost_section(costs: &[Cost]) -> Result<Section, CommandError> {
    let mut section = Section {
        paragraphs: vec![
            "8 s simulated with the authors' Newton tolerances, of h v and h² λ (HI) and of accelerations and multipliers (FI). liedae is \
             compiled code, the authors' is Python with SciPy on another machine: compare the ratios and the iterations. Times are wall times \
             of the shortest of up to five runs, one thread."
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
                    "half-implicit, quadratic predictor",
                    points(|cell| Some(cell.liedae_iterations_half)),
                    LineStyle::Marked,
                    2,
                ),
                marked(
                    "fully implicit, Jacobian at the first iterate",
                    points(|cell| Some(cell.liedae_iterations_fully)),
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
    section.tables = cost_tables(costs, |cell| {
        format!("{}, h = {:e} s", cell.problem, cell.h)
    });
    Ok(section)
}

pub(super) fn chain_section(chains: &Chains) -> Result<Section, CommandError> {
    let iterations = &chains.iterations;
    let chains = &chains.costs;
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
        "Rigid bars on spherical joints, each spinning about its own axis, gravity in a skew direction (Fig. 7), 3 s at h = 1e-3 s. The paper states no \
         Newton tolerances for the chain: the chart and the first table have those of sec. 3.1."
            .to_owned(),
    ];
    if let Some(exponent) = growth(chains) {
        paragraphs.push(format!(
            "From 8 links on the time of the half-implicit method grows with the number of links to the power {exponent:.2}."
        ));
    }
    let mut tables = cost_tables(chains, |cell| {
        format!("N = {}", cell.links.unwrap_or_default())
    });
    tables.push(tolerance_table(iterations));
    Ok(Section {
        paragraphs,
        figures: vec![Figure {
            svg: chart.svg()?,
            caption: "Dashed: the authors' measurements.".to_owned(),
        }],
        tables,
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

/// Numbers of both methods in one cell.
fn both(half: String, fully: String) -> String {
    format!("{half} / {fully}")
}

/// Counts and errors, then times: one table would be wider than a page.
fn cost_tables(costs: &[Cost], label: impl Fn(&Cost) -> String) -> Vec<TextTable> {
    vec![counts(costs, &label), times_table(costs, &label)]
}

fn pair(half: f64, fully: f64) -> String {
    both(format!("{half:.2}"), format!("{fully:.2}"))
}

fn optional(pair: Option<(f64, f64)>, digits: fn(f64) -> String) -> String {
    pair.map_or_else(
        || "–".to_owned(),
        |(half, fully)| both(digits(half), digits(fully)),
    )
}

fn counts(costs: &[Cost], label: &impl Fn(&Cost) -> String) -> TextTable {
    let mut loosened = false;
    let mut tolerance = |value: f64, paper: Option<f64>| {
        let star = paper.is_some_and(|paper| value > paper);
        loosened |= star;
        format!("{}{}", size(value), if star { "*" } else { "" })
    };
    let header = [
        "",
        "Newton tolerance",
        "iterations",
        "iterations in the paper",
        "factorizations",
        "iterations, liedae's defaults",
        "iterations, tolerances of sec. 3.1",
        "RMS error",
    ];
    let rows: Vec<Vec<String>> = costs
        .iter()
        .map(|cell| {
            vec![
                label(cell),
                both(
                    tolerance(cell.tolerance_half, cell.paper_tolerance_half),
                    tolerance(cell.tolerance_fully, cell.paper_tolerance_fully),
                ),
                pair(cell.iterations_half, cell.iterations_fully),
                optional(
                    cell.paper_iterations_half.zip(cell.paper_iterations_fully),
                    |value| format!("{value:.2}"),
                ),
                pair(cell.factorizations_half, cell.factorizations_fully),
                pair(cell.liedae_iterations_half, cell.liedae_iterations_fully),
                pair(cell.equal_iterations_half, cell.equal_iterations_fully),
                optional(cell.error_half.zip(cell.error_fully), |value| {
                    format!("{value:.1e}")
                }),
            ]
        })
        .collect();
    let mut caption = "HI / FI; iterations and factorizations per step.".to_owned();
    if loosened {
        caption.push_str(
            " A star marks a tolerance looser than the authors', below which the iteration stalls at round-off here.",
        );
    }
    TextTable {
        caption,
        header: header.map(str::to_owned).into(),
        rows,
        ..TextTable::default()
    }
}

fn times_table(costs: &[Cost], label: &impl Fn(&Cost) -> String) -> TextTable {
    let ratio =
        |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{value:.2}"));
    let header = ["", "time / s", "FI/HI", "time / s in the paper", "FI/HI"];
    let rows = costs.iter().map(|cell| {
        vec![
            label(cell),
            both(short(cell.wall_half_s), short(cell.wall_fully_s)),
            ratio(Some(cell.ratio())),
            optional(cell.paper_cpu_half_s.zip(cell.paper_cpu_fully_s), number),
            ratio(cell.paper_ratio()),
        ]
    });
    TextTable {
        caption: "HI / FI; wall times here, CPU times in the paper, for information.".to_owned(),
        header: header.map(str::to_owned).into(),
        rows: rows.collect(),
        ..TextTable::default()
    }
}

/// Iterations on chains, a row for each pair of tolerances.
fn tolerance_table(rows: &[ChainIterations]) -> TextTable {
    let mut links: Vec<u32> = rows.iter().map(|row| row.links).collect();
    links.dedup();
    let mut table = TextTable {
        caption: "Iterations per step, HI / FI, by number of links and Newton tolerances: three pairs equal in displacements, then those of \
                  Figs. 4 to 6 at the same step."
            .to_owned(),
        header: vec!["Newton tolerance".to_owned()],
        ..TextTable::default()
    };
    let names = links.iter().map(|links| format!("N = {links}"));
    table.header.extend(names);
    for row in rows {
        let name = both(size(row.tolerance_half), size(row.tolerance_fully));
        let cell = both(
            format!("{:.2}", row.iterations_half),
            format!("{:.2}", row.iterations_fully),
        );
        match table.rows.iter_mut().find(|other| other[0] == name) {
            Some(other) => other.push(cell),
            None => table.rows.push(vec![name, cell]),
        }
    }
    table
}
