//! Nodes of flexible bodies and of beams in absolute nodal coordinates, which are no bodies: lines through them.

use super::{Drawing, Figure, Kind, LinkKind};
use crate::MultibodySystem;
use crate::kinematics::Kinematics;
use crate::modal::NodePlaces;
use liedae::system::State;

/// Where nodes are, by the coordinates of a state.
#[derive(Clone)]
enum Nodes {
    /// Of a beam in absolute nodal coordinates: where their positions start in q.
    Absolute(Vec<usize>),
    /// Of a body with modes, in its frame.
    Modal(NodePlaces),
}

/// Nodes with a line through them, or without.
#[derive(Clone)]
pub(super) struct Line {
    name: String,
    nodes: Nodes,
    is_line: bool,
}

impl MultibodySystem {
    /// All nodes that are no bodies.
    pub(super) fn lines(&self) -> Vec<Line> {
        let modal = self.flexible.iter().map(|body| Line {
            name: body.name.clone(),
            is_line: body.model.is_line(),
            nodes: Nodes::Modal(body.node_places()),
        });
        let absolute = self.ancf.iter().map(|beam| Line {
            name: beam.name.clone(),
            is_line: true,
            nodes: Nodes::Absolute(
                beam.positions()
                    .step_by(3)
                    .map(|(start, _)| start)
                    .collect(),
            ),
        });
        modal.chain(absolute).collect()
    }
}

impl Line {
    fn count(&self) -> usize {
        match &self.nodes {
            Nodes::Absolute(starts) => starts.len(),
            Nodes::Modal(places) => places.count(),
        }
    }

    pub fn names(&self) -> impl Iterator<Item = String> {
        (0..self.count()).map(|node| format!("{}, node {node}", self.name))
    }

    pub fn places(&self, state: &State) -> impl Iterator<Item = [f64; 3]> {
        (0..self.count()).map(|node| match &self.nodes {
            Nodes::Absolute(starts) => {
                let place = state.q.get(starts[node]..);
                let place = place.and_then(|place| place.first_chunk::<3>());
                place.copied().unwrap_or([f64::NAN; 3])
            }
            Nodes::Modal(places) => {
                let frame = Kinematics::read(Some(places.frame), &state.q, &[]);
                (frame.position + frame.rotation * places.place(node, &state.q)).into()
            }
        })
    }
}

/// Draws them, with their frames behind those of so many bodies.
pub(super) fn flexible_lines(mut drawing: Drawing, lines: &[Line], bodies: usize) -> Drawing {
    let mut first = bodies;
    for line in lines {
        let end = first + line.count();
        for node in first..end {
            if line.is_line && node + 1 < end {
                let ends = [node, node + 1].map(|node| (Some(node), [0.0; 3]));
                drawing = drawing.link(LinkKind::Rod, ends[0], ends[1]);
            } else if !line.is_line {
                drawing.add(Some(node), Kind::Body, Figure::Dot([0.0; 3]));
            }
        }
        first = end;
    }
    drawing
}
