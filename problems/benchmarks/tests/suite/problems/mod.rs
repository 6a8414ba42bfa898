//! The problems themselves: references, statements, derivatives.

mod analyses;
mod contact_derivatives;
mod drawings;
mod energy;
mod flexible;
mod flexible_links;
mod formulations;
mod long_chains;
mod plane_mechanisms;
mod rates_pattern;
mod registry;
mod rotation_parametrizations;
mod solutions;
mod space_mechanisms;
mod statements;
mod vector_space_and_tops;
