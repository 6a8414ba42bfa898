//! Published end values as references, and problems made of first-order systems.

use crate::error::TableError;
use crate::formulation::initial_outputs;
use crate::{Formulation, Problem, ProblemEntry, ProblemError, Reference};
use liedae::system::{Automatic, FirstOrder, FirstOrderModel, Model, Property, System};

/// Lines `problem,output,digits,value`.
const END_VALUES: &str = include_str!("../../data/ivp_end_values.csv");
const TABLE: &str = "ivp_end_values";
const FIELDS: usize = 4;

/// The end value of one output.
struct EndValue {
    output: &'static str,
    digits: u8,
    value: f64,
}

/// The published end values of a problem.
fn end_values(problem: &str) -> Result<Vec<EndValue>, TableError> {
    let mut found = Vec::new();
    for (index, text) in END_VALUES.lines().enumerate() {
        let Some(rest) = text
            .strip_prefix(problem)
            .and_then(|rest| rest.strip_prefix(','))
        else {
            continue;
        };
        let fields: Vec<&'static str> = rest.split(',').collect();
        let &[output, digits, value] = fields.as_slice() else {
            return Err(TableError::Fields {
                table: TABLE.to_owned(),
                line: index + 1,
                found: fields.len() + 1,
                expected: FIELDS,
            });
        };
        let number = |text: &str| TableError::Number {
            table: TABLE.to_owned(),
            line: index + 1,
            text: text.to_owned(),
        };
        found.push(EndValue {
            output,
            digits: digits.parse().map_err(|_| number(digits))?,
            value: value
                .parse()
                .ok()
                .filter(|value: &f64| value.is_finite())
                .ok_or_else(|| number(value))?,
        });
    }
    if found.is_empty() {
        return Err(TableError::Empty {
            table: format!("{TABLE}, {problem}"),
        });
    }
    Ok(found)
}

/// A reference that knows the published outputs at the start, among `initial` (name, value), and at the end.
pub(super) fn reference(
    problem: &str,
    source: &str,
    (start, initial): (f64, &[(String, f64)]),
    t_end: f64,
) -> Result<Reference, TableError> {
    let ends = end_values(problem)?;
    let (mut names, mut at_start, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for end in &ends {
        let known = initial.iter().find(|(name, _)| name == end.output);
        let (name, first) = known.ok_or_else(|| TableError::Column {
            table: TABLE.to_owned(),
            column: end.output.to_owned(),
        })?;
        names.push(name.clone());
        at_start.push(*first);
        values.push(end.value);
    }
    let slack = 1e-12 * (t_end - start);
    let mut result =
        Reference::new(source, start, t_end, false).with_closed_form(names, move |t, out| {
            if t <= start {
                out.copy_from_slice(&at_start);
            } else if (t - t_end).abs() <= slack {
                out.copy_from_slice(&values);
            } else {
                out.fill(f64::NAN);
            }
        });
    for end in ends {
        result = result.with_digits(end.output, end.digits);
    }
    Ok(result)
}

/// What a problem of the test set consists of beside its equations.
pub(super) struct Statement {
    pub entry: &'static ProblemEntry,
    /// The source of the reference and how far to trust it; `None` if the parameters are not those of the reference.
    pub source: Option<&'static str>,
    pub t_end: f64,
    pub default_step: f64,
    pub main_output: &'static str,
    pub order_study_end: Option<f64>,
    /// Size below which components do not count.
    pub absolute_scale: f64,
    /// Equations and numbers, without the initial values.
    pub formulation: Formulation,
    /// Unit of the initial values.
    pub unit: &'static str,
}

impl Statement {
    /// The problem M y' = f(t, y).
    pub(super) fn first_order<F: FirstOrderModel + 'static>(
        self,
        model: F,
    ) -> Result<Problem, ProblemError> {
        let start = model.initial_time();
        let initial = model
            .names()
            .into_iter()
            .zip(model.initial_value())
            .collect();
        let system = FirstOrder::new(model).map_err(|error| ProblemError::Build {
            problem: self.entry.name,
            reason: error.to_string(),
        })?;
        self.problem(Box::new(Automatic::new(system)), (start, initial))
    }

    /// The problem of a model; accelerations and multipliers are unknown to the reference at the start.
    pub(super) fn model<M: Model + 'static>(self, model: M) -> Result<Problem, ProblemError> {
        let (start, initial) = (model.initial_state().t, initial_outputs(&model));
        self.problem(Box::new(Automatic::new(model)), (start, initial))
    }

    /// The problem of a system whose outputs have these values at the start.
    fn problem(
        self,
        system: Box<dyn System>,
        (start, initial): (f64, Vec<(String, f64)>),
    ) -> Result<Problem, ProblemError> {
        let reference = match self.source {
            Some(source) => Some(reference(
                self.entry.name,
                source,
                (start, &initial),
                self.t_end,
            )?),
            None => None,
        };
        let formulation = self.formulation.with_initial_values(self.unit, initial);
        Ok(Problem {
            formulation: Some(formulation),
            name: self.entry.name,
            system,
            t_end: self.t_end,
            default_step: self.default_step,
            reference,
            main_output: self.main_output.to_owned(),
            order_study_end: self.order_study_end,
            absolute_scale: self.absolute_scale,
            drawing: None,
        })
    }
}

/// Concentrations of these species are not negative.
pub(super) fn not_negative(species: Vec<String>) -> Vec<Property> {
    species.into_iter().map(Property::not_negative).collect()
}

/// Names given as a list.
pub(super) fn names(list: &[&str]) -> Vec<String> {
    list.iter().map(|&name| name.to_owned()).collect()
}

/// The names `prefix`1 to `prefix`n.
pub(super) fn numbered(prefix: &'static str, count: usize) -> impl Iterator<Item = String> {
    (1..=count).map(move |i| format!("{prefix}{i}"))
}

/// The source of all references whose values agree with an independent computation.
pub(super) const SOURCE: &str = "end values of the Test Set for IVP Solvers, to the digits that agree with an \
                                 independent computation";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_belongs_to_a_problem_with_a_reference() {
        for (index, line) in END_VALUES
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.starts_with('#'))
        {
            let name = line.split(',').next().unwrap();
            if name == "problem" {
                continue;
            }
            let problem = crate::ProblemRegistry::standard()
                .lookup(name)
                .unwrap()
                .build_with(&[])
                .unwrap();
            let output = line.split(',').nth(1).unwrap();
            let reference = problem.reference.unwrap();
            assert!(
                reference.value(output, problem.t_end).is_some(),
                "line {}",
                index + 1
            );
            assert!(
                (1..=16).contains(&reference.digits(output).unwrap()),
                "line {}",
                index + 1
            );
        }
    }

    #[test]
    fn a_value_without_an_output_is_refused() {
        let error = reference("oregonator", "", (0.0, &[("HBrO2".to_owned(), 1.0)]), 360.0);
        assert!(matches!(error, Err(TableError::Column { .. })));
        assert!(matches!(
            end_values("nosuch"),
            Err(TableError::Empty { .. })
        ));
    }
}
