//! Bodies with modes in numbers.

use super::beam::{BeamEnds, ModalBeam};
use crate::MultibodySystem;
use nalgebra::DMatrix;

/// A body with modes, for readers who state it in another code: [`MultibodySystem::modal_bodies`] has them.
///
/// Its frame and its markers are bodies of the mechanism. Their masses there are those by which it is computed; the body is what stands here.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "files", derive(serde::Serialize, schemars::JsonSchema))]
pub struct ModalDescription {
    /// Name of the body and of its frame.
    pub name: String,
    /// Mass, kg.
    pub mass: f64,
    /// The beam that it is; none of a body from data of elsewhere.
    pub beam: Option<ModalBeamDescription>,
    /// Stiffness of the modal coordinates, by rows, N/m, N and N m as they are m or rad.
    pub stiffness: Vec<Vec<f64>>,
    /// Their damping, by rows.
    pub damping: Vec<Vec<f64>>,
    /// Modal coordinates at the start.
    pub coordinates: Vec<f64>,
    /// Their rates at the start.
    pub rates: Vec<f64>,
    /// Bodies that move as sections of it do.
    pub markers: Vec<ModalMarkerDescription>,
}

/// A marker of a body with modes.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "files", derive(serde::Serialize, schemars::JsonSchema))]
pub struct ModalMarkerDescription {
    /// Name of the body.
    pub body: String,
    /// The node, from 0 on.
    pub node: usize,
    /// Where the node is in the frame when nothing is deformed, m.
    pub position: [f64; 3],
}

/// A straight beam along the x-axis of its frame, by Hermite elements reduced to modes.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "files", derive(serde::Serialize, schemars::JsonSchema))]
pub struct ModalBeamDescription {
    /// Length, m.
    pub length: f64,
    /// Elements of equal length; nodes are numbered from 0 at the origin.
    pub elements: usize,
    /// Which ends the modes leave where they are in the frame: `clamped`: the start; `pinned`: both ends stay on the x-axis, and the start in its
    /// place; `free`: modes have no momentum in the frame.
    pub ends: &'static str,
    /// Modes of bending along y and along z, slow ones first.
    pub bending: [usize; 2],
    /// Modes of stretching.
    pub stretching: usize,
    /// Modes of twisting.
    pub twisting: usize,
    /// How deflections shorten the beam by half the integral of their squared slopes: `none`, `affine fit` (in the inertia as the affine field
    /// with the same first and cross moments) or `plain field`.
    pub foreshortening: &'static str,
    /// Stiffnesses of a section: E A, G A along y and z (not used: sections stay at right angles), G J, E I about y and z, N and N m².
    pub section_stiffness: [f64; 6],
    /// Viscosities of a section, in the same order, N s and N m² s.
    pub section_viscosity: [f64; 6],
    /// Mass per length, kg/m.
    pub section_mass: f64,
    /// Moments of inertia per length about x, y and z, kg m.
    pub section_inertia: [f64; 3],
}

impl ModalBeam {
    pub(super) fn describe(&self) -> ModalBeamDescription {
        let section = &self.section;
        let stiffness = section.compliance.diagonal().map(f64::recip);
        let viscosity = section
            .fluidity
            .diagonal()
            .component_mul(&stiffness.map(|k| k * k));
        ModalBeamDescription {
            length: self.length,
            elements: self.elements,
            ends: match self.ends {
                BeamEnds::Clamped => "clamped",
                BeamEnds::Pinned => "pinned",
                BeamEnds::Free => "free",
            },
            bending: self.bending,
            stretching: self.stretching,
            twisting: self.twisting,
            foreshortening: match (self.foreshortening, self.plain_field) {
                (false, _) => "none",
                (true, false) => "affine fit",
                (true, true) => "plain field",
            },
            section_stiffness: stiffness.into(),
            section_viscosity: viscosity
                .map(|value| if value.is_finite() { value } else { 0.0 })
                .into(),
            section_mass: section.mass,
            section_inertia: section.rotary,
        }
    }
}

#[cfg(feature = "files")]
impl ModalDescription {
    /// The JSON schema of its fields, with their meaning and units.
    ///
    /// ```
    /// use liedae_multibody::ModalDescription;
    ///
    /// let schema: serde_json::Value = serde_json::from_str(&ModalDescription::schema())?;
    /// assert_eq!(schema["properties"]["mass"]["description"], "Mass, kg.");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn schema() -> String {
        crate::file::described(schemars::schema_for!(Self))
    }
}

fn rows(matrix: &DMatrix<f64>) -> Vec<Vec<f64>> {
    matrix
        .row_iter()
        .map(|row| row.iter().copied().collect())
        .collect()
}

impl MultibodySystem {
    /// Its bodies with modes, in numbers.
    ///
    /// ```
    /// use liedae_multibody::{
    ///     BeamEnds, Material, ModalBeam, ModalBeamDescription, ModalBody, ModalDescription, ModalMarkerDescription, MultibodyBuilder, Section,
    /// };
    ///
    /// let section = Section::rectangle(&Material::new(2.1e11, 0.3, 7850.0), [0.03, 0.001]);
    /// let ruler = ModalBeam::new(section, 0.5, 10, BeamEnds::Clamped).with_bending([0, 2]).model()?;
    /// let mut mechanism = MultibodyBuilder::new();
    /// mechanism.add_modal_body(ModalBody::new("ruler", ruler).with_marker(10));
    /// let found: ModalDescription = mechanism.build()?.modal_bodies().remove(0);
    /// let beam: ModalBeamDescription = found.beam.expect("it is a beam");
    /// assert_eq!((beam.length, beam.ends, beam.foreshortening), (0.5, "clamped", "affine fit"));
    /// assert_eq!(found.stiffness.len(), 2);
    /// let tip: &ModalMarkerDescription = &found.markers[0];
    /// assert_eq!((tip.body.as_str(), tip.node, tip.position[1]), ("ruler.10", 10, 0.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn modal_bodies(&self) -> Vec<ModalDescription> {
        let bodies = self.flexible.iter().map(|body| {
            let (first, modes) = (body.coordinates_at, body.modes());
            let rates_at = body.velocities_at;
            let markers = body.markers.iter().map(|marker| ModalMarkerDescription {
                body: self.bodies[marker.body].name.clone(),
                node: marker.node,
                position: body.model.nodes[marker.node].position.into(),
            });
            ModalDescription {
                name: body.name.clone(),
                mass: body.model.mass(),
                beam: body.model.beam.as_ref().map(ModalBeam::describe),
                stiffness: rows(&body.model.stiffness),
                damping: rows(&body.model.damping),
                coordinates: self.initial.q.as_slice()[first..first + modes].to_vec(),
                rates: self.initial.v.as_slice()[rates_at..rates_at + modes].to_vec(),
                markers: markers.collect(),
            }
        });
        bodies.collect()
    }
}
