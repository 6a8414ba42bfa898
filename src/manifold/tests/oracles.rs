//! Dense matrix formulas that share no code with the implementation.

use nalgebra::{DMatrix, Matrix3, Matrix4, Vector3};

/// `sum_k a^k / k!` after scaling, then repeated squaring.
pub fn matrix_exponential(a: &DMatrix<f64>) -> DMatrix<f64> {
    let halvings = 8;
    let scaled = a / f64::from(1 << halvings);
    let mut term = DMatrix::identity(a.nrows(), a.nrows());
    let mut sum = term.clone();
    for k in 1..24 {
        term = &term * &scaled / f64::from(k);
        sum += &term;
    }
    for _ in 0..halvings {
        sum = &sum * &sum;
    }
    sum
}

/// `sum_k (-a)^k / (k+1)!`, for moderate `a`.
pub fn matrix_differential(a: &DMatrix<f64>) -> DMatrix<f64> {
    let mut term = DMatrix::identity(a.nrows(), a.nrows());
    let mut sum = term.clone();
    for k in 1..80 {
        term = &term * -a / f64::from(k + 1);
        sum += &term;
    }
    sum
}

/// The skew matrix, built from cross products with the coordinate axes.
pub fn skew(u: &[f64]) -> Matrix3<f64> {
    let u = Vector3::from_column_slice(u);
    Matrix3::from_columns(&[
        u.cross(&Vector3::x()),
        u.cross(&Vector3::y()),
        u.cross(&Vector3::z()),
    ])
}

/// The 4 x 4 matrix of a twist.
pub fn twist_matrix(u: &[f64]) -> DMatrix<f64> {
    let mut m = DMatrix::zeros(4, 4);
    m.view_mut((0, 0), (3, 3)).copy_from(&skew(&u[3..]));
    for i in 0..3 {
        m[(i, 3)] = u[i];
    }
    m
}

/// The homogeneous matrix of a rigid motion.
pub fn motion_matrix(q: &[f64]) -> Matrix4<f64> {
    let mut m = Matrix4::identity();
    m.view_mut((0, 0), (3, 3))
        .copy_from(&Matrix3::from_row_slice(&q[3..]));
    for i in 0..3 {
        m[(i, 3)] = q[i];
    }
    m
}

/// `ad` as a matrix, from the commutators of 4 x 4 matrices.
pub fn adjoint_of_twist(u: &[f64]) -> DMatrix<f64> {
    let mut ad = DMatrix::zeros(6, 6);
    let a = twist_matrix(u);
    for j in 0..6 {
        let mut unit = [0.0; 6];
        unit[j] = 1.0;
        let b = twist_matrix(&unit);
        let c = &a * &b - &b * &a;
        let column = [
            c[(0, 3)],
            c[(1, 3)],
            c[(2, 3)],
            c[(2, 1)],
            c[(0, 2)],
            c[(1, 0)],
        ];
        for i in 0..6 {
            ad[(i, j)] = column[i];
        }
    }
    ad
}

/// Row-major entries.
pub fn row_major(m: &DMatrix<f64>) -> Vec<f64> {
    m.transpose().as_slice().to_vec()
}
