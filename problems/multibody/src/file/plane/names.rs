//! Where names stand among the elements of their kind.

use super::keys::Keys;
use crate::file::{FileError, Reference};
use crate::plane::{PlaneMechanismError, PlanePoint};
use std::collections::HashMap;
use toml::Spanned;

/// Where names stand among the elements of their kind.
pub(super) struct Names<'a> {
    pub(super) text: &'a str,
    pub(super) bodies: HashMap<&'a str, usize>,
    pub(super) joints: HashMap<&'a str, usize>,
}

impl<'a> Names<'a> {
    pub(super) fn body(&self, name: &Reference) -> Result<Option<usize>, FileError> {
        let wanted = name.0.get_ref().as_str();
        if wanted == "ground" {
            return Ok(None);
        }
        let found = self.bodies.get(wanted).copied();
        found.map(Some).ok_or_else(|| {
            let mut names: Vec<&str> = self.bodies.keys().copied().collect();
            names.sort_unstable();
            let reason = format!(
                "there is no body `{wanted}`; expected `ground`, `{}`",
                names.join("`, `")
            );
            FileError::new(self.text, name.0.span(), reason)
        })
    }

    /// What a mechanism refuses, with names in place of numbers.
    pub(super) fn words(&self, error: &PlaneMechanismError) -> String {
        let name = |names: &HashMap<&'a str, usize>, number: usize| {
            let mut named = names.iter().filter(|(_, index)| **index == number);
            named.next().map_or("?", |(name, _)| name).to_owned()
        };
        match error {
            PlaneMechanismError::PointMass { what, body } => format!(
                "{what} would turn `{}`, which is a point mass: give it an `inertia`",
                name(&self.bodies, *body)
            ),
            PlaneMechanismError::Friction {
                label,
                joint,
                needs,
            } => format!(
                "friction `{label}` in joint `{}` needs {needs}",
                name(&self.joints, *joint)
            ),
            other => other.to_string(),
        }
    }

    /// A body that is not the ground.
    pub(super) fn moving(&self, name: &Reference) -> Result<usize, FileError> {
        self.body(name)?.ok_or_else(|| {
            let reason = "the ground does not turn: expected a body";
            FileError::new(self.text, name.0.span(), reason)
        })
    }

    pub(super) fn joint(&self, name: &Reference) -> Result<usize, FileError> {
        let wanted = name.0.get_ref().as_str();
        self.joints.get(wanted).copied().ok_or_else(|| {
            let reason = format!("there is no joint `{wanted}`");
            FileError::new(self.text, name.0.span(), reason)
        })
    }

    /// Both bodies of an element, which are not the same.
    pub(super) fn pair<T>(
        &self,
        keys: &Keys<T>,
        bodies: &[Reference; 2],
    ) -> Result<[Option<usize>; 2], FileError> {
        let [first, second] = bodies;
        if first.0.get_ref() == second.0.get_ref() {
            let reason = format!("both are `{}`: expected two bodies", first.0.get_ref());
            return Err(keys.bad("bodies", reason));
        }
        Ok([self.body(first)?, self.body(second)?])
    }

    pub(super) fn points(
        &self,
        bodies: &[Reference; 2],
        points: Option<[[f64; 2]; 2]>,
    ) -> Result<[PlanePoint; 2], FileError> {
        let [first, second] = points.unwrap_or_default();
        Ok([
            (self.body(&bodies[0])?, first),
            (self.body(&bodies[1])?, second),
        ])
    }
}

/// The places of names that are unique.
pub(super) fn places<'a, T>(
    text: &str,
    entries: &'a [Spanned<T>],
    (kind, name): (&str, fn(&'a T) -> &'a str),
) -> Result<HashMap<&'a str, usize>, FileError> {
    let mut known = HashMap::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        let name = name(entry.get_ref());
        if known.insert(name, index).is_some() {
            let reason = format!("the {kind} `{name}` is there already: expected another name");
            return Err(FileError::of_key(text, entry.span(), "name", reason));
        }
        if name.is_empty() {
            let reason = "the name is empty: expected one";
            return Err(FileError::of_key(text, entry.span(), "name", reason));
        }
        if name == "ground" && kind == "body" {
            let reason = "`ground` is the world: expected another name";
            return Err(FileError::of_key(text, entry.span(), "name", reason));
        }
    }
    Ok(known)
}
