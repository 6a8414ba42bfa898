//! Results to stdout, progress to stderr; a closed pipe is no error.

use crate::error::CommandError;
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::borrow::Cow;
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Pairs of name and value that keep their order in JSON.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Named<T>(pub Vec<(String, T)>);

impl<T> Named<T> {
    /// The value of this name.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.0
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value)
    }
}

impl<T: Serialize> Serialize for Named<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// Writes a text to stdout. A broken pipe is no error.
pub fn print(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    let written = stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush());
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Writes a line to stderr, if it can be written.
pub fn note(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", escaped(text));
}

/// What has been remarked so far.
static REMARKS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Says something on stderr that belongs to the result, too: objects of JSON have it among their notes.
pub fn remark(text: &str) {
    note(&format!("liedae: {text}"));
    let mut remarks = REMARKS.lock().unwrap_or_else(PoisonError::into_inner);
    remarks.push(text.to_owned());
}

/// A text whose control characters, but for ends of lines and tabs, are written as Rust writes them: a terminal would obey them.
pub fn escaped(text: &str) -> Cow<'_, str> {
    let is_obeyed = |letter: char| letter.is_control() && letter != '\n' && letter != '\t';
    if !text.contains(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_obeyed(letter) {
            shown.extend(letter.escape_default());
        } else {
            shown.push(letter);
        }
    }
    Cow::Owned(shown)
}

/// An object with what has been remarked.
#[derive(serde::Serialize)]
struct Noted<'v, T> {
    #[serde(flatten)]
    value: &'v T,
    notes: Vec<String>,
}

/// A value as one JSON object on a line of its own. Numbers that are not finite become null.
pub fn json<T: Serialize>(value: &T) -> Result<String, serde_json::Error> {
    let mut text = serde_json::to_string_pretty(value)?;
    text.push('\n');
    Ok(text)
}

/// The result of a command as [`json`], with the key `notes` where something has been remarked.
pub fn json_with_notes<T: Serialize>(value: &T) -> Result<String, serde_json::Error> {
    let remarks = REMARKS.lock().unwrap_or_else(PoisonError::into_inner);
    match remarks.as_slice() {
        [] => json(value),
        remarks => json(&Noted {
            value,
            notes: remarks.to_vec(),
        }),
    }
}

/// Writes records with a header taken from their fields.
pub fn write_csv<T: Serialize>(path: &Path, records: &[T]) -> Result<(), CommandError> {
    let failed = |error: csv::Error| CommandError::write(path, std::io::Error::from(error));
    let mut writer = csv::Writer::from_path(path).map_err(failed)?;
    for record in records {
        writer.serialize(record).map_err(failed)?;
    }
    writer
        .flush()
        .map_err(|source| CommandError::write(path, source))
}

/// Columns of text, the first left-aligned, the others right-aligned.
pub fn columns(header: &[&str], rows: &[Vec<String>]) -> String {
    let header: Vec<String> = header.iter().map(|&cell| cell.to_owned()).collect();
    let widths = widths(std::iter::once(&header).chain(rows));
    let lines = std::iter::once(&header).chain(rows);
    lines.map(|row| aligned(&widths, row)).collect()
}

/// How wide columns are in which all of these rows fit; those of the first row.
pub fn widths<'r>(rows: impl IntoIterator<Item = &'r Vec<String>>) -> Vec<usize> {
    let mut rows = rows.into_iter();
    let first = rows.next().map_or(&[][..], Vec::as_slice);
    let mut widths: Vec<usize> = first.iter().map(|cell| cell.chars().count()).collect();
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    widths
}

/// A line of columns, the first left-aligned, the others right-aligned; what is wider stands out.
pub fn aligned(widths: &[usize], row: &[String]) -> String {
    let mut line = String::new();
    for (index, (cell, &width)) in row.iter().zip(widths).enumerate() {
        // By hand: the formatter takes no widths above 65 535.
        let room = " ".repeat(width.saturating_sub(cell.chars().count()));
        if index == 0 {
            line.push_str(cell);
            line.push_str(&room);
        } else {
            line.push_str("  ");
            line.push_str(&room);
            line.push_str(cell);
        }
    }
    format!("{}\n", line.trim_end())
}

/// The beginning of a LaTeX tabular with the rules of booktabs: the first column left-aligned, the others right-aligned.
pub fn latex_head(header: &[String]) -> String {
    let alignment = "r".repeat(header.len().saturating_sub(1));
    let line = latex_line(header);
    format!("\\begin{{tabular}}{{l{alignment}}}\n\\toprule\n{line}\\midrule\n")
}

/// A line of it.
pub fn latex_line(cells: &[String]) -> String {
    let escaped = |text: &String| {
        let mut escaped = String::with_capacity(text.len());
        for character in text.chars() {
            match character {
                '&' | '%' | '$' | '#' | '_' | '{' | '}' => escaped.extend(['\\', character]),
                '\\' => escaped.push_str("\\textbackslash{}"),
                '~' => escaped.push_str("\\textasciitilde{}"),
                '^' => escaped.push_str("\\textasciicircum{}"),
                other => escaped.push(other),
            }
        }
        escaped
    };
    let cells: Vec<String> = cells.iter().map(escaped).collect();
    format!("{} \\\\\n", cells.join(" & "))
}

/// Its end.
pub fn latex_foot() -> String {
    "\\bottomrule\n\\end{tabular}\n".to_owned()
}

/// Characters in a line of text on a terminal.
pub const WIDTH: usize = 100;

/// Names in front, texts behind, wrapped to `width` and indented by as much as the names need.
pub fn wrapped<'a>(rows: impl IntoIterator<Item = (&'a str, String)>, width: usize) -> String {
    let rows: Vec<(&str, String)> = rows.into_iter().collect();
    let names = rows.iter().map(|(name, _)| name.chars().count());
    let indent = names.max().unwrap_or(0) + 2;
    let mut text = String::new();
    for (name, words) in &rows {
        let room = indent.saturating_sub(name.chars().count());
        let mut line = format!("{name}{}", " ".repeat(room));
        let mut empty = true;
        for word in words.split_whitespace() {
            if !empty && line.chars().count() + 1 + word.chars().count() > width {
                text.push_str(&line);
                text.push('\n');
                line = " ".repeat(indent);
                empty = true;
            }
            if !empty {
                line.push(' ');
            }
            line.push_str(word);
            empty = false;
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// A number for people: plain where that is short, otherwise with an exponent.
pub fn number(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 || (1e-3..1e5).contains(&size) {
        let text = format!("{value:.6}");
        let text = text.trim_end_matches('0').trim_end_matches('.');
        text.to_owned()
    } else {
        format!("{value:.3e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminals_obey_nothing() {
        assert_eq!(escaped("a\tb\n"), "a\tb\n");
        let shown = escaped("\u{1b}[31m\0\r\u{7f}\u{9b}é");
        assert_eq!(shown, "\\u{1b}[31m\\u{0}\\r\\u{7f}\\u{9b}é");
    }

    #[test]
    fn columns_may_be_wider_than_formatters_know() {
        let long = "x".repeat(70_000);
        let rows = [
            vec!["a".to_owned(), long.clone()],
            vec![long, "b".to_owned()],
        ];
        let text = columns(&["one", "two"], &rows);
        assert!(text.lines().all(|line| line.len() <= 140_002) && text.lines().count() == 3);
        let text = wrapped([(rows[1][0].as_str(), "word".to_owned())], WIDTH);
        assert!(text.ends_with("x  word\n"));
    }

    #[test]
    fn names_keep_their_order() {
        let named = Named(vec![("z".to_owned(), 1.0), ("a".to_owned(), f64::NAN)]);
        assert_eq!(
            serde_json::to_string(&named).ok().as_deref(),
            Some(r#"{"z":1.0,"a":null}"#)
        );
        assert_eq!(named.get("z"), Some(&1.0));
    }

    #[test]
    fn numbers_for_people() {
        assert_eq!(number(0.25), "0.25");
        assert_eq!(number(12.0), "12");
        assert_eq!(number(1.25e-7), "1.250e-7");
    }

    #[test]
    fn texts_are_wrapped_behind_their_names() {
        let rows = [("ab", "one two three".to_owned()), ("c", "four".to_owned())];
        assert_eq!(wrapped(rows, 12), "ab  one two\n    three\nc   four\n");
        let long = wrapped([("a", "incomprehensibilities".to_owned())], 8);
        assert_eq!(long, "a  incomprehensibilities\n");
    }

    #[test]
    fn what_latex_would_read_is_escaped() {
        let head = latex_head(&["a_b".to_owned(), "c".to_owned()]);
        let text = head + &latex_line(&["50 %".to_owned(), "\\".to_owned()]);
        assert!(text.starts_with("\\begin{tabular}{lr}\n\\toprule\na\\_b & c \\\\\n"));
        assert!(text.contains("50 \\% & \\textbackslash{} \\\\"));
    }

    #[test]
    fn columns_are_aligned() {
        let text = columns(&["a", "bb"], &[vec!["xyz".into(), "1".into()]]);
        assert_eq!(text, "a    bb\nxyz   1\n");
    }
}
