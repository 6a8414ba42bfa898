//! Instructions by valgrind, which runs this program once more.

use std::error::Error;
use std::process::Command;

/// What valgrind counts: named by `--toggle-collect`, therefore never inlined.
#[inline(never)]
pub fn counted<T>(run: impl FnOnce() -> T) -> T {
    std::hint::black_box(run())
}

/// Runs this program with these arguments under valgrind, which counts in [`counted`] alone: instructions first, then what further
/// options ask for. `None` where there is no valgrind.
pub fn events(
    options: &[String],
    arguments: [&str; 2],
) -> Result<Option<Vec<u64>>, Box<dyn Error>> {
    let mut command = Command::new("valgrind");
    command
        .args([
            "--tool=callgrind",
            "--toggle-collect=*::callgrind::counted*",
        ])
        .args(options)
        .arg(std::env::current_exe()?)
        .args(arguments);
    let output = match command.output() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        output => output?,
    };
    let said = String::from_utf8_lossy(&output.stderr);
    let collected = said.lines().find_map(|line| line.split_once("Collected :"));
    let events: Option<Vec<u64>> = collected
        .and_then(|(_, counts)| counts.split_whitespace().map(|n| n.parse().ok()).collect());
    match events {
        Some(events) if events.first().is_some_and(|&n| n > 0) && output.status.success() => {
            Ok(Some(events))
        }
        _ => Err(format!("{}: valgrind counted nothing: {said}", arguments[1]).into()),
    }
}
