//! From the tables of a file to a plane mechanism.

use super::contacts::touching;
use super::entries::{PlaneBodyEntry, PlaneMechanismFile};
use super::forces::{force, friction};
use super::joints::joint;
use super::names::{Names, places};
use super::outputs::shown;
use crate::file::FileError;
use crate::plane::{PlaneBodyData, PlaneForce, PlaneJoint, PlaneMechanism, PlaneMechanismError};
use toml::Spanned;

impl PlaneMechanismFile {
    /// Builds the mechanism; `text` is what the file was read from.
    ///
    /// # Errors
    /// [`FileError`] for names that are not there, keys that a kind needs or has no use for, and for what
    /// [`PlaneMechanism`] refuses.
    pub fn mechanism(&self, text: &str) -> Result<PlaneMechanism, FileError> {
        self.check(text)?;
        let names = Names {
            text,
            bodies: places(text, &self.bodies, ("body", |entry| &entry.name))?,
            joints: places(text, &self.joints, ("joint", |entry| &entry.name))?,
        };
        let frictions = places(text, &self.frictions, ("friction", |entry| &entry.name))?;
        let contacts = places(text, &self.contacts, ("contact", |entry| &entry.name))?;
        places(text, &self.outputs, ("output", |entry| &entry.name))?;
        for entry in &self.frictions {
            let name = &entry.get_ref().name;
            if contacts.contains_key(name.as_str()) {
                let reason =
                    format!("the contact `{name}` has outputs of that name: expected another one");
                return Err(FileError::of_key(text, entry.span(), "name", reason));
            }
        }
        for entry in &self.outputs {
            let name = &entry.get_ref().name;
            let own = name.rsplit_once('.').map(|(element, _)| element);
            let taken =
                |element: &str| contacts.contains_key(element) || frictions.contains_key(element);
            if own.is_some_and(taken) {
                let reason =
                    "contacts and frictions have outputs of such names: expected another one";
                return Err(FileError::of_key(text, entry.span(), "name", reason));
            }
        }
        let bodies = self.bodies.iter().map(|entry| body(entry.get_ref()));
        let bodies: Vec<PlaneBodyData> = bodies.collect();
        let mechanism = PlaneMechanism::new(bodies.clone(), self.gravity).map_err(|error| {
            let named = |entry: &&Spanned<PlaneBodyEntry>| match &error {
                PlaneMechanismError::Body { body, .. } => entry.get_ref().name == *body,
                _ => false,
            };
            let span = self.bodies.iter().find(named).map_or(0..0, Spanned::span);
            FileError::new(text, span, names.words(&error))
        })?;
        let joints = self.joints.iter().map(|entry| joint(&names, entry));
        let joints = joints.collect::<Result<Vec<PlaneJoint>, FileError>>()?;
        let mut mechanism = all_or_one(&names, &self.joints, &mechanism, |mechanism, range| {
            mechanism.with_joints(joints[range].iter().copied())
        })?;
        self.check_start(text, &bodies, &joints)?;
        let forces = self.forces.iter().map(|entry| force(&names, entry));
        let forces = forces.collect::<Result<Vec<PlaneForce>, FileError>>()?;
        mechanism = all_or_one(&names, &self.forces, &mechanism, |mechanism, range| {
            mechanism.with_forces(forces[range].iter().copied())
        })?;
        for entry in &self.frictions {
            let law = friction(&names, entry)?;
            let stated = entry.get_ref();
            let rubs = mechanism.with_friction(&stated.name, stated.coefficient, law);
            mechanism =
                rubs.map_err(|error| FileError::new(text, entry.span(), names.words(&error)))?;
        }
        for entry in &self.contacts {
            mechanism = touching(&names, entry, mechanism)?;
        }
        for entry in &self.outputs {
            let drives = |joint: usize| joints.get(joint).is_some_and(PlaneJoint::is_drive);
            mechanism = shown(&names, entry, mechanism, drives)?;
        }
        if self.keeps_energy {
            mechanism = mechanism.keeping_energy();
        }
        if let Some(step) = self.largest_step {
            mechanism = mechanism.with_largest_step(step);
        }
        Ok(mechanism.with_time_events(self.time_events.iter().copied()))
    }

    /// Checks what concerns the whole file.
    fn check(&self, text: &str) -> Result<(), FileError> {
        let bad = |key, reason: &str| Err(FileError::of_key(text, 0..text.len(), key, reason));
        if !self.plane {
            return bad(
                "plane",
                "expected `true`; mechanisms in space do not state it",
            );
        }
        if !(self.t_end.is_finite() && self.t_end > 0.0) {
            return bad("t_end", "expected a positive time in s");
        }
        let is_positive = |value: &f64| value.is_finite() && *value > 0.0;
        if !self.step.iter().all(is_positive) {
            return bad("step", "expected a positive number of seconds");
        }
        if !self.absolute_scale.iter().all(is_positive) {
            return bad("absolute_scale", "expected a positive number");
        }
        if !self.largest_step.iter().all(is_positive) {
            return bad("largest_step", "expected a positive number of seconds");
        }
        if !self.gravity.iter().all(|value| value.is_finite()) {
            return bad("gravity", "expected finite numbers");
        }
        if !self.time_events.iter().all(|moment| moment.is_finite()) {
            return bad("time_events", "expected finite moments");
        }
        if self.bodies.is_empty() {
            return bad("bodies", "there are no bodies: expected at least one");
        }
        self.check_nonsmooth(text)
    }
}

fn body(entry: &PlaneBodyEntry) -> PlaneBodyData {
    let ([x, y], [vx, vy]) = (entry.position, entry.velocity);
    PlaneBodyData {
        name: entry.name.clone(),
        mass: entry.mass,
        inertia: entry.inertia,
        position: [x, y, entry.angle],
        velocity: [vx, vy, entry.angular_velocity],
    }
}

/// A mechanism with all elements of a list, or an error about the first one that it refuses.
fn all_or_one<T>(
    names: &Names,
    entries: &[Spanned<T>],
    mechanism: &PlaneMechanism,
    add: impl Fn(PlaneMechanism, std::ops::Range<usize>) -> Result<PlaneMechanism, PlaneMechanismError>,
) -> Result<PlaneMechanism, FileError> {
    add(mechanism.clone(), 0..entries.len()).map_err(|error| {
        let mut alone = entries.iter().enumerate();
        let first = alone.find(|(index, _)| add(mechanism.clone(), *index..index + 1).is_err());
        let span = first.map_or(0..0, |(_, entry)| entry.span());
        FileError::new(names.text, span, names.words(&error))
    })
}
