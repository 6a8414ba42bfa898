//! The known name that a misspelt one was probably meant to be.

/// `` (did you mean `x`?)`` with the known name closest to `name`, or nothing if none is close: at most a third of its
/// letters, and at least one, may be missing, added or replaced. Capitals do not count.
///
/// ```
/// use liedae_problems::suggestion;
///
/// assert_eq!(suggestion("chian", ["chain", "pendulum"]), " (did you mean `chain`?)");
/// assert_eq!(suggestion("nope", ["chain", "pendulum"]), "");
/// ```
pub fn suggestion<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let name = name.to_lowercase();
    let length = name.chars().count();
    // Names far longer than any known one cannot be close; their distance is not worth its time.
    if length == 0 || length > 100 {
        return String::new();
    }
    known
        .into_iter()
        .map(|candidate| (edit_distance(&name, &candidate.to_lowercase()), candidate))
        .min_by_key(|&(distance, _)| distance)
        .filter(|&(distance, candidate)| {
            distance <= length.max(candidate.chars().count()).div_ceil(3) && distance < length
        })
        .map_or_else(String::new, |(_, candidate)| {
            format!(" (did you mean `{candidate}`?)")
        })
}

/// Levenshtein's distance: insertions, deletions and replacements from one text to the other.
fn edit_distance(from: &str, to: &str) -> usize {
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
    fn distances() {
        assert_eq!(edit_distance("kitten", "sitting"), 3);
        assert_eq!(edit_distance("", "abc"), 3);
        assert_eq!(edit_distance("chain", "chain"), 0);
    }

    #[test]
    fn only_close_names_are_offered() {
        for (name, meant) in [
            ("heavytop", "heavy-top"),
            ("HEM5", "hem5"),
            ("hem", "hem5"),
            ("xx", "x"),
            ("quik", "quick"),
        ] {
            let known = [meant, "andrews"];
            assert_eq!(
                suggestion(name, known),
                format!(" (did you mean `{meant}`?)")
            );
        }
        for name in ["", "nope", "q", &"a".repeat(1_000_000)] {
            assert_eq!(suggestion(name, ["andrews", "chain", "four-link"]), "");
        }
    }
}
