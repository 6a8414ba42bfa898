//! The paper's claims, each decided by a number.

mod costs;

use super::Results;
use super::beyond::{rotation_claims, stiff_claim};
use super::experiments::{EnergyCurve, Friction, Order};
use super::settings::METHODS;
use crate::error::CommandError;
use crate::experiment::{Convergence, slope};
use crate::reproduce::{Claim, Statement};
use costs::{chain_claim, cost_claims};

/// How far an observed order may be from 1.
const ORDER_SLACK: f64 = 0.1;

/// All claims in the order of the figures; an experiment that failed leaves its claims out, since it is reported as a failure.
pub fn claims(results: &Results) -> Vec<Claim> {
    fn of<T>(result: &Result<T, CommandError>, judge: impl Fn(&T) -> Vec<Claim>) -> Vec<Claim> {
        result.as_ref().map(judge).unwrap_or_default()
    }
    [
        of(&results.orders, |orders| {
            orders.iter().flat_map(order_claims).collect()
        }),
        of(&results.energies, |curves| match curves.as_slice() {
            [half, fully] => energy_claims(half, fully).into(),
            _ => Vec::new(),
        }),
        of(&results.costs, |costs| cost_claims(costs)),
        of(&results.chains, |chains| vec![chain_claim(chains)]),
        of(&results.frictions, |runs| friction_claims(runs)),
        of(&results.rotations, |rows| rotation_claims(rows)),
        of(&results.stiff, |rows| vec![stiff_claim(rows)]),
    ]
    .concat()
}

fn order_claims(order: &Order) -> Vec<Claim> {
    let both = order.methods.iter().zip(METHODS);
    both.map(|(result, (_, label))| order_claim(order, result, label))
        .collect()
}

fn order_claim(order: &Order, result: &Convergence, label: &str) -> Claim {
    let statement = Statement::new(
        order.mechanism.order_figure,
        format!(
            "{}, {label}: the error of {} has slope 1.0",
            order.mechanism.title, order.mechanism.output
        ),
        "The most important feature noted is a slope of 1.0 for both integrators.",
        format!(
            "slope of the RMS error over 8 s, sqrt(\u{3a3} e\u{b2} / n) as in the text, by least squares over the authors' steps, 1 within \
             {ORDER_SLACK}"
        ),
        "other steps or another measure: the authors' programs divide the root by n instead of by its root (double pendulum), which \
         adds 0.5 to the slope, or take the error at the end only (slider-crank, four-link)",
    );
    let Some(slope) = result.slope else {
        return statement.unmeasured("fewer than two errors above round-off");
    };
    let holds = (slope - 1.0).abs() <= ORDER_SLACK;
    let last = last_slope(result);
    let measured = format!(
        "slope {slope:.3} over all steps{}; {}",
        last.map_or_else(String::new, |slope| format!(
            ", {slope:.3} between the two smallest"
        )),
        ends(result)
    );
    let verdict = statement.judge(holds, slope, measured);
    match last {
        Some(last) if (last - 1.0).abs() <= ORDER_SLACK => verdict.because(
            "the largest steps damp so much that the error is comparable to the motion, where it cannot grow in proportion to the step; \
             between the two smallest steps the slope is 1",
        ),
        _ => verdict,
    }
}

fn ends(result: &Convergence) -> String {
    match (result.points.first(), result.points.last()) {
        (Some(first), Some(last)) => format!(
            "RMS error {:.2e} at h = {:e} s to {:.2e} at h = {:e} s",
            first.error_rms, first.h, last.error_rms, last.h
        ),
        _ => String::new(),
    }
}

/// Slope between the two smallest steps.
fn last_slope(result: &Convergence) -> Option<f64> {
    let points = result.points.iter().filter(|point| !point.at_round_off);
    let mut points: Vec<(f64, f64)> = points.map(|point| (point.h, point.error_rms)).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points.truncate(2);
    (points.len() == 2).then(|| slope(points))?
}

fn energy_claims(half: &EnergyCurve, fully: &EnergyCurve) -> [Claim; 2] {
    let sentence = "This is evident in Fig. 3\u{2014}the total energy of the system drains over time using a fully-implicit approach, a \
                    highly-damped Backward Euler integrator, but holds steady for the symplectic half-implicit approach.";
    let [first, last] = half.quarters;
    let growth = last / first;
    let loss = fully.initial - fully.last;
    [
        Statement::new(
            "3",
            "the half-implicit method holds the energy over time",
            sentence,
            "largest |E - E0| of the last quarter of the run over that of the first, at most 2, and less than a tenth of what the fully \
             implicit method loses",
            "a step at which it drifts: with 1e-3 s, as in the authors' programs, it does not",
        )
        .judge(
            growth <= 2.0 && half.largest_drift < 0.1 * loss.abs(),
            growth,
            format!(
                "{first:.3} J in the first and {last:.3} J in the last quarter, ratio {growth:.2}; the fully implicit method loses \
                 {loss:.1} J"
            ),
        ),
        Statement::new(
            "3",
            "with the fully implicit method the energy drains",
            sentence,
            "energy lost, more than ten times the largest deviation of the half-implicit method",
            "a much smaller step, since the loss is proportional to it",
        )
        .judge(
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

fn friction_claims(frictions: &[Friction]) -> Vec<Claim> {
    let (Some(first), Some(run)) = (frictions.first(), frictions.last()) else {
        return Vec::new();
    };
    let swings: Vec<String> = frictions
        .iter()
        .map(|run| format!("mu = {}: {:.4} N m", run.mu, run.torque.swing))
        .collect();
    let mut pairs = frictions.windows(2);
    let rising = pairs.all(|pair| pair[1].torque.swing > pair[0].torque.swing);
    let ratio = run.torque.swing / first.torque.swing;
    let share = run.torque.jump / run.torque.swing;
    vec![
        Statement::new(
            "9",
            "with more friction the driving torque swings more",
            "With increasing \u{3bc} (and thus joint friction force), the driving torque used to drive the crank experiences larger swings.",
            "largest minus smallest torque, rising with the coefficient",
            "nothing that the paper leaves open",
        )
        .judge(rising, ratio, swings.join("; ")),
        Statement::new(
            "9",
            "the driving torque jumps where the slider reverses",
            "The sudden jump in the driving torque value results from the change of the slider velocity direction (and that of the \
             friction force).",
            "largest jump of the torque at a reversal, at least 1 % of its swing",
            "the force on the crank's pivot in place of the torque: it jumps, and Fig. 9 shows it with the opposite sign",
        )
        .judge(
            share > 0.01,
            run.torque.jump,
            format!(
                "mu = {}: the torque jumps by less than {:.0e} of its swing of {:.3} N m at {} reversals; the force on the crank's pivot \
                 jumps by {:.4} N",
                run.mu,
                share.max(1e-9),
                run.torque.swing,
                run.reversals,
                run.pivot_force.jump
            ),
        )
        .because("the true torque is continuous, because the power of friction vanishes where the slider reverses"),
    ]
}
