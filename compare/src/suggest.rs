//! The known name most like one that nobody knows.

use crate::error::CommandError;
use liedae_problems::suggestion;

/// The error for a name that is not among those known.
pub fn unknown<'a>(
    kind: &'static str,
    name: &str,
    known: impl Iterator<Item = &'a str>,
) -> CommandError {
    let known: Vec<&str> = known.collect();
    CommandError::UnknownName {
        kind,
        name: name.to_owned(),
        suggestion: suggestion(name, known.iter().copied()),
        known: known.join(", "),
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
        assert!(error.to_string().contains("did you mean `hem5`"), "{error}");
        let error = unknown("method", "nope", ["mdop5", "hem5"].into_iter()).to_string();
        assert_eq!(error, "there is no method `nope`; known: mdop5, hem5");
    }

    #[test]
    fn nothing_known_is_no_panic() {
        assert!(
            unknown("set", "x", std::iter::empty())
                .to_string()
                .contains("no set `x`")
        );
    }
}
