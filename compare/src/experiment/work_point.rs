//! One run of a comparison, judged: a row of the results.

use super::finite::size;
use super::{Control, Counts, Measurement, Timing, Truth};
use crate::error::Status;
use serde::{Deserialize, Serialize};

/// One run: a row of the results, a row in the store.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    #[serde(with = "super::finite::size")]
    pub penetration: Option<f64>,
    /// Error at the end, at least the uncertainty of the reference; infinite if it is not a number, `None` if it is unknown.
    #[serde(with = "super::finite::size")]
    pub error_end: Option<f64>,
    /// Error over the samples, in the same way.
    #[serde(with = "super::finite::size")]
    pub error_samples: Option<f64>,
    /// Wall time of the shortest repetition in s.
    pub wall_s: f64,
    /// CPU time of the shortest repetition in s, where the operating system tells.
    pub cpu_s: Option<f64>,
    /// Median of the wall times in s.
    pub wall_median_s: f64,
    /// Median of the CPU times in s.
    pub cpu_median_s: Option<f64>,
    /// Longest less shortest time, as a share of the median; of CPU times where they are known.
    pub spread: f64,
    /// How often the run was made for its times.
    pub repetitions: usize,
    /// Whether other work went on beside the runs that were timed.
    pub shared: bool,
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
    #[serde(with = "super::finite::size")]
    pub violation_position: Option<f64>,
    /// Largest violation at velocity level.
    #[serde(with = "super::finite::size")]
    pub violation_velocity: Option<f64>,
}

impl WorkPoint {
    /// What a measurement is worth: errors by the truth, where it is known, times in short.
    pub fn new(
        problem: &str,
        variant: &str,
        control: Control,
        measurement: &Measurement,
        truth: Option<&Truth>,
        shared: bool,
    ) -> Self {
        let (tolerance, step) = match control {
            Control::Adaptive { rtol, .. } => (Some(rtol), None),
            Control::Fixed { step } => (None, Some(step)),
        };
        let Counts {
            accepted,
            rejected,
            inner: _,
            force,
            constraint,
            jacobian,
            mass,
            factorizations,
            solves,
            newton_iterations,
        } = measurement.counts;
        let done = measurement.status == Status::Done;
        let end = measurement.end.as_deref();
        let error_end = truth
            .and_then(|truth| truth.error_at_end(end?))
            .map(size::of);
        let error_samples = truth.filter(|_| done);
        let mut point = Self {
            problem: problem.to_owned(),
            variant: variant.to_owned(),
            tolerance,
            step,
            status: measurement.status,
            reason: measurement.reason.clone(),
            t_reached: measurement.t_reached,
            events: measurement.events,
            impacts: measurement.impacts,
            energy_rise: measurement.energy_rise,
            penetration: measurement.penetration.map(size::of),
            error_end,
            error_samples: error_samples
                .and_then(|truth| truth.error_over_samples(&measurement.samples))
                .map(size::of),
            wall_s: 0.0,
            cpu_s: None,
            wall_median_s: 0.0,
            cpu_median_s: None,
            spread: 0.0,
            repetitions: 0,
            shared: false,
            accepted,
            rejected,
            force,
            constraint,
            jacobian,
            mass,
            factorizations,
            solves,
            newton_iterations,
            violation_position: measurement
                .violation
                .map(|[position, _]| size::of(position)),
            violation_velocity: measurement
                .violation
                .map(|[_, velocity]| size::of(velocity)),
        };
        point.take_times(&measurement.timings, shared);
        point
    }

    /// Takes the times of all repetitions.
    pub fn take_times(&mut self, timings: &[Timing], shared: bool) {
        let mut walls: Vec<f64> = timings.iter().map(|timing| timing.wall_s).collect();
        let cpus: Option<Vec<f64>> = timings.iter().map(|timing| timing.cpu_s).collect();
        let mut cpus = cpus.unwrap_or_default();
        walls.sort_by(f64::total_cmp);
        cpus.sort_by(f64::total_cmp);
        self.repetitions = timings.len();
        self.shared = shared;
        self.wall_s = walls.first().copied().unwrap_or(0.0);
        self.wall_median_s = median(&walls).unwrap_or(0.0);
        self.cpu_s = cpus.first().copied();
        self.cpu_median_s = median(&cpus);
        let times = if cpus.is_empty() { &walls } else { &cpus };
        self.spread = match (times.first(), times.last(), median(times)) {
            (Some(first), Some(last), Some(middle)) if middle > 0.0 => (last - first) / middle,
            _ => 0.0,
        };
    }

    /// Tolerance or step.
    pub fn control(&self) -> f64 {
        self.tolerance.or(self.step).unwrap_or(f64::NAN)
    }
}

/// The value in the middle of an ascending list, the mean of the two there in a list of even length.
fn median(sorted: &[f64]) -> Option<f64> {
    let middle = sorted.len() / 2;
    let upper = *sorted.get(middle)?;
    Some(if sorted.len().is_multiple_of(2) {
        0.5 * (sorted[middle - 1] + upper)
    } else {
        upper
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Survey;
    use crate::registry::Registry;

    #[test]
    fn times_are_summed_up() {
        let timing = |wall_s, cpu_s| Timing {
            wall_s,
            cpu_s: Some(cpu_s),
        };
        let measurement = Measurement {
            timings: vec![timing(4.0, 2.0), timing(3.0, 1.0), timing(9.0, 1.5)],
            ..Measurement::default()
        };
        let control = Control::Fixed { step: 0.5 };
        let point = WorkPoint::new("p", "v", control, &measurement, None, true);
        assert_eq!((point.wall_s, point.wall_median_s), (3.0, 4.0));
        assert_eq!((point.cpu_s, point.cpu_median_s), (Some(1.0), Some(1.5)));
        assert_eq!((point.repetitions, point.shared), (3, true));
        assert!((point.spread - 1.0 / 1.5).abs() < 1e-15);
        assert_eq!(median(&[1.0, 2.0]), Some(1.5));
        assert_eq!(median(&[]), None);
    }

    /// Outputs that are not numbers have an error that is infinite, not one that nobody knows.
    #[test]
    fn an_error_that_is_not_a_number_is_infinite() {
        let case = Registry::standard().case::<&str>("pendulum", &[], None);
        let mut case = case.expect("a problem");
        let truth = Survey::of(&mut case).published.expect("a closed form");
        let control = Control::Fixed { step: 0.5 };
        let point = |end: Option<Vec<f64>>| {
            let measurement = Measurement {
                end,
                violation: Some([f64::NAN, 0.0]),
                ..Measurement::default()
            };
            WorkPoint::new("p", "v", control, &measurement, Some(&truth), false)
        };
        let outputs = case.outputs().len();
        let broken = point(Some(vec![f64::NAN; outputs]));
        assert_eq!(broken.error_end, Some(f64::INFINITY));
        assert_eq!(broken.violation_position, Some(f64::INFINITY));
        assert_eq!(broken.violation_velocity, Some(0.0));
        assert_eq!(point(None).error_end, None);
    }

    /// A child's measurement comes back whatever is not a number in it.
    #[test]
    fn measurements_come_back_from_children() -> Result<(), serde_json::Error> {
        let measurement = Measurement {
            violation: Some([f64::NAN, 1e-12]),
            end: Some(vec![f64::NAN, 1.0 / 3.0]),
            penetration: Some(f64::NAN),
            ..Measurement::default()
        };
        let text = serde_json::to_string(&measurement)?;
        let back: Measurement = serde_json::from_str(&text)?;
        let [position, velocity] = back.violation.unwrap_or_default();
        assert!(position.is_nan() && velocity == 1e-12);
        let end = back.end.unwrap_or_default();
        assert!(end[0].is_nan() && end[1] == 1.0 / 3.0);
        assert_eq!(back.penetration, Some(f64::INFINITY));
        Ok(())
    }
}
