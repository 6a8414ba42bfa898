#!/usr/bin/env bash
# toml 1.2.1 (Rust): a list with more numbers than the fixed array it is read into is cut without an error, while serde_json 1.0.154 refuses it.
# Of `gravity = [0.0, 0.0, -9.81]` read as [f64; 2] two zeros are left. Shorter lists are refused by both.
# liedae compares the lengths of lists with what was read (problems/multibody/src/file/lengths.rs).
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir src
cat > Cargo.toml <<'END'
[package]
name = "lengths"
version = "0.1.0"
edition = "2021"
[dependencies]
serde = { version = "=1.0.229", features = ["derive"] }
serde_json = "=1.0.154"
toml = "=1.2.1"
END
cat > src/main.rs <<'END'
#[derive(serde::Deserialize, Debug)]
struct Model {
    gravity: [f64; 2],
}
fn main() {
    let long: Model = toml::from_str("gravity = [0.0, 0.0, -9.81]").expect("toml has begun to refuse it");
    assert_eq!(long.gravity, [0.0, 0.0]);
    assert!(toml::from_str::<Model>("gravity = [0.0]").is_err());
    let refused = serde_json::from_str::<Model>(r#"{"gravity": [0.0, 0.0, -9.81]}"#);
    println!("toml: {long:?}\nserde_json: {}", refused.expect_err("serde_json takes it"));
}
END
cargo run --quiet
