//! From the tree of a robot's links to the tables of a file.

use super::tree::{Node, Placed, Tree, is_frame, rotation};
use super::{Urdf, UrdfError};
use crate::file::entries::{
    AxisName, BodyEntry, InertiaEntry, JointEntry, JointName, MechanismFile, MotionEntry,
    Reference, RotationalSpringEntry,
};
use crate::file::export::{placed, rows};
use nalgebra::{Matrix3, Vector3};
use urdf_rs::{Joint, JointType};

/// URDF states neither; in m/s² and s.
const GRAVITY: f64 = 9.81;
const T_END: f64 = 1.0;

/// The file of a robot.
pub(super) fn written(name: &str, tree: &Tree) -> Result<Urdf, UrdfError> {
    let mut writer = Writer {
        tree,
        on: vec![On::Nothing; tree.nodes.len()],
        file: MechanismFile {
            name: Some(name.to_owned()).filter(|name| !name.is_empty()),
            title: format!("robot {name}"),
            gravity: [0.0, 0.0, -GRAVITY],
            t_start: 0.0,
            t_end: T_END,
            step: None,
            absolute_scale: None,
            keeps_energy: false,
            time_events: Vec::new(),
            impact_law: None,
            thresholds: None,
            bodies: Vec::new(),
            sections: Vec::new(),
            beams: Vec::new(),
            modal_beams: Vec::new(),
            joints: Vec::new(),
            drives: Vec::new(),
            forces: Vec::new(),
            springs: Vec::new(),
            rotational_springs: Vec::new(),
            frictions: Vec::new(),
            bearings: Vec::new(),
            contacts: Vec::new(),
            initial: Vec::new(),
            outputs: Vec::new(),
        },
        left_out: LeftOut::default(),
    };
    for (index, node) in tree.nodes.iter().enumerate() {
        writer.add(index, node)?;
    }
    if writer.file.bodies.is_empty() {
        return Err(UrdfError::NoBodies);
    }
    let mut notes = vec![format!(
        "gravity of {GRAVITY} m/s² along -z and a run of {T_END} s are assumed: URDF states neither"
    )];
    writer.left_out.say(&mut notes);
    Ok(Urdf {
        file: writer.file,
        notes,
    })
}

/// What a link is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum On {
    /// It is left out.
    Nothing,
    Ground,
    /// The body of a node.
    Body(usize),
}

/// Names of what mechanisms have no part for.
#[derive(Debug, Default)]
struct LeftOut {
    free: Vec<String>,
    frames: Vec<String>,
    shapes: Vec<String>,
    limits: Vec<String>,
    damping: Vec<String>,
    friction: Vec<String>,
    controllers: Vec<String>,
}

impl LeftOut {
    fn say(self, notes: &mut Vec<String>) {
        for (names, what) in [
            (self.free, "free to move, as no joint holds this root link"),
            (
                self.frames,
                "left out, links without inertia on which nothing hangs, with their joints",
            ),
            (
                self.shapes,
                "without visual and collision shapes: there are no contacts",
            ),
            (self.limits, "without limits: joints move beyond them"),
            (self.damping, "without damping along their axes"),
            (self.friction, "without friction"),
            (
                self.controllers,
                "without calibrations and safety controllers",
            ),
        ] {
            if !names.is_empty() {
                notes.push(format!("{what}: {}", names.join(", ")));
            }
        }
    }
}

struct Writer<'a> {
    tree: &'a Tree<'a>,
    on: Vec<On>,
    file: MechanismFile,
    left_out: LeftOut,
}

impl Writer<'_> {
    fn add(&mut self, index: usize, node: &Node) -> Result<(), UrdfError> {
        let link = node.link;
        if !link.visual.is_empty() || !link.collision.is_empty() {
            self.left_out.shapes.push(link.name.clone());
        }
        let numbers = node.place.position.iter().chain(&node.place.rotation);
        if !numbers.copied().all(f64::is_finite) {
            return Err(UrdfError::NotFinite(format!(
                "the place of link `{}`",
                link.name
            )));
        }
        let is_frame = is_frame(link);
        if !is_frame {
            self.body(node)?;
        }
        let Some((parent, joint)) = node.parent else {
            self.on[index] = if is_frame {
                On::Ground
            } else {
                On::Body(index)
            };
            if !is_frame {
                self.left_out.free.push(link.name.clone());
            }
            return Ok(());
        };
        let parent = self.on[parent];
        if parent == On::Nothing {
            self.left_out.frames.push(link.name.clone());
            return Ok(());
        }
        if joint.joint_type == JointType::Fixed {
            self.check(joint)?;
            self.on[index] = if is_frame { parent } else { On::Body(index) };
            // What carries a frame above is not joined with itself.
            if !is_frame && parent != On::Body(index) {
                self.join(JointName::Fixed, parent, index, joint, node.place)?;
            }
            return Ok(());
        }
        let Some(carrier) = node.carrier else {
            if node.weighs {
                return Err(UrdfError::Massless {
                    link: link.name.clone(),
                    joint: joint.name.clone(),
                });
            }
            self.left_out.frames.push(link.name.clone());
            return Ok(());
        };
        self.check(joint)?;
        self.on[index] = On::Body(carrier);
        self.moving(parent, carrier, joint, node.place)
    }

    /// Numbers, and what is left out.
    fn check(&mut self, joint: &Joint) -> Result<(), UrdfError> {
        if joint.mimic.is_some() {
            return Err(UrdfError::Mimic(joint.name.clone()));
        }
        let limit = &joint.limit;
        let limits = [limit.lower, limit.upper, limit.effort, limit.velocity];
        let is_limited = !matches!(joint.joint_type, JointType::Fixed | JointType::Floating);
        // These have limits always, and zeros lock them.
        let must = matches!(joint.joint_type, JointType::Revolute | JointType::Prismatic);
        if must || is_limited && limits.iter().any(|&limit| limit != 0.0) {
            self.left_out.limits.push(joint.name.clone());
        }
        if joint.safety_controller.is_some() || joint.calibration.is_some() {
            self.left_out.controllers.push(joint.name.clone());
        }
        let Some(dynamics) = &joint.dynamics else {
            return Ok(());
        };
        if ![dynamics.damping, dynamics.friction]
            .iter()
            .all(|number| number.is_finite())
        {
            let what = format!("the dynamics of joint `{}`", joint.name);
            return Err(UrdfError::NotFinite(what));
        }
        let turns = matches!(
            joint.joint_type,
            JointType::Revolute | JointType::Continuous
        );
        if dynamics.damping != 0.0 && !turns {
            self.left_out.damping.push(joint.name.clone());
        }
        if dynamics.friction != 0.0 {
            self.left_out.friction.push(joint.name.clone());
        }
        Ok(())
    }

    fn body(&mut self, node: &Node) -> Result<(), UrdfError> {
        let (link, inertial) = (node.link, &node.link.inertial);
        let wrong = |what, value: String| UrdfError::Inertia {
            link: link.name.clone(),
            what,
            value,
        };
        let mass = inertial.mass.value;
        if !(mass > 0.0 && mass.is_finite()) {
            return Err(wrong(
                "mass",
                format!("{mass} kg: expected a positive number"),
            ));
        }
        let i = &inertial.inertia;
        let tensor = Matrix3::new(
            i.ixx, i.ixy, i.ixz, i.ixy, i.iyy, i.iyz, i.ixz, i.iyz, i.izz,
        );
        // Its axes are those of `origin`; the body's are those of the link.
        let turn = rotation(&inertial.origin);
        let tensor = turn * tensor * turn.transpose();
        // Round-off must not leave it askew.
        let tensor = (tensor + tensor.transpose()) * 0.5;
        let centre = node.place.moved(&inertial.origin).position;
        if !tensor
            .iter()
            .chain(&centre)
            .all(|number| number.is_finite())
        {
            let what = format!("the inertia of link `{}`", link.name);
            return Err(UrdfError::NotFinite(what));
        }
        self.file.bodies.push(placed(BodyEntry {
            name: link.name.clone(),
            mass,
            inertia: InertiaEntry::Tensor(rows(&tensor)),
            position: centre.into(),
            rotation: Some(rows(&node.place.rotation)),
            quaternion: None,
            velocity: [0.0; 3],
            angular_velocity: [0.0; 3],
            unphysical_inertia: false,
        }));
        Ok(())
    }

    fn moving(
        &mut self,
        parent: On,
        carrier: usize,
        joint: &Joint,
        place: Placed,
    ) -> Result<(), UrdfError> {
        match joint.joint_type {
            JointType::Fixed | JointType::Floating => Ok(()),
            JointType::Spherical => self.join(JointName::Spherical, parent, carrier, joint, place),
            JointType::Prismatic => {
                self.join(JointName::Translational, parent, carrier, joint, place)
            }
            JointType::Revolute | JointType::Continuous => {
                self.join(JointName::Revolute, parent, carrier, joint, place)?;
                let damping = joint
                    .dynamics
                    .as_ref()
                    .map_or(0.0, |dynamics| dynamics.damping);
                if damping != 0.0 {
                    let spring = RotationalSpringEntry {
                        name: format!("{} damping", joint.name),
                        joint: Reference(placed(joint.name.clone())),
                        stiffness: 0.0,
                        damping,
                        free_angle: 0.0,
                        follows: None,
                        counts_turns: true,
                    };
                    self.file.rotational_springs.push(placed(spring));
                }
                Ok(())
            }
            JointType::Planar => {
                let [x, y, z] = [AxisName::X, AxisName::Y, AxisName::Z];
                for (suffix, kind, axes) in [
                    ("", JointName::Displacement, vec![z]),
                    (".x", JointName::Cosine, vec![x, z]),
                    (".y", JointName::Cosine, vec![y, z]),
                ] {
                    let name = format!("{}{suffix}", joint.name);
                    let mut entry = self.entry(kind, parent, carrier, joint, place)?;
                    entry.name = name;
                    entry.motion = Some(MotionEntry::Constant(0.0));
                    entry.axes = Some(axes);
                    self.file.joints.push(placed(entry));
                }
                Ok(())
            }
        }
    }

    fn join(
        &mut self,
        kind: JointName,
        parent: On,
        carrier: usize,
        joint: &Joint,
        place: Placed,
    ) -> Result<(), UrdfError> {
        let entry = self.entry(kind, parent, carrier, joint, place)?;
        self.file.joints.push(placed(entry));
        Ok(())
    }

    fn entry(
        &self,
        kind: JointName,
        parent: On,
        carrier: usize,
        joint: &Joint,
        place: Placed,
    ) -> Result<JointEntry, UrdfError> {
        let name = |on: On| match on {
            On::Body(index) => self.tree.nodes[index].link.name.clone(),
            On::Ground | On::Nothing => "ground".to_owned(),
        };
        let axis = if kind.is_of_points() {
            None
        } else {
            let axis = place.rotation * Vector3::from(joint.axis.xyz.0);
            let length = axis.norm();
            if !(length > 0.0 && length.is_finite()) {
                return Err(UrdfError::Axis(joint.name.clone()));
            }
            Some((axis / length).into())
        };
        let bodies = [parent, On::Body(carrier)].map(|on| Reference(placed(name(on))));
        Ok(JointEntry {
            name: joint.name.clone(),
            kind,
            bodies,
            point: Some(place.position.into()),
            axis,
            second_axis: None,
            x: None,
            points: None,
            frames: None,
            motion: None,
            direction: None,
            axes: None,
        })
    }
}
