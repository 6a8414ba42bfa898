//! What can be compared: problems and methods by name, a user's among them.

use crate::error::CommandError;
use crate::experiment::{Case, Choice, Instance, auto_entry};
use liedae::integrator::{BuildError, MethodEntry, MethodRegistry};
use liedae_problems::{ProblemEntry, ProblemError, ProblemRegistry};

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
}

impl Registry {
    /// The problems of `liedae-problems`, the methods of `liedae` and of `liedae-contact`, and `auto`.
    pub fn standard() -> Self {
        let methods = liedae_contact::methods();
        Self {
            problems: ProblemRegistry::standard(),
            // The name is free: it stays what it is where it were not.
            methods: methods.clone().with(auto_entry()).unwrap_or(methods),
        }
    }

    /// One method more.
    ///
    /// # Errors
    /// Its name is taken, or the entry makes a method of another name.
    pub fn with_method(self, entry: MethodEntry) -> Result<Self, BuildError> {
        Ok(Self {
            methods: self.methods.with(entry)?,
            ..self
        })
    }

    /// One problem more.
    ///
    /// # Errors
    /// Its name is taken.
    pub fn with_problem(self, entry: ProblemEntry) -> Result<Self, ProblemError> {
        Ok(Self {
            problems: self.problems.with(entry)?,
            ..self
        })
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
