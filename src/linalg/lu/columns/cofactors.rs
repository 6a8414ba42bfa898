//! Inverses of very small matrices, which stay in registers.

use super::lanes::magnitude;
use crate::linalg::lu::INVERTIBLE;
use crate::linalg::lu::parts::{Parts, product, reciprocal};

/// The inverse of a matrix of at most three rows by its cofactors, row by row; `None` if its determinant is below the part `doubtful` of
/// the products that it is summed from.
///
/// What cancels there is a measure of the digits that are lost, whatever the units of rows and columns.
#[inline(always)]
pub(super) fn inverse<const N: usize, const P: usize>(
    a: &[[Parts<P>; N]; N],
    doubtful: f64,
) -> Option<[[Parts<P>; N]; N]> {
    let mut inverse = [[[0.0; P]; N]; N];
    match N {
        1 => {
            inverse[0][0] = factor(a[0][0], magnitude(a[0][0]), doubtful)?;
        }
        2 => {
            let (first, second) = (product(a[0][0], a[1][1]), product(a[0][1], a[1][0]));
            let size = magnitude(first) + magnitude(second);
            let factor = factor(difference(first, second), size, doubtful)?;
            inverse[0][0] = product(factor, a[1][1]);
            inverse[1][1] = product(factor, a[0][0]);
            inverse[0][1] = product(negative(factor), a[0][1]);
            inverse[1][0] = product(negative(factor), a[1][0]);
        }
        _ => {
            // Column by column of the inverse: the cofactors of the rows of the matrix.
            let mut cofactors = [[[0.0; P]; N]; N];
            let (mut determinant, mut size) = ([0.0; P], 0.0);
            for i in 0..3 {
                for j in 0..3 {
                    let (next, last) = ((i + 1) % 3, (i + 2) % 3);
                    let (right, left) = ((j + 1) % 3, (j + 2) % 3);
                    let first = product(a[next][right], a[last][left]);
                    let second = product(a[next][left], a[last][right]);
                    cofactors[i][j] = difference(first, second);
                    if i == 0 {
                        let term = product(a[0][j], cofactors[0][j]);
                        determinant = difference(determinant, negative(term));
                        size += magnitude(a[0][j]) * (magnitude(first) + magnitude(second));
                    }
                }
            }
            let factor = factor(determinant, size, doubtful)?;
            for (i, row) in cofactors.iter().enumerate() {
                for (j, &cofactor) in row.iter().enumerate() {
                    inverse[j][i] = product(factor, cofactor);
                }
            }
        }
    }
    Some(inverse)
}

/// One over a determinant, of which `size` is that of its products; `None` if it is in doubt. Written so that NaN is.
#[inline(always)]
fn factor<const P: usize>(determinant: Parts<P>, size: f64, doubtful: f64) -> Option<Parts<P>> {
    let own = magnitude(determinant);
    let safe = own > doubtful * size && INVERTIBLE.contains(&own) && size < f64::INFINITY;
    safe.then(|| reciprocal(determinant))
}

#[inline(always)]
fn difference<const P: usize>(mut a: Parts<P>, b: Parts<P>) -> Parts<P> {
    for (a, b) in a.iter_mut().zip(b) {
        *a -= b;
    }
    a
}

#[inline(always)]
fn negative<const P: usize>(a: Parts<P>) -> Parts<P> {
    a.map(|part| -part)
}
