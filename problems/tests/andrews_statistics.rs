//! Andrews' squeezer against the statistics of the original codes (rtol = atol).

use liedae::integrator::{Hem5, Integrator, Mdop5, Projection};
use liedae::solve::{Options, Solution, solve};
use liedae_problems::{Parameters, find};

/// End of the reference trajectory in quadruple precision.
#[allow(clippy::excessive_precision)] // as published
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
    for (tolerance, accepted, rejected) in hem5 {
        for projection in [Projection::EveryStep, Projection::Never] {
            let (solution, error) = run("andrews", &mut Hem5::new(projection), tolerance);
            compare(
                "hem5",
                projection,
                tolerance,
                &solution,
                error,
                (accepted, rejected),
            );
        }
    }
    for (tolerance, accepted, rejected) in dopri5 {
        let (solution, error) = run("andrews", &mut Mdop5::new(Projection::Never), tolerance);
        compare(
            "mdop5",
            Projection::Never,
            tolerance,
            &solution,
            error,
            (accepted, rejected),
        );
    }
    for projection in [Projection::EveryStep, Projection::Never] {
        let (_, error) = run("andrews", &mut Hem5::new(projection), 1e-6);
        assert!(error <= 2e-7, "{projection:?}: {error:e}");
    }
}

fn compare(
    method: &str,
    projection: Projection,
    tolerance: f64,
    solution: &Solution,
    error: f64,
    (accepted, rejected): (usize, usize),
) {
    let found = (
        solution.statistics.accepted,
        solution.statistics.rejected.total(),
    );
    println!(
        "{method} {projection:?} {tolerance:e}: {found:?}, published ({accepted}, {rejected}), error {error:.2e}"
    );
    assert!(
        within(found.0, accepted, 0.1),
        "{method} {tolerance:e}: {found:?}"
    );
    // A tenth of a few rejected steps is less than one.
    let few = found.1.abs_diff(rejected) <= 1;
    let slack = if tolerance == 1e-6 { 0.1 } else { 0.2 };
    assert!(
        few || within(found.1, rejected, slack),
        "{method} {tolerance:e}: {found:?}"
    );
}

#[test]
fn cartesian_coordinates_give_the_same_trajectory() {
    let entry = find("andrews-cartesian").expect("a registered problem");
    let mut problem = (entry.build)(&Parameters::defaults(entry)).expect("built");
    let options = Options::adaptive(0.03, 1e-9, 1e-9);
    let solution = solve(
        problem.system.as_mut(),
        &mut Hem5::new(Projection::EveryStep),
        &options,
    )
    .expect("solved");
    let mut outputs = vec![0.0; problem.system.output_names().len()];
    problem
        .system
        .outputs(&solution.state, &mut outputs)
        .expect("finite");
    let value = |name: &str| {
        let index = problem
            .system
            .output_names()
            .iter()
            .position(|output| output == name);
        outputs[index.expect("an output of this name")]
    };
    for (name, expected) in ["beta", "theta", "gamma", "phi", "delta", "Omega", "epsilon"]
        .iter()
        .zip(ANGLES)
    {
        let error = (value(name) - expected).abs();
        assert!(error < 1e-8, "{name}: {error:e}");
    }
}
