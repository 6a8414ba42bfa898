//! Diagonal matrices without constraint rows.

use crate::linalg::{Blocks, KktError, KktSolver, Method, Pattern};

fn solver(n: usize, method: Method) -> KktSolver {
    let (mass, none) = (Pattern::diagonal(n), Pattern::empty(0, n));
    let blocks = Blocks {
        variables: vec![n],
        rows: Vec::new(),
    };
    KktSolver::with_method(&mass, &none, &none, &blocks, method).unwrap()
}

fn solve(solver: &mut KktSolver, mass: &[f64], f: &[f64]) -> Result<Vec<f64>, KktError> {
    let mut x = vec![0.0; mass.len()];
    solver.factor_and_solve([mass, &[], &[]], [f, &[]], &mut x, &mut [])?;
    Ok(x)
}

#[test]
fn solutions_are_those_of_a_dense_factorization() {
    for n in [1, 3, 14, 60] {
        let mass: Vec<f64> = (0..n).map(|i| 0.1 + (7 * i % 11) as f64).collect();
        let f: Vec<f64> = (0..n).map(|i| (5 * i % 13) as f64 - 6.0).collect();
        let mut diagonal = solver(n, Method::Automatic);
        let expected = solve(&mut solver(n, Method::Dense), &mass, &f).unwrap();
        for _ in 0..2 {
            let found = solve(&mut diagonal, &mass, &f).unwrap();
            let pairs = found.iter().zip(&expected);
            assert!(
                pairs
                    .into_iter()
                    .all(|(x, y)| (x - y).abs() <= 1e-15 * y.abs())
            );
        }
        // The same masses keep their inverse.
        assert_eq!((diagonal.factorizations(), diagonal.solves()), (1, 2));
        assert_eq!(diagonal.refinements() + diagonal.fallbacks(), 0);
    }
}

#[test]
fn masses_that_are_no_positive_numbers_are_judged_as_others_are() {
    let f = [1.0, 1.0];
    let mut negative = solver(2, Method::Automatic);
    assert_eq!(
        solve(&mut negative, &[2.0, -4.0], &f).unwrap(),
        [0.5, -0.25]
    );
    assert!(matches!(
        solve(&mut negative, &[2.0, 0.0], &f),
        Err(KktError::Singular { .. })
    ));
    for entry in [f64::NAN, f64::INFINITY] {
        let error = solve(&mut negative, &[2.0, entry], &f);
        assert!(matches!(error, Err(KktError::NonFinite { which: "A", .. })));
    }
    // A good one after a bad one.
    assert_eq!(solve(&mut negative, &[2.0, 4.0], &f).unwrap(), [0.5, 0.25]);
}

#[test]
fn forces_must_be_finite_and_solutions_too() {
    let mut light = solver(2, Method::Automatic);
    for entry in [f64::NAN, f64::INFINITY] {
        let error = solve(&mut light, &[1.0, 1.0], &[0.0, entry]);
        assert!(matches!(error, Err(KktError::NonFinite { which: "f", .. })));
    }
    assert!(solve(&mut light, &[1.0, 1e-200], &[0.0, 1e200]).is_err());
    // Nothing is measured that tiny numbers could disturb.
    let tiny = solve(&mut light, &[1.0, 2.0], &[1e-130, -0.0]).unwrap();
    assert_eq!(tiny, [1e-130, 0.0]);
    let error = solve(&mut light, &[1.0, 2.0], &[1.0]);
    assert!(matches!(error, Err(KktError::Dimension { .. })));
}
