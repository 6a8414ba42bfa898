//! Linear programs as complementarity problems: the block of the bilateral rows is zero.

use super::generator::{Random, Rows, Vector};
use super::{Problem, check};
use liedae_contact::complementarity::{LcpSolver, RowKind};

/// min cᵀ x, E x = b, x >= 0 with its multipliers y,
///
/// ```text
/// 0 <= x ⟂ c - Eᵀ y >= 0,   y free,   E x - b = 0
/// ```
///
/// with a solution by design: x and c - Eᵀ y are complementary. `coarse` makes all numbers small integers, so that most
/// programs are degenerate; some have an equation twice.
fn program(random: &mut Random, coarse: bool) -> (Problem, f64) {
    let (unknowns, equations) = (1 + random.below(9), 1 + random.below(5));
    let n = unknowns + equations;
    let number = |random: &mut Random| {
        let value = random.signed();
        if coarse { (2.0 * value).round() } else { value }
    };
    let mut rows: Vec<f64> = (0..equations * unknowns).map(|_| number(random)).collect();
    if equations > 1 && random.chance(20) {
        let (first, rest) = rows.split_at_mut(unknowns);
        rest[..unknowns].copy_from_slice(first);
    }
    let y: Vec<f64> = (0..equations).map(|_| number(random)).collect();
    let mut matrix = vec![0.0; n * n];
    let mut vector = vec![0.0; n];
    let mut optimum = 0.0;
    for k in 0..unknowns {
        let (x, slack) = match random.below(4) {
            0 => (0.0, 0.0),
            1 => (0.0, number(random).abs()),
            _ => (number(random).abs(), 0.0),
        };
        vector[k] = slack;
        for row in 0..equations {
            let entry = rows[row * unknowns + k];
            vector[k] += entry * y[row];
            vector[unknowns + row] -= entry * x;
            matrix[k * n + unknowns + row] = -entry;
            matrix[(unknowns + row) * n + k] = entry;
        }
        optimum += vector[k] * x;
    }
    let mut kinds = vec![RowKind::Unilateral; unknowns];
    kinds.resize(n, RowKind::Bilateral);
    let problem = Problem {
        n,
        matrix,
        vector,
        kinds,
        rows: Rows::Independent,
        origin: Vector::Range,
        chosen: None,
    };
    (problem, optimum)
}

#[test]
fn linear_programs() {
    let mut random = Random(7);
    let mut solver = LcpSolver::default();
    let mut failures = 0;
    for k in 0..20_000 {
        let coarse = k % 2 == 0;
        let (problem, optimum) = program(&mut random, coarse);
        let Problem { n, kinds, .. } = &problem;
        let outcome = match solver.solve(&problem.matrix, &problem.vector, kinds) {
            Err(error) => Err(error.to_string()),
            Ok(solution) => {
                let cost = problem.vector.iter().zip(&solution.z).zip(kinds);
                let cost = cost.filter(|(_, kind)| **kind == RowKind::Unilateral);
                let cost: f64 = cost.map(|((c, x), _)| c * x).sum();
                match check(&problem, solution) {
                    Ok((residual, unit)) if residual > 1e-9 * unit.max(1.0) => {
                        Err(format!("residual {residual:e}"))
                    }
                    Ok(_) if (cost - optimum).abs() > 1e-8 * (1.0 + optimum.abs()) => {
                        Err(format!("cost {cost} instead of {optimum}"))
                    }
                    result => result.map(drop),
                }
            }
        };
        if let Err(error) = outcome {
            failures += 1;
            if failures <= 10 {
                println!("program {k} with n = {n}, coarse {coarse}: {error}");
                println!("{:?} {:?}", problem.matrix, problem.vector);
            }
        }
    }
    println!("{failures} failures, {:?}", solver.statistics());
    assert_eq!(failures, 0);
}
