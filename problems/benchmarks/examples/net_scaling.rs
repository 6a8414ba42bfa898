//! What a net of rods between n x n nodes costs: fill-in, factorization and steps.
//!
//! `cargo run --release -p liedae-problems --example net_scaling`, with sizes n behind `--` for others than 10, 20, 40, 70, 100.

use liedae::integrator::MethodOptions;
use liedae::linalg::KktSolver;
use liedae::solve::{Options, solve};
use liedae::system::{Evaluator, System};
use liedae_problems::{Parameters, ProblemRegistry};
use std::time::{Duration, Instant};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// What a factorization of the saddle-point matrix at the start takes.
struct Factorization {
    /// Unknowns: accelerations and multipliers.
    unknowns: usize,
    /// Numbers of the factors, fill-in included.
    entries: usize,
    /// Seconds to find an order; to factorize and to solve, the least of three.
    times: [f64; 3],
}

fn factorization(system: &mut dyn System) -> Outcome<Factorization> {
    let state = system.initial_state();
    let mut system = Evaluator::new(system);
    let layout = system.layout();
    let (n, m) = (layout.dimension(), layout.rows());
    let mut mass = vec![0.0; layout.mass.nnz()];
    let mut jacobian = vec![0.0; layout.jacobian.nnz()];
    let start = Instant::now();
    let g = &layout.jacobian;
    let mut solver = KktSolver::new(&layout.mass, g, g, &layout.blocks)?;
    let order = start.elapsed();
    system.mass_matrix(&state.point(), &mut mass)?;
    system.constraint_jacobian(&state.point(), &mut jacobian)?;
    let (forces, rows) = (vec![1.0; n], vec![0.0; m]);
    let (mut acceleration, mut lambda) = (vec![0.0; n], vec![0.0; m]);
    let mut times = [order, Duration::MAX, Duration::MAX];
    for trial in 0..3 {
        // The same matrix would not be factorized again.
        mass[0] *= 1.0 + 1e-12 * f64::from(trial);
        let start = Instant::now();
        solver.factor(&mass, &jacobian, &jacobian)?;
        times[1] = times[1].min(start.elapsed());
        let start = Instant::now();
        solver.solve(&forces, &rows, &mut acceleration, &mut lambda)?;
        times[2] = times[2].min(start.elapsed());
    }
    Ok(Factorization {
        unknowns: n + m,
        entries: solver.factor_entries().unwrap_or((n + m) * (n + m)),
        times: times.map(|time| time.as_secs_f64()),
    })
}

/// Seconds of a step of half-implicit Euler, without what is done once.
fn step(system: &mut dyn System) -> Outcome<f64> {
    const H: f64 = 1e-3;
    let method = liedae_contact::methods().build("half-implicit", &MethodOptions::default())?;
    let mut run = |steps: u32| -> Outcome<f64> {
        let start = Instant::now();
        solve(
            system,
            method.as_ref(),
            &Options::fixed(H * f64::from(steps), H),
        )?;
        Ok(start.elapsed().as_secs_f64())
    };
    let (short, long) = (2, 6);
    // Orders that one run has found serve the next one.
    run(short)?;
    let first = run(short)?;
    Ok((run(long)? - first) / f64::from(long - short))
}

fn main() -> Outcome<()> {
    let entry = ProblemRegistry::standard()
        .find("net")
        .ok_or("the net is not registered")?;
    let mut sizes: Vec<f64> = vec![10.0, 20.0, 40.0, 70.0, 100.0];
    let chosen: Vec<String> = std::env::args().skip(1).collect();
    if !chosen.is_empty() {
        sizes = chosen
            .iter()
            .map(|size| size.parse())
            .collect::<Result<_, _>>()?;
    }
    println!(
        "nodes   rods  unknowns  factor entries  per rod  order / s  factor / s  solve / s  step / s"
    );
    for size in sizes {
        let mut parameters = Parameters::defaults(&entry);
        parameters.set("n", size)?;
        let mut problem = (entry.build)(&parameters)?;
        let rods = (size - 1.0) * (2.0 * size - 1.0);
        let Factorization {
            unknowns,
            entries,
            times: [order, factor, solution],
        } = factorization(problem.system.as_mut())?;
        let per_rod = entries as f64 / rods;
        println!(
            "{size:5}{rods:7}{unknowns:10}{entries:16}{per_rod:9.0}{order:11.3}{factor:12.4}{solution:11.5}{:10.4}",
            step(problem.system.as_mut())?
        );
    }
    Ok(())
}
