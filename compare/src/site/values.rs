//! Parameters, initial state, outputs and their references.

use crate::error::CommandError;
use crate::experiment::Case;
use crate::output::{Named, number};
use liedae_problems::Range;
use liedae_problems::catalogue::{CatalogueRow, ReferenceValue};
use serde::Serialize;

/// The method by which references are computed where an explicit one does not get to the end.
const IMPLICIT: &str = "radau5";

/// Numbers of an initial state that are written out.
const MOST_NUMBERS: usize = 600;

/// A parameter.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ParameterLine {
    /// Its name.
    pub name: &'static str,
    /// Its value with its unit.
    pub value: String,
    /// What it means.
    pub meaning: String,
    /// The default with its unit, where it is another one.
    pub default: Option<String>,
    /// Whether the row sets it.
    pub is_set: bool,
}

/// The parameters that a case is built with.
pub fn parameters(case: &Case, row: &CatalogueRow) -> Vec<ParameterLine> {
    let (_, settings) = row.parts();
    let lines = case.parameters.iter().map(|(info, value)| {
        let words = |value: f64| match (info.range, info.unit) {
            (Range::Choice(names), _) => {
                let name = names.get(value as usize).copied().unwrap_or_default();
                format!("{value}: {name}")
            }
            (_, "1") => number(value),
            (_, unit) => format!("{} {unit}", number(value)),
        };
        let is_this = |setting: &&str| setting.split('=').next() == Some(info.name);
        ParameterLine {
            name: info.name,
            value: words(value),
            meaning: info.description.to_owned(),
            default: (value != info.default).then(|| words(info.default)),
            is_set: settings.iter().any(is_this),
        }
    });
    lines.collect()
}

/// The start of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Start {
    /// Time in s.
    pub t: String,
    /// Name and numbers of each part of the state: coordinates, velocities and so on.
    pub parts: Vec<(&'static str, String)>,
    /// How many numbers there are, where they are too many to be written out.
    pub left_out: Option<usize>,
}

/// The initial state.
pub fn start(case: &mut Case) -> Start {
    let state = case.system().initial_state();
    let parts = [
        ("coordinates q", &state.q),
        ("velocities v", &state.v),
        ("differential states x", &state.x),
        ("algebraic variables z", &state.z),
    ];
    let count = parts.iter().map(|(_, values)| values.len()).sum();
    let text = |values: &Vec<f64>| {
        let numbers: Vec<String> = values.iter().map(|value| format!("{value:?}")).collect();
        numbers.join(", ")
    };
    let known = parts.iter().filter(|(_, values)| !values.is_empty());
    Start {
        t: number(state.t),
        left_out: (count > MOST_NUMBERS).then_some(count),
        parts: if count > MOST_NUMBERS {
            Vec::new()
        } else {
            known.map(|&(name, values)| (name, text(values))).collect()
        },
    }
}

/// An output.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct OutputLine {
    /// Its name.
    pub name: String,
    /// Whether it is the one that plots and tables show first.
    pub is_main: bool,
    /// Its value at the start.
    pub first: String,
    /// Its reference at the end, in full precision.
    pub reference: Option<String>,
    /// Its digits.
    pub digits: Option<String>,
    /// The methods.
    pub by: Option<String>,
    /// What it is, where the model says so.
    pub definition: Option<String>,
}

/// Outputs and references of a case.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Outputs {
    /// One line each.
    pub lines: Vec<OutputLine>,
    /// Whether any output has a definition.
    pub is_defined: bool,
    /// Digits of the main output.
    pub digits: Option<f64>,
    /// Whether any output has a computed reference.
    pub is_computed: bool,
    /// Whether it took methods for stiff problems to compute them.
    pub is_stiff: bool,
    /// What is published or known in closed form.
    pub published: Option<String>,
}

impl Outputs {
    /// Adds what they are.
    pub fn define(&mut self, definitions: &Named<String>) {
        for line in &mut self.lines {
            line.definition = definitions.get(&line.name).cloned();
            self.is_defined |= line.definition.is_some();
        }
    }
}

/// All outputs; `first` are their values at the start, as far as they are known.
///
/// # Errors
/// The table of references is damaged.
pub fn outputs(case: &Case, first: &[f64]) -> Result<Outputs, CommandError> {
    let known = case.computed_reference()?;
    let main = case.problem.main_output.clone();
    let of = |name: &String| known.iter().find(|value| value.output == *name);
    let line = |(index, name): (usize, &String)| {
        let reference: Option<&ReferenceValue> = of(name);
        OutputLine {
            name: name.clone(),
            is_main: *name == main,
            first: first.get(index).map_or_else(dash, |&value| finite(value)),
            reference: reference.map(|known| in_full(known.value)),
            digits: reference.map(|known| in_words(known.digits)),
            by: reference.map(|known| known.by.clone()),
            definition: None,
        }
    };
    let lines: Vec<OutputLine> = case.outputs().iter().enumerate().map(line).collect();
    Ok(Outputs {
        is_defined: false,
        digits: of(&main).map(|known| known.digits),
        is_stiff: known.iter().any(|known| known.by.starts_with(IMPLICIT)),
        is_computed: lines.iter().any(|line| line.reference.is_some()),
        lines,
        published: case.problem.reference.as_ref().map(|reference| {
            let (from, to) = reference.range();
            format!(
                "{}, for t from {} to {} s",
                reference.source(),
                number(from),
                number(to)
            )
        }),
    })
}

/// A value to its last digit.
fn in_full(value: f64) -> String {
    if value == 0.0 {
        "0".to_owned()
    } else {
        format!("{value:e}")
    }
}

/// Digits as the table of references has them.
pub fn in_words(digits: f64) -> String {
    format!("{digits:.1}")
}

/// A number, or a dash where it is none.
fn finite(value: f64) -> String {
    if value == 0.0 {
        // Without a sign.
        number(0.0)
    } else if value.is_finite() {
        number(value)
    } else {
        dash()
    }
}

fn dash() -> String {
    "–".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::Registry;
    use liedae_problems::catalogue;

    fn case(id: &str) -> (Case, &'static CatalogueRow) {
        let row = catalogue::find(id).expect("a row");
        let case = Registry::standard().case::<&str>(id, &[], None);
        (case.expect("it builds"), row)
    }

    #[test]
    fn settings_of_a_row_are_marked() {
        let (case, row) = case("s2-006");
        let lines = parameters(&case, row);
        let n = lines.iter().find(|line| line.name == "n").expect("n");
        assert!(
            n.is_set && n.value == "5" && n.default.as_deref() == Some("3"),
            "{n:?}"
        );
        assert_eq!(lines.iter().filter(|line| line.is_set).count(), 1);
    }

    #[test]
    fn references_are_those_of_the_table() -> Result<(), CommandError> {
        let (mut case, _) = case("s1-001");
        let found = outputs(&case, &[0.25])?;
        let line = &found.lines[0];
        assert_eq!(
            (line.first.as_str(), found.lines[1].first.as_str()),
            ("0.25", "–")
        );
        assert_eq!(
            (line.name.as_str(), line.digits.as_deref()),
            ("theta1", Some("11.8"))
        );
        assert_eq!(line.reference.as_deref(), Some("3.433337809831097e-1"));
        assert!(found.is_computed && found.digits.is_some());
        let start = start(&mut case);
        assert_eq!((start.t.as_str(), start.parts.len()), ("0", 2));
        Ok(())
    }
}
