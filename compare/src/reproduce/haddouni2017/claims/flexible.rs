//! Section 4.4 about Fig. 11: mechanisms with flexible bodies.

use super::super::runs::Cell;
use super::super::settings::{FLEXIBLE, SAFETY, SOLVERS};
use super::super::statistics::{Cost, Costs, equal_tolerance, ratio, rho};
use super::{ALPHA, BY_COUNTS, HEM5, MDOP5, PROBLEMS, takes_more};
use crate::reproduce::{Claim, Statement, Verdict};

const FIGURE: &str = "11";

/// The largest factor of Fig. 11(c).
const WIDE: f64 = 5.0;

/// What a profile by one count says.
struct Profile {
    /// Share of the problems on which each solver is the best.
    fastest: [f64; 3],
    /// The factor of the least cost within which each has solved all; infinite if it never does.
    largest: [f64; 3],
    /// Shares that are unsolved within [`WIDE`], and in the end.
    unsolved: [f64; 3],
    never: [f64; 3],
}

impl Profile {
    fn new(costs: &Costs) -> Self {
        let largest = |solver: usize| {
            let ratios = costs.iter().map(|row| {
                let best = row.iter().flatten().copied().reduce(f64::min)?;
                Some(row[solver]? / best)
            });
            let ratios: Option<Vec<f64>> = ratios.collect();
            ratios.map_or(f64::INFINITY, |ratios| {
                ratios.into_iter().fold(1.0, f64::max)
            })
        };
        Self {
            fastest: rho(costs, 1.0),
            largest: std::array::from_fn(largest),
            unsolved: rho(costs, WIDE).map(|share| 1.0 - share),
            never: rho(costs, f64::MAX).map(|share| 1.0 - share),
        }
    }

    fn least_unsolved(&self) -> f64 {
        self.unsolved.iter().copied().fold(1.0, f64::min)
    }
}

fn list(shares: [f64; 3]) -> String {
    format!("{:.2}, {:.2}, {:.2}", shares[0], shares[1], shares[2])
}

fn statements() -> [Statement; 4] {
    let names = SOLVERS.each_ref().map(|solver| solver.label).join(", ");
    [
        Statement::new(
            FIGURE,
            "on flexible mechanisms stabilized generalized-α is the fastest solver for 40 % of the problems",
            "In Fig. 11, it is worth noting that the stabilized generalized-α is the fastest solver for 40% of the problems of the third set.",
            format!(
                "share of the problems on which {names} are the best, the third at least 0.4, {BY_COUNTS}"
            ),
            format!("damping, which the flexible bodies here do not have; {PROBLEMS}"),
        ),
        Statement::new(
            FIGURE,
            "there it is the first to solve all of them as the factor grows",
            "In terms of robustness, we note that the stabilized generalized-α is also the first to solve all the tests.",
            format!(
                "factor of the least effort within which {names} have solved all, the third the smallest, {BY_COUNTS}"
            ),
            format!("damping, which the flexible bodies here do not have; {PROBLEMS}"),
        ),
        Statement::new(
            FIGURE,
            "there the solvers leave about 30 % of the problems unsolved within five times the least effort, and solve all within large \
             factors",
            "Moreover, we can note that the solvers failed to solve around 30% of the problems for the given values of τ.",
            format!(
                "smallest share that a solver leaves unsolved within {WIDE} times, between 0.15 and 0.45, and none in the end, {BY_COUNTS}"
            ),
            PROBLEMS,
        ),
        Statement::new(
            FIGURE,
            "there HEM5 is faster than MDOP5",
            "Furthermore, HEM5 is faster than the fully explicit MDOP5.",
            format!("effort of MDOP5 over that of HEM5, geometric mean, more than 1, {BY_COUNTS}"),
            format!("an equal error in place of an equal tolerance; {PROBLEMS}"),
        ),
    ]
}

/// The claims of Fig. 11 and the paragraphs about it.
pub(super) fn flexible(cells: &[Cell]) -> Vec<Claim> {
    let costs = Cost::COUNTS.map(|cost| equal_tolerance(cells, FLEXIBLE, SAFETY[0], cost));
    if costs[0].is_empty() {
        return statements()
            .map(|statement| statement.unmeasured("the experiment was not run"))
            .into();
    }
    let profiles = costs.each_ref().map(Profile::new);
    let [force, factorizations] = &profiles;
    let both = |value: fn(&Profile) -> [f64; 3]| {
        format!(
            "{} by force evaluations, {} by factorizations",
            list(value(force)),
            list(value(factorizations))
        )
    };
    let verdict = |holds: fn(&Profile) -> bool| Verdict::of_all(&profiles.each_ref().map(holds));
    let [fastest, first, unsolved, faster] = statements();
    let mut claims = vec![
        fastest
            .judge(
                verdict(|profile| profile.fastest[ALPHA] >= 0.4),
                force.fastest[ALPHA],
                format!("{}, of {} problems", both(|profile| profile.fastest), costs[0].len()),
            )
            .because(
                "elastic links without damping vibrate as long as they move, and a method of second order follows vibrations with shorter \
                 steps than one of fifth",
            ),
        first
            .judge(
                verdict(|profile| {
                    let [hem5, mdop5] = [HEM5, MDOP5].map(|solver| profile.largest[solver]);
                    profile.largest[ALPHA] < hem5.min(mdop5)
                }),
                force.largest[ALPHA],
                format!("{} (infinite where a run did not arrive)", both(|profile| profile.largest)),
            )
            .because("vibrations that nothing damps hold it up, as on the rotating beam of Table 4"),
        unsolved
            .judge(
                verdict(|profile| {
                    let in_the_end = profile.never.iter().all(|share| *share == 0.0);
                    (0.15..=0.45).contains(&profile.least_unsolved()) && in_the_end
                }),
                force.least_unsolved(),
                format!(
                    "unsolved within {WIDE} times {}; in the end {}",
                    both(|profile| profile.unsolved),
                    list(force.never)
                ),
            )
            .because(
                "one of the solvers is near the best on more problems than in the paper, or one was given up after its CPU time",
            ),
    ];
    let found = Cost::COUNTS.map(|cost| {
        let value = |cell: &Cell| Some(cost.of(cell));
        ratio(cells, &[FLEXIBLE], &|_| false, (MDOP5, HEM5), &value)
    });
    if let [Some(force), Some(factorizations)] = found {
        claims.push(takes_more(faster, force, factorizations).because(
            "HEM5's estimate exceeds its error, so that it takes more steps at the same tolerance, and each has more stages",
        ));
    }
    claims
}
