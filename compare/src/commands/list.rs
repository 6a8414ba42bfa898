//! `liedae list`: what there is by name.

use super::deliver;
use super::method::{OptionLine, options};
use crate::cli::Listing;
use crate::error::{CommandError, Status};
use crate::experiment::{ProblemSet, find_set, problem_name, problem_sets};
use crate::output::{WIDTH, columns, wrapped};
use crate::registry::Registry;
use liedae::control::{ControllerEntry, controllers};
use liedae::integrator::{Method, MethodEntry};
use serde::Serialize;

#[derive(Serialize)]
pub struct Problems {
    /// The set they are from; null for all.
    set: Option<&'static str>,
    /// One line each.
    pub problems: Vec<ProblemLine>,
}

#[derive(Serialize)]
pub struct ProblemLine {
    /// Its identifier in the open test set.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'static str>,
    /// As other commands take it: in a set with parameters.
    pub name: &'static str,
    pub title: &'static str,
    source: &'static str,
}

impl ProblemLine {
    /// What stands first in a line, and the words behind it. Names with parameters are long: in the open test set, identifiers come first.
    fn words(&self) -> (&'static str, String) {
        match self.id {
            None => (self.name, self.title.to_owned()),
            Some(id) => (id, format!("{}: {}", self.name, self.title)),
        }
    }
}

#[derive(Serialize)]
struct Methods {
    methods: Vec<MethodLine>,
}

#[derive(Serialize)]
struct MethodLine {
    #[serde(flatten)]
    method: &'static Method,
    options: Vec<OptionLine>,
    formulations: Vec<String>,
}

#[derive(Serialize)]
struct Sets {
    sets: Vec<ProblemSet>,
}

#[derive(Serialize)]
struct Controllers {
    controllers: &'static [ControllerEntry],
}

/// The problems, or those of a set.
pub fn problems(registry: &Registry, set: Option<&str>) -> Result<Problems, CommandError> {
    let line = |(name, id): (&'static str, Option<&'static str>)| {
        let entry = registry.problems().lookup(problem_name(name))?;
        Ok(ProblemLine {
            id,
            name,
            title: entry.title,
            source: entry.source,
        })
    };
    let (set, names, ids) = match set {
        None => (None, registry.problems().names().collect(), Vec::new()),
        Some(name) => {
            let set = find_set(registry.problems(), name)?;
            (Some(set.name), set.problems, set.ids)
        }
    };
    let ids = ids.into_iter().map(Some).chain(std::iter::repeat(None));
    let lines: Result<Vec<ProblemLine>, CommandError> =
        names.into_iter().zip(ids).map(line).collect();
    Ok(Problems {
        set,
        problems: lines?,
    })
}

/// Lists problems, methods, sets or controllers.
pub fn list(
    registry: &Registry,
    what: Listing,
    set: Option<&str>,
    as_json: bool,
) -> Result<Status, CommandError> {
    if let Some(set) = set.filter(|_| what != Listing::Problems) {
        return Err(CommandError::Value {
            option: "--set",
            value: set.to_owned(),
            expected: "only problems come in sets: liedae list problems --set NAME".to_owned(),
        });
    }
    match what {
        Listing::Problems => {
            let value = problems(registry, set)?;
            deliver(&value, as_json, || {
                let lines = value.problems.iter();
                wrapped(lines.map(ProblemLine::words), WIDTH)
            })
        }
        Listing::Methods => {
            let value = Methods {
                methods: registry
                    .methods()
                    .entries()
                    .iter()
                    .copied()
                    .map(method_line)
                    .collect(),
            };
            deliver(&value, as_json, || method_table(&value.methods))
        }
        Listing::Sets => {
            let value = Sets {
                sets: problem_sets(registry.problems()),
            };
            deliver(&value, as_json, || {
                let rows = value.sets.iter().map(|set| {
                    let count = set.problems.len();
                    let words = format!("{} ({count}): {}", set.title, set.problems.join(", "));
                    (set.name, words)
                });
                wrapped(rows, WIDTH)
            })
        }
        Listing::Controllers => {
            let value = Controllers {
                controllers: controllers(),
            };
            deliver(&value, as_json, || {
                let rows = value.controllers.iter().map(|entry| {
                    (
                        entry.name,
                        format!("{}: {} ({})", entry.title, entry.use_when, entry.source),
                    )
                });
                wrapped(rows, WIDTH)
            })
        }
    }
}

fn method_line(entry: MethodEntry) -> MethodLine {
    let formulations = entry.formulations.iter();
    MethodLine {
        method: entry.method,
        options: options(entry),
        formulations: formulations
            .map(|(formulation, _)| formulation.to_string())
            .collect(),
    }
}

/// The name of an option, of the formulation with its values.
fn in_words(option: &OptionLine, line: &MethodLine) -> String {
    match option.name {
        "index" => format!("index={}", line.formulations.join("|")),
        name => name.to_owned(),
    }
}

fn method_table(lines: &[MethodLine]) -> String {
    let header = ["method", "kind", "index", "q", "v", "lambda", "steps"];
    let rows: Vec<Vec<String>> = lines
        .iter()
        .map(|MethodLine { method, .. }| {
            let steps = match (method.fixed_step_by_default, method.is_adaptive()) {
                (true, true) => "fixed, adaptive",
                (true, false) => "fixed",
                (false, _) => "adaptive",
            };
            vec![
                method.name.to_owned(),
                method.kind.to_string(),
                method.index.to_string(),
                method.orders.q.to_string(),
                method.orders.v.to_string(),
                method.orders.lambda.to_string(),
                steps.to_owned(),
            ]
        })
        .collect();
    let mut text = format!(
        "Orders in q, v and lambda; index of the formulation that the method uses by default.\n\n{}",
        columns(&header, &rows)
    );
    for line in lines {
        let method = line.method;
        let options = line.options.iter();
        let options: Vec<String> = options.map(|option| in_words(option, line)).collect();
        let rows = [
            ("  use it for:", method.use_when.to_owned()),
            ("  not for:", method.avoid_when.to_owned()),
            (
                "  options:",
                if options.is_empty() {
                    "none".to_owned()
                } else {
                    options.join(", ")
                },
            ),
            ("  source:", method.source.to_owned()),
        ];
        text.push_str(&format!("\n{}: {}\n", method.name, method.title));
        text.push_str(&wrapped(rows, WIDTH));
    }
    text
}
