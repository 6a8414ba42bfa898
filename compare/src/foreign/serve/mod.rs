//! Our side of the conversation with a program: one run.

mod answers;
mod reports;

use super::form::{self, Form, Place};
use super::frame::{Frame, Payload};
use super::process::{Bounds, Process};
use super::stopwatch::Stopwatch;
use super::watch::Watch;
use super::{ProgramChoice, ProgramError};
use crate::experiment::{Control, Counts, Limits, Table};
use liedae::system::{
    AccelerationSolver, Consistency, Evaluator, EventHandling, State, System, Violation,
    check_consistency,
};

/// Longest words of a program, in bytes.
pub const LONGEST_TEXT: usize = 1 << 16;

/// What is asked of a program.
pub struct Task<'t> {
    /// End of the run in s.
    pub t_end: f64,
    /// Tolerances.
    pub control: Control,
    /// Limits of time and steps.
    pub limits: Limits,
    /// Limits of the process.
    pub bounds: Bounds,
    /// Whether it is watched: every step is looked at, samples are taken, and nobody minds the time.
    pub watched: bool,
    /// Times in s of the samples, of watched runs only.
    pub times: &'t [f64],
}

/// What came out of a run.
#[derive(Debug)]
pub struct Outcome {
    /// The state at the end.
    pub state: State,
    /// What was done.
    pub report: Report,
    /// Outputs at the samples.
    pub samples: Table,
    /// Largest violation at the steps that were looked at.
    pub violation: Violation,
}

/// Counts and times, also of runs that failed.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Steps, evaluations, linear algebra.
    pub counts: Counts,
    /// Time that was reached in s.
    pub t: Option<f64>,
    /// CPU time of the solver and of evaluations in s.
    pub cpu_s: f64,
}

/// A run that failed, and what was done until then.
#[derive(Debug)]
pub struct Failure {
    /// Why.
    pub error: ProgramError,
    /// Until then.
    pub report: Report,
}

/// What a program has counted itself.
#[derive(Clone, Copy, Debug, Default)]
struct Work {
    accepted: usize,
    rejected: usize,
    newton_iterations: usize,
    factorizations: usize,
    solves: usize,
}

/// One run of a program.
pub struct Session<'s> {
    system: Evaluator<'s>,
    task: &'s Task<'s>,
    choice: &'s ProgramChoice,
    start: State,
    form: Option<Box<dyn Form>>,
    stopwatch: Stopwatch,
    /// CPU time that the program says it has taken, in s.
    program_s: f64,
    work: Work,
    t: Option<f64>,
    asked: Vec<String>,
    watch: Watch,
    finished: Option<State>,
    /// Why the last point could not be evaluated.
    obstacle: Option<String>,
    numbers: Vec<f64>,
    answer: Vec<f64>,
}

/// Whether the conversation goes on.
enum Next {
    Goes,
    Ends,
}

impl<'s> Session<'s> {
    /// Brings the system to its start.
    ///
    /// # Errors
    /// The system has no form for programs, or its start is not consistent.
    pub fn new(
        system: &'s mut dyn System,
        choice: &'s ProgramChoice,
        task: &'s Task<'s>,
    ) -> Result<Self, ProgramError> {
        let mut system = Evaluator::new(system);
        form::check(&mut system)?;
        let failed = |error: &dyn std::fmt::Display| ProgramError::Failed(error.to_string());
        let mut start = system.system().initial_state();
        let handling = EventHandling::Located { tolerance: 1e-12 };
        system
            .system()
            .prepare(&mut start, handling)
            .map_err(|error| failed(&error))?;
        let consistency = Consistency::default();
        system
            .uncounted(|system| check_consistency(system, &start, consistency))
            .map_err(|error| failed(&error))?;
        let mut accelerations =
            AccelerationSolver::new(system.layout()).map_err(|error| failed(&error))?;
        let ordinary = (system.layout().differential_index.iter()).all(|&index| index == 0);
        if system.layout().dimension() > 0 || ordinary {
            accelerations
                .complete(&mut system, &mut start)
                .map_err(|error| failed(&error))?;
        }
        let watch = Watch::new(&mut system, &start).map_err(|error| failed(&error))?;
        Ok(Self {
            system,
            task,
            choice,
            start,
            form: None,
            stopwatch: Stopwatch::new(),
            program_s: 0.0,
            work: Work::default(),
            t: None,
            asked: Vec::new(),
            watch,
            finished: None,
            obstacle: None,
            numbers: Vec::new(),
            answer: Vec::new(),
        })
    }

    /// Runs the program to its end.
    pub fn run(mut self) -> Result<Outcome, Box<Failure>> {
        let result = self.converse();
        let report = self.report();
        let outcome = result.and_then(|()| {
            let missing = |what: &str| Err(ProgramError::Nonsense(what.to_owned()));
            let Some(state) = self.finished else {
                return missing("it was done without a state at the end");
            };
            let (samples, violation) = self.watch.into_parts();
            if samples.times.len() < self.task.times.len() {
                return missing("it was done without all samples");
            }
            Ok((state, samples, violation))
        });
        match outcome {
            Ok((state, samples, violation)) => Ok(Outcome {
                state,
                report,
                samples,
                violation,
            }),
            Err(error) => Err(Box::new(Failure { error, report })),
        }
    }

    fn report(&self) -> Report {
        let evaluations = self.system.evaluations();
        let form = self.form.as_ref();
        Report {
            counts: Counts {
                // A program counts its own steps.
                inner: 0,
                accepted: self.work.accepted,
                rejected: self.work.rejected,
                force: evaluations.force,
                constraint: evaluations.constraint,
                jacobian: evaluations.jacobian,
                mass: evaluations.mass,
                factorizations: self.work.factorizations
                    + form.map_or(0, |form| form.factorizations()),
                solves: self.work.solves,
                newton_iterations: self.work.newton_iterations,
            },
            t: self.t,
            cpu_s: self.program_s + self.stopwatch.spent_s(),
        }
    }

    fn converse(&mut self) -> Result<(), ProgramError> {
        let mut process = Process::start(&self.choice.program, self.task.bounds)?;
        let mut frame = Frame::default();
        loop {
            let size = self.form.as_ref().map_or(0, |form| form.size());
            process.receive(LONGEST_TEXT.max(8 * (2 * size + 2)), &mut frame)?;
            self.take_time(&frame)?;
            match self.hear(&frame, &mut process) {
                Ok(Next::Goes) => {}
                Ok(Next::Ends) => return Ok(()),
                Err(error) => {
                    // So that it can say the reason itself; it may be gone.
                    let words = error.to_string();
                    let _ = process.send(*b"stop", 0.0, &Payload::Text(&words));
                    return Err(error);
                }
            }
        }
    }

    fn take_time(&mut self, frame: &Frame) -> Result<(), ProgramError> {
        // Written so that NaN is refused.
        if !(frame.cpu_s >= self.program_s && frame.cpu_s.is_finite()) {
            return Err(ProgramError::Nonsense(format!(
                "its CPU time is {} s after {} s",
                frame.cpu_s, self.program_s
            )));
        }
        self.program_s = frame.cpu_s;
        let limit = self.task.limits.time.as_secs_f64();
        if !self.task.watched && self.program_s + self.stopwatch.spent_s() > limit {
            return Err(ProgramError::OutOfTime { seconds: limit });
        }
        Ok(())
    }

    fn hear(&mut self, frame: &Frame, process: &mut Process) -> Result<Next, ProgramError> {
        match &frame.tag {
            b"open" => self.open(frame)?,
            b"opti" => return self.option(frame, process),
            b"form" => self.choose_form(frame)?,
            b"goal" => self.tell_goal()?,
            b"ends" => self.tell_ends(),
            b"outs" => {
                self.answer.clear();
                self.answer.extend_from_slice(self.task.times);
            }
            b"init" => self.tell_start()?,
            b"occu" => {
                let occurs = self.form()?.occurs();
                self.answer = occurs.into_iter().map(f64::from).collect();
            }
            b"indx" => {
                let index = self.form()?.index();
                self.answer = index.into_iter().map(f64::from).collect();
            }
            b"eval" | b"jaco" => return self.evaluate(frame, process),
            b"step" | b"samp" | b"last" => {
                self.look(frame)?;
                return Ok(Next::Goes);
            }
            // Asked for when the program was named.
            b"name" => return Ok(Next::Goes),
            b"work" => {
                self.take_work(frame)?;
                return Ok(Next::Goes);
            }
            b"done" => return Ok(Next::Ends),
            b"fail" => {
                let obstacle = self.obstacle.take();
                let obstacle = obstacle.map(|words| format!(" (the last obstacle: {words})"));
                let words = frame.text() + &obstacle.unwrap_or_default();
                return Err(ProgramError::Failed(words));
            }
            b"deny" => return Err(ProgramError::Refused(frame.text())),
            _ => {
                return Err(ProgramError::Nonsense(format!(
                    "there is no message `{}`",
                    frame.name()
                )));
            }
        }
        process.send(frame.tag, 0.0, &Payload::Numbers(&self.answer))?;
        Ok(Next::Goes)
    }

    fn form(&mut self) -> Result<&mut dyn Form, ProgramError> {
        match &mut self.form {
            Some(form) => Ok(form.as_mut()),
            None => Err(ProgramError::Nonsense(
                "it asks for equations before it has asked for a form".to_owned(),
            )),
        }
    }
}

/// A point in the numbers of a message.
fn place(numbers: &[f64], size: usize) -> Place<'_> {
    let (y, rate) = numbers[1..].split_at(size);
    Place {
        t: numbers[0],
        y,
        rate,
    }
}
