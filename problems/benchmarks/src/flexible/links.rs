//! Elastic links of mechanisms that move in the plane y = 0.

use crate::parameters::Range;
use crate::{ParameterInfo, Parameters, ProblemError};
use liedae_multibody::{
    Axis, BeamEnds, BodyId, Frame, Joint, JointKind, Material, ModalBeam, ModalBody, ModalNodes,
    MultibodyBuilder, Output, Section, Snapshot,
};
use nalgebra::{Matrix3, Vector3};

/// Elements of every link; its nodes are numbered from 0 to this.
pub(super) const ELEMENTS: usize = 12;

/// Gravity in m/s² along -z.
pub(super) const GRAVITY: [f64; 3] = [0.0, 0.0, -9.81];

/// The axis of all hinges.
pub(super) const HINGE: [f64; 3] = [0.0, 1.0, 0.0];

/// The material of links that are to bend visibly: E = 3.2 GPa, ν = 0.35, 1190 kg/m³.
pub(super) fn acrylic() -> Material {
    Material::new(3.2e9, 0.35, 1190.0)
}

/// Which second order of the displacements the inertia has.
pub(super) const FIELD: ParameterInfo = ParameterInfo::new(
    "field",
    0.0,
    "1",
    Range::Choice(&["affine fit", "plain field"]),
    "how foreshortening enters the inertia: as the affine field with the same first and cross moments, or as it is at every point",
);

/// What the axis of a link does in the second order of its bending.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Foreshortening {
    /// Nothing.
    Absent,
    /// It becomes shorter, and the inertia has an affine fit of that.
    Fitted,
    /// It becomes shorter.
    Plain,
}

impl Foreshortening {
    /// What [`FIELD`] says.
    ///
    /// # Errors
    /// The problem has no such parameter.
    pub fn of(parameters: &Parameters) -> Result<Self, ProblemError> {
        Ok(match parameters.get(FIELD.name)? {
            0.0 => Self::Fitted,
            _ => Self::Plain,
        })
    }
}

/// A straight beam with modes that bend it in the plane y = 0.
#[derive(Clone)]
pub(super) struct Link {
    pub section: Section,
    pub ends: BeamEnds,
    /// Modes of bending.
    pub bending: usize,
    /// Modes of stretching.
    pub stretching: usize,
    /// Whether and how deflections shorten it.
    pub foreshortening: Foreshortening,
}

impl Link {
    /// With so many modes of bending, without stretching.
    pub fn new(
        section: Section,
        ends: BeamEnds,
        bending: usize,
        foreshortening: Foreshortening,
    ) -> Self {
        Self {
            section,
            ends,
            bending,
            stretching: 0,
            foreshortening,
        }
    }

    /// The beam of this length in m.
    pub fn beam(&self, length: f64) -> ModalBeam {
        let beam = ModalBeam::new(self.section.clone(), length, ELEMENTS, self.ends);
        let beam = beam.with_bending([0, self.bending]);
        let beam = beam.with_stretching(self.stretching);
        match self.foreshortening {
            Foreshortening::Absent => beam.without_foreshortening(),
            Foreshortening::Fitted => beam,
            Foreshortening::Plain => beam.with_plain_field(),
        }
    }

    /// Adds a link at rest and without deformation between two points, with markers at these nodes.
    ///
    /// # Errors
    /// Numbers that make no beam, for the problem of this name.
    pub fn add(
        &self,
        mechanism: &mut MultibodyBuilder,
        problem: &'static str,
        name: &str,
        [from, to]: [Vector3<f64>; 2],
        markers: &[usize],
    ) -> Result<ModalNodes, ProblemError> {
        let model = self.beam((to - from).norm()).model();
        let model = model.map_err(|error| ProblemError::build(problem, error))?;
        let body = ModalBody::new(name, model)
            .at(from)
            .rotated(along(to - from));
        let body = markers
            .iter()
            .fold(body, |body, node| body.with_marker(*node));
        Ok(mechanism.add_modal_body(body))
    }
}

/// A rotation about y that takes x to a direction in the plane y = 0.
pub(super) fn along(direction: Vector3<f64>) -> Matrix3<f64> {
    let x = direction.normalize();
    Matrix3::from_columns(&[x, Vector3::y(), x.cross(&Vector3::y())])
}

/// A point of the plane y = 0.
pub(super) fn at(x: f64, z: f64) -> Vector3<f64> {
    Vector3::new(x, 0.0, z)
}

/// A unit vector in the plane, so far from x towards z in rad.
pub(super) fn towards(angle: f64) -> Vector3<f64> {
    at(angle.cos(), angle.sin())
}

/// A revolute joint about y.
pub(super) fn hinge(name: &str, bodies: [BodyId; 2], point: Vector3<f64>) -> Joint {
    Joint::revolute(name, bodies[0], bodies[1], point, HINGE)
}

/// Joins two points within the plane only, by two rows: for bodies that other joints keep in it.
pub(super) fn add_pin(
    mechanism: &mut MultibodyBuilder,
    name: &str,
    bodies: [BodyId; 2],
    point: Vector3<f64>,
) {
    let axes = [("x", Vector3::x()), ("z", Vector3::z())];
    for (letter, direction) in axes {
        mechanism.add_joint(slot(&format!("{name} {letter}"), bodies, point, direction));
    }
}

/// Keeps a point of the second body from moving along this unit direction of the first, by one row.
pub(super) fn slot(
    name: &str,
    [first, second]: [BodyId; 2],
    point: Vector3<f64>,
    direction: Vector3<f64>,
) -> Joint {
    let frames = [Frame::world(point, direction); 2];
    let kind = JointKind::Dot2(liedae_multibody::Axis::Z, 0.0.into());
    Joint::new(name, kind, first, second, frames)
}

/// Adds the place of a body in the plane as `name.x` and `name.z`, in m.
pub(super) fn probe_place(mechanism: &mut MultibodyBuilder, name: &str, body: BodyId) {
    mechanism.output(
        format!("{name}.x"),
        Output::Position(body, [0.0; 3], Axis::X),
    );
    mechanism.output(
        format!("{name}.z"),
        Output::Position(body, [0.0; 3], Axis::Z),
    );
}

/// Adds the first coordinate of bending of a link as `name.bending`, in m.
pub(super) fn probe_bending(mechanism: &mut MultibodyBuilder, name: &str, link: &ModalNodes) {
    let link = link.clone();
    let output = format!("{name}.bending");
    mechanism.probe(&output, move |now| first_mode(now, &link));
    mechanism.define_output(
        &output,
        format!("coordinate of the first mode of {name}, m"),
    );
}

fn first_mode(now: &Snapshot, link: &ModalNodes) -> f64 {
    let modes = now.modal_coordinates(link);
    modes.first().copied().unwrap_or(f64::NAN)
}
