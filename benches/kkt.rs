//! Cost of one factorization and one solution of the saddle-point system.
//!
//! `cargo bench --bench kkt`: chains of N bodies with ball joints (6 N + 3 N unknowns, time per body
//! printed with the growth exponent), and dense systems around the crossover of the paths.

use std::hint::black_box;
use std::time::Instant;

use criterion::{BenchmarkId, Criterion, Throughput};
use liedae::linalg::{Blocks, KktSolver, Method, Pattern};

struct Problem {
    solver: KktSolver,
    a: Vec<f64>,
    g: Vec<f64>,
    f: Vec<f64>,
    c: Vec<f64>,
    x: Vec<f64>,
    y: Vec<f64>,
}

impl Problem {
    fn run(&mut self) {
        let factored = self.solver.factor(black_box(&self.a), &self.g, &self.g);
        factored.expect("regular");
        let solved = self
            .solver
            .solve(&self.f, &self.c, &mut self.x, &mut self.y);
        solved.expect("accurate");
        black_box(&self.y);
    }
}

/// Bodies of six freedoms hung on each other by ball joints, the first on the ground.
fn chain(bodies: usize, method: Method) -> Problem {
    let sizes = vec![6; bodies];
    let a = Pattern::block_diagonal(&sizes);
    let mut entries = Vec::new();
    for joint in 0..bodies {
        for i in 3 * joint..3 * joint + 3 {
            let first = joint.saturating_sub(1);
            for body in first..=joint {
                entries.extend((0..6).map(|k| (i, 6 * body + k)));
            }
        }
    }
    let b = Pattern::from_entries(3 * bodies, 6 * bodies, entries).expect("inside");
    let mut mass = Vec::new();
    for body in 0..bodies {
        for (i, j) in (0..36).map(|k| (k / 6, k % 6)) {
            let inertia = 0.1 + 0.02 * (i as f64) + 0.01 * (body % 7) as f64;
            let diagonal = if i < 3 { 1.0 } else { inertia };
            let off = if i >= 3 && j >= 3 { 0.01 } else { 0.0 };
            mass.push(if i == j { diagonal } else { off });
        }
    }
    let mut g = vec![0.0; b.nnz()];
    for (i, j, k) in b.iter() {
        let (joint, row, body, col) = (i / 3, i % 3, j / 6, j % 6);
        let sign = if body == joint { 1.0 } else { -1.0 };
        let angle = joint as f64;
        let r = [sign * -0.5 * angle.cos(), sign * -0.5 * angle.sin(), 0.1];
        let cross = [[0.0, r[2], -r[1]], [-r[2], 0.0, r[0]], [r[1], -r[0], 0.0]];
        let unit = if col < 3 {
            f64::from(row == col)
        } else {
            cross[row][col - 3]
        };
        g[k] = sign * unit;
    }
    let blocks = Blocks {
        variables: sizes,
        rows: vec![3; bodies],
    };
    Problem {
        solver: KktSolver::with_method(&a, &b, &b, &blocks, method).expect("fits"),
        a: mass,
        g,
        f: (0..6 * bodies).map(|i| (i as f64).sin()).collect(),
        c: (0..3 * bodies).map(|i| (i as f64).cos()).collect(),
        x: vec![0.0; 6 * bodies],
        y: vec![0.0; 3 * bodies],
    }
}

/// A full symmetric system with `n` variables and `m` rows.
fn full(n: usize, m: usize, method: Method) -> Problem {
    let (a, b) = (Pattern::dense(n, n), Pattern::dense(m, n));
    let blocks = Blocks {
        variables: vec![n],
        rows: vec![m],
    };
    let entry = |k: usize| ((k * k) as f64).sin();
    let mass = (0..n * n).map(|k| {
        if k % (n + 1) == 0 {
            n as f64
        } else {
            0.3 * entry(k / n + k % n)
        }
    });
    Problem {
        solver: KktSolver::with_method(&a, &b, &b, &blocks, method).expect("fits"),
        a: mass.collect(),
        g: (0..m * n)
            .map(|k| entry(k) + if k % (n + 1) == 0 { 2.0 } else { 0.0 })
            .collect(),
        f: vec![1.0; n],
        c: vec![0.5; m],
        x: vec![0.0; n],
        y: vec![0.0; m],
    }
}

/// Seconds per run, the best of several batches (other processes share the machine).
fn best(problem: &mut Problem, batch: usize) -> f64 {
    let batches = (0..15).map(|_| {
        let start = Instant::now();
        (0..batch).for_each(|_| problem.run());
        start.elapsed().as_secs_f64() / batch as f64
    });
    batches.fold(f64::INFINITY, f64::min)
}

fn table() {
    println!("chain, ball joints: microseconds per body for factor + solve");
    let mut previous: Option<(usize, f64)> = None;
    for bodies in [1, 8, 128, 1024, 8192] {
        let start = Instant::now();
        let mut problem = chain(bodies, Method::Sparse);
        let symbolic = start.elapsed().as_secs_f64();
        let time = best(&mut problem, 1 + 40_000 / bodies);
        let factor = {
            let batch = 1 + 10_000 / bodies;
            let runs = (0..9).map(|_| {
                let start = Instant::now();
                for _ in 0..batch {
                    problem
                        .solver
                        .factor(&problem.a, &problem.g, &problem.g)
                        .expect("regular");
                }
                start.elapsed().as_secs_f64() / batch as f64
            });
            runs.fold(f64::INFINITY, f64::min)
        };
        let exponent = previous.map(|(n, t)| (time / t).ln() / (bodies as f64 / n as f64).ln());
        println!(
            "N = {bodies:5}: {:.3} (factor {:.3}), symbolic {:.2}, growth exponent {:.3}, refinements {}, fallbacks {}",
            time / bodies as f64 * 1e6,
            factor / bodies as f64 * 1e6,
            symbolic / bodies as f64 * 1e6,
            exponent.unwrap_or(f64::NAN),
            problem.solver.refinements(),
            problem.solver.fallbacks(),
        );
        previous = Some((bodies, time));
    }
    println!("chains: dense against sparse, microseconds");
    for bodies in 1..=6 {
        let dense = best(&mut chain(bodies, Method::Dense), 2000);
        let sparse = best(&mut chain(bodies, Method::Sparse), 2000);
        println!(
            "n + m = {:2}: dense {:.2}, sparse {:.2}",
            9 * bodies,
            dense * 1e6,
            sparse * 1e6
        );
    }
    println!("full: dense, microseconds");
    for (n, m) in [(6, 3), (9, 4), (13, 0), (13, 6), (18, 9)] {
        let time = best(&mut full(n, m, Method::Dense), 2000);
        println!("n = {n:2}, m = {m}: {:.2}", time * 1e6);
    }
}

fn main() {
    table();
    let mut criterion = Criterion::default().configure_from_args();
    let mut group = criterion.benchmark_group("chain");
    group.sample_size(20);
    for bodies in [1, 8, 128, 1024, 8192] {
        let mut problem = chain(bodies, Method::Sparse);
        group.throughput(Throughput::Elements(bodies as u64));
        group.bench_function(BenchmarkId::from_parameter(bodies), |b| {
            b.iter(|| problem.run())
        });
    }
    group.finish();
    let mut problem = full(9, 4, Method::Dense);
    criterion.bench_function("dense n = 13", |b| b.iter(|| problem.run()));
    criterion.final_summary();
}
