//! Timed runs alone in the process, or beside other work.

use std::sync::{PoisonError, RwLock};

/// Lets timed runs through one at a time with everybody else waiting, or everybody at any time.
#[derive(Debug, Default)]
pub struct Gate {
    alone: Option<RwLock<()>>,
}

impl Gate {
    /// Timed runs are alone: other work waits outside.
    pub fn alone() -> Self {
        Self {
            alone: Some(RwLock::new(())),
        }
    }

    /// Does something whose time is measured.
    pub fn timed<R>(&self, work: impl FnOnce() -> R) -> R {
        let guard =
            (self.alone.as_ref()).map(|lock| lock.write().unwrap_or_else(PoisonError::into_inner));
        let result = work();
        drop(guard);
        result
    }

    /// Does something else.
    pub fn untimed<R>(&self, work: impl FnOnce() -> R) -> R {
        let guard =
            (self.alone.as_ref()).map(|lock| lock.read().unwrap_or_else(PoisonError::into_inner));
        let result = work();
        drop(guard);
        result
    }
}
