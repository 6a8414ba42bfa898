//! The conclusions of section 3.4, each decided by a number.

use super::Cell;
use crate::reproduce::Claim;

const HEM5: &str = "hem5";
const DOPRI5: &str = "dopri5";
const POSITIONS: &str = "generalized-alpha";
const VELOCITIES: &str = "generalized-alpha-velocity";

/// Violations below this are at the level of machine accuracy.
const MACHINE: f64 = 1e-10;

/// Runs of one method that were done.
fn of<'c>(cells: &'c [Cell], method: &'static str) -> impl Iterator<Item = &'c Cell> + Clone {
    cells
        .iter()
        .filter(move |cell| cell.method == method && cell.done)
}

fn largest(cells: &[Cell], method: &'static str, value: fn(&Cell) -> f64) -> f64 {
    of(cells, method).map(value).fold(0.0, f64::max)
}

/// A number of a run.
type Value = fn(&Cell) -> f64;

/// Smallest ratio, and its tolerance, of `value` between two methods over the tolerances that both have done.
fn smallest_ratio(
    cells: &[Cell],
    above: &'static str,
    below: &'static str,
    value: Value,
) -> Option<(f64, f64)> {
    let pairs = of(cells, above).filter_map(|cell| {
        let other = of(cells, below).find(|other| other.tolerance == cell.tolerance)?;
        Some((value(cell) / value(other), cell.tolerance))
    });
    pairs.min_by(|a, b| a.0.total_cmp(&b.0))
}

/// All claims in the order of the text.
pub(super) fn claims(cells: &[Cell]) -> Vec<Claim> {
    let mut claims = Vec::new();
    let mut bounded = |figure, claim: &str, method, value: fn(&Cell) -> f64| {
        let number = largest(cells, method, value);
        let measured = format!("at most {number:.1e} over all tolerances (bound {MACHINE:e})");
        claims.push(Claim::new(
            figure,
            claim,
            number <= MACHINE,
            number,
            measured,
        ));
    };
    bounded(
        "4(e)",
        "HEM5: the violation of the velocity constraint is close to machine accuracy",
        HEM5,
        |cell| cell.violation_velocity,
    );
    bounded(
        "4(d)",
        "generalized-α with position constraints: the violation of g is close to machine accuracy",
        POSITIONS,
        |cell| cell.violation_position,
    );
    bounded(
        "4(e)",
        "generalized-α with velocity constraints: their violation is close to machine accuracy",
        VELOCITIES,
        |cell| cell.violation_velocity,
    );

    let mut ratio = |figure,
                     claim: &str,
                     above,
                     below,
                     value: Value,
                     bound: f64,
                     why: Option<&str>| {
        let claim = claim.to_owned();
        claims.push(match smallest_ratio(cells, above, below, value) {
            Some((number, tolerance)) => {
                let measured = format!(
                    "smallest ratio over the tolerances {number:.2}, at {tolerance:e} (at least {bound})"
                );
                let verdict = Claim::new(figure, claim, number >= bound, number, measured);
                match why {
                    Some(why) => verdict.because(why),
                    None => verdict,
                }
            }
            None => Claim::unmeasured(figure, claim, "no tolerance that both methods have done"),
        });
    };
    ratio(
        "4(d)",
        "the violation of g is much larger with DOPRI5 than with HEM5",
        DOPRI5,
        HEM5,
        |cell| cell.violation_position,
        10.0,
        None,
    );
    ratio(
        "4(a)",
        "DOPRI5 meets the tolerance with larger steps than HEM5",
        DOPRI5,
        HEM5,
        |cell| cell.average_step,
        1.0,
        None,
    );
    ratio(
        "4(e)",
        "generalized-α with position constraints: the accuracy at velocity level is poor, far from that of HEM5",
        POSITIONS,
        HEM5,
        |cell| cell.violation_velocity,
        1e3,
        None,
    );
    ratio(
        "4(d)",
        "generalized-α with velocity constraints violates g more than HEM5",
        VELOCITIES,
        HEM5,
        |cell| cell.violation_position,
        1.0,
        None,
    );
    ratio(
        "5",
        "generalized-α costs less with velocity than with position constraints (Newton iterations)",
        POSITIONS,
        VELOCITIES,
        |cell| cell.newton_iterations as f64,
        1.0,
        Some(
            "steps of the position form are shorter: at 1e-7 the first guess meets the Newton tolerance in two thirds of them (1.3 \
             iterations a step), in less than half of those of the velocity form (1.6); what costs is the matrix, which the \
             position form factorizes in every iteration and the velocity form once a step",
        ),
    );
    ratio(
        "5",
        "generalized-α costs less with velocity than with position constraints (factorizations)",
        POSITIONS,
        VELOCITIES,
        |cell| cell.factorizations as f64,
        1.0,
        None,
    );
    ratio(
        "Section 3.4",
        "DOPRI5 keeps the acceleration constraint better than generalized-α with position constraints",
        POSITIONS,
        DOPRI5,
        |cell| cell.violation_acceleration.max(f64::MIN_POSITIVE),
        1.0,
        None,
    );
    for (method, claim) in [
        (DOPRI5, "HEM5 reaches an error with less work than DOPRI5"),
        (
            POSITIONS,
            "HEM5 reaches an error with much less work than generalized-α with position constraints",
        ),
        (
            VELOCITIES,
            "HEM5 reaches an error with less work than generalized-α with velocity constraints",
        ),
    ] {
        claims.push(work(cells, method, claim));
    }
    claims
}

/// Compares force evaluations at the errors that HEM5 reaches, interpolated between the runs of the other method.
fn work(cells: &[Cell], method: &'static str, claim: &str) -> Claim {
    let curve = |method| {
        let mut points: Vec<(f64, f64)> = of(cells, method)
            .filter(|cell| cell.error > 0.0)
            .map(|cell| (cell.error.ln(), (cell.force_evaluations as f64).ln()))
            .collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points
    };
    let other: Vec<(f64, f64)> = curve(method);
    let at = |error: f64| {
        other.windows(2).find_map(|pair| {
            let [(x0, y0), (x1, y1)] = [pair[0], pair[1]];
            let inside = (x0..=x1).contains(&error) && x1 > x0;
            inside.then(|| y0 + (y1 - y0) * (error - x0) / (x1 - x0))
        })
    };
    let ratios: Vec<f64> = curve(HEM5)
        .into_iter()
        .filter_map(|(error, work)| Some((at(error)? - work).exp()))
        .collect();
    match ratios.iter().copied().min_by(f64::total_cmp) {
        Some(smallest) => {
            let largest = ratios.iter().copied().fold(0.0, f64::max);
            Claim::new(
                "5",
                claim,
                smallest > 1.0,
                smallest,
                format!(
                    "{smallest:.2} to {largest:.2} times the force evaluations at {} equal errors (more than 1)",
                    ratios.len()
                ),
            )
            .because(
                "a step of HEM5 evaluates eight stages, one of DOPRI5 six; with one constraint and nothing projected, drift costs \
                 DOPRI5 nothing, so that longer steps cannot make up for it at all errors",
            )
        }
        None => Claim::unmeasured("5", claim, "the errors of the two methods do not overlap"),
    }
}
