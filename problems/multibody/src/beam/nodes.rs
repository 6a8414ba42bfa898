//! From a beam to bodies and elements.

use super::element::Element;
use super::inertia::{Weight, weights};
use super::section::{Outline, Section};
use super::statement::{Beam, SectionFrame};
use crate::body::{BodyId, RigidBody};
use crate::builder::MultibodyBuilder;
use crate::error::AssemblyError;
use liedae::manifold::rigid_motion;
use nalgebra::Vector3;
use std::f64::consts::FRAC_PI_2;

/// The bodies of a beam, from its first node to its last.
///
/// The frame of a node's body is that of its section: the origin in the centroid, x along the beam, y and z in the section.
///
/// ```
/// use liedae_multibody::{Beam, BeamNodes, BodyId, Joint, Material, MultibodyBuilder, Section};
///
/// // A clamped rod of 4 elements.
/// let steel = Material::new(2.1e11, 0.3, 7850.0);
/// let rod = Beam::straight("rod", Section::circle(&steel, 0.01), [0.0; 3], [2.0, 0.0, 0.0], 4);
/// let mut mechanism = MultibodyBuilder::new();
/// let rod: BeamNodes = mechanism.add_beam(rod);
/// mechanism.add_joint(Joint::fixed("clamp", BodyId::GROUND, rod.start(), [0.0; 3]));
/// let system = mechanism.build()?;
/// assert_eq!((rod.bodies().len(), rod.last()), (5, 4));
/// assert_eq!((system.body("rod.0"), system.body("rod.4")), (Some(rod.start()), Some(rod.end())));
/// # Ok::<(), liedae_multibody::AssemblyError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct BeamNodes {
    bodies: Vec<BodyId>,
    /// Place of the first element among those of the mechanism.
    first_element: usize,
}

impl BeamNodes {
    /// The bodies in their order.
    pub fn bodies(&self) -> &[BodyId] {
        &self.bodies
    }

    /// The body of a node. One that does not exist is refused by whatever is put on it.
    pub fn body(&self, node: usize) -> BodyId {
        let unknown = BodyId(Some(usize::MAX));
        self.bodies.get(node).copied().unwrap_or(unknown)
    }

    /// The first body.
    pub fn start(&self) -> BodyId {
        self.body(0)
    }

    /// The last body.
    pub fn end(&self) -> BodyId {
        self.body(self.last())
    }

    /// Number of the last node, which is that of elements.
    pub fn last(&self) -> usize {
        self.bodies.len().saturating_sub(1)
    }

    /// An element's place among those of the mechanism.
    pub(crate) fn element(&self, element: usize) -> Option<usize> {
        (element < self.last()).then_some(self.first_element + element)
    }
}

/// A beam as it was stated.
#[derive(Clone, Debug)]
#[cfg_attr(not(feature = "files"), allow(dead_code))]
pub(crate) struct StatedBeam {
    pub beam: Beam,
    /// Number of the body that is its first node.
    pub first: usize,
}

/// An element of a beam before assembly.
#[derive(Clone)]
pub(crate) struct NamedElement {
    pub name: String,
    pub bodies: [BodyId; 2],
    pub element: Element,
    pub outline: Option<Outline>,
}

impl MultibodyBuilder {
    /// Adds a beam: a body for each node, named `<beam>.<node>` from 0 on, and the elements between them.
    ///
    /// ```
    /// use liedae::prelude::*;
    /// use liedae_multibody::{Beam, BodyId, Joint, Material, MultibodyBuilder, Section};
    ///
    /// // A strip of rubber, 1 m long, falls about a hinge.
    /// let rubber = Material::new(5e6, 0.5, 1100.0);
    /// let strip = Section::rectangle(&rubber, [0.03, 0.01]).with_retardation(1e-2);
    /// let mut mechanism = MultibodyBuilder::new();
    /// mechanism.gravity([0.0, 0.0, -9.81]);
    /// let beam = mechanism.add_beam(Beam::straight("strip", strip, [0.0; 3], [1.0, 0.0, 0.0], 8));
    /// mechanism.add_joint(Joint::revolute("hinge", BodyId::GROUND, beam.start(), [0.0; 3], [0.0, 1.0, 0.0]));
    /// let tip = beam.end();
    /// mechanism.probe("tip", move |now| now.position(tip).z);
    /// // M_y at the hinge side.
    /// mechanism.probe("moment", move |now| now.section_forces(&beam, 0)[4]);
    ///
    /// let mut system = mechanism.build()?;
    /// let method = liedae_contact::methods().build("radau5", &MethodOptions::default())?;
    /// let end = solve(&mut system, method.as_ref(), &Options::adaptive(0.3, 1e-4, 1e-4))?.state;
    /// let outputs = named_outputs(&mut system, &end)?;
    /// assert!(outputs.iter().any(|(name, value)| name == "tip" && *value < -0.4));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn add_beam(&mut self, beam: Beam) -> BeamNodes {
        match self.try_add(&beam) {
            Ok(nodes) => nodes,
            Err(error) => {
                self.rejected.push(error);
                // Whatever is put on its nodes is refused after the beam itself.
                BeamNodes {
                    bodies: vec![BodyId(Some(usize::MAX)); beam.reference.len()],
                    first_element: usize::MAX,
                }
            }
        }
    }

    fn try_add(&mut self, beam: &Beam) -> Result<BeamNodes, AssemblyError> {
        let count = beam.elements();
        if count == 0 {
            return Err(AssemblyError::NoElements {
                beam: beam.name.clone(),
            });
        }
        let start = beam.start.as_ref().unwrap_or(&beam.reference);
        for (what, found) in [
            ("start frames", start.len()),
            ("sections", beam.sections.len()),
        ] {
            let expected = match what {
                "sections" => count,
                _ => count + 1,
            };
            if found != expected && !(what == "sections" && found == 1) {
                return Err(AssemblyError::BeamParts {
                    beam: beam.name.clone(),
                    what,
                    found,
                    expected,
                });
            }
        }
        let mut elements = Vec::with_capacity(count);
        for index in 0..count {
            let (length, reference) = beam.measure(index)?;
            let damping = &beam.section(index).fluidity;
            if !damping.iter().all(|entry| entry.is_finite()) {
                return Err(AssemblyError::NotFinite {
                    what: format!("the damping of element {index} of beam '{}'", beam.name),
                    element: Some(beam.name.clone()),
                });
            }
            let moduli = Element::moduli(beam.section(index), length, &reference, beam.residual);
            let Some((stiffness, viscosity)) = moduli else {
                return Err(AssemblyError::SectionStiffness {
                    beam: beam.name.clone(),
                    element: index,
                });
            };
            elements.push(Element {
                length,
                reference,
                stiffness,
                viscosity,
            });
        }
        let lengths: Vec<_> = elements.iter().map(|element| element.length).collect();
        let weights = weights(&lengths, |index| beam.section(index).clone());
        let bodies: Vec<_> = weights
            .iter()
            .zip(start)
            .enumerate()
            .map(|(node, (weight, frame))| self.add_body(beam.node(node, frame, weight)))
            .collect();
        let first_element = self.elements.len();
        for (index, element) in elements.into_iter().enumerate() {
            self.elements.push(NamedElement {
                name: format!("{}.{index}", beam.name),
                bodies: [bodies[index], bodies[index + 1]],
                element,
                outline: beam.section(index).outline,
            });
        }
        let first = bodies.first().and_then(|body| body.index());
        self.beams.extend(first.map(|first| StatedBeam {
            beam: beam.clone(),
            first,
        }));
        Ok(BeamNodes {
            bodies,
            first_element,
        })
    }
}

impl Beam {
    fn section(&self, element: usize) -> &Section {
        // One section stands for all.
        &self.sections[element.min(self.sections.len() - 1)]
    }

    /// Length and strain of an element in the reference shape.
    fn measure(&self, element: usize) -> Result<(f64, [f64; 6]), AssemblyError> {
        let [one, two] = [element, element + 1].map(|node| self.reference[node].to_group());
        let d = rigid_motion::log(&rigid_motion::relative(&one, &two));
        let length = Vector3::new(d[0], d[1], d[2]).norm();
        if !(length > 0.0 && length.is_finite()) {
            return Err(AssemblyError::ElementLength {
                beam: self.name.clone(),
                element,
                length,
            });
        }
        let angle = Vector3::new(d[3], d[4], d[5]).norm();
        if angle.is_nan() || angle > FRAC_PI_2 {
            return Err(AssemblyError::ElementTurn {
                beam: self.name.clone(),
                element,
                angle,
            });
        }
        Ok((length, d.map(|entry| entry / length)))
    }

    /// The body of a node.
    fn node(&self, node: usize, frame: &SectionFrame, weight: &Weight) -> RigidBody {
        let [mass, inertia @ ..] = *weight;
        let [velocity, omega] = self.motion;
        let first = self.start.as_ref().unwrap_or(&self.reference)[0].centroid;
        let velocity = velocity + omega.cross(&(frame.centroid - first));
        RigidBody::new(format!("{}.{node}", self.name), mass, inertia)
            .at(frame.centroid)
            .rotated(frame.axes)
            .moving(velocity, frame.axes.tr_mul(&omega))
    }
}
