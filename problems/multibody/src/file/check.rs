//! Checks of what concerns a whole file.

use super::entries::{MechanismFile, MotionEntry, SectionEntry};
use super::error::FileError;
use serde::Serialize;
use toml::{Spanned, Value};

impl MechanismFile {
    /// Checks what concerns the whole file.
    pub(super) fn check(&self, text: &str) -> Result<(), FileError> {
        let bad = |key, reason: &str| Err(FileError::of_key(text, 0..text.len(), key, reason));
        if !self.t_start.is_finite() {
            return bad("t_start", "expected a finite time in s");
        }
        if !(self.t_end.is_finite() && self.t_end > self.t_start) {
            return bad("t_end", "expected a finite time in s after the start");
        }
        if self
            .step
            .is_some_and(|step| !(step.is_finite() && step > 0.0))
        {
            return bad("step", "expected a positive step in s");
        }
        if !self
            .absolute_scale
            .is_none_or(|scale| scale.is_finite() && scale > 0.0)
        {
            return bad("absolute_scale", "expected a positive number");
        }
        if !self.time_events.iter().all(|time| time.is_finite()) {
            return bad("time_events", "expected finite times in s");
        }
        if !self.gravity.iter().all(|part| part.is_finite()) {
            return bad("gravity", "gravity is not finite: expected numbers in m/s²");
        }
        self.check_numbers(text)?;
        self.check_motions(text)?;
        self.check_nonsmooth(text)?;
        match self.taken_energy() {
            Some(what) if self.keeps_energy => {
                let reason = format!("{what} does not keep the energy: expected `false`");
                bad("keeps_energy", &reason)
            }
            _ => Ok(()),
        }
    }

    /// Refuses what is not finite in the tables, with its key.
    fn check_numbers(&self, text: &str) -> Result<(), FileError> {
        check_finite(text, &self.bodies)?;
        check_finite(text, &self.beams)?;
        check_finite(text, &self.modal_beams)?;
        for section in &self.sections {
            // A section that is rigid in shear has infinite stiffness.
            let mut finite = section.get_ref().clone();
            let stiffness = finite.stiffness.take().unwrap_or_default();
            if stiffness.iter().any(|part| part.is_nan()) {
                let reason = "a number is not finite: expected numbers, or `inf` for what is rigid";
                return Err(FileError::of_key(text, section.span(), "stiffness", reason));
            }
            check_finite(text, &[Spanned::new(section.span(), finite)])?;
        }
        check_finite(text, &self.joints)?;
        check_finite(text, &self.drives)?;
        check_finite(text, &self.forces)?;
        check_finite(text, &self.springs)?;
        check_finite(text, &self.rotational_springs)?;
        check_finite(text, &self.frictions)?;
        check_finite(text, &self.bearings)?;
        check_finite(text, &self.contacts)?;
        check_finite(text, &self.initial)?;
        check_finite(text, &self.outputs)
    }

    /// The first element that gives or takes energy. A projection onto the energy at the start would put it back.
    fn taken_energy(&self) -> Option<String> {
        let drives = self.drives.iter().map(Spanned::get_ref);
        let joints = self.joints.iter().map(Spanned::get_ref);
        let springs = self.springs.iter().map(Spanned::get_ref);
        let rotational = self.rotational_springs.iter().map(Spanned::get_ref);
        let is_damped = |section: &&Spanned<SectionEntry>| {
            let section = section.get_ref();
            section.retardation.is_some_and(|time| time != 0.0)
                || section.viscosity.is_some()
                || section.fluidity.is_some()
        };
        let modal = self.modal_beams.iter().map(Spanned::get_ref);
        let modal = modal
            .filter(|beam| beam.retardation.is_some_and(|time| time != 0.0))
            .map(|beam| format!("the damping of modal beam `{}`", beam.name));
        let sections = self.sections.iter().filter(is_damped);
        let sections =
            sections.map(|section| format!("the damping of section `{}`", section.get_ref().name));
        let forces = self.forces.iter().map(Spanned::get_ref);
        let forces = forces
            .filter(|force| force.law.takes_energy())
            .map(|force| format!("force `{}`", force.name));
        let frictions = self.frictions.iter().map(Spanned::get_ref);
        let contacts = self.contacts.iter().map(Spanned::get_ref);
        let drives = drives.map(|drive| format!("drive `{}`", drive.name));
        let joints = joints
            .filter(|joint| joint.motion.as_ref().is_some_and(MotionEntry::moves))
            .map(|joint| format!("the motion of joint `{}`", joint.name));
        let followers = self.rotational_springs.iter().map(Spanned::get_ref);
        let followers = followers
            .filter(|spring| spring.follows.is_some())
            .map(|spring| format!("the motion of spring `{}`", spring.name));
        let dampers = springs
            .map(|spring| (&spring.name, spring.damping))
            .chain(rotational.map(|spring| (&spring.name, spring.damping)))
            .filter(|&(_, damping)| damping != 0.0)
            .map(|(name, _)| format!("the damping of spring `{name}`"));
        let bearings = self.bearings.iter().map(Spanned::get_ref);
        let frictions = frictions
            .map(|friction| (&friction.name, friction.coefficient))
            .chain(bearings.map(|bearing| (&bearing.name, bearing.coefficient)))
            .filter(|&(_, coefficient)| coefficient != 0.0)
            .map(|(name, _)| format!("friction `{name}`"));
        let contacts = contacts.filter_map(|contact| {
            let what = if contact.friction.is_some_and(|friction| friction != 0.0) {
                "friction"
            } else if contact.restitution != 1.0 {
                "restitution below 1"
            } else {
                return None;
            };
            Some(format!("the {what} of contact `{}`", contact.name))
        });
        drives
            .chain(joints)
            .chain(forces)
            .chain(followers)
            .chain(dampers)
            .chain(sections)
            .chain(modal)
            .chain(frictions)
            .chain(contacts)
            .next()
    }
}

/// Whether all numbers within a value are finite.
fn is_finite(value: &Value) -> bool {
    match value {
        Value::Float(number) => number.is_finite(),
        Value::Array(parts) => parts.iter().all(is_finite),
        Value::Table(parts) => parts.values().all(is_finite),
        _ => true,
    }
}

/// Looks at all numbers of entries, whatever their keys are: what is written is what was read.
fn check_finite<T: Serialize>(text: &str, entries: &[Spanned<T>]) -> Result<(), FileError> {
    for entry in entries {
        let unwritten = |why: String| FileError::of_key(text, entry.span(), "name", why);
        let table = Value::try_from(entry.get_ref());
        let table = table.map_err(|error| unwritten(format!("it is no table: {error}")))?;
        let Value::Table(keys) = table else {
            return Err(unwritten("expected a table".to_owned()));
        };
        if let Some((key, _)) = keys.iter().find(|(_, value)| !is_finite(value)) {
            let reason = "a number is not finite: expected finite numbers";
            return Err(FileError::of_key(text, entry.span(), key, reason));
        }
    }
    Ok(())
}
