//! Methods: orders, dense output, controllers, what each promises.

mod bdf;
mod between_steps;
mod closures;
mod component_order;
mod controllers;
mod dense_output;
mod driver;
mod generalized_alpha;
mod halvings;
mod mass_ratio;
mod method_options;
mod newton_convergence;
mod observed_order;
mod orders;
mod projections;
mod quadratures;
mod radau5;
mod rattle_symmetry;
mod state_space;
mod turning;
mod units;
mod units_of_time;
