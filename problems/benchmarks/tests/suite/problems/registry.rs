//! Every registered problem: builds, is consistent, agrees with its reference at the start, refuses bad parameters.

use crate::common::{build, compare, complete, outputs};
use liedae::system::{Consistency, Evaluator, check_consistency};
use liedae_problems::{Parameters, ProblemError, ProblemRegistry, Range};

#[test]
fn every_problem_builds_and_starts_consistently() {
    for entry in ProblemRegistry::standard() {
        let mut problem = build(entry.name, &[]);
        assert_eq!(problem.name, entry.name);
        assert!(
            problem.t_end > 0.0
                && problem.default_step > 0.0
                && problem.default_step < problem.t_end
        );
        let mut state = problem.system.initial_state();
        let mut evaluator = Evaluator::new(problem.system.as_mut());
        let tolerance = Consistency {
            position: 1e-14,
            velocity: 1e-13,
            ..Consistency::default()
        };
        check_consistency(&mut evaluator, &state, tolerance)
            .unwrap_or_else(|error| panic!("{}: {error}", entry.name));
        complete(problem.system.as_mut(), &mut state);
        let found = outputs(problem.system.as_mut(), &state);
        assert!(
            found.iter().all(|(_, value)| value.is_finite()),
            "{}: {found:?}",
            entry.name
        );
        assert!(
            found.iter().any(|(name, _)| *name == problem.main_output),
            "{}",
            entry.name
        );
        let mut names: Vec<_> = found.iter().map(|(name, _)| name).collect();
        names.sort();
        names.dedup();
        assert_eq!(
            names.len(),
            found.len(),
            "{}: output names repeat",
            entry.name
        );
        if problem.reference.is_some() {
            let (worst, count) = compare(&mut problem, &state, |_| 1.0);
            println!("{}: {count} columns at t = 0 within {worst:e}", entry.name);
            assert!(count > 0 && worst < 1e-9, "{}", entry.name);
        }
    }
}

#[test]
fn descriptions_are_complete() {
    for entry in ProblemRegistry::standard() {
        assert!(
            ![entry.title, entry.description, entry.source]
                .iter()
                .any(|text| text.is_empty()),
            "{}",
            entry.name
        );
        for parameter in entry.parameters {
            assert!(
                parameter.range.contains(parameter.default),
                "{} {}",
                entry.name,
                parameter.name
            );
            assert!(!parameter.unit.is_empty() && !parameter.description.is_empty());
        }
    }
}

#[test]
fn bad_parameters_are_errors() {
    for entry in ProblemRegistry::standard() {
        let mut parameters = Parameters::defaults(&entry);
        let error = parameters.set("nosuch", 1.0).unwrap_err();
        assert!(matches!(error, ProblemError::UnknownParameter { .. }));
        // Long lists are counted.
        let count = format!("none of the {} known names", entry.parameters.len());
        for parameter in entry.parameters {
            let words = error.to_string();
            assert!(
                words.contains(parameter.name) || words.contains(&count),
                "{words}"
            );
            for value in [f64::NAN, f64::INFINITY] {
                let error = parameters.set(parameter.name, value).unwrap_err();
                assert!(matches!(error, ProblemError::ParameterValue { .. }));
            }
            let outside = match parameter.range {
                Range::Finite => continue,
                Range::Positive => vec![0.0, -1.0],
                Range::NonNegative => vec![-1.0],
                Range::Between(low, high) => vec![low - 1.0, high + 1.0],
                Range::Integer(low, high) => vec![
                    f64::from(low) - 1.0,
                    f64::from(high) + 1.0,
                    f64::from(low) + 0.5,
                ],
                Range::Choice(names) => vec![-1.0, names.len() as f64, 0.5],
            };
            for value in outside {
                assert!(
                    parameters.set(parameter.name, value).is_err(),
                    "{} {} {value}",
                    entry.name,
                    parameter.name
                );
            }
        }
        assert!(
            parameters.are_default_except(&[]),
            "an error must not change anything"
        );
        for text in ["", "=", "mass", "nosuch=1"] {
            assert!(parameters.parse(text).is_err());
        }
    }
    let mut parameters =
        Parameters::defaults(&ProblemRegistry::standard().lookup("pendulum").unwrap());
    assert!(matches!(
        parameters.parse("mass=heavy"),
        Err(ProblemError::Syntax { .. })
    ));
    parameters.parse(" mass = 2 ").unwrap();
    assert_eq!(parameters.to_string(), "mass=2");
}

/// Every parameter has a say, and references vanish as soon as one that matters differs.
#[test]
fn parameters_reach_the_problem() {
    for entry in ProblemRegistry::standard() {
        for parameter in entry.parameters {
            let value = match parameter.range {
                Range::Integer(low, high) => f64::from(if parameter.default == f64::from(low) {
                    high.min(3)
                } else {
                    low
                }),
                Range::Choice(_) => 1.0 - parameter.default.min(1.0),
                Range::Between(low, high) if parameter.default == high => 0.5 * (low + high),
                _ => parameter.default * 1.01 + 0.001,
            };
            let mut parameters = Parameters::defaults(&entry);
            parameters.set(parameter.name, value).unwrap();
            match (entry.build)(&parameters) {
                Ok(mut problem) => {
                    let mut state = problem.system.initial_state();
                    complete(problem.system.as_mut(), &mut state);
                    if problem.reference.is_some() {
                        let (worst, _) = compare(&mut problem, &state, |_| 1.0);
                        assert!(worst < 1e-9, "{} {}", entry.name, parameter.name);
                    }
                }
                Err(error) => assert!(matches!(error, ProblemError::Build { .. }), "{error}"),
            }
        }
    }
}
