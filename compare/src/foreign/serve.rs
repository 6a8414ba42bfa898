//! Our side of the conversation with a program: one run.

use super::form::{self, Form, FormName, Place};
use super::frame::{Frame, Payload, VERSION};
use super::process::{Bounds, Process};
use super::stopwatch::Stopwatch;
use super::watch::Watch;
use super::{ProgramChoice, ProgramError};
use crate::experiment::{Control, Counts, Limits, Table};
use liedae::system::{
    AccelerationSolver, Consistency, Evaluator, EventHandling, State, System, Violation,
    check_consistency, time_events,
};

/// Longest words of a program, in bytes.
const LONGEST_TEXT: usize = 1 << 16;

/// Times that a program reports may differ from those that it was given by so many roundings.
const ROUNDINGS: f64 = 1e4 * f64::EPSILON;

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

    fn open(&mut self, frame: &Frame) -> Result<(), ProgramError> {
        frame.numbers(1, &mut self.numbers)?;
        if self.numbers[0] != VERSION {
            return Err(ProgramError::Nonsense(format!(
                "it speaks version {} of the protocol, and this is version {VERSION}",
                self.numbers[0]
            )));
        }
        self.answer.clear();
        self.answer.push(VERSION);
        Ok(())
    }

    /// The value of an option, an empty text if it is not set.
    fn option(&mut self, frame: &Frame, process: &mut Process) -> Result<Next, ProgramError> {
        let name = frame.text();
        let setting = self.choice.settings.iter().find(|(key, _)| *key == name);
        let value = setting.map_or("", |(_, value)| value.as_str());
        process.send(frame.tag, 0.0, &Payload::Text(value))?;
        if !self.asked.contains(&name) {
            self.asked.push(name);
        }
        Ok(Next::Goes)
    }

    fn choose_form(&mut self, frame: &Frame) -> Result<(), ProgramError> {
        if self.form.is_some() {
            return Err(ProgramError::Nonsense(
                "it asks for a second form".to_owned(),
            ));
        }
        let name: FormName = frame.text().parse()?;
        let form = form::form(name, &mut self.system, &self.start, self.task.t_end)?;
        self.answer.clear();
        let numbers = [form.size() as f64, f64::from(form.has_jacobian())];
        self.answer.extend(numbers);
        self.form = Some(form);
        Ok(())
    }

    /// Relative and absolute tolerance, limit of steps (0: none), whether every step is looked at.
    fn tell_goal(&mut self) -> Result<(), ProgramError> {
        let Control::Adaptive { rtol, atol } = self.task.control else {
            return Err(ProgramError::NotServed(
                "programs choose their steps by tolerances".to_owned(),
            ));
        };
        let steps = self.task.limits.max_steps.unwrap_or(0) as f64;
        self.answer.clear();
        self.answer
            .extend([rtol, atol, steps, f64::from(self.task.watched)]);
        Ok(())
    }

    /// Ends of the pieces on which the equations are smooth in time, the end of the run the last.
    fn tell_ends(&mut self) {
        let (from, to) = (self.start.t, self.task.t_end);
        let breaks = time_events(self.system.system());
        let inner = breaks.iter().copied().filter(|&t| t > from && t < to);
        self.answer = inner.chain([to]).collect();
    }

    /// t, y and, for implicit forms, y'.
    fn tell_start(&mut self) -> Result<(), ProgramError> {
        let unasked = self.choice.settings.iter();
        let unasked = unasked
            .map(|(name, _)| name)
            .find(|name| !self.asked.contains(name));
        if let Some(name) = unasked {
            return Err(ProgramError::Option {
                name: name.clone(),
                known: match self.asked.as_slice() {
                    [] => "none".to_owned(),
                    asked => asked.join(", "),
                },
            });
        }
        let start = self.start.clone();
        self.form()?;
        let form = self.form.as_mut();
        let from = form.map(|form| form.start(&mut self.system, &start));
        let from = match from {
            Some(Ok(from)) => from,
            Some(Err(error)) => return Err(ProgramError::Failed(error.to_string())),
            None => return Ok(()),
        };
        self.answer.clear();
        self.answer.push(start.t);
        self.answer.extend(from.y.iter().chain(&from.rate));
        Ok(())
    }

    fn evaluate(&mut self, frame: &Frame, process: &mut Process) -> Result<Next, ProgramError> {
        let Some(form) = &mut self.form else {
            return self.form().map(|_| Next::Goes);
        };
        let (size, implicit) = (form.size(), form.is_implicit());
        let is_jacobian = &frame.tag == b"jaco";
        let point = if implicit { 1 + 2 * size } else { 1 + size };
        let extra = usize::from(is_jacobian && implicit);
        frame.numbers(point + extra, &mut self.numbers)?;
        if is_jacobian && !form.has_jacobian() {
            return Err(ProgramError::Nonsense(
                "it asks for a Jacobian that the form does not have".to_owned(),
            ));
        }
        let finite = self.numbers.iter().all(|number| number.is_finite());
        let at = place(&self.numbers[..point], size);
        let wanted = if is_jacobian { size * size } else { size };
        self.answer.resize(wanted, 0.0);
        let (system, answer) = (&mut self.system, &mut self.answer);
        let c = self.numbers.last().copied().unwrap_or_default();
        let result = if !finite {
            Err("the point is not finite".to_owned())
        } else {
            let evaluated = self.stopwatch.time(|| match is_jacobian {
                true => form.jacobian(system, at, c, answer),
                false => form.evaluate(system, at, answer),
            });
            match evaluated {
                Ok(()) if answer.iter().all(|number| number.is_finite()) => Ok(()),
                Ok(()) => Err("the equations are not finite there".to_owned()),
                Err(error) => Err(error.to_string()),
            }
        };
        match result {
            Ok(()) => process.send(frame.tag, 0.0, &Payload::Numbers(&self.answer))?,
            Err(words) => {
                process.send(*b"cant", 0.0, &Payload::Text(&words))?;
                self.obstacle = Some(words);
            }
        }
        Ok(Next::Goes)
    }

    /// A state: after a step, at a sample, at the end.
    fn look(&mut self, frame: &Frame) -> Result<(), ProgramError> {
        self.form()?;
        let Some(form) = &mut self.form else {
            return Ok(());
        };
        let size = form.size();
        let count = if form.is_implicit() {
            1 + 2 * size
        } else {
            1 + size
        };
        frame.numbers(count, &mut self.numbers)?;
        if self.numbers.iter().any(|number| !number.is_finite()) {
            return Err(ProgramError::Failed(format!(
                "the state that it reports by `{}` is not finite",
                frame.name()
            )));
        }
        let at = place(&self.numbers, size);
        let wanted = match &frame.tag {
            b"samp" => {
                let place = self.watch.samples();
                let Some(&t) = self.task.times.get(place) else {
                    return Err(ProgramError::Nonsense(
                        "it reports more samples than it was asked for".to_owned(),
                    ));
                };
                Some(t)
            }
            b"last" => Some(self.task.t_end),
            _ => None,
        };
        if let Some(wanted) = wanted.filter(|&wanted| !is_near(at.t, wanted)) {
            return Err(ProgramError::Nonsense(format!(
                "its state by `{}` is at t = {} instead of {wanted}",
                frame.name(),
                at.t
            )));
        }
        let failed = |error: &dyn std::fmt::Display| {
            ProgramError::Failed(format!("the solution cannot be measured: {error}"))
        };
        let mut state = self.start.clone();
        form.complete(&mut self.system, at, &mut state)
            .map_err(|error| failed(&error))?;
        match &frame.tag {
            b"samp" => self.watch.sample(&mut self.system, &state),
            _ => {
                self.t = Some(state.t);
                self.watch.step(&mut self.system, &state)
            }
        }
        .map_err(|error| failed(&error))?;
        if &frame.tag == b"last" {
            self.finished = Some(state);
        }
        Ok(())
    }

    /// Time reached; steps accepted and rejected; Newton iterations, factorizations, solutions with a factorized matrix.
    fn take_work(&mut self, frame: &Frame) -> Result<(), ProgramError> {
        frame.numbers(6, &mut self.numbers)?;
        let bad = |number: f64| !(0.0..=9e15).contains(&number) || number.fract() != 0.0;
        if let Some(number) = self.numbers[1..].iter().find(|&&number| bad(number)) {
            return Err(ProgramError::Nonsense(format!("it has counted {number}")));
        }
        let [t, counts @ ..] = self.numbers.as_slice() else {
            return Ok(());
        };
        self.t = Some(*t).filter(|t| t.is_finite());
        let mut counts = counts.iter().map(|&count| count as usize);
        let mut next = || counts.next().unwrap_or_default();
        self.work = Work {
            accepted: next(),
            rejected: next(),
            newton_iterations: next(),
            factorizations: next(),
            solves: next(),
        };
        Ok(())
    }
}

fn place(numbers: &[f64], size: usize) -> Place<'_> {
    let (y, rate) = numbers[1..].split_at(size);
    Place {
        t: numbers[0],
        y,
        rate,
    }
}

fn is_near(t: f64, wanted: f64) -> bool {
    (t - wanted).abs() <= ROUNDINGS * wanted.abs().max(f64::MIN_POSITIVE)
}
