//! Time per step of the N-link chain over N, and the growth exponent over the last decade.
//!
//! `cargo run --release -p liedae-problems --example chain_scaling`, with the names of methods behind `--` for some of them.

use liedae::integrator::MethodOptions;
use liedae::solve::{Options, log_log_slope, solve};
use liedae_problems::{Parameters, ProblemRegistry};
use std::time::Instant;

/// Methods with dense algebra, which long chains are not for.
const DENSE: [&str; 5] = [
    "state-space-newmark",
    "state-space-fv",
    "state-space-abm",
    "rk4",
    "sdirk4",
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let entry = ProblemRegistry::standard()
        .find("chain")
        .ok_or("the chain is not registered")?;
    let sizes = [1, 2, 8, 32, 128, 409, 1024, 2048, 4096, 16384, 65536];
    let chosen: Vec<String> = std::env::args().skip(1).collect();
    let names = liedae_contact::methods()
        .into_iter()
        .map(|entry| entry.method.name);
    for method in names.filter(|name| match &chosen[..] {
        [] => !DENSE.contains(name),
        chosen => chosen.iter().any(|other| other == name),
    }) {
        let mut times = Vec::new();
        for size in sizes {
            let mut parameters = Parameters::defaults(&entry);
            parameters.set("n", size as f64)?;
            let mut problem = (entry.build)(&parameters)?;
            let integrator = liedae_contact::methods().build(method, &MethodOptions::default())?;
            // The difference of two runs leaves out what is done once.
            let mut run = |steps: usize| -> Result<f64, Box<dyn std::error::Error>> {
                let options = Options::fixed(steps as f64 * 1e-3, 1e-3);
                let start = Instant::now();
                solve(problem.system.as_mut(), integrator.as_ref(), &options)?;
                Ok(start.elapsed().as_secs_f64())
            };
            // As many steps for all sizes of the last decade, and not few: the first ones need more iterations.
            let steps = if size < 400 { 400 } else { 150 };
            let mut per_step = f64::INFINITY;
            for _ in 0..2 {
                let short = run(2)?;
                per_step = per_step.min((run(steps + 2)? - short) / steps as f64);
            }
            times.push((size as f64, per_step));
            println!(
                "{method:22} N = {size:5}: {:10.2} us per step, {:.3} us per body",
                1e6 * per_step,
                1e6 * per_step / size as f64
            );
        }
        let last_decade = times.iter().copied().filter(|&(size, _)| size >= 1638.0);
        println!(
            "{method:22} growth exponent over the last decade: {:.3}",
            log_log_slope(last_decade)
        );
    }
    Ok(())
}
