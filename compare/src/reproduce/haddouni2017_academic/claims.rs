//! The conclusions of section 3.4, each decided by a number.

use super::Cell;
use crate::reproduce::{Claim, Statement};

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

/// A claim that a number of a run stays below the level of machine accuracy.
fn bounded(
    cells: &[Cell],
    statement: Statement,
    method: &'static str,
    value: fn(&Cell) -> f64,
) -> Claim {
    let number = largest(cells, method, value);
    let measured = format!("at most {number:.1e} over all tolerances");
    statement.judge(number <= MACHINE, number, measured)
}

/// A claim that the ratio of two methods is at least `bound` at every tolerance.
fn ratio(
    cells: &[Cell],
    statement: Statement,
    (above, below): (&'static str, &'static str),
    value: Value,
    bound: f64,
) -> Claim {
    match smallest_ratio(cells, above, below, value) {
        Some((number, tolerance)) => {
            let measured = format!("smallest ratio {number:.3e}, at {tolerance:e}");
            statement.judge(number >= bound, number, measured)
        }
        None => statement.unmeasured("no tolerance that both methods have done"),
    }
}

/// "Close to machine accuracy" as a bound.
fn machine() -> String {
    format!("largest violation at any accepted step over all tolerances, at most {MACHINE:e}")
}

/// All claims in the order of the text.
pub(super) fn claims(cells: &[Cell]) -> Vec<Claim> {
    let mut claims = violations(cells);
    claims.extend(efforts(cells));
    claims
}

/// What would change verdicts on violations.
const INHERENT: &str = "another method: the equations of a step contain this constraint";
/// What would change verdicts on effort and steps.
const DATA: &str = "other data of the mechanism: those of the paper are not in print";

/// Fig. 4: steps and violations.
fn violations(cells: &[Cell]) -> Vec<Claim> {
    vec![
        bounded(
            cells,
            Statement::new(
                "4(e)",
                "HEM5: the violation of the velocity constraint is close to machine accuracy",
                "With the HEM5 solver, the violation of the constraints at the velocity level is close to the machine accuracy (Fig.4e).",
                machine(),
                INHERENT,
            ),
            HEM5,
            |cell| cell.violation_velocity,
        ),
        bounded(
            cells,
            Statement::new(
                "4(d)",
                "generalized-α with position constraints: the violation of g is close to machine accuracy",
                "For the slider crank mechanism, the violation of g1 (Fig.4d) using the generalized-α scheme with position constraints is \
                 close to the machine accuracy.",
                machine(),
                INHERENT,
            ),
            POSITIONS,
            |cell| cell.violation_position,
        ),
        bounded(
            cells,
            Statement::new(
                "Section 3.4",
                "generalized-α with velocity constraints: their violation is at machine accuracy",
                "Indeed, these schemes enforce the velocity constraints at the machine accuracy while maintaining the violation at very \
                 low levels.",
                machine(),
                INHERENT,
            ),
            VELOCITIES,
            |cell| cell.violation_velocity,
        ),
        ratio(
            cells,
            Statement::new(
                "4(d)",
                "the violation of g is much larger with DOPRI5 than with HEM5",
                "With the DOPRI5 method, the tolerance at the integration error is met with large time step sizes as shown in Fig.4a but \
                 the violation of the constraints is much higher than with HEM5.",
                "largest |g| of DOPRI5 over that of HEM5, at least 10 at every tolerance",
                "projections, which the academic examples do without",
            ),
            (DOPRI5, HEM5),
            |cell| cell.violation_position,
            10.0,
        ),
        ratio(
            cells,
            Statement::new(
                "4(a)",
                "DOPRI5 meets the tolerance with larger steps than HEM5",
                "With the DOPRI5 method, the tolerance at the integration error is met with large time step sizes as shown in Fig.4a",
                "average step of DOPRI5 over that of HEM5, at least 1 at every tolerance",
                DATA,
            ),
            (DOPRI5, HEM5),
            |cell| cell.average_step,
            1.0,
        ),
        ratio(
            cells,
            Statement::new(
                "4(e)",
                "generalized-α with position constraints: the accuracy at velocity level is poor",
                "However, the accuracy at the velocity level is quite poor.",
                "largest |G v| over that of HEM5, at least 1000 at every tolerance",
                "projections of the velocities",
            ),
            (POSITIONS, HEM5),
            |cell| cell.violation_velocity,
            1e3,
        ),
        ratio(
            cells,
            Statement::new(
                "4(d)",
                "generalized-α with velocity constraints violates g more than HEM5",
                "When using the velocity-level generalized-α scheme, the violation is large for tolerances larger than 10^{-6} (Fig.4d)",
                "largest |g| over that of HEM5, at least 1 at every tolerance",
                "a bound for \"large\": the figure's numbers are not in print",
            ),
            (VELOCITIES, HEM5),
            |cell| cell.violation_position,
            1.0,
        ),
        ratio(
            cells,
            Statement::new(
                "Section 3.4",
                "DOPRI5 keeps the acceleration constraint better than generalized-α with position constraints",
                "The DOPRI5 method, which exactly solves the acceleration constraints, outperforms HEM5 and position-level or \
                 velocity-level generalized-α methods in maintaining the acceleration constraints.",
                "largest |G v' + γ| of generalized-α over that of DOPRI5, at least 1 at every tolerance",
                INHERENT,
            ),
            (POSITIONS, DOPRI5),
            |cell| cell.violation_acceleration.max(f64::MIN_POSITIVE),
            1.0,
        ),
    ]
}

/// Fig. 5: effort in counts.
fn efforts(cells: &[Cell]) -> [Claim; 4] {
    [
        drastically(cells),
        work(
            cells,
            DOPRI5,
            "HEM5 reaches an error with less work than DOPRI5",
        )
        .because(
            "a step of HEM5 evaluates eight stages, one of DOPRI5 six; with one constraint and nothing projected, drift costs DOPRI5 nothing",
        ),
        work(
            cells,
            POSITIONS,
            "HEM5 reaches an error with much less work than generalized-α with position constraints",
        ),
        work(
            cells,
            VELOCITIES,
            "HEM5 reaches an error with less work than generalized-α with velocity constraints",
        ),
    ]
}

/// "Drastically", as a factor.
const DRASTIC: f64 = 2.0;

/// The effort of generalized-α in factorizations; Newton iterations are shown.
fn drastically(cells: &[Cell]) -> Claim {
    let statement = Statement::new(
        "5",
        "with velocity constraints the effort of generalized-α is drastically reduced, against position constraints",
        "However, it is important to stress that when using the generalized-α method with velocity constraints instead of the position \
         constraints, the numerical effort is drastically reduced.",
        format!(
            "factorizations with position constraints over those with velocity constraints, geometric mean over the tolerances, at least \
             {DRASTIC}"
        ),
        "effort in Newton iterations, which are about the same; or a position form without the second factorization that it takes here \
         for the starting velocity whenever the step size changes",
    );
    let ratios = |value: Value| -> Vec<f64> {
        let pairs = of(cells, POSITIONS).filter_map(|cell| {
            let other = of(cells, VELOCITIES).find(|other| other.tolerance == cell.tolerance)?;
            Some(value(cell) / value(other))
        });
        pairs.collect()
    };
    let mean = |ratios: &[f64]| {
        let sum: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
        (sum / ratios.len() as f64).exp()
    };
    let factorizations = ratios(|cell| cell.factorizations as f64);
    let iterations = ratios(|cell| cell.newton_iterations as f64);
    let (Some(factorized), Some(iterated)) = (range(&factorizations), range(&iterations)) else {
        return statement.unmeasured("no tolerance that both methods have done");
    };
    let number = mean(&factorizations);
    let measured = format!(
        "{number:.2} times the factorizations ({:.2} to {:.2}), {:.2} times the Newton iterations ({:.2} to {:.2})",
        factorized[0],
        factorized[1],
        mean(&iterations),
        iterated[0],
        iterated[1]
    );
    statement.judge(number >= DRASTIC, number, measured)
}

/// The smallest and the largest; none without any.
fn range(values: &[f64]) -> Option<[f64; 2]> {
    let pick = |better: fn(f64, f64) -> f64| values.iter().copied().reduce(better);
    Some([pick(f64::min)?, pick(f64::max)?])
}

/// Compares force evaluations at the errors that HEM5 reaches, interpolated between the runs of the other method.
fn work(cells: &[Cell], method: &'static str, claim: &str) -> Claim {
    let statement = Statement::new(
        "5",
        claim,
        "From the computational effort point of view, HEM5 is less time-consuming than DOPRI5, and much less time-consuming than the \
         generalized-α scheme with the position constraints and also cheaper than generalized-α with the velocity constraints.",
        "force evaluations over those of HEM5 at the errors that HEM5 reaches, more than 1 at all of them; times decide nothing",
        DATA,
    );
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
    let Some([least, most]) = range(&ratios) else {
        return statement.unmeasured("the errors of the two methods do not overlap");
    };
    let measured = format!(
        "{least:.2} to {most:.2} times the force evaluations at {} equal errors",
        ratios.len()
    );
    statement.judge(least > 1.0, least, measured)
}
