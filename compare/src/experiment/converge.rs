//! Order of convergence: the error over all steps against the step size.

use super::own_reference;
use super::{Case, Choice, Control, Meter, Repeat, Sampling, Table, slope, timed};
use crate::error::CommandError;
use crate::output::Named;
use liedae::solve::solve_observed;
use serde::Serialize;

/// One step size.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ConvergencePoint {
    /// Step in s.
    pub h: f64,
    /// sqrt(sum (z_i - z_ref(t_i))^2 / n) over the n steps (Fang et al. 2022, 3.1), without those that end in an event.
    pub error_rms: f64,
    /// Largest error at any step.
    pub error_max: f64,
    /// Newton iterations per accepted step.
    pub iterations_per_step: f64,
    /// Wall time in s, of a run that nobody observes; the shortest of up to five for short runs.
    pub wall_s: f64,
    /// Force evaluations.
    pub force_evaluations: usize,
    /// Accepted steps.
    pub steps: usize,
    /// Whether the error is at the level of round-off, and left out of the fit.
    pub at_round_off: bool,
}

/// Errors on a ladder of steps.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Convergence {
    /// The problem's name.
    pub problem: String,
    /// The method's name.
    pub method: String,
    /// The method as it was asked for, such as `generalized-alpha:rho=0.5`.
    pub variant: String,
    /// The output measured.
    pub output: String,
    /// Where the true values come from.
    pub reference: String,
    /// Parameters of the problem.
    pub parameters: Named<f64>,
    /// End time in s.
    pub t_end: f64,
    /// One point per step size, in the order asked for.
    pub points: Vec<ConvergencePoint>,
    /// Slope of log error_rms over log h by least squares, without points at round-off; null for fewer than two.
    pub slope: Option<f64>,
    /// Points at or below this error_rms are at round-off.
    pub round_off_floor: f64,
}

/// Round-off in units of the largest reference value: of exact values, and of an own reference run.
const FLOOR: [f64; 2] = [1e3 * f64::EPSILON, 1e-10];

/// What to measure.
#[derive(Clone, Debug, PartialEq)]
pub struct Ladder {
    /// Fixed steps in s.
    pub steps: Vec<f64>,
    /// Index of the output.
    pub output: usize,
    /// Limit of steps of each run.
    pub max_steps: Option<u64>,
    /// Whether wall times are wanted, too: every run is then repeated unobserved. Otherwise they are NaN.
    pub timed: bool,
}

/// Runs `case` on a ladder of fixed steps.
pub fn converge(
    case: &mut Case,
    choice: &Choice,
    ladder: &Ladder,
    mut progress: impl FnMut(&str),
) -> Result<Convergence, CommandError> {
    let output = ladder.output;
    let name = case.outputs().get(output).cloned().unwrap_or_default();
    let mut points = Vec::with_capacity(ladder.steps.len());
    let mut tables = Vec::with_capacity(ladder.steps.len());
    for &step in &ladder.steps {
        progress(&format!(
            "{}, {}, h = {step:e} s",
            case.problem.name,
            choice.label()
        ));
        choice.check_controller(Control::Fixed { step })?;
        let control = Control::Fixed { step };
        let options = choice.driver_options(control, case.t_end, ladder.max_steps);
        let wall_s = if ladder.timed {
            let timed = timed(case, choice, &options, Repeat::SHORT);
            timed
                .map_err(|failure| case.refusal(*failure.error))?
                .wall_s()
        } else {
            f64::NAN
        };
        let mut values = OneColumn {
            index: output,
            table: Table::default(),
        };
        let mut meter = Meter::of_rows(Sampling::Steps, &mut values);
        let integrator = choice.build();
        let measured = solve_observed(case.system(), integrator.as_ref(), &options, &mut meter);
        meter.finish()?;
        let statistics = measured.map_err(|error| case.refusal(error))?.statistics;
        let accepted = statistics.accepted;
        tables.push(values.table);
        points.push(ConvergencePoint {
            h: step,
            error_rms: f64::NAN,
            error_max: f64::NAN,
            iterations_per_step: statistics.work.newton_iterations as f64 / accepted.max(1) as f64,
            wall_s,
            force_evaluations: statistics.evaluations.force,
            steps: accepted,
            at_round_off: false,
        });
    }

    progress(&format!("{}: reference", case.problem.name));
    let (truth, reference, floor) = truth(case, &name, output, &tables)?;
    let mut largest = 0.0_f64;
    for ((point, table), truth) in points.iter_mut().zip(&tables).zip(&truth) {
        // At an event there is a row on either side, and outputs that jump have no value in between.
        let times = &table.times;
        let jumps = |index: usize| {
            times[index] == times[index - 1] || times.get(index + 1) == Some(&times[index])
        };
        let errors = (1..table.rows.len())
            .filter(|&index| !jumps(index))
            .map(|index| table.rows[index][0] - truth[index]);
        let (mut sum, mut worst, mut count) = (0.0, 0.0_f64, 0);
        for error in errors {
            sum += error * error;
            if error.is_nan() || error.abs() > worst {
                worst = error.abs();
            }
            count += 1;
        }
        point.error_rms = (sum / f64::from(count.max(1))).sqrt();
        point.error_max = worst;
        largest = truth
            .iter()
            .fold(largest, |largest, value| largest.max(value.abs()));
    }
    let round_off_floor = floor * largest;
    for point in &mut points {
        point.at_round_off = point.error_rms <= round_off_floor;
    }
    let fitted = points
        .iter()
        .filter(|point| !point.at_round_off)
        .map(|point| (point.h, point.error_rms));
    Ok(Convergence {
        problem: case.problem.name.to_owned(),
        method: choice.method().name.to_owned(),
        variant: choice.label(),
        output: name,
        reference,
        parameters: Named(case.parameter_values()),
        t_end: case.t_end,
        slope: slope(fitted),
        points,
        round_off_floor,
    })
}

/// Keeps one output of every row.
struct OneColumn {
    index: usize,
    table: Table,
}

impl super::RowSink for OneColumn {
    fn row(&mut self, t: f64, outputs: &[f64]) -> std::io::Result<()> {
        self.table.row(t, &outputs[self.index..=self.index])
    }
}

type Truth = (Vec<Vec<f64>>, String, f64);

/// True values at every row of every table, where they come from, and their relative round-off.
fn truth(
    case: &mut Case,
    name: &str,
    output: usize,
    tables: &[Table],
) -> Result<Truth, CommandError> {
    if let Some(reference) = case
        .problem
        .reference
        .as_ref()
        .filter(|reference| reference.has(name))
    {
        let mut all = Vec::with_capacity(tables.len());
        for table in tables {
            // The initial values are not a result: what the reference says there does not matter.
            let mut values = vec![f64::NAN];
            for &t in table.times.iter().skip(1) {
                values.push(reference.value(name, t).ok_or_else(|| CommandError::NoReference {
                    problem: case.problem.name.to_owned(),
                    output: name.to_owned(),
                    t,
                    hint: "it ends before, or it is a table that cannot be interpolated there; choose steps that meet \
                           its samples, an earlier --t-end or another --output",
                })?);
            }
            all.push(values);
        }
        let source = reference.source().to_owned();
        return Ok((all, source, FLOOR[0]));
    }
    let mut times: Vec<f64> = tables
        .iter()
        .flat_map(|table| table.times.iter().copied())
        .collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    let reference = own_reference(case, &times)?;
    let rows = &reference.table;
    let value = |t: f64| {
        rows.times
            .binary_search_by(|time| time.total_cmp(&t))
            .ok()
            .and_then(|index| rows.rows.get(index))
            .and_then(|row| row.get(output))
            .copied()
            .unwrap_or(f64::NAN)
    };
    let all = tables
        .iter()
        .map(|table| table.times.iter().map(|&t| value(t)).collect())
        .collect();
    Ok((all, reference.description(), FLOOR[1]))
}
