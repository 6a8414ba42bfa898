//! Stiff mechanisms, a rotor that runs up, and constraints that come to depend on each other.

use super::super::runs::Cell;
use super::super::settings::{
    FLEXIBLE, IMPACTS, SAFETY, SMALLEST_STEP, SMOOTH, SOLVERS, TOLERANCE,
};
use super::super::statistics::ratio;
use super::super::{Results, rotor};
use super::{ALPHA, HEM5, MDOP5};
use crate::reproduce::Claim;

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
    let seconds = [HEM5, MDOP5].map(|other| {
        ratio(cells, &sets, &others, (other, ALPHA), &|cell| {
            Some(cell.seconds)
        })
    });
    let text = "on stiff mechanisms explicit and half-explicit methods are not efficient against stabilized generalized-α";
    if let ([Some(h), Some(m)], [Some(hs), Some(ms)]) = (steps, seconds) {
        let number = hs.mean.min(ms.mean);
        let measured = format!(
            "on {} of its steps are {:.1} and {:.1} times as large as those of HEM5 and MDOP5, which take {:.1} and {:.1} times \
             its CPU time (more than 1)",
            h.count, h.mean, m.mean, hs.mean, ms.mean
        );
        claims.push(
            Claim::new("Section 5", text, number > 1.0, number, measured).because(
                "at this tolerance its low order asks for steps that are not much longer than the stability of the others asks for",
            ),
        );
    } else {
        claims.push(Claim::unmeasured(
            "Section 5",
            text,
            "the experiment was not run, or nobody arrived",
        ));
    }
    let paper = cells.iter().filter(|cell| {
        cell.safety == SAFETY[0] && cell.solver != ALPHA && cell.done && results.is_stiff(cell.id)
    });
    let smallest = paper
        .map(|cell| cell.average_step)
        .fold(f64::INFINITY, f64::min);
    if smallest.is_finite() {
        claims.push(
            Claim::new(
                "Section 4.4",
                "on stiff mechanisms HEM5 or MDOP5 fall below the smallest step of Table 1",
                smallest < SMALLEST_STEP,
                smallest,
                format!("their smallest average step is {smallest:.1e} s (below {SMALLEST_STEP:e} s)"),
            )
            .because(
                "the stiff problems here have time constants of 2e-6 s and more, which stability follows with steps above 1e-7 s",
            ),
        );
    }
    claims
}

pub(super) fn run_up(results: &Results) -> Vec<Claim> {
    let Some(run_up) = &results.run_up else {
        let text = "a constant step of 4e-4 s carries the rotor through its critical speed";
        return vec![Claim::unmeasured("13", text, "the experiment was not run")];
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
        Claim::new(
            "13",
            "stabilized generalized-α with a constant step of 4e-4 s carries the rotor through its critical speed",
            run_up.error <= 0.1,
            run_up.error,
            format!(
                "largest error of the amplitude {} of its peak (at most 10 %)",
                percent(run_up.error)
            ),
        ),
        Claim::new(
            "Section 4.4",
            "HEM5 and MDOP5 need steps below 1e-8 s on the rotor with frequencies of 1e5 Hz",
            smallest < rotor::SMALLEST,
            smallest,
            format!(
                "average steps: {}, against {:.0e} s (below {:e} s)",
                list.join(", "),
                run_up.implicit_step,
                rotor::SMALLEST
            ),
        )
        .because(
            "the stability of the shaft's waves of 1e5 Hz asks for steps of about 2e-6 s: two hundred times as many as the constant ones, but \
             not a failure. The paper's rotor, whose data are not in print, must be faster or less smooth",
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
    Claim::new(
        "Section 4.5",
        "HEM5 fails on mechanisms whose contacts change the rank of the constraints between two stages",
        failed > 0,
        failed as f64,
        format!(
            "{} mechanisms with contacts, of which several have redundant ones",
            list.join(", ")
        ),
    )
    .because(
        "the rows that carry multipliers are chosen at the start of each step and held for all of its stages, on both sides of the \
         matrix of eq. 31, and contacts that open or close end the step",
    )
}
