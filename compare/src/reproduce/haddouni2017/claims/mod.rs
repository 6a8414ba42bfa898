//! Section 4.4 and the conclusions of section 5, each decided by a number.

mod beam;
mod constraints;
mod costs;
mod hard_motions;
mod ratings;

pub(super) use constraints::projected_share;

use super::Results;
use super::settings::SETS;
use super::statistics::Ratio;
use crate::reproduce::Claim;
use beam::table4;
use constraints::{projections, violations};
use costs::{effort, steps};
use hard_motions::{redundancy, run_up, stiff};
use ratings::table3;

const HEM5: usize = 0;
const MDOP5: usize = 1;
const ALPHA: usize = 2;
/// Sets with impacts.
const IMPACTS: [&str; 2] = ["contact", "contact-closed-form"];

/// All claims.
pub(super) fn claims(results: &Results) -> Vec<Claim> {
    let cells = &results.cells;
    let mut claims: Vec<Claim> = SETS.iter().map(|set| table3(results, set)).collect();
    claims.push(Claim::unmeasured(
        "Table 3, set 3",
        "on flexible beams HEM5 0.62, stabilized generalized-α 0.46, MDOP5 0.15; generalized-α is the first to solve all",
        "shares need a set, and here is one rotating beam and one rotor (Table 4, Fig. 13)",
    ));
    claims.extend(table4(&results.beam));
    claims.extend(steps(cells));
    claims.extend(projections(cells));
    claims.extend(effort(cells));
    claims.extend(violations(results));
    claims.extend(stiff(cells));
    claims.extend(run_up(results));
    claims.push(redundancy(cells));
    claims
}

fn share(ratio: Ratio) -> String {
    format!("larger on {} of {}", ratio.above, ratio.count)
}
