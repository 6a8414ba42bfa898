//! Sizes, degrees of freedom, redundant rows and stiffness, as `liedae analyse` has them.

use super::text::counted;
use crate::error::CommandError;
use crate::experiment::analysis::{AnalysisRequest, Questions};
use crate::experiment::answers::{About, Answer, MobilityAnswer, ModesAnswer};
use crate::experiment::{Case, Instance};
use crate::output::number;
use serde::Serialize;

/// Redundant rows that are named.
const MOST_ROWS: usize = 12;

/// More times an eigenvalue's size times the length of the run than this is stiff: an explicit method needs about as many steps for
/// stability alone.
const STIFF: f64 = 1e4;

/// What is known of a row by numbers.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Facts {
    /// Velocities, states, algebraic variables and multipliers together.
    pub unknowns: usize,
    /// Degrees of freedom; `None` without velocities, or if the analysis failed.
    pub freedom: Option<usize>,
    /// Rows that follow from others.
    pub redundant: Option<usize>,
    /// Whether the largest eigenvalue is large beside the length of the run, where it is known.
    pub is_stiff: Option<bool>,
    /// What `analyse` says in sentences.
    pub sentences: Vec<String>,
    /// Those that make the problem hard.
    pub hard: Vec<String>,
}

impl Facts {
    /// Analyses a problem.
    ///
    /// # Errors
    /// It cannot be built.
    pub fn of(instance: &Instance) -> Result<Self, CommandError> {
        let mut case = instance.build()?;
        let t_end = case.t_end;
        let layout = case.system().layout();
        let moves = layout.dimension() > 0;
        let nonholonomic = layout.velocity_rows;
        let mut facts = Self {
            unknowns: layout.dimension() + layout.differential + layout.algebraic + layout.rows(),
            ..Self::default()
        };
        let length = t_end - case.system().initial_state().t;
        let report = request(case).answer();
        if nonholonomic > 0 {
            facts.hard.push(format!(
                "{}.",
                counted(
                    nonholonomic,
                    "nonholonomic row, a constraint on velocities",
                    "nonholonomic rows, constraints on velocities"
                )
            ));
        }
        if moves {
            match &report.redundancy {
                Some(Answer::Done(found)) => facts.mobility(found),
                Some(Answer::Failed(refused)) => facts.sentences.push(format!(
                    "Degrees of freedom are not known: {}.",
                    refused.reason
                )),
                None => {}
            }
        }
        match &report.modes {
            Some(Answer::Done(found)) => facts.stiffness(found, length),
            Some(Answer::Failed(refused)) => facts.sentences.push(format!(
                "Stiffness, as modes tell it, is not known: {}.",
                refused.reason
            )),
            None => {}
        }
        Ok(facts)
    }

    fn mobility(&mut self, found: &MobilityAnswer) {
        self.freedom = Some(found.freedom);
        let redundant = found.redundant.len();
        self.redundant = Some(redundant);
        self.sentences.push(format!(
            "{} at the start: {}, {}, {} of them independent.",
            counted(found.freedom, "degree of freedom", "degrees of freedom"),
            counted(found.velocities, "velocity", "velocities"),
            counted(found.rows, "constraint row", "constraint rows"),
            found.rank
        ));
        if redundant > 0 {
            let names = found.redundant.iter().take(MOST_ROWS);
            let names: Vec<String> = names.map(|row| row.row.to_string()).collect();
            let more = if redundant > MOST_ROWS {
                format!("; and {} more", redundant - MOST_ROWS)
            } else {
                String::new()
            };
            self.hard.push(format!(
                "{}, so that multipliers are not unique: {}{more}.",
                counted(redundant, "redundant row", "redundant rows"),
                names.join("; ")
            ));
        }
        if found.singular {
            self.hard.push(
                "The start is singular: rows depend on each other there that are independent nearby.".to_owned(),
            );
        }
        if found.freedom == 0 && redundant == 0 {
            self.hard.push(
                "The constraints alone determine the motion: positions and velocities test projections, multipliers test the rest.".to_owned(),
            );
        }
    }

    fn stiffness(&mut self, found: &ModesAnswer, length: f64) {
        let about = match found.about {
            About::Start => "the start",
            About::Turning => "the start, in a frame that turns with it",
            About::Equilibrium => "the equilibrium",
        };
        let stable = if found.stable { "stable" } else { "unstable" };
        let modes = || found.modes.iter();
        let fastest = modes()
            .map(|mode| mode.re.hypot(mode.im))
            .fold(0.0, f64::max);
        if fastest == 0.0 {
            return;
        }
        let hertz = modes().map(|mode| mode.hertz).fold(0.0, f64::max);
        let decay = modes().map(|mode| -mode.re).fold(0.0, f64::max);
        let mut parts = vec![format!("largest eigenvalue {} 1/s", rounded(fastest))];
        if hertz > 0.0 {
            parts.push(format!("highest frequency {} Hz", rounded(hertz)));
        }
        if decay > 0.0 {
            parts.push(format!("fastest decay {} 1/s", rounded(decay)));
        }
        self.sentences.push(format!(
            "Linearized about {about}, where it is {stable}: {}.",
            parts.join(", ")
        ));
        let product = fastest * length;
        self.is_stiff = Some(product > STIFF);
        if product > STIFF {
            self.hard.push(format!(
                "Stiff: the largest eigenvalue about {about} times the length of the run is {}.",
                rounded(product)
            ));
        }
    }
}

/// A number to three digits.
fn rounded(value: f64) -> String {
    // Digits of a finite number are read again.
    number(format!("{value:.2e}").parse().unwrap_or(value))
}

fn request(case: Case) -> AnalysisRequest {
    AnalysisRequest {
        case,
        questions: Questions {
            redundancy: true,
            modes: true,
            ..Questions::default()
        },
        turning: None,
        samples: 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use liedae_problems::ProblemRegistry;

    fn facts(name: &str) -> Facts {
        let instance = Instance::read(&ProblemRegistry::standard(), name).expect("a problem");
        Facts::of(&instance).expect("it builds")
    }

    #[test]
    fn redundant_rows_and_stiffness_are_hard() {
        let bennett = facts("bennett");
        assert_eq!((bennett.freedom, bennett.redundant), (Some(1), Some(3)));
        // Velocities, rows, and the turns of its spring.
        assert_eq!(bennett.unknowns, 18 + 20 + 1);
        assert!(
            bennett.hard[0].starts_with("3 redundant rows"),
            "{bennett:?}"
        );
        let stiff = facts("stiff-double-pendulum");
        assert!(
            stiff.hard.iter().any(|text| text.starts_with("Stiff")),
            "{stiff:?}"
        );
        let plain = facts("pendulum");
        assert!(
            plain.hard.is_empty() && plain.is_stiff == Some(false),
            "{plain:?}"
        );
        let general = facts("robertson");
        assert_eq!((general.freedom, general.unknowns), (None, 3));
    }
}
