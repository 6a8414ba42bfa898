//! The command `liedae`, run as its users do.

mod analyse;
mod auto;
mod book;
mod check;
mod csv_rows;
mod exit_codes;
mod file_messages;
mod friction_cones;
mod interruption;
mod isolation;
mod json_shape;
mod mechanism_commands;
mod passivity;
mod pictures;
mod reports;
mod run_for_people;
mod site;
mod stiff_defaults;
mod store;
mod studies;
mod test_set;
