//! The mechanisms in rotation matrices, Euler parameters and Euler angles: the same motion.

mod common;

use common::{build, compare, complete};
use liedae::integrator::{Hem5, Projection};
use liedae::solve::{Options, solve};

#[test]
fn references_hold_in_all_coordinates() {
    for (name, settings, until) in [
        ("double-pendulum", &[][..], 8.0),
        ("slider-crank", &[], 1.0),
        ("slider-crank", &["mu=0.2"], 1.03),
        ("four-link", &[], 2.0),
        ("chain", &["n=1"], 1.0),
        ("chain", &["n=2"], 1.0),
        ("chain", &["n=8"], 1.0),
    ] {
        for rotation in ["rotation=0", "rotation=1", "rotation=2"] {
            let settings: Vec<_> = settings.iter().copied().chain([rotation]).collect();
            let mut problem = build(name, &settings);
            let options = Options::adaptive(until, 1e-10, 1e-10);
            let mut method = Hem5::new(Projection::EveryStep);
            match solve(problem.system.as_mut(), &mut method, &options) {
                Ok(solution) => {
                    let mut state = solution.state.clone();
                    complete(problem.system.as_mut(), &mut state);
                    let (error, columns) = compare(&mut problem, &state, |_| 1.0);
                    println!(
                        "{name} {settings:?}: {columns} columns within {error:e}, {} steps",
                        solution.statistics.accepted
                    );
                }
                Err(error) => println!("{name} {settings:?}: {error}"),
            }
        }
    }
}
