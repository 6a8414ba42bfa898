//! Ending early from outside.

use crate::solve::{Observer, StepView};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Ends runs from outside: by another thread, when a key is pressed, by the result of another run. All clones are one.
///
/// As an [`Observer`] it ends a run at its next step. An [`Ensemble`](super::Ensemble) that is cancelled draws no more members;
/// those in progress end with [`MemberError::Cancelled`](super::MemberError::Cancelled).
///
/// ```
/// use liedae::prelude::*;
/// use liedae::solve::{Cancel, Ensemble};
///
/// let cancel = Cancel::default();
/// let ensemble = Ensemble::default().cancelled_by(&cancel);
/// // Anywhere, at any time:
/// cancel.cancel();
/// let none = ensemble.map(0..10, |member| Ok(member));
/// assert!(none.is_empty());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    cancelled: Arc<AtomicBool>,
    /// Cancels this one as well.
    outer: Option<Arc<AtomicBool>>,
}

impl Cancel {
    /// Ends what looks at this, or at a clone. There is no way back.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether that has happened.
    pub fn is_cancelled(&self) -> bool {
        let is_set = |flag: &Arc<AtomicBool>| flag.load(Ordering::Relaxed);
        is_set(&self.cancelled) || self.outer.as_ref().is_some_and(is_set)
    }

    /// One that this one cancels, but not the other way round.
    pub(super) fn inner(&self) -> Self {
        Self {
            cancelled: Arc::default(),
            outer: Some(Arc::clone(&self.cancelled)),
        }
    }
}

impl Observer for Cancel {
    fn observe(&mut self, _step: &mut StepView) -> ControlFlow<()> {
        if self.is_cancelled() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}
