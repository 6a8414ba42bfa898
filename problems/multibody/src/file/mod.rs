//! Mechanisms in files: bodies, beams, joints, drives, springs, friction, contacts and outputs as tables of TOML
//! (feature `files`), and robots in URDF (feature `urdf`).
//!
//! ```
//! use liedae::system::System;
//! use liedae_multibody::file::MechanismFile;
//!
//! let text = r#"
//! gravity = [0.0, 0.0, -9.81]
//! t_end = 2.0
//!
//! [[bodies]]
//! name = "bar"
//! mass = 3.0
//! inertia = [0.01, 1.0, 1.0]
//! position = [1.0, 0.0, 0.0]
//!
//! [[joints]]
//! name = "pivot"
//! kind = "revolute"
//! bodies = ["ground", "bar"]
//! point = [0.0, 0.0, 0.0]
//! axis = [0.0, 1.0, 0.0]
//!
//! [[outputs]]
//! name = "tip height"
//! body = "bar"
//! point = [1.0, 0.0, 0.0]
//! quantity = "z"
//! "#;
//! let mut system = MechanismFile::read(text)?.system(text)?;
//! assert_eq!(system.layout().rows(), 5);
//! // Errors say where they are and what was expected.
//! let error = MechanismFile::read(&text.replace("mass = 3.0", "mas = 3.0")).unwrap_err();
//! assert_eq!((error.line, error.field.as_str()), (7, "bodies[0].mas"));
//! # Ok::<(), liedae_multibody::file::FileError>(())
//! ```

mod beams;
mod blame;
mod build;
mod check;
mod cure;
mod elements;
mod entries;
mod error;
mod export;
mod export_beams;
mod export_modal;
mod joints;
mod kinds;
mod laws;
mod lengths;
mod modal_beams;
mod motions;
mod names;
mod nonsmooth;
mod plane;
mod size;
#[cfg(feature = "urdf")]
mod urdf;

pub use entries::{
    ApproachEntry, AxisName, BeamEndsName, BeamEntry, BearingEntry, BodyEntry, BumpEntry,
    CartesianSpringEntry, ContactEntry, CurveEntry, DriveEntry, ForceEntry, ForeshorteningName,
    FrameEntry, FrictionEntry, HarmonicEntry, ImpactLawName, InertiaEntry, InitialEntry,
    JointEntry, JointName, LawEntry, LineEntry, LoadEntry, MagicEntry, MaterialEntry,
    MechanismFile, ModalBeamEntry, MotionEntry, NodeEntry, OutlineEntry, OutputEntry, PieceEntry,
    Place, QuantityName, Reference, RotationalSpringEntry, SectionEntry, ShapeEntry, SpringEntry,
    StartEntry, SurfaceEntry, ThresholdsEntry, TyreEntry, VersineEntry,
};
pub use error::FileError;
pub use export::NotExported;
pub use plane::{
    PlaneBodyEntry, PlaneContactEntry, PlaneForceEntry, PlaneForceName, PlaneFrictionEntry,
    PlaneFrictionName, PlaneJointEntry, PlaneJointName, PlaneMechanismFile, PlaneOutputEntry,
    PlanePairEntry, PlaneQuantityName,
};
#[cfg(feature = "urdf")]
pub use urdf::{Urdf, UrdfError};

use schemars::Schema;
use schemars::transform::{RecursiveTransform, Transform};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Files above this size are no mechanisms that somebody wrote, in bytes.
pub const LARGEST: usize = 50_000_000;

impl MechanismFile {
    /// Reads a file's text. Whether it makes a mechanism, [`system`](Self::system) says.
    ///
    /// # Errors
    /// [`FileError`] for what is no TOML, for missing and unknown keys and for values of other kinds than expected.
    pub fn read(text: &str) -> Result<Self, FileError> {
        parsed(text).map_err(|error| plane::hinted(text, error))
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
}

/// The tables of a text.
fn parsed<T: DeserializeOwned + Serialize>(text: &str) -> Result<T, FileError> {
    if text.len() > LARGEST {
        return Err(FileError::new(
            text,
            0..0,
            format!(
                "the file has {} bytes; more than {LARGEST} are not read",
                text.len()
            ),
        ));
    }
    let read = toml::from_str(text).map_err(|error| {
        let span = error.span().unwrap_or(0..0);
        let said = FileError::new(text, span, error.message());
        said.with_example()
    })?;
    lengths::refuse_cut(text, &read)?;
    Ok(read)
}

/// The text of a schema, for who writes files.
pub(crate) fn described(mut schema: Schema) -> String {
    RecursiveTransform(without_example).transform(&mut schema);
    let mut text = format!("{:#}", schema.as_value());
    text.push('\n');
    text
}

/// Descriptions are the documentation of types; its examples are Rust, which is of no use to who writes a file.
fn without_example(schema: &mut Schema) {
    let words = schema.get("description").and_then(|words| words.as_str());
    if let Some((words, _)) = words.and_then(|words| words.split_once("\n\n```")) {
        let words = words.to_owned();
        schema.insert("description".to_owned(), words.into());
    }
}
