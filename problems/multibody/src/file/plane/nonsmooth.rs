//! Impacts and thresholds of plane mechanisms.

use super::entries::{PlaneContactEntry, PlaneMechanismFile};
use crate::file::nonsmooth::{Nonsmooth, stated};
use crate::file::{FileError, NotExported};
use liedae_contact::NonsmoothOptions;
use toml::Spanned;

impl PlaneMechanismFile {
    fn nonsmooth(&self) -> Nonsmooth<'_> {
        let rubs = |contact: &&Spanned<PlaneContactEntry>| {
            let friction = contact.get_ref().friction;
            friction.is_some_and(|friction| friction > 0.0)
        };
        let rubs = self.contacts.iter().find(rubs);
        Nonsmooth {
            law: self.impact_law,
            thresholds: self.thresholds,
            has_contacts: !self.contacts.is_empty(),
            rubs: rubs.map(|contact| contact.get_ref().name.as_str()),
            sticks: !self.frictions.is_empty(),
        }
    }

    /// Options of the [`NonsmoothSystem`](liedae_contact::NonsmoothSystem) in which a mechanism with contacts or friction is run.
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
