//! Energy properties of systems with contacts that are known before a run.

use super::Case;

use liedae::system::{Evaluator, Point};

/// Fractions of the run at which drives are looked for; a drive may stand still at one of them.
const MOMENTS: [f64; 5] = [0.0, 0.1234, 0.3456, 0.5678, 0.7891];

/// Whether no event can raise the energy: contacts without friction, and neither constraints nor gaps that move with
/// time; for a system that has not run yet. `None` for systems without contacts, and where this cannot be evaluated.
/// With friction Newton's law of impact may gain energy, and whatever is driven may be struck by its drive.
pub fn loses_energy_at_events(case: &mut Case) -> Option<bool> {
    let t_end = case.t_end;
    let system = case.system();
    let start = system.initial_state();
    let contacts = liedae_contact::unilateral(system)?.contacts().to_vec();
    if contacts.iter().any(|contact| contact.friction > 0.0) {
        return Some(false);
    }
    let rest = vec![0.0; start.v.len()];
    let mut rates = vec![0.0; system.layout().rows()];
    for moment in MOMENTS {
        let at = Point {
            t: start.t + moment * (t_end - start.t),
            v: &rest,
            ..start.point()
        };
        Evaluator::new(&mut *system)
            .velocity_constraint(&at, &mut rates)
            .ok()?;
        if rates.iter().any(|&rate| rate != 0.0) {
            return Some(false);
        }
        let unilateral = liedae_contact::unilateral(system)?;
        for contact in 0..contacts.len() {
            if unilateral.gap_rate(contact, &at).ok()? != 0.0 {
                return Some(false);
            }
        }
    }
    Some(true)
}

/// Whether contacts rub in two directions.
pub fn rubs_in_space(case: &mut Case) -> bool {
    liedae_contact::unilateral(case.system()).is_some_and(|unilateral| {
        let mut contacts = unilateral.contacts().iter();
        contacts.any(|contact| contact.tangents > 1 && contact.friction > 0.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::CommandError;
    use crate::registry::Registry;

    #[test]
    fn friction_and_drives_may_raise_the_energy() -> Result<(), CommandError> {
        let expected = [
            ("double-pendulum-wall", Some(true)),
            ("newton-cradle", Some(true)),
            ("trip-breaker", Some(true)),
            ("woodpecker", Some(false)),
            ("shaker-stack", Some(false)),
            ("rocking-table", Some(false)),
            ("cam-follower", Some(false)),
            ("pendulum", None),
        ];
        for (name, expected) in expected {
            let mut case = Registry::standard().case::<&str>(name, &[], None)?;
            assert_eq!(loses_energy_at_events(&mut case), expected, "{name}");
        }
        Ok(())
    }
}
