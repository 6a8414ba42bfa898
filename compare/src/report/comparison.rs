//! The report of `liedae compare`.

use super::overview::{PARENTHESES, energy_words, overview};
use super::{Axis, Chart, Figure, LineStyle, Page, Section, Series, TextTable};
use crate::comparison::{Comparison, Definition};
use crate::error::{CommandError, Status};
use crate::experiment::{Curve, WorkPoint, accuracy_levels, cost_at, profile};
use crate::output::number;
use crate::store::Source;

/// What a run costs.
struct Cost {
    title: &'static str,
    axis: &'static str,
    of: fn(&WorkPoint) -> f64,
}

const COSTS: [Cost; 2] = [
    Cost {
        title: "wall time",
        axis: "wall time / s",
        of: |point| point.wall_s,
    },
    Cost {
        title: "force evaluations",
        axis: "force evaluations",
        of: |point| point.force as f64,
    },
];

/// Methods in one profile: lines without markers differ by their colours only.
const LOOKS: usize = 7;

/// Columns of results.csv.
const COLUMNS: [(&str, &str); 25] = [
    (
        "problem",
        "name of the problem, with parameters other than its defaults",
    ),
    (
        "variant",
        "method, and how its steps are chosen where it has two ways",
    ),
    (
        "tolerance",
        "relative and absolute tolerance of an adaptive run",
    ),
    ("step", "step in s of a run with fixed steps"),
    ("status", "done, failed or bad-input"),
    ("reason", "why a run failed"),
    ("t_reached", "time reached in s"),
    (
        "events",
        "events on the way: impacts, releases, beginnings and ends of sticking, switched loads",
    ),
    ("impacts", "impacts among them"),
    (
        "energy_rise",
        "largest rise of the energy across one event in J, negative if all lose energy",
    ),
    (
        "penetration",
        "largest penetration of a contact at any accepted step in m (rad of an angular stop)",
    ),
    (
        "error_end",
        "root mean square over the outputs of error / largest absolute reference value, at the end; not less than \
         what the reference can tell",
    ),
    (
        "error_samples",
        "the same over 40 equidistant samples, from dense output; outputs known at all samples",
    ),
    (
        "wall_s",
        "wall time in s of a run that nobody observes; the shortest of up to five below 40 ms",
    ),
    ("accepted", "accepted steps"),
    ("rejected", "rejected steps"),
    ("force", "evaluations of forces and other rates"),
    ("constraint", "evaluations of constraints at any level"),
    ("jacobian", "evaluations of constraint and force Jacobians"),
    ("mass", "evaluations of the mass matrix"),
    ("factorizations", "matrix factorizations"),
    ("solves", "solutions with a factorized matrix"),
    ("newton_iterations", "Newton iterations"),
    ("violation_position", "largest |g| at any accepted step"),
    (
        "violation_velocity",
        "largest |G v + g_t| at any accepted step",
    ),
];

/// Puts the report together.
pub fn comparison(compared: &Comparison) -> Result<Page, CommandError> {
    let (plan, results) = (&compared.definition, compared.runs.as_slice());
    let references = compared.references.as_slice();
    let failed = results
        .iter()
        .filter(|point| point.status != Status::Done)
        .count();
    let tolerances: Vec<String> = plan
        .tolerances
        .iter()
        .map(|tolerance| format!("{tolerance:e}"))
        .collect();
    let mut page = Page {
        title: "Comparison of methods".to_owned(),
        summary: vec![
            format!(
                "liedae {} compared {} variants of methods on {} problems: {} runs, {failed} failed; \
                 the runs that are reported took {:.1} s.",
                env!("CARGO_PKG_VERSION"),
                plan.variants.len(),
                plan.problems.len(),
                results.len(),
                results.iter().map(|point| point.wall_s).sum::<f64>()
            ),
            format!(
                "Adaptive runs: relative = absolute tolerance {}. Methods that step with a fixed size by default run \
                 on a ladder of steps as well: 4, 2, 1, 1/2 ... times the problem's default step, as many as there \
                 are tolerances. A run that takes more than {} s of CPU time is given up.",
                tolerances.join(", "),
                plan.time_limit_s
            ),
            "Times depend on the machine and on what else it did; the counts beside them do not. The times are those \
             of runs that nobody observed: errors and violations come from the final state and from a second run."
                .to_owned(),
        ],
        sections: Vec::new(),
    };
    page.sections.push(at_a_glance(compared));
    if plan.variants.len() > 1 {
        page.sections.push(profiles(plan, results, references)?);
    }
    for problem in &plan.problems {
        let problem = problem.as_str();
        let source = references.iter().find(|source| source.problem == problem);
        page.sections
            .push(problem_section(plan, results, problem, source)?);
    }
    let columns = COLUMNS.map(|(name, meaning)| vec![name.to_owned(), meaning.to_owned()]);
    page.sections.push(Section {
        heading: "Columns of results.csv".to_owned(),
        tables: vec![TextTable {
            header: vec!["column".to_owned(), "meaning".to_owned()],
            rows: columns.into(),
            prose: true,
            ..TextTable::default()
        }],
        ..Section::default()
    });
    Ok(page)
}

fn at_a_glance(compared: &Comparison) -> Section {
    let (results, references) = (&compared.runs, &compared.references);
    let mut paragraphs = vec![
        "Every problem with every method at its tightest tolerance or smallest step; red where a run failed, and the \
         tables below say why. The error is that at the end, relative to the size of each output; – where there is no \
         reference that two methods confirm."
            .to_owned(),
    ];
    if results.iter().any(|point| point.events > 0) {
        paragraphs.push(format!(
            "The rise of the energy is the largest across one event, negative if all events lose energy, {PARENTHESES}. \
             The depth is the largest penetration of a contact at any step, in rad where a gap is an angle."
        ));
    }
    paragraphs.extend(energy_words(results, references));
    Section {
        heading: "At a glance".to_owned(),
        paragraphs,
        tables: vec![overview(compared)],
        ..Section::default()
    }
}

/// Errors and costs of one variant on one problem, in the order of the ladder.
fn curve(results: &[WorkPoint], problem: &str, variant: &str, cost: &Cost) -> Curve {
    results
        .iter()
        .filter(|point| {
            point.problem == problem && point.variant == variant && point.status == Status::Done
        })
        .filter_map(|point| Some((point.error_end?, (cost.of)(point))))
        .collect()
}

/// Performance profiles over the problems whose motion depends on how it is integrated.
fn profiles(
    plan: &Definition,
    results: &[WorkPoint],
    references: &[Source],
) -> Result<Section, CommandError> {
    let is_determined = |problem: &str| {
        references
            .iter()
            .any(|source| source.problem == problem && source.determined)
    };
    let (left_out, profiled): (Vec<&str>, Vec<&str>) = plan
        .problems
        .iter()
        .map(String::as_str)
        .partition(|problem| is_determined(problem));
    let levels = accuracy_levels();
    let mut section = Section {
        heading: "Performance profiles".to_owned(),
        paragraphs: vec![
            "The fraction of instances that a method solves within a factor τ of the cheapest method (Dolan and Moré \
             2002, doi:10.1007/s101070100263). An instance is a problem together with an error to be reached at the \
             end, one for each decade from 10⁻¹ to 10⁻¹⁰; its cost is interpolated between the runs of a method in \
             double logarithmic coordinates, never extrapolated. At τ = 1 stand the wins, at the right end what a \
             method solves at all."
                .to_owned(),
        ],
        ..Section::default()
    };
    if !left_out.is_empty() {
        section.paragraphs.push(format!(
            "Left out: {}. The constraints alone determine their motion, so that methods that project onto them are \
             exact at any tolerance, and such instances would only count projections.",
            left_out.join(", ")
        ));
    }
    if profiled.is_empty() {
        section
            .paragraphs
            .push("No problem is left for a profile.".to_owned());
        return Ok(section);
    }
    for cost in &COSTS {
        let mut costs = Vec::new();
        for &problem in &profiled {
            let curves: Vec<Curve> = plan
                .variants
                .iter()
                .map(|variant| curve(results, problem, &variant.name, cost))
                .collect();
            for &level in &levels {
                costs.push(curves.iter().map(|curve| cost_at(curve, level)).collect());
            }
        }
        let profile = profile(&costs, plan.variants.len());
        let largest = profile
            .ratios
            .iter()
            .flatten()
            .fold(2.0_f64, |largest, &ratio| largest.max(ratio));
        let end = (1.2 * largest).min(1e4);
        let series = plan.variants.iter().enumerate().map(|(index, variant)| {
            let mut points = vec![(1.0, profile.fraction(index, 1.0))];
            for &ratio in profile.ratios[index]
                .iter()
                .filter(|&&ratio| ratio > 1.0 && ratio <= end)
            {
                if let Some(&(_, before)) = points.last() {
                    points.push((ratio, before));
                }
                points.push((ratio, profile.fraction(index, ratio)));
            }
            points.push((end, profile.fraction(index, end)));
            let style = if variant.secondary {
                LineStyle::Dashed
            } else {
                LineStyle::Plain
            };
            Series {
                name: variant.name.clone(),
                points,
                style,
                look: variant.number,
            }
        });
        let series: Vec<Series> = series.collect();
        let parts = series.last().map_or(0, |last| last.look / LOOKS + 1);
        for part in 0..parts {
            let mut title = format!("Performance profile: {}", cost.title);
            if parts > 1 {
                title.push_str(&format!(" ({} of {parts})", part + 1));
            }
            let chart = Chart {
                title,
                x: Axis::logarithmic("factor τ of the best").including(&[1.0, end]),
                y: Axis::linear("fraction of instances solved").including(&[0.0, 1.0]),
                series: series
                    .iter()
                    .filter(|series| series.look / LOOKS == part)
                    .cloned()
                    .collect(),
            };
            section.figures.push(Figure {
                svg: chart.svg()?,
                caption: format!(
                    "Cost: {}. {} instances; {} that no method solved are left out.",
                    cost.title, profile.instances, profile.unsolved
                ),
            });
        }
    }
    Ok(section)
}

fn problem_section(
    plan: &Definition,
    results: &[WorkPoint],
    problem: &str,
    source: Option<&Source>,
) -> Result<Section, CommandError> {
    let mut section = Section {
        heading: problem.to_owned(),
        ..Section::default()
    };
    if let Some(source) = source {
        section
            .paragraphs
            .push(format!("Reference: {}.", source.source));
        if source.determined {
            section.paragraphs.push(
                "The constraints alone determine this motion: a method that projects onto them has positions and \
                 velocities exactly, whatever its steps, and its errors here say nothing about its order."
                    .to_owned(),
            );
        }
    }
    let has_lines = |cost: &Cost| {
        plan.variants
            .iter()
            .any(|variant| curve(results, problem, &variant.name, cost).len() > 1)
    };
    for cost in COSTS.iter().filter(|cost| has_lines(cost)) {
        let series = plan.variants.iter().map(|variant| Series {
            name: variant.name.clone(),
            points: curve(results, problem, &variant.name, cost),
            style: if variant.secondary {
                LineStyle::MarkedDashed
            } else {
                LineStyle::Marked
            },
            look: variant.number,
        });
        let chart = Chart {
            title: format!("{problem}: error and {}", cost.title),
            x: Axis::logarithmic("error at the end, relative to the size of each output"),
            y: Axis::logarithmic(cost.axis),
            series: series.collect(),
        };
        section.figures.push(Figure {
            svg: chart.svg()?,
            caption: "Down and left is better: a lower cost, a smaller error. Lines that coincide hide one another."
                .to_owned(),
        });
    }
    section.tables.push(table(
        results.iter().filter(|point| point.problem == problem),
    ));
    Ok(section)
}

fn table<'p>(points: impl Iterator<Item = &'p WorkPoint>) -> TextTable {
    let header = [
        "method",
        "tolerance or step",
        "error at the end",
        "over samples",
        "t / s",
        "events",
        "energy rise / J",
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
    let exponent =
        |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| format!("{value:.2e}"));
    let mut table = TextTable {
        caption: "All runs; those that failed say why".to_owned(),
        header: header.map(str::to_owned).into(),
        ..TextTable::default()
    };
    for point in points {
        let done = point.status == Status::Done;
        let control = match (point.tolerance, point.step) {
            (Some(tolerance), _) => format!("tol {tolerance:e}"),
            (None, Some(step)) => format!("h = {step:e} s"),
            (None, None) => String::new(),
        };
        table.rows.push(vec![
            point.variant.clone(),
            control,
            exponent(point.error_end),
            exponent(point.error_samples),
            point.t_reached.map_or_else(|| "–".to_owned(), number),
            point.events.to_string(),
            exponent(point.energy_rise),
            number(point.wall_s),
            point.accepted.to_string(),
            point.rejected.to_string(),
            point.force.to_string(),
            point.constraint.to_string(),
            point.jacobian.to_string(),
            point.factorizations.to_string(),
            point.newton_iterations.to_string(),
            exponent(point.violation_position),
            point.reason.clone(),
        ]);
        table.classes.push(if done {
            String::new()
        } else {
            "bad".to_owned()
        });
    }
    table
}
