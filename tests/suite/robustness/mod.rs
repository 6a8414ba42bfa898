//! Bad input, limits, systems that misbehave, wrappers.

mod bad_input;
mod constant_mass;
mod forwarding;
mod inconsistent_starts;
mod infinite_slopes;
mod limits;
mod matrix;
mod misbehaving_systems;
mod right_sides;
mod several_roots;
mod shared_directions;
mod stages_not_finite;
mod stated_balance;
mod stated_model_balance;
mod stated_rates;
mod system_checks;
mod time_limit;
mod too_large;
mod without_freedom;
mod wrapped_methods;
