//! Running the command in tests.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

/// Runs `liedae` with these arguments.
pub fn liedae(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_liedae"))
        .args(arguments)
        // Tests leave nothing behind in the folder of whoever runs them.
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .output()
        .expect("the command starts")
}

/// Standard output as text.
pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

/// Standard error as text, without the line about a build that is not optimized, as that of `cargo test` without `--release`.
pub fn stderr(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let lines = text.split_inclusive('\n');
    lines.filter(|line| !line.contains(UNOPTIMIZED)).collect()
}

/// How the remark about a build begins that is not optimized.
const UNOPTIMIZED: &str = "Built with opt-level";

/// Runs with `--json` and returns exit code and object.
pub fn json(arguments: &[&str]) -> (i32, Value) {
    let output = liedae(&[arguments, &["--json"]].concat());
    let code = output.status.code().expect("no signal");
    let mut value: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{arguments:?}: {error}: {}", stdout(&output)));
    // As `stderr` has it.
    if let Some(notes) = value.get_mut("notes").and_then(Value::as_array_mut) {
        notes.retain(|note| {
            !note
                .as_str()
                .is_some_and(|note| note.starts_with(UNOPTIMIZED))
        });
        if notes.is_empty() {
            value.as_object_mut().map(|object| object.remove("notes"));
        }
    }
    (code, value)
}

/// The keys of an object, sorted.
pub fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value
        .as_object()
        .expect("an object")
        .keys()
        .map(String::as_str)
        .collect();
    keys.sort_unstable();
    keys
}

/// A number of an object.
pub fn number(value: &Value, path: &str) -> f64 {
    value
        .pointer(path)
        .and_then(Value::as_f64)
        .unwrap_or_else(|| panic!("no number at {path}: {value}"))
}

/// A path as an argument.
pub fn path(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// The number that a question to a store has as its answer.
pub fn number_of(out: &Path, sql: &str) -> i64 {
    let (_, rows) = json(&["query", path(out), sql]);
    let row = rows[0].as_object().expect("a row");
    row.values()
        .next()
        .and_then(Value::as_i64)
        .expect("a number")
}
