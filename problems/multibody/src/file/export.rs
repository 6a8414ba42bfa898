//! From an assembled mechanism to the tables of a file.

use super::entries::{
    BodyEntry, FrameEntry, InertiaEntry, JointEntry, JointName, MechanismFile, MotionEntry, Place,
    Reference,
};
use crate::connection::Connection;
use crate::kinematics::Kinematics;
use crate::marker::Marker;
use crate::{JointKind, Motion, MultibodySystem, RigidBody};
use nalgebra::Matrix3;
use thiserror::Error;
use toml::Spanned;

/// A mechanism with parts that no file states.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the mechanism is not written as a file: {0}")]
pub struct NotExported(pub String);

impl MultibodySystem {
    /// The mechanism as a file, where it consists of bodies, joints and drives only: run from it, it takes the same steps to the last bit.
    /// Its outputs are positions and velocities of all bodies; a file states others.
    ///
    /// # Errors
    /// [`NotExported`] for forces, friction, contacts, joints of one's own and motions that are functions.
    pub fn file(&self, t_end: f64) -> Result<MechanismFile, NotExported> {
        let others = [
            (
                "forces, springs or beams",
                self.forces.len() + self.beams.len(),
            ),
            ("springs about joints", self.torsions.len()),
            ("forces with states", self.state_forces.len()),
            ("friction", self.slides.len() + self.guides.len()),
            ("contacts", self.contacts.places.len()),
        ];
        if let Some((what, _)) = others.iter().find(|(_, count)| *count > 0) {
            return Err(NotExported(format!("it has {what}")));
        }
        let state = &self.initial;
        let bodies = self.bodies.iter().enumerate().map(|(index, body)| {
            let now = Kinematics::read(Some(index), &state.q, &state.v);
            let unphysical = RigidBody::new(&body.name, body.mass, body.inertia).check();
            BodyEntry {
                name: body.name.clone(),
                mass: body.mass,
                inertia: InertiaEntry::Tensor(rows(&body.inertia)),
                position: now.position.into(),
                rotation: Some(rows(&now.rotation)),
                quaternion: None,
                velocity: now.velocity.into(),
                angular_velocity: now.omega.into(),
                unphysical_inertia: unphysical.is_err(),
            }
        });
        let order = self.joint_order.iter();
        let joints = order.filter_map(|&place| self.connections.get(place));
        let joints: Result<Vec<_>, NotExported> = joints
            .map(|joint| Ok(placed(self.joint_entry(joint)?)))
            .collect();
        Ok(MechanismFile {
            name: None,
            title: String::new(),
            gravity: self.gravity.into(),
            t_start: state.t,
            t_end,
            step: None,
            keeps_energy: self.keeps_energy,
            time_events: self.time_events.clone(),
            bodies: bodies.map(placed).collect(),
            joints: joints?,
            drives: Vec::new(),
            springs: Vec::new(),
            rotational_springs: Vec::new(),
            frictions: Vec::new(),
            contacts: Vec::new(),
            initial: Vec::new(),
            outputs: Vec::new(),
        })
    }

    fn joint_entry(&self, joint: &Connection) -> Result<JointEntry, NotExported> {
        let (mut direction, mut axes) = (None, None);
        match &joint.kind {
            JointKind::Coordinate(along, _) => direction = Some((*along).into()),
            JointKind::Dot1(one, two, _) => axes = Some(vec![(*one).into(), (*two).into()]),
            JointKind::Dot2(one, _) => axes = Some(vec![(*one).into()]),
            _ => {}
        }
        let Some(kind) = JointName::of(&joint.kind) else {
            let reason = format!("joint '{}' has equations of its own", joint.name);
            return Err(NotExported(reason));
        };
        let motion = match joint.rows.first() {
            Some(row) if kind.follows() => Some(motion(&joint.name, &row.motion)?),
            _ => None,
        };
        let name = |body: Option<usize>| match body.and_then(|index| self.bodies.get(index)) {
            Some(body) => body.name.clone(),
            None => "ground".to_owned(),
        };
        Ok(JointEntry {
            name: joint.name.clone(),
            kind,
            bodies: joint.bodies.map(|body| Reference(placed(name(body)))),
            point: None,
            axis: None,
            second_axis: None,
            x: None,
            points: None,
            frames: Some(joint.markers.map(|marker| frame(&marker))),
            motion,
            direction,
            axes,
        })
    }
}

/// What is written has no place in a text yet.
fn placed<T>(value: T) -> Spanned<T> {
    Spanned::new(0..0, value)
}

fn rows(matrix: &Matrix3<f64>) -> [[f64; 3]; 3] {
    std::array::from_fn(|i| std::array::from_fn(|j| matrix[(i, j)]))
}

fn frame(marker: &Marker) -> FrameEntry {
    FrameEntry {
        r#in: Place::Body,
        point: marker.point.into(),
        z: None,
        x: None,
        axes: Some(rows(&marker.axes)),
    }
}

fn motion(joint: &str, motion: &Motion) -> Result<MotionEntry, NotExported> {
    let own = || NotExported(format!("joint '{joint}' follows a function"));
    MotionEntry::of(motion).ok_or_else(own)
}
