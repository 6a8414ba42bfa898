//! Figs. 9 and 10, and the computational effort: what steps and runs take.

use super::super::Results;
use super::super::runs::Cell;
use super::super::settings::{IMPACTS, SMOOTH};
use super::super::statistics::{Cost, ratio};
use super::{ALPHA, HEM5, MDOP5, RIGID, share};
use crate::reproduce::Claim;

/// Ratios below this count as the same.
const SAME: f64 = 1.5;

/// Figs. 9 and 10, a and b.
pub(super) fn steps(results: &Results) -> Vec<Claim> {
    let cells = &results.cells;
    let step = |cell: &Cell| Some(cell.average_step);
    let is_stiff = |id: &str| results.is_stiff(id);
    let mut claims = Vec::new();
    let text = "without contacts HEM5 and MDOP5 take the same steps";
    if let Some(found) = ratio(cells, &[SMOOTH], &is_stiff, (MDOP5, HEM5), &step) {
        let measured = format!(
            "MDOP5's average step is {:.2} times HEM5's, {} (at most {SAME} times, either way), problems that are stiff left out",
            found.mean,
            share(found)
        );
        let same = (1.0 / SAME..=SAME).contains(&found.mean);
        claims.push(Claim::new("9", text, same, found.mean, measured).because(
            "orders are equal, constants of the estimates are not: HEM5's exceeds its error by orders of magnitude, so that \
             its steps are shorter and its results more accurate at the same tolerance",
        ));
    }
    let text = "with contacts MDOP5 needs smaller steps than HEM5";
    if let Some(found) = ratio(cells, &[IMPACTS], &|_| false, (HEM5, MDOP5), &step) {
        let measured = format!(
            "HEM5's average step is {:.2} times MDOP5's, {} (more than 1)",
            found.mean,
            share(found)
        );
        claims.push(
            Claim::new("10", text, found.mean > 1.0, found.mean, measured).because(
                "events cut the steps of both alike; in between MDOP5 takes longer ones, as without contacts",
            ),
        );
    }
    for (figure, set, place) in [
        ("9", SMOOTH, "without contacts"),
        ("10", IMPACTS, "with contacts"),
    ] {
        let text = format!(
            "{place} stabilized generalized-α needs smaller steps than HEM5 and MDOP5, since its order is lower"
        );
        let both =
            [HEM5, MDOP5].map(|other| ratio(cells, &[set], &is_stiff, (other, ALPHA), &step));
        if let [Some(hem5), Some(mdop5)] = both {
            let number = hem5.mean.min(mdop5.mean);
            let measured = format!(
                "HEM5's average step is {:.0} times as large, {}, MDOP5's {:.0} times, {} (more than 1)",
                hem5.mean,
                share(hem5),
                mdop5.mean,
                share(mdop5)
            );
            claims.push(Claim::new(figure, text, number > 1.0, number, measured));
        }
    }
    claims
}

/// Section 5, computational effort.
pub(super) fn effort(results: &Results) -> Vec<Claim> {
    let cells = &results.cells;
    let mut claims = Vec::new();
    let is_stiff = |id: &str| results.is_stiff(id);
    let text = "although it has more stages, HEM5's effort is lower than MDOP5's, since it needs no corrections";
    let found = Cost::ALL.map(|cost| {
        ratio(cells, &[IMPACTS], &|_| false, (MDOP5, HEM5), &|cell| {
            Some(cost.of(cell))
        })
    });
    if let [Some(seconds), Some(force), Some(factorizations)] = found {
        let measured = format!(
            "with contacts MDOP5 takes {:.2} times the CPU time, {}, {:.2} times the force evaluations, {:.2} times the \
             factorizations (more than 1)",
            seconds.mean,
            share(seconds),
            force.mean,
            factorizations.mean
        );
        claims.push(
            Claim::new("Section 5", text, seconds.mean > 1.0, seconds.mean, measured).because(
                "corrections are rare here, and HEM5 takes more steps: what it gains is accuracy, not time at this tolerance. At \
                 equal errors it is ahead (Table 3, set 2)",
            ),
        );
    }
    let text = "on mechanisms that are not stiff both are better than stabilized generalized-α";
    let both = [HEM5, MDOP5].map(|other| {
        ratio(cells, &RIGID, &is_stiff, (ALPHA, other), &|cell| {
            Some(cell.seconds)
        })
    });
    if let [Some(hem5), Some(mdop5)] = both {
        let number = hem5.mean.min(mdop5.mean);
        let measured = format!(
            "it takes {:.1} times the CPU time of HEM5, {}, and {:.1} times that of MDOP5, {} (more than 1)",
            hem5.mean,
            share(hem5),
            mdop5.mean,
            share(mdop5)
        );
        claims.push(Claim::new(
            "Section 5",
            text,
            number > 1.0,
            number,
            measured,
        ));
    }
    claims
}
