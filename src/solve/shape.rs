//! The sizes of a system that only an announced change of structure may change.

use super::{EventRecord, SolveErrorKind};
use crate::system::{System, event_descriptions};

/// Sizes of the layout, and the number of event functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape([(&'static str, usize); 11]);

impl Shape {
    pub fn of(system: &mut dyn System) -> Self {
        let events = event_descriptions(system).len();
        let layout = system.layout();
        Self([
            ("coordinates", layout.space.coordinates()),
            ("velocities", layout.dimension()),
            ("position rows", layout.position_rows),
            ("velocity rows", layout.velocity_rows),
            ("differential states", layout.differential),
            ("algebraic variables", layout.algebraic),
            ("modes", layout.modes),
            ("entries of the mass matrix", layout.mass.nnz()),
            ("entries of the constraint Jacobian", layout.jacobian.nnz()),
            ("entries of the rates' Jacobian", layout.rates.nnz()),
            ("event functions", events),
        ])
    }

    /// Refuses a system whose handler has changed its structure and did not say so.
    pub fn check(
        &self,
        system: &mut dyn System,
        event: &EventRecord,
    ) -> Result<(), SolveErrorKind> {
        let now = Self::of(system);
        let pairs = self.0.into_iter().zip(now.0);
        let changed =
            pairs
                .filter(|(before, now)| before != now)
                .map(|((part, before), (_, after))| SolveErrorKind::Structure {
                    event: Box::new(event.clone()),
                    part,
                    before,
                    after,
                });
        changed.take(1).try_for_each(Err)
    }
}
