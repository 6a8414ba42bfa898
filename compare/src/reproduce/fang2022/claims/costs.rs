//! Figs. 4 to 6 and 8: iterations and factorizations. Times are shown and decide nothing.

use crate::reproduce::fang2022::experiments::Cost;
use crate::reproduce::fang2022::settings::MECHANISMS;
use crate::reproduce::{Claim, Statement, Table};

/// "As many factorizations": a start takes one more.
const AS_MANY: f64 = 1.01;

/// Numbers of a cell for the half-implicit and the fully implicit method.
type Pair = fn(&Cost) -> [f64; 2];

fn iterations(cell: &Cost) -> [f64; 2] {
    [cell.iterations_half, cell.iterations_fully]
}

fn is_cheaper(cell: &Cost) -> bool {
    cell.iterations_half < cell.iterations_fully
        && cell.factorizations_half <= AS_MANY * cell.factorizations_fully
}

fn name(cell: &Cost) -> String {
    match cell.links {
        Some(links) => format!("N = {links}"),
        None => format!("{} {:e}", cell.problem, cell.h),
    }
}

/// In how many cells the first number is smaller, and both of every cell.
fn fewer(costs: &[Cost], pair: Pair) -> (usize, String) {
    let count = costs.iter().map(pair).filter(|[half, fully]| half < fully);
    let count = count.count();
    let list = costs.iter().map(|cell| {
        let [half, fully] = pair(cell);
        format!("{}: {half:.2} to {fully:.2}", name(cell))
    });
    let list: Vec<String> = list.collect();
    let text = format!("in {count} of {} cases: {}", costs.len(), list.join("; "));
    (count, text)
}

pub(super) fn cost_claims(costs: &[Cost]) -> Vec<Claim> {
    let total = costs.len();
    let (count, list) = fewer(costs, iterations);
    let sentence = "In terms of the convergence of the Newton solver, the half-implicit method performs slightly better than the \
                    fully-implicit one.";
    let mut claims = vec![
        Statement::new(
            "4(b)-6(b)",
            "the half-implicit method needs fewer iterations for all mechanisms and steps",
            sentence,
            "iterations per step, fewer in all cases; first guess and matrix of both as in the authors' programs",
            "a fully implicit matrix that is newer than the start of the step",
        )
        .judge(count == total, count as f64, list),
    ];
    claims.extend(own_claims(costs, sentence));
    let cheaper = costs.iter().filter(|cell| is_cheaper(cell)).count();
    claims.push(
        Statement::new(
            "4(a)-6(a)",
            "the half-implicit method is faster for all mechanisms and steps",
            "The half-implicit approach is faster for all mechanisms and step sizes.",
            "work in counts: fewer iterations, and no more factorizations, in all cases; times stand in the table and decide nothing",
            "a fully implicit method that needs as few iterations: an iteration of either evaluates the residual once and solves once",
        )
        .judge(cheaper == total, cheaper as f64, work(costs, cheaper)),
    );
    claims.extend(step_claim(costs));
    claims
}

fn work(costs: &[Cost], cheaper: usize) -> String {
    let list = costs.iter().map(|cell| {
        format!(
            "{}: {:.2} / {:.2} and {:.2} / {:.2}",
            name(cell),
            cell.iterations_half,
            cell.factorizations_half,
            cell.iterations_fully,
            cell.factorizations_fully
        )
    });
    let list: Vec<String> = list.collect();
    format!(
        "in {cheaper} of {} cases; iterations / factorizations per step of both: {}",
        costs.len(),
        list.join("; ")
    )
}

/// The same with what this library does by default.
fn own_claims(costs: &[Cost], sentence: &'static str) -> [Claim; 2] {
    let judge = |claim: &str, reading: &str, change: &str, pair: Pair| {
        let (count, list) = fewer(costs, pair);
        Statement::new("4(b)-6(b)", claim, sentence, reading, change)
            .counted_in(Table::Further)
            .judge(count == costs.len(), count as f64, list)
    };
    [
        judge(
            "so it does with the first guess that `half-implicit` has by default",
            "iterations per step, fewer in all cases; the half-implicit method begins at parabolas through the last accelerations and \
             multipliers",
            "another first guess",
            |cell| [cell.own_iterations_half, cell.iterations_fully],
        ),
        judge(
            "so it does against the matrix that `backward-euler` has by default",
            "iterations per step, fewer in all cases; the fully implicit matrix is that of the first iterate, and evaluated again when \
             convergence is slow",
            "the matrix of the start of the step, as in the authors' programs",
            |cell| [cell.iterations_half, cell.own_iterations_fully],
        )
        .because(
            "the half-implicit matrix is that of the start of the step (eq. 12): with large steps the constraint Jacobian turns so far \
             that a matrix of the first iterate converges faster",
        ),
    ]
}

/// Whether iterations grow with the step, for both methods and every mechanism.
fn step_claim(costs: &[Cost]) -> Option<Claim> {
    let (mut rising, mut total, mut exceptions) = (0, 0, Vec::new());
    for mechanism in &MECHANISMS {
        let of = costs
            .iter()
            .filter(|cell| cell.problem == mechanism.problem);
        let mut cells: Vec<&Cost> = of.collect();
        cells.sort_by(|a, b| a.h.total_cmp(&b.h));
        for pair in cells.windows(2) {
            let both = iterations(pair[0]).into_iter().zip(iterations(pair[1]));
            for (method, (before, after)) in
                ["half-implicit", "fully implicit"].into_iter().zip(both)
            {
                total += 1;
                if after > before {
                    rising += 1;
                } else {
                    exceptions.push(format!(
                        "{}, {method}: {before:.2} at h = {:e} s, {after:.2} at h = {:e} s",
                        mechanism.problem, pair[0].h, pair[1].h
                    ));
                }
            }
        }
    }
    let mut measured = format!("in {rising} of {total} pairs of neighbouring steps");
    if !exceptions.is_empty() {
        measured.push_str(&format!("; not for {}", exceptions.join("; ")));
    }
    (total > 0).then(|| {
        Statement::new(
            "4(b)-6(b)",
            "a larger step needs more iterations",
            "A larger step size results in more iterations because the initial starting point for the Newton method is less accurate.",
            "iterations per step, more with the larger of two neighbouring steps, for every mechanism and method",
            "a better first guess: with parabolas one iteration is enough for two steps of the double pendulum, a tie",
        )
        .judge(rising == total, f64::from(rising), measured)
    })
}

pub(super) fn chain_claim(chains: &[Cost]) -> Claim {
    let cheaper = chains.iter().filter(|cell| is_cheaper(cell)).count();
    Statement::new(
        "8",
        "the half-implicit method is consistently faster than the fully implicit one",
        "The timing results reported in Fig. 8 indicate that the half-implicit approach is consistently faster than the fully-implicit one.",
        "work in counts: fewer iterations, and no more factorizations, for every number of links; times stand in the table and decide \
         nothing",
        "other Newton tolerances: the paper does not state those of the chain, here they are the methods' own",
    )
    .judge(
        cheaper == chains.len(),
        cheaper as f64,
        work(chains, cheaper),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reproduce::Verdict;

    fn cell(h: f64, iterations: [f64; 2], factorizations: [f64; 2]) -> Cost {
        Cost {
            problem: "slider-crank".to_owned(),
            links: None,
            h,
            tolerance_half: None,
            tolerance_fully: None,
            paper_tolerance_half: None,
            paper_tolerance_fully: None,
            iterations_half: iterations[0],
            iterations_fully: iterations[1],
            factorizations_half: factorizations[0],
            factorizations_fully: factorizations[1],
            own_iterations_half: iterations[0],
            own_iterations_fully: iterations[1],
            wall_half_s: 2.0,
            wall_fully_s: 1.0,
            paper_cpu_half_s: Some(1.0),
            paper_cpu_fully_s: Some(3.0),
            paper_iterations_half: None,
            paper_iterations_fully: None,
        }
    }

    #[test]
    fn counts_decide_and_one_exception_breaks_a_claim_about_all() {
        let verdicts = |cells: &[Cost]| {
            let claims = cost_claims(cells);
            let of_paper = claims
                .iter()
                .filter(|claim| claim.statement.table == Table::Claims);
            of_paper
                .map(|claim| claim.verdict == Verdict::Holds)
                .collect::<Vec<_>>()
        };
        let one = [1.0; 2];
        // Slower by the clock in all of them.
        let good = [cell(1e-3, [1.0, 2.0], one), cell(1e-2, [2.0, 3.0], one)];
        assert_eq!(verdicts(&good), [true, true, true]);
        let factorizes = [good[0].clone(), cell(1e-2, [2.0, 3.0], [2.0, 1.0])];
        assert_eq!(verdicts(&factorizes), [true, false, true]);
        let iterates = [good[0].clone(), cell(1e-2, [0.5, 0.5], one)];
        assert_eq!(verdicts(&iterates), [false, false, false]);
        assert_eq!(good[0].ratio(), 0.5);
        assert_eq!(good[0].paper_ratio(), Some(3.0));
    }
}
