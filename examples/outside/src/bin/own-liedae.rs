//! The `liedae` command with a bead on a wire and Heun's method in it.
//!
//! `cargo run --release --manifest-path examples/outside/Cargo.toml --bin own-liedae -- compare bead-on-wire,quick --methods
//! heun,hem5,rk4,radau5 --out comparison`

use liedae::integrator::MethodEntry;
use liedae_compare::{Registry, main_with};
use outside::bead::BEAD;
use outside::heun::{HEUN, Heun};
use std::error::Error;
use std::process::ExitCode;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let heun = MethodEntry::new(&HEUN, |_| Box::new(Heun));
    let registry = Registry::standard().with_method(heun)?.with_problem(BEAD)?;
    Ok(main_with(&registry))
}
