//! Matrices brought to a form in which round-off does least harm to their eigenvalues.

use faer::{Mat, c64};

/// A row and a column are scaled while that makes their norms together smaller by this factor.
const WORTH_IT: f64 = 0.95;

/// B = D⁻¹ P A Pᵀ D with a permutation P and powers of two in D, which cost no round-off.
///
/// P brings what is block triangular to an upper triangular form as far as single rows and columns go: their
/// eigenvalues stand on the diagonal. D makes rows and columns of the rest equally long in the Euclidean norm. Sources:
/// Parlett and Reinsch 1969, doi:10.1007/BF02165404; James, Langou and Lowery 2014, arXiv:1401.5766, for this norm.
pub(super) struct Balanced {
    pub matrix: Mat<f64>,
    /// Which row of A each row of B is.
    order: Vec<usize>,
    /// D.
    scales: Vec<f64>,
}

impl Balanced {
    /// Balances a square matrix of finite numbers.
    pub fn of(matrix: &Mat<f64>) -> Self {
        let n = matrix.nrows();
        let (order, middle) = triangular_order(matrix);
        let mut balanced = Self {
            matrix: Mat::from_fn(n, n, |i, j| matrix[(order[i], order[j])]),
            order,
            scales: vec![1.0; n],
        };
        balanced.scale(middle);
        balanced
    }

    /// Scales the rows and columns of a range until none gains by it.
    fn scale(&mut self, range: std::ops::Range<usize>) {
        let mut goes_on = true;
        while goes_on {
            goes_on = false;
            for k in range.clone() {
                let length =
                    |entry: &dyn Fn(usize) -> f64| range.clone().map(entry).fold(0.0, f64::hypot);
                let column = length(&|i| self.matrix[(i, k)]);
                let row = length(&|j| self.matrix[(k, j)]);
                if column == 0.0 || row == 0.0 {
                    continue;
                }
                // The power of two that brings column · f and row / f closest together.
                let factor = ((row / column).log2() / 2.0).round().exp2();
                if (column * factor).hypot(row / factor) < WORTH_IT * column.hypot(row) {
                    goes_on = true;
                    self.scales[k] *= factor;
                    for i in 0..self.matrix.nrows() {
                        self.matrix[(i, k)] *= factor;
                        self.matrix[(k, i)] /= factor;
                    }
                }
            }
        }
    }

    /// The vector of A that belongs to one of B: Pᵀ D u, times a power of two that brings its largest entry between 1 and 2 in size.
    pub fn back(&self, vector: &[c64]) -> Vec<c64> {
        let mut out = vec![c64::new(0.0, 0.0); vector.len()];
        // The largest of all sizes first: products could overflow.
        let size = |k: usize| vector[k].norm().log2() + self.scales[k].log2();
        let largest = (0..vector.len())
            .map(size)
            .fold(f64::NEG_INFINITY, f64::max);
        let unit = if largest.is_finite() {
            largest.floor()
        } else {
            0.0
        };
        for (k, &row) in self.order.iter().enumerate() {
            out[row] = vector[k] * (self.scales[k].log2() - unit).exp2();
        }
        out
    }
}

/// An order of rows and columns in which those before and behind the returned range form upper triangles.
fn triangular_order(matrix: &Mat<f64>) -> (Vec<usize>, std::ops::Range<usize>) {
    let n = matrix.nrows();
    let mut left: Vec<usize> = (0..n).collect();
    let (mut first, mut last) = (Vec::new(), Vec::new());
    let alone = |left: &[usize], entry: &dyn Fn(usize, usize) -> f64| {
        left.iter().position(|&k| {
            let mut others = left.iter().filter(|&&j| j != k);
            others.all(|&j| entry(k, j) == 0.0)
        })
    };
    loop {
        // A row that has nothing but its diagonal entry goes below, a column of this kind to the left.
        if let Some(place) = alone(&left, &|k, j| matrix[(k, j)]) {
            last.push(left.remove(place));
        } else if let Some(place) = alone(&left, &|k, j| matrix[(j, k)]) {
            first.push(left.remove(place));
        } else {
            break;
        }
    }
    let middle = first.len()..first.len() + left.len();
    first.extend(left);
    first.extend(last.into_iter().rev());
    (first, middle)
}
