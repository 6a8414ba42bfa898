//! A problem at certain parameters, as a comparison names it.

use super::Case;
use super::model_file::{ModelFile, Stated, is_path};
use crate::error::CommandError;
use liedae_problems::catalogue::{self, CatalogueRow};
use liedae_problems::{Parameters, ProblemEntry, ProblemRegistry};

/// A problem with parameters other than its defaults, written `newton-cradle:n=5:e=0.5`; `t_end=2` ends the run at 2 s. The path of a
/// mechanism file stands for a problem, too, and the identifier of a row of the open test set, `s1-007`, for what that row states.
#[derive(Clone, Debug)]
pub struct Instance {
    /// As it was asked for: its name in results and reports.
    pub label: String,
    entry: ProblemEntry,
    /// Where it is not one of the registry.
    file: Option<ModelFile>,
    parameters: Parameters,
    /// Names of the parameters that were set.
    set: Vec<String>,
    /// Of the row of the open test set, unless another one is asked for.
    usual_end: Option<f64>,
    t_end: Option<f64>,
}

impl Instance {
    /// Reads an instance: names and values that nobody has are found, and nothing is built.
    pub fn read(problems: &ProblemRegistry, text: &str) -> Result<Self, CommandError> {
        let mut parts = text.split(':').map(str::trim);
        let name = parts.next().unwrap_or_default();
        if let Some(row) = catalogue::find(name) {
            return Self::of_row(problems, row, parts);
        }
        let file = is_path(name).then(|| ModelFile::read(name)).transpose()?;
        let entry = match &file {
            Some(file) => file.entry(),
            None => problems.lookup(name)?,
        };
        // One name for one instance, however it is spaced.
        let label: Vec<String> = text
            .split(':')
            .map(|part| {
                let sides: Vec<&str> = part.split('=').map(str::trim).collect();
                sides.join("=")
            })
            .collect();
        let mut instance = Self {
            label: label.join(":"),
            entry,
            file,
            parameters: Parameters::defaults(&entry),
            set: Vec::new(),
            usual_end: None,
            t_end: None,
        };
        instance.read_settings(parts)?;
        Ok(instance)
    }

    /// A row of the open test set with further settings. Its label is that of the problem, so that runs are the same under both names.
    fn of_row<'t>(
        problems: &ProblemRegistry,
        row: &CatalogueRow,
        settings: impl Iterator<Item = &'t str> + Clone,
    ) -> Result<Self, CommandError> {
        let mut instance = Self::read(problems, row.problem)?;
        instance.usual_end = instance.t_end.take();
        instance.read_settings(settings.clone())?;
        let (name, own) = row.parts();
        let mut parts = vec![name.to_owned()];
        parts.extend(own.into_iter().map(str::to_owned));
        parts.extend(settings.map(|setting| setting.replace(' ', "")));
        if let (None, Some(end)) = (instance.t_end, instance.usual_end) {
            parts.push(format!("t_end={end}"));
        }
        instance.label = parts.join(":");
        Ok(instance)
    }

    fn read_settings<'t>(
        &mut self,
        settings: impl Iterator<Item = &'t str>,
    ) -> Result<(), CommandError> {
        for setting in settings {
            let parts = setting.split_once('=');
            match parts.map(|(name, value)| (name.trim(), value.trim())) {
                Some(("t_end", _)) if self.t_end.is_some() => {
                    return Err(CommandError::Setting {
                        setting: setting.to_owned(),
                        expected: "the end is set already".to_owned(),
                    });
                }
                Some(("t_end", end)) => self.t_end = Some(end_time(end)?),
                _ => self.set(setting)?,
            }
        }
        Ok(())
    }

    /// The same with further settings and, if it is given, an end in s.
    pub fn with<S: AsRef<str>>(
        mut self,
        settings: &[S],
        t_end: Option<f64>,
    ) -> Result<Self, CommandError> {
        if let (Some(first), Some(second)) = (self.t_end, t_end) {
            return Err(CommandError::Setting {
                setting: format!("t_end={first}"),
                expected: format!("--t-end {second} is asked for, too"),
            });
        }
        self.t_end = self.t_end.or(t_end);
        for setting in settings {
            self.set(setting.as_ref())?;
        }
        Ok(self)
    }

    /// Sets a parameter from a text such as `mu=0.2`.
    fn set(&mut self, setting: &str) -> Result<(), CommandError> {
        self.parameters.parse(setting)?;
        let name = setting.split('=').next().unwrap_or_default().trim();
        if self.set.iter().any(|known| known == name) {
            return Err(CommandError::Setting {
                setting: setting.to_owned(),
                expected: format!("`{name}` is set already; every parameter is set once"),
            });
        }
        self.set.push(name.to_owned());
        Ok(())
    }

    /// What stands behind the name in the registry.
    pub fn entry(&self) -> &ProblemEntry {
        &self.entry
    }

    /// Names and values of all parameters.
    pub fn parameter_values(&self) -> Vec<(String, f64)> {
        let values = self.parameters.iter();
        values
            .map(|(info, value)| (info.name.to_owned(), value))
            .collect()
    }

    /// The end that was asked for, in s.
    pub fn t_end(&self) -> Option<f64> {
        self.t_end.or(self.usual_end)
    }

    /// The mechanism file that states it, if one does.
    pub(crate) fn stated(&self) -> Option<&Stated> {
        self.file.as_ref().map(ModelFile::stated)
    }

    /// A number of the text of the mechanism file that states it, if one does: texts that differ have others.
    pub(crate) fn file_number(&self) -> Option<String> {
        self.file.as_ref().map(ModelFile::number)
    }

    /// The problem itself.
    pub fn build(&self) -> Result<Case, CommandError> {
        let parameters = self.parameters.clone();
        match &self.file {
            None => Case::new(self.entry, parameters, self.t_end()),
            Some(file) => Case::of_file(file, parameters, self.t_end()),
        }
    }
}

/// The name of a problem, also as in `newton-cradle:n=5`, and of that of a row of the open test set.
pub fn problem_name(text: &str) -> &str {
    let name = text.split(':').next().unwrap_or_default().trim();
    catalogue::find(name).map_or(name, |row| row.parts().0)
}

fn end_time(text: &str) -> Result<f64, CommandError> {
    text.parse()
        .ok()
        .filter(|&t: &f64| t > 0.0 && t.is_finite())
        .ok_or_else(|| CommandError::Value {
            option: "t_end",
            value: text.to_owned(),
            expected: "it is the end of the run in s, a positive number".to_owned(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_and_end_follow_the_name() -> Result<(), CommandError> {
        let problems = ProblemRegistry::standard();
        let instance = Instance::read(&problems, "newton-cradle:n=5:e=0.5:t_end=0.25")?;
        assert_eq!(instance.label, "newton-cradle:n=5:e=0.5:t_end=0.25");
        let spaced = Instance::read(&problems, " newton-cradle : n = 5:e=0.5 :t_end=0.25 ")?;
        assert_eq!(spaced.label, instance.label);
        let case = instance.build()?;
        assert_eq!((case.problem.name, case.t_end), ("newton-cradle", 0.25));
        assert_eq!(case.parameters.get("n")?, 5.0);
        for wrong in [
            "s2-007:n=3",
            "s2-006:t_end=1:t_end=2",
            "s9-001",
            "newton-cradle:n=0",
            "newton-cradle:m=3",
            "newton-cradle:n=3:n=3",
            "pendulum:t_end=nan",
            "pendulum:t_end=0",
            "pendulum:t_end=1:t_end=2",
        ] {
            assert!(Instance::read(&problems, wrong).is_err(), "{wrong}");
        }
        Ok(())
    }

    #[test]
    fn rows_of_the_test_set_are_problems() -> Result<(), CommandError> {
        let problems = ProblemRegistry::standard();
        for (text, label, end) in [
            ("s2-006", "newton-cradle:n=5:t_end=3", Some(3.0)),
            ("S2-006 : t_end = 1", "newton-cradle:n=5:t_end=1", Some(1.0)),
            ("s1-007:spin=2", "chain:n=2:spin=2", None),
        ] {
            let instance = Instance::read(&problems, text)?;
            assert_eq!(instance.label, label);
            assert_eq!(instance.t_end(), end);
            // The label asks for the same.
            let again = Instance::read(&problems, label)?;
            assert_eq!(again.parameter_values(), instance.parameter_values());
            assert_eq!(again.t_end(), instance.t_end());
        }
        // `--t-end` counts for more than the row.
        let shorter = Instance::read(&problems, "s2-006")?.with::<&str>(&[], Some(0.5))?;
        assert_eq!(shorter.t_end(), Some(0.5));
        assert_eq!(problem_name("s2-006:e=1"), "newton-cradle");
        Ok(())
    }
}
