//! 100 000 random complementarity problems, dense and redundant, against enumeration and a quadratic program.

mod generator;
mod oracle;
mod programs;

use generator::{Problem, Random, problem};
use liedae_contact::complementarity::{
    LcpMethod, LcpOptions, LcpSolution, LcpSolver, LcpStatistics, RowKind, Uniqueness,
};

/// Units of the rows, D with D A D of unit diagonal.
fn units(problem: &Problem) -> Vec<f64> {
    let n = problem.n;
    let diagonal = (0..n).map(|i| problem.matrix[i * n + i]);
    diagonal
        .map(|a| if a > 0.0 { 1.0 / a.sqrt() } else { 1.0 })
        .collect()
}

/// Ratio of the largest unit to the smallest.
fn spread(problem: &Problem) -> f64 {
    let (smallest, largest) = units(problem)
        .into_iter()
        .fold((f64::INFINITY, 0.0_f64), |(min, max), d| {
            (min.min(d), max.max(d))
        });
    largest / smallest
}

/// Signs, complementarity and equation, all computed anew; returns the scaled residual and its unit.
fn check(problem: &Problem, solution: &LcpSolution) -> Result<(f64, f64), String> {
    let (n, d) = (problem.n, units(problem));
    let (mut residual, mut unit) = (0.0_f64, 0.0_f64);
    for (i, d) in d.into_iter().enumerate() {
        let (z, w) = (solution.z[i], solution.w[i]);
        match problem.kinds[i] {
            RowKind::Bilateral if w == 0.0 => {}
            RowKind::Unilateral if z >= 0.0 && w >= 0.0 && z * w == 0.0 => {}
            kind => return Err(format!("row {i} {kind:?}: z {z:e}, w {w:e}")),
        }
        let terms = (0..n).map(|j| problem.matrix[i * n + j] * solution.z[j]);
        let (mut sum, mut size) = (problem.vector[i], problem.vector[i].abs());
        for term in terms {
            sum += term;
            size += term.abs();
        }
        let row = d * (sum - w).abs();
        if !row.is_finite() {
            return Err(format!("row {i}: residual {row}"));
        }
        residual = residual.max(row);
        unit = unit.max(d * size);
    }
    Ok((residual, unit))
}

/// Largest scaled distance of two w.
fn distance(problem: &Problem, w: &[f64], other: &[f64]) -> f64 {
    let d = units(problem);
    (0..problem.n).fold(0.0, |max: f64, i| {
        let distance = d[i] * (w[i] - other[i]).abs();
        if distance.is_nan() {
            f64::INFINITY
        } else {
            max.max(distance)
        }
    })
}

#[derive(Default, Debug)]
struct Tally {
    unsolved: usize,
    wrong: usize,
    enumerated: usize,
    programs: usize,
    mixed: usize,
    basic: usize,
    polytopes: usize,
    worst_residual: f64,
    worst_distance: f64,
    worst_norm: f64,
}

fn examine(problem: &Problem, solver: &mut LcpSolver, tally: &mut Tally) -> Result<(), String> {
    let solution = solver
        .solve(&problem.matrix, &problem.vector, &problem.kinds)
        .map_err(|error| {
            tally.unsolved += 1;
            error.to_string()
        })?;
    let (residual, unit) = check(problem, solution).inspect_err(|_| tally.wrong += 1)?;
    let unit = unit.max(f64::MIN_POSITIVE);
    tally.worst_residual = tally.worst_residual.max(residual / unit);
    tally.mixed += usize::from(problem.kinds.contains(&RowKind::Bilateral));
    tally.basic += usize::from(solution.uniqueness == Uniqueness::Basic);
    let mut others = Vec::new();
    if problem.n <= 8 {
        others = oracle::enumerate(problem);
        tally.enumerated += 1;
        if others.is_empty() {
            return Err("the enumeration found nothing".into());
        }
    } else {
        tally.programs += 1;
        others.push(oracle::quadratic_program(problem));
    }
    let chosen = problem.chosen.iter();
    for w in others.iter().map(|(_, w)| w).chain(chosen) {
        let distance = distance(problem, &solution.w, w) / unit;
        tally.worst_distance = tally.worst_distance.max(distance);
        if distance > 1e-8 {
            tally.wrong += 1;
            return Err(format!("w differs by {distance:e}"));
        }
    }
    // z is the point of least norm if and only if z·(y - z) >= 0 for every other solution y; vertices suffice.
    let square: f64 = solution.z.iter().map(|z| z * z).sum();
    for (y, _) in &others {
        let product: f64 = solution.z.iter().zip(y).map(|(z, y)| z * y).sum();
        let norm: f64 = y.iter().map(|y| y * y).sum();
        let excess = (square - product) / square.max(norm).max(f64::MIN_POSITIVE);
        if solution.uniqueness == Uniqueness::Basic {
            continue;
        }
        tally.worst_norm = tally.worst_norm.max(excess);
        if excess > 1e-7 {
            tally.wrong += 1;
            return Err(format!("z is not of least norm: {excess:e}"));
        }
    }
    if solution.uniqueness == Uniqueness::Basic && spread(problem) < 1e3 {
        tally.wrong += 1;
        return Err("no least-norm solution".into());
    }
    tally.polytopes += usize::from(others.len() > 1);
    Ok(())
}

fn examine_many(count: usize, options: LcpOptions, seed: u64) -> (Tally, LcpStatistics) {
    let mut random = Random(seed);
    let mut solver = LcpSolver::new(options);
    let mut tally = Tally::default();
    let mut failures = 0;
    for k in 0..count {
        let problem = problem(&mut random, 40);
        if let Err(error) = examine(&problem, &mut solver, &mut tally) {
            failures += 1;
            if failures <= 20 {
                let Problem {
                    n, rows, origin, ..
                } = problem;
                println!("problem {k}, n = {n}, {rows:?}, {origin:?}: {error}");
            }
        }
    }
    println!("{tally:#?}\n{:#?}", solver.statistics());
    assert_eq!(failures, 0);
    (tally, *solver.statistics())
}

/// None unsolved, none wrong.
#[test]
fn a_hundred_thousand_problems() {
    let (tally, statistics) = examine_many(100_000, LcpOptions::default(), 1);
    assert_eq!(
        (statistics.solved, tally.unsolved, tally.wrong),
        (100_000, 0, 0)
    );
    assert!(tally.basic < 500 && tally.worst_residual < 1e-10);
    assert!(tally.enumerated > 15_000 && tally.programs > 70_000 && tally.mixed > 20_000);
    assert!(tally.polytopes > 5_000 && statistics.least_norm > 30_000);
}

/// Every method as the first one: the fallbacks behind it make up for what it cannot do.
#[test]
fn every_first_method_is_backed_up() {
    for first in LcpMethod::ALL {
        let options = LcpOptions {
            first,
            sweeps: 200,
            ..LcpOptions::default()
        };
        println!("{first:?}");
        let (_, statistics) = examine_many(2_000, options, 2);
        assert_eq!(statistics.solved, 2_000);
    }
}
