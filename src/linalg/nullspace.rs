//! The null space of `B^T` and the least-norm rule.

/// Orthonormal basis of the undetermined multipliers, vectors of length `m` one after another.
#[derive(Default)]
pub(super) struct NullSpace {
    m: usize,
    basis: Vec<f64>,
}

impl NullSpace {
    pub fn new(m: usize) -> Self {
        Self {
            m,
            basis: Vec::new(),
        }
    }

    pub fn clear(&mut self) {
        self.basis.clear();
    }

    pub fn is_empty(&self) -> bool {
        self.basis.is_empty()
    }

    /// Adds the direction of `y`, orthogonalized twice against the basis (once is not enough when
    /// `y` is nearly in its span). False if nothing of it is left.
    pub fn push(&mut self, y: &[f64]) -> bool {
        let largest = y.iter().fold(0.0_f64, |max, v| max.max(v.abs()));
        let start = self.basis.len();
        // The largest component brought to 1, so that squares neither over- nor underflow.
        self.basis.extend(y.iter().map(|v| v / largest));
        let (old, new) = self.basis.split_at_mut(start);
        for _ in 0..2 {
            remove(old, self.m, new);
            let norm = new.iter().map(|v| v * v).sum::<f64>().sqrt();
            new.iter_mut().for_each(|v| *v /= norm);
        }
        // Division by zero norm leaves NaN: nothing was left of the vector.
        let fresh = new.iter().all(|v| v.is_finite());
        if !fresh {
            self.basis.truncate(start);
        }
        fresh
    }

    /// Replaces `y` by the least-norm vector of `y + null space`.
    pub fn project(&self, y: &mut [f64]) {
        // Twice, as in `push`.
        for _ in 0..2 {
            remove(&self.basis, self.m, y);
        }
    }
}

/// Subtracts from `y` its components along the orthonormal `basis`.
fn remove(basis: &[f64], m: usize, y: &mut [f64]) {
    if m == 0 {
        return;
    }
    for z in basis.chunks_exact(m) {
        let product: f64 = z.iter().zip(y.iter()).map(|(z, y)| z * y).sum();
        for (y, &z) in y.iter_mut().zip(z) {
            *y -= product * z;
        }
    }
}
