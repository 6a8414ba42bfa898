//! The recurrence of the acceleration-like variable with changing steps, for v' and for x' alike.

use crate::integrator::AlphaCoefficients;
use crate::manifold::PART;
use crate::memory::fetch;
use std::ops::Range;

/// The parts of Newmark's formulas that do not depend on r_{n+1}: of ∫ r over the step, and of ∫∫ r.
pub(super) struct Known {
    pub integral: f64,
    pub double_integral: f64,
}

/// The acceleration-like variable a of a rate r (v' or x'), and what is remembered of r.
///
/// With constant steps (1 - αm) a_{n+1} + αm a_n = (1 - αf) r_{n+1} + αf r_n gives a_n = r(t_n + Δ h) + O(h²) with
/// Δ = αm - αf. A step of another size needs the value at t_n + Δ h_new instead, which lies on the line through
/// (t_n, r_n) and (t_n + Δ h_old, a_n): a_n is replaced by r_n + (h_new/h_old) (a_n - r_n). What is kept is therefore the
/// slope s_n = (a_n - r_n)/h_n. An error e of s goes over into -αm/(1 - αm) e whatever the step sizes, so the recurrence
/// is stable for any of them; its start is s_0 = Δ r'(t_0).
pub(super) struct Recurrence {
    coefficients: AlphaCoefficients,
    /// s_n.
    offset: Vec<f64>,
    /// r' near t_n, from the last two values of a: less noisy than differences of r.
    pub derivative: Vec<f64>,
    /// r_n.
    pub rate: Vec<f64>,
    /// r_{n-1}, unless this is a start.
    previous_rate: Vec<f64>,
    /// Size of the last step, 0 at a start.
    pub last_step: f64,
}

/// What a step of one size makes of a rate and its offset.
#[derive(Clone, Copy)]
struct Weights {
    h: f64,
    rate: f64,
    old: f64,
}

impl Weights {
    /// a_n, and the known part of a_{n+1} = known + c r_{n+1}.
    #[inline(always)]
    fn apply(&self, rate: f64, offset: f64) -> [f64; 2] {
        // a_n = r_n + h s_n, with the size of this step.
        let old = rate + self.h * offset;
        // a_{n+1} = (αf r_n - αm a_n) / (1 - αm) + c r_{n+1}, c = (1 - αf) / (1 - αm).
        [old, self.rate * rate - self.old * old]
    }
}

impl Recurrence {
    pub fn new(coefficients: AlphaCoefficients, length: usize) -> Self {
        let zeros = || vec![0.0; length];
        Self {
            coefficients,
            offset: zeros(),
            derivative: zeros(),
            rate: zeros(),
            previous_rate: zeros(),
            last_step: 0.0,
        }
    }

    /// Starts from r(t_0); the derivative follows before the first step.
    pub fn begin(&mut self, rate: &[f64]) {
        self.rate.copy_from_slice(rate);
        self.last_step = 0.0;
    }

    /// Whether r'(t_0) is still to be given.
    pub fn is_fresh(&self) -> bool {
        self.last_step == 0.0
    }

    /// r'(t_0) as a divided difference over `step`.
    pub fn start_from_difference(&mut self, later_rate: &[f64], step: f64) {
        // a_0 = r_0 + Δ h r'_0: the offset is Δ r'_0.
        let shift = self.coefficients.shift();
        for (index, later) in later_rate.iter().enumerate() {
            let derivative = (later - self.rate[index]) / step;
            self.derivative[index] = derivative;
            self.offset[index] = shift * derivative;
        }
    }

    fn weights(&self, h: f64) -> Weights {
        let (alpha_m, alpha_f) = (self.coefficients.alpha_m(), self.coefficients.alpha_f());
        Weights {
            h,
            rate: alpha_f / (1.0 - alpha_m),
            old: alpha_m / (1.0 - alpha_m),
        }
    }

    /// Asks for what the known part of the bodies from here on is made of.
    pub fn fetch(&self, first: usize) {
        fetch(&self.rate, first, PART);
        fetch(&self.offset, first, PART);
    }

    /// What is known before a step of size `h`, number by number.
    pub fn prepare(&self, h: f64, own: Range<usize>) -> impl Iterator<Item = Known> {
        let (beta, gamma) = (self.coefficients.beta(), self.coefficients.gamma());
        let weights = self.weights(h);
        let rates = self.rate[own.clone()].iter().zip(&self.offset[own]);
        rates.map(move |(&rate, &offset)| {
            let [old, known] = weights.apply(rate, offset);
            Known {
                integral: h * ((1.0 - gamma) * old + gamma * known),
                double_integral: h * h * ((0.5 - beta) * old + beta * known),
            }
        })
    }

    /// The part of ∫ r over the step that does not depend on r_{n+1}.
    fn known_integral(&self, h: f64, index: usize) -> f64 {
        let gamma = self.coefficients.gamma();
        let [old, known] = self.weights(h).apply(self.rate[index], self.offset[index]);
        h * ((1.0 - gamma) * old + gamma * known)
    }

    /// The error of ∫ r over the step: Newmark's formula against the integral of the parabola through r_{n-1}, r_n and
    /// r_{n+1}, at a start through r_0 with its derivative and r_1.
    pub fn integral_error(&self, h: f64, index: usize, new_rate: f64) -> f64 {
        let rate = self.rate[index];
        let increment = self.known_integral(h, index)
            + h * self.coefficients.gamma() * self.coefficients.slope() * new_rate;
        // The parabola through the last rates: trapezoidal rule less h³/12 r''.
        let slope = if self.is_fresh() {
            self.derivative[index]
        } else {
            (rate - self.previous_rate[index]) * (1.0 / self.last_step)
        };
        let second = 2.0 * ((new_rate - rate) / h - slope) / (h + self.last_step);
        increment - 0.5 * h * (rate + new_rate) + h.powi(3) / 12.0 * second
    }

    /// Shifts the history after an accepted step: all rates are to be [accepted](Self::accept) then.
    pub fn begin_to_accept(&mut self, h: f64) {
        std::mem::swap(&mut self.rate, &mut self.previous_rate);
        self.last_step = h;
    }

    /// Takes these of the new rates over.
    pub fn accept(&mut self, own: Range<usize>, new_rate: &[f64]) {
        let slope = self.coefficients.slope();
        let frequency = 1.0 / self.last_step;
        let weights = self.weights(self.last_step);
        let offsets = self.offset[own.clone()].iter_mut();
        let derivatives = self.derivative[own.clone()].iter_mut();
        let rates = (self.rate[own.clone()].iter_mut()).zip(&self.previous_rate[own.clone()]);
        let kept = offsets.zip(derivatives).zip(rates);
        for (((offset, derivative), (rate, previous)), &new) in kept.zip(&new_rate[own]) {
            // As at the beginning of the step, instead of two more lists.
            let [old, known] = weights.apply(*previous, *offset);
            let a = known + slope * new;
            // s_{n+1} = (a_{n+1} - r_{n+1}) / h.
            *offset = (a - new) * frequency;
            // The mean with the last value: errors of a change sign from step to step where αm > 0.
            *derivative = 0.5 * (*derivative + (a - old) * frequency);
            *rate = new;
        }
    }

    /// Asks for all that is shifted of the bodies from here on.
    pub fn fetch_all(&self, first: usize) {
        for list in [
            &self.offset,
            &self.derivative,
            &self.rate,
            &self.previous_rate,
        ] {
            fetch(list, first, PART);
        }
    }
}
