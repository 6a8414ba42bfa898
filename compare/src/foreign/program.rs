//! Programs by name, and their options.

use super::ProgramError;
use crate::error::CommandError;
use crate::provenance::number_of_file;
use std::path::{Path, PathBuf};

/// An external program that solves problems: a name in comparisons, and the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    name: String,
    path: PathBuf,
    number: String,
    says: Option<String>,
}

impl Program {
    /// The program in this file. Its number, a hash of the file, becomes part of what runs are known by, and so does what it says of
    /// itself: it may load libraries of another version than yesterday. It is started for that.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn new(name: &str, path: &Path) -> Result<Self, ProgramError> {
        let unusable = |source| ProgramError::Unusable {
            path: path.to_owned(),
            source,
        };
        // A name without a slash would be looked for in the folders of PATH.
        let path = path.canonicalize().map_err(unusable)?;
        let number = number_of_file(&path).map_err(unusable)?;
        let mut program = Self {
            name: name.to_owned(),
            path,
            number,
            says: None,
        };
        // One that comes to grief here does so in its runs, which say why.
        program.says = super::name::name(&program).ok().flatten();
        Ok(program)
    }

    /// Its name in comparisons.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A number of the file, with the program's own words: one that was built anew, or runs with another library, has another one.
    pub fn number(&self) -> String {
        match &self.says {
            Some(words) => format!("{}-{words}", self.number),
            None => self.number.clone(),
        }
    }

    /// What it says that it is, with its version.
    pub fn says(&self) -> Option<&str> {
        self.says.as_deref()
    }
}

/// A program with options, as a comparison names it: `ida:index=1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramChoice {
    /// The program.
    pub program: Program,
    /// Options by name; whether they mean anything the program decides.
    pub settings: Vec<(String, String)>,
}

impl ProgramChoice {
    /// The program of this name with its options, or `None` if no program has that name.
    ///
    /// # Errors
    /// What stands behind the name is not of the form `name=value`, or is set twice.
    pub fn parse(programs: &[Program], text: &str) -> Result<Option<Self>, CommandError> {
        let mut parts = text.split(':').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let Some(program) = programs.iter().find(|program| program.name == name) else {
            return Ok(None);
        };
        let mut settings: Vec<(String, String)> = Vec::new();
        for part in parts {
            let refused = |expected: &str| CommandError::Setting {
                setting: format!("`{part}` behind `{name}`"),
                expected: expected.to_owned(),
            };
            let setting = part.split_once('=');
            let setting = setting.map(|(name, value)| (name.trim(), value.trim()));
            let Some((key, value)) =
                setting.filter(|(key, value)| !key.is_empty() && !value.is_empty())
            else {
                return Err(refused("options of a program are written name=value"));
            };
            if settings.iter().any(|(known, _)| known == key) {
                return Err(refused("it is set already; every option is set once"));
            }
            settings.push((key.to_owned(), value.to_owned()));
        }
        Ok(Some(Self {
            program: program.clone(),
            settings,
        }))
    }

    /// The program's name with the options that were asked for.
    pub fn label(&self) -> String {
        let settings = self.settings.iter();
        let settings = settings.map(|(name, value)| format!(":{name}={value}"));
        std::iter::once(self.program.name.clone())
            .chain(settings)
            .collect()
    }

    /// The same for options in any order.
    pub fn canonical(&self) -> String {
        let mut sorted = self.clone();
        sorted.settings.sort();
        sorted.label()
    }
}
