//! The conclusions of section 3.4 about Fig. 4, each decided by a number.

use super::Cell;
use super::efforts::efforts;
use crate::reproduce::claim::{NOTHING, short};
use crate::reproduce::{Claim, Statement, Verdict};

pub(super) const HEM5: &str = "hem5";
pub(super) const DOPRI5: &str = "dopri5";
pub(super) const POSITIONS: &str = "generalized-alpha";
pub(super) const VELOCITIES: &str = "generalized-alpha-velocity";

/// Units of round-off, of the size of the terms of a constraint, up to which a violation is close to machine accuracy.
const CLOSE: f64 = 1e3;
/// "Very acceptable" violations of positions, in parts of the crank's length: the bound of section 4.1, above which they are corrected.
const ACCEPTABLE: f64 = 1e-4;

/// Sizes of the terms of the constraints: the crank's length in m, and the speed of its tip in m/s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sizes {
    pub length: f64,
    pub speed: f64,
}

/// Runs of one method that were done.
pub(super) fn of<'c>(
    cells: &'c [Cell],
    method: &'static str,
) -> impl Iterator<Item = &'c Cell> + Clone {
    cells
        .iter()
        .filter(move |cell| cell.method == method && cell.done)
}

fn largest(cells: &[Cell], method: &'static str, value: Value) -> f64 {
    of(cells, method).map(value).fold(0.0, f64::max)
}

/// A number of a run.
pub(super) type Value = fn(&Cell) -> f64;

/// Ratios of `value` between two methods, with their tolerance, over the tolerances that both have done.
fn ratios(cells: &[Cell], (above, below): Pair, value: Value) -> Vec<(f64, f64)> {
    let pairs = of(cells, above).filter_map(|cell| {
        let other = of(cells, below).find(|other| other.tolerance == cell.tolerance)?;
        Some((value(cell) / value(other), cell.tolerance))
    });
    pairs.collect()
}

/// Two methods that are compared.
type Pair = (&'static str, &'static str);

/// A claim that a violation stays close to machine accuracy.
fn machine(
    cells: &[Cell],
    statement: Statement,
    method: &'static str,
    (value, size): (Value, f64),
) -> Claim {
    let violation = largest(cells, method, value);
    let units = violation / (f64::EPSILON * size);
    let measured = format!(
        "at most {violation:.1e} over all tolerances, {} \u{3b5} of the size of the terms",
        short(units)
    );
    statement
        .bounded(format!("at most {CLOSE} \u{3b5}"))
        .judge(units <= CLOSE, units, measured)
        .because("the Newton iteration of a step ends before")
}

/// A claim that the ratio of two methods is at least `bound` at every tolerance.
fn ratio(cells: &[Cell], statement: Statement, pair: Pair, value: Value, bound: f64) -> Claim {
    let found = ratios(cells, pair, value);
    let pick = |better: fn(f64, f64) -> bool| {
        let pairs = found.iter().copied();
        pairs.reduce(|a, b| if better(b.0, a.0) { b } else { a })
    };
    let (Some(least), Some(most)) = (pick(|a, b| a < b), pick(|a, b| a > b)) else {
        return statement.unmeasured("no tolerance that both methods have done");
    };
    let measured = format!(
        "ratio {} (tolerance {:e}) to {} (tolerance {:e})",
        short(least.0),
        least.1,
        short(most.0),
        most.1
    );
    statement
        .bounded(format!("at least {bound}"))
        .judge(least.0 >= bound, least.0, measured)
}

/// "Close to machine accuracy" as a bound.
fn close_to_machine() -> String {
    format!(
        "largest violation at any accepted step over all tolerances, in units of \u{3b5} = 2.2e-16 times the size of the terms (l1 of g, l1 \
         \u{3c9}1 of G v), at most {CLOSE}"
    )
}

/// What would change verdicts on violations that the equations of a step rule out.
const SENSITIVE: &str =
    "the bound; holds by construction of the method, whose steps solve this constraint";
/// What would change verdicts on effort and steps.
pub(super) const DATA: &str = "the data of the mechanism: those of the paper are not in print";

/// All claims in the order of the text.
pub(super) fn claims(cells: &[Cell], sizes: Sizes) -> Vec<Claim> {
    [
        levels(cells, sizes),
        comparisons(cells),
        vec![large(cells, sizes)],
        accelerations(cells),
        vec![best(cells)],
        efforts(cells),
    ]
    .concat()
}

/// Which constraints are satisfied by each method.
fn levels(cells: &[Cell], sizes: Sizes) -> Vec<Claim> {
    let position = (|cell: &Cell| cell.violation_position) as Value;
    let velocity = (|cell: &Cell| cell.violation_velocity) as Value;
    let acceptable = largest(cells, HEM5, position);
    vec![
        machine(
            cells,
            Statement::new(
                "4(e)",
                "HEM5: the violation of the velocity constraint is close to machine accuracy",
                "With the HEM5 solver, the violation of the constraints at the velocity level is close to the machine accuracy (Fig.4e).",
                close_to_machine(),
                SENSITIVE,
            ),
            HEM5,
            (velocity, sizes.speed),
        ),
        Statement::new(
            "4(d)",
            "HEM5: the violation of g is acceptable for all tolerances",
            "The violation at the position level is at very acceptable levels for all the values of tolerances on the integration error \
             (Fig.4d).",
            format!(
                "largest |g| over the crank's length at any accepted step over all tolerances, at most {ACCEPTABLE:e}, the relative violation \
                 that sec. 4.1 allows"
            ),
            "the bound: sec. 3.4 states none",
        )
        .bounded(format!("at most {ACCEPTABLE:e}"))
        .judge(
            acceptable <= ACCEPTABLE * sizes.length,
            acceptable / sizes.length,
            format!(
                "|g| at most {acceptable:.1e} m, {:.1e} of the crank's length",
                acceptable / sizes.length
            ),
        ),
        machine(
            cells,
            Statement::new(
                "4(d)",
                "generalized-\u{3b1} with position constraints: the violation of g is close to machine accuracy",
                "For the slider crank mechanism, the violation of g1 (Fig.4d) using the generalized-α scheme with position constraints is \
                 close to the machine accuracy.",
                close_to_machine(),
                SENSITIVE,
            ),
            POSITIONS,
            (position, sizes.length),
        ),
        machine(
            cells,
            Statement::new(
                "Section 3.4",
                "generalized-\u{3b1} with velocity constraints: their violation is at machine accuracy",
                "Indeed, these schemes enforce the velocity constraints at the machine accuracy while maintaining the violation at very \
                 low levels.",
                close_to_machine(),
                SENSITIVE,
            ),
            VELOCITIES,
            (velocity, sizes.speed),
        ),
    ]
}

/// Violations and steps of one method against another.
fn comparisons(cells: &[Cell]) -> Vec<Claim> {
    let errors = of(cells, DOPRI5).map(|cell| cell.error / cell.tolerance);
    let worst = errors.fold(0.0, f64::max);
    let mut steps = ratio(
        cells,
        Statement::new(
            "4(a)",
            "DOPRI5 takes larger steps than HEM5 at the same tolerance",
            "With the DOPRI5 method, the tolerance at the integration error is met with large time step sizes as shown in Fig.4a",
            "average step of DOPRI5 over that of HEM5, at least 1 at every tolerance; the paper says \"large\", without a number",
            DATA,
        ),
        (DOPRI5, HEM5),
        |cell| cell.average_step,
        1.0,
    );
    steps.measured.push_str(&format!(
        "; the tolerance is met by the error estimate of a step, the error of DOPRI5 at the end is up to {} tolerances",
        short(worst)
    ));
    vec![
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
        steps,
        ratio(
            cells,
            Statement::new(
                "4(e)",
                "generalized-\u{3b1} with position constraints: the accuracy at velocity level is poor",
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
                "Section 3.4",
                "HEM5 violates g less than generalized-\u{3b1} with velocity constraints",
                "HEM5 obviously outperforms the generalized-α scheme with velocity constraints due to its higher order (equal to 5).",
                "largest |g| of generalized-\u{3b1} with velocity constraints over that of HEM5, at least 1 at every tolerance",
                DATA,
            ),
            (VELOCITIES, HEM5),
            |cell| cell.violation_position,
            1.0,
        ),
    ]
}

/// "Large for tolerances larger than 1e-6".
fn large(cells: &[Cell], sizes: Sizes) -> Claim {
    let statement = Statement::new(
        "4(d)",
        "generalized-\u{3b1} with velocity constraints: the violation of g is large at tolerances above 1e-6",
        "When using the velocity-level generalized-α scheme, the violation is large for tolerances larger than 10^{-6} (Fig.4d)",
        format!(
            "largest |g| over the crank's length, above {ACCEPTABLE:e}, the relative violation that sec. 4.1 allows, at every tolerance above \
             1e-6"
        ),
        "the bound: sec. 3.4 states none, and the numbers of Fig. 4(d) are not in print",
    )
    .bounded(format!("above {ACCEPTABLE:e} at all"));
    let coarse = of(cells, VELOCITIES).filter(|cell| cell.tolerance > 1e-6);
    let violations: Vec<(f64, f64)> = coarse
        .map(|cell| (cell.tolerance, cell.violation_position / sizes.length))
        .collect();
    let least = violations.iter().map(|(_, violation)| *violation);
    let Some(least) = least.reduce(f64::min) else {
        return statement.unmeasured("no run above that tolerance was done");
    };
    let holds: Vec<bool> = violations
        .iter()
        .map(|(_, violation)| *violation > ACCEPTABLE)
        .collect();
    let words = violations
        .iter()
        .map(|(tolerance, violation)| format!("{violation:.1e} at tolerance {tolerance:e}"));
    let words: Vec<String> = words.collect();
    statement
        .judge(Verdict::of_all(&holds), least, words.join("; "))
        .because(
            "the paper does not say what is large: by the bound of sec. 4.1 the violation is at some of these tolerances",
        )
}

/// Section 3.4 about the acceleration level.
fn accelerations(cells: &[Cell]) -> Vec<Claim> {
    let sentence = "The DOPRI5 method, which exactly solves the acceleration constraints, outperforms HEM5 and position-level or velocity-level \
                    generalized-α methods in maintaining the acceleration constraints.";
    let statement = |other: &str| {
        Statement::new(
            "Section 3.4",
            format!("DOPRI5 maintains the acceleration constraint better than {other}"),
            sentence,
            format!(
                "largest |G v' + \u{3b3}| of {other} over that of DOPRI5, at least 1 at every tolerance"
            ),
            NOTHING,
        )
    };
    let value = (|cell: &Cell| cell.violation_acceleration.max(f64::MIN_POSITIVE)) as Value;
    let hem5 = Statement {
        sensitive_to:
            "which v' is reported: that of the last stage of HEM5 would violate the constraint"
                .to_owned(),
        ..statement("HEM5")
    };
    let mut hem5 = ratio(cells, hem5, (HEM5, DOPRI5), value, 1.0);
    if hem5.number.is_some() {
        hem5.verdict = Verdict::Undecided;
    }
    vec![
        hem5.because(
            "both are at round-off: here v' of HEM5 is computed from the index-1 equations after each step, as that of DOPRI5 is, so that the \
             two cannot be told apart",
        ),
        ratio(
            cells,
            statement("generalized-\u{3b1} with position constraints"),
            (POSITIONS, DOPRI5),
            value,
            1.0,
        ),
        ratio(
            cells,
            statement("generalized-\u{3b1} with velocity constraints"),
            (VELOCITIES, DOPRI5),
            value,
            1.0,
        ),
    ]
}

/// Velocity constraints keep positions closer than acceleration constraints do, and accelerations closer than position constraints do.
fn best(cells: &[Cell]) -> Claim {
    let statement = Statement::new(
        "Section 3.4",
        "enforcing the velocity constraints controls the violations of positions and accelerations",
        "Nevertheless, and as discussed in the literature [?], enforcing the velocity constraints remains the best option since it enables also \
         to both control the violation of the position and the acceleration constraints.",
        "with velocity constraints (HEM5, generalized-\u{3b1}) |g| is smaller than with acceleration constraints (DOPRI5), and |G v' + \u{3b3}| \
         smaller than with position constraints (generalized-\u{3b1}): the smallest of these four ratios at any tolerance, more than 1",
        "which v' is reported for HEM5",
    )
    .bounded("more than 1");
    let position = (|cell: &Cell| cell.violation_position) as Value;
    let acceleration = (|cell: &Cell| cell.violation_acceleration) as Value;
    let cases = [
        ("|g|, DOPRI5 over HEM5", (DOPRI5, HEM5), position),
        (
            "|g|, DOPRI5 over generalized-\u{3b1}",
            (DOPRI5, VELOCITIES),
            position,
        ),
        (
            "|G v' + \u{3b3}|, positions over HEM5",
            (POSITIONS, HEM5),
            acceleration,
        ),
        (
            "|G v' + \u{3b3}|, positions over generalized-\u{3b1}",
            (POSITIONS, VELOCITIES),
            acceleration,
        ),
    ];
    let least = cases.map(|(name, pair, value)| {
        let found = ratios(cells, pair, value).into_iter();
        found
            .map(|(ratio, _)| ratio)
            .reduce(f64::min)
            .map(|least| (name, least))
    });
    let least: Option<Vec<_>> = least.into_iter().collect();
    let Some(least) = least else {
        return statement.unmeasured("no tolerance that these methods have done");
    };
    let number = least
        .iter()
        .map(|(_, least)| *least)
        .fold(f64::INFINITY, f64::min);
    let words = least
        .iter()
        .map(|(name, least)| format!("{name}: at least {}", short(*least)));
    let words: Vec<String> = words.collect();
    statement.judge(number > 1.0, number, words.join("\n"))
}
