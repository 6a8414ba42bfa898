//! Methods by name.

use super::standard::STANDARD;
use super::{Integrator, Method, MethodOption, MethodOptions, NamedOption, Orders};
use crate::system::Formulation;
use std::fmt;
use std::mem::discriminant;
use thiserror::Error;

/// A method cannot be built as asked for, or registered.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum BuildError {
    /// No method has this name.
    #[error("there is no method `{0}`")]
    UnknownMethod(String),
    /// The method has a choice of formulations, but not this one.
    #[error("method `{method}` has no formulation {asked}; it has {}", join(offered.iter()))]
    Formulation {
        /// The method's name.
        method: &'static str,
        /// The formulation asked for.
        asked: Formulation,
        /// The formulations that it has.
        offered: Vec<Formulation>,
    },
    /// The method has no use for an option.
    #[error("method `{method}` takes no {option}{}", others(takers))]
    UnusedOption {
        /// The method's name.
        method: &'static str,
        /// The option.
        option: MethodOption,
        /// Registered methods that take it, if a registry was asked.
        takers: Vec<&'static str>,
    },
    /// Another method has this name.
    #[error("there is a method `{0}` already")]
    NameTaken(&'static str),
    /// A name that nobody could ask for.
    #[error(
        "a method cannot be called `{0}`: names have no spaces, commas, colons and equals signs, and `all` means all methods"
    )]
    UnusableName(&'static str),
    /// An entry makes another method than it says.
    #[error("the entry `{registered}` makes the method `{made}`")]
    OtherMethod {
        /// The name of the entry's descriptor.
        registered: &'static str,
        /// The name of the method that it makes.
        made: &'static str,
    },
}

fn join(items: impl Iterator<Item: fmt::Display>) -> String {
    let texts: Vec<String> = items.map(|item| item.to_string()).collect();
    texts.join(", ")
}

fn others(takers: &[&str]) -> String {
    match takers {
        [] => String::new(),
        _ => format!("; methods that do: {}", join(takers.iter())),
    }
}

/// A method and how to make one.
#[derive(Clone, Copy, Debug)]
pub struct MethodEntry {
    /// What it is.
    pub method: &'static Method,
    /// Options that it takes, besides its formulation.
    options: &'static [MethodOption],
    /// Formulations that it can be asked for, with its orders in each; empty if it has one of its own.
    pub formulations: &'static [(Formulation, Orders)],
    /// What options are unless set, by their names, where it is not what they usually are.
    defaults: &'static [(&'static str, &'static str)],
    make: fn(&MethodOptions) -> Box<dyn Integrator>,
}

impl MethodEntry {
    /// A method that takes no options and has one formulation.
    pub const fn new(
        method: &'static Method,
        make: fn(&MethodOptions) -> Box<dyn Integrator>,
    ) -> Self {
        Self {
            method,
            options: &[],
            formulations: &[],
            defaults: &[],
            make,
        }
    }

    /// The same with options that it takes; others are refused.
    pub const fn taking(self, options: &'static [MethodOption]) -> Self {
        Self { options, ..self }
    }

    /// The same with formulations that it can be asked for, and its orders in each.
    pub const fn with_formulations(self, formulations: &'static [(Formulation, Orders)]) -> Self {
        Self {
            formulations,
            ..self
        }
    }

    /// The same with words for what options are unless set, by their names, where it is not what they usually are.
    pub const fn with_defaults(self, defaults: &'static [(&'static str, &'static str)]) -> Self {
        Self { defaults, ..self }
    }

    /// What a named option of this method is unless set: a value that it takes, or words.
    pub fn default_of(&self, named: &NamedOption) -> String {
        let mut own = self.defaults.iter();
        let own = own.find(|(name, _)| *name == named.name);
        own.map_or(named.default, |(_, default)| default).to_owned()
    }

    /// Whether it takes an option.
    pub fn takes(&self, option: MethodOption) -> bool {
        match option {
            MethodOption::Formulation => !self.formulations.is_empty(),
            _ => self.options.contains(&option),
        }
    }

    /// The options that it takes.
    pub fn options(&self) -> impl Iterator<Item = MethodOption> {
        let formulation = self.takes(MethodOption::Formulation);
        let formulation = formulation.then_some(MethodOption::Formulation);
        self.options.iter().copied().chain(formulation)
    }

    /// Refuses options that the method has no use for.
    pub fn check(&self, options: &MethodOptions) -> Result<(), BuildError> {
        let method = self.method.name;
        if let Some(option) = options.given().find(|&option| !self.takes(option)) {
            return Err(BuildError::UnusedOption {
                method,
                option,
                takers: Vec::new(),
            });
        }
        let offered = self.formulations.iter().map(|&(known, _)| known);
        // Baumgarte's form is the same with other rates.
        let same = |a: &Formulation, b: &Formulation| discriminant(a) == discriminant(b);
        match options.formulation {
            Some(asked) if !offered.clone().any(|known| same(&known, &asked)) => {
                Err(BuildError::Formulation {
                    method,
                    asked,
                    offered: offered.collect(),
                })
            }
            _ => Ok(()),
        }
    }

    /// The method with these options; an error if it has no use for one of them.
    pub fn build(&self, options: &MethodOptions) -> Result<Box<dyn Integrator>, BuildError> {
        self.check(options)?;
        Ok((self.make)(options))
    }

    /// The method with those of the options that it takes; [`build`](Self::build) refuses the others.
    pub fn make(&self, options: &MethodOptions) -> Box<dyn Integrator> {
        (self.make)(options)
    }

    /// The method with its own options.
    pub fn default_method(&self) -> Box<dyn Integrator> {
        (self.make)(&MethodOptions::default())
    }
}

/// Methods by name. Registries are values: a user's is the standard one with methods of their own.
///
/// ```
/// use liedae::integrator::{
///     BuildError, Hem5, Integrator, Kind, Method, MethodEntry, MethodOptions, MethodRegistry, Orders, Projection, StepError,
///     StepSizes, Stepper,
/// };
/// use liedae::system::{Evaluator, State};
///
/// let methods = MethodRegistry::standard();
/// let options = MethodOptions { projection: Some(Projection::Never), ..MethodOptions::default() };
/// let method = methods.build("hem5", &options)?;
/// assert_eq!(method.method().orders.q, 5);
/// // Generalized-alpha solves for the constraints: there is nothing to project.
/// assert!(methods.build("generalized-alpha", &options).is_err());
///
/// /// A method of one's own: here another one with other options.
/// struct Drifting;
/// static DRIFTING: Method = Method::new("drifting", Kind::HalfExplicit, Orders::all(5)).with_index(2);
/// impl Integrator for Drifting {
///     fn method(&self) -> &'static Method {
///         &DRIFTING
///     }
///     fn start(&self, system: &mut Evaluator, state: &State, sizes: StepSizes) -> Result<Box<dyn Stepper>, StepError> {
///         Hem5::new(Projection::Never).start(system, state, sizes)
///     }
/// }
///
/// let own = MethodEntry::new(&DRIFTING, |_| Box::new(Drifting));
/// let methods = methods.with(own)?;
/// assert_eq!(methods.build("drifting", &MethodOptions::default())?.method().index, 2);
/// // Names are unique.
/// assert_eq!(methods.with(own).err(), Some(BuildError::NameTaken("drifting")));
/// # Ok::<(), BuildError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct MethodRegistry {
    entries: Vec<MethodEntry>,
}

impl MethodRegistry {
    /// The methods of this crate.
    pub fn standard() -> Self {
        Self {
            entries: STANDARD.to_vec(),
        }
    }

    /// One method more; an error if its name is taken, or if what the entry makes has another name.
    pub fn with(mut self, entry: MethodEntry) -> Result<Self, BuildError> {
        let name = entry.method.name;
        if self.find(name).is_some() {
            return Err(BuildError::NameTaken(name));
        }
        let separates = |c: char| c.is_whitespace() || ",:=".contains(c);
        if name.is_empty() || name.contains(separates) || name == "all" {
            return Err(BuildError::UnusableName(name));
        }
        let made = entry.default_method().method().name;
        if made != name {
            return Err(BuildError::OtherMethod {
                registered: name,
                made,
            });
        }
        self.entries.push(entry);
        Ok(self)
    }

    /// All of them, in the order in which they came.
    pub fn entries(&self) -> &[MethodEntry] {
        &self.entries
    }

    /// Their names.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.entries.iter().map(|entry| entry.method.name)
    }

    /// The method of this name.
    pub fn find(&self, name: &str) -> Option<MethodEntry> {
        let mut entries = self.entries.iter();
        entries.find(|entry| entry.method.name == name).copied()
    }

    /// Names of the methods that take an option.
    pub fn takers(&self, option: MethodOption) -> Vec<&'static str> {
        let takers = self.entries.iter().filter(|entry| entry.takes(option));
        takers.map(|entry| entry.method.name).collect()
    }

    /// Adds to an error which methods take an option that was refused.
    pub fn explain(&self, error: BuildError) -> BuildError {
        match error {
            BuildError::UnusedOption { method, option, .. } => BuildError::UnusedOption {
                method,
                option,
                takers: self.takers(option),
            },
            other => other,
        }
    }

    /// The method of this name with these options; an error if there is none, or if it has no use for one of them.
    pub fn build(
        &self,
        name: &str,
        options: &MethodOptions,
    ) -> Result<Box<dyn Integrator>, BuildError> {
        let entry = self
            .find(name)
            .ok_or_else(|| BuildError::UnknownMethod(name.to_owned()))?;
        entry.build(options).map_err(|error| self.explain(error))
    }
}

impl IntoIterator for MethodRegistry {
    type Item = MethodEntry;
    type IntoIter = std::vec::IntoIter<MethodEntry>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

impl<'a> IntoIterator for &'a MethodRegistry {
    type Item = &'a MethodEntry;
    type IntoIter = std::slice::Iter<'a, MethodEntry>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.iter()
    }
}
