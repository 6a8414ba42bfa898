//! Observed orders of convergence in q, v and λ, of many methods on many problems.

use super::{Choice, Control, SAMPLES, Standard, slope};
use liedae::integrator::Orders;
use serde::Serialize;

/// Numbers of steps between two samples: the ladder rises by factors of 4/3 and 3/2, so that methods of high order pass
/// enough rungs before they reach round-off.
fn rungs() -> impl Iterator<Item = usize> {
    std::iter::once(1).chain((0..).flat_map(|power| [2 << power, 3 << power]))
}

/// Finest number of steps between two samples, by order: the error of finer ones is round-off and that of iterations,
/// which index 3 magnifies by 1/h².
fn most_steps(order: u8) -> usize {
    match order {
        0 | 1 => 2048,
        2 => 256,
        _ => 128,
    }
}

/// An error that falls from one rung to the next with less than this part of the order in theory, where it is small
/// already, has reached the accuracy of the iteration or of the arithmetic.
const STAGNATION: f64 = 0.5;

/// Small in this sense: this part of the largest value.
const SMALL: f64 = 1e-6;

/// Errors this many times the uncertainty of the reference are still used.
const ABOVE_UNCERTAINTY: f64 = 30.0;

/// Points that a slope is fitted to: the finest ones above the uncertainty.
const FITTED: usize = 5;

/// Errors below this part of the largest value for every step size are those of the Newton iteration: the constraints
/// alone determine the quantity.
const DETERMINED: f64 = 1e-8;

/// Relative deviation from theory that still agrees with it.
pub const AGREEMENT: f64 = 0.1;

/// A problem and the end of the time over which orders are measured.
pub const PROBLEMS: [(&str, f64); 4] = [
    ("pendulum", 1.0),
    ("heavy-top", 0.1),
    ("four-link", 1.0),
    ("rolling-disk", 1.0),
];

/// What an observed order says.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind", content = "order")]
pub enum Observed {
    /// The slope over the finest steps above the uncertainty of the reference.
    Order(f64),
    /// Errors are at the level of round-off or of the Newton tolerance for every step size.
    Exact,
    /// There is nothing to measure.
    Absent,
    /// Too few step sizes between failure and round-off.
    Unclear,
}

/// One quantity: its observed order and what theory says.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Quantity {
    /// What was seen.
    pub observed: Observed,
    /// What the method says about itself.
    pub theory: u8,
    /// Smallest error that was fitted.
    pub smallest_error: Option<f64>,
}

impl Quantity {
    /// Whether the order is at least the theory's, within a tenth.
    pub fn agrees(&self) -> bool {
        match self.observed {
            Observed::Order(order) => order >= (1.0 - AGREEMENT) * f64::from(self.theory),
            Observed::Exact | Observed::Absent => true,
            Observed::Unclear => false,
        }
    }

    /// Whether the order exceeds the theory's by more than a tenth: superconvergence on this problem.
    pub fn exceeds(&self) -> bool {
        matches!(self.observed, Observed::Order(order) if order > (1.0 + AGREEMENT) * f64::from(self.theory))
    }
}

/// One method on one problem.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OrderRow {
    /// The method's name.
    pub method: String,
    /// The problem's name.
    pub problem: String,
    /// Configurations, in local coordinates.
    pub q: Quantity,
    /// Velocities.
    pub v: Quantity,
    /// Multipliers.
    pub lambda: Quantity,
    /// Why it did not run, if it did not.
    pub failure: Option<String>,
}

impl Standard {
    /// Measures one method on the ladder of steps.
    pub fn measure(&mut self, choice: &Choice, theory: Orders) -> OrderRow {
        let (span, t_end) = (self.span(), self.t_end());
        let (uncertainty, sizes) = (self.uncertainty(), self.sizes());
        let mut errors: Vec<(f64, [f64; 3])> = Vec::new();
        let mut failure = None;
        let limit = most_steps(theory.q.min(theory.v));
        for count in rungs().take_while(|&count| count <= limit) {
            let h = span / (SAMPLES * count) as f64;
            let options = Control::Fixed { step: h }.options(t_end, None);
            match self.errors(choice, &options) {
                Ok(now) => {
                    errors.push((h, now));
                    let floor = |index: usize| ABOVE_UNCERTAINTY * uncertainty[index];
                    if (0..3).all(|index| now[index] <= floor(index)) && errors.len() >= FITTED {
                        break;
                    }
                }
                // Large steps may fail.
                Err(error) => failure = Some(error.to_string()),
            }
        }
        let present = self.present();
        let theories = [theory.q, theory.v, theory.lambda];
        let quantities: [Quantity; 3] = std::array::from_fn(|index| {
            let floor = ABOVE_UNCERTAINTY * uncertainty[index];
            let all: Vec<(f64, f64)> = errors
                .iter()
                .map(|(h, errors)| (*h, errors[index]))
                .collect();
            let power = STAGNATION * f64::from(theories[index]);
            let end = all
                .windows(2)
                .position(|pair| {
                    let least = pair[0].1 * (pair[1].0 / pair[0].0).powf(power);
                    pair[1].1 > least && pair[1].1 < SMALL * sizes[index]
                })
                .unwrap_or(all.len());
            let usable: Vec<(f64, f64)> = all[..end]
                .iter()
                .copied()
                .filter(|(_, error)| *error > floor && error.is_finite())
                .collect();
            let determined = errors
                .iter()
                .all(|(_, errors)| errors[index] <= DETERMINED * sizes[index]);
            let fitted = &usable[usable.len().saturating_sub(FITTED)..];
            let observed = if !present[index] {
                Observed::Absent
            } else if errors.is_empty() {
                Observed::Unclear
            } else if determined || usable.is_empty() {
                Observed::Exact
            } else if fitted.len() < 3 {
                Observed::Unclear
            } else {
                slope(fitted.iter().copied()).map_or(Observed::Unclear, Observed::Order)
            };
            Quantity {
                observed,
                theory: theories[index],
                smallest_error: fitted.last().map(|(_, error)| *error),
            }
        });
        let [q, v, lambda] = quantities;
        OrderRow {
            method: choice.label(),
            problem: self.name().to_owned(),
            q,
            v,
            lambda,
            failure: if errors.is_empty() { failure } else { None },
        }
    }
}
