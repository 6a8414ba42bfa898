//! Mechanism files: what they make, and what is said of those that are wrong.

mod alike;
mod beams;
mod bearings;
mod carts;
mod definitions;
mod dry_friction;
mod energy;
mod exports;
mod found;
mod gripper;
mod held_contacts;
mod held_joints;
mod impasse;
mod jammed;
mod laws;
mod leaving;
mod mistakes;
mod modal_beams;
mod passing;
mod plane;
mod redundant_friction;
mod refusals;
mod sharing;
mod slow_starts;
#[cfg(feature = "urdf")]
mod urdf;

use liedae::prelude::*;
use std::fs;
use std::path::PathBuf;

/// The text of an example.
fn example(name: &str) -> String {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path = root.join("examples/mechanisms").join(name);
    fs::read_to_string(path).expect("an example")
}

/// Accepted steps, and the state at the end to the last bit.
fn bits_of_run(system: &mut dyn System, method: &str, t_end: f64) -> (usize, Vec<u64>) {
    let registry = liedae_contact::methods();
    let method = registry
        .build(method, &MethodOptions::default())
        .expect("a method");
    let options = Options::adaptive(t_end, 1e-7, 1e-7);
    let run = solve(system, method.as_ref(), &options).expect("a run");
    let parts = [run.state.q, run.state.v, run.state.lambda].concat();
    let bits = parts.into_iter().map(f64::to_bits).collect();
    (run.statistics.accepted, bits)
}

#[test]
fn the_schema_describes_keys_without_the_examples_of_the_documentation() {
    let schema = liedae_multibody::file::MechanismFile::schema();
    let described = "\"description\": \"A body, where it stands at assembly.\"";
    assert!(schema.contains(described) && !schema.contains("```"));
}
