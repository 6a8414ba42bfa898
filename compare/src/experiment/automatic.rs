//! `auto`: the method that a rule recommends for the problem, and others where it fails.

use super::{Case, Choice, Control, Counts, rubs_in_space};
use liedae::integrator::{
    Integrator, Kind, Method, MethodEntry, MethodRegistry, Orders, StepError, StepSizes, Stepper,
};
use liedae::solve::recommend;
use liedae::system::{Clock, Evaluator, State};
use std::time::Duration;

/// The name that asks for the recommended method.
pub const AUTO: &str = "auto";

/// Methods that make a trial, at most ...
const TRIALS: u64 = 3;

/// ... and steps of each: see [`recommend`].
const LONGEST_TRIAL: u64 = 60;

static METHOD: Method = Method::new(AUTO, Kind::Implicit, Orders::all(5))
    .with_title("what `liedae::solve::recommend` recommends for the problem")
    .with_error_estimate(5.0)
    .with_advice(
        "nobody knows whether a problem is stiff; a first solution",
        "methods are compared: its time contains a trial of three methods",
    );

/// A placeholder for `auto` until the problem is known.
struct Unsettled;

impl Integrator for Unsettled {
    fn method(&self) -> &'static Method {
        &METHOD
    }

    fn start(
        &self,
        _: &mut Evaluator,
        _: &State,
        _: StepSizes,
    ) -> Result<Box<dyn Stepper>, StepError> {
        Err(StepError::Unsupported {
            method: AUTO,
            reason: "it chooses methods for `run` and `compare` only: name one here".to_owned(),
        })
    }
}

/// `auto` as a method of a registry.
pub fn entry() -> MethodEntry {
    MethodEntry::new(&METHOD, |_| Box::new(Unsettled))
}

/// One of the methods that a run may be made with.
pub struct Contender {
    /// The method.
    pub choice: Choice,
    /// How its steps are chosen.
    pub control: Control,
    /// Steps after which the next contender is tried.
    pub most_steps: Option<u64>,
    /// Why it was chosen; empty where it was asked for.
    pub reason: String,
}

impl Contender {
    /// Steps after which the next contender is tried, where so many are left to all of them.
    pub fn most_of(&self, left: Option<u64>) -> Option<u64> {
        match (self.most_steps, left) {
            (Some(most), Some(left)) => Some(most.min(left)),
            (most, left) => most.or(left),
        }
    }
}

/// The remaining steps of a run's limit.
pub fn steps_left(limit: Option<u64>, spent: &Counts) -> Option<u64> {
    limit.map(|limit| limit.saturating_sub(spent.steps()))
}

/// That the steps of a run are over, in words: those of `auto` are shared.
pub fn steps_over(limit: u64) -> String {
    format!(
        "`auto` may take {limit} steps in all, its trials and the methods that failed among them"
    )
}

/// Methods for a run in the order in which they are tried, and what it has cost to find them.
pub struct Contenders {
    /// At least one.
    pub list: Vec<Contender>,
    /// The cost of trials.
    pub spent: Counts,
}

impl Contenders {
    /// The method that was asked for; of `auto` those that are recommended for the problem, at this control.
    ///
    /// Where contacts rub in two directions, methods that capture events come last, with the problem's step.
    pub fn of(
        choice: &Choice,
        case: &mut Case,
        control: Control,
        max_steps: Option<u64>,
        time: Option<(Duration, Clock)>,
    ) -> Self {
        let Some(methods) = choice.candidates() else {
            let asked = Contender {
                choice: choice.clone(),
                control,
                most_steps: max_steps,
                reason: String::new(),
            };
            return Self {
                list: vec![asked],
                spent: Counts::default(),
            };
        };
        // Where few steps are allowed, trials share them, too.
        let most = max_steps.map(|limit| match limit < TRIALS * LONGEST_TRIAL {
            true => limit / TRIALS,
            false => limit,
        });
        let mut options = control.options(case.t_end, most);
        if let Some((limit, clock)) = time {
            (options.time_limit, options.clock) = (Some(limit), clock);
        }
        let recommendation = recommend(case.system(), methods, &options);
        let contender = |recommended: liedae::solve::Recommended| Contender {
            choice: Choice::of(recommended.entry).locating_as(choice),
            control,
            most_steps: u64::try_from(recommended.most_steps).ok(),
            reason: recommended.reason,
        };
        let mut spent = Counts::default();
        for trial in &recommendation.trials {
            spent += Counts::from(trial);
        }
        let mut list: Vec<Contender> = recommendation.ranking.into_iter().map(contender).collect();
        list.extend(capturing(methods, case, max_steps));
        Self { list, spent }
    }
}

/// Methods that capture events, where contacts may need them.
fn capturing(methods: &MethodRegistry, case: &mut Case, max_steps: Option<u64>) -> Vec<Contender> {
    if !rubs_in_space(case) {
        return Vec::new();
    }
    let step = case.problem.default_step;
    let capturing = methods
        .entries()
        .iter()
        .filter(|entry| entry.method.captures_events);
    capturing
        .map(|entry| Contender {
            choice: Choice::of(*entry),
            control: Control::Fixed { step },
            most_steps: max_steps,
            reason: format!(
                "with the problem's step of {step:e} s, since contacts rub in space and methods that locate events have failed"
            ),
        })
        .collect()
}
