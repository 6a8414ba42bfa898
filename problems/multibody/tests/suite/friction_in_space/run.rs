//! Runs of event-driven methods.

use liedae::integrator::MethodOptions;
use liedae::solve::{Options, Solution, SolveError, solve};
use liedae_contact::{NonsmoothOptions, NonsmoothSystem};
use liedae_multibody::MultibodyBuilder;

/// Tolerance of a run, and how far from the truth it may end.
pub const TOLERANCE: f64 = 1e-10;
pub const CLOSE: f64 = 1e-8;

pub const GRAVITY: f64 = 9.81;

/// Runs a mechanism up to a time.
pub fn attempt(
    mechanism: MultibodyBuilder,
    method: &str,
    t_end: f64,
) -> Result<Solution, SolveError> {
    let inner = mechanism.build().expect("fits");
    let mut system = NonsmoothSystem::new(inner, NonsmoothOptions::default()).expect("admissible");
    let integrator = liedae_contact::methods()
        .build(method, &MethodOptions::default())
        .expect("registered");
    let options = Options::adaptive(t_end, TOLERANCE, TOLERANCE);
    solve(&mut system, integrator.as_ref(), &options)
}

pub fn run(mechanism: MultibodyBuilder, method: &str, t_end: f64) -> Solution {
    attempt(mechanism, method, t_end).unwrap_or_else(|error| panic!("{method}: {error}"))
}

/// The moment of the only event of a kind.
pub fn moment(solution: &Solution, kind: &str) -> f64 {
    let moments = solution.events.iter().filter(|event| event.kind == kind);
    let moments: Vec<f64> = moments.map(|event| event.t).collect();
    let [moment] = moments[..] else {
        panic!("{kind}: {:?}", solution.events);
    };
    moment
}

/// The largest difference; NaN counts.
pub fn distance(found: &[f64], expected: &[f64]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let differences = found.iter().zip(expected).map(|(a, b)| (a - b).abs());
    let largest = |most: f64, next: f64| if next <= most { most } else { next };
    differences.fold(0.0, largest)
}
