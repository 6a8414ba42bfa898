//! Runs in processes of their own: a method that hangs, takes all memory or ends the process fails its own run only.

mod ending;
mod pipes;

use crate::error::{CommandError, Status};
use crate::experiment::{Control, Gate, Limits, Measurement, Repeat, Request, measure};
use crate::registry::Registry;
use pipes::{Answer, LastWords, Listener, MARK};
use serde::{Deserialize, Serialize};
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

/// The subcommand that a child is started with.
pub const SUBCOMMAND: &str = "measure-one";

/// Set in the environment of children.
const CHILD: &str = "LIEDAE_CHILD";

/// A child that begins an experiment would have children of its own, without end.
pub(super) fn refuse_in_child() -> Result<(), CommandError> {
    match std::env::var_os(CHILD) {
        Some(_) => Err(CommandError::Child),
        None => Ok(()),
    }
}

/// A child may take so many times the limit of a run in CPU time, besides its repetitions: for the first run and for the observed one,
/// which takes up to twice as long ...
const PASSES: u32 = 3;

/// ... and this long for starting.
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
}

/// What a child is asked for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    problem: String,
    method: String,
    control: Control,
    limits: Limits,
    repeat: Repeat,
    times: Vec<f64>,
    memory: u64,
}

impl Job {
    /// CPU time that a child may take.
    fn patience(&self) -> Duration {
        let repetitions = u32::try_from(self.repeat.at_least).unwrap_or(u32::MAX);
        let passes = PASSES.saturating_add(repetitions);
        self.limits
            .time
            .saturating_mul(passes)
            .saturating_add(GRACE)
    }

    /// A run by the names that the command line has for problem and method.
    pub fn new(problem: &str, method: &str, request: &Request) -> Self {
        Self {
            problem: problem.to_owned(),
            method: method.to_owned(),
            control: request.control,
            limits: request.limits,
            repeat: request.repeat,
            times: request.times.to_vec(),
            memory: Isolation::MEMORY,
        }
    }
}

impl Isolation {
    /// Makes one run in a child. A child that comes to grief is a failed run.
    pub fn measure(&self, job: &Job) -> Result<Measurement, CommandError> {
        let failed = |source| CommandError::write(&self.program, source);
        let job = Job {
            memory: self.memory,
            ..job.clone()
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
        let input = child.stdin.take();
        let answer = child.stdout.take().map(Listener::<Answer>::start);
        let words = child.stderr.take().map(Listener::<LastWords>::start);
        if let Some(mut input) = input {
            // A child that has ended already says so by its status.
            let _ = input.write_all(&text);
        }
        let patience = job.patience().saturating_mul(LOAD);
        let status = ending::wait(&mut child, patience).map_err(failed)?;
        let answer = answer.map(Listener::end).unwrap_or_default();
        let words = words.map(Listener::end).unwrap_or_default();
        let Some(status) = status else {
            return Ok(killed(format!(
                "it had not ended after {} s",
                patience.as_secs_f64()
            )));
        };
        if ending::is_out_of_time(status) {
            let limit = job.patience().as_secs_f64();
            return Ok(killed(format!(
                "it had not ended after {limit} s of CPU time"
            )));
        }
        match serde_json::from_slice(answer.bytes()) {
            Ok(measurement) if status.success() => Ok(measurement),
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
                Ok(Measurement {
                    crashed: true,
                    ..Measurement::failed(Status::Failed, reason)
                })
            }
        }
    }
}

/// What a child starts ends with it: signals reach all of them.
#[cfg(unix)]
fn in_group_of_its_own(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

#[cfg(not(unix))]
fn in_group_of_its_own(_command: &mut Command) {}

/// A run that did not end by itself: tighter tolerances are not tried.
fn killed(why: String) -> Measurement {
    Measurement {
        out_of_time: true,
        ..Measurement::failed(
            Status::Failed,
            format!("out of time: its process was killed: {why}"),
        )
    }
}

/// The child's part: reads a job from stdin, writes the measurement to stdout.
pub fn measure_one(registry: &Registry) -> Result<Status, CommandError> {
    let mut text = String::new();
    std::io::stdin()
        .read_to_string(&mut text)
        .map_err(|source| CommandError::write("stdin".as_ref(), source))?;
    let job: Job = serde_json::from_str(&text)?;
    end_with_parent();
    limit(job.memory, job.patience());
    let mut case = registry.case::<&str>(&job.problem, &[], None)?;
    let choice = registry.choice(&job.method)?;
    let request = Request {
        control: job.control,
        limits: job.limits,
        repeat: job.repeat,
        times: &job.times,
    };
    let measurement = measure(&mut case, &choice, &request, &Gate::default());
    let answer = serde_json::to_string(&measurement)?;
    crate::output::print(&format!("{MARK}{answer}"))
        .map_err(|source| CommandError::write("stdout".as_ref(), source))?;
    Ok(Status::Done)
}

/// An experiment that is killed leaves no child behind: in a group of its own it hears of no key on the terminal.
#[cfg(target_os = "linux")]
fn end_with_parent() {
    use rustix::process::{Signal, set_parent_process_death_signal};
    // Where the system refuses, limits end it.
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
}

#[cfg(not(target_os = "linux"))]
fn end_with_parent() {}

/// From now on this process gets no more memory and CPU time than that. A limit that cannot be set leaves that of the system.
#[cfg(unix)]
fn limit(memory: u64, time: Duration) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    for (resource, most) in [
        (Resource::As, memory),
        (Resource::Cpu, time.as_secs().saturating_add(1)),
    ] {
        let maximum = getrlimit(resource).maximum;
        let current = Some(maximum.map_or(most, |maximum| maximum.min(most)));
        let _ = setrlimit(resource, Rlimit { current, maximum });
    }
}

#[cfg(not(unix))]
fn limit(_memory: u64, _time: Duration) {}
