//! Plane mechanisms in files: bodies, joints, drives, forces, friction, contacts and outputs as tables of TOML.

mod build;
mod contacts;
mod entries;
mod export;
mod forces;
mod joints;
mod keys;
mod names;
mod nonsmooth;
mod outputs;
mod size;
mod start;

pub use entries::{
    PlaneBodyEntry, PlaneContactEntry, PlaneForceEntry, PlaneForceName, PlaneFrictionEntry,
    PlaneFrictionName, PlaneJointEntry, PlaneJointName, PlaneMechanismFile, PlaneOutputEntry,
    PlanePairEntry, PlaneQuantityName,
};

use super::{FileError, described, parsed};
use serde::Deserialize;
use toml::Spanned;

/// What tells files of plane mechanisms from others.
#[derive(Deserialize)]
struct Kind {
    #[serde(default)]
    plane: Option<toml::Value>,
    #[serde(default)]
    gravity: Option<toml::Value>,
    #[serde(default)]
    bodies: Vec<toml::Table>,
}

/// What is wrong with a mechanism in space, and a hint where the file looks like that of a plane one.
pub(super) fn hinted(text: &str, error: FileError) -> FileError {
    let Ok(kind) = toml::from_str::<Kind>(text) else {
        return error;
    };
    let pairs = |value: &toml::Value| value.as_array().is_some_and(|parts| parts.len() == 2);
    let is_scalar = |body: &toml::Table| {
        body.get("inertia")
            .is_some_and(|inertia| !inertia.is_array())
    };
    if !kind.gravity.as_ref().is_some_and(pairs) && !kind.bodies.iter().any(is_scalar) {
        return error;
    }
    FileError {
        reason: format!(
            "{}; a mechanism in the plane states `plane = true`",
            error.reason
        ),
        ..error
    }
}

impl PlaneMechanismFile {
    /// Whether a text says that its mechanism is a plane one. What is no TOML does not.
    pub fn is_said(text: &str) -> bool {
        toml::from_str(text).is_ok_and(|kind: Kind| kind.plane.is_some())
    }

    /// Reads a file's text. Whether it makes a mechanism, [`mechanism`](Self::mechanism) says.
    ///
    /// # Errors
    /// [`FileError`] for what is no TOML, for missing and unknown keys and for values of other kinds than expected.
    pub fn read(text: &str) -> Result<Self, FileError> {
        parsed(text)
    }

    /// The file's text, which [`read`](Self::read) reads with the same numbers to the last bit.
    ///
    /// # Errors
    /// The serializer's words.
    pub fn text(&self) -> Result<String, String> {
        toml::to_string(self).map_err(|error| error.to_string())
    }

    /// The JSON schema of these files: editors complete and check them by it.
    pub fn schema() -> String {
        described(schemars::schema_for!(Self))
    }

    /// What went wrong when the mechanism was run, as an error about the first joint, body, friction or contact that `words` name, such as
    /// `joint 0 (revolute, ground - bar)`; about the whole file if they name none. `text` is what the file was read from.
    pub fn refuse(&self, text: &str, words: &str, reason: impl Into<String>) -> FileError {
        let joint = words.split("joint ").skip(1).find_map(|rest| {
            let number = rest.split([' ', ':', ',']).next()?;
            self.joints.get(number.parse::<usize>().ok()?)
        });
        let named = |name: &str| {
            words.contains(&format!("'{name}'")) || words.contains(&format!("`{name}`"))
        };
        let bodies = || {
            self.bodies
                .iter()
                .find(|entry| named(&entry.get_ref().name))
        };
        let contacts = || {
            self.contacts
                .iter()
                .find(|entry| named(&entry.get_ref().name))
        };
        let frictions = || {
            self.frictions
                .iter()
                .find(|entry| named(&entry.get_ref().name))
        };
        let span = joint
            .map(Spanned::span)
            .or_else(|| contacts().map(Spanned::span))
            .or_else(|| frictions().map(Spanned::span))
            .or_else(|| bodies().map(Spanned::span));
        match span {
            Some(span) => FileError::new(text, span, reason),
            None => FileError::of_file(reason),
        }
    }
}
