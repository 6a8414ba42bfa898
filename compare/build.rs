//! Tells the program how it was built: commit, whether the work tree had changes, compiler, flags.

use std::path::Path;
use std::process::Command;

/// What decides which commit this is and whether the work tree is clean.
const WATCHED: [&str; 8] = [
    "../.git/HEAD",
    "../.git/index",
    "../.git/refs/heads",
    "../Cargo.lock",
    "../src",
    "../problems",
    "src",
    "Cargo.toml",
];

fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

fn main() {
    // A path that does not exist would make cargo run this at every build.
    for path in WATCHED.iter().filter(|path| Path::new(path).exists()) {
        println!("cargo::rerun-if-changed={path}");
    }
    // A package out of a registry has no repository, or stands in somebody else's.
    let own = Path::new("../.git").exists();
    let commit = own.then(|| output("git", &["rev-parse", "HEAD"])).flatten();
    let changes = own
        .then(|| output("git", &["status", "--porcelain", "--untracked-files=no"]))
        .flatten();
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let flags = std::env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let known = [
        ("COMMIT", commit.unwrap_or_default()),
        (
            "CHANGED",
            changes.map_or_else(String::new, |list| (!list.is_empty()).to_string()),
        ),
        ("RUSTC", output(&rustc, &["--version"]).unwrap_or_default()),
        ("FLAGS", flags.replace('\u{1f}', " ")),
        ("TARGET", std::env::var("TARGET").unwrap_or_default()),
        ("OPT_LEVEL", std::env::var("OPT_LEVEL").unwrap_or_default()),
    ];
    for (name, value) in known {
        println!("cargo::rustc-env=LIEDAE_{name}={value}");
    }
}
