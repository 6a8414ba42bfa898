//! How much each method solves, and how far it is from the best: a table and boxes.

use super::boxes::{LyingBox, boxes};
use super::profiles::{COST_CHOICE, measured};
use super::runs::{MULTIPLE, Runs};
use super::{Alternative, Axis, Figure, Gallery, Section, TextTable};
use crate::error::{CommandError, Status};
use crate::experiment::{Spread, Verdict, accuracy_levels, medians_of_ratios};

/// What each variant solves, with both meanings of the word.
pub(super) fn fractions(runs: &Runs<'_>) -> Section {
    let header = [
        "method",
        "runs",
        "at the end",
        "failed",
        "error > 100 tol",
        "no reference",
        "solved at equal tolerance / %",
        "solved at equal error / %",
    ];
    let mut table = TextTable {
        header: header.map(str::to_owned).into(),
        ..TextTable::default()
    };
    let problems = runs.problems();
    let measure = &super::costs::COSTS[0];
    let at_error = runs.at_equal_error(&problems, measure);
    for (index, variant) in runs.plan.variants.iter().enumerate() {
        let points = || {
            let of = |problem: &&str| {
                runs.of(problem, &variant.name)
                    .iter()
                    .filter_map(|&number| runs.results.get(number))
            };
            problems.iter().flat_map(of)
        };
        let (all, done) = (
            points().count(),
            points()
                .filter(|point| point.status == Status::Done)
                .count(),
        );
        let verdicts = |wanted: Verdict| {
            points()
                .filter(|point| Runs::verdict(point) == Some(wanted))
                .count()
        };
        let judged = |count: usize| {
            if variant.fixed {
                "–".to_owned()
            } else {
                count.to_string()
            }
        };
        let counted = verdicts(Verdict::Solved) + verdicts(Verdict::Unjudged);
        let instances = problems.len() * runs.plan.tolerances.len();
        let solved = at_error
            .iter()
            .filter(|row| row.get(index).is_some_and(Option::is_some))
            .count();
        table.rows.push(vec![
            variant.name.clone(),
            all.to_string(),
            done.to_string(),
            (all - done).to_string(),
            judged(verdicts(Verdict::Beyond)),
            points()
                .filter(|point| point.status == Status::Done && point.error_end.is_none())
                .count()
                .to_string(),
            if variant.fixed {
                "–".to_owned()
            } else {
                percent(counted, instances)
            },
            percent(solved, at_error.len()),
        ]);
        table.classes.push(String::new());
    }
    Section {
        heading: "Solved".to_owned(),
        paragraphs: vec![format!(
            "Two meanings of the word. At equal tolerance: the run reached its end, and its error there is at most \
                 {MULTIPLE} times its tolerance, or nobody knows it; of all problems at all tolerances. At equal error: \
                 some run of the method has at most this error at the end; of all problems at all {} decades of the \
                 error.",
            accuracy_levels().len()
        )],
        tables: vec![table],
        ..Section::default()
    }
}

fn percent(part: usize, whole: usize) -> String {
    format!("{:.1}", 100.0 * part as f64 / whole.max(1) as f64)
}

/// The largest median ratio that the axis of boxes shows.
const LAST_RATIO: f64 = 1e3;

/// How far from the best: boxes over the problems of the medians over the tolerances.
pub(super) fn spreads(runs: &Runs<'_>) -> Result<Section, CommandError> {
    let variants = runs.adaptive();
    let mut section = Section {
        heading: "Distance from the best".to_owned(),
        paragraphs: vec![
            "At equal tolerance, judged by its error: for every problem the median over the tolerances of cost / lowest \
             cost of any method, infinite where a method does not solve what others do. The box of a method spans the \
             middle half of these medians over the problems, the thick line is their median, the thin lines reach from \
             the first to the last decile; an arrow means that they go on, to infinity where more than a tenth of the \
             problems is unsolved. Problems that nobody solves are left out."
                .to_owned(),
        ],
        ..Section::default()
    };
    let (mut gallery, mut table) = (Gallery::default(), None);
    let problems: Vec<usize> = (0..runs.plan.problems.len())
        .flat_map(|problem| vec![problem; runs.plan.tolerances.len()])
        .collect();
    for cost in measured(runs) {
        let costs = runs.at_equal_tolerance(&variants, cost, true);
        let medians = medians_of_ratios(&costs, &problems, variants.len());
        let list: Vec<(LyingBox, usize)> = variants
            .iter()
            .zip(&medians)
            .filter_map(|(&index, values)| {
                let variant = runs.plan.variants.get(index)?;
                let item = LyingBox {
                    name: variant.name.clone(),
                    spread: Spread::of(values)?,
                    look: variant.number,
                    dashed: variant.secondary,
                };
                Some((item, values.len()))
            })
            .collect();
        if list.is_empty() {
            continue;
        }
        table.get_or_insert_with(|| spread_table(&list, cost.title));
        let highest = list
            .iter()
            .map(|(item, _)| item.spread.high)
            .filter(|high| high.is_finite())
            .fold(2.0, f64::max);
        let (items, counts): (Vec<LyingBox>, Vec<usize>) = list.into_iter().unzip();
        let end = (1.2 * highest).min(LAST_RATIO);
        let axis = Axis::logarithmic(format!(
            "{} / lowest of all, median over the tolerances",
            cost.title
        ));
        let title = format!("Distance from the best: {}", cost.title);
        let figure = Figure {
            svg: boxes(&title, &axis, end, &items)?,
            caption: format!("{} problems.", counts.first().copied().unwrap_or_default()),
        };
        gallery.alternatives.push(Alternative::new(
            &[(COST_CHOICE, cost.title)],
            figure,
            false,
        ));
    }
    if gallery.alternatives.is_empty() {
        section
            .paragraphs
            .push("No run counts as solved at its tolerance.".to_owned());
    } else {
        section.galleries.push(gallery);
    }
    section.tables.extend(table);
    Ok(section)
}

fn spread_table(list: &[(LyingBox, usize)], cost: &str) -> TextTable {
    let header = [
        "method",
        "problems",
        "first decile",
        "first quartile",
        "median",
        "third quartile",
        "last decile",
    ];
    let number = |value: f64| {
        if value.is_finite() {
            format!("{value:.2}")
        } else {
            "∞".to_owned()
        }
    };
    TextTable {
        caption: format!("The same in numbers: {cost} / lowest of all"),
        header: header.map(str::to_owned).into(),
        rows: list
            .iter()
            .map(|(item, count)| {
                let spread = item.spread;
                let numbers = [
                    spread.low,
                    spread.quarter,
                    spread.median,
                    spread.three_quarters,
                    spread.high,
                ]
                .map(number);
                [item.name.clone(), count.to_string()]
                    .into_iter()
                    .chain(numbers)
                    .collect()
            })
            .collect(),
        classes: vec![String::new(); list.len()],
        ..TextTable::default()
    }
}
