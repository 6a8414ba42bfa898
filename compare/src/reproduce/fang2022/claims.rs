//! The paper's claims, each decided by a number.

use super::Results;
use super::beyond::{rotation_claims, stiff_claim};
use super::experiments::{Cost, EnergyCurve, Friction, Order};
use super::settings::{MECHANISMS, METHODS};
use crate::error::CommandError;
use crate::reproduce::Claim;

/// How far an observed order may be from 1.
const ORDER_SLACK: f64 = 0.1;

/// All claims in the order of the figures.
pub fn claims(results: &Results) -> Vec<Claim> {
    let mut claims = Vec::new();
    match &results.orders {
        Ok(orders) => claims.extend(orders.iter().flat_map(order_claims)),
        Err(error) => {
            claims.extend(
                MECHANISMS
                    .iter()
                    .map(|mechanism| unmeasured(mechanism.order_figure, "slope 1.0", error)),
            );
        }
    }
    match results.energies.as_deref() {
        Ok([half, fully]) => claims.extend(energy_claims(half, fully)),
        Ok(_) => {}
        Err(error) => claims.push(unmeasured(
            "3",
            "the half-implicit method preserves the energy",
            error,
        )),
    }
    match &results.costs {
        Ok(costs) => claims.extend(cost_claims(costs)),
        Err(error) => claims.push(unmeasured(
            "4-6",
            "the half-implicit method is faster, with fewer iterations",
            error,
        )),
    }
    match &results.chains {
        Ok(chains) => claims.extend(chain_claims(chains)),
        Err(error) => claims.push(unmeasured(
            "8",
            "the half-implicit method is consistently faster",
            error,
        )),
    }
    match &results.frictions {
        Ok(frictions) => claims.extend(friction_claims(frictions)),
        Err(error) => claims.push(unmeasured(
            "9",
            "friction makes the driving torque swing more",
            error,
        )),
    }
    match &results.rotations {
        Ok(rotations) => claims.extend(rotation_claims(rotations)),
        Err(error) => claims.push(unmeasured(
            "Section 4",
            "the half-implicit method works equally well in Euler parameters and Euler angles",
            error,
        )),
    }
    claims.push(match &results.stiff {
        Ok(stiff) => stiff_claim(stiff),
        Err(error) => unmeasured(
            "Section 5",
            "on stiff problems the fully implicit method is superior",
            error,
        ),
    });
    claims
}

fn unmeasured(figure: &'static str, claim: &str, error: &CommandError) -> Claim {
    Claim::unmeasured(figure, claim, &error.to_string())
}

fn order_claims(order: &Order) -> Vec<Claim> {
    let both = order.methods.iter().zip(METHODS);
    both.map(|(result, (_, label))| {
        let claim = format!(
            "{}, {label}: the error of {} has slope 1.0",
            order.mechanism.title, order.mechanism.output
        );
        match result.slope {
            Some(slope) => {
                let verdict = Claim::new(
                order.mechanism.order_figure,
                claim,
                (slope - 1.0).abs() <= ORDER_SLACK,
                slope,
                format!(
                    "slope {slope:.3} over all steps (1 within {ORDER_SLACK}){}; {}",
                    last_slope(result).map_or_else(String::new, |slope| format!(
                        ", between the two smallest steps {slope:.3}"
                    )),
                    ends(result)
                ),
            )
;
                let asymptotic = last_slope(result)
                    .is_some_and(|slope| (slope - 1.0).abs() <= ORDER_SLACK);
                if asymptotic {
                    verdict.because(
                        "the largest steps damp so much that the error is comparable to the motion, where it cannot grow in \
                         proportion to the step; between the two smallest steps the slope is 1",
                    )
                } else {
                    verdict
                }
            }
            None => Claim::unmeasured(
                order.mechanism.order_figure,
                claim,
                "fewer than two errors above round-off",
            ),
        }
    })
    .collect()
}

fn ends(result: &crate::experiment::Convergence) -> String {
    match (result.points.first(), result.points.last()) {
        (Some(first), Some(last)) => format!(
            "RMS error {:.2e} at h = {:e} s to {:.2e} at h = {:e} s",
            first.error_rms, first.h, last.error_rms, last.h
        ),
        _ => String::new(),
    }
}

/// Slope between the two smallest steps.
fn last_slope(result: &crate::experiment::Convergence) -> Option<f64> {
    let mut points: Vec<_> = result
        .points
        .iter()
        .filter(|point| !point.at_round_off)
        .collect();
    points.sort_by(|a, b| a.h.total_cmp(&b.h));
    match points.as_slice() {
        [first, second, ..] => {
            Some((second.error_rms / first.error_rms).ln() / (second.h / first.h).ln())
        }
        _ => None,
    }
}

fn energy_claims(half: &EnergyCurve, fully: &EnergyCurve) -> Vec<Claim> {
    let [first, last] = half.quarters;
    let growth = last / first;
    let loss = fully.initial - fully.last;
    vec![
        Claim::new(
            "3",
            "the half-implicit method holds the energy over time",
            growth <= 2.0 && half.largest_drift < 0.1 * loss.abs(),
            growth,
            format!(
                "largest |E - E0| {first:.3} J in the first and {last:.3} J in the last quarter, ratio {growth:.2} (no \
                 drift: at most 2); the fully implicit method loses {loss:.1} J"
            ),
        ),
        Claim::new(
            "3",
            "with the fully implicit method the energy drains",
            loss > 10.0 * half.largest_drift,
            loss,
            format!(
                "{loss:.1} J lost, {:.0} times the largest deviation of the half-implicit method ({:.3} J)",
                loss / half.largest_drift,
                half.largest_drift
            ),
        ),
    ]
}

fn cost_claims(costs: &[Cost]) -> Vec<Claim> {
    let total = costs.len();
    let mut claims = Vec::new();
    let fewer = costs
        .iter()
        .filter(|cell| cell.iterations_half < cell.iterations_fully)
        .count();
    let list = |text: fn(&Cost) -> String| costs.iter().map(text).collect::<Vec<_>>().join("; ");
    claims.push(Claim::new(
        "4(b)-6(b)",
        "the half-implicit method needs fewer iterations for all mechanisms and steps",
        fewer == total,
        fewer as f64,
        format!(
            "in {fewer} of {total} cases: {}",
            list(|cell| format!(
                "{} {:e}: {:.2} to {:.2}",
                cell.problem, cell.h, cell.iterations_half, cell.iterations_fully
            ))
        ),
    ));
    claims.extend(equal_guess_claim(costs));
    let faster = costs.iter().filter(|cell| cell.ratio() > 1.0).count();
    claims.push(Claim::new(
        "4(a)-6(a)",
        "the half-implicit method is faster for all mechanisms and steps",
        faster == total,
        faster as f64,
        format!(
            "in {faster} of {total} cases; time of the fully over the half-implicit method: {}",
            list(|cell| format!("{} {:e}: {:.2}", cell.problem, cell.h, cell.ratio()))
        ),
    ));
    claims.extend(step_claim(costs));
    claims
}

/// Whether the half-implicit method needs fewer iterations when both begin at the last values.
fn equal_guess_claim(costs: &[Cost]) -> Option<Claim> {
    let pairs: Vec<(&Cost, f64)> = costs
        .iter()
        .filter_map(|cell| Some((cell, cell.iterations_half_equal_guess?)))
        .collect();
    let fewer = pairs
        .iter()
        .filter(|(cell, half)| *half < cell.iterations_fully)
        .count();
    let list: Vec<String> = pairs
        .iter()
        .map(|(cell, half)| {
            format!(
                "{} {:e}: {half:.2} to {:.2}",
                cell.problem, cell.h, cell.iterations_fully
            )
        })
        .collect();
    (!pairs.is_empty()).then(|| {
        Claim::new(
            "4(b)-6(b)",
            "so it does when both methods begin at the last values (half-implicit:guess=constant)",
            fewer == pairs.len(),
            fewer as f64,
            format!("in {fewer} of {} cases: {}", pairs.len(), list.join("; ")),
        )
        .because(
            "the matrix of the half-implicit method is that of the start of the step (eq. 12): with large steps the Jacobian turns \
             so far that it needs more iterations than the fully implicit matrix, which is evaluated in each; there the better \
             first guess carries the advantage",
        )
    })
}

/// Whether iterations grow with the step, for both methods and every mechanism.
fn step_claim(costs: &[Cost]) -> Option<Claim> {
    let (mut rising, mut total, mut exceptions) = (0, 0, Vec::new());
    for mechanism in &MECHANISMS {
        let mut cells: Vec<&Cost> = costs
            .iter()
            .filter(|cell| cell.problem == mechanism.problem)
            .collect();
        cells.sort_by(|a, b| a.h.total_cmp(&b.h));
        for pair in cells.windows(2) {
            let (small, large) = (pair[0], pair[1]);
            let methods = [
                (
                    "half-implicit",
                    small.iterations_half,
                    large.iterations_half,
                ),
                (
                    "fully implicit",
                    small.iterations_fully,
                    large.iterations_fully,
                ),
            ];
            for (method, before, after) in methods {
                total += 1;
                if after > before {
                    rising += 1;
                } else {
                    exceptions.push(format!(
                        "{}, {method}: {before:.2} at h = {:e} s, {after:.2} at h = {:e} s",
                        mechanism.problem, small.h, large.h
                    ));
                }
            }
        }
    }
    let mut measured = format!("in {rising} of {total} pairs of neighbouring steps");
    if !exceptions.is_empty() {
        measured.push_str(&format!("; not for {}", exceptions.join("; ")));
    }
    let claim = "a larger step needs more iterations";
    (total > 0).then(|| {
        Claim::new(
            "4(b)-6(b)",
            claim,
            rising == total,
            f64::from(rising),
            measured,
        )
        .because("where the first guess is good enough, one iteration is the least with either step: a tie")
    })
}

fn chain_claims(chains: &[Cost]) -> Vec<Claim> {
    let faster = chains.iter().filter(|cell| cell.ratio() > 1.0).count();
    let ratios: Vec<String> = chains
        .iter()
        .map(|cell| {
            format!(
                "N = {}: {:.2}",
                cell.links.unwrap_or_default(),
                cell.ratio()
            )
        })
        .collect();
    let mut claims = vec![Claim::new(
        "8",
        "the half-implicit method is consistently faster than the fully implicit one",
        faster == chains.len(),
        faster as f64,
        format!(
            "in {faster} of {} cases; time of the fully over the half-implicit method: {}",
            chains.len(),
            ratios.join("; ")
        ),
    )];
    let long: Vec<&Cost> = chains
        .iter()
        .filter(|cell| cell.links.is_some_and(|links| links >= 8))
        .collect();
    if let (Some(first), Some(last)) = (long.first(), long.last())
        && first.links != last.links
    {
        let links = |cell: &Cost| f64::from(cell.links.unwrap_or(1));
        let exponent =
            (last.wall_half_s / first.wall_half_s).ln() / (links(last) / links(first)).ln();
        claims.push(Claim::new(
            "8",
            "the time of the half-implicit method grows in proportion to the number of links",
            (exponent - 1.0).abs() <= 0.25,
            exponent,
            format!(
                "time proportional to N to the power {exponent:.2} from N = {} to {}",
                links(first),
                links(last)
            ),
        ));
    }
    claims
}

fn friction_claims(frictions: &[Friction]) -> Vec<Claim> {
    let swings: Vec<String> = frictions
        .iter()
        .map(|run| format!("mu = {}: {:.4} N m", run.mu, run.torque.swing))
        .collect();
    let rising = frictions
        .windows(2)
        .all(|pair| pair[1].torque.swing > pair[0].torque.swing);
    let ratio = match (frictions.first(), frictions.last()) {
        (Some(first), Some(last)) => last.torque.swing / first.torque.swing,
        _ => f64::NAN,
    };
    let mut claims = vec![Claim::new(
        "9",
        "with more friction the driving torque swings more",
        rising,
        ratio,
        format!("largest minus smallest torque: {}", swings.join("; ")),
    )];
    if let Some(run) = frictions.last() {
        let share = run.torque.jump / run.torque.swing;
        claims.push(Claim::new(
            "9",
            "the driving torque jumps where the slider reverses",
            share > 0.01,
            run.torque.jump,
            format!(
                "mu = {}: the torque jumps by {:.1e} N m, the method's error, at {} reversals (its swing is {:.3} N m); the force on \
                 the crank's pivot jumps by {:.4} N",
                run.mu, run.torque.jump, run.reversals, run.torque.swing, run.pivot_force.jump
            ),
        )
        .because(
            "the true torque is continuous, because the power of friction vanishes where the slider reverses; what jumps is the \
             force on the crank's pivot, which is what the paper's Fig. 9 shows, with the opposite sign",
        ));
    }
    claims
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(problem: &str, h: f64, wall: [f64; 2], iterations: [f64; 2]) -> Cost {
        Cost {
            problem: problem.to_owned(),
            links: None,
            h,
            tolerance_half: None,
            tolerance_fully: None,
            paper_tolerance_half: None,
            paper_tolerance_fully: None,
            wall_half_s: wall[0],
            wall_fully_s: wall[1],
            iterations_half: iterations[0],
            iterations_fully: iterations[1],
            iterations_half_equal_guess: None,
            paper_cpu_half_s: Some(1.0),
            paper_cpu_fully_s: Some(3.0),
            paper_iterations_half: None,
            paper_iterations_fully: None,
        }
    }

    #[test]
    fn one_exception_breaks_a_claim_about_all() {
        let good = [
            cell("slider-crank", 1e-3, [1.0, 2.0], [1.0, 2.0]),
            cell("slider-crank", 1e-2, [1.0, 2.0], [2.0, 3.0]),
        ];
        let verdicts = |cells: &[Cost]| {
            cost_claims(cells)
                .iter()
                .map(|claim| claim.holds)
                .collect::<Vec<_>>()
        };
        assert_eq!(verdicts(&good), [Some(true), Some(true), Some(true)]);
        let slow = [
            good[0].clone(),
            cell("slider-crank", 1e-2, [2.0, 1.0], [2.0, 3.0]),
        ];
        assert_eq!(verdicts(&slow), [Some(true), Some(false), Some(true)]);
        let many = [
            good[0].clone(),
            cell("slider-crank", 1e-2, [1.0, 2.0], [0.5, 0.5]),
        ];
        assert_eq!(verdicts(&many), [Some(false), Some(true), Some(false)]);
        assert_eq!(good[0].ratio(), 2.0);
        assert_eq!(good[0].paper_ratio(), Some(3.0));
    }
}
