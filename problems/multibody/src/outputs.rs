//! Outputs of an assembled mechanism: names, definitions and values.

use super::ancf::AncfPart;
use super::body::BodyId;
use super::joint::JointId;
use super::marker::Axis;
use super::mechanism::{Inertial, MultibodySystem};
use super::modal::Flexible;
use super::output::{BodyQuantity, Measured, Output, Usual};
use super::snapshot::Snapshot;
use liedae::system::{EvaluationError, Outputs, State};
use liedae_contact::gap_definition;

/// The axes with their letters.
const AXES: [(Axis, &str); 3] = [(Axis::X, "x"), (Axis::Y, "y"), (Axis::Z, "z")];

/// Positions, velocities and angular velocities (body frame) of all bodies, and the states of forces.
pub(crate) fn default_outputs(
    bodies: &[Inertial],
    flexible: &[Flexible],
    ancf: &[AncfPart],
    counters: usize,
    states: &[String],
) -> (Vec<String>, Vec<Measured>) {
    let quantities = [
        ("", BodyQuantity::Position),
        ("v", BodyQuantity::Velocity),
        ("w", BodyQuantity::Omega),
    ];
    let mut names = Vec::new();
    let mut probes = Vec::new();
    for (index, body) in bodies.iter().enumerate() {
        let id = BodyId(Some(index));
        for (prefix, quantity) in quantities {
            for (axis, letter) in AXES {
                names.push(format!("{}.{prefix}{letter}", body.name));
                let probe = move |now: &Snapshot| {
                    let vector = match quantity {
                        BodyQuantity::Position => now.position(id),
                        BodyQuantity::Velocity => now.velocity(id),
                        BodyQuantity::Omega => now.omega(id),
                    };
                    vector[axis as usize]
                };
                let usual = Usual::Body(index, quantity, axis);
                probes.push(Measured::Usual(usual, Box::new(probe)));
            }
        }
    }
    for (place, body) in flexible.iter().enumerate() {
        for mode in 0..body.modes() {
            let (eta, rate) = (body.coordinates_at + mode, body.velocities_at + mode);
            names.push(format!("{}.mode{mode}", body.name));
            let probe = move |now: &Snapshot| now.state().q.get(eta).copied().unwrap_or(f64::NAN);
            probes.push(Measured::Usual(Usual::Mode(place, mode), Box::new(probe)));
            names.push(format!("{}.vmode{mode}", body.name));
            let probe = move |now: &Snapshot| now.state().v.get(rate).copied().unwrap_or(f64::NAN);
            let usual = Usual::ModeRate(place, mode);
            probes.push(Measured::Usual(usual, Box::new(probe)));
        }
    }
    for beam in ancf {
        for ((place, name), (axis, _)) in beam.positions().zip(AXES.into_iter().cycle()) {
            names.push(name);
            let probe = move |now: &Snapshot| now.state().q.get(place).copied().unwrap_or(f64::NAN);
            probes.push(Measured::Usual(Usual::Node(axis), Box::new(probe)));
        }
    }
    for (index, name) in states.iter().enumerate().skip(counters) {
        names.push(name.clone());
        let probe = move |now: &Snapshot| now.state().x.get(index).copied().unwrap_or(f64::NAN);
        probes.push(Measured::Usual(Usual::State, Box::new(probe)));
    }
    (names, probes)
}

impl Outputs for MultibodySystem {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn definitions(&mut self) -> Vec<Option<String>> {
        let own = self.probes.iter().map(|probe| match probe {
            Measured::Usual(usual, _) => self.define_usual(*usual),
            Measured::Stated(output) => self.define(output),
            Measured::Function(_, definition) => definition.clone(),
        });
        let gaps = self.contacts.laws.iter();
        own.chain(gaps.map(|law| Some(gap_definition(law))))
            .collect()
    }

    fn values(&mut self, state: &State, out: &mut [f64]) -> Result<(), EvaluationError> {
        let snapshot = Snapshot::new(self, state);
        for (slot, probe) in out.iter_mut().zip(&self.probes) {
            *slot = probe.of(&snapshot);
        }
        for (contact, slot) in out.iter_mut().skip(self.probes.len()).enumerate() {
            *slot = self.touch(contact, &state.point())?.gap;
        }
        Ok(())
    }
}

impl MultibodySystem {
    fn define_usual(&self, usual: Usual) -> Option<String> {
        Some(match usual {
            Usual::Body(body, quantity, axis) => {
                let (body, axis) = (BodyId(Some(body)), axis.name());
                let (name, origin) = self.names_of(body)?;
                match quantity {
                    BodyQuantity::Position => {
                        format!("{axis} of the {origin} of {name} in the fixed frame, m")
                    }
                    BodyQuantity::Velocity => format!(
                        "velocity of the {origin} of {name} along {axis} of the fixed frame, m/s"
                    ),
                    BodyQuantity::Omega => {
                        format!("angular velocity of {name} about {axis} of its own frame, rad/s")
                    }
                }
            }
            Usual::Mode(body, mode) => {
                let name = &self.flexible.get(body)?.name;
                format!("coordinate of mode {mode} of {name}, counted from 0")
            }
            Usual::ModeRate(body, mode) => {
                let name = &self.flexible.get(body)?.name;
                format!("rate of the coordinate of mode {mode} of {name}, counted from 0")
            }
            Usual::Node(axis) => format!("{} of the node in the fixed frame, m", axis.name()),
            Usual::State => return None,
        })
    }

    fn define(&self, output: &Output) -> Option<String> {
        let of_point = |body, point: [f64; 3]| {
            let (name, origin) = self.names_of(body)?;
            Some(match point {
                [0.0, 0.0, 0.0] => format!("the {origin} of {name}"),
                [x, y, z] => format!(
                    "the point ({x}, {y}, {z}) m of {name}, in its own frame from the {origin},"
                ),
            })
        };
        let joint = |joint: JointId| Some(&self.connection(joint)?.name);
        Some(match *output {
            Output::Position(body, point, axis) => {
                let (point, axis) = (of_point(body, point)?, axis.name());
                format!("{axis} of {point} in the fixed frame, m")
            }
            Output::Velocity(body, point, axis) => {
                let (point, axis) = (of_point(body, point)?, axis.name());
                format!("velocity of {point} along {axis} of the fixed frame, m/s")
            }
            Output::Acceleration(body, point, axis) => {
                let (point, axis) = (of_point(body, point)?, axis.name());
                format!("acceleration of {point} along {axis} of the fixed frame, m/s^2")
            }
            Output::AngularVelocity(body, axis) => {
                let (name, axis) = (self.names_of(body)?.0, axis.name());
                format!("angular velocity of {name} about {axis} of the fixed frame, rad/s")
            }
            Output::Force(of, axis) => {
                let (name, axis) = (joint(of)?, axis.name());
                format!("force of joint {name} on its body 2 along {axis} of the fixed frame, N")
            }
            Output::Torque(of, axis) => {
                let (name, axis) = (joint(of)?, axis.name());
                format!(
                    "torque of joint {name} on its body 2 about the joint's point there, about {axis} of the fixed frame, N m"
                )
            }
            Output::Effort(of) => {
                let name = joint(of)?;
                format!(
                    "effort of joint {name} on its body 2: of an angle the torque about the joint's z, N m; otherwise the force along the driven direction, N"
                )
            }
        })
    }

    /// The name of a body, and what its position is that of.
    fn names_of(&self, body: BodyId) -> Option<(&str, &'static str)> {
        let index = body.0?;
        let name = self.bodies.get(index)?.name.as_str();
        let is_frame = self.flexible.iter().any(|body| body.frame == index);
        let mut markers = self.flexible.iter().flat_map(|body| &body.markers);
        let is_marker = markers.any(|marker| marker.body == index);
        let mut beams = self.stated_beams.iter();
        let is_node = beams.any(|beam| {
            let nodes = beam.first..beam.first + beam.beam.reference.len();
            nodes.contains(&index)
        });
        let origin = match (is_frame || is_marker, is_node) {
            (true, _) => "origin of the frame",
            (_, true) => "centre of the section",
            _ => "centre of mass",
        };
        Some((name, origin))
    }
}
