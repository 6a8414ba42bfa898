//! Solvers of the same patterns share what depends on the patterns alone.

use std::sync::Arc;

use nalgebra::DMatrix;

use super::support::{Random, mechanism};
use crate::linalg::ordering::Rule;
use crate::linalg::scaling::Scaling;
use crate::linalg::schur::Structure;
use crate::linalg::symbolic::SymbolicFactorization;
use crate::linalg::system::System;
use crate::linalg::{Blocks, KktError, KktSolver, Method, Pattern};

fn system(mass: &Pattern, rows: &Pattern) -> System {
    System::new(mass, rows, rows).expect("fits")
}

#[test]
fn programs_are_shared_between_clones_of_a_pattern_only() {
    let (mass, rows) = (Pattern::diagonal(6), Pattern::dense(2, 6));
    let blocks = Blocks {
        variables: vec![3, 3],
        rows: vec![2],
    };
    let first = system(&mass, &rows);
    let program = SymbolicFactorization::shared(&first, &blocks, Rule::PivotRule);
    // Equal rows will do, as long as the upper left block is a clone.
    let second = system(&mass.clone(), &Pattern::dense(2, 6));
    let same = |other: &Arc<SymbolicFactorization>| Arc::ptr_eq(&program, other);
    assert!(same(&SymbolicFactorization::shared(
        &second,
        &blocks,
        Rule::PivotRule
    )));
    let other_rule = SymbolicFactorization::shared(&second, &blocks, Rule::VariablesFirst);
    let other_blocks =
        SymbolicFactorization::shared(&second, &Blocks::unstructured(6, 2), Rule::PivotRule);
    let other_rows = SymbolicFactorization::shared(
        &system(&mass, &Pattern::dense(1, 6)),
        &Blocks {
            variables: vec![3, 3],
            rows: vec![1],
        },
        Rule::PivotRule,
    );
    assert!(![other_rule, other_blocks, other_rows].iter().any(same));
}

#[test]
fn schur_complements_share_their_structure_as_programs_do() {
    let (mass, rows) = (Pattern::dense(3, 3), Pattern::dense(2, 3));
    let shared = |mass: &Pattern, rows: &Pattern, width: usize| {
        Structure::shared(&system(mass, rows), width).expect("with a diagonal")
    };
    let first = shared(&mass, &rows, 4);
    let same = |other: &Arc<Structure>| Arc::ptr_eq(&first, other);
    assert!(same(&shared(&mass.clone(), &Pattern::dense(2, 3), 4)));
    assert!(!same(&shared(&mass, &rows, 8)) && !same(&shared(&mass, &Pattern::dense(1, 3), 4)));
    assert!(!same(&shared(&Pattern::dense(3, 3), &rows, 4)));
    // Nothing is kept that no solver holds.
    let diagonal = Pattern::diagonal(3);
    let held = Arc::downgrade(&shared(&diagonal, &rows, 4));
    assert!(held.upgrade().is_none());
    let without = Pattern::from_entries(3, 3, [(0, 1)]).expect("inside");
    assert!(Structure::shared(&system(&without, &rows), 4).is_none());
}

/// A program stays right while others that share it factorize other values.
#[test]
fn solvers_that_share_a_program_do_not_disturb_each_other() {
    let (mass, rows) = (
        Pattern::diagonal(12),
        Pattern::from_entries(3, 12, (0..3).flat_map(|i| [(i, i), (i, i + 6), (i, i + 7)]))
            .expect("inside"),
    );
    let blocks = Blocks {
        variables: vec![6, 6],
        rows: vec![3],
    };
    let mut random = Random(5);
    let values: Vec<f64> = random.vector(rows.nnz());
    let masses = [[1.0; 12], [7.0; 12]];
    let f = random.vector(12);
    let solve = |solver: &mut KktSolver| {
        let (mut x, mut y) = (vec![0.0; 12], vec![0.0; 3]);
        solver
            .solve(&f, &[0.0; 3], &mut x, &mut y)
            .expect("regular");
        x
    };
    let make = |mass_values: &[f64]| {
        let mut solver =
            KktSolver::with_method(&mass, &rows, &rows, &blocks, Method::Sparse).expect("fits");
        solver
            .factor(mass_values, &values, &values)
            .expect("regular");
        solver
    };
    let alone = masses.map(|mass_values| solve(&mut make(&mass_values)));
    let mut together = masses.map(|mass_values| make(&mass_values));
    for (solver, expected) in together.iter_mut().zip(&alone) {
        assert_eq!(&solve(solver), expected);
    }
}

/// Block factors that have given one good solution give others unchecked; what overflows is checked again.
#[test]
fn further_right_hand_sides_agree_with_checked_ones_on_blocks() {
    let mut random = Random(11);
    let joints: Vec<_> = (0..7).map(|i: usize| (i, i.checked_sub(1), 3)).collect();
    let problem = mechanism(&mut random, 7, 6, &joints);
    let mut solvers = [Method::Sparse, Method::Sparse].map(|method| problem.solver(method));
    let (n, m) = (problem.f.len(), problem.g.len());
    for solver in &mut solvers {
        solver
            .factor(&problem.av, &problem.bv, &problem.cv)
            .expect("regular");
    }
    let [checked, quick] = &mut solvers;
    for _ in 0..3 {
        let (f, c) = (random.vector(n), random.vector(m));
        let [mut expected, mut found] = [(); 2].map(|()| (vec![0.0; n], vec![0.0; m]));
        let (x, y) = &mut expected;
        checked.solve(&f, &c, x, y).expect("regular");
        let (x, y) = &mut found;
        quick.solve_again(&f, &c, x, y).expect("regular");
        assert_eq!(found, expected);
    }
    let (mut x, mut y) = (vec![0.0; n], vec![0.0; m]);
    let missing = quick.solve_again(&vec![f64::NAN; n], &vec![0.0; m], &mut x, &mut y);
    assert!(matches!(missing, Err(KktError::NonFinite { .. })));
    let (largest, zero) = (vec![f64::MAX; n], vec![0.0; m]);
    let overflow = quick.solve_again(&largest, &zero, &mut x, &mut y);
    let expected = checked.solve(&largest, &zero, &mut x, &mut y);
    assert_eq!(overflow.is_err(), expected.is_err());
}

/// From whatever scaling the sweeps start, rows and columns are near one in the end.
#[test]
fn a_scaling_that_starts_from_another_matrix_equilibrates() {
    let (mass, rows) = (Pattern::diagonal(4), Pattern::dense(2, 4));
    let mut system = system(&mass, &rows);
    let mut scaling = Scaling::new(6);
    for unit in [1.0, 1.3, 1e9, 1e-12] {
        let jacobian: Vec<f64> = (1..=8).map(|i| unit * f64::from(i)).collect();
        system
            .load(&[1.0, unit, 2.0, 3.0], &jacobian, &jacobian)
            .expect("finite");
        scaling.update(&system);
        let mut largest = [[0.0_f64; 6]; 2];
        system.for_each(|i, j, v| {
            let size = (v * scaling.row[i] * scaling.col[j]).abs();
            largest[0][i] = largest[0][i].max(size);
            largest[1][j] = largest[1][j].max(size);
        });
        let near = |size: &f64| (0.25..=4.0).contains(size);
        assert!(
            largest.iter().flatten().all(near),
            "unit {unit}: {largest:?}"
        );
    }
}

/// Periodic matrices of two parts that are not coupled: rows and columns come back to where they were.
#[test]
fn scalings_do_not_drift() {
    let (k, mut random) = (2, Random(7));
    let mut entry = |i: usize, j: usize, size: f64| {
        let number = random.next();
        if (i < k) == (j < k) {
            size * number
        } else {
            0.0
        }
    };
    let base = DMatrix::from_fn(2 * k, 2 * k, |i, j| entry(i, j, 1.0));
    let amplitude = DMatrix::from_fn(2 * k, 2 * k, |i, j| entry(i, j, 1.5));
    let phase = DMatrix::from_fn(2 * k, 2 * k, |i, j| entry(i, j, 6.3));
    let pattern = Pattern::dense(2 * k, 2 * k);
    let none = Pattern::empty(0, 2 * k);
    let mut system = System::new(&pattern, &none, &none).unwrap();
    let (mut scaling, mut fresh) = (Scaling::new(2 * k), Scaling::new(2 * k));
    for step in 0..20000 {
        let wave =
            |i, j| 10f64.powf(amplitude[(i, j)] * (0.05 * f64::from(step) + phase[(i, j)]).sin());
        let matrix = DMatrix::from_fn(2 * k, 2 * k, |i, j| base[(j, i)] * wave(j, i));
        system.load(matrix.as_slice(), &[], &[]).unwrap();
        scaling.update(&system);
    }
    fresh.compute(&system);
    let updated = scaling.row.iter().chain(&scaling.col);
    for (updated, fresh) in updated.zip(fresh.row.iter().chain(&fresh.col)) {
        let ratio = updated / fresh;
        assert!((1e-3..1e3).contains(&ratio), "{ratio:e}");
    }
}
