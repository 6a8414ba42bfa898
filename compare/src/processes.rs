//! Child processes, ended together with the processes that they started.

use std::process::Child;
use std::sync::{Mutex, PoisonError};

/// Numbers of children that lead a group and have not been waited for.
static LEADERS: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// A child leads a group of its own: it ends with this process, if that is interrupted.
pub fn leads_group(child: &Child) {
    let mut leaders = LEADERS.lock().unwrap_or_else(PoisonError::into_inner);
    leaders.push(child.id());
}

/// The child is about to be waited for: its number may be somebody else's then.
fn forget(child: &Child) {
    let mut leaders = LEADERS.lock().unwrap_or_else(PoisonError::into_inner);
    leaders.retain(|&leader| leader != child.id());
}

/// Kills all groups that children lead. Who starts or ends one waits for ever: the process is about to end.
#[cfg(unix)]
pub fn kill_all_groups() {
    use rustix::process::{Pid, Signal, kill_process_group};
    let leaders = LEADERS.lock().unwrap_or_else(PoisonError::into_inner);
    for &leader in leaders.iter() {
        let pid = i32::try_from(leader).ok().and_then(Pid::from_raw);
        if let Some(pid) = pid {
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }
    std::mem::forget(leaders);
}

#[cfg(not(unix))]
pub fn kill_all_groups() {}

/// Whether a child has ended. Nobody takes notice yet: until then its number is that of its group and of nobody else.
#[cfg(unix)]
pub fn has_ended(child: &mut Child) -> std::io::Result<bool> {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    match waitid(WaitId::Pid(Pid::from_child(child)), options) {
        Ok(status) => Ok(status.is_some()),
        Err(rustix::io::Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(unix))]
pub fn has_ended(child: &mut Child) -> std::io::Result<bool> {
    Ok(child.try_wait()?.is_some())
}

/// Kills the group of a child that leads one and has not been waited for. Some systems do not signal groups in which nobody lives: that is
/// no failure.
#[cfg(unix)]
pub fn kill_group(child: &mut Child) -> std::io::Result<()> {
    forget(child);
    use rustix::process::{Pid, Signal, kill_process_group};
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    child.kill()
}

#[cfg(not(unix))]
pub fn kill_group(child: &mut Child) -> std::io::Result<()> {
    forget(child);
    child.kill()
}
