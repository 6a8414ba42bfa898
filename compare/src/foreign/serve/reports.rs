//! Reports of an external program: states and counts.

use super::super::frame::Frame;
use super::{ProgramError, Session, Work, place};

/// Times that a program reports may differ from those that it was given by so many roundings.
const ROUNDINGS: f64 = 1e4 * f64::EPSILON;

impl Session<'_> {
    /// A state: after a step, at a sample, at the end.
    pub(super) fn look(&mut self, frame: &Frame) -> Result<(), ProgramError> {
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
    pub(super) fn take_work(&mut self, frame: &Frame) -> Result<(), ProgramError> {
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

fn is_near(t: f64, wanted: f64) -> bool {
    (t - wanted).abs() <= ROUNDINGS * wanted.abs().max(f64::MIN_POSITIVE)
}
