//! Why a run of a mechanism file failed, in the words of the file: its line and table, names of elements in place of numbers of rows,
//! and what to state instead.

use super::model_file::{ModelFile, Stated};
use crate::error::CommandError;
use liedae::integrator::StepError;
use liedae::linalg::KktError;
use liedae::solve::{SolveError, SolveErrorKind};
use liedae::system::{ConsistencyError, DynamicsError, EvaluationError, Function, Short, System};

/// Rows and variables that are named; of more their number is.
const MOST_NAMED: usize = 6;

/// What happened, and what helps.
struct Explained {
    words: String,
    cure: &'static str,
}

/// What a start needs that joints refuse.
const CLOSE: &str = "state a `position` and a `rotation` of its bodies with which it closes, or let `[[initial]]` place them by \
                     coordinates of joints";
const MOVE: &str = "state a `velocity` and an `angular_velocity` of its bodies that it allows, or rates of joints in `[[initial]]`";
const CLEAR: &str = "place its bodies (`position`) so that they touch or stand clear of each other; `gap` in `thresholds` says what counts \
                     as closed";
const REST: &str = "state `velocity` and `angular_velocity` of its bodies so that they do not separate, or place them apart; `thresholds` \
                    say what counts as at rest";
const APART: &str =
    "place its bodies (`position`) apart, or let `penetration` in `thresholds` be larger";
const TWICE: &str = "several joints hold the same directions, so that the forces that friction needs are not determined: give one of them \
                     fewer equations, such as `cylindrical` or `spherical` in place of a second `revolute`, or no friction";
const JAMMED: &str = "`--method moreau-jean` goes on by impulses within its steps where bodies jam";
const CONTRADICT: &str = "make motions and joints agree, or leave one of them out";
const BRANCHES: &str = "other initial values avoid it, a smaller --step or --rtol may pass it";
const FINITE: &str =
    "check stiffnesses, sections, masses and motions, or take a smaller --step or --rtol";

/// Why a run failed, if the words of the framework do not do for who writes files.
pub fn explained(file: &ModelFile, system: &dyn System, error: &SolveError) -> Option<String> {
    let Explained { words, cure } = of_kind(system, &error.kind)?;
    let cure = match file.stated() {
        Stated::Space(_) => cure,
        Stated::Plane(_) => in_plane(cure),
    };
    let reason = format!("{words}; {cure}");
    Some(file.refusal(&words, reason).to_string())
}

/// The same for mechanisms in the plane, whose files have other keys.
fn in_plane(cure: &'static str) -> &'static str {
    match cure {
        CLOSE => "state a `position` and an `angle` of its bodies with which it closes",
        MOVE => "state a `velocity` and an `angular_velocity` of its bodies that it allows",
        TWICE => {
            "several joints hold the same directions, so that the forces that friction needs are not determined: give one of them fewer \
             equations, such as `point-on-line` in place of a second `revolute`, or no friction"
        }
        other => other,
    }
}

fn of_kind(system: &dyn System, kind: &SolveErrorKind) -> Option<Explained> {
    use SolveErrorKind as E;
    match kind {
        E::Initial(error) => of_state(system, "the initial state", error),
        E::Jump { event, source } => {
            let when = format!(
                "after the {} of '{}' at t = {}, the state",
                event.kind,
                event.label,
                Short(event.t)
            );
            of_state(system, &when, source)
        }
        E::Step(error) => of_step(system, error),
        E::StepTooSmall {
            t,
            step,
            cause: Some(error),
        } => {
            let Explained { words, cure } = of_step(system, error)?;
            let words = format!(
                "the step size fell to {} at t = {}: {words}",
                Short(*step),
                Short(*t)
            );
            Some(Explained { words, cure })
        }
        E::Singular {
            t,
            rows,
            crossing,
            cause,
        } => {
            let mut words = format!(
                "singular configuration at t = {}: {} come to depend on each other, where motion has two branches",
                Short(*t),
                named_rows(system, rows)
            );
            if let Some(error) = crossing {
                words.push_str(&format!("; {error}"));
            }
            if let Some(known) = cause.as_ref().and_then(|error| of_step(system, error)) {
                words.push_str(&format!("; {}", known.words));
            }
            Some(Explained {
                words,
                cure: BRANCHES,
            })
        }
        E::Violated {
            t,
            level,
            row,
            violation,
            bound,
        } => Some(Explained {
            words: format!(
                "at the end, t = {}, {} is violated by {violation:.1e} at {level} level, and at most {bound:.1e} is left to the method",
                Short(*t),
                named_rows(system, &[*row])
            ),
            cure: "make motions and joints agree, or ask for more accuracy by --rtol, --step or --projection every",
        }),
        E::Accumulation { event, interval } => Some(Explained {
            words: format!(
                "the {} of '{}' accumulates at t = {}: the last interval is {interval:.1e} s",
                event.kind,
                event.label,
                Short(event.t)
            ),
            cure: match event.kind.as_str() {
                "impact" => {
                    "state `restitution = 0`, or larger `thresholds`: below them impacts come to rest"
                }
                "reversal" => "state `sticks = true` in its table: it may rest then",
                _ => "state larger `thresholds`: below them contacts and joints come to rest",
            },
        }),
        E::Chatter {
            kind,
            label,
            t,
            step,
            changes,
        } => Some(Explained {
            words: format!(
                "whether the {kind} of '{label}' happens changes at least {changes} times in every step, the last time from t = {} on \
                 within {} s",
                Short(*t),
                Short(*step)
            ),
            cure: "no step can follow it: take a smaller --step or --rtol, or leave out what is so fast",
        }),
        _ => None,
    }
}

fn of_state(system: &dyn System, when: &str, error: &ConsistencyError) -> Option<Explained> {
    use ConsistencyError as E;
    let (violated, at_rest) = match error {
        E::Position { rows } => (rows, false),
        E::Velocity { rows } => (rows, true),
        E::Dynamics(error) => return of_dynamics(system, error),
        _ => return None,
    };
    let &(first, by) = violated.first()?;
    let name = row_name(system, first);
    let numbers: Vec<usize> = violated.iter().map(|(row, _)| *row).collect();
    let is_contact = name.starts_with("contact");
    let what = if at_rest { "velocities" } else { "positions" };
    let words = if is_contact {
        let counts = if at_rest { "at rest" } else { "closed" };
        format!("{when}: {name} counts as {counts}, and is {by:.3e}")
    } else {
        format!("{when}: its {what} violate {name} by {by:.3e}")
    };
    let others = match numbers.get(1..) {
        Some(others) if !others.is_empty() => {
            format!(", and violate {}", named_rows(system, others))
        }
        _ => String::new(),
    };
    Some(Explained {
        words: words + &others,
        cure: match (is_contact, at_rest) {
            (true, false) => CLEAR,
            (true, true) => REST,
            (false, false) => CLOSE,
            (false, true) => MOVE,
        },
    })
}

fn of_step(system: &dyn System, error: &StepError) -> Option<Explained> {
    match error {
        StepError::Dynamics(error) => of_dynamics(system, error),
        _ => None,
    }
}

fn of_dynamics(system: &dyn System, error: &DynamicsError) -> Option<Explained> {
    use DynamicsError as E;
    match error {
        E::Linear {
            t,
            source: KktError::Singular {
                rows, variables, ..
            },
        } => {
            let forces = match rows.as_slice() {
                [] => String::new(),
                rows => format!("the forces of {}", named_rows(system, rows)),
            };
            let variables = match variables.as_slice() {
                [] => String::new(),
                variables => named(variables, |index| variable_name(system, index)),
            };
            let parts = [forces, variables];
            let parts: Vec<&str> = parts
                .iter()
                .map(String::as_str)
                .filter(|part| !part.is_empty())
                .collect();
            let joins = |&row: &usize| !row_name(system, row).starts_with("contact");
            Some(Explained {
                words: format!(
                    "at t = {}: the equations of motion do not determine {}",
                    Short(*t),
                    parts.join(", nor ")
                ),
                cure: match rows.is_empty() {
                    true => FINITE,
                    false if rows.iter().any(joins) => TWICE,
                    false => JAMMED,
                },
            })
        }
        E::Linear {
            t,
            source: KktError::Inconsistent { rows, residual },
        } => Some(Explained {
            words: format!(
                "at t = {}: {} contradict the other joints (largest residual {residual:.1e})",
                Short(*t),
                named_rows(system, rows)
            ),
            cure: CONTRADICT,
        }),
        E::NotImplied { t, row, violation } => Some(Explained {
            words: format!(
                "{} follows from other joints at the start of the step that ends at t = {}, and is violated by {violation:.1e} at its end",
                named_rows(system, &[*row]),
                Short(*t)
            ),
            cure: CONTRADICT,
        }),
        E::Evaluation(error) => of_evaluation(error),
        // Unknowns beside forces of constraints are those of friction.
        E::NotConverged { what, .. } if what.ends_with("algebraic variables") => {
            let variables: Vec<usize> = (0..system.layout().algebraic)
                .map(|index| system.layout().dimension() + index)
                .collect();
            Some(Explained {
                words: format!(
                    "{error}: no friction was found that fits the forces which it causes ({}); a joint that slides may have come to lock \
                     itself (Painlevé's case)",
                    named(&variables, |index| variable_name(system, index))
                ),
                cure: JAMMED,
            })
        }
        _ => None,
    }
}

/// What a function of the mechanism refuses.
pub fn evaluation_refused(file: &ModelFile, error: &EvaluationError) -> CommandError {
    match of_evaluation(error) {
        Some(Explained { words, cure }) => {
            let reason = format!("{words}; {cure}");
            file.refusal(&words, reason)
        }
        None => {
            let words = error.to_string();
            file.refusal(&words.clone(), words)
        }
    }
}

fn of_evaluation(error: &EvaluationError) -> Option<Explained> {
    match error {
        EvaluationError::Failed {
            function: Function::Events,
            t,
            reason,
        } => Some(Explained {
            words: format!("at t = {}: {reason}", Short(*t)),
            cure: match reason {
                _ if reason.contains("penetrated") => APART,
                _ if ["no forces keep", "redundant contacts"]
                    .iter()
                    .any(|words| reason.contains(words)) =>
                {
                    JAMMED
                }
                _ => FINITE,
            },
        }),
        EvaluationError::NonFinite { function, t, .. } => Some(Explained {
            words: format!("the {function} is not finite at t = {}", Short(*t)),
            cure: FINITE,
        }),
        _ => None,
    }
}

fn row_name(system: &dyn System, row: usize) -> String {
    let known = system.labels().and_then(|labels| labels.row(row));
    known.unwrap_or_else(|| format!("constraint row {row} (counted from 0)"))
}

/// Velocities come first, then algebraic variables.
fn variable_name(system: &dyn System, index: usize) -> String {
    let velocities = system.layout().dimension();
    let known = system
        .labels()
        .and_then(|labels| match index.checked_sub(velocities) {
            None => labels.velocity(index),
            Some(index) => labels.algebraic_variable(index),
        });
    known.unwrap_or_else(|| format!("variable {index} (counted from 0)"))
}

fn named_rows(system: &dyn System, rows: &[usize]) -> String {
    named(rows, |row| row_name(system, row))
}

/// Names of some numbers, each once.
fn named(numbers: &[usize], name: impl Fn(usize) -> String) -> String {
    let mut names: Vec<String> = Vec::new();
    for &number in numbers {
        let name = name(number);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let more = names.len().saturating_sub(MOST_NAMED);
    names.truncate(MOST_NAMED);
    if more > 0 {
        names.push(format!("{more} more"));
    }
    names.join(", ")
}
