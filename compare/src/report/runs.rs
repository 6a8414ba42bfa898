//! The runs of a comparison, found by problem and variant.

use super::costs::Cost;
use crate::comparison::Definition;
use crate::error::Status;
use crate::experiment::{Curve, Verdict, WorkPoint, accuracy_levels, cost_at};
use crate::report::LineStyle;
use crate::store::Source;
use std::collections::HashMap;

/// An error beyond this many tolerances is no solution at that tolerance: two digits less than asked for. Methods that
/// control the error of each step, and let it add up over the run, stay below it; one whose control fails does not.
pub(super) const MULTIPLE: f64 = crate::experiment::FACTOR;

/// The runs of a comparison.
pub(super) struct Runs<'c> {
    pub plan: &'c Definition,
    pub results: &'c [WorkPoint],
    pub references: &'c [Source],
    /// Numbers of the runs by problem and variant.
    index: HashMap<&'c str, HashMap<&'c str, Vec<usize>>>,
}

impl<'c> Runs<'c> {
    /// Sorts them.
    pub(super) fn new(
        plan: &'c Definition,
        results: &'c [WorkPoint],
        references: &'c [Source],
    ) -> Self {
        let mut index: HashMap<&str, HashMap<&str, Vec<usize>>> = HashMap::new();
        for (number, point) in results.iter().enumerate() {
            let of_problem = index.entry(&point.problem).or_default();
            of_problem.entry(&point.variant).or_default().push(number);
        }
        Self {
            plan,
            results,
            references,
            index,
        }
    }

    /// Names of the problems.
    pub(super) fn problems(&self) -> Vec<&'c str> {
        self.plan.problems.iter().map(String::as_str).collect()
    }

    /// Where the truth about a problem came from.
    pub(super) fn source(&self, problem: &str) -> Option<&'c Source> {
        self.references
            .iter()
            .find(|source| source.problem == problem)
    }

    /// Numbers of the runs of a variant on a problem, in the order of the ladder.
    pub(super) fn of(&self, problem: &str, variant: &str) -> &[usize] {
        let found = self.index.get(problem).and_then(|runs| runs.get(variant));
        found.map_or(&[], Vec::as_slice)
    }

    /// The runs of a variant on a problem that were done and have an error.
    fn measured(
        &self,
        problem: &str,
        variant: &str,
    ) -> impl Iterator<Item = (usize, &WorkPoint, f64)> {
        let runs = self.of(problem, variant).iter();
        runs.filter_map(|&number| {
            let point = self.results.get(number)?;
            let done = point.status == Status::Done;
            done.then_some((number, point, point.error_end?))
        })
    }

    /// Errors and costs of one variant on one problem, and the numbers of these runs.
    pub(super) fn curve(&self, problem: &str, variant: &str, cost: &Cost) -> (Curve, Vec<usize>) {
        let points = self.measured(problem, variant);
        points
            .filter_map(|(number, point, error)| Some(((error, (cost.of)(point)?), number)))
            .unzip()
    }

    /// Whether no run has this cost.
    pub(super) fn lacks(&self, cost: &Cost) -> bool {
        self.results.iter().all(|point| (cost.of)(point).is_none())
    }

    /// Costs at equal delivered error: a row for each problem and decade of the error, an entry for each variant.
    pub(super) fn at_equal_error(&self, problems: &[&str], cost: &Cost) -> Vec<Vec<Option<f64>>> {
        let mut costs = Vec::new();
        for problem in problems {
            let curve = |name: &str| -> Curve {
                let points = self.measured(problem, name);
                points
                    .filter_map(|(_, point, error)| Some((error, cost.for_ratios(point)?)))
                    .collect()
            };
            let curves: Vec<Curve> = self
                .plan
                .variants
                .iter()
                .map(|variant| curve(&variant.name))
                .collect();
            let row = |level: f64| curves.iter().map(|curve| cost_at(curve, level)).collect();
            costs.extend(accuracy_levels().into_iter().map(row));
        }
        costs
    }

    /// What became of a run at its tolerance; `None` for one with fixed steps.
    pub(super) fn verdict(point: &WorkPoint) -> Option<Verdict> {
        let done = point.status == Status::Done;
        Some(Verdict::new(
            done,
            point.error_end,
            point.tolerance?,
            MULTIPLE,
        ))
    }

    /// Costs at equal tolerance: a row for each problem and tolerance, an entry for each of these variants. `strict` asks
    /// for an error of the size of the tolerance; else every run counts that reached the end.
    pub(super) fn at_equal_tolerance(
        &self,
        variants: &[usize],
        cost: &Cost,
        strict: bool,
    ) -> Vec<Vec<Option<f64>>> {
        let mut costs = Vec::new();
        for problem in self.problems() {
            for &tolerance in &self.plan.tolerances {
                let entry = |&index: &usize| {
                    let variant = self.plan.variants.get(index)?;
                    let mut runs = self
                        .of(problem, &variant.name)
                        .iter()
                        .filter_map(|&number| self.results.get(number));
                    let point = runs.find(|point| point.tolerance == Some(tolerance))?;
                    let verdict = Self::verdict(point)?;
                    let solved = if strict {
                        verdict.counts()
                    } else {
                        verdict != Verdict::Failed
                    };
                    cost.for_ratios(point).filter(|_| solved)
                };
                costs.push(variants.iter().map(entry).collect());
            }
        }
        costs
    }

    /// Variants that run by tolerances.
    pub(super) fn adaptive(&self) -> Vec<usize> {
        let variants = self.plan.variants.iter().enumerate();
        variants
            .filter(|(_, variant)| !variant.fixed)
            .map(|(index, _)| index)
            .collect()
    }

    /// How the step function of a variant is drawn.
    pub(super) fn step_style(secondary: bool) -> LineStyle {
        if secondary {
            LineStyle::StepsDashed
        } else {
            LineStyle::Steps
        }
    }
}
