//! An external program as a child process: messages over its pipes, each with a time limit.

use super::frame::{Frame, HEADER, Payload};
use super::{Program, ProgramError};
use crate::comparison::is_isolated_child;
use crate::output::escaped;
use crate::processes::{self, has_ended, kill_group};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionbio};
use std::io::{ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What is kept of a program's last words, in bytes.
const WORDS: usize = 4096;

/// How long a program may take to end once its pipes are closed.
const ENDING: Duration = Duration::from_secs(1);

/// How long its last words may take through a pipe that somebody else holds open.
const ECHO: Duration = Duration::from_millis(200);

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

/// How often it is asked so while nothing comes from it: what it has started may hold its pipes open.
const LOOK: Duration = Duration::from_millis(20);

/// A running program; it is killed with everything it has started when this is dropped.
///
/// It leads a group of its own, which is killed. In a child of an isolated experiment it belongs to the child's group, which the experiment
/// kills when the child has ended, and also where it has to kill the child.
pub struct Process {
    child: Child,
    leads_group: bool,
    /// Its end is known, and its number may be somebody else's.
    is_waited_for: bool,
    input: ChildStdin,
    output: ChildStdout,
    words: LastWords,
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
        let mut command = Command::new(program.path());
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let leads_group = !is_isolated_child();
        if leads_group {
            command.process_group(0);
        }
        let mut child = command.spawn().map_err(unusable)?;
        if leads_group {
            processes::leads_group(&child);
        }
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(input), Some(output), Some(errors)) = pipes else {
            return Err(unusable(ErrorKind::BrokenPipe.into()));
        };
        let process = Self {
            words: LastWords::listen(errors),
            child,
            leads_group,
            is_waited_for: false,
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
        let mut has_ended = false;
        while !into.is_empty() {
            match self.output.read(into) {
                Ok(0) => return Err(self.ended()),
                Ok(count) => into = &mut into[count..],
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    if has_ended {
                        return Err(self.ended());
                    }
                    has_ended = self.wait(PollFlags::IN)?;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(ProgramError::Pipe(error)),
            }
        }
        Ok(())
    }

    fn write(&mut self, mut bytes: &[u8]) -> Result<(), ProgramError> {
        let mut has_ended = false;
        while !bytes.is_empty() {
            match self.input.write(bytes) {
                Ok(count) => bytes = &bytes[count..],
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    if has_ended {
                        return Err(self.ended());
                    }
                    has_ended = self.wait(PollFlags::OUT)?;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::BrokenPipe => return Err(self.ended()),
                Err(error) => return Err(ProgramError::Pipe(error)),
            }
        }
        Ok(())
    }

    /// Waits until the pipe to it, or from it, can be used; `true` once it has ended, where somebody else may hold the pipe.
    fn wait(&mut self, flags: PollFlags) -> Result<bool, ProgramError> {
        loop {
            let left = self.deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(ProgramError::Hangs {
                    seconds: self.patience.as_secs_f64(),
                });
            }
            let pipe = if flags == PollFlags::IN {
                self.output.as_fd()
            } else {
                self.input.as_fd()
            };
            let timeout = Timespec::try_from(left.min(LOOK)).ok();
            let polled = poll(&mut [PollFd::new(&pipe, flags)], timeout.as_ref());
            match polled {
                Ok(0) | Err(Errno::INTR) => {
                    if has_ended(&mut self.child).map_err(ProgramError::Pipe)? {
                        return Ok(true);
                    }
                }
                Ok(_) => return Ok(false),
                Err(error) => return Err(ProgramError::Pipe(error.into())),
            }
        }
    }

    /// Its pipes are closed, or it is gone: how it ended, with its last words.
    fn ended(&mut self) -> ProgramError {
        let start = Instant::now();
        let status = loop {
            match has_ended(&mut self.child) {
                Ok(true) => match self.end() {
                    Ok(status) => break status.to_string(),
                    Err(error) => break error.to_string(),
                },
                Ok(false) if start.elapsed() < ENDING => std::thread::sleep(PAUSE),
                Ok(false) => break "it closed its pipes and goes on".to_owned(),
                Err(error) => break error.to_string(),
            }
        };
        // What it has started may live on in an isolated experiment, and hold the pipe open.
        let words = self
            .words
            .take(if self.leads_group { ENDING } else { ECHO });
        let words = String::from_utf8_lossy(&words);
        let last = words.lines().map(str::trim).rfind(|line| !line.is_empty());
        ProgramError::Ended(match last {
            Some(last) => format!("{status}: {}", escaped(last)),
            None => status,
        })
    }

    /// Kills what is left of it, and takes notice of its end.
    fn end(&mut self) -> std::io::Result<ExitStatus> {
        if self.leads_group {
            kill_group(&mut self.child)?;
        } else {
            self.child.kill()?;
        }
        self.is_waited_for = true;
        self.child.wait()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if !self.is_waited_for {
            let _ = self.end();
        }
    }
}

/// The end of what a program writes to stderr.
struct LastWords {
    kept: Arc<Mutex<Vec<u8>>>,
    closed: Receiver<()>,
}

impl LastWords {
    /// Reads in a thread of its own.
    fn listen(mut errors: impl Read + Send + 'static) -> Self {
        let (sender, closed) = channel();
        let kept = Arc::new(Mutex::new(Vec::new()));
        let own = Arc::clone(&kept);
        std::thread::spawn(move || {
            let mut chunk = [0; 1024];
            // What was read until a failure is all there is.
            while let Ok(count @ 1..) = errors.read(&mut chunk) {
                let mut words = own.lock().unwrap_or_else(PoisonError::into_inner);
                words.extend_from_slice(&chunk[..count]);
                let surplus = words.len().saturating_sub(WORDS);
                words.drain(..surplus);
            }
            // Nobody may be listening any more.
            let _ = sender.send(());
        });
        Self { kept, closed }
    }

    /// What has come when there is no more, or after this time.
    fn take(&self, longest: Duration) -> Vec<u8> {
        // Over time what has come is all there is.
        let _ = self.closed.recv_timeout(longest);
        let mut words = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *words)
    }
}
