//! Joints and drives of a file.

use super::build::Building;
use super::entries::{DriveEntry, JointEntry, JointName};
use super::error::FileError;
use crate::{Drive, Frame, Joint, JointKind, Motion};
use toml::Spanned;

impl<'a> Building<'a> {
    pub fn joint(&mut self, entry: &'a Spanned<JointEntry>) -> Result<(), FileError> {
        let stated = entry.get_ref();
        let first = self.find_body(&stated.bodies[0])?;
        let second = self.find_body(&stated.bodies[1])?;
        let kind = self.kind(entry)?;
        self.check_directions(entry)?;
        let directions = [
            ("axis", stated.axis),
            ("second_axis", stated.second_axis),
            ("x", stated.x),
            ("direction", stated.direction),
        ];
        self.check_units(entry, &directions)?;
        let frames = self.joint_frames(entry)?;
        let mut joint = Joint::new(&stated.name, kind, first, second, frames);
        if let Some(x) = stated.x {
            joint = joint.with_x(x);
        }
        self.new_joint_name(entry, &stated.name)?;
        let added = self.builder.add_joint(joint);
        self.joints.insert(&stated.name, added);
        Ok(())
    }

    fn needs(&self, entry: &Spanned<JointEntry>, key: &str, what: &str) -> FileError {
        let reason = format!("a joint of this kind needs `{key}`: {what}");
        self.bad(entry, key, reason)
    }

    fn kind(&self, entry: &Spanned<JointEntry>) -> Result<JointKind, FileError> {
        let stated = entry.get_ref();
        let name = stated.kind;
        if stated.motion.is_some() && !name.follows() {
            let reason = "a joint of this kind follows no motion: expected a table in `drives`";
            return Err(self.bad(entry, "motion", reason));
        }
        let follows = stated.motion.as_ref().map(Motion::from);
        let motion = || {
            let what =
                "a constant, a polynomial, a harmonic, a versine, an approach, a sum or pieces";
            follows
                .clone()
                .ok_or_else(|| self.needs(entry, "motion", what))
        };
        Ok(match name {
            JointName::Fixed => JointKind::Fixed,
            JointName::Spherical => JointKind::Spherical,
            JointName::Revolute => JointKind::Revolute,
            JointName::Universal => JointKind::Universal,
            JointName::Cylindrical => JointKind::Cylindrical,
            JointName::Translational => JointKind::Translational,
            JointName::RevoluteCylindrical => JointKind::RevoluteCylindrical,
            JointName::Distance => JointKind::Distance(follows),
            JointName::Angle => JointKind::Angle(motion()?),
            JointName::Coordinate => {
                let direction = stated.direction;
                let direction =
                    direction.ok_or_else(|| self.needs(entry, "direction", "a unit vector"))?;
                JointKind::Coordinate(direction.into(), motion()?)
            }
            JointName::Cosine => match stated.axes.as_deref() {
                Some(&[one, two]) => JointKind::Dot1(one.into(), two.into(), motion()?),
                _ => return Err(self.needs(entry, "axes", "two of x, y, z")),
            },
            JointName::Displacement => match stated.axes.as_deref() {
                Some(&[axis]) => JointKind::Dot2(axis.into(), motion()?),
                _ => return Err(self.needs(entry, "axes", "one of x, y, z")),
            },
        })
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
        if stated.kind == JointName::Distance {
            return Err(self.needs(entry, "points", "its ends in the world, or `frames`"));
        }
        let point = stated.point;
        let point =
            point.ok_or_else(|| self.needs(entry, "point", "a point of the world, or `frames`"))?;
        let Some(first) = stated.axis else {
            if !stated.kind.is_of_points() {
                let what = "a unit vector of the world, z of both frames; or `frames`";
                return Err(self.needs(entry, "axis", what));
            }
            return Ok([Frame::world_point(point); 2]);
        };
        let second = match (stated.second_axis, stated.kind.has_second_axis()) {
            (Some(second), _) => second,
            (None, false) => first,
            (None, true) => {
                return Err(self.needs(entry, "second_axis", "a unit vector of the world"));
            }
        };
        Ok([first, second].map(|axis| Frame::world(point, axis)))
    }

    pub fn drive(&mut self, entry: &'a Spanned<DriveEntry>) -> Result<(), FileError> {
        let stated = entry.get_ref();
        let joint = self.find_joint(&stated.joint)?;
        let drive = match (&stated.angle, &stated.translation) {
            (Some(angle), None) => Drive::Angle(angle.into()),
            (None, Some(way)) => Drive::Translation(way.into()),
            _ => {
                let reason = "expected one of `angle` and `translation`";
                return Err(self.bad(entry, "angle", reason));
            }
        };
        self.new_joint_name(entry, &stated.name)?;
        let drive = self.builder.add_drive(&stated.name, joint, drive);
        self.joints.insert(&stated.name, drive);
        Ok(())
    }
    /// Joints and drives share their names.
    fn new_joint_name<T>(&self, entry: &Spanned<T>, name: &str) -> Result<(), FileError> {
        if self.joints.contains_key(name) {
            let reason = format!("there is a joint `{name}` already: expected another name");
            return Err(self.bad(entry, "name", reason));
        }
        Ok(())
    }
}
