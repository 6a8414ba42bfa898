//! Performance profiles with both meanings of "solved", and data profiles.

use super::costs::{COSTS, Cost};
use super::runs::{MULTIPLE, Runs};
use super::{Alternative, Axis, Chart, Figure, Gallery, Section, Series};
use crate::error::CommandError;
use crate::experiment::{Profile, data_profile, profile};

/// Beyond these factors of the best nobody waits: the ends of the axes.
const LAST_FACTOR: f64 = 1e4;
const LAST_LINEAR_FACTOR: f64 = 10.0;

/// The choice of the measure of cost, and of the axis of factors.
pub(super) const COST_CHOICE: &str = "cost";
const FACTOR_CHOICE: &str = "factor τ";

/// The series of a step function over ascending values: at each the fraction of those up to it.
fn steps(values: &[f64], start: f64, end: f64, fraction: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
    let inside = values
        .iter()
        .copied()
        .filter(|value| (start..=end).contains(value));
    let mut at: Vec<f64> = [start].into_iter().chain(inside).chain([end]).collect();
    at.dedup();
    at.into_iter()
        .map(|value| (value, fraction(value)))
        .collect()
}

/// A profile with both axes; the logarithmic one is shown first.
fn alternatives(
    runs: &Runs<'_>,
    variants: &[usize],
    found: &Profile,
    title: &str,
    caption: &str,
    choice: &[(&str, &str)],
) -> Result<Vec<Alternative>, CommandError> {
    let largest = found
        .ratios
        .iter()
        .flatten()
        .fold(2.0_f64, |largest, &ratio| largest.max(ratio));
    let logarithmic = (1.2 * largest).min(LAST_FACTOR);
    let linear = logarithmic.min(LAST_LINEAR_FACTOR);
    let ends = [1.0, logarithmic];
    let axes = [
        (
            "logarithmic",
            Axis::logarithmic("factor τ of the best").including(&ends),
            logarithmic,
        ),
        (
            "linear",
            Axis::linear("factor τ of the best").including(&[1.0, linear]),
            linear,
        ),
    ];
    let mut list = Vec::new();
    for (kind, x, end) in axes {
        let series = variants.iter().enumerate().filter_map(|(solver, &index)| {
            let variant = runs.plan.variants.get(index)?;
            let ratios = found.ratios.get(solver)?;
            Some(Series {
                name: variant.name.clone(),
                points: steps(ratios, 1.0, end, |ratio| found.fraction(solver, ratio)),
                style: Runs::step_style(variant.secondary),
                look: variant.number,
            })
        });
        let chart = Chart {
            title: title.to_owned(),
            x,
            y: Axis::linear("fraction of instances solved").including(&[0.0, 1.0]),
            series: series.collect(),
        };
        let figure = Figure {
            svg: chart.svg()?,
            caption: caption.to_owned(),
        };
        let choice: Vec<(&str, &str)> = choice
            .iter()
            .copied()
            .chain([(FACTOR_CHOICE, kind)])
            .collect();
        // The same numbers on another axis: nobody misses it without a script.
        list.push(Alternative::new(&choice, figure, kind == "linear"));
    }
    Ok(list)
}

/// The measures of cost that were taken.
pub(super) fn measured<'r>(runs: &'r Runs<'_>) -> impl Iterator<Item = &'static Cost> + use<'r> {
    COSTS.iter().filter(|cost| !runs.lacks(cost))
}

/// At equal delivered error, over the problems whose motion depends on how it is integrated.
pub(super) fn at_equal_error(runs: &Runs<'_>) -> Result<Section, CommandError> {
    let (left_out, profiled) = determined(runs);
    let mut section = Section {
        heading: "Performance profiles at equal error".to_owned(),
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
    let variants: Vec<usize> = (0..runs.plan.variants.len()).collect();
    let mut gallery = Gallery::default();
    for cost in measured(runs) {
        let found = profile(&runs.at_equal_error(&profiled, cost), variants.len());
        let caption = format!(
            "Cost: {}. {} instances; {} that no method solved are left out.",
            cost.title, found.instances, found.unsolved
        );
        let title = format!("Performance profile: {}", cost.title);
        gallery.alternatives.extend(alternatives(
            runs,
            &variants,
            &found,
            &title,
            &caption,
            &[(COST_CHOICE, cost.title)],
        )?);
    }
    section.galleries.push(gallery);
    Ok(section)
}

/// At equal tolerance: every problem at every tolerance counts.
pub(super) fn at_equal_tolerance(runs: &Runs<'_>) -> Result<Section, CommandError> {
    const JUDGED: &str = "errors";
    let variants = runs.adaptive();
    let mut section = Section {
        heading: "Performance profiles at equal tolerance".to_owned(),
        paragraphs: vec![format!(
            "Every problem at every tolerance is an instance, and all of them are in the denominator, also those that no \
             method solved (n_p = all, as in Haddouni et al. 2017, doi:10.1007/s11044-017-9570-y, eq. 39). That paper \
             counts every run that reaches its end, whatever its error. Here a run whose error at the end exceeds \
             {MULTIPLE} times its tolerance does not count as solved, so that nobody wins by being wrong; the paper's \
             way of counting is beside it. A run without a reference is believed. Methods with fixed steps have no \
             tolerance and are not here. A method without a factorization counts as if it had one."
        )],
        ..Section::default()
    };
    if variants.is_empty() || runs.plan.tolerances.is_empty() {
        section
            .paragraphs
            .push("No method ran by tolerances.".to_owned());
        return Ok(section);
    }
    let mut gallery = Gallery::default();
    for (strict, judged) in [
        (true, "up to 100 tolerances"),
        (false, "any, as in the paper"),
    ] {
        for cost in measured(runs) {
            let found = profile(
                &runs.at_equal_tolerance(&variants, cost, strict),
                variants.len(),
            )
            .of_all();
            let title = if strict {
                format!("At equal tolerance: {}", cost.title)
            } else {
                format!("At equal tolerance, errors not judged: {}", cost.title)
            };
            let caption = format!(
                "Cost: {}. {} instances, {} of them solved by no method.",
                cost.title, found.instances, found.unsolved
            );
            let choice = [(JUDGED, judged), (COST_CHOICE, cost.title)];
            gallery.alternatives.extend(alternatives(
                runs, &variants, &found, &title, &caption, &choice,
            )?);
        }
    }
    section.galleries.push(gallery);
    Ok(section)
}

/// Data profiles at equal delivered error.
pub(super) fn data_profiles(runs: &Runs<'_>) -> Result<Section, CommandError> {
    let mut section = Section {
        heading: "Data profiles".to_owned(),
        paragraphs: vec![
            "The fraction of instances that a method solves with a given budget (Moré and Wild 2009, \
             doi:10.1137/080724083): absolute costs, so that the lines of two methods do not change when a third comes \
             or goes. Instances are those of the profiles at equal error, and those that nobody solved are in the \
             denominator. Force evaluations are counted in units of n + 1, where n is the number of rates of the \
             problem: what a Jacobian by differences takes."
                .to_owned(),
        ],
        ..Section::default()
    };
    let (_, profiled) = determined(runs);
    if profiled.is_empty() {
        section
            .paragraphs
            .push("No problem is left for a profile.".to_owned());
        return Ok(section);
    }
    let variants = &runs.plan.variants;
    let sizes: Vec<f64> = profiled
        .iter()
        .filter_map(|problem| Some(runs.source(problem)?.rates as f64))
        .collect();
    let mut gallery = Gallery::default();
    for cost in measured(runs) {
        let costs = runs.at_equal_error(&profiled, cost);
        let levels = costs.len() / profiled.len();
        let unit = |row: usize| {
            if cost.by_size {
                sizes.get(row / levels).map_or(1.0, |size| size + 1.0)
            } else {
                1.0
            }
        };
        let units: Vec<f64> = (0..costs.len()).map(unit).collect();
        let found = data_profile(&costs, &units, variants.len());
        let all = || {
            found
                .budgets
                .iter()
                .flatten()
                .copied()
                .filter(|&budget| budget > 0.0)
        };
        let (start, end) = (
            all().fold(f64::INFINITY, f64::min),
            all().fold(0.0, f64::max),
        );
        let series =
            variants
                .iter()
                .zip(&found.budgets)
                .enumerate()
                .map(|(solver, (variant, budgets))| Series {
                    name: variant.name.clone(),
                    points: steps(budgets, start, end, |budget| found.fraction(solver, budget)),
                    style: Runs::step_style(variant.secondary),
                    look: variant.number,
                });
        let axis = if cost.by_size {
            format!("{} / (n + 1)", cost.title)
        } else {
            cost.axis.to_owned()
        };
        let chart = Chart {
            title: format!("Data profile: {}", cost.title),
            x: Axis::logarithmic(axis),
            y: Axis::linear("fraction of instances solved").including(&[0.0, 1.0]),
            series: series.collect(),
        };
        let figure = Figure {
            svg: chart.svg()?,
            caption: format!("Budget: {}. {} instances.", cost.title, found.instances),
        };
        gallery.alternatives.push(Alternative::new(
            &[(COST_CHOICE, cost.title)],
            figure,
            false,
        ));
    }
    section.galleries.push(gallery);
    Ok(section)
}

/// The problems whose motion the constraints alone determine, and the others.
fn determined<'c>(runs: &Runs<'c>) -> (Vec<&'c str>, Vec<&'c str>) {
    let is_determined =
        |problem: &&str| runs.source(problem).is_some_and(|source| source.determined);
    runs.problems().into_iter().partition(is_determined)
}
