//! Stiff mechanisms, a rotor that runs up, and constraints that come to depend on each other.

use super::super::runs::Cell;
use super::super::settings::{
    FLEXIBLE, IMPACTS, SAFETY, SMALLEST_STEP, SMOOTH, SOLVERS, TOLERANCE,
};
use super::super::statistics::{Cost, ratio};
use super::super::{Results, rotor};
use super::{ALPHA, BY_COUNTS, HEM5, MDOP5, PROBLEMS};
use crate::reproduce::{Claim, Statement, Verdict};

fn percent(share: f64) -> String {
    format!("{:.2} %", 100.0 * share)
}

/// Section 5, stiff dynamics.
pub(super) fn stiff(results: &Results) -> Vec<Claim> {
    let cells = &results.cells;
    let others = |id: &str| !results.is_stiff(id);
    let sets = [SMOOTH, FLEXIBLE];
    let mut claims = Vec::new();
    let steps = [HEM5, MDOP5].map(|other| {
        ratio(cells, &sets, &others, (ALPHA, other), &|cell| {
            Some(cell.average_step)
        })
    });
    let efforts = Cost::COUNTS.map(|cost| {
        let value = |cell: &Cell| Some(cost.of(cell));
        [HEM5, MDOP5].map(|other| ratio(cells, &sets, &others, (other, ALPHA), &value))
    });
    let statement = Statement::new(
        "Section 5",
        "on stiff mechanisms explicit and half-explicit methods are not efficient against stabilized generalized-α",
        "When the mechanisms have a stiff and non-linear dynamics, explicit and half-explicit methods are not numerically efficient compared \
         to the implicit stabilized generalized-α.",
        format!(
            "effort of HEM5 and of MDOP5 over its own, geometric means, more than 1, {BY_COUNTS}"
        ),
        PROBLEMS,
    );
    let claim = if let (
        [Some(h), Some(m)],
        [
            [Some(force_h), Some(force_m)],
            [Some(factor_h), Some(factor_m)],
        ],
    ) = (steps, efforts)
    {
        let least = [
            force_h.mean.min(force_m.mean),
            factor_h.mean.min(factor_m.mean),
        ];
        let measured = format!(
            "on {} problems HEM5 and MDOP5 take {:.1} and {:.1} times the force evaluations, {:.1} and {:.1} times the factorizations, with \
             steps {:.1} and {:.1} times shorter",
            h.count, force_h.mean, force_m.mean, factor_h.mean, factor_m.mean, h.mean, m.mean
        );
        let verdict = Verdict::of_all(&least.map(|least| least > 1.0));
        statement
            .judge(verdict, least[0].min(least[1]), measured)
            .because("at this tolerance its low order asks for steps that are not much longer than those that stability allows the others")
    } else {
        statement.unmeasured("the experiment was not run, or nobody arrived")
    };
    claims.push(claim);
    let paper = cells.iter().filter(|cell| {
        cell.safety == SAFETY[0] && cell.solver != ALPHA && cell.done && results.is_stiff(cell.id)
    });
    let smallest = paper
        .map(|cell| cell.average_step)
        .fold(f64::INFINITY, f64::min);
    if smallest.is_finite() {
        let statement = Statement::new(
            "Section 5",
            "on stiff mechanisms HEM5 or MDOP5 fall below the smallest step of Table 1",
            "We even saw that when high frequencies are involved, as in the case of the rotor mechanism, HEM5 and MDOP5 were unable to \
             integrate the dynamics with the chosen practical minimal time step size.",
            format!("their smallest average step, below {SMALLEST_STEP:e} s"),
            PROBLEMS,
        );
        let measured = format!("{smallest:.1e} s");
        let holds = smallest < SMALLEST_STEP;
        claims.push(statement.judge(holds, smallest, measured).because(
            "the stiff problems here have time constants of 2e-6 s and more, which stability follows with steps above 1e-7 s",
        ));
    }
    claims
}

pub(super) fn run_up(results: &Results) -> Vec<Claim> {
    let rotor = "the paper's rotor, whose data are not in print";
    let passes = Statement::new(
        "13",
        "stabilized generalized-α with a constant step of 4e-4 s carries the rotor through its critical speed",
        "We computed the dynamics using the stabilized generalized-α scheme using a constant time step of 0.0004s.",
        "largest error of the amplitude over its peak, at most 10 %",
        rotor,
    );
    let fails = Statement::new(
        "Section 4.4",
        "HEM5 and MDOP5 need steps below 1e-8 s on the rotor with frequencies of 1e5 Hz",
        "Indeed, these two solvers fail to integrate the dynamics with adapted time steps, with a minimum value of 10^{-8}s.",
        format!("their smallest average step, below {:e} s", rotor::SMALLEST),
        rotor,
    );
    let Some(run_up) = &results.run_up else {
        let reason = "the experiment was not run";
        return [passes, fails]
            .map(|statement| statement.unmeasured(reason))
            .into();
    };
    let smallest = run_up
        .explicit
        .iter()
        .map(|run| run.average_step)
        .fold(f64::INFINITY, f64::min);
    let list: Vec<String> = run_up
        .explicit
        .iter()
        .map(|run| format!("{} {:.1e} s", run.method, run.average_step))
        .collect();
    vec![
        passes.judge(run_up.error <= 0.1, run_up.error, percent(run_up.error)),
        fails
            .judge(
                smallest < rotor::SMALLEST,
                smallest,
                format!("{}, against {:.0e} s of generalized-α", list.join(", "), run_up.implicit_step),
            )
            .because(
                "the stability of the shaft's waves of 1e5 Hz asks for steps of about 2e-6 s: two hundred times as many as the constant \
                 ones, but not a failure",
            ),
    ]
}

/// Section 5, industrial benchmarks, and section 4.5.
pub(super) fn redundancy(cells: &[Cell]) -> Claim {
    let of = |solver: usize| {
        let runs = cells.iter().filter(move |cell| {
            cell.set == IMPACTS
                && cell.solver == solver
                && cell.safety == SAFETY[0]
                && cell.tolerance == TOLERANCE
        });
        let (mut failed, mut all) = (0, 0);
        for cell in runs {
            all += 1;
            failed += usize::from(!cell.done);
        }
        (failed, all)
    };
    let counts = [HEM5, MDOP5, ALPHA].map(of);
    let list: Vec<String> = counts
        .iter()
        .zip(&SOLVERS)
        .map(|((failed, all), solver)| format!("{} fails on {failed} of {all}", solver.label))
        .collect();
    let (failed, _) = counts[HEM5];
    Statement::new(
        "Section 4.4",
        "HEM5 fails on mechanisms whose contacts change the rank of the constraints between two stages",
        "However, it is important to mention that the HEM5 scheme failed to solve the dynamics of a couple of mechanisms subject to contact \
         constraints.",
        "mechanisms with contacts, several of them with redundant ones, on which HEM5 fails, at least one",
        "rows chosen at every stage, as in the paper's implementation",
    )
    .judge(failed > 0, failed as f64, list.join(", "))
    .because(
        "the rows that carry multipliers are chosen at the start of each step and held for all of its stages, on both sides of the \
         matrix of eq. 31, and contacts that open or close end the step",
    )
}
