//! Output of a child process: read while it runs, limited in size, and no longer read after its end.

use std::io::{ErrorKind, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Stands before the answer of a child: what a method prints comes earlier.
pub const MARK: &str = "\u{1e}measurement\u{1e}";

/// The longest answer in bytes. Two references of a problem with 10 000 outputs have a quarter of it.
const LONGEST: usize = 1 << 26;

/// What is kept of a child's last words, in bytes.
const WORDS: usize = 4096;

/// What is read at once, in bytes.
const CHUNK: usize = 1 << 13;

/// How long a pipe may stay open after its child has ended: the rest is read in this time, and who else holds the pipe is not waited for.
const ENDING: Duration = Duration::from_secs(1);

/// How often a reader checks whether its result is still needed.
#[cfg(unix)]
const LOOK: Duration = Duration::from_millis(20);

/// What is kept of a stream that may be endless.
pub trait Kept: Default + Send + 'static {
    /// The next bytes.
    fn take(&mut self, bytes: &[u8]);
}

/// What stands behind the last [`MARK`]; everything before is forgotten as it comes.
#[derive(Debug, Default, PartialEq)]
pub struct Answer {
    bytes: Vec<u8>,
    marked: bool,
    /// Whether it was longer than anything that a child has to say; it is forgotten then.
    pub too_long: bool,
}

impl Answer {
    /// What was said; empty where there was no mark.
    pub fn bytes(&self) -> &[u8] {
        if self.marked { &self.bytes } else { &[] }
    }
}

impl Kept for Answer {
    fn take(&mut self, bytes: &[u8]) {
        let mark = MARK.as_bytes();
        // A mark may be cut in two.
        let from = self.bytes.len().saturating_sub(mark.len() - 1);
        self.bytes.extend_from_slice(bytes);
        let mut windows = self.bytes[from..].windows(mark.len());
        if let Some(place) = windows.rposition(|window| window == mark) {
            self.bytes.drain(..from + place + mark.len());
            (self.marked, self.too_long) = (true, false);
        }
        if self.marked && self.bytes.len() > LONGEST {
            (self.marked, self.too_long) = (false, true);
        }
        if !self.marked {
            let surplus = self.bytes.len().saturating_sub(mark.len() - 1);
            self.bytes.drain(..surplus);
        }
    }
}

/// The end of what was said.
#[derive(Debug, Default, PartialEq)]
pub struct LastWords(pub Vec<u8>);

impl Kept for LastWords {
    fn take(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
        let surplus = self.0.len().saturating_sub(WORDS);
        self.0.drain(..surplus);
    }
}

/// A pipe that can be waited for with a limit, where the system knows how.
#[cfg(unix)]
pub trait Pipe: Read + std::os::fd::AsFd + Send + 'static {}
#[cfg(unix)]
impl<P: Read + std::os::fd::AsFd + Send + 'static> Pipe for P {}

/// A pipe.
#[cfg(not(unix))]
pub trait Pipe: Read + Send + 'static {}
#[cfg(not(unix))]
impl<P: Read + Send + 'static> Pipe for P {}

/// Somebody who reads a pipe.
pub struct Listener<K> {
    kept: Arc<Mutex<K>>,
    over: Arc<AtomicBool>,
    ended: Receiver<()>,
}

impl<K: Kept> Listener<K> {
    /// Begins to read.
    pub fn start(mut pipe: impl Pipe) -> Self {
        let (sender, ended) = channel();
        let listener = Self {
            kept: Arc::default(),
            over: Arc::default(),
            ended,
        };
        let (kept, over) = (listener.kept.clone(), listener.over.clone());
        std::thread::spawn(move || {
            let mut chunk = [0; CHUNK];
            while !over.load(Ordering::Relaxed) {
                if !has_something(&pipe) {
                    continue;
                }
                match pipe.read(&mut chunk) {
                    Ok(0) => break,
                    Ok(count) => {
                        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                        kept.take(&chunk[..count]);
                    }
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    // What was read until a failure is all there is.
                    Err(_) => break,
                }
            }
            // Nobody may be listening any more.
            let _ = sender.send(());
        });
        listener
    }

    /// What was said by a child that has ended. Who else holds its pipes may go on: nobody reads them.
    pub fn end(self) -> K {
        let _ = self.ended.recv_timeout(ENDING);
        self.over.store(true, Ordering::Relaxed);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *kept)
    }
}

/// Whether reading does not wait, soon.
#[cfg(unix)]
fn has_something(pipe: &impl Pipe) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let timeout = Timespec::try_from(LOOK).ok();
    let found = poll(&mut [PollFd::new(pipe, PollFlags::IN)], timeout.as_ref());
    // What cannot be waited for is read, and says what is wrong.
    !matches!(found, Ok(0) | Err(rustix::io::Errno::INTR))
}

/// Reading waits: for as long as somebody holds the other end.
#[cfg(not(unix))]
fn has_something(_pipe: &impl Pipe) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An answer that is cut anywhere is found; what comes before it takes no memory.
    #[test]
    fn answers_stand_behind_the_last_mark() {
        let text = format!("words {MARK}early{MARK}{{\"status\":\"done\"}}");
        for cut in 0..text.len() {
            let mut answer = Answer::default();
            answer.take(&text.as_bytes()[..cut]);
            answer.take(&text.as_bytes()[cut..]);
            assert_eq!(answer.bytes(), b"{\"status\":\"done\"}", "cut at {cut}");
        }
        let mut answer = Answer::default();
        for _ in 0..1000 {
            answer.take(&[b'x'; CHUNK]);
            assert!(answer.bytes.len() < MARK.len());
        }
        assert_eq!(answer.bytes(), b"");
    }

    /// As where a method has left a process behind that holds its streams and belongs to no group that could be killed.
    #[cfg(unix)]
    #[test]
    fn nobody_waits_for_who_holds_a_pipe() -> std::io::Result<()> {
        use std::io::Write;
        let (reader, mut writer) = std::io::pipe()?;
        let listener = Listener::<LastWords>::start(reader);
        writer.write_all(b"words")?;
        assert_eq!(listener.end().0, b"words");
        // Soon nobody reads any more; until then the pipe takes what comes.
        while writer.write_all(&[0; CHUNK]).is_ok() {}
        Ok(())
    }

    #[test]
    fn an_answer_without_end_is_forgotten() {
        let mut answer = Answer::default();
        answer.take(MARK.as_bytes());
        for _ in 0..=LONGEST / CHUNK {
            answer.take(&[b'x'; CHUNK]);
        }
        assert!(answer.too_long && answer.bytes.len() < MARK.len());
        assert_eq!(answer.bytes(), b"");
    }

    #[test]
    fn last_words_are_the_end() {
        let mut words = LastWords::default();
        for number in 0..10_000 {
            words.take(format!("{number}\n").as_bytes());
        }
        assert_eq!(words.0.len(), WORDS);
        assert!(words.0.ends_with(b"9998\n9999\n"));
    }
}
