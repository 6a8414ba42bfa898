//! Suggestions of known names for an unknown one.

use crate::error::CommandError;
use liedae_problems::suggestion;

/// The error for a name that is not among those known.
pub fn unknown<'a>(
    kind: &'static str,
    name: &str,
    known: impl Iterator<Item = &'a str>,
) -> CommandError {
    CommandError::UnknownName {
        kind,
        name: name.to_owned(),
        suggestion: suggestion(name, known),
    }
}

/// Whether a suggestion has all known names.
pub fn is_complete(suggestion: &str) -> bool {
    suggestion.starts_with("; known") || suggestion.starts_with("; there is none")
}

/// The command that lists all names of a kind.
pub fn lister(kind: &str) -> &'static str {
    match kind {
        "method" => "`liedae list methods`",
        "controller" => "`liedae list controllers`",
        "set" => "`liedae list sets`",
        "problem or set" => "`liedae list problems` and `liedae list sets`",
        "problem, method or set" => "`liedae list problems`, `methods` or `sets`",
        "option" => "`liedae describe METHOD`",
        "parameter" | "output" => "`liedae describe PROBLEM`",
        _ => "`liedae list problems`",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_name_is_offered() {
        let error = unknown(
            "method",
            "hem",
            ["mdop5", "hem5", "backward-euler"].into_iter(),
        );
        assert_eq!(
            error.to_string(),
            "there is no method `hem` (did you mean `hem5`?); all are in `liedae list methods`"
        );
        let error = unknown("method", "nope", ["mdop5", "hem5"].into_iter()).to_string();
        assert_eq!(error, "there is no method `nope`; known: mdop5, hem5");
    }

    #[test]
    fn nothing_known_is_no_panic() {
        let error = unknown("set", "x", std::iter::empty()).to_string();
        assert!(error.contains("no set `x`; there is none"), "{error}");
    }
}
