//! Haug, Negrut, Iancu 1997, A state-space based implicit integration algorithm, doi:10.1080/08905459708905292:
//! section 4, Table 5 and Figs. 9 to 11.

mod claims;
mod experiments;
mod figures;
mod mechanisms;

use super::{DataFile, Repetition};
use crate::error::CommandError;
use crate::registry::Registry;
use experiments::{Comparison, Critical, Factor, Iteration, Motion, Search};
use liedae::integrator::NewmarkPredictor;
use liedae::solve::{Options, Solution, largest_step, solve};
use mechanisms::{MECHANISMS, Mechanism};
use serde::Serialize;

/// Newton's method with the exact matrix (IMPL in the paper).
const EXACT: &str = "state-space-newmark";
/// With the matrix of Fisette and Vaneghem (FV).
const QUASI: &str = "state-space-fv";
/// Explicit methods on the same differential equation (EXPL is the first).
const EXPLICIT: [&str; 2] = ["state-space-abm", "rk4"];

/// Iterations after which a step has failed. The paper does not state its own limit.
const LIMITS: [usize; 7] = [6, 8, 10, JUDGED, 15, 20, 25];
/// The limit for the claims; the report shows which of them hold with the others.
const JUDGED: usize = 12;
/// Tolerances of the residual, of which the paper does not state its own either.
const TOLERANCES: [f64; 4] = [1e-6, 1e-8, TOLERANCE, 1e-12];
/// The tolerance for the claims.
const TOLERANCE: f64 = 1e-10;
/// Errors in parts of the displacement that count as accurate.
const ACCURATE: f64 = 0.1;
/// Steps per decade that the search tries.
const PER_DECADE: u32 = 24;
/// Steps in s at which convergence factors are shown.
const STEPS: [f64; 9] = [
    1e-4, 5e-4, 1e-3, 1.8e-3, 5e-3, 8.6e-3, 8.9e-3, 0.015, 0.0649,
];
/// The paper's step for the seven bodies in s.
const SEVEN_BODY_STEP: f64 = 1.8e-3;

/// Pieces of work that are announced: per mechanism searches, the paper's first guess, iterations and factors; and errors with
/// three methods.
pub const PIECES: usize = MECHANISMS.len() * (LIMITS.len() + 3) + 1 + EXPLICIT.len();

/// Steps of one method on the seven bodies.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Effort {
    method: &'static str,
    step: f64,
    steps: usize,
    error: f64,
}

/// What the experiments gave.
#[derive(Default)]
struct Results {
    searches: Vec<Search>,
    /// With the paper's first guess.
    extrapolated: Vec<Search>,
    comparisons: Vec<Comparison>,
    factors: Vec<Factor>,
    critical: Vec<Critical>,
    /// The implicit method at the paper's step, then the explicit ones at the largest step with no larger error.
    efforts: Vec<Effort>,
}

impl Results {
    fn add(
        &mut self,
        mechanism: &Mechanism,
        progress: &mut dyn FnMut(&str),
    ) -> Result<(), CommandError> {
        let title = mechanism.title;
        for limit in LIMITS {
            progress(&format!("{title}, at most {limit} iterations"));
            self.searches
                .push(mechanism.search(Iteration::limited(limit))?);
        }
        progress(&format!("{title}, the paper's first guess"));
        let extrapolating = Iteration {
            predictor: NewmarkPredictor::Extrapolation,
            ..Iteration::limited(JUDGED)
        };
        self.extrapolated.push(mechanism.search(extrapolating)?);
        progress(&format!("{title}, iterations at the paper's step"));
        for tolerance in TOLERANCES {
            self.comparisons.push(mechanism.compare(tolerance)?);
        }
        progress(&format!("{title}, convergence factors"));
        let (factors, critical) = mechanism.convergence(&STEPS)?;
        self.factors.extend(factors);
        self.critical.extend(critical);
        Ok(())
    }
}

/// Runs the experiments and judges the claims.
pub fn repeat(quick: bool, progress: &mut dyn FnMut(&str)) -> Result<Repetition, CommandError> {
    let mut results = Results::default();
    let mechanisms = if quick {
        &MECHANISMS[..1]
    } else {
        &MECHANISMS[..]
    };
    for mechanism in mechanisms {
        results.add(mechanism, progress)?;
    }
    if !quick {
        results.efforts = efforts(progress)?;
    }
    let smallest_fails = results
        .searches
        .iter()
        .filter(|search| search.exact_step.is_none() || search.quasi_step.is_none());
    let failures = smallest_fails
        .map(|search| format!("{}: the smallest step fails", search.mechanism))
        .collect();
    let claims = claims::claims(&results);
    Ok(Repetition {
        paper: "haug1997",
        page: figures::page(&results, &claims, quick)?,
        files: vec![
            DataFile::of_records("table5_steps.csv", &results.searches)?,
            DataFile::of_records("table5_first_guess.csv", &results.extrapolated)?,
            DataFile::of_records("figures_9_to_11.csv", &results.comparisons)?,
            DataFile::of_records("convergence_factors.csv", &results.factors)?,
            DataFile::of_records("critical_steps.csv", &results.critical)?,
            DataFile::of_records("seven_bodies.csv", &results.efforts)?,
        ],
        claims,
        failures,
    })
}

/// Steps that methods need on the stiff seven bodies for the error that the implicit one makes with the paper's step.
fn efforts(progress: &mut dyn FnMut(&str)) -> Result<Vec<Effort>, CommandError> {
    let mechanism = &MECHANISMS[MECHANISMS.len() - 1];
    let t_end = mechanism.t_end;
    let mut case = mechanism.case()?;
    progress("seven bodies, implicit");
    let motion = Motion::of(&mut case)?;
    let implicit = Iteration::limited(JUDGED).choice(EXACT)?.build();
    let coarse = solve(
        case.system(),
        implicit.as_ref(),
        &Options::fixed(t_end, SEVEN_BODY_STEP),
    )?;
    let allowed = motion.absolute_error(&coarse);
    let mut efforts = vec![Effort {
        method: EXACT,
        step: SEVEN_BODY_STEP,
        steps: coarse.statistics.accepted,
        error: allowed,
    }];
    for method in EXPLICIT {
        progress(&format!("seven bodies, {method}"));
        let integrator = Registry::standard().choice(method)?.build();
        let mut usable = |solution: &Solution| motion.absolute_error(solution) <= allowed;
        let system = case.system();
        let found = largest_step(
            system,
            integrator.as_ref(),
            t_end,
            [5e-6, 1e-3],
            8,
            &mut usable,
        );
        if let Some(found) = found {
            efforts.push(Effort {
                method,
                step: found.step,
                steps: found.solution.statistics.accepted,
                error: motion.absolute_error(&found.solution),
            });
        }
    }
    Ok(efforts)
}
