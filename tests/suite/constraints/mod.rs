//! Constraints: redundant rows, singular configurations, energy, the index of first-order systems.

mod algebraic_rows;
mod energy_projection;
mod first_order_index;
mod projector_reuse;
mod redundant_constraints;
mod rows_at_ends;
mod singular_moments;
