//! What is wrong with a mechanism file, and where.

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
    /// What is wrong, and what was expected.
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

    /// The same about a key of the table whose header is at `span`: its line if the table has it.
    pub(super) fn of_key(
        text: &str,
        span: Range<usize>,
        key: &str,
        reason: impl Into<String>,
    ) -> Self {
        // A table reaches to the next header.
        let rest = text.get(span.start..).unwrap_or_default();
        let table = &rest[..rest.find("\n[[").unwrap_or(rest.len())];
        let own = table.match_indices(key).find(|&(at, _)| {
            let before = table[..at].trim_end_matches([' ', '\t']);
            let after = table[at + key.len()..].trim_start();
            (before.is_empty() || before.ends_with(['\n', '{', ','])) && after.starts_with('=')
        });
        let start = span.start + own.map_or(0, |(at, _)| at);
        let place = Location::of(text, start);
        let field = if own.is_some() || place.field.ends_with(key) {
            place.field
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

/// A place in a text.
struct Location {
    line: usize,
    field: String,
}

impl Location {
    /// The line of an offset, the last header before it with its number in a list, and the key of the line.
    fn of(text: &str, offset: usize) -> Self {
        let offset = offset.min(text.len());
        let (mut start, mut line) = (0, 0);
        let mut headers: Vec<&str> = Vec::new();
        let mut own = "";
        for (number, words) in text.split_inclusive('\n').enumerate() {
            if start > offset || (start == offset && number > 0 && start == text.len()) {
                break;
            }
            (line, own) = (number + 1, words.trim());
            if own.starts_with('[') && own.contains(']') && !own.contains('=') {
                headers.push(own.split('#').next().unwrap_or(own).trim());
            }
            start += words.len();
        }
        let key = own
            .split_once('=')
            .map(|(key, _)| key.trim())
            .filter(|key| !key.is_empty() && key.len() < 60);
        let table = headers.last().map(|last| {
            let name = last.trim_matches(['[', ']', ' ']);
            if last.starts_with("[[") {
                let count = headers.iter().filter(|header| *header == last).count();
                format!("{name}[{}]", count - 1)
            } else {
                name.to_owned()
            }
        });
        let field = match (table, key) {
            (Some(table), Some(key)) => format!("{table}.{key}"),
            (Some(only), None) => only,
            (None, Some(key)) => key.to_owned(),
            (None, None) => "the file".to_owned(),
        };
        Self {
            line: line.max(1),
            field,
        }
    }
}

/// The element that an assembly finds fault with.
pub(super) fn element(error: &AssemblyError) -> Option<&str> {
    use AssemblyError as E;
    match error {
        E::UnknownBody { element, .. }
        | E::UnknownJoint { element, .. }
        | E::NoStates { element }
        | E::JointKind { element, .. }
        | E::Coefficient { element, .. } => Some(element),
        E::DuplicateName { name, .. } => Some(name),
        E::Mass { body, .. }
        | E::InertiaNotSymmetric { body, .. }
        | E::InertiaNotPositive { body, .. }
        | E::InertiaTriangle { body, .. }
        | E::Rotation { body, .. } => Some(body),
        E::Axis { joint, .. }
        | E::ParallelAxes { joint }
        | E::SameBody { joint }
        | E::NoRows { joint }
        | E::NotAffine { joint, .. }
        | E::ZeroDistance { joint }
        | E::Position { joint, .. }
        | E::HalfTurn { joint }
        | E::Velocity { joint, .. } => Some(joint),
        E::FreeAngle { spring, .. } => Some(spring),
        E::ContactShapes { contact, .. } => Some(contact),
        _ => None,
    }
}

/// The key of the element that it finds fault with.
pub(super) fn key(error: &AssemblyError) -> &'static str {
    use AssemblyError as E;
    match error {
        E::Mass { .. } => "mass",
        E::InertiaNotSymmetric { .. }
        | E::InertiaNotPositive { .. }
        | E::InertiaTriangle { .. } => "inertia",
        E::Rotation { .. } => "rotation",
        E::Axis { .. } | E::ParallelAxes { .. } => "axis",
        E::SameBody { .. } => "bodies",
        E::FreeAngle { .. } => "free_angle",
        E::ContactShapes { .. } => "surfaces",
        E::UnknownJoint { .. } | E::JointKind { .. } => "joint",
        _ => "name",
    }
}
