//! Named sets of problems.

use super::Case;
use crate::error::CommandError;
use crate::suggest::unknown;
use liedae_problems::problems;
use serde::Serialize;

/// A named set of problems.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProblemSet {
    /// Its name.
    pub name: &'static str,
    /// What is in it.
    pub title: &'static str,
    /// Names of the problems.
    pub problems: Vec<&'static str>,
}

/// The mechanisms of Fang et al. 2022, in the order of the paper.
pub const FANG2022: [&str; 3] = ["double-pendulum", "slider-crank", "four-link"];

/// The generic problems of the Test Set for IVP Solvers: ODEs, circuits, mechanical systems, by rising index.
pub const IVP: [&str; 16] = [
    "van-der-pol",
    "robertson",
    "hires",
    "oregonator",
    "pollution",
    "e5",
    "ring-modulator",
    "pleiades",
    "beam",
    "transistor-amplifier",
    "nand-gate",
    "wheelset",
    "water-tube",
    "fekete",
    "flexible-slider-crank",
    "car-axis",
];

/// Contacts and impacts whose motion is known in closed form.
pub const CONTACT_CLOSED_FORM: [&str; 13] = [
    "bouncing-ball",
    "ball-two-contacts",
    "pendulum-wall",
    "rod-floor",
    "newton-cradle",
    "rocking-block",
    "sphere-takeoff",
    "ladder",
    "shaker",
    "rope-pendulum",
    "rotating-rod-bead",
    "disc-backspin",
    "sliding-block",
];

/// Mechanisms with contacts and impacts.
pub const CONTACT: [&str; 21] = [
    "double-pendulum-wall",
    "triple-pendulum-stops",
    "chain-floor",
    "newton-cradle",
    "slider-train",
    "slider-crank-clearance",
    "press-machine",
    "four-bar-clearance",
    "cam-follower",
    "cam-rocker-valve",
    "woodpecker",
    "ratchet-pawl",
    "escapement",
    "escapement-double",
    "geneva-drive",
    "rocking-table",
    "excavator-stops",
    "compass-walker",
    "shaker-stack",
    "rope-pendulum-carts",
    "trip-breaker",
];

/// All sets.
pub fn problem_sets() -> Vec<ProblemSet> {
    vec![
        ProblemSet {
            name: "smooth",
            title: "all mechanisms without events",
            problems: smooth(),
        },
        ProblemSet {
            name: "fang2022",
            title: "the three mechanisms of Fang et al. 2022",
            problems: FANG2022.into(),
        },
        ProblemSet {
            name: "haug1997",
            title: "the three stiff mechanisms of Haug, Negrut and Iancu 1997, the last in two formulations",
            problems: vec![
                "stiff-double-pendulum",
                "tsda-slider-crank",
                "andrews-stiff",
                "andrews-cartesian-stiff",
            ],
        },
        ProblemSet {
            name: "haddouni2017",
            title: "the academic example of Haddouni et al. 2017",
            problems: vec!["haddouni-slider-crank"],
        },
        ProblemSet {
            name: "lie-group",
            title: "spatial rotation without joints between bodies",
            problems: vec!["heavy-top", "free-rigid-body"],
        },
        ProblemSet {
            name: "quick",
            title: "three small problems, for a first look",
            problems: vec!["pendulum", "heavy-top", "andrews"],
        },
        ProblemSet {
            name: "ivp",
            title: "the Test Set for IVP Solvers but for its mechanisms in other sets: stiff ODEs, circuits, DAEs",
            problems: IVP.into(),
        },
        ProblemSet {
            name: "contact",
            title: "mechanisms with contacts and impacts",
            problems: CONTACT.into(),
        },
        ProblemSet {
            name: "contact-closed-form",
            title: "contacts and impacts with closed forms",
            problems: CONTACT_CLOSED_FORM.into(),
        },
    ]
}

/// Mechanisms that build with their defaults and have neither state nor time events nor contacts. The problems of [`IVP`] are left
/// out: most are no mechanisms, and explicit methods would spend minutes on the stiff ones.
fn smooth() -> Vec<&'static str> {
    let is_smooth = |name: &str| {
        Case::new::<&str>(name, &[], None).is_ok_and(|mut case| {
            let system = case.system();
            let eventless = system.events().is_empty() && system.time_events().is_empty();
            eventless && system.unilateral().is_none()
        })
    };
    problems()
        .iter()
        .map(|entry| entry.name)
        .filter(|name| !IVP.contains(name) && is_smooth(name))
        .collect()
}

/// The problems of a list of names, of problems or of sets, separated by commas.
pub fn resolve(text: &str) -> Result<Vec<&'static str>, CommandError> {
    let sets = problem_sets();
    let mut names = Vec::new();
    for name in text.split(',').map(str::trim) {
        if let Some(set) = sets.iter().find(|set| set.name == name) {
            for &problem in &set.problems {
                if !names.contains(&problem) {
                    names.push(problem);
                }
            }
            continue;
        }
        let entry = problems()
            .iter()
            .find(|entry| entry.name == name)
            .ok_or_else(|| {
                let known = problems().iter().map(|entry| entry.name);
                let sets = sets.iter().map(|set| set.name);
                unknown("problem or set", name, known.chain(sets))
            })?;
        if !names.contains(&entry.name) {
            names.push(entry.name);
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_and_lists() {
        assert_eq!(
            resolve("quick").ok(),
            Some(vec!["pendulum", "heavy-top", "andrews"])
        );
        assert_eq!(
            resolve("pendulum, heavy-top,pendulum").ok(),
            Some(vec!["pendulum", "heavy-top"])
        );
        assert_eq!(
            resolve("heavy-top,quick").ok(),
            Some(vec!["heavy-top", "pendulum", "andrews"])
        );
        assert!(
            resolve("quik").is_err_and(|error| error.to_string().contains("did you mean `quick`"))
        );
        assert!(resolve("").is_err());
        assert!(resolve("contact,contact-closed-form").is_ok());
        assert!(resolve("ivp").is_ok_and(|names| names == IVP));
        assert!(
            resolve("smooth")
                .is_ok_and(|names| names.contains(&"chain") && !names.contains(&"robertson"))
        );
    }
}
