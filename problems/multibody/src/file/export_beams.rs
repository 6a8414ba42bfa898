//! From the beams of a mechanism to the tables of a file.

use super::entries::{BeamEntry, MechanismFile, NodeEntry, Reference, SectionEntry, StartEntry};
use super::export::{placed, rows};
use crate::MultibodySystem;
use crate::beam::{Section, SectionFrame, StatedBeam};
use crate::kinematics::Kinematics;
use nalgebra::Matrix6;
use std::collections::BTreeSet;

impl MultibodySystem {
    /// Writes the beams, and takes the bodies that are their nodes out of the list.
    pub(super) fn write_beams(&self, file: &mut MechanismFile) {
        let mut is_node = vec![false; file.bodies.len()];
        // Names of beams differ, but `a.0` may be a beam or a section of `a`.
        let mut taken = BTreeSet::new();
        for stated in &self.stated_beams {
            let beam = &stated.beam;
            let single = beam.sections.len() == 1;
            let name = |index: usize| {
                let mut name = if single {
                    beam.name.clone()
                } else {
                    format!("{}.{index}", beam.name)
                };
                while !taken.insert(name.clone()) {
                    name.push('+');
                }
                name
            };
            let names: Vec<String> = (0..beam.sections.len()).map(name).collect();
            let references: Vec<Reference> = names
                .iter()
                .map(|name| Reference(placed(name.clone())))
                .collect();
            let sections = names.into_iter().zip(&beam.sections);
            let sections = sections.map(|(name, section)| placed(section_entry(name, section)));
            file.sections.extend(sections);
            let before = is_node
                .iter()
                .take(stated.first)
                .filter(|node| !**node)
                .count();
            let mut entry = self.beam_entry(stated, before);
            if single {
                entry.section = references.into_iter().next();
            } else {
                entry.sections = Some(references);
            }
            file.beams.push(placed(entry));
            is_node
                .iter_mut()
                .skip(stated.first)
                .take(beam.reference.len())
                .for_each(|node| *node = true);
        }
        let mut nodes = is_node.into_iter();
        file.bodies.retain(|_| !nodes.next().unwrap_or(false));
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

fn section_entry(name: String, section: &Section) -> SectionEntry {
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
