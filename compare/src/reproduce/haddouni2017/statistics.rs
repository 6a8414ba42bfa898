//! Performance profiles at equal tolerance and at equal error, and means over problems.

use super::runs::Cell;
use super::settings::{LADDER, SAFETY, SETS, SOLVERS, TOLERANCE};
use crate::experiment::cost_at;

/// What a run costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cost {
    Seconds,
    Force,
    Factorizations,
}

impl Cost {
    pub const ALL: [Self; 3] = [Self::Seconds, Self::Force, Self::Factorizations];
    /// Those that decide verdicts on effort: no machine and no load changes them.
    pub const COUNTS: [Self; 2] = [Self::Force, Self::Factorizations];

    pub fn words(self) -> &'static str {
        match self {
            Self::Seconds => "CPU time",
            Self::Force => "force evaluations",
            Self::Factorizations => "factorizations",
        }
    }

    pub fn of(self, cell: &Cell) -> f64 {
        match self {
            Self::Seconds => cell.seconds,
            Self::Force => cell.force as f64,
            Self::Factorizations => cell.factorizations as f64,
        }
    }
}

/// Steps of an explicit method of order 5 grow fourfold from the loosest tolerance of the ladder to the tightest, where
/// the tolerance limits them; below this factor stability does.
const LIMITED: f64 = 1.6;
/// With fewer steps nobody can tell.
const FEWEST_STEPS: usize = 100;

/// Identifiers of problems without impacts in which the steps of MDOP5 hardly depend on the tolerance, or are so short that it does not
/// arrive in time.
pub(super) fn stiff(cells: &[Cell]) -> Vec<&'static str> {
    let mut found = Vec::new();
    let all = [LADDER[0], LADDER[LADDER.len() - 1]];
    let explicit = cells.iter().filter(|cell| {
        cell.method == SOLVERS[1].name && cell.safety == SAFETY[0] && cell.set != SETS[1].set
    });
    for cell in explicit.filter(|cell| cell.tolerance == all[1]) {
        let coarse = cells.iter().find(|other| {
            other.id == cell.id
                && other.method == cell.method
                && other.safety == cell.safety
                && other.tolerance == all[0]
        });
        let Some(coarse) = coarse else {
            continue;
        };
        let late = [coarse, cell].iter().any(|cell| cell.out_of_time);
        let steps = |cell: &Cell| cell.accepted + cell.rejected;
        let limited =
            steps(coarse) >= FEWEST_STEPS && (steps(cell) as f64) < LIMITED * steps(coarse) as f64;
        if late || (coarse.done && cell.done && limited) {
            found.push(cell.id);
        }
    }
    found
}

/// Identifiers of the rows of a set in the order in which they were run.
pub(super) fn problems(cells: &[Cell], set: &str) -> Vec<&'static str> {
    let mut names: Vec<&'static str> = Vec::new();
    for cell in cells.iter().filter(|cell| cell.set == set) {
        if names.last() != Some(&cell.id) {
            names.push(cell.id);
        }
    }
    names
}

/// The run of a solver at the paper's tolerance, if it was done.
pub(super) fn run<'c>(
    cells: &'c [Cell],
    set: &str,
    problem: &str,
    solver: usize,
    safety: f64,
) -> Option<&'c Cell> {
    cells.iter().find(|cell| {
        cell.set == set
            && cell.id == problem
            && cell.solver == solver
            && cell.safety == safety
            && cell.tolerance == TOLERANCE
            && cell.done
    })
}

/// Costs by problem and solver; none where it failed.
pub(super) type Costs = Vec<Vec<Option<f64>>>;

/// At the paper's tolerance.
pub(super) fn equal_tolerance(cells: &[Cell], set: &str, safety: f64, cost: Cost) -> Costs {
    let rows = problems(cells, set).into_iter().map(|problem| {
        let solvers = 0..SOLVERS.len();
        solvers
            .map(|solver| run(cells, set, problem, solver, safety).map(|cell| cost.of(cell)))
            .collect()
    });
    rows.collect()
}

/// At this error at the end, interpolated between the tolerances of the ladder. Problems without a reference are left out.
pub(super) fn equal_error(cells: &[Cell], set: &str, error: f64, cost: Cost) -> Costs {
    let rows = problems(cells, set).into_iter().filter_map(|problem| {
        let of = |solver: usize| {
            cells.iter().filter(move |cell| {
                cell.set == set
                    && cell.id == problem
                    && cell.solver == solver
                    && cell.safety == SAFETY[0]
                    && LADDER.contains(&cell.tolerance)
                    && cell.done
            })
        };
        let known = (0..SOLVERS.len()).any(|solver| of(solver).any(|cell| cell.error.is_some()));
        known.then(|| {
            let curve = |solver| -> Vec<(f64, f64)> {
                let points = of(solver).filter_map(|cell| Some((cell.error?, cost.of(cell))));
                points.collect()
            };
            let solvers = 0..SOLVERS.len();
            solvers
                .map(|solver| cost_at(&curve(solver), error))
                .collect()
        })
    });
    rows.collect()
}

/// ρ(τ) of every solver: the share of all problems, also those that nobody solves, that it solves within τ times the least cost.
pub(super) fn rho(costs: &Costs, tau: f64) -> [f64; 3] {
    let mut counts = [0_usize; 3];
    for row in costs {
        let Some(best) = row.iter().flatten().copied().reduce(f64::min) else {
            continue;
        };
        for (count, cost) in counts.iter_mut().zip(row) {
            *count += usize::from(cost.is_some_and(|cost| cost <= tau * best));
        }
    }
    counts.map(|count| count as f64 / costs.len().max(1) as f64)
}

/// The geometric mean over the problems that both solvers have done of a ratio of one over the other, how many these are, and on how
/// many it exceeds 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ratio {
    pub mean: f64,
    pub count: usize,
    pub above: usize,
}

/// Of a value of `over` over that of `under`, at the paper's tolerance. Values of zero are left out.
pub(super) fn ratio(
    cells: &[Cell],
    sets: &[&str],
    skip: &dyn Fn(&str) -> bool,
    (over, under): (usize, usize),
    value: &dyn Fn(&Cell) -> Option<f64>,
) -> Option<Ratio> {
    let mut logarithms = Vec::new();
    for set in sets {
        for problem in problems(cells, set) {
            if skip(problem) {
                continue;
            }
            let find = |solver| run(cells, set, problem, solver, SAFETY[0]).and_then(value);
            if let (Some(a), Some(b)) = (find(over), find(under))
                && a > 0.0
                && b > 0.0
            {
                logarithms.push((a / b).ln());
            }
        }
    }
    let count = logarithms.len();
    (count > 0).then(|| Ratio {
        mean: (logarithms.iter().sum::<f64>() / count as f64).exp(),
        count,
        above: logarithms.iter().filter(|ratio| **ratio > 0.0).count(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_that_nobody_solves_count() {
        let costs = vec![
            vec![Some(1.0), Some(1.1), None],
            vec![Some(3.0), Some(1.0), Some(1.2)],
            vec![None, None, None],
            vec![Some(1.0), Some(1.3), Some(9.0)],
        ];
        assert_eq!(rho(&costs, 1.2), [0.5, 0.5, 0.25]);
        assert_eq!(rho(&Vec::new(), 1.2), [0.0; 3]);
    }
}
