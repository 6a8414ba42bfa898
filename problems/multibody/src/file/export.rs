//! From an assembled mechanism to the tables of a file.

use super::entries::{
    AxisName, BodyEntry, FrameEntry, HarmonicEntry, InertiaEntry, JointEntry, JointName,
    MechanismFile, MotionEntry, Place, Reference,
};
use crate::connection::Connection;
use crate::kinematics::Kinematics;
use crate::marker::Marker;
use crate::{Axis, JointKind, Motion, MultibodySystem, RigidBody};
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
        let kind = match &joint.kind {
            JointKind::Fixed => JointName::Fixed,
            JointKind::Spherical => JointName::Spherical,
            JointKind::Revolute => JointName::Revolute,
            JointKind::Universal => JointName::Universal,
            JointKind::Cylindrical => JointName::Cylindrical,
            JointKind::Translational => JointName::Translational,
            JointKind::RevoluteCylindrical => JointName::RevoluteCylindrical,
            JointKind::Distance(_) => JointName::Distance,
            JointKind::Angle(_) => JointName::Angle,
            JointKind::Coordinate(along, _) => {
                direction = Some((*along).into());
                JointName::Coordinate
            }
            JointKind::Dot1(one, two, _) => {
                axes = Some([*one, *two].map(axis));
                JointName::Cosine
            }
            JointKind::Dot2(one, _) => {
                axes = Some([axis(*one); 2]);
                JointName::Displacement
            }
            JointKind::Custom(_) => {
                return Err(NotExported(format!(
                    "joint '{}' has equations of its own",
                    joint.name
                )));
            }
        };
        let follows = matches!(
            kind,
            JointName::Distance
                | JointName::Angle
                | JointName::Coordinate
                | JointName::Cosine
                | JointName::Displacement
        );
        let motion = match joint.rows.first() {
            Some(row) if follows => Some(motion(&joint.name, &row.motion)?),
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

fn axis(axis: Axis) -> AxisName {
    match axis {
        Axis::X => AxisName::X,
        Axis::Y => AxisName::Y,
        Axis::Z => AxisName::Z,
    }
}

fn motion(joint: &str, motion: &Motion) -> Result<MotionEntry, NotExported> {
    Ok(match motion {
        Motion::Constant(value) => MotionEntry::Constant(*value),
        Motion::Polynomial(coefficients) => MotionEntry::Polynomial(coefficients.clone()),
        &Motion::Harmonic {
            offset,
            amplitude,
            rate,
            phase,
        } => MotionEntry::Harmonic(HarmonicEntry {
            offset,
            amplitude,
            rate,
            phase,
        }),
        Motion::Custom(_) => {
            return Err(NotExported(format!("joint '{joint}' follows a function")));
        }
    })
}
