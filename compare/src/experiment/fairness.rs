//! Comparisons at equal tolerance: every problem at every tolerance is an instance, solved or not, as in Haddouni et al.
//! 2017 (doi:10.1007/s11044-017-9570-y, eqs. 37 to 39), who ask every method for the same tolerance and divide by the
//! number of all problems.

use super::profile::Profile;

/// What became of a run that was asked for a tolerance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It reached the end with an error of the size that it was asked for.
    Solved,
    /// It reached the end, with an error too large for this tolerance.
    Beyond,
    /// It reached the end, and there is no reference to judge by.
    Unjudged,
    /// It did not reach the end.
    Failed,
}

impl Verdict {
    /// Of a run with this relative error, if it is known; an error is accepted up to `multiple` times the tolerance.
    pub fn new(reached_end: bool, error: Option<f64>, tolerance: f64, multiple: f64) -> Self {
        match error {
            _ if !reached_end => Self::Failed,
            None => Self::Unjudged,
            Some(error) if error <= multiple * tolerance => Self::Solved,
            // NaN comes here, too.
            Some(_) => Self::Beyond,
        }
    }

    /// Whether the run counts as solved. A run without a reference counts as solved, as in the paper.
    pub fn counts(self) -> bool {
        matches!(self, Self::Solved | Self::Unjudged)
    }
}

impl Profile {
    /// The same with the instances that no solver solved in the denominator: n_p is the number of all.
    pub fn of_all(mut self) -> Self {
        self.instances += self.unsolved;
        self
    }
}

/// For each solver and each problem that any solver solved at any tolerance: the median over the tolerances of cost /
/// best cost (the lower one of two), infinite where the solver did not solve half of what others did. `problems[i]` is
/// the problem of `costs[i]`.
pub fn medians_of_ratios(
    costs: &[Vec<Option<f64>>],
    problems: &[usize],
    solvers: usize,
) -> Vec<Vec<f64>> {
    let mut medians = vec![Vec::new(); solvers];
    let count = problems.iter().max().map_or(0, |last| last + 1);
    for problem in 0..count {
        let rows = || {
            let of_problem = costs.iter().zip(problems).filter(|(_, of)| **of == problem);
            of_problem
                .filter_map(|(row, _)| Some((row, row.iter().flatten().copied().reduce(f64::min)?)))
        };
        for (solver, list) in medians.iter_mut().enumerate() {
            let ratio = |(row, best): (&Vec<Option<f64>>, f64)| match row.get(solver) {
                Some(Some(cost)) if *cost == best => 1.0,
                Some(Some(cost)) => cost / best,
                _ => f64::INFINITY,
            };
            let mut ratios: Vec<f64> = rows().map(ratio).collect();
            ratios.sort_by(f64::total_cmp);
            list.extend(quantile(&ratios, 0.5));
        }
    }
    medians
}

/// Five numbers that stand for a distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The first decile.
    pub low: f64,
    /// The first quartile.
    pub quarter: f64,
    /// The median.
    pub median: f64,
    /// The third quartile.
    pub three_quarters: f64,
    /// The last decile.
    pub high: f64,
}

impl Spread {
    /// Of positive values, infinite ones among them; `None` without values or with one that is not a number.
    pub fn of(values: &[f64]) -> Option<Self> {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        if sorted.iter().any(|value| value.is_nan() || *value <= 0.0) {
            return None;
        }
        Some(Self {
            low: quantile(&sorted, 0.1)?,
            quarter: quantile(&sorted, 0.25)?,
            median: quantile(&sorted, 0.5)?,
            three_quarters: quantile(&sorted, 0.75)?,
            high: quantile(&sorted, 0.9)?,
        })
    }
}

/// The smallest of ascending values that at least this part of them does not exceed. Nothing is interpolated: between a
/// ratio and infinity there is no middle.
fn quantile(sorted: &[f64], part: f64) -> Option<f64> {
    // Round-off in the product must not skip a value.
    let rank = (part * sorted.len() as f64 - 1e-9).ceil().max(1.0) as usize;
    sorted.get(rank - 1).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::profile;

    const INFINITY: f64 = f64::INFINITY;

    #[test]
    fn errors_are_judged_by_the_tolerance() {
        use Verdict::{Beyond, Failed, Solved, Unjudged};
        for (reached, error, verdict) in [
            (true, Some(1e-4), Solved),
            (true, Some(0.125), Solved),
            (true, Some(0.13), Beyond),
            (true, Some(f64::NAN), Beyond),
            (true, Some(INFINITY), Beyond),
            (true, None, Unjudged),
            (false, Some(1e-9), Failed),
            (false, None, Failed),
        ] {
            assert_eq!(
                Verdict::new(reached, error, 0.001_25, 100.0),
                verdict,
                "{error:?}"
            );
        }
        assert_eq!(
            [Solved, Unjudged, Beyond, Failed].map(Verdict::counts),
            [true, true, false, false]
        );
    }

    #[test]
    fn instances_that_nobody_solves_count() {
        // Two problems at two tolerances; the last instance nobody solves.
        let costs = [
            vec![Some(1.0), Some(2.0)],
            vec![Some(3.0), None],
            vec![Some(8.0), Some(4.0)],
            vec![None, None],
        ];
        let profile = profile(&costs, 2).of_all();
        assert_eq!(profile.instances, 4);
        let fractions = [(0, 1.0), (0, 2.0), (1, 1.0), (1, 2.0), (1, 1e9)]
            .map(|(solver, tau)| profile.fraction(solver, tau));
        assert_eq!(fractions, [0.5, 0.75, 0.25, 0.5, 0.5]);
    }

    #[test]
    fn medians_over_tolerances_by_hand() {
        let costs = [
            // Problem 0 at three tolerances: ratios 1, 1, 1 and 2, 8, 4.
            vec![Some(1.0), Some(2.0), None],
            vec![Some(1.0), Some(8.0), None],
            vec![Some(1.0), Some(4.0), Some(3.0)],
            // Problem 1 at two tolerances: 9, none and 1, 1. Half is solved within a factor of 9.
            vec![Some(9.0), Some(1.0), None],
            vec![None, Some(1.0), None],
            // Problem 2: nobody.
            vec![None, None, None],
            // Problem 3: the lower one of 1 and 4.
            vec![Some(1.0), Some(1.0), Some(1.0)],
            vec![Some(1.0), Some(4.0), Some(1.0)],
        ];
        let medians = medians_of_ratios(&costs, &[0, 0, 0, 1, 1, 2, 3, 3], 3);
        assert_eq!(medians[0], [1.0, 9.0, 1.0]);
        assert_eq!(medians[1], [4.0, 1.0, 1.0]);
        assert_eq!(medians[2], [INFINITY, INFINITY, 1.0]);
        assert_eq!(medians_of_ratios(&[], &[], 1), [Vec::<f64>::new()]);
    }

    #[test]
    fn a_spread_by_hand() {
        let numbers = |values: &[f64]| {
            Spread::of(values).map(|spread| {
                [
                    spread.low,
                    spread.quarter,
                    spread.median,
                    spread.three_quarters,
                    spread.high,
                ]
            })
        };
        assert_eq!(
            numbers(&[16.0, 1.0, 4.0, 2.0, 8.0]),
            Some([1.0, 2.0, 4.0, 8.0, 16.0])
        );
        // Ten values: deciles are the first and the ninth.
        let ten: Vec<f64> = (1..=10).map(f64::from).collect();
        assert_eq!(numbers(&ten), Some([1.0, 3.0, 5.0, 8.0, 9.0]));
        // Two of four problems unsolved: half is solved within a factor of 2.
        assert_eq!(
            numbers(&[1.0, 2.0, INFINITY, INFINITY]),
            Some([1.0, 1.0, 2.0, INFINITY, INFINITY])
        );
        for refused in [&[][..], &[1.0, f64::NAN], &[0.0], &[-1.0]] {
            assert_eq!(Spread::of(refused), None);
        }
        assert!(Spread::of(&[3.0]).is_some_and(|spread| (spread.low, spread.high) == (3.0, 3.0)));
    }
}
