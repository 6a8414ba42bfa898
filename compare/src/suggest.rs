//! The known name most like one that nobody knows.

use crate::error::CommandError;

/// The error for a name that is not among those known.
pub fn unknown<'a>(
    kind: &'static str,
    name: &str,
    known: impl Iterator<Item = &'a str>,
) -> CommandError {
    let known: Vec<&str> = known.collect();
    let closest = known
        .iter()
        .min_by_key(|candidate| distance(name, candidate))
        .copied()
        .unwrap_or_default();
    CommandError::UnknownName {
        kind,
        name: name.to_owned(),
        closest: closest.to_owned(),
        known: known.join(", "),
    }
}

/// Levenshtein's distance: insertions, deletions and replacements from one text to the other.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &b) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[to.len()]
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
        assert_eq!(distance("kitten", "sitting"), 3);
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
