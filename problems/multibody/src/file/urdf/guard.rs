//! Texts that a parser of XML should not be given.

use super::UrdfError;
use std::collections::BTreeSet;

/// Elements of URDF are four deep; parsers that call themselves for each would run out of their stack.
const DEEPEST: usize = 64;

/// Elements that are read, or left out with a note.
const KNOWN: [&str; 26] = [
    "axis",
    "box",
    "calibration",
    "capsule",
    "child",
    "collision",
    "color",
    "cylinder",
    "dynamics",
    "geometry",
    "inertia",
    "inertial",
    "joint",
    "limit",
    "link",
    "mass",
    "material",
    "mesh",
    "mimic",
    "origin",
    "parent",
    "robot",
    "safety_controller",
    "sphere",
    "texture",
    "visual",
];

/// What the parser passes over in silence.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Elements that are not known; not those within them.
    pub unknown: BTreeSet<String>,
    /// Whether a frame is turned by a quaternion.
    pub quaternions: bool,
}

/// Attributes that are vectors.
const VECTORS: [&str; 3] = ["xyz", "rpy", "quat_xyzw"];

/// Refuses macros, declarations, deep nesting, and vectors with words that are no numbers.
pub(super) fn check(text: &str) -> Result<Seen, UrdfError> {
    let mut seen = Seen::default();
    let mut unknown_at = None;
    let (mut depth, mut rest) = (0_usize, text);
    while let Some(start) = rest.find('<') {
        rest = &rest[start..];
        let sections = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")];
        let section = sections.iter().find(|(open, _)| rest.starts_with(open));
        if let Some((open, close)) = section {
            let inside = &rest[open.len()..];
            let Some(end) = inside.find(close) else {
                return Ok(seen);
            };
            rest = &inside[end + close.len()..];
            continue;
        }
        // Quotes within declarations are not those of tags.
        if rest.starts_with("<!") {
            return Err(UrdfError::Declaration);
        }
        if rest.starts_with("<xacro:") {
            return Err(UrdfError::Macros);
        }
        let end = end_of_tag(rest);
        let tag = &rest[..end];
        if tag.starts_with("</") {
            depth = depth.saturating_sub(1);
            unknown_at = unknown_at.filter(|at| *at < depth);
        } else {
            let is_open = !tag.ends_with("/>");
            if unknown_at.is_none() {
                seen.quaternions |= tag.contains("quat_xyzw");
                let name = name_of(tag);
                if !KNOWN.contains(&name) {
                    seen.unknown.insert(name.to_owned());
                    unknown_at = is_open.then_some(depth);
                } else if let Some(vector) = attributes(tag).find(|one| !is_of_numbers(one)) {
                    return Err(UrdfError::Vector {
                        element: name.to_owned(),
                        name: vector.0.to_owned(),
                        value: vector.1.to_owned(),
                    });
                }
            }
            depth += usize::from(is_open);
            if depth > DEEPEST {
                return Err(UrdfError::Depth(DEEPEST));
            }
        }
        rest = &rest[end..];
    }
    Ok(seen)
}

/// The name of the element that a tag opens.
fn name_of(tag: &str) -> &str {
    let inside = tag.trim_start_matches('<');
    let is_end = |sign: char| sign.is_whitespace() || sign == '/' || sign == '>';
    inside.split(is_end).next().unwrap_or_default()
}

/// The attributes of a tag with what stands in their quotes.
fn attributes(tag: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = tag;
    std::iter::from_fn(move || {
        let (before, after) = rest.split_once('=')?;
        let name = before.split_whitespace().next_back().unwrap_or_default();
        let after = after.trim_start();
        let quote = after.chars().next().filter(|sign| "\"'".contains(*sign))?;
        let (value, behind) = after[1..].split_once(quote)?;
        rest = behind;
        Some((name, value))
    })
}

/// Whether a vector holds numbers only: the parser leaves out its other words.
fn is_of_numbers((name, value): &(&str, &str)) -> bool {
    let mut words = value.split_whitespace();
    !VECTORS.contains(name) || words.all(|word| word.parse::<f64>().is_ok())
}

/// Where a tag ends, behind its last sign; signs within quotes are not those of tags.
fn end_of_tag(text: &str) -> usize {
    let mut quote = None;
    for (at, sign) in text.char_indices() {
        match (quote, sign) {
            (Some(mark), _) if mark == sign => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(sign),
            (None, '>') => return at + 1,
            (None, _) => {}
        }
    }
    text.len()
}
