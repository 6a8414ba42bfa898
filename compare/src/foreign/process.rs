//! A program as a child process: messages over its pipes, none of which can keep us waiting for ever.

use super::frame::{Frame, HEADER, Payload};
use super::{Program, ProgramError};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionbio};
use std::io::{ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// What is kept of a program's last words, in bytes.
const WORDS: usize = 4096;

/// How long a program may take to end once its pipes are closed.
const ENDING: Duration = Duration::from_secs(1);

/// How often it is asked whether it has ended.
const PAUSE: Duration = Duration::from_millis(1);

/// What a running program may take.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// By the clock on the wall.
    pub wall: Duration,
    /// Memory in bytes.
    pub memory: u64,
}

/// A running program; it is killed with everything it has started when this is dropped.
pub struct Process {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
    words: Receiver<Vec<u8>>,
    deadline: Instant,
    patience: Duration,
    buffer: Vec<u8>,
}

impl Process {
    /// Starts a program.
    ///
    /// # Errors
    /// The system cannot start it.
    pub fn start(program: &Program, bounds: Bounds) -> Result<Self, ProgramError> {
        let unusable = |source| ProgramError::Unusable {
            path: program.path().to_owned(),
            source,
        };
        let mut child = Command::new(program.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // A group of its own: what it starts ends with it.
            .process_group(0)
            .spawn()
            .map_err(unusable)?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(input), Some(output), Some(errors)) = pipes else {
            return Err(unusable(ErrorKind::BrokenPipe.into()));
        };
        let process = Self {
            words: last_words(errors),
            child,
            input,
            output,
            deadline: Instant::now() + bounds.wall,
            patience: bounds.wall,
            buffer: Vec::new(),
        };
        for pipe in [process.input.as_fd(), process.output.as_fd()] {
            ioctl_fionbio(pipe, true).map_err(|error| ProgramError::Pipe(error.into()))?;
        }
        process.limit(bounds);
        Ok(process)
    }

    /// From now on the process gets no more memory. A limit that cannot be set leaves that of the system.
    ///
    /// There is no limit of CPU time: where a process has one, Linux reads the CPU time of the process to a tick only, and programs
    /// measure theirs over microseconds. The clock on the wall ends what hangs.
    #[cfg(target_os = "linux")]
    fn limit(&self, bounds: Bounds) {
        use rustix::process::{Resource, Rlimit, prlimit};
        let limit = Rlimit {
            current: Some(bounds.memory),
            maximum: Some(bounds.memory),
        };
        let pid = rustix::process::Pid::from_child(&self.child);
        let _ = prlimit(Some(pid), Resource::As, limit);
    }

    #[cfg(not(target_os = "linux"))]
    fn limit(&self, _bounds: Bounds) {}

    /// The next message, with a payload of at most so many bytes.
    ///
    /// # Errors
    /// The program has ended or hangs, or what it says is no message.
    pub fn receive(&mut self, longest: usize, frame: &mut Frame) -> Result<(), ProgramError> {
        let mut header = [0; HEADER];
        self.read(&mut header)?;
        let (tag, length, cpu_s) = Frame::header(&header);
        if length > longest {
            return Err(ProgramError::Nonsense(format!(
                "it announces {length} bytes behind `{}`, where at most {longest} have a meaning; \
                 does it write other words to stdout?",
                tag.escape_ascii()
            )));
        }
        frame.tag = tag;
        frame.cpu_s = cpu_s;
        frame.payload.resize(length, 0);
        let mut payload = std::mem::take(&mut frame.payload);
        let result = self.read(&mut payload);
        frame.payload = payload;
        result
    }

    /// Sends a message.
    ///
    /// # Errors
    /// The program has ended or hangs.
    pub fn send(
        &mut self,
        tag: [u8; 4],
        cpu_s: f64,
        payload: &Payload,
    ) -> Result<(), ProgramError> {
        let mut bytes = std::mem::take(&mut self.buffer);
        bytes.clear();
        let result =
            Frame::write(tag, cpu_s, payload, &mut bytes).and_then(|()| self.write(&bytes));
        self.buffer = bytes;
        result
    }

    fn read(&mut self, mut into: &mut [u8]) -> Result<(), ProgramError> {
        while !into.is_empty() {
            match self.output.read(into) {
                Ok(0) => return Err(self.ended()),
                Ok(count) => into = &mut into[count..],
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    wait_for(&self.output, PollFlags::IN, self.deadline, self.patience)?;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(ProgramError::Pipe(error)),
            }
        }
        Ok(())
    }

    fn write(&mut self, mut bytes: &[u8]) -> Result<(), ProgramError> {
        while !bytes.is_empty() {
            match self.input.write(bytes) {
                Ok(count) => bytes = &bytes[count..],
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    wait_for(&self.input, PollFlags::OUT, self.deadline, self.patience)?;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::BrokenPipe => return Err(self.ended()),
                Err(error) => return Err(ProgramError::Pipe(error)),
            }
        }
        Ok(())
    }

    /// Its pipes are closed: how it ended, with its last words.
    fn ended(&mut self) -> ProgramError {
        let start = Instant::now();
        let status = loop {
            match self.child.try_wait() {
                Ok(Some(status)) => break status.to_string(),
                Ok(None) if start.elapsed() < ENDING => std::thread::sleep(PAUSE),
                Ok(None) => break "it closed its pipes and goes on".to_owned(),
                Err(error) => break error.to_string(),
            }
        };
        let words = self.words.recv_timeout(ENDING).unwrap_or_default();
        let words = String::from_utf8_lossy(&words);
        let last = words.lines().map(str::trim).rfind(|line| !line.is_empty());
        ProgramError::Ended(match last {
            Some(last) => format!("{status}: {last}"),
            None => status,
        })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let group = rustix::process::Pid::from_child(&self.child);
        // A process that has been waited for is gone, and its number may be somebody else's.
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
            let _ = self.child.wait();
        }
    }
}

/// Waits until a pipe can be used.
fn wait_for(
    pipe: &impl AsFd,
    flags: PollFlags,
    deadline: Instant,
    patience: Duration,
) -> Result<(), ProgramError> {
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ProgramError::Hangs {
                seconds: patience.as_secs_f64(),
            });
        }
        let timeout = Timespec::try_from(left).ok();
        match poll(&mut [PollFd::new(pipe, flags)], timeout.as_ref()) {
            Ok(0) | Err(Errno::INTR) => {}
            Ok(_) => return Ok(()),
            Err(error) => return Err(ProgramError::Pipe(error.into())),
        }
    }
}

/// Reads what a program writes to stderr, and hands over the end of it when there is no more.
fn last_words(mut errors: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let (mut words, mut chunk) = (Vec::new(), [0; 1024]);
        // What was read until a failure is all there is.
        while let Ok(count @ 1..) = errors.read(&mut chunk) {
            words.extend_from_slice(&chunk[..count]);
            let surplus = words.len().saturating_sub(WORDS);
            words.drain(..surplus);
        }
        // Nobody may be listening any more.
        let _ = sender.send(words);
    });
    receiver
}
