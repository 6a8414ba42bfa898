//! Beams and flexible bodies that are moved to where a mechanism starts.

use crate::body::BodyId;
use crate::builder::MultibodyBuilder;
use crate::joint::Joint;

/// How the names of joints begin that hold a beam or a flexible body in its shape. No user's joint has such a name.
pub(crate) const SHAPE: &str = "\0shape of ";

impl MultibodyBuilder {
    /// The bodies and joints of this mechanism with its beams and flexible bodies held in the shape in which they are
    /// stated; `None` where it has neither or states no joint coordinates, which alone move bodies before the start.
    pub(crate) fn with_rigid_beams(&self) -> Option<Self> {
        let moves = !(self.joint_positions.is_empty() && self.joint_rates.is_empty());
        let has_shapes =
            !(self.elements.is_empty() && self.modal.is_empty() && self.ancf.is_empty());
        if !(has_shapes && moves) {
            return None;
        }
        let held = self.elements.iter().filter_map(|part| {
            let [one, two] = part.bodies;
            let at = self.bodies.get(two.index()?)?.position;
            let name = format!("{SHAPE}beam {}", part.name);
            Some(Joint::fixed(name, one, two, at))
        });
        let markers = self.modal.iter().flat_map(|body| {
            let frame = BodyId(Some(body.frame));
            let markers = body.markers.iter();
            markers.map(move |marker| (frame, marker.body))
        });
        let nodal = self.ancf.iter().flat_map(|beam| {
            // All markers follow the first one.
            let mut bodies = beam.markers.iter().map(|(_, body)| *body);
            let first = BodyId(bodies.next());
            bodies.map(move |marker| (first, marker))
        });
        let markers = markers.chain(nodal);
        let markers = markers.filter_map(|(frame, marker)| {
            let body = self.bodies.get(marker)?;
            let marker = BodyId(Some(marker));
            let name = format!("{SHAPE}flexible body {}", body.name);
            Some(Joint::fixed(name, frame, marker, body.position))
        });
        let held = held.chain(markers);
        Some(Self {
            bodies: self.bodies.clone(),
            joints: self.joints.iter().cloned().chain(held).collect(),
            joint_positions: self.joint_positions.clone(),
            joint_rates: self.joint_rates.clone(),
            start: self.start,
            ..Self::default()
        })
    }
}
