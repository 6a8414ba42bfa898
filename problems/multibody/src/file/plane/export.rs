//! From a plane mechanism to the tables of a file.

use super::entries::{
    PlaneBodyEntry, PlaneContactEntry, PlaneForceEntry, PlaneForceName, PlaneFrictionEntry,
    PlaneFrictionName, PlaneJointEntry, PlaneJointName, PlaneMechanismFile, PlanePairEntry,
};
use crate::file::export::{placed, whole};
use crate::file::{HarmonicEntry, MotionEntry, NotExported, Reference};
use crate::plane::{
    Motion, PlaneBodyData, PlaneForce, PlaneFriction, PlaneJoint, PlaneMechanism, PlanePairing,
};

impl PlaneMechanism {
    /// The mechanism as a file: run from it, it takes the same steps to the last bit.
    ///
    /// Probes are functions of a program: they are left out, and [`unwritten_outputs`](Self::unwritten_outputs) names them. Joints and
    /// forces, which have numbers, get names with these numbers. Restitution and thresholds belong to the system around the mechanism:
    /// [`PlaneMechanismFile::set_nonsmooth_options`] writes them.
    ///
    /// ```
    /// use liedae_multibody::file::PlaneMechanismFile;
    /// use liedae_multibody::plane::{PlaneBodyData, PlaneJoint, PlaneMechanism};
    ///
    /// let rod = PlaneBodyData {
    ///     name: "rod".to_owned(),
    ///     mass: 1.0,
    ///     inertia: 0.1,
    ///     position: [0.5, 0.0, 0.0],
    ///     velocity: [0.0; 3],
    /// };
    /// let pivot = PlaneJoint::Revolute((None, [0.0, 0.0]), (Some(0), [-0.5, 0.0]));
    /// let mechanism: PlaneMechanism = PlaneMechanism::new(vec![rod], [0.0, -9.81])?.with_joints([pivot])?;
    /// let text = mechanism.file(2.0)?.text()?;
    /// let read = PlaneMechanismFile::read(&text)?;
    /// assert_eq!((read.t_end, read.joints[0].get_ref().name.as_str()), (2.0, "joint 0"));
    /// assert_eq!(read.mechanism(&text)?.file(2.0)?.text()?, text);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`NotExported::Force`] for force closures, [`NotExported::Name`] where bodies share a name or have that of the ground.
    pub fn file(&self, t_end: f64) -> Result<PlaneMechanismFile, NotExported> {
        whole(self.tables(t_end))
    }

    /// What files state of the mechanism, and what they do not.
    pub fn tables(&self, t_end: f64) -> (PlaneMechanismFile, Vec<NotExported>) {
        let closures = self.closures.iter();
        let closures = closures.map(|closure| NotExported::Force(closure.name.clone()));
        let named = self.bodies.iter().enumerate();
        let twice = named.filter(|(index, body)| {
            let mut before = self.bodies[..*index].iter();
            body.name == "ground" || before.any(|other| other.name == body.name)
        });
        let names = twice.map(|(_, body)| NotExported::Name(body.name.clone()));
        let left_out = closures.chain(names).collect();
        let joints = self.joints.iter().enumerate();
        let forces = self.forces.iter().enumerate();
        let file = PlaneMechanismFile {
            plane: true,
            name: None,
            title: String::new(),
            gravity: self.gravity,
            t_end,
            step: None,
            absolute_scale: None,
            keeps_energy: self.keeps_energy,
            time_events: self.time_events.clone(),
            largest_step: Some(self.largest_step).filter(|step| step.is_finite()),
            impact_law: None,
            thresholds: None,
            bodies: self.bodies.iter().map(body).map(placed).collect(),
            joints: joints
                .map(|(index, joint)| placed(self.joint(index, joint)))
                .collect(),
            forces: forces
                .map(|(index, force)| placed(self.force(index, force)))
                .collect(),
            frictions: self
                .frictions
                .iter()
                .map(|(friction, law)| placed(rubbing(friction, &law.label, law.friction)))
                .collect(),
            contacts: self
                .contacts
                .iter()
                .map(|contact| {
                    let law = &contact.law;
                    placed(PlaneContactEntry {
                        name: law.label.clone(),
                        bodies: contact.bodies.map(|body| self.reference(body)),
                        restitution: law.restitution,
                        friction: (law.tangents > 0).then_some(law.friction),
                        pair: (&contact.pair).into(),
                    })
                })
                .collect(),
            outputs: Vec::new(),
        };
        (file, left_out)
    }

    /// Names of outputs that are functions of a program, which no file states.
    pub fn unwritten_outputs(&self) -> impl Iterator<Item = &str> {
        self.probes.iter().map(|(name, _)| name.as_str())
    }

    fn reference(&self, body: Option<usize>) -> Reference {
        let body = body.and_then(|index| self.bodies.get(index));
        let name = body.map_or("ground", |body| &body.name);
        Reference(placed(name.to_owned()))
    }

    fn joint(&self, index: usize, joint: &PlaneJoint) -> PlaneJointEntry {
        use PlaneJointName as K;
        let entry = |kind| PlaneJointEntry {
            name: joint_name(index),
            kind,
            bodies: joint.bodies().map(|body| self.reference(body)),
            points: None,
            direction: None,
            angle: None,
            ratio: None,
            carrier: None,
            motion: None,
        };
        match *joint {
            PlaneJoint::Revolute((_, first), (_, second)) => PlaneJointEntry {
                points: Some([first, second]),
                ..entry(K::Revolute)
            },
            PlaneJoint::PointOnLine((_, first), (_, second), direction) => PlaneJointEntry {
                points: Some([first, second]),
                direction: Some(direction),
                ..entry(K::PointOnLine)
            },
            PlaneJoint::Angle(_, _, angle) => PlaneJointEntry {
                angle: Some(angle),
                ..entry(K::Angle)
            },
            PlaneJoint::AngleDrive(_, _, motion) => PlaneJointEntry {
                motion: Some(motion.into()),
                ..entry(K::AngleDrive)
            },
            PlaneJoint::PointDrive((_, point), direction, motion) => PlaneJointEntry {
                points: Some([point, [0.0; 2]]),
                direction: Some(direction),
                motion: Some(motion.into()),
                ..entry(K::PointDrive)
            },
            PlaneJoint::SlideDrive((_, first), (_, second), direction, motion) => PlaneJointEntry {
                points: Some([first, second]),
                direction: Some(direction),
                motion: Some(motion.into()),
                ..entry(K::SlideDrive)
            },
            PlaneJoint::Gear(_, _, ratio, offset) => PlaneJointEntry {
                ratio: Some(ratio),
                angle: Some(offset),
                ..entry(K::Gear)
            },
            PlaneJoint::PlanetGear {
                carrier,
                ratio,
                offset,
                ..
            } => PlaneJointEntry {
                carrier: Some(self.reference(Some(carrier))),
                ratio: Some(ratio),
                angle: Some(offset),
                ..entry(K::PlanetGear)
            },
        }
    }

    fn force(&self, index: usize, force: &PlaneForce) -> PlaneForceEntry {
        use PlaneForceName as K;
        let entry = |kind| PlaneForceEntry {
            name: format!("force {index}"),
            kind,
            bodies: force.bodies().map(|body| self.reference(body)),
            points: None,
            stiffness: None,
            damping: None,
            free_length: None,
            free_angle: None,
            torque: None,
            until: None,
            motion: None,
            force: None,
        };
        match *force {
            PlaneForce::Spring {
                points: [(_, first), (_, second)],
                stiffness,
                damping,
                free_length,
            } => PlaneForceEntry {
                points: Some([first, second]),
                stiffness: Some(stiffness),
                damping: Some(damping),
                free_length: Some(free_length),
                ..entry(K::Spring)
            },
            PlaneForce::Cartesian {
                points: [(_, first), (_, second)],
                stiffness,
                damping,
            } => PlaneForceEntry {
                points: Some([first, second]),
                stiffness: Some(stiffness),
                damping: Some(damping),
                ..entry(K::CartesianSpring)
            },
            PlaneForce::Torsion {
                stiffness,
                damping,
                free_angle,
                ..
            } => PlaneForceEntry {
                stiffness: Some(stiffness),
                damping: Some(damping),
                free_angle: Some(free_angle),
                ..entry(K::Torsion)
            },
            PlaneForce::Torque(_, torque) => PlaneForceEntry {
                torque: Some(torque),
                ..entry(K::Torque)
            },
            PlaneForce::TorqueUntil(_, torque, until) => PlaneForceEntry {
                torque: Some(torque),
                until: Some(until),
                ..entry(K::Torque)
            },
            PlaneForce::DrivenTorque(_, motion) => PlaneForceEntry {
                motion: Some(motion.into()),
                ..entry(K::Torque)
            },
            PlaneForce::Constant((_, point), force) => PlaneForceEntry {
                points: Some([point, [0.0; 2]]),
                force: Some(force),
                ..entry(K::Constant)
            },
        }
    }
}

fn joint_name(index: usize) -> String {
    format!("joint {index}")
}

fn body(body: &PlaneBodyData) -> PlaneBodyEntry {
    let ([x, y, angle], [vx, vy, angular_velocity]) = (body.position, body.velocity);
    PlaneBodyEntry {
        name: body.name.clone(),
        mass: body.mass,
        inertia: body.inertia,
        position: [x, y],
        angle,
        velocity: [vx, vy],
        angular_velocity,
    }
}

fn rubbing(friction: &PlaneFriction, name: &str, coefficient: f64) -> PlaneFrictionEntry {
    use PlaneFrictionName as K;
    let joint = |index| Reference(placed(joint_name(index)));
    let entry = |kind, place| PlaneFrictionEntry {
        name: name.to_owned(),
        kind,
        joint: joint(place),
        angle: None,
        coefficient,
        length: None,
        radius: None,
    };
    match *friction {
        PlaneFriction::Guide(line) => entry(K::Guide, line),
        PlaneFriction::TwoPads {
            line,
            angle,
            length,
        } => PlaneFrictionEntry {
            angle: Some(joint(angle)),
            length: Some(length),
            ..entry(K::TwoPads, line)
        },
        PlaneFriction::Pin { joint, radius } => PlaneFrictionEntry {
            radius: Some(radius),
            ..entry(K::Pin, joint)
        },
    }
}

impl From<Motion> for MotionEntry {
    fn from(motion: Motion) -> Self {
        match motion {
            Motion::Uniform { start, rate } => Self::Polynomial(vec![start, rate]),
            Motion::Harmonic {
                mean,
                amplitude,
                frequency,
                phase,
            } => Self::Harmonic(HarmonicEntry {
                offset: mean,
                amplitude,
                rate: frequency,
                phase,
            }),
        }
    }
}

impl From<&PlanePairing> for PlanePairEntry {
    fn from(pair: &PlanePairing) -> Self {
        match pair {
            PlanePairing::DiscOnLine(pair) => Self::DiscOnLine {
                point: pair.line.point,
                normal: pair.line.normal,
                centre: pair.centre,
                radius: pair.radius,
            },
            PlanePairing::DiscOnDisc(pair) => Self::DiscOnDisc {
                centres: pair.centres,
                radii: pair.radii,
            },
            PlanePairing::DiscInCircle(pair) => Self::DiscInCircle {
                centres: pair.centres,
                radii: pair.radii,
            },
            PlanePairing::DiscOnArcCam(pair) => Self::DiscOnArcCam {
                base: pair.cam.base,
                flank: pair.cam.flank,
                nose: pair.cam.nose,
                top: pair.cam.top,
                half_dwell: pair.cam.half_dwell,
                centre: pair.centre,
                radius: pair.radius,
            },
            PlanePairing::DiscOnWedges(pair) => Self::DiscOnWedges {
                apex: pair.wedges.apex,
                normals: pair.wedges.normals,
                copies: pair.wedges.copies,
                sector: pair.wedges.centre,
                centre: pair.centre,
                radius: pair.radius,
            },
            PlanePairing::Rope(rope) => Self::Rope {
                points: rope.ends(),
                length: rope.length(),
            },
            PlanePairing::AngularStop(stop) if stop.sign > 0.0 => Self::AngleAtLeast(stop.limit),
            PlanePairing::AngularStop(stop) => Self::AngleAtMost(stop.limit),
        }
    }
}
