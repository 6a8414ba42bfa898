//! Which method to take, if nobody says: a rule on what the system is, and a trial of what it does.

use crate::integrator::{Kind, MethodEntry, MethodRegistry};
use crate::solve::{Options, SolveError, SolveErrorKind, Statistics, StepControl, solve};
use crate::system::System;

/// Steps of a trial: enough for variable steps to have grown out of a careful start.
const TRIAL_STEPS: usize = 60;

/// Relative tolerance at and below which a method of order 8 is cheaper than one of order 5.
const TIGHT: f64 = 1e-5;

/// BDF is recommended where it foretells less than this part of the others' cost: its errors are larger at the same tolerance.
const ADVANTAGE: f64 = 0.5;

/// A Jacobian or a factorization of an implicit method costs as much as so many evaluations of the system: the number of unknowns over
/// this. Explicit methods factorize the mass matrix and the constraints only.
const UNKNOWNS_PER_EVALUATION: f64 = 8.0;

/// How far a method may go before the next one is tried.
#[derive(Clone, Copy)]
struct Patience {
    /// Steps, in units of those that the trial foretells.
    factor: f64,
    /// Steps that are allowed in any case.
    enough: usize,
}

/// Motions may become harder, but where an explicit method comes into stiffness, another one is tried.
const EXPLICIT: Patience = Patience {
    factor: 30.0,
    enough: 20_000,
};

/// The stability region of BDF of orders above 2 leaves out a part of the imaginary axis: vibrations that nothing damps, and that the
/// tolerance need not resolve, limit its steps as they limit those of an explicit method.
const BDF: Patience = Patience {
    factor: 10.0,
    enough: 2_000,
};

/// What is tried when those of the rule have failed, in this order.
const FALLBACKS: [&str; 8] = [
    "mdop5",
    "hem5",
    "radau5",
    "bdf",
    "bdf-lie",
    "generalized-alpha-stabilized",
    "extrapolation",
    "backward-euler",
];

/// A method that a system is recommended.
///
/// ```
/// use liedae::prelude::*;
/// use liedae::solve::{Recommended, recommend};
///
/// // A mass of 1 kg between a stiff spring and a strong damper.
/// let mut mass = liedae::model([1.0], [0.0])
///     .mass(1.0)
///     .force(|_t, [x], [v]| [x * -1e6 - v * 1e5])
///     .build()?;
/// let found = recommend(&mut mass, &MethodRegistry::standard(), &Options::adaptive(10.0, 1e-4, 1e-4));
/// let Recommended { entry, reason, .. } = &found.ranking[0];
/// assert_eq!(entry.method.kind, liedae::integrator::Kind::Implicit);
/// assert!(!reason.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Recommended {
    /// The method.
    pub entry: MethodEntry,
    /// Why, in words.
    pub reason: String,
    /// Steps after which the next method should be tried: of explicit methods, which may come into stiffness, and of `bdf`, which may
    /// come into vibrations.
    pub most_steps: usize,
}

/// Methods for a system, the best first, and what it cost to find out.
///
/// ```
/// use liedae::prelude::*;
/// use liedae::solve::{Recommendation, recommend};
///
/// // A pendulum that swings for a second.
/// let mut pendulum = liedae::model([1.0, 0.0], [0.0, 0.0])
///     .mass(1.0)
///     .force(|_t, _q, _v| [0.0, -9.81])
///     .constraint(|_t, [x, y]| [x * x + y * y - 1.0])
///     .build()?;
/// let methods = MethodRegistry::standard();
/// let Recommendation { ranking, trials } = recommend(&mut pendulum, &methods, &Options::adaptive(1.0, 1e-4, 1e-4));
/// // Whatever comes first is made by its entry; finding out has cost less than a run of a thousand steps.
/// let method = ranking[0].entry.default_method();
/// assert!(solve(&mut pendulum, method.as_ref(), &Options::adaptive(1.0, 1e-4, 1e-4)).is_ok());
/// assert!(trials.iter().map(|trial| trial.accepted).sum::<usize>() < 1000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Recommendation {
    /// The best first; the others are for the case that it fails.
    pub ranking: Vec<Recommended>,
    /// What the trials have cost.
    pub trials: Vec<Statistics>,
}

/// What a trial tells.
struct Trial {
    /// Steps of the whole run, foretold from the part that was reached.
    steps: f64,
    /// Evaluations and factorizations of the whole run, foretold in the same way; infinite for a method that fails.
    cost: f64,
    /// Why it fails.
    failure: Option<String>,
    statistics: Statistics,
}

/// Recommends methods of a registry for a run. The system is solved on trial from its initial state, and is left as after a run.
///
/// 1. Where E of E x' = d is singular, rows have an index above 1, or there are algebraic variables, only implicit methods are
///    candidates.
/// 2. The candidate for motions that are not stiff is `dop853` at relative tolerances of 1e-5 and below, otherwise `mdop5`.
/// 3. Candidates for stiff systems are `radau5` and `bdf`.
/// 4. All make a trial of 60 steps. Evaluations and factorizations until then, these by the size of the system, divided
///    by the part of the time span that was reached, foretell the cost of the run; the cheapest one is recommended,
///    `bdf` where it costs less than half of the others. This measures stiffness by what it does to a method, at the
///    tolerance that was asked for.
/// 5. Further methods follow in a fixed order, for the case that it fails, or that an explicit one or `bdf` takes many more steps than
///    foretold. Many steps of others mean that there is much to resolve.
///
/// All of these work in local coordinates, so that Lie groups change nothing. Methods that the registry does not have are passed over.
///
/// ```
/// # use liedae::scalar::Scalar;
/// use liedae::integrator::MethodRegistry;
/// use liedae::solve::{Options, recommend};
/// use liedae::system::{Automatic, FirstOrder, FirstOrderModel};
///
/// /// y' = -rate (y - cos t)
/// struct Relaxation(f64);
/// impl FirstOrderModel for Relaxation {
///     fn dimension(&self) -> usize { 1 }
///     fn initial_value(&self) -> Vec<f64> { vec![1.0] }
///     fn rate<S: Scalar>(&self, t: S, y: &[S], rate: &mut [S]) { rate[0] = (t.cos() - y[0]) * self.0; }
/// }
///
/// let best = |rate| {
///     let mut system = Automatic::new(FirstOrder::new(Relaxation(rate)).expect("it fits together"));
///     let found = recommend(&mut system, &MethodRegistry::standard(), &Options::adaptive(10.0, 1e-4, 1e-4));
///     found.ranking[0].entry.method.name
/// };
/// assert_eq!([best(1.0), best(1e5)], ["mdop5", "radau5"]);
/// ```
pub fn recommend(
    system: &mut dyn System,
    methods: &MethodRegistry,
    options: &Options,
) -> Recommendation {
    let layout = system.layout();
    let implicit_only = layout.descriptor.is_some()
        || layout.algebraic > 0
        || layout.differential_index.iter().any(|&index| index > 1);
    let unknowns = 2 * layout.dimension() + layout.differential + layout.algebraic + layout.rows();
    let explicit = if is_tight(options) { "dop853" } else { "mdop5" };
    let mut candidates = vec!["radau5", "bdf"];
    if !implicit_only {
        candidates.insert(0, explicit);
    }
    let known = |name: &&str| methods.find(name);
    let mut tried: Vec<(MethodEntry, Trial)> = (candidates.iter().filter_map(known))
        .map(|entry| (entry, trial(system, &entry, options, unknowns)))
        .collect();
    // Of equals the first, which is explicit.
    let judged = |(entry, trial): &(MethodEntry, Trial)| match entry.method.name {
        "bdf" => trial.cost / ADVANTAGE,
        _ => trial.cost,
    };
    tried.sort_by(|a, b| judged(a).total_cmp(&judged(b)));
    let trials = tried.iter().map(|(_, trial)| trial.statistics).collect();
    let (fit, unfit): (Vec<_>, Vec<_>) = tried
        .into_iter()
        .partition(|(_, trial)| trial.failure.is_none());
    let mut ranking: Vec<Recommended> = fit
        .into_iter()
        .map(|(entry, trial)| Recommended {
            entry,
            reason: format!(
                "on trial it foretold {:.0} steps, {:.1e} evaluations and factorizations",
                trial.steps, trial.cost
            ),
            most_steps: most_steps(&entry, trial.steps, options),
        })
        .collect();
    let failed: Vec<String> = unfit
        .into_iter()
        .map(|(entry, trial)| {
            format!(
                "{}: {}",
                entry.method.name,
                trial.failure.unwrap_or_default()
            )
        })
        .collect();
    for entry in FALLBACKS.iter().filter_map(known) {
        if ranking
            .iter()
            .all(|known| known.entry.method.name != entry.method.name)
        {
            ranking.push(Recommended {
                entry,
                reason: match failed.as_slice() {
                    [] => "others have failed".to_owned(),
                    failed => format!("others have failed on trial: {}", failed.join("; ")),
                },
                most_steps: most_steps(&entry, 0.0, options),
            });
        }
    }
    if let Some(last) = ranking.last_mut() {
        last.most_steps = options.max_steps;
    }
    Recommendation { ranking, trials }
}

/// How far a method may go whose trial foretells so many steps.
fn most_steps(entry: &MethodEntry, foretold: f64, options: &Options) -> usize {
    let patience = match (entry.method.kind, entry.method.name) {
        (Kind::Explicit | Kind::HalfExplicit, _) => EXPLICIT,
        (_, "bdf") => BDF,
        (Kind::HalfImplicit | Kind::Implicit, _) => return options.max_steps,
    };
    let most = (patience.factor * foretold) as usize;
    most.max(patience.enough).min(options.max_steps)
}

fn is_tight(options: &Options) -> bool {
    match &options.control {
        StepControl::Adaptive { tolerances, .. } => tolerances.relative_is_at_most(TIGHT),
        StepControl::Fixed(_) => false,
    }
}

fn trial(
    system: &mut dyn System,
    entry: &MethodEntry,
    options: &Options,
    unknowns: usize,
) -> Trial {
    let start = system.initial_state().t;
    let short = Options {
        max_steps: options.max_steps.min(TRIAL_STEPS),
        ..options.clone()
    };
    let span = options.t_end - start;
    let (statistics, reached, failure) =
        match solve(system, entry.default_method().as_ref(), &short) {
            Ok(solution) => (solution.statistics, 1.0, None),
            Err(SolveError {
                kind,
                state,
                statistics,
                ..
            }) => {
                let reached = state.map_or(0.0, |state| (state.t - start) / span);
                let limit = matches!(
                    kind,
                    SolveErrorKind::TooManySteps { .. } | SolveErrorKind::OutOfTime { .. }
                );
                let failure = (!limit).then(|| kind.to_string());
                (*statistics, reached, failure)
            }
        };
    let evaluations = statistics.evaluations;
    let plain = evaluations.force + evaluations.constraint + evaluations.mass;
    let dense = evaluations.jacobian + statistics.work.factorizations;
    let weight = match entry.method.kind {
        Kind::Explicit | Kind::HalfExplicit => 1.0,
        Kind::HalfImplicit | Kind::Implicit => (unknowns as f64 / UNKNOWNS_PER_EVALUATION).max(1.0),
    };
    let work = plain as f64 + dense as f64 * weight;
    let steps = statistics.accepted + statistics.rejected.total();
    let whole = |part: f64| match failure {
        None if reached > 0.0 => part / reached,
        _ => f64::INFINITY,
    };
    Trial {
        steps: whole(steps as f64),
        cost: whole(work),
        failure,
        statistics,
    }
}
