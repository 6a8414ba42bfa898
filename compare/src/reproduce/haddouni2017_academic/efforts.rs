//! The conclusions of section 3.4 about Fig. 5: effort in counts, at equal errors.

use super::Cell;
use super::claims::{DATA, DOPRI5, HEM5, POSITIONS, VELOCITIES, of};
use crate::reproduce::claim::short;
use crate::reproduce::{Claim, Statement, Verdict};

/// "Much less" and "drastically", as a factor: the paper has none.
const MUCH: f64 = 2.0;

/// A count of a run.
type Count = fn(&Cell) -> usize;

const FORCE: Count = |cell| cell.force_evaluations;
const FACTORIZATIONS: Count = |cell| cell.factorizations;

/// All claims about effort.
pub(super) fn efforts(cells: &[Cell]) -> Vec<Claim> {
    let effort = "From the computational effort point of view, HEM5 is less time-consuming than DOPRI5, and much less time-consuming than \
                  the generalized-α scheme with the position constraints and also cheaper than generalized-α with the velocity constraints.";
    let much = format!("{DATA}; and what \"much\" means, here {MUCH} times");
    vec![
        against(
            cells,
            (DOPRI5, "DOPRI5"),
            Bound::More,
            ("HEM5 reaches an error with less work than DOPRI5", effort, DATA),
        )
        .because(
            "a step of HEM5 evaluates eight stages, one of DOPRI5 six; with one constraint and nothing projected, drift costs DOPRI5 nothing",
        ),
        against(
            cells,
            (POSITIONS, "generalized-\u{3b1} with position constraints"),
            Bound::Much,
            (
                "HEM5 reaches an error with much less work than generalized-\u{3b1} with position constraints",
                effort,
                &much,
            ),
        ),
        against(
            cells,
            (VELOCITIES, "generalized-\u{3b1} with velocity constraints"),
            Bound::More,
            (
                "HEM5 reaches an error with less work than generalized-\u{3b1} with velocity constraints",
                effort,
                DATA,
            ),
        ),
        forms(
            cells,
            Bound::More,
            (
                "generalized-\u{3b1} needs less work with velocity constraints than with position constraints",
                "we can notice in Fig.5 that the numerical effort is smaller than for the position-level generalized-α scheme.",
                DATA,
            ),
        ),
        forms(
            cells,
            Bound::Much,
            (
                "with velocity constraints the work of generalized-\u{3b1} is drastically reduced, against position constraints",
                "However, it is important to stress that when using the generalized-α method with velocity constraints instead of the position \
                 constraints, the numerical effort is drastically reduced.",
                &format!("{DATA}; and what \"drastically\" means, here {MUCH} times"),
            ),
        )
        .because(
            "force evaluations and factorizations say different things: the position form factorizes twice in most steps, the second time for \
             the starting velocity whenever the step size changes",
        ),
    ]
}

/// What a ratio has to be.
#[derive(Clone, Copy)]
enum Bound {
    More,
    Much,
}

impl Bound {
    fn words(self) -> String {
        match self {
            Self::More => "more than 1".to_owned(),
            Self::Much => format!("at least {MUCH}"),
        }
    }

    fn allows(self, ratio: f64) -> bool {
        match self {
            Self::More => ratio > 1.0,
            Self::Much => ratio >= MUCH,
        }
    }
}

/// The logarithms of error and count, by rising error.
fn curve(cells: &[Cell], method: &'static str, count: Count) -> Vec<(f64, f64)> {
    let runs = of(cells, method).filter(|cell| cell.error > 0.0);
    let mut points: Vec<(f64, f64)> = runs
        .map(|cell| (cell.error.ln(), (count(cell) as f64).ln()))
        .collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points
}

/// Counts of one method over those of another at the errors of the runs of the other, interpolated between the runs of the first; as far
/// as these reach.
fn ratios(cells: &[Cell], (over, under): (&'static str, &'static str), count: Count) -> Vec<f64> {
    let over = curve(cells, over, count);
    let at = |error: f64| {
        over.windows(2).find_map(|pair| {
            let [(x0, y0), (x1, y1)] = [pair[0], pair[1]];
            let inside = (x0..=x1).contains(&error) && x1 > x0;
            inside.then(|| y0 + (y1 - y0) * (error - x0) / (x1 - x0))
        })
    };
    let points = curve(cells, under, count).into_iter();
    points
        .filter_map(|(error, work)| Some((at(error)? - work).exp()))
        .collect()
}

/// The smallest and the largest; none without any.
fn range(values: &[f64]) -> Option<[f64; 2]> {
    let pick = |better: fn(f64, f64) -> f64| values.iter().copied().reduce(better);
    Some([pick(f64::min)?, pick(f64::max)?])
}

/// A claim, the paper's sentence, and what the verdict is sensitive to.
type Texts<'t> = (&'t str, &'static str, &'t str);

/// Force evaluations of a method over those of HEM5.
fn against(
    cells: &[Cell],
    (method, name): (&'static str, &str),
    bound: Bound,
    (claim, sentence, sensitive): Texts<'_>,
) -> Claim {
    let statement = Statement::new(
        "5",
        claim,
        sentence,
        format!(
            "force evaluations of {name} over those of HEM5 at the errors of the runs of HEM5, {} at all of them",
            bound.words()
        ),
        sensitive,
    )
    .bounded(bound.words());
    let found = ratios(cells, (method, HEM5), FORCE);
    let Some([least, most]) = range(&found) else {
        return statement.unmeasured("the errors of the two methods do not overlap");
    };
    let measured = format!(
        "{name} needs {} to {} times HEM5's force evaluations at the same error ({} of {} runs of HEM5 are within its range of errors)",
        short(least),
        short(most),
        found.len(),
        of(cells, HEM5).count()
    );
    statement.judge(bound.allows(least), least, measured)
}

/// Generalized-α with position constraints against velocity constraints: force evaluations, of which each Newton iteration makes one, and
/// factorizations.
fn forms(cells: &[Cell], bound: Bound, (claim, sentence, sensitive): Texts<'_>) -> Claim {
    let statement = Statement::new(
        "5",
        claim,
        sentence,
        format!(
            "force evaluations and factorizations with position constraints over those with velocity constraints at the errors of the runs of \
             the latter, {} at all of them by both counts",
            bound.words()
        ),
        sensitive,
    )
    .bounded(bound.words());
    let both = [FORCE, FACTORIZATIONS].map(|count| {
        let found = ratios(cells, (POSITIONS, VELOCITIES), count);
        range(&found).map(|[least, most]| (least, most, found.len()))
    });
    let [Some(force), Some(factorizations)] = both else {
        return statement.unmeasured("the errors of the two forms do not overlap");
    };
    let holds = [force, factorizations].map(|(least, ..)| bound.allows(least));
    let measured = format!(
        "position constraints need {} to {} times the force evaluations and {} to {} times the factorizations at the same error ({} of {} runs \
         with velocity constraints are within their range of errors)",
        short(force.0),
        short(force.1),
        short(factorizations.0),
        short(factorizations.1),
        force.2,
        of(cells, VELOCITIES).count()
    );
    statement.judge(
        Verdict::of_all(&holds),
        force.0.min(factorizations.0),
        measured,
    )
}
