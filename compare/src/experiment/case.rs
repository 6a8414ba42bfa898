//! The checked inputs of a run: a built problem, a method, the choice of steps.

use super::in_file::explained;
use super::model_file::ModelFile;
use crate::error::CommandError;
use crate::suggest::unknown;
use liedae::integrator::Method;
use liedae::solve::{Options, SolveError};
use liedae::system::{System, output_names};
use liedae_problems::catalogue::{ReferenceTable, ReferenceValue};
use liedae_problems::{Parameters, Problem, ProblemEntry, ProblemError, ProblemRegistry};
use serde::{Deserialize, Serialize};

/// A problem with its parameters and time span.
pub struct Case {
    /// The parameters it was built with.
    pub parameters: Parameters,
    /// The problem.
    pub problem: Problem,
    /// End of the run in s.
    pub t_end: f64,
    outputs: Vec<String>,
    /// The file that states the problem, if one does.
    file: Option<ModelFile>,
    /// Whether the problem is one of those that come with the program: a file or a problem of the user's may have the name of one.
    is_standard: bool,
}

impl Case {
    /// Builds a problem with these parameters.
    pub fn new(
        entry: ProblemEntry,
        parameters: Parameters,
        t_end: Option<f64>,
    ) -> Result<Self, CommandError> {
        let problem = (entry.build)(&parameters)?;
        let standard = ProblemRegistry::standard().find(entry.name);
        Ok(Self {
            is_standard: standard
                .is_some_and(|known| std::ptr::fn_addr_eq(known.build, entry.build)),
            ..Self::of(problem, parameters, t_end)
        })
    }

    /// A problem that is built, and is none of those that come with the program.
    pub fn of(mut problem: Problem, parameters: Parameters, t_end: Option<f64>) -> Self {
        let t_end = t_end.unwrap_or(problem.t_end);
        Self {
            parameters,
            outputs: output_names(&mut problem.system).to_vec(),
            problem,
            t_end,
            file: None,
            is_standard: false,
        }
    }

    /// The problem of a file.
    pub fn of_file(
        file: &ModelFile,
        parameters: Parameters,
        t_end: Option<f64>,
    ) -> Result<Self, CommandError> {
        Ok(Self {
            file: Some(file.clone()),
            ..Self::of(file.problem()?, parameters, t_end)
        })
    }

    /// Why a run failed: of a file in its own words.
    pub fn reason(&self, error: &SolveError) -> String {
        let file = self.file.as_ref();
        let known = file.and_then(|file| explained(file, self.problem.system.as_ref(), error));
        known.unwrap_or_else(|| error.to_string())
    }

    /// The same as an error.
    pub fn refusal(&self, error: SolveError) -> CommandError {
        CommandError::Solve {
            reason: self.reason(&error),
            error: Box::new(error),
        }
    }

    /// End values that two methods have computed at tight tolerances, for these parameters and this end; none where they are not known.
    ///
    /// # Errors
    /// The table of references is damaged.
    pub fn computed_reference(&self) -> Result<&'static [ReferenceValue], CommandError> {
        let table = ReferenceTable::standard().map_err(ProblemError::from)?;
        Ok(if self.is_standard {
            table.values(&self.label(), self.t_end)
        } else {
            &[]
        })
    }

    /// The system.
    pub fn system(&mut self) -> &mut dyn System {
        self.problem.system.as_mut()
    }

    /// Names of the outputs.
    pub fn outputs(&self) -> &[String] {
        &self.outputs
    }

    /// The index of an output, by default of the problem's main one.
    pub fn output(&self, name: Option<&str>) -> Result<usize, CommandError> {
        let name = name.unwrap_or(&self.problem.main_output);
        let names = self.outputs();
        names
            .iter()
            .position(|output| output == name)
            .ok_or_else(|| unknown("output", name, names.iter().map(String::as_str)))
    }

    /// The problem's name with the parameters that differ from their defaults, as in `newton-cradle:n=5:e=0.5`: so it can be asked
    /// for again.
    pub fn label(&self) -> String {
        let changed = self.parameters.iter();
        let changed = changed.filter(|(info, value)| *value != info.default);
        let settings = changed.map(|(info, value)| format!(":{}={value}", info.name));
        std::iter::once(self.problem.name.to_owned())
            .chain(settings)
            .collect()
    }

    /// Names and values of the parameters.
    pub fn parameter_values(&self) -> Vec<(String, f64)> {
        self.parameters
            .iter()
            .map(|(info, value)| (info.name.to_owned(), value))
            .collect()
    }
}

/// How steps are chosen, as in reports.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Control {
    /// By tolerances.
    Adaptive {
        /// Relative tolerance.
        rtol: f64,
        /// Absolute tolerance.
        atol: f64,
    },
    /// Fixed.
    Fixed {
        /// Step in s.
        step: f64,
    },
}

impl Control {
    /// What the command line asks for; by default relative tolerances of 1e-6, absolute ones by the sizes that count in
    /// the problem, and the problem's step, if it has one that serves from start to end, for methods that step with a fixed size
    /// by default.
    pub fn resolve(
        rtol: Option<f64>,
        atol: Option<f64>,
        step: Option<f64>,
        method: &Method,
        default_step: Option<f64>,
        absolute_scale: f64,
    ) -> Self {
        let default_step = default_step.filter(|_| method.fixed_step_by_default);
        match (step, rtol, atol) {
            (Some(step), ..) => Self::Fixed { step },
            (None, rtol, atol) => {
                if let (Some(step), None, None) = (default_step, rtol, atol) {
                    return Self::Fixed { step };
                }
                let rtol = rtol.unwrap_or(1e-6);
                Self::Adaptive {
                    rtol,
                    atol: atol.unwrap_or(rtol * absolute_scale),
                }
            }
        }
    }

    /// Options of the driver, with the method's own controller. Fixed steps that fail end the run.
    pub fn options(self, t_end: f64, max_steps: Option<u64>) -> Options {
        let mut options = match self {
            Self::Adaptive { rtol, atol } => Options::adaptive(t_end, rtol, atol),
            Self::Fixed { step } => Options::fixed(t_end, step),
        };
        options.max_halvings = 0;
        if let Some(limit) = max_steps {
            options.max_steps = usize::try_from(limit).unwrap_or(usize::MAX);
        }
        options
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use liedae::integrator::{Hem5, Kind, Orders};

    #[test]
    fn one_tolerance_sets_both_and_a_step_wins() {
        let method = &Hem5::METHOD;
        let resolve = |rtol, atol, step| Control::resolve(rtol, atol, step, method, Some(0.1), 1.0);
        assert_eq!(
            resolve(Some(1e-3), None, None),
            Control::Adaptive {
                rtol: 1e-3,
                atol: 1e-3
            }
        );
        assert_eq!(
            resolve(None, Some(1e-9), None),
            Control::Adaptive {
                rtol: 1e-6,
                atol: 1e-9
            }
        );
        assert_eq!(resolve(None, None, Some(0.5)), Control::Fixed { step: 0.5 });
        let fixed = Method::new("fixed", Kind::Explicit, Orders::all(2))
            .with_error_estimate(2.0)
            .with_fixed_steps_by_default();
        assert_eq!(
            Control::resolve(None, None, None, &fixed, Some(0.1), 1.0),
            Control::Fixed { step: 0.1 }
        );
    }
}
