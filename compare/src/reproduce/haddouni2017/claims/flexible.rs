//! Section 4.4 about Fig. 11: mechanisms with flexible bodies.

use super::super::runs::Cell;
use super::super::settings::{FLEXIBLE, SAFETY, SOLVERS};
use super::super::statistics::{Cost, equal_tolerance, ratio, rho};
use super::{ALPHA, HEM5, MDOP5, share};
use crate::reproduce::Claim;

const FIGURE: &str = "11";

/// The largest factor of Fig. 11(c).
const WIDE: f64 = 5.0;

/// The claims of Fig. 11 and the paragraphs about it.
pub(super) fn flexible(cells: &[Cell]) -> Vec<Claim> {
    let texts = [
        "on flexible mechanisms stabilized generalized-α is the fastest solver for 40 % of the problems",
        "there it is the first to solve all of them as the factor grows",
        "there the solvers leave about 30 % of the problems unsolved within five times the least time, and solve all within large factors",
        "there HEM5 is faster than MDOP5",
    ];
    let costs = equal_tolerance(cells, FLEXIBLE, SAFETY[0], Cost::Seconds);
    if costs.is_empty() {
        return texts
            .map(|text| Claim::unmeasured(FIGURE, text, "the experiment was not run"))
            .into();
    }
    let list = |shares: [f64; 3]| format!("{:.2}, {:.2}, {:.2}", shares[0], shares[1], shares[2]);
    let fastest = rho(&costs, 1.0);
    let within = rho(&costs, WIDE);
    let arrived = rho(&costs, f64::MAX);
    // The factor at which a solver has solved all; infinite if it never does.
    let largest: [f64; 3] = std::array::from_fn(|solver| {
        let ratios = costs.iter().map(|row| {
            let best = row.iter().flatten().copied().reduce(f64::min)?;
            Some(row[solver]? / best)
        });
        let ratios: Option<Vec<f64>> = ratios.collect();
        ratios.map_or(f64::INFINITY, |ratios| {
            ratios.into_iter().fold(1.0, f64::max)
        })
    });
    let first = largest[ALPHA] < largest[HEM5].min(largest[MDOP5]);
    let unsolved = within.map(|share| 1.0 - share);
    let least = unsolved.iter().copied().fold(1.0, f64::min);
    let count = costs.len();
    let names = SOLVERS.each_ref().map(|solver| solver.label).join(", ");
    let [first_text, second_text, third_text, fourth_text] = texts;
    let mut claims = vec![
        Claim::new(
            FIGURE,
            first_text,
            fastest[ALPHA] >= 0.4,
            fastest[ALPHA],
            format!("fastest {} ({names}) of {count} problems (at least 0.4)", list(fastest)),
        )
        .because(
            "elastic links without damping vibrate as long as they move, and a method of second order follows vibrations with shorter steps \
             than one of fifth. It is fastest where waves are faster than what the tolerance asks for",
        ),
        Claim::new(
            FIGURE,
            second_text,
            first,
            largest[ALPHA],
            format!(
                "all solved within {:.1}, {:.1}, {:.1} times the least time ({names}; infinite where a run did not arrive)",
                largest[0], largest[1], largest[2]
            ),
        )
        .because("what holds it up are vibrations that nothing damps, as on the rotating beam of Table 4"),
        Claim::new(
            FIGURE,
            third_text,
            (0.15..=0.45).contains(&least) && arrived.iter().all(|share| *share == 1.0),
            least,
            format!(
                "within {WIDE} times {} are unsolved, in the end {} ({names}; the least of the first between 0.15 and 0.45, none of the second)",
                list(unsolved),
                list(arrived.map(|share| 1.0 - share))
            ),
        )
        .because("one of the solvers is near the best on more problems than in the paper, or one was given up after its CPU time"),
    ];
    if let Some(found) = ratio(cells, &[FLEXIBLE], &|_| false, (MDOP5, HEM5), &|cell| {
        Some(cell.seconds)
    }) {
        let measured = format!(
            "MDOP5 takes {:.2} times the CPU time of HEM5, {} (more than 1)",
            found.mean,
            share(found)
        );
        claims.push(
            Claim::new(FIGURE, fourth_text, found.mean > 1.0, found.mean, measured).because(
                "HEM5's estimate exceeds its error, so that it takes more steps at the same tolerance, and each has one stage more",
            ),
        );
    }
    claims
}
