//! Symbolic factorizations that several solvers of one system share.

use std::fmt::{Debug, Formatter};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Symbolic factorizations that are in use, with the pattern of `A` that they were made for.
///
/// A method has several solvers for one system: for its steps, for starts, for projections. They share what depends on the
/// patterns alone, as long as one of them holds it.
pub(super) struct Shared<T>(Mutex<Vec<Weak<T>>>);

impl<T> Default for Shared<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> Debug for Shared<T> {
    fn fmt(&self, f: &mut Formatter) -> std::fmt::Result {
        f.debug_tuple("Shared").finish_non_exhaustive()
    }
}

impl<T> Shared<T> {
    /// One that fits, or a new one, if it can be made.
    pub fn get<E>(
        &self,
        fits: impl Fn(&T) -> bool,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<Arc<T>, E> {
        // A panic elsewhere leaves a list that is whole: entries are added in one step.
        let mut list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        list.retain(|shared| shared.strong_count() > 0);
        let mut known = list.iter().filter_map(Weak::upgrade);
        if let Some(shared) = known.find(|shared| fits(shared)) {
            return Ok(shared);
        }
        let shared = Arc::new(make()?);
        list.push(Arc::downgrade(&shared));
        Ok(shared)
    }
}
