//! A problem at certain parameters, as a comparison names it.

use super::Case;
use crate::error::CommandError;
use liedae_problems::{ProblemEntry, ProblemRegistry};

/// A problem with parameters other than its defaults, written `newton-cradle:n=5:e=0.5`; `t_end=2` ends the run at 2 s.
#[derive(Clone, Debug)]
pub struct Instance {
    /// As it was asked for: its name in results and reports.
    pub label: String,
    entry: ProblemEntry,
    settings: Vec<String>,
    t_end: Option<f64>,
}

impl Instance {
    /// Reads an instance and builds it once, so that names and values that nobody has are found at the beginning.
    pub fn parse(problems: &ProblemRegistry, text: &str) -> Result<Self, CommandError> {
        let instance = Self::read(problems, text)?;
        instance.build()?;
        Ok(instance)
    }

    /// Reads an instance; only the problem's name is looked up.
    pub fn read(problems: &ProblemRegistry, text: &str) -> Result<Self, CommandError> {
        let mut parts = text.split(':').map(str::trim);
        let entry = problems.lookup(parts.next().unwrap_or_default())?;
        let (mut settings, mut t_end) = (Vec::new(), None);
        for setting in parts {
            let parts = setting.split_once('=');
            match parts.map(|(name, value)| (name.trim(), value.trim())) {
                Some(("t_end", _)) if t_end.is_some() => {
                    return Err(CommandError::Setting {
                        setting: setting.to_owned(),
                        expected: "the end is set already".to_owned(),
                    });
                }
                Some(("t_end", end)) => t_end = Some(end_time(end)?),
                _ => settings.push(setting.to_owned()),
            }
        }
        // One name for one instance, however it is spaced.
        let label: Vec<String> = text
            .split(':')
            .map(|part| {
                let sides: Vec<&str> = part.split('=').map(str::trim).collect();
                sides.join("=")
            })
            .collect();
        Ok(Self {
            label: label.join(":"),
            entry,
            settings,
            t_end,
        })
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
        let settings = settings.iter().map(|setting| setting.as_ref().to_owned());
        self.settings.extend(settings);
        Ok(self)
    }

    /// The problem itself.
    pub fn build(&self) -> Result<Case, CommandError> {
        Case::new(self.entry, &self.settings, self.t_end)
    }
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
        let instance = Instance::parse(&problems, "newton-cradle:n=5:e=0.5:t_end=0.25")?;
        assert_eq!(instance.label, "newton-cradle:n=5:e=0.5:t_end=0.25");
        let spaced = Instance::parse(&problems, " newton-cradle : n = 5:e=0.5 :t_end=0.25 ")?;
        assert_eq!(spaced.label, instance.label);
        let case = instance.build()?;
        assert_eq!((case.problem.name, case.t_end), ("newton-cradle", 0.25));
        assert_eq!(case.parameters.get("n")?, 5.0);
        for wrong in [
            "newton-cradle:n=0",
            "newton-cradle:m=3",
            "newton-cradle:n=3:n=3",
            "pendulum:t_end=nan",
            "pendulum:t_end=0",
            "pendulum:t_end=1:t_end=2",
        ] {
            assert!(Instance::parse(&problems, wrong).is_err(), "{wrong}");
        }
        Ok(())
    }
}
