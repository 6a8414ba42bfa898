//! Beams with modes of a file.

use super::build::{Building, Turned};
use super::entries::{BeamEndsName, ForeshorteningName, ModalBeamEntry, NodeEntry};
use super::error::FileError;
use crate::{BeamEnds, ModalBeam, ModalBody, ModalError, ModalModel, ModalNodes};
use toml::Spanned;

/// Most elements of a beam with modes, whose matrices are dense: a file of a few bytes may not ask for much time.
const MOST_ELEMENTS: usize = 200;

impl From<BeamEndsName> for BeamEnds {
    fn from(name: BeamEndsName) -> Self {
        match name {
            BeamEndsName::Clamped => Self::Clamped,
            BeamEndsName::Pinned => Self::Pinned,
            BeamEndsName::Free => Self::Free,
        }
    }
}

impl From<BeamEnds> for BeamEndsName {
    fn from(ends: BeamEnds) -> Self {
        match ends {
            BeamEnds::Clamped => Self::Clamped,
            BeamEnds::Pinned => Self::Pinned,
            BeamEnds::Free => Self::Free,
        }
    }
}

/// The key at fault.
fn key_of(error: &ModalError) -> &'static str {
    match error {
        ModalError::NoModes => "bending",
        ModalError::TooManyModes { .. } => "elements",
        ModalError::Count { what, .. } => match *what {
            "elements" => "elements",
            "modal coordinates" => "coordinates",
            _ => "rates",
        },
        ModalError::Number { what, .. } => match *what {
            "the length of the beam" => "length",
            "the time of retardation" => "retardation",
            _ => "section",
        },
        ModalError::UnknownNode { .. } => "markers",
        _ => "section",
    }
}

/// What is wrong, and what to state instead.
fn in_words(error: &ModalError) -> String {
    match error {
        ModalError::NoModes => {
            "the beam has no modes: expected numbers above 0 in `bending`, `stretching` or `twisting`, or a rigid body in `bodies`"
                .to_owned()
        }
        ModalError::Coupled => {
            "the section couples stretching, bending and twisting: expected one that does not, or a beam in `beams`".to_owned()
        }
        ModalError::TooManyModes { .. } => format!("{error}: expected fewer modes or more `elements`"),
        _ => error.to_string(),
    }
}

impl<'a> Building<'a> {
    pub fn modal_beam(&mut self, entry: &'a Spanned<ModalBeamEntry>) -> Result<(), FileError> {
        let stated = entry.get_ref();
        self.new_body_name(entry, &stated.name)?;
        let model = self.modal_model(entry)?;
        let modes = model.modes();
        let mut body = ModalBody::new(&stated.name, model)
            .at(stated.position)
            .moving(stated.velocity, stated.angular_velocity);
        if let Some(rotation) = self.turned(entry, stated.rotation, stated.quaternion)? {
            body = body.rotated(match rotation {
                Turned::Matrix(matrix) => matrix,
                Turned::Quaternion(parts) => {
                    crate::RigidBody::new("", 1.0, [1.0; 3])
                        .rotated_by_quaternion(parts)
                        .rotation
                }
            });
        }
        let zero = || vec![0.0; modes];
        let coordinates = stated.coordinates.clone().unwrap_or_else(zero);
        let rates = stated.rates.clone().unwrap_or_else(zero);
        body = body.deformed(coordinates, rates);
        for &node in &stated.markers {
            body = body.with_marker(node);
        }
        body.check()
            .map_err(|error| self.refuse_modal(entry, &error))?;
        let refused = self.builder.rejected.len();
        let nodes = self.builder.add_modal_body(body);
        if let Some(error) = self.builder.rejected.get(refused) {
            return Err(self
                .bad(entry, "section", error.to_string())
                .because(error.clone()));
        }
        self.start_markers(entry, &nodes)?;
        self.bodies
            .insert(stated.name.as_str().into(), nodes.frame());
        for (node, marker) in stated.markers.iter().zip(nodes.markers()) {
            let name = format!("{}.{node}", stated.name);
            if self.bodies.contains_key(name.as_str()) {
                let reason = format!(
                    "its marker `{name}` has the name of another body: expected each node once, and another name of the beam"
                );
                return Err(self.bad(entry, "markers", reason));
            }
            self.bodies.insert(name.into(), *marker);
        }
        Ok(())
    }

    fn refuse_modal(&self, entry: &Spanned<ModalBeamEntry>, error: &ModalError) -> FileError {
        self.bad(entry, key_of(error), in_words(error))
    }

    fn modal_model(&self, entry: &Spanned<ModalBeamEntry>) -> Result<ModalModel, FileError> {
        let stated = entry.get_ref();
        let section = self.find_section(&stated.section)?;
        let count = stated.elements;
        if !(1..=MOST_ELEMENTS).contains(&count) {
            let reason = format!("{count} elements: expected 1 to {MOST_ELEMENTS}");
            return Err(self.bad(entry, "elements", reason));
        }
        let beam = ModalBeam::new(section, stated.length, count, stated.ends.into())
            .with_bending(stated.bending)
            .with_stretching(stated.stretching)
            .with_twisting(stated.twisting);
        let beam = match stated.foreshortening {
            ForeshorteningName::AffineFit => beam,
            ForeshorteningName::PlainField => beam.with_plain_field(),
            ForeshorteningName::None => beam.without_foreshortening(),
        };
        let model = beam.model();
        let model = match stated.retardation {
            Some(time) => model.and_then(|model| model.with_retardation(time)),
            None => model,
        };
        model.map_err(|error| self.refuse_modal(entry, &error))
    }

    /// Puts markers where the table says that they start.
    fn start_markers(
        &mut self,
        entry: &Spanned<ModalBeamEntry>,
        nodes: &ModalNodes,
    ) -> Result<(), FileError> {
        let Some(start) = &entry.get_ref().start else {
            return Ok(());
        };
        let markers = nodes.markers();
        if start.len() != markers.len() {
            let (found, wanted) = (start.len(), markers.len());
            let reason =
                format!("there are {found} entries: expected {wanted}, one for each of `markers`");
            return Err(self.bad(entry, "start", reason));
        }
        for (stated, marker) in start.iter().zip(markers) {
            let node = NodeEntry {
                point: stated.point,
                x: stated.x,
                y: stated.y,
                axes: stated.axes,
            };
            let frame = self.node(entry, &entry.get_ref().name, "start", &node)?;
            let body = marker.index();
            if let Some(body) = body.and_then(|index| self.builder.bodies.get_mut(index)) {
                body.position = frame.centroid;
                body.rotation = frame.axes;
                body.velocity = stated.velocity.unwrap_or_default().into();
                body.omega = stated.angular_velocity.unwrap_or_default().into();
            }
        }
        Ok(())
    }
}
