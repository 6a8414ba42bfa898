//! How far one run has come, on stderr: a bar on a terminal, otherwise a line every few seconds.

use crate::experiment::{Pass, Place, Watch};
use crate::output::{note, number};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Shorter runs say nothing.
const PATIENCE: Duration = Duration::from_secs(1);

/// Between two looks at a bar: often enough for the eye.
const LOOK: Duration = Duration::from_millis(100);

/// Between two lines, where there is no terminal: a log of a run of an hour stays readable.
const LINE: Duration = Duration::from_secs(5);

/// The bar's length.
const PARTS: u64 = 1000;

/// Shows the progress of a run from a thread of its own, until it is dropped.
pub struct RunProgress {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl RunProgress {
    /// Looks at a run from `start` to `end` in s.
    pub fn start(watch: &Arc<Watch>, start: f64, end: f64) -> Self {
        let (stop, stopped) = channel();
        let watch = Arc::clone(watch);
        let thread = std::thread::spawn(move || {
            let is_terminal = std::io::stderr().is_terminal();
            let every = if is_terminal { LOOK } else { LINE };
            let mut bar = None;
            let began = Instant::now();
            let mut wait = PATIENCE;
            while stopped.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                wait = every;
                let place = watch.place();
                if is_terminal {
                    show(bar.get_or_insert_with(new_bar), &place, start, end);
                } else {
                    note(&line(&place, start, end, began.elapsed()));
                }
            }
            if let Some(bar) = bar {
                bar.finish_and_clear();
            }
        });
        Self {
            stop: Some(stop),
            thread: Some(thread),
        }
    }
}

impl Drop for RunProgress {
    fn drop(&mut self) {
        // Without a sender the thread ends.
        self.stop.take();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn new_bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(PARTS), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{wide_bar} {percent} % {elapsed} {msg}") {
        bar.set_style(style);
    }
    bar
}

/// The part of the time span that has been passed, between 0 and 1.
fn fraction(place: &Place, start: f64, end: f64) -> f64 {
    let passed = (place.t - start) / (end - start);
    // At the beginning t is not known.
    if passed.is_finite() {
        passed.clamp(0.0, 1.0)
    } else {
        0.0
    }
}

fn show(bar: &ProgressBar, place: &Place, start: f64, end: f64) {
    bar.set_position((fraction(place, start, end) * PARTS as f64) as u64);
    bar.set_message(words(place));
}

fn words(place: &Place) -> String {
    let doing = match place.pass {
        Pass::Solving => "",
        Pass::Measuring => "measuring: ",
        Pass::Checking => "checking: ",
        Pass::Filming => "drawing: ",
    };
    format!(
        "{doing}t = {} s, {} steps, h = {} s",
        number(place.t),
        place.steps,
        number(place.h)
    )
}

fn line(place: &Place, start: f64, end: f64, elapsed: Duration) -> String {
    format!(
        "{} ({:.1} % of {} s), {:.0} s",
        words(place),
        100.0 * fraction(place, start, end),
        number(end),
        elapsed.as_secs_f64()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(t: f64) -> Place {
        Place {
            pass: Pass::Solving,
            t,
            h: 0.5,
            steps: 12,
        }
    }

    #[test]
    fn a_line_says_where_the_run_is() {
        let words = line(&place(2.5), 0.0, 10.0, Duration::from_secs(7));
        assert_eq!(
            words,
            "t = 2.5 s, 12 steps, h = 0.5 s (25.0 % of 10 s), 7 s"
        );
        let measuring = Place {
            pass: Pass::Measuring,
            ..place(1.0)
        };
        assert!(line(&measuring, 0.0, 10.0, LINE).starts_with("measuring: t = 1 s"));
    }

    #[test]
    fn fractions_stay_between_none_and_all() {
        for (t, expected) in [(f64::NAN, 0.0), (-1.0, 0.0), (5.0, 0.5), (20.0, 1.0)] {
            assert_eq!(fraction(&place(t), 0.0, 10.0), expected, "{t}");
        }
        assert_eq!(fraction(&place(0.0), 0.0, 0.0), 0.0);
    }
}
