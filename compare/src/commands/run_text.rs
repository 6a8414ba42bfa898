//! The text output of `liedae run`.

use super::sensitivity;
use crate::error::Status;
use crate::experiment::{COMPUTED, Control, Energy, RunReport};
use crate::output::{Named, columns, number};
use liedae::solve::{EnergyRise, EventRecord, ViolatedProperty};
use liedae_contact::ContactEvent;

/// Events that are printed.
const MOST_EVENTS: usize = 20;

/// How many events of each kind there are, in the order of their first.
fn in_numbers(events: &[EventRecord]) -> String {
    let mut kinds: Vec<(&str, usize)> = Vec::new();
    for event in events {
        match kinds.iter_mut().find(|(kind, _)| *kind == event.kind) {
            Some((_, count)) => *count += 1,
            None => kinds.push((&event.kind, 1)),
        }
    }
    let parts: Vec<String> = kinds
        .iter()
        .map(|(kind, count)| format!("{count} {kind}"))
        .collect();
    format!("{}: {}", events.len(), parts.join(", "))
}

/// One event: when, what, and of an impact its impulse and the rates of the gap around it.
pub fn in_words(event: &EventRecord) -> String {
    let mut words = format!("t = {:.9} s  {} {}", event.t, event.kind, event.label);
    if let Some(contact) = ContactEvent::of(event) {
        let (impulse, rate) = contact.units();
        let [first, second] = contact.friction_impulse;
        let friction = if first == 0.0 && second == 0.0 {
            String::new()
        } else {
            let size = first.hypot(second);
            format!(", friction {} {impulse}", number(size))
        };
        words.push_str(&format!(
            ": {} {impulse}{friction}, gap rate {} to {} {rate}",
            number(contact.impulse),
            number(contact.velocity_before),
            number(contact.velocity_after)
        ));
    }
    words
}

/// Outputs at the end, with their errors and what the check found them to move by, as far as there are any.
fn ends(report: &RunReport) -> String {
    if report.outputs.0.is_empty() {
        return String::new();
    }
    let refined = report
        .check
        .as_ref()
        .and_then(|check| check.refined.as_ref());
    let further = [
        ("error", Some(&report.error)),
        ("moves by", refined.map(|refined| &refined.changes)),
    ];
    let further: Vec<(&str, &Named<f64>)> = further
        .into_iter()
        .filter_map(|(header, column)| Some((header, column?)))
        .filter(|(_, column)| !column.0.is_empty())
        .collect();
    let rows: Vec<Vec<String>> = report
        .outputs
        .0
        .iter()
        .map(|(name, value)| {
            let mut row = vec![name.clone(), format!("{value:.12e}")];
            for (_, column) in &further {
                let found = column.0.iter().find(|(output, _)| output == name);
                row.push(found.map_or(String::new(), |(_, error)| format!("{error:.2e}")));
            }
            row
        })
        .collect();
    let mut header = vec!["output", "at the end"];
    header.extend(further.iter().map(|(header, _)| header));
    let mut text = format!("\n{}", columns(&header, &rows));
    if further.is_empty() && report.status == Status::Done {
        text.push_str("No reference is known for these parameters: --check estimates the error.\n");
    }
    if let Some(source) = (report.reference.as_ref()).filter(|source| source.starts_with(COMPUTED))
    {
        text.push_str(&format!("Errors are distances from end values {source}.\n"));
    }
    text
}

/// A conserved quantity or a bound that the solution has left.
fn left(violated: &ViolatedProperty) -> String {
    let [lower, upper] = violated.allowed.map(number);
    let should = match violated.allowed {
        [lower, upper] if lower == upper => format!("conserved at {}", number(lower)),
        [_, f64::INFINITY] => format!("at least {lower}"),
        [f64::NEG_INFINITY, _] => format!("at most {upper}"),
        _ => format!("between {lower} and {upper}"),
    };
    format!(
        "WARNING: {} is {} at t = {} s and should be {should}; errors explain {:.1e}. It is \
         so from t = {} s on",
        violated.name,
        number(violated.value),
        number(violated.t),
        violated.explained,
        number(violated.since)
    )
}

/// A rise of the energy that errors do not explain.
fn risen(rise: &EnergyRise) -> String {
    format!(
        "WARNING: it rises by {:.2e} J from t = {} s to {} s although nothing drives; errors explain {:.1e} J",
        rise.rise,
        number(rise.from),
        number(rise.to),
        rise.explained
    )
}

/// The whole summary; `problem` names the problem with its parameters.
pub fn text(problem: &str, report: &RunReport) -> String {
    let control = match report.options.control {
        Control::Adaptive { rtol, atol } => format!("rtol {rtol:e}, atol {atol:e}"),
        Control::Fixed { step } => format!("steps of {} s", number(step)),
    };
    let mut text = format!("{problem} with {}, {control}", report.options.variant);
    if let Some(controller) = report.options.controller {
        text.push_str(&format!(", controller {controller}"));
    }
    text.push('\n');
    if let Some(reason) = &report.auto {
        text.push_str(&format!(
            "auto            chose {}: {reason}\n",
            report.method
        ));
    }
    let status = match report.status {
        Status::Done => "done",
        Status::Failed => "failed",
        Status::BadInput => "bad input",
        Status::NotWritten => "not written",
    };
    let mut line = |name: &str, value: String| text.push_str(&format!("{name:<16}{value}\n"));
    line(
        "status",
        format!(
            "{status} ({}), t = {} s",
            report.reason,
            number(report.t_end)
        ),
    );
    line(
        "steps",
        format!(
            "{} accepted, {} rejected{}{}",
            report.steps.accepted,
            report.steps.rejected,
            match report.options.control {
                Control::Fixed { .. } if report.steps.rejected > 0 => {
                    ": fixed steps that failed and were halved"
                }
                _ => "",
            },
            match report.steps.inner {
                0 => String::new(),
                inner => format!(", {inner} small ones within them to start from"),
            }
        ),
    );
    let counts = &report.evaluations;
    line(
        "evaluations",
        format!(
            "{} force, {} constraint, {} Jacobian, {} mass",
            counts.force, counts.constraint, counts.jacobian, counts.mass
        ),
    );
    line(
        "linear algebra",
        format!(
            "{} factorizations, {} solves",
            report.factorizations, report.solves
        ),
    );
    line("Newton", format!("{} iterations", report.newton_iterations));
    let how = match report.repetitions {
        0 => "of one run; --repetitions N takes the shortest of N",
        1 => "of one run that nobody observed",
        _ => "the shortest of the repetitions",
    };
    line("wall time", format!("{} s, {how}", number(report.wall_s)));
    let violation = &report.violation;
    line(
        "violation",
        format!(
            "{:.2e} position, {:.2e} velocity, {:.2e} acceleration",
            violation.position, violation.velocity, violation.acceleration
        ),
    );
    if let Some(depth) = report.penetration {
        line("penetration", format!("{depth:.2e} m or rad at most"));
    }
    if let Some(energy) = &report.energy {
        line(
            "energy",
            format!(
                "{} J to {} J, largest drift {:.2e} J{}",
                number(energy.initial),
                number(energy.r#final),
                energy.max_drift,
                energy
                    .largest_rise_at_event
                    .map_or_else(String::new, |rise| {
                        format!(", largest rise at an event {rise:.1e} J")
                    })
            ),
        );
    }
    if let Some(rise) = report.energy.as_ref().and_then(Energy::unexplained_rise) {
        line("", risen(&rise));
    }
    for violated in &report.violated {
        line("violated", left(violated));
    }
    if !report.events.is_empty() {
        line("events", in_numbers(&report.events));
    }
    for event in report.events.iter().take(MOST_EVENTS) {
        line("", in_words(event));
    }
    if report.events.len() > MOST_EVENTS {
        let more = report.events.len() - MOST_EVENTS;
        line("", format!("... and {more} more; --json has them all"));
    }
    if let Some(check) = &report.check {
        let mut name = "check";
        for sentence in sensitivity::sentences(check, report.options.control) {
            line(std::mem::take(&mut name), sentence);
        }
    }
    text.push_str(&ends(report));
    if let Some(samples) = &report.samples {
        let header: Vec<&str> = samples.columns.iter().map(String::as_str).collect();
        let rows: Vec<Vec<String>> = samples
            .rows
            .iter()
            .map(|row| row.iter().map(|&value| number(value)).collect())
            .collect();
        text.push('\n');
        text.push_str(&columns(&header, &rows));
    }
    text
}
