//! Problems with solutions known by hand.

use super::super::RowKind::{Bilateral, Unilateral};
use super::super::{LcpMethod, LcpSolver, Uniqueness};
use super::{assert_near, only, unilateral};

#[test]
fn one_row_of_either_sign() {
    for method in LcpMethod::ALL {
        let mut solver = only(method);
        let solution = solver.solve(&[4.0], &[-2.0], &[Unilateral]).unwrap();
        assert_near(&solution.z, &[0.5], 1e-15);
        assert_eq!((solution.w[0], solution.method), (0.0, method));
        let solution = solver.solve(&[4.0], &[3.0], &[Unilateral]).unwrap();
        assert_eq!((solution.z[0], solution.w[0]), (0.0, 3.0));
        let solution = solver.solve(&[4.0], &[3.0], &[Bilateral]).unwrap();
        assert_eq!((solution.z[0], solution.w[0]), (-0.75, 0.0));
    }
}

#[test]
fn two_rows() {
    for method in LcpMethod::ALL {
        let mut solver = only(method);
        // [2 1; 1 2] z = (5, 6) has z = (4/3, 7/3); with (-5, -1) the second row lifts off.
        let matrix = [2.0, 1.0, 1.0, 2.0];
        let solution = solver
            .solve(&matrix, &[-5.0, -6.0], &unilateral(2))
            .unwrap();
        assert_near(&solution.z, &[4.0 / 3.0, 7.0 / 3.0], 1e-14);
        let solution = solver
            .solve(&matrix, &[-5.0, -1.0], &unilateral(2))
            .unwrap();
        assert_near(&solution.z, &[2.5, 0.0], 1e-14);
        assert_near(&solution.w, &[0.0, 1.5], 1e-14);
        // Non-symmetric P-matrix.
        let solution = solver
            .solve(&[1.0, -3.0, 1.0, 1.0], &[-1.0, -2.0], &unilateral(2))
            .unwrap();
        assert_near(&solution.z, &[1.75, 0.25], 1e-13);
    }
}

/// z and w both vanish in a row.
#[test]
fn degenerate_rows() {
    for method in LcpMethod::ALL {
        let mut solver = only(method);
        let solution = solver
            .solve(&[2.0, 1.0, 1.0, 2.0], &[-2.0, -1.0], &unilateral(2))
            .unwrap();
        assert_near(&solution.z, &[1.0, 0.0], 1e-10);
        assert_near(&solution.w, &[0.0, 0.0], 1e-10);
        let solution = solver.solve(&[1.0], &[0.0], &[Unilateral]).unwrap();
        assert_eq!((solution.z[0], solution.w[0]), (0.0, 0.0));
    }
}

/// The first ball hits the second, which touches the third: with e = 1 and Moreau's law all impulses follow from eq. 4
/// of Haddouni et al.; balls of unit mass, u = (1, 0, 0), A = G G^T with G = [-1 1 0; 0 -1 1], b = (1 + e) G u.
#[test]
fn three_balls() {
    let mut solver = LcpSolver::default();
    let matrix = [2.0, -1.0, -1.0, 2.0];
    let solution = solver.solve(&matrix, &[-2.0, 0.0], &unilateral(2)).unwrap();
    assert_near(&solution.z, &[4.0 / 3.0, 2.0 / 3.0], 1e-14);
    // Velocities after the impact: -1/3, 2/3, 2/3.
    let (p, r) = (solution.z[0], solution.z[1]);
    assert_near(
        &[1.0 - p, p - r, r],
        &[-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0],
        1e-14,
    );
    assert_eq!(solution.uniqueness, Uniqueness::Unique);
}

#[test]
fn duplicates_share_equally() {
    for method in LcpMethod::ALL {
        let mut solver = only(method);
        for n in [2, 3, 7] {
            let (matrix, vector) = (vec![2.0; n * n], vec![-6.0; n]);
            let solution = solver.solve(&matrix, &vector, &unilateral(n)).unwrap();
            assert_near(&solution.z, &vec![3.0 / n as f64; n], 1e-14);
            assert_eq!(solution.uniqueness, Uniqueness::LeastNorm);
        }
        // A bilateral row and its unilateral copy share a push; a pull is the joint's alone.
        let kinds = [Bilateral, Unilateral];
        let solution = solver.solve(&[1.0; 4], &[-1.0; 2], &kinds).unwrap();
        assert_near(&solution.z, &[0.5, 0.5], 1e-14);
        let solution = solver.solve(&[1.0; 4], &[1.0; 2], &kinds).unwrap();
        assert_near(&solution.z, &[-1.0, 0.0], 1e-14);
    }
}

/// A beam of unit mass and moment of inertia on four supports at x = -2, -1, 1, 3, loaded by 1 at x = 2.4. Least-norm
/// forces are a + b x: over all supports they would pull at x = -2, over the last three at x = -1; what remains is (0.3, 0.7).
#[test]
fn least_norm_respects_the_sign() {
    let arms = [-2.0, -1.0, 1.0, 3.0];
    let matrix: Vec<f64> = (0..16).map(|k| 1.0 + arms[k / 4] * arms[k % 4]).collect();
    let vector: Vec<f64> = arms.iter().map(|x| -(1.0 + 2.4 * x)).collect();
    let mut solver = LcpSolver::default();
    let solution = solver.solve(&matrix, &vector, &unilateral(4)).unwrap();
    assert_near(&solution.z, &[0.0, 0.0, 0.3, 0.7], 1e-14);
    assert_eq!(solution.uniqueness, Uniqueness::LeastNorm);
}

/// A P-matrix on which principal pivots come back to their start when the index to exchange is chosen carelessly (after row i the
/// next row is always infeasible), and on which all rows tie in Lemke's first pivot.
#[test]
fn rules_against_cycling() {
    let matrix = [1.0, 2.0, 0.0, 0.0, 1.0, 2.0, 2.0, 0.0, 1.0];
    for method in [LcpMethod::Lemke, LcpMethod::PrincipalPivoting] {
        let mut solver = only(method);
        let solution = solver.solve(&matrix, &[-1.0; 3], &unilateral(3)).unwrap();
        assert_near(&solution.z, &[1.0 / 3.0; 3], 1e-14);
        assert!(solution.pivots <= 8, "{method:?}: {}", solution.pivots);
    }
}

/// Murty's worst case, A lower triangular with 1 on and 2 below the diagonal, b = -1: 2^n pivots of the Bard-type scheme, few
/// of the others.
#[test]
fn murtys_exponential_example() {
    let n = 8;
    let matrix: Vec<f64> = (0..n * n)
        .map(|k| match (k % n).cmp(&(k / n)) {
            std::cmp::Ordering::Less => 2.0,
            std::cmp::Ordering::Equal => 1.0,
            std::cmp::Ordering::Greater => 0.0,
        })
        .collect();
    let mut expected = vec![0.0; n];
    expected[0] = 1.0;
    for method in LcpMethod::ALL {
        let mut solver = only(method);
        let solution = solver
            .solve(&matrix, &vec![-1.0; n], &unilateral(n))
            .unwrap();
        assert_near(&solution.z, &expected, 1e-12);
    }
}

/// Bilateral rows whose block is singular although the matrix is not: [0 1; 1 0] between a joint and a contact.
#[test]
fn a_singular_bilateral_block_is_split() {
    let mut solver = LcpSolver::default();
    // w_0 = z_1 - 2 = 0, w_1 = -z_0 + 1 >= 0: z_1 = 2, so w_1 = 0 and z_0 = 1.
    let solution = solver
        .solve(
            &[0.0, 1.0, -1.0, 0.0],
            &[-2.0, 1.0],
            &[Bilateral, Unilateral],
        )
        .unwrap();
    assert_near(&solution.z, &[1.0, 2.0], 1e-14);
}
