//! Flexible bodies as the user states them.

use super::model::{ModalError, ModalModel};
use crate::body::{BodyId, RigidBody};
use crate::builder::MultibodyBuilder;
use crate::error::AssemblyError;
use crate::snapshot::Snapshot;
use nalgebra::{Matrix3, Vector3};

/// A flexible body: a model with its name, its markers and its start.
///
/// Its frame moves as a rigid body does when nothing is deformed; where the modes leave the frame's origin as it is, as those of a clamped
/// beam do, joints act on the frame as on that point of the body.
#[derive(Clone, Debug, PartialEq)]
pub struct ModalBody {
    pub(super) name: String,
    pub(super) model: ModalModel,
    pub(super) position: Vector3<f64>,
    pub(super) rotation: Matrix3<f64>,
    pub(super) velocity: Vector3<f64>,
    pub(super) omega: Vector3<f64>,
    pub(super) coordinates: Vec<f64>,
    pub(super) rates: Vec<f64>,
    pub(super) markers: Vec<usize>,
}

impl ModalBody {
    /// A body with its frame in that of the world, at rest, without deformation and without markers.
    pub fn new(name: impl Into<String>, model: ModalModel) -> Self {
        let modes = model.modes();
        Self {
            name: name.into(),
            model,
            position: Vector3::zeros(),
            rotation: Matrix3::identity(),
            velocity: Vector3::zeros(),
            omega: Vector3::zeros(),
            coordinates: vec![0.0; modes],
            rates: vec![0.0; modes],
            markers: Vec::new(),
        }
    }

    /// With the origin of its frame at this point of the world, in m.
    pub fn at(mut self, position: impl Into<Vector3<f64>>) -> Self {
        self.position = position.into();
        self
    }

    /// With this rotation matrix of its frame, body to world.
    pub fn rotated(mut self, rotation: Matrix3<f64>) -> Self {
        self.rotation = rotation;
        self
    }

    /// With this velocity of the frame's origin in m/s (world frame) and angular velocity in rad/s (body frame).
    pub fn moving(
        mut self,
        velocity: impl Into<Vector3<f64>>,
        omega: impl Into<Vector3<f64>>,
    ) -> Self {
        self.velocity = velocity.into();
        self.omega = omega.into();
        self
    }

    /// With these modal coordinates and their rates at the start, one for each mode.
    pub fn deformed(mut self, coordinates: Vec<f64>, rates: Vec<f64>) -> Self {
        self.coordinates = coordinates;
        self.rates = rates;
        self
    }

    /// With a marker at a node of the model: a body of its own, for joints, forces and contacts. Each costs six velocities and
    /// six rows.
    pub fn with_marker(mut self, node: usize) -> Self {
        self.markers.push(node);
        self
    }

    /// Checks the start and the markers.
    pub(crate) fn check(&self) -> Result<(), ModalError> {
        let modes = self.model.modes();
        for (what, list) in [
            ("modal coordinates", &self.coordinates),
            ("rates of modal coordinates", &self.rates),
        ] {
            if list.len() != modes {
                return Err(ModalError::Count {
                    what,
                    found: list.len(),
                    expected: modes,
                });
            }
            if !list.iter().all(|value| value.is_finite()) {
                return Err(ModalError::NotFinite("a modal coordinate or its rate"));
            }
        }
        let mut nodes = self.markers.iter();
        match nodes.find(|node| **node >= self.model.nodes()) {
            Some(&node) => Err(ModalError::UnknownNode {
                node,
                nodes: self.model.nodes(),
            }),
            None => Ok(()),
        }
    }
}

/// The bodies of a flexible body: its frame and its markers.
///
/// ```
/// use liedae::system::System;
/// use liedae_multibody::{BeamEnds, Material, ModalBeam, ModalBody, ModalNodes, MultibodyBuilder, Section, Snapshot};
///
/// // A ruler of 0.5 m with three bending modes and a marker at its tip.
/// let section = Section::rectangle(&Material::new(2.1e11, 0.3, 7850.0), [0.03, 0.001]);
/// let ruler = ModalBeam::new(section, 0.5, 10, BeamEnds::Clamped).with_bending([1, 2]).model()?;
/// let mut mechanism = MultibodyBuilder::new();
/// let ruler: ModalNodes = mechanism.add_modal_body(ModalBody::new("ruler", ruler).with_marker(10));
/// let system = mechanism.build()?;
/// assert_eq!((system.body("ruler"), system.body("ruler.10")), (Some(ruler.frame()), Some(ruler.marker(0))));
/// let start = system.initial_state();
/// let now = Snapshot::new(&system, &start);
/// assert_eq!((now.modal_coordinates(&ruler).len(), ruler.markers().len()), (3, 1));
/// assert!((now.position(ruler.marker(0)).x - 0.5).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ModalNodes {
    frame: BodyId,
    markers: Vec<BodyId>,
}

impl ModalNodes {
    /// The frame.
    pub fn frame(&self) -> BodyId {
        self.frame
    }

    /// The markers, in the order in which they were stated.
    pub fn markers(&self) -> &[BodyId] {
        &self.markers
    }

    /// A marker. One that does not exist is refused by whatever is put on it.
    pub fn marker(&self, index: usize) -> BodyId {
        let unknown = BodyId(Some(usize::MAX));
        self.markers.get(index).copied().unwrap_or(unknown)
    }
}

/// A marker: a node with the part of the inertia that it takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Marker {
    pub node: usize,
    /// Place among the bodies.
    pub body: usize,
    /// kg.
    pub mass: f64,
    /// About all axes, kg m².
    pub rotary: f64,
}

/// A flexible body before assembly.
#[derive(Clone, Debug)]
pub(crate) struct NamedModal {
    pub name: String,
    pub frame: usize,
    pub model: ModalModel,
    pub markers: Vec<Marker>,
    pub coordinates: Vec<f64>,
    pub rates: Vec<f64>,
}

impl MultibodyBuilder {
    /// Adds a flexible body: a body for its frame with its name, and one for each marker, named `<body>.<node>`.
    ///
    /// ```
    /// use liedae::prelude::*;
    /// use liedae_multibody::{BeamEnds, BodyId, Joint, ModalBeam, ModalBody, MultibodyBuilder, Material, Section};
    ///
    /// // A steel ruler, 0.5 m long and clamped at its end, bends under its weight.
    /// let steel = Material::new(2.1e11, 0.3, 7850.0);
    /// let section = Section::rectangle(&steel, [0.03, 0.001]);
    /// let ruler = ModalBeam::new(section, 0.5, 10, BeamEnds::Clamped).with_bending([1, 3]).model()?;
    /// let ruler = ruler.with_retardation(0.05)?;
    /// let mut mechanism = MultibodyBuilder::new();
    /// mechanism.gravity([0.0, 0.0, -9.81]);
    /// let ruler = mechanism.add_modal_body(ModalBody::new("ruler", ruler).with_marker(10));
    /// mechanism.add_joint(Joint::fixed("clamp", BodyId::GROUND, ruler.frame(), [0.0; 3]));
    /// let tip = ruler.marker(0);
    /// mechanism.probe("tip", move |now| now.position(tip).z);
    ///
    /// let mut system = mechanism.build()?;
    /// let method = liedae_contact::methods().build("radau5", &MethodOptions::default())?;
    /// let end = solve(&mut system, method.as_ref(), &Options::adaptive(1.0, 1e-6, 1e-6))?.state;
    /// // ρ A g L⁴ / (8 E I).
    /// let tip = named_outputs(&mut system, &end)?[0].1;
    /// assert!((tip / -0.0344 - 1.0).abs() < 0.01, "{tip}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn add_modal_body(&mut self, body: ModalBody) -> ModalNodes {
        match self.try_add_modal(&body) {
            Ok(nodes) => nodes,
            Err(error) => {
                self.rejected.push(AssemblyError::Modal {
                    body: body.name,
                    error,
                });
                // Whatever is put on its bodies is refused after the body itself.
                let unknown = BodyId(Some(usize::MAX));
                ModalNodes {
                    frame: unknown,
                    markers: vec![unknown; body.markers.len()],
                }
            }
        }
    }

    fn try_add_modal(&mut self, body: &ModalBody) -> Result<ModalNodes, ModalError> {
        body.check()?;
        let model = &body.model;
        let frame = model.frame(&body.name);
        let frame = RigidBody {
            position: body.position,
            rotation: body.rotation,
            velocity: body.velocity,
            omega: body.omega,
            ..frame
        };
        let first = self.bodies.len();
        let count = body.markers.len();
        let mut markers = Vec::with_capacity(count);
        let mut bodies = Vec::with_capacity(count);
        for (index, &node) in body.markers.iter().enumerate() {
            let share = model.share(node, count);
            let [mass, rotary] = share.ok_or(ModalError::NotFinite("the inertia at a marker"))?;
            let marker = Marker {
                node,
                body: first + 1 + index,
                mass,
                rotary,
            };
            let name = format!("{}.{node}", body.name);
            let motion = [body.coordinates.as_slice(), body.rates.as_slice()];
            bodies.push(marker.body(name, &frame, &model.nodes[node], motion));
            markers.push(marker);
        }
        let frame = self.add_body(frame);
        let bodies = bodies.into_iter().map(|body| self.add_body(body)).collect();
        self.modal.push(NamedModal {
            name: body.name.clone(),
            frame: first,
            model: model.clone(),
            markers,
            coordinates: body.coordinates.clone(),
            rates: body.rates.clone(),
        });
        Ok(ModalNodes {
            frame,
            markers: bodies,
        })
    }
}

impl<'a> Snapshot<'a> {
    /// The modal coordinates of a flexible body; empty of one that does not exist.
    pub fn modal_coordinates(&self, body: &ModalNodes) -> &'a [f64] {
        self.flexible(body.frame)
            .map_or(&[], |own| own.coordinates(&self.state().q))
    }

    /// The rates of the modal coordinates of a flexible body; empty of one that does not exist.
    pub fn modal_rates(&self, body: &ModalNodes) -> &'a [f64] {
        self.flexible(body.frame)
            .map_or(&[], |own| own.velocities(&self.state().v))
    }
}
