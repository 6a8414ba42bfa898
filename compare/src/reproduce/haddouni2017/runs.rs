//! Runs as data.

use super::settings::{SOLVERS, TOLERANCE, variant};
use crate::error::{CommandError, Status};
use crate::experiment::{
    Case, Choice, Control, Gate, Instance, Limits, Repeat, Request, RunRequest, Survey, Truth,
    limiting_clock, measure, own_reference, run,
};
use crate::parallel;
use crate::registry::Registry;
use crate::reproduce::least_seconds;
use crate::reproduce::probe::logged;
use liedae::solve::{Options, Silent};
use liedae_problems::catalogue::CatalogueRow;
use serde::Serialize;
use std::time::Duration;

/// CPU time after which a run of a set is given up.
pub(super) const TIME_LIMIT: Duration = Duration::from_secs(20);
/// Times at the paper's tolerance are the least of several runs: as many as fit into a third of a second, nine at most.
const REPEAT: Repeat = Repeat {
    budget: Duration::from_millis(300),
    at_most: 9,
    at_least: 1,
};

/// One run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Cell {
    pub set: &'static str,
    /// The row of the open test set.
    pub id: &'static str,
    pub problem: String,
    /// The solver, by its place in Table 3.
    #[serde(skip)]
    pub solver: usize,
    pub method: &'static str,
    pub safety: f64,
    pub tolerance: f64,
    pub done: bool,
    /// Whether it was given up since its CPU time was over.
    pub out_of_time: bool,
    /// Span over accepted steps, in s.
    pub average_step: f64,
    /// Smallest accepted step in s, those fitted to events included.
    pub smallest_step: Option<f64>,
    pub accepted: usize,
    pub rejected: usize,
    pub events: usize,
    /// Accepted steps that were projected, but for those that end at events, which the driver projects.
    pub projected: Option<usize>,
    pub force: usize,
    pub constraint: usize,
    pub jacobian: usize,
    pub factorizations: usize,
    pub solves: usize,
    pub newton_iterations: usize,
    /// Least CPU time of the thread in s; wall time where the operating system does not tell.
    pub seconds: f64,
    /// Error at the end relative to the sizes of outputs; none where no reference is known.
    pub error: Option<f64>,
    /// Largest |g| and |G v| at any accepted step.
    pub violation_position: Option<f64>,
    pub violation_velocity: Option<f64>,
    pub reason: String,
}

/// How a problem is run.
pub(super) struct Plan<'p> {
    /// Tolerances with the first safety factor.
    pub ladder: &'p [f64],
    /// Safety factors at the paper's tolerance.
    pub safeties: &'p [f64],
    /// CPU time after which a run is given up.
    pub limit: Duration,
    /// Whether runs at the paper's tolerance are timed several times, and looked at from within.
    pub thorough: bool,
}

/// A row of the open test set in one of its sets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub set: &'static str,
    pub row: &'static CatalogueRow,
}

impl Place {
    /// The problem with the settings of the row.
    pub fn case(&self) -> Result<Case, CommandError> {
        Instance::read(Registry::standard().problems(), self.row.id)?.build()
    }
}

/// All runs of one problem: at the paper's tolerance with each safety factor, and on the ladder with the first.
pub(super) fn problem(
    place: Place,
    truth: Option<&Truth>,
    plan: &Plan,
) -> Result<Vec<Cell>, CommandError> {
    let case = &mut place.case()?;
    let mut cells = Vec::new();
    for (index, solver) in SOLVERS.iter().enumerate() {
        for (number, &safety) in plan.safeties.iter().enumerate() {
            let choice = Registry::standard().choice(&variant(solver, safety))?;
            let tolerances = if number == 0 {
                plan.ladder
            } else {
                &[TOLERANCE]
            };
            for &tolerance in tolerances {
                let mut cell = cell(case, &choice, tolerance, plan, truth);
                (cell.set, cell.id) = (place.set, place.row.id);
                cell.problem = place.row.problem.to_owned();
                (cell.solver, cell.method, cell.safety) = (index, solver.name, safety);
                cells.push(cell);
            }
        }
    }
    Ok(cells)
}

/// What the ends of these problems should be, in their order, computed on all cores; none where it is not known.
pub(super) fn truths(places: &[Place]) -> Vec<Option<Truth>> {
    parallel::map(places, parallel::cores(), |place| {
        place.case().ok().and_then(|mut case| truth(&mut case))
    })
}

fn truth(case: &mut Case) -> Option<Truth> {
    let survey = Survey::of(case);
    survey.published.clone().or_else(|| {
        let reference = own_reference(case, &survey.times).ok()?;
        let confirmed = reference.confirm(case);
        Some(Truth::own(&survey, &confirmed))
    })
}

fn cell(
    case: &mut Case,
    choice: &Choice,
    tolerance: f64,
    plan: &Plan,
    truth: Option<&Truth>,
) -> Cell {
    let control = Control::Adaptive {
        rtol: tolerance,
        atol: tolerance * case.problem.absolute_scale,
    };
    let thorough = plan.thorough && tolerance == TOLERANCE;
    let request = Request {
        control,
        limits: Limits {
            time: plan.limit,
            max_steps: None,
        },
        repeat: if thorough { REPEAT } else { Repeat::SHORT },
        times: &[],
    };
    let measured = measure(case, choice, &request, &Gate::default());
    let counts = measured.counts;
    let done = measured.status == Status::Done;
    // How often it projects is seen from within, at the paper's tolerance.
    let looked = (done && thorough).then(|| {
        let options = Options {
            time_limit: Some(plan.limit),
            clock: limiting_clock(),
            ..choice.driver_options(control, case.t_end, None)
        };
        logged(case, choice, &options, &mut Silent)
    });
    let span = case.t_end - case.problem.system.initial_state().t;
    let end = measured.end.as_deref();
    Cell {
        set: "",
        id: "",
        problem: String::new(),
        solver: 0,
        method: "",
        safety: f64::NAN,
        tolerance,
        done,
        out_of_time: measured.out_of_time,
        average_step: span / counts.accepted.max(1) as f64,
        smallest_step: looked
            .as_ref()
            .and_then(|(run, _)| Some(run.as_ref().ok()?.statistics.smallest_step)),
        accepted: counts.accepted,
        rejected: counts.rejected,
        events: measured.events,
        projected: looked.map(|(_, log)| log.projected),
        force: counts.force,
        constraint: counts.constraint,
        jacobian: counts.jacobian,
        factorizations: counts.factorizations,
        solves: counts.solves,
        newton_iterations: counts.newton_iterations,
        seconds: least_seconds(&measured.timings),
        error: truth
            .zip(end)
            .and_then(|(truth, end)| truth.error_at_end(end)),
        violation_position: measured.violation.map(|both| both[0]),
        violation_velocity: measured.violation.map(|both| both[1]),
        reason: measured.reason,
    }
}

/// Largest violations of one form of generalized-α on one problem.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Form {
    pub problem: String,
    pub method: &'static str,
    pub done: bool,
    pub position: f64,
    pub velocity: f64,
    pub acceleration: f64,
}

/// The forms that section 5 compares.
pub(super) const FORMS: [&str; 3] = [
    "generalized-alpha-stabilized",
    "generalized-alpha-velocity",
    "generalized-alpha",
];

/// All forms on one problem.
pub(super) fn forms(place: Place) -> Result<Vec<Form>, CommandError> {
    let form = |method| {
        let case = place.case()?;
        let control = Control::Adaptive {
            rtol: TOLERANCE,
            atol: TOLERANCE * case.problem.absolute_scale,
        };
        let mut request = RunRequest {
            case,
            choice: Registry::standard().choice(method)?,
            control,
            max_steps: None,
            time_limit: Some(TIME_LIMIT),
            repeat: None,
            watch: Default::default(),
        };
        let report = run(&mut request, None)?;
        let violation = report.violation;
        Ok(Form {
            problem: place.row.problem.to_owned(),
            method,
            done: report.status == Status::Done,
            position: violation.position,
            velocity: violation.velocity,
            acceleration: violation.acceleration,
        })
    };
    FORMS.into_iter().map(form).collect()
}
