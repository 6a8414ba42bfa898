//! Andrews' squeezer against the statistics of the original codes (rtol = atol).

use crate::common::ANDREWS_ANGLES;
use liedae::integrator::{Hem5, Integrator, MethodOptions, Projection};
use liedae::solve::{Options, Solution, solve};
use liedae::system::{output_names, output_values};
use liedae_problems::{Parameters, ProblemRegistry};

fn run(problem: &str, method: &dyn Integrator, tolerance: f64) -> (Solution, f64) {
    let entry = ProblemRegistry::standard()
        .find(problem)
        .expect("a registered problem");
    let mut problem = (entry.build)(&Parameters::defaults(&entry)).expect("built");
    let solution = solve(
        problem.system.as_mut(),
        method,
        &Options::adaptive(0.03, tolerance, tolerance),
    )
    .expect("solved");
    let error = ANDREWS_ANGLES
        .iter()
        .zip(&solution.state.q)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f64::max);
    (solution, error)
}

/// A run of an original code: its tolerance, accepted and rejected steps, and the largest error of its angles.
struct Published {
    tolerance: f64,
    accepted: usize,
    rejected: usize,
    error: f64,
}

const fn published(tolerance: f64, accepted: usize, rejected: usize, error: f64) -> Published {
    Published {
        tolerance,
        accepted,
        rejected,
        error,
    }
}

/// Runs a method at every tolerance of a table. Both counts must lie within a percentage of the published ones, or below
/// them at no larger error.
fn compare(
    name: &str,
    projection: impl Into<Option<Projection>>,
    percentage: usize,
    table: &[Published],
) {
    let projection = projection.into();
    for row in table {
        let options = MethodOptions {
            projection,
            ..MethodOptions::default()
        };
        let method = liedae_contact::methods()
            .build(name, &options)
            .expect("a registered method");
        let (solution, error) = run("andrews", method.as_ref(), row.tolerance);
        let statistics = solution.statistics;
        let (accepted, rejected) = (statistics.accepted, statistics.rejected.total());
        let tolerance = row.tolerance;
        println!(
            "{name} {projection:?} {tolerance:e}: {accepted}/{rejected}, published {}/{}, error {error:.2e}, published {:.2e}",
            row.accepted, row.rejected, row.error
        );
        for (found, published) in [(accepted, row.accepted), (rejected, row.rejected)] {
            // The percentage of a few rejected steps is less than one.
            let near = found.abs_diff(published) <= 1.max(published * percentage / 100);
            let better = found <= published && error <= row.error;
            assert!(
                near || better,
                "{name} {projection:?} {tolerance:e}: {accepted}/{rejected}, published {}/{}, error {error:e}",
                row.accepted,
                row.rejected
            );
        }
    }
}

#[test]
fn hem5_takes_the_steps_of_the_original_code() {
    let never = [
        published(1e-4, 69, 23, 1.91e-5),
        published(1e-6, 189, 45, 1.25e-7),
        published(1e-8, 491, 32, 6.10e-10),
    ];
    let projected = [
        published(1e-4, 69, 23, 3.64e-6),
        published(1e-6, 189, 45, 4.62e-8),
        published(1e-8, 491, 32, 1.24e-10),
    ];
    compare("hem5", Projection::Never, 20, &never);
    compare("hem5", Projection::EveryStep, 20, &projected);
}

#[test]
fn dopri5_takes_the_steps_of_the_original_code() {
    let table = [
        published(1e-4, 41, 10, 2.84e-3),
        published(1e-6, 102, 19, 1.73e-5),
        published(1e-8, 252, 9, 8.74e-8),
    ];
    compare("mdop5", Projection::Never, 15, &table);
    compare("dopri5", None, 15, &table);
}

#[test]
fn dop853_takes_the_steps_of_the_original_code() {
    let table = [
        published(1e-6, 39, 15, 1.04e-5),
        published(1e-8, 72, 28, 1.61e-8),
    ];
    compare("dop853", Projection::Never, 15, &table);
    compare("dop853", Projection::EveryStep, 15, &table);
}

#[test]
fn phem56_takes_the_steps_of_the_original_code() {
    let never = [
        published(1e-6, 78, 22, 3.18e-5),
        published(1e-8, 195, 14, 2.66e-7),
    ];
    compare("phem56", Projection::Never, 15, &never);
    compare("phem56", Projection::EveryStep, 15, &never);
}

#[test]
fn cartesian_coordinates_give_the_same_trajectory() {
    let entry = ProblemRegistry::standard()
        .find("andrews-cartesian")
        .expect("a registered problem");
    let mut problem = (entry.build)(&Parameters::defaults(&entry)).expect("built");
    let options = Options::adaptive(0.03, 1e-9, 1e-9);
    let solution = solve(
        problem.system.as_mut(),
        &Hem5::new(Projection::EveryStep),
        &options,
    )
    .expect("solved");
    let names = output_names(&mut problem.system).to_vec();
    let mut outputs = vec![0.0; names.len()];
    output_values(&mut problem.system, &solution.state, &mut outputs).expect("finite");
    let value = |name: &str| {
        let index = names.iter().position(|output| output == name);
        outputs[index.expect("an output of this name")]
    };
    for (name, expected) in ["beta", "theta", "gamma", "phi", "delta", "Omega", "epsilon"]
        .iter()
        .zip(ANDREWS_ANGLES)
    {
        let error = (value(name) - expected).abs();
        assert!(error < 1e-8, "{name}: {error:e}");
    }
}
