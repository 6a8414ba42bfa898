//! Figs. 9 and 10, and the computational effort: what steps and runs take.

use super::super::Results;
use super::super::runs::Cell;
use super::super::settings::{IMPACTS, SMOOTH};
use super::super::statistics::{Cost, ratio};
use super::{ALPHA, BY_COUNTS, HEM5, MDOP5, PROBLEMS, RIGID, share, takes_more};
use crate::reproduce::{Claim, Statement, Verdict};

/// Ratios below this count as the same.
const SAME: f64 = 1.5;

/// Figs. 9 and 10, a and b.
pub(super) fn steps(results: &Results) -> Vec<Claim> {
    let cells = &results.cells;
    let step = |cell: &Cell| Some(cell.average_step);
    let is_stiff = |id: &str| results.is_stiff(id);
    let mut claims = Vec::new();
    if let Some(found) = ratio(cells, &[SMOOTH], &is_stiff, (MDOP5, HEM5), &step) {
        let statement = Statement::new(
            "9",
            "without contacts HEM5 and MDOP5 take the same steps",
            "For the first set with very few if no bilateral constraints, we observe in Figure 9 that MDOP5 and HEM5, having the same \
             consistency order (p = 5), present the same performances in terms of the time step size used and the number of performed steps.",
            format!(
                "average step of MDOP5 over that of HEM5, geometric mean without stiff problems, at most {SAME}, either way"
            ),
            PROBLEMS,
        );
        let measured = format!("{:.2} times, {}", found.mean, share(found));
        let same = (1.0 / SAME..=SAME).contains(&found.mean);
        claims.push(statement.judge(same, found.mean, measured).because(
            "orders are equal, constants of the estimates are not: HEM5's exceeds its error by orders of magnitude, so that its steps are \
             shorter and its results more accurate at the same tolerance",
        ));
    }
    if let Some(found) = ratio(cells, &[IMPACTS], &|_| false, (HEM5, MDOP5), &step) {
        let statement = Statement::new(
            "10",
            "with contacts MDOP5 needs smaller steps than HEM5",
            "From the graphics of Figure 10, we can see that the stabilized generalized-α and MDOP5 need smaller time step sizes and a larger \
             number of steps to solve the dynamics than HEM5.",
            "average step of HEM5 over that of MDOP5, geometric mean, more than 1",
            PROBLEMS,
        );
        let measured = format!("{:.2} times, {}", found.mean, share(found));
        let holds = found.mean > 1.0;
        claims.push(statement.judge(holds, found.mean, measured).because(
            "events cut the steps of both alike; in between MDOP5 takes longer ones, as without contacts",
        ));
    }
    for (figure, set, place, sentence) in [
        (
            "9",
            SMOOTH,
            "without contacts",
            "The stabilized generalized-α method being of a lower order (p = 2), it needs smaller time steps to reach the defined tolerance \
             on the integration error, which also leads to making more integration steps than the two other methods.",
        ),
        (
            "10",
            IMPACTS,
            "with contacts",
            "The generalized-α method based on the GGL method still requires smaller time steps than those used for HEM5 because it is of a \
             lower accuracy order (equal to 2).",
        ),
    ] {
        let both =
            [HEM5, MDOP5].map(|other| ratio(cells, &[set], &is_stiff, (other, ALPHA), &step));
        if let [Some(hem5), Some(mdop5)] = both {
            let number = hem5.mean.min(mdop5.mean);
            let statement = Statement::new(
                figure,
                format!(
                    "{place} stabilized generalized-α needs smaller steps than HEM5 and MDOP5, since its order is lower"
                ),
                sentence,
                "average steps of HEM5 and of MDOP5 over its own, geometric means, more than 1",
                PROBLEMS,
            );
            let measured = format!(
                "{:.0} times with HEM5, {}, {:.0} times with MDOP5, {}",
                hem5.mean,
                share(hem5),
                mdop5.mean,
                share(mdop5)
            );
            claims.push(statement.judge(number > 1.0, number, measured));
        }
    }
    claims
}

/// Section 5, computational effort.
pub(super) fn effort(results: &Results) -> Vec<Claim> {
    let cells = &results.cells;
    let mut claims = Vec::new();
    let is_stiff = |id: &str| results.is_stiff(id);
    let found = Cost::COUNTS.map(|cost| {
        let value = |cell: &Cell| Some(cost.of(cell));
        ratio(cells, &[IMPACTS], &|_| false, (MDOP5, HEM5), &value)
    });
    if let [Some(force), Some(factorizations)] = found {
        let statement = Statement::new(
            "Section 5",
            "although it has more stages, HEM5's effort is lower than MDOP5's, since it needs no corrections",
            "Even though the HEM5 solver contains more stages (eight) than the MDOP5 scheme (five), the numerical effort of the semi-explicit \
             solver is lower than that of the explicit one when a strategy of time step control is used.",
            format!(
                "effort of MDOP5 over that of HEM5 with contacts, geometric means, more than 1, {BY_COUNTS}"
            ),
            format!("an equal error in place of an equal tolerance; {PROBLEMS}"),
        );
        claims.push(takes_more(statement, force, factorizations).because(
            "corrections are rare here, and HEM5 takes more steps: what it gains is accuracy at this tolerance",
        ));
    }
    let found = Cost::COUNTS.map(|cost| {
        let value = |cell: &Cell| Some(cost.of(cell));
        [HEM5, MDOP5].map(|other| ratio(cells, &RIGID, &is_stiff, (ALPHA, other), &value))
    });
    if let [
        [Some(force_h), Some(force_m)],
        [Some(factor_h), Some(factor_m)],
    ] = found
    {
        let statement = Statement::new(
            "Section 5",
            "on mechanisms that are not stiff both are better than stabilized generalized-α",
            "For non-stiff mechanisms, both explicit and half-explicit methods give better results than the stabilized generalized-α scheme \
             that needs very small time step sizes mainly due to its lower order (two).",
            format!(
                "its effort over that of HEM5 and of MDOP5, geometric means, more than 1, {BY_COUNTS}"
            ),
            PROBLEMS,
        );
        let measured = format!(
            "{:.1} and {:.1} times the force evaluations of HEM5 and MDOP5, {:.1} and {:.1} times the factorizations",
            force_h.mean, force_m.mean, factor_h.mean, factor_m.mean
        );
        let least = [
            force_h.mean.min(force_m.mean),
            factor_h.mean.min(factor_m.mean),
        ];
        let verdict = Verdict::of_all(&least.map(|least| least > 1.0));
        claims.push(statement.judge(verdict, least[0].min(least[1]), measured));
    }
    claims
}
