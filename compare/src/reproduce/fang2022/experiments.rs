//! Figs. 2, 3 and 9 as data.

use super::settings::{Extent, FRICTION, MECHANISMS, METHODS, Mechanism};
use crate::error::CommandError;
use crate::experiment::{
    Case, Choice, Control, Convergence, Ladder, Meter, RowSink, Sampling, Table, converge,
};
use crate::registry::Registry;
use liedae::solve::{EventRecord, solve_observed};

/// Fig. 2: errors of both methods on one mechanism.
pub struct Order {
    /// The mechanism.
    pub mechanism: &'static Mechanism,
    /// Half-implicit, fully implicit.
    pub methods: [Convergence; 2],
}

/// Fig. 2 for all mechanisms.
pub fn orders(extent: &Extent, progress: &mut dyn FnMut(&str)) -> Result<Vec<Order>, CommandError> {
    let mut orders = Vec::new();
    for mechanism in &MECHANISMS {
        let mut case =
            Registry::standard().case::<&str>(mechanism.problem, &[], Some(extent.t_end))?;
        let output = case.output(Some(mechanism.output))?;
        let ladder = Ladder {
            steps: extent.order_steps.clone(),
            output,
            max_steps: None,
            timed: false,
        };
        let mut measure = |method| {
            converge(
                &mut case,
                &Registry::standard().choice(method)?,
                &ladder,
                |text| progress(&format!("Fig. 2: {text}")),
            )
        };
        let methods = [measure(METHODS[0].0)?, measure(METHODS[1].0)?];
        orders.push(Order { mechanism, methods });
    }
    Ok(orders)
}

/// Fig. 3: energy along a run.
pub struct EnergyCurve {
    /// The method's label.
    pub label: &'static str,
    /// Time in s and energy in J, thinned.
    pub points: Vec<(f64, f64)>,
    /// Energy at the start in J.
    pub initial: f64,
    /// Energy at the end in J.
    pub last: f64,
    /// Largest |E - E0| in J over all steps.
    pub largest_drift: f64,
    /// Largest |E - E0| in J over the first and over the last quarter of the run.
    pub quarters: [f64; 2],
}

/// Keeps the energy at every `every`-th row, and its extremes.
struct EnergyRows {
    index: usize,
    every: usize,
    count: usize,
    t_end: f64,
    curve: EnergyCurve,
}

impl RowSink for EnergyRows {
    fn row(&mut self, t: f64, outputs: &[f64]) -> std::io::Result<()> {
        let energy = outputs[self.index];
        let curve = &mut self.curve;
        if self.count == 0 {
            curve.initial = energy;
        }
        if self.count.is_multiple_of(self.every) {
            curve.points.push((t, energy));
        }
        self.count += 1;
        curve.last = energy;
        let drift = (energy - curve.initial).abs();
        curve.largest_drift = curve.largest_drift.max(drift);
        if t <= 0.25 * self.t_end {
            curve.quarters[0] = curve.quarters[0].max(drift);
        } else if t >= 0.75 * self.t_end {
            curve.quarters[1] = curve.quarters[1].max(drift);
        }
        Ok(())
    }
}

/// Solves with rows into a sink; returns the events.
fn observe(
    case: &mut Case,
    choice: &Choice,
    step: f64,
    sink: &mut dyn RowSink,
) -> Result<Vec<EventRecord>, CommandError> {
    let options = Control::Fixed { step }.options(case.t_end, None);
    let mut meter = Meter::of_rows(Sampling::Steps, sink);
    let integrator = choice.build();
    let solution = solve_observed(case.system(), integrator.as_ref(), &options, &mut meter);
    meter.finish()?;
    Ok(solution?.events)
}

/// Fig. 3 for both methods.
pub fn energies(
    extent: &Extent,
    progress: &mut dyn FnMut(&str),
) -> Result<Vec<EnergyCurve>, CommandError> {
    let mut curves = Vec::new();
    for (method, label) in METHODS {
        progress(&format!("Fig. 3: double-pendulum, {label}"));
        let mut case =
            Registry::standard().case::<&str>("double-pendulum", &[], Some(extent.energy_t_end))?;
        let index = case.output(Some("energy"))?;
        let steps = (extent.energy_t_end / extent.energy_step) as usize;
        let curve = EnergyCurve {
            label,
            points: Vec::new(),
            initial: 0.0,
            last: 0.0,
            largest_drift: 0.0,
            quarters: [0.0; 2],
        };
        let mut rows = EnergyRows {
            index,
            every: (steps / 1500).max(1),
            count: 0,
            t_end: extent.energy_t_end,
            curve,
        };
        observe(
            &mut case,
            &Registry::standard().choice(method)?,
            extent.energy_step,
            &mut rows,
        )?;
        curves.push(rows.curve);
    }
    Ok(curves)
}

/// A quantity along a run with its reference.
pub struct Trace {
    /// Time in s and value; two values at an event.
    pub points: Vec<(f64, f64)>,
    /// Time in s and reference value.
    pub reference: Vec<(f64, f64)>,
    /// Largest minus smallest value after the first tenth of a second.
    pub swing: f64,
    /// Largest jump at an event.
    pub jump: f64,
    /// Root mean square of value - reference.
    pub error: f64,
}

/// Fig. 9: one coefficient of friction.
pub struct Friction {
    /// The coefficient.
    pub mu: &'static str,
    /// Torque of the drive in N m.
    pub torque: Trace,
    /// x-force of the ground on the crank in N.
    pub pivot_force: Trace,
    /// Reversals located.
    pub reversals: usize,
    /// The first reversal in s.
    pub first_reversal: Option<f64>,
}

/// Fig. 9.
pub fn frictions(
    extent: &Extent,
    progress: &mut dyn FnMut(&str),
) -> Result<Vec<Friction>, CommandError> {
    let mut results = Vec::new();
    for mu in FRICTION {
        progress(&format!("Fig. 9: slider-crank, mu = {mu}"));
        let mut case = Registry::standard().case(
            "slider-crank",
            &[format!("mu={mu}")],
            Some(extent.friction_t_end),
        )?;
        let mut table = Table::default();
        let events = observe(
            &mut case,
            &Registry::standard().choice(METHODS[0].0)?,
            1e-3,
            &mut table,
        )?;
        results.push(Friction {
            mu,
            torque: trace(&case, &table, "T")?,
            pivot_force: trace(&case, &table, "FAx")?,
            reversals: events.len(),
            first_reversal: events.first().map(|event| event.t),
        });
    }
    Ok(results)
}

fn trace(case: &Case, table: &Table, output: &str) -> Result<Trace, CommandError> {
    let points = table.column(case.output(Some(output))?);
    let known = |t: f64| {
        case.problem
            .reference
            .as_ref()
            .and_then(|reference| reference.value(output, t))
    };
    let reference: Vec<(f64, f64)> = points
        .iter()
        .filter_map(|&(t, _)| Some((t, known(t)?)))
        .collect();
    let jump = points
        .windows(2)
        .filter(|pair| pair[0].0 == pair[1].0)
        .fold(0.0_f64, |jump, pair| {
            jump.max((pair[1].1 - pair[0].1).abs())
        });
    let settled = points
        .iter()
        .filter(|point| point.0 >= 0.1)
        .map(|point| point.1);
    let (low, high) = settled.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    // At a reversal the reference has one value where the run has two: the neighbours stand for it.
    let compared = points.iter().enumerate().filter(|&(index, &(t, _))| {
        let twin = |other: Option<&(f64, f64)>| other.is_some_and(|other| other.0 == t);
        let before = index.checked_sub(1).and_then(|before| points.get(before));
        !(twin(points.get(index + 1)) || twin(before))
    });
    let squares: Vec<f64> = compared
        .filter_map(|(_, &(t, value))| Some((value - known(t)?).powi(2)))
        .collect();
    let error = (squares.iter().sum::<f64>() / squares.len().max(1) as f64).sqrt();
    Ok(Trace {
        points,
        reference,
        swing: high - low,
        jump,
        error,
    })
}
