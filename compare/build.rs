//! Tells the program how it was built: commit, whether its sources had changes that no commit has, compiler, flags, level of optimization.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What the program is built of, in its repository: changes and new files elsewhere are none of it.
const SOURCES: [&str; 7] = [
    "../Cargo.toml",
    "../Cargo.lock",
    "../src",
    "../problems",
    "src",
    "Cargo.toml",
    "build.rs",
];

/// What cargo writes into a package: the commit that it was made of.
const PACKED: &str = ".cargo_vcs_info.json";

/// What a program says, if it can be run and is content.
fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

/// What git says. It takes no locks: looking at the state would write it anew, and the next build would begin here again.
fn git(arguments: &[&str]) -> Option<String> {
    output("git", &[&["--no-optional-locks"], arguments].concat())
}

/// Files that change when another commit is checked out or made. In a work tree beside another one `.git` is a file, and only git knows
/// where they are.
fn places_of_commit() -> Vec<PathBuf> {
    let branch = git(&["rev-parse", "--symbolic-full-name", "HEAD"]);
    let names = ["HEAD", "logs/HEAD", "packed-refs"].into_iter();
    let names = names.chain(branch.as_deref().filter(|name| name.starts_with("refs/")));
    let paths = names.filter_map(|name| git(&["rev-parse", "--git-path", name]));
    paths.map(PathBuf::from).collect()
}

/// The commit, and whether sources had changes, new files among them; `None` where nobody knows.
fn state() -> Option<(String, bool)> {
    if let Ok(packed) = std::fs::read_to_string(PACKED) {
        let (_, rest) = packed.split_once("\"sha1\": \"")?;
        let (commit, _) = rest.split_once('"')?;
        return Some((commit.to_owned(), packed.contains("\"dirty\": true")));
    }
    // A folder that stands in somebody else's repository has none of its own.
    if !Path::new("../.git").exists() {
        return None;
    }
    let commit = git(&["rev-parse", "HEAD"])?;
    let known = SOURCES.iter().filter(|path| Path::new(path).exists());
    let status = ["status", "--porcelain", "--untracked-files=all", "--"];
    let arguments: Vec<&str> = status.iter().chain(known).copied().collect();
    Some((commit, !git(&arguments)?.is_empty()))
}

fn main() {
    let sources = SOURCES.iter().map(PathBuf::from);
    let places = sources.chain([PathBuf::from(PACKED)]);
    let own = Path::new("../.git").exists();
    let commits = own.then(places_of_commit).unwrap_or_default();
    // A path that does not exist would make cargo run this at every build.
    for path in places.chain(commits).filter(|path| path.exists()) {
        println!("cargo::rerun-if-changed={}", path.display());
    }
    let (commit, changed) = state().unzip();
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let flags = std::env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let known = [
        ("COMMIT", commit.unwrap_or_default()),
        (
            "CHANGED",
            changed.map_or_else(String::new, |changed| changed.to_string()),
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
