//! Methods by names with settings behind them, and lists of these.

use super::Choice;
use super::step_control::{CONTROL_SETTINGS, EVENT_TOLERANCE, MAX_HALVINGS, MAX_STEP};
use crate::error::CommandError;
use crate::experiment::AUTO;
use crate::suggest::unknown;
use liedae::integrator::{MethodOption, MethodRegistry, OptionError, named_options};
use liedae::system::Formulation;
use std::sync::Arc;

impl Choice {
    /// The method of this name, with settings as in `generalized-alpha:rho=0.5:newton-tol=1e-8`, or with a formulation as in
    /// `radau5:3`.
    pub fn parse(methods: &MethodRegistry, text: &str) -> Result<Self, CommandError> {
        let mut parts = text.split(':').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let entry = methods
            .find(name)
            .ok_or_else(|| unknown("method", name, methods.names()))?;
        let mut choice = Self {
            candidates: (name == AUTO).then(|| Arc::new(methods.clone())),
            ..Self::of(entry)
        };
        let mut seen: Vec<&str> = Vec::new();
        for part in parts {
            let Some((name, value)) = part.split_once('=') else {
                if part.parse::<Formulation>().is_err() {
                    return Err(CommandError::Setting {
                        setting: format!("`{part}` behind `{}`", entry.method.name),
                        expected: "it is neither name=value nor a formulation (3, 2, stabilized, 1, baumgarte)"
                            .to_owned(),
                    });
                }
                choice = choice.with_formulation(methods, Some(part))?;
                continue;
            };
            let (name, value) = (name.trim(), value.trim());
            if seen.contains(&name) {
                return Err(refused(
                    name,
                    value,
                    "it is set already; every option is set once",
                ));
            }
            seen.push(name);
            choice.set(name, value)?;
        }
        choice
            .entry
            .check(&choice.options)
            .map_err(|error| methods.explain(error))?;
        if choice.sets_control() && choice.candidates.is_some() {
            return Err(CommandError::Setting {
                setting: text.trim().to_owned(),
                expected: "each method that `auto` may choose has a controller of its own"
                    .to_owned(),
            });
        }
        if choice.sets_control() && !choice.method().is_adaptive() {
            return Err(CommandError::Setting {
                setting: text.trim().to_owned(),
                expected: format!("{name} so has no error estimate and takes fixed steps"),
            });
        }
        Ok(choice)
    }

    /// Sets one option of the method or of its step-size control.
    pub(super) fn set(&mut self, name: &str, value: &str) -> Result<(), CommandError> {
        let is_control = CONTROL_SETTINGS.iter().any(|setting| setting[0] == name);
        if is_control {
            self.set_control(name, value)?;
        } else if name == EVENT_TOLERANCE[0] {
            self.set_event_tolerance(value)?;
        } else if name == MAX_STEP[0] {
            self.set_max_step(value)?;
        } else if name == MAX_HALVINGS[0] {
            self.set_max_halvings(value)?;
        } else {
            let asked = self.options.formulation;
            let option = self.options.set(name, value).map_err(|error| match error {
                OptionError::Unknown { name, .. } => {
                    let known = named_options().iter().map(|named| named.name);
                    let control = CONTROL_SETTINGS.iter().map(|setting| setting[0]);
                    let others = control.chain([EVENT_TOLERANCE[0], MAX_STEP[0], MAX_HALVINGS[0]]);
                    unknown("option", &name, known.chain(others))
                }
                OptionError::Value {
                    name,
                    value,
                    values,
                } => refused(name, &value, values),
            })?;
            if option == MethodOption::Formulation {
                if asked.is_some() && asked != self.options.formulation {
                    return Err(refused(
                        name,
                        value,
                        "another formulation is asked for, too",
                    ));
                }
                if name == "index" {
                    return Ok(());
                }
            }
        }
        self.settings.push(format!("{name}={value}"));
        Ok(())
    }

    /// The methods of a list of names separated by commas, or `all` in all their formulations.
    pub fn list(methods: &MethodRegistry, names: &str) -> Result<Vec<Self>, CommandError> {
        let mut choices: Vec<Self> = Vec::new();
        if names.trim() == "all" {
            for entry in methods
                .entries()
                .iter()
                .filter(|entry| entry.method.name != AUTO)
            {
                let choice = Self::parse(methods, entry.method.name)?;
                if entry.formulations.is_empty() {
                    choices.push(choice.clone());
                }
                for (formulation, _) in entry.formulations {
                    choices.push(
                        choice
                            .clone()
                            .with_formulation(methods, Some(&formulation.to_string()))?,
                    );
                }
            }
        } else {
            for name in names.split(',').map(str::trim) {
                let choice = Self::parse(methods, name)?;
                if choices
                    .iter()
                    .all(|known| known.canonical() != choice.canonical())
                {
                    choices.push(choice);
                }
            }
        }
        Ok(choices)
    }
}

/// A setting that is not possible, and what would be.
pub(super) fn refused(name: &str, value: &str, expected: &str) -> CommandError {
    CommandError::Setting {
        setting: format!("{name}={value}"),
        expected: expected.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_follow_the_name() -> Result<(), CommandError> {
        let methods = liedae_contact::methods();
        for text in [
            "hem5",
            "hem5:projection=never:safety=0.3",
            "radau5:3",
            "radau5:3:newton-tol=1e-3",
            "generalized-alpha:rho=0.5",
            "bdf:baumgarte=20:order=2",
            "dopri5:controller=pid:grow=3",
            "moreau-jean:theta=1",
            "rk4:event-tolerance=1e-9",
            "radau5:max-step=1e-3",
            "moreau-jean:max-halvings=0",
        ] {
            assert_eq!(Choice::parse(&methods, text)?.label(), text);
        }
        assert_eq!(
            Choice::parse(&methods, "radau5: index=3")?.label(),
            "radau5:3"
        );
        for wrong in [
            "hem6",
            "hem5:rho=0.5",
            "hem5:projection=2x",
            "hem5:safety=1.5",
            "hem5:safety=0.5:safety=0.5",
            "hem5:radius=0.5",
            "hem5:event-tolerance=0",
            "hem5:max-step=-1",
            "moreau-jean:max-halvings=1.5",
            "moreau-jean:max-halvings=31",
            "hem5:controller=none",
            "half-implicit:rows=3",
            "moreau-jean:grow=2",
            "radau5:3:index=2",
            "radau5:3:baumgarte=5",
            "generalized-alpha:rho=2",
            "generalized-alpha:3",
        ] {
            assert!(Choice::parse(&methods, wrong).is_err(), "{wrong}");
        }
        Ok(())
    }
}
