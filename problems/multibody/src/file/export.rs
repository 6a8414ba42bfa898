//! From an assembled mechanism to the tables of a file.

use super::entries::{
    BearingEntry, BodyEntry, ContactEntry, ForceEntry, FrameEntry, FrictionEntry, InertiaEntry,
    JointEntry, JointName, LawEntry, MechanismFile, MotionEntry, OutputEntry, Place, Reference,
    RotationalSpringEntry, ShapeEntry, SpringEntry, SurfaceEntry,
};
use super::export_beams::SectionNames;
use super::laws::point_frame;
use crate::bearing::BearingFriction;
use crate::connection::Connection;
use crate::contact::{PlacedSurface, StatedContact};
use crate::force::Force;
use crate::friction::Slide;
use crate::guides::Guide;
use crate::kinematics::Kinematics;
use crate::marker::Marker;
use crate::output::Measured;
use crate::spring::SpringLaw;
use crate::torsion::Torsion;
use crate::{JointId, JointKind, MultibodySystem, NormalForce, Output, RigidBody};
use nalgebra::Matrix3;
use thiserror::Error;
use toml::Spanned;

/// A mechanism with a part that no file states.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NotExported {
    /// A body with modes that are not those of a beam.
    #[error("body '{0}' has modes from data of a program")]
    Modes(String),
    /// A force that is a function of a program.
    #[error("force '{0}' is a function of a program")]
    Force(String),
    /// A force with states.
    #[error("force '{0}' has states, which are functions of a program")]
    StateForce(String),
    /// A spring with an actuator.
    #[error("the actuator of spring '{0}' is a function of a program")]
    Actuator(String),
    /// A spring that starts with whole turns.
    #[error("spring '{0}' starts on another turn than its joint shows")]
    Turns(String),
    /// A beam in absolute nodal coordinates.
    #[error("beam '{0}' is in absolute nodal coordinates")]
    Nodal(String),
    /// A joint with equations of its own.
    #[error("joint '{0}' has equations of its own")]
    Equations(String),
    /// A joint or drive that follows a function.
    #[error("joint '{0}' follows a function of a program")]
    Motion(String),
    /// A policy for impacts that accumulate.
    #[error("it has a policy of its own for impacts that accumulate")]
    Accumulation,
    /// A name that is not unique, or that of the ground.
    #[error("the name '{0}' stands for more than one body")]
    Name(String),
    /// A contact with a shape that files do not state.
    #[error("a shape of contact '{0}' is not stated in files")]
    Shape(String),
}

impl MultibodySystem {
    /// The mechanism as a file: run from it, it takes the same steps to the last bit.
    ///
    /// Outputs that are functions of a program are left out, [`unwritten_outputs`](Self::unwritten_outputs) names them; where that leaves
    /// none, those are written that a mechanism has which states none: positions and velocities of all bodies.
    ///
    /// ```
    /// use liedae_multibody::file::{MechanismFile, NotExported};
    /// use liedae_multibody::{BodyId, Drive, Joint, Motion, MultibodyBuilder, RigidBody};
    ///
    /// let pendulum = || {
    ///     let mut mechanism = MultibodyBuilder::new();
    ///     mechanism.gravity([0.0, 0.0, -9.81]);
    ///     let rod = mechanism.add_body(RigidBody::new("rod", 1.0, [0.1; 3]).at([0.5, 0.0, 0.0]));
    ///     let y = [0.0, 1.0, 0.0];
    ///     mechanism.add_joint(Joint::revolute("pivot", BodyId::GROUND, rod, [0.0; 3], y));
    ///     mechanism
    /// };
    /// let text = pendulum().build()?.file(2.0)?.text()?;
    /// assert_eq!(MechanismFile::read(&text)?.t_end, 2.0);
    ///
    /// // A drive that follows a function of this program.
    /// let mut own = pendulum();
    /// let weight = own.add_body(RigidBody::new("weight", 1.0, [0.1; 3]));
    /// let axle = Joint::revolute("axle", BodyId::GROUND, weight, [0.0; 3], [0.0, 0.0, 1.0]);
    /// let axle = own.add_joint(axle);
    /// own.add_drive("motor", axle, Drive::Angle(Motion::custom(|t| t * t)));
    /// let refused = own.build()?.file(2.0).unwrap_err();
    /// assert_eq!(refused, NotExported::Motion("motor".into()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`NotExported`] for other functions of a program: forces, actuators, joints and motions of one's own; and for
    /// what files do not state.
    pub fn file(&self, t_end: f64) -> Result<MechanismFile, NotExported> {
        whole(self.tables(t_end))
    }

    /// What files state of the mechanism, and what they do not. The rows of a body with modes from data, and of its markers, among the bodies
    /// are no statement of it: they have the masses by which it is computed.
    ///
    /// ```
    /// use liedae_multibody::file::NotExported;
    /// use liedae_multibody::{BodyId, Kinematics, MultibodyBuilder, RigidBody, Wrench};
    ///
    /// let mut mechanism = MultibodyBuilder::new();
    /// let disc = mechanism.add_body(RigidBody::new("disc", 2.0, [0.1; 3]));
    /// mechanism.add_force_closure("brake", BodyId::GROUND, disc, |_t, _bodies| [Wrench::zero(), Wrench::zero()]);
    /// let (file, left_out) = mechanism.build()?.tables(1.0);
    /// assert_eq!(file.bodies[0].get_ref().mass, 2.0);
    /// assert_eq!(left_out, [NotExported::Force("brake".into())]);
    /// # Ok::<(), liedae_multibody::AssemblyError>(())
    /// ```
    pub fn tables(&self, t_end: f64) -> (MechanismFile, Vec<NotExported>) {
        let flexible = self
            .flexible
            .iter()
            .filter(|body| body.model.beam.is_none());
        let modes = flexible.map(|body| NotExported::Modes(body.name.clone()));
        let ancf = self.ancf.iter();
        let nodal = ancf.map(|beam| NotExported::Nodal(beam.name.clone()));
        let states = self.state_forces.iter();
        let states = states.map(|force| NotExported::StateForce(force.name.clone()));
        let mut left_out: Vec<NotExported> = modes.chain(nodal).chain(states).collect();
        let order = self.joint_order.iter();
        let joints = order.filter_map(|&place| self.connections.get(place));
        let torsions = self.torsions.iter().map(|(torsion, ..)| torsion);
        let slides = self.slides.iter().zip(&self.initial.mode);
        let slides = slides.map(|((slide, _), &mode)| self.friction_entry(slide, Some(mode)));
        let guides = self.guides.iter();
        let guides = guides.filter_map(|guide| match guide {
            Guide::Slides(slide) => Some(self.friction_entry(slide, None)),
            Guide::Turns(_) => None,
        });
        let bearings = self.guides.iter().filter_map(|guide| match guide {
            Guide::Turns(bearing) => Some(self.bearing_entry(&bearing.stated)),
            Guide::Slides(_) => None,
        });
        let is_spring = |force: &Force| force.law.stated::<SpringLaw>().is_some();
        let all = || self.forces.iter().map(|(force, _)| force);
        let springs = all().filter(|force| is_spring(force));
        let springs = springs.map(|force| self.spring_entry(force));
        let forces = all().filter(|force| !is_spring(force));
        let forces = forces.map(|force| self.force_entry(force));
        let contacts = self.contacts.stated.iter();
        let contacts = contacts.map(|contact| self.contact_entry(contact));
        let mut file = MechanismFile {
            name: None,
            title: String::new(),
            gravity: self.gravity.into(),
            t_start: self.initial.t,
            t_end,
            step: None,
            absolute_scale: None,
            keeps_energy: self.keeps_energy,
            time_events: self.time_events.clone(),
            impact_law: None,
            thresholds: None,
            bodies: self.body_entries().map(placed).collect(),
            sections: Vec::new(),
            beams: Vec::new(),
            modal_beams: Vec::new(),
            joints: stated(joints.map(|joint| self.joint_entry(joint)), &mut left_out),
            drives: Vec::new(),
            forces: stated(forces, &mut left_out),
            springs: stated(springs, &mut left_out),
            rotational_springs: stated(
                torsions.map(|torsion| self.torsion_entry(torsion)),
                &mut left_out,
            ),
            frictions: slides.chain(guides).map(placed).collect(),
            bearings: bearings.map(placed).collect(),
            contacts: stated(contacts, &mut left_out),
            initial: Vec::new(),
            outputs: self.output_entries().map(placed).collect(),
        };
        let mut names = SectionNames::default();
        self.write_beams(&mut file, &mut names);
        self.write_modal_beams(&mut file, &mut names);
        let mut parts = self.parts_of_beams().into_iter();
        file.bodies.retain(|_| !parts.next().unwrap_or(false));
        (file, left_out)
    }

    /// Names of outputs that are functions of a program, which no file states.
    pub fn unwritten_outputs(&self) -> impl Iterator<Item = &str> {
        let outputs = self.names.iter().zip(&self.probes);
        let functions = outputs.filter(|(_, output)| matches!(output, Measured::Function(..)));
        functions.map(|(name, _)| name.as_str())
    }

    fn body_entries(&self) -> impl Iterator<Item = BodyEntry> {
        let state = &self.initial;
        self.bodies.iter().enumerate().map(|(index, body)| {
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
        })
    }

    fn body_name(&self, body: Option<usize>) -> Reference {
        let name = match body.and_then(|index| self.bodies.get(index)) {
            Some(body) => body.name.clone(),
            None => "ground".to_owned(),
        };
        Reference(placed(name))
    }

    fn joint_name(&self, joint: JointId) -> Reference {
        let joint = self.connection(joint);
        let name = joint.map(|joint| joint.name.clone());
        Reference(placed(name.unwrap_or_default()))
    }

    fn joint_entry(&self, joint: &Connection) -> Result<JointEntry, NotExported> {
        let (mut direction, mut axes) = (None, None);
        match &joint.kind {
            JointKind::Coordinate(along, _) => direction = Some((*along).into()),
            JointKind::Dot1(one, two, _) => axes = Some(vec![(*one).into(), (*two).into()]),
            JointKind::Dot2(one, _) => axes = Some(vec![(*one).into()]),
            _ => {}
        }
        let name = joint.name.clone();
        let Some(kind) = JointName::of(&joint.kind) else {
            return Err(NotExported::Equations(name));
        };
        let motion = match joint.rows.first().filter(|_| kind.follows()) {
            Some(row) => {
                let motion = MotionEntry::of(&row.motion);
                Some(motion.ok_or_else(|| NotExported::Motion(name.clone()))?)
            }
            None => None,
        };
        Ok(JointEntry {
            name,
            kind,
            bodies: joint.bodies.map(|body| self.body_name(body)),
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

    fn force_entry(&self, force: &Force) -> Result<ForceEntry, NotExported> {
        let (law, points) = LawEntry::of(force)?;
        Ok(ForceEntry {
            name: force.name.clone(),
            bodies: force.bodies.map(|body| self.body_name(body)),
            points: None,
            frames: points.map(|points| points.map(point_frame)),
            law,
        })
    }

    fn spring_entry(&self, force: &Force) -> Result<SpringEntry, NotExported> {
        let name = force.name.clone();
        let Some(law) = force.law.stated::<SpringLaw>() else {
            return Err(NotExported::Force(name));
        };
        if law.actuator.is_some() {
            return Err(NotExported::Actuator(name));
        }
        Ok(SpringEntry {
            name,
            bodies: force.bodies.map(|body| self.body_name(body)),
            points: None,
            frames: Some(law.points.map(point_frame)),
            stiffness: law.stiffness,
            damping: law.damping,
            free_length: law.free_length,
        })
    }

    fn torsion_entry(&self, torsion: &Torsion) -> Result<RotationalSpringEntry, NotExported> {
        let name = torsion.name.clone();
        if torsion.actuator.is_some() {
            return Err(NotExported::Actuator(name));
        }
        if let Some(counter) = torsion.counter {
            let bodies = Self::pair(&torsion.bodies, &self.initial.point());
            let counted = self.initial.x.get(counter);
            if counted != Some(&torsion.principal_angle(&bodies)) {
                return Err(NotExported::Turns(name));
            }
        }
        let follows = match &torsion.follows {
            Some(motion) => {
                let motion = MotionEntry::of(motion);
                Some(motion.ok_or_else(|| NotExported::Actuator(name.clone()))?)
            }
            None => None,
        };
        Ok(RotationalSpringEntry {
            name,
            joint: self.joint_name(torsion.joint),
            stiffness: torsion.stiffness,
            damping: torsion.damping,
            free_angle: torsion.free_angle,
            follows,
            counts_turns: torsion.wrap.is_none(),
        })
    }

    /// Friction, and the direction in which it starts where it may not stick.
    fn friction_entry(&self, slide: &Slide, mode: Option<i32>) -> FrictionEntry {
        let bodies = Self::pair(&slide.bodies, &self.initial.point());
        let usual = if slide.velocity(&bodies) < 0.0 { -1 } else { 1 };
        FrictionEntry {
            name: slide.name.clone(),
            joint: self.joint_name(slide.joint),
            coefficient: slide.coefficient,
            normal: match slide.normal {
                NormalForce::Full => None,
                NormalForce::Component(direction) => Some(direction),
            },
            sticks: mode.is_none(),
            initial_direction: mode.filter(|&direction| direction != usual),
        }
    }

    fn bearing_entry(&self, bearing: &BearingFriction) -> BearingEntry {
        BearingEntry {
            name: bearing.name.clone(),
            joint: self.joint_name(bearing.joint),
            coefficient: bearing.coefficient,
            radius: bearing.radius,
            span: bearing.span,
            collar: bearing.collar,
        }
    }

    fn contact_entry(&self, contact: &StatedContact) -> Result<ContactEntry, NotExported> {
        let surface = |surface: &PlacedSurface| {
            let shape = ShapeEntry::of(&surface.shape);
            Ok(SurfaceEntry {
                body: self.body_name(surface.body),
                frame: frame(&surface.marker),
                shape: shape.ok_or_else(|| NotExported::Shape(contact.name.clone()))?,
            })
        };
        let [first, second] = &contact.surfaces;
        Ok(ContactEntry {
            name: contact.name.clone(),
            surfaces: [surface(first)?, surface(second)?],
            restitution: contact.restitution,
            friction: contact.friction,
        })
    }

    fn output_entries(&self) -> impl Iterator<Item = OutputEntry> {
        let outputs = self.names.iter().zip(&self.probes);
        outputs.filter_map(|(name, output)| match output {
            Measured::Stated(output) => Some(self.output_entry(name, output)),
            Measured::Usual(..) | Measured::Function(..) => None,
        })
    }

    fn output_entry(&self, name: &str, output: &Output) -> OutputEntry {
        let (mut body, mut point, mut joint) = (None, None, None);
        match *output {
            Output::Position(of, at, _)
            | Output::Velocity(of, at, _)
            | Output::Acceleration(of, at, _) => (body, point) = (Some(of), Some(at)),
            Output::AngularVelocity(of, _) => body = Some(of),
            Output::Force(of, _) | Output::Torque(of, _) | Output::Effort(of) => joint = Some(of),
        }
        OutputEntry {
            name: name.to_owned(),
            body: body.map(|body| self.body_name(body.0)),
            point,
            joint: joint.map(|joint| self.joint_name(joint)),
            quantity: output.into(),
        }
    }
}

/// What is written has no place in a text yet.
pub(super) fn placed<T>(value: T) -> Spanned<T> {
    Spanned::new(0..0, value)
}

/// The file, if nothing is left out of it; otherwise the first reason.
pub(super) fn whole<F>((file, left_out): (F, Vec<NotExported>)) -> Result<F, NotExported> {
    match left_out.into_iter().next() {
        None => Ok(file),
        Some(reason) => Err(reason),
    }
}

/// The entries that there are; the others are left out, with the reasons.
fn stated<T>(
    entries: impl Iterator<Item = Result<T, NotExported>>,
    left_out: &mut Vec<NotExported>,
) -> Vec<Spanned<T>> {
    let entries = entries.filter_map(|entry| entry.map_err(|reason| left_out.push(reason)).ok());
    entries.map(placed).collect()
}

pub(super) fn rows(matrix: &Matrix3<f64>) -> [[f64; 3]; 3] {
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
