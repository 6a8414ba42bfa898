//! Beams in absolute nodal coordinates as the user states them.

use super::assembled::element_ranges;
use super::element::{Element, Formulation};
use super::error::AncfError;
use super::named::NamedAncf;
use super::tie::NodeTie;
use crate::beam::{Beam, Section};
use crate::body::{BodyId, RigidBody};
use crate::builder::MultibodyBuilder;
use crate::error::AssemblyError;
use crate::snapshot::Snapshot;
use nalgebra::{Matrix3, Vector3};
use std::collections::BTreeMap;

/// The part of the inertia of their vectors that markers take, if there is one at each node.
const TAKEN: f64 = 0.5;

/// Most elements of a beam.
const MOST: usize = 1_000_000;

/// A beam in absolute nodal coordinates, straight and of one section where nothing strains it.
///
/// A [`cable`](Self::cable) stretches and bends; it has no stiffness and no inertia against spinning about its axis. A
/// [`shear_deformable`](Self::shear_deformable) beam shears and twists as well. Displacements are of any size, strains are small for the
/// material. [`Beam`] does the same with rotations: prefer it where a beam carries many joints, or twists; prefer these where the mass
/// matrix is to be constant in space and the motion is fast.
#[derive(Clone, Debug)]
pub struct AncfBeam {
    name: String,
    formulation: Formulation,
    section: Section,
    ends: [Vector3<f64>; 2],
    elements: usize,
    start: Option<[Vec<f64>; 2]>,
    motion: [Vector3<f64>; 2],
    markers: Vec<usize>,
}

impl AncfBeam {
    /// A cable between two points of the world, without strain, of so many elements; nodes are numbered from 0 to `elements`.
    ///
    /// Of the section it takes E A, E I, which are to be the same about y and z, their viscosities, and the mass per length; rotary inertia
    /// of the sections is left out.
    pub fn cable(
        name: impl Into<String>,
        section: Section,
        from: impl Into<Vector3<f64>>,
        to: impl Into<Vector3<f64>>,
        elements: usize,
    ) -> Self {
        let ends = [from.into(), to.into()];
        Self::new(name.into(), Formulation::Cable, section, ends, elements)
    }

    /// A shear-deformable beam between two points of the world, without strain, of so many elements with a node in the
    /// middle of each: nodes are numbered from 0 to 2 `elements`.
    ///
    /// Its sections lie as those of [`Beam::straight`]. Their strains are not to be coupled, and their moments of inertia are to
    /// add up, that about x being the sum of the others. Changes of the section itself, which are of no interest, have the stiffnesses E A
    /// and G A.
    pub fn shear_deformable(
        name: impl Into<String>,
        section: Section,
        from: impl Into<Vector3<f64>>,
        to: impl Into<Vector3<f64>>,
        elements: usize,
    ) -> Self {
        let ends = [from.into(), to.into()];
        Self::new(
            name.into(),
            Formulation::ShearDeformable,
            section,
            ends,
            elements,
        )
    }

    fn new(
        name: String,
        formulation: Formulation,
        section: Section,
        ends: [Vector3<f64>; 2],
        elements: usize,
    ) -> Self {
        Self {
            name,
            formulation,
            section,
            ends,
            elements,
            start: None,
            motion: [Vector3::zeros(); 2],
            markers: Vec::new(),
        }
    }

    /// With a marker at a node: a body of its own, for joints, forces and contacts. The marker of a cable may spin about the tangent.
    pub fn with_marker(mut self, node: usize) -> Self {
        self.markers.push(node);
        self
    }

    /// Moving like a rigid body: with this velocity of its first node in m/s and this angular velocity in rad/s, both in the world.
    pub fn moving(
        mut self,
        velocity: impl Into<Vector3<f64>>,
        omega: impl Into<Vector3<f64>>,
    ) -> Self {
        self.motion = [velocity.into(), omega.into()];
        self
    }

    /// With these coordinates and rates at the start, strained by that. Node by node they are the position and the
    /// tangent r_x of a cable, and the position and the gradients r_y and r_z of a shear-deformable beam, in the world.
    /// What [`moving`](Self::moving) says is left out then, and markers of cables do not spin about the tangent.
    pub fn starting_at(mut self, coordinates: Vec<f64>, rates: Vec<f64>) -> Self {
        self.start = Some([coordinates, rates]);
        self
    }

    /// How many nodes it has.
    pub fn nodes(&self) -> usize {
        (self.formulation.nodes() - 1)
            .saturating_mul(self.elements)
            .saturating_add(1)
    }

    /// The coordinates of the straight beam.
    pub fn reference(&self) -> Vec<f64> {
        let [from, to] = &self.ends;
        let axes = self.axes();
        let last = (self.nodes() - 1) as f64;
        let gradients: &[usize] = match self.formulation {
            Formulation::Cable => &[0],
            Formulation::ShearDeformable => &[1, 2],
        };
        let node = |node: usize| {
            let place = from.lerp(to, node as f64 / last);
            let gradients = gradients.iter().map(|axis| axes.column(*axis).into_owned());
            std::iter::once(place).chain(gradients)
        };
        let vectors = (0..self.nodes()).flat_map(node);
        vectors.flat_map(<[f64; 3]>::from).collect()
    }

    /// The axes of the sections of the straight beam.
    fn axes(&self) -> Matrix3<f64> {
        let [from, to] = self.ends;
        let beam = Beam::straight("", self.section.clone(), from, to, 1);
        let frames = beam.frames();
        frames
            .first()
            .map_or(Matrix3::identity(), |frame| frame.axes)
    }

    /// Rates of a rigid motion.
    fn rigid(&self, coordinates: &[f64]) -> Vec<f64> {
        let [velocity, omega] = self.motion;
        let vectors = coordinates.as_chunks::<3>().0.iter().enumerate();
        let rate = |(index, vector): (usize, &[f64; 3])| -> [f64; 3] {
            let vector = Vector3::from(*vector);
            let rate = if index.is_multiple_of(self.formulation.vectors()) {
                velocity + omega.cross(&(vector - self.ends[0]))
            } else {
                omega.cross(&vector)
            };
            rate.into()
        };
        vectors.flat_map(rate).collect()
    }

    fn check(&self) -> Result<Element, AncfError> {
        if self.elements == 0 || self.elements > MOST {
            return Err(AncfError::Elements(self.elements));
        }
        let length = (self.ends[1] - self.ends[0]).norm();
        if !(length.is_finite() && length > 0.0) {
            return Err(AncfError::Length(length));
        }
        if !self.motion.iter().flatten().all(|part| part.is_finite()) {
            return Err(AncfError::NotFinite("its velocity"));
        }
        for (index, &node) in self.markers.iter().enumerate() {
            let nodes = self.nodes();
            if node >= nodes {
                return Err(AncfError::UnknownNode { node, nodes });
            }
            if self.markers[..index].contains(&node) {
                return Err(AncfError::TwoMarkers(node));
            }
        }
        Element::new(
            self.formulation,
            &self.section,
            length / self.elements as f64,
        )
    }

    /// Coordinates and rates at the start.
    fn motion(&self, element: &Element) -> Result<[Vec<f64>; 2], AncfError> {
        let reference = self.reference();
        let count = reference.len();
        let start = match &self.start {
            Some(start) => start.clone(),
            None => {
                let rates = self.rigid(&reference);
                [reference, rates]
            }
        };
        for (what, list) in ["coordinates", "rates of coordinates"]
            .into_iter()
            .zip(&start)
        {
            if list.len() != count {
                return Err(AncfError::Count {
                    what,
                    found: list.len(),
                    expected: count,
                });
            }
            if !list.iter().all(|number| number.is_finite()) {
                return Err(AncfError::NotFinite("a coordinate or its rate"));
            }
        }
        for range in element_ranges(self.formulation, self.elements) {
            let node = range.start / (3 * self.formulation.vectors());
            if !element.is_regular(&start[0][range]) {
                return Err(AncfError::Gradients(node));
            }
        }
        for node in 0..self.nodes() {
            self.rotation(&self.vectors(&start[0], node))
                .ok_or(AncfError::Gradients(node))?;
        }
        Ok(start)
    }

    /// The vectors of a node.
    fn vectors(&self, of: &[f64], node: usize) -> Vec<Vector3<f64>> {
        let count = self.formulation.vectors();
        let vectors = of.as_chunks::<3>().0;
        vectors[count * node..count * (node + 1)]
            .iter()
            .map(|vector| Vector3::from(*vector))
            .collect()
    }

    /// What a cable's marker spins with about its tangent: only a rigid motion says it.
    fn spin(&self, rotation: &Matrix3<f64>) -> f64 {
        let about = rotation.column(0).dot(&self.motion[1]);
        if self.start.is_none() { about } else { 0.0 }
    }

    /// How a marker lies on a node; `None` where its gradients do not say.
    fn rotation(&self, vectors: &[Vector3<f64>]) -> Option<Matrix3<f64>> {
        // Directions that differ by less than this angle are parallel.
        let direction = |vector: Vector3<f64>, size: f64| {
            let norm = vector.norm();
            (norm > 1e-8 * size).then(|| vector / norm)
        };
        let (x, y) = match self.formulation {
            Formulation::Cable => {
                let x = direction(vectors[1], f64::MIN_POSITIVE)?;
                let axes = self.axes();
                let second: Vector3<f64> = axes.column(1).into();
                let third: Vector3<f64> = axes.column(2).into();
                let across = |axis: Vector3<f64>| axis - x * x.dot(&axis);
                // The axis of the reference that is farther from the tangent.
                let far = if x.dot(&second).abs() < 0.9 {
                    second
                } else {
                    third
                };
                (x, direction(across(far), 1.0)?)
            }
            Formulation::ShearDeformable => {
                let size = vectors[1].norm() * vectors[2].norm();
                let x = direction(vectors[1].cross(&vectors[2]), size)?;
                let z = vectors[2].normalize();
                (x, z.cross(&x))
            }
        };
        Some(Matrix3::from_columns(&[x, y, x.cross(&y)]))
    }
}

/// The markers of a beam in absolute nodal coordinates.
///
/// ```
/// use liedae::system::System;
/// use liedae_multibody::{AncfBeam, AncfNodes, BodyId, Joint, MultibodyBuilder, Section, Snapshot};
///
/// // A rope of 1 m and 8 elements; both ends may be held.
/// let section = Section::new([1e5, 1e5, 1e5, 1e-2, 1e-2, 1e-2], 0.1, [1e-6; 3]);
/// let rope = AncfBeam::cable("rope", section, [0.0; 3], [1.0, 0.0, 0.0], 8);
/// let mut mechanism = MultibodyBuilder::new();
/// let rope: AncfNodes = mechanism.add_ancf_beam(rope.with_marker(0).with_marker(8));
/// mechanism.add_joint(Joint::spherical("hook", BodyId::GROUND, rope.marker(1), [1.0, 0.0, 0.0]));
/// let system = mechanism.build()?;
/// assert_eq!(rope.markers(), [system.body("rope.0"), system.body("rope.8")].map(|body| body.expect("a marker")));
/// let start = system.initial_state();
/// let now = Snapshot::new(&system, &start);
/// assert!((now.ancf_position(&rope, 4).x - 0.5).abs() < 1e-15 && (now.position(rope.marker(1)).x - 1.0).abs() < 1e-15);
/// # Ok::<(), liedae_multibody::AssemblyError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct AncfNodes {
    beam: usize,
    markers: Vec<BodyId>,
}

impl AncfNodes {
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

impl MultibodyBuilder {
    /// Adds a beam in absolute nodal coordinates. What is wrong with it is an error of [`build`](Self::build).
    ///
    /// A cable that hangs from both ends, and the sag of its middle beside that of the catenary:
    ///
    /// ```
    /// use liedae::analysis::{EquilibriumOptions, static_equilibrium};
    /// use liedae::system::{Evaluator, System};
    /// use liedae_multibody::{AncfBeam, BodyId, Joint, MultibodyBuilder, Section, Snapshot};
    ///
    /// // 1 m and 0.1 kg, hardly stiff in bending, hung up at a distance of 0.8 m.
    /// let rope = Section::new([1e5, 1e5, 1e5, 1e-4, 1e-4, 1e-4], 0.1, [1e-9; 3]);
    /// let bent = AncfBeam::cable("rope", rope, [-0.5, 0.0, 0.0], [0.5, 0.0, 0.0], 16);
    /// let mut start = bent.reference();
    /// for node in start.chunks_exact_mut(6) {
    ///     // A parabola that is about as long.
    ///     let x = 0.8 * node[0];
    ///     let slope = 3.4 * x;
    ///     let long = (1.0 + slope * slope).sqrt();
    ///     node.copy_from_slice(&[x, 0.0, 1.7 * (x * x - 0.16), 1.0 / long, 0.0, slope / long]);
    /// }
    /// let rates = vec![0.0; start.len()];
    /// let rope = bent.starting_at(start, rates).with_marker(0).with_marker(16);
    ///
    /// let mut mechanism = MultibodyBuilder::new();
    /// mechanism.gravity([0.0, 0.0, -9.81]);
    /// let rope = mechanism.add_ancf_beam(rope);
    /// for (name, marker, x) in [("left", 0, -0.4), ("right", 1, 0.4)] {
    ///     mechanism.add_joint(Joint::fixed(name, BodyId::GROUND, rope.marker(marker), [x, 0.0, 0.0]));
    /// }
    /// let mut system = mechanism.build_unchecked()?;
    /// let start = system.initial_state();
    /// let options = EquilibriumOptions { tolerance: 1e-9, ..EquilibriumOptions::default() };
    /// let found = static_equilibrium(&mut Evaluator::new(&mut system), &start, &options)?;
    /// let sag = -Snapshot::new(&system, &found.state).ancf_position(&rope, 8).z;
    /// assert!(sag > 0.2 && sag < 0.3, "{sag}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn add_ancf_beam(&mut self, beam: AncfBeam) -> AncfNodes {
        match self.try_add_ancf(&beam) {
            Ok(nodes) => nodes,
            Err(error) => {
                let markers = vec![BodyId(Some(usize::MAX)); beam.markers.len()];
                self.rejected.push(AssemblyError::Ancf {
                    beam: beam.name,
                    error,
                });
                AncfNodes {
                    beam: usize::MAX,
                    markers,
                }
            }
        }
    }

    fn try_add_ancf(&mut self, beam: &AncfBeam) -> Result<AncfNodes, AncfError> {
        let element = beam.check()?;
        let [coordinates, rates] = beam.motion(&element)?;
        let of_node = beam.formulation.vectors();
        let mut mass = BTreeMap::new();
        // What markers at all nodes could take of each vector.
        let mut shares = vec![0.0; coordinates.len() / 3];
        let own = element.shares(TAKEN)?;
        for range in element_ranges(beam.formulation, beam.elements) {
            let first = range.start / 3;
            for (index, share) in own.iter().enumerate() {
                shares[first + index] += share;
                for (other, value) in element.mass.row(index).iter().enumerate() {
                    if *value != 0.0 {
                        *mass.entry((first + index, first + other)).or_insert(0.0) += value;
                    }
                }
            }
        }
        let mut take = |vector: usize, share: f64| {
            *mass.entry((vector, vector)).or_insert(0.0) -= share;
        };
        let first_body = self.bodies.len();
        let mut bodies = Vec::with_capacity(beam.markers.len());
        let mut markers = Vec::with_capacity(beam.markers.len());
        for (index, &node) in beam.markers.iter().enumerate() {
            let first = of_node * node;
            let own = shares[first];
            let gradients = first + 1..first + of_node;
            let rotary = shares[gradients.clone()]
                .iter()
                .copied()
                .fold(f64::INFINITY, f64::min);
            take(first, own);
            for gradient in gradients {
                take(gradient, rotary);
            }
            let moments = match beam.formulation {
                Formulation::Cable => [rotary; 3],
                // Both gradients turn about x, one of them about y and z.
                Formulation::ShearDeformable => [2.0 * rotary, rotary, rotary],
            };
            let (vectors, speeds) = (beam.vectors(&coordinates, node), beam.vectors(&rates, node));
            let rotation = beam.rotation(&vectors).ok_or(AncfError::Gradients(node))?;
            let omega = NodeTie::spin(
                beam.formulation,
                &rotation,
                &vectors,
                &speeds,
                beam.spin(&rotation),
            )
            .ok_or(AncfError::Gradients(node))?;
            let name = format!("{}.{node}", beam.name);
            let body = RigidBody::new(name, own, moments)
                .at(vectors[0])
                .rotated(rotation)
                .moving(speeds[0], omega);
            bodies.push(body);
            markers.push((node, first_body + index));
        }
        let inertia = mass.into_iter();
        let inertia = inertia
            .map(|((row, column), value)| (row, column, value))
            .collect();
        let bodies = bodies.into_iter().map(|body| self.add_body(body)).collect();
        self.ancf.push(NamedAncf {
            name: beam.name.clone(),
            element,
            elements: beam.elements,
            inertia,
            markers,
            coordinates,
            rates,
        });
        Ok(AncfNodes {
            beam: self.ancf.len() - 1,
            markers: bodies,
        })
    }
}

impl<'a> Snapshot<'a> {
    /// The nodal coordinates of a beam as in [`AncfBeam::starting_at`]; empty of one that does not exist.
    pub fn ancf_coordinates(&self, beam: &AncfNodes) -> &'a [f64] {
        self.ancf(beam.beam)
            .map_or(&[], |own| own.coordinates(&self.state().q))
    }

    /// The rates of the nodal coordinates of a beam; empty of one that does not exist.
    pub fn ancf_rates(&self, beam: &AncfNodes) -> &'a [f64] {
        self.ancf(beam.beam)
            .map_or(&[], |own| own.velocities(&self.state().v))
    }

    /// Where a node is, in m; NaN of one that does not exist.
    pub fn ancf_position(&self, beam: &AncfNodes, node: usize) -> Vector3<f64> {
        let missing = Vector3::repeat(f64::NAN);
        let Some(own) = self.ancf(beam.beam) else {
            return missing;
        };
        let first = 3 * own.formulation().vectors() * node;
        let place = own.coordinates(&self.state().q).get(first..first + 3);
        place.map_or(missing, |place| Vector3::new(place[0], place[1], place[2]))
    }
}
