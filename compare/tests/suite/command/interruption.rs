//! Ctrl-C: what is kept is said, and nothing goes on.
#![cfg(unix)]

use crate::common::path;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

fn started(arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_liedae"))
        .args(arguments)
        .env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts")
}

/// Sends the signal of Ctrl-C; exit code and last words.
fn interrupted(mut child: Child) -> (Option<i32>, String) {
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(sent.expect("a shell's kill").success());
    let mut words = String::new();
    let mut pipe = child.stderr.take().expect("a pipe");
    pipe.read_to_string(&mut words).expect("UTF-8");
    (child.wait().expect("an end").code(), words)
}

fn wait_until(is_so: impl Fn() -> bool) {
    for _ in 0..600 {
        if is_so() {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("it takes too long");
}

#[test]
fn a_run_says_how_far_it_came() {
    let folder = tempfile::tempdir().expect("a directory");
    let rows = folder.path().join("rows.csv");
    let run = [
        "run", "pendulum", "--method", "hem5", "--t-end", "1e9", "--csv",
    ];
    let child = started(&[&run[..], &[path(&rows)]].concat());
    wait_until(|| std::fs::metadata(&rows).is_ok_and(|file| file.len() > 100_000));
    let (code, words) = interrupted(child);
    assert_eq!(code, Some(130), "{words}");
    assert!(words.contains("liedae: interrupted: at t = "), "{words}");
    let kept = format!("rows up to about there are in {}", path(&rows));
    assert!(words.contains(&kept), "{words}");
}
