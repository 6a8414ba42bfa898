//! One mechanism in rotation matrices (r-A), Euler parameters (r-p) and Euler angles (r-epsilon): time per step, work
//! per step and error against the reference.
//!
//! `cargo run --release -p liedae-problems --example rotation_parametrizations`

use liedae::integrator::MethodOptions;
use liedae::solve::{Options, Solution, solve};
use liedae::system::{output_names, output_values};
use liedae_problems::{Parameters, Problem, ProblemRegistry};
use std::error::Error;
use std::time::Instant;

/// Best of so many runs.
const REPETITIONS: usize = 3;

/// Largest difference of the outputs from the reference, relative to 1 + |reference|, where there is one.
fn error(problem: &mut Problem, solution: &Solution) -> Result<Option<f64>, Box<dyn Error>> {
    let Some(reference) = &problem.reference else {
        return Ok(None);
    };
    let names = output_names(&mut problem.system).to_vec();
    let mut values = vec![0.0; names.len()];
    output_values(&mut problem.system, &solution.state, &mut values)?;
    let errors = names.iter().zip(values).filter_map(|(name, value)| {
        let expected = reference.value(name, solution.state.t)?;
        Some((value - expected).abs() / (1.0 + expected.abs()))
    });
    Ok(Some(errors.fold(0.0, f64::max)))
}

fn main() -> Result<(), Box<dyn Error>> {
    println!(
        "{:16} {:20} {:10} {:>4} {:>10} {:>7} {:>11} {:>15} {:>10}",
        "mechanism",
        "method",
        "rotation",
        "n+m",
        "us/step",
        "ratio",
        "newton/step",
        "factorizations",
        "error"
    );
    for (name, links, t_end, h) in [
        ("double-pendulum", None, 1.0, 1e-3),
        ("slider-crank", None, 1.0, 1e-3),
        ("four-link", None, 2.0, 1e-3),
        ("chain", Some(8.0), 1.0, 1e-3),
        ("chain", Some(128.0), 0.2, 1e-3),
    ] {
        let entry = ProblemRegistry::standard()
            .find(name)
            .ok_or("an unknown mechanism")?;
        for method in [
            "half-implicit",
            "half-implicit-newton",
            "backward-euler",
            "hem5",
        ] {
            let mut base = None;
            for (rotation, label) in ["r-A", "r-p", "r-epsilon"].into_iter().enumerate() {
                let mut parameters = Parameters::defaults(&entry);
                parameters.set("rotation", rotation as f64)?;
                if let Some(links) = links {
                    parameters.set("n", links)?;
                }
                let mut problem = (entry.build)(&parameters)?;
                let integrator =
                    liedae_contact::methods().build(method, &MethodOptions::default())?;
                let mut best: Option<(f64, Solution)> = None;
                for _ in 0..REPETITIONS {
                    let start = Instant::now();
                    let options = Options::fixed(t_end, h);
                    let solution = solve(problem.system.as_mut(), integrator.as_ref(), &options)?;
                    let seconds = start.elapsed().as_secs_f64();
                    if best.as_ref().is_none_or(|(least, _)| seconds < *least) {
                        best = Some((seconds, solution));
                    }
                }
                let (seconds, solution) = best.ok_or("no run")?;
                let steps = solution.statistics.accepted as f64;
                let per_step = 1e6 * seconds / steps;
                let ratio = per_step / *base.get_or_insert(per_step);
                let (layout, work) = (problem.system.layout(), solution.statistics.work);
                let size = layout.dimension() + layout.rows();
                let mechanism = links.map_or_else(|| name.to_owned(), |n| format!("{name} n={n}"));
                let error = error(&mut problem, &solution)?
                    .map_or_else(|| "-".to_owned(), |error| format!("{error:.2e}"));
                println!(
                    "{mechanism:16} {method:20} {label:10} {size:4} {per_step:10.2} {ratio:7.2} {:11.2} {:15.2} \
                     {error:>10}",
                    work.newton_iterations as f64 / steps,
                    work.factorizations as f64 / steps,
                );
            }
        }
    }
    Ok(())
}
