//! Measurements of a run that its caller can read.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A measurement that a stepper writes and the caller reads, for methods that measure something: a method holds nothing of a
/// run. Clones show the same.
///
/// ```
/// use liedae::integrator::Probe;
///
/// let gauge = Probe::<Vec<f64>>::default();
/// let stepper = gauge.clone();
/// stepper.write().push(0.5);
/// assert_eq!(*gauge.read(), [0.5]);
/// ```
#[derive(Debug, Default)]
pub struct Probe<T>(Arc<Mutex<T>>);

impl<T> Clone for Probe<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Probe<T> {
    /// What is shown, until the guard is dropped: a stepper that writes meanwhile waits.
    pub fn read(&self) -> MutexGuard<'_, T> {
        self.write()
    }

    /// What is shown, to be changed.
    pub fn write(&self) -> MutexGuard<'_, T> {
        // Numbers can be read, also those that a panic elsewhere left.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
