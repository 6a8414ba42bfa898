//! Whether the numerics of this program were optimized: its times say little otherwise.

/// The crates in which numerics are compiled, with their levels of optimization. Generic code has the level of the crate that uses it:
/// the integrators that of the framework, equations of mechanisms and problems those of their crates.
const CRATES: [(&str, &str); 5] = [
    ("liedae", liedae::OPT_LEVEL),
    ("liedae-contact", liedae_contact::OPT_LEVEL),
    ("liedae-multibody", liedae_multibody::OPT_LEVEL),
    ("liedae-problems", liedae_problems::OPT_LEVEL),
    ("liedae-compare", env!("LIEDAE_OPT_LEVEL")),
];

/// Levels by which results may be compared; `s` and `z` are optimized for size.
fn is_fast(level: &str) -> bool {
    matches!(level, "2" | "3")
}

/// Crates by their level, as `0 (liedae, liedae-contact)`; where all have one, the level only.
pub fn levels() -> String {
    in_words(&CRATES)
}

fn in_words(crates: &[(&str, &str)]) -> String {
    let mut levels: Vec<&str> = crates.iter().map(|&(_, level)| level).collect();
    levels.sort_unstable();
    levels.dedup();
    if let [one] = levels[..] {
        return one.to_owned();
    }
    let words = levels.iter().map(|level| {
        let own = crates.iter().filter(|(_, own)| own == level);
        let names: Vec<&str> = own.map(|&(name, _)| name).collect();
        format!("{level} ({})", names.join(", "))
    });
    words.collect::<Vec<String>>().join(", ")
}

/// What is to be said of times, where a crate was compiled below level 2.
pub fn warning() -> Option<String> {
    warning_about(&CRATES)
}

fn warning_about(crates: &[(&str, &str)]) -> Option<String> {
    let slow = crates.iter().filter(|(_, level)| !is_fast(level));
    let slow: Vec<(&str, &str)> = slow.copied().collect();
    (!slow.is_empty()).then(|| {
        let names: Vec<&str> = slow.iter().map(|&(name, _)| name).collect();
        let levels = match slow.len() == crates.len() {
            true => in_words(&slow),
            false => match in_words(&slow) {
                words if words.contains('(') => words,
                level => format!("{level} ({})", names.join(", ")),
            },
        };
        format!(
            "Built with opt-level {levels}, below 2: runs take up to a hundred times longer than they need, and methods rank otherwise. \
             Take no times from this build; cargo build --release without an opt-level for these crates optimizes them."
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_optimized_is_said_with_its_level() {
        let all = |level| [("a", level), ("b", level)];
        for level in ["2", "3"] {
            assert_eq!(warning_about(&all(level)), None);
            assert_eq!(in_words(&all(level)), level);
        }
        for level in ["0", "1", "s", "z", ""] {
            let words = warning_about(&all(level)).unwrap_or_default();
            let start = format!("Built with opt-level {level}, below 2:");
            assert!(words.starts_with(&start), "{words}");
        }
        let mixed = [("a", "3"), ("b", "0"), ("c", "0")];
        assert_eq!(in_words(&mixed), "0 (b, c), 3 (a)");
        let words = warning_about(&mixed).unwrap_or_default();
        assert!(
            words.starts_with("Built with opt-level 0 (b, c), below 2:"),
            "{words}"
        );
        let mixed = [("a", "3"), ("b", "0"), ("c", "1")];
        let words = warning_about(&mixed).unwrap_or_default();
        assert!(
            words.starts_with("Built with opt-level 0 (b), 1 (c), below 2:"),
            "{words}"
        );
    }
}
