//! Section 4.4 and the conclusions of section 5, each decided by a number.

mod beam;
mod constraints;
mod costs;
mod flexible;
mod hard_motions;
mod ratings;

pub(super) use constraints::projected_share;

use super::Results;
use super::settings::{IMPACTS, SETS, SMOOTH};
use super::statistics::Ratio;
use crate::reproduce::{Claim, Statement, Verdict};
use beam::table4;
use constraints::{projections, violations};
use costs::{effort, steps};
use flexible::flexible;
use hard_motions::{redundancy, run_up, stiff};
use ratings::table3;

const HEM5: usize = 0;
const MDOP5: usize = 1;
const ALPHA: usize = 2;
/// The paper draws most conclusions from mechanisms of rigid bodies, without contacts and with.
const RIGID: [&str; 2] = [SMOOTH, IMPACTS];

/// All claims.
pub(super) fn claims(results: &Results) -> Vec<Claim> {
    let cells = &results.cells;
    let mut claims: Vec<Claim> = SETS.iter().map(|set| table3(results, set)).collect();
    claims.extend(flexible(cells));
    claims.extend(table4(&results.beam));
    claims.extend(steps(results));
    claims.extend(projections(cells));
    claims.extend(effort(results));
    claims.extend(violations(results));
    claims.extend(stiff(results));
    claims.extend(run_up(results));
    claims.push(redundancy(cells));
    claims
}

/// How effort is read.
const BY_COUNTS: &str =
    "by force evaluations and by factorizations, undecided where they differ; times decide nothing";
/// What would change verdicts on sets of mechanisms.
const PROBLEMS: &str = "the paper's mechanisms, which are not public: those of the open test set are used in their place";

fn share(ratio: Ratio) -> String {
    format!("larger on {} of {}", ratio.above, ratio.count)
}

/// Whether one solver takes more force evaluations and more factorizations than another.
fn takes_more(statement: Statement, force: Ratio, factorizations: Ratio) -> Claim {
    let measured = format!(
        "{:.2} times the force evaluations, {}, {:.2} times the factorizations, {}",
        force.mean,
        share(force),
        factorizations.mean,
        share(factorizations)
    );
    let holds = [force, factorizations].map(|found| found.mean > 1.0);
    statement.judge(Verdict::of_all(&holds), force.mean, measured)
}
