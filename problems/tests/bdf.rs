//! Backward differentiation formulas on Andrews' squeezing mechanism.

use liedae::integrator::{Bdf, NewtonOptions};
use liedae::solve::{Options, solve};
use liedae::system::Formulation;

const FORMULATIONS: [Formulation; 4] = [
    Formulation::Index1,
    Formulation::Index2,
    Formulation::StabilizedIndex2,
    Formulation::Index3,
];

/// Angles at t = 0.03 in quadruple precision.
const REFERENCE: [f64; 7] = [
    15.810771195153707,
    -15.756371058411839,
    0.040822240119645805,
    -0.53473011634207959,
    0.52440996587995407,
    0.53473011634207959,
    1.0480807410419379,
];

#[test]
fn andrews_at_every_index() {
    for tolerance in [1e-4, 1e-6, 1e-8] {
        for formulation in FORMULATIONS {
            let mut problem = liedae_problems::find("andrews")
                .expect("registered")
                .build_with(&[])
                .expect("built");
            let mut method = Bdf::new(Some(formulation), NewtonOptions::default());
            let options = Options::adaptive(0.03, tolerance, tolerance);
            let mut options = options;
            options.max_steps = 20000;
            match solve(problem.system.as_mut(), &mut method, &options) {
                Ok(solution) => {
                    let error = solution
                        .state
                        .q
                        .iter()
                        .zip(REFERENCE)
                        .map(|(q, r)| (q - r).abs())
                        .fold(0.0, f64::max);
                    println!(
                        "{tolerance:e} {formulation}: error {error:.2e} steps {} rejected {:?} {:?} {:?}",
                        solution.statistics.accepted,
                        solution.statistics.rejected,
                        solution.statistics.work,
                        solution.statistics.evaluations
                    );
                }
                Err(error) => println!(
                    "{tolerance:e} {formulation}: {error} {:?}",
                    error.statistics
                ),
            }
        }
    }
}
