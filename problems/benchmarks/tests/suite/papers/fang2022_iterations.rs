//! Newton iterations per step against the authors' (Fang et al. 2022, Figs. 4b, 5b, 6b), at their tolerances.

use liedae::integrator::{MethodOptions, NewtonOptions};
use liedae::solve::{Options, solve};
use liedae_problems::{Parameters, ProblemRegistry};

/// Step, tolerance and iterations of the half-implicit method, tolerance and iterations of the fully implicit one.
type Cell = (f64, f64, f64, f64, f64);

const PUBLISHED: [(&str, [Cell; 3]); 3] = [
    (
        "slider-crank",
        [
            (1e-4, 1e-9, 2.00, 1e-3, 2.93),
            (1e-3, 1e-10, 3.13, 1e-7, 4.86),
            (1e-2, 1e-10, 5.59, 1e-7, 7.27),
        ],
    ),
    (
        "four-link",
        [
            (1e-4, 1e-7, 2.00, 1e-2, 3.00),
            (1e-3, 1e-9, 3.60, 1e-5, 4.65),
            (1e-2, 1e-10, 6.86, 1e-7, 8.14),
        ],
    ),
    (
        "double-pendulum",
        [
            (1e-4, 1e-7, 1.00, 1e-5, 2.82),
            (1e-3, 1e-7, 2.05, 1e-6, 4.02),
            (1e-2, 1e-7, 3.68, 1e-7, 6.48),
        ],
    ),
];

fn iterations_per_step(problem: &str, method: &str, step: f64, tolerance: f64) -> f64 {
    let entry = ProblemRegistry::standard()
        .find(problem)
        .expect("a registered problem");
    let mut parameters = Parameters::defaults(&entry);
    if problem == "four-link" {
        // The authors' model file, not the densities of the text.
        parameters.set("masses", 1.0).expect("a parameter");
    }
    let mut problem = (entry.build)(&parameters).expect("built");
    let newton = NewtonOptions {
        tolerance: Some(tolerance),
        ..NewtonOptions::default()
    };
    let options = MethodOptions {
        newton: Some(newton),
        ..MethodOptions::default()
    };
    let integrator = liedae_contact::methods()
        .build(method, &options)
        .expect("a registered method");
    let solution = solve(
        problem.system.as_mut(),
        integrator.as_ref(),
        &Options::fixed(8.0, step),
    )
    .expect("solved");
    let statistics = solution.statistics;
    statistics.work.newton_iterations as f64 / statistics.accepted as f64
}

#[test]
fn iterations_are_no_more_than_the_authors() {
    for (problem, cells) in PUBLISHED {
        for (step, half_tolerance, half_published, full_tolerance, full_published) in cells {
            let half = iterations_per_step(problem, "half-implicit", step, half_tolerance);
            let full = iterations_per_step(problem, "backward-euler", step, full_tolerance);
            println!(
                "{problem} h = {step:e}: half-implicit {half:.2} ({half_published}), fully implicit {full:.2} ({full_published})"
            );
            assert!(half <= half_published, "{problem} h = {step:e}: {half}");
            assert!(full <= full_published, "{problem} h = {step:e}: {full}");
            assert!(half < full, "{problem} h = {step:e}: {half} and {full}");
        }
    }
}
