//! What each method does by itself, before its answer is polished.

use super::super::fischer_burmeister::FischerBurmeister;
use super::super::gauss_seidel;
use super::super::lemke::Lemke;
use super::super::principal_pivoting::PrincipalPivoting;
use super::super::standard::{Outcome, Standard};

/// A string on an elastic bed over an obstacle: definite, condition number below 9.
fn obstacle(m: usize) -> Standard {
    let matrix = (0..m * m)
        .map(|k| match (k / m).abs_diff(k % m) {
            0 => 1.0,
            1 => -0.4,
            _ => 0.0,
        })
        .collect();
    let vector = (0..m).map(|i| (7.0 * i as f64).sin() - 0.2).collect();
    Standard { m, matrix, vector }
}

/// Largest violation of min(z, w) = 0.
fn violation(problem: &Standard, z: &[f64]) -> f64 {
    let mut w = vec![0.0; problem.m];
    problem.evaluate(z, &mut w);
    let size = |(z, w): (&f64, &f64)| z.min(*w).abs();
    z.iter().zip(&w).map(size).fold(0.0, f64::max)
}

#[test]
fn pivoting_methods_are_exact_to_round_off() {
    for m in [1, 5, 20, 60] {
        let problem = obstacle(m);
        let mut z = vec![0.0; m];
        let lemke = Lemke::default().solve(&problem, &mut z);
        assert_eq!(lemke.outcome, Outcome::Candidate);
        assert!(violation(&problem, &z) < 1e-12, "{m}");
        let principal = PrincipalPivoting::default().solve(&problem, &mut z);
        assert_eq!(principal.outcome, Outcome::Candidate);
        assert!(violation(&problem, &z) < 1e-11, "{m}");
        assert!(lemke.pivots <= 3 * m + 1, "{}", lemke.pivots);
    }
}

#[test]
fn semismooth_newton_needs_few_iterations() {
    for m in [1, 5, 20, 60] {
        let problem = obstacle(m);
        let mut z = vec![0.0; m];
        let attempt = FischerBurmeister::default().solve(&problem, 100, &mut z);
        assert_eq!(attempt.outcome, Outcome::Candidate);
        assert!(violation(&problem, &z) < 1e-9, "{m}");
        assert!(attempt.iterations <= 20, "{}", attempt.iterations);
    }
}

/// The error falls geometrically with the sweeps, and over-relaxation makes the fall steeper.
#[test]
fn gauss_seidel_converges_linearly() {
    let problem = obstacle(20);
    let mut z = vec![0.0; 20];
    let mut errors = [0.0; 4];
    for (error, sweeps) in errors.iter_mut().zip([5, 10, 20, 40]) {
        gauss_seidel::solve(&problem, 1.0, sweeps, &mut z);
        *error = violation(&problem, &z);
    }
    assert!(errors[0] > 1e-3 && errors[3] > 0.0, "{errors:?}");
    for pair in errors.windows(2) {
        assert!(pair[1] < 0.2 * pair[0], "{errors:?}");
    }
    let plain = gauss_seidel::solve(&problem, 1.0, 5000, &mut z).iterations;
    let over = gauss_seidel::solve(&problem, 1.2, 5000, &mut z).iterations;
    assert!(over < plain && plain < 5000, "{over} {plain}");
}

#[test]
fn lemke_ends_in_a_ray_where_there_is_no_solution() {
    let problem = Standard {
        m: 2,
        matrix: vec![1.0, -1.0, -1.0, 1.0],
        vector: vec![-1.0, 0.5],
    };
    let mut z = [0.0; 2];
    let attempt = Lemke::default().solve(&problem, &mut z);
    assert_eq!(attempt.outcome, Outcome::Ray);
    assert!(z[0] > 0.0 && (z[0] - z[1]).abs() < 1e-12);
    for stalled in [
        PrincipalPivoting::default().solve(&problem, &mut z),
        gauss_seidel::solve(
            &Standard {
                m: 1,
                matrix: vec![0.0],
                vector: vec![-1.0],
            },
            1.0,
            10,
            &mut z,
        ),
    ] {
        assert_eq!(stalled.outcome, Outcome::Stalled);
    }
}

/// A positive semidefinite matrix without positive diagonal entries needs crossed exchanges.
#[test]
fn principal_pivoting_crosses_where_the_diagonal_vanishes() {
    let problem = Standard {
        m: 2,
        matrix: vec![0.0, 1.0, -1.0, 0.0],
        vector: vec![-1.0, 1.0],
    };
    let mut z = [0.0; 2];
    let attempt = PrincipalPivoting::default().solve(&problem, &mut z);
    assert_eq!((attempt.outcome, attempt.pivots), (Outcome::Candidate, 2));
    assert!((z[0] - 1.0).abs() < 1e-15 && (z[1] - 1.0).abs() < 1e-15);
}
