//! From the tables of a file to the mechanism.

use super::cure::in_words;
use super::entries::{
    BeamEntry, BodyEntry, FrameEntry, InertiaEntry, MechanismFile, ModalBeamEntry, Place, Reference,
};
use super::error::FileError;
use crate::body::QUATERNION_TOLERANCE;
use crate::marker::unit;
use crate::{BodyId, Frame, JointId, MultibodyBuilder, MultibodySystem, RigidBody, Section};
use nalgebra::{Matrix3, Vector3, Vector4};
use std::borrow::Cow;
use std::collections::HashMap;
use toml::Spanned;

impl MechanismFile {
    /// Puts the mechanism together. `text` is what the file was read from: errors name its lines.
    ///
    /// # Errors
    /// [`FileError`] for references to what is not there, contradicting keys, and all that an assembly refuses
    /// ([`AssemblyError`](crate::AssemblyError)).
    pub fn system(&self, text: &str) -> Result<MultibodySystem, FileError> {
        let mut building = Building {
            text,
            builder: MultibodyBuilder::new(),
            bodies: HashMap::new(),
            joints: HashMap::new(),
            sections: HashMap::new(),
        };
        self.check(text)?;
        building
            .builder
            .gravity(self.gravity)
            .start_time(self.t_start);
        if self.keeps_energy {
            building.builder.keep_energy();
        }
        for &time in &self.time_events {
            building.builder.time_event(time);
        }
        for section in &self.sections {
            building.section(section)?;
        }
        self.add_bodies(&mut building)?;
        for joint in &self.joints {
            building.joint(joint)?;
        }
        for drive in &self.drives {
            building.drive(drive)?;
        }
        for force in &self.forces {
            building.force(force)?;
        }
        for spring in &self.springs {
            building.spring(spring)?;
        }
        for spring in &self.rotational_springs {
            building.rotational_spring(spring)?;
        }
        for friction in &self.frictions {
            building.friction(friction.get_ref())?;
        }
        for bearing in &self.bearings {
            building.bearing(bearing.get_ref())?;
        }
        for contact in &self.contacts {
            building.contact(contact)?;
        }
        for initial in &self.initial {
            building.initial(initial)?;
        }
        for output in &self.outputs {
            building.output(output)?;
        }
        building.builder.build().map_err(|error| {
            let reason = in_words(&error);
            let said = match self.place(&error) {
                Some((span, keys)) => FileError::of_keys(text, span, keys, reason),
                None => FileError::of_file(reason),
            };
            said.because(error)
        })
    }
}

impl MechanismFile {
    /// Bodies, beams and beams with modes in the order of the equations.
    fn add_bodies<'a>(&'a self, building: &mut Building<'a>) -> Result<(), FileError> {
        let all = self.bodies.len();
        let mut parts = Vec::with_capacity(self.beams.len() + self.modal_beams.len());
        for (index, beam) in self.beams.iter().enumerate() {
            let before = building.before(beam, "after_bodies", beam.get_ref().after_bodies, all)?;
            parts.push(((before, 2 * index + 1), Part::Beam(beam)));
        }
        for beam in &self.modal_beams {
            let stated = beam.get_ref();
            let before = building.before(beam, "after_bodies", stated.after_bodies, all)?;
            let beams = self.beams.len();
            let beams = building.before(beam, "after_beams", stated.after_beams, beams)?;
            parts.push(((before, 2 * beams), Part::Modal(beam)));
        }
        parts.sort_by_key(|(place, _)| *place);
        let mut parts = parts.into_iter().peekable();
        for (index, body) in self.bodies.iter().enumerate() {
            while let Some((_, part)) = parts.next_if(|((before, _), _)| *before <= index) {
                building.part(part)?;
            }
            building.body(body)?;
        }
        for (_, part) in parts {
            building.part(part)?;
        }
        Ok(())
    }
}

/// What brings several bodies.
enum Part<'a> {
    Beam(&'a Spanned<BeamEntry>),
    Modal(&'a Spanned<ModalBeamEntry>),
}

/// How a body is turned.
pub(super) enum Turned {
    Matrix(Matrix3<f64>),
    Quaternion([f64; 4]),
}

/// A mechanism that is being put together.
pub(super) struct Building<'a> {
    pub text: &'a str,
    pub builder: MultibodyBuilder,
    /// With the nodes of beams.
    pub bodies: HashMap<Cow<'a, str>, BodyId>,
    pub joints: HashMap<&'a str, JointId>,
    pub sections: HashMap<&'a str, Section>,
}

/// `a`, `b`, `c`, as many as a person reads.
fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    let more = names.len().saturating_sub(12);
    names.truncate(12);
    let mut words: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    if more > 0 {
        words.push(format!("{more} more"));
    }
    words.join(", ")
}

impl<'a> Building<'a> {
    pub fn bad<T>(&self, entry: &Spanned<T>, key: &str, reason: impl Into<String>) -> FileError {
        FileError::of_key(self.text, entry.span(), key, reason)
    }

    /// Refuses directions that are no unit vectors, with their keys.
    pub fn check_units<T>(
        &self,
        entry: &Spanned<T>,
        directions: &[(&str, Option<[f64; 3]>)],
    ) -> Result<(), FileError> {
        for (key, direction) in directions {
            if let Some(direction) = direction
                && let Err(error) = unit(key, &(*direction).into())
            {
                let norm = Vector3::from(*direction).norm();
                let reason = format!("the direction has the length {norm}: expected a unit vector");
                return Err(self.bad(entry, key, reason).because(error));
            }
        }
        Ok(())
    }

    pub fn find_body(&self, name: &Reference) -> Result<BodyId, FileError> {
        let wanted = name.0.get_ref().as_str();
        if wanted == "ground" {
            return Ok(BodyId::GROUND);
        }
        self.bodies.get(wanted).copied().ok_or_else(|| {
            let names = listed(self.bodies.keys().map(AsRef::as_ref));
            let reason = if names.is_empty() {
                format!("there is no body `{wanted}`; expected `ground`: there are no others")
            } else {
                format!("there is no body `{wanted}`; expected `ground`, {names}")
            };
            FileError::new(self.text, name.0.span(), reason)
        })
    }

    pub fn find_joint(&self, name: &Reference) -> Result<JointId, FileError> {
        let wanted = name.0.get_ref().as_str();
        self.joints.get(wanted).copied().ok_or_else(|| {
            let reason = if self.joints.is_empty() {
                format!("there is no joint `{wanted}`; there are none")
            } else {
                let names = listed(self.joints.keys().copied());
                format!("there is no joint `{wanted}`; expected one of {names}")
            };
            FileError::new(self.text, name.0.span(), reason)
        })
    }

    /// How many elements of a list come before what an entry brings; all if it does not say.
    fn before<T>(
        &self,
        entry: &Spanned<T>,
        key: &str,
        stated: Option<usize>,
        all: usize,
    ) -> Result<usize, FileError> {
        let before = stated.unwrap_or(all);
        if before <= all {
            return Ok(before);
        }
        let reason = format!(
            "there are {all} {}: expected no more",
            &key["after_".len()..]
        );
        Err(self.bad(entry, key, reason))
    }

    fn part(&mut self, part: Part<'a>) -> Result<(), FileError> {
        match part {
            Part::Beam(beam) => self.beam(beam),
            Part::Modal(beam) => self.modal_beam(beam),
        }
    }

    /// Refuses the name of the world and of another body.
    pub fn new_body_name<T>(&self, entry: &Spanned<T>, name: &str) -> Result<(), FileError> {
        if name == "ground" {
            return Err(self.bad(
                entry,
                "name",
                "`ground` is the world: expected another name",
            ));
        }
        if self.bodies.contains_key(name) {
            let reason = format!("there is a body `{name}` already: expected another name");
            return Err(self.bad(entry, "name", reason));
        }
        Ok(())
    }

    /// The rotation of an entry by its matrix or its quaternion.
    pub fn turned<T>(
        &self,
        entry: &Spanned<T>,
        rotation: Option<[[f64; 3]; 3]>,
        quaternion: Option<[f64; 4]>,
    ) -> Result<Option<Turned>, FileError> {
        match (rotation, quaternion) {
            (None, None) => Ok(None),
            (Some(rows), None) => Ok(Some(Turned::Matrix(matrix(rows)))),
            (None, Some(parts)) => {
                let norm = Vector4::from(parts).norm();
                if (norm - 1.0).abs() > QUATERNION_TOLERANCE {
                    let reason = format!("the quaternion has the length {norm}: expected 1");
                    return Err(self.bad(entry, "quaternion", reason));
                }
                Ok(Some(Turned::Quaternion(parts)))
            }
            (Some(_), Some(_)) => {
                let reason = "the body has a `rotation` as well: expected one of them";
                Err(self.bad(entry, "quaternion", reason))
            }
        }
    }

    fn body(&mut self, entry: &'a Spanned<BodyEntry>) -> Result<(), FileError> {
        let stated = entry.get_ref();
        self.new_body_name(entry, &stated.name)?;
        let tensor = match stated.inertia {
            InertiaEntry::Moments(moments) => Matrix3::from_diagonal(&Vector3::from(moments)),
            InertiaEntry::Tensor(rows) => matrix(rows),
        };
        let mut body = RigidBody::new(&stated.name, stated.mass, tensor)
            .at(stated.position)
            .moving(stated.velocity, stated.angular_velocity);
        match self.turned(entry, stated.rotation, stated.quaternion)? {
            None => {}
            Some(Turned::Matrix(rotation)) => body = body.rotated(rotation),
            Some(Turned::Quaternion(parts)) => body = body.rotated_by_quaternion(parts),
        }
        if stated.unphysical_inertia {
            body = body.with_unphysical_inertia();
        }
        self.bodies
            .insert(stated.name.as_str().into(), self.builder.add_body(body));
        Ok(())
    }

    pub fn frames<T>(
        &self,
        entry: &Spanned<T>,
        [first, second]: [FrameEntry; 2],
    ) -> Result<[Frame; 2], FileError> {
        let key = "frames";
        Ok([
            self.frame(entry, key, first)?,
            self.frame(entry, key, second)?,
        ])
    }

    /// A frame of the key of an entry.
    pub fn frame<T>(
        &self,
        entry: &Spanned<T>,
        key: &str,
        stated: FrameEntry,
    ) -> Result<Frame, FileError> {
        self.check_units(entry, &[(key, stated.z), (key, stated.x)])?;
        let frame = match (stated.r#in, stated.z) {
            (Place::World, None) => Frame::world_point(stated.point),
            (Place::World, Some(z)) => Frame::world(stated.point, z),
            (Place::Body, None) => Frame::local_point(stated.point),
            (Place::Body, Some(z)) => Frame::local_axis(stated.point, z),
        };
        match (stated.axes, stated.z, stated.x) {
            (Some(rows), None, None) => Ok(frame.with_axes(matrix(rows))),
            (Some(_), ..) => {
                let reason =
                    "a frame has all `axes` and `z` or `x` as well: expected `axes` or them";
                Err(self.bad(entry, key, reason))
            }
            (None, _, Some(x)) => Ok(frame.with_x(x)),
            (None, _, None) => Ok(frame),
        }
    }
}

pub(super) fn matrix(rows: [[f64; 3]; 3]) -> Matrix3<f64> {
    Matrix3::from_fn(|i, j| rows[i][j])
}
