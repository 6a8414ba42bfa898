//! `liedae describe METHOD`: what it is, when to use it, and all its options with their defaults.

use super::deliver;
use crate::error::{CommandError, Status};
use crate::experiment::{AUTO, CONTROL_SETTINGS, Choice};
use crate::output::{WIDTH, wrapped};
use liedae::integrator::{Method, MethodEntry, MethodOption, MethodRegistry, named_options};
use serde::Serialize;

#[derive(Serialize)]
struct Description {
    #[serde(flatten)]
    method: &'static Method,
    /// As it was asked for.
    variant: String,
    options: Vec<OptionLine>,
}

/// An option of a method, or of its step-size control.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OptionLine {
    /// Its name on the command line.
    pub name: &'static str,
    /// The values that it takes.
    values: String,
    /// What it means.
    meaning: &'static str,
    /// The value unless set, or what stands in its place.
    default: String,
    /// The value that was asked for, if any was.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<String>,
}

/// Describes a method, with options as in `hem5:safety=0.5`.
pub fn describe(
    methods: &MethodRegistry,
    name: &str,
    settings: &[String],
    as_json: bool,
) -> Result<Status, CommandError> {
    let choice = Choice::parse(methods, name)?;
    let method = choice.method();
    if let Some(setting) = settings.first() {
        return Err(CommandError::Setting {
            setting: format!("--set {setting}"),
            expected: format!(
                "`{}` is a method: its options are written after its name, as in {}:{setting}",
                method.name, method.name
            ),
        });
    }
    let mut options = options(choice.entry);
    for setting in name.split(':').skip(1) {
        // A formulation may stand alone, as in radau5:3.
        let (key, value) = setting.split_once('=').unwrap_or(("index", setting));
        let line = options.iter_mut().find(|line| line.name == key.trim());
        if let Some(line) = line {
            line.value = Some(value.trim().to_owned());
        }
    }
    let description = Description {
        method,
        variant: choice.label(),
        options,
    };
    deliver(&description, as_json, || text(&description))
}

/// All options of a method, those of its step-size control last.
pub fn options(entry: MethodEntry) -> Vec<OptionLine> {
    let formulations = entry.formulations.iter();
    let formulations: Vec<String> = formulations.map(|(known, _)| known.to_string()).collect();
    let has_baumgarte = formulations.iter().any(|known| known == "baumgarte");
    let own = named_options()
        .iter()
        .filter(|named| entry.takes(named.option) && (named.name != "baumgarte" || has_baumgarte))
        .map(|named| OptionLine {
            name: named.name,
            values: match (named.option, named.name) {
                (MethodOption::Formulation, "index") => formulations.join(", "),
                _ => named.values.to_owned(),
            },
            meaning: named.meaning,
            default: entry.default_of(named),
            value: None,
        });
    let mut lines: Vec<OptionLine> = own.collect();
    // Each method that `auto` may choose has a controller of its own.
    if entry.method.is_adaptive() && entry.method.name != AUTO {
        lines.extend(CONTROL_SETTINGS.map(|[name, values, meaning]| OptionLine {
            name,
            values: values.to_owned(),
            meaning,
            default: control_default(entry.method, name),
            value: None,
        }));
    }
    lines
}

/// What a setting of the step-size control is unless set.
fn control_default(method: &Method, name: &str) -> String {
    let Some(limits) = method.controller.limits() else {
        return "the method's own".to_owned();
    };
    match name {
        "safety" => limits.safety.to_string(),
        "shrink" => limits.shrink.to_string(),
        "grow" => limits.grow.to_string(),
        _ => method.controller.to_string(),
    }
}

fn text(value: &Description) -> String {
    let method = value.method;
    let orders = method.orders;
    let steps = match (method.fixed_step_by_default, method.is_adaptive()) {
        (true, true) => "fixed by default, adaptive with tolerances",
        (true, false) => "fixed",
        (false, _) => "adaptive",
    };
    let mut rows = vec![
        ("Kind", format!("{}, index {}", method.kind, method.index)),
        (
            "Orders",
            format!(
                "{} in q, {} in v, {} in lambda",
                orders.q, orders.v, orders.lambda
            ),
        ),
        ("Steps", steps.to_owned()),
    ];
    let words = [
        ("Use it for", method.use_when),
        ("Not for", method.avoid_when),
        ("Source", method.source),
    ];
    let said = words.into_iter().filter(|(_, words)| !words.is_empty());
    rows.extend(said.map(|(title, words)| (title, words.to_owned())));
    let mut text = format!("{}: {}\n\n", value.variant, method.title);
    text.push_str(&wrapped(rows, WIDTH));
    let Some(first) = value.options.first() else {
        text.push_str("\nNo options.\n");
        return text;
    };
    let example = format!("{}:{}=...", method.name, first.name);
    text.push_str(&format!("\nOptions, as in {example}\n"));
    let lines = value.options.iter().map(|line| {
        let value = (line.value.as_ref()).map_or_else(String::new, |value| format!("= {value}, "));
        let words = format!(
            "{value}{}: {}; by default {}",
            line.meaning, line.values, line.default
        );
        (line.name, words)
    });
    text.push_str(&wrapped(lines, WIDTH));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::Registry;

    /// Every option of every method says what it is unless set, and what is listed is taken.
    #[test]
    fn every_option_says_its_default() {
        let registry = Registry::standard();
        let mut count = 0;
        for &entry in registry.methods().entries() {
            let name = entry.method.name;
            for line in options(entry) {
                assert!(!line.default.is_empty(), "{name}:{}", line.name);
                if CONTROL_SETTINGS
                    .iter()
                    .any(|[known, ..]| *known == line.name)
                {
                    let value = match line.name {
                        "controller" => "pid",
                        "grow" => "2",
                        _ => "0.5",
                    };
                    let text = format!("{name}:{}={value}", line.name);
                    assert!(registry.choice(&text).is_ok(), "{text}");
                }
                count += 1;
            }
        }
        assert!(count > 100, "{count}");
    }
}
