//! Progress on stderr: a bar on a terminal, otherwise a line whenever something new begins.

use crate::output::note;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;

/// Counts pieces of work.
pub struct Progress {
    bar: Option<ProgressBar>,
    last: String,
}

impl Progress {
    /// Progress through `total` pieces.
    pub fn new(total: usize) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(total as u64);
            if let Ok(style) =
                ProgressStyle::with_template("{wide_bar} {pos}/{len} {elapsed} {msg}")
            {
                bar.set_style(style);
            }
            bar
        });
        Self {
            bar,
            last: String::new(),
        }
    }

    /// A piece of work begins.
    pub fn step(&mut self, message: &str) {
        match &self.bar {
            Some(bar) => {
                bar.set_message(message.to_owned());
                bar.inc(1);
            }
            None if self.last != message => {
                self.last = message.to_owned();
                note(message);
            }
            None => {}
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
