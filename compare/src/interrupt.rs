//! Ctrl-C: the command prints what it kept and how to resume, and ends with all processes that it started.

use crate::output::note;
use crate::processes::kill_all_groups;
use std::sync::{Mutex, PoisonError};

/// What a shell says of a program that SIGINT has ended: 128 and the number of the signal.
const INTERRUPTED: i32 = 130;

/// Says what is kept.
type Words = Box<dyn Fn() -> String + Send>;

/// What is to be said at the moment.
static WORDS: Mutex<Option<Words>> = Mutex::new(None);

/// From now on Ctrl-C is answered in words. Where that cannot be, it ends the program as it does any other.
#[cfg(unix)]
pub fn answer() {
    use signal_hook::consts::SIGINT;
    use signal_hook::iterator::Signals;
    let Ok(mut signals) = Signals::new([SIGINT]) else {
        return;
    };
    std::thread::spawn(move || {
        if signals.forever().next().is_some() {
            end();
        }
    });
}

#[cfg(not(unix))]
pub fn answer() {}

/// Says what is kept, and ends.
#[cfg_attr(not(unix), allow(dead_code))]
fn end() {
    let words = WORDS.lock().unwrap_or_else(PoisonError::into_inner);
    let said = words.as_ref().map_or_else(
        || "nothing is kept of what was not finished".to_owned(),
        |words| words(),
    );
    // Behind the sign that terminals show, and a bar.
    note(&format!("\nliedae: interrupted: {said}"));
    kill_all_groups();
    std::process::exit(INTERRUPTED);
}

/// While it lives, Ctrl-C is answered in its words.
pub struct Interruption(());

impl Interruption {
    /// The words are asked for when the signal comes, on another thread.
    pub fn says(words: impl Fn() -> String + Send + 'static) -> Self {
        let mut current = WORDS.lock().unwrap_or_else(PoisonError::into_inner);
        *current = Some(Box::new(words));
        Self(())
    }
}

impl Drop for Interruption {
    fn drop(&mut self) {
        *WORDS.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
