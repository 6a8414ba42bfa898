//! The paper's claims, each decided by a number.

mod chain;
mod costs;

use super::Results;
use super::beyond::{rotation_claims, stiff_claim};
use super::experiments::{EnergyCurve, Friction, Order};
use super::settings::METHODS;
use crate::error::CommandError;
use crate::experiment::{Convergence, slope};
use crate::reproduce::claim::{NOTHING, short};
use crate::reproduce::{Claim, Statement};
use chain::chain_claims;
pub(super) use chain::size;
use costs::cost_claims;

/// How far an observed order may be from 1.
const ORDER_SLACK: f64 = 0.1;

/// All claims in the order of the figures; an experiment that failed leaves its claims out, since it is reported as a failure.
pub fn claims(results: &Results) -> Vec<Claim> {
    fn of<T>(result: &Result<T, CommandError>, judge: impl Fn(&T) -> Vec<Claim>) -> Vec<Claim> {
        result.as_ref().map(judge).unwrap_or_default()
    }
    [
        of(&results.orders, |orders| {
            let slopes = orders.iter().flat_map(order_claims);
            slopes.chain(first_order(orders)).collect()
        }),
        of(&results.energies, |curves| match curves.as_slice() {
            [half, fully] => energy_claims(half, fully).into(),
            _ => Vec::new(),
        }),
        of(&results.costs, |costs| cost_claims(costs)),
        of(&results.chains, chain_claims),
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
    let steps = [f64::max, f64::min].map(|pick| {
        let steps = result.points.iter().map(|point| point.h);
        steps.reduce(pick).unwrap_or(f64::NAN)
    });
    let measure = match result.slope {
        Some(slope) if order.mechanism.program_divides_by_n => format!(
            "the measure: the authors' program for this figure divides the root by n instead of by its root, which makes the slope {:.2}",
            slope + 0.5
        ),
        _ => "the measure: the authors' program for this figure takes the error at the end only"
            .to_owned(),
    };
    let statement = Statement::new(
        order.mechanism.order_figure,
        format!(
            "{}, {label}: the error of {} has slope 1.0 over all steps from {:e} to {:e} s",
            order.mechanism.title, order.mechanism.output, steps[0], steps[1]
        ),
        "The most important feature noted is a slope of 1.0 for both integrators.",
        format!(
            "slope of the RMS error over 8 s, sqrt(\u{3a3} e\u{b2} / n) as in the text, by least squares over the steps of the authors' \
             programs, 1 within {ORDER_SLACK}"
        ),
        format!("the range of steps; {measure}"),
    )
    .bounded(format!("1 \u{b1} {ORDER_SLACK}"));
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
    statement
        .judge(holds, slope, measured)
        .because(saturated(result))
}

/// Why a slope over all steps is not that of small steps.
fn saturated(result: &Convergence) -> String {
    let mut points: Vec<_> = result.points.iter().collect();
    points.sort_by(|a, b| a.h.total_cmp(&b.h));
    // The largest step up to which all slopes between neighbours are 1.
    let first_order = points.windows(2).take_while(|pair| {
        let points = pair.iter().map(|point| (point.h, point.error_rms));
        slope(points.collect::<Vec<_>>()).is_some_and(|slope| (slope - 1.0).abs() <= ORDER_SLACK)
    });
    match first_order.last() {
        Some(pair) => format!(
            "the slope is 1 for h \u{2264} {:e} s; with larger steps the numerical damping makes the error comparable to the motion, where \
             it cannot grow in proportion to the step",
            pair[1].h
        ),
        None => "the error is not proportional to the step at any step tried".to_owned(),
    }
}

/// The order as the step goes to zero: the slope between the two smallest steps, of all mechanisms and both methods.
fn first_order(orders: &[Order]) -> Option<Claim> {
    let mut worst: Option<f64> = None;
    let mut lines = Vec::new();
    for order in orders {
        let slopes = order
            .methods
            .iter()
            .zip(METHODS)
            .filter_map(|(result, (_, label))| Some((label, last_slope(result)?)));
        let slopes: Vec<_> = slopes.collect();
        for &(_, slope) in &slopes {
            let apart = |slope: f64| (slope - 1.0).abs();
            if worst.is_none_or(|worst| apart(slope) > apart(worst)) {
                worst = Some(slope);
            }
        }
        let texts = slopes
            .iter()
            .map(|(label, slope)| format!("{label} {slope:.3}"));
        let texts: Vec<String> = texts.collect();
        lines.push(format!("{}: {}", order.mechanism.title, texts.join(", ")));
    }
    let worst = worst?;
    Some(
        Statement::new(
            "2",
            "both methods converge with order 1 on all three mechanisms",
            "All three figures show first-order convergence for both methods, thus meeting expectations.",
            format!(
                "slope of the RMS error over 8 s between the two smallest steps, 1 within {ORDER_SLACK} in all six cases"
            ),
            "the steps: at larger ones the fully implicit double pendulum is not in the asymptotic range",
        )
        .bounded(format!("1 \u{b1} {ORDER_SLACK}"))
        .judge(
            (worst - 1.0).abs() <= ORDER_SLACK,
            worst,
            lines.join("\n"),
        ),
    )
}

fn ends(result: &Convergence) -> String {
    match (result.points.first(), result.points.last()) {
        (Some(first), Some(last)) => format!(
            "RMS error {} at h = {:e} s to {} at h = {:e} s",
            short(first.error_rms),
            first.h,
            short(last.error_rms),
            last.h
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
            "HI holds the energy over time",
            sentence,
            "largest |E - E0| of the last quarter of the run over that of the first, at most 2, and less than a tenth of what FI \
             loses",
            "the step, here 1e-3 s as in the authors' programs",
        )
        .bounded("at most 2")
        .judge(
            growth <= 2.0 && half.largest_drift < 0.1 * loss.abs(),
            growth,
            format!(
                "{first:.3} J in the first and {last:.3} J in the last quarter, ratio {growth:.2}; FI loses {loss:.0} J"
            ),
        ),
        Statement::new(
            "3",
            "FI loses energy over time",
            sentence,
            "energy lost over the largest deviation of HI, more than 10",
            "the step: the loss is proportional to it",
        )
        .bounded("more than 10")
        .judge(
            loss > 10.0 * half.largest_drift,
            loss / half.largest_drift,
            format!(
                "{loss:.0} J lost, {:.0} times the largest deviation of HI ({:.2} J)",
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
            "largest minus smallest torque, rising with the coefficient; the number is the last over the first",
            NOTHING,
        )
        .bounded("rising")
        .judge(rising, ratio, swings.join("\n")),
        Statement::new(
            "9",
            "the driving torque jumps where the slider reverses",
            "The sudden jump in the driving torque value results from the change of the slider velocity direction (and that of the \
             friction force).",
            "largest jump of the torque at a reversal over its swing, at least 0.01",
            "the quantity: the force on the crank's pivot jumps, and Fig. 9 shows it with the opposite sign",
        )
        .bounded("at least 0.01")
        .judge(
            share > 0.01,
            share,
            format!(
                "mu = {}: the torque jumps by {:.0e} of its swing of {:.3} N m at {} reversals; the force on the crank's pivot \
                 jumps by {:.1} N",
                run.mu,
                share,
                run.torque.swing,
                run.reversals,
                run.pivot_force.jump
            ),
        )
        .because("the true torque is continuous, because the power of friction vanishes where the slider reverses"),
    ]
}
