//! Contacts in benchmark problems.

mod capturing;
mod contact_starts;
mod energy_between_events;
mod first_order_contacts;
mod set2_a;
mod set2_b;
mod spatial;
