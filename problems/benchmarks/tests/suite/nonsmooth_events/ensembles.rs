//! Ensembles of systems with impacts: the same to the last bit on any number of threads.

use liedae::integrator::MethodOptions;
use liedae::solve::{Ensemble, Options, solve};
use liedae_contact::methods;
use liedae_problems::{Problem, ProblemError, ProblemRegistry};
use std::num::NonZeroUsize;

fn problem(name: &str, restitution: f64) -> Result<Problem, ProblemError> {
    let entry = ProblemRegistry::standard().lookup(name)?;
    entry.build_with(&[&format!("e={restitution}")])
}

#[test]
fn impacts_do_not_depend_on_the_number_of_threads() {
    let cases = [
        ("bouncing-ball", "mdop5", Options::adaptive(3.0, 1e-6, 1e-6)),
        (
            "ball-two-contacts",
            "hem5",
            Options::adaptive(2.0, 1e-6, 1e-6),
        ),
        ("pendulum-wall", "hem5", Options::adaptive(2.0, 1e-6, 1e-6)),
        ("bouncing-ball", "moreau-jean", Options::fixed(1.0, 1e-3)),
    ];
    let restitutions = [0.9, 0.5, 0.7, 0.3, 0.8, 0.6];
    for (name, method, options) in cases {
        let method = methods().build(method, &MethodOptions::default()).unwrap();
        let alone = restitutions.map(|e| {
            let mut problem = problem(name, e).unwrap();
            let solution = solve(problem.system.as_mut(), method.as_ref(), &options);
            format!("{:?}", solution.unwrap())
        });
        for threads in [1, 2, 3, 7] {
            let ensemble = Ensemble::default().on_threads(NonZeroUsize::new(threads).unwrap());
            let make = |e| problem(name, e).map(|problem| problem.system);
            let solutions = ensemble.solve(restitutions, make, method.as_ref(), &options);
            let together = solutions
                .into_iter()
                .map(|run| format!("{:?}", run.unwrap()));
            assert_eq!(
                together.collect::<Vec<_>>(),
                alone,
                "{name} on {threads} threads"
            );
        }
    }
}
