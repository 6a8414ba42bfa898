//! Work in processes of their own: a method or a problem that hangs, takes all memory or ends the process fails its own runs only.

mod child;
mod ending;
mod pipes;

pub use child::{SUBCOMMAND, answer};

use crate::error::{CommandError, Status};
use crate::experiment::{Confirmed, LONGEST_REFERENCE, Limits, Looked, Measurement, Request};
use crate::foreign::{ProgramChoice, longest_run};
use crate::motion::LONGEST_PICTURE;
use crate::processes::leads_group;
use child::{Job, Solving, Task};
use pipes::{Answer, LastWords, Listener};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Set in the environment of children.
const CHILD: &str = "LIEDAE_CHILD";

/// Whether this process is a child of an isolated experiment.
pub fn is_isolated_child() -> bool {
    std::env::var_os(CHILD).is_some()
}

/// A child that begins an experiment would have children of its own, without end.
pub(super) fn refuse_in_child() -> Result<(), CommandError> {
    match is_isolated_child() {
        true => Err(CommandError::Child),
        false => Ok(()),
    }
}

/// A child may take so many times the limit of a run in CPU time, besides its repetitions: for the first run and for the observed one,
/// which takes up to twice as long ...
const PASSES: u32 = 3;

/// ... and this long for starting, and for building a problem.
const GRACE: Duration = Duration::from_secs(5);

/// By the clock on the wall it may take so many times longer: a loaded machine fails no run. This ends a child that sleeps.
const LOAD: u32 = 10;

/// How children are made.
#[derive(Clone, Debug)]
pub struct Isolation {
    /// The program: one that hands its command line to [`crate::main_with`].
    pub program: PathBuf,
    /// Memory that a child may use, in bytes.
    pub memory: u64,
}

/// How far a child may go.
#[derive(Clone, Copy, Debug)]
struct Patience {
    /// CPU time; where none is given, the clock on the wall ends it.
    cpu: Option<Duration>,
    wall: Duration,
}

impl Patience {
    /// So much CPU time, and some for starting.
    fn of(cpu: Duration) -> Self {
        let cpu = cpu.saturating_add(GRACE);
        Self {
            cpu: Some(cpu),
            wall: cpu.saturating_mul(LOAD),
        }
    }
}

/// How a child came to grief.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grief {
    /// In words.
    pub reason: String,
    /// Whether it took too long.
    pub out_of_time: bool,
}

impl Grief {
    fn late(limit: Duration, kind: &str) -> Self {
        Self {
            reason: format!(
                "out of time: its process was killed: it had not ended after {} s{kind}",
                limit.as_secs_f64()
            ),
            out_of_time: true,
        }
    }
}

/// What a child has said, or how it came to grief.
pub type Said<T> = Result<T, Grief>;

impl Isolation {
    /// Memory that a child may use if nothing else is said: 4 GiB.
    pub const MEMORY: u64 = 4 << 30;

    /// Children of the running program.
    ///
    /// # Errors
    /// The program does not know where it is.
    pub fn by_this_program(memory: u64) -> Result<Self, CommandError> {
        let program = std::env::current_exe()
            .map_err(|source| CommandError::write("the program itself".as_ref(), source))?;
        Ok(Self { program, memory })
    }

    /// Looks at a problem. Building it may take as long as a run.
    pub fn look(&self, problem: &str, limits: Limits) -> Result<Looked, CommandError> {
        let said = self.ask(problem, Task::Survey, Patience::of(limits.time))?;
        Ok(said.map_err(|grief| grief.reason))
    }

    /// Draws a problem, if it is a mechanism.
    pub fn picture(&self, problem: &str) -> Result<Said<Option<String>>, CommandError> {
        self.ask(problem, Task::Picture, Patience::of(LONGEST_PICTURE))
    }

    /// Computes a reference.
    pub fn reference(
        &self,
        problem: &str,
        times: &[f64],
    ) -> Result<Said<Result<Confirmed, String>>, CommandError> {
        let times = times.to_vec();
        let patience = Patience::of(LONGEST_REFERENCE);
        self.ask(problem, Task::Reference { times }, patience)
    }

    /// Makes one run of a method, by the names that the command line has. A child that comes to grief is a failed run.
    pub fn measure(
        &self,
        problem: &str,
        method: &str,
        request: &Request,
    ) -> Result<Measurement, CommandError> {
        let repetitions = u32::try_from(request.repeat.at_least).unwrap_or(u32::MAX);
        let passes = PASSES.saturating_add(repetitions);
        let patience = Patience::of(request.limits.time.saturating_mul(passes));
        let task = Task::Measure(Solving::of(request, method.to_owned(), None));
        Ok(run_of(self.ask(problem, task, patience)?))
    }

    /// Makes one run of a program. It measures its CPU time over microseconds, which Linux does not let it where there is a limit of it:
    /// the clock on the wall ends it.
    pub fn measure_program(
        &self,
        problem: &str,
        choice: &ProgramChoice,
        request: &Request,
    ) -> Result<Measurement, CommandError> {
        // Timed runs, and the one that is watched.
        let runs = request.repeat.at_least.max(request.repeat.at_most) + 1;
        let wall = longest_run(request.limits.time);
        let patience = Patience {
            cpu: None,
            wall: wall.saturating_mul(u32::try_from(runs).unwrap_or(u32::MAX)),
        };
        let program = (
            choice.program.name().to_owned(),
            choice.program.path().to_owned(),
        );
        let task = Task::Measure(Solving::of(request, choice.label(), Some(program)));
        Ok(run_of(self.ask(problem, task, patience)?))
    }

    /// Starts a child, asks it and waits for the answer.
    ///
    /// # Errors
    /// No child can be started, or it says that nobody can do what is asked.
    fn ask<T: DeserializeOwned + Serialize>(
        &self,
        problem: &str,
        task: Task,
        patience: Patience,
    ) -> Result<Said<T>, CommandError> {
        let failed = |source| CommandError::write(&self.program, source);
        let job = Job {
            problem: problem.to_owned(),
            task,
            memory: self.memory,
            cpu: patience.cpu,
        };
        let text = serde_json::to_vec(&job)?;
        let mut command = Command::new(&self.program);
        command
            .arg(SUBCOMMAND)
            // What a child says last should be why it ended, not where.
            .env("RUST_BACKTRACE", "0")
            .env(CHILD, "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        in_group_of_its_own(&mut command);
        let mut child = command.spawn().map_err(failed)?;
        leads_group(&child);
        let input = child.stdin.take();
        let answer = child.stdout.take().map(Listener::<Answer>::start);
        let words = child.stderr.take().map(Listener::<LastWords>::start);
        if let Some(mut input) = input {
            // A child that has ended already says so by its status.
            let _ = input.write_all(&text);
        }
        let status = ending::wait(&mut child, patience.wall).map_err(failed)?;
        let answer = answer.map(Listener::end).unwrap_or_default();
        let words = words.map(Listener::end).unwrap_or_default();
        let Some(status) = status else {
            return Ok(Err(Grief::late(patience.wall, "")));
        };
        if let Some(limit) = patience.cpu.filter(|_| ending::is_out_of_time(status)) {
            return Ok(Err(Grief::late(limit, " of CPU time")));
        }
        match serde_json::from_slice(answer.bytes()) {
            Ok(Ok(said)) if status.success() => Ok(Ok(said)),
            Ok(Err(refusal)) if status.success() => Err(CommandError::Refused(refusal)),
            _ => {
                let mut reason = ending::in_words(status, &words.0);
                if answer.too_long {
                    reason.push_str("; its answer was too long to be one");
                }
                if ending::is_by_signal(status) {
                    let mebibytes = self.memory >> 20;
                    reason.push_str(&format!(
                        "; perhaps by the limit of {mebibytes} MiB of memory"
                    ));
                }
                Ok(Err(Grief {
                    reason,
                    out_of_time: false,
                }))
            }
        }
    }
}

/// A child that comes to grief is a failed run. After one that did not end by itself tighter tolerances are not tried; one that crashed is
/// made again by the next command.
fn run_of(said: Said<Measurement>) -> Measurement {
    said.unwrap_or_else(|grief| Measurement {
        out_of_time: grief.out_of_time,
        crashed: !grief.out_of_time,
        ..Measurement::failed(Status::Failed, grief.reason)
    })
}

/// What a child starts ends with it: signals reach all of them.
#[cfg(unix)]
fn in_group_of_its_own(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

#[cfg(not(unix))]
fn in_group_of_its_own(_command: &mut Command) {}
