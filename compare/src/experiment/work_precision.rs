//! Work against precision: every method at every tolerance on every problem; failures are rows, too.

use super::own_reference::{DESCRIPTION, own_reference};
use super::{
    Case, Choice, Control, Meter, Repeat, Sampling, Scales, Table, TimedFailure, deviation,
    equidistant, timed,
};
use crate::error::{CommandError, Status, status_of};
use liedae::integrator::{MethodOption, Projection, methods};
use liedae::solve::solve_observed;
use liedae::system::Violation;
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
    names: &str,
    projection: Option<Projection>,
    newton_tolerance: Option<f64>,
    formulation: Option<&str>,
    controller: Option<&str>,
) -> Result<Vec<Variant>, CommandError> {
    let list: Vec<&str> = if names == "all" {
        methods().iter().map(|entry| entry.method.name).collect()
    } else {
        names.split(',').map(str::trim).collect()
    };
    let suffix = controller.map_or(String::new(), |name| format!(", {name}"));
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
        // Asked for several methods at once, an option concerns those that take it.
        let plain = Choice::new(name, None, None)?;
        let takes = |option| {
            let asked_otherwise =
                option == MethodOption::Formulation && plain.options.formulation.is_some();
            plain.entry.takes(option) && !asked_otherwise
        };
        unused.retain(|&option| !takes(option));
        let choice = Choice::new(
            name,
            projection.filter(|_| takes(MethodOption::Projection)),
            newton_tolerance.filter(|_| takes(MethodOption::Newton)),
        )?
        .with_formulation(formulation.filter(|_| takes(MethodOption::Formulation)))?
        .with_controller(controller)?;
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
            choice,
            fixed,
            number,
            secondary,
        };
        let name = choice.label();
        if method.fixed_step_by_default || !adaptive {
            variants.push(variant(format!("{name}, fixed steps"), true, false));
            if adaptive {
                variants.push(variant(format!("{name}, adaptive{suffix}"), false, true));
            }
        } else {
            variants.push(variant(format!("{name}{suffix}"), false, false));
        }
        number += 1;
    }
    if let Some(&option) = unused.first() {
        return Err(CommandError::UnusedOption(option));
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
    /// Names of problems.
    pub problems: Vec<&'static str>,
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
    /// Error at the end, not less than what the digits of the reference allow to tell.
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

/// Samples over which `error_samples` is taken.
const SAMPLES: usize = 41;

/// Fixed steps of rung k, in units of the problem's default step: 4, 2, 1, 1/2 ...
fn rung(index: usize) -> f64 {
    4.0 * 0.5_f64.powi(i32::try_from(index).unwrap_or(i32::MAX))
}

/// The true solution of a problem at the end and at samples.
struct Truth {
    source: String,
    /// Outputs known at the end, and their values.
    end: (Vec<usize>, Vec<f64>, Scales),
    /// The error at the end below which the reference cannot tell, because it has no more digits.
    floor: f64,
    /// Outputs known at all samples, the samples, the values.
    samples: (Vec<usize>, Vec<f64>, Vec<Vec<f64>>, Scales),
}

impl Truth {
    fn new(case: &mut Case) -> Result<Self, CommandError> {
        let start = case.system().initial_state().t;
        let times = equidistant(start, case.t_end, SAMPLES);
        let names = case.outputs().to_vec();
        if let Some(reference) = &case.problem.reference {
            let known = |t: f64, index: usize| reference.value(&names[index], t);
            let at_end: Vec<usize> = (0..names.len())
                .filter(|&index| known(case.t_end, index).is_some())
                .collect();
            if !at_end.is_empty() {
                let everywhere =
                    |&index: &usize| times.iter().skip(1).all(|&t| known(t, index).is_some());
                let sampled: Vec<usize> = at_end.iter().copied().filter(everywhere).collect();
                let row = |t: f64, list: &[usize]| -> Vec<f64> {
                    list.iter()
                        .map(|&index| known(t, index).unwrap_or(f64::NAN))
                        .collect()
                };
                let end = row(case.t_end, &at_end);
                // Sizes over the whole run where they are known: a value may vanish at the end.
                let sizes: Vec<Vec<f64>> = times
                    .iter()
                    .map(|&t| {
                        at_end
                            .iter()
                            .map(|&index| known(t, index).unwrap_or(0.0))
                            .collect()
                    })
                    .collect();
                let scales = Scales::new(sizes.iter().map(Vec::as_slice));
                let doubtful: Vec<f64> = at_end
                    .iter()
                    .zip(&end)
                    .map(|(&index, value)| match reference.digits(&names[index]) {
                        Some(digits) => value * (1.0 + 0.1_f64.powi(i32::from(digits))),
                        None => *value,
                    })
                    .collect();
                let floor = deviation(&doubtful, &end, &scales);
                let rows: Vec<Vec<f64>> = times.iter().skip(1).map(|&t| row(t, &sampled)).collect();
                let sample_scales = Scales::new(rows.iter().map(Vec::as_slice));
                return Ok(Self {
                    source: reference.source().to_owned(),
                    end: (at_end, end, scales),
                    floor,
                    samples: (sampled, times[1..].to_vec(), rows, sample_scales),
                });
            }
        }
        let table = own_reference(case, times)?;
        let all: Vec<usize> = (0..names.len()).collect();
        let scales = Scales::new(table.rows.iter().map(Vec::as_slice));
        let end = table.rows.last().cloned().unwrap_or_default();
        Ok(Self {
            source: DESCRIPTION.to_owned(),
            end: (all.clone(), end, scales.clone()),
            floor: 0.0,
            samples: (
                all,
                table.times.get(1..).unwrap_or_default().to_vec(),
                table.rows.get(1..).unwrap_or_default().to_vec(),
                scales,
            ),
        })
    }
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
}

/// Runs everything. `progress` hears of every run.
pub fn work_precision(
    plan: &Plan,
    mut progress: impl FnMut(&str),
) -> Result<(Vec<WorkPoint>, Vec<Source>), CommandError> {
    let (mut points, mut sources) = (Vec::new(), Vec::new());
    for &name in &plan.problems {
        let mut case = Case::new::<&str>(name, &[], None)?;
        let truth = Truth::new(&mut case);
        let layout = case.system().layout();
        let determined = layout.dimension() > 0 && layout.position_rows == layout.dimension();
        let source = match &truth {
            Ok(truth) => truth.source.clone(),
            Err(error) => format!("none: {error}"),
        };
        sources.push(Source {
            problem: name.to_owned(),
            source,
            determined,
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
        match timed(
            case,
            &variant.choice,
            &options,
            Repeat::SHORT,
            Some(plan.time_limit),
        ) {
            Ok(timed) => {
                self.wall_s = timed.wall_s;
                self.take(&timed.solution.statistics);
                if timed.out_of_time {
                    let t = timed.solution.state.t;
                    let limit = plan.time_limit.as_secs_f64();
                    self.fail(
                        Status::Failed,
                        format!("{OUT_OF_TIME}: {limit} s were enough to t = {t:.6} only"),
                    );
                    return;
                }
                if let Some(truth) = truth {
                    self.error_end = end_error(case, &timed.solution.state, truth);
                }
            }
            Err(TimedFailure { error, wall_s }) => {
                self.wall_s = wall_s;
                self.take(&error.statistics);
                self.fail(status_of(&error.kind), error.to_string());
                return;
            }
        }
        let mut table = Table::default();
        let mut meter = Meter::of_invariants();
        if let Some(truth) = truth {
            meter = meter.with_rows(Sampling::Times(truth.samples.1.clone()), &mut table);
        }
        let mut integrator = variant.choice.build();
        let measured = solve_observed(case.system(), integrator.as_mut(), &options, &mut meter);
        let complete = measured.is_ok() && meter.interruption.is_none();
        let Violation {
            position, velocity, ..
        } = meter.into_invariants().violation;
        if !complete {
            return;
        }
        (self.violation_position, self.violation_velocity) = (Some(position), Some(velocity));
        if let Some(truth) = truth {
            self.error_samples = sample_error(&table, truth);
        }
    }
}

fn end_error(case: &mut Case, state: &liedae::system::State, truth: &Truth) -> Option<f64> {
    let mut outputs = vec![f64::NAN; case.outputs().len()];
    case.system().outputs(state, &mut outputs).ok()?;
    let (columns, values, scales) = &truth.end;
    let found: Vec<f64> = columns.iter().map(|&index| outputs[index]).collect();
    let error = deviation(&found, values, scales);
    // Written so that a NaN stays.
    Some(if error < truth.floor {
        truth.floor
    } else {
        error
    })
}

fn sample_error(table: &Table, truth: &Truth) -> Option<f64> {
    let (columns, times, values, scales) = &truth.samples;
    if columns.is_empty() || table.rows.len() != times.len() || times.is_empty() {
        return None;
    }
    let squares = table.rows.iter().zip(values).map(|(row, truth)| {
        let found: Vec<f64> = columns.iter().map(|&index| row[index]).collect();
        deviation(&found, truth, scales).powi(2)
    });
    Some((squares.sum::<f64>() / times.len() as f64).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_is_in_the_diagrams_in_every_way_that_it_runs() {
        let all = variants("all", None, None, None, None)
            .map(|list| list.len())
            .unwrap_or_default();
        assert!(all >= methods().len());
        assert!(variants("hem5,hem5", None, None, None, None).is_ok_and(|list| list.len() == 1));
        assert!(variants("hem6", None, None, None, None).is_err());
        assert_eq!([rung(0), rung(3)], [4.0, 0.5]);
    }

    #[test]
    fn a_controller_goes_with_adaptive_variants() {
        let names = |methods: &str, controller: &str| {
            variants(methods, None, None, None, Some(controller))
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
            problems: vec!["pendulum"],
            variants: variants("hem5,backward-euler", None, None, None, None)?,
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
