//! Checks of the functions of time of a file.

use super::entries::{LawEntry, MechanismFile, MotionEntry};
use super::error::FileError;
use toml::Spanned;

impl MotionEntry {
    /// Whether it changes in time.
    pub(super) fn moves(&self) -> bool {
        match self {
            Self::Constant(_) => false,
            Self::Polynomial(parts) => parts.iter().skip(1).any(|&part| part != 0.0),
            Self::Harmonic(parts) => parts.amplitude != 0.0 && parts.rate != 0.0,
            Self::Versine(parts) => parts.amplitude != 0.0 && parts.rate != 0.0,
            Self::Approach(parts) => parts.from != parts.to,
            Self::Sum(parts) => parts.iter().any(Self::moves),
            Self::Pieces(pieces) => pieces.len() > 1 || pieces.iter().any(|p| p.motion.moves()),
        }
    }

    /// What is wrong with it.
    pub(super) fn wrong(&self) -> Option<&'static str> {
        match self {
            Self::Polynomial(parts) if parts.is_empty() => Some(
                "a polynomial without coefficients: expected one or more, of t to the power 0 first",
            ),
            Self::Sum(parts) if parts.is_empty() => {
                Some("a sum of nothing: expected one motion or more")
            }
            Self::Constant(_) | Self::Polynomial(_) | Self::Harmonic(_) | Self::Versine(_) => None,
            Self::Approach(parts) if parts.time > 0.0 => None,
            Self::Approach(_) => Some("expected a `time` of the approach above 0, in s"),
            Self::Sum(parts) => parts.iter().find_map(Self::wrong),
            Self::Pieces(pieces) => {
                let Some((last, others)) = pieces.split_last() else {
                    return Some("there are no pieces: expected one or more");
                };
                if last.until.is_some() {
                    return Some("the last piece goes on: expected no `until` of it");
                }
                let mut before = f64::NEG_INFINITY;
                for piece in others {
                    match piece.until {
                        Some(until) if until > before => before = until,
                        Some(_) => {
                            return Some("expected pieces in the order of their moments `until`");
                        }
                        None => {
                            return Some("expected the moment `until` of each piece but the last");
                        }
                    }
                }
                pieces.iter().find_map(|piece| piece.motion.wrong())
            }
        }
    }
}

impl LawEntry {
    /// Its functions of time.
    fn motions(&self) -> Vec<&MotionEntry> {
        match self {
            Self::Load(load) => load.force.iter().chain(&load.torque).collect(),
            Self::CartesianSpring(spring) => spring.offset.iter().flatten().collect(),
            Self::Tyre(_) => Vec::new(),
        }
    }

    /// Whether it gives energy, or takes some.
    pub(super) fn takes_energy(&self) -> bool {
        match self {
            Self::Load(_) | Self::Tyre(_) => true,
            Self::CartesianSpring(spring) => {
                spring.damping.iter().any(|&damping| damping != 0.0)
                    || spring.offset.iter().flatten().any(MotionEntry::moves)
            }
        }
    }
}

fn check<'m, T>(
    text: &str,
    entry: &Spanned<T>,
    key: &str,
    motions: impl IntoIterator<Item = &'m MotionEntry>,
) -> Result<(), FileError> {
    match motions.into_iter().find_map(MotionEntry::wrong) {
        Some(reason) => Err(FileError::of_key(text, entry.span(), key, reason)),
        None => Ok(()),
    }
}

impl MechanismFile {
    /// Checks all functions of time.
    pub(super) fn check_motions(&self, text: &str) -> Result<(), FileError> {
        for joint in &self.joints {
            check(text, joint, "motion", &joint.get_ref().motion)?;
        }
        for drive in &self.drives {
            check(text, drive, "angle", &drive.get_ref().angle)?;
            check(text, drive, "translation", &drive.get_ref().translation)?;
        }
        for force in &self.forces {
            check(text, force, "law", force.get_ref().law.motions())?;
        }
        for spring in &self.rotational_springs {
            check(text, spring, "follows", &spring.get_ref().follows)?;
        }
        Ok(())
    }
}
