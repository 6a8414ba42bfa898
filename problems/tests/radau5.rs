//! RADAU5 on Andrews' squeezer against the statistics of the original code (rtol = atol).

use liedae::integrator::{Integrator, NewtonOptions, Radau5};
use liedae::solve::{Options, Solution, solve};
use liedae::system::Formulation;
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

fn run(formulation: Formulation, tolerance: f64) -> (Solution, f64) {
    let entry = find("andrews").expect("a registered problem");
    let mut problem = (entry.build)(&Parameters::defaults(entry)).expect("built");
    let mut method = Radau5::new(NewtonOptions::default(), Some(formulation));
    let solution = solve(
        problem.system.as_mut(),
        &mut method as &mut dyn Integrator,
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

#[test]
fn andrews_table() {
    for (formulation, published) in [
        (
            Formulation::Index1,
            [
                (114, 9, 9.6e-6),
                (227, 15, 2.1e-7),
                (476, 11, 3.0e-9),
                (1024, 14, 4.7e-11),
            ],
        ),
        (
            Formulation::Index2,
            [
                (68, 7, 3.1e-5),
                (124, 7, 2.8e-5),
                (250, 3, 1.9e-7),
                (529, 2, 6.6e-9),
            ],
        ),
        (
            Formulation::Index3,
            [
                (59, 2, 1.2e-1),
                (72, 3, 2.1e-4),
                (123, 1, 1.5e-5),
                (246, 3, 2.6e-6),
            ],
        ),
        (
            Formulation::StabilizedIndex2,
            [
                (88, 0, 1.2e-4),
                (224, 4, 2.6e-5),
                (491, 2, 1.3e-7),
                (1053, 0, 3.1e-9),
            ],
        ),
    ] {
        for (tolerance, (accepted, rejected, error)) in
            [1e-4, 1e-6, 1e-8, 1e-10].into_iter().zip(published)
        {
            let clock = std::time::Instant::now();
            let (solution, found) = run(formulation, tolerance);
            let s = solution.statistics;
            println!(
                "{:.2} ms {formulation} {tolerance:e}: {}/{} {:?} newton {} lu {} error {found:.2e}; published {accepted}/{rejected} {error:e}",
                clock.elapsed().as_secs_f64() * 1e3,
                s.accepted,
                s.rejected.total(),
                s.rejected,
                s.work.newton_iterations,
                s.work.factorizations
            );
        }
    }
}
