//! A problem of a comparison, with the result of its survey.

use super::{Case, Control, Instance, Survey};
use crate::error::CommandError;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The result of a survey: the data of the problem, or the reason why it failed (a panic, a time limit, too much memory). A
/// problem that cannot be built with its parameters is an error instead.
pub type Looked = Result<Survey, String>;

/// A problem of a comparison.
#[derive(Clone, Debug)]
pub struct Subject {
    /// What was asked for.
    pub instance: Instance,
    /// What is known of it.
    pub survey: Looked,
    /// Other names under which it was asked for.
    pub also: Vec<String>,
}

impl Subject {
    /// Looks at a problem in this process.
    pub fn look(instance: &Instance) -> Result<Looked, CommandError> {
        let looked = catch_unwind(AssertUnwindSafe(|| {
            let mut case: Case = instance.build()?;
            Ok(Survey::of(&mut case))
        }));
        match looked {
            Ok(Ok(survey)) => Ok(Ok(survey)),
            Ok(Err(error)) => Err(error),
            Err(panic) => Ok(Err(panic_words(panic.as_ref()))),
        }
    }

    /// Whether runs on both are the same, however they are written.
    pub fn is_same(&self, other: &Self) -> bool {
        let [one, two] = [&self.instance, &other.instance];
        one.entry().name == two.entry().name
            && one.parameter_values() == two.parameter_values()
            && self.t_end() == other.t_end()
    }

    /// Its name in results and reports.
    pub fn label(&self) -> &str {
        &self.instance.label
    }

    /// End of the run in s; 0 if unknown.
    pub fn t_end(&self) -> f64 {
        let known = self.survey.as_ref().ok().map(|survey| survey.t_end);
        known.or(self.instance.t_end()).unwrap_or(0.0)
    }

    /// Names of the outputs; empty if unknown.
    pub fn outputs(&self) -> &[String] {
        self.survey
            .as_ref()
            .map_or(&[], |survey| survey.outputs.as_slice())
    }

    /// How steps are chosen at a tolerance.
    pub fn adaptive(&self, tolerance: f64) -> Control {
        let scale = (self.survey.as_ref()).map_or(1.0, |survey| survey.absolute_scale);
        Control::Adaptive {
            rtol: tolerance,
            atol: tolerance * scale,
        }
    }

    /// A fixed step, in units of the problem's default step. If that is unknown, runs are identified by the tolerance of their
    /// rung.
    pub fn fixed(&self, steps: f64, tolerance: f64) -> Control {
        match &self.survey {
            Ok(survey) => Control::Fixed {
                step: survey.default_step * steps,
            },
            Err(_) => self.adaptive(tolerance),
        }
    }
}

/// What a panic said.
pub fn panic_words(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned());
    match text {
        Some(text) => format!("panicked: {text}"),
        None => "panicked".to_owned(),
    }
}
