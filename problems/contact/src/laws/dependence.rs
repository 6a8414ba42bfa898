//! How columns of forces depend on each other at one moment.

use liedae::linalg::DEPENDENT_PIVOT;

/// A row whose pivot is below this multiple of its diagonal without joints depends on the others. Pivots are quadratic in the
/// rows.
///
/// It is ten times the border of the linear solver: what becomes a row here must not be found redundant by the solver, which
/// measures pivots against other terms.
pub(crate) const DEPENDENT: f64 = 10.0 * DEPENDENT_PIVOT;

/// A row that takes part in another one with a share below this, of the other one's size, does not share its force: it would tie
/// two groups of contacts together that have nothing to do with each other.
///
/// Shares come from a factorization with pivots down to [`DEPENDENT`], which magnify round-off.
pub(crate) const TAKES_NO_PART: f64 = 1e-7;

/// The entries of the symmetric part of a square matrix, row by row, of this size: gyroscopic terms leave a Delassus matrix unsymmetric, and
/// forces without effect are those of its symmetric part.
pub(crate) fn symmetric_part(matrix: &[f64], size: usize) -> impl Fn(usize, usize) -> f64 {
    move |i, j| 0.5 * (matrix[i * size + j] + matrix[j * size + i])
}

/// A base of columns, and the others as sums of it.
///
/// Columns are known by their Delassus matrix G K⁻¹ Gᵀ, whose rank is theirs.
#[derive(Debug, Default)]
pub(crate) struct Dependence {
    /// The base, then the others.
    order: Vec<usize>,
    rank: usize,
    /// Rows of Cholesky's factor, one for each column: the first `rank` entries count.
    factor: Vec<f64>,
    /// The remaining diagonal after the pivots, and the original diagonal.
    rest: Vec<f64>,
    diagonal: Vec<f64>,
}

impl Dependence {
    /// Factorizes the matrix of so many columns. The first `base` of them are the base, unless they have become dependent:
    /// then another one is chosen by pivots.
    pub fn find(&mut self, columns: usize, base: usize, product: impl Fn(usize, usize) -> f64) {
        if !self.factor_in_order(columns, base, &product) {
            self.find_by_pivots(columns, product);
        }
    }

    /// Factorizes the matrix of so many columns, with those of the first ones as base that are independent in their order.
    pub fn find_among(
        &mut self,
        columns: usize,
        first: usize,
        product: impl Fn(usize, usize) -> f64,
    ) {
        self.begin(columns, &product);
        for column in 0..first {
            if !self.is_implied(column)
                && let Some(place) = self.order.iter().position(|&one| one == column)
            {
                self.order.swap(self.rank, place);
                self.take(&product);
            }
        }
    }

    /// Whether a column is in the base or a sum of it.
    pub fn is_implied(&self, column: usize) -> bool {
        self.rest[column] <= DEPENDENT * self.diagonal[column]
    }

    /// The remaining diagonal of a column, beside the base.
    pub fn rest(&self, column: usize) -> f64 {
        self.rest[column]
    }

    /// Number of columns beside the base, each a direction of splits.
    pub fn count(&self) -> usize {
        self.order.len() - self.rank
    }

    fn begin(&mut self, columns: usize, product: &impl Fn(usize, usize) -> f64) {
        self.order.clear();
        self.order.extend(0..columns);
        self.factor.clear();
        self.factor.resize(columns * columns, 0.0);
        self.diagonal.clear();
        self.diagonal
            .extend((0..columns).map(|column| product(column, column)));
        self.rest.clone_from(&self.diagonal);
        self.rank = 0;
    }

    /// Takes the column in place `self.rank` of the order into the base.
    fn take(&mut self, product: &impl Fn(usize, usize) -> f64) {
        let (columns, rank) = (self.order.len(), self.rank);
        let pivot = self.order[rank];
        let root = self.rest[pivot].sqrt();
        self.factor[pivot * columns + rank] = root;
        for &column in &self.order[rank + 1..] {
            let [own, of_pivot] = [column, pivot].map(|one| one * columns);
            let inner: f64 = (0..rank)
                .map(|k| self.factor[own + k] * self.factor[of_pivot + k])
                .sum();
            let entry = (product(column, pivot) - inner) / root;
            self.factor[own + rank] = entry;
            self.rest[column] -= entry * entry;
        }
        self.rank += 1;
    }

    /// Whether the first columns are independent.
    fn factor_in_order(
        &mut self,
        columns: usize,
        base: usize,
        product: &impl Fn(usize, usize) -> f64,
    ) -> bool {
        self.begin(columns, product);
        while self.rank < base {
            if self.is_implied(self.rank) {
                return false;
            }
            self.take(product);
        }
        true
    }

    /// Factorizes the matrix of so many columns, with a base chosen by pivots.
    pub fn find_by_pivots(&mut self, columns: usize, product: impl Fn(usize, usize) -> f64) {
        self.begin(columns, &product);
        let diagonal = self.diagonal.iter();
        let largest = diagonal.fold(0.0, |most: f64, one| most.max(*one));
        while self.rank < columns {
            // What joints alone hold has a diagonal of round-off.
            let left =
                |column: usize| self.rest[column] / self.diagonal[column].max(DEPENDENT * largest);
            let places = self.rank..columns;
            let best = places.max_by(|&a, &b| left(self.order[a]).total_cmp(&left(self.order[b])));
            let Some(best) = best else { return };
            let most = left(self.order[best]);
            if most.is_nan() || most <= DEPENDENT {
                return;
            }
            self.order.swap(self.rank, best);
            self.take(&product);
        }
    }

    /// The columns of the base, each with what the ones before it left of its diagonal.
    pub fn pivots(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let columns = self.order.len();
        let base = self.order[..self.rank].iter().enumerate();
        base.map(move |(k, &column)| (column, self.factor[column * columns + k].powi(2)))
    }

    /// The columns that are part of a direction, one of those that [`directions`](Self::directions) has given.
    pub fn members<'a>(
        &self,
        directions: &'a [f64],
        direction: usize,
    ) -> impl Iterator<Item = usize> + Clone + use<'a> {
        let shares = directions.iter().skip(direction).step_by(self.count());
        let shares = shares.enumerate();
        shares.filter_map(|(column, share)| (share.abs() > TAKES_NO_PART).then_some(column))
    }

    /// Marks the columns that share a direction with a marked one, and those that share one with these.
    pub fn link(&self, directions: &[f64], marked: &mut [bool]) {
        let mut changes = true;
        while std::mem::take(&mut changes) {
            for direction in 0..self.count() {
                let members = self.members(directions, direction);
                if members.clone().any(|column| marked[column]) {
                    for column in members {
                        changes |= !std::mem::replace(&mut marked[column], true);
                    }
                }
            }
        }
    }

    /// One row of [`count`](Self::count) entries for each column: the forces of each direction, 1 in its own column.
    pub fn directions(&self, out: &mut Vec<f64>) {
        let (columns, count, rank) = (self.order.len(), self.count(), self.rank);
        let entry = |column: usize, k: usize| self.factor[column * columns + k];
        out.clear();
        out.resize(columns * count, 0.0);
        for (direction, &column) in self.order[rank..].iter().enumerate() {
            for i in (0..rank).rev() {
                // Lᵀ shares = the column's row of the factor.
                let pivot = self.order[i];
                let later: f64 = (i + 1..rank)
                    .map(|k| entry(self.order[k], i) * -out[self.order[k] * count + direction])
                    .sum();
                let share = (entry(column, i) - later) / entry(pivot, i);
                out[pivot * count + direction] = -share;
            }
            out[column * count + direction] = 1.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Products of these columns.
    fn find(columns: &[[f64; 3]], base: usize) -> (usize, Vec<f64>) {
        let mut dependence = Dependence::default();
        let product = |a: usize, b: usize| {
            let terms = columns[a].iter().zip(&columns[b]);
            terms.map(|(a, b)| a * b).sum::<f64>()
        };
        dependence.find(columns.len(), base, product);
        let mut directions = Vec::new();
        dependence.directions(&mut directions);
        (dependence.count(), directions)
    }

    /// Every direction has no force.
    fn cancels(columns: &[[f64; 3]], count: usize, directions: &[f64]) {
        for direction in 0..count {
            for axis in 0..3 {
                let terms = columns.iter().enumerate();
                let sum: f64 = terms
                    .map(|(column, force)| force[axis] * directions[column * count + direction])
                    .sum();
                assert!(sum.abs() < 1e-12, "{sum}");
            }
        }
    }

    #[test]
    fn the_base_of_the_event_is_kept_while_it_is_independent() {
        let columns = [[1.0, 0.0, 0.0], [1.0, 2.0, 0.0], [3.0, 1.0, 0.0]];
        let (count, directions) = find(&columns, 2);
        assert_eq!(count, 1);
        cancels(&columns, count, &directions);
        assert!((directions[2] - 1.0).abs() < 1e-15);
    }

    #[test]
    fn another_base_is_chosen_where_it_has_become_dependent() {
        let columns = [[1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [3.0, 1.0, 0.0]];
        let (count, directions) = find(&columns, 2);
        assert_eq!(count, 1);
        cancels(&columns, count, &directions);
        assert!(directions.iter().any(|force| *force != 0.0));
    }

    #[test]
    fn a_rank_that_falls_is_one_more_direction() {
        let columns = [[1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [3.0, 0.0, 0.0]];
        let (count, directions) = find(&columns, 2);
        assert_eq!(count, 2);
        cancels(&columns, count, &directions);
    }
}
