//! Named parameters of problems, checked when they are set.

use crate::suggestion::suggestion;
use crate::{ProblemEntry, ProblemError};
use std::fmt;

/// The values that a parameter may take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Range {
    /// Every finite number.
    Finite,
    /// Greater than zero.
    Positive,
    /// Zero or greater.
    NonNegative,
    /// At least the first and at most the second bound.
    Between(f64, f64),
    /// A whole number between two bounds, both included.
    Integer(u32, u32),
    /// One of several variants, numbered from 0.
    Choice(&'static [&'static str]),
}

impl Range {
    /// Whether a value lies in the range; never for NaN and infinities.
    pub fn contains(&self, value: f64) -> bool {
        value.is_finite()
            && match *self {
                Self::Finite => true,
                Self::Positive => value > 0.0,
                Self::NonNegative => value >= 0.0,
                Self::Between(low, high) => (low..=high).contains(&value),
                Self::Integer(low, high) => {
                    value.fract() == 0.0 && (f64::from(low)..=f64::from(high)).contains(&value)
                }
                Self::Choice(names) => {
                    value.fract() == 0.0 && value >= 0.0 && value < names.len() as f64
                }
            }
    }
}

impl fmt::Display for Range {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Finite => write!(formatter, "any finite number"),
            Self::Positive => write!(formatter, "a number greater than 0"),
            Self::NonNegative => write!(formatter, "a number not less than 0"),
            Self::Between(low, high) => write!(formatter, "a number from {low} to {high}"),
            Self::Integer(low, high) => write!(formatter, "a whole number from {low} to {high}"),
            Self::Choice(names) => {
                for (index, name) in names.iter().enumerate() {
                    let separator = if index == 0 { "" } else { ", " };
                    write!(formatter, "{separator}{index} ({name})")?;
                }
                Ok(())
            }
        }
    }
}

/// A parameter of a problem.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParameterInfo {
    /// Name, as in `name=value` on the command line.
    pub name: &'static str,
    /// Value unless set.
    pub default: f64,
    /// Unit; `1` for pure numbers.
    pub unit: &'static str,
    /// Values allowed.
    pub range: Range,
    /// Meaning.
    pub description: &'static str,
}

impl ParameterInfo {
    /// Describes a parameter.
    pub const fn new(
        name: &'static str,
        default: f64,
        unit: &'static str,
        range: Range,
        description: &'static str,
    ) -> Self {
        Self {
            name,
            default,
            unit,
            range,
            description,
        }
    }
}

/// Values for all parameters of one problem: the defaults and what was set.
///
/// ```
/// use liedae_problems::{Parameters, ProblemRegistry};
///
/// let entry = ProblemRegistry::standard().lookup("pendulum")?;
/// let mut parameters = Parameters::defaults(&entry);
/// parameters.parse("length=2.5")?;
/// assert_eq!(parameters.get("length")?, 2.5);
/// assert!(parameters.set("length", -1.0).is_err());
/// assert!(parameters.set("lenght", 1.0).is_err());
/// # Ok::<(), liedae_problems::ProblemError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    problem: &'static str,
    infos: &'static [ParameterInfo],
    values: Vec<f64>,
}

impl Parameters {
    /// The default values of a problem's parameters.
    pub fn defaults(entry: &ProblemEntry) -> Self {
        Self {
            problem: entry.name,
            infos: entry.parameters,
            values: entry.parameters.iter().map(|info| info.default).collect(),
        }
    }

    /// The problem that these parameters belong to.
    pub fn problem(&self) -> &'static str {
        self.problem
    }

    /// Sets a parameter; an unknown name and a value out of range are errors.
    pub fn set(&mut self, name: &str, value: f64) -> Result<(), ProblemError> {
        let index = self.index(name)?;
        let info = &self.infos[index];
        if !info.range.contains(value) {
            let expected = info.range.to_string();
            return Err(ProblemError::ParameterValue {
                problem: self.problem,
                name: info.name,
                value,
                expected,
            });
        }
        self.values[index] = value;
        Ok(())
    }

    /// Sets a parameter from a text such as `mu=0.2`.
    pub fn parse(&mut self, setting: &str) -> Result<(), ProblemError> {
        let syntax = || ProblemError::Syntax {
            text: setting.to_owned(),
        };
        let (name, value) = setting.split_once('=').ok_or_else(syntax)?;
        let name = name.trim();
        self.index(name)?;
        self.set(name, value.trim().parse().map_err(|_| syntax())?)
    }

    /// The value of a parameter.
    pub fn get(&self, name: &str) -> Result<f64, ProblemError> {
        Ok(self.values[self.index(name)?])
    }

    /// Whether all the named parameters have their default values; false if one of them does not exist.
    pub fn are_default(&self, names: &[&str]) -> bool {
        names.iter().all(|name| {
            self.index(name)
                .is_ok_and(|index| self.values[index] == self.infos[index].default)
        })
    }

    /// Whether every parameter but the named ones has its default value.
    pub fn are_default_except(&self, names: &[&str]) -> bool {
        self.iter()
            .all(|(info, value)| value == info.default || names.contains(&info.name))
    }

    /// All parameters with their values.
    pub fn iter(&self) -> impl Iterator<Item = (&'static ParameterInfo, f64)> {
        self.infos.iter().zip(self.values.iter().copied())
    }

    fn index(&self, name: &str) -> Result<usize, ProblemError> {
        self.infos
            .iter()
            .position(|info| info.name == name)
            .ok_or_else(|| ProblemError::UnknownParameter {
                problem: self.problem,
                name: name.to_owned(),
                suggestion: suggestion(name, self.infos.iter().map(|info| info.name)),
            })
    }
}

/// The parameters that differ from their defaults, as `a=1, b=2`; empty if none does.
impl fmt::Display for Parameters {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for (info, value) in self.iter().filter(|(info, value)| *value != info.default) {
            write!(formatter, "{separator}{}={value}", info.name)?;
            separator = ", ";
        }
        Ok(())
    }
}
