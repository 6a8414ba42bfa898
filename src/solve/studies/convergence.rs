//! Observed order: the same run with ever smaller steps against a reference state.

use crate::integrator::Integrator;
use crate::solve::{Options, SolveError, Statistics, solve};
use crate::system::{State, System};

/// Errors of one run with constant steps, Euclidean norms at the end.
///
/// ```
/// use liedae::integrator::Dopri5;
/// use liedae::prelude::*;
/// use liedae::solve::{ConvergencePoint, convergence};
///
/// let mut oscillator = liedae::model([1.0], [0.0]).mass(1.0).force(|_t, [x], _v| [x * -100.0]).build()?;
/// let (q, v) = (vec![10.0_f64.cos()], vec![-10.0 * 10.0_f64.sin()]);
/// let reference = State { t: 1.0, q, v, ..oscillator.initial_state() };
/// let found = convergence(&mut oscillator, &Dopri5::default(), &[0.02, 0.01], &reference)?;
/// let [ConvergencePoint { h, q: coarse, .. }, ConvergencePoint { q: fine, .. }] = found.points[..] else {
///     panic!("two steps were asked for")
/// };
/// // Half the step, and 2⁵ times the accuracy.
/// assert!(h == 0.02 && (coarse / fine / 32.0 - 1.0).abs() < 0.2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConvergencePoint {
    /// The step in s.
    pub h: f64,
    /// Error of the configuration, in local coordinates around the reference.
    pub q: f64,
    /// Error of the velocity.
    pub v: f64,
    /// Error of the multipliers.
    pub lambda: f64,
    /// Error of the differential states.
    pub x: f64,
    /// What the run cost.
    pub statistics: Statistics,
}

/// Errors over step sizes.
#[derive(Clone, Debug, PartialEq)]
pub struct Convergence {
    /// One point per step size, in the order asked for.
    pub points: Vec<ConvergencePoint>,
}

impl Convergence {
    /// Observed order of the configuration.
    pub fn order_q(&self) -> f64 {
        self.order(|point| point.q)
    }

    /// Observed order of the velocity.
    pub fn order_v(&self) -> f64 {
        self.order(|point| point.v)
    }

    /// Observed order of the multipliers.
    pub fn order_lambda(&self) -> f64 {
        self.order(|point| point.lambda)
    }

    /// Observed order of the differential states.
    pub fn order_x(&self) -> f64 {
        self.order(|point| point.x)
    }

    fn order(&self, error: impl Fn(&ConvergencePoint) -> f64) -> f64 {
        log_log_slope(self.points.iter().map(|point| (point.h, error(point))))
    }
}

/// The least-squares slope of log(y) over log(x); NaN for fewer than two points or values that are not positive.
///
/// ```
/// use liedae::solve::log_log_slope;
///
/// let errors = [(0.1, 3e-3), (0.05, 7.5e-4), (0.025, 1.875e-4)]; // 0.3 h²
/// assert!((log_log_slope(errors) - 2.0).abs() < 1e-12);
/// ```
pub fn log_log_slope(points: impl IntoIterator<Item = (f64, f64)>) -> f64 {
    let logarithms: Vec<(f64, f64)> = points.into_iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let count = logarithms.len() as f64;
    let (sum_x, sum_y) = logarithms
        .iter()
        .fold((0.0, 0.0), |(sx, sy), (x, y)| (sx + x, sy + y));
    let (mean_x, mean_y) = (sum_x / count, sum_y / count);
    let (covariance, variance) =
        logarithms
            .iter()
            .fold((0.0, 0.0), |(covariance, variance), (x, y)| {
                (
                    covariance + (x - mean_x) * (y - mean_y),
                    variance + (x - mean_x).powi(2),
                )
            });
    // Least squares in logarithms: slope = covariance / variance.
    covariance / variance
}

/// Runs with constant steps of each size to the time of `reference` and measures the errors there. A step that fails ends the study: no other
/// size is measured in its place.
///
/// For a system without constraints the multipliers' error and order are 0 and NaN, likewise for other empty parts.
///
/// ```
/// use liedae::integrator::{Hem5, Projection};
/// use liedae::prelude::*;
/// use liedae::solve::convergence;
///
/// // A method of fifth order on a pendulum.
/// let mut pendulum = liedae::model([1.0, 0.0], [0.0, 0.0])
///     .mass(1.0)
///     .force(|_t, _q, _v| [0.0, -9.81])
///     .constraint(|_t, [x, y]| [x * x + y * y - 1.0])
///     .build()?;
/// let method = Hem5::new(Projection::EveryStep);
/// let reference = solve(&mut pendulum, &method, &Options::adaptive(0.5, 1e-13, 1e-13))?.state;
/// let found = convergence(&mut pendulum, &method, &[0.05, 0.025], &reference)?;
/// assert!(found.order_q() > 4.5 && found.order_v() > 4.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn convergence(
    system: &mut dyn System,
    integrator: &dyn Integrator,
    steps: &[f64],
    reference: &State,
) -> Result<Convergence, SolveError> {
    let mut points = Vec::with_capacity(steps.len());
    for &h in steps {
        let options = Options {
            max_halvings: 0,
            ..Options::fixed(reference.t, h)
        };
        let solution = solve(system, integrator, &options)?;
        let state = &solution.state;
        let mut displacement = vec![0.0; reference.v.len()];
        system
            .layout()
            .space
            .lift(&reference.q, &state.q, &mut displacement);
        points.push(ConvergencePoint {
            h,
            q: displacement.iter().map(|d| d * d).sum::<f64>().sqrt(),
            v: distance(&reference.v, &state.v),
            lambda: distance(&reference.lambda, &state.lambda),
            x: distance(&reference.x, &state.x),
            statistics: solution.statistics,
        });
    }
    Ok(Convergence { points })
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter()
        .zip(b)
        .map(|(a, b)| (a - b) * (a - b))
        .sum::<f64>()
        .sqrt()
}
