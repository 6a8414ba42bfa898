//! Beams as the user states them.

use super::section::Section;
use liedae::manifold::{rigid_motion, rotation};
use nalgebra::{Matrix3, Vector3};

/// Where a cross section is and how it lies, in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SectionFrame {
    /// Its centroid in m.
    pub centroid: Vector3<f64>,
    /// Its axes as columns: x along the beam, y and z in the section.
    pub axes: Matrix3<f64>,
}

impl SectionFrame {
    /// At a point with unit x along the beam, and unit y as far as it is at right angles to x.
    ///
    /// Where they are not units, or parallel, the axes are not orthonormal and the mechanism that has them is refused.
    pub fn new(
        centroid: impl Into<Vector3<f64>>,
        x: impl Into<Vector3<f64>>,
        y: impl Into<Vector3<f64>>,
    ) -> Self {
        let (x, y) = (x.into(), y.into());
        let y = (y - x * x.dot(&y)).normalize();
        Self {
            centroid: centroid.into(),
            axes: Matrix3::from_columns(&[x, y, x.cross(&y)]),
        }
    }

    /// The frame at the end of a line of constant strain: its translational and rotational parts times its length, (1,
    /// 0, 0, 0, 0, 0) for one metre along x.
    pub fn moved(&self, twist: &[f64; 6]) -> Self {
        Self::from_group(&rigid_motion::compose(
            &self.to_group(),
            &rigid_motion::exp(twist),
        ))
    }

    /// Position, then the matrix row by row.
    pub(super) fn to_group(self) -> [f64; 12] {
        std::array::from_fn(|index| match index {
            0..3 => self.centroid[index],
            _ => self.axes[((index - 3) / 3, (index - 3) % 3)],
        })
    }

    fn from_group(h: &[f64; 12]) -> Self {
        let mut turn: [f64; 9] = std::array::from_fn(|index| h[3 + index]);
        rotation::normalize(&mut turn);
        Self {
            centroid: Vector3::new(h[0], h[1], h[2]),
            axes: Matrix3::from_row_slice(&turn),
        }
    }
}

/// A beam of finite elements that bends, twists, shears and stretches as far as it likes.
///
/// [`MultibodyBuilder::add_beam`](crate::MultibodyBuilder::add_beam) makes it: its nodes are bodies like others, with
/// joints, forces, contacts and drives on them as on rigid bodies; between them are elements of constant strain
/// (Sonneville, Cardona and Brüls 2014, doi:10.1016/j.cma.2013.10.008). Strains are small for the material and
/// displacements of any size.
///
/// Where joint coordinates say how a mechanism starts, a beam comes there in the shape in which it is stated, like a rigid body.
///
/// Nodes have masses and rotary inertia of their own: the mass matrix stays constant and block-diagonal, and explicit
/// methods solve nothing for it. Their masses integrate the kinetic energy with fourth order (Gregory's formula), so
/// that bending frequencies of thin beams have that order too; those of stretching and twisting are too low by the part
/// (k h)²/24 for waves of number k, with elements of length h.
#[derive(Clone, Debug)]
pub struct Beam {
    pub(crate) name: String,
    /// One for each element, or one for all.
    pub(crate) sections: Vec<Section>,
    /// Nodes of the reference shape, without strain.
    pub(crate) reference: Vec<SectionFrame>,
    /// Where the nodes start, if not there.
    pub(super) start: Option<Vec<SectionFrame>>,
    /// Velocity of the first node and angular velocity of the whole, both in the world.
    pub(super) motion: [Vector3<f64>; 2],
    pub(crate) residual: bool,
}

impl Beam {
    /// A straight beam with so many elements of equal length between two points of the world.
    ///
    /// The z-axis of its sections points upwards as far as the beam lets it, along the world's z; the y-axis of one
    /// that stands upright is the world's y. For another direction see [`through`](Self::through) or
    /// [`curved`](Self::curved).
    pub fn straight(
        name: impl Into<String>,
        section: Section,
        from: impl Into<Vector3<f64>>,
        to: impl Into<Vector3<f64>>,
        elements: usize,
    ) -> Self {
        let (from, to) = (from.into(), to.into());
        let length = (to - from).norm();
        let x = (to - from) / length;
        let y = Vector3::z().cross(&x);
        // Within 1e-6 rad of upright the horizontal direction would be one of round-off.
        let y = if y.norm() > 1e-6 { y } else { Vector3::y() };
        let frame = SectionFrame::new(from, x, y);
        Self::curved(name, section, frame, [0.0; 3], length, elements)
    }

    /// A beam of this length from a frame on with constant twist and curvature about y and z in 1/m: a straight line, an arc, a helix.
    pub fn curved(
        name: impl Into<String>,
        section: Section,
        first: SectionFrame,
        [twist, about_y, about_z]: [f64; 3],
        length: f64,
        elements: usize,
    ) -> Self {
        let frame = |node: usize| {
            let s = length * node as f64 / elements as f64;
            first.moved(&[s, 0.0, 0.0, s * twist, s * about_y, s * about_z])
        };
        let frames = (0..=elements).map(frame).collect();
        Self::through(name, section, frames)
    }

    /// A beam of any reference shape with nodes at these frames, and an element between each two.
    ///
    /// ```
    /// use liedae_multibody::{Beam, Section, SectionFrame};
    ///
    /// // A quarter of a circle of 2 m in the plane of x and y.
    /// let section = Section::new([1e6, 1e6, 1e6, 10.0, 10.0, 10.0], 1.0, [2e-4, 1e-4, 1e-4]);
    /// let frames = (0..=8).map(|node| {
    ///     let (sine, cosine) = (std::f64::consts::FRAC_PI_2 * f64::from(node) / 8.0).sin_cos();
    ///     let centroid = [2.0 * sine, 2.0 - 2.0 * cosine, 0.0];
    ///     SectionFrame::new(centroid, [cosine, sine, 0.0], [-sine, cosine, 0.0])
    /// });
    /// let arc = Beam::through("arc", section, frames.collect());
    /// assert!((arc.frames()[8].centroid.x - 2.0).abs() < 1e-12);
    /// ```
    pub fn through(name: impl Into<String>, section: Section, frames: Vec<SectionFrame>) -> Self {
        Self {
            name: name.into(),
            sections: vec![section],
            reference: frames,
            start: None,
            motion: [Vector3::zeros(); 2],
            residual: true,
        }
    }

    /// With a section for each element, such as a beam that tapers has.
    pub fn with_sections(mut self, sections: Vec<Section>) -> Self {
        self.sections = sections;
        self
    }

    /// With its nodes at these frames at the start, strained by that; the reference shape is stated as it was.
    pub fn starting_at(mut self, frames: Vec<SectionFrame>) -> Self {
        self.start = Some(frames);
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

    /// With the energy of strains that are constant in each element, as published. Without this call, an element also
    /// gives way by the forces and moments that vary between its nodes (the residual bending flexibility of MacNeal
    /// 1978, doi:10.1016/0045-7949(78)90020-2): bending converges with a higher order, and the fast shear waves of thin
    /// beams, which limit the steps of explicit methods, are gone.
    pub fn with_constant_strain_energy(mut self) -> Self {
        self.residual = false;
        self
    }

    /// The frames of its nodes in the reference shape.
    pub fn frames(&self) -> &[SectionFrame] {
        &self.reference
    }

    /// Number of elements.
    pub fn elements(&self) -> usize {
        self.reference.len().saturating_sub(1)
    }
}
