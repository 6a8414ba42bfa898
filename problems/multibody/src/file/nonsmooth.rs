//! The law of impact and the thresholds of a mechanism file.

use super::entries::{ImpactLawName, MechanismFile, ThresholdsEntry};
use super::error::FileError;
use super::export::NotExported;
use liedae_contact::{Accumulation, ImpactLaw, NonsmoothOptions, Thresholds};

/// What a file states of them, and what there is that needs it.
pub(super) struct Nonsmooth<'a> {
    pub law: Option<ImpactLawName>,
    pub thresholds: Option<ThresholdsEntry>,
    pub has_contacts: bool,
    /// The first contact with friction.
    pub rubs: Option<&'a str>,
    /// Whether joints may stick.
    pub sticks: bool,
}

impl Nonsmooth<'_> {
    pub fn options(&self) -> NonsmoothOptions {
        NonsmoothOptions {
            law: self.law.map(ImpactLaw::from).unwrap_or_default(),
            thresholds: self.thresholds.map(Thresholds::from).unwrap_or_default(),
            ..NonsmoothOptions::default()
        }
    }

    /// Refuses options that the mechanism does not use, and invalid ones.
    pub fn check(&self, text: &str) -> Result<(), FileError> {
        let bad = |key, reason: &str| Err(FileError::of_key(text, 0..text.len(), key, reason));
        if !self.has_contacts && self.law.is_some() {
            return bad("impact_law", "there are no contacts: expected none");
        }
        let Some(stated) = self.thresholds else {
            return self.check_law(text);
        };
        if !self.has_contacts && !self.sticks {
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
        let law = self.law.map(ImpactLaw::from);
        match self.rubs {
            Some(name) if law == Some(ImpactLaw::Poisson) => {
                let reason =
                    format!("contact `{name}` has friction: expected `moreau` or `sequential`");
                Err(FileError::of_key(text, 0..text.len(), "impact_law", reason))
            }
            _ => Ok(()),
        }
    }
}

/// What a file states of options; nothing of those that are usual.
pub(super) fn stated(
    options: &NonsmoothOptions,
) -> Result<(Option<ImpactLawName>, Option<ThresholdsEntry>), NotExported> {
    if options.accumulation != Accumulation::default() {
        return Err(NotExported::Accumulation);
    }
    let usual = NonsmoothOptions::default();
    let law = (options.law != usual.law).then(|| options.law.into());
    let differs = options.thresholds != usual.thresholds;
    Ok((law, differs.then(|| options.thresholds.into())))
}

impl MechanismFile {
    fn nonsmooth(&self) -> Nonsmooth<'_> {
        let rubs = |contact: &&toml::Spanned<super::ContactEntry>| {
            let friction = contact.get_ref().friction;
            friction.is_some_and(|friction| friction > 0.0)
        };
        let rubs = self.contacts.iter().find(rubs);
        let mut frictions = self.frictions.iter();
        Nonsmooth {
            law: self.impact_law,
            thresholds: self.thresholds,
            has_contacts: !self.contacts.is_empty(),
            rubs: rubs.map(|contact| contact.get_ref().name.as_str()),
            sticks: frictions.any(|friction| friction.get_ref().sticks)
                || !self.bearings.is_empty(),
        }
    }

    /// Options of the [`NonsmoothSystem`](liedae_contact::NonsmoothSystem) in which a mechanism with contacts or with
    /// joints that may stick is run.
    pub fn nonsmooth_options(&self) -> NonsmoothOptions {
        self.nonsmooth().options()
    }

    /// Writes such options; those that are usual are left out.
    ///
    /// # Errors
    /// [`NotExported::Accumulation`] for another policy than the usual one.
    pub fn set_nonsmooth_options(&mut self, options: &NonsmoothOptions) -> Result<(), NotExported> {
        (self.impact_law, self.thresholds) = stated(options)?;
        Ok(())
    }

    pub(super) fn check_nonsmooth(&self, text: &str) -> Result<(), FileError> {
        self.nonsmooth().check(text)
    }
}
