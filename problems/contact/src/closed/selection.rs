//! Which rows of closed contacts are independent.

use crate::laws::dependence::DEPENDENT;

/// Rows accepted one after the other, with the Cholesky factor of their Delassus matrix.
pub(crate) struct Selection<'a> {
    matrix: &'a [f64],
    size: usize,
    scale: &'a [f64],
    /// Accepted rows.
    pub rows: Vec<usize>,
    /// Lower triangle, row by row.
    factor: Vec<Vec<f64>>,
}

impl<'a> Selection<'a> {
    /// None yet, of the rows of a symmetric `size` x `size` matrix; `scale` is what pivots are measured against.
    pub fn new(matrix: &'a [f64], scale: &'a [f64]) -> Self {
        Self {
            matrix,
            size: scale.len(),
            scale,
            rows: Vec::new(),
            factor: Vec::new(),
        }
    }

    /// What a unit force in a row moves there.
    pub fn mobility(&self, row: usize) -> f64 {
        self.matrix[row * (self.size + 1)]
    }

    /// The part of a row along those accepted before, and its pivot if it is independent of them.
    fn reduce(&self, row: usize) -> (Vec<f64>, Option<f64>) {
        let mut entries = Vec::with_capacity(self.rows.len() + 1);
        for (index, &other) in self.rows.iter().enumerate() {
            let products = entries.iter().zip(&self.factor[index]);
            let inner: f64 = products.map(|(a, b): (&f64, &f64)| a * b).sum();
            entries
                .push((self.matrix[row * self.size + other] - inner) / self.factor[index][index]);
        }
        let squares: f64 = entries.iter().map(|entry| entry * entry).sum();
        let pivot = self.matrix[row * self.size + row] - squares;
        let independent = pivot > DEPENDENT * self.scale[row] && pivot > 0.0;
        (entries, independent.then_some(pivot))
    }

    /// What a row has of its own beside those accepted before, as a share of what it would have without joints; `None` if it
    /// depends on them.
    pub fn independence(&self, row: usize) -> Option<f64> {
        let (_, pivot) = self.reduce(row);
        pivot.map(|pivot| pivot / self.scale[row])
    }

    /// Accepts a row unless it depends on those before; otherwise returns its coefficients in them.
    pub fn accept(&mut self, row: usize) -> Result<(), Vec<f64>> {
        let (mut entries, pivot) = self.reduce(row);
        if let Some(pivot) = pivot {
            entries.push(pivot.sqrt());
            self.factor.push(entries);
            self.rows.push(row);
            return Ok(());
        }
        Err(self.coefficients(entries))
    }

    /// Whether a row depends on those accepted before.
    pub fn implies(&self, row: usize) -> bool {
        self.reduce(row).1.is_none()
    }

    /// The coefficients of a row in those accepted before, if it depends on them.
    pub fn dependence(&self, row: usize) -> Option<Vec<f64>> {
        let (entries, pivot) = self.reduce(row);
        pivot.is_none().then(|| self.coefficients(entries))
    }

    /// Of a row that depends on those accepted, by its part along them.
    fn coefficients(&self, entries: Vec<f64>) -> Vec<f64> {
        // Lᵀ c = entries
        let mut coefficients = entries;
        for index in (0..coefficients.len()).rev() {
            let later: f64 = (index + 1..coefficients.len())
                .map(|k| self.factor[k][index] * coefficients[k])
                .sum();
            coefficients[index] = (coefficients[index] - later) / self.factor[index][index];
        }
        coefficients
    }
}
