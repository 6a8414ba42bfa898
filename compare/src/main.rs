//! The `liedae` command, see the library `liedae_compare`.

use liedae_compare::{Registry, main_with};
use std::process::ExitCode;

fn main() -> ExitCode {
    main_with(&Registry::standard())
}
