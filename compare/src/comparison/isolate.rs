//! Runs in processes of their own: a method that hangs, takes all memory or ends the process fails its own run only.

use crate::error::{CommandError, Status};
use crate::experiment::{Control, Gate, Limits, Measurement, Repeat, Request, measure};
use crate::registry::Registry;
use serde::{Deserialize, Serialize};
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The subcommand that a child is started with.
pub const SUBCOMMAND: &str = "measure-one";

/// Set in the environment of children.
const CHILD: &str = "LIEDAE_CHILD";

/// Stands before the answer of a child: what a method prints comes earlier.
const MARK: &str = "\u{1e}measurement\u{1e}";

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

/// How often a child is asked whether it has ended.
const PAUSE: Duration = Duration::from_millis(2);

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
        let mut child = Command::new(&self.program)
            .arg(SUBCOMMAND)
            // What a child says last should be why it ended, not where.
            .env("RUST_BACKTRACE", "0")
            .env(CHILD, "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let mut input = child.stdin.take();
        let readers = [
            child.stdout.take().map(|pipe| reader(Box::new(pipe))),
            child.stderr.take().map(|pipe| reader(Box::new(pipe))),
        ];
        if let Some(input) = &mut input {
            // A child that has ended already says so by its status.
            let _ = input.write_all(&text);
        }
        drop(input);
        let patience = job.patience().saturating_mul(LOAD);
        let status = wait(&mut child, patience).map_err(failed)?;
        let [answer, words] = readers.map(|reader| {
            let bytes = reader.and_then(|reader| reader.join().ok());
            bytes.unwrap_or_default()
        });
        let Some(status) = status else {
            return Ok(killed(format!(
                "it had not ended after {} s",
                patience.as_secs_f64()
            )));
        };
        if is_out_of_time(status) {
            let limit = job.patience().as_secs_f64();
            return Ok(killed(format!(
                "it had not ended after {limit} s of CPU time"
            )));
        }
        let answer = String::from_utf8_lossy(&answer);
        let marked = answer.rsplit_once(MARK).map_or("", |(_, answer)| answer);
        match serde_json::from_str(marked) {
            Ok(measurement) if status.success() => Ok(measurement),
            _ => {
                let mut reason = grief(status, &words);
                if ended_by_signal(status) {
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

fn reader(mut pipe: Box<dyn Read + Send>) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // What was read until a failure is all there is.
        let _ = pipe.read_to_end(&mut bytes);
        bytes
    })
}

/// The child's end, or `None` if it had to be killed.
fn wait(child: &mut Child, patience: Duration) -> std::io::Result<Option<ExitStatus>> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() > patience {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(PAUSE);
    }
}

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

/// Whether the system has ended a child since its CPU time was over.
#[cfg(unix)]
fn is_out_of_time(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt;
    status.signal() == Some(rustix::process::Signal::XCPU.as_raw())
}

#[cfg(unix)]
fn ended_by_signal(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt;
    status.signal().is_some()
}

#[cfg(not(unix))]
fn ended_by_signal(_status: ExitStatus) -> bool {
    false
}

#[cfg(not(unix))]
fn is_out_of_time(_status: ExitStatus) -> bool {
    false
}

/// How a child came to grief, with the last line that it wrote.
fn grief(status: ExitStatus, words: &[u8]) -> String {
    let words = String::from_utf8_lossy(words);
    let mut said = words.lines().map(str::trim).filter(|line| !line.is_empty());
    // The line after a panic's place is what it says; that on backtraces is no news.
    let last = said.rfind(|line| !line.starts_with("note:"));
    let ending = if status.success() {
        "its process ended without an answer".to_owned()
    } else {
        format!("its process ended with {status}")
    };
    match last {
        Some(last) => format!("{ending}: {last}"),
        None => ending,
    }
}

/// The child's part: reads a job from stdin, writes the measurement to stdout.
pub fn measure_one(registry: &Registry) -> Result<Status, CommandError> {
    let mut text = String::new();
    std::io::stdin()
        .read_to_string(&mut text)
        .map_err(|source| CommandError::write("stdin".as_ref(), source))?;
    let job: Job = serde_json::from_str(&text)?;
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
