//! Redundant contacts share friction and load: nothing slips or opens while forces exist that hold everything.

mod closed_forms;
mod loaded;
mod margin;
mod random;
