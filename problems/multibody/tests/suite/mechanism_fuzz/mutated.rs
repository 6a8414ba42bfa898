//! Valid files with changes.

use super::shaped::{odd_numbers, odd_words};
use proptest::prelude::*;
use proptest::sample::select;
use std::path::Path;

/// Files that are right.
const RIGHT: [&str; 5] = [
    "ball.toml",
    "double-pendulum.toml",
    "rubber-strip.toml",
    "elastic-arm.toml",
    "slider-crank.toml",
];

/// A robot that is right.
const ROBOT: &str = "arm.urdf";

/// An example of the repository.
fn example(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path = root.join("examples/mechanisms").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A change of a text; numbers are counted round.
#[derive(Clone, Debug)]
enum Change {
    /// Puts a sign somewhere.
    Insert(usize, char),
    /// Leaves out so many signs.
    Remove(usize, usize),
    /// Copies so many signs from one place to another.
    Copy(usize, usize, usize),
    /// Writes another number.
    Number(usize, String),
    /// Writes another word in quotes.
    Word(usize, String),
    /// Writes a word as it stands elsewhere.
    OtherWord(usize, usize),
    /// Leaves out a line.
    DropLine(usize),
    /// Copies a line to another place.
    CopyLine(usize, usize),
    /// Copies a table to the end.
    CopyTable(usize),
    /// Exchanges two tables.
    ExchangeTables(usize, usize),
    /// Puts markup of XML somewhere.
    Markup(usize, &'static str),
}

/// What XML has and neither kind of file should.
const MARKUP: [&str; 8] = [
    "<!DOCTYPE robot [<!ENTITY a 'b'>]>",
    "<![CDATA[<a>]]>",
    "<!-- -->",
    "<!--",
    "<?xml version='1.0'?>",
    "&lt;",
    "<a b='\"'>",
    " xyz='1 two 3'",
];

fn changes() -> impl Strategy<Value = Change> {
    let at = || 0_usize..1 << 20;
    let signs: Vec<char> = "[]{}=\",.-0159einfa#\n \t\u{feff}ä\0'_".chars().collect();
    prop_oneof![
        2 => (at(), select(signs)).prop_map(|(at, sign)| Change::Insert(at, sign)),
        2 => (at(), 1_usize..40).prop_map(|(at, count)| Change::Remove(at, count)),
        2 => (at(), 1_usize..80, at()).prop_map(|(at, count, to)| Change::Copy(at, count, to)),
        5 => (at(), odd_numbers()).prop_map(|(at, number)| Change::Number(at, number)),
        2 => (at(), (-2.0..2.0_f64)).prop_map(|(at, number)| Change::Number(at, format!("{number:?}"))),
        2 => (at(), odd_words()).prop_map(|(at, word)| Change::Word(at, word)),
        4 => (at(), at()).prop_map(|(at, from)| Change::OtherWord(at, from)),
        3 => at().prop_map(Change::DropLine),
        2 => (at(), at()).prop_map(|(from, to)| Change::CopyLine(from, to)),
        2 => at().prop_map(Change::CopyTable),
        1 => (at(), at()).prop_map(|(one, two)| Change::ExchangeTables(one, two)),
        1 => (at(), select(&MARKUP)).prop_map(|(at, markup)| Change::Markup(at, markup)),
    ]
}

/// Mechanism files with changes.
pub fn texts() -> impl Strategy<Value = String> {
    changed(RIGHT.map(example).to_vec())
}

/// Robots with changes.
pub fn robots() -> impl Strategy<Value = String> {
    changed(vec![example(ROBOT)])
}

fn changed(right: Vec<String>) -> impl Strategy<Value = String> {
    (select(right), prop::collection::vec(changes(), 1..5))
        .prop_map(|(text, changes)| changes.iter().fold(text, |text, change| change.of(&text)))
}

/// The places of parts that `of` recognizes by their first sign and all others.
fn parts(text: &str, first: fn(char) -> bool, rest: fn(char) -> bool) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut start: Option<usize> = None;
    let mut before = ' ';
    for (at, sign) in text.char_indices().chain([(text.len(), '\n')]) {
        match start {
            Some(from) if !rest(sign) => {
                found.push((from, at));
                start = None;
            }
            None if first(sign) && !before.is_alphanumeric() => start = Some(at),
            _ => {}
        }
        before = sign;
    }
    found
}

fn numbers(text: &str) -> Vec<(usize, usize)> {
    let first = |sign: char| sign.is_ascii_digit() || sign == '-';
    parts(text, first, |sign| {
        sign.is_ascii_alphanumeric() || "+-.".contains(sign)
    })
}

/// Words with their quotes.
fn words(text: &str) -> Vec<(usize, usize)> {
    let quotes: Vec<usize> = text.match_indices('"').map(|(at, _)| at).collect();
    let pairs = quotes.chunks_exact(2);
    pairs.map(|pair| (pair[0], pair[1] + 1)).collect()
}

/// Tables with their headers.
fn tables(text: &str) -> Vec<(usize, usize)> {
    let mut starts: Vec<usize> = text.match_indices("\n[[").map(|(at, _)| at + 1).collect();
    starts.push(text.len());
    starts.windows(2).map(|pair| (pair[0], pair[1])).collect()
}

fn lines(text: &str) -> Vec<(usize, usize)> {
    let mut start = 0;
    let ends = text.split_inclusive('\n').map(|line| {
        start += line.len();
        (start - line.len(), start)
    });
    ends.collect()
}

fn chosen(parts: &[(usize, usize)], number: usize) -> Option<(usize, usize)> {
    parts.get(number.checked_rem(parts.len())?).copied()
}

fn boundary(text: &str, at: usize) -> usize {
    let at = at % (text.len() + 1);
    (0..=at)
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0)
}

fn replaced(text: &str, place: Option<(usize, usize)>, by: &str) -> String {
    match place {
        Some((start, end)) => format!("{}{by}{}", &text[..start], &text[end..]),
        None => text.to_owned(),
    }
}

impl Change {
    fn of(&self, text: &str) -> String {
        let part =
            |place: Option<(usize, usize)>| place.map_or("", |(start, end)| &text[start..end]);
        match self {
            Self::Insert(at, sign) => {
                let at = boundary(text, *at);
                replaced(text, Some((at, at)), &sign.to_string())
            }
            Self::Markup(at, markup) => {
                let at = boundary(text, *at);
                replaced(text, Some((at, at)), markup)
            }
            Self::Remove(at, count) => {
                let at = boundary(text, *at);
                let end = boundary(text, (at + count).min(text.len()));
                replaced(text, Some((at, end.max(at))), "")
            }
            Self::Copy(at, count, to) => {
                let (at, to) = (boundary(text, *at), boundary(text, *to));
                let end = boundary(text, (at + count).min(text.len())).max(at);
                replaced(text, Some((to, to)), &text[at..end])
            }
            Self::Number(at, number) => replaced(text, chosen(&numbers(text), *at), number),
            Self::Word(at, word) => replaced(text, chosen(&words(text), *at), word),
            Self::OtherWord(at, from) => {
                let words = words(text);
                replaced(text, chosen(&words, *at), part(chosen(&words, *from)))
            }
            Self::DropLine(at) => replaced(text, chosen(&lines(text), *at), ""),
            Self::CopyLine(from, to) => {
                let lines = lines(text);
                let to = chosen(&lines, *to).map(|(start, _)| (start, start));
                replaced(text, to, part(chosen(&lines, *from)))
            }
            Self::CopyTable(at) => format!("{text}\n{}", part(chosen(&tables(text), *at))),
            Self::ExchangeTables(one, two) => {
                let tables = tables(text);
                let (one, two) = (chosen(&tables, *one), chosen(&tables, *two));
                let (Some(first), Some(second)) = (one.min(two), one.max(two)) else {
                    return text.to_owned();
                };
                if first == second {
                    return text.to_owned();
                }
                let later = replaced(text, Some(second), part(Some(first)));
                replaced(&later, Some(first), part(Some(second)))
            }
        }
    }
}
