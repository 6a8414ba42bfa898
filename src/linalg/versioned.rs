//! Values of a constant matrix, which need not be written or compared again.

use std::sync::atomic::{AtomicU64, Ordering};

/// Tells the values of a constant matrix from all others: lists that hold those of one number are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MatrixVersion(u64);

impl MatrixVersion {
    /// One that no other matrix has.
    pub fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// Values of a matrix that its owner keeps from step to step.
pub(crate) struct VersionedValues {
    pub values: Vec<f64>,
    /// Of a constant matrix, once they are known to be its own.
    pub number: Option<MatrixVersion>,
}

impl VersionedValues {
    /// Room for so many values.
    pub fn new(length: usize) -> Self {
        Self {
            values: vec![0.0; length],
            number: None,
        }
    }

    /// The values, to be written: they are no longer known to be those of a constant matrix.
    pub fn written(&mut self) -> &mut [f64] {
        self.number = None;
        &mut self.values
    }
}
