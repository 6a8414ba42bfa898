//! The registry of problems and methods by name, including those of users.

use crate::error::CommandError;
use crate::experiment::{AUTO, Case, Choice, Instance, auto_entry, is_set};
use crate::foreign::Program;
use liedae::integrator::{BuildError, MethodEntry, MethodRegistry};
use liedae_problems::{ProblemEntry, ProblemError, ProblemRegistry};
use std::path::Path;

/// Problems and methods by name: the standard ones, and a user's.
///
/// ```
/// use liedae::integrator::{Hem5, Integrator, Kind, Method, MethodEntry, Orders, Projection, StepError, StepSizes, Stepper};
/// use liedae::system::{Evaluator, State};
/// use liedae_compare::Registry;
///
/// /// A method of one's own: here another one that never projects.
/// struct Drifting;
/// static DRIFTING: Method = Method::new("drifting", Kind::HalfExplicit, Orders::all(5)).with_index(2).with_error_estimate(4.0);
/// impl Integrator for Drifting {
///     fn method(&self) -> &'static Method {
///         &DRIFTING
///     }
///     fn start(&self, system: &mut Evaluator, state: &State, sizes: StepSizes) -> Result<Box<dyn Stepper>, StepError> {
///         Hem5::new(Projection::Never).start(system, state, sizes)
///     }
/// }
///
/// let registry = Registry::standard().with_method(MethodEntry::new(&DRIFTING, |_| Box::new(Drifting)))?;
/// // liedae_compare::main_with(registry) is the whole command, in which `drifting` is a method as the others.
/// assert!(registry.methods().find("drifting").is_some());
/// # Ok::<(), liedae::integrator::BuildError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Registry {
    problems: ProblemRegistry,
    methods: MethodRegistry,
    programs: Vec<Program>,
}

impl Registry {
    /// The problems of `liedae-problems`, the methods of `liedae` and of `liedae-contact`, and `auto`.
    pub fn standard() -> Self {
        let methods = liedae_contact::methods();
        Self {
            problems: ProblemRegistry::standard(),
            // The name is free: it stays what it is where it were not.
            methods: methods.clone().with(auto_entry()).unwrap_or(methods),
            programs: Vec::new(),
        }
    }

    /// One method more.
    ///
    /// # Errors
    /// Its name is taken or cannot be written on a command line, or the entry makes a method of another name.
    pub fn with_method(self, entry: MethodEntry) -> Result<Self, BuildError> {
        Ok(Self {
            methods: self.methods.with(entry)?,
            ..self
        })
    }

    /// One problem more.
    ///
    /// # Errors
    /// Its name is taken, by a set of problems perhaps, or nobody could write it or one of its parameters on a command line.
    pub fn with_problem(self, entry: ProblemEntry) -> Result<Self, ProblemError> {
        if is_set(entry.name) {
            return Err(ProblemError::NameTaken(entry.name));
        }
        Ok(Self {
            problems: self.problems.with(entry)?,
            ..self
        })
    }

    /// One program more: an executable that solves problems as `docs/book/src/comparing/foreign-solvers.md` says, under this name.
    ///
    /// # Errors
    /// The name is taken or has other letters than `a-z`, `0-9` and `-`, or the file cannot be read.
    pub fn with_program(mut self, name: &str, path: &Path) -> Result<Self, CommandError> {
        let refused = |expected: &str| CommandError::Value {
            option: "--program",
            value: format!("{name}={}", path.display()),
            expected: expected.to_owned(),
        };
        let fits =
            |letter: u8| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == b'-';
        if name.is_empty() || name == "all" || !name.bytes().all(fits) {
            return Err(refused(
                "a name has letters a-z, digits and -, and is not `all`",
            ));
        }
        let is_known = self.programs.iter().any(|program| program.name() == name);
        if is_known || self.methods.find(name).is_some() {
            return Err(refused("another method or program has this name"));
        }
        self.programs.push(Program::new(name, path)?);
        Ok(self)
    }

    /// The programs.
    pub(crate) fn programs(&self) -> &[Program] {
        &self.programs
    }

    /// Names of methods and programs, without `auto`, which is one of the others.
    pub(crate) fn solver_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = (self.methods.names())
            .filter(|name| *name != AUTO)
            .collect();
        names.extend(self.programs.iter().map(Program::name));
        names
    }

    /// The methods.
    pub fn methods(&self) -> &MethodRegistry {
        &self.methods
    }

    /// The problems.
    pub fn problems(&self) -> &ProblemRegistry {
        &self.problems
    }

    /// The problem of this name, also as in `newton-cradle:n=5:t_end=2`, with settings such as `mu=0.2`.
    pub(crate) fn case<S: AsRef<str>>(
        &self,
        name: &str,
        settings: &[S],
        t_end: Option<f64>,
    ) -> Result<Case, CommandError> {
        let instance = Instance::read(&self.problems, name)?;
        instance.with(settings, t_end)?.build()
    }

    /// The method of this name, with its own options, or with a formulation as in `radau5:3`.
    pub(crate) fn choice(&self, name: &str) -> Result<Choice, CommandError> {
        Choice::parse(&self.methods, name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use liedae_problems::{ParameterInfo, Range};

    #[test]
    fn names_that_nobody_could_ask_for_are_refused() {
        let entry = |name| ProblemEntry::new(name, |_| Err(ProblemError::build("none", "never")));
        let with = |entry| Registry::standard().with_problem(entry).map(|_| ());
        for taken in ["pendulum", "quick"] {
            assert_eq!(with(entry(taken)), Err(ProblemError::NameTaken(taken)));
        }
        for unusable in ["", "a b", "a:b", "a,b", "a=b"] {
            assert_eq!(
                with(entry(unusable)),
                Err(ProblemError::UnusableName(unusable))
            );
        }
        const END: &[ParameterInfo] = &[ParameterInfo::new(
            "t_end",
            1.0,
            "s",
            Range::Positive,
            "an end",
        )];
        assert_eq!(
            with(entry("bead").with_parameters(END)),
            Err(ProblemError::UnusableName("t_end"))
        );
        assert_eq!(with(entry("bead")), Ok(()));
    }
}
