//! Tells the crate the level of optimization that it is compiled with.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let level = std::env::var("OPT_LEVEL").unwrap_or_default();
    println!("cargo::rustc-env=LIEDAE_OPT_LEVEL={level}");
}
