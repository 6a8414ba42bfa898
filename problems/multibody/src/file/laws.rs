//! Forces of a file by their laws, and back.

use super::build::Building;
use super::entries::{
    BumpEntry, CartesianSpringEntry, ForceEntry, FrameEntry, LawEntry, LoadEntry, MagicEntry,
    MotionEntry, Place, TyreEntry,
};
use super::error::FileError;
use super::export::NotExported;
use crate::force::Force;
use crate::kinematics::Kinematics;
use crate::motion::Motion;
use crate::{
    BodyId, CartesianSpring, Frame, Load, LoadSize, MagicFormula, RoadBump, Tyre, Vector3,
};
use toml::Spanned;

impl Building<'_> {
    pub fn force(&mut self, entry: &Spanned<ForceEntry>) -> Result<(), FileError> {
        let stated = entry.get_ref();
        let [one, two] = [
            self.find_body(&stated.bodies[0])?,
            self.find_body(&stated.bodies[1])?,
        ];
        let points = self.points(entry, [one, two])?;
        let name = stated.name.as_str();
        match &stated.law {
            LawEntry::Load(stated) => {
                let load = self.load(entry, stated, points[1])?;
                self.builder.add_force(name, one, two, load);
            }
            LawEntry::CartesianSpring(stated) => {
                let spring = spring(stated, points);
                self.builder.add_force(name, one, two, spring);
            }
            LawEntry::Tyre(tyre) => {
                if one != BodyId::GROUND {
                    let reason =
                        "a tyre rolls on the road of the world: expected `ground` and the wheel";
                    return Err(self.bad(entry, "bodies", reason));
                }
                if stated.points.is_some() || stated.frames.is_some() {
                    let key = if stated.points.is_some() {
                        "points"
                    } else {
                        "frames"
                    };
                    let reason = "a tyre has no points: its wheel is a body whose centre of mass is on its axle";
                    return Err(self.bad(entry, key, reason));
                }
                self.builder.add_force(name, one, two, Tyre::from(tyre));
            }
        }
        Ok(())
    }

    /// The points of a force in its bodies.
    fn points(
        &self,
        entry: &Spanned<ForceEntry>,
        bodies: [BodyId; 2],
    ) -> Result<[Vector3<f64>; 2], FileError> {
        let stated = entry.get_ref();
        let (key, frames) = match (stated.points, stated.frames) {
            (None, None) => return Ok([Vector3::zeros(); 2]),
            (Some(points), None) => ("points", points.map(Frame::world_point)),
            (None, Some(frames)) => ("frames", self.frames(entry, frames)?),
            (Some(_), Some(_)) => {
                let reason = "the force has `frames` as well: expected one of them";
                return Err(self.bad(entry, "points", reason));
            }
        };
        let mut points = [Vector3::zeros(); 2];
        for (slot, (frame, body)) in points.iter_mut().zip(frames.iter().zip(bodies)) {
            let body = body
                .index()
                .and_then(|index| self.builder.bodies.get(index));
            let standing = body.map_or(Kinematics::ground(), |body| body.kinematics());
            let marker = frame.resolve(&stated.name, &standing);
            let refused = |error: crate::AssemblyError| {
                self.bad(entry, key, error.to_string()).because(error)
            };
            *slot = marker.map_err(refused)?.point;
        }
        Ok(points)
    }

    fn load(
        &self,
        entry: &Spanned<ForceEntry>,
        stated: &LoadEntry,
        point: Vector3<f64>,
    ) -> Result<Load, FileError> {
        self.check_units(entry, &[("law", Some(stated.direction))])?;
        let size = match (&stated.force, &stated.torque) {
            (Some(force), None) => LoadSize::Force(force.into()),
            (None, Some(torque)) => LoadSize::Torque(torque.into()),
            _ => {
                let reason = "expected one of `force` and `torque` of a load";
                return Err(self.bad(entry, "law", reason));
            }
        };
        let load = Load::new(stated.direction, size).at(point);
        Ok(if stated.follower {
            load.following()
        } else {
            load
        })
    }
}

fn spring(stated: &CartesianSpringEntry, points: [Vector3<f64>; 2]) -> CartesianSpring {
    let spring = CartesianSpring::new(stated.stiffness)
        .with_damping(stated.damping)
        .between(points);
    match &stated.offset {
        Some(offset) => spring.with_offset(offset.each_ref().map(Motion::from)),
        None => spring,
    }
}

impl From<MagicEntry> for MagicFormula {
    fn from(stated: MagicEntry) -> Self {
        Self {
            friction: stated.friction,
            shape: stated.shape,
            curvature: stated.curvature,
        }
    }
}

impl From<BumpEntry> for RoadBump {
    fn from(stated: BumpEntry) -> Self {
        Self {
            height: stated.height,
            start: stated.start,
            length: stated.length,
        }
    }
}

impl From<&TyreEntry> for Tyre {
    fn from(stated: &TyreEntry) -> Self {
        Self {
            radius: stated.radius,
            load: stated.load,
            stiffness: stated.stiffness,
            damping: stated.damping,
            slip_stiffness: stated.slip_stiffness,
            least_speed: stated.least_speed,
            magic: stated.magic.map(MagicFormula::from),
            road: stated.road.iter().copied().map(RoadBump::from).collect(),
            bilateral: stated.bilateral,
        }
    }
}

impl From<&Tyre> for TyreEntry {
    fn from(tyre: &Tyre) -> Self {
        let bump = |bump: &RoadBump| BumpEntry {
            height: bump.height,
            start: bump.start,
            length: bump.length,
        };
        Self {
            radius: tyre.radius,
            load: tyre.load,
            stiffness: tyre.stiffness,
            damping: tyre.damping,
            slip_stiffness: tyre.slip_stiffness,
            least_speed: tyre.least_speed,
            magic: tyre.magic.map(|magic| MagicEntry {
                friction: magic.friction,
                shape: magic.shape,
                curvature: magic.curvature,
            }),
            road: tyre.road.iter().map(bump).collect(),
            bilateral: tyre.bilateral,
        }
    }
}

/// What a file states of a law, with its points; `None` of one that it does not state.
type Stated = (LawEntry, Option<[Vector3<f64>; 2]>);

/// A motion, or the error that names the force.
fn motion(name: &str, motion: &Motion) -> Result<MotionEntry, NotExported> {
    MotionEntry::of(motion).ok_or_else(|| NotExported::Force(name.to_owned()))
}

impl LawEntry {
    /// What a file states of a force.
    ///
    /// # Errors
    /// Laws that are functions of a program.
    pub(super) fn of(force: &Force) -> Result<Stated, NotExported> {
        let name = force.name.as_str();
        if let Some(load) = force.law.stated::<Load>() {
            let size = Some(motion(name, load.size.motion())?);
            let (force, torque) = match load.size {
                LoadSize::Force(_) => (size, None),
                LoadSize::Torque(_) => (None, size),
            };
            let points = [Vector3::zeros(), load.point];
            let entry = LoadEntry {
                direction: load.direction.into(),
                force,
                torque,
                follower: load.is_follower,
            };
            return Ok((Self::Load(entry), Some(points)));
        }
        if let Some(spring) = force.law.stated::<CartesianSpring>() {
            let offset = match &spring.offset {
                Some([x, y, z]) => Some([motion(name, x)?, motion(name, y)?, motion(name, z)?]),
                None => None,
            };
            let entry = CartesianSpringEntry {
                stiffness: spring.stiffness,
                damping: spring.damping,
                offset,
            };
            return Ok((Self::CartesianSpring(entry), Some(spring.points)));
        }
        match force.law.stated::<Tyre>() {
            Some(tyre) => Ok((Self::Tyre(tyre.into()), None)),
            None => Err(NotExported::Force(name.to_owned())),
        }
    }
}

/// The frame of a point in its body.
pub(super) fn point_frame(point: Vector3<f64>) -> FrameEntry {
    FrameEntry {
        r#in: Place::Body,
        point: point.into(),
        z: None,
        x: None,
        axes: None,
    }
}
