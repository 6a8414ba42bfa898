//! Haug, Negrut, Iancu 1997, A state-space based implicit integration algorithm, doi:10.1080/08905459708905292:
//! section 4, Table 5 and Figs. 9 to 11.

mod claims;
mod figures;

use super::{DataFile, Repetition};
use crate::error::CommandError;
use crate::experiment::{Case, Choice};
use liedae::integrator::NewtonOptions;
use liedae::solve::{Options, Solution, iterations_per_step, largest_step, solve};
use serde::Serialize;

/// Newton's method with the exact matrix (IMPL in the paper).
const EXACT: &str = "state-space-newmark";
/// With the matrix of Fisette and Vaneghem (FV).
const QUASI: &str = "state-space-fv";
/// Explicit methods on the same differential equation (EXPL is the first).
const EXPLICIT: [&str; 2] = ["state-space-abm", "rk4"];

/// Iterations after which a step has failed. The paper does not state its own limit.
const LIMITS: [usize; 2] = [10, 25];
/// Steps per decade that the search tries.
const PER_DECADE: u32 = 24;
/// The paper's step for the seven bodies in s.
const SEVEN_BODY_STEP: f64 = 1.8e-3;

/// A mechanism with the authors' largest steps.
struct Mechanism {
    problem: &'static str,
    settings: &'static [&'static str],
    title: &'static str,
    t_end: f64,
    /// Table 5: IMPL and FV, in s.
    published: [f64; 2],
    /// Smallest and largest step tried in s.
    range: [f64; 2],
}

const MECHANISMS: [Mechanism; 5] = [
    Mechanism {
        problem: "stiff-double-pendulum",
        settings: &[],
        title: "double pendulum, full lengths",
        t_end: 0.1,
        published: [0.015, 0.0089],
        range: [2e-4, 0.1],
    },
    Mechanism {
        problem: "stiff-double-pendulum",
        settings: &["half=1"],
        title: "double pendulum, half lengths",
        t_end: 0.1,
        published: [0.015, 0.0089],
        range: [2e-4, 0.1],
    },
    Mechanism {
        problem: "tsda-slider-crank",
        settings: &[],
        title: "slider-crank, mild",
        t_end: 0.1,
        published: [0.0649, 0.0086],
        range: [1e-3, 0.1],
    },
    Mechanism {
        problem: "tsda-slider-crank",
        settings: &["stiffness=1"],
        title: "slider-crank, stiff",
        t_end: 0.1,
        published: [0.0649, 0.0086],
        range: [1e-3, 0.1],
    },
    Mechanism {
        problem: "andrews-cartesian-stiff",
        settings: &[],
        title: "seven bodies",
        t_end: 0.035,
        published: [0.0018, 0.0001],
        range: [2e-4, 0.0175],
    },
];

/// Pieces of work that are announced: searches, and errors with three methods.
pub const PIECES: usize = MECHANISMS.len() * LIMITS.len() + 1 + EXPLICIT.len();

/// Largest steps and iterations of one mechanism under one limit of iterations.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Search {
    mechanism: &'static str,
    limit: usize,
    /// Largest steps in s.
    exact_step: f64,
    quasi_step: f64,
    /// Iterations per step, both at the quasi-Newton method's largest step.
    exact_iterations: f64,
    quasi_iterations: f64,
    /// The paper's largest steps in s.
    published_exact: f64,
    published_quasi: f64,
}

/// Steps of one method on the seven bodies.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Effort {
    method: &'static str,
    step: f64,
    steps: usize,
    error: f64,
}

/// What the experiments gave.
struct Results {
    searches: Vec<Search>,
    /// The implicit method at the paper's step, then the explicit ones at the largest step with no larger error.
    efforts: Vec<Effort>,
}

/// Runs the experiments and judges the claims.
pub fn repeat(quick: bool, progress: &mut dyn FnMut(&str)) -> Result<Repetition, CommandError> {
    let mut failures = Vec::new();
    let mut searches = Vec::new();
    let mechanisms = if quick {
        &MECHANISMS[..1]
    } else {
        &MECHANISMS[..]
    };
    for mechanism in mechanisms {
        for limit in LIMITS {
            progress(&format!("{}, at most {limit} iterations", mechanism.title));
            match search(mechanism, limit)? {
                Some(search) => searches.push(search),
                None => failures.push(format!("{}: the smallest step fails", mechanism.title)),
            }
        }
    }
    let efforts = if quick {
        Vec::new()
    } else {
        efforts(progress)?
    };
    let results = Results { searches, efforts };
    let claims = claims::claims(&results);
    Ok(Repetition {
        paper: "haug1997",
        page: figures::page(&results, &claims, quick)?,
        files: vec![
            DataFile::of_records("table5_steps.csv", &results.searches)?,
            DataFile::of_records("seven_bodies.csv", &results.efforts)?,
        ],
        claims,
        failures,
    })
}

/// A method whose steps fail after so many iterations.
fn choice(name: &str, limit: usize) -> Result<Choice, CommandError> {
    let mut choice = Choice::new(name, None, None)?;
    choice.options.newton = Some(NewtonOptions {
        max_iterations: limit,
        ..NewtonOptions::default()
    });
    Ok(choice)
}

fn search(mechanism: &Mechanism, limit: usize) -> Result<Option<Search>, CommandError> {
    let mut case = Case::new(mechanism.problem, mechanism.settings, Some(mechanism.t_end))?;
    let [exact, quasi] = [choice(EXACT, limit)?, choice(QUASI, limit)?];
    let mut largest = |choice: &Choice| {
        let mut integrator = choice.build();
        largest_step(
            case.system(),
            integrator.as_mut(),
            mechanism.t_end,
            mechanism.range,
            PER_DECADE,
            &mut |_| true,
        )
    };
    let (Some(found_exact), Some(found_quasi)) = (largest(&exact), largest(&quasi)) else {
        return Ok(None);
    };
    let options = Options::fixed(mechanism.t_end, found_quasi.step);
    let same = solve(case.system(), exact.build().as_mut(), &options)?;
    Ok(Some(Search {
        mechanism: mechanism.title,
        limit,
        exact_step: found_exact.step,
        quasi_step: found_quasi.step,
        exact_iterations: iterations_per_step(&same),
        quasi_iterations: found_quasi.iterations_per_step(),
        published_exact: mechanism.published[0],
        published_quasi: mechanism.published[1],
    }))
}

/// Steps that methods need on the stiff seven bodies for the error that the implicit one makes with the paper's step.
fn efforts(progress: &mut dyn FnMut(&str)) -> Result<Vec<Effort>, CommandError> {
    let mechanism = &MECHANISMS[MECHANISMS.len() - 1];
    let t_end = mechanism.t_end;
    let mut case = Case::new(mechanism.problem, mechanism.settings, Some(t_end))?;
    progress("seven bodies, implicit");
    let mut fine = Choice::new("sdirk4", None, None)?.build();
    let truth = solve(
        case.system(),
        fine.as_mut(),
        &Options::adaptive(t_end, 1e-8, 1e-8),
    )?;
    let error = |solution: &Solution| {
        let pairs = solution.state.q.iter().zip(&truth.state.q);
        pairs.fold(0.0_f64, |largest, (a, b)| {
            let off = (a - b).abs();
            if off > largest || off.is_nan() {
                off
            } else {
                largest
            }
        })
    };
    let mut implicit = choice(EXACT, LIMITS[0])?.build();
    let coarse = solve(
        case.system(),
        implicit.as_mut(),
        &Options::fixed(t_end, SEVEN_BODY_STEP),
    )?;
    let allowed = error(&coarse);
    let mut efforts = vec![Effort {
        method: EXACT,
        step: SEVEN_BODY_STEP,
        steps: coarse.statistics.accepted,
        error: allowed,
    }];
    for method in EXPLICIT {
        progress(&format!("seven bodies, {method}"));
        let mut integrator = Choice::new(method, None, None)?.build();
        let mut usable = |solution: &Solution| error(solution) <= allowed;
        let system = case.system();
        let found = largest_step(
            system,
            integrator.as_mut(),
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
                error: error(&found.solution),
            });
        }
    }
    Ok(efforts)
}
