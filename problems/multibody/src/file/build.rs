//! From the tables of a file to the mechanism.

use super::entries::{
    AxisName, BodyEntry, DriveEntry, FrameEntry, InertiaEntry, JointEntry, JointName,
    MechanismFile, MotionEntry, Place, Reference,
};
use super::error::{FileError, Kind, element, key, kind};
use crate::{
    AssemblyError, Axis, BodyId, Drive, Frame, Joint, JointId, JointKind, Motion, MultibodyBuilder,
    MultibodySystem, RigidBody,
};
use nalgebra::{Matrix3, Vector3};
use std::collections::HashMap;
use std::ops::Range;
use toml::Spanned;

impl MechanismFile {
    /// Puts the mechanism together. `text` is what the file was read from: errors name its lines.
    ///
    /// # Errors
    /// [`FileError`] for references to what is not there, contradicting keys, and all that an assembly refuses
    /// ([`AssemblyError`]).
    pub fn system(&self, text: &str) -> Result<MultibodySystem, FileError> {
        let mut building = Building {
            text,
            builder: MultibodyBuilder::new(),
            bodies: HashMap::new(),
            joints: HashMap::new(),
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
        for body in &self.bodies {
            building.body(body)?;
        }
        for joint in &self.joints {
            building.joint(joint)?;
        }
        for drive in &self.drives {
            building.drive(drive)?;
        }
        for spring in &self.springs {
            building.spring(spring)?;
        }
        for spring in &self.rotational_springs {
            building.rotational_spring(spring.get_ref())?;
        }
        for friction in &self.frictions {
            building.friction(friction.get_ref())?;
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
            let said = match self.place(&error) {
                Some((span, key)) => FileError::of_key(text, span, key, error.to_string()),
                None => FileError::of_file(error.to_string()),
            };
            FileError {
                assembly: Some(Box::new(error)),
                ..said
            }
        })
    }

    /// The table and key that an assembly finds fault with, where it is one.
    fn place(&self, error: &AssemblyError) -> Option<(Range<usize>, &'static str)> {
        let name = element(error)?;
        fn find<T>(
            list: &[Spanned<T>],
            name: &str,
            own: impl Fn(&T) -> &str,
        ) -> Option<Range<usize>> {
            // Of two with one name the second is too many.
            let mut entries = list.iter().rev();
            let entry = entries.find(|entry| own(entry.get_ref()) == name)?;
            Some(entry.span())
        }
        let body = || find(&self.bodies, name, |entry| &entry.name);
        let contact = |name| find(&self.contacts, name, |entry| &entry.name);
        // Names are unique among elements of one kind only.
        let span = match kind(error) {
            Kind::Body => body(),
            Kind::Contact => {
                // Where surfaces touch in several points, these are numbered: `name.1`.
                let numbered = || contact(name.rsplit_once('.')?.0);
                contact(name).or_else(numbered)
            }
            Kind::Other => find(&self.joints, name, |entry| &entry.name)
                .or_else(|| find(&self.drives, name, |entry| &entry.name))
                .or_else(|| find(&self.springs, name, |entry| &entry.name))
                .or_else(|| find(&self.rotational_springs, name, |entry| &entry.name))
                .or_else(|| find(&self.frictions, name, |entry| &entry.name))
                .or_else(|| contact(name))
                .or_else(|| find(&self.outputs, name, |entry| &entry.name))
                .or_else(body),
        }?;
        Some((span, key(error)))
    }
}

/// A mechanism that is being put together.
pub(super) struct Building<'a> {
    text: &'a str,
    pub builder: MultibodyBuilder,
    bodies: HashMap<&'a str, BodyId>,
    joints: HashMap<&'a str, JointId>,
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

    pub fn find_body(&self, name: &Reference) -> Result<BodyId, FileError> {
        let wanted = name.0.get_ref().as_str();
        if wanted == "ground" {
            return Ok(BodyId::GROUND);
        }
        self.bodies.get(wanted).copied().ok_or_else(|| {
            let names = listed(self.bodies.keys().copied());
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

    fn body(&mut self, entry: &'a Spanned<BodyEntry>) -> Result<(), FileError> {
        let stated = entry.get_ref();
        if stated.name == "ground" {
            return Err(self.bad(
                entry,
                "name",
                "`ground` is the world: expected another name",
            ));
        }
        if self.bodies.contains_key(stated.name.as_str()) {
            let reason = format!(
                "there is a body `{}` already: expected another name",
                stated.name
            );
            return Err(self.bad(entry, "name", reason));
        }
        let tensor = match stated.inertia {
            InertiaEntry::Moments(moments) => Matrix3::from_diagonal(&Vector3::from(moments)),
            InertiaEntry::Tensor(rows) => matrix(rows),
        };
        let mut body = RigidBody::new(&stated.name, stated.mass, tensor)
            .at(stated.position)
            .moving(stated.velocity, stated.angular_velocity);
        match (stated.rotation, stated.quaternion) {
            (None, None) => {}
            (Some(rows), None) => body = body.rotated(matrix(rows)),
            (None, Some(parts)) => body = body.rotated_by_quaternion(parts),
            (Some(_), Some(_)) => {
                let reason = "the body has a `rotation` as well: expected one of them";
                return Err(self.bad(entry, "quaternion", reason));
            }
        }
        if stated.unphysical_inertia {
            body = body.with_unphysical_inertia();
        }
        self.bodies
            .insert(&stated.name, self.builder.add_body(body));
        Ok(())
    }

    fn joint(&mut self, entry: &'a Spanned<JointEntry>) -> Result<(), FileError> {
        let stated = entry.get_ref();
        let bodies = [
            self.find_body(&stated.bodies[0])?,
            self.find_body(&stated.bodies[1])?,
        ];
        let needs = |key: &'static str, what: &str| {
            self.bad(
                entry,
                key,
                format!("a joint of this kind needs `{key}`: {what}"),
            )
        };
        let kind = match stated.kind {
            JointName::Fixed => JointKind::Fixed,
            JointName::Spherical => JointKind::Spherical,
            JointName::Revolute => JointKind::Revolute,
            JointName::Universal => JointKind::Universal,
            JointName::Cylindrical => JointKind::Cylindrical,
            JointName::Translational => JointKind::Translational,
            JointName::RevoluteCylindrical => JointKind::RevoluteCylindrical,
            JointName::Distance => JointKind::Distance(stated.motion.as_ref().map(motion)),
            other => {
                let Some(follows) = stated.motion.as_ref().map(motion) else {
                    return Err(needs("motion", "a constant, a polynomial or a harmonic"));
                };
                match other {
                    JointName::Angle => JointKind::Angle(follows),
                    JointName::Coordinate => {
                        let direction = stated.direction;
                        let direction =
                            direction.ok_or_else(|| needs("direction", "a unit vector"))?;
                        JointKind::Coordinate(direction.into(), follows)
                    }
                    _ => {
                        let axes = stated.axes.ok_or_else(|| needs("axes", "two of x, y, z"))?;
                        let [one, two] = axes.map(axis);
                        if other == JointName::Cosine {
                            JointKind::Dot1(one, two, follows)
                        } else {
                            JointKind::Dot2(one, follows)
                        }
                    }
                }
            }
        };
        let takes_motion = matches!(
            kind,
            JointKind::Distance(_)
                | JointKind::Angle(_)
                | JointKind::Coordinate(..)
                | JointKind::Dot1(..)
                | JointKind::Dot2(..)
        );
        if stated.motion.is_some() && !takes_motion {
            let reason = "a joint of this kind follows no motion: expected a table in `drives`";
            return Err(self.bad(entry, "motion", reason));
        }
        self.check_directions(entry)?;
        let frames = self.joint_frames(entry)?;
        let [first, second] = bodies;
        let mut joint = Joint::new(&stated.name, kind, first, second, frames);
        if let Some(x) = stated.x {
            joint = joint.with_x(x);
        }
        if self.joints.contains_key(stated.name.as_str()) {
            let reason = format!(
                "there is a joint `{}` already: expected another name",
                stated.name
            );
            return Err(self.bad(entry, "name", reason));
        }
        self.joints
            .insert(&stated.name, self.builder.add_joint(joint));
        Ok(())
    }

    /// Refuses directions that a joint of this kind does not use.
    fn check_directions(&self, entry: &Spanned<JointEntry>) -> Result<(), FileError> {
        use JointName as J;
        let stated = entry.get_ref();
        let kind = stated.kind;
        let refused = [
            (
                "direction",
                stated.direction.is_some() && kind != J::Coordinate,
                "only a `coordinate` has a direction of the world",
            ),
            (
                "axes",
                stated.axes.is_some() && !matches!(kind, J::Cosine | J::Displacement),
                "only a `cosine` and a `displacement` name axes of their frames",
            ),
            (
                "second_axis",
                stated.second_axis.is_some()
                    && !matches!(kind, J::Universal | J::RevoluteCylindrical | J::Cosine),
                "only a `universal`, a `revolute-cylindrical` and a `cosine` have a second axis",
            ),
            (
                "points",
                stated.points.is_some() && kind != J::Distance,
                "only a `distance` has two points: expected `point`, or `frames`",
            ),
        ];
        match refused.iter().find(|(_, given, _)| *given) {
            Some(&(key, _, reason)) => Err(self.bad(entry, key, reason)),
            None => Ok(()),
        }
    }

    fn joint_frames(&self, entry: &Spanned<JointEntry>) -> Result<[Frame; 2], FileError> {
        let stated = entry.get_ref();
        let refuse_others = |own: &str, others: &[(&str, bool)]| {
            let Some((key, _)) = others.iter().find(|(_, given)| *given) else {
                return Ok(());
            };
            let reason = format!("the joint has `{own}` as well: expected `{key}` or them");
            Err(self.bad(entry, key, reason))
        };
        if let Some(frames) = stated.frames {
            let own_x = frames
                .iter()
                .any(|frame| frame.x.is_some() || frame.axes.is_some());
            let others = [
                ("point", stated.point.is_some()),
                ("axis", stated.axis.is_some()),
                ("second_axis", stated.second_axis.is_some()),
                ("points", stated.points.is_some()),
                ("x", stated.x.is_some() && own_x),
            ];
            refuse_others("frames", &others)?;
            return self.frames(entry, frames);
        }
        if let Some(points) = stated.points {
            let others = [
                ("point", stated.point.is_some()),
                ("axis", stated.axis.is_some()),
                ("x", stated.x.is_some()),
            ];
            refuse_others("points", &others)?;
            return Ok(points.map(Frame::world_point));
        }
        let needs = |key: &'static str, what: &str| {
            self.bad(
                entry,
                key,
                format!("a joint of this kind needs `{key}`: {what}"),
            )
        };
        if stated.kind == JointName::Distance {
            return Err(needs("points", "its ends in the world, or `frames`"));
        }
        let point = stated.point;
        let point = point.ok_or_else(|| needs("point", "a point of the world, or `frames`"))?;
        let turns = !matches!(
            stated.kind,
            JointName::Fixed | JointName::Spherical | JointName::Coordinate
        );
        let Some(first) = stated.axis else {
            if turns {
                return Err(needs("axis", "a unit vector of the world"));
            }
            return Ok([Frame::world_point(point); 2]);
        };
        let two_axes = matches!(
            stated.kind,
            JointName::Universal | JointName::RevoluteCylindrical
        );
        let second = match (stated.second_axis, two_axes) {
            (Some(second), _) => second,
            (None, false) => first,
            (None, true) => return Err(needs("second_axis", "a unit vector of the world")),
        };
        Ok([first, second].map(|axis| Frame::world(point, axis)))
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

    fn drive(&mut self, entry: &'a Spanned<DriveEntry>) -> Result<(), FileError> {
        let stated = entry.get_ref();
        let joint = self.find_joint(&stated.joint)?;
        let drive = match (&stated.angle, &stated.translation) {
            (Some(angle), None) => Drive::Angle(motion(angle)),
            (None, Some(way)) => Drive::Translation(motion(way)),
            _ => {
                let reason = "expected one of `angle` and `translation`";
                return Err(self.bad(entry, "angle", reason));
            }
        };
        if self.joints.contains_key(stated.name.as_str()) {
            let reason = format!(
                "there is a joint `{}` already: expected another name",
                stated.name
            );
            return Err(self.bad(entry, "name", reason));
        }
        let drive = self.builder.add_drive(&stated.name, joint, drive);
        self.joints.insert(&stated.name, drive);
        Ok(())
    }
}

fn matrix(rows: [[f64; 3]; 3]) -> Matrix3<f64> {
    Matrix3::from_fn(|i, j| rows[i][j])
}

fn axis(name: AxisName) -> Axis {
    match name {
        AxisName::X => Axis::X,
        AxisName::Y => Axis::Y,
        AxisName::Z => Axis::Z,
    }
}

fn motion(stated: &MotionEntry) -> Motion {
    match stated {
        MotionEntry::Constant(value) => Motion::Constant(*value),
        MotionEntry::Polynomial(coefficients) => Motion::Polynomial(coefficients.clone()),
        MotionEntry::Harmonic(parts) => {
            Motion::harmonic(parts.offset, parts.amplitude, parts.rate, parts.phase)
        }
    }
}
