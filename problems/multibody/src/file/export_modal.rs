//! From the beams with modes of a mechanism to the tables of a file.

use super::entries::{ForeshorteningName, MechanismFile, ModalBeamEntry, Reference, StartEntry};
use super::export::{placed, rows};
use super::export_beams::{SectionNames, bodies_before, section_entry};
use crate::kinematics::Kinematics;
use crate::modal::Flexible;
use crate::{ModalBeam, MultibodySystem, RigidBody};

impl MultibodySystem {
    /// Writes the bodies with modes that are beams, and their sections.
    pub(super) fn write_modal_beams(&self, file: &mut MechanismFile, names: &mut SectionNames) {
        let is_part = self.parts_of_beams();
        for body in &self.flexible {
            let Some(beam) = &body.model.beam else {
                continue;
            };
            let section = names.unique(body.name.clone());
            let entry = section_entry(section.clone(), &beam.section);
            file.sections.push(placed(entry));
            let section = Reference(placed(section));
            let before = bodies_before(&is_part, body.frame);
            let entry = self.modal_entry(body, beam, section, before);
            file.modal_beams.push(placed(entry));
        }
    }

    fn modal_entry(
        &self,
        body: &Flexible,
        beam: &ModalBeam,
        section: Reference,
        before: usize,
    ) -> ModalBeamEntry {
        let state = &self.initial;
        let frame = Kinematics::read(Some(body.frame), &state.q, &state.v);
        let coordinates = body.coordinates(&state.q);
        let rates = body.velocities(&state.v);
        let own = |values: &[f64]| {
            let moved = values.iter().any(|value| value.to_bits() != 0);
            moved.then(|| values.to_vec())
        };
        let beams = self.stated_beams.iter();
        let beams_before = beams.filter(|stated| stated.first < body.frame).count();
        ModalBeamEntry {
            name: body.name.clone(),
            section,
            length: beam.length,
            elements: beam.elements,
            ends: beam.ends.into(),
            bending: beam.bending,
            stretching: beam.stretching,
            twisting: beam.twisting,
            foreshortening: match (beam.foreshortening, beam.plain_field) {
                (false, _) => ForeshorteningName::None,
                (true, false) => ForeshorteningName::AffineFit,
                (true, true) => ForeshorteningName::PlainField,
            },
            retardation: body.model.retardation,
            markers: body.markers.iter().map(|marker| marker.node).collect(),
            position: frame.position.into(),
            rotation: Some(rows(&frame.rotation)),
            quaternion: None,
            velocity: frame.velocity.into(),
            angular_velocity: frame.omega.into(),
            coordinates: own(coordinates),
            rates: own(rates),
            start: self.marker_starts(body),
            after_bodies: Some(before),
            after_beams: Some(beams_before).filter(|_| !self.stated_beams.is_empty()),
        }
    }

    /// Where markers start, if a single one does not start where the modes put it.
    fn marker_starts(&self, body: &Flexible) -> Option<Vec<StartEntry>> {
        let state = &self.initial;
        let now = |body: usize| Kinematics::read(Some(body), &state.q, &state.v);
        let frame = now(body.frame);
        let frame = RigidBody {
            position: frame.position,
            rotation: frame.rotation,
            velocity: frame.velocity,
            omega: frame.omega,
            ..RigidBody::new("", 1.0, [1.0; 3])
        };
        let motion = [body.coordinates(&state.q), body.velocities(&state.v)];
        let is_there = body.markers.iter().all(|marker| {
            let node = &body.model.nodes[marker.node];
            let expected = marker.body(String::new(), &frame, node, motion);
            let found = now(marker.body);
            let pairs = (expected.position.iter().zip(found.position.iter()))
                .chain(expected.rotation.iter().zip(found.rotation.iter()))
                .chain(expected.velocity.iter().zip(found.velocity.iter()))
                .chain(expected.omega.iter().zip(found.omega.iter()));
            let mut pairs = pairs;
            pairs.all(|(one, two)| one.to_bits() == two.to_bits())
        });
        let starts = body.markers.iter().map(|marker| {
            let found = now(marker.body);
            StartEntry {
                point: found.position.into(),
                x: None,
                y: None,
                axes: Some(rows(&found.rotation)),
                velocity: Some(found.velocity.into()),
                angular_velocity: Some(found.omega.into()),
            }
        });
        (!is_there).then(|| starts.collect())
    }
}
