//! Named sets of problems.

use super::{Case, Instance};
use crate::error::CommandError;
use crate::suggest::unknown;
use liedae::system::{event_descriptions, time_events};
use liedae_problems::{ProblemEntry, ProblemRegistry};
use serde::Serialize;

/// A named set of problems.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProblemSet {
    /// Its name.
    pub name: &'static str,
    /// What is in it.
    pub title: &'static str,
    /// Names of the problems, with parameters other than their defaults.
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

/// Mechanisms with contacts and impacts, some with several parameters: elastic and plastic impacts, one contact and
/// many, driven and free, with friction and without.
pub const CONTACT: [&str; 34] = [
    "double-pendulum-wall:e=0.6",
    "double-pendulum-wall:e=0.8",
    "double-pendulum-wall:e=0",
    "triple-pendulum-stops",
    "chain-floor",
    "newton-cradle:n=3:gap=0.001",
    "newton-cradle:n=5",
    "newton-cradle:n=5:e=0.5",
    "newton-cradle:n=8:e=0.9",
    "slider-train:n=3",
    "slider-train:n=5:e=0",
    "slider-train:n=6:e=0.6:line=1",
    "slider-crank-clearance",
    "slider-crank-clearance:mu=0",
    "slider-crank-clearance:clearance=0.0005:omega=75:t_end=0.4",
    "press-machine",
    "press-machine:variant=1",
    "four-bar-clearance:clearances=1:mu=0:e=0.5",
    "four-bar-clearance:clearances=3",
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
    "shaker-lever",
    "rope-pendulum-carts",
    "trip-breaker",
    "slider-crank-friction",
];

/// All sets.
pub fn problem_sets(problems: &ProblemRegistry) -> Vec<ProblemSet> {
    vec![
        ProblemSet {
            name: "smooth",
            title: "all mechanisms without events",
            problems: smooth(problems),
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

/// The set of this name.
pub fn find_set(problems: &ProblemRegistry, name: &str) -> Result<ProblemSet, CommandError> {
    let sets = problem_sets(problems);
    let names: Vec<&str> = sets.iter().map(|set| set.name).collect();
    let mut found = sets.into_iter().filter(|set| set.name == name.trim());
    found
        .next()
        .ok_or_else(|| unknown("set", name, names.into_iter()))
}

/// Mechanisms that build with their defaults and have neither state nor time events nor contacts. The problems of [`IVP`] are left
/// out: most are no mechanisms, and explicit methods would spend minutes on the stiff ones.
fn smooth(problems: &ProblemRegistry) -> Vec<&'static str> {
    let is_smooth = |entry: ProblemEntry| {
        Case::new::<&str>(entry, &[], None).is_ok_and(|mut case| {
            let system = case.system();
            let eventless = event_descriptions(system).is_empty() && time_events(system).is_empty();
            let forces = liedae_contact::unilateral(system).is_none()
                && liedae_contact::joint_friction(system).is_none();
            eventless && forces
        })
    };
    let entries = problems.entries().iter();
    entries
        .filter(|entry| !IVP.contains(&entry.name) && is_smooth(**entry))
        .map(|entry| entry.name)
        .collect()
}

/// The problems of a list, separated by commas: names of problems, with parameters as in `newton-cradle:n=5`, and of sets.
pub fn resolve(problems: &ProblemRegistry, text: &str) -> Result<Vec<Instance>, CommandError> {
    let sets = problem_sets(problems);
    let mut instances: Vec<Instance> = Vec::new();
    let mut add = |text: &str| -> Result<(), CommandError> {
        let instance = Instance::parse(problems, text)?;
        if instances.iter().all(|known| known.label != instance.label) {
            instances.push(instance);
        }
        Ok(())
    };
    for text in text.split(',').map(str::trim) {
        if let Some(set) = sets.iter().find(|set| set.name == text) {
            for problem in &set.problems {
                add(problem)?;
            }
            continue;
        }
        let name = text.split(':').next().unwrap_or_default().trim();
        if let Some(set) = sets.iter().find(|set| set.name == name) {
            return Err(CommandError::Setting {
                setting: text.to_owned(),
                expected: format!(
                    "`{}` is a set of problems, which takes no parameters",
                    set.name
                ),
            });
        }
        if problems.find(name).is_none() {
            let known = problems.names();
            let sets = sets.iter().map(|set| set.name);
            return Err(unknown("problem or set", name, known.chain(sets)));
        }
        add(text)?;
    }
    Ok(instances)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(text: &str) -> Result<Vec<String>, CommandError> {
        let instances = resolve(&ProblemRegistry::standard(), text)?.into_iter();
        Ok(instances.map(|instance| instance.label).collect())
    }

    #[test]
    fn sets_and_lists() -> Result<(), CommandError> {
        assert_eq!(labels("quick")?, ["pendulum", "heavy-top", "andrews"]);
        assert_eq!(
            labels("pendulum, heavy-top,pendulum")?,
            ["pendulum", "heavy-top"]
        );
        assert_eq!(
            labels("heavy-top,quick")?,
            ["heavy-top", "pendulum", "andrews"]
        );
        assert_eq!(
            labels("pendulum:length=2,pendulum")?,
            ["pendulum:length=2", "pendulum"]
        );
        assert!(
            resolve(&ProblemRegistry::standard(), "quik")
                .is_err_and(|error| error.to_string().contains("did you mean `quick`"))
        );
        for wrong in ["", "quick:g=1", "pendulum:length=-1", "pendulum:size=1"] {
            assert!(
                resolve(&ProblemRegistry::standard(), wrong).is_err(),
                "{wrong}"
            );
        }
        assert_eq!(labels("contact")?, CONTACT);
        assert_eq!(labels("ivp")?, IVP);
        let smooth = labels("smooth")?;
        assert!(smooth.iter().any(|name| name == "chain"));
        assert!(smooth.iter().all(|name| name != "robertson"));
        Ok(())
    }

    /// The open test set has the linkage with one clearance without friction, and with three with friction.
    #[test]
    fn linkages_have_one_clearance_and_three() -> Result<(), CommandError> {
        let registry = ProblemRegistry::standard();
        let linkages = CONTACT.iter().filter(|name| name.starts_with("four-bar"));
        let mut counts = Vec::new();
        for name in linkages {
            let mut case = Instance::parse(&registry, name)?.build()?;
            let contacts = liedae_contact::unilateral(case.system()).map(|part| {
                let contacts = part.contacts();
                (
                    contacts.len(),
                    contacts.iter().any(|contact| contact.friction > 0.0),
                )
            });
            counts.push(contacts);
        }
        assert_eq!(counts, [Some((1, false)), Some((3, true))]);
        Ok(())
    }

    #[test]
    fn sets_name_problems_that_exist() -> Result<(), CommandError> {
        for set in problem_sets(&ProblemRegistry::standard()) {
            assert_eq!(labels(set.name)?.len(), set.problems.len(), "{}", set.name);
        }
        Ok(())
    }
}
