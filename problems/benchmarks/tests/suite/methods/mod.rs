//! Methods on benchmark problems: published statistics, floors, runs that nobody disturbs.

mod andrews_statistics;
mod bdf;
mod between_steps;
mod fifth_order;
mod first_order_over_all_steps;
mod long_iterates;
mod looking;
mod newton_floors;
mod passivity;
mod radau5;
mod radau5_original;
mod rattle_energy;
