//! The difficulties of a row of the test set, derived from its facts.

use super::facts::Facts;
use super::look::Look;
use super::parts::Parts;
use super::text::counted;
use super::values::Outputs;
use crate::experiment::REFERENCE_DIGITS;

/// What the analysis has not found, for a row without anything that is known to be hard.
pub fn absent(facts: Option<&Facts>) -> String {
    let mut absent = vec!["no event"];
    if let Some(facts) = facts {
        if facts.redundant == Some(0) {
            absent.push("no redundant row");
        }
        if facts.is_stiff == Some(false) {
            absent.push("no stiffness");
        }
    }
    format!(
        "Nothing that a run or its analysis shows: {}.",
        absent.join(", ")
    )
}

/// Sentences; none where nothing is known to be hard.
pub fn sentences(
    facts: Option<&Facts>,
    parts: &Parts,
    look: Option<&Look>,
    outputs: &Outputs,
) -> Vec<String> {
    let mut text = Vec::new();
    if let Some(facts) = facts {
        text.extend(facts.hard.iter().cloned());
    }
    if !parts.contacts.is_empty() {
        text.push(format!(
            "{}.",
            counted(
                parts.contacts.len(),
                "contact that opens and closes",
                "contacts that open and close"
            )
        ));
    }
    if let Some(look) = look {
        if !look.events.is_empty() {
            text.push(format!(
                "Events in the run above: {}.",
                look.events.join(", ")
            ));
        }
        text.extend((look.failed.iter()).map(|failed| {
            format!("Not every method gets to the end for the picture above: {failed}.")
        }));
    }
    if outputs.is_stiff {
        text.push(
            "Its reference comes from implicit methods: the explicit one that is asked first does not get to the end, since the problem is stiff \
             or its mass matrix is singular."
                .to_owned(),
        );
    }
    if let Some(digits) = outputs.digits.filter(|&digits| digits < REFERENCE_DIGITS) {
        text.push(format!(
            "Two methods agree in {digits} digits only: small differences grow."
        ));
    }
    text
}
