//! What a file says about impacts and about what counts as zero.

use super::entries::MechanismFile;
use super::error::FileError;
use super::export::NotExported;
use liedae_contact::{Accumulation, ImpactLaw, NonsmoothOptions, Thresholds};

impl MechanismFile {
    /// Options of the [`NonsmoothSystem`](liedae_contact::NonsmoothSystem) in which a mechanism with contacts or with
    /// joints that may stick is run.
    pub fn nonsmooth_options(&self) -> NonsmoothOptions {
        NonsmoothOptions {
            law: self.impact_law.map(ImpactLaw::from).unwrap_or_default(),
            thresholds: self.thresholds.map(Thresholds::from).unwrap_or_default(),
            ..NonsmoothOptions::default()
        }
    }

    /// Writes such options; those that are usual are left out.
    ///
    /// # Errors
    /// [`NotExported::Accumulation`] for another policy than the usual one.
    pub fn set_nonsmooth_options(&mut self, options: &NonsmoothOptions) -> Result<(), NotExported> {
        if options.accumulation != Accumulation::default() {
            return Err(NotExported::Accumulation);
        }
        let usual = NonsmoothOptions::default();
        self.impact_law = (options.law != usual.law).then(|| options.law.into());
        let differs = options.thresholds != usual.thresholds;
        self.thresholds = differs.then(|| options.thresholds.into());
        Ok(())
    }

    /// Refuses options that have no use, and those that make no sense.
    pub(super) fn check_nonsmooth(&self, text: &str) -> Result<(), FileError> {
        let bad = |key, reason: &str| Err(FileError::of_key(text, 0..text.len(), key, reason));
        if self.contacts.is_empty() && self.impact_law.is_some() {
            return bad("impact_law", "there are no contacts: expected none");
        }
        let sticks = self
            .frictions
            .iter()
            .any(|friction| friction.get_ref().sticks)
            || !self.bearings.is_empty();
        let Some(stated) = self.thresholds else {
            return self.check_law(text);
        };
        if self.contacts.is_empty() && !sticks {
            let reason = "there are no contacts and no joints that may stick: expected none";
            return bad("thresholds", reason);
        }
        let Thresholds {
            gap,
            velocity,
            acceleration,
            force,
            penetration,
        } = stated.into();
        let own = [stated.length, stated.time].into_iter().flatten();
        let mut numbers = own.chain([gap, velocity, acceleration, force, penetration]);
        if !numbers.all(|number| number > 0.0 && number.is_finite()) {
            return bad("thresholds", "expected positive numbers");
        }
        self.check_law(text)
    }

    fn check_law(&self, text: &str) -> Result<(), FileError> {
        let law = self.impact_law.map(ImpactLaw::from);
        let rubs = |contact: &&toml::Spanned<super::ContactEntry>| {
            contact
                .get_ref()
                .friction
                .is_some_and(|friction| friction > 0.0)
        };
        match self.contacts.iter().find(rubs) {
            Some(contact) if law == Some(ImpactLaw::Poisson) => {
                let name = &contact.get_ref().name;
                let reason =
                    format!("contact `{name}` has friction: expected `moreau` or `sequential`");
                Err(FileError::of_key(text, 0..text.len(), "impact_law", reason))
            }
            _ => Ok(()),
        }
    }
}
