//! Fig. 8: iterations on chains, with several Newton tolerances.

use crate::reproduce::fang2022::costs::{ChainIterations, Chains};
use crate::reproduce::{Claim, Statement, Verdict};

/// A tolerance, a power of ten.
pub(in crate::reproduce::fang2022) fn size(tolerance: f64) -> String {
    let text = format!("{tolerance:.0e}");
    text.trim_end_matches("e0").to_owned()
}

/// Iterations with one pair of tolerances, by rising number of links.
type Group<'c> = Vec<&'c ChainIterations>;

fn by_tolerances(chains: &[ChainIterations]) -> Vec<Group<'_>> {
    let pair = |row: &ChainIterations| [row.tolerance_half, row.tolerance_fully];
    let mut groups: Vec<Group<'_>> = Vec::new();
    for row in chains {
        match groups.iter_mut().find(|group| pair(group[0]) == pair(row)) {
            Some(group) => group.push(row),
            None => groups.push(vec![row]),
        }
    }
    groups
}

fn ratio(row: &ChainIterations) -> f64 {
    row.iterations_fully / row.iterations_half
}

pub(super) fn chain_claims(chains: &Chains) -> Vec<Claim> {
    let groups = by_tolerances(&chains.iterations);
    [consistently(&groups), carries(&groups)]
        .into_iter()
        .flatten()
        .collect()
}

const TOLERANCES: &str = "the Newton tolerances: the paper states none for the chain";
const DEPENDS: &str =
    "the verdict depends on the Newton tolerances, which the paper does not state for the chain";

fn consistently(groups: &[Group<'_>]) -> Option<Claim> {
    let ratios = || groups.iter().flatten().map(|row| ratio(row));
    let least = ratios().reduce(f64::min)?;
    let holds: Vec<bool> = groups
        .iter()
        .map(|group| group.iter().all(|row| ratio(row) > 1.0))
        .collect();
    let lines = groups.iter().map(|group| {
        let fewer = group.iter().filter(|row| ratio(row) > 1.0).count();
        let ends = [f64::min, f64::max].map(|pick| group.iter().map(|row| ratio(row)).reduce(pick));
        format!(
            "HI {}, FI {}: fewer for {fewer} of {} numbers of links, ratio {:.2} to {:.2}",
            size(group[0].tolerance_half),
            size(group[0].tolerance_fully),
            group.len(),
            ends[0].unwrap_or(f64::NAN),
            ends[1].unwrap_or(f64::NAN)
        )
    });
    let lines: Vec<String> = lines.collect();
    let statement = Statement::new(
        "8",
        "HI is consistently faster than FI",
        "The timing results reported in Fig. 8 indicate that the half-implicit approach is consistently faster than the fully-implicit one.",
        format!(
            "operation counts: iterations per step of FI over those of HI, more than 1 for every number of links with each of {} pairs of \
             Newton tolerances; both factorize once per step",
            groups.len()
        ),
        TOLERANCES,
    );
    let claim = statement.bounded("more than 1");
    Some(
        claim
            .judge(Verdict::of_all(&holds), least, lines.join("\n"))
            .because(DEPENDS),
    )
}

/// Whether the advantage does not shrink with the number of links.
fn carries(groups: &[Group<'_>]) -> Option<Claim> {
    let mut ends = Vec::new();
    for group in groups {
        let (first, last) = (group.first()?, group.last()?);
        ends.push((first, last, ratio(last) / ratio(first)));
    }
    let least = ends.iter().map(|(_, _, growth)| *growth).reduce(f64::min)?;
    let holds: Vec<bool> = ends.iter().map(|(_, _, growth)| *growth >= 1.0).collect();
    let lines = ends.iter().map(|(first, last, growth)| {
        format!(
            "HI {}, FI {}: {:.2} at N = {}, {:.2} at N = {}, quotient {growth:.2}",
            size(first.tolerance_half),
            size(first.tolerance_fully),
            ratio(first),
            first.links,
            ratio(last),
            last.links
        )
    });
    let lines: Vec<String> = lines.collect();
    Some(
        Statement::new(
            "8",
            "the advantage of HI does not shrink with the number of links",
            "A scaling analysis was carried out to confirm that the speed-up observed in Sec. 3.2 translates to larger problems.",
            "iterations per step of FI over those of HI, at the largest number of links over that at the smallest, at least 1 with each pair \
             of Newton tolerances",
            TOLERANCES,
        )
        .bounded("at least 1")
        .judge(Verdict::of_all(&holds), least, lines.join("\n"))
        .because(match Verdict::of_all(&holds) {
            Verdict::Undecided => DEPENDS,
            _ => "by iterations the advantage is smaller on long chains",
        }),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_pair_of_tolerances_that_says_otherwise_leaves_the_chain_undecided() {
        let row = |tolerance, fully| ChainIterations {
            links: 1,
            tolerance_half: tolerance,
            tolerance_fully: tolerance,
            iterations_half: 2.0,
            iterations_fully: fully,
        };
        let verdict = |rows: &[ChainIterations]| {
            let claim = consistently(&by_tolerances(rows));
            claim.map(|claim| claim.verdict)
        };
        assert_eq!(
            verdict(&[row(1.0, 3.0), row(2.0, 3.0)]),
            Some(Verdict::Holds)
        );
        let undecided = verdict(&[row(1.0, 3.0), row(2.0, 1.0)]);
        assert_eq!(undecided, Some(Verdict::Undecided));
        assert_eq!(verdict(&[]), None);
    }
}
