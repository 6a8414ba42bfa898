//! Time of the thread: a loaded machine does not make it longer, but for what caches and cores share.

use liedae::system::Clock;
use std::time::Duration;

/// CPU time of this thread since it began; `None` where the operating system is not asked.
#[cfg(unix)]
pub fn thread_time() -> Option<Duration> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    let (seconds, nanoseconds) = (time.tv_sec.try_into().ok()?, time.tv_nsec.try_into().ok()?);
    Some(Duration::new(seconds, nanoseconds))
}

/// CPU time of this thread since it began; `None` where the operating system is not asked.
#[cfg(not(unix))]
pub fn thread_time() -> Option<Duration> {
    None
}

/// What limits of runs are measured by: CPU time of the thread where it is known, otherwise wall time.
pub fn limiting_clock() -> Clock {
    match thread_time() {
        Some(_) => Clock::new("CPU time", || thread_time().unwrap_or_default()),
        None => Clock::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sleeping_takes_no_time_of_the_thread() {
        let before = thread_time();
        std::thread::sleep(Duration::from_millis(20));
        if let (Some(before), Some(after)) = (before, thread_time()) {
            assert!(after >= before && after - before < Duration::from_millis(20));
        }
    }
}
