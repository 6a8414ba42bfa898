//! The parts of a mechanism, by the names of its rows and velocities.

use super::text::counted;
use liedae::analysis::{Entry, EntryKind};
use liedae::system::{Evaluator, System};
use liedae_multibody::MultibodySystem;
use serde::Serialize;
use std::any::TypeId;

/// Things of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Kind {
    /// What they are, and how many.
    pub count: String,
    /// Their names.
    pub names: Vec<String>,
}

/// What a mechanism consists of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Parts {
    /// Names of the bodies that move, elastic ones with the number of their modes.
    pub bodies: Vec<String>,
    /// Frames on elastic bodies that joints and forces attach to.
    pub markers: Vec<String>,
    /// What they are called: where the equations do not name bodies, they are the moving parts of the picture.
    pub called: &'static str,
    /// Joints and drives by kind.
    pub joints: Vec<Kind>,
    /// Contacts.
    pub contacts: Vec<String>,
    /// Springs, dampers, motors and other forces but gravity, where the mechanism counts them.
    pub forces: Option<usize>,
}

impl Parts {
    /// Those of a system. `frames` are names of what its drawing shows, for one whose velocities have no names.
    pub fn of(system: &mut dyn System, frames: &[String]) -> Self {
        let mut found = Self {
            contacts: contacts(system),
            forces: forces(system),
            ..Self::default()
        };
        let layout = system.layout();
        let (velocities, rows) = (layout.dimension(), layout.rows());
        let mut named = Evaluator::new(system);
        let mut bodies: Vec<(String, usize)> = Vec::new();
        for velocity in 0..velocities {
            let label = Entry::of(&mut named, EntryKind::Velocity, velocity).label;
            let Some((body, what)) = label.as_deref().and_then(body_of) else {
                continue;
            };
            let mode = usize::from(what.starts_with("mode "));
            match bodies.iter_mut().rev().find(|(known, _)| known == body) {
                Some((_, modes)) => *modes += mode,
                None => bodies.push((body.to_owned(), mode)),
            }
        }
        found.name(&bodies);
        found.called = "body";
        if found.bodies.is_empty() {
            found.bodies = frames.to_vec();
            found.called = "moving part";
        }
        let mut joints: Vec<(String, Vec<String>)> = Vec::new();
        let mut last = String::new();
        for row in 0..rows {
            let label = Entry::of(&mut named, EntryKind::Row, row).label;
            let Some((joint, kind, name)) = label.as_deref().and_then(joint_of) else {
                continue;
            };
            // Rows of one joint follow each other.
            if joint == last {
                continue;
            }
            last = joint.to_owned();
            match joints.iter_mut().find(|(known, _)| known == kind) {
                Some((_, names)) => names.push(name.to_owned()),
                None => joints.push((kind.to_owned(), vec![name.to_owned()])),
            }
        }
        let kinds = joints.into_iter().map(|(kind, names)| Kind {
            count: format!("{} × {kind}", names.len()),
            names,
        });
        found.joints = kinds.collect();
        found
    }

    /// Takes names of bodies with the numbers of their modes.
    fn name(&mut self, bodies: &[(String, usize)]) {
        let is_elastic = |name: &str| {
            bodies
                .iter()
                .any(|(known, modes)| known == name && *modes > 0)
        };
        for (name, modes) in bodies {
            // A marker is named after its body and a node.
            let of = name.rsplit_once('.').filter(|(of, _)| is_elastic(of));
            if of.is_some() {
                self.markers.push(name.clone());
            } else if *modes > 0 {
                self.bodies
                    .push(format!("{name} ({})", counted(*modes, "mode", "modes")));
            } else {
                self.bodies.push(name.clone());
            }
        }
    }

    /// The counts in one sentence.
    pub fn summary(&self) -> String {
        let joints = self.joints.iter().map(|kind| kind.names.len()).sum();
        let parts = [
            (
                self.bodies.len(),
                self.called,
                if self.called == "body" {
                    "bodies"
                } else {
                    "moving parts"
                },
            ),
            (joints, "joint or drive", "joints and drives"),
            (self.contacts.len(), "contact", "contacts"),
        ];
        let parts = parts.into_iter().filter(|(count, ..)| *count > 0);
        let mut words: Vec<String> = parts
            .map(|(count, one, several)| counted(count, one, several))
            .collect();
        if let Some(forces) = self.forces.filter(|&forces| forces > 0) {
            words.push(counted(
                forces,
                "spring, damper, motor or other force beside gravity",
                "springs, dampers, motors and other forces beside gravity",
            ));
        }
        format!("{}.", words.join(", "))
    }
}

/// The body of a velocity's name, `body 'crank': rotation`, and what of it moves.
fn body_of(label: &str) -> Option<(&str, &str)> {
    label.strip_prefix("body '")?.split_once("': ")
}

/// What precedes the colon of a row's name, kind and name of the joint: of `joint 'elbow' (revolute): displacement along x`, and, of
/// mechanisms in the plane, of `joint 3 (revolute, crank - rod): displacement along x`.
fn joint_of(label: &str) -> Option<(&str, &str, &str)> {
    let (joint, _) = label.split_once("): ")?;
    let (name, inside) = joint.rsplit_once(" (")?;
    let name = name.strip_prefix("joint ")?;
    Some(match inside.split_once(", ") {
        Some((kind, bodies)) => (joint, kind, bodies),
        None => (joint, inside, name.trim_matches('\'')),
    })
}

fn contacts(system: &mut dyn System) -> Vec<String> {
    let Some(unilateral) = liedae_contact::unilateral(system) else {
        return Vec::new();
    };
    let contacts = unilateral.contacts().iter();
    contacts.map(|contact| contact.label.clone()).collect()
}

fn forces(system: &mut dyn System) -> Option<usize> {
    let own = system.extension(TypeId::of::<MultibodySystem>())?;
    let mechanism: &MultibodySystem = own.downcast_ref()?;
    Some(mechanism.describe().forces)
}

#[cfg(test)]
mod tests {
    use super::*;
    use liedae_problems::ProblemRegistry;

    fn parts(name: &str) -> Parts {
        let problems = ProblemRegistry::standard();
        let entry = problems.find(name).expect("a problem");
        let mut problem = entry.build_with(&[]).expect("it builds");
        Parts::of(problem.system.as_mut(), &[])
    }

    #[test]
    fn joints_are_counted_by_kind() {
        // In space, in the plane, with contacts.
        let car = parts("full-car");
        assert_eq!(car.bodies.len(), 17);
        let count = |parts: &Parts, kind: &str| {
            let mut kinds = parts.joints.iter();
            kinds
                .find(|known| known.count.ends_with(kind))
                .map(|kind| kind.names.len())
        };
        assert_eq!(count(&car, " revolute"), Some(12));
        assert_eq!(count(&car, " spherical"), Some(8));
        assert_eq!(count(&car, " distance"), Some(4));
        assert!(
            car.summary()
                .contains("17 bodies, 24 joints and drives, 8 springs"),
            "{}",
            car.summary()
        );
        let robot = parts("planar-3rrr");
        assert_eq!(
            (robot.bodies.len(), count(&robot, " revolute")),
            (7, Some(9))
        );
        let cradle = parts("newton-cradle");
        assert_eq!((cradle.bodies.len(), cradle.contacts.len()), (3, 2));
        assert_eq!(parts("robertson").bodies.len(), 0);
        let elastic = parts("flexible-four-bar");
        assert_eq!(
            elastic.bodies,
            ["crank (4 modes)", "coupler (4 modes)", "rocker (4 modes)"]
        );
        assert_eq!(elastic.markers.len(), 3);
    }

    #[test]
    fn names_of_rows_are_read() {
        let read = joint_of("joint 'a (b)' (revolute): displacement along (0, 1, 0)");
        assert_eq!(read, Some(("joint 'a (b)' (revolute", "revolute", "a (b)")));
        let read = joint_of("joint 3 (revolute, crank - rod): displacement along x");
        assert_eq!(
            read,
            Some(("joint 3 (revolute, crank - rod", "revolute", "crank - rod"))
        );
        assert_eq!(joint_of("wire"), None);
    }
}
