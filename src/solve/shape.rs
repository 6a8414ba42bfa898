//! The sizes of a system that only an announced change of structure may change.

use super::{EventRecord, SolveErrorKind};
use crate::system::{System, event_descriptions};

/// Sizes of the layout, and the number of event functions, in the order of [`PARTS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape([usize; PARTS.len()]);

const PARTS: [&str; 11] = [
    "coordinates",
    "velocities",
    "position rows",
    "velocity rows",
    "differential states",
    "algebraic variables",
    "modes",
    "entries of the mass matrix",
    "entries of the constraint Jacobian",
    "entries of the rates' Jacobian",
    "event functions",
];

impl Shape {
    pub fn of(system: &mut dyn System) -> Self {
        let events = event_descriptions(system).len();
        let layout = system.layout();
        Self([
            layout.space.coordinates(),
            layout.dimension(),
            layout.position_rows,
            layout.velocity_rows,
            layout.differential,
            layout.algebraic,
            layout.modes,
            layout.mass.nnz(),
            layout.jacobian.nnz(),
            layout.rates.nnz(),
            events,
        ])
    }

    /// Refuses a system whose handler has changed its structure and did not say so.
    pub fn check(
        &self,
        system: &mut dyn System,
        event: impl FnOnce() -> EventRecord,
    ) -> Result<(), SolveErrorKind> {
        let now = Self::of(system);
        let sizes = self.0.into_iter().zip(now.0);
        let mut changed = sizes.zip(PARTS).filter(|((before, now), _)| before != now);
        let Some(((before, after), part)) = changed.next() else {
            return Ok(());
        };
        Err(SolveErrorKind::Structure {
            event: Box::new(event()),
            part,
            before,
            after,
        })
    }
}
