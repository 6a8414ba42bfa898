//! From the beams of a mechanism to the tables of a file.

use super::entries::{BeamEntry, MechanismFile, NodeEntry, Reference, SectionEntry, StartEntry};
use super::export::{placed, rows};
use crate::MultibodySystem;
use crate::beam::{Section, SectionFrame, StatedBeam};
use crate::kinematics::Kinematics;
use nalgebra::Matrix6;
use std::collections::BTreeSet;

impl MultibodySystem {
    /// Which bodies are nodes of beams, or the frame and the markers of beams with modes: tables of their own state those.
    pub(super) fn parts_of_beams(&self) -> Vec<bool> {
        let mut is_part = vec![false; self.bodies.len()];
        let beams = self.stated_beams.iter();
        let nodes = beams.flat_map(|beam| beam.first..beam.first + beam.beam.reference.len());
        let flexible = self
            .flexible
            .iter()
            .filter(|body| body.model.beam.is_some());
        let modal = flexible.flat_map(|body| {
            let markers = body.markers.iter().map(|marker| marker.body);
            std::iter::once(body.frame).chain(markers)
        });
        for body in nodes.chain(modal) {
            if let Some(slot) = is_part.get_mut(body) {
                *slot = true;
            }
        }
        is_part
    }

    /// Writes the beams and their sections.
    pub(super) fn write_beams(&self, file: &mut MechanismFile, names: &mut SectionNames) {
        let is_part = self.parts_of_beams();
        for stated in &self.stated_beams {
            let beam = &stated.beam;
            let single = beam.sections.len() == 1;
            let own = (0..beam.sections.len()).map(|index| {
                let name = if single {
                    beam.name.clone()
                } else {
                    format!("{}.{index}", beam.name)
                };
                names.unique(name)
            });
            let own: Vec<String> = own.collect();
            let references: Vec<Reference> = own
                .iter()
                .map(|name| Reference(placed(name.clone())))
                .collect();
            let sections = own.into_iter().zip(&beam.sections);
            let sections = sections.map(|(name, section)| placed(section_entry(name, section)));
            file.sections.extend(sections);
            let mut entry = self.beam_entry(stated, bodies_before(&is_part, stated.first));
            if single {
                entry.section = references.into_iter().next();
            } else {
                entry.sections = Some(references);
            }
            file.beams.push(placed(entry));
        }
    }

    fn beam_entry(&self, stated: &StatedBeam, before: usize) -> BeamEntry {
        let beam = &stated.beam;
        let bodies = stated.first..stated.first + beam.reference.len();
        let start = bodies.map(|body| {
            let now = Kinematics::read(Some(body), &self.initial.q, &self.initial.v);
            StartEntry {
                point: now.position.into(),
                x: None,
                y: None,
                axes: Some(rows(&now.rotation)),
                velocity: Some(now.velocity.into()),
                angular_velocity: Some(now.omega.into()),
            }
        });
        let node = |frame: &SectionFrame| NodeEntry {
            point: frame.centroid.into(),
            x: None,
            y: None,
            axes: Some(rows(&frame.axes)),
        };
        BeamEntry {
            name: beam.name.clone(),
            section: None,
            sections: None,
            line: None,
            curve: None,
            nodes: Some(beam.reference.iter().map(node).collect()),
            start: Some(start.collect()),
            velocity: None,
            angular_velocity: None,
            constant_strain_energy: !beam.residual,
            after_bodies: Some(before),
        }
    }
}

/// How many entries of `bodies` come before a body.
pub(super) fn bodies_before(is_part: &[bool], first: usize) -> usize {
    is_part.iter().take(first).filter(|part| !**part).count()
}

/// Names of sections. Those of beams differ, but `a.0` may be a beam or a section of `a`.
#[derive(Default)]
pub(super) struct SectionNames(BTreeSet<String>);

impl SectionNames {
    /// This name, or a longer one that no section has.
    pub fn unique(&mut self, mut name: String) -> String {
        while !self.0.insert(name.clone()) {
            name.push('+');
        }
        name
    }
}

pub(super) fn section_entry(name: String, section: &Section) -> SectionEntry {
    let damped = section.fluidity.iter().any(|entry| *entry != 0.0);
    SectionEntry {
        name,
        material: None,
        rectangle: None,
        circle: None,
        tube: None,
        stiffness: None,
        compliance: Some(six(&section.compliance)),
        mass: Some(section.mass),
        rotary: Some(section.rotary),
        retardation: None,
        viscosity: None,
        fluidity: damped.then(|| six(&section.fluidity)),
        outline: section.outline.map(Into::into),
    }
}

fn six(matrix: &Matrix6<f64>) -> [[f64; 6]; 6] {
    std::array::from_fn(|i| std::array::from_fn(|j| matrix[(i, j)]))
}
