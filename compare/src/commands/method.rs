//! `liedae describe METHOD`: what it is, when to use it, and all its options.

use super::deliver;
use crate::error::{CommandError, Status};
use crate::experiment::CONTROL_SETTINGS;
use crate::output::{WIDTH, wrapped};
use liedae::integrator::{Method, MethodEntry, MethodOption, named_options};
use serde::Serialize;

#[derive(Serialize)]
struct Description {
    #[serde(flatten)]
    method: &'static Method,
    options: Vec<OptionLine>,
}

#[derive(Serialize)]
struct OptionLine {
    name: &'static str,
    values: String,
    meaning: &'static str,
}

/// Describes a method.
pub fn describe(
    entry: MethodEntry,
    settings: &[String],
    as_json: bool,
) -> Result<Status, CommandError> {
    let method = entry.method;
    if let Some(setting) = settings.first() {
        return Err(CommandError::Setting {
            setting: format!("--set {setting}"),
            expected: format!(
                "`{}` is a method: its options are written after its name",
                method.name
            ),
        });
    }
    let description = Description {
        method,
        options: options(entry),
    };
    deliver(&description, as_json, || text(&description))
}

fn options(entry: MethodEntry) -> Vec<OptionLine> {
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
        });
    let mut lines: Vec<OptionLine> = own.collect();
    if entry.method.is_adaptive() {
        lines.extend(CONTROL_SETTINGS.map(|[name, values, meaning]| OptionLine {
            name,
            values: values.to_owned(),
            meaning,
        }));
    }
    lines
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
    let mut text = format!("{}: {}\n\n", method.name, method.title);
    text.push_str(&wrapped(rows, WIDTH));
    let Some(first) = value.options.first() else {
        text.push_str("\nNo options.\n");
        return text;
    };
    let example = format!("{}:{}=...", method.name, first.name);
    text.push_str(&format!("\nOptions, as in {example}\n"));
    let lines = value.options.iter();
    let lines = lines.map(|line| (line.name, format!("{}: {}", line.meaning, line.values)));
    text.push_str(&wrapped(lines, WIDTH));
    text
}
