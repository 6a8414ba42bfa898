//! An excavator whose cylinders reach their end stops.

use super::contacts::point_on_edge;
use super::statement::{Statement, restitution};
use crate::mechanisms::plane::bodies::{apex, bar, body};
use crate::mechanisms::plane::points::{pin, place, slider};
use crate::mechanisms::plane::{Built, GRAVITY, Mechanism};
use crate::{Parameters, Problem, ProblemEntry, ProblemError};
use liedae_contact::Contact;
use liedae_multibody::plane::{PlaneBodyData, PlaneForce, PlaneJoint};

pub(crate) const EXCAVATOR_STOPS: ProblemEntry = ProblemEntry {
    name: "excavator-stops",
    title: "excavator on a travelling base, its cylinders with end stops",
    description: "Base, boom, stick, bucket with rocker and link, and three cylinders, each of a barrel and a rod that slides \
                  in it: four closed loops. The base travels with 1 m/s against a buffer spring; boom and stick are held by springs \
                  in their cylinders, the bucket swings freely until its cylinder is at an end. End stops: boom and stick \
                  cylinder retracted, bucket cylinder retracted and extended. Numbers are this project's own.",
    source: "own mechanism, a mechanism with loops and limits in the manner of M. Haddouni, V. Acary, S. Garreau, \
             J.-D. Beley and B. Brogliato, Multibody Syst Dyn 41 (2017) 201-231, doi:10.1007/s11044-017-9570-y",
    parameters: &[restitution(0.3)],
    build,
};

fn build(parameters: &Parameters) -> Result<Problem, ProblemError> {
    Statement::new(EXCAVATOR_STOPS.name, 3.0, "bucket.theta")
        .problem(mechanism(parameters.get("e")?))
}

const BASE: usize = 0;
const BOOM: usize = 1;
const STICK: usize = 2;
const BUCKET: usize = 3;
const ROCKER: usize = 4;
const LINK: usize = 5;

/// A cylinder from a point of one body to a point of another one.
struct Cylinder {
    name: &'static str,
    /// Bodies at its ends.
    between: [usize; 2],
    ends: [[f64; 2]; 2],
    /// How far it may retract, and extend.
    stroke: [Option<f64>; 2],
    /// Stiffness and preload as a change of length.
    spring: Option<(f64, f64)>,
}

fn mechanism(e: f64) -> Built {
    let (hip, elbow, wrist) = ([0.5, 1.5], [4.5, 4.0], [6.5, 1.5]);
    let (rocker_pin, link_pin) = ([6.1, 2.0], [6.9, 1.6]);
    let corner = apex((rocker_pin, 0.6), (link_pin, 0.5))?;
    let cylinders = [
        Cylinder {
            name: "boom-cylinder",
            between: [BASE, BOOM],
            ends: [[1.2, 1.0], [2.4, 3.1]],
            stroke: [Some(0.15), None],
            spring: Some((3.0e5, 0.2)),
        },
        Cylinder {
            name: "stick-cylinder",
            between: [BOOM, STICK],
            ends: [[2.6, 3.7], [4.2, 4.6]],
            stroke: [Some(0.1), None],
            spring: Some((2.0e5, 0.0)),
        },
        Cylinder {
            name: "bucket-cylinder",
            between: [STICK, ROCKER],
            ends: [[4.9, 4.2], corner],
            stroke: [Some(0.12), Some(0.12)],
            spring: None,
        },
    ];
    let mut bodies = vec![
        body("base", 8000.0, 8000.0, [0.0, 1.0, 0.0]),
        bar("boom", 1500.0, [hip, elbow]),
        bar("stick", 800.0, [[4.2, 4.6], wrist]),
        body("bucket", 500.0, 150.0, [7.0, 0.9, 0.0]),
        bar("rocker", 60.0, [rocker_pin, corner]),
        bar("link", 60.0, [corner, link_pin]),
    ];
    let mut joints = slider(&bodies, BASE, [1.0, 0.0]).to_vec();
    joints.extend([
        pin(&bodies, BOOM, BASE, hip),
        pin(&bodies, STICK, BOOM, elbow),
        pin(&bodies, BUCKET, STICK, wrist),
        pin(&bodies, ROCKER, STICK, rocker_pin),
        pin(&bodies, LINK, ROCKER, corner),
        pin(&bodies, LINK, BUCKET, link_pin),
    ]);
    let mut forces = vec![PlaneForce::Spring {
        points: [(Some(BASE), [0.0, 0.0]), (None, [5.0, 1.0])],
        stiffness: 2.0e5,
        damping: 0.0,
        free_length: 5.0,
    }];
    for cylinder in &cylinders {
        cylinder.add(&mut bodies, &mut joints, &mut forces);
    }
    for body in &mut bodies {
        body.velocity[0] = 1.0;
    }
    let mut mechanism = Mechanism::new(bodies, GRAVITY)?
        .with_joints(joints)?
        .with_forces(forces)?;
    for (index, cylinder) in cylinders.iter().enumerate() {
        mechanism = cylinder.with_stops(mechanism, LINK + 1 + 2 * index, e)?;
    }
    Ok(mechanism)
}

impl Cylinder {
    /// The point at this share of the way.
    fn along(&self, share: f64) -> [f64; 2] {
        let [from, to] = self.ends;
        [0, 1].map(|axis| from[axis] + share * (to[axis] - from[axis]))
    }

    fn length(&self) -> f64 {
        let [from, to] = self.ends;
        (to[0] - from[0]).hypot(to[1] - from[1])
    }

    /// Adds barrel and rod, each 0.6 of the length at the start.
    fn add(
        &self,
        bodies: &mut Vec<PlaneBodyData>,
        joints: &mut Vec<PlaneJoint>,
        forces: &mut Vec<PlaneForce>,
    ) {
        let (barrel, rod) = (bodies.len(), bodies.len() + 1);
        let [from, to] = self.ends;
        bodies.push(bar(
            &format!("{}-barrel", self.name),
            80.0,
            [from, self.along(0.6)],
        ));
        bodies.push(bar(
            &format!("{}-rod", self.name),
            50.0,
            [self.along(0.4), to],
        ));
        joints.extend([
            pin(bodies, barrel, self.between[0], from),
            pin(bodies, rod, self.between[1], to),
            PlaneJoint::PointOnLine(
                place(bodies, rod, self.along(0.5)),
                place(bodies, barrel, self.along(0.5)),
                [1.0, 0.0],
            ),
            PlaneJoint::Angle(Some(rod), Some(barrel), 0.0),
        ]);
        forces.extend(self.spring.map(|(stiffness, preload)| PlaneForce::Spring {
            points: [place(bodies, barrel, from), place(bodies, rod, to)],
            stiffness,
            damping: 0.0,
            free_length: self.length() + preload,
        }));
    }

    /// The rod's middle stops in the barrel, both in the frames of their bodies.
    fn with_stops(&self, mut mechanism: Mechanism, barrel: usize, e: f64) -> Built {
        let [retract, extend] = self.stroke;
        let ends = [("retracted", retract, 1.0), ("extended", extend, -1.0)];
        let middle = 0.2 * self.length();
        for (end, stroke, sign) in ends {
            let Some(stroke) = stroke else { continue };
            let edge = [middle - sign * stroke, 0.0];
            let stop = point_on_edge(edge, [sign, 0.0], [-middle, 0.0])?;
            let contact = Contact::new(format!("{}-{end}", self.name), e);
            mechanism = mechanism.with_contact(contact, [Some(barrel), Some(barrel + 1)], stop)?;
        }
        Ok(mechanism)
    }
}
