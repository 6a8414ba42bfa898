//! The child's part: it reads a job, sets its own limits, does the work and answers.

use super::pipes::MARK;
use crate::error::{CommandError, Refusal, Status};
use crate::experiment::{
    Control, Gate, Limits, Measurement, Repeat, Request, Survey, measure, own_reference,
};
use crate::foreign::{ProgramChoice, measure_program};
use crate::motion::picture;
use crate::registry::Registry;
use serde::{Deserialize, Serialize};
use std::io::Read;
use std::path::PathBuf;
use std::time::Duration;

/// The subcommand that a child is started with.
pub const SUBCOMMAND: &str = "measure-one";

/// What a child is asked for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    /// The problem, by the name that the command line has.
    pub problem: String,
    /// What to do with it.
    pub task: Task,
    /// Memory that it may use, in bytes.
    pub memory: u64,
    /// CPU time that it may take.
    pub cpu: Option<Duration>,
}

/// What to do with a problem.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Task {
    /// Look at it.
    Survey,
    /// Draw it.
    Picture,
    /// Compute outputs at these times, as true as they can be.
    Reference {
        /// In s, ascending.
        times: Vec<f64>,
    },
    /// Make one run.
    Measure(Solving),
}

/// A run to be made.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Solving {
    /// The method or program with its options.
    solver: String,
    /// Name and file, of a program.
    program: Option<(String, PathBuf)>,
    control: Control,
    limits: Limits,
    repeat: Repeat,
    times: Vec<f64>,
}

impl Solving {
    /// What is asked of a method, or of a program in a file.
    pub fn of(request: &Request, solver: String, program: Option<(String, PathBuf)>) -> Self {
        Self {
            solver,
            program,
            control: request.control,
            limits: request.limits,
            repeat: request.repeat,
            times: request.times.to_vec(),
        }
    }

    fn measure(
        &self,
        registry: &Registry,
        problem: &str,
        memory: u64,
    ) -> Result<Measurement, CommandError> {
        let request = Request {
            control: self.control,
            limits: self.limits,
            repeat: self.repeat,
            times: &self.times,
        };
        let gate = Gate::default();
        let mut case = registry.case::<&str>(problem, &[], None)?;
        let Some((name, path)) = &self.program else {
            let choice = registry.choice(&self.solver)?;
            return Ok(measure(&mut case, &choice, &request, &gate));
        };
        // The program may be one of the command line, which this process has not read.
        let known = Registry::standard().with_program(name, path)?;
        let choice = ProgramChoice::parse(known.programs(), &self.solver)?;
        let choice = choice.ok_or_else(|| CommandError::Setting {
            setting: self.solver.clone(),
            expected: format!("it is no program, and `{name}` was asked for"),
        })?;
        Ok(measure_program(&mut case, &choice, &request, memory, &gate))
    }
}

/// Reads a job from stdin and writes the answer to stdout.
pub fn answer(registry: &Registry) -> Result<Status, CommandError> {
    let mut text = String::new();
    std::io::stdin()
        .read_to_string(&mut text)
        .map_err(|source| CommandError::write("stdin".as_ref(), source))?;
    let Job {
        problem,
        task,
        memory,
        cpu,
    } = serde_json::from_str(&text)?;
    end_with_parent();
    limit(memory, cpu);
    let case = || registry.case::<&str>(&problem, &[], None);
    match task {
        Task::Survey => say(case().map(|mut case| Survey::of(&mut case))),
        Task::Picture => say(picture(registry, &problem)),
        Task::Reference { times } => say(case().map(|mut case| {
            let reference = own_reference(&mut case, &times);
            let confirmed = reference.map(|reference| reference.confirm(&mut case));
            confirmed.map_err(|error| error.to_string())
        })),
        Task::Measure(solving) => say(solving.measure(registry, &problem, memory)),
    }
}

/// Writes what came out, or why nothing can.
fn say<T: Serialize>(result: Result<T, CommandError>) -> Result<Status, CommandError> {
    let said = result.map_err(|error| Refusal::from(&error));
    let answer = serde_json::to_string(&said)?;
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
fn limit(memory: u64, time: Option<Duration>) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let time = time.map(|time| time.as_secs().saturating_add(1));
    for (resource, most) in [(Resource::As, Some(memory)), (Resource::Cpu, time)] {
        let Some(most) = most else { continue };
        let maximum = getrlimit(resource).maximum;
        let current = Some(maximum.map_or(most, |maximum| maximum.min(most)));
        let _ = setrlimit(resource, Rlimit { current, maximum });
    }
}

#[cfg(not(unix))]
fn limit(_memory: u64, _time: Option<Duration>) {}
