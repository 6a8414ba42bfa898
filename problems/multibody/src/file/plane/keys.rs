//! Checks of the keys of a table: missing ones, and those that its kind does not use.

use crate::file::{FileError, HarmonicEntry, MotionEntry};
use crate::plane::Motion;
use toml::Spanned;

/// The keys of a table, to compare with those that its kind uses.
pub(super) struct Keys<'a, T> {
    pub(super) text: &'a str,
    pub(super) entry: &'a Spanned<T>,
    pub(super) kind: &'static str,
}

impl<T> Keys<'_, T> {
    pub(super) fn bad(&self, key: &str, reason: impl Into<String>) -> FileError {
        FileError::of_key(self.text, self.entry.span(), key, reason)
    }

    pub(super) fn needed<V: Copy>(&self, key: &str, value: Option<V>) -> Result<V, FileError> {
        value.ok_or_else(|| self.bad("kind", format!("the kind `{}` needs `{key}`", self.kind)))
    }

    pub(super) fn finite(
        &self,
        key: &str,
        numbers: impl IntoIterator<Item = f64>,
    ) -> Result<(), FileError> {
        match numbers.into_iter().all(f64::is_finite) {
            true => Ok(()),
            false => Err(self.bad(key, "expected finite numbers")),
        }
    }

    /// Refuses what is stated, of these keys, and is none of those that the kind uses.
    pub(super) fn only(&self, keys: &[(&str, bool)], used: &[&str]) -> Result<(), FileError> {
        let unused = |(key, stated): &&(&str, bool)| *stated && !used.contains(key);
        match keys.iter().find(unused) {
            Some((key, _)) => {
                Err(self.bad(key, format!("the kind `{}` has no `{key}`", self.kind)))
            }
            None => Ok(()),
        }
    }
}

/// What is prescribed in time.
pub(super) fn motion<T>(keys: &Keys<T>, stated: Option<&MotionEntry>) -> Result<Motion, FileError> {
    let uniform = |start: f64, rate: f64| Motion::Uniform { start, rate };
    let Some(stated) = stated else {
        return Err(keys.bad("kind", format!("the kind `{}` needs `motion`", keys.kind)));
    };
    let (motion, numbers) = match stated {
        &MotionEntry::Constant(value) => (uniform(value, 0.0), vec![value]),
        MotionEntry::Polynomial(parts) => {
            let motion = match parts[..] {
                [] => uniform(0.0, 0.0),
                [start] => uniform(start, 0.0),
                [start, rate] => uniform(start, rate),
                _ => {
                    let reason = "plane mechanisms follow a polynomial of degree 1 at most: expected two coefficients, or a `harmonic`";
                    return Err(keys.bad("motion", reason));
                }
            };
            (motion, parts.clone())
        }
        &MotionEntry::Harmonic(HarmonicEntry {
            offset,
            amplitude,
            rate,
            phase,
        }) => {
            let motion = Motion::Harmonic {
                mean: offset,
                amplitude,
                frequency: rate,
                phase,
            };
            (motion, vec![offset, amplitude, rate, phase])
        }
        MotionEntry::Versine(_)
        | MotionEntry::Approach(_)
        | MotionEntry::Sum(_)
        | MotionEntry::Pieces(_) => {
            let reason = "plane mechanisms follow a `constant`, a `polynomial` of degree 1 at most or a `harmonic`: expected one of these";
            return Err(keys.bad("motion", reason));
        }
    };
    match numbers.iter().all(|number| number.is_finite()) {
        true => Ok(motion),
        false => Err(keys.bad("motion", "expected finite numbers")),
    }
}
