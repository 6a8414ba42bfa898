//! How a child ends: by itself, by a limit, or since nobody waits any longer. What it has started ends with it.

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
    kill_all(child)?;
    let status = child.wait()?;
    Ok(ended.then_some(status))
}

/// Whether it has ended. Nobody takes notice yet: until then its number is that of its group and of nobody else.
#[cfg(unix)]
fn has_ended(child: &mut Child) -> std::io::Result<bool> {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    match waitid(WaitId::Pid(Pid::from_child(child)), options) {
        Ok(status) => Ok(status.is_some()),
        Err(rustix::io::Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(unix))]
fn has_ended(child: &mut Child) -> std::io::Result<bool> {
    Ok(child.try_wait()?.is_some())
}

/// Kills a child's group. Some systems do not signal groups in which nobody lives: that is no failure.
#[cfg(unix)]
fn kill_all(child: &mut Child) -> std::io::Result<()> {
    use rustix::process::{Pid, Signal, kill_process_group};
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    child.kill()
}

#[cfg(not(unix))]
fn kill_all(child: &mut Child) -> std::io::Result<()> {
    child.kill()
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
        Some(last) => format!("{ending}: {last}"),
        None => ending,
    }
}
