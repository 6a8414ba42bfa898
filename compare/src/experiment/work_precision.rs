//! Work against precision: every method at every tolerance on every problem; failures are rows, too.

use super::meter::Interruption;
use super::{
    Case, Choice, Control, Instance, Meter, Repeat, Sampling, Table, TimedFailure, Truth,
    check_contacts, loses_energy_at_events, timed,
};
use crate::error::{CommandError, Status, status_of};
use liedae::integrator::{MethodOption, MethodRegistry, Projection};
use liedae::solve::{EventRecord, Options, SolveErrorKind, solve_observed};
use serde::Serialize;
use std::time::Duration;

/// A method together with the way its steps are chosen: one line in the diagrams.
#[derive(Clone)]
pub struct Variant {
    /// Name in diagrams.
    pub name: String,
    /// The method.
    pub choice: Choice,
    /// Whether it runs on a ladder of fixed steps instead of tolerances.
    pub fixed: bool,
    /// Number of the method in the list: variants of one method look alike in diagrams.
    pub number: usize,
    /// Whether it is not the method's default way of choosing steps.
    pub secondary: bool,
}

/// The variants of a list of methods (`all` for every method). A method that steps with a fixed size by default runs on
/// a ladder of steps and, if it has an error estimate, by tolerances, too. A controller other than the methods' own is
/// part of the names of adaptive variants.
pub fn variants(
    methods: &MethodRegistry,
    names: &str,
    projection: Option<Projection>,
    newton_tolerance: Option<f64>,
    formulation: Option<&str>,
    controller: Option<&str>,
) -> Result<Vec<Variant>, CommandError> {
    let list: Vec<&str> = if names == "all" {
        methods.names().collect()
    } else {
        names.split(',').map(str::trim).collect()
    };
    let mut variants: Vec<Variant> = Vec::new();
    let mut number = 0;
    let given = [
        (MethodOption::Projection, projection.is_some()),
        (MethodOption::Newton, newton_tolerance.is_some()),
        (MethodOption::Formulation, formulation.is_some()),
    ];
    let mut unused: Vec<MethodOption> = given
        .iter()
        .filter_map(|&(option, given)| given.then_some(option))
        .collect();
    for name in list {
        // Asked for several methods at once, an option concerns those that take it and do not say otherwise.
        let plain = Choice::parse(methods, name)?;
        let said = &plain.options;
        let says = |option| match option {
            MethodOption::Newton => said.newton.is_some_and(|newton| newton.tolerance.is_some()),
            option => said.given().any(|given| given == option),
        };
        let takes = |option| plain.entry.takes(option) && !says(option);
        unused.retain(|&option| !takes(option));
        let controller = controller.filter(|_| plain.controller.is_none());
        let choice = plain
            .clone()
            .with_options(
                methods,
                projection.filter(|_| takes(MethodOption::Projection)),
                newton_tolerance.filter(|_| takes(MethodOption::Newton)),
            )?
            .with_formulation(
                methods,
                formulation.filter(|_| takes(MethodOption::Formulation)),
            )?
            .with_controller(controller)?;
        let suffix = controller.map_or(String::new(), |name| format!(", {name}"));
        let method = choice.method();
        if variants
            .iter()
            .any(|variant| variant.choice.label() == choice.label())
        {
            continue;
        }
        let adaptive = method.is_adaptive();
        let variant = |name: String, fixed, secondary| Variant {
            name,
            choice: choice.clone(),
            fixed,
            number,
            secondary,
        };
        let name = choice.label();
        if method.fixed_step_by_default || !adaptive {
            // Settings of the step-size control mean nothing for fixed steps.
            if !plain.sets_control() {
                variants.push(variant(format!("{name}, fixed steps"), true, false));
            }
            if adaptive {
                variants.push(variant(format!("{name}, adaptive{suffix}"), false, true));
            }
        } else {
            variants.push(variant(format!("{name}{suffix}"), false, false));
        }
        number += 1;
    }
    if let Some(&option) = unused.first() {
        return Err(CommandError::UnusedOption {
            option,
            takers: methods.takers(option).join(", "),
        });
    }
    if let Some(controller) = controller
        && variants.iter().all(|variant| variant.fixed)
    {
        return Err(CommandError::Value {
            option: "--controller",
            value: controller.to_owned(),
            expected: "none of these methods has an error estimate, and all take fixed steps"
                .to_owned(),
        });
    }
    Ok(variants)
}

/// What to compare.
pub struct Plan {
    /// The problems.
    pub problems: Vec<Instance>,
    /// Methods.
    pub variants: Vec<Variant>,
    /// Relative = absolute tolerances, the loosest first.
    pub tolerances: Vec<f64>,
    /// Wall time after which a run is given up.
    pub time_limit: Duration,
    /// Limit of steps.
    pub max_steps: Option<u64>,
}

/// One run: a row of the results.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorkPoint {
    /// The problem's name.
    pub problem: String,
    /// The variant's name.
    pub variant: String,
    /// Tolerance, for adaptive runs.
    pub tolerance: Option<f64>,
    /// Step in s, for runs with fixed steps.
    pub step: Option<f64>,
    /// Whether the run was done.
    pub status: Status,
    /// Why not.
    pub reason: String,
    /// Time reached in s.
    pub t_reached: Option<f64>,
    /// Events on the way.
    pub events: usize,
    /// Impacts among them.
    pub impacts: usize,
    /// Largest rise of the energy across one event in J, negative if all lose energy.
    pub energy_rise: Option<f64>,
    /// Largest penetration of a contact at any accepted step in m (rad); null without contacts.
    pub penetration: Option<f64>,
    /// Error at the end, not less than what the reference allows to tell.
    pub error_end: Option<f64>,
    /// Error over the samples.
    pub error_samples: Option<f64>,
    /// Wall time in s.
    pub wall_s: f64,
    /// Accepted steps.
    pub accepted: usize,
    /// Rejected steps.
    pub rejected: usize,
    /// Force evaluations.
    pub force: usize,
    /// Constraint evaluations.
    pub constraint: usize,
    /// Evaluations of Jacobians.
    pub jacobian: usize,
    /// Mass matrices.
    pub mass: usize,
    /// Factorizations.
    pub factorizations: usize,
    /// Solutions with a factorized matrix.
    pub solves: usize,
    /// Newton iterations.
    pub newton_iterations: usize,
    /// Largest violation at position level.
    pub violation_position: Option<f64>,
    /// Largest violation at velocity level.
    pub violation_velocity: Option<f64>,
}

/// Fixed steps of rung k, in units of the problem's default step: 4, 2, 1, 1/2 ...
fn rung(index: usize) -> f64 {
    4.0 * 0.5_f64.powi(i32::try_from(index).unwrap_or(i32::MAX))
}

/// Where the true values of a problem came from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Source {
    /// The problem's name.
    pub problem: String,
    /// In words.
    pub source: String,
    /// Whether the constraints alone determine the motion.
    pub determined: bool,
    /// Whether no event can raise the energy, since neither friction nor a drive acts; null without contacts.
    pub loses_energy_at_events: Option<bool>,
}

/// Runs everything. `progress` hears of every run.
pub fn work_precision(
    plan: &Plan,
    mut progress: impl FnMut(&str),
) -> Result<(Vec<WorkPoint>, Vec<Source>), CommandError> {
    let (mut points, mut sources) = (Vec::new(), Vec::new());
    for instance in &plan.problems {
        let name = instance.label.as_str();
        let mut case = instance.build()?;
        let layout = case.system().layout();
        // Before anything runs: a run leaves the system as it is at its end.
        // With contacts the rows of the start are not those of the whole run.
        let is_full = layout.dimension() > 0 && layout.position_rows == layout.dimension();
        let loses_energy_at_events = loses_energy_at_events(&mut case);
        let determined = is_full && liedae_contact::unilateral(case.system()).is_none();
        progress(&format!("{name}: reference"));
        let truth = Truth::new(&mut case);
        let source = match &truth {
            Ok(truth) => truth.source.clone(),
            Err(error) => format!("none: {error}"),
        };
        sources.push(Source {
            problem: name.to_owned(),
            source,
            determined,
            loses_energy_at_events,
        });
        for variant in &plan.variants {
            let mut given_up: Option<String> = None;
            for (index, &tolerance) in plan.tolerances.iter().enumerate() {
                let control = if variant.fixed {
                    Control::Fixed {
                        step: case.problem.default_step * rung(index),
                    }
                } else {
                    Control::Adaptive {
                        rtol: tolerance,
                        atol: tolerance * case.problem.absolute_scale,
                    }
                };
                progress(&format!("{name}: {}", variant.name));
                let mut point = WorkPoint::new(name, variant, control);
                let refused = check_contacts(&mut case, &variant.choice).err();
                if let Some(error) = refused {
                    point.fail(Status::BadInput, error.to_string());
                    points.push(point);
                    continue;
                }
                match &given_up {
                    Some(reason) => point.fail(Status::Failed, reason.clone()),
                    None => {
                        point.fill(&mut case, variant, control, plan, truth.as_ref().ok());
                        if point.status == Status::Failed && point.reason.starts_with(OUT_OF_TIME) {
                            given_up = Some(
                                "not run: a looser tolerance or larger step ran out of time"
                                    .to_owned(),
                            );
                        }
                    }
                }
                points.push(point);
            }
        }
    }
    Ok((points, sources))
}

const OUT_OF_TIME: &str = "out of time";

impl WorkPoint {
    fn new(problem: &str, variant: &Variant, control: Control) -> Self {
        let (tolerance, step) = match control {
            Control::Adaptive { rtol, .. } => (Some(rtol), None),
            Control::Fixed { step } => (None, Some(step)),
        };
        Self {
            problem: problem.to_owned(),
            variant: variant.name.clone(),
            tolerance,
            step,
            status: Status::Done,
            reason: String::new(),
            t_reached: None,
            events: 0,
            impacts: 0,
            energy_rise: None,
            penetration: None,
            error_end: None,
            error_samples: None,
            wall_s: 0.0,
            accepted: 0,
            rejected: 0,
            force: 0,
            constraint: 0,
            jacobian: 0,
            mass: 0,
            factorizations: 0,
            solves: 0,
            newton_iterations: 0,
            violation_position: None,
            violation_velocity: None,
        }
    }

    fn fail(&mut self, status: Status, reason: String) {
        (self.status, self.reason) = (status, reason);
    }

    fn take_events(&mut self, events: &[EventRecord]) {
        self.events = events.len();
        let impacts = events.iter().filter(|event| event.kind == "impact");
        self.impacts = impacts.count();
    }

    fn take(&mut self, statistics: &liedae::solve::Statistics) {
        self.accepted = statistics.accepted;
        self.rejected = statistics.rejected.total();
        self.force = statistics.evaluations.force;
        self.constraint = statistics.evaluations.constraint;
        self.jacobian = statistics.evaluations.jacobian;
        self.mass = statistics.evaluations.mass;
        self.factorizations = statistics.work.factorizations;
        self.solves = statistics.work.solves;
        self.newton_iterations = statistics.work.newton_iterations;
    }

    fn fill(
        &mut self,
        case: &mut Case,
        variant: &Variant,
        control: Control,
        plan: &Plan,
        truth: Option<&Truth>,
    ) {
        let options = variant
            .choice
            .driver_options(control, case.t_end, plan.max_steps);
        let limited = Options {
            time_limit: Some(plan.time_limit),
            ..options.clone()
        };
        match timed(case, &variant.choice, &limited, Repeat::SHORT) {
            Ok(timed) => {
                self.wall_s = timed.wall_s;
                self.take(&timed.solution.statistics);
                self.take_events(&timed.solution.events);
                self.t_reached = Some(timed.solution.state.t);
                if let Some(truth) = truth {
                    self.error_end = truth.error_at_end(case, &timed.solution.state);
                }
            }
            Err(TimedFailure { error, wall_s }) => {
                self.wall_s = wall_s;
                self.take(&error.statistics);
                self.take_events(&error.events);
                self.t_reached = error.state.as_ref().map(|state| state.t);
                let reason = match &error.kind {
                    SolveErrorKind::OutOfTime { .. } => format!("{OUT_OF_TIME}: {error}"),
                    _ => error.to_string(),
                };
                self.fail(status_of(&error.kind), reason);
                return;
            }
        }
        let mut table = Table::default();
        let mut meter = Meter::of_invariants();
        if let Some(truth) = truth {
            meter = meter
                .with_rows(Sampling::Times(truth.times()), &mut table)
                .without_jumps();
        }
        let integrator = variant.choice.build();
        let measured = solve_observed(case.system(), integrator.as_ref(), &options, &mut meter);
        let interruption = meter.interruption.take();
        let invariants = meter.into_invariants();
        match (interruption, measured) {
            (Some(Interruption::Dynamics(error)), _) => {
                let reason = format!("the solution cannot be measured: {error}");
                return self.fail(Status::Failed, reason);
            }
            (Some(Interruption::Sink(error)), _) => {
                return self.fail(Status::Failed, format!("rows cannot be kept: {error}"));
            }
            (None, Err(error)) => {
                let reason = format!("the measuring pass failed: {error}");
                return self.fail(Status::Failed, reason);
            }
            (None, Ok(_)) => {}
        }
        self.violation_position = Some(invariants.violation.position);
        self.violation_velocity = Some(invariants.violation.velocity);
        self.penetration = invariants.penetration;
        self.energy_rise = invariants
            .energy
            .and_then(|energy| energy.largest_rise_at_event);
        if let Some(truth) = truth {
            self.error_samples = truth.error_over_samples(&table);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_is_in_the_diagrams_in_every_way_that_it_runs() {
        let methods = &liedae_contact::methods();
        let all = variants(methods, "all", None, None, None, None)
            .map(|list| list.len())
            .unwrap_or_default();
        assert!(all >= methods.entries().len());
        assert!(
            variants(methods, "hem5,hem5", None, None, None, None)
                .is_ok_and(|list| list.len() == 1)
        );
        assert!(variants(methods, "hem6", None, None, None, None).is_err());
        assert_eq!([rung(0), rung(3)], [4.0, 0.5]);
    }

    #[test]
    fn a_controller_goes_with_adaptive_variants() {
        let names = |methods: &str, controller: &str| {
            variants(
                &liedae_contact::methods(),
                methods,
                None,
                None,
                None,
                Some(controller),
            )
            .map(|list| list.into_iter().map(|variant| variant.name).collect())
        };
        let found: Result<Vec<String>, CommandError> = names("hem5,half-implicit", "h211b");
        let expected = [
            "hem5, h211b",
            "half-implicit, fixed steps",
            "half-implicit, adaptive, h211b",
        ];
        assert!(found.is_ok_and(|found| found == expected));
        assert!(names("hem5", "h211").is_err());
    }

    #[test]
    fn failures_are_rows() -> Result<(), CommandError> {
        let plan = Plan {
            problems: vec![Instance::parse(
                &liedae_problems::ProblemRegistry::standard(),
                "pendulum",
            )?],
            variants: variants(
                &liedae_contact::methods(),
                "hem5,backward-euler",
                None,
                None,
                None,
                None,
            )?,
            tolerances: vec![1e-3, 1e-5],
            time_limit: Duration::from_secs(5),
            max_steps: Some(20),
        };
        let (points, _) = work_precision(&plan, |_| ())?;
        assert_eq!(points.len(), 2 * plan.variants.len());
        let failed = points.iter().filter(|point| point.status == Status::Failed);
        assert!(failed.clone().count() > 0);
        for point in failed {
            assert!(
                point.reason.contains("steps were not enough"),
                "{}",
                point.reason
            );
        }
        Ok(())
    }
}
