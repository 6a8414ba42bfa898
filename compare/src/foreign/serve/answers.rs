//! Requests of an external program, and the answers.

use super::super::form::{self, FormName};
use super::super::frame::{Frame, Payload, VERSION};
use super::super::process::Process;
use super::{Next, ProgramError, Session, place};
use crate::experiment::Control;
use liedae::system::time_events;

impl Session<'_> {
    pub(super) fn open(&mut self, frame: &Frame) -> Result<(), ProgramError> {
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
    pub(super) fn option(
        &mut self,
        frame: &Frame,
        process: &mut Process,
    ) -> Result<Next, ProgramError> {
        let name = frame.text();
        let setting = self.choice.settings.iter().find(|(key, _)| *key == name);
        let value = setting.map_or("", |(_, value)| value.as_str());
        process.send(frame.tag, 0.0, &Payload::Text(value))?;
        if !self.asked.contains(&name) {
            self.asked.push(name);
        }
        Ok(Next::Goes)
    }

    pub(super) fn choose_form(&mut self, frame: &Frame) -> Result<(), ProgramError> {
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
    pub(super) fn tell_goal(&mut self) -> Result<(), ProgramError> {
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
    pub(super) fn tell_ends(&mut self) {
        let (from, to) = (self.start.t, self.task.t_end);
        let breaks = time_events(self.system.system());
        let inner = breaks.iter().copied().filter(|&t| t > from && t < to);
        self.answer = inner.chain([to]).collect();
    }

    /// t, y and, for implicit forms, y'.
    pub(super) fn tell_start(&mut self) -> Result<(), ProgramError> {
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

    pub(super) fn evaluate(
        &mut self,
        frame: &Frame,
        process: &mut Process,
    ) -> Result<Next, ProgramError> {
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
}
