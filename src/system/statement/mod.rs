//! The statement of a system: functions, sizes, events, contacts, and their errors.

pub(in crate::system) mod any_system;
pub(in crate::system) mod balance;
pub(in crate::system) mod closures;
pub(in crate::system) mod error;
pub(in crate::system) mod events;
pub(in crate::system) mod first_order;
pub(in crate::system) mod fmt_state;
pub(in crate::system) mod formulation;
pub(in crate::system) mod forwarding;
pub(in crate::system) mod labels;
pub(in crate::system) mod layout;
pub(in crate::system) mod matrix;
pub(in crate::system) mod model;
pub(in crate::system) mod parts;
pub(in crate::system) mod point;
pub(in crate::system) mod properties;
pub(in crate::system) mod request;
pub(in crate::system) mod system;
