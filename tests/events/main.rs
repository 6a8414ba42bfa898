//! Events: located, handled, with redundant rows and changes of structure.

#[path = "../common/mod.rs"]
mod common;

mod event_location;
mod handlers;
mod redundant_events;
mod restructure;
