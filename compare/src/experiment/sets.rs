//! Named sets of problems.

use super::{Instance, Looked, Subject, is_path, problem_name};
use crate::error::CommandError;
use crate::suggest::unknown;
use liedae_problems::ProblemRegistry;
use liedae_problems::catalogue::{CatalogueRow, TEST_SETS};
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
    /// Their identifiers, where it is one of the open test set; otherwise empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ids: Vec<&'static str>,
}

/// The mechanisms of Fang et al. 2022, in the order of the paper.
pub const FANG2022: [&str; 3] = ["double-pendulum", "slider-crank", "four-link"];

/// The generic problems of the Test Set for IVP Solvers: ODEs, circuits, mechanical systems, by rising index.
pub const IVP: [&str; 19] = [
    "van-der-pol",
    "robertson",
    "hires",
    "oregonator",
    "pollution",
    "e5",
    "emep",
    "ring-modulator",
    "pleiades",
    "beam",
    "transistor-amplifier",
    "nand-gate",
    "two-bit-adder",
    "wheelset",
    "water-tube",
    "charge-pump",
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

/// Mechanisms with flexible bodies: without contacts, but for explicit methods far stiffer than those of the set `smooth`.
pub const FLEXIBLE: [&str; 8] = [
    "spin-up-beam",
    "spin-up-beam:hub=1",
    "spin-up-beam:data=1",
    "rubber-pendulum",
    "rubber-pendulum:element=1",
    "rubber-pendulum:element=2",
    "rotor",
    "rotor-run-up",
];

/// What is in a set.
#[derive(Clone, Copy, Debug)]
enum Members {
    /// These.
    Listed(&'static [&'static str]),
    /// Rows of the open test set.
    Rows(&'static [CatalogueRow]),
    /// Whatever is [smooth](super::Survey::smooth), of a user's problems, too: only a look at them says so. Those of
    /// [`IVP`] and [`FLEXIBLE`] have sets of their own.
    Smooth,
}

/// A set: its name, what is in it in words, and what is in it.
type Set = (&'static str, &'static str, Members);

/// A set of the open test set.
const fn open(index: usize) -> Set {
    let set = TEST_SETS[index];
    (set.name, set.title, Members::Rows(set.rows))
}

/// All sets.
const SETS: [Set; 16] = [
    (
        "smooth",
        "all mechanisms of rigid bodies without events: systems with velocities, not those of first order",
        Members::Smooth,
    ),
    (
        "fang2022",
        "the three mechanisms of Fang et al. 2022",
        Members::Listed(&FANG2022),
    ),
    (
        "haug1997",
        "the three stiff mechanisms of Haug, Negrut and Iancu 1997, the last in two formulations",
        Members::Listed(&[
            "stiff-double-pendulum",
            "tsda-slider-crank",
            "andrews-stiff",
            "andrews-cartesian-stiff",
        ]),
    ),
    (
        "haddouni2017",
        "the academic example of Haddouni et al. 2017",
        Members::Listed(&["haddouni-slider-crank"]),
    ),
    (
        "lie-group",
        "spatial rotation without joints between bodies",
        Members::Listed(&["heavy-top", "free-rigid-body"]),
    ),
    (
        "quick",
        "three small problems, for a first look",
        Members::Listed(&["pendulum", "heavy-top", "andrews"]),
    ),
    (
        "ivp",
        "the Test Set for IVP Solvers but for its mechanisms in other sets: stiff ODEs, circuits, DAEs",
        Members::Listed(&IVP),
    ),
    (
        "flexible",
        "mechanisms with geometrically exact beams",
        Members::Listed(&FLEXIBLE),
    ),
    (
        "contact",
        "mechanisms with contacts and impacts",
        Members::Listed(&CONTACT),
    ),
    (
        "contact-closed-form",
        "contacts and impacts with closed forms",
        Members::Listed(&CONTACT_CLOSED_FORM),
    ),
    open(0),
    open(1),
    open(2),
    open(3),
    open(4),
    open(5),
];

/// Whether a set has this name.
pub fn is_set(name: &str) -> bool {
    SETS.iter().any(|(known, ..)| *known == name)
}

/// Names of the sets.
pub fn set_names() -> impl Iterator<Item = &'static str> + Clone {
    SETS.iter().map(|(name, ..)| *name)
}

/// The problems of a set, as `look` sees them.
fn members(
    problems: &ProblemRegistry,
    members: Members,
    look: &mut impl FnMut(&Instance) -> Result<Looked, CommandError>,
) -> Vec<&'static str> {
    match members {
        Members::Listed(names) => names.into(),
        Members::Rows(rows) => rows.iter().map(|row| row.problem).collect(),
        Members::Smooth => {
            let entries = problems.entries().iter();
            let names = entries
                .map(|entry| entry.name)
                .filter(|name| !IVP.contains(name) && !FLEXIBLE.contains(name));
            names
                .filter(|name| {
                    let looked = Instance::read(problems, name).and_then(|known| look(&known));
                    looked.is_ok_and(|looked| looked.is_ok_and(|survey| survey.smooth))
                })
                .collect()
        }
    }
}

/// The rows of the open test set.
pub fn open_sets() -> impl Iterator<Item = &'static CatalogueRow> {
    TEST_SETS.iter().flat_map(|set| set.rows)
}

/// The set of this name.
pub fn find_set(problems: &ProblemRegistry, name: &str) -> Result<ProblemSet, CommandError> {
    let found = SETS.iter().find(|(known, ..)| *known == name.trim());
    let &(name, title, list) = found.ok_or_else(|| unknown("set", name, set_names()))?;
    Ok(ProblemSet {
        name,
        title,
        problems: members(problems, list, &mut Subject::look),
        ids: match list {
            Members::Rows(rows) => rows.iter().map(|row| row.id).collect(),
            Members::Listed(_) | Members::Smooth => Vec::new(),
        },
    })
}

/// All sets with their problems.
pub fn problem_sets(problems: &ProblemRegistry) -> Vec<ProblemSet> {
    let sets = set_names().map(|name| find_set(problems, name));
    sets.flatten().collect()
}

/// The problems of a list, separated by commas: names of problems, with parameters as in `newton-cradle:n=5`, and of sets. `look` looks
/// at each of them once. What several names stand for, since parameters or the end are set to their defaults, has the first one.
///
/// # Errors
/// Nobody has such a name, or a problem cannot be built so.
pub fn resolve(
    problems: &ProblemRegistry,
    text: &str,
    mut look: impl FnMut(&Instance) -> Result<Looked, CommandError>,
) -> Result<Vec<Subject>, CommandError> {
    let mut known: Vec<(String, Looked)> = Vec::new();
    let mut look = |instance: &Instance| -> Result<Looked, CommandError> {
        if let Some((_, looked)) = known.iter().find(|(label, _)| *label == instance.label) {
            return Ok(looked.clone());
        }
        let looked = look(instance)?;
        known.push((instance.label.clone(), looked.clone()));
        Ok(looked)
    };
    let mut names: Vec<&str> = Vec::new();
    for text in text.split(',').map(str::trim) {
        if let Some((.., list)) = SETS.iter().find(|(name, ..)| *name == text) {
            names.extend(members(problems, *list, &mut look));
            continue;
        }
        let name = problem_name(text);
        if is_set(name) {
            return Err(CommandError::Setting {
                setting: text.to_owned(),
                expected: format!("`{name}` is a set of problems, which takes no parameters"),
            });
        }
        if problems.find(name).is_none() && !is_path(name) {
            let known = problems.names();
            return Err(unknown("problem or set", name, known.chain(set_names())));
        }
        names.push(text);
    }
    let mut subjects: Vec<Subject> = Vec::new();
    for name in names {
        let instance = Instance::read(problems, name)?;
        let new = Subject {
            survey: look(&instance)?,
            instance,
            also: Vec::new(),
        };
        let known = subjects.iter_mut().find(|known| known.is_same(&new));
        match known {
            None => subjects.push(new),
            Some(known) if known.label() == new.label() => {}
            Some(known) => known.also.push(new.instance.label),
        }
    }
    Ok(subjects)
}

#[cfg(test)]
mod tests {
    use super::*;
    use liedae::scalar::Scalar;
    use liedae::system::{Automatic, FirstOrder, FirstOrderModel};
    use liedae_problems::{Parameters, Problem, ProblemEntry, ProblemError};

    fn found(text: &str) -> Result<Vec<Subject>, CommandError> {
        resolve(&ProblemRegistry::standard(), text, Subject::look)
    }

    fn labels(text: &str) -> Result<Vec<String>, CommandError> {
        let subjects = found(text)?.into_iter();
        Ok(subjects.map(|subject| subject.instance.label).collect())
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
            found("quik").is_err_and(|error| error.to_string().contains("did you mean `quick`"))
        );
        let same = found(
            "pendulum:length=1:t_end=10,newton-cradle:e=0.5:n=4,pendulum,newton-cradle:n=4:e=0.5",
        )?;
        let names: Vec<(&str, String)> = same
            .iter()
            .map(|subject| (subject.label(), subject.also.join(" ")))
            .collect();
        assert_eq!(
            names,
            [
                ("pendulum:length=1:t_end=10", "pendulum".to_owned()),
                (
                    "newton-cradle:e=0.5:n=4",
                    "newton-cradle:n=4:e=0.5".to_owned()
                ),
            ]
        );
        for wrong in ["", "quick:g=1", "pendulum:length=-1", "pendulum:size=1"] {
            assert!(found(wrong).is_err(), "{wrong}");
        }
        assert_eq!(labels("contact")?, CONTACT);
        assert_eq!(labels("ivp")?, IVP);
        let smooth = labels("smooth")?;
        assert!(smooth.iter().any(|name| name == "chain"));
        assert!(smooth.iter().all(|name| name != "robertson"));
        Ok(())
    }

    /// A user's mechanism is in the set, and a user's stiff ODE is not: it is no mechanism.
    #[test]
    fn smooth_problems_have_velocities() -> Result<(), Box<dyn std::error::Error>> {
        struct Relaxation;
        impl FirstOrderModel for Relaxation {
            fn dimension(&self) -> usize {
                1
            }
            fn initial_value(&self) -> Vec<f64> {
                vec![1.0]
            }
            fn rate<S: Scalar>(&self, t: S, y: &[S], rate: &mut [S]) {
                rate[0] = (t.cos() - y[0]) * 1e6;
            }
        }
        fn relaxation(_: &Parameters) -> Result<Problem, ProblemError> {
            let system = FirstOrder::new(Relaxation);
            let system = system.map_err(|error| ProblemError::build("relaxation", error))?;
            Ok(Problem::new("relaxation", Automatic::new(system), 1.0))
        }
        fn fall(_: &Parameters) -> Result<Problem, ProblemError> {
            let ball = liedae::model([1.0], [0.0])
                .mass(1.0)
                .force(|_t, _q, _v| [-9.81]);
            let ball = ball.build();
            Ok(Problem::new(
                "fall",
                ball.map_err(|error| ProblemError::build("fall", error))?,
                0.4,
            ))
        }
        let problems = ProblemRegistry::standard()
            .with(ProblemEntry::new("relaxation", relaxation))?
            .with(ProblemEntry::new("fall", fall))?;
        let smooth = find_set(&problems, "smooth")?.problems;
        assert!(smooth.contains(&"fall") && !smooth.contains(&"relaxation"));
        Ok(())
    }

    /// The open test set has the linkage with one clearance without friction, and with three with friction.
    #[test]
    fn linkages_have_one_clearance_and_three() -> Result<(), CommandError> {
        let registry = ProblemRegistry::standard();
        let linkages = CONTACT.iter().filter(|name| name.starts_with("four-bar"));
        let mut counts = Vec::new();
        for name in linkages {
            let mut case = Instance::read(&registry, name)?.build()?;
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
