//! Which rows are independent: Cholesky's factorization of their Gram matrix with pivots of one's choice.

/// Rows in the order of their pivots, the independent ones first, and the factor of the Gram matrix of rows of unit length.
///
/// What is left of a pivot is sin² of the angle between the row and the span of those before it.
#[derive(Clone, Debug)]
pub(crate) struct RowChoice {
    rows: usize,
    kept: usize,
    order: Vec<usize>,
    dropped: Vec<usize>,
    /// Lower triangle, row-major, rows in pivot order; columns of the kept rows.
    factor: Vec<f64>,
    /// What is left of the pivots, in pivot order.
    left: Vec<f64>,
    /// Lengths of the rows.
    length: Vec<f64>,
    /// Coefficients by which dropped rows depend on kept ones, and the matrix for multipliers of least norm.
    coefficients: Vec<f64>,
    normal: Vec<f64>,
    work: Vec<f64>,
}

impl RowChoice {
    /// All of so many rows.
    pub fn new(rows: usize) -> Self {
        Self {
            rows,
            kept: rows,
            order: (0..rows).collect(),
            dropped: Vec::with_capacity(rows),
            factor: vec![0.0; rows * rows],
            left: vec![1.0; rows],
            length: vec![1.0; rows],
            coefficients: vec![0.0; rows * rows],
            normal: vec![0.0; rows * rows],
            work: vec![0.0; rows],
        }
    }

    /// Rows that depend on the others, increasing.
    pub fn dropped(&self) -> &[usize] {
        &self.dropped
    }

    /// How many rows are kept.
    pub fn kept(&self) -> usize {
        self.kept
    }

    /// The least pivot of the kept rows, of the factorization made last: sin² of the angle to the rows before. One if none is kept.
    pub fn least_pivot(&self) -> f64 {
        (self.left[..self.kept].iter()).fold(1.0, |least: f64, &left| least.min(left))
    }

    /// Chooses rows whose sin² to the span of those chosen before exceeds `tolerance`, the largest first and of equal ones
    /// the first.
    pub fn choose(&mut self, gram: &[f64], tolerance: f64) {
        self.choose_at_most(gram, tolerance, self.rows);
    }

    /// The same, but no more than so many rows.
    pub fn choose_at_most(&mut self, gram: &[f64], tolerance: f64, most: usize) {
        let m = self.rows;
        for (index, row) in self.order.iter_mut().enumerate() {
            *row = index;
        }
        self.measure(gram);
        self.kept = 0;
        for k in 0..m.min(most) {
            let mut pivot = k;
            for i in k + 1..m {
                let (candidate, best) = (self.left[i], self.left[pivot]);
                // Rounding must not decide between duplicates.
                let earlier = candidate >= best * (1.0 - 1e-6) && self.order[i] < self.order[pivot];
                if candidate > best * (1.0 + 1e-6) || earlier {
                    pivot = i;
                }
            }
            if self.left[pivot].is_nan() || self.left[pivot] <= tolerance {
                break;
            }
            self.exchange(k, pivot);
            self.eliminate(gram, k);
            self.kept = k + 1;
        }
        self.list_dropped();
    }

    /// Factorizes for the rows kept before. The least pivot of theirs, and the largest that is left of a dropped row.
    pub fn refactor(&mut self, gram: &[f64]) -> (f64, f64) {
        self.measure(gram);
        let mut least = f64::INFINITY;
        for k in 0..self.kept {
            least = least.min(self.left[k]);
            // A kept row has become dependent to round-off: no factor can be made with it.
            if self.left[k].is_nan() || self.left[k] <= f64::EPSILON {
                return (0.0, 1.0);
            }
            self.eliminate(gram, k);
        }
        let largest = self.left[self.kept..]
            .iter()
            .fold(0.0, |max: f64, &left| max.max(left));
        (least, largest)
    }

    /// Drops the kept row that adds least to the span of the others; its sin², or `None` if a single row is left.
    pub fn drop_weakest(&mut self, gram: &[f64]) -> Option<f64> {
        if self.kept < 2 {
            return None;
        }
        self.kept -= 1;
        let weakest = self.left[self.kept];
        // Without its last pivot the factor is that of the others, but what is left of each row changes.
        self.refactor(gram);
        self.list_dropped();
        Some(weakest)
    }

    /// Replaces multipliers of all rows by those of the kept rows that give the same force, λ_k + Wᵀ λ_d with G_d = W G_k.
    pub fn gather(&mut self, lambda: &mut [f64]) {
        self.express_dropped();
        let kept = self.kept;
        for (d, &row) in self.order[kept..].iter().enumerate() {
            let multiplier = std::mem::replace(&mut lambda[row], 0.0);
            let coefficients = &self.coefficients[d * kept..(d + 1) * kept];
            for (&w, &k) in coefficients.iter().zip(&self.order) {
                lambda[k] += w * multiplier;
            }
        }
    }

    /// The coefficients W of G_d = W G_k.
    fn express_dropped(&mut self) {
        let (m, kept) = (self.rows, self.kept);
        for d in 0..m - kept {
            let row = &mut self.coefficients[d * kept..(d + 1) * kept];
            row.copy_from_slice(&self.factor[(kept + d) * m..][..kept]);
            for k in (0..kept).rev() {
                row[k] /= self.factor[k * m + k];
                let (head, tail) = row.split_at_mut(k);
                for (entry, l) in head.iter_mut().zip(&self.factor[k * m..]) {
                    *entry -= tail[0] * l;
                }
            }
            // From rows of unit length to rows as they are.
            let own = self.length[self.order[kept + d]];
            for (entry, &k) in row.iter_mut().zip(&self.order) {
                *entry *= own / self.length[k];
            }
        }
    }

    /// Replaces the multipliers of the kept rows by those of least norm of all rows that give the same force.
    ///
    /// With G_d = W G_k they are λ_d = (1 + W Wᵀ)⁻¹ W λ_k and λ_k - Wᵀ λ_d.
    pub fn spread(&mut self, lambda: &mut [f64]) {
        self.express_dropped();
        let kept = self.kept;
        let count = self.rows - kept;
        let row = |d: usize| &self.coefficients[d * kept..(d + 1) * kept];
        for i in 0..count {
            let products = row(i).iter().zip(&self.order);
            self.work[i] = products.map(|(w, &k)| w * lambda[k]).sum();
            for j in 0..=i {
                let sum: f64 = row(i).iter().zip(row(j)).map(|(a, b)| a * b).sum();
                // 1 + W Wᵀ.
                self.normal[i * count + j] = sum + f64::from(u8::from(i == j));
            }
        }
        solve_definite(&mut self.normal, count, &mut self.work);
        for d in 0..count {
            let multiplier = self.work[d];
            lambda[self.order[kept + d]] = multiplier;
            for (&w, &k) in self.coefficients[d * kept..(d + 1) * kept]
                .iter()
                .zip(&self.order)
            {
                lambda[k] -= w * multiplier;
            }
        }
    }

    fn measure(&mut self, gram: &[f64]) {
        let m = self.rows;
        for (row, length) in self.length.iter_mut().enumerate() {
            *length = gram[row * m + row].max(0.0).sqrt();
        }
        for (left, &row) in self.left.iter_mut().zip(&self.order) {
            // Unit rows: sin² is 1 before anything is chosen.
            *left = f64::from(u8::from(self.length[row] > 0.0));
        }
    }

    fn exchange(&mut self, k: usize, pivot: usize) {
        if k != pivot {
            let m = self.rows;
            self.order.swap(k, pivot);
            self.left.swap(k, pivot);
            let (head, tail) = self.factor.split_at_mut(pivot * m);
            head[k * m..k * m + k].swap_with_slice(&mut tail[..k]);
        }
    }

    /// Column k of the factor.
    fn eliminate(&mut self, gram: &[f64], k: usize) {
        let m = self.rows;
        let pivot = self.left[k].sqrt();
        self.factor[k * m + k] = pivot;
        let own = self.order[k];
        let (head, tail) = self.factor.split_at_mut((k + 1) * m);
        let row_k = &head[k * m..k * m + k];
        for (offset, row) in tail.chunks_exact_mut(m).enumerate() {
            let i = k + 1 + offset;
            let other = self.order[i];
            let length = self.length[own] * self.length[other];
            // Cosine of the angle between two rows.
            let entry = if length > 0.0 {
                gram[other * m + own] / length
            } else {
                0.0
            };
            let known: f64 = row.iter().zip(row_k).map(|(a, b)| a * b).sum();
            row[k] = (entry - known) / pivot;
            // sin² that is left; round-off may make it negative.
            self.left[i] = (self.left[i] - row[k] * row[k]).max(0.0);
        }
    }

    fn list_dropped(&mut self) {
        self.dropped.clear();
        self.dropped.extend_from_slice(&self.order[self.kept..]);
        self.dropped.sort_unstable();
    }
}

/// Overwrites `b` by A⁻¹ b and the lower triangle of the positive definite A (`size` x `size`) by its factor.
fn solve_definite(a: &mut [f64], size: usize, b: &mut [f64]) {
    for i in 0..size {
        for j in 0..=i {
            let (upper, lower) = a.split_at_mut(i * size);
            let left = &lower[..j];
            if i == j {
                let known: f64 = left.iter().map(|l| l * l).sum();
                lower[i] = (lower[i] - known).sqrt();
            } else {
                let above = &upper[j * size..];
                let known: f64 = left.iter().zip(above).map(|(l, r)| l * r).sum();
                lower[j] = (lower[j] - known) / above[j];
            }
        }
    }
    for i in 0..size {
        let row = &a[i * size..];
        let known: f64 = row[..i].iter().zip(b.iter()).map(|(l, x)| l * x).sum();
        b[i] = (b[i] - known) / row[i];
    }
    for i in (0..size).rev() {
        b[i] /= a[i * size + i];
        let (head, tail) = b.split_at_mut(i);
        for (x, l) in head.iter_mut().zip(&a[i * size..]) {
            *x -= tail[0] * l;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gram matrix of rows in the plane or in space.
    fn gram(rows: &[[f64; 3]]) -> Vec<f64> {
        let product = |a: &[f64; 3], b: &[f64; 3]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        rows.iter()
            .flat_map(|a| rows.iter().map(move |b| product(a, b)))
            .collect()
    }

    #[test]
    fn dependent_rows_are_dropped_whatever_their_length() {
        let rows = [
            [1e-3, 0.0, 0.0],
            [2.0, 0.0, 0.0],
            [1.0, 5.0, 0.0],
            [0.0; 3],
            [0.0, 1e4, 0.0],
        ];
        let mut choice = RowChoice::new(rows.len());
        choice.choose(&gram(&rows), 1e-12);
        assert_eq!(choice.dropped(), [1, 2, 3]);
        assert_eq!(choice.refactor(&gram(&rows)).0, 1.0);
    }

    #[test]
    fn spread_multipliers_give_the_same_force_and_are_orthogonal_to_the_null_space() {
        // Row 3 = row 0 + 2 row 1, row 2 = 3 row 0.
        let rows = [
            [1.0, 1.0, 0.0],
            [0.0, 1.0, 2.0],
            [3.0, 3.0, 0.0],
            [1.0, 3.0, 4.0],
        ];
        let mut choice = RowChoice::new(rows.len());
        choice.choose(&gram(&rows), 1e-12);
        let mut lambda = [1.0, -2.0, 0.5, 3.0];
        for &row in choice.dropped() {
            lambda[row] = 0.0;
        }
        let force = |lambda: &[f64; 4]| -> Vec<f64> {
            (0..3)
                .map(|j| (0..4).map(|i| rows[i][j] * lambda[i]).sum())
                .collect()
        };
        let before = force(&lambda);
        choice.spread(&mut lambda);
        for (a, b) in before.iter().zip(force(&lambda)) {
            approx::assert_relative_eq!(*a, b, epsilon = 1e-13);
        }
        let null = [[3.0, 0.0, -1.0, 0.0], [1.0, 2.0, 0.0, -1.0]];
        for vector in null {
            let product: f64 = vector.iter().zip(&lambda).map(|(a, b)| a * b).sum();
            assert!(product.abs() < 1e-13, "{product:e}");
        }
    }

    #[test]
    fn gathered_multipliers_give_the_same_force_by_kept_rows_alone() {
        // Row 2 = 3 row 0, row 3 = row 0 + 2 row 1.
        let rows = [
            [1.0, 1.0, 0.0],
            [0.0, 1.0, 2.0],
            [3.0, 3.0, 0.0],
            [1.0, 3.0, 4.0],
        ];
        let force = |lambda: &[f64; 4]| -> Vec<f64> {
            (0..3)
                .map(|j| (0..4).map(|i| rows[i][j] * lambda[i]).sum())
                .collect()
        };
        let mut choice = RowChoice::new(rows.len());
        choice.choose(&gram(&rows), 1e-12);
        let mut lambda = [1.0, -2.0, 0.5, 3.0];
        let before = force(&lambda);
        choice.gather(&mut lambda);
        assert!(choice.dropped().iter().all(|&row| lambda[row] == 0.0));
        for (a, b) in before.iter().zip(force(&lambda)) {
            approx::assert_relative_eq!(*a, b, epsilon = 1e-13);
        }
    }

    #[test]
    fn the_weakest_row_goes_first() {
        let rows = [[1.0, 0.0, 0.0], [1.0, 1e-3, 0.0], [0.0, 0.0, 1.0]];
        let mut choice = RowChoice::new(rows.len());
        choice.choose(&gram(&rows), 1e-12);
        assert!(choice.dropped().is_empty());
        let weakest = choice.drop_weakest(&gram(&rows)).expect("three rows");
        approx::assert_relative_eq!(weakest, 1e-6, max_relative = 1e-2);
        assert_eq!(choice.dropped(), [1]);
    }
}
