//! What the program knows of its sources: commit and changes, in any kind of work tree and in none.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a program prints.
fn run(command: &mut Command) -> String {
    let output = command.output().expect("it starts");
    assert!(output.status.success(), "{command:?}: {output:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn git(folder: &Path, arguments: &[&str]) -> String {
    let me = ["-c", "user.name=test", "-c", "user.email=test@localhost"];
    let arguments = [me.as_slice(), arguments].concat();
    let mut command = Command::new("git");
    // Hooks and settings of whoever runs the tests are none of ours.
    command.env("GIT_CONFIG_GLOBAL", "/dev/null");
    let text = run(command.arg("-C").arg(folder).args(arguments));
    text.trim().to_owned()
}

/// The build script, compiled.
fn script(folder: &Path) -> PathBuf {
    let program = folder.join("script");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("build.rs");
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    run(Command::new(rustc)
        .args(["--edition", "2024", "-o"])
        .args([&program, &source]));
    program
}

/// What the script says in a checkout: commit, whether there are changes, files that are watched.
fn said(script: &Path, checkout: &Path, path: &str) -> (String, String, Vec<PathBuf>) {
    let package = checkout.join("compare");
    let text = run(Command::new(script).current_dir(&package).env("PATH", path));
    let value = |name: &str| {
        let start = format!("cargo::rustc-env=LIEDAE_{name}=");
        let mut lines = text.lines().filter_map(|line| line.strip_prefix(&start));
        lines.next().expect("a line").to_owned()
    };
    let watched = text
        .lines()
        .filter_map(|line| line.strip_prefix("cargo::rerun-if-changed="));
    let watched = watched.map(|path| package.join(path)).collect();
    (value("COMMIT"), value("CHANGED"), watched)
}

/// The contents of what is watched: cargo runs the script again when a file of these changes.
fn contents(watched: &[PathBuf]) -> Vec<Vec<u8>> {
    let files = watched.iter().filter(|path| path.is_file());
    files.map(|path| fs::read(path).expect("a file")).collect()
}

fn write(checkout: &Path, name: &str, text: &str) {
    let path = checkout.join(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, text).expect("a file");
}

#[test]
fn the_program_knows_its_commit_and_its_changes() {
    let folder = tempfile::tempdir().expect("a directory");
    let script = script(folder.path());
    let path = std::env::var("PATH").expect("programs");
    let said = |checkout: &Path| said(&script, checkout, &path);
    let first = folder.path().join("first");
    for file in [
        "src/lib.rs",
        "compare/src/main.rs",
        "compare/Cargo.toml",
        "notes.txt",
    ] {
        write(&first, file, "");
    }
    git(&first, &["init", "-q"]);
    git(&first, &["add", "-A"]);
    git(&first, &["commit", "-q", "-m", "one"]);
    let second = folder.path().join("second");
    let other = second.to_str().expect("UTF-8");
    git(&first, &["worktree", "add", "-q", "-b", "other", other]);
    for checkout in [&first, &second] {
        let (commit, changed, watched) = said(checkout);
        assert_eq!(commit, git(checkout, &["rev-parse", "HEAD"]));
        assert_eq!(changed, "false");
        // A commit is seen, of packed branches, too, and of nobody else's.
        git(checkout, &["pack-refs", "--all"]);
        let (_, _, packed) = said(checkout);
        for watched in [watched, packed] {
            let before = contents(&watched);
            git(checkout, &["commit", "-q", "--allow-empty", "-m", "more"]);
            assert!(contents(&watched) != before, "{watched:?}");
        }
        let (commit, _, _) = said(checkout);
        assert_eq!(commit, git(checkout, &["rev-parse", "HEAD"]));
        // A new file is a change where programs are made of it.
        write(checkout, "todo.txt", "");
        assert_eq!(said(checkout).1, "false");
        write(checkout, "src/new.rs", "");
        assert_eq!(said(checkout).1, "true");
        fs::remove_file(checkout.join("src/new.rs")).expect("a file");
        write(checkout, "src/lib.rs", "// changed");
        assert_eq!(said(checkout).1, "true");
    }
}

#[test]
fn without_git_nothing_is_known_and_all_goes_on() {
    let folder = tempfile::tempdir().expect("a directory");
    let script = script(folder.path());
    let package = folder.path().join("package");
    write(&package, "compare/src/main.rs", "");
    let unknown = (String::new(), String::new());
    let known = |path: &str| {
        let (commit, changed, watched) = said(&script, &package, path);
        assert!(watched.iter().all(|path| path.exists()), "{watched:?}");
        (commit, changed)
    };
    let path = std::env::var("PATH").expect("programs");
    assert_eq!(known(&path), unknown);
    // A repository, and nobody who can read it.
    fs::create_dir(package.join(".git")).expect("a folder");
    assert_eq!(known("/nowhere"), unknown);
    assert_eq!(known(&path), unknown);
    // Cargo writes into packages what they were made of.
    let packed =
        "{\n  \"git\": {\n    \"sha1\": \"0123abcd\"\n  },\n  \"path_in_vcs\": \"compare\"\n}";
    write(&package, "compare/.cargo_vcs_info.json", packed);
    assert_eq!(known(&path), ("0123abcd".to_owned(), "false".to_owned()));
}
