//! Errors of mechanism files, with their place.

use crate::error::AssemblyError;
use std::ops::Range;
use thiserror::Error;

/// A mechanism file that cannot be used.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("line {line}, {field}: {reason}")]
pub struct FileError {
    /// The line, counted from 1.
    pub line: usize,
    /// The table and key, such as `joints[1].bodies`; tables of a list count from 0.
    pub field: String,
    /// The error, and what was expected.
    pub reason: String,
    /// Where the file is right, and the mechanism cannot be assembled.
    #[source]
    pub assembly: Option<Box<AssemblyError>>,
}

impl FileError {
    /// An error about a part of a text.
    pub(super) fn new(text: &str, span: Range<usize>, reason: impl Into<String>) -> Self {
        let place = Location::of(text, span.start);
        Self {
            line: place.line,
            field: place.field,
            reason: reason.into(),
            assembly: None,
        }
    }

    /// The same of what an assembly refuses.
    pub(super) fn because(self, error: AssemblyError) -> Self {
        Self {
            assembly: Some(Box::new(error)),
            ..self
        }
    }

    /// The words of the parser about what is a name or a table with one key, with an example.
    pub(super) fn with_example(mut self) -> Self {
        const FORM: &str = "wanted string or table";
        let key = self.field.rsplit('.').next().unwrap_or_default();
        let example = match key {
            "motion" | "angle" | "translation" | "force" | "torque" | "follows" => {
                "{ constant = 1.0 }"
            }
            "surfaces" | "shape" => "{ sphere = 0.1 }",
            _ => return self,
        };
        if self.reason.contains(FORM) {
            self.reason = format!("expected a table such as `{example}`");
        }
        self
    }

    /// An error about the whole file.
    pub(super) fn of_file(reason: impl Into<String>) -> Self {
        Self {
            line: 1,
            field: THE_FILE.to_owned(),
            reason: reason.into(),
            assembly: None,
        }
    }

    /// An error about a key of the table whose header is at `span`: its line if the table has it.
    pub(super) fn of_key(
        text: &str,
        span: Range<usize>,
        key: &str,
        reason: impl Into<String>,
    ) -> Self {
        Self::of_keys(text, span, &[key], reason)
    }

    /// An error about the first of these keys that the table has; about the first one if it has none.
    pub(super) fn of_keys(
        text: &str,
        span: Range<usize>,
        keys: &[&str],
        reason: impl Into<String>,
    ) -> Self {
        let rest = text.get(span.start..).unwrap_or_default();
        let table = if rest.starts_with('{') {
            text.get(span.start + 1..span.end).unwrap_or_default()
        } else {
            one_table(rest)
        };
        let skipped = usize::from(rest.starts_with('{'));
        let stated = keys
            .iter()
            .find_map(|key| Some((*key, own_key(table, key)?)));
        let key = stated
            .map(|(key, _)| key)
            .or(keys.first().copied())
            .unwrap_or("name");
        let own = stated.map(|(_, at)| at + skipped);
        let start = span.start + own.unwrap_or(0);
        let place = Location::of(text, start);
        let field = if own.is_some() || place.field.ends_with(key) {
            place.field
        } else if place.field == THE_FILE {
            key.to_owned()
        } else {
            format!("{}.{key}", place.field)
        };
        Self {
            line: place.line,
            field,
            reason: reason.into(),
            assembly: None,
        }
    }
}

/// The field of what concerns no table and key.
const THE_FILE: &str = "the file";

/// The inside of a table's header, and whether the table is one of a list.
fn header(line: &str) -> Option<(&str, bool)> {
    let words = line.split('#').next()?.trim();
    let (name, of_list) = match words.strip_prefix("[[") {
        Some(rest) => (rest.strip_suffix("]]")?, true),
        None => (words.strip_prefix('[')?.strip_suffix(']')?, false),
    };
    let name = name.trim();
    // Rows of a matrix start with a number and have commas.
    let starts = !name.starts_with(|sign: char| sign.is_ascii_digit() || "+-".contains(sign));
    (is_key(name) && starts).then_some((name, of_list))
}

/// Whether these are the signs of a key, dotted and quoted or not.
fn is_key(words: &str) -> bool {
    let fits = |sign: char| sign.is_alphanumeric() || "_-.\"' \t".contains(sign);
    !words.is_empty() && words.chars().all(fits)
}

/// The part of a text up to the second header.
fn one_table(text: &str) -> &str {
    let mut end = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        if number > 0 && header(line).is_some() {
            break;
        }
        end += line.len();
    }
    &text[..end]
}

/// Where a table states a key, outside of the values of others.
fn own_key(table: &str, key: &str) -> Option<usize> {
    let (mut depth, mut quote, mut escaped, mut comment) = (0_i32, None, false, false);
    for (at, sign) in table.char_indices() {
        if let Some(mark) = quote {
            if sign == mark && !escaped {
                quote = None;
            }
            escaped = mark == '"' && sign == '\\' && !escaped;
            continue;
        }
        if comment {
            comment = sign != '\n';
            continue;
        }
        if let Some(rest) = table[at..].strip_prefix(key)
            && depth == 0
        {
            let before = table[..at].trim_end_matches([' ', '\t']);
            let starts = before.is_empty() || before.ends_with(['\n', ',']);
            if starts && rest.trim_start().starts_with('=') {
                return Some(at);
            }
        }
        match sign {
            '[' | '{' => depth += 1,
            ']' | '}' => depth -= 1,
            '"' | '\'' => quote = Some(sign),
            '#' => comment = true,
            _ => {}
        }
    }
    None
}

/// A place in a text.
struct Location {
    line: usize,
    field: String,
}

impl Location {
    /// The line of an offset, the last header before it with its number in a list, and the key whose value is there.
    fn of(text: &str, offset: usize) -> Self {
        let offset = offset.min(text.len());
        let (mut start, mut line) = (0, 0);
        let mut headers: Vec<(&str, bool)> = Vec::new();
        let (mut key, mut own) = (None, "");
        for (number, words) in text.split_inclusive('\n').enumerate() {
            if start > offset || (start == offset && number > 0 && start == text.len()) {
                break;
            }
            (line, own) = (number + 1, words.trim());
            if let Some(header) = header(own) {
                headers.push(header);
                key = None;
            } else if let Some(found) = key_of(own) {
                key = Some(found);
            }
            start += words.len();
        }
        // A line that starts with a value goes on with the one before.
        let goes_on = |sign: char| {
            sign.is_ascii_digit() || "[]{}\"'+-".contains(sign) && header(own).is_none()
        };
        let key = key.filter(|_| key_of(own).is_some() || own.starts_with(goes_on));
        let table = headers.last().map(|last| {
            let (name, of_list) = last;
            if *of_list {
                let count = headers.iter().filter(|header| *header == last).count();
                format!("{name}[{}]", count - 1)
            } else {
                (*name).to_owned()
            }
        });
        let field = match (table, key) {
            (Some(table), Some(key)) => format!("{table}.{key}"),
            (Some(only), None) => only,
            (None, Some(key)) => key.to_owned(),
            (None, None) => THE_FILE.to_owned(),
        };
        Self {
            line: line.max(1),
            field,
        }
    }
}

/// The key of a line that starts with one.
fn key_of(line: &str) -> Option<&str> {
    let key = line.split_once('=')?.0.trim();
    (is_key(key) && key.len() < 60).then_some(key)
}
