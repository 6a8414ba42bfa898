//! Tables 3 and 4, Figs. 9 to 11 and 13, and why the order of HEM5 and MDOP5 is reversed.

mod flexible;

use super::Results;
use super::claims::projected_share;
use super::runs::Cell;
use super::settings::{
    EQUAL_ERRORS, IMPACTS, PaperSet, SAFETY, SETS, SMOOTH, SOLVERS, TAU, TOLERANCE,
};
use super::statistics::{Cost, Costs, equal_error, equal_tolerance, problems, ratio, rho, run};
use crate::error::CommandError;
use crate::report::{Axis, Chart, Figure, LineStyle, Page, Section, Series, TextTable};
use crate::reproduce::Claim;
use crate::reproduce::claim::{headline, tables};

/// How it was run.
const SETTINGS: &str = "As in the paper, one relative and absolute tolerance of 1e-4 for all methods; constraints violated by more \
    than 1e-4 are projected after the step (HEM5, MDOP5); steps are controlled by eq. 30 with a safety factor of 0.9, and of 0.3, \
    which Table 1 prints; all problems of a set count for \u{3c1}, also those that a method does not solve. Iterations of \
    generalized-\u{3b1} end by this library's rule. The paper's problems are mechanisms of the ANSYS library, which is not public: \
    sets 1 to 3 of the open test set stand for them, with as many problems (docs/book/src/comparing/test-set.md). Stiff are problems in which MDOP5's steps hardly depend \
    on the tolerance. Counts decide the claims about effort. Times are shown: CPU times of the thread, of short runs the least of up to nine, without observers.";

/// The whole report.
pub(super) fn page(results: &Results, claims: &[Claim], quick: bool) -> Result<Page, CommandError> {
    let mut page = Page {
        title: "Haddouni et al. 2017, repeated".to_owned(),
        summary: vec![
            format!(
                "Made by `liedae reproduce haddouni2017`, liedae {}: section 4 of M. Haddouni, V. Acary, S. Garreau, J.-D. \
                 Beley, B. Brogliato, Comparison of several formulations and integration methods, \
                 doi:10.1007/s11044-017-9570-y. Section 3.4 is `liedae reproduce haddouni2017-academic`.",
                env!("CARGO_PKG_VERSION")
            ),
            headline(claims),
            SETTINGS.to_owned(),
        ],
        ..Page::of_this_build()
    };
    if quick {
        page.summary.push(
            "A quick pass over few problems and one tolerance: the verdicts mean nothing."
                .to_owned(),
        );
    }
    page.sections.push(Section {
        heading: "Claims".to_owned(),
        tables: tables(claims),
        ..Section::default()
    });
    page.sections.push(Section {
        heading: "Table 3: share of the problems solved within 1.2 times the least cost".to_owned(),
        tables: vec![table3(results)],
        ..Section::default()
    });
    page.sections.push(reversed(results)?);
    for set in &SETS {
        if !problems(&results.cells, set.set).is_empty() {
            page.sections.push(set_section(results, set)?);
        }
    }
    if !results.beam.is_empty() {
        page.sections.push(flexible::beam_section(&results.beam));
    }
    if let Some(run_up) = &results.run_up {
        page.sections.push(flexible::rotor_section(run_up)?);
    }
    if !results.forms.is_empty() {
        page.sections.push(Section {
            heading: "Violations of three forms of generalized-\u{3b1}".to_owned(),
            tables: vec![forms_table(results)],
            ..Section::default()
        });
    }
    Ok(page)
}

fn shares(costs: &Costs) -> Vec<String> {
    rho(costs, TAU)
        .iter()
        .map(|share| format!("{share:.2}"))
        .collect()
}

fn table(header: &[&str], rows: Vec<Vec<String>>) -> TextTable {
    TextTable {
        header: header.iter().map(|&name| name.to_owned()).collect(),
        rows,
        ..TextTable::default()
    }
}

fn table3(results: &Results) -> TextTable {
    let mut rows = Vec::new();
    for set in &SETS {
        let count = problems(&results.cells, set.set).len();
        if count == 0 {
            continue;
        }
        let mut row = |what: String, shares: Vec<String>| {
            rows.push([vec![what], shares].concat());
        };
        let published = set.published.map(|share| format!("{share:.2}"));
        row(format!("the paper, set {}", set.number), published.into());
        for safety in SAFETY {
            if !results.cells.iter().any(|cell| cell.safety == safety) {
                continue;
            }
            for cost in Cost::ALL {
                let costs = equal_tolerance(&results.cells, set.set, safety, cost);
                let what = format!(
                    "{} ({count}), tolerance 1e-4, safety {safety}, {}",
                    set.set,
                    cost.words()
                );
                row(what, shares(&costs));
            }
        }
        for error in EQUAL_ERRORS {
            for cost in Cost::ALL {
                let costs = equal_error(&results.cells, set.set, error, cost);
                let what = format!(
                    "{} ({}), delivered error {error:e}, {}",
                    set.set,
                    costs.len(),
                    cost.words()
                );
                row(what, shares(&costs));
            }
        }
    }
    let header = [
        "set (problems), metric",
        SOLVERS[0].label,
        SOLVERS[1].label,
        SOLVERS[2].label,
    ];
    table(&header, rows)
}

/// What HEM5 and MDOP5 do, count by count.
fn reversed(results: &Results) -> Result<Section, CommandError> {
    let cells = &results.cells;
    let sets: Vec<&str> = SETS.iter().map(|set| set.set).collect();
    let is_stiff = |id: &str| results.is_stiff(id);
    type Value = fn(&Cell) -> Option<f64>;
    let tried = |cell: &Cell| (cell.accepted + cell.rejected) as f64;
    let quantities: [(&str, Value); 10] = [
        ("accepted steps", |cell| Some(cell.accepted as f64)),
        ("error at the end", |cell| cell.error),
        ("force evaluations", |cell| Some(cell.force as f64)),
        ("evaluations of Jacobians", |cell| {
            Some(cell.jacobian as f64)
        }),
        ("factorizations", |cell| Some(cell.factorizations as f64)),
        ("CPU time", |cell| Some(cell.seconds)),
        ("force evaluations per step tried", |cell| {
            Some(cell.force as f64 / (cell.accepted + cell.rejected) as f64)
        }),
        ("factorizations per step tried", |cell| {
            Some(cell.factorizations as f64 / (cell.accepted + cell.rejected) as f64)
        }),
        ("CPU time per step tried", |cell| {
            Some(cell.seconds / (cell.accepted + cell.rejected) as f64)
        }),
        ("CPU time per factorization", |cell| {
            Some(cell.seconds / cell.factorizations as f64)
        }),
    ];
    let mut rows = Vec::new();
    for (name, value) in quantities {
        let mut row = vec![name.to_owned()];
        for set in &sets {
            let found = ratio(cells, &[set], &is_stiff, (0, 1), &value);
            row.push(found.map_or_else(String::new, |found| {
                format!("{:.3} ({} of {})", found.mean, found.above, found.count)
            }));
        }
        rows.push(row);
    }
    let mut header = vec!["HEM5 over MDOP5, geometric mean (larger on)"];
    header.extend(&sets);
    let mut ratios = table(&header, rows);
    ratios.caption = "At tolerance 1e-4, safety 0.9; stiff problems left out.".to_owned();
    let mut rows = Vec::new();
    for (index, solver) in SOLVERS.iter().enumerate().take(2) {
        let mut row = vec![solver.label.to_owned()];
        for set in &sets {
            row.push(projected_share(cells, index, &[set]).map_or_else(
                String::new,
                |(projected, accepted)| {
                    let part = 100.0 * projected as f64 / accepted as f64;
                    format!("{projected} of {accepted} ({part:.1} %)")
                },
            ));
        }
        rows.push(row);
    }
    let mut header = vec!["accepted steps that were projected"];
    header.extend(&sets);
    let projections = table(&header, rows);
    let mean = |sets: &[&str], value: &dyn Fn(&Cell) -> Option<f64>| {
        ratio(cells, sets, &is_stiff, (0, 1), value).map_or(f64::NAN, |found| found.mean)
    };
    let contact = [IMPACTS];
    let at_equal_error = shares(&equal_error(cells, IMPACTS, EQUAL_ERRORS[1], Cost::Seconds));
    let at_equal_tolerance = shares(&equal_tolerance(cells, IMPACTS, SAFETY[0], Cost::Seconds));
    let text = vec![
        format!(
            "By the paper's Table 3 HEM5 is ahead of MDOP5 on mechanisms with contacts, \u{3c1}(1.2) 0.84 and 0.45. Here, on set 2 of the \
             open test set, MDOP5 is at equal tolerance ({}), and the order is the paper's at an equal error of {:e} ({}).",
            at_equal_tolerance.join(", "),
            EQUAL_ERRORS[1],
            at_equal_error.join(", "),
        ),
        format!(
            "The steps decide. At equal tolerance HEM5 takes {:.2} times the steps of MDOP5 and makes {:.3} times its error. Its \
             estimate, e1\u{b2} / (e1 + 0.01 e2) of eqs. 33 and 34, is of order h\u{2075} but exceeds the error by far. That the paper \
             finds equal steps on set 1, and longer ones with HEM5 on set 2, does not follow from eqs. 30, 33 and 34 as they are \
             meant. As eq. 33 is printed, with positions Q7 and Q8 in place of velocities, e2 would be of order h, and the estimate \
             much smaller: a code that did so would take longer steps. Whether the paper's did cannot be told, its source is not \
             public.",
            mean(&contact, &|cell| Some(cell.accepted as f64)),
            mean(&contact, &|cell| cell.error),
        ),
        format!(
            "The stages do not. HEM5 has eight, each with an unsymmetric matrix of two Jacobians, MDOP5 seven, the last of which is \
             the next step's first where nothing is projected. But events and complete states cost the same with both: a step of \
             HEM5 takes {:.2} times the factorizations, {:.2} times the force evaluations and {:.2} times the CPU time of one of \
             MDOP5 on set 2, {:.2}, {:.2} and {:.2} times on set 1.",
            mean(&contact, &|cell| Some(cell.factorizations as f64 / tried(cell))),
            mean(&contact, &|cell| Some(cell.force as f64 / tried(cell))),
            mean(&contact, &|cell| Some(cell.seconds / tried(cell))),
            mean(&[SMOOTH], &|cell| Some(cell.factorizations as f64 / tried(cell))),
            mean(&[SMOOTH], &|cell| Some(cell.force as f64 / tried(cell))),
            mean(&[SMOOTH], &|cell| Some(cell.seconds / tried(cell))),
        ),
        "Projections, to which the paper ascribes MDOP5's cost, are counted below. At a bound as large as the tolerance few steps \
         need one, and here it is one or two solutions with a matrix; in the paper contacts come from a geometry engine."
            .to_owned(),
    ];
    Ok(Section {
        heading: "Why the order is reversed".to_owned(),
        paragraphs: text,
        tables: vec![ratios, projections],
        ..Section::default()
    })
}

/// Figs. 9 to 11: a average step, b steps, c profile; and all numbers.
fn set_section(results: &Results, set: &PaperSet) -> Result<Section, CommandError> {
    let cells = &results.cells;
    let names = problems(cells, set.set);
    let over_problems = |value: fn(&Cell) -> f64| -> Vec<Series> {
        let solvers = SOLVERS.iter().enumerate();
        solvers
            .map(|(solver, known)| Series {
                name: known.label.to_owned(),
                points: names
                    .iter()
                    .enumerate()
                    .filter_map(|(index, problem)| {
                        let cell = run(cells, set.set, problem, solver, SAFETY[0])?;
                        Some((index as f64 + 1.0, value(cell)))
                    })
                    .collect(),
                style: LineStyle::Points,
                look: solver,
            })
            .collect()
    };
    let figure = set.figure;
    let count = names.len() as f64;
    let mut figures = Vec::new();
    for (part, axis, value) in [
        (
            "a",
            "average step / s",
            (|cell| cell.average_step) as fn(&Cell) -> f64,
        ),
        ("b", "accepted steps", |cell| cell.accepted as f64),
    ] {
        let chart = Chart {
            title: format!("Fig. {figure}({part}), {}: {axis}", set.set),
            x: Axis::linear("problem").including(&[1.0, count]),
            y: Axis::logarithmic(axis),
            series: over_problems(value),
        };
        figures.push(Figure {
            svg: chart.svg()?,
            caption: "Problems in the order of the table below.".to_owned(),
        });
    }
    for (costs, what) in [
        (
            equal_tolerance(cells, set.set, SAFETY[0], Cost::Seconds),
            "equal tolerance 1e-4, CPU time".to_owned(),
        ),
        (
            equal_error(cells, set.set, EQUAL_ERRORS[0], Cost::Seconds),
            format!("equal error {:e}, CPU time", EQUAL_ERRORS[0]),
        ),
    ] {
        figures.push(profile_figure(
            &costs,
            &format!("Fig. {figure}(c), {}", set.set),
            &what,
        )?);
    }
    Ok(Section {
        heading: format!("Figure {figure}: {} (set `{}`)", set.title, set.set),
        figures,
        tables: vec![runs_table(cells, set)],
        ..Section::default()
    })
}

fn profile_figure(costs: &Costs, title: &str, what: &str) -> Result<Figure, CommandError> {
    let mut taus: Vec<f64> = vec![1.0];
    for row in costs {
        let Some(best) = row.iter().flatten().copied().reduce(f64::min) else {
            continue;
        };
        taus.extend(row.iter().flatten().map(|cost| cost / best));
    }
    taus.sort_by(f64::total_cmp);
    taus.dedup();
    let series = SOLVERS.iter().enumerate().map(|(solver, known)| {
        let mut points: Vec<(f64, f64)> = Vec::new();
        for &tau in &taus {
            let share = rho(costs, tau * (1.0 + 1e-12))[solver];
            if let Some(&(_, last)) = points.last() {
                points.push((tau, last));
            }
            points.push((tau, share));
        }
        Series {
            name: known.label.to_owned(),
            points,
            style: LineStyle::Plain,
            look: solver,
        }
    });
    let chart = Chart {
        title: format!("{title}: performance profile, {what}"),
        x: Axis::logarithmic("\u{3c4}, times the least cost").including(&[1.0, 10.0]),
        y: Axis::linear("share of the problems").including(&[0.0, 1.0]),
        series: series.collect(),
    };
    Ok(Figure {
        svg: chart.svg()?,
        caption: format!("\u{3c1}(1.2) is {}.", shares(costs).join(", ")),
    })
}

fn runs_table(cells: &[Cell], set: &PaperSet) -> TextTable {
    let header = [
        "problem",
        "method",
        "average step / s",
        "smallest step / s",
        "accepted",
        "rejected",
        "events",
        "projected",
        "force",
        "Jacobians",
        "factorizations",
        "Newton",
        "CPU / s",
        "error",
        "|g|",
        "|G v|",
        "remark",
    ];
    let mut rows = Vec::new();
    let mut classes = Vec::new();
    let optional =
        |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.1e}"));
    for problem in problems(cells, set.set) {
        let of = cells.iter().filter(|cell| {
            cell.set == set.set
                && cell.id == problem
                && cell.safety == SAFETY[0]
                && cell.tolerance == TOLERANCE
        });
        for cell in of {
            classes.push(if cell.done { "" } else { "bad" }.to_owned());
            rows.push(vec![
                format!("{problem} {}", cell.problem),
                cell.method.to_owned(),
                format!("{:.2e}", cell.average_step),
                optional(cell.smallest_step),
                cell.accepted.to_string(),
                cell.rejected.to_string(),
                cell.events.to_string(),
                cell.projected
                    .map_or_else(String::new, |count| count.to_string()),
                cell.force.to_string(),
                cell.jacobian.to_string(),
                cell.factorizations.to_string(),
                cell.newton_iterations.to_string(),
                format!("{:.2e}", cell.seconds),
                optional(cell.error),
                optional(cell.violation_position),
                optional(cell.violation_velocity),
                cell.reason.clone(),
            ]);
        }
    }
    TextTable {
        caption: "Tolerance 1e-4, safety 0.9".to_owned(),
        classes,
        ..table(&header, rows)
    }
}

fn forms_table(results: &Results) -> TextTable {
    let rows = results.forms.iter().map(|form| {
        vec![
            form.problem.clone(),
            form.method.to_owned(),
            format!("{:.1e}", form.position),
            format!("{:.1e}", form.velocity),
            format!("{:.1e}", form.acceleration),
            if form.done { "" } else { "failed" }.to_owned(),
        ]
    });
    TextTable {
        caption: "Largest violations at any accepted step, tolerance 1e-4".to_owned(),
        ..table(
            &[
                "problem",
                "form",
                "|g|",
                "|G v|",
                "|G v' + \u{3b3}|",
                "remark",
            ],
            rows.collect(),
        )
    }
}
