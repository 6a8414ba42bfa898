//! Andrews' squeezer against the statistics of the original codes (rtol = atol).

use liedae::integrator::{Hem5, Integrator, Mdop5, Projection};
use liedae::solve::{Options, Solution, solve};
use liedae_problems::{Parameters, find};

/// End of the reference trajectory in quadruple precision.
const ANGLES: [f64; 7] = [
    15.810771195153707,
    -15.756371058411839,
    0.040822240119645805,
    -0.53473011634207959,
    0.52440996587995407,
    0.53473011634207959,
    1.0480807410419379,
];

fn run(problem: &str, method: &mut dyn Integrator, tolerance: f64) -> (Solution, f64) {
    let entry = find(problem).expect("a registered problem");
    let mut problem = (entry.build)(&Parameters::defaults(entry)).expect("built");
    let solution = solve(
        problem.system.as_mut(),
        method,
        &Options::adaptive(0.03, tolerance, tolerance),
    )
    .expect("solved");
    let error = ANGLES
        .iter()
        .zip(&solution.state.q)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f64::max);
    (solution, error)
}

fn within(found: usize, published: usize, fraction: f64) -> bool {
    (found as f64 - published as f64).abs() <= fraction * published as f64
}

#[test]
fn steps_are_those_of_the_original_codes() {
    // (tolerance, accepted, rejected) of the Fortran codes.
    let hem5 = [(1e-4, 69, 23), (1e-6, 189, 45), (1e-8, 491, 32)];
    let dopri5 = [(1e-4, 41, 10), (1e-6, 102, 19), (1e-8, 252, 9)];
    for projection in [Projection::EveryStep, Projection::Never] {
        for (tolerance, accepted, rejected) in hem5 {
            let (solution, error) = run("andrews", &mut Hem5::new(projection), tolerance);
            let statistics = solution.statistics;
            println!(
                "hem5 {projection:?} {tolerance:e}: {}/{} ({accepted}/{rejected}) error {error:.2e} {:?}",
                statistics.accepted,
                statistics.rejected.total(),
                statistics.evaluations
            );
        }
        for (tolerance, accepted, rejected) in dopri5 {
            let (solution, error) = run("andrews", &mut Mdop5::new(projection), tolerance);
            let statistics = solution.statistics;
            println!(
                "mdop5 {projection:?} {tolerance:e}: {}/{} ({accepted}/{rejected}) error {error:.2e} {:?}",
                statistics.accepted,
                statistics.rejected.total(),
                statistics.evaluations
            );
        }
    }
    let (solution, error) = run("andrews", &mut Hem5::new(Projection::EveryStep), 1e-6);
    assert!(
        within(solution.statistics.accepted, 189, 0.1)
            && within(solution.statistics.rejected.total(), 45, 0.1)
    );
    assert!(error <= 2e-7, "{error:e}");
}
