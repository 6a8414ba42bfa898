//! The end of a child process: by itself, by a limit of the system, or killed after a time. Processes that it started end with it.

use crate::output::escaped;
use crate::processes::{has_ended, kill_group};
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

/// How often a child is asked whether it has ended.
const PAUSE: Duration = Duration::from_millis(2);

/// The child's end, or `None` if it had to be killed. Everything that it has started in its group is killed, too: nothing goes on beside
/// the runs that follow.
pub fn wait(child: &mut Child, patience: Duration) -> std::io::Result<Option<ExitStatus>> {
    let start = Instant::now();
    let ended = loop {
        if has_ended(child)? {
            break true;
        }
        if start.elapsed() > patience {
            break false;
        }
        std::thread::sleep(PAUSE);
    };
    kill_group(child)?;
    let status = child.wait()?;
    Ok(ended.then_some(status))
}

/// Whether the system has ended a child since its CPU time was over.
#[cfg(unix)]
pub fn is_out_of_time(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt;
    status.signal() == Some(rustix::process::Signal::XCPU.as_raw())
}

#[cfg(not(unix))]
pub fn is_out_of_time(_status: ExitStatus) -> bool {
    false
}

/// Whether a signal has ended it.
#[cfg(unix)]
pub fn is_by_signal(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt;
    status.signal().is_some()
}

#[cfg(not(unix))]
pub fn is_by_signal(_status: ExitStatus) -> bool {
    false
}

/// How a child came to grief, with the last line that it wrote.
pub fn in_words(status: ExitStatus, words: &[u8]) -> String {
    let words = String::from_utf8_lossy(words);
    let mut said = words.lines().map(str::trim).filter(|line| !line.is_empty());
    // The line after a panic's place is what it says; that on backtraces is no news.
    let last = said.rfind(|line| !line.starts_with("note:"));
    let ending = if status.success() {
        "its process ended without an answer".to_owned()
    } else {
        format!("its process ended with {status}")
    };
    match last {
        Some(last) => format!("{ending}: {}", escaped(last)),
        None => ending,
    }
}
