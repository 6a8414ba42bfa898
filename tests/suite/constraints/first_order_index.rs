//! First-order DAEs of index 2 and 3: accuracy with tolerances, and statements of the index that are wrong.

use crate::common::{AnglePendulum, FirstOrderPendulum, PENDULUM_GRAVITY};
use liedae::integrator::MethodOptions;
use liedae::scalar::Scalar;
use liedae::solve::{Options, Solution, SolveError, SolveErrorKind, solve};
use liedae::system::{Automatic, FirstOrder, FirstOrderModel, IndexError};

fn run(
    model: impl FirstOrderModel,
    method: &str,
    t_end: f64,
    tolerance: f64,
) -> Result<Solution, SolveError> {
    let mut system = Automatic::new(FirstOrder::new(model).expect("well stated"));
    let method = crate::known_methods()
        .build(method, &MethodOptions::default())
        .expect("a registered method");
    let mut options = Options::adaptive(t_end, tolerance, tolerance);
    options.max_steps = 1_000_000;
    solve(&mut system, method.as_ref(), &options)
}

/// x, y, u, v, λ.
fn reference(t: f64) -> [f64; 5] {
    let method = crate::known_methods()
        .build("mdop5", &MethodOptions::default())
        .expect("a registered method");
    let options = Options::adaptive(t, 1e-13, 1e-13);
    let solution = solve(
        &mut Automatic::new(AnglePendulum),
        method.as_ref(),
        &options,
    );
    let state = solution.expect("solved").state;
    let (theta, omega) = (state.q[0], state.v[0]);
    let (x, y) = (theta.sin(), -theta.cos());
    [
        x,
        y,
        omega * theta.cos(),
        omega * theta.sin(),
        y * PENDULUM_GRAVITY - omega * omega,
    ]
}

fn errors(solution: &Solution, expected: &[f64]) -> Vec<f64> {
    let pairs = solution.state.x.iter().zip(expected);
    pairs
        .map(|(found, expected)| (found - expected).abs())
        .collect()
}

/// Of first order, so that errors are those of the root of the tolerance; at index 1 the estimate needs no weights.
#[test]
fn backward_euler_is_as_accurate_at_index_3_and_2_as_at_index_1() {
    let expected = reference(1.0);
    for tolerance in [1e-4, 1e-6, 1e-8] {
        let solve = |level, index: [u8; 5]| {
            let index = index.to_vec();
            let solution = run(
                FirstOrderPendulum { level, index },
                "backward-euler",
                1.0,
                tolerance,
            );
            let solution = solution.expect("solved");
            let errors = errors(&solution, &expected);
            (solution.statistics, errors)
        };
        let (plain, allowed) = solve(1, [1; 5]);
        for (level, index) in [(3, [1, 1, 2, 2, 3]), (2, [1, 1, 1, 1, 2])] {
            let (statistics, errors) = solve(level, index);
            assert!(statistics.accepted <= plain.accepted, "{statistics:?}");
            assert!(statistics.rejected.total() < 10, "{statistics:?}");
            let largest = allowed.iter().fold(0.0_f64, |max, error| max.max(*error));
            for error in errors {
                assert!(
                    error < 3.0 * largest,
                    "index {level}: {error:e} {largest:e}"
                );
                assert!(
                    error < 40.0 * f64::sqrt(tolerance),
                    "index {level}: {error:e}"
                );
            }
        }
    }
}

fn refusal(model: impl FirstOrderModel) -> (usize, u8, u8, Vec<u8>) {
    let error = run(model, "bdf", 1.0, 1e-6).expect_err("a wrong statement");
    match error.kind {
        SolveErrorKind::Index(IndexError::Stated {
            unknown,
            stated,
            found,
            indices,
        }) => (unknown, stated, found, indices),
        other => panic!("{other}"),
    }
}

#[test]
fn indices_stated_too_low_are_named() {
    let pendulum = |level, index: [u8; 5]| FirstOrderPendulum {
        level,
        index: index.to_vec(),
    };
    let right = vec![1, 1, 2, 2, 3];
    assert_eq!(refusal(pendulum(3, [0; 5])), (2, 0, 2, right.clone()));
    assert_eq!(
        refusal(pendulum(3, [0, 0, 0, 0, 3])),
        (2, 0, 2, right.clone())
    );
    assert_eq!(refusal(pendulum(3, [0, 0, 2, 0, 3])).0, 3);
    assert_eq!(refusal(pendulum(3, [1, 1, 2, 2, 2])), (4, 2, 3, right));
    assert_eq!(refusal(pendulum(1, [0; 5])), (4, 0, 1, vec![0, 0, 0, 0, 1]));
    let error = run(pendulum(3, [0; 5]), "radau5", 1.0, 1e-6).expect_err("a wrong statement");
    let text = error.to_string();
    assert!(
        text.contains("x[2] has index 2 and is stated with 0"),
        "{text}"
    );
    assert!(
        text.contains("state 1 for x[0] to x[1], 2 for x[2] to x[3], 3 for x[4]"),
        "{text}"
    );
    for (level, index) in [
        (3, [0, 0, 2, 2, 3]),
        (3, [1, 1, 2, 2, 3]),
        (2, [0, 0, 0, 0, 2]),
        (1, [1; 5]),
    ] {
        run(pendulum(level, index), "bdf", 0.1, 1e-6).expect("a right statement");
    }
}

/// A linear system E x' = A x.
struct Linear {
    e: Vec<(usize, usize, f64)>,
    a: Vec<Vec<f64>>,
    start: Vec<f64>,
    index: Vec<u8>,
}

impl FirstOrderModel for Linear {
    fn dimension(&self) -> usize {
        self.start.len()
    }
    fn initial_value(&self) -> Vec<f64> {
        self.start.clone()
    }
    fn rate<S: Scalar>(&self, _t: S, y: &[S], rate: &mut [S]) {
        for (rate, row) in rate.iter_mut().zip(&self.a) {
            *rate = S::constant(0.0);
            for (a, y) in row.iter().zip(y).filter(|(a, _)| **a != 0.0) {
                *rate += *y * *a;
            }
        }
    }
    fn mass(&self) -> Option<Vec<(usize, usize, f64)>> {
        Some(self.e.clone())
    }
    fn index(&self) -> Vec<u8> {
        self.index.clone()
    }
}

/// A capacitor between two nodes: both rows of E are the same, and their sum is algebraic.
#[test]
fn rows_of_e_that_combine_to_zero_are_seen() {
    let circuit = |index: [u8; 2]| Linear {
        e: vec![(0, 0, 1.0), (0, 1, -1.0), (1, 0, -1.0), (1, 1, 1.0)],
        a: vec![vec![-1.0, 0.0], vec![0.0, -2.0]],
        start: vec![1.0, -0.5],
        index: index.to_vec(),
    };
    assert_eq!(refusal(circuit([0; 2])), (0, 0, 1, vec![1, 1]));
    let solution = run(circuit([1; 2]), "bdf", 1.0, 1e-8).expect("a right statement");
    let expected = (-2.0_f64 / 3.0).exp();
    assert!((solution.state.x[0] - expected).abs() < 1e-6);
}

/// z and w occur by their sum only where equations are algebraic: the structure cannot tell the index, and nothing is refused.
#[test]
fn what_the_structure_cannot_tell_is_left_to_the_user() {
    let model = Linear {
        e: vec![(0, 0, 1.0), (1, 1, 1.0)],
        a: vec![
            vec![0.0, 0.0, 1.0, 0.0],
            vec![0.0, 0.0, 0.0, 1.0],
            vec![-1.0, 0.0, 1.0, 1.0],
            vec![0.0, -1.0, 2.0, 2.0],
        ],
        start: vec![1.0, 2.0, 1.0 / 3.0, 2.0 / 3.0],
        index: vec![1, 1, 2, 2],
    };
    let solution = run(model, "radau5", 1.0, 1e-8).expect("a right statement");
    let expected = (1.0_f64 / 3.0).exp();
    assert!((solution.state.x[0] - expected).abs() < 1e-6);
}

#[test]
fn an_ordinary_equation_has_no_index_above_1() {
    let model = Linear {
        e: vec![(0, 0, 2.0), (0, 1, 1.0), (1, 1, 1.0)],
        a: vec![vec![-1.0, 0.0], vec![0.0, -1.0]],
        start: vec![1.0, 1.0],
        index: vec![0, 2],
    };
    assert_eq!(refusal(model), (1, 2, 0, vec![0, 0]));
}
