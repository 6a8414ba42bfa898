//! The known names that a misspelt one was probably meant to be.

/// Suggestions for an unknown name.
const MOST: usize = 4;

/// So many known names are all shown where none is like the one asked for.
const SHORT_LIST: usize = 12;

/// A name that is part of others is a hint if it has at least so many letters.
const SHORTEST_PART: usize = 3;

/// The known names nearest to `name`, at most four, the nearest first: those in which at most a third of the letters, and
/// at least one, are missing, added or replaced, and behind them those of which it is a part. Capitals do not count.
///
/// ```
/// use liedae_problems::nearest;
///
/// let known = ["chain", "chain-floor", "pendulum"];
/// assert_eq!(nearest("chian", known), ["chain"]);
/// assert_eq!(nearest("floor", known), ["chain-floor"]);
/// assert!(nearest("nope", known).is_empty());
/// ```
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let name = name.to_lowercase();
    let length = name.chars().count();
    // Names far longer than any known one cannot be close; their distance is not worth its time.
    if length == 0 || length > 100 {
        return Vec::new();
    }
    let rank = |candidate: &'a str| {
        let lower = candidate.to_lowercase();
        let letters = lower.chars().count();
        let distance = edit_distance(&name, &lower);
        let is_close = distance <= length.max(letters).div_ceil(3) && distance < length;
        let is_part = length >= SHORTEST_PART && lower.contains(&name);
        (is_close || is_part).then_some((!is_close, distance, candidate))
    };
    let mut found: Vec<_> = known.into_iter().filter_map(rank).collect();
    // Stable: among equally near names the order of the list remains.
    found.sort_by_key(|&(is_part, distance, _)| (is_part, distance));
    let mut names: Vec<&str> = Vec::with_capacity(MOST);
    for (.., candidate) in found {
        if names.len() < MOST && !names.contains(&candidate) {
            names.push(candidate);
        }
    }
    names
}

/// What to say behind a name that is not among those known: the nearest ones, as in `` (did you mean `x` or `y`?)``; where none is
/// near, a short list in full, and of a long one how long it is.
///
/// ```
/// use liedae_problems::suggestion;
///
/// assert_eq!(suggestion("chian", ["chain", "pendulum"]), " (did you mean `chain`?)");
/// assert_eq!(suggestion("nope", ["chain", "pendulum"]), "; known: chain, pendulum");
/// ```
pub fn suggestion<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    let names = nearest(name, known.iter().copied());
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.as_slice() {
        [] if known.is_empty() => "; there is none".to_owned(),
        [] if known.len() <= SHORT_LIST => format!("; known: {}", known.join(", ")),
        [] => format!("; none of the {} known names is like it", known.len()),
        [one] => format!(" (did you mean {one}?)"),
        [first @ .., last] => format!(" (did you mean {} or {last}?)", first.join(", ")),
    }
}

/// Damerau's and Levenshtein's distance: insertions, deletions, replacements and swaps of neighbours from one text to the other.
fn edit_distance(from: &str, to: &str) -> usize {
    let from: Vec<char> = from.chars().collect();
    let to: Vec<char> = to.chars().collect();
    // Rows of the two letters before, of the letter before and of the letter at hand.
    let mut earlier = vec![0; to.len() + 1];
    let mut before: Vec<usize> = (0..=to.len()).collect();
    let mut row = vec![0; to.len() + 1];
    for i in 0..from.len() {
        row[0] = i + 1;
        for j in 0..to.len() {
            let replaced = before[j] + usize::from(from[i] != to[j]);
            row[j + 1] = replaced.min(row[j] + 1).min(before[j + 1] + 1);
            let swapped = i > 0 && j > 0 && from[i] == to[j - 1] && from[i - 1] == to[j];
            if swapped {
                row[j + 1] = row[j + 1].min(earlier[j - 1] + 1);
            }
        }
        std::mem::swap(&mut earlier, &mut before);
        std::mem::swap(&mut before, &mut row);
    }
    before[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        assert_eq!(edit_distance("kitten", "sitting"), 3);
        assert_eq!(edit_distance("", "abc"), 3);
        assert_eq!(edit_distance("chain", "chain"), 0);
        assert_eq!(edit_distance("chian", "chain"), 1);
        assert_eq!(edit_distance("abc", ""), 3);
    }

    #[test]
    fn only_close_names_are_offered() {
        for (name, meant) in [
            ("heavytop", "heavy-top"),
            ("HEM5", "hem5"),
            ("hem", "hem5"),
            ("xx", "x"),
            ("quik", "quick"),
            ("squeez", "squeezer"),
        ] {
            assert_eq!(nearest(name, [meant, "andrews"]), [meant]);
        }
        for name in ["", "nope", "q", &"a".repeat(1_000_000)] {
            let known = ["andrews", "chain", "four-link"];
            assert!(nearest(name, known).is_empty(), "{name}");
        }
    }

    #[test]
    fn the_nearest_come_first_and_are_few() {
        let known = [
            "slider-crank-clearance",
            "slider-crank",
            "tsda-slider-crank",
            "slider-train",
            "slider-crank-friction",
            "pendulum",
        ];
        assert_eq!(nearest("slidercrank", known)[0], "slider-crank");
        let parts = nearest("slider", known);
        assert_eq!(parts.len(), MOST);
        assert!(parts.contains(&"slider-train") && !parts.contains(&"pendulum"));
        let words = suggestion("slider-crnk", known);
        assert!(
            words.starts_with(" (did you mean `slider-crank`"),
            "{words}"
        );
    }

    #[test]
    fn long_lists_are_not_shown() {
        let names: Vec<String> = (0..40).map(|index| format!("problem-{index}")).collect();
        let words = suggestion("nope", names.iter().map(String::as_str));
        assert_eq!(words, "; none of the 40 known names is like it");
        assert_eq!(suggestion("nope", []), "; there is none");
    }
}
