//! `liedae list`: what there is by name.

use super::deliver;
use crate::cli::Listing;
use crate::error::{CommandError, Status};
use crate::experiment::{ProblemSet, problem_sets};
use crate::output::{WIDTH, columns, wrapped};
use crate::registry::Registry;
use liedae::control::{ControllerEntry, controllers};
use liedae::integrator::{Method, MethodEntry, MethodOption, named_options};
use serde::Serialize;

#[derive(Serialize)]
struct Problems {
    problems: Vec<ProblemLine>,
}

#[derive(Serialize)]
struct ProblemLine {
    name: &'static str,
    title: &'static str,
    source: &'static str,
}

#[derive(Serialize)]
struct Methods {
    methods: Vec<MethodLine>,
}

#[derive(Serialize)]
struct MethodLine {
    #[serde(flatten)]
    method: &'static Method,
    options: Vec<MethodOption>,
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

/// Lists problems, methods, sets or controllers.
pub fn list(registry: &Registry, what: Listing, as_json: bool) -> Result<Status, CommandError> {
    match what {
        Listing::Problems => {
            let lines = registry.problems().entries().iter();
            let value = Problems {
                problems: lines
                    .map(|entry| ProblemLine {
                        name: entry.name,
                        title: entry.title,
                        source: entry.source,
                    })
                    .collect(),
            };
            deliver(&value, as_json, || {
                let lines = value.problems.iter();
                wrapped(lines.map(|line| (line.name, line.title.to_owned())), WIDTH)
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
        options: entry.options().collect(),
        formulations: formulations
            .map(|(formulation, _)| formulation.to_string())
            .collect(),
    }
}

/// The settings that an option has on the command line.
fn in_words(option: MethodOption, line: &MethodLine) -> String {
    if option == MethodOption::Formulation {
        return format!("index={}", line.formulations.join("|"));
    }
    let names = named_options()
        .iter()
        .filter(|named| named.option == option);
    let names: Vec<&str> = names.map(|named| named.name).collect();
    names.join(", ")
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
        let options: Vec<String> = line
            .options
            .iter()
            .map(|&option| in_words(option, line))
            .collect();
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
