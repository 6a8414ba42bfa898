//! Mechanism files: what they make, and what is said of those that are wrong.

mod alike;
mod energy;
mod mistakes;
mod refusals;

use std::fs;
use std::path::PathBuf;

/// The text of an example.
fn example(name: &str) -> String {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path = root.join("examples/mechanisms").join(name);
    fs::read_to_string(path).expect("an example")
}
